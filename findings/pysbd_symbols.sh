#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# pysbd 0.3.4: text with a flat sign, a note or the sign of the sun is missing from the sentences.
#
# By default no text is cleaned, and char_span=True refuses to be used with clean=True, as that one changes the text. Expected:
# sentences that are the text when they are put together, as they are for most texts. Seen: such signs stand for punctuation inside
# the rules, and a sentence with one of them is not found in the text again: it is gone, or its head, or all of a line of subtitles.
. "$(dirname "$0")/venv.sh"
venv pysbd==0.3.4
"$python" - <<'PYTHON'
import pysbd

for text, kept in (("It is in C major. We go on.", ["It is in C major. ", "We go on."]), ("It is in B♭ major. We go on.", ["We go on."]),
                   ("♬ La la la. ♬ We go on.", []), ("It has 5 M☉ now. We go on.", ["now. ", "We go on."])):
    for char_span in (False, True):
        seen = pysbd.Segmenter(language="en", clean=False, char_span=char_span).segment(text)
        seen = [text[span.start:span.end] for span in seen] if char_span else seen
        print(text, "->", seen)
        assert seen == kept, seen
PYTHON
