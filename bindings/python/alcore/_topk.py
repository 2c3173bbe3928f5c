# SPDX-License-Identifier: Apache-2.0
"""Columns of a pool from the log-probabilities of the likeliest tokens, as inference servers give them."""
from __future__ import annotations

import ctypes
from collections.abc import Mapping

from . import _ffi
from ._arrays import integers, tensor_of
from ._calls import run
from ._handles import choice, struct
from ._intake import is_missing
from ._lazy import types as t
from ._library import lib
from ._logits import LABELS, put_columns

_EMPTY = float("-inf")  # in a place of the k likeliest where a server gave fewer


def _is_nested(value):
    """Whether a list has a list for each row, and not a number for each token."""
    return isinstance(value, (list, tuple)) and all(isinstance(row, (list, tuple)) for row in value) and any(
        isinstance(token, (list, tuple, Mapping)) or token is None for row in value for token in row)


def _number(value, row, token):
    """A log-probability, which may be the attribute `logprob` of what a server gave."""
    value = getattr(value, "logprob", value)
    if is_missing(value):
        raise ValueError("row %d, token %d has no log-probability: leave the first token of a prompt out" % (row, token))
    return float(value)


def _classes_of(entry, row, token):
    """(ids or None, log-probabilities) of the likeliest classes of a token: a list of numbers, or a mapping from ids (or texts)."""
    if entry is None:
        raise ValueError("row %d, token %d has no log-probability: leave the first token of a prompt out" % (row, token))
    if not isinstance(entry, Mapping):
        return None, [_number(value, row, token) for value in entry]
    ids = list(entry) if all(isinstance(key, int) for key in entry) else None
    return ids, [_number(value, row, token) for value in entry.values()]


def _padded(lists, filler):
    """Lists of numbers as equally long ones."""
    most = max(map(len, lists), default=0)
    return [numbers + [filler] * (most - len(numbers)) for numbers in lists]


def _flatten(logprobs, top, ids):
    """The arrays of the tokens of all rows, by their names, and the tokens of each row, from a list with a list for each row."""
    found = [[_classes_of(entry, r, t) for t, entry in enumerate(row)] for r, row in enumerate(top)]
    tokens = [token for row in found for token in row]
    arrays = {"top": _padded([numbers for _, numbers in tokens], _EMPTY)}
    if tokens and all(classes is not None for classes, _ in tokens):
        arrays["top_ids"] = _padded([classes for classes, _ in tokens], -1)
    if logprobs is not None:
        _check_lengths(logprobs, found, "logprobs")
        arrays["logprobs"] = [_number(value, r, t) for r, row in enumerate(logprobs) for t, value in enumerate(row)]
    if ids is not None:
        _check_lengths(ids, found, "ids")
        arrays["ids"] = [number for row in ids for number in row]
    return arrays, [len(row) for row in found]


def _check_lengths(rows, top, what):
    """Every row must have as many tokens as in `top`."""
    if len(rows) != len(top):
        raise ValueError("%s: %d rows, and top has %d" % (what, len(rows), len(top)))
    for number, (row, classes) in enumerate(zip(rows, top)):
        if len(row) != len(classes):
            raise ValueError("%s: row %d has %d tokens, and %d in top" % (what, number, len(row), len(classes)))


def score_topk(pool: t.Pool, rows: t.Rows, logprobs: t.Any | None, top: t.Any | None, /, *, ids: t.Any | None = None,
               top_ids: t.Numbers | None = None, lengths: t.Numbers | None = None, classes: int = 0, rest: str = "one_class",
               missing: str = "fail", **columns: str | t.ColumnWriter) -> None:
    """Columns from what an inference server says of the tokens that it made or scored: natural log-probabilities.

    logprobs: of each token, or None; top: of the k likeliest tokens of the vocabulary in its place, in any order, or None. Both are lists
    with a list for each row:

        pool.score_topk([0, 1], [[-0.1, -2.3], [-0.7]], [[[-0.1, -3.0], [-0.4, -2.3]], [[-0.7, -0.7]]], margins="margins")

    where a token's likeliest ones are a list of numbers or a mapping {id: number}, as vLLM gives it; or arrays, float16, bfloat16, float32
    or float64, logprobs [tokens] and top [tokens, k], with lengths, the tokens of each row (none: all rows have equally many). A place that a
    server left empty is minus infinity. ids: the id of each token, and top_ids, those of `top`, where that has none: without ids a token
    is one of `top` where the two numbers are equal.

    columns: as for score_logits(). Margins and confidences are those of the whole vocabulary. Entropies are a bound: rest="one_class" takes
    the tokens that are not listed for one and bounds the entropy from below, rest="uniform" spreads their mass evenly over the
    vocabulary, of `classes` tokens, and bounds it from above. Numbers that no model can give are a DataError that names row and token."""
    arrays = {"logprobs": logprobs, "top": top, "ids": ids, "top_ids": top_ids}
    if lengths is None and _is_nested(top):
        nested, lengths = _flatten(logprobs, top, ids)
        if top_ids is not None and "top_ids" in nested:
            raise TypeError("top_ids: top is a mapping, which has ids")
        arrays.update(nested)
        if top_ids is not None:
            _check_lengths(top_ids, top, "top_ids")
            arrays["top_ids"] = _padded([list(classes) for row in top_ids for classes in row], -1)
    elif lengths is None and top is None and isinstance(logprobs, list) and all(isinstance(row, (list, tuple)) for row in logprobs):
        arrays["logprobs"] = [_number(value, r, t) for r, row in enumerate(logprobs) for t, value in enumerate(row)]
        lengths = [len(row) for row in logprobs]
    ctx = pool.context._handle
    accept = {"ids": LABELS, "top_ids": LABELS}
    tensors = {name: tensor_of(value, name, ctx, *([accept[name]] if name in accept else ()))
               for name, value in arrays.items() if value is not None}
    given = struct(_ffi.alcore_topk, classes=classes, rest=choice("ALCORE_REST_", rest, "rest"),
                   **{name: ctypes.addressof(tensor.struct) for name, tensor in tensors.items()})
    kept = None
    if lengths is not None:
        given.lengths, given.length_count, kept = integers(lengths, "lengths")
    put_columns(pool, rows, None if lengths is None else given.length_count, missing, columns, lambda ctx, address, count, out: run(
        lib.alcore_logits_put_topk, ctx, ctypes.byref(given), address, count, out))
    del kept
