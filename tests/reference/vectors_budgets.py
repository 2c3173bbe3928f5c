# SPDX-License-Identifier: Apache-2.0
"""Budgets on a ranking of sentences (spec 1.6, 1.10)."""
import budgets

COSTS = [5.0, 3.0, 0.0, 4.0, 2.0, 1.0]
VECTORS = [[1.0, 0.0], [0.8, 0.6], [0.0, 1.0], [0.6, 0.8], [-1.0, 0.0], [0.0, -1.0]]


def case(name, budget, policy, limit=None):
    """A case of filling a budget by a policy, with a similarity limit unless that is None."""
    picks, spent = budgets.fill(range(6), COSTS, budget, policy, limit, VECTORS)
    given = {"budget": budget, "fill": policy}
    if limit is not None:
        given["max_similarity"] = limit
    return {"name": name, "input": given, "expected": {"picks": picks, "spent": spent}}


def vectors():
    cases = [case(f"{policy} {budget:g}", budget, policy) for budget in (0.0, 6.0, 8.0, 9.5, 100.0)
             for policy in ("overshoot", "stop", "skip")]
    cases += [case(f"{policy}, similarity at most 0.75", 9.0, policy, 0.75) for policy in ("overshoot", "stop", "skip")]
    return {
        "TV-FILL": {
            "spec": "1.6",
            "about": "Rows 0 to 5 are ranked in this order; row 2 costs nothing and is never picked.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"costs": COSTS, "scores": [6.0, 5.0, 4.0, 3.0, 2.0, 1.0], "embeddings": VECTORS},
            "cases": cases,
        },
    }
