# SPDX-License-Identifier: Apache-2.0
"""Rows and queries of searches, and whether two lists of neighbors agree."""
import numpy


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
