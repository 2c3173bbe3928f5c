#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Checks and measures the CUDA engine on a machine with an NVIDIA GPU, from a folder that
# tests/gpu/pack.sh made. Ends within 8 minutes and writes each result as it comes.
#   tests/gpu/run.sh FOLDER OUT
# OUT/report.txt has everything, OUT/steps.tsv a line for each step (outcome, seconds, name),
# OUT/goals.tsv the goals. $PYTHON: the interpreter with torch and numpy (python3).
# Exit status: 0 every step that could be taken passed, 1 a step failed or ran out of time, 2 usage,
# 3 there is no device: nothing was proven.
set -u
[ $# = 2 ] && [ -f "$1/packed" ] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
kit=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
rm -f "$out/report.txt" "$out/steps.tsv" "$out/goals.tsv" "$out/ncu.csv"
exec > >(tee "$out/report.txt") 2>&1
report=$!

# Of all steps together; each has a limit of its own, and these add up to less, so that no step
# takes the time of another one.
most_seconds=470
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

# note OUTCOME SECONDS NAME: the last line of a step.
note() {
    echo "== $3: $1, $2 s"
    printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$out/steps.tsv"
}

# step NAME LIMIT COMMAND...: runs it for at most LIMIT seconds and goes on, whatever comes of it.
step() {
    local name=$1 limit=$(($2 * patience)) begun=$SECONDS left=$((most_seconds * patience - SECONDS)) status
    shift 2
    [ $limit -lt $left ] || limit=$left
    echo
    echo "== $name"
    status=124
    [ $limit -lt 1 ] || { timeout -k 5 "$limit" "$@"; status=$?; }
    case $status in
    77) left_out=$((left_out + 1)); note "left out" $((SECONDS - begun)) "$name" ;;
    0) passed=$((passed + 1)); note passed $((SECONDS - begun)) "$name" ;;
    124 | 137) failed=$((failed + 1)); note "NOT FINISHED within $limit s" $((SECONDS - begun)) "$name" ;;
    *) failed=$((failed + 1)); note "FAILED with $status" $((SECONDS - begun)) "$name" ;;
    esac
    return $status
}

# leave_out NAME REASON
leave_out() {
    left_out=$((left_out + 1))
    echo
    note "left out: $2" 0 "$1"
}

# device_step [--torch | --real]... NAME LIMIT COMMAND...: a step that needs a device; --torch: and
# torch, --real: one that is not emulated.
device_step() {
    local torch= real=
    while :; do
        case $1 in
        --torch) torch=1 ;;
        --real) real=1 ;;
        *) break ;;
        esac
        shift
    done
    if [ -z "$device" ]; then
        leave_out "$1" "no device${gpu:+ that the engine can use}"
    elif [ -n "$real" ] && [ "$device" = emulated ]; then
        leave_out "$1" "the device is emulated"
    elif [ -n "$torch" ] && [ -z "$has_torch" ]; then
        leave_out "$1" "$python has no torch with numpy"
    else
        step "$@"
    fi
}

load() {
    cat "$kit/packed"
    echo "system: $(uname -sr), $(nproc) cores, $(date -u +%Y-%m-%d)"
    nvidia-smi --query-gpu=name,compute_cap,driver_version,memory.total --format=csv,noheader ||
        echo "no nvidia-smi here"
    echo "cuBLAS for programs without torch: ${ALCORE_CUBLAS:-where the linker finds it}"
    "$kit/bin/alcore" --version && "$python" -c 'import alcore, platform
print("Python", platform.python_version() + ", package alcore over", alcore.load())'
}

# doctor: prints what the command says; fails where it cannot use the device.
doctor() {
    "$kit/bin/alcore" doctor | tee "$out/doctor"
    grep -q '^device cuda: usable' "$out/doctor"
}

has_torch=
# The folder of torch's package; programs without torch are told where its cuBLAS is.
torch=$(timeout -k 5 $((30 * patience)) "$python" -c 'import numpy, os, torch; print(os.path.dirname(torch.__file__))' 2>/dev/null) && has_torch=1
cublas=$torch/../nvidia/cu13/lib/libcublas.so.13
[ ! -e "$cublas" ] || export ALCORE_CUBLAS="${ALCORE_CUBLAS:-$cublas}"
export -f load doctor
export kit out python
step load 15 bash -c load
gpu=$(timeout -k 5 10 nvidia-smi -L 2>/dev/null | grep '^GPU ' | head -n 1)
# A container may have the driver without its command.
[ -n "$gpu" ] || gpu=$(timeout -k 5 10 "$kit/bin/alcore" doctor 2>/dev/null | grep '^device cuda: usable')
[ $patience -eq 1 ] || gpu=emulated
device=
if [ -z "$gpu" ]; then
    leave_out doctor "no device"
    bash -c doctor
elif step doctor 10 bash -c doctor; then
    device=real
    [ "$gpu" != emulated ] || device=emulated
fi
rm -f "$out/doctor"

conformance="$kit/bin/kernel_conformance $scripts/missing-entries"
searches=knn,margin_ratios,nearest_centroid,distance_bounds
# One case in so many: all of them make 4.5 million launches and copy two million arrays to the
# device and back, and the emulation is slow. Rows of the large cases: two wide blocks.
cases=20 filter_cases=8 rows=1056845
[ "$device" != emulated ] || cases=100 filter_cases=40 rows=300
# shellcheck disable=SC2086
device_step "conformance, one case in $cases" 40 $conformance 1 $cases 0 "$kit/module/libalcore-cuda.so"
# shellcheck disable=SC2086
device_step "conformance at size, $rows rows" 15 $conformance 1 0 $rows "$kit/module/libalcore-cuda.so"
# Its cases are too small for the filters by tensor cores: an engine that filters whatever the
# shape.
# shellcheck disable=SC2086
device_step "conformance of the filters, one case in $filter_cases" 30 \
    env ALCORE_CONFORMANCE_ONLY=$searches $conformance 1 $filter_cases $rows "$kit/filtered/libalcore-cuda.so"
device_step --torch "selections and searches, CPU against device" 65 "$python" "$scripts/compare_selections.py"
device_step --torch "example, a training loop on the device" 20 "$python" "$kit/examples/python/torch_device.py" 3
example="example in C++"
if [ ! -e "$kit/bin/torch_device" ]; then
    leave_out "$example" "it was not packed, without a torch to compile it with"
elif [ "$(timeout -k 5 $((30 * patience)) "$python" -c 'import torch; print(*torch.__version__.split(".")[:2], sep=".")' 2>/dev/null)" != "$(cat "$kit/torch_version")" ]; then
    leave_out "$example" "it was compiled for torch $(cat "$kit/torch_version")"
else
    # Nothing in the program itself names the part of torch that knows devices.
    preload=
    [ "$device" = emulated ] || preload=LD_PRELOAD=$torch/lib/libtorch_cuda.so
    # shellcheck disable=SC2086
    device_step --torch "$example" 10 env LD_LIBRARY_PATH="$kit/lib:$torch/lib" $preload \
        "$kit/bin/torch_device" "$kit/examples/data/pool.txt" 3
fi
device_step --real --torch "copies to the host in the example" 10 "$python" "$scripts/count_copies.py" "$kit/examples/python"

sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
for tool in memcheck racecheck; do
    if [ -n "$device" ] && [ -z "$sanitizer" ]; then
        leave_out "compute-sanitizer $tool" "it is not installed"
    else
        # Two blocks of rows; racecheck looks at shared memory, in which rows are not many.
        rows=16461
        [ $tool = memcheck ] || rows=0
        # shellcheck disable=SC2086
        device_step --real "compute-sanitizer $tool, one case in 400" 35 \
            "$sanitizer" --tool $tool --error-exitcode 9 $conformance 1 400 $rows "$kit/filtered/libalcore-cuda.so"
    fi
done

device_step --torch ceilings 15 "$python" "$scripts/ceilings.py"
device_step --torch goals 70 "$python" "$scripts/bench_gpu.py" "$kit" --out "$out/goals.tsv"
device_step --torch "hidden states to NLL, both ways" 30 "$python" "$scripts/hidden_ways.py" "$kit"
profiler=$(command -v ncu || ls /usr/local/cuda/bin/ncu 2>/dev/null)
if [ -n "$device" ] && [ -z "$profiler" ]; then
    leave_out "ncu counters" "it is not installed"
else
    device_step --real --torch "ncu counters" 35 "$profiler" --clock-control none --csv --page raw --log-file "$out/ncu.csv" \
        --kernel-name-base demangled --kernel-name regex:alcore_cuda --launch-count 120 \
        --metrics gpu__time_duration.sum,dram__throughput.avg.pct_of_peak_sustained_elapsed,sm__throughput.avg.pct_of_peak_sustained_elapsed,sm__inst_executed_pipe_tensor.sum,launch__registers_per_thread,sm__warps_active.avg.pct_of_peak_sustained_active \
        "$python" "$scripts/bench_gpu.py" "$kit" --once
fi
device_step --real --torch "models, CPU against device" 35 "$python" "$scripts/compare_models.py" "$kit/models" \
    --speed "$kit/examples/data/labeled.tsv"

echo
case $device in
emulated) echo "The device is EMULATED: this run checks the folder and its scripts, and no GPU." ;;
'') echo "There is NO DEVICE${gpu:+ that the engine can use}: nothing of the engine was checked." ;;
esac
echo "$passed steps passed, $failed failed, $left_out left out; $SECONDS s"
exec >&- 2>&- # the report is written when tee ends
wait $report
[ $failed -eq 0 ] || exit 1
[ -n "$device" ] || exit 3
