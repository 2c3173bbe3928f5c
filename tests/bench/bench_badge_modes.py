# SPDX-License-Identifier: Apache-2.0
"""What mode=oversampling of badge loses: usage: bench_badge_modes.py [ROWS [PICKS]]

ROWS (40,000) vectors of 32 components in 300 clusters of very unequal sizes and widths, and the probabilities of 10 classes of a linear head.
For random draws, for the exact form and for several settings of mode=oversampling it writes the potential, the mean squared distance of a
gradient embedding to the nearest one of PICKS (100) picks, as a multiple of that of the exact form, over five seeds (mean, smallest and
largest), and the seconds of the processor that a selection takes. NumPy is needed."""
import sys
import time

import alcore
import numpy

DIMS, CLASSES, CLUSTERS, SEEDS = 32, 10, 300, 5
FORMS = [("random", {}), ("badge", {}), ("badge", {"mode": "oversampling"}), ("badge", {"mode": "oversampling", "steps": 2}),
         ("badge", {"mode": "oversampling", "steps": 2, "per_step": 0.5}), ("badge", {"mode": "oversampling", "per_step": 0.5}),
         ("badge", {"mode": "oversampling", "per_step": 2}), ("badge", {"mode": "oversampling", "steps": 10})]


def make_rows(rows):
    """(vectors, probabilities)."""
    draw = numpy.random.default_rng(1)
    sizes = draw.pareto(1.0, CLUSTERS) + 0.02
    cluster = draw.choice(CLUSTERS, rows, p=sizes / sizes.sum())
    centers, widths = draw.normal(0, 1, (CLUSTERS, DIMS)), draw.uniform(0.05, 0.6, CLUSTERS)
    vectors = (centers[cluster] + draw.normal(0, 1, (rows, DIMS)) * widths[cluster, None]).astype(numpy.float32)
    logits = vectors @ draw.normal(0, 0.4, (DIMS, CLASSES))
    probabilities = numpy.exp(logits - logits.max(axis=1, keepdims=True))
    return vectors, probabilities / probabilities.sum(axis=1, keepdims=True)


def potential(vectors, probabilities, picks):
    """The mean squared distance of a gradient embedding to the nearest pick."""
    a = probabilities.copy()
    a[numpy.arange(len(a)), a.argmax(axis=1)] -= 1
    h = vectors.astype(numpy.float64)
    square = (a * a).sum(axis=1) * (h * h).sum(axis=1)
    total = 0.0
    for first in range(0, len(a), 8192):
        part = slice(first, first + 8192)
        distance = square[part, None] + square[None, picks] - 2 * (a[part] @ a[picks].T) * (h[part] @ h[picks].T)
        total += numpy.maximum(distance, 0).min(axis=1).sum()
    return total / len(a)


def main():
    rows, picks = (int(value) for value in (sys.argv[1:] + ["40000", "100"][len(sys.argv) - 1:])[:2])
    vectors, probabilities = make_rows(rows)
    texts = ["%d" % row for row in range(rows)]
    print("%d rows of %d components, %d classes, %d picks, %d seeds\n" % (rows, DIMS, CLASSES, picks, SEEDS))
    print("| selection | potential | smallest | largest | processor |\n|---|---|---|---|---|")
    exact, lines = None, []
    for strategy, form in FORMS:
        given = dict(form)
        if "per_step" in given:
            given["per_step"] = int(given["per_step"] * picks)
        columns = {"embeddings": vectors, "probs": probabilities} if strategy == "badge" else {}
        found, begin = [], time.process_time()
        for seed in range(SEEDS):
            chosen = alcore.select(texts, picks, strategy, seed=seed, **columns, **given).indices
            found.append(chosen)
        seconds = (time.process_time() - begin) / SEEDS
        values = numpy.array([potential(vectors, probabilities, chosen) for chosen in found])
        if strategy == "badge" and not form:
            exact = values.mean()
        lines.append((strategy, given, values, seconds))
    for strategy, given, values, seconds in lines:
        name = " ".join([strategy] + ["%s=%s" % one for one in given.items()])
        print("| `%s` | %.3f | %.3f | %.3f | %.1f s |" % (name, values.mean() / exact, values.min() / exact, values.max() / exact, seconds))


if __name__ == "__main__":
    main()
