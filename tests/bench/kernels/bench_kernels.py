#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels against the best peers from PyPI, turn by turn in one process.

  bench_kernels.py PROJECT KERNEL-TABLE LIBRARY [--threads N] [--only OP]... [--turns N] [--small]

KERNEL-TABLE is the build's libkernel-table.so, LIBRARY the folder of its libalcore.so: searches and selections go through the
public functions, negative log-likelihoods through the table, as their kernels read logits where they are. With one thread
ratios are of process CPU time, with more of wall time. A peer gets its best documented setting; outputs are compared before
anything is timed, and a ratio whose outputs differ does not count. The floor is what the arithmetic or the bytes alone take on
this machine, measured in the same turns."""
import argparse
import os
import sys

sys.path[:0] = [os.path.dirname(os.path.dirname(os.path.abspath(__file__)))]
import peers  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument('project')
parser.add_argument('kernel_table')
parser.add_argument('library')
parser.add_argument('--threads', type=int, default=1)
parser.add_argument('--only', action='append', default=[])
parser.add_argument('--turns', type=int, default=21)
parser.add_argument('--small', action='store_true', help='a tenth of the work: does everything run')
options = parser.parse_args()
reason = peers.enter(os.path.abspath(options.project))
if reason:
    print(f'not run: {reason}')
    sys.exit(0)
for name in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS', 'MKL_NUM_THREADS'):
    os.environ[name] = str(options.threads)
os.environ['OMP_WAIT_POLICY'] = 'passive'
os.environ['ALCORE_LIBRARY'] = os.path.abspath(options.library)
sys.path.insert(1, os.path.join(options.library, '..', 'bindings', 'python'))

import faiss  # noqa: E402
import numpy  # noqa: E402
import scipy  # noqa: E402
import sklearn  # noqa: E402
import torch  # noqa: E402

import ops_cluster  # noqa: E402
import ops_nll  # noqa: E402
import ops_search  # noqa: E402
from kernel_table import Kernels  # noqa: E402
from race import Table  # noqa: E402

torch.set_num_threads(options.threads)
faiss.omp_set_num_threads(options.threads)
kernels = Kernels(options.kernel_table, os.path.join(options.project, 'include', 'alcore', 'sys', 'kernel.h'))
table = Table(options.threads, options.turns)
part = 10 if options.small else 1
races = {
    'segment': lambda: ops_cluster.segment(table, 200000 // part, 768),
    'kmeans': lambda: ops_cluster.kmeans(table, 50000 // part, 384, 64),
    'kmeans-256': lambda: ops_cluster.kmeans(table, 50000 // part, 768, 256),
    'kmeans-clustered': lambda: ops_cluster.kmeans(table, 50000 // part, 384, 64,
                                                  make=ops_cluster.rows_in_clusters),
    'kmeans++': lambda: ops_cluster.plus_plus(table, 40000 // part, 384, 50),
    'idds': lambda: ops_cluster.idds(table, 20000 // part, 384, 10),
    'logits': lambda: ops_nll.logits(table, kernels, 2048 // part, 50265),
    'logits-256k': lambda: ops_nll.logits(table, kernels, 512 // part, 256000),
    'hidden': lambda: ops_nll.hidden(table, kernels, 1024 // part, 50265, 768),
    'knn': lambda: ops_search.knn(table, 50000 // part, 2000, 768, 10),
    'knn-100': lambda: ops_search.knn(table, 50000 // part, 2000, 384, 100),
    'knn-decay': lambda: ops_search.knn(table, 50000 // part, 2000, 768, 10, decay=1.0, goal=2.0),
    'both-ways': lambda: ops_search.two_way(table, 50000 // part, 5000, 384, 4),
    'mean-distance': lambda: ops_search.mean_distance(table, 20000 // part, 2000, 384),
}
unknown = set(options.only) - set(races)
if unknown:
    parser.error(f"no race {', '.join(sorted(unknown))}; there are {', '.join(races)}")
versions = {'numpy': numpy.__version__, 'scipy': scipy.__version__, 'scikit-learn': sklearn.__version__,
            'faiss': faiss.__version__, 'torch': torch.__version__}
print(f"engine {kernels.engine}, {options.threads} thread(s), {options.turns} turns; "
      + ', '.join(f'{name} {version}' for name, version in versions.items()))
for name, run in races.items():
    if options.only and name not in options.only:
        continue
    run()
sys.exit(any(not all(row['equal'].values()) for row in table.rows))
