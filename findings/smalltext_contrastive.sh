#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# small-text 1.4.1: contrastive active learning compares a row with itself and with unlabeled rows.
#
# ContrastiveActiveLearning cites Margatina et al. (2021), who take the divergence of a candidate's probabilities from those of its nearest
# *labeled* rows. Expected: that labels matter. Seen: the neighbors are searched among all rows, the candidate itself, at distance 0, too, so that
# which rows are labeled changes nothing, and its divergence from itself, 0, is part of every mean.
. "$(dirname "$0")/venv.sh"
venv small-text==1.4.1 scikit-learn==1.7.2 numpy==2.3.5
"$python" - <<'PYTHON'
import numpy
from small_text.query_strategies import ContrastiveActiveLearning

points = numpy.array([[1.0, 0.0], [1.0, 0.2], [0.0, 1.0], [0.2, 1.0], [0.1, 1.0], [1.0, 0.1]])
probs = numpy.array([[0.9, 0.1], [0.1, 0.9], [0.6, 0.4], [0.5, 0.5], [0.4, 0.6], [0.8, 0.2]])


def picked(labeled, k):
    unlabeled = numpy.array([row for row in range(6) if row not in labeled])
    strategy = ContrastiveActiveLearning(k=k, pbar=None)
    found = strategy.sample(None, range(6), unlabeled, numpy.array(labeled), None, 2, points, embeddings_proba=probs)
    return sorted(int(unlabeled[i]) for i in found)


def scores(labeled, k):
    """What it ranks by, read where it sorts."""
    kept, sort = [], numpy.argpartition
    numpy.argpartition = lambda values, n: (kept.append(-values), sort(values, n))[1]
    try:
        picked(labeled, k)
    finally:
        numpy.argpartition = sort
    return dict(zip([row for row in range(6) if row not in labeled], kept[0].round(6).tolist()))


one, other = scores([0], 2), scores([2], 2)
print("with row 0 labeled", one, "with row 2 labeled", other, "one neighbor", scores([0], 1))
assert all(one[row] == other[row] for row in one.keys() & other.keys())
assert set(scores([0], 1).values()) == {0.0}
PYTHON
