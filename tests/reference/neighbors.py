# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbors, margin ratios (spec 5.6) and what needs a target (spec 7.3, 7.5, 7.6, 7.12)."""
import math

import arithmetic
from arithmetic import SMALL, cos, dot, norm, sqd, unit


def nearest(query, vectors, k, rows=None):
    """The k rows with the smallest (sqd, row), as pairs (row, sqd)."""
    rows = range(len(vectors)) if rows is None else rows
    return sorted(((row, sqd(query, vectors[row])) for row in rows), key=lambda pair: (pair[1], pair[0]))[:k]


def half_sum(cosines, k):
    """(The k largest, added from the largest down) / (2 k)."""
    k = min(k, len(cosines))
    total = 0.0
    for c in sorted(cosines, reverse=True)[:k]:
        total += c
    return total / (2 * k)


def margin_ratios(unlabeled, labeled, k):
    """Cosines [unlabeled, labeled], the half-sums of the k nearest of each row on both sides, and the ratios
    [unlabeled, labeled]."""
    cosines = [[cos(x, z) for z in labeled] for x in unlabeled]
    half_u = [half_sum(row, k) for row in cosines]
    half_l = [half_sum([row[j] for row in cosines], k) for j in range(len(labeled))]
    ratios = []
    for i, row in enumerate(cosines):
        ratios.append([])
        for j, c in enumerate(row):
            divisor = half_u[i] + half_l[j]
            ratios[-1].append(0.0 if divisor <= 1e-9 else c / divisor)
    return cosines, half_u, half_l, ratios


def mrs(unlabeled, labeled, k=4, metric="ratio"):
    """dist and the row of L' that decides it."""
    cosines, _, _, ratios = margin_ratios(unlabeled, labeled, k)
    table = ratios if metric == "ratio" else cosines
    return [1 - max(row) for row in table], [row.index(max(row)) for row in table]


def retrieved(unlabeled, labeled, k=4):
    """sim(x, U) of every labeled row (spec 6.2)."""
    ratios = margin_ratios(unlabeled, labeled, k)[3]
    return [max(row[j] for row in ratios) for j in range(len(labeled))]


# ---- targets ----


# x is a vector, target a list of vectors; rows: which of them count.


def mean_distance(x, target, rows=None, sq=False, metric="l2"):
    """The mean distance of x from the rows of target: Euclidean, squared (by the mean and the variance), or cosine
    (by the mean of the unit vectors)."""
    rows = list(range(len(target))) if rows is None else rows
    if metric == "cosine":
        mu = arithmetic.mean_vector(rows, [unit(t) for t in target])
        length = norm(x)
        if length < SMALL:
            return 1.0
        c = dot(x, mu) / length
        return 1 - (math.copysign(1.0, c) if abs(c) > 1.0 - SMALL else c)
    if sq:
        mu = arithmetic.mean_vector(rows, target)
        return sqd(x, mu) + arithmetic.block_total(rows, [sqd(t, mu) for t in target]) / len(rows)
    return arithmetic.block_total(rows, [math.sqrt(sqd(x, t)) for t in target]) / len(rows)


def average_dist(source, target, languages=None, sq=False, metric="l2"):
    """d_t of every source row; with languages, averaged in each first."""
    if languages is None:
        return [mean_distance(x, target, None, sq, metric) for x in source]
    tags = sorted(set(languages), key=str.encode)
    out = []
    for x in source:
        total = 0.0
        for tag in tags:
            rows = [row for row, language in enumerate(languages) if language == tag]
            total += mean_distance(x, target, rows, sq, metric)
        out.append(total / len(tags))
    return out


def by_uncertainty(rows, u):
    """Rows by u descending, then row ascending."""
    return sorted(rows, key=lambda row: (-u[row], row))


def by_language(target, languages):
    """The target rows of each language, in byte order of the tags; all rows where languages is None."""
    if languages is None:
        return [target]
    return [[t for t, tag in zip(target, languages) if tag == wanted] for wanted in sorted(set(languages), key=str.encode)]


def in_turns(lists, b):
    """The picks of b turns, and the list that each was taken from: each list in turn gives its first row that is left, and one
    that is used up is passed over (spec 7.1; every row costs 1, so that the list that has spent least is the next one)."""
    picks, buyers = [], []
    while len(picks) < b and any(row not in picks for rows in lists for row in rows):
        for number, rows in enumerate(lists):
            left = [row for row in rows if row not in picks]
            if left and len(picks) < b:
                picks.append(left[0])
                buyers.append(number)
    return picks, buyers


def neighbor_union(source, target, b, k, limit, rows, labeled=()):
    """N_k and its k: fixed, or doubled until N_k has more than b rows. labeled: rows that are searched too, and not in N_k."""
    lists = [[row for row, _ in nearest(t, source, limit, [*rows, *labeled])] for t in target]
    auto, k = k == "auto", 1 if k == "auto" else min(k, limit)
    while True:
        union = sorted({row for near in lists for row in near[:k]} - set(labeled))
        if not auto or len(union) > b or k >= limit:
            return union, k
        k = min(2 * k, limit)


def knn_uncertainty(source, target, u, b, k="auto", unlabeled=None, k_max=None, fill_short="uncertainty", target_languages=None,
                    mode="paper"):
    """Returns picks, the union N, the k used (with target_languages a list, one for each language), the picks that were
    appended, and the number of the language that bought each of the others."""
    rows = list(range(len(source))) if unlabeled is None else unlabeled
    labeled = [row for row in range(len(source)) if row not in rows] if mode == "code" else []
    limit = min(len(rows) + len(labeled), k_max or len(source))
    groups = by_language(target, target_languages)
    found = [neighbor_union(source, group, b / len(groups), k, limit, rows, labeled) for group in groups]
    union = sorted({row for near, _ in found for row in near})
    picks, buyers = in_turns([by_uncertainty(near, u) for near, _ in found], b)
    appended = []
    if len(picks) < b and fill_short == "uncertainty":
        appended = by_uncertainty([row for row in rows if row not in union], u)[: b - len(picks)]
    used = [k for _, k in found]
    return picks + appended, union, used[0] if target_languages is None else used, appended, buyers


def uncertainty_knn(source, target, u, b, c=4.0, prox="min", cover=False, unlabeled=None, target_languages=None):
    """Returns picks and the candidates C in order of uncertainty."""
    rows = list(range(len(source))) if unlabeled is None else unlabeled
    m = min(len(rows), max(b, math.ceil(c * b - 1e-9)))
    chosen = by_uncertainty(rows, u)[:m]
    groups = by_language(target, target_languages)
    if cover:
        picks, visit = [], 0
        while len(picks) < min(b, m):
            group = groups[visit % len(groups)]
            t = group[visit // len(groups) % len(group)]
            left = [row for row in chosen if row not in picks]
            picks.append(min(left, key=lambda row: (sqd(source[row], t), -u[row], row)))
            visit += 1
        return picks, chosen
    if prox == "min" and target_languages is not None:
        lists = []
        for group in groups:
            near = {row: min(sqd(source[row], t) for t in group) for row in chosen}
            lists.append(sorted(chosen, key=lambda row: (near[row], -u[row], row)))
        return in_turns(lists, b)[0], chosen
    if prox == "mean":
        distances = average_dist([source[row] for row in chosen], target, target_languages)
        near = dict(zip(chosen, distances))
    else:
        near = {row: min(sqd(source[row], t) for t in target) for row in chosen}
    return sorted(chosen, key=lambda row: (near[row], -u[row], row))[:b], chosen


def incomplete_beta(x, a, b):
    """Regularized, by the continued fraction (modified Lentz)."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / a
    tiny = 1e-300
    f, c, d = 1.0, 1.0, 0.0
    for i in range(400):
        m = i // 2
        if i == 0:
            numerator = 1.0
        elif i % 2 == 0:
            numerator = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        else:
            numerator = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        d = 1 + numerator * d
        d = 1 / (d if abs(d) > tiny else tiny)
        c = 1 + numerator / c
        c = c if abs(c) > tiny else tiny
        f *= c * d
        if abs(1 - c * d) < 1e-16:
            break
    return front * (f - 1)


def pearson(x, y):
    """Correlation in two passes and its two-sided p-value; None where it is undefined."""
    rows = list(range(len(x)))
    mx, sx = arithmetic.mean_sd(rows, x)
    my, sy = arithmetic.mean_sd(rows, y)
    if sx == 0 or sy == 0 or len(x) < 3:
        return None, None
    products = [(a - mx) * (b - my) for a, b in zip(x, y)]
    rho = arithmetic.block_total(rows, products) / (len(x) * sx * sy)
    v = len(x) - 2
    t = rho * math.sqrt(v / (1 - rho * rho)) if abs(rho) < 1 else math.inf
    return rho, incomplete_beta(v / (v + t * t), v / 2, 0.5)


def neighborhood(source, target, u_source, u_target, k):
    """rho of spec 7.12, with the means it correlates."""
    means = []
    for t in target:
        total = 0.0
        rows = [row for row, _ in nearest(t, source, k)]
        for row in rows:
            total += u_source[row]
        means.append(total / len(rows))
    return pearson(u_target, means) + (means,)
