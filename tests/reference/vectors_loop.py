# SPDX-License-Identifier: Apache-2.0
"""Stopping criteria (spec 9.6)."""
import math
import random

import stopping

NAN = math.nan
BLEU = [20.0, 24.1, 26.0, 26.1, 26.05, 26.2, 26.1]


def plateau_case(name, metric, **options):
    holds, best, level, gain = stopping.plateau(metric, **options)
    given = {"patience": 3, "least_gain": 0.0, "lower_is_better": False} | options
    return {"name": name, "input": {"metric": metric} | given,
            "expected": {"stop": int(holds), "best_round": best, "best": level, "value": gain}}


def uncertainty_case(name, values, threshold, statistic="mean"):
    holds, found, used, left_out = stopping.low_uncertainty(values, threshold, statistic)
    return {"name": name, "input": {"values": values, "threshold": threshold, "statistic": statistic},
            "expected": {"stop": int(holds), "value": found, "numbers": used, "left_out": left_out}}


def kappa_case(name, a, b):
    value, observed, chance, classes = stopping.kappa(a, b)
    return {"name": name, "input": {"x": a, "y": b},
            "expected": {"kappa": value, "observed": observed, "expected": chance, "classes": classes}}


def agreement_case(name, kappas, window=3, threshold=0.99):
    holds, mean = stopping.agreement(kappas, window, threshold)
    return {"name": name, "input": {"kappas": kappas, "window": window, "threshold": threshold},
            "expected": {"stop": int(holds), "value": mean}}


def vectors():
    draw = random.Random(96)
    first = [draw.randrange(4) for _ in range(60)]
    second = [c if draw.random() < 0.8 else draw.randrange(4) for c in first]
    table = [0] * 20 + [0] * 5 + [1] * 10 + [1] * 15, [0] * 20 + [1] * 5 + [0] * 10 + [1] * 15
    return {
        "TV-PLATEAU": {
            "spec": "9.6", "about": "Rounds since a metric last improved.", "origin": "reference", "tolerance": 1e-12,
            "cases": [
                plateau_case("no round", []),
                plateau_case("one round", [20.0]),
                plateau_case("still rising", [20.0, 21.0, 22.0, 23.0]),
                plateau_case("best of the seven was the sixth", BLEU),
                plateau_case("gains of 0.2 or less do not count", BLEU, least_gain=0.2),
                plateau_case("fewer rounds than the patience", BLEU[:5], least_gain=0.2),
                plateau_case("small gains add up", [1.0, 1.06, 1.12, 1.18], least_gain=0.1, patience=1),
                plateau_case("a gain of exactly the least does not count", [0.1, 0.2, 0.3, 0.4], least_gain=0.1, patience=1),
                plateau_case("equal values", [5.0, 5.0, 5.0], patience=2),
                plateau_case("losses fall", [3.0, 2.0, 1.5, 1.6, 1.5], patience=2, lower_is_better=True),
                plateau_case("an improvement after a plateau", [1.0, 1.0, 1.0, 1.0, 2.0]),
            ],
        },
        "TV-LOWU": {
            "spec": "9.6", "about": "Mean or largest uncertainty against a threshold.", "origin": "reference", "tolerance": 1e-15,
            "cases": [
                uncertainty_case("mean above", [0.5, 0.25, 0.75], 0.4),
                uncertainty_case("mean equal", [0.5, 0.25, 0.75], 0.5),
                uncertainty_case("max above", [0.5, 0.25, 0.75], 0.5, "max"),
                uncertainty_case("max equal", [0.5, 0.25, 0.75], 0.75, "max"),
                uncertainty_case("NaN is left out", [NAN, 0.2, NAN, 0.4], 0.3),
                uncertainty_case("only NaN", [NAN, NAN], 1.0, "max"),
                uncertainty_case("no value", [], 1.0),
                uncertainty_case("all certain", [0.0, 0.0], 0.0),
                uncertainty_case("thirds", [0.1] * 3 + [0.2] * 3 + [0.3] * 3, 0.2),
            ],
        },
        "TV-KAPPA": {
            "spec": "9.6", "about": "Cohen's kappa of two predictions; the table 20 5 10 15 has kappa 0.4.",
            "origin": "reference, in fractions; equal to cohen_kappa_score of scikit-learn 1.9.1 where there is an item", "tolerance": 1e-15,
            "cases": [
                kappa_case("the table 20 5 10 15", *table),
                kappa_case("equal", [3, 1, 1, 2], [3, 1, 1, 2]),
                kappa_case("opposite", [0, 1, 0, 1], [1, 0, 1, 0]),
                kappa_case("one class on both sides", [7, 7, 7], [7, 7, 7]),
                kappa_case("one class each, not the same", [1, 1, 1], [2, 2, 2]),
                kappa_case("one class on one side", [1, 1, 1, 1], [1, 2, 1, 3]),
                kappa_case("one item, equal", [4], [4]),
                kappa_case("no item", [], []),
                kappa_case("negative and large classes", [-5, 9007199254740991, -5, 0], [-5, 9007199254740991, 0, 0]),
                kappa_case("sixty items of four classes", first, second),
            ],
        },
        "TV-AGREE": {
            "spec": "9.6", "about": "Mean of the last kappas against a threshold.", "origin": "reference", "tolerance": 1e-15,
            "cases": [
                agreement_case("no kappa", []),
                agreement_case("fewer than the window", [1.0, 1.0]),
                agreement_case("the paper's setting, not yet", [0.7, 0.98, 0.991, 0.995]),
                agreement_case("the paper's setting", [0.7, 0.98, 0.991, 0.995, 0.992]),
                agreement_case("a window of one", [0.2, 0.9], 1, 0.9),
                agreement_case("NaN outside the window", [NAN, 1.0, 1.0, 1.0]),
                agreement_case("NaN inside the window", [1.0, NAN, 1.0, 1.0], 3),
                agreement_case("equal predictions at the threshold 1", [1.0, 1.0, 1.0], 3, 1.0),
                agreement_case("worse than chance", [-0.5, -0.5], 2, 0.5),
            ],
        },
    }
