# SPDX-License-Identifier: Apache-2.0
"""k-means inside a set of rows: ++ seeding, Lloyd passes, empty clusters (spec 3.3)."""
import arithmetic
import random_numbers

PASSES = 100
DUPLICATE = 1e-12


def seed_rows(rows, vectors, k, generator, pool_rows=None):
    """The rows whose vectors are the first centroids, in the order of the draw."""
    pool_rows = pool_rows or rows[-1] + 1
    k = min(k, len(rows))
    chosen = [rows[generator.below(len(rows))]]
    weight = {row: float("inf") for row in rows}
    while len(chosen) < k:
        c = vectors[chosen[-1]]
        for row in rows:
            x = vectors[row]
            d = arithmetic.sqd(x, c)
            if d <= DUPLICATE * (arithmetic.dot(x, x) + arithmetic.dot(c, c)):
                d = 0.0
            weight[row] = min(weight[row], d)
        for row in chosen:
            weight[row] = 0.0
        if not any(weight.values()):
            chosen.append(next(row for row in rows if row not in chosen))
            continue
        table = [weight.get(row, 0.0) for row in range(pool_rows)]
        chosen.append(random_numbers.weighted(table, generator.f64()))
    return chosen


def lloyd(rows, vectors, centroids):
    """Lloyd passes from the given centroids until no row changes its cluster. An empty cluster gets the row farthest
    from its own centroid. Returns (cluster by row, centroids, number of passes)."""
    centroids = [list(c) for c in centroids]
    before, passes = None, 0
    while passes < PASSES:
        passes += 1
        cluster = {}
        for row in rows:
            distances = [arithmetic.sqd(vectors[row], c) for c in centroids]
            cluster[row] = distances.index(min(distances))
        if cluster == before:
            break
        before = cluster
        for c in range(len(centroids)):
            mine = [row for row in rows if cluster[row] == c]
            if mine:
                centroids[c] = arithmetic.mean_vector(mine, vectors)
        full = set(cluster.values())
        moved = set()
        for c in range(len(centroids)):
            if c in full:
                continue
            distance = {row: arithmetic.sqd(vectors[row], centroids[cluster[row]]) for row in rows if row not in moved}
            farthest = max(distance, key=lambda row: (distance[row], -row))
            moved.add(farthest)
            centroids[c] = list(vectors[farthest])
    return before, centroids, passes


def kmeans(rows, vectors, k, generator, pool_rows=None):
    """Returns (rows of the first centroids, cluster by row, centroids, number of passes)."""
    seeds = seed_rows(rows, vectors, k, generator, pool_rows)
    return (seeds,) + lloyd(rows, vectors, [vectors[row] for row in seeds])
