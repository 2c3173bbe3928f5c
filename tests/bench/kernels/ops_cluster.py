# SPDX-License-Identifier: Apache-2.0
"""Strata and clusters: segmented mean with cosine distance, Lloyd's passes, k-means++ seeding, greedy IDDS."""
import warnings

import faiss
import numpy
import torch
from ctypes import c_double, c_int32
from sklearn.cluster import KMeans, kmeans_plusplus

from kernel_table import BLOCK, Weights, rows_of


def fold(parts):
    """Sums of blocks, added in block order."""
    total = parts[0].copy()
    for part in parts[1:]:
        total += part
    return total


def group_means(kernels, matrix, group, groups, threads):
    dims = matrix.shape[1]

    def block(first, last):
        sums, counts = numpy.empty((groups, dims)), numpy.empty(groups, numpy.int64)
        kernels.group_sums(rows_of(matrix, first, last), group[first:last], groups, sums, counts)
        return sums, counts
    parts = kernels.blocks(block, len(matrix), threads)
    counts = fold([part[1] for part in parts])
    return fold([part[0] for part in parts]) / numpy.maximum(counts, 1)[:, None], counts


def segment(table, kernels, rows, dims, strata=10):
    random = numpy.random.default_rng(1)
    matrix = random.standard_normal((rows, dims), dtype=numpy.float32) + numpy.float32(0.1)
    group = random.integers(0, strata, rows, dtype=numpy.int32)
    tensor, index = torch.from_numpy(matrix), torch.from_numpy(group.astype(numpy.int64))
    counts = torch.bincount(index, minlength=strata)[:, None]

    def ours():
        centroids, _ = group_means(kernels, matrix, group, strata, table.threads)
        distance = numpy.empty(rows)
        kernels.blocks(lambda first, last: kernels.group_cosine(
            rows_of(matrix, first, last), group[first:last], strata, centroids, distance[first:last]),
            rows, table.threads)
        return distance

    def torchs():
        centroids = torch.zeros(strata, dims).index_add_(0, index, tensor) / counts
        return 1 - torch.nn.functional.cosine_similarity(tensor, centroids[index], dim=1)

    table.race('segment', f'{rows} x {dims} float32, {strata} strata', ours, {'torch': torchs},
               lambda mine, _, theirs: numpy.abs(mine - theirs.numpy()).max() < 1e-4,
               floor=('two sums over the matrix (numpy)', lambda: (matrix.sum(), matrix.sum())), goal=2.0)


class Lloyd:
    """Lloyd passes over the kernel table in the steps of lib/strategy/kmeans_lloyd.c: rows whose bounds say that they keep
    their centroid are not measured again, and clusters that lost and won no row of a block keep the block's sums."""

    def __init__(self, kernels, matrix, begin, threads):
        self.kernels, self.matrix, self.threads = kernels, matrix, threads
        self.clusters, self.dims = begin.shape
        rows = len(matrix)
        self.centroids, self.moved, self.others = begin.astype(numpy.float64), None, None
        self.assigned = numpy.full(rows, -1, numpy.int32)
        self.low, self.high = numpy.empty(rows), numpy.empty(rows)
        self.starts = numpy.array([0, self.clusters], numpy.int64)
        self.sums, self.skipped = {}, []

    def wanted(self, first, last):
        """0 for rows that are to be measured, else -1. Where the old distance to the own centroid would settle a row, the
        new one is measured first."""
        own = self.assigned[first:last]
        if own[0] < 0:
            return numpy.zeros(last - first, numpy.int32)

        def settled(high):
            return high * (1 + 1e-8) + 1e-140 < low
        high, low = self.high[first:last], self.low[first:last]
        low -= self.others[own]
        low *= 1 - 2 ** -51
        hopeful = settled(high)
        high += self.moved[own]
        high *= 1 + 2 ** -51
        hopeful &= ~settled(high)
        if hopeful.any():
            self.kernels.nearest_centroid(rows_of(self.matrix, first, last), numpy.where(hopeful, own, numpy.int32(-1)),
                                        self.clusters, numpy.arange(self.clusters + 1), self.centroids,
                                        numpy.empty_like(own), None, numpy.empty_like(low), high)
        return -settled(high).astype(numpy.int32)

    def assign(self, first, last):
        rows, wanted = rows_of(self.matrix, first, last), self.wanted(first, last)
        own, measured = self.assigned[first:last], wanted == 0
        found = own.copy()
        if measured.any():
            self.kernels.nearest_centroid(rows, wanted, 1, self.starts, self.centroids, found, None, self.low[first:last],
                                        self.high[first:last])
        changed = found != own
        dirty = numpy.bincount(numpy.concatenate([own[changed], found[changed]]) + 1, minlength=self.clusters + 1)
        dirty = numpy.flatnonzero(dirty[1:])
        own[:] = found
        if first not in self.sums or len(dirty) > 0.75 * self.clusters:
            if first not in self.sums:
                self.sums[first] = numpy.empty((self.clusters, self.dims)), numpy.empty(self.clusters, numpy.int64)
            self.kernels.group_sums(rows, own, self.clusters, *self.sums[first])
        elif len(dirty):
            place = numpy.full(self.clusters, -1, numpy.int32)
            place[dirty] = numpy.arange(len(dirty), dtype=numpy.int32)
            sums, counts = numpy.empty((len(dirty), self.dims)), numpy.empty(len(dirty), numpy.int64)
            self.kernels.group_sums(rows, place[own], len(dirty), sums, counts)
            self.sums[first][0][dirty], self.sums[first][1][dirty] = sums, counts
        return int(changed.sum()), int(measured.sum())

    def one_pass(self):
        """Returns how many rows changed their centroid."""
        parts = self.kernels.blocks(self.assign, len(self.matrix), self.threads)
        self.skipped.append(1 - sum(part[1] for part in parts) / len(self.matrix))
        return sum(part[0] for part in parts)

    def move(self):
        blocks = [self.sums[first] for first in sorted(self.sums)]
        counts = fold([part[1] for part in blocks])
        means = fold([part[0] for part in blocks]) / numpy.maximum(counts, 1)[:, None]
        means = numpy.where(counts[:, None] > 0, means, self.centroids)
        self.moved = numpy.sqrt(((means - self.centroids) ** 2).sum(1)) * (1 + 2e-9) + 1e-150
        mover = int(self.moved.argmax())
        self.others = numpy.full(self.clusters, self.moved[mover])
        self.others[mover] = numpy.delete(self.moved, mover).max(initial=0.0)
        self.centroids = means

    def inertia(self):
        distance = numpy.empty(len(self.matrix))
        self.kernels.blocks(lambda first, last: self.kernels.group_sq_dists(
            rows_of(self.matrix, first, last), self.assigned[first:last], self.clusters, self.centroids,
            distance[first:last]), len(self.matrix), self.threads)
        return distance.sum()


def rows_without_clusters(random, rows, dims, clusters):
    return random.standard_normal((rows, dims), dtype=numpy.float32)


def rows_in_clusters(random, rows, dims, clusters):
    """As many as are looked for, which touch: centroids half as far apart as rows are from theirs."""
    around = random.standard_normal((clusters, dims), dtype=numpy.float32) / 2
    return around[random.integers(0, clusters, rows)] + random.standard_normal((rows, dims), dtype=numpy.float32)


def lloyd(table, kernels, rows, dims, clusters, passes=20, make=rows_without_clusters):
    """The same first centroids for all, `passes` assignments and moves and one more assignment; who finds that nothing
    changes may stop."""
    random = numpy.random.default_rng(2)
    matrix = make(random, rows, dims, clusters)
    begin = matrix[random.choice(rows, clusters, replace=False)].copy()
    skipped = []

    def ours():
        run = Lloyd(kernels, matrix, begin, table.threads)
        for _ in range(passes):
            if not run.one_pass():
                break
            run.move()
        else:
            run.one_pass()
        skipped[:] = run.skipped
        return run.inertia()

    def sklearns():
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return KMeans(clusters, init=begin, n_init=1, max_iter=passes, tol=0, algorithm='lloyd').fit(matrix).inertia_

    def faisss():
        means = faiss.Kmeans(dims, clusters, niter=passes, max_points_per_centroid=rows, verbose=False)
        means.train(matrix, init_centroids=begin)
        return float(means.index.search(matrix, 1)[0].sum())

    data = 'no clusters' if make is rows_without_clusters else 'clustered'
    table.race('kmeans', f'{rows} x {dims} float32, {data}, {clusters} clusters, {passes} passes', ours,
               {'scikit-learn': sklearns, 'faiss': faisss},
               lambda mine, _, theirs: abs(mine - theirs) <= 2e-3 * mine,
               floor=('products with BLAS (numpy)', lambda: [matrix @ begin.T for _ in range(passes + 1)]), goal=1.3)
    print('    rows not measured, by pass: ' + ' '.join(f'{part:.2f}' for part in skipped), flush=True)


def plus_plus(table, kernels, rows, dims, clusters, guesses=1):
    random = numpy.random.default_rng(3)
    matrix = random.standard_normal((rows, dims), dtype=numpy.float32)
    cuts = [(first, min(first + BLOCK, rows)) for first in range(0, rows, BLOCK)]

    def ours():
        draws = numpy.random.default_rng(4)
        own, minimum = numpy.empty(rows), numpy.full(rows, numpy.inf)
        each = [numpy.empty((guesses, last - first)) for first, last in cuts]
        totals = numpy.zeros(len(cuts))
        pick, uniform = int(draws.integers(rows)), draws.random(clusters + guesses)
        kernels.blocks(lambda first, last: kernels.self_dots(rows_of(matrix, first, last), None, own[first:last]),
                       rows, table.threads)

        def drawn(u):
            """The row of a draw by the present weights."""
            sums = numpy.concatenate(([0.0], numpy.cumsum(totals)))
            block = min(int(numpy.searchsorted(sums[1:], u * sums[-1], side='right')), len(cuts) - 1)
            first, last = cuts[block]
            item = numpy.empty(1, numpy.int64)
            kernels.draw(last - first, None, minimum[first:last], c_double(sums[block]), c_double(u * sums[-1]), item)
            return first + int(item[0])

        def weights_of(first, last, guessed):
            number = first // BLOCK
            return Weights(minimum=minimum[first:last].ctypes.data, each=each[number].ctypes.data, guessed=guessed,
                           total=totals[number:].ctypes.data)
        measured = []
        for step in range(clusters - 1):
            if pick in measured:
                slot = measured.index(pick)
                kernels.blocks(lambda first, last: kernels.lower(
                    last - first, None, each[first // BLOCK][slot], weights_of(first, last, 0)), rows, table.threads)
            else:
                # By weights that do not know this pick yet.
                measured = [drawn(u) for u in uniform[step:step + guesses]] if step else []
                centroids = matrix[[pick, *measured]].astype(numpy.float64)
                squares = own[[pick, *measured]]
                kernels.blocks(lambda first, last: kernels.min_sq_dists(
                    rows_of(matrix, first, last), None, centroids, len(centroids), squares, own[first:last], c_int32(1),
                    weights_of(first, last, len(measured))), rows, table.threads)
            pick = drawn(uniform[step])
        return minimum.sum()

    def sklearns(trials):
        _, picks = kmeans_plusplus(matrix, clusters, random_state=4, n_local_trials=trials)
        return picks

    def potential(picks):
        return sum(((matrix[first:first + 1000, None, :] - matrix[picks][None]) ** 2).sum(2).min(1).sum()
                   for first in range(0, 2000, 1000)) * rows / 2000

    table.race('kmeans++', f'{rows} x {dims} float32, {clusters} centroids', ours,
               {'scikit-learn, one trial': lambda: sklearns(1)},
               lambda mine, _, picks: abs(mine / potential(picks) - 1) < 0.05,
               floor=('a sum over the matrix per centroid (numpy)',
                      lambda: [matrix.sum() for _ in range(clusters)]), goal=5.0)


def idds(table, kernels, rows, dims, picks, alpha=0.67):
    random = numpy.random.default_rng(5)
    matrix = random.standard_normal((rows, dims), dtype=numpy.float32) + numpy.float32(0.2)
    matrix /= numpy.linalg.norm(matrix, axis=1)[:, None]

    def ours():
        total = group_means(kernels, matrix, numpy.zeros(rows, numpy.int32), 1, table.threads)[0][0] * rows
        norms, a, b = numpy.empty(rows), numpy.empty(rows), numpy.zeros(rows)
        take, scores = numpy.ones(rows, numpy.uint8), numpy.empty(rows)

        def begin(first, last):
            kernels.self_dots(rows_of(matrix, first, last), None, norms[first:last])
            kernels.dots(rows_of(matrix, first, last), None, total, a[first:last])
        kernels.blocks(begin, rows, table.threads)
        numpy.sqrt(norms, norms)
        a /= norms
        picked = []
        for step in range(picks):
            numpy.subtract(alpha / (rows - step - 1) * (a - 1), (1 - alpha) / max(step, 1) * b, scores)
            scores[take == 0] = -numpy.inf
            best = int(scores.argmax())
            picked.append(best)
            take[best] = 0
            vector, norm = matrix[best].astype(numpy.float64), c_double(norms[best])
            kernels.blocks(lambda first, last: kernels.idds_update(
                rows_of(matrix, first, last), take[first:last], norms[first:last], vector, norm, a[first:last],
                b[first:last]), rows, table.threads)
        return picked

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

    table.race('idds', f'{rows} x {dims} float32, {picks} picks', ours, {'N x N matrix (numpy)': reference},
               lambda mine, _, theirs: mine == theirs, goal=100.0, turns=3)
