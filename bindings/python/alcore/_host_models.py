# SPDX-License-Identifier: Apache-2.0
"""Models made of the caller's Python functions: what they are asked for, and what becomes of their answers."""
from __future__ import annotations

import ctypes
import hashlib
import operator
from collections.abc import Mapping

from . import _ffi
from ._arrays import integers
from ._calls import call_back, check
from ._columns import RAGGED, column_of, put
from ._handles import choice
from ._hosts import part_of
from ._intake import values_of
from ._lazy import types as t
from ._library import lib
from ._strings import text_at

#: Methods that make one column each, and that column.
METHODS = {"embed": "embeddings", "token_logprobs": "logprobs", "class_probs": "probs", "token_probs": "token_probs"}


class Batch(list):
    """Texts on their way to a model: a list of str with `rows` (row numbers), `languages` (tags), `pool` (what the rows are of, to be
    read), `references` and `contexts` (a list of str, None for a row without one; or None where the model does not read them)."""

    def __init__(self, texts: t.Iterable[str], rows: list[int], languages: list[str], references: list[str | None] | None = None,
                 contexts: list[str | None] | None = None, pool: t.Pool | None = None) -> None:
        super().__init__(texts)
        self.rows, self.languages, self.references, self.contexts, self.pool = rows, languages, references, contexts, pool


def _texts_at(texts, lengths, count):
    """The texts of arrays of the library, which may be NULL."""
    if not texts:
        return None
    return [None if text is None else text_at(text, length) for text, length in zip(
        (ctypes.c_void_p * count).from_address(texts), (ctypes.c_size_t * count).from_address(lengths))]


def batch_of(pointer, pool_type):
    batch = _ffi.alcore_batch.from_address(pointer)
    count = batch.count
    return Batch(_texts_at(batch.texts, batch.lengths, count), (ctypes.c_int64 * count).from_address(batch.rows)[:],
                 [tag.decode() for tag in (ctypes.c_char_p * count).from_address(batch.languages)],
                 _texts_at(batch.references, batch.reference_lengths, count),
                 _texts_at(batch.contexts, batch.context_lengths, count), pool_type.borrowed(batch.pool))


class OwnModel:
    """A caller's model, as the trampolines call it: an object with methods, or a mapping from columns to functions."""

    def __init__(self, model, ctx, pool_type):
        self.model, self.ctx, self.pool_type = model, ctx, pool_type
        if isinstance(model, Mapping):
            self.functions = {column: (function, "the function of %s" % column) for column, function in model.items()}
        else:
            self.functions = {column: (getattr(model, method), "%s()" % method) for method, column in METHODS.items()
                              if callable(getattr(model, method, None))}
        self.computes = getattr(model, "compute", None)
        if not callable(self.computes):
            self.computes = None
        self.shapes = {}  # column -> shape, where the model says one

    def check(self):
        """Raises for what is no model."""
        wrong = [column for column, (function, _) in self.functions.items() if not isinstance(column, str) or not callable(function)]
        if wrong:
            raise TypeError("a model of functions is {column: function}; %r has none" % (wrong[0],))
        if self.computes and not (callable(getattr(self.model, "can", None)) or getattr(self.model, "columns", None)):
            raise TypeError("a model with compute() says which columns it makes: columns = (\"logprobs\", ...) or can(column)")
        if not self.functions and not self.computes and not any(
                callable(getattr(self.model, name, None)) for name in ("score_references", "translate")):
            raise TypeError("a model needs one of the methods %s, compute, score_references, translate, or is {column: function}; %s has none" % (
                ", ".join(METHODS), type(self.model).__name__))

    def can(self, column):
        if column in self.functions:
            return True
        if not self.computes:
            return False
        can = getattr(self.model, "can", None)
        return bool(can(column)) if callable(can) else column in self.model.columns

    def describe(self, column, out):
        """Writes what the model says of a column: {"shape": "scalar", "meaning": "logits", "per_word": True}."""
        said = dict(self.model.describe(column) or {})
        if "shape" in said:
            out.shape = choice("ALCORE_COLUMN_", said.pop("shape"), "shape")
            self.shapes[column] = out.shape
        if "meaning" in said:
            out.meaning = choice("ALCORE_MEANS_", said.pop("meaning"), "meaning")
        out.per_word = int(bool(said.pop("per_word", False)))
        if said:
            raise TypeError("describe(%r): %s; shape, meaning and per_word are known" % (column, ", ".join(sorted(said))))

    def version(self):
        """The model's version as 64 bits."""
        found = self.model.version() if callable(self.model.version) else self.model.version
        if isinstance(found, str):
            return int.from_bytes(hashlib.blake2b(found.encode(), digest_size=8).digest(), "little")
        return operator.index(found) & 0xFFFFFFFFFFFFFFFF

    def compute(self, batch, columns, writers, count):
        """Asks for the columns of a batch, and puts the rows into their writers."""
        names = [name.decode() for name in (ctypes.c_char_p * count).from_address(columns)[:]]
        outs = (ctypes.c_void_p * count).from_address(writers)[:]
        texts = batch_of(batch, self.pool_type)
        together = [name for name in names if name not in self.functions]
        answers = self._compute_together(texts, together) if together else {}
        for name, writer in zip(names, outs):
            function, label = self.functions.get(name, (None, "compute()"))
            self._put(writer, texts, name, answers[name] if function is None else function(texts), label)

    def _compute_together(self, texts, names):
        """What compute() answers: a mapping with exactly the columns that it is asked for."""
        found = self.computes(texts, names)
        if not isinstance(found, Mapping):
            raise TypeError("compute(): a dict {column: rows} is expected, got %s" % type(found).__name__)
        for name in found:
            if name not in names:
                raise ValueError("compute() gave the column %r, and was asked for %s" % (name, ", ".join(names)))
        for name in names:
            if name not in found:
                raise ValueError("compute() was asked for the column %r and did not give it" % name)
        return found

    def score(self, batch, writer):
        """Asks for the log-probabilities of the references of a batch."""
        texts = batch_of(batch, self.pool_type)
        self._put(writer, texts, METHODS["token_logprobs"], self.model.score_references(texts), "score_references()")

    def _put(self, writer, texts, name, result, label):
        what = "the result of %s, the column %s" % (label, name)
        column, lengths = self._column(name, result, what), None
        if column.offsets is not None:
            lengths = values_of(column.offsets, what + " lengths")
            if len(lengths) == len(texts) + 1:
                lengths = [end - begin for begin, end in zip(lengths, lengths[1:])]
        put(writer, integers(texts.rows, "rows"), column.values, lengths, name, self.ctx._handle, what)

    def _column(self, name, result, what):
        """The result as a column: of a name without a usual shape as the model says it, else one number a token."""
        usual = _ffi.COLUMNS.get(name, _ffi.ALCORE_COLUMN_SCALAR)
        shape = self.shapes.get(name, _ffi.ALCORE_COLUMN_RAGGED if usual is None else usual)
        return column_of(name, result, what, ragged=shape in RAGGED)

    def translate(self, batch, options, out):
        """Asks for the outputs of a batch: a text for each, a pair (text, log-probabilities), or a list of up to `best` of these."""
        given = _ffi.alcore_translate_options.from_address(options)
        names = ("beams", "max_tokens", "length_penalty", "temperature", "seed", "best")
        said = {name: getattr(given, name) for name in names}
        said = {name: None if value != value else value for name, value in said.items()}  # NaN: unset
        said.update(sample=bool(given.sample), language=given.language.decode() if given.language else None)
        texts = batch_of(batch, self.pool_type)
        found = list(self.model.translate(texts, **said))
        if len(found) != len(texts):
            raise ValueError("translate(): %d outputs for %d texts" % (len(found), len(texts)))
        for item, outputs in enumerate(found):
            for rank, output in enumerate(outputs if isinstance(outputs, list) else [outputs]):
                _put_output(out, item, rank, output)

    def set_language(self, language):
        self.model.set_language(None if language is None else language.decode())

    def set_dropout(self, on, seed):
        self.model.set_dropout(seed if on else None)

    def tell(self, out):
        """Fills what is known of the model: the keys of the dict `info` are the members of alcore_model_info."""
        info = self.model.info() if callable(self.model.info) else self.model.info
        self.told = told = _Told(info)
        for name, value in told.members.items():
            setattr(out, name, value)


class _Told:
    """The members of an alcore_model_info, and what they point to."""

    def __init__(self, info):
        self.members, self.kept = {}, []
        numbers = {"dims", "classes", "max_tokens", "vocabulary"}
        texts = {"family", "device", "version", "json", "prompt"}
        for name, value in dict(info).items():
            if name == "labels":
                self.kept = (ctypes.c_char_p * len(value))(*[label.encode() for label in value])
                self.members.update(labels=ctypes.addressof(self.kept), classes=len(value))
            elif name in numbers:
                self.members[name] = operator.index(value)
            elif name in texts:
                self.members[name] = value.encode()
            else:
                raise TypeError("info: %r is none of %s" % (name, ", ".join(sorted(numbers | texts | {"labels"}))))


def _put_output(out, item, rank, output):
    """Puts an output: a text, or a pair of it and the log-probabilities of its tokens, or with a score as third."""
    parts = output if isinstance(output, tuple) else (output,)
    text = parts[0].encode("utf-8", "surrogatepass")
    numbers = [] if len(parts) < 2 or parts[1] is None else [float(number) for number in values_of(parts[1], "log-probabilities")]
    logprobs = (ctypes.c_float * max(len(numbers), 1))(*numbers)
    score = float(parts[2]) if len(parts) > 2 else float("nan") if numbers else 0.0
    check(lib.alcore_outputs_put(out, item, rank, text, len(text), ctypes.addressof(logprobs), len(numbers), score))


def _answer(question, default):
    """What question() answers inside a callback that cannot fail; an exception is raised when the outer call returns."""
    found = [default]

    def ask():
        found[0] = question()

    call_back(ask)
    return found[0]


def _trampoline(field, call):
    """The C function of a field of alcore_model_host."""
    return dict(_ffi.alcore_model_host._fields_)[field](call)


_compute = _trampoline("compute", lambda user, *arguments: call_back(part_of(user).compute, *arguments))
_score = _trampoline("score", lambda user, *arguments: call_back(part_of(user).score, *arguments))
_can = _trampoline("can", lambda user, column: int(_answer(lambda: part_of(user).can(column.decode()), False)))
_describe = _trampoline("describe", lambda user, column, out: _answer(
    lambda: part_of(user).describe(column.decode(), _ffi.alcore_model_column.from_address(out)), None))
_version = _trampoline("version", lambda user: _answer(part_of(user).version, 0))
_info = _trampoline("info", lambda user, out: _answer(lambda: part_of(user).tell(_ffi.alcore_model_info.from_address(out)), None))
_set_language = _trampoline("set_language", lambda user, language: call_back(part_of(user).set_language, language))
_set_dropout = _trampoline("set_dropout", lambda user, on, seed: call_back(part_of(user).set_dropout, on, seed))
translate_function = _ffi.alcore_translate_function(lambda user, *arguments: call_back(part_of(user).translate, *arguments))


def functions_of(part):
    """The fields of alcore_model_host that a part has functions for."""
    model = part.model
    found = {}
    if part.functions or part.computes:
        found.update(can=_can, compute=_compute)
    for name, field, function in (("describe", "describe", _describe), ("score_references", "score", _score), ("info", "info", _info),
                                  ("set_language", "set_language", _set_language), ("set_dropout", "set_dropout", _set_dropout),
                                  ("version", "version", _version)):
        if getattr(model, name, None) is not None:
            found[field] = function
    return found
