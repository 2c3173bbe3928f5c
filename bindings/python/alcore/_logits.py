# SPDX-License-Identifier: Apache-2.0
"""Columns of a pool, or statistics of tokens, from a model's logits, or from its hidden states and output matrix; embeddings from
hidden states."""
from __future__ import annotations

import ctypes
from contextlib import ExitStack

from . import _ffi
from ._arrays import Tensor, integers, output_of, stream_of, tensor_of
from ._calls import run
from ._columns import ColumnWriter
from ._handles import default_context, struct
from ._intake import is_bool, is_missing, values_of
from ._lazy import types as t
from ._library import lib
from ._search import _Output

LABELS = {(_ffi.ALCORE_KIND_INT, 64): "int64", (_ffi.ALCORE_KIND_INT, 32): "int32"}
# Names of the columns that can be made. The first one has a value for each row, the others one for
# each token.
WRITERS = [name for name, _ in _ffi.alcore_logits_writers._fields_[1:]]
# What can be measured of each token: float64, but int64 for the last one, the likeliest class.
STATISTICS = [name for name, _ in _ffi.alcore_token_stats._fields_[1:]]


class _Given:
    """An alcore_logits and what it points to. arrays: {field of it: array, or None}."""

    def __init__(self, ctx, labels, lengths, arrays):
        tensors = {name: tensor_of(value, name, ctx) for name, value in arrays.items() if value is not None}
        if labels is not None:
            tensors["labels"] = tensor_of(labels, "labels", ctx, LABELS)
        self.struct = struct(_ffi.alcore_logits, **{name: ctypes.addressof(tensor.struct) for name, tensor in tensors.items()})
        self.struct.stream = stream_of(*tensors.values())
        self.tensors, self.sizes = tensors, None
        if lengths is not None:
            self.struct.lengths, self.struct.length_count, self.sizes = integers(lengths, "lengths")


def put_columns(pool, rows, length_count, missing, columns, call):
    """Makes the columns of some rows. length_count: of the rows, None where they are not given; columns: {one of WRITERS: a column's name or a ColumnWriter}; call(context, address of the rows, their
    number, pointer to the writers) fills them."""
    if not columns or set(columns) - set(WRITERS):
        raise TypeError("columns are given as %s; got %s" % (", ".join("%s=" % name for name in WRITERS),
                                                             ", ".join(sorted(columns)) or "none"))
    address, count, kept = pool.rows_of(rows)
    if length_count is not None and length_count != count:
        raise ValueError("%d lengths were given for %d rows" % (length_count, count))
    with ExitStack() as stack:
        out = struct(_ffi.alcore_logits_writers)
        for field, column in columns.items():
            shape = "scalar" if field == WRITERS[0] else "ragged"
            if isinstance(column, str):
                column = stack.enter_context(ColumnWriter(pool, column, shape, missing))
            column._begin_as(shape)
            setattr(out, field, column._handle)
        call(pool.context._handle, address, count, ctypes.byref(out))
    del kept


def _put(pool, rows, labels, lengths, ignore, missing, columns, arrays):
    """The columns of some rows by what arrays say, {field of alcore_logits: array}."""
    given = _Given(pool.context._handle, labels, lengths, arrays)
    put_columns(pool, rows, None if lengths is None else given.struct.length_count, missing, columns, lambda ctx, address, count, out: run(
        lib.alcore_logits_put, ctx, ctypes.byref(given.struct), address, count, ignore, out))


def score_logits(pool: t.Pool, rows: t.Rows, logits: t.Numbers, labels: t.Numbers | None, *, lengths: t.Numbers | None = None,
                 ignore: int = -100, missing: str = "fail", **columns: str | ColumnWriter) -> None:
    """Columns from logits, which are read once, without a copy.

    logits: float16, bfloat16, float32 or float64 [rows, tokens, classes], or [tokens, classes] with lengths, such as a
    torch tensor; slices like logits[:, :-1] are not copied. labels: int64 or int32 [rows, tokens] or [tokens], the class
    that each token's logits are to predict; tokens with the label `ignore` are left out. lengths: tokens of each row.

    columns: nnll, the mean of minus the log-probabilities of a row's labels; logprobs, those of its tokens; margins,
    between the two likeliest classes; confidences, the probability of the likeliest one; entropies. Each is a column's
    name, for a column of these rows, or a ColumnWriter, for batches:

        with pool.column("scores") as writer:
            for rows, batch in batches:
                pool.score_logits(rows, model(batch).logits, batch.labels, nnll=writer)

    A ColumnWriter of shape="scalar" takes margins, confidences or entropies of rows that have one token each: one number
    a row, for classes of whole texts.

    missing: what happens to rows that are not given, as for Pool.column()."""
    _put(pool, rows, labels, lengths, ignore, missing, columns, {"logits": logits})


def score_hidden(pool: t.Pool, rows: t.Rows, hidden: t.Numbers, output: t.Numbers, labels: t.Numbers | None, *, bias: t.Numbers | None = None,
                 lengths: t.Numbers | None = None, ignore: int = -100, missing: str = "fail", **columns: str | ColumnWriter) -> None:
    """The columns of score_logits() from the last hidden states [rows, tokens, d] or [tokens, d] and the model's output matrix [classes, d], and
    its bias [classes]: the logits are never written, so that a vocabulary of 250,000 needs no memory."""
    _put(pool, rows, labels, lengths, ignore, missing, columns, {"hidden": hidden, "output": output, "bias": bias})


def measure_logits(logits: t.Numbers, labels: t.Numbers | None, out: dict[str, t.Any], *, lengths: t.Numbers | None = None,
                   ignore: int = -100, context: t.Context | None = None) -> dict[str, t.Any]:
    """Statistics of each token, written to the arrays of `out`, which is returned: {"logprob": array, ...}. On a CUDA device nothing
    of the tokens comes to the host, and a ColumnWriter with on_device=True makes a column there of what is measured.

    logits, labels, lengths and ignore: as for Pool.score_logits(). out: contiguous arrays [rows, tokens] or [tokens], as the logits
    have without their classes, in host memory or on the device of the logits: float64 for logprob (of the label), top1 and top2 (of
    the two likeliest classes), margin, entropy (in nats) and logsumexp, int64 for likeliest, a class. Entries of tokens that are
    left out stay as they are."""
    if not out or set(out) - set(STATISTICS):
        raise TypeError("out has some of %s; got %s" % (", ".join(STATISTICS), ", ".join(sorted(out)) or "none"))
    ctx = (context or default_context())._handle
    given = _Given(ctx, labels, lengths, {"logits": logits})
    shape = given.tensors["logits"].shape[:-1]
    tensors = {name: output_of(value, name, ctx, (_ffi.ALCORE_KIND_INT if name == STATISTICS[-1] else _ffi.ALCORE_KIND_FLOAT, 64), shape)
               for name, value in out.items()}
    given.struct.stream = stream_of(*given.tensors.values(), *tensors.values())
    stats = struct(_ffi.alcore_token_stats, **{name: ctypes.addressof(tensor.struct) for name, tensor in tensors.items()})
    run(lib.alcore_logits_measure, ctx, ctypes.byref(given.struct), ignore, ctypes.byref(stats))
    return out


def _flags(words):
    """The flags of tokens that begin a word as a Tensor, where words has booleans or bytes; else the numbers of words, a list."""
    values = words if isinstance(words, (bytes, bytearray)) else values_of(words, "words")
    kind = str(getattr(words, "dtype", "")).rpartition(".")[2].lower()
    if not (isinstance(values, (bytes, bytearray)) or kind in ("bool", "uint8") or (values and all(map(is_bool, values)))):
        return values
    kept = (ctypes.c_uint8 * max(len(values), 1))(*map(bool, values))
    return Tensor(ctypes.addressof(kept), (_ffi.ALCORE_KIND_UINT, 8), (len(values),), keep=kept)


def first_subword_mean(hidden: t.Numbers, words: t.Numbers, offsets: t.Iterable[int], *, context: t.Context | None = None) -> t.Array:
    """Embeddings for tasks that label words (DeMuX): for each row the mean, over its words, of the hidden state of the word's
    first token; float64 [rows, dims], NaN in a row without a word.

    hidden: float16, bfloat16, float32 or float64 [tokens, dims], such as a torch tensor on the CPU, the rows one after the other.
    words: for each token whether it begins a word (booleans, or uint8 such as `Tokens.marks & 2`), or the number of its word as in
    `word_ids()` of Hugging Face, with None or a negative number for special tokens and padding. offsets: [rows + 1], the first token
    of each row, and the number of all. A padded array [rows, length, dims] is given as hidden.reshape(-1, dims) with
    range(0, rows * length + 1, length)."""
    ctx = context or default_context()
    states = tensor_of(hidden, "hidden", ctx._handle)
    flags = _flags(words)
    if not isinstance(flags, Tensor):
        address, count, kept = integers([-1 if is_missing(word) else word for word in flags], "words")
        flags = Tensor(address, (_ffi.ALCORE_KIND_INT, 64), (count,), keep=kept)
    address, count, kept = integers(offsets, "offsets")
    starts = Tensor(address, (_ffi.ALCORE_KIND_INT, 64), (count,), keep=kept)
    out = _Output("d", (max(count - 1, 0), states.shape[-1] if states.shape else 0))
    run(lib.alcore_hidden_average_words, ctx._handle, states.reference, flags.reference, starts.reference, out.tensor.reference)
    return out.filled()
