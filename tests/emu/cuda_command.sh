#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The command on the emulated device: cuda_command.sh ALCORE FOLDER-OF-THE-EMULATED-MODULE
# [FOLDER-OF-THE-REAL-ONE]
alcore=$1
emulated=$2
real=${3:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
number=0
failed=0
check() { # check NAME COMMAND...: the command succeeds
    name=$1
    number=$((number + 1))
    shift
    if "$@" >"$work/log" 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' "$work/log" "$work/said"
        failed=1
    fi
}
i=0
while [ $i -lt 120 ]; do
    echo "the $((i * 37 % 101)) cats of $((i % 7)) towns saw $((i * i % 13)) dogs"
    i=$((i + 1))
done >"$work/pool.txt"

ALCORE_MODULE_DIR=$emulated "$alcore" doctor >"$work/said" 2>&1
check "doctor finds the engine" grep -q '^device cuda: usable' "$work/said"

ALCORE_MODULE_DIR=$work "$alcore" doctor >"$work/said" 2>&1
check "doctor says where it looked" grep -q "^device cuda: not usable: .*$work/libalcore-cuda.so: not there" "$work/said"

echo nothing >"$work/libalcore-cuda.so"
ALCORE_MODULE_DIR=$work "$alcore" doctor >"$work/said" 2>&1
check "doctor says why a file does not load" grep -q '^device cuda: not usable: .*too short\|^device cuda: not usable: .*invalid' "$work/said"
rm "$work/libalcore-cuda.so"

# Everything of a selection on the second device runs there: the use of the first one is an error of
# the emulation.
for strategy in huds kcenter idds badge kmeans; do
    ALCORE_EMU_WITHOUT=0 ALCORE_MODULE_DIR=$emulated \
        "$alcore" select "$work/pool.txt" --strategy $strategy --budget 20 --device cuda:1 \
        --out "$work/cuda.tsv" >"$work/said" 2>&1
    "$alcore" select "$work/pool.txt" --strategy $strategy --budget 20 --out "$work/cpu.tsv" >>"$work/said" 2>&1
    check "$strategy selects the same on both" cmp "$work/cuda.tsv" "$work/cpu.tsv"
done

ALCORE_MODULE_DIR=$emulated "$alcore" select "$work/pool.txt" --strategy huds --budget 20 --device cuda:7 >"$work/said" 2>&1
check "a device that is not there" grep -q 'no device cuda:7: there are 2' "$work/said"
ALCORE_MODULE_DIR=$work "$alcore" select "$work/pool.txt" --strategy huds --budget 20 --device cuda >"$work/said" 2>&1
check "no engine, no fall-back" grep -q "libalcore-cuda.so did not load: $work/libalcore-cuda.so: not there" "$work/said"

if [ -n "$real" ] && ! ldconfig -p | grep -q libcuda.so.1; then
    ALCORE_MODULE_DIR=$real "$alcore" doctor >"$work/said" 2>&1
    check "doctor explains a missing driver" grep -q '^device cuda: not usable: .*no NVIDIA driver' "$work/said"
fi
echo "1..$number"
exit $failed
