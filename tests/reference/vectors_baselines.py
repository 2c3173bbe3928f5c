# SPDX-License-Identifier: Apache-2.0
"""IDDS, BADGE, ALPS, k-center (spec 4.4 to 4.7)."""
import arithmetic
import baselines
import random_numbers

A = [[1.0, 0.0], [0.0, 1.0], [0.6, 0.8], [0.96, 0.28]]
B = {0: [0.0, 1.0], 1: [-1.0, 0.0]}
P = [[0.7, 0.2, 0.1], [0.4, 0.35, 0.25], [0.5, 0.5, 0.0], [0.2, 0.2, 0.6], [0.4, 0.35, 0.25]]
H = [[1.0, 0.0], [0.0, 2.0], [1.0, 1.0], [2.0, 1.0], [0.0, 2.0]]
LOSSES = [[2, 0.5, 1, 3], [0.2, 0.4, 0.1, 0.1], [2, 0.6, 0.9, 2.5], [0.1, 4, 0.3, 0.2], [1, 0, 0, 2.5], [0, 3, 1, 0]]
MASKS = [[1, 0, 0, 1], [0, 1, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0]]
POINTS = [[0.0, 0.0], [1.0, 0.0], [4.0, 0.0], [0.0, 3.0], [4.0, 3.0], [8.0, 6.0]]


def drawn_points(count, dims, seed):
    """Vectors of small integers, some of them repeated."""
    generator = random_numbers.Generator(seed)
    points = [[float(generator.below(9)) - 3.0 for _ in range(dims)] for _ in range(count)]
    for row in range(count):
        if row % 9 == 8:
            points[row] = list(points[row - 5])
    return points


def drawn_losses(count, seed):
    """Losses of texts with 1 to 12 tokens."""
    generator = random_numbers.Generator(seed)
    return [[generator.below(33) / 8.0 for _ in range(1 + generator.below(12))] for _ in range(count)]


def bertkm_case(name, points, k, seed, round_):
    """A case of BERT-KM: the picks in the order of the clusters."""
    rows = list(range(len(points)))
    picks = baselines.cluster_picks(rows, [arithmetic.unit(x) for x in points], k, seed, round_)[0]
    return {"name": name, "input": {"k": k, "seed": seed, "round": round_}, "expected": {"picks": picks}}


def alps_case(name, losses, k, seed, round_):
    """A case of ALPS whose tokens are drawn by the ids of the rows, their numbers from 1."""
    made = []
    for row, loss in enumerate(losses):
        kept = baselines.alps_positions(str(row + 1), len(loss), seed)
        made.append(baselines.surprisal(loss, [1 if t in kept else 0 for t in range(len(loss))], 128))
    picks = baselines.cluster_picks(list(range(len(losses))), made, k, seed, round_)[0]
    return {"name": name, "input": {"losses": losses, "k": k, "seed": seed, "round": round_}, "expected": {"picks": picks}}


def idds_case(name, labeled=None, k=4, vectors=None, **options):
    """A case of IDDS: picks and scores of k rows; labeled: vectors by row."""
    a = vectors or A
    labeled = B if labeled is None else labeled
    picks, scores = baselines.idds(range(4), a, labeled, k, **{{"self": "include_self"}.get(key, key): value
                                                              for key, value in options.items()})
    given = {("self" if key == "self" else key): ("include" if value is True else value) for key, value in options.items()}
    given |= {"k": k, "embeddings": a, "labeled": [labeled[row] for row in sorted(labeled)]}
    return {"name": name, "input": given, "expected": {"picks": picks, "scores": [scores[row] for row in range(4)]}}


def kcenter_case(name, labeled, k):
    """A case of k-center: picks, deltas and radii."""
    rows = [row for row in range(6) if row not in labeled]
    picks, deltas, radii = baselines.kcenter(rows, POINTS, [POINTS[row] for row in labeled], k)
    return {"name": name, "input": {"labeled_rows": labeled, "k": k}, "expected": {"picks": picks, "delta": deltas, "radii": radii}}


def vectors():
    """The vectors of baselines.py."""
    rows = list(range(5))
    a = [baselines.gradient_factor(p) for p in P]
    two = baselines.badge(rows, a, H, 3, uniforms=[0.25, 0.75])
    five = baselines.badge(rows, a, H, 5, random_numbers.stream(42, random_numbers.BADGE, 1))
    uniform = baselines.badge(rows, a, H, 5, random_numbers.stream(42, random_numbers.BADGE, 1), first="uniform")
    surprisal = [baselines.surprisal(loss, mask, 4) for loss, mask in zip(LOSSES, MASKS)]
    picks, cluster, centroids, passes = baselines.cluster_picks(range(6), surprisal, 2, 42, 1, [0, 1])
    scaled = [[x * s for x in row] for row, s in zip(A, (1.0, 2.0, 1.0, 3.0))]
    return {
        "TV-IDDS": {
            "spec": "4.4",
            "about": "One ranking and greedy, with and without the self term, nothing labeled, inner products as given.",
            "origin": "reference; one-shot also against equation 5 term by term",
            "cases": [
                idds_case("oneshot", mode="oneshot"),
                idds_case("oneshot, self included", mode="oneshot", self=True),
                idds_case("greedy", k=3, mode="greedy"),
                idds_case("greedy, one pick", k=1, mode="greedy"),
                idds_case("nothing labeled", {}, mode="oneshot"),
                idds_case("paper", mode="paper", vectors=scaled), idds_case("code", k=3, mode="code", vectors=scaled),
                idds_case("dot-raw", mode="oneshot", sim="dot-raw", vectors=scaled),
                idds_case("alpha 0.3", mode="oneshot", alpha=0.3),
            ],
        },
        "TV-BADGE": {
            "spec": "4.5",
            "about": "Rows 1 and 4 are duplicates; the second is drawn only when nothing else is left.",
            "origin": "reference",
            "input": {"probs": P, "embeddings": H},
            "cases": [
                {"name": "factors", "expected": {
                    "likeliest": [p.index(max(p)) for p in P],
                    "norms": [baselines.badge_norm(*pair) for pair in zip(a, H)],
                    "distances": [[baselines.badge_distance(a, H, i, j) for j in rows] for i in rows]}},
                {"name": "given uniforms", "input": {"k": 3, "uniforms": [0.25, 0.75]}, "expected": {"picks": two[0], "weights": two[1]}},
                {"name": "drawn", "input": {"k": 5, "seed": 42, "round": 1}, "expected": {"picks": five[0]}},
                {"name": "first=uniform", "input": {"k": 5, "seed": 42, "round": 1}, "expected": {"picks": uniform[0]}},
            ],
        },
        "TV-ALPS": {
            "spec": "4.6",
            "about": "Surprisal vectors, clusters from given centroids, the nearest rows; the mask of one text.",
            "origin": "reference",
            "input": {"losses": LOSSES, "masks": MASKS},
            "cases": [
                {"name": "clusters", "input": {"initial": [0, 1]}, "expected": {
                    "vectors": surprisal, "cluster": [cluster[i] for i in range(6)], "centroids": centroids, "passes": passes,
                    "sqd": [arithmetic.sqd(surprisal[i], centroids[cluster[i]]) for i in range(6)], "picks": picks}},
                {"name": "mask", "input": {"id": "sentence-0001", "length": 20, "seed": 42},
                 "expected": {"positions": baselines.alps_positions("sentence-0001", 20, 42)}},
            ],
        },
        "TV-ALPS-DRAWN": {
            "spec": "4.6",
            "about": "Whole selections: tokens drawn by ids, first centroids drawn, the rows nearest to the centroids.",
            "origin": "reference",
            "cases": [alps_case("round 1", drawn_losses(30, 5), 5, 42, 1), alps_case("round 2", drawn_losses(30, 5), 8, 42, 2)],
        },
        "TV-BERTKM": {
            "spec": "4.8",
            "about": "Whole selections: first centroids drawn, the rows nearest to the centroids; some rows are repeated.",
            "origin": "reference",
            "input": {"embeddings": drawn_points(40, 3, 9)},
            "cases": [bertkm_case("round 1", drawn_points(40, 3, 9), 6, 42, 1), bertkm_case("round 3", drawn_points(40, 3, 9), 9, 7, 3)],
        },
        "TV-KCENTER": {
            "spec": "4.7",
            "about": "Farthest first; a tie goes to the lower row.",
            "origin": "reference",
            "input": {"embeddings": POINTS},
            "cases": [kcenter_case("row 0 labeled", [0], 3), kcenter_case("nothing labeled", [], 3)],
        },
    }
