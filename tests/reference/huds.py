# SPDX-License-Identifier: Apache-2.0
"""HUDS (spec 3): strata, distance from the centroid of the stratum, hybrid score."""
import math

import arithmetic
import kmeans
import random_numbers


def strata(scores, n, mode="equal"):
    """Stratum of each score and the n + 1 edges."""
    m = len(scores)
    if mode == "quantile":
        ranked = sorted(range(m), key=lambda i: (scores[i], i))
        stratum = [0] * m
        for rank, i in enumerate(ranked):
            stratum[i] = rank * n // m
        edges = [scores[ranked[min(m - 1, -(-i * m // n))]] for i in range(n)] + [scores[ranked[-1]]]
        return stratum, edges
    low, high = min(scores), max(scores)
    r = high - low
    edges = [low + (i / n) * r for i in range(n)] + [high]
    if r == 0:
        return [0] * m, edges
    return [min(n - 1, math.floor(((s - low) / r) * n)) for s in scores], edges


def average_ranks(values):
    """Ranks from 1; equal values share the mean of theirs."""
    ranked = sorted(values)
    return [(ranked.index(v) + 1 + ranked.index(v) + ranked.count(v)) / 2 for v in values]


def rescale(rows, values, mode):
    """u or d of the rows on a common scale: values by position; rows gives the blocks of their sums."""
    if mode == "none":
        return list(values)
    low, high = min(values), max(values)
    if high == low:
        return [0.0] * len(values)
    if mode == "minmax":
        return [(v - low) / (high - low) for v in values]
    if mode == "zscore":
        mean, sd = arithmetic.mean_sd(rows, dict(zip(rows, values)))
        return [(v - mean) / sd for v in values]
    return [(rank - 1) / (len(values) - 1) for rank in average_ranks(values)]


def huds(rows, u, vectors, n_strata=10, lambda_=0.5, rescale_mode="none", mode="equal", k_clusters=1, min_stratum=0,
         unit=False, seed=0, round_=1, pool_rows=None):
    """HUDS of the rows, which ascend; u and vectors are indexed by row. Returns a dict: u, stratum, cluster, d and H
    by position, edges, centroids by stratum (lists of vectors), and ranking, the rows by H."""
    if unit:
        vectors = {row: arithmetic.unit(vectors[row]) for row in rows}
    values = [u[row] for row in rows]
    stratum, edges = strata(values, n_strata, mode)
    d, cluster, centroids = [0.0] * len(rows), [0] * len(rows), {}
    for s in sorted(set(stratum)):
        mine = [row for row, number in zip(rows, stratum) if number == s]
        centers, cluster_of = [arithmetic.mean_vector(mine, vectors)], {row: 0 for row in mine}
        if len(mine) < min_stratum:
            centers = [arithmetic.mean_vector(rows, vectors)]
        elif k_clusters > 1:
            generator = random_numbers.stream(seed, random_numbers.KMEANS, round_, s)
            _, cluster_of, centers, _ = kmeans.kmeans(mine, vectors, k_clusters, generator, pool_rows)
        centroids[s] = centers
        for position, row in enumerate(rows):
            if stratum[position] == s:
                cluster[position] = cluster_of[row]
                d[position] = 1 - arithmetic.cos(vectors[row], centers[cluster_of[row]])
    du, uu = rescale(rows, d, rescale_mode), rescale(rows, values, rescale_mode)
    rest = 1 - lambda_
    h = [lambda_ * a + rest * b for a, b in zip(du, uu)]
    score = dict(zip(rows, h))
    return {"u": values, "stratum": stratum, "edges": edges, "cluster": cluster, "centroids": centroids, "d": d, "H": h,
            "ranking": arithmetic.order(rows, score)}


def seed_set(rows, size, seed):
    """The rows of the first labeled set."""
    return random_numbers.draw(random_numbers.stream(seed, random_numbers.SEEDSET, 1), rows, size)


def candidates(rows, count, seed, round_):
    """The rows of a round with candidates=N, ascending."""
    return sorted(random_numbers.draw(random_numbers.stream(seed, random_numbers.SUBSAMPLE, round_), rows, count))
