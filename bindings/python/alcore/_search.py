# SPDX-License-Identifier: Apache-2.0
"""Exact search: nearest neighbors one way and both ways, margin ratios."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple, overload

from . import _ffi
from ._arrays import Tensor, memory, output_of, stream_of, tensor_of
from ._calls import run
from ._handles import default_context, options, struct
from ._intake import flags_of
from ._lazy import types as t
from ._library import lib
from ._pool import Pool
from ._strings import name_of


class Neighbors(NamedTuple):
    """Numbers (int64) and values (float64), the nearest first; -1 and NaN where there is no neighbor. NumPy arrays, or
    memoryviews without NumPy."""

    numbers: Any
    values: Any


class _Data:
    """One operand of a search, a matrix or a column of a pool, and what must live during the call."""

    def __init__(self, given, what, mask, unit, ctx):
        self.struct = struct(_ffi.alcore_search_data, normalize=int(bool(unit)))
        pool, column = given if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], Pool) else (given, None)
        self.tensor = None
        if isinstance(pool, Pool):
            self.keep = [pool, name_of(column, "column") if column is not None else None]
            self.struct.pool, self.struct.column = pool._handle, self.keep[1]
            self.count = len(pool)
        else:
            tensor = tensor_of(given, what, ctx._handle)
            self.keep, self.tensor = [tensor], tensor
            self.struct.matrix = ctypes.addressof(tensor.struct)
            self.struct.stream = stream_of(tensor)
            self.count = tensor.shape[0] if tensor.shape else 0
        if mask is not None:
            flags = flags_of(mask, self.count, what)
            self.keep.append(flags)
            self.struct.mask = ctypes.cast(ctypes.c_char_p(flags), ctypes.c_void_p)
            self.struct.mask_count = self.count

    def write(self, outputs):
        """The stream of this operand is that in which results on a device are written."""
        self.struct.stream = stream_of(self.tensor, *(output.tensor for output in outputs))

    @property
    def reference(self):
        return ctypes.byref(self.struct)


class _Output:
    """An array that the library fills: int64 ("q") or float64 ("d")."""

    def __init__(self, code, shape):
        self.code, self.shape = code, shape
        count = 1
        for length in shape:
            count *= length
        self.block = ((ctypes.c_int64 if code == "q" else ctypes.c_double) * max(count, 1))()
        self.address = ctypes.addressof(self.block)
        kind = _ffi.ALCORE_KIND_INT if code == "q" else _ffi.ALCORE_KIND_FLOAT
        self.tensor = Tensor(self.address, (kind, 64), shape)

    def filled(self):
        return memory(self.address, list(self.shape), self.code, self.block)


class _Given:
    """The same for an array of the caller, which is the result."""

    def __init__(self, value, what, code, shape, ctx):
        self.value = value
        kind = _ffi.ALCORE_KIND_INT if code == "q" else _ffi.ALCORE_KIND_FLOAT
        self.tensor = output_of(value, what, ctx._handle, (kind, 64), shape)

    def filled(self):
        return self.value


def _outputs(out, what, codes, shape, ctx):
    """The arrays of a result: those that the caller gave, or new ones in host memory."""
    if out is None:
        return [_Output(code, shape) for code in codes]
    out = tuple(out)
    if len(out) != len(codes):
        raise TypeError("%s: %d arrays are expected, got %d" % (what, len(codes), len(out)))
    return [_Given(value, "%s[%d]" % (what, number), code, shape, ctx) for number, (value, code) in enumerate(zip(out, codes))]


def _neighbors(outputs):
    return Neighbors(*(output.filled() for output in outputs))


@overload
def knn(rows: t.SearchData, queries: t.SearchData, k: int = 10, *, metric: str = "l2", both: t.Literal[False] = False,
        mask: t.Iterable[object] | None = None, query_mask: t.Iterable[object] | None = None, unit: bool = False, device: str | None = None,
        out: tuple[Any, Any] | None = None, context: t.Context | None = None) -> Neighbors: ...
@overload
def knn(rows: t.SearchData, queries: t.SearchData, k: int = 10, *, metric: str = "l2", both: t.Literal[True],
        mask: t.Iterable[object] | None = None, query_mask: t.Iterable[object] | None = None, unit: bool = False, device: str | None = None,
        out: tuple[tuple[Any, Any], tuple[Any, Any]] | None = None, context: t.Context | None = None) -> tuple[Neighbors, Neighbors]: ...
def knn(rows, queries, k=10, *, metric="l2", both=False, mask=None, query_mask=None, unit=False, device=None, out=None,
        context=None):
    """The k nearest rows of each query: Neighbors(numbers, values), each [queries, k], exact.

    rows and queries are matrices (NumPy, DLPack, buffers, lists, tensors on a CUDA device) or columns of pools: Pool (its
    "embeddings") or (Pool, "name"). metric: "l2" (squared distances), "dot" or "cosine". mask and query_mask have one entry per row; a row whose
    entry is false takes no part. unit=True divides each row by its norm first. both=True gives a pair: these neighbors
    and the k nearest queries of each row, [rows, k], found in the same pass. Of equal values the lower row number comes
    first; the answer is the same on every machine.

    out: arrays to fill, contiguous, in host memory or on a CUDA device: (int64 [queries, k], float64 [queries, k]), with both=True a
    pair of such pairs. They are what is returned; those on a device are written in the order of their stream."""
    ctx = context or default_context()
    left, right = _Data(rows, "rows", mask, unit, ctx), _Data(queries, "queries", query_mask, unit, ctx)
    how = options("search", {"metric": metric, "device": device or None})
    width = max(1, min(k, _ffi.ALCORE_KNN_MAX))
    if both and out is not None:
        out, out_back = out
        back = _outputs(out_back, "out of the rows", "qd", (left.count, width), ctx)
    else:
        back = _outputs(None, "", "qd", (left.count, width), ctx) if both else []
    found = _outputs(out, "out", "qd", (right.count, width), ctx)
    left.write(found + back)
    run(lib.alcore_search_knn, ctx._handle, left.reference, right.reference, k, ctypes.byref(how),
        *(output.tensor.reference for output in found), *([output.tensor.reference for output in back] or (None, None)))
    return (_neighbors(found), _neighbors(back)) if both else _neighbors(found)


def margin_ratios(rows: t.SearchData, others: t.SearchData, k: int = 4, *, mask: t.Iterable[object] | None = None,
                  other_mask: t.Iterable[object] | None = None, device: str | None = None, out: tuple[Any, Any] | None = None,
                  context: t.Context | None = None) -> tuple[t.Array, t.Array]:
    """The largest margin ratio of each row over the others (Artetxe and Schwenk 2019), and which other has it: (float64
    [rows], int64 [rows]); NaN and -1 for rows that are masked. Arguments as for knn(); out: such a pair."""
    ctx = context or default_context()
    left, right = _Data(rows, "rows", mask, False, ctx), _Data(others, "others", other_mask, False, ctx)
    how = options("search", {"device": device or None})
    ratios, found = _outputs(out, "out", "dq", (left.count,), ctx)
    left.write([ratios, found])
    run(lib.alcore_search_margin_ratios, ctx._handle, left.reference, right.reference, k, ctypes.byref(how),
        ratios.tensor.reference, found.tensor.reference)
    return ratios.filled(), found.filled()
