#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ml_dtypes 0.6.0 with numpy 2.4.6: numpy.save() takes an array of its types without a warning, and numpy.load() does not give it back.
#
# Expected: the array that was saved, or an error in saving, as for other types that the format does not know. Seen: bfloat16 and
# float8_e4m3fn come back as bytes without a meaning ('<V2', '<V1'), and the file of a float8_e5m2 ('<f1') cannot be opened at all.
. "$(dirname "$0")/venv.sh"
venv numpy==2.4.6 ml_dtypes==0.6.0
"$python" - "$folder" <<'PYTHON'
import sys

import ml_dtypes
import numpy

values, seen = numpy.array([1.0, 1.5, 2.0], numpy.float32), {}
for kind in (ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2):
    path = sys.argv[1] + "/x.npy"
    numpy.save(path, values.astype(kind))
    try:
        seen[kind.__name__] = str(numpy.load(path).dtype)
    except ValueError as error:
        seen[kind.__name__] = str(error)
for name, found in seen.items():
    print(name, "->", found)
assert seen["bfloat16"] == "|V2" and seen["float8_e4m3fn"] == "|V1" and "'<f1'" in seen["float8_e5m2"]
PYTHON
