# SPDX-License-Identifier: Apache-2.0
"""Analyses of an experiment: costs, whether uncertainty carries over to neighbors, what a selection consists of, texts that a test
set has in common with training data, and a projection of embeddings to two dimensions.

Results are named tuples with the members of the library's structs, which include/alcore/analysis.h describes."""
from __future__ import annotations

import ctypes
from typing import Any, NamedTuple

from . import _ffi
from ._calls import check, run
from ._handles import default_context, filled, options, struct
from ._lazy import types as t
from ._library import lib
from ._overlap import members
from ._pool import Pool
from ._search import _Data, _Output
from ._table import Row, Table, Tabular
from .metrics import _numbers


class _CostResult(NamedTuple):
    usd: float
    usd_per_bleu: float
    usd_per_type: float


class CostResult(_CostResult, Row):
    """USD for all words, per point of BLEU gained, and per in-domain word type; NaN for what was not given."""

    __slots__ = ()


class _Neighborhood(NamedTuple):
    k: int
    rho: float
    p: float


class Neighborhood(_Neighborhood, Row):
    """The correlation rho for k neighbors, and its two-sided p; both NaN where it is not defined."""

    __slots__ = ()


class _Composition(NamedTuple):
    rows: int
    languages: dict[str, int]
    target_language_rows: int | None
    mean_uncertainty: float | None
    median_uncertainty: float | None
    mean_distance: float | None
    targets: int | None
    targets_reached: int | None
    jaccard: float | None


class Composition(_Composition, Row):
    """What a selection consists of; None stands for what was left out. languages: {tag: rows}, of the pool's languages."""

    __slots__ = ()


class _Duplicates(NamedTuple):
    duplicates: float
    in_train: int
    texts: int
    repeated: int


class Duplicates(_Duplicates, Row):
    """Texts of a test set: their number, those that the training data has too, their share in percent (NaN without texts), and
    those that repeat an earlier one."""

    __slots__ = ()


class Leverage(NamedTuple):
    """rows and words of a selection by the band of their match in a translation memory, {band: number}: "repeated", "100", "95" (to 99),
    "85", "75", "50" and "none"."""

    rows: dict[str, int]
    words: dict[str, int]


_BANDS = ("repeated", "100", "95", "85", "75", "50", "none")


class Projection(NamedTuple):
    """points: float64 [rows, 2], NaN for rows that were left out; other_points: those of the others, or None; components:
    float64 [2, dims], or None where the rows are the column of a pool. eigenvalues: variance along each component; shares: of the variance of all rows."""

    points: Any
    other_points: Any
    components: Any
    rows: int
    eigenvalues: tuple[float, ...]
    shares: tuple[float, ...]


def cost(words: float, *, model: str = "rate", rate: float | None = None, bleu_gain: float = 0.0, in_domain_types: float = 0) -> CostResult:
    """What the translation of words costs in USD. model: "rate" (rate USD a word; None: 0.1773), "linear" or "power" (spec 8.8).
    bleu_gain, in points, and in_domain_types, a number of words, give the other two values."""
    return members(CostResult, filled(_ffi.alcore_cost_result, lib.alcore_analysis_compute_cost, words, ctypes.byref(options("cost", locals()))))


def neighborhood(source: t.Matrix, target: t.Matrix, source_uncertainty: t.Numbers, target_uncertainty: t.Numbers,
                 k: int | t.Sequence[int] | None = None, *, source_mask: t.Sequence[Any] | None = None,
                 target_mask: t.Sequence[Any] | None = None, device: str | None = None,
                 context: t.Context | None = None) -> Table[Neighborhood]:
    """The correlation, over target rows, of their uncertainty with the mean uncertainty of their k nearest source rows: a Table
    with a Neighborhood for each k, by default the powers of two up to the number of source rows and 8192, which
    is the largest k.

    source and target are as for knn(): matrices, pools or (pool, "name"); the uncertainties have a number
    for each row."""
    ctx = context or default_context()
    left, right = _Data(source, "source", source_mask, False, ctx), _Data(target, "target", target_mask, False, ctx)
    if k is None:
        powers = range(_ffi.ALCORE_NEIGHBORHOOD_MAX.bit_length())
        k = [2 ** power for power in powers if 2 ** power <= max(left.count, 1)]
    wanted = [k] if isinstance(k, int) else list(k)
    counts = (ctypes.c_int64 * max(len(wanted), 1))(*wanted)
    out = _Output("d", (len(wanted), 2))
    how = options("search", {"device": device or None})
    kept, *given = _numbers(source_uncertainty)
    kept_target, *given_target = _numbers(target_uncertainty)
    run(lib.alcore_analysis_compute_neighborhood, ctx._handle, left.reference, *given, right.reference, *given_target,
        ctypes.addressof(counts), len(wanted), ctypes.byref(how), out.tensor.reference)
    return Table(Neighborhood, [Neighborhood(number, *pair) for number, pair in zip(wanted, out.filled().tolist())])


def _first_rows(pool, rows):
    """Of a selection from a pool that was derived from this one, the row of this pool for each pick: a phrase stands for
    the row where it occurs first. Everything else as it is."""
    other = getattr(rows, "pool", None)
    if other is None or other is pool or getattr(other, "_source", None) is not pool:
        return rows
    if "first_row" in rows.columns():  # of sentences and phrases; a pool of phrases has it as a column
        return rows.column("first_row").tolist()
    return [row for (row,) in other.column_rows("first_row", rows.indices).tolist()]


def _distinct_rows(pool, rows):
    """The same, each row of phrases once."""
    found = _first_rows(pool, rows)
    return rows if found is rows else sorted(set(found))


class Languages(dict[str, int], Tabular):
    """How many rows have each language: {tag: rows}; as a table the columns language and rows."""

    def _columns(self):
        return {"language": list(self), "rows": list(self.values())}


def languages(pool: Pool, rows: t.Rows) -> Languages:
    """How many of the rows (numbers, ids or a Selection) have each language of the pool: Languages, in byte order. Each
    phrase of a selection counts as the row where it occurs first."""
    tags = []
    while (tag := lib.alcore_pool_distinct_language(pool._handle, len(tags))) is not None:
        tags.append(tag.decode())
    address, count, kept = pool.rows_of(_first_rows(pool, rows))
    out = _Output("q", (len(tags),))
    check(lib.alcore_analysis_count_languages(pool._handle, address, count, out.tensor.reference))
    return Languages(zip(tags, out.filled().tolist()))


def composition(pool: Pool, rows: t.Rows, *, uncertainty: t.Numbers | None = None, source: t.Matrix | None = None,
                target: t.Matrix | None = None, target_pool: Pool | None = None, other: t.Rows | None = None, neighbors: int = 10,
                context: t.Context | None = None) -> Composition:
    """What a selection, or several rounds of it together, consists of: Composition.

    rows and other (another strategy's selection) are row numbers, ids or a Selection; a phrase stands for the row where it
    occurs first, which counts once. uncertainty: a number for each row of
    the pool. source (None: the pool) and target, as for knn(), give distances and the targets that have one of
    the rows among their nearest `neighbors`. target_pool: its languages are the target languages; by default target, where
    that is a Pool."""
    ctx = context or pool.context
    rows = _distinct_rows(pool, rows)
    if target_pool is None and isinstance(target, Pool):
        target_pool = target
    how = struct(_ffi.alcore_composition_options, neighbors=neighbors)
    kept = []
    if uncertainty is not None:
        kept.append(_numbers(uncertainty))
        how.uncertainty, how.uncertainty_count = kept[-1][1:]
    if target is not None:
        for name, given in (("source", pool if source is None else source), ("target", target)):
            kept.append(_Data(given, name, None, False, ctx))
            setattr(how, name, ctypes.addressof(kept[-1].struct))
    if target_pool is not None:
        how.target_pool = target_pool._handle
    if other is not None:
        kept.append(pool.rows_of(_distinct_rows(pool, other), "other"))
        # An empty list needs an address: NULL would leave it out.
        how.other_rows = kept[-1][0] or ctypes.addressof(how)
        how.other_count = kept[-1][1]
    address, count, kept_rows = pool.rows_of(rows)
    out = filled(_ffi.alcore_composition_result, lib.alcore_analysis_compute_composition, ctx._handle, pool._handle, address, count,
                 ctypes.byref(how))
    found = {name: None if value != value or value == -1 else value
             for name, value in ((name, getattr(out, name)) for name in Composition._fields if name != "languages")}
    return Composition(languages=languages(pool, rows), **found)


def duplicates(test: t.Texts, train: t.Texts, *, dedup: str = "exact", context: t.Context | None = None) -> Duplicates:
    """Counts the texts of a test set that are training data too, which it should not have: Duplicates.

    test and train: lists of texts, tables, files (pathlib.Path) or pools. dedup: "exact", or "normalized" to compare without case
    and spaces; a pool as test compares as its own dedup says."""
    ctx = context or next((pool.context for pool in (test, train) if isinstance(pool, Pool)), None)
    pools = [given if isinstance(given, Pool) else Pool(given, dedup=dedup, context=ctx) for given in (test, train)]
    return members(Duplicates, filled(_ffi.alcore_duplicates_result, lib.alcore_analysis_compute_duplicates, pools[0]._handle,
                                      pools[1]._handle, None))


def leverage(pool: Pool, rows: t.Rows, memory: t.Texts) -> Leverage:
    """Counts what a translation memory saves of rows of a pool, as translators' tools do: Leverage.

    rows are row numbers, ids or a Selection. memory: a Pool, or what Pool() takes, such as the path of a .tmx."""
    address, count, kept = pool.rows_of(_distinct_rows(pool, rows))
    other = memory if isinstance(memory, Pool) else Pool(memory, context=pool.context)
    out = filled(_ffi.alcore_leverage_result, lib.alcore_analysis_compute_leverage, pool._handle, address, count, other._handle, None)
    del kept
    return Leverage(dict(zip(_BANDS, out.rows)), dict(zip(_BANDS, out.words)))


def projection(rows: t.Matrix, others: t.Matrix | None = None, *, mask: t.Sequence[Any] | None = None,
               other_mask: t.Sequence[Any] | None = None, context: t.Context | None = None) -> Projection:
    """Rows, and others beside them, on the two principal components of the rows: Projection. rows and others are as for
    knn(); a column in a file is read in blocks."""
    ctx = context or default_context()
    left = _Data(rows, "rows", mask, False, ctx)
    right = None if others is None else _Data(others, "others", other_mask, False, ctx)
    points = _Output("d", (left.count, 2))
    components = None if left.struct.pool else _Output("d", (2, left.keep[0].shape[-1]))
    other_points = None if right is None else _Output("d", (right.count, 2))
    out = filled(_ffi.alcore_projection_result, lib.alcore_analysis_compute_projection, ctx._handle, left.reference, right and right.reference,
                 None, points.tensor.reference, other_points and other_points.tensor.reference, components and components.tensor.reference)
    return Projection(points.filled(), other_points and other_points.filled(), components and components.filled(), out.rows,
                      tuple(out.eigenvalues), tuple(out.shares))
