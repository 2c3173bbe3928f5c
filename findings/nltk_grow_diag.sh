#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# NLTK 3.10.4: grow_diag_final_and() adds links between two words that are both linked already.
#
# grow-diag (Och and Ney 2003; Moses' symal) adds a neighboring link of the union only where one of its two words has no link yet.
# With forward links 0-0 1-1 and backward links 0-0 0-1 1-1 nothing is to be added to the intersection. Expected: 0-0 1-1. Seen: 0-1 is
# added, because the test looks the number of a word up among the keys "e" and "f" of a dictionary, where it never is.
. "$(dirname "$0")/venv.sh"
venv nltk==3.10.4
"$python" - <<'PYTHON'
from nltk.translate.gdfa import grow_diag_final_and

for words, forward, backward, expected, seen in (
        (2, "0-0 1-1", "0-0 0-1 1-1", [(0, 0), (1, 1)], [(0, 0), (0, 1), (1, 1)]),
        (3, "0-0 1-1 2-2", "0-0 1-1 2-1 2-2", [(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 1), (2, 1), (2, 2)])):
    found = sorted(grow_diag_final_and(words, words, forward, backward))
    print(forward, "and", backward, "->", found, "in place of", expected)
    assert found == seen, found
PYTHON
