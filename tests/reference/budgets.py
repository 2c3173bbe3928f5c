# SPDX-License-Identifier: Apache-2.0
"""Spending a budget on a ranking (spec 1.6), with a similarity limit (spec 1.10)."""
import arithmetic


def fill(ranking, costs, budget, policy="overshoot", max_similarity=None, vectors=None):
    """Returns the picks in order and what they cost; costs and vectors are indexed by row."""
    picks, spent = [], 0.0
    for row in ranking:
        if not spent < budget:
            break
        if not costs[row] > 0:
            continue
        if max_similarity is not None:
            if any(arithmetic.cos(vectors[row], vectors[pick]) > max_similarity for pick in picks):
                continue
        fits = not spent + costs[row] > budget
        if not fits and policy == "stop":
            break
        if not fits and policy == "skip":
            continue
        picks.append(row)
        spent += costs[row]
    return picks, spent
