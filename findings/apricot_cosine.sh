#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# apricot-select 0.6.1: with metric="cosine" opposite vectors count as equal ones.
#
# FacilityLocationSelection names metrics of scikit-learn for the similarities that it makes of a matrix. Expected of "cosine": the cosine, or
# its part that is not negative. Seen: its square, which is 1 for a vector and its negation, so that the first pick covers both sides and the
# second adds only what is at right angles. A matrix of similarities with metric="precomputed" has the cosine.
. "$(dirname "$0")/venv.sh"
venv apricot-select==0.6.1 scikit-learn==1.7.2
"$python" - <<'PYTHON'
import numpy
from apricot import FacilityLocationSelection

rows = numpy.array([[1, 0], [1, 0.1], [-1, 0], [-1, 0.1], [-1, -0.1], [0, 1]], dtype=float)
unit = rows / numpy.linalg.norm(rows, axis=1, keepdims=True)
cosines = numpy.maximum(0, unit @ unit.T)


def gains(metric, matrix):
    return FacilityLocationSelection(2, metric=metric, optimizer="naive").fit(matrix).gains


seen, squares, wanted = gains("cosine", rows), gains("precomputed", (unit @ unit.T) ** 2), gains("precomputed", cosines)
print("cosine", seen, "squares", squares, "cosines that are not negative", wanted)
assert numpy.allclose(seen, squares) and not numpy.allclose(seen, wanted, atol=0.5)
PYTHON
