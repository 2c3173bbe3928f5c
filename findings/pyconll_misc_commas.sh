#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pyconll 3.3.1: a value of the column MISC is split at its commas, and comes back sorted and without repeats.
#
# The brackets of coreference have commas: in "Entity=e5)(e7-person-2-1,2-new" one entity ends, and one begins whose minimal span
# are its tokens 1 and 2. Expected: a file that is read and written again is the same, as conllu 6.0.0 has it. Seen:
# "Entity=2-new,e5)(e7-person-2-1", which no reader of coreference understands, and "Gloss=ha" for "Gloss=ha,ha".
. "$(dirname "$0")/venv.sh"
venv pyconll==3.3.1 conllu==6.0.0
"$python" - <<'PYTHON'
import conllu
import pyconll

text = "1\tking\tking\tNOUN\t_\t_\t0\troot\t_\tEntity=e5)(e7-person-2-1,2-new\n2\tha ha\tha\tINTJ\t_\t_\t1\tdiscourse\t_\tGloss=ha,ha\n\n"
seen = pyconll.load_from_string(text).conll()
print(seen)
misc = [line.split("\t")[9] for line in seen.splitlines() if line]
assert misc == ["Entity=2-new,e5)(e7-person-2-1", "Gloss=ha"], misc
assert conllu.parse(text)[0].serialize() == text
PYTHON
