# SPDX-License-Identifier: Apache-2.0
"""Margin ratios (spec 5.6, 6.2)."""
import arithmetic
import neighbors

U = [[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]]
L = [[0.8, 0.6], [1.0, 0.1], [-0.6, 0.8], [0.96, 0.28]]


def vectors():
    cosines, half_u, half_l, ratios = neighbors.margin_ratios(U, L, 2)
    cases = []
    for metric in ("ratio", "cosine"):
        dist, nearest = neighbors.mrs(U, L, 2, metric)
        expected = {"dist": dist, "nearest": nearest, "order": arithmetic.order(range(3), dist)}
        if metric == "ratio":
            expected |= {"cosines": cosines, "half_sums": half_u, "labeled_half_sums": half_l, "ratios": ratios}
        cases.append({"name": metric, "input": {"metric": metric}, "expected": expected})
    sim = neighbors.retrieved(U, L, 2)
    return {
        "TV-MRS": {
            "spec": "5.6",
            "about": "Margin ratios with k = 2; the order by ratio and that by cosine disagree.",
            "origin": "reference",
            "input": {"unlabeled": U, "labeled": L, "k": 2},
            "cases": cases,
        },
        "TV-RETR": {
            "spec": "6.2",
            "about": "Labeled rows by their similarity to the unlabeled corpus; data of TV-MRS.",
            "origin": "reference",
            "input": {"unlabeled": U, "labeled": L, "k": 2},
            "cases": [{"name": "all", "input": {"M": 4}, "expected": {"sim": sim, "picks": arithmetic.order(range(4), sim)}},
                      {"name": "two", "input": {"M": 2}, "expected": {"picks": arithmetic.order(range(4), sim)[:2]}}],
        },
    }
