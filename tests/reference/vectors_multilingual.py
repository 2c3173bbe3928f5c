# SPDX-License-Identifier: Apache-2.0
"""Targets and languages (spec 7)."""
import arithmetic
import languages
import neighbors
import random_numbers
import scores

SOURCE = [[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [0.0, 4.0], [3.0, 0.0]]
TARGET = [[0.0, 0.0], [3.0, 4.0], [3.0, 0.0]]
POINTS = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [5.0, 5.0], [6.0, 5.0], [9.0, 9.0], [10.0, 0.0]]
GOALS = [[0.25, 0.0], [5.375, 5.0]]
MANY_GOALS = [[0.25, 0.0], [9.5, 8.5], [5.375, 5.0], [1.75, 0.25], [2.5, 0.5]]
U = [0.2, 0.9, 0.5, 0.3, 0.8, 1.0, 0.6]
# Start, end and windows of the answers of POINTS: one window, two and three.
ANSWERS = [([0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [3]), ([0.95, 0.05, 0.5, 0.5], [0.5, 0.5, 0.95, 0.05], [2, 2]),
           ([1.0, 0.4, 0.6], [1.0, 0.9, 0.1], [1, 2]), ([0.25, 0.25, 0.5, 0.5, 0.5], [0.4, 0.4, 0.2, 0.6, 0.4], [3, 2]),
           ([0.9, 0.1, 0.3, 0.7, 0.2, 0.8], [0.6, 0.4, 0.5, 0.5, 0.9, 0.1], [2, 2, 2]), ([0.4, 0.3, 0.3], [0.35, 0.35, 0.3], [3]),
           ([0.1, 0.9, 0.6, 0.4], [0.2, 0.8, 0.7, 0.3], [2, 2])]
HIDDEN = [[[9.0, -9.0], [1.0, 0.5], [7.0, 7.0], [2.0, -0.25], [4.0, 1.0], [8.0, 8.0]],
          [[0.25, 3.0], [5.0, 5.0], [1.5, -1.0], [6.0, 6.0]], [[1.0, 1.0], [2.0, 2.0]]]
WORDS = [[-1, 0, 0, 1, 2, -1], [0, -1, 0, 0], [-1, -1]]
TAGS = ["hi"] * 5 + ["fa"] * 2 + ["ar"] * 6


def average_case(name, tags=None, **options):
    """A case of AVERAGE-DIST; tags: the targets' languages, averaged in each first."""
    values = neighbors.average_dist(SOURCE, TARGET, tags, **options)
    given = dict(options) | ({"target_languages": tags} if tags else {})
    return {"name": name, "input": given, "expected": {"distances": values, "order": arithmetic.order(range(5), [-v for v in values])}}


def knn_case(name, b, **options):
    """A case of KNN-UNCERTAINTY with a budget of b rows."""
    picks, union, k, appended, _ = neighbors.knn_uncertainty(POINTS, GOALS, U, b, **options)
    given = {"b": b} | options
    return {"name": name, "input": given, "expected": {"picks": picks, "union": union, "k": k, "appended": appended}}


def balanced_knn_case(name, b, tags, **options):
    """A case of KNN-UNCERTAINTY whose target languages buy in turns."""
    picks, union, k, appended, buyers = neighbors.knn_uncertainty(POINTS, MANY_GOALS, U, b, target_languages=tags, **options)
    given = {"b": b, "target": MANY_GOALS, "target_languages": tags} | options
    return {"name": name, "input": given,
            "expected": {"picks": picks, "union": union, "k": k, "appended": appended, "languages": buyers}}


def balanced_prune_case(name, b, c, tags, **options):
    """A case of UNCERTAINTY-KNN with target languages of equal weight, or in turns."""
    picks, chosen = neighbors.uncertainty_knn(POINTS, MANY_GOALS, U, b, c, target_languages=tags, **options)
    given = {"b": b, "c": c, "target": MANY_GOALS, "target_languages": tags} | options
    return {"name": name, "input": given, "expected": {"picks": picks, "candidates": chosen}}


def prune_case(name, b, c, **options):
    """A case of UNCERTAINTY-KNN with b rows among c * b candidates."""
    picks, chosen = neighbors.uncertainty_knn(POINTS, GOALS, U, b, c, **options)
    return {"name": name, "input": {"b": b, "c": c} | options, "expected": {"picks": picks, "candidates": chosen}}


def answers_case(name, windowed, strategy, b=0, **options):
    """The uncertainty of answers, its order, and the picks of a hybrid by it. windowed: the windows count, else each row is
    one, whose probabilities add up to 1."""
    one = [[[x / len(windows) for x in side] for side in (start, end)] for start, end, windows in ANSWERS]
    u = [-(scores.sum_prob_of_windows(start, end, windows) if windowed else scores.sum_prob(*one[row]))
         for row, (start, end, windows) in enumerate(ANSWERS)]
    given = {"windowed": int(windowed), "strategy": strategy, "b": b or len(u)} | options
    if not windowed:
        given |= {"start": [start for start, _ in one], "end": [end for _, end in one]}
    if strategy == "uncertainty":
        return {"name": name, "input": given, "expected": {"u": u, "picks": arithmetic.order(range(len(u)), u)}}
    pick = neighbors.knn_uncertainty if strategy == "knn-uncertainty" else neighbors.uncertainty_knn
    return {"name": name, "input": given, "expected": {"u": u, "picks": pick(POINTS, GOALS, u, b, **options)[0]}}


def drawn_case(name, counts, tag, round_):
    """A case of draws by language with given counts."""
    return {"name": name, "input": {"counts": counts, "round": round_},
            "expected": {"picks": languages.counts_drawn(TAGS, counts, tag, 42, round_)}}


def rho_case(k):
    """A case of the neighborhood diagnostic with k neighbors."""
    source = [[float(x)] for x in range(6)]
    target = [[0.1], [1.9], [3.2], [4.8]]
    rho, p, means = neighbors.neighborhood(source, target, [0.1, 0.3, 0.2, 0.6, 0.5, 0.9], [0.15, 0.25, 0.5, 0.8], k)
    rows = [[row for row, _ in neighbors.nearest(t, source, k)] for t in target]
    return {"name": f"k = {k}", "input": {"k": k}, "expected": {"neighbors": rows, "means": means, "rho": rho, "p": p}}


def vectors():
    distances = [[neighbors.math.sqrt(arithmetic.sqd(x, t)) for x in POINTS] for t in GOALS]
    return {
        "TV-AVG": {
            "spec": "7.3",
            "about": "Mean distances to a target, their squared and cosine forms, and languages balanced.",
            "origin": "reference; sq=1 also against the direct sum",
            "input": {"source": SOURCE, "target": TARGET},
            "cases": [average_case("default"), average_case("sq=1", sq=True), average_case("metric=cosine", metric="cosine"),
                      average_case("balanced", ["bn", "bn", "te"]), average_case("balanced, sq=1", ["bn", "bn", "te"], sq=True)],
        },
        "TV-KNN": {
            "spec": "7.5",
            "about": "The union of neighbors, doubled until it exceeds the budget; fixed k; what fills a shortage.",
            "origin": "reference",
            "input": {"source": POINTS, "target": GOALS, "u": U},
            "cases": [
                {"name": "distances", "expected": {"distances": distances, "means": neighbors.average_dist(POINTS, GOALS)}},
                knn_case("auto", 2), knn_case("k = 1", 2, k=1), knn_case("k = 4", 2, k=4), knn_case("k = 7", 2, k=7),
                knn_case("short, none", 4, k=1, fill_short="none"), knn_case("short, uncertainty", 4, k=1),
                knn_case("rows 1 and 4 labeled", 2, unlabeled=[0, 2, 3, 5, 6]),
                knn_case("rows 1 and 4 labeled, code", 2, unlabeled=[0, 2, 3, 5, 6], mode="code"),
                knn_case("rows 0, 1 and 4 labeled, k = 3, code", 2, unlabeled=[2, 3, 5, 6], k=3, mode="code"),
            ],
        },
        "TV-KNN-BALANCED": {
            "spec": "7.5",
            "about": "KNN-UNCERTAINTY with balance_targets=1: each language of the target has its own N_k, and they buy in turns.",
            "origin": "reference",
            "input": {"source": POINTS, "u": U},
            "cases": [
                balanced_knn_case("two languages", 3, ["bn", "te", "te", "bn", "bn"]),
                balanced_knn_case("more than the shares", 4, ["te", "bn", "bn", "te", "te"]),
                balanced_knn_case("three languages", 4, ["bn", "te", "ur", "bn", "bn"]),
                balanced_knn_case("one language", 3, ["bn"] * 5),
                balanced_knn_case("k = 1, none", 6, ["bn", "te", "te", "bn", "bn"], k=1, fill_short="none"),
                balanced_knn_case("k = 1, uncertainty", 6, ["bn", "te", "te", "bn", "bn"], k=1),
            ],
        },
        "TV-ANSWERS": {
            "spec": "7.4",
            "about": "SUM-PROB of answers over one window or several as the uncertainty of the three strategies; points of TV-KNN.",
            "origin": "reference",
            "input": {"source": POINTS, "target": GOALS, "start": [start for start, _, _ in ANSWERS],
                      "end": [end for _, end, _ in ANSWERS], "windows": [windows for _, _, windows in ANSWERS]},
            "cases": [answers_case("%s, %s" % (strategy, "windows" if windowed else "one window"), windowed, strategy, b, **options)
                      for windowed in (False, True)
                      for strategy, b, options in (("uncertainty", 0, {}), ("knn-uncertainty", 3, {"k": 2}),
                                                   ("uncertainty-knn", 3, {"c": 1.0}))],
        },
        "TV-UNCKNN": {
            "spec": "7.6",
            "about": "The most uncertain rows, pruned by their distance to the target; data of TV-KNN.",
            "origin": "reference",
            "input": {"source": POINTS, "target": GOALS, "u": U},
            "cases": [prune_case(f"c = {c:g}, prox={prox}", 2, c, prox=prox) for c in (1.0, 2.0, 3.0) for prox in ("min", "mean")]
            + [prune_case("cover", 3, 2.0, cover=True)],
        },
        "TV-UNCKNN-BALANCED": {
            "spec": "7.6",
            "about": "UNCERTAINTY-KNN with balance_targets=1: languages in turns, in the mean, and in the visits of cover=1.",
            "origin": "reference",
            "input": {"source": POINTS, "u": U},
            "cases": [balanced_prune_case(name, 3, 2.0, ["bn", "te", "te", "bn", "bn"], **options)
                      for name, options in (("turns", {"prox": "min"}), ("mean", {"prox": "mean"}), ("cover", {"cover": True}))]
            + [balanced_prune_case("three languages", 4, 1.5, ["ur", "bn", "te", "ur", "ur"], prox="min")],
        },
        "TV-EGAL": {
            "spec": "7.7",
            "about": "Equal counts of languages, then a random rest.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"languages": TAGS, "seed": 42},
            "cases": [{"name": "b = 10", "input": {"b": 10, "round": 1}, "expected": {"picks": languages.egalitarian(TAGS, 10, 42, 1)}}],
        },
        "TV-SAMERATIO": {
            "spec": "7.9",
            "about": "A draw with given counts of languages.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"languages": TAGS, "seed": 42},
            "cases": [drawn_case("round 1", {"ar": 3, "fa": 1, "hi": 1}, random_numbers.SAMERATIO, 1)],
        },
        "TV-PLAN": {
            "spec": "7.10",
            "about": "Counts of a plan.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"languages": TAGS, "seed": 42, "plan": {"1": "fa:2,ar:3", "2": "hi:4"}},
            "cases": [drawn_case("round 1", languages.plan_counts("fa:2,ar:3"), random_numbers.PLAN, 1),
                      drawn_case("round 2", languages.plan_counts("hi:4"), random_numbers.PLAN, 2)],
        },
        "TV-WORDMEAN": {
            "spec": "7.2",
            "about": "The mean over words of the vector of each word's first token. words: of each token, -1 for special tokens; "
                     "a row with words of one and several tokens, one whose words have gaps between them, one without a word.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"hidden": HIDDEN, "words": WORDS},
            "cases": [{"name": "rows", "expected": {"means": [
                scores.first_subword_mean(hidden, [None if word < 0 else word for word in words])
                for hidden, words in zip(HIDDEN, WORDS)]}}],
        },
        "TV-RHO": {
            "spec": "7.12",
            "about": "Correlation of the uncertainty of targets with that of their neighbors.",
            "origin": "reference; scipy.stats.pearsonr",
            "input": {"source": [[float(x)] for x in range(6)], "target": [[0.1], [1.9], [3.2], [4.8]],
                      "u_source": [0.1, 0.3, 0.2, 0.6, 0.5, 0.9], "u_target": [0.15, 0.25, 0.5, 0.8]},
            "cases": [rho_case(2), rho_case(1)],
        },
    }
