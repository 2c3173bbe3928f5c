#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes an environment of Python with one release of torch, as little as its CPU part needs, and
# nothing else:
#   torch_environment.sh FOLDER RELEASE      RELEASE: such as 2.13
# torch requires 5 GB of packages of CUDA; of these libtorch_cpu.so loads two, in the release that
# torch names.
set -euo pipefail
folder=$1 release=$2
[ ! -e "$folder/made-$release" ] || exit 0
python3 -m venv --clear "$folder"
pip() { "$folder/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
pip install --no-cache-dir --no-compile --no-deps "torch==$release.*" typing_extensions
toolkit=$(sed -n 's/^Requires-Dist: cuda-toolkit\[[^]]*\]==\([0-9.]*\).*/\1/p' "$folder"/lib/python3*/site-packages/torch-*.dist-info/METADATA | head -n 1)
pip install --no-cache-dir --no-compile "cuda-toolkit[cudart,cupti]==$toolkit"
touch "$folder/made-$release"
