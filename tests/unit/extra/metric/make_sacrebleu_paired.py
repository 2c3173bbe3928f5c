#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sacrebleu_paired.json: two systems on the same texts with the p-values of sacreBLEU 2.6's paired tests, and their scores
where some references are missing.

    pip install sacrebleu==2.6.0; python make_sacrebleu_paired.py

The texts come from a seeded generator, so that the file is the same each time."""
import json
import os
import random

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.significance import PairedTest

WORDS = "the cat sat on a mat and dog ran to big house in old town with red car today".split()
SAMPLES = 20000
generator = random.Random(20261128)


def system(references, rate):
    """Copies of the references with a part of their words replaced."""
    return [" ".join(generator.choice(WORDS) if generator.random() < rate else word for word in text.split()) for text in references]


def metrics():
    return {"bleu": BLEU(), "chrf": CHRF(), "ter": TER()}


corpora = []
for count, rate, baseline_rate in ((40, 0.3, 0.33), (25, 0.2, 0.5), (60, 0.25, 0.27)):
    references = [" ".join(generator.choice(WORDS) for _ in range(generator.randrange(3, 15))) for _ in range(count)]
    row = {"references": references, "hypotheses": system(references, rate), "baseline": system(references, baseline_rate), "tests": {}}
    for name, test in (("bootstrap", "bs"), ("randomization", "ar")):
        _, scores = PairedTest([("baseline", row["baseline"]), ("system", row["hypotheses"])], metrics(), [references], test_type=test,
                               n_samples=SAMPLES)()
        row["tests"][name] = {metric: [scores[title][1].score, scores[title][0].score, scores[title][1].p_value]
                              for metric, title in (("bleu", "BLEU"), ("chrf", "chrF2"), ("ter", "TER"))}
    others = system(references, 0.1)
    row["varied"] = [[text if i % 3 else None for i, text in enumerate(references)],
                     [text if i % 3 != 1 else None for i, text in enumerate(others)],
                     [others[-i - 1] if i % 5 == 0 else None for i in range(count)]]
    row["varied_scores"] = [metric.corpus_score(row["hypotheses"], row["varied"]).score for metric in metrics().values()]
    corpora.append(row)
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sacrebleu_paired.json")
with open(path, "w", encoding="utf-8") as file:
    file.write(json.dumps({"samples": SAMPLES, "corpora": corpora}, indent=0) + "\n")
