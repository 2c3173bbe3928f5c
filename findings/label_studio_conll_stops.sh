#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# label-studio-sdk 2.1.2: in the CoNLL of a text of two sentences the full stop of the first is part of the entity before it.
#
# Tokens are made by the Penn Treebank's rules, which are for one sentence: only the last full stop of the whole text is parted from its word.
# Expected: a marked name comes back as it was marked, or the text's sentences are parted first. Seen: the span "Berlin" is the token "Berlin."
# with B-LOC, which a model learns with its stop, and both sentences are one.
. "$(dirname "$0")/venv.sh"
venv label-studio-sdk==2.1.2
"$python" - "$folder" <<'PYTHON'
import json
import sys

from label_studio_sdk.converter import Converter

CONFIG = '<View><Labels name="label" toName="text"><Label value="LOC"/></Labels><Text name="text" value="$text"/></View>'
text = "She left Berlin. Then she saw Rome."
spans = [{"from_name": "label", "to_name": "text", "type": "labels",
          "value": {"start": text.index(name), "end": text.index(name) + len(name), "text": name, "labels": ["LOC"]}} for name in ("Berlin", "Rome")]
with open(sys.argv[1] + "/tasks.json", "w", encoding="utf-8") as file:
    json.dump([{"id": 1, "data": {"text": text}, "annotations": [{"id": 1, "result": spans}]}], file)
Converter(config=CONFIG, project_dir=sys.argv[1]).convert_to_conll2003(sys.argv[1] + "/tasks.json", sys.argv[1] + "/out", is_dir=False)
with open(sys.argv[1] + "/out/result.conll", encoding="utf-8") as file:
    blocks = file.read().strip().split("\n\n")
entities = [line.split()[0] for line in blocks[0].split("\n")[1:] if line.endswith("B-LOC")]
print("sentences:", len(blocks), "entities:", entities)
assert len(blocks) == 1 and entities == ["Berlin.", "Rome"], blocks
PYTHON
