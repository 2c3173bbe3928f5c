# SPDX-License-Identifier: Apache-2.0
"""HUDS with the embeddings of a Hugging Face folder, and what else a model does: usage: neural.py FOLDER POOL.txt"""
import sys

import alcore

folder, path = sys.argv[1:]
texts = open(path, encoding="utf-8").read().splitlines()
model = alcore.Model.open(folder)
picked = alcore.select(texts, "5", "huds", model={"embeddings": model, "logprobs": "ngram"})
for index in picked.indices:
    print(texts[index])
vectors = model.embed(texts[:2])
print("%s: %d numbers a text" % (model.info["family"], vectors.shape[1]), file=sys.stderr)
if model.info["translates"]:
    print(model.translate(texts[:2], beams=4), file=sys.stderr)
