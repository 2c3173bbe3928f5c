#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# doccano-transformer 1.0.2: a token that ends where a span begins is taken into the span.
#
# doccano's offsets leave the end out, so that a span from 4 begins behind a token that ends at 4. Expected: the parenthesis before a marked name
# is O. Seen: it is B-LOC and the name goes on with I-LOC; the same name behind a space is right.
. "$(dirname "$0")/venv.sh"
venv doccano-transformer==1.0.2
"$python" - <<'PYTHON'
from doccano_transformer.utils import create_bio_tags, get_offsets

for text, words, span, expected in (("In (Berlin) today", ["In", "(", "Berlin", ")", "today"], [4, 10, "LOC"], ["O", "B-LOC", "I-LOC", "O", "O"]),
                                    ("In Berlin today", ["In", "Berlin", "today"], [3, 9, "LOC"], ["O", "B-LOC", "O"])):
    tags = create_bio_tags(words, get_offsets(text, words), [span])
    print(repr(text[span[0]:span[1]]), list(zip(words, tags)))
    assert tags == expected, tags
PYTHON
