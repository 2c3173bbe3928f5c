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


def knn_uncertainty(source, target, u, b, k="auto", unlabeled=None, k_max=None, fill_short="uncertainty"):
    """Returns picks, the union N, the k used and the picks that were appended."""
    rows = list(range(len(source))) if unlabeled is None else unlabeled
    limit = min(len(rows), k_max or len(rows))
    lists = [[row for row, _ in nearest(t, source, limit, rows)] for t in target]
    auto, k = k == "auto", 1 if k == "auto" else min(k, limit)
    while True:
        union = sorted({row for near in lists for row in near[:k]})
        if not auto or len(union) > b or k >= limit:
            break
        k = min(2 * k, limit)
    picks = by_uncertainty(union, u)[:b]
    appended = []
    if len(picks) < b and fill_short == "uncertainty":
        appended = by_uncertainty([row for row in rows if row not in union], u)[: b - len(picks)]
    return picks + appended, union, k, appended


def uncertainty_knn(source, target, u, b, c=4.0, prox="min", cover=False, unlabeled=None):
    """Returns picks and the candidates C in order of uncertainty."""
    rows = list(range(len(source))) if unlabeled is None else unlabeled
    m = min(len(rows), max(b, math.ceil(c * b - 1e-9)))
    chosen = by_uncertainty(rows, u)[:m]
    if cover:
        picks = []
        while len(picks) < min(b, m):
            for t in target:
                left = [row for row in chosen if row not in picks]
                if len(picks) < b and left:
                    picks.append(min(left, key=lambda row: (sqd(source[row], t), -u[row], row)))
        return picks, chosen
    if prox == "mean":
        near = {row: mean_distance(source[row], target) for row in chosen}
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
