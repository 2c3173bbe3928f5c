#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Babel 2.19.0: an obsolete entry of a PO file is no longer fuzzy when the file is written again.
#
# gettext writes the flag before the lines with #~, and msgmerge makes the entry one of the catalog again, with its flag, when the text comes back.
# Expected: read_po() and write_po() keep the flag, as they do for other entries. Seen: the flag is read, and not written. Whoever goes through the
# file next finds a guess of a machine as a translation that somebody has approved.
. "$(dirname "$0")/venv.sh"
venv babel==2.19.0
"$python" - <<'PYTHON'
import io

from babel.messages.pofile import read_po, write_po

def flags(catalog):
    return [sorted(message.flags) for message in (catalog["Open"], catalog.obsolete["Close all"])]

before = read_po(io.StringIO("""msgid ""
msgstr "Content-Type: text/plain; charset=UTF-8\\n"

#, fuzzy
msgid "Open"
msgstr "Schließen"

#, fuzzy
#~ msgid "Close all"
#~ msgstr "Schließen"
"""))
written = io.BytesIO()
write_po(written, before, omit_header=True)
print(written.getvalue().decode())
after = read_po(io.BytesIO(written.getvalue()), charset="utf-8")
print(flags(before), "->", flags(after))
assert flags(before) == [["fuzzy"], ["fuzzy"]] and flags(after) == [["fuzzy"], []]
PYTHON
