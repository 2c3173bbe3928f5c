# SPDX-License-Identifier: Apache-2.0
"""select(), Pool.select(), ablate() and compare(): the keyword arguments of a call become a Request."""
from __future__ import annotations

import difflib
import inspect
import os
import warnings
from collections.abc import Mapping
from contextlib import contextmanager
from typing import Any

from . import _ffi
from ._columns import Column
from ._comparison import Comparison
from ._errors import failure, user_level
from ._frames import are_records, frame_of
from ._handles import choice
from ._intake import is_bool_column, is_missing, is_table, unwrapped, values_of
from ._lazy import types as t
from ._library import lib
from ._overlap import Overlap
from ._parts import params_of, strategy_of
from ._pool import Pool, pool_of
from ._request import Ablation, Request, request_options, strategies_of, TABLE_7
from ._selection import Selection
from ._table import Table


class ImplicitModelWarning(UserWarning):
    """The built-in n-gram model stands in, because the call named neither a column nor a model."""


warnings.filterwarnings("once", category=ImplicitModelWarning, append=True)

_option_defaults = {}


def _defaults():
    if not _option_defaults:
        _option_defaults.update({option["name"]: option["default"] for option in request_options()})
    return _option_defaults


def _rows_of(pool, given, by_id, what):
    """Rows that a mask argument names. Strings are ids where ids were given, else texts."""
    if isinstance(given, Pool):
        return _rows_of_texts(pool, list(given))
    if isinstance(given, Selection):
        return pool._rows_of_selection(given, what)
    values = [given] if isinstance(given, (int, str)) else values_of(given, what)
    if pool._whole_ids:
        _warn_of_ids(pool, values, what)
    if values and not by_id and all(isinstance(value, str) for value in values):
        return _rows_of_texts(pool, values) or _rows_of_ids(pool, values, what)
    return pool._row_numbers(values, given, what)


def _rows_of_ids(pool, values, what):
    """Rows of strings that are no texts of the pool: ids, such as those of a table. A warning where they are none either."""
    try:
        return [pool.find(value) for value in values]
    except LookupError:
        warnings.warn("%s: none of the %d texts is in the pool, nor is each of them an id" % (what, len(values)), stacklevel=user_level())
        return []


def _warn_of_ids(pool, values, what):
    """Warns where whole numbers, which name rows, would name other rows as ids."""
    try:
        if set(map(type, values)) != {int} or [pool.find(str(value)) for value in values] == values:
            return
    except LookupError:
        return  # they are no ids
    warnings.warn("%s: whole numbers name rows, and these are ids of other rows too; give the ids as texts, or a mask, if they are "
                  "meant" % what, stacklevel=user_level())


def _rows_of_texts(pool, texts):
    wanted = set(texts)
    return [row for row, text in enumerate(pool) if text in wanted]


def _take_meanings(pool, named):
    """Takes what columns hold out of the further keyword arguments, {"probs": "sigmoid"} of probs_are="sigmoid". A column that the pool
    has, of a table for example, is given once more then, with its meaning."""
    found = {}
    for name in [name for name in named if name.endswith("_are") and name[:-4] in _ffi.COLUMNS]:
        column, meaning = name[:-4], named.pop(name)
        if meaning is None:
            continue
        if named.get(column) is None and column in pool.columns:
            named[column] = pool.column_rows(column, range(len(pool)))
        if named.get(column) is None:
            raise TypeError("%s says what %s holds, which is not given%s" % (name, column, "; a model of your own has a number for "
                            "each class, such as [1 - p, p]" if meaning == "sigmoid" else ""))
        found[column] = meaning
    return found


def _meant(value, meaning):
    """The column with a meaning, which is named once."""
    if not isinstance(value, Column):
        return value, {} if meaning is None else {"meaning": meaning}
    if meaning is None or value.meaning == meaning:
        return value, {}
    if value.meaning is not None:
        raise ValueError("the column says that it holds %s, and the call %s" % (value.meaning, meaning))
    return Column(value.values, value.offsets, meaning=meaning, log_base=value.log_base, rows=value.rows, copy=value.copy), {}


def _split(named, parameters, options, columns):
    """Sorts the further keyword arguments: (the strategy's parameters, options of the request, columns), each name -> value. None of an
    option or a column means that it is not given.
    parameters: names of the strategy's; options, columns: names of the others."""
    found = ({}, {}, {})
    for name, value in named.items():
        plain = name.rstrip("_")
        if plain in columns:
            if value is not None:
                found[2][plain] = value
        elif plain not in parameters and plain in options:
            if value is not None:
                found[1][plain] = value
        else:
            found[0][plain] = value
    return found


def _warn(selection):
    selection = selection[0] if isinstance(selection, list) else selection
    names = sorted({name for inputs in selection.provenance.get("inputs", {}).values()
                    for name, column in inputs.get("columns", {}).items() if column.get("built_in")})
    if names:
        warnings.warn("%s: made by the built-in n-gram model, because neither a column nor a model was given; give one, or "
                      "model=\"ngram\" to agree" % ", ".join(names), ImplicitModelWarning, stacklevel=user_level())
    _warn_ignored([selection])


def _warn_ignored(selections):
    """Warns of what the recommended strategy has not read, where no other was asked."""
    ignored = [selection.provenance.get("ignored") for selection in selections]
    if all(ignored):
        warnings.warn("not read by %s, as no strategy was named: %s; name the strategy that reads it"
                      % (selections[0].provenance["strategy"], ", ".join(ignored[0])), stacklevel=user_level())


def _labeled(pool, labeled):
    """What is labeled in a call: (pool or None, rows of the pool itself or None), of a pool or texts, or of rows."""
    if labeled is None:
        return None, None
    if isinstance(labeled, Selection):  # its rows; as a table it would be texts
        return None, labeled
    if isinstance(labeled, (Pool, os.PathLike)) or are_records(labeled):
        return pool_of(labeled, pool.context), None
    labeled = labeled if isinstance(labeled, int) else unwrapped(labeled, "labeled")
    if is_table(labeled):
        frame = labeled if isinstance(labeled, Mapping) else frame_of(labeled, "labeled")
        if isinstance(frame, Mapping) or len(frame.names) > 1:
            return pool_of(frame, pool.context), None
        labeled = frame.column(frame.names[0])
    values = [labeled] if isinstance(labeled, int) else values_of(labeled, "labeled")
    if not values and not is_bool_column(labeled):  # the first round of a loop: no rows, and no texts that would need columns
        return None, None
    if not all(isinstance(value, str) or is_missing(value) for value in values) or is_bool_column(labeled):
        return None, labeled if values is not None and hasattr(labeled, "__len__") else values
    return pool_of(values, pool.context), None


@contextmanager
def _request_of(pool):
    """The pool's own request, which remembers its candidates from round to round (sticky=1); while another thread selects
    with it, a fresh one, so that any number of threads may select from one pool."""
    if not pool._select_lock.acquire(blocking=False):
        with Request(context=pool.context) as request:
            request.set_pool("candidates", pool, hold=False)
            yield request
        return
    try:
        if pool._request is None:
            pool._request = Request(context=pool.context)
            pool._request.set_pool("candidates", pool, hold=False)
        yield pool._request
    finally:
        pool._select_lock.release()


def _name_rows(request, pool, kind, rows, by_id):
    """Rows of one call: "excluded", "eligible", "labeled" or "like"."""
    if rows is None:
        return
    what = "exclude" if kind == "excluded" else kind  # as the argument is called
    address, count, kept = pool.rows_of(_rows_of(pool, rows, by_id, what), what)
    request._set_rows(choice("ALCORE_ROWS_", kind, "kind"), address, count)
    del kept


def _exclude(request, pool, rows, by_id):
    """Rows that one call leaves out. Of a selection of phrases the phrases are left out by their texts, and so are the sentences
    of a hybrid one by their rows, since `indices` are rows of the selection's own pool."""
    if not isinstance(rows, Selection) or rows.pool is pool or "first_row" not in rows.columns():
        _name_rows(request, pool, "excluded", rows, by_id)
        return
    kinds = rows.column("kind").tolist() if "kind" in rows.columns() else [1] * len(rows)
    _name_rows(request, pool, "excluded", [row for row, kind in zip(rows.column("first_row").tolist(), kinds) if kind == 0], False)
    request.set_pool("excluded", pool_of([text for text, kind in zip(rows.texts, kinds) if kind == 1], pool.context))


def _name_like(request, pool, rows, by_id):
    """Rows of another selection. A pick of a pool that was derived from this one stands for the row where it occurs first."""
    if isinstance(rows, os.PathLike):
        request.set_rows("like", rows)
    elif isinstance(rows, Selection) and rows.pool is not pool and "first_row" in rows.columns():
        _name_rows(request, pool, "like", rows.column("first_row").tolist(), False)
    else:
        _name_rows(request, pool, "like", rows, by_id)


def _suggest(unknown, parameters):
    """Fails for a name that is no parameter of the strategy, nor like one, but like an argument of select()."""
    arguments = set(inspect.signature(select).parameters) - {"named"} | set(_defaults()) | set(_ffi.COLUMNS)
    for name in sorted(unknown):
        if name in ("languages", "references", "groups"):
            raise failure(_ffi.ALCORE_E_PARAM, "%s belong to the texts: give them to a Pool, or as a column of their table" % name)
        near = difflib.get_close_matches(name, arguments, 1, 0.8)
        if near and not difflib.get_close_matches(name, parameters, 1, 0.8) and not lib.alcore_hint(_ffi.ALCORE_HINT_OPTION, name.encode()):
            raise failure(_ffi.ALCORE_E_PARAM, "there is no argument or parameter %r; did you mean %s?" % (name, near[0]))


def _no_budget(named):
    """The error of a call without a budget, which may have given it by the name of another package."""
    hints = {name: lib.alcore_hint(_ffi.ALCORE_HINT_OPTION, name.encode()) for name in named}
    other = [name for name, hint in hints.items() if hint and hint.startswith(b"the budget")]
    return failure(_ffi.ALCORE_E_PARAM, 'the call has no budget; budget="1000w" buys items worth 1000 words%s' %
                   ("; there is no argument %r: %s" % (other[0], hints[other[0]].decode()) if other else ""))


@contextmanager
def _prepared(pool, budget, strategy, by_id, *, labeled=None, exclude=None, eligible=None, like=None, round=1, seed=None, model=None,
              targets=None, fill=None, params=None, progress=None, several=False, **named):
    """The request of one call of select() or ablate(), which has everything that the caller named. by_id: strings in exclude,
    eligible, like and labeled are ids, not texts. several: the strategy is one of several, whose parameters nobody names here."""
    if budget is None:
        raise _no_budget(named)
    strategy = "recommended" if strategy is None else strategy
    meanings = _take_meanings(pool, named)
    made = strategy_of(strategy, pool.context)
    parameters = () if not isinstance(strategy, str) else [param["name"] for param in
                                                    params_of(lib.alcore_strategy_builtin_param, strategy.encode())]
    for_strategy, options, columns = _split(named, parameters, _defaults(), _ffi.COLUMNS)
    if isinstance(strategy, str):
        _suggest(set(for_strategy) - set(parameters), parameters)
    if several and for_strategy:
        raise TypeError("%s: neither an option nor a column; parameters go with their strategy: alcore.Strategy(NAME, %s=...)" % (2 * (next(iter(for_strategy)),)))
    made.set(**dict(params or {}, **for_strategy))
    with _request_of(pool) as request:
        labeled_pool, labeled_rows = _labeled(pool, labeled)
        for name, value in columns.items():
            _refuse_sets(value, name)
            value, how = _meant(value, meanings.get(name))
            pool.set_column(name, value, **how)
        try:
            _exclude(request, pool, exclude, by_id)
            _name_rows(request, pool, "eligible", eligible, by_id)
            _name_like(request, pool, like, by_id)
            _name_rows(request, pool, "labeled", labeled_rows, False)
            request.set_pool("labeled", labeled_pool)
            request.set_pool("target", None if targets is None else pool_of(targets, pool.context))
            request.set_strategy(made)
            request.set_model(model)
            request.set_progress(progress)
            settings = dict(_defaults(), budget=budget, round=round, **options)
            settings["given"] = ",".join([*columns, *(["model"] if model is not None else [])])
            if seed is not None:
                settings["seed"] = seed
            if fill is not None:
                settings["fill"] = fill
            request.set(**settings)
            yield request
        finally:
            request.set_rows("excluded", None)
            request.set_rows("eligible", None)
            request.set_rows("like", None)
            request.set_rows("labeled", None)
            request.set_pool("labeled", None)
            request.set_pool("target", None)
            request.set_pool("excluded", None)
            request.set_strategy(None)
            request.set_model(None)
            request.set_progress(None)


def answer(pool, budget, strategy, by_id=False, **named):
    """select() and Pool.select()."""
    with _prepared(pool, budget, strategy, by_id, **named) as request:
        selection = request._select(pool)
    _warn(selection)
    return selection


def _refuse_sets(values, what):
    """Refuses what has no order, though rows, `indices` and other columns go by it."""
    if isinstance(values, (set, frozenset)):
        raise TypeError("%s: a set has no order, by which rows are numbered and columns follow texts; give a list" % what)


def _pool_to_select(texts, ids, cost):
    for what, values in (("texts", texts), ("ids", ids), ("cost", cost)):
        _refuse_sets(values, what)
    if texts is None:
        raise TypeError("texts are needed: picks are rows of texts. Where there are none, give each row a name: "
                        "[str(row) for row in range(n)], and a budget of items")
    if not isinstance(texts, Pool):
        return Pool(texts, ids=ids, costs=cost)
    if ids is not None or cost is not None:
        raise TypeError("ids and cost belong to the texts: give them to Pool()")
    return texts


def select(texts: Pool | t.Texts, budget: int | float | str | None = None, strategy: t.Rule | None = None, *,
           ids: t.Sequence[str | None] | None = None, labeled: t.Dataset | t.Rows | None = None, exclude: t.Rows | None = None,
           eligible: t.Rows | None = None, like: t.Rows | t.PathLike[str] | None = None, round: int = 1, seed: int = 0,
           model: t.Models | None = None, targets: t.Dataset | None = None, cost: t.Numbers | None = None, fill: str | None = None,
           progress: t.Progress = None, params: Mapping[str, t.Setting] | None = None, **named: Any) -> Selection:
    """Picks the texts that are worth labeling next.

    texts: list of str, a Series or array of them, a table (Arrow, pandas, polars), a file (pathlib.Path) or a Pool.
    budget: "1000w" words, "500" items, "20000c" characters or "150u" units of cost; there is no default, and no share of the
    pool. A list of budgets is spent from the same scores and gives a list of Selections.
    strategy: a name (alcore.strategies() lists them), an alcore.Strategy or a function with @alcore.strategy; None or
    "recommended": the one that this release recommends (alcore.recommended_strategy()), which a minor release may change.
    ids: list of str. labeled: texts whose labels are known, a dict of such texts and their columns
    ({"texts": [...], "embeddings": array}), or rows of texts that are labeled. exclude, eligible: rows, a mask with
    one bool a row, a Selection, or ids (texts when no ids were given). A Selection of phrases or of both excludes its phrases by
    their texts. like: the same, or a file of ids (pathlib.Path): rows of another selection, of whose languages the strategy
    same-ratio picks as many. round: from 1. seed: of every random draw.
    model: what computes missing columns: an object with a model's methods (alcore.Model), "ngram" or a folder; or a dict with
    a model for each column, {"logprobs": "FOLDER", "embeddings": model}.
    Columns by their names: float [rows], [rows, n] or (values, offsets); a file; an alcore.Column. NumPy, PyTorch, CuPy,
    DLPack, Arrow and buffers are read in place. probs_are: what probs hold: "probs" (rows that add up to 1), "logprobs", "logits",
    "sigmoid" (one number a row: the probability of the positive one of two classes) or "multilabel" (one for each label, of any
    sum); token_probs_are and scores_are ("uncertainty", "confidence", "logprob") likewise. targets: texts of the target domain, or a dict as of labeled; the strategy gold
    picks from them, and `indices` are their positions. cost: numbers [rows].
    fill: what happens at the edge of the budget. progress: of this call, as that of a Context. params and further keyword arguments: the strategy's parameters (a name
    that is a word of Python ends with an underscore: lambda_) and options of the request (alcore.request_options()).

    Returns a Selection; `indices` are positions in texts. A strategy that buys phrases selects from the phrases of the texts:
    `indices` are then rows of the selection's own `pool` (alcore.Phrases), and its record column first_row has positions in
    texts. So it is with "hybrid", whose pool has the picks only; the record column kind is 0 for a sentence, 1 for a phrase."""
    pool = _pool_to_select(texts, ids, cost)
    return answer(pool, budget, strategy, ids is not None, labeled=labeled, exclude=exclude, eligible=eligible, like=like,
                  round=round, seed=seed, model=model, targets=targets, fill=fill, progress=progress, params=params, **named)


def ablate(texts: Pool | t.Texts, budget: int | float | str | None = None, strategy: t.Rule | None = None, *,
           parameter: str | None = None, values: t.Iterable[float] = TABLE_7,
           test: Overlap | t.Iterable[str | bytes] | t.PathLike[str] | None = None, ids: t.Sequence[str | None] | None = None,
           labeled: t.Dataset | t.Rows | None = None, exclude: t.Rows | None = None, eligible: t.Rows | None = None,
           like: t.Rows | t.PathLike[str] | None = None, round: int = 1, seed: int = 0, model: t.Models | None = None,
           targets: t.Dataset | None = None, cost: t.Numbers | None = None, fill: str | None = None, progress: t.Progress = None,
           params: Mapping[str, t.Setting] | None = None, **named: Any) -> Table[Ablation]:
    """What one parameter of the strategy changes: selects with each of the values and compares what is selected. A Table with an
    Ablation for each; its `selection` is what select() gives with that value.

    strategy: one that has the parameter; the recommended one has neither of the following. parameter: its name, a weight from 0 to 1;
    None: "ratio" of the strategy "hybrid", else "lambda". values: a list of numbers,
    by default those of HUDS's Table 7. test: texts, a file (pathlib.Path) or an Overlap that has them, whose words the picks
    should cover. All others as of select(); of several budgets the first counts. A model computes a column once."""
    pool = _pool_to_select(texts, ids, cost)
    with _prepared(pool, budget, strategy, ids is not None, labeled=labeled, exclude=exclude, eligible=eligible, like=like, round=round, seed=seed,
                   model=model, targets=targets, fill=fill, progress=progress, params=params, **named) as request:
        found = request._ablate(pool, values, parameter, test)
    _warn(found[0].selection)
    return found


def compare(texts: Pool | t.Texts, budget: int | float | str | None = None, strategies: t.Iterable[t.Rule | None] | Mapping[str, t.Rule | None] = (None,), *,
            test: Overlap | t.Iterable[str | bytes] | t.PathLike[str] | None = None, ids: t.Sequence[str | None] | None = None,
            labeled: t.Dataset | t.Rows | None = None, exclude: t.Rows | None = None, eligible: t.Rows | None = None,
            like: t.Rows | t.PathLike[str] | None = None, round: int = 1, seed: int = 0, model: t.Models | None = None,
            targets: t.Dataset | None = None, cost: t.Numbers | None = None, fill: str | None = None, progress: t.Progress = None,
            **named: Any) -> Comparison:
    """What several strategies would buy with one budget, before anything is paid: a Comparison. The strategy random is added as the floor
    where it is not among them.

    strategies: a list of names, of alcore.Strategy with their parameters or of functions with @alcore.strategy, None for the recommended
    one; or a dict of these by the names that they are to have. test: texts, a file (pathlib.Path) or an Overlap that has them, whose
    words the picks should cover. All others as of select(), the same for all strategies; of several budgets the first counts. A model
    computes a column once."""
    pool = _pool_to_select(texts, ids, cost)
    made = strategies_of(strategies, pool.context)
    if not made:
        raise ValueError("strategies: none is named")
    with _prepared(pool, budget, made[0][1], ids is not None, labeled=labeled, exclude=exclude, eligible=eligible, like=like, round=round, seed=seed,
                   model=model, targets=targets, fill=fill, progress=progress, several=True, **named) as request:
        found = request._compare(pool, made, test)
    _warn_ignored([row.selection for row in found.strategies if not row.added])
    return found


def select_from(pool, budget: int | float | str | None = None, strategy: t.Rule | None = None, *, round: int = 1,
                seed: int | None = None, **named: Any) -> Selection:
    """Picks the rows of this pool that are worth labeling next; arguments as of alcore.select(). Columns that are given or
    computed stay in the pool; exclude and eligible hold for this call. seed: the context's when None."""
    return answer(pool, budget, strategy, True, round=round, seed=seed, **named)


def candidates_of(pool, count: int, round: int = 1, seed: int | None = None, labeled: t.Dataset | None = None) -> list[int]:
    """The rows that a strategy with candidates=count would draw in that round, to be scored elsewhere: list of int."""
    with Request(pool, round=round) as request:
        if seed is not None:
            request.set(seed=seed)
        labeled_pool, labeled_rows = _labeled(pool, labeled)
        _name_rows(request, pool, "labeled", labeled_rows, False)
        if labeled_pool is not None:
            request.set_pool("labeled", labeled_pool)
        return request.candidates(count)


def _signature(function):
    """Adds the names of the columns, which come from the library, to a function's signature."""
    signature = inspect.signature(function)
    fixed = list(signature.parameters.values())
    columns = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in _ffi.COLUMNS]
    rest = inspect.Parameter("strategy_params", inspect.Parameter.VAR_KEYWORD)
    behind = next((number for number, parameter in enumerate(fixed) if parameter.name == "targets"), len(fixed) - 1)
    function.__signature__ = signature.replace(parameters=fixed[:behind] + columns + fixed[behind:-1] + [rest])


_signature(select)
_signature(ablate)
_signature(compare)
_signature(select_from)
Pool.select = select_from
Pool.candidates = candidates_of
