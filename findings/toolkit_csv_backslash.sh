#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# translate-toolkit 3.20.4: a backslash of a PO file is two in the CSV of po2csv, and csv2po reads them as two.
#
# CSV has no escapes with backslashes. Expected: the text "C:\neu" is C:\neu in CSV, and itself when it comes back, with or without
# a change by a translator. Seen: C:\\neu in CSV, and "C:\\neu" when it comes back; each further round doubles them again.
. "$(dirname "$0")/venv.sh"
venv translate-toolkit==3.20.4
cd "$folder"
cat > texts.po <<'PO'
msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\n"

msgid "the folder"
msgstr "C:\\neu"
PO
venv/bin/po2csv --no-escape-formulas --progress none texts.po texts.csv
venv/bin/csv2po --progress none -t texts.po texts.csv back.po
cat texts.csv
"$python" - <<'PYTHON'
import csv

from translate.storage.pypo import pofile

before, back = (pofile.parsefile(name).findunit("the folder").target for name in ("texts.po", "back.po"))
with open("texts.csv", encoding="utf-8", newline="") as file:
    between = list(csv.DictReader(file))[-1]["target"]
print(before, between, back)
assert (before, between, back) == (r"C:\neu", r"C:\\neu", r"C:\\neu"), (before, between, back)
PYTHON
