# SPDX-License-Identifier: Apache-2.0
"""Which texts to label for a classifier: usage: classify.py TASK MODEL [STRATEGY...]

TASK: "sections", the sections of Debian's packages by the first line of their descriptions (read with apt-cache, so that any Debian machine
has them), or a table of the columns split, label and text, plain or packed by xz: rows whose split is "test" are tested, all others are the
pool. MODEL: a folder of a sentence encoder, or "ngram", the built-in model. Its embeddings stay as they are, a linear head is fitted on what
is labeled. Five rounds of as many labels as the task has classes, ten times over: the first labels of each are drawn at random, the same for
all strategies. A strategy that needs no head picks in the first round too where its name ends in "!". Parameters stand behind a
colon: "badge:mode=oversampling,steps=2". The samples of a model that bald,
variance and qbc read are five heads, each fitted on as many labels drawn with replacement.

Writes a table: accuracy after each round, the mean of the runs, and behind it how much the mean of all rounds is above that of random draws,
with the standard error of the difference over the runs. NumPy and scikit-learn are needed."""
import hashlib
import lzma
import random
import re
import subprocess
import sys

import alcore
import numpy
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

ROUNDS, RUNS, COMMITTEE, TESTS, LARGEST = 5, 10, 5, 2000, 5000
SMALLEST = 250  # packages of a section


def packages():
    """(text, section) of Debian's packages that have a description of their own, in an order that does not depend on apt's."""
    found = {}
    for entry in subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True).stdout.split("\n\n"):
        fields = dict(re.findall(r"^(Section|Description|Description-en): (.+)$", entry, re.M))
        if "Section" in fields and len(fields) > 1:
            found.setdefault(fields.get("Description") or fields["Description-en"], fields["Section"].split("/")[-1])
    sizes = {}
    for section in found.values():
        sizes[section] = sizes.get(section, 0) + 1
    rows = [row for row in found.items() if sizes[row[1]] >= SMALLEST]
    return sorted(rows, key=lambda row: hashlib.sha256(row[0].encode()).digest())


def table(path):
    """The same of a table, and where its training part ends."""
    opened = lzma.open if path.endswith(".xz") else open
    with opened(path, "rt", encoding="utf-8", newline="\n") as lines:
        names = next(lines).rstrip("\n").split("\t")
        rows = [dict(zip(names, line.rstrip("\n").split("\t"))) for line in lines]
    test = [row for row in rows if row["split"] == "test"]
    train = [row for row in rows if row["split"] != "test"]
    return [(row["text"], row["label"]) for row in test + train], len(test)


def task(name):
    """(texts, labels) of the test set and of the pool."""
    rows, tests = (packages(), TESTS) if name == "sections" else table(name)
    rows = rows[:tests + LARGEST]
    texts, labels = [row[0] for row in rows], numpy.array([row[1] for row in rows])
    return texts[:tests], labels[:tests], texts[tests:], labels[tests:]


def parts(strategy):
    """The name of a strategy, and its parameters."""
    name, _, given = strategy.rstrip("!").partition(":")
    return name, dict(one.split("=", 1) for one in given.split(",") if one)


def needs_of(strategy):
    """Columns that a strategy reads of the candidates."""
    sets = alcore.strategies()[strategy]["needs"].get("candidates", [])
    return {name for alternatives in sets for name in alternatives.split("|")}


def fitted(features, truth):
    """A head; where all labels are of one class it says that class."""
    made = LogisticRegression(C=10, max_iter=1000) if len(set(truth)) > 1 else DummyClassifier()
    return made.fit(features, truth)


def probabilities(head, features, classes):
    """[rows, classes]: of classes that the head was not told of they are 0."""
    found = numpy.zeros((len(features), len(classes)))
    found[:, numpy.searchsorted(classes, head.classes_)] = head.predict_proba(features)
    return found


def committee(features, chosen, truth, classes, seed):
    """Probabilities of several heads, [heads, rows, classes]."""
    draw = random.Random(seed)
    drawn = [draw.choices(chosen, k=len(chosen)) for _ in range(COMMITTEE)]
    return numpy.stack([probabilities(fitted(features[rows], truth[rows]), features, classes) for rows in drawn])


def accuracies(strategy, seeds, features, known, truth, test_features, test_truth, seed):
    """Accuracy of the head after each round of one run; seeds: the rows that the first round has."""
    cold = strategy.endswith("!")
    strategy, parameters = parts(strategy)
    needs, classes, pool, chosen, found = needs_of(strategy), numpy.unique(truth), alcore.Pool(known), [], []
    for round in range(1, ROUNDS + 1):
        columns = {"embeddings": features} if "embeddings" in needs else {}
        if "probs" in needs and round > 1:
            columns["probs"] = probabilities(head, features, classes)
        if "sample_probs" in needs and round > 1:
            columns["sample_probs"] = committee(features, chosen, truth, classes, seed)
        if round == 1 and not cold:
            picked = seeds
        else:
            picked = pool.select(len(seeds), strategy, round=round, seed=seed, **columns, **parameters).indices
        pool.mark_labeled(picked)
        chosen += picked
        head = fitted(features[chosen], truth[chosen])
        found.append(head.score(test_features, test_truth))
    return found


def main():
    name, folder, *strategies = sys.argv[1:]
    for strategy in strategies:
        strategy, parameters = parts(strategy)
        alcore.Strategy(strategy, **parameters)  # an unknown one is an error that says which
    test_texts, test_truth, texts, truth = task(name)
    model = alcore.Model.ngram(texts) if folder == "ngram" else alcore.Model.open(folder)
    features, test_features = (numpy.asarray(model.embed(rows)) for rows in (texts, test_texts))
    classes = len(set(truth))
    print("%d texts, %d of test, %d classes, %d labels a round\n" % (len(texts), len(test_texts), classes, classes))
    print("| strategy | " + " | ".join("%d" % (classes * round) for round in range(1, ROUNDS + 1)) + " | above random |")
    print("|---" * (ROUNDS + 2) + "|")
    runs = {}
    for strategy in ["random"] + strategies:
        runs[strategy] = numpy.array([
            accuracies(strategy, random.Random(seed).sample(range(len(texts)), classes), features, texts, truth, test_features, test_truth, seed)
            for seed in range(RUNS)])
        gains = (runs[strategy] - runs["random"]).mean(axis=1)
        print("| `%s` | %s | %+.1f ± %.1f |" % (strategy, " | ".join("%.1f" % (100 * mean) for mean in runs[strategy].mean(axis=0)),
                                             100 * gains.mean(), 100 * gains.std(ddof=1) / RUNS ** 0.5), flush=True)


if __name__ == "__main__":
    main()
