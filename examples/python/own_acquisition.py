# SPDX-License-Identifier: Apache-2.0
"""An own acquisition function against others: which picks teach a language model most about held-out sentences of the domain?
usage: own_acquisition.py POOL.txt HELDOUT.tsv"""
import math
import statistics
import sys
from pathlib import Path

import alcore

SEEDS, BUDGETS, CANDIDATES = (1, 2, 3), ("300w", "600w", "1200w"), 300


@alcore.strategy(needs=("logprobs",))
def surprising_and_short(view):
    """Mean surprise of a sentence, damped by its length."""
    values, offsets = view.logprobs
    return [-sum(values[begin:end]) / max(end - begin, 1) / math.log(2 + end - begin)
            for begin, end in zip(offsets, offsets[1:])]


def bits_per_word(training, heldout):
    """What the picks are worth: cross-entropy of held-out text under a model of them."""
    with alcore.LanguageModel(training, order=2) as model:
        words = sum(len(text.split()) + 1 for text in heldout)
        return -sum(model.score(text) for text in heldout) / math.log10(2) / words


def one_run(texts, heldout, strategy, budget, seed):
    pool = alcore.Pool(texts)
    rows = set(pool.candidates(CANDIDATES, seed=seed))  # every seed sees another part of the pool
    pool.mark("ineligible", [row for row in range(len(texts)) if row not in rows])
    picked = pool.select(budget, strategy, seed=seed, model="ngram")
    return bits_per_word(picked.texts, heldout)


def main():
    texts = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    heldout = [line.split("\t")[1] for line in Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()[1:]]
    print("bits per held-out word (lower is better), mean and standard error of %d seeds" % len(SEEDS))
    print("%-22s" % "strategy" + "".join("%18s" % budget for budget in BUDGETS))
    for strategy in ("random", "entropy", "huds", surprising_and_short):
        cells = []
        for budget in BUDGETS:
            found = [one_run(texts, heldout, strategy, budget, seed) for seed in SEEDS]
            error = statistics.stdev(found) / math.sqrt(len(found))
            cells.append("%10.3f +- %.3f" % (statistics.mean(found), error))
        print("%-22s" % getattr(strategy, "name", strategy) + "".join("%18s" % cell for cell in cells))


if __name__ == "__main__":
    main()
