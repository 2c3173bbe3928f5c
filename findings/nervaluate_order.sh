#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nervaluate 1.2.1: a span that is predicted exactly counts as wrong where another prediction that overlaps it is listed first.
#
# Predictions that overlap are what span categorizers give, and the loader of dicts takes them. Expected, as the documentation of the strict
# strategy says: a prediction that matches a true span in place and label is correct, whatever else is predicted. Seen: predictions take true
# spans in the order of the list, and one that merely overlaps takes the span from the exact one behind it, which is spurious then; the
# same predictions in another order have an F1 of 0.67 in place of 0.
. "$(dirname "$0")/venv.sh"
venv nervaluate==1.2.1
"$python" - <<'PYTHON'
from nervaluate import Evaluator

true = [{"label": "PER", "start": 0, "end": 11}]
exact, near = {"label": "PER", "start": 0, "end": 11}, {"label": "PER", "start": 5, "end": 16}
for predicted, correct in (([exact, near], 1), ([near, exact], 0)):
    strict = Evaluator([true], [predicted], tags=["PER"], loader="dict").evaluate()["overall"]["strict"]
    print([(one["start"], one["end"]) for one in predicted], "-> correct:", strict.correct, "F1: %.2f" % strict.f1)
    assert strict.correct == correct and strict.spurious == 1, strict
PYTHON
