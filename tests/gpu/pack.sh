#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs one folder with all that tests/gpu/run.sh needs on a machine with a GPU: the modules, the
# library, the command, the conformance suite, the kernel table, the Python package, the benchmarks
# and the examples. That machine needs an NVIDIA driver and Python with torch and numpy; it needs no
# network, no compiler and no package manager.
#   tests/gpu/pack.sh FOLDER [BUILD]            BUILD: build/kit, which is configured here where it
#                                               is not there; ninja compiles what has changed
#   tests/gpu/pack.sh --emulated FOLDER BUILD   the emulated device (tests/emu) of a finished build
#                                               in place of the module; nothing is compiled
#                                               but the C++ example, where $TORCH is given
set -eu
cd "$(dirname "$0")/../.."
emulated=
if [ "${1-}" = --emulated ]; then
    emulated=1
    shift
fi
[ $# -ge 1 ] || { sed -n '3,12s/^# \{0,1\}//p' "$0" >&2; exit 2; }
kit=$1
build=${2:-build/kit}
most_bytes=$((40 << 20))

if [ -z "$emulated" ]; then
    # Release code for every device, without what a run on a device does not use.
    [ -f "$build/build.ninja" ] || meson setup "$build" --buildtype=release -Dtests=enabled -Dcuda=enabled \
        -Dzlib=disabled -Dlzma=disabled -Dzstd=disabled -Dlua=disabled >&2
    ninja -C "$build" bindings/cli/alcore tests/conformance/kernel_conformance tests/bench/kernels/libkernel-table.so \
        lib/engines/cuda/libalcore-cuda.so tests/gpu/libalcore-cuda-filtered.so >&2
    # The engine of models, where build/torch-venv has a torch to compile it with.
    torch_module=$(ninja -C "$build" -t targets all | sed -nE 's/^(lib\/engines\/torch\/libalcore-torch-[0-9.]+\.so):.*/\1/p')
    if [ -n "$torch_module" ]; then
        ninja -C "$build" "$torch_module" >&2
    elif [ -e build/torch-venv ]; then
        echo "build/torch-venv has a torch, but $build makes no engine of models with it" >&2
        exit 1
    fi
    module=$build/lib/engines/cuda/libalcore-cuda.so
    filtered=$build/tests/gpu/libalcore-cuda-filtered.so
else
    module=$build/tests/emu/module/libalcore-cuda.so
    filtered=$module # conformance itself switches the emulation's filters
fi

rm -rf "$kit"
mkdir -p "$kit/bin" "$kit/lib" "$kit/module" "$kit/filtered" "$kit/python" "$kit/scripts" "$kit/examples"
cp "$build/bindings/cli/alcore" "$build/tests/conformance/kernel_conformance" "$kit/bin"
cp -L "$build"/lib/libalcore.so.? "$build/tests/bench/kernels/libkernel-table.so" "$kit/lib"
cp "$module" "$kit/module/libalcore-cuda.so"
cp "$filtered" "$kit/filtered/libalcore-cuda.so"
cp "$build"/lib/engines/torch/libalcore-torch-*.so "$kit/module" 2>/dev/null || echo "the engine of models is left out: $build has none" >&2
cp -r tests/torch/fixtures "$kit/models"
# The few libraries beside the system's own: those of the C library and of the compiler are there.
ldd "$kit"/bin/* "$kit"/lib/* | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    grep -Ev '/(libalcore|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so' | xargs -r cp -L -t "$kit/lib"
strip --strip-unneeded "$kit"/bin/* "$kit"/lib/* "$kit"/module/* "$kit"/filtered/*
cp -rL "$build/bindings/python/alcore" "$kit/python"
rm -rf "$kit/python/alcore/__pycache__"
cp tests/conformance/missing-entries include/alcore/sys/kernel.h tests/bench/kernels/kernel_table.py \
    tests/support/emulated_device.py tests/gpu/*.py "$kit/scripts"
cp -r examples/data examples/python "$kit/examples"
cp tests/gpu/run.sh tests/gpu/plans.tsv "$kit"
# The C++ example, for the one version of torch that tests/tools/install_torch.sh has installed; of
# another one ($TORCH: the folder of its package) where that is given.
torch=${TORCH:-}
[ -n "$torch$emulated" ] || torch=$(ls -d build/torch-venv/lib/python3*/site-packages/torch 2>/dev/null || true)
if [ -e "$torch/include/torch/csrc/api/include/torch/cuda.h" ]; then
    ${CXX:-g++} -std=c++17 -O1 -Iinclude -I"$build/include" -isystem "$torch/include" \
        -isystem "$torch/include/torch/csrc/api/include" examples/cpp/torch_device.cpp -o "$kit/bin/torch_device" \
        -L"$kit/lib" -l:libalcore.so.1 -L"$torch/lib" -ltorch -ltorch_cpu -lc10 -Wl,--allow-shlib-undefined
    sed -n "s/^__version__ = '\([0-9]*\.[0-9]*\).*/\1/p" "$torch/version.py" >"$kit/torch_version"
fi

needed=$(objdump -T "$kit"/bin/* "$kit"/lib/* "$kit"/module/* | grep -o 'GLIBC_[0-9.]*' | sort -Vu | tail -n 1)
{
    echo "commit: $(git rev-parse --short HEAD 2>/dev/null || echo unknown)$(git diff --quiet HEAD 2>/dev/null || echo ', changed since')"
    echo "packed: $(date -u +%Y-%m-%d), $(uname -m), needs ${needed/_/ } or newer"
    if [ -n "$emulated" ]; then
        echo "engine: the emulated device"
    else
        echo "engine: $("$(lib/engines/cuda/find_nvcc.sh)" --version | sed -n 's/^Cuda compilation tools, //p'), for" \
            "$(meson introspect --buildoptions "$build" | python3 -c 'import json, sys
print(*["sm_" + n for o in json.load(sys.stdin) if o["name"] == "gpu_targets" for n in o["value"]])')"
    fi
} >"$kit/packed"
bytes=$(du -sb "$kit" | cut -f1)
cat "$kit/packed"
echo "size: $bytes bytes in $kit"
[ "$bytes" -lt "$most_bytes" ] || { echo "the folder is larger than $most_bytes bytes" >&2; exit 1; }
