# SPDX-License-Identifier: Apache-2.0
"""TypiClust (spec 4.11)."""
import covers
import random_numbers


def blobs(count, seed):
    """Vectors of three numbers around four directions, some of them repeated."""
    generator = random_numbers.Generator(seed)
    directions = [[8.0, 1.0, 0.0], [0.0, 8.0, 2.0], [3.0, 0.0, 8.0], [-6.0, 5.0, 1.0]]
    rows = []
    for row in range(count):
        of = directions[generator.below(4) if row % 3 else 0]
        rows.append([x + generator.below(17) / 4.0 - 2.0 for x in of])
        if row % 11 == 10:
            rows[row] = list(rows[row - 4])
    return rows


def typiclust_case(name, points, labeled_rows, k, params, seed, round_):
    labeled = [points[row] for row in labeled_rows]
    rows = [row for row in range(len(points)) if row not in labeled_rows]
    named = {key: value for key, value in params.items() if key != "mode"}
    picks, scores, cluster = covers.typiclust(rows, points, labeled, k, seed, round_, code=params.get("mode") == "code", **named)
    return {"name": name,
            "input": {"labeled_rows": labeled_rows, "k": k, "seed": seed, "round": round_,
                      "params": " ".join("%s=%s" % pair for pair in params.items())},
            "expected": {"picks": picks, "scores": scores, "cluster": [cluster[row] for row in rows]}}


def vectors():
    points = blobs(60, 11)
    return {
        "TV-TYPICLUST": {
            "spec": "4.11",
            "about": "Whole selections: clusters, their order, the most typical rows; some rows are repeated, some are labeled.",
            "origin": "reference; with mode=code the public code of the authors (github.com/avihu111/TypiClust, typiclust.py at "
                      "4097a71, with faiss-cpu 1.15.1 and the clusters of these cases) picks the same rows",
            "tolerance": 0,
            "input": {"embeddings": points},
            "cases": [
                typiclust_case("nothing labeled", points, [], 5, {}, 42, 1),
                typiclust_case("more picks than clusters", points, [], 17, {"max_clusters": 4}, 42, 1),
                typiclust_case("labeled rows", points, [0, 3, 7, 20], 4, {"neighbors": 3}, 7, 2),
                typiclust_case("small clusters", points, [5], 40, {"min_cluster": 3}, 3, 1),
                typiclust_case("code", points, [], 17, {"mode": "code", "max_clusters": 4}, 42, 1),
                typiclust_case("code, labeled rows", points, [0, 3, 7, 20], 4, {"mode": "code", "min_cluster": 2}, 7, 2),
            ],
        },
    }
