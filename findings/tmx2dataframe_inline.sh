#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tmx2dataframe 0.3.0: a segment of a TMX file ends at its first inline element, and the first language of a unit is taken for the source.
#
# In TMX a seg has text with elements such as ph and hi between, and the languages of a tu stand in any order: srclang of the header says which one is
# the source. Expected: the whole text, with or without what stands in its elements, and English as the source. Seen: "Press" alone, without
# an error, and German as the source of the second unit. Pairs that are learned from are halves, and some the wrong way round.
. "$(dirname "$0")/venv.sh"
venv tmx2dataframe==0.3.0 pandas==3.1.1
"$python" - "$folder/memory.tmx" <<'PYTHON'
import sys

from tmx2dataframe import tmx2dataframe

with open(sys.argv[1], "w", encoding="utf-8") as file:
    file.write("""<tmx version="1.4">
  <header creationtool="hand" creationtoolversion="1" segtype="sentence" o-tmf="none" adminlang="en" srclang="en" datatype="plaintext"/>
  <body>
    <tu>
      <tuv xml:lang="en"><seg>Press <hi>Save</hi> before you leave.</seg></tuv>
      <tuv xml:lang="de"><seg>Vor dem Verlassen <hi>Speichern</hi> drücken.</seg></tuv>
    </tu>
    <tu>
      <tuv xml:lang="de"><seg>Fertig.</seg></tuv>
      <tuv xml:lang="en"><seg>Done.</seg></tuv>
    </tu>
  </body>
</tmx>
""")
rows = list(tmx2dataframe.read(sys.argv[1])[1].itertuples(index=False, name=None))
for row in rows:
    print(row)
assert rows == [("en", "Press ", "de", "Vor dem Verlassen "), ("de", "Fertig.", "en", "Done.")], rows
PYTHON
