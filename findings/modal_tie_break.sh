#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# modAL-python 0.4.2.1: random_tie_break=True turns SVM_binary_minimum around: it asks for the item farthest from every boundary.
#
# Expected: the setting matters among equal scores only. Seen: no two scores are equal here, and the item beside a boundary is picked without
# the setting, the most certain one with it, each time.
. "$(dirname "$0")/venv.sh"
venv modAL-python==0.4.2.1 numpy==2.2.6 scikit-learn==1.9.1
"$python" - <<'PYTHON'
import numpy as np
from modAL.models import ActiveLearner
from modAL.multilabel import SVM_binary_minimum
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import SVC

corners = np.array([[-2.0, -2.0], [-2.0, 2.0], [2.0, -2.0], [2.0, 2.0]])
learner = ActiveLearner(OneVsRestClassifier(SVC(kernel="linear")), X_training=corners, y_training=(corners > 0).astype(int))
pool = np.array([[0.01, 3.0], [3.0, 3.0], [-1.0, 1.5]])
distances = np.abs([svm.decision_function(pool) for svm in learner.estimator.estimators_]).min(axis=0)
plain = int(SVM_binary_minimum(learner, pool))
random = {int(SVM_binary_minimum(learner, pool, random_tie_break=True)[0][0]) for _ in range(20)}
print("least distances to a boundary:", distances.round(3).tolist(), "picked:", plain, "with random_tie_break:", sorted(random))
assert plain == int(distances.argmin()) and random == {int(distances.argmax())}, (plain, random)
PYTHON
