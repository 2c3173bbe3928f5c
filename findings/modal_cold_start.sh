#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# modAL-python 0.4.2.1: a first batch of ranked batch-mode sampling can hold one item twice.
#
# Expected: a query names different items of the pool, as each is labeled once. Seen: where the learner has no labeled data, the first item is
# chosen by its mean distance to all, and stays open to the picks that follow. In a pool with equal items, as pools of texts have, it ties
# with its double, and as the first of the two it is named again; the double is never asked for.
. "$(dirname "$0")/venv.sh"
venv modAL-python==0.4.2.1 numpy==2.2.6 scikit-learn==1.9.1
"$python" - <<'PYTHON'
import numpy as np
from modAL.batch import uncertainty_batch_sampling
from modAL.models import ActiveLearner
from sklearn.linear_model import LogisticRegression

pool = np.array([[0.0], [0.0], [1.0]])
picks, _ = ActiveLearner(LogisticRegression(), query_strategy=uncertainty_batch_sampling).query(pool, n_instances=3)
print("all three of a pool of three:", picks.tolist())
assert picks.tolist() == [0, 2, 0], picks
PYTHON
