#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# moz.l10n 0.15.0: the space between two inline elements of a source is lost when an XLIFF file is written again.
#
# Expected: "Save all" in two elements stays two words, as XLIFF has it and as the target keeps it; with xml:space="preserve" in any case. Seen: the
# source is "Saveall files" after serialize_resource(), the target is as it was. Memories and tools that look the source up no longer find it.
. "$(dirname "$0")/venv.sh"
venv moz.l10n[xml]==0.15.0
"$python" - <<'PYTHON'
from moz.l10n.formats import Format
from moz.l10n.resource import parse_resource, serialize_resource

source, target = '<g id="1">Save</g> <g id="2">all</g> files', '<g id="1">Alle</g> <g id="2">Dateien</g> speichern'
for attribute in "", ' xml:space="preserve"':
    before = """<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
  <file original="menu" source-language="en" target-language="de" datatype="plaintext">
    <body>
      <trans-unit id="save"%s>
        <source>%s</source>
        <target>%s</target>
      </trans-unit>
    </body>
  </file>
</xliff>
""" % (attribute, source, target)
    after = "".join(serialize_resource(parse_resource(Format.xliff, before)))
    print(after)
    assert "<target>%s</target>" % target in after
    assert "<source>%s</source>" % source.replace("> <", "><") in after
PYTHON
