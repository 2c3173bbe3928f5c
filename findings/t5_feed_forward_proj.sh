#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# transformers 5.23.0: feed_forward_proj of a saved config.json of T5 has no effect any more.
#
# The documentation of T5Config says that feed_forward_proj chooses the activation. save_pretrained() writes the derived keys
# dense_act_fn and is_gated_act beside it, and in opening the folder these win: whoever edits feed_forward_proj, as in folders of
# earlier versions, changes nothing, without a warning. Expected: gelu. Seen: relu.
. "$(dirname "$0")/venv.sh"
venv transformers==5.23.0
"$python" - "$folder" <<'PYTHON'
import json
import sys

from transformers import T5Config

path = sys.argv[1] + "/t5"
T5Config(feed_forward_proj="relu").save_pretrained(path)
with open(path + "/config.json", encoding="utf-8") as file:
    config = json.load(file)
config["feed_forward_proj"] = "gelu"
with open(path + "/config.json", "w", encoding="utf-8") as file:
    json.dump(config, file)
opened = T5Config.from_pretrained(path)
print("feed_forward_proj", opened.feed_forward_proj, "dense_act_fn", opened.dense_act_fn)
assert opened.feed_forward_proj == "gelu" and opened.dense_act_fn == "relu"
PYTHON
