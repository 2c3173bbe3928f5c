#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""HUDS on 1,000,000 x 384 float32 in memory with ready scores: libalcore against numpy, turn by turn in one process.

  bench_huds_peer.py PROJECT LIBRARY-FOLDER [ROWS [DIMS]]

numpy does the same work in the way that was the fastest of those tried: sums of strata as a product of the transposed
matrix with the memberships (BLAS takes three times as long for the product the other way round), dots as a product,
norms by einsum, then H and the 10,000 best. numpy comes from build/bench-venv, which is made from PyPI. Numbers
of numpy are float32, those of libalcore double; distances are compared, and so are the picks."""
import os
import statistics
import sys
import time

import peers

project, library = (os.path.abspath(path) for path in sys.argv[1:3])
reason = peers.enter(project)
if reason:
    print(f'not run: {reason}')
    sys.exit(0)
import numpy  # noqa: E402

RUNS, PICKS, STRATA, LAMBDA = 5, 10000, 10, 0.5
sys.path.insert(0, os.path.join(library, '..', 'bindings', 'python'))
os.environ['ALCORE_LIBRARY'] = library
import alcore  # noqa: E402

rows = int(sys.argv[3]) if len(sys.argv) > 3 else 1000000
dims = int(sys.argv[4]) if len(sys.argv) > 4 else 384
random = numpy.random.default_rng(1)
matrix = random.standard_normal((rows, dims), dtype=numpy.float32) + 0.1
scores = random.random(rows) + random.random(rows)
pool = alcore.Pool([str(row) for row in range(rows)], dedup='none')
pool.set_column('embeddings', matrix, copy=False)
pool.set_column('scores', scores, copy=False)


def ours():
    return alcore.select(pool, budget=PICKS, strategy='huds')


def numpys():
    low, high = scores.min(), scores.max()
    stratum = numpy.minimum(((scores - low) / (high - low) * STRATA).astype(numpy.int64), STRATA - 1)
    member = (stratum[:, None] == numpy.arange(STRATA)).astype(numpy.float32)
    centroid = (matrix.T @ member).T / member.sum(axis=0)[:, None]
    norm = numpy.sqrt(numpy.einsum('ij,ij->i', matrix, matrix))
    dot = (matrix @ centroid.T)[numpy.arange(rows), stratum]
    distance = 1 - dot / (norm * numpy.linalg.norm(centroid, axis=1)[stratum])
    mixed = LAMBDA * distance + (1 - LAMBDA) * scores
    best = numpy.argpartition(-mixed, PICKS)[:PICKS]
    return distance, best[numpy.argsort(-mixed[best], kind='stable')]


def timed(function):
    wall, cpu = time.perf_counter(), time.process_time()
    result = function()
    return result, time.perf_counter() - wall, time.process_time() - cpu


times = {ours: [], numpys: []}
for turn in range(RUNS + 1):
    for function in times:
        result, wall, cpu = timed(function)
        if function is ours:
            selection = result
        else:
            distance, best = result
        if turn > 0:
            times[function].append((wall, cpu))
mine = numpy.asarray(selection.indices)
error = numpy.abs(numpy.asarray(selection.column('d')) - distance[mine]).max()
common = len(set(mine.tolist()) & set(best.tolist()))
print(f'{rows:,} x {dims} float32, numpy {numpy.__version__}, {RUNS} turns each; largest difference of a distance '
      f'{error:.1e}, {common:,} of {PICKS:,} picks in common')
medians = {}
for function, name in ((ours, 'libalcore'), (numpys, 'numpy')):
    for place, clock in enumerate(('wall', 'cpu')):
        medians[name, clock] = statistics.median(figures[place] for figures in times[function])
        print(f'result huds_{name}_{clock} {medians[name, clock]:.3f} s')
for clock in ('wall', 'cpu'):
    print(f"result huds_numpy_{clock}_ratio {medians['numpy', clock] / medians['libalcore', clock]:.2f} x")
sys.exit(error > 1e-5 or common < 0.999 * PICKS)
