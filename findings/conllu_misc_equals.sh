#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# conllu 6.0.0: a value of the column MISC is cut before its second equals sign.
#
# The column is a list of NAME=VALUE with bars between, and a value may be an address or a formula with = in it; pyconll 3.3.1 keeps it.
# Expected: a file that is read and written again is the same. Seen: "Source=id=7" comes back as "Source=id", without an error.
. "$(dirname "$0")/venv.sh"
venv conllu==6.0.0 pyconll==3.3.1
"$python" - <<'PYTHON'
import conllu
import pyconll

text = "1\tmar\tmar\tNOUN\t_\t_\t0\troot\t_\tSource=id=7|SpaceAfter=No\n\n"
read = conllu.parse(text)[0]
print(read[0]["misc"], repr(read.serialize()))
assert read[0]["misc"] == {"Source": "id", "SpaceAfter": "No"}, read[0]["misc"]
assert read.serialize() == text.replace("id=7", "id") and pyconll.load_from_string(text).conll() == text, read.serialize()
PYTHON
