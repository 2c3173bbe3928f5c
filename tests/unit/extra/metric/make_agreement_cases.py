#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes agreement_cases.json: labels of annotators, and how they agree by the public packages.

    pip install krippendorff==0.8.1 scikit-learn==1.7.2 nltk==3.9.2 sacrebleu==2.6.0; python make_agreement_cases.py

alpha is that of krippendorff, which has to be that of nltk's AnnotationTask wherever two annotators or more labeled each unit; kappa of each
two is scikit-learn's cohen_kappa_score over the units that both labeled, which has to be nltk's; chrf is sacreBLEU's of the answers of both
directions as one corpus. The first case is the example of Krippendorff 2011 ("Computing Krippendorff's Alpha-Reliability", section C), whose
nominal alpha the paper gives as 0.743; the others come from a seeded generator. null: not labeled, or not defined (one class only, no unit)."""
import itertools
import json
import math
import os
import random
import warnings

import krippendorff
import numpy
from nltk.metrics.agreement import AnnotationTask
from sacrebleu.metrics import CHRF
from sklearn.metrics import cohen_kappa_score

PAPER = ["123321412...", "1233224125.3", ".3332342251.", "12332441251."]
TEXTS = ["das Haus ist klein", "Das Haus ist klein.", "ein kleines Haus", "x", "der alte Mann 😀", "病院に行く", "病院へ 行った", "eins zwei drei vier"]


def number(value):
    return None if value is None or math.isnan(value) else float(value)


def alpha_of(rows):
    """By krippendorff; None where it has nothing to compare, or one value only."""
    names = sorted({label for row in rows for label in row if label is not None})
    codes = numpy.array([[numpy.nan if label is None else float(names.index(label)) for label in row] for row in rows])
    shared = [unit for unit in range(codes.shape[1]) if (~numpy.isnan(codes[:, unit])).sum() > 1]
    if not shared or len({code for unit in shared for code in codes[:, unit] if not numpy.isnan(code)}) < 2:
        return None
    alpha = krippendorff.alpha(reliability_data=codes, level_of_measurement="nominal")
    triples = [(str(row), str(unit), rows[row][unit]) for unit in shared for row in range(len(rows)) if rows[row][unit] is not None]
    assert math.isclose(alpha, AnnotationTask(triples).alpha(), abs_tol=1e-12), rows
    return alpha


def kappa_of(one, other):
    both = [(a, b) for a, b in zip(one, other) if a is not None and b is not None]
    if not both or len({label for pair in both for label in pair}) < 2:
        return len(both), None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        kappa = cohen_kappa_score(*zip(*both))
    triples = [(side, str(unit), pair[side == "b"]) for unit, pair in enumerate(both) for side in "ab"]
    assert math.isclose(kappa, AnnotationTask(triples).kappa_pairwise("a", "b"), abs_tol=1e-12), both
    return len(both), kappa


def case(name, rows):
    pairs = [(i, k, *kappa_of(rows[i], rows[k])) for i, k in itertools.combinations(range(len(rows)), 2)]
    return {"name": name, "labels": rows, "alpha": number(alpha_of(rows)),
            "pairs": [{"one": i, "other": k, "units": units, "kappa": number(kappa)} for i, k, units, kappa in pairs]}


def generated(seed):
    rng = random.Random(seed)
    people, units, classes = rng.randint(2, 6), rng.randint(1, 60), ["PER", "LOC", "O", "ä b", "", "x\ty", "MISC"][:rng.randint(2, 7)]
    truth = [rng.choice(classes) for _ in range(units)]
    missing = rng.choice((0, 0.2, 0.6))
    return [[None if rng.random() < missing else truth[unit] if rng.random() < 0.6 else rng.choice(classes) for unit in range(units)]
            for _ in range(people)]


def main():
    cases = [case("Krippendorff 2011", [[None if code == "." else code for code in row] for row in PAPER]),
             case("equal", [["a", "b", "b"]] * 3), case("one class", [["a", "a"]] * 2), case("no unit of two", [["a", None], [None, "b"]]),
             case("one unit", [["a"], ["b"]]), case("never equal", [["a", "b"] * 4, ["b", "a"] * 4]),
             case("one class of one", [["a"] * 5, ["a", "a", "b", "a", "b"]])]
    cases += [case("seed %d" % seed, generated(seed)) for seed in range(40)]
    rng = random.Random(7)
    answers = [(rng.choice(TEXTS), rng.choice(TEXTS)) for _ in range(12)] + [("", "x"), ("x", ""), ("a", "a")]
    chrf = [{"answers": answers[:count], "chrf": CHRF().corpus_score([text for pair in answers[:count] for text in pair],
                                                                    [[text for a, b in answers[:count] for text in (b, a)]]).score}
            for count in (1, 3, 12, 15)]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "agreement_cases.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"agreement": cases, "chrf": chrf}, file, ensure_ascii=False, indent=None, separators=(",", ":"))
        file.write("\n")


main()
