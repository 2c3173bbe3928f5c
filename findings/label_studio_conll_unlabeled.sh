#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# label-studio-sdk 2.1.2: the CoNLL of a project has tasks that nobody has labeled, as texts without entities.
#
# Expected: tasks that nobody has seen are left out, as tasks are that an annotator skipped; or they can at least be told apart. Seen:
# each of their tokens is O, as in a text that an annotator has read and found empty, and nothing tells the two apart. In a project under active
# learning most tasks are such.
. "$(dirname "$0")/venv.sh"
venv label-studio-sdk==2.1.2
"$python" - "$folder" <<'PYTHON'
import json
import sys

from label_studio_sdk.converter import Converter

CONFIG = '<View><Labels name="label" toName="text"><Label value="LOC"/></Labels><Text name="text" value="$text"/></View>'
tasks = [{"id": 1, "data": {"text": "seen and empty"}, "annotations": [{"id": 1, "result": []}]},
         {"id": 2, "data": {"text": "skipped Rome"}, "annotations": [{"id": 2, "result": [], "was_cancelled": True}]},
         {"id": 3, "data": {"text": "open Rome"}, "annotations": []}]
with open(sys.argv[1] + "/tasks.json", "w", encoding="utf-8") as file:
    json.dump(tasks, file)
Converter(config=CONFIG, project_dir=sys.argv[1]).convert_to_conll2003(sys.argv[1] + "/tasks.json", sys.argv[1] + "/out", is_dir=False)
with open(sys.argv[1] + "/out/result.conll", encoding="utf-8") as file:
    lines = [line.split() for line in file if line.strip()][1:]
print([(line[0], line[-1]) for line in lines])
assert [line[0] for line in lines] == ["seen", "and", "empty", "open", "Rome"] and {line[-1] for line in lines} == {"O"}, lines
PYTHON
