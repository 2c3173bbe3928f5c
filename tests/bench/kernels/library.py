# SPDX-License-Identifier: Apache-2.0
"""Rows with given columns and the library's own calls over them: what a race times is what a user calls."""
import numpy

import alcore


class Rows:
    """A pool of numbered texts with columns; selections from it only read the pool, which is made once and not timed."""

    def __init__(self, threads, embeddings, **columns):
        self.pool = alcore.Pool([str(row) for row in range(len(embeddings))], context=alcore.Context(threads=threads))
        for name, values in {'embeddings': embeddings, **columns}.items():
            self.pool.set_column(name, numpy.ascontiguousarray(values))

    def select(self, count, strategy, **named):
        return alcore.select(self.pool, str(count), strategy, **named)

    def record(self, name, strategy, **named):
        """A column of the record, one number a row: every row is a candidate."""
        return numpy.asarray(self.select(1, strategy, **named).column(name, 'candidates'))
