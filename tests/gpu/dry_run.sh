#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the folder that pack.sh makes where there is no GPU, in a bare system: a mount namespace
# whose root has the shared libraries, Python and a few plain commands, and no compiler, no package
# manager, no network and nothing of this repository but the folder. Once with the emulated device,
# so that every script runs, and once without a device, which must never be told as a success. TAP.
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
commands="bash sh cat cut date env head mkdir mktemp nproc realpath rm sed grep tail tee timeout tr uname sort ls"

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

# The limits of the steps, both tools of the sanitizer counted.
limits=$(sed -nE 's/.*(^| )(device_)?step( --[a-z]+)* ("[^"]*"|[a-z]+) ([0-9]+) .*/\4\t\5/p' tests/gpu/run.sh |
    awk -F '\t' '{sum += $1 ~ /\$tool/ ? 2 * $2 : $2} END {print sum + 0, NR}')
check "the limits of the 15 steps of run.sh leave time for all: $limits" \
    [ "${limits#* }" = 15 -a "${limits% *}" -le "$(sed -n 's/^most_seconds=//p' tests/gpu/run.sh)" -a "${limits% *}" -le 470 ]
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

bare bash /kit/run.sh /kit /out >"$work/said" 2>&1
status=$?
steps=$work/out/steps.tsv
outcome() { # outcome STEP: passed, left out, FAILED ...
    awk -F '\t' -v name="$1" 'index($3, name) == 1 {print $1}' "$steps"
}
passed() { [ "$(outcome "$1")" = passed ]; }
check "every step of the emulated device passes" [ $status = 0 ]
for step in load doctor "conformance, one case in" "conformance at size" "conformance of the filters"; do check "$step ran" passed "$step"; done
check "conformance prints its counts as they come" grep -q '^# after 33 dimensions:.* cuda-emu \([1-9][0-9]*\)/\1$' "$work/out/report.txt"
check "large cases too" grep -q '^# after 300 rows:.* cuda-emu \([1-9][0-9]*\)/\1$' "$work/out/report.txt"
check "entries are given arrays on the device" [ "$(grep -c '^# cuda-emu: [1-9][0-9]* cases of entries with arrays on the device$' "$work/out/report.txt")" = 3 ]
for step in selections "example, a training loop" ceilings goals "hidden states to NLL"; do
    if [ -n "$has_torch" ]; then
        check "$step ran" passed "$step"
    else
        check "$step: left out, without torch" [ "$(outcome "$step")" = "left out: python3 has no torch with numpy" ]
    fi
done
if [ -n "$has_torch" ]; then
    check "every goal is in the table" [ "$(wc -l <"$work/out/goals.tsv")" = 7 ]
    check "hidden states are measured both ways" [ "$(grep -c '^\(cuBLAS\|own kernel\)  .* tokens: ' "$work/out/report.txt")" = 4 ]
    check "a dozen selections are equal" [ "$(grep -c '^equal  ' "$work/out/report.txt")" -ge 12 ]
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
for step in doctor conformance selections compute-sanitizer ceilings goals ncu; do
    check "$step is left out, for there is no device" [ -z "$(outcome "$step" | grep -v '^left out: no device')" -a -n "$(outcome "$step")" ]
done
check "the report says that nothing was checked" grep -q '^There is NO DEVICE' "$work/out/report.txt"
echo "1..$count"
exit $failed
