#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# polib 1.2.0: what an obsolete fuzzy entry of a PO file was translated from is lost when the file is saved.
#
# `msgmerge --previous` keeps the text that a fuzzy translation belongs to in lines with #|, and in obsolete entries with #~|. Expected: both
# are read and written, as the first is. Seen: lines with #~| are passed over without a warning, and are gone after save(), so that a translation
# of another text stands there as if it were this one's.
. "$(dirname "$0")/venv.sh"
venv polib==1.2.0
"$python" - <<'PYTHON'
import polib

entry = '#, fuzzy\n{0}| msgid "Open the file"\n{1}msgid "Open a folder"\n{1}msgstr "Datei öffnen"\n'
for name, sign, front, seen in (("current", "#", "", "Open the file"), ("obsolete", "#~", "#~ ", None)):
    file = polib.pofile('msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\n' + entry.format(sign, front))
    kept = "Open the file" in str(file)
    print("%s entry: previous text %r, written again: %s" % (name, file[0].previous_msgid, kept))
    assert file[0].previous_msgid == seen and kept == (seen is not None) and file[0].fuzzy
PYTHON
