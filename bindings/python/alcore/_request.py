# SPDX-License-Identifier: Apache-2.0
"""The Request that select(), ablate() and compare() make, which a program may also keep."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping
from contextlib import nullcontext
from operator import index
from typing import Any, NamedTuple

from . import _ffi
from ._arrays import memory_of
from ._calls import check, run
from ._columns import path_of
from ._comparison import Comparison
from ._errors import failure
from ._handles import choice, default_context, forget_progress, get_option, Handle, new, next_number, progress_of, set_options, word
from ._intake import is_bool
from ._lazy import types as t
from ._library import lib
from ._overlap import Overlap
from ._parts import model_of, params_of, strategy_of
from ._phrases import Phrases
from ._pool import Pool
from ._selection import Price, price_of, Selection
from ._strings import name_of
from ._table import Table


class Ablation(NamedTuple):
    """What is selected with one value of a parameter. phrases: of the items, by a hybrid strategy; None by any other. overlap:
    percent of the word types of the test set that the picks have; None without one. share_of_0, share_of_1: of the picks,
    0 to 1, those that the values 0 and 1 select too; NaN without picks."""

    value: float
    items: int
    phrases: int | None
    words: int
    overlap: float | None
    share_of_0: float
    share_of_1: float
    selection: Selection


TABLE_7 = (0, .1, .3, .5, .7, .9, 1)  # the weights of HUDS's ablation


class Request(Handle):
    """Pools by role, strategy, model and options; `select()` answers it, round after round.

    candidates, labeled and target are pools; strategy a name, Strategy or decorated function; model as in select();
    further options by name, such as budget, seed, round."""

    _noun = "request"

    def __init__(self, candidates: Pool | None = None, *, labeled: Pool | None = None, target: Pool | None = None,
                 strategy: t.Rule | None = None, model: t.Models | None = None, context: t.Context | None = None,
                 progress: t.Progress = None, **options: t.Setting) -> None:
        ctx = context or (candidates.context if candidates is not None else default_context())
        self._number = next_number()
        super().__init__(new(lib.alcore_request_unref, lib.alcore_request_new, ctx._handle), ctx)
        self._parts = {}  # role -> Pool, "model" -> Model: they live as long as the request
        if progress is not None:
            self.set_progress(progress)
        for role, pool in (("candidates", candidates), ("labeled", labeled), ("target", target)):
            if pool is not None:
                self.set_pool(role, pool)
        if strategy is not None:
            self.set_strategy(strategy)
        if model is not None:
            self.set_model(model)
        self.set(**options)

    def set_pool(self, role: str, pool: Pool | None, *, hold: bool = True) -> None:
        """Sets the pool of a role: "candidates", "labeled", "target" or "excluded" (texts of rows and phrases that are not
        selected); None removes it."""
        check(lib.alcore_request_set_pool(self._handle, choice("ALCORE_ROLE_", role, "role"),
                                          None if pool is None else pool._handle))
        self._parts[role] = pool if hold else None

    def set_strategy(self, strategy: t.Rule | None) -> None:
        """Sets the strategy; None: the recommended one."""
        made = None if strategy is None else strategy_of(strategy, self.context)
        check(lib.alcore_request_set_strategy(self._handle, None if made is None else made._handle))

    def set_model(self, model: t.Models | None) -> None:
        """Sets the model that computes missing columns; a dict has a model for each column, {"embeddings": model}; None: the
        built-in n-gram model."""
        own = model if isinstance(model, dict) else {}
        made = None if model is None or own is model else self._model_of(model)
        run(lib.alcore_request_set_model, self._handle, None if made is None else made._handle)
        of_columns = {column: self._model_of(value, column) for column, value in own.items()}
        for column in self._parts.get("column models", {}).keys() - of_columns.keys():
            run(lib.alcore_request_set_column_model, self._handle, name_of(column, "column"), None)
        for column, value in of_columns.items():
            run(lib.alcore_request_set_column_model, self._handle, name_of(column, "column"), value._handle)
        self._parts["model"], self._parts["column models"] = made, of_columns

    def _model_of(self, model, column=None):
        return model_of(model, self._parts.get("labeled"), self.context, column)

    def set_rows(self, kind: str, rows: t.Rows | t.Path | None) -> None:
        """Names rows of the candidates: "eligible" (only these may be selected), "excluded", "labeled" or "like" (whose
        languages the strategy same-ratio counts); row numbers, a mask, ids or a Selection; the ids in a file (a path) are added to the list; None removes the list."""
        wanted = choice("ALCORE_ROWS_", kind, "kind")
        if rows is None:
            check(lib.alcore_request_set_rows(self._handle, wanted, None, 0))
        elif isinstance(rows, os.PathLike):
            run(lib.alcore_request_read_rows, self._handle, wanted, path_of(rows))
        else:
            address, count, kept = self._parts["candidates"].rows_of(rows, kind)
            self._set_rows(wanted, address, count)
            del kept

    def _set_rows(self, kind, address, count):
        if not count:  # an empty list needs an address: NULL would remove the list
            address = (ctypes.c_int64 * 1)()
        check(lib.alcore_request_set_rows(self._handle, kind, address, count))

    def set(self, /, **options: t.Setting) -> None:
        """Sets options by name."""
        if "budget" in options:
            options["budget"] = _budget_of(options["budget"])
        if isinstance(options.get("price"), Price):
            self.set_price(*options.pop("price"))
        set_options("request", self._handle, options)

    def get(self, name: str) -> str:
        """The present value of an option as text: what was set, or its default."""
        return get_option("request", self._handle, name)

    def set_budgets(self, amounts: float | t.Iterable[float], unit: str = "items") -> None:
        """Sets one budget or several from numbers; unit: "items", "words", "characters" or "units" of cost."""
        amounts = [float(amount) for amount in ([amounts] if isinstance(amounts, (int, float)) else amounts)]
        check(lib.alcore_request_set_budgets(self._handle, (ctypes.c_double * max(len(amounts), 1))(*amounts), len(amounts),
                                             choice("ALCORE_UNIT_", unit, "unit")))

    @property
    def budgets(self) -> tuple[list[float], str | None]:
        """The budgets, however they were set, and their unit: ([1000.0], "words"); ([], None) without one."""
        found, unit = _ffi.alcore_tensor(), ctypes.c_int32()
        status = lib.alcore_request_get_budgets(self._handle, ctypes.byref(found), ctypes.byref(unit))
        if status == _ffi.ALCORE_E_NOT_FOUND:
            return [], None
        check(status)
        return memory_of(found).tolist(), word("ALCORE_UNIT_", unit.value)

    def set_price(self, amount: float | None, currency: str | None = None, unit: str = "words") -> None:
        """Sets what labeling one unit costs; amount None: there is no price."""
        if amount is None:
            check(lib.alcore_request_set_price(self._handle, None))
            return
        price = _ffi.alcore_price(amount=amount, currency=None if currency is None else name_of(currency, "currency"),
                                  unit=choice("ALCORE_UNIT_", unit, "unit"))
        price.size = ctypes.sizeof(price)
        check(lib.alcore_request_set_price(self._handle, ctypes.byref(price)))

    @property
    def price(self) -> t.Price | None:
        """The Price, however it was set; None without one."""
        return price_of(lib.alcore_request_get_price, self._handle)

    def set_progress(self, progress: t.Progress) -> None:
        """Sets what shows the progress of this request's calls, as the progress of a Context; None: that of the context."""
        run(lib.alcore_request_set_progress, self._handle, *progress_of(self._number, progress), _ffi.alcore_destroy_function())

    def cancel(self) -> None:
        """Ends the call that answers this request, and every later one, with CancelledError until cancel_clear(); other requests go
        on. May be called from any thread."""
        lib.alcore_request_cancel(self._handle)

    def cancel_clear(self) -> None:
        """The request can be answered again after cancel(); a call that was reached by it ends all the same."""
        lib.alcore_request_cancel_clear(self._handle)

    def close(self) -> None:
        super().close()
        forget_progress(self._number)

    def select(self) -> Selection:
        """Answers the request: a Selection; of several budgets a list of them, in the order given."""
        return self._select(self._parts.get("candidates"))

    def _select(self, pool):
        target = self._parts.get("target")  # the strategy gold picks from it, with or without candidates
        if pool is None and target is None:
            raise ValueError("the request has no pool of candidates")
        pointer = new(lib.alcore_selection_unref, lib.alcore_select, self._handle)
        if target is not None and lib.alcore_selection_pool(pointer) == target._handle:
            pool = target
        first = Selection(pointer, _pool_of_picks(pointer, pool))
        count = lib.alcore_selection_budget_count(pointer)
        if count < 2:
            return first
        others = [lib.alcore_selection_ref(lib.alcore_selection_of_budget(pointer, number)) for number in range(1, count)]
        return [first] + [Selection(other, _pool_of_picks(other, pool)) for other in others]

    def ablate(self, values: t.Iterable[float] = TABLE_7, *, parameter: str | None = None,
               test: Overlap | t.Iterable[str | bytes] | t.PathLike[str] | None = None) -> Table[Ablation]:
        """Answers the request with each value of one parameter of its strategy: a Table with an Ablation for each; arguments as of
        alcore.ablate(). The strategy keeps the value that it has."""
        return self._ablate(self._parts.get("candidates"), values, parameter, test)

    def _ablate(self, pool, values, parameter, test):
        if pool is None:
            raise ValueError("the request has no pool of candidates")
        values = [float(value) for value in values]
        rows = (_ffi.alcore_ablation * max(len(values), 1))()
        for row in rows:
            row.size = ctypes.sizeof(row)
        picked, numbers = (ctypes.c_void_p * max(len(values), 1))(), (ctypes.c_double * max(len(values), 1))(*values)
        with nullcontext(test) if test is None or isinstance(test, Overlap) else _words_of(test, pool.context) as overlap:
            try:
                run(lib.alcore_request_ablate, self._handle, None if parameter is None else name_of(parameter, "parameter"),
                    ctypes.addressof(numbers), len(values),
                    None if overlap is None else overlap._handle, ctypes.addressof(rows), ctypes.addressof(picked))
            except BaseException:
                for pointer in filter(None, picked):  # the call succeeded, then Ctrl-C raised
                    lib.alcore_selection_unref(pointer)
                raise
        return Table(Ablation, [Ablation(row.value, row.items, None if row.phrases < 0 else row.phrases, row.words,
                                         None if test is None else row.overlap, row.share_of_0, row.share_of_1,
                                         Selection(pointer, _pool_of_picks(pointer, pool))) for row, pointer in zip(rows, picked[:len(values)])],
                     without=("selection",))

    def compare(self, strategies: t.Iterable[t.Rule | None] | Mapping[str, t.Rule | None], *,
                test: Overlap | t.Iterable[str | bytes] | t.PathLike[str] | None = None) -> Comparison:
        """Answers the request with each of several strategies: a Comparison; arguments as of alcore.compare(). Its own strategy is not
        used and stays."""
        return self._compare(self._parts.get("candidates"), strategies_of(strategies, self._ctx), test)

    def _compare(self, pool, strategies, test):
        if pool is None:
            raise ValueError("the request has no pool of candidates")
        handles = (ctypes.c_void_p * max(len(strategies), 1))(*[made._handle for _, made in strategies])
        names = (ctypes.c_char_p * max(len(strategies), 1))(*[None if name is None else name_of(name, "strategies") for name, _ in strategies])
        with nullcontext(test) if test is None or isinstance(test, Overlap) else _words_of(test, pool.context, 3) as overlap:
            pointer = new(lib.alcore_comparison_unref, lib.alcore_request_compare, self._handle, ctypes.addressof(handles), ctypes.addressof(names),
                          len(strategies), None if overlap is None else overlap._handle)
        return Comparison(pointer, self._ctx, lambda picked: Selection(picked, _pool_of_picks(picked, pool)))

    def candidates(self, count: int) -> list[int]:
        """Rows that would be scored, ascending: list of int."""
        return self._candidates(self._parts.get("candidates"), count)

    def _candidates(self, pool, count):
        count = min(index(count), len(pool))
        if count < 0:
            raise ValueError("count: 0 or more is expected, got %d" % count)
        found = _ffi.alcore_tensor()
        run(lib.alcore_request_candidates, self._handle, count, ctypes.byref(found))
        return memory_of(found).tolist()


def _words_of(test, context, max_order=1):
    """An Overlap with the words of a test set, a list of texts or a file."""
    made = Overlap(max_order=max_order, context=context)
    made.put("test", test)
    return made


def _pool_of_picks(selection, pool):
    """The pool that the picks are rows of: the one that was given, or one that the request derived from it: of its phrases, or
    of the picks of a hybrid."""
    found = lib.alcore_selection_pool(selection)
    if found == pool._handle:
        return pool
    derived = Pool.borrowed(found, pool.context)
    if "occurrences" in derived.columns:
        derived = Phrases.borrowed(found, pool.context)
    derived._source = pool
    return derived


def strategies_of(given, context):
    """[(name, Strategy)] of a list of strategies, or of a dict of them by the names that they are to have."""
    if isinstance(given, (str, bytes)):
        raise TypeError("strategies: a list of names, not %r" % (given,))
    pairs = list(given.items()) if isinstance(given, Mapping) else [(None, one) for one in given]
    return [(name, strategy_of("recommended" if one is None else one, context)) for name, one in pairs]


def _budget_of(budget):
    """A budget as an option: one, or a list of several, which may be an array."""
    if is_bool(budget):
        raise failure(_ffi.ALCORE_E_PARAM, "budget: a number, or a text such as \"1000w\", is expected, got a bool")
    if hasattr(budget, "tolist"):
        budget = budget.tolist()
    return [_budget_of(one) for one in budget] if isinstance(budget, (list, tuple)) else budget


def request_options() -> list[dict[str, Any]]:
    """The options of a request: a list of dicts as in strategies()."""
    return params_of(lib.alcore_request_builtin_param)
