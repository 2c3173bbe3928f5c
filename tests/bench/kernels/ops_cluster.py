# SPDX-License-Identifier: Apache-2.0
"""Strata and clusters as the strategies compute them: HUDS's segmented mean with cosine distance, k-means, k-means++ seeding,
greedy IDDS. Ours is a whole selection through the installed library, ranking, budget and record included; the peers compute
the numbers alone."""
import warnings

import faiss
import numpy
import torch
from sklearn.cluster import KMeans, kmeans_plusplus

from library import Rows


def segment(table, rows, dims, strata=10):
    random = numpy.random.default_rng(1)
    matrix = random.standard_normal((rows, dims), dtype=numpy.float32) + numpy.float32(0.1)
    group = random.integers(0, strata, rows)
    group[:2] = 0, strata - 1
    tensor, index = torch.from_numpy(matrix), torch.from_numpy(group)
    counts = torch.bincount(index, minlength=strata)[:, None]
    # Strata of equal width over 0 .. strata - 1 are the groups.
    pool = Rows(table.threads, matrix, scores=group.astype(numpy.float64))

    def torchs():
        centroids = torch.zeros(strata, dims).index_add_(0, index, tensor) / counts
        return 1 - torch.nn.functional.cosine_similarity(tensor, centroids[index], dim=1)

    table.race('segment', f'{rows} x {dims} float32, {strata} strata',
               lambda: pool.record('d', 'diversity', n_strata=strata), {'torch': torchs},
               lambda mine, _, theirs: numpy.abs(mine - numpy.asarray(theirs)).max() < 1e-4,
               floor=('two sums over the matrix (numpy)', lambda: (matrix.sum(), matrix.sum())), goal=2.0)


def rows_without_clusters(random, rows, dims, clusters):
    return random.standard_normal((rows, dims), dtype=numpy.float32)


def rows_in_clusters(random, rows, dims, clusters):
    """As many as are looked for, which touch: centroids half as far apart as rows are from theirs."""
    around = random.standard_normal((clusters, dims), dtype=numpy.float32) / 2
    return around[random.integers(0, clusters, rows)] + random.standard_normal((rows, dims), dtype=numpy.float32)


def inertia(matrix, cluster, clusters):
    """Sum of the squared distances of the rows from the means of their clusters."""
    counts = numpy.maximum(numpy.bincount(cluster, minlength=clusters), 1)
    means = numpy.zeros((clusters, matrix.shape[1]))
    numpy.add.at(means, cluster, matrix)
    means /= counts[:, None]
    return float(((matrix - means[cluster]) ** 2).sum())


def kmeans(table, rows, dims, clusters, make=rows_without_clusters):
    """Seeded by k-means++ and run until no row changes its cluster, at most 100 passes: the library's limit. Every one draws
    its own seeds, so that results are compared by their inertia."""
    random = numpy.random.default_rng(2)
    matrix = make(random, rows, dims, clusters)
    pool = Rows(table.threads, matrix)

    def sklearns():
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return KMeans(clusters, n_init=1, max_iter=100, tol=0, algorithm='lloyd', random_state=2).fit(matrix).labels_

    def faisss():
        means = faiss.Kmeans(dims, clusters, niter=100, max_points_per_centroid=rows, verbose=False)
        means.train(matrix)
        return means.index.search(matrix, 1)[1][:, 0]

    def equal(mine, _, theirs):
        ours, other = (inertia(matrix, numpy.asarray(found).astype(numpy.int64), clusters) for found in (mine, theirs))
        return ours <= 1.02 * other

    data = 'no clusters' if make is rows_without_clusters else 'clustered'
    table.race('kmeans', f'{rows} x {dims} float32, {data}, {clusters} clusters',
               lambda: pool.record('cluster', 'diversity-global', k_clusters=clusters),
               {'scikit-learn': sklearns, 'faiss': faisss}, equal,
               floor=('a product with BLAS (numpy)', lambda: matrix @ matrix[:clusters].T), goal=1.3)


def plus_plus(table, rows, dims, picks):
    """BADGE over a factor of 1 is k-means++ seeding of the embeddings."""
    random = numpy.random.default_rng(3)
    matrix = random.standard_normal((rows, dims), dtype=numpy.float32)
    pool = Rows(table.threads, matrix, factors=numpy.ones((rows, 1)))

    def potential(chosen):
        return sum(((matrix[first:first + 1000, None, :] - matrix[chosen][None]) ** 2).sum(2).min(1).sum()
                   for first in range(0, 2000, 1000))

    table.race('kmeans++', f'{rows} x {dims} float32, {picks} centroids',
               lambda: list(pool.select(picks, 'badge', first='uniform').indices),
               {'scikit-learn, one trial': lambda: kmeans_plusplus(matrix, picks, random_state=4, n_local_trials=1)[1]},
               lambda mine, _, theirs: abs(potential(mine) / potential(theirs) - 1) < 0.05,
               floor=('a sum over the matrix per centroid (numpy)', lambda: [matrix.sum() for _ in range(picks)]), goal=5.0)


def idds(table, rows, dims, picks, alpha=0.67):
    random = numpy.random.default_rng(5)
    matrix = random.standard_normal((rows, dims), dtype=numpy.float32) + numpy.float32(0.2)
    matrix /= numpy.linalg.norm(matrix, axis=1)[:, None]
    pool = Rows(table.threads, matrix)

    def reference():
        like = matrix @ matrix.T
        left = numpy.arange(rows)
        chosen = []
        for _ in range(picks):
            score = alpha * (like[left][:, left].sum(1) - 1) / (len(left) - 1)
            if chosen:
                score -= (1 - alpha) * like[left][:, chosen].mean(1)
            best = int(left[score.argmax()])
            chosen.append(best)
            left = left[left != best]
        return chosen

    table.race('idds', f'{rows} x {dims} float32, {picks} picks',
               lambda: list(pool.select(picks, 'idds', alpha=alpha).indices), {'N x N matrix (numpy)': reference},
               lambda mine, _, theirs: mine == theirs, goal=100.0, turns=3)
