# SPDX-License-Identifier: Apache-2.0
"""The selection: the picks in their order, and what the library tells about them."""
from __future__ import annotations

import array
import ctypes
import json
from typing import Any, NamedTuple

from . import _ffi
from . import _arrow
from ._arrays import memory_of, numpy_or_none
from ._arrow_give import stream_of
from ._arrow_values import values_of
from ._calls import check, run
from ._columns import path_of
from ._errors import remedy
from ._handles import Handle, choice, struct, word, write_options
from ._lazy import types as t
from ._library import lib
from ._strings import text_or_none
from ._table import Tabular

SCOPES = {"picks": _ffi.ALCORE_SCOPE_PICKS, "candidates": _ffi.ALCORE_SCOPE_CANDIDATES}


class Price(NamedTuple):
    """What labeling costs in money: the amount for one unit ("items", "words", "characters" or "units" of cost). currency: None where
    none was named."""

    amount: float
    currency: Any
    unit: str


def price_of(read, handle):
    """The Price that a call of the library tells; None where there is none."""
    found = _ffi.alcore_price()
    found.size = ctypes.sizeof(found)
    status = read(handle, ctypes.byref(found))
    if status == _ffi.ALCORE_E_NOT_FOUND:
        return None
    check(status)
    return Price(found.amount, text_or_none(found.currency), word("ALCORE_UNIT_", found.unit))


class Selection(Handle, Tabular):
    """What was picked, best first. It never changes, and it pickles: a copy from a pickle has everything but the pool.

    indices: rows, which are positions in the caller's own list. scores: larger = more worth labeling. costs and spent:
    in the budget's unit. short: whether the rows that the strategy offered ended before
    the budget was spent."""

    _noun = "selection"

    def __init__(self, pointer: int, pool: t.Pool) -> None:
        super().__init__(pointer, pool.context)
        self._pool = pool
        self._values_read = {}  # name -> value, read from the library once; all of a copy from a pickle

    def _value(self, name, read):
        """read(handle), kept under the name."""
        if name not in self._values_read:
            self._values_read[name] = read(self._handle)
        return self._values_read[name]

    def __len__(self) -> int:
        return self._value("count", lib.alcore_selection_count)

    @property
    def pool(self) -> t.Pool | None:
        """The pool of the picks; None in a copy from a pickle."""
        return self._pool

    def _numbers(self, name, read, kind):
        def all_of(handle):
            count = lib.alcore_selection_count(handle)
            return (kind * count).from_address(read(handle))[:] if count else []
        return list(self._value(name, all_of))

    @property
    def indices(self) -> list[int]:
        """Positions of the picks in the caller's list: list of int."""
        return self._numbers("indices", lib.alcore_selection_rows, ctypes.c_int64)

    @property
    def scores(self) -> list[float]:
        """Score of each pick: list of float."""
        return self._numbers("scores", lib.alcore_selection_scores, ctypes.c_double)

    @property
    def costs(self) -> list[float]:
        """Cost of each pick in the budget's unit: list of float."""
        return self._numbers("costs", lib.alcore_selection_costs, ctypes.c_double)

    @property
    def ids(self) -> list[str]:
        """Id of each pick: list of str."""
        return list(self._value("ids", lambda _: [self._pool.id(row) for row in self.indices]))

    @property
    def texts(self) -> list[str]:
        """Text of each pick: list of str."""
        return list(self._value("texts", lambda _: [self._pool[row] for row in self.indices]))

    @property
    def reasons(self) -> list[str]:
        """Why each pick was made: list of str."""
        return list(self._value("reasons", lambda handle: [text_or_none(lib.alcore_selection_reason(handle, rank))
                                                          for rank in range(len(self))]))

    @property
    def spent(self) -> float:
        """Sum of the costs."""
        return self._value("spent", lib.alcore_selection_spent)

    @property
    def short(self) -> bool:
        """Whether the rows that the strategy offered ended before the budget was spent."""
        return bool(self._value("flags", lib.alcore_selection_flags) & _ffi.ALCORE_SELECTION_SHORT)

    @property
    def summary(self) -> str:
        """The summary for people: several lines, the last of them hints."""
        def all_of(handle):
            return lib.alcore_selection_summary(handle).decode("utf-8", "replace") + "".join(
                "hint: %s\n" % remedy(found) for found in _remedies_of(handle))
        return self._value("summary", all_of)

    @property
    def budget(self) -> float:
        """The budget in its unit."""
        return self._value("budget", lib.alcore_selection_budget)

    @property
    def unit(self) -> str:
        """What budget, spent and costs are counted in: "items", "words", "characters" or "units" of cost."""
        return word("ALCORE_UNIT_", self._value("unit", lib.alcore_selection_unit))

    @property
    def unit_price(self) -> Price | None:
        """The Price of one unit; None without one."""
        return self._value("unit_price", lambda handle: price_of(lib.alcore_selection_get_price, handle))

    @property
    def price(self) -> float | None:
        """What the picks cost in money by the option `price`; None without one."""
        value = self._value("price", lib.alcore_selection_amount)
        return None if value != value else value

    @property
    def provenance(self) -> dict[str, Any]:
        """What chose the picks: versions, options and inputs, as a dict."""
        return json.loads(self._value("provenance", lib.alcore_selection_provenance))

    def columns(self, scope: t.Scope = "picks") -> list[str]:
        """Names of the columns of the strategy's record, of the "picks" or of all "candidates"."""
        def all_of(handle):
            names = []
            while True:
                name = lib.alcore_selection_column_name(handle, SCOPES[scope], len(names))
                if name is None:
                    return names
                names.append(name.decode())
        if scope not in SCOPES:
            raise ValueError("scope: %r is none of %s" % (scope, ", ".join(SCOPES)))
        return list(self._value(("columns", scope), all_of))

    def column(self, name: str, scope: t.Scope = "picks") -> Any:
        """A column of the record: float64 or int64, [picks] or [candidates]; a read-only array over the library's memory."""
        if scope not in SCOPES:
            raise ValueError("scope: %r is none of %s" % (scope, ", ".join(SCOPES)))
        key = ("column", scope, name)
        if key in self._values_read:
            return _as_array(self._values_read[key])
        if self._pointer is None and self._pool is None:
            raise LookupError("the record has no column %r of the %s" % (name, scope))
        out = _ffi.alcore_tensor()
        check(lib.alcore_selection_get_column(self._handle, SCOPES[scope], name.encode(), ctypes.byref(out)))
        return memory_of(out, self)

    @property
    def records(self) -> list[dict[str, Any]]:
        """One dict per pick with the columns of a file: rank, index, id, score, cost, the columns of the strategy's record, reason,
        text, lang, group; None where a pick has no value."""
        columns = self._columns()
        return [dict(zip(columns, values)) for values in zip(*columns.values())]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, ready for JSON."""
        return {"indices": self.indices, "ids": self.ids, "texts": self.texts, "scores": self.scores, "costs": self.costs,
                "reasons": self.reasons, "spent": self.spent, "short": self.short, "records": self.records,
                "provenance": self.provenance}

    def to_numpy(self) -> dict[str, Any]:
        """The picks as NumPy arrays by name: index, score, cost and the columns of the record."""
        numpy = numpy_or_none()
        if numpy is None:
            raise ImportError("to_numpy() needs NumPy")
        found = {"index": numpy.array(self.indices, dtype="q"), "score": numpy.array(self.scores, dtype="d"),
                 "cost": numpy.array(self.costs, dtype="d")}
        found.update({name: numpy.array(self.column(name)) for name in self.columns() if name not in found})
        return found

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow interface: a stream of the picks with the columns of a file, which needs no package."""
        if self._pointer is None:
            return super().__arrow_c_stream__(requested_schema)
        return stream_of(lib.alcore_selection_get_arrow, self._handle)

    def _columns(self):
        def all_of(_):
            table = _arrow.read_stream(*_arrow.open_stream(self))
            return {kind.name: values_of(table.column(number)) for number, kind in enumerate(table.type.children)}
        return dict(self._value("table", all_of))

    def write(self, path: t.Path, format: str = "auto") -> None:
        """Writes the picks as TSV, JSONL, CSV or text; the file appears whole or not at all."""
        run(lib.alcore_selection_write, self._handle, path_of(path), write_options(format))

    def report(self, path: t.Path, format: str | None = None) -> None:
        """Writes the report as Markdown, JSON or HTML."""
        kind = 0 if format is None or format == "auto" else choice("ALCORE_REPORT_", format, "format")
        run(lib.alcore_selection_report, self._handle, path_of(path), ctypes.byref(struct(_ffi.alcore_report_options, kind=kind)))

    def __iter__(self) -> t.Iterator[int]:
        return iter(self.indices)

    def __reduce__(self):
        self._columns()
        for name in ("ids", "texts", "scores", "costs", "reasons", "spent", "short", "budget", "unit", "unit_price", "price", "summary", "provenance"):
            getattr(self, name)
        state = dict(self._values_read)
        if self._pointer is not None:
            for scope in SCOPES:
                for name in self.columns(scope):
                    state["column", scope, name] = _plain_array(self.column(name, scope))
            state.update({("columns", scope): self.columns(scope) for scope in SCOPES})
        return _restored, (state,)

    def _description(self):
        return " %d picks, spent %g%s" % (len(self), self.spent, ", short" if self.short else "")

    def __repr__(self):
        return "<alcore.Selection%s>" % (" closed" if self._pointer is None and self._pool is not None else self._description())


def _remedies_of(handle):
    found = _ffi.alcore_remedy(size=ctypes.sizeof(_ffi.alcore_remedy))
    number = 0
    while lib.alcore_selection_remedy(handle, number, ctypes.byref(found)) == _ffi.ALCORE_OK:
        yield found
        number += 1


def _plain_array(values):
    return array.array("q" if getattr(values, "dtype", None) == "int64" or getattr(values, "format", None) == "q" else "d",
                       values.tolist())


def _as_array(values):
    numpy = numpy_or_none()
    return memoryview(values) if numpy is None else numpy.frombuffer(values, dtype=values.typecode)


def _restored(state):
    made = Selection.__new__(Selection)
    made._pointer, made._ctx, made._pool, made._values_read = None, None, None, state
    return made
