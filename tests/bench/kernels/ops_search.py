# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbors one way and both ways, and mean distances."""
import faiss
import numpy
import torch
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

import alcore
from library import Rows
from search_inputs import agree, inputs


def product(first, second):
    """The product alone, into memory that is there."""
    room = numpy.empty((len(first), len(second)), numpy.float32)
    return 'the product alone with BLAS (numpy)', lambda: numpy.matmul(first, second.T, out=room)


def knn(table, rows, queries, dims, k, decay=0.0, goal=1.15):
    matrix, asked = inputs(rows, queries, dims, decay)
    index = faiss.IndexFlatL2(dims)
    index.add(matrix)
    context = alcore.Context(threads=table.threads)
    peers = {'faiss': lambda: index.search(asked, k)[1]}
    if not decay:
        tree = NearestNeighbors(n_neighbors=k, algorithm='brute', n_jobs=table.threads).fit(matrix)
        peers['scikit-learn'] = lambda: tree.kneighbors(asked, return_distance=False)
    table.race('knn, decaying spectrum' if decay else 'knn', f'{rows} rows, {queries} queries, {dims} dims, k = {k}',
               lambda: alcore.knn(matrix, asked, k, context=context)[0], peers,
               lambda mine, _, theirs: agree(mine, theirs),
               floor=product(asked, matrix), goal=goal)


def two_way(table, rows, queries, dims, k):
    matrix, asked = (part / numpy.linalg.norm(part, axis=1)[:, None] for part in inputs(rows, queries, dims, 0.0))
    forward, backward = faiss.IndexFlatIP(dims), faiss.IndexFlatIP(dims)
    forward.add(matrix)
    backward.add(asked)
    context = alcore.Context(threads=table.threads)

    def ours():
        of_queries, of_rows = alcore.knn(matrix, asked, k, metric='dot', both=True, context=context)
        return of_queries[0], of_rows[0]
    table.race('neighbors both ways', f'{rows} rows, {queries} queries, {dims} dims, k = {k}',
               ours,
               {'two searches of faiss': lambda: (forward.search(asked, k)[1], backward.search(matrix, k)[1])},
               lambda mine, _, theirs: agree(mine[0], theirs[0]) and agree(mine[1], theirs[1]),
               floor=product(asked, matrix), goal=1.9)


def mean_distance(table, rows, targets, dims):
    """The strategy average-dist: the tenth of the rows with the smallest mean distance to the targets."""
    matrix, asked = inputs(rows, targets, dims, 0.0)
    first_tensor, second_tensor = torch.from_numpy(matrix), torch.from_numpy(asked)
    wanted = rows // 10
    pool = Rows(table.threads, matrix)
    with_targets = {'texts': [str(row) for row in range(targets)], 'embeddings': asked}

    def smallest(means):
        return numpy.argsort(means, kind='stable')[:wanted]
    table.race('mean distance', f'{rows} rows, {targets} targets, {dims} dims, the nearest tenth',
               lambda: pool.select(wanted, 'average-dist', targets=with_targets).indices,
               {'torch.cdist': lambda: smallest(torch.cdist(first_tensor, second_tensor).mean(1).numpy()),
                'scipy cdist': lambda: smallest(cdist(matrix, asked).mean(1))},
               lambda mine, _, theirs: len(numpy.intersect1d(mine, theirs)) > 0.99 * wanted,
               floor=product(matrix, asked), goal=1.5)
