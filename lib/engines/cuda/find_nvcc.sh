#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prints the path of nvcc: $NVCC, the one on the PATH, the toolkit's usual place, or that of the
# PyPI packages (nvidia-cuda-nvcc, nvidia-nvvm, nvidia-cuda-crt, nvidia-cuda-runtime). Fails without
# one.
for candidate in "${NVCC:-}" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
    if [ -n "$candidate" ] && [ -x "$candidate" ]; then
        echo "$candidate"
        exit 0
    fi
done
python3 - <<'END'
import glob, os, sys
for folder in sys.path:
    for path in sorted(glob.glob(os.path.join(folder, "nvidia", "cu*", "bin", "nvcc")), reverse=True):
        print(path)
        sys.exit(0)
sys.exit(1)
END
