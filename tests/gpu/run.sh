#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# On a machine with an NVIDIA GPU: builds the CUDA engine, runs the conformance suite on the device,
# the sanitizers of CUDA, the suites of the CPU and the benchmarks against torch and cuBLAS; one
# text report.
#   tests/gpu/run.sh [--dry] [REPORT]      REPORT: build/gpu-report.txt
# Meant to end within 8 minutes. Exit status: 0 all is well, 1 something failed, 3 there is no GPU.
# --dry takes every step with the emulated engine where a device is missing: it tests this script,
# not the engine.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/tools/need.sh
dry=
if [ "${1-}" = --dry ]; then
    dry=1
    shift
fi
report=$(realpath -m "${1:-build/gpu-report.txt}")
device=$(nvidia-smi --query-gpu=name,compute_cap,driver_version,memory.total --format=csv,noheader 2>/dev/null | head -n 1)
if [ -z "$device" ] && [ -z "$dry" ]; then
    echo "no GPU: nvidia-smi lists none. The engine's proof without one is the emulation: tests/run.sh kernel" >&2
    exit 3
fi
# shellcheck disable=SC2086
need $need_build check.pc=check g++=g++ || exit 1
mkdir -p "$(dirname "$report")"
exec > >(tee "$report") 2>&1

failed=0
# step NAME LIMIT-IN-SECONDS COMMAND...: runs it and keeps going; says how it ended.
step() {
    local name=$1 limit=$2 begun=$SECONDS status
    shift 2
    echo
    echo "== $name"
    timeout "$limit" "$@"
    status=$?
    [ $status -eq 124 ] && echo "ended after $limit s"
    [ $status -eq 0 ] || failed=$((failed + 1))
    echo "== $name: $([ $status -eq 0 ] && echo passed || echo "FAILED with $status"), $((SECONDS - begun)) s"
}

# nvcc of the machine or of PyPI (lib/cuda/find_nvcc.sh looks for both).
if ! lib/cuda/find_nvcc.sh >/dev/null; then
    python3 -m venv build/nvcc-venv &&
        build/nvcc-venv/bin/pip install -q nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 \
            nvidia-cuda-runtime==13.0.96 || exit 1
    NVCC=$(PATH=$PWD/build/nvcc-venv/bin:$PATH lib/cuda/find_nvcc.sh) || exit 1
    export NVCC
fi
target=$(echo "$device" | cut -d, -f2 | tr -cd 0-9)
echo "device: ${device:-none, a dry run}"
echo "commit: $(git rev-parse --short HEAD 2>/dev/null || echo unknown)"
echo "compiler: $("$(lib/cuda/find_nvcc.sh)" --version | tail -n 2 | head -n 1)"
echo "system: $(uname -sr), $(nproc) cores, $(date -u +%Y-%m-%d)"

[ -f build/gpu/build.ninja ] ||
    meson setup build/gpu --buildtype=release -Dtests=enabled -Dcuda=enabled -Dgpu_targets="${target:-86}" >build/gpu-setup.txt 2>&1 ||
    { cat build/gpu-setup.txt; exit 1; }
step build 240 ninja -C build/gpu --quiet
engine=build/gpu/lib/cuda/libalcore-cuda.so
[ -n "$device" ] || engine=build/gpu/tests/emu/libalcore-cuda-emu.so
run=build/gpu/tests/conformance/kernel_conformance
missing=tests/conformance/missing-entries
step "conformance on the device" 120 "$run" $missing "$engine"
# Its cases are too small for the filters by tensor cores: an engine that filters whatever the
# shape.
filtered=$engine
if [ -n "$device" ]; then
    filtered=build/gpu/tests/gpu/libalcore-cuda-filtered.so
    step "build with filters for every shape" 120 ninja -C build/gpu --quiet tests/gpu/libalcore-cuda-filtered.so
fi
searches=knn,margin_ratios,nearest_centroid,distance_bounds
step "conformance of filters" 60 env ALCORE_CONFORMANCE_ONLY=$searches "$run" $missing 1 3 "$filtered"
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null)
if [ -n "$sanitizer" ] && [ -n "$device" ]; then
    for tool in memcheck racecheck initcheck synccheck; do
        step "compute-sanitizer $tool" 60 "$sanitizer" --tool $tool --error-exitcode 9 "$run" $missing 1 200 "$filtered"
    done
else
    echo
    echo "== compute-sanitizer: not run, $([ -n "$device" ] && echo 'it is not installed' || echo 'no device')"
fi
step "suites of the CPU" 120 meson test -C build/gpu --no-rebuild --suite kernel --suite strategy --quiet
if python3 -c 'import torch' 2>/dev/null; then
    step "benchmarks" 150 python3 tests/gpu/bench_gpu.py . build/gpu/tests/bench/kernels/libkernel-table.so $engine
else
    echo
    echo "== benchmarks: not run, no torch for python3"
fi
echo
echo "$failed steps failed, $SECONDS s"
[ $failed -eq 0 ]
