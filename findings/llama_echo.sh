#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# llama.cpp's server, of xllamacpp 2026.10.11549: a completion with "echo" and "max_tokens": 0 is a generated token with its log-probability.
#
# Programs that score a given text by a server of OpenAI's protocol ask /v1/completions for {"echo": true, "max_tokens": 0, "logprobs": k} and
# read token_logprobs. Expected of a server that does not echo: an error. Seen: status 200, both members are passed over, and the answer has one
# token that the model made, in the form of chats, with nothing of the text. The log-probability of a token made greedily is taken for that of
# the text by whoever does not compare the texts.
. "$(dirname "$0")/venv.sh"
served=$(cd "$(dirname "$0")/../tests/served" && pwd)
venv xllamacpp==2026.10.11549 gguf==0.19.0 numpy==2.4.6
PYTHONPATH=$served "$python" - 2>/dev/null <<'PYTHON'
import json
import os
import tempfile

import llama_server

with tempfile.TemporaryDirectory() as folder:
    server, address = llama_server.start(folder)
    asked = {"prompt": "the sun is hot", "echo": True, "max_tokens": 0, "logprobs": 3, "temperature": 0}
    answer = json.loads(llama_server.ask(address + "/v1/completions", asked))
choice, usage = answer["choices"][0], answer["usage"]
print(json.dumps({"text": choice["text"], "logprobs": choice["logprobs"], "usage": usage}), flush=True)
seen = (not choice["text"].startswith("the sun"), len(choice["logprobs"]["content"]), "token_logprobs" in choice["logprobs"], usage["completion_tokens"])
os._exit(0 if seen == (True, 1, False, 1) else 1)  # the server's threads need not end
PYTHON
