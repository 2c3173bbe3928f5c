#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what reads the machine code of kernels, where there is nvcc and no cuobjdump:
# PyPI's nvidia-cuda-cuobjdump and nvidia-cuda-nvdisasm (6 MB), into build/cuda-venv, where
# tests/gpu/resources.py looks for them. A second run with the same list does nothing. Without PyPI
# a note is printed, and the tests of machine code are skipped.
set -eu
cd "$(dirname "$0")/../.."
wanted="nvidia-cuda-cuobjdump==13.2.51 nvidia-cuda-nvdisasm==13.2.51"
folder=build/cuda-venv
python=${PYTHON:-/usr/bin/python3}
nvcc=$(lib/engines/cuda/find_nvcc.sh 2>/dev/null) || exit 0
if [ -x "$(dirname "$nvcc")/cuobjdump" ] || command -v cuobjdump >/dev/null; then exit 0; fi
[ "$(cat "$folder/.packages" 2>/dev/null || true)" != "$wanted" ] || exit 0
mkdir -p build
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder" || exit 0
# shellcheck disable=SC2086
if "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --retries 1 --timeout 20 \
    --no-deps $wanted; then
    echo "$wanted" >"$folder/.packages"
else
    echo "cuobjdump could not be installed: the tests of machine code are skipped" >&2
fi
