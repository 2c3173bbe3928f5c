#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ALiPy 1.2.5: density-weighted sampling weighs the other way round when uncertainty is the margin.
#
# Expected: among items of equal probabilities the measure of uncertainty makes no difference, as only the distances to the others can decide.
# Seen: least confidence and entropy take the item far from all others, the margin the one in their middle: the margin enters the product with a
# negative sign, so that what is farther is worth less. (An item that is far from all is what density weighting is meant to leave out.)
. "$(dirname "$0")/venv.sh"
venv alipy==1.2.5 numpy==2.2.6 scikit-learn==1.9.1 scipy==1.17.1
"$python" - <<'PYTHON'
import numpy as np
from alipy.query_strategy.query_labels import QueryInstanceDensityWeighted

rows, probabilities = np.array([[0.0], [0.1], [-0.1], [5.0]]), np.array([[0.6, 0.4]] * 4)
for measure, place in (("least_confident", 5.0), ("entropy", 5.0), ("margin", 0.0)):
    strategy = QueryInstanceDensityWeighted(rows, np.zeros(4), uncertainty_meansure=measure)
    picked = int(strategy.select([], np.arange(4), proba_prediction=probabilities, batch_size=1)[0])
    print(measure, "->", rows[picked, 0])
    assert rows[picked, 0] == place, picked
PYTHON
