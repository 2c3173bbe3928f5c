# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbours one way and both ways, and mean distances."""
import faiss
import numpy
import torch
from ctypes import sizeof
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from kernel_table import Best, Search, rows_of

L2, DOT = 0, 1


class Places:
    """The best k of each item, and a struct for the entry."""

    def __init__(self, items, k):
        self.row, self.value = numpy.full((items, k), -1, numpy.int64), numpy.empty((items, k))

    def struct(self, first=0):
        return Best(k=self.row.shape[1], row=self.row[first:].ctypes.data, value=self.value[first:].ctypes.data)


def merged(parts, largest):
    """The best of each query over the lists of the threads."""
    if len(parts) == 1:
        return parts[0].row
    row, value = (numpy.concatenate([getattr(part, name) for part in parts], 1) for name in ('row', 'value'))
    order = numpy.lexsort((row, -value if largest else value), axis=1)[:, :parts[0].row.shape[1]]
    return numpy.take_along_axis(row, order, 1)


def search(kernels, matrix, queries, k, metric, threads, both=False):
    """Rows nearest to each query (and, both ways, queries nearest to each row)."""
    lists = [Places(len(queries), k) for _ in range(threads)]
    of_rows = Places(len(matrix), k) if both else None
    cut = -(-len(matrix) // threads)
    asked = Search(size=sizeof(Search), metric=metric)

    def part(first, last):
        mine = lists[first // cut].struct()
        for begin in range(first, last, 8192):
            end = min(begin + 8192, last)
            kernels.knn(rows_of(matrix, begin, end), None, rows_of(queries), None, asked, mine,
                        of_rows.struct(begin) if both else None)
    kernels.spread(part, [(first, min(first + cut, len(matrix))) for first in range(0, len(matrix), cut)], threads)
    found = merged(lists, metric != L2)
    return (found, of_rows.row) if both else found


def agree(mine, theirs):
    """float32 of the peers may swap near-equals: nearly all places are the same."""
    return (numpy.asarray(mine) == numpy.asarray(theirs)).mean() > 0.99


def inputs(rows, queries, dims, decay):
    """Normal numbers; with decay a spectrum that falls like that of sentence embeddings, in mixed directions."""
    random = numpy.random.default_rng(8)
    both = random.standard_normal((rows + queries, dims), dtype=numpy.float32)
    if decay:
        both *= (1 + numpy.arange(dims, dtype=numpy.float32)) ** numpy.float32(-decay)
        turn, _ = numpy.linalg.qr(random.standard_normal((dims, dims)))
        both = both @ turn.astype(numpy.float32)
    return both[:rows].copy(), both[rows:].copy()


def knn(table, kernels, rows, queries, dims, k, decay=0.0, goal=1.15):
    matrix, asked = inputs(rows, queries, dims, decay)
    index = faiss.IndexFlatL2(dims)
    index.add(matrix)
    peers = {'faiss': lambda: index.search(asked, k)[1]}
    if not decay:
        tree = NearestNeighbors(n_neighbors=k, algorithm='brute', n_jobs=table.threads).fit(matrix)
        peers['scikit-learn'] = lambda: tree.kneighbors(asked, return_distance=False)
    table.race('knn, decaying spectrum' if decay else 'knn', f'{rows} rows, {queries} queries, {dims} dims, k = {k}',
               lambda: search(kernels, matrix, asked, k, L2, table.threads), peers,
               lambda mine, _, theirs: agree(mine, theirs),
               floor=('the product alone with BLAS (numpy)', lambda: asked @ matrix.T), goal=goal)


def two_way(table, kernels, rows, queries, dims, k):
    matrix, asked = (part / numpy.linalg.norm(part, axis=1)[:, None] for part in inputs(rows, queries, dims, 0.0))
    forward, backward = faiss.IndexFlatIP(dims), faiss.IndexFlatIP(dims)
    forward.add(matrix)
    backward.add(asked)
    table.race('neighbours both ways', f'{rows} rows, {queries} queries, {dims} dims, k = {k}',
               lambda: search(kernels, matrix, asked, k, DOT, table.threads, both=True),
               {'two searches of faiss': lambda: (forward.search(asked, k)[1], backward.search(matrix, k)[1])},
               lambda mine, _, theirs: agree(mine[0], theirs[0]) and agree(mine[1], theirs[1]),
               floor=('the product alone with BLAS (numpy)', lambda: asked @ matrix.T), goal=1.9)


def mean_distance(table, kernels, rows, targets, dims):
    """Intervals of all rows, then the exact sums of those that can be among the tenth with the smallest mean."""
    matrix, asked = inputs(rows, targets, dims, 0.0)
    first_tensor, second_tensor = torch.from_numpy(matrix), torch.from_numpy(asked)
    wanted = rows // 10

    def ours():
        low, high = numpy.empty((rows, 1)), numpy.empty((rows, 1))
        kernels.blocks(lambda first, last: kernels.distance_bounds(
            rows_of(matrix, first, last), None, rows_of(asked), None, 1, low[first:last], high[first:last]),
            rows, table.threads)
        edge = numpy.partition(high[:, 0], wanted - 1)[wanted - 1]
        open_ = (low[:, 0] <= edge).astype(numpy.uint8)
        sums = numpy.full((rows, 1), numpy.inf)
        kernels.blocks(lambda first, last: kernels.distance_sums(
            rows_of(matrix, first, last), open_[first:last], rows_of(asked), None, 1, sums[first:last]),
            rows, table.threads)
        return numpy.sort(numpy.argsort(sums[:, 0], kind='stable')[:wanted])

    def smallest(means):
        return numpy.sort(numpy.argsort(means, kind='stable')[:wanted])
    table.race('mean distance', f'{rows} rows, {targets} targets, {dims} dims, the nearest tenth', ours,
               {'torch.cdist': lambda: smallest(torch.cdist(first_tensor, second_tensor).mean(1).numpy()),
                'scipy cdist': lambda: smallest(cdist(matrix, asked).mean(1))},
               lambda mine, _, theirs: len(numpy.intersect1d(mine, theirs)) > 0.99 * wanted,
               floor=('the product alone with BLAS (numpy)', lambda: matrix @ asked.T), goal=1.5)
