# SPDX-License-Identifier: Apache-2.0
"""A classifier that is trained in a blink, for demux.json: naive Bayes over character 4-grams, with nothing but Python.

    demux_model.py train LABELED TRAIN POOL MODEL      learns the labels of both tables and writes a folder
    demux_model.py evaluate TEST MODEL                 prints the accuracy and the macro-F1 on a table

The folder is a model as alcore select --model reads one: probs.npy has the probabilities of the classes of each row of POOL, so that
the next round's strategy knows where the classifier is unsure."""
import collections
import csv
import json
import math
import os
import struct
import sys


def read(path, text="text", label="label"):
    """The texts and labels of a table."""
    with open(path, encoding="utf-8", newline="") as file:
        return [(row[text], row[label]) for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]


def grams(text):
    text = " %s " % text.lower()
    return [text[at:at + 4] for at in range(len(text) - 3)]


def learn(pairs):
    """How often each class has each 4-gram, and how many texts it has."""
    model = {}
    for text, label in pairs:
        one = model.setdefault(label, {"texts": 0, "grams": collections.Counter()})
        one["texts"] += 1
        one["grams"].update(grams(text))
    return model


def prepare(model, classes):
    """The logarithms of each class: of its share, of each 4-gram, and of one that it lacks."""
    kinds = len(set().union(*(model[name]["grams"] for name in classes)))
    for name in classes:
        counts = model[name]["grams"]
        total = math.log(sum(counts.values()) + kinds)
        yield math.log(model[name]["texts"]), {gram: math.log(count + 1) - total for gram, count in counts.items()}, -total


def classify(prepared, text):
    """The probabilities of the classes: by the mean over the 4-grams, so that long texts are not sure of everything."""
    found = grams(text)
    scores = [share + 10 * sum(known.get(gram, lacking) for gram in found) / len(found) for share, known, lacking in prepared]
    weights = [math.exp(score - max(scores)) for score in scores]
    return [weight / sum(weights) for weight in weights]


def write_npy(path, rows):
    head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    head += " " * (-(len(head) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for row in rows:
            file.write(struct.pack("<%dd" % len(row), *row))


def train(labeled, bought, pool, folder):
    model = learn(read(labeled) + read(bought, "src", "tgt"))
    prepared = list(prepare(model, sorted(model)))
    os.mkdir(folder)
    write_npy(os.path.join(folder, "probs.npy"), [classify(prepared, text) for text, _ in read(pool)])
    with open(os.path.join(folder, "counts.json"), "w", encoding="utf-8") as file:
        json.dump(model, file)


def evaluate(test, folder):
    with open(os.path.join(folder, "counts.json"), encoding="utf-8") as file:
        model = json.load(file)
    classes, pairs = sorted(model), []
    prepared = list(prepare(model, classes))
    for text, label in read(test):
        shares = classify(prepared, text)
        pairs.append((label, classes[shares.index(max(shares))]))
    f1 = []
    for name in classes:
        right = sum(gold == name == found for gold, found in pairs)
        f1.append(2 * right / max(1, sum((gold == name) + (found == name) for gold, found in pairs)))
    print("accuracy\t%r\nmacro-f1\t%r" % (sum(gold == found for gold, found in pairs) / len(pairs), sum(f1) / len(f1)))


if __name__ == "__main__":
    {"train": train, "evaluate": evaluate}[sys.argv[1]](*sys.argv[2:])
