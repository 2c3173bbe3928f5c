# SPDX-License-Identifier: Apache-2.0
"""TypiClust, ProbCover, facility location (spec 4.11 to 4.13)."""
import covers
import random_numbers
from arithmetic import unit


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


def cover_case(name, points, labeled_rows, k, params, similarity, x=None, costs=None):
    """x None: delta is estimated, with the other parameters."""
    vectors = [unit(point) for point in points]
    rows = [row for row in range(len(points)) if row not in labeled_rows]
    if x is None:
        x = covers.purest_delta(rows, vectors, 42, 1, **params)
    cost = {row: costs[row] for row in rows} if costs else None
    picks, scores, covered = covers.cover(rows, vectors, [vectors[row] for row in labeled_rows], k, similarity, x, cost,
                                          params.get("neighbors"))
    one = {"name": name,
           "input": {"labeled_rows": labeled_rows, "k": k, "seed": 42, "round": 1,
                     "params": " ".join("%s=%r" % pair if isinstance(pair[1], float) else "%s=%s" % pair for pair in params.items())},
           "expected": {"picks": picks, "scores": scores, "covered": covered}}
    if costs:
        one["input"]["costs"] = costs
    if similarity is covers.ball:
        one["expected"]["delta"] = x
    return one


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
        "TV-PROBCOVER": {
            "spec": "4.12",
            "about": "Whole selections with delta given and estimated; more picks than are needed to cover all rows.",
            "origin": "reference; of the cases without costs in which a row is left to be covered the public code of the authors "
                      "(github.com/avihu111/TypiClust, prob_cover.py at 4097a71) picks the same rows with batch_size=1: with more "
                      "it leaves out the last, shorter batch of rows, and with fewer rows than a batch it fails",
            "tolerance": 0,
            "input": {"embeddings": points},
            "cases": [
                cover_case("delta given", points, [], 5, {"delta": 0.25}, covers.ball, 0.25),
                cover_case("labeled rows", points, [0, 3, 7, 20], 4, {"delta": 0.3}, covers.ball, 0.3),
                cover_case("all are covered", points, [], 12, {"delta": 0.9}, covers.ball, 0.9),
                cover_case("costs", points, [], 20, {"delta": 0.25}, covers.ball, 0.25, [1.0 + row * 7 % 5 for row in range(60)]),
                cover_case("delta by purity", points, [], 5, {"classes": 3}, covers.ball),
                cover_case("delta by purity, labeled rows", points, [1, 2], 5, {"classes": 5, "purity": 0.5}, covers.ball),
                cover_case("one class", points, [], 2, {"classes": 1}, covers.ball),
                cover_case("neighbors", points, [], 9, {"delta": 0.9, "neighbors": 6}, covers.ball, 0.9),
                cover_case("neighbors, labeled rows", points, [0, 3, 7, 20], 4, {"delta": 0.9, "neighbors": 4}, covers.ball, 0.9),
            ],
        },
        "TV-FACILITY": {
            "spec": "4.13",
            "about": "Whole selections by both similarities.",
            "origin": "reference; without labeled rows and costs apricot-select 0.6.1, FacilityLocationSelection over the same "
                      "similarities (metric precomputed; with neighbors a sparse matrix, by the row that covers), picks the same rows",
            "tolerance": 1e-12,
            "input": {"embeddings": points},
            "cases": [
                cover_case("cosine", points, [], 9, {}, covers.cosine, 0),
                cover_case("labeled rows", points, [0, 3, 7, 20], 6, {}, covers.cosine, 0),
                cover_case("costs", points, [], 20, {}, covers.cosine, 0, [1.0 + row * 7 % 5 for row in range(60)]),
                cover_case("rbf", points, [], 9, {"similarity": "rbf", "gamma": 3.0}, covers.rbf, 3.0),
                cover_case("rbf, labeled rows", points, [0, 3, 7, 20], 6, {"similarity": "rbf", "gamma": 1.0}, covers.rbf, 1.0),
                cover_case("neighbors", points, [], 9, {"neighbors": 6}, covers.cosine, 0),
                cover_case("neighbors, labeled rows, costs", points, [0, 3, 7, 20], 15, {"neighbors": 4}, covers.cosine, 0,
                           [1.0 + row * 7 % 5 for row in range(60)]),
                cover_case("neighbors, rbf", points, [], 9, {"similarity": "rbf", "gamma": 3.0, "neighbors": 1}, covers.rbf, 3.0),
            ],
        },
    }
