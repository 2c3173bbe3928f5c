#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The exact neighbors of 3,000 queries among 300,000 rows of 384 float32 components beside faiss' IndexFlatL2, in one process, turn by
turn; medians, with one thread of processor seconds, with more of wall seconds. Results are compared first.

  bench_knn_peer.py PROJECT LIBRARY [--threads N] [--turns N] [--blas CORE] [--decay E]...

LIBRARY is the folder of libalcore.so.1; the Python package is taken from $PYTHONPATH. --blas: the processor for which the OpenBLAS of faiss
computes (OPENBLAS_CORETYPE), as Haswell or SkylakeX; without it the variable is unset. The peer at its best is the fastest of them.
--decay: component j is divided by (1 + j)^E, in mixed directions; 0 and 1 by default."""
import argparse
import os
import sys

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), 'kernels'))
import peers  # noqa: E402

GOALS = {10: 2.5, 100: 2.0}
parser = argparse.ArgumentParser()
parser.add_argument('project')
parser.add_argument('library')
parser.add_argument('--threads', type=int, default=1)
parser.add_argument('--turns', type=int, default=3)
parser.add_argument('--blas')
parser.add_argument('--decay', type=float, action='append')
options = parser.parse_args()
os.environ.pop('OPENBLAS_CORETYPE', None)
if options.blas:
    os.environ['OPENBLAS_CORETYPE'] = options.blas
for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ[name] = str(options.threads)
os.environ['OMP_WAIT_POLICY'] = 'passive'
os.environ['ALCORE_LIBRARY'] = os.path.abspath(options.library)
reason = peers.enter(os.path.abspath(options.project), os.path.join('tests', 'bench', 'knn_peers.txt'), 'knn-venv')
if reason:
    print(f'not run: {reason}')
    sys.exit(0)

import faiss  # noqa: E402

import alcore  # noqa: E402
from race import Table  # noqa: E402
from search_inputs import agree, inputs  # noqa: E402

faiss.omp_set_num_threads(options.threads)
context = alcore.Context(threads=options.threads)
table = Table(options.threads, options.turns)
for decay in options.decay or (0.0, 1.0):
    matrix, asked = inputs(300000, 3000, 384, decay)
    index = faiss.IndexFlatL2(matrix.shape[1])
    index.add(matrix)
    for k, goal in GOALS.items():
        table.race('knn', f'300000 rows, 3000 queries, 384 dims, decay {decay:g}, k = {k}',
                   lambda k=k: alcore.knn(matrix, asked, k, context=context)[0],
                   {'faiss': lambda k=k: index.search(asked, k)[1]},
                   lambda mine, _, theirs: agree(mine, theirs), goal=goal)
