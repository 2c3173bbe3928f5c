#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# translate-toolkit 3.20.4: a target that is set in XLIFF 2.0 leaves state="initial", so that the unit is not translated.
#
# In XLIFF 1.2 `unit.target = text` writes state="translated" and approved="yes" over the state that was there, and in PO an entry without
# the flag fuzzy is translated once it has a target. Expected in XLIFF 2.0: state="translated", or none. Seen: the target stands in a segment
# whose state says that nobody has worked on it, istranslated() is False, and a reader that goes by states finds no translation.
. "$(dirname "$0")/venv.sh"
venv translate-toolkit==3.20.4 lxml==6.1.3
"$python" - <<'PYTHON'
from translate.storage import xliff, xliff2

OLD = (b'<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="f" source-language="en" target-language="de" '
       b'datatype="plaintext"><body><trans-unit id="u"><source>house</source><target state="needs-translation">house</target></trans-unit>'
       b'</body></file></xliff>')
NEW = (b'<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f"><unit id="u">'
       b'<segment state="initial"><source>house</source></segment></unit></file></xliff>')
seen = {}
for name, store in (("1.2", xliff.xlifffile.parsestring(OLD)), ("2.0", xliff2.Xliff2File.parsestring(NEW))):
    unit = store.units[0]
    unit.target = "Haus"
    seen[name] = unit.istranslated(), b'state="translated"' in bytes(store), b'state="initial"' in bytes(store)
    print(f"XLIFF {name}: translated {seen[name][0]}, state translated {seen[name][1]}, state initial {seen[name][2]}")
assert seen == {"1.2": (True, True, False), "2.0": (False, False, True)}
PYTHON
