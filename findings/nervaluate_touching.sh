#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# nervaluate 1.2.1: spans in Prodigy's form that share no character are a partial match.
#
# The package takes spans "in the style of Prodigy", whose end is the offset behind the last character. "New York" in "New York Times" is 0 to 8
# there, and " Times" 8 to 14. Expected: a prediction that begins where a true span ends does not overlap it; one span is missed
# and one is spurious. Seen: ends are counted as inside the span, so that the prediction has half a point of the partial measure, and is correct
# by its type.
. "$(dirname "$0")/venv.sh"
venv nervaluate==1.2.1
"$python" - <<'PYTHON'
from nervaluate import Evaluator

def overall(begin):
    true, predicted = ({"label": "ORG", "start": start, "end": end} for start, end in ((0, 8), (begin, 14)))
    return Evaluator([[true]], [[predicted]], tags=["ORG"], loader="dict").evaluate()["overall"]

for begin, partial, missed in ((9, 0, 1), (8, 1, 0)):
    found = overall(begin)
    print("true 0 to 8, predicted %d to 14 -> partial: %d, right by type: %d, missed: %d" %
          (begin, found["partial"].partial, found["ent_type"].correct, found["partial"].missed))
    assert (found["partial"].partial, found["ent_type"].correct, found["partial"].missed) == (partial, partial, missed)
PYTHON
