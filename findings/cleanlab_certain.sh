#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# cleanlab 2.9.0: confidence_weighted_entropy ranks labels that the model is certain of as the worst ones.
#
# Scores of label quality are between 0 and 1, and the lower ones are likelier to be wrong. Expected: a label of probability 1 has the
# score 1, as the other methods have it, and as this one comes near for 0.9999. Seen: 0, below a label of probability 0.1, since an entropy that
# is below a limit is divided by the limit; and 1 - 1e-9 has 0.03. Probabilities of such models are often 1 in float32: their best labels are
# the first that somebody is asked to look at again.
. "$(dirname "$0")/venv.sh"
venv cleanlab==2.9.0 numpy==2.4.6
"$python" - <<'PYTHON'
import numpy as np
from cleanlab.rank import get_label_quality_scores, order_label_issues

probability, labels = np.array([0.1, 0.9, 0.9999, 1 - 1e-9, 1]), np.array([0, 0, 1, 1, 1])
rows = np.where(labels[:, None] == [0, 1], probability[:, None], 1 - probability[:, None])
for method in "self_confidence", "normalized_margin", "confidence_weighted_entropy":
    scores = get_label_quality_scores(labels, rows, method=method)
    order = [int(row) for row in order_label_issues(np.ones(5, bool), labels, rows, rank_by=method)]
    print("%-28s" % method, np.round(scores, 3), "worst first:", probability[order])
    assert order == ([4, 3, 0, 1, 2] if method == "confidence_weighted_entropy" else [0, 1, 2, 3, 4]), order
    assert method != "confidence_weighted_entropy" or (scores[2] > 0.99 and scores[3] < 0.05 and scores[4] == 0), scores
PYTHON
