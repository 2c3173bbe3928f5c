#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the folder that pack.sh makes where there is no GPU, in a bare system: a mount namespace
# whose root has the shared libraries, Python and a few plain commands, and no compiler, no package
# manager, no network and nothing of this repository but the folder. Once with the emulated device,
# so that every script runs, and once without a device, which must never be told as a success; and
# its three plans with stubs (stub_machine.sh) that pass, die and hang. TAP.
#   dry_run.sh BUILD
# The interpreter is the first one with torch and numpy of $ALCORE_TORCH_PYTHON, of the virtual
# environments torch-venv and venv of BUILD and of the folder above it, and python3; without any
# their steps are left out.
set -u
build=$1
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unshare --map-root-user --mount --net true 2>"$work/said" || {
    echo "1..0 # SKIP no namespaces here: $(head -n 1 "$work/said")"
    exit 0
}
count=0
failed=0
check() { # check NAME COMMAND...
    local name=$1
    shift
    count=$((count + 1))
    if "$@" >"$work/why" 2>&1; then
        echo "ok $count - $name"
    else
        echo "not ok $count - $name"
        { cat "$work/why"; tail -n 60 "$work/said"; } | sed 's/^/# /'
        failed=1
    fi
}

python=/usr/bin/python3
has_torch=
for candidate in ${ALCORE_TORCH_PYTHON:+"$ALCORE_TORCH_PYTHON"} "$build"/torch-venv/bin/python "$build"/../torch-venv/bin/python \
    "$build"/venv/bin/python "$build"/../venv/bin/python /usr/bin/python3; do
    # Where a link leads to another folder, the interpreter finds its packages by that one.
    folder=$(realpath "$(dirname "$candidate")" 2>/dev/null) || continue
    "$folder/${candidate##*/}" -c 'import torch, numpy' 2>/dev/null || continue
    python=$folder/${candidate##*/}
    has_torch=1
    break
done
# Folders of the interpreter outside /usr.
mapfile -t python_folders < <("$python" -c 'import sys
print(*(p for p in {sys.prefix, sys.base_prefix} if not p.startswith("/usr")), sep="\n")' | sed '/^$/d')
# Folders of shared libraries that the dynamic linker knows beside the system's own: a torch for
# CUDA may have libraries of the toolkit there. Its compiler is in another folder.
mapfile -t library_folders < <(PATH=$PATH:/sbin:/usr/sbin ldconfig -p | sed -n 's|.*=> \(/.*\)/[^/]*$|\1|p' |
    sort -u | grep -Ev '^(/usr)?/lib')
commands="bash sh cat cut date env head mkdir mktemp nproc realpath rm mv sed sleep grep tail tee timeout tr uname sort ls"

# bare COMMAND...: runs it in the bare system, where /kit is the folder and /out the results.
bare() {
    mkdir -p "$work/root" "$work/out"
    # shellcheck disable=SC2016
    unshare --map-root-user --mount --net bash -c '
        set -e
        root=$1 kit=$2 out=$3 python=$4 commands=$5 folders=$6
        shift 6
        mount -t tmpfs none "$root"
        mkdir -p "$root"/{kit,out,tmp,dev,proc,usr/bin}
        for folder in /lib /lib64 /usr/lib /usr/lib64 /etc/ld.so.cache /etc/alternatives $folders; do
            [ -e "$folder" ] || continue
            if [ -d "$folder" ]; then mkdir -p "$root$folder"; else mkdir -p "$(dirname "$root$folder")"; touch "$root$folder"; fi
            mount --rbind -o ro "$folder" "$root$folder"
        done
        # What compilers keep among the libraries.
        for hidden in /usr/lib/gcc /usr/lib/llvm-*; do
            [ ! -d "$root$hidden" ] || mount -t tmpfs none "$root$hidden"
        done
        ln -s usr/bin "$root/bin"
        for command in $commands; do cp -L "$(command -v "$command")" "$root/usr/bin"; done
        cp -L "$(readlink -f "$python")" "$root/usr/bin/python3"
        for special in null zero urandom; do touch "$root/dev/$special"; mount --bind "/dev/$special" "$root/dev/$special"; done
        ln -s /proc/self/fd "$root/dev/fd"
        mount --rbind /proc "$root/proc"
        mount --bind -o ro "$kit" "$root/kit"
        mount --bind "$out" "$root/out"
        exec chroot "$root" /usr/bin/env -i PATH=/usr/bin HOME=/tmp OMP_NUM_THREADS=1 PYTHON="$PYTHON" "$@"
    ' bash "$work/root" "$work/kit" "$work/out" "$python" "$commands" "${python_folders[*]} ${library_folders[*]}" "$@"
}
PYTHON=python3
[ ${#python_folders[@]} -eq 0 ] || PYTHON=$python # the symbolic link of a virtual environment says which one it is
export PYTHON

# The plans: their limits, then the order of their steps on a machine whose programs are stubs.
for minutes in 4 6 9; do
    sum=$(awk -v plan=$minutes '$1 == "stage" {for (i = 2; i <= NF; i++) if ($i == plan) column = i} !/^#/ {sum += $column}
        END {print sum - plan}' tests/gpu/plans.tsv)
    check "the limits of the plan of $minutes minutes sum to $((60 * minutes)) s: $sum" [ "$sum" = $((60 * minutes)) ]
done
check "the folder is packed, with the emulated device" tests/gpu/pack.sh --emulated "$work/kit" "$build"
: >"$work/said"
# shellcheck disable=SC2016
check "the bare system has no compiler, no package manager and no network" bare bash -c '
    for name in cc gcc g++ clang nvcc ld as make ninja meson apt apt-get dpkg pip pip3 curl wget git; do
        ! command -v $name || exit 1
    done
    ! ls /usr/lib/gcc/*/*/cc1 2>/dev/null || exit 1
    [ "$(grep -c : /proc/net/dev)" -le 1 ] || exit 1
    ! (exec 3<>/dev/tcp/1.1.1.1/80) 2>/dev/null'

# stubs STUB MINUTES: run.sh with stubs in place of what it starts.
stubs() {
    bare env STUB="$1" PATH=/kit/stubs:/usr/bin PYTHON=python3 bash /kit/run.sh --minutes "$2" /kit /out >"$work/said" 2>&1
    status=$?
}
# begun: the steps of that run in the order in which they began, each kind once.
begun() { sed -n 's/^-- \(.*\), at most [0-9]* s$/\1/p' "$work/out/report.txt" | sed 's/, one case in .*//' | uniq; }
# expected MINUTES: what they should be.
expected() {
    printf '%s\n' load doctor "probe of cuBLAS" "probe of ncu" "probe of compute-sanitizer" "probe of torch" "filtered conformance" conformance \
        goals "compute-sanitizer racecheck" "selections and searches, CPU against device"
    [ "$1" = 4 ] || echo "compute-sanitizer memcheck"
    printf '%s\n' "counters of four kernels" "models, CPU against device" "example, a training loop on the device" "example in C++" \
        "copies to the host in the example"
    [ "$1" = 4 ] || printf '%s\n' ceilings "hidden states to NLL, both ways"
    [ "$1" != 9 ] || echo "speed of models"
}
mv "$work/kit" "$work/real-kit"
mkdir -p "$work/kit/bin" "$work/kit/stubs"
cp -r "$work/real-kit/run.sh" "$work/real-kit/plans.tsv" "$work/real-kit/scripts" "$work/kit"
for program in bin/alcore bin/kernel_conformance bin/torch_device stubs/python3 stubs/ncu stubs/compute-sanitizer stubs/nvidia-smi; do
    cp tests/gpu/stub_machine.sh "$work/kit/$program"
done
echo 2.11 >"$work/kit/torch_version"
echo "engine: a stub" >"$work/kit/packed"
steps=$work/out/steps.tsv
probes='load|doctor|probe of .*'
for minutes in 4 6 9; do
    stubs pass $minutes
    check "$minutes minutes: every step passes" [ "$status" = 0 -a -z "$(grep -v '^passed\|^left out: not in' "$steps")" ]
    check "$minutes minutes: the order of the steps" [ "$(begun)" = "$(expected $minutes)" ]
    stubs die $minutes
    check "$minutes minutes: each step begins after the one before has died" [ "$status" = 1 -a "$(begun)" = "$(expected $minutes)" ]
    check "$minutes minutes: each is told to have died, and what it printed" \
        [ -z "$(grep -vE "^left out|	($probes)\$|^FAILED with 139	" "$steps")" -a "$(grep -c ': a line of ' "$work/out/report.txt")" -ge 18 ]
done
check "entries that the device does not have take no part" [ -z "$(grep class_stats "$steps")" ]
sed -i '/^[#s]/!s/\t.*/\t4\t4\t4/' "$work/kit/plans.tsv" # all stages but those whose names begin with s
begin=$SECONDS
stubs hang 4
check "steps that hang are killed, and the next stage begins" \
    [ "$(grep -c '^NOT FINISHED within [0-9] s	[0-9]*	\(filtered conformance\|goals\|counters\|models\|ceilings\|hidden\)' "$steps")" -ge 7 ]
check "a plan ends in its time: $((SECONDS - begin)) s" [ $((SECONDS - begin)) -lt 60 ]
rm -rf "$work/kit"
mv "$work/real-kit" "$work/kit"

bare bash /kit/run.sh /kit /out >"$work/said" 2>&1
status=$?
outcome() { # outcome STEP: passed, left out, FAILED ...
    awk -F '\t' -v name="$1" 'index($3, name) == 1 {print $1}' "$steps"
}
passed() { [ "$(outcome "$1")" = passed ]; }
check "every step of the emulated device passes" [ $status = 0 ]
for step in load doctor; do check "$step ran" passed "$step"; done
entries=$("$build/tests/conformance/kernel_conformance" --entries | grep -vxF "$(awk '$2 == "cuda" {print $1}' tests/conformance/missing-entries)" | wc -l)
check "each of $entries entries passed in a process of its own" [ "$(grep -c '^passed.*	conformance, one case in [0-9]* of ' "$steps")" = "$entries" ]
check "four with filters" [ "$(grep -c '^passed.*	filtered conformance, one case in [0-9]* of ' "$steps")" = 4 ]
check "conformance prints its counts as they come" grep -q ' of knn: # after 1024 dimensions:.* cuda-emu \([1-9][0-9]*\)/\1$' "$work/out/report.txt"
check "large cases too" grep -q ' of knn: # after 300 rows:.* cuda-emu \([1-9][0-9]*\)/\1$' "$work/out/report.txt"
check "entries are given arrays on the device" [ "$(grep -c ': # cuda-emu: [1-9][0-9]* cases of entries with arrays on the device$' "$work/out/report.txt")" -ge "$entries" ]
check "what the machine lacks is left out by its name" [ -n "$(outcome "probe of ncu" | grep '^left out')" ]
for step in selections "example, a training loop" ceilings goals "hidden states to NLL"; do
    if [ -n "$has_torch" ]; then
        check "$step ran" passed "$step"
    else
        check "$step: left out, without torch" [ "$(outcome "$step")" = "left out: python3 has no torch with numpy" ]
    fi
done
if [ -n "$has_torch" ]; then
    check "every goal is in the table" [ "$(wc -l <"$work/out/goals.tsv")" = 7 ]
    check "hidden states are measured both ways" [ "$(grep -c ': \(cuBLAS\|own kernel\)  .* tokens: ' "$work/out/report.txt")" = 4 ]
    check "a dozen selections are equal" [ "$(grep -c ': equal  ' "$work/out/report.txt")" -ge 12 ]
fi
check "the report says that the device is emulated" grep -q '^The device is EMULATED' "$work/out/report.txt"

# The same folder with the real module, or with none where it was not built: no device.
rm -f "$work/kit/module/libalcore-cuda.so" "$work/kit/filtered/libalcore-cuda.so"
[ ! -e "$build/lib/engines/cuda/libalcore-cuda.so" ] || cp "$build/lib/engines/cuda/libalcore-cuda.so" "$work/kit/module"
sed -i '/^engine:/d' "$work/kit/packed"
bare bash /kit/run.sh /kit /out >"$work/said" 2>&1
status=$?
check "without a device the status is 3" [ $status = 3 ]
check "nothing but the loading of the folder passed" [ "$(awk -F '\t' '$1 == "passed" {print $3}' "$steps")" = load ]
for step in conformance filtered selections compute-sanitizer ceilings goals counters models; do
    check "$step is left out, for there is no device" [ -z "$(outcome "$step" | grep -v '^left out: no device')" -a -n "$(outcome "$step")" ]
done
check "the report says that nothing was checked" grep -q '^There is NO DEVICE' "$work/out/report.txt"
echo "1..$count"
exit $failed
