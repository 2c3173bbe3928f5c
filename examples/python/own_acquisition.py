# SPDX-License-Identifier: Apache-2.0
"""Compares an acquisition function of your own with others, on a task of two classes.   usage: own_acquisition.py [SEEDS]"""
import collections, math, statistics, sys
from pathlib import Path
import alcore

DATA, BUDGETS, BATCH = Path(__file__).resolve().parent.parent / "data", (30, 60, 120), 10
READS = {"random": (), "entropy": ("probs",), "huds": ("logprobs", "embeddings")}  # what a strategy is given, and reads


@alcore.strategy(needs=("probs", "embeddings"))
def unsure_and_central(view):
    """Uncertainty of the class, times one plus the dot product of the embedding and the mean of all embeddings."""
    rows = view.embeddings.tolist()
    middle = [sum(column) / len(rows) for column in zip(*rows)]
    return [min(probs) * (1 + sum(x * m for x, m in zip(row, middle))) for probs, row in zip(view.probs.tolist(), rows)]


class Classifier:
    """Logistic regression on letter trigrams; class_probs() makes it a model that the library can ask."""
    parts = staticmethod(lambda text: {text[i:i + 3] for i in range(len(text) - 2)})

    def __init__(self, texts, labels, rows):
        self.weights = collections.Counter()
        for row in list(rows) * 20:
            step = 0.1 * (labels[row] - self.class_probs([texts[row]])[0][1])
            self.weights.update(dict.fromkeys(self.parts(texts[row]), step))

    def class_probs(self, texts):
        odds = [sum(self.weights[part] for part in self.parts(text)) for text in texts]
        return [[1 / (1 + math.exp(x)), 1 / (1 + math.exp(-x))] for x in odds]


def accuracy(texts, labels, test, test_labels, strategy, budget, seed):
    pool = alcore.Pool(texts, dedup="none")
    rows = pool.select(BATCH, "random", seed=seed).indices  # the first batch, before there is a model
    while len(rows) < budget:
        pool.mark_labeled(rows)
        own = Classifier(texts, labels, rows)
        read = {column: own if column == "probs" else "ngram" for column in READS.get(strategy, ("probs", "embeddings"))}
        rows += pool.select(BATCH, strategy, seed=seed, round=len(rows), model=read or None)
    return statistics.mean((p > .5) == label for (_, p), label in zip(Classifier(texts, labels, rows).class_probs(test), test_labels))


def main():
    seeds = range(1, int(sys.argv[1]) + 1 if len(sys.argv) > 1 else 4)
    law = (DATA / "pool.txt").read_text(encoding="utf-8").splitlines()[:600]
    talk = [line.split("\t")[1] for line in (DATA / "labeled.tsv").read_text(encoding="utf-8").splitlines()[1:601]]
    texts, labels = [" ".join(text.split()[:4]) for text in law + talk], [1] * len(law) + [0] * len(talk)
    for strategy in ("random", "entropy", "huds", unsure_and_central):
        for budget in BUDGETS:
            found = [accuracy(texts[::2], labels[::2], texts[1::2], labels[1::2], strategy, budget, seed) for seed in seeds]
            error = statistics.stdev(found) / math.sqrt(len(found)) if len(found) > 1 else 0
            name = getattr(strategy, "name", strategy)
            print("%-20s %3d labels: accuracy %.3f +- %.3f" % (name, budget, statistics.mean(found), error))


if __name__ == "__main__":
    main()
