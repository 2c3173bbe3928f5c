# SPDX-License-Identifier: Apache-2.0
"""The texts of a pool whose translations a served model is least sure of, with its drafts of them.

    served_model.py URL MODEL POOL [BUDGET]      such as http://127.0.0.1:8000/v1 NAME pool.txt 300w

URL is a server of OpenAI's protocol, such as llama.cpp's or vLLM's. Answers are kept in POOL.answers: a second run asks nothing again.
The key of the server, if it wants one, is taken from the variable SERVER_KEY."""
import os
import sys

import alcore
import alcore.served

url, name, path, budget = (sys.argv[1:] + ["300w"])[:4]
with open(path, encoding="utf-8", newline="\n") as file:
    texts = file.read().split("\n")[:-1]
model = alcore.served.OpenAI(url, name, prompt="Translate into German, and answer with the translation alone: {source}", cache=path + ".answers",
                             max_tokens=200, key=os.environ.get("SERVER_KEY"))
picked = alcore.select(texts, budget, "nnll", model=model)
drafts = alcore.Model(model).translate([texts[index] for index in picked.indices])
for index, draft in zip(picked.indices, drafts):
    print(index, texts[index], " ".join(draft.split()), sep="\t")
