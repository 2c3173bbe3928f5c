#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# scikit-activeml 1.0.1: average_kl_divergence() changes the probabilities that it is given.
#
# The score of query by committee raises every probability to eps = 1e-7 and makes the rows sum to 1 again, in the caller's own array
# where that is float64. Expected: the array is read. Seen: two members that were sure are not any more, for whatever the caller computes
# of the array afterwards; and the score differs by about eps from the formula in its documentation.
. "$(dirname "$0")/venv.sh"
venv scikit-activeml==1.0.1
"$python" - <<'PYTHON'
import numpy
from skactiveml.pool import average_kl_divergence

probs = numpy.array([[[1.0, 0.0]], [[0.0, 1.0]]])  # two members, one row, two classes
before = probs.copy()
score = average_kl_divergence(probs)[0]
print("given", before.tolist(), "afterwards", probs.tolist())
print("score less log 2:", score - numpy.log(2))
assert (probs != before).all() and 1e-7 < abs(score - numpy.log(2)) < 1e-5
PYTHON
