#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# seqeval 1.2.2: its strict IOE1 scheme loses a span of one word before another span of its type.
#
# In IOE1 a word has I inside a span and E at the end of a span that another one of its type follows. Two names in a row, of one
# word each, are therefore E-PER I-PER, and three are E-PER E-PER I-PER. Expected: two and three entities. Seen: the first one is
# missing, and the F1 of a perfect prediction is computed over the others.
. "$(dirname "$0")/venv.sh"
venv seqeval==1.2.2
"$python" - <<'PYTHON'
from seqeval.scheme import IOE1, Entities

for tags, expected, seen in ((["E-PER", "I-PER"], 2, 1), (["O", "E-PER", "E-PER", "I-PER", "O"], 3, 2)):
    found = Entities([tags], IOE1).entities[0]
    print(tags, "->", found, "of", expected)
    assert len(found) == seen, len(found)
PYTHON
