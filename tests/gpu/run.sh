#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks and measures the CUDA engine on a machine with an NVIDIA GPU, from a folder that
# tests/gpu/pack.sh made. Ends within the minutes of its plan and writes each result as it comes.
#   tests/gpu/run.sh [--minutes 4|6|9] FOLDER OUT          (9 minutes)
# OUT/report.txt has everything, OUT/steps.tsv a line for each step (outcome, seconds, name),
# OUT/goals.tsv the goals, OUT/ncu.csv the counters. $PYTHON: the interpreter with torch and numpy
# (python3).
# Exit status: 0 every step that could be taken passed, 1 a step failed or ran out of time, 2 usage,
# 3 there is no device: nothing was proven.
#
# A stage is some steps that run at once, as many as there are processors, but at most MOST_JOBS, as
# processes take turns on the device; a stage that measures times has one step. A step is a process
# of its own, or several, so that an error of the device, which stays for the life of a process,
# a crash and a hang cost that step alone.
set -u
minutes=9
if [ "${1-}" = --minutes ]; then
    minutes=${2-}
    shift $(($# < 2 ? $# : 2))
fi
[[ $# = 2 && $minutes =~ ^[469]$ && -f $1/packed ]] || { sed -n '3,11s/^# \{0,1\}//p' "$0" >&2; exit 2; }
kit=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
rm -f "$out/report.txt" "$out/steps.tsv" "$out/goals.tsv" "$out/ncu.csv"
work=$(mktemp -d) # what steps tell this script
trap 'rm -rf "$work"' EXIT
exec > >(tee "$out/report.txt") 2>&1
report=$!

MOST_JOBS=8
jobs=$(nproc --all) # whatever OpenMP is told
[ "$jobs" -le $MOST_JOBS ] || jobs=$MOST_JOBS
patience=1
# The emulation proves nothing by its speed, and its machine may be a busy one.
! grep -q '^engine: the emulated device' "$kit/packed" || patience=10
python=${PYTHON:-python3}
scripts=$kit/scripts
export LD_LIBRARY_PATH=$kit/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ALCORE_LIBRARY=$kit/lib ALCORE_MODULE_DIR=$kit/module PYTHONPATH=$kit/python:$scripts
export PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
# Torch asks for the user's name, which a container need not know.
export USER="${USER:-nobody}"
passed=0 failed=0 left_out=0

# Limits of the stages of this plan.
declare -A limits
while read -r stage four six nine; do
    case $minutes in
    4) limits[$stage]=$four ;;
    6) limits[$stage]=$six ;;
    9) limits[$stage]=$nine ;;
    esac
done < <(grep -v '^#' "$kit/plans.tsv")
ends=0 # the second, of this script, at which the stages so far must have ended

# note OUTCOME SECONDS NAME: the last line of a step.
note() {
    echo "== $3: $1, $2 s"
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$out/steps.tsv"
    case $1 in
    passed) passed=$((passed + 1)) ;;
    left\ out*) left_out=$((left_out + 1)) ;;
    *) failed=$((failed + 1)) ;;
    esac
}

# enter STAGE: what is added from here on is in this stage.
enter() {
    stage=$1
    names=() commands=() mosts=()
    most=$((limits[$stage] * patience)) # seconds of one step that is added
    ends=$((ends + limits[$stage] * patience))
}

# add [--device | --torch | --real]... NAME COMMAND...: a step of the stage. --device: it needs a
# device; --torch: a device and torch, --real: a device that is not emulated.
add() {
    local reason=
    while [ "${1#--}" != "$1" ]; do
        if [ -z "$device" ]; then
            reason="no device${gpu:+ that the engine can use}"
        elif [ "$1" = --real ] && [ "$device" = emulated ]; then
            reason=${reason:-the device is emulated}
        elif [ "$1" = --torch ] && [ ! -e "$work/torch" ]; then
            reason=${reason:-$python has no torch with numpy${torch_device:+ that has the device}}
        fi
        shift
    done
    if [ "${limits[$stage]}" = 0 ]; then
        note "left out: not in $minutes minutes" 0 "$1"
    elif [ -n "$reason" ]; then
        note "left out: $reason" 0 "$1"
    else
        names+=("$1")
        mosts+=("$most")
        shift
        commands+=("$(printf '%q ' "$@")")
    fi
}

# begin NUMBER LIMIT: starts a step of the stage. Its lines are told by its name; its status stands
# in a file once it has ended and all of its lines are printed.
begin() {
    echo "-- ${names[$1]}, at most $2 s"
    begun[$1]=$SECONDS
    granted[$1]=$2
    {
        timeout -s KILL "$2" bash -c "${commands[$1]}" </dev/null 2>&1 | while IFS= read -r line || [ -n "$line" ]; do
            printf '%s: %s\n' "${names[$1]}" "$line"
        done
        echo "${PIPESTATUS[0]}" >"$work/$stage-$1.made" && mv "$work/$stage-$1.made" "$work/$stage-$1"
    } &
}

# finish NUMBER: notes the outcome of a step that has ended.
finish() {
    local seconds=$((SECONDS - begun[$1])) status
    status=$(cat "$work/$stage-$1")
    case $status in
    77) note "left out" $seconds "${names[$1]}" ;;
    0) note passed $seconds "${names[$1]}" ;;
    *)
        # The signal ends timeout too, and what else the step has started.
        if [ "$status" = 137 ] && [ $seconds -ge "${granted[$1]}" ]; then
            note "NOT FINISHED within ${granted[$1]} s" $seconds "${names[$1]}"
        else
            note "FAILED with $status" $seconds "${names[$1]}"
        fi
        ;;
    esac
}

# run_stage JOBS: runs the steps of the stage, so many at once, until it must have ended. A process
# that the driver holds cannot be killed: nobody waits for it then.
run_stage() {
    local next=0 running=() still one left
    while [ $next -lt ${#names[@]} ] || [ ${#running[@]} -gt 0 ]; do
        while [ ${#running[@]} -lt "$1" ] && [ $next -lt ${#names[@]} ]; do
            left=$((ends - SECONDS))
            if [ $left -lt 1 ]; then
                note "NOT BEGUN: no time was left" 0 "${names[next]}"
            else
                begin $next $((left < mosts[next] ? left : mosts[next]))
                running+=($next)
            fi
            next=$((next + 1))
        done
        still=()
        for one in "${running[@]}"; do
            if [ -e "$work/$stage-$one" ]; then
                finish "$one"
            elif [ $SECONDS -gt $((ends + 1)) ]; then
                note "NOT FINISHED within ${granted[$one]} s, and cannot be killed" $((SECONDS - begun[one])) "${names[$one]}"
            else
                still+=("$one")
            fi
        done
        running=("${still[@]}")
        [ ${#running[@]} -eq 0 ] || sleep 0.1
    done
}
declare -a begun granted

load() {
    cat "$kit/packed"
    echo "system: $(uname -sr), $(nproc) cores, $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,compute_cap,driver_version,memory.total --format=csv,noheader ||
        echo "no nvidia-smi here"
    "$kit/bin/alcore" --version && "$python" -c 'import alcore, platform
print("Python", platform.python_version() + ", package alcore over", alcore.load())'
}

# doctor: prints what the command says; fails where it cannot use the device, and is left out where
# there is none.
doctor() {
    "$kit/bin/alcore" doctor | tee "$work/doctor"
    ! grep -q '^device cuda: usable' "$work/doctor" || { echo usable >"$work/device"; return 0; }
    [ "$emulated" = 1 ] || nvidia-smi -L 2>/dev/null | grep -q '^GPU ' || return 77
    return 1
}

# What the machine allows: each of these leaves a file where its tool works.
small_case() { # small_case COMMAND...: a kernel of the engine under a tool
    ALCORE_CONFORMANCE_ONLY=self_dots "$@" "$kit/bin/kernel_conformance" "$scripts/missing-entries" 1 800 0 "$kit/module/libalcore-cuda.so"
}
tool() { # tool NAME: its path
    command -v "$1" || { [ -x "/usr/local/cuda/bin/$1" ] && echo "/usr/local/cuda/bin/$1"; }
}
probe_ncu() {
    local ncu
    ncu=$(tool ncu) || { echo "ncu is not installed"; return 77; }
    small_case "$ncu" --clock-control none --csv --page raw --log-file "$work/ncu.log" --launch-count 1 \
        --metrics gpu__time_duration.sum
    cat "$work/ncu.log"
    grep -q '"[0-9.,]*[1-9][0-9.,]*"$' "$work/ncu.log" || { echo "ncu counts nothing here"; return 77; }
    echo "$ncu" >"$work/ncu"
}
probe_sanitizer() {
    local sanitizer
    sanitizer=$(tool compute-sanitizer) || { echo "compute-sanitizer is not installed"; return 77; }
    small_case "$sanitizer" --tool memcheck --error-exitcode 9 | tee "$work/sanitizer.log"
    grep -q 'ERROR SUMMARY: 0 errors' "$work/sanitizer.log" || { echo "compute-sanitizer does not work here"; return 77; }
    echo "$sanitizer" >"$work/sanitizer"
}
# The folder of torch's package is found without torch, whose first import may take a minute; a
# handle of cuBLAS is made, where the module would look for it too.
probe_cublas() {
    "$python" -c 'import ctypes, glob, importlib.util, os, sys
spec = importlib.util.find_spec("torch")
beside = glob.glob(os.path.join(os.path.dirname(spec.origin), "..", "nvidia", "cu13", "lib", "libcublas.so.13")) if spec else []
path = os.environ.get("ALCORE_CUBLAS") or (beside or ["libcublas.so.13"])[0]
try:
    made = ctypes.CDLL(path).cublasCreate_v2(ctypes.byref(ctypes.c_void_p()))
except OSError as error:
    made = error
print("cuBLAS,", path + ":", "works" if made == 0 else "does not work: %s" % made)
made != 0 and sys.exit(77)
print(path, file=open(sys.argv[1], "w"))' "$work/cublas"
}
# torch: its folder and version, and whether it has the device, where that is not emulated.
probe_torch() {
    "$python" -c 'import os, sys
try:
    import numpy, torch
except ImportError as error:
    print(error)
    sys.exit(77)
print("torch", torch.__version__, "numpy", numpy.__version__)
if sys.argv[2] == "real":
    print(torch.ones(3, device="cuda").sum().item(), "on", torch.cuda.get_device_name())
with open(sys.argv[1], "w") as file:
    print(os.path.dirname(torch.__file__), ".".join(torch.__version__.split(".")[:2]), file=file)' "$work/torch" "$device"
}
export -f load doctor small_case tool probe_ncu probe_sanitizer probe_cublas probe_torch
emulated=$((patience > 1))
device='' gpu='' torch_device=''
export kit out python scripts work emulated device

enter machine
add load load
add doctor doctor
most=$((15 * patience)) # a tool that hangs here is of no use
add "probe of cuBLAS" probe_cublas
add "probe of ncu" probe_ncu
add "probe of compute-sanitizer" probe_sanitizer
run_stage "$MOST_JOBS"
if [ -e "$work/device" ]; then
    device=real
    [ $emulated = 0 ] || device=emulated
elif grep -q '^FAILED.*doctor$' "$out/steps.tsv"; then
    gpu=there
fi
[ $emulated = 1 ] || torch_device=1
# Programs without torch are told where its cuBLAS is; the emulated device has its own.
if [ -e "$work/cublas" ]; then
    ALCORE_CUBLAS=$(cat "$work/cublas")
    export ALCORE_CUBLAS
elif [ $emulated = 0 ]; then
    export ALCORE_CUBLAS=none
fi

# One case in so many: all of them make 4.5 million launches and copy two million arrays to the
# device and back, and the emulation is slow. Rows of the large cases: two wide blocks.
cases=20 filter_cases=8 rows=1056845
[ $minutes != 9 ] || cases=10 filter_cases=4
[ "$device" != emulated ] || cases=2000 filter_cases=2000 rows=300
# conformance ENTRY MODULE ARGUMENT...
conformance() {
    local entry=$1 module=$2
    shift 2
    ALCORE_CONFORMANCE_ONLY=$entry "$kit/bin/kernel_conformance" "$scripts/missing-entries" 1 "$@" "$kit/$module/libalcore-cuda.so"
}
export -f conformance
enter conformance
add --device "probe of torch" probe_torch
# Entries that hang leave time for the others.
most=$((most / 2))
# Cases are too small for the filters by tensor cores: an engine that filters whatever the shape.
for entry in nearest_centroid knn distance_bounds margin_ratios; do
    add --device "filtered conformance, one case in $filter_cases of $entry" conformance $entry filtered $filter_cases $rows
done
for entry in $("$kit/bin/kernel_conformance" --entries); do
    grep -q "^$entry cuda " "$scripts/missing-entries" ||
        add --device "conformance, one case in $cases of $entry" conformance "$entry" module $cases $rows
done
run_stage "$jobs"
torch='' torch_version=''
[ ! -e "$work/torch" ] || read -r torch torch_version <"$work/torch"

each="$scripts/each.py"
enter goals
add --torch goals "$python" "$each" --seconds $((20 * patience)) logits,hidden,segment,clusters,neighbors,distances,picks \
    "$scripts/bench_gpu.py" "$kit" --out "$out/goals.tsv" --only
run_stage 1

enter comparisons
if [ -n "$device" ] && [ $emulated = 0 ] && [ ! -e "$work/sanitizer" ]; then
    note "left out: compute-sanitizer does not work here" 0 compute-sanitizer
else
    sanitizer=$(cat "$work/sanitizer" 2>/dev/null)
    # The four kernels with tiles in shared memory, by the entries that start them: best_filter,
    # candidates_kernel, bounds_kernel and, without cuBLAS, fused_kernel.
    for entry in nearest_centroid knn distance_bounds hidden_stats; do
        add --real "compute-sanitizer racecheck, one case in 400 of $entry" env ALCORE_CUBLAS=none ALCORE_CONFORMANCE_ONLY=$entry \
            "$sanitizer" --tool racecheck --error-exitcode 9 "$kit/bin/kernel_conformance" "$scripts/missing-entries" 1 400 0 "$kit/filtered/libalcore-cuda.so"
    done
fi
selection_rows=20000 parts=24
[ "$device" != emulated ] || selection_rows=300 parts=2
add --torch "selections and searches, CPU against device" "$python" "$each" --jobs "$jobs" --parts $parts "$scripts/compare_selections.py" $selection_rows
if [ -e "$work/sanitizer" ] && [ $minutes != 4 ]; then
    # Two blocks of rows.
    add --real "compute-sanitizer memcheck, one case in 400 of all kernels" \
        "$sanitizer" --tool memcheck --error-exitcode 9 "$kit/bin/kernel_conformance" "$scripts/missing-entries" 1 400 16461 "$kit/filtered/libalcore-cuda.so"
fi
run_stage "$MOST_JOBS"

enter counters
if [ -n "$device" ] && [ $emulated = 0 ] && [ ! -e "$work/ncu" ]; then
    note "left out: ncu does not work here" 0 "counters of four kernels"
else
    # Of each goal few launches, the fewest first.
    add --real --torch "counters of four kernels" "$(cat "$work/ncu" 2>/dev/null)" --clock-control none --csv --page raw --log-file "$out/ncu.csv" \
        --kernel-name 'regex:(logits|sums|bounds|candidates)_kernel' --launch-count 24 \
        --metrics gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,sm__throughput.avg.pct_of_peak_sustained_elapsed,sm__inst_executed_pipe_tensor.sum,launch__registers_per_thread,sm__warps_active.avg.pct_of_peak_sustained_active \
        "$python" "$scripts/bench_gpu.py" "$kit" --once --only logits,segment,distances,neighbors
fi
run_stage 1

enter models
add --real --torch "models, CPU against device" "$python" "$each" --jobs "$jobs" --parts 16 "$scripts/compare_models.py" "$kit/models" --part
rounds=3
[ "$device" != emulated ] || rounds=1
add --torch "example, a training loop on the device" "$python" "$kit/examples/python/torch_device.py" $rounds
example="example in C++"
if [ ! -e "$kit/bin/torch_device" ]; then
    note "left out: it was not packed, without a torch to compile it with" 0 "$example"
elif [ -n "$torch" ] && [ "$torch_version" != "$(cat "$kit/torch_version")" ]; then
    note "left out: it was compiled for torch $(cat "$kit/torch_version")" 0 "$example"
else
    # Nothing in the program itself names the part of torch that knows devices.
    preload=()
    [ "$device" = emulated ] || preload=("LD_PRELOAD=$torch/lib/libtorch_cuda.so")
    add --torch "$example" env LD_LIBRARY_PATH="$kit/lib:$torch/lib" "${preload[@]}" "$kit/bin/torch_device" "$kit/examples/data/pool.txt" $rounds
fi
add --real --torch "copies to the host in the example" "$python" "$scripts/count_copies.py" "$kit/examples/python"
run_stage "$jobs"

enter ceilings
add --torch ceilings "$python" "$scripts/ceilings.py"
run_stage 1
enter hidden
if [ "$device" = real ] && [ ! -e "$work/cublas" ]; then
    note "left out: cuBLAS does not work here" 0 "hidden states to NLL, both ways"
else
    add --torch "hidden states to NLL, both ways" "$python" "$scripts/hidden_ways.py" "$kit"
fi
run_stage 1
enter speed
add --real --torch "speed of models" "$python" "$scripts/compare_models.py" "$kit/models" --part 0/0 --speed "$kit/examples/data/labeled.tsv"
run_stage 1

echo
case $device in
emulated) echo "The device is EMULATED: this run checks the folder and its scripts, and no GPU." ;;
'') echo "There is NO DEVICE${gpu:+ that the engine can use}: nothing of the engine was checked." ;;
esac
echo "$passed steps passed, $failed failed, $left_out left out; $SECONDS s of $((60 * minutes * patience))"
grep -v '^\(passed\|left out\)' "$out/steps.tsv"
exec >&- 2>&- # the report is written when tee ends, unless a step that cannot be killed holds it
for _ in {1..20}; do
    kill -0 $report 2>/dev/null || break
    sleep 0.1
done
[ $failed -eq 0 ] || exit 1
[ -n "$device" ] || exit 3
