# SPDX-License-Identifier: Apache-2.0
"""An own acquisition function against others, on a task of two classes.   usage: own_acquisition.py [SEEDS]"""
import math, statistics, sys, warnings
from pathlib import Path
import alcore

DATA, BUDGETS = Path(__file__).resolve().parent.parent / "data", (20, 40, 80)


@alcore.strategy(needs=("probs", "embeddings"))
def unsure_and_central(view):
    """Uncertainty of the class, weighed by how close the sentence is to the middle of the candidates."""
    rows = view.embeddings.tolist()
    middle = [sum(column) / len(rows) for column in zip(*rows)]
    closeness = [sum(x * m for x, m in zip(row, middle)) for row in rows]
    return [min(probs) * (1 + near) for probs, near in zip(view.probs.tolist(), closeness)]


class NaiveBayes:
    """The classifier, and the model that the library asks for class probabilities."""
    def __init__(self, texts, labels, rows):
        self.counts, self.total = ({}, {}), [1, 1]
        for row in rows:
            self.total[labels[row]] += 1
            for word in set(texts[row].lower().split()):
                self.counts[labels[row]][word] = self.counts[labels[row]].get(word, 0) + 1

    def class_probs(self, texts):
        odds = [sum(math.log((self.counts[1].get(word, 0) + .5) / self.total[1] / (self.counts[0].get(word, 0) + .5) *
                             self.total[0]) for word in set(text.lower().split())) for text in texts]
        return [[1 / (1 + math.exp(min(x, 500))), 1 / (1 + math.exp(min(-x, 500)))] for x in odds]


def accuracy(texts, labels, test, test_labels, strategy, budget, seed):
    pool = alcore.Pool(texts, dedup="none")
    rows = pool.select(10, "random", seed=seed).indices  # something to begin with
    pool.mark_labeled(rows)
    rows += pool.select(budget, strategy, seed=seed, model=NaiveBayes(texts, labels, rows))
    trained = NaiveBayes(texts, labels, rows)
    return statistics.mean((p > .5) == label for (_, p), label in zip(trained.class_probs(test), test_labels))


def main():
    seeds = range(1, int(sys.argv[1]) + 1 if len(sys.argv) > 1 else 4)
    law = (DATA / "pool.txt").read_text(encoding="utf-8").splitlines()[:600]
    talk = [line.split("\t")[1] for line in (DATA / "labeled.tsv").read_text(encoding="utf-8").splitlines()[1:601]]
    texts, labels = [" ".join(text.split()[:4]) for text in law + talk], [1] * len(law) + [0] * len(talk)
    data = (texts[::2], labels[::2], texts[1::2], labels[1::2])
    for strategy in ("random", "entropy", "huds", unsure_and_central):
        for budget in BUDGETS:
            found = [accuracy(*data, strategy, budget, seed) for seed in seeds]
            print("%-20s %3d labels: accuracy %.3f +- %.3f" % (getattr(strategy, "name", strategy), budget + 10,
                  statistics.mean(found), statistics.stdev(found) / math.sqrt(len(found))))


if __name__ == "__main__":
    warnings.simplefilter("ignore", alcore.ImplicitModelWarning)  # the n-gram model may make embeddings
    main()
