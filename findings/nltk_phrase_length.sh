#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# NLTK 3.10.4: phrase_extraction() gives target phrases that are longer than max_phrase_length.
#
# The documentation calls it the "maximal phrase length", which for 0 is that of the longer of the two sentences, so that it holds for both sides, as in
# the extractor of Moses. Expected with 1: two pairs of one word each. Seen: words of the target without a link are added behind a phrase up to
# the end of the sentence, and "Haus" has phrases of up to four words, which a table of phrases counts as translations of it.
. "$(dirname "$0")/venv.sh"
venv nltk==3.10.4
"$python" - <<'PYTHON'
from nltk.translate.phrase_based import phrase_extraction

pairs = {pair[2:] for pair in phrase_extraction("das Haus", "the house , of course", [(0, 0), (1, 1)], max_phrase_length=1)}
for pair in sorted(pairs):
    print(pair)
assert pairs == {("das", "the"), ("Haus", "house"), ("Haus", "house ,"), ("Haus", "house , of"), ("Haus", "house , of course")}, pairs
PYTHON
