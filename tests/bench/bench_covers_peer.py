#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""facility-location and probcover beside apricot and scikit-activeml: the same rows, both with as many threads, in one process, turn by
turn; medians of the times and of the ratios, of wall time and of that of the processors, which other load distorts less. Results are
compared first.

  bench_covers_peer.py PROJECT LIBRARY [TURNS [neighbors]]

LIBRARY is the folder of libalcore.so.1; the Python package is taken from $PYTHONPATH. apricot's FacilityLocationSelection is given
the similarities of all pairs, which numpy computes, or those of the 50 nearest rows, which scikit-learn searches (`neighbors`: these
alone): that time counts, as we compute them too. Its optimizer is "lazy". Picks are the same.
scikit-activeml's ProbCover draws among rows of equal gain, after which picks differ; what is checked is that no other row would have
covered more than each pick of either does. It covers rows at a distance of delta too, of which there are none here."""
import os
import sys
import time
import warnings
from statistics import median

import peers

SIZES = ((2000, 32, 50), (5000, 384, 100))
MANY, NEIGHBORS = (20000, 384, 200), 50


def unit_rows(numpy, rows, dims):
    """Rows around 20 centers."""
    random = numpy.random.default_rng(rows)
    centers = random.normal(size=(20, dims))
    x = centers[random.integers(20, size=rows)] + 0.7 * random.normal(size=(rows, dims))
    return x / numpy.linalg.norm(x, axis=1, keepdims=True)


def is_greedy(numpy, x, picks, delta):
    """Whether each pick covers as many rows that no earlier one does as any row would."""
    ball = 2 - 2 * (x @ x.T) < delta * delta
    degree, left = ball.sum(axis=1), numpy.ones(len(x), bool)
    for pick in picks:
        if degree[pick] != degree.max():
            return False
        new = ball[pick] & left
        degree -= ball[:, new].sum(axis=1)
        left &= ~new
    return True


def clocks():
    """Wall seconds, and seconds of all threads of the process."""
    return time.perf_counter(), time.process_time()


def race(name, turns, ours, theirs, same):
    """Calls both by turns and prints the medians."""
    if not same(ours(), theirs()):
        raise SystemExit(name + ': the results differ')
    times = []
    for _ in range(turns):
        begun = clocks()
        ours()
        between = clocks()
        theirs()
        times.append([(b - a, c - b) for a, b, c in zip(begun, between, clocks())])
    wall, processor = ([median(turn[clock][0] for turn in times), median(turn[clock][1] for turn in times),
                        median(turn[clock][1] / turn[clock][0] for turn in times)] for clock in (0, 1))
    print('%-62s %7.3f s %7.3f s %6.1f x, processor %7.3f s %7.3f s %6.1f x' % (name, *wall, *processor), flush=True)


def near_similarities(numpy, x):
    """A sparse matrix of the cosines of the rows to those nearest to them, by the row that covers, as apricot reads it."""
    from scipy.sparse import csr_matrix
    from sklearn.neighbors import NearestNeighbors
    distances, near = NearestNeighbors(n_neighbors=NEIGHBORS + 1, algorithm='brute').fit(x).kneighbors(x)
    covered = numpy.repeat(numpy.arange(len(x)), NEIGHBORS + 1)
    found = csr_matrix((numpy.maximum(1 - distances.ravel() ** 2 / 2, 0), (near.ravel(), covered)), shape=(len(x), len(x)))
    found.indices, found.indptr = found.indices.astype('int32'), found.indptr.astype('int32')
    return found


def main():
    project, library, turns = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 5
    only_near = sys.argv[4:] == ['neighbors']
    reason = peers.enter(project, os.path.join('tests', 'bench', 'cover_peers.txt'), 'covers-venv')
    if reason:
        raise SystemExit(reason)
    os.environ['ALCORE_LIBRARY'] = library
    warnings.simplefilter('ignore')
    import alcore
    import numpy
    from apricot import FacilityLocationSelection
    from skactiveml.pool import ProbCover
    print('%-62s %9s %9s %8s' % ('', 'alcore', 'peer', 'ratio'))
    for rows, dims, picks in (*(() if only_near else SIZES), MANY):
        x = unit_rows(numpy, rows, dims)
        pool = alcore.Pool(['row %d' % row for row in range(rows)])

        def ours(strategy, **params):
            return list(pool.select(picks, strategy, embeddings=x, params=params).indices)

        def apricot(similarities):
            return list(FacilityLocationSelection(picks, metric='precomputed', optimizer='lazy').fit(similarities()).ranking)

        shape = '%d x %d, %d picks' % (rows, dims, picks)
        if rows == MANY[0]:
            race('facility-location, %d neighbors, %s: apricot' % (NEIGHBORS, shape), turns,
                 lambda: ours('facility-location', neighbors=NEIGHBORS), lambda: apricot(lambda: near_similarities(numpy, x)),
                 lambda a, b: a == b)
            continue
        race('facility-location, cosine, %s: apricot' % shape, turns, lambda: ours('facility-location'),
             lambda: apricot(lambda: numpy.maximum(x @ x.T, 0)), lambda a, b: a == b)
        race('facility-location, rbf, %s: apricot' % shape, turns, lambda: ours('facility-location', similarity='rbf'),
             lambda: apricot(lambda: numpy.exp(2 * (x @ x.T) - 2)), lambda a, b: a == b)
        race('probcover, delta 0.9, %s: scikit-activeml' % shape, turns, lambda: ours('probcover', delta=0.9),
             lambda: ProbCover(deltas=[0.9], random_state=0).query(X=x, y=numpy.full(rows, numpy.nan), batch_size=picks),
             lambda a, b: is_greedy(numpy, x, a, 0.9) and is_greedy(numpy, x, b, 0.9))


if __name__ == '__main__':
    main()
