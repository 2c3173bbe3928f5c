# SPDX-License-Identifier: Apache-2.0
"""The n-gram language model."""
from __future__ import annotations

import array
import ctypes
from typing import overload

from . import _ffi
from ._arrays import Tensor
from ._calls import check, run
from ._columns import path_of
from ._handles import Handle, default_context, getter, new, struct
from ._lazy import types as t
from ._library import lib
from ._numbers import float_list
from ._strings import Strings


def tensor_to_fill(numbers, kind, bits):
    """A Tensor over an array.array that the library overwrites. The caller keeps it in a variable until the call has returned:
    it owns the shape that the library reads."""
    return Tensor(numbers.buffer_info()[0] if len(numbers) else None, (kind, bits), (len(numbers),), keep=numbers)


_MAX_ONE = 1000  # characters
_spare = []  # arguments for calls that score one text, which no call uses: made by _one_text()


def _one_text():
    """Memory for the text, its length and its total, and the arguments of a call with these. Making them takes three times as
    long as the call, so they are kept."""
    text, length, numbers = ctypes.c_char_p(), ctypes.c_size_t(), array.array("d", [0.0])
    total = tensor_to_fill(numbers, _ffi.ALCORE_KIND_FLOAT, 64)
    return text, length, numbers, (ctypes.addressof(text), ctypes.addressof(length), 1, ctypes.addressof(total.struct)), total


def _score_one(handle, text):
    """Total log10 probability of a str of at most _MAX_ONE characters, or None where the usual call has to say why not. The
    library scores it within a millisecond, on this thread and without callbacks, so the call needs nothing of run(). A call takes
    its arguments out of _spare, by one operation of the interpreter: no thread and no signal handler gets the same ones."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        return None
    try:
        one = _spare.pop()
    except IndexError:
        one = _one_text()
    one[0].value, one[1].value = data, len(data)
    total = None if lib.alcore_lm_score(handle, *one[3]) else one[2][0]
    _spare.append(one)
    return total


class LanguageModel(Handle):
    """An n-gram model with interpolated modified Kneser-Ney smoothing; it never changes once made.

    LanguageModel(texts, order=0) trains one: each text is one sentence, order 1 to 6 (0: 4). discounts: D(1), D(2) and D(3+) of
    every order, or those of order 1, then of order 2, ..., in place of those that the counts give."""

    _noun = "lm"

    def __init__(self, texts: t.Iterable[str], *, order: int = 0, discounts: t.Iterable[float] | None = None,
                 context: t.Context | None = None) -> None:
        ctx = context or default_context()
        strings = Strings(texts, "texts")
        given = float_list(() if discounts is None else discounts, "discounts")
        settings = struct(_ffi.alcore_lm_options, order=order, discounts=None if discounts is None else given.buffer_info()[0],
                          discount_count=len(given))
        super().__init__(new(lib.alcore_lm_unref, lib.alcore_lm_new_trained, ctx._handle, *strings.arguments, ctypes.byref(settings)), ctx)

    @classmethod
    def read(cls, path: t.Path, *, context: t.Context | None = None) -> t.Self:
        """A model in ARPA format."""
        ctx = context or default_context()
        return cls._made(new(lib.alcore_lm_unref, lib.alcore_lm_open_arpa, ctx._handle, path_of(path)), ctx)

    def write(self, path: t.Path) -> None:
        """Writes the model in ARPA format."""
        run(lib.alcore_lm_write_arpa, self._handle, path_of(path))

    @overload
    def score(self, texts: str) -> float: ...
    @overload
    def score(self, texts: t.Iterable[str]) -> t.array[float]: ...
    def score(self, texts):
        """Total log10 probability of a text with its end, <= 0; of several texts: array of float64 [texts]."""
        if isinstance(texts, str):
            total = _score_one(self._handle, texts) if len(texts) <= _MAX_ONE else None
            return self.score([texts])[0] if total is None else total
        strings = Strings(texts, "texts")
        out = array.array("d", bytes(8 * strings.count))
        totals = tensor_to_fill(out, _ffi.ALCORE_KIND_FLOAT, 64)
        run(lib.alcore_lm_score, self._handle, *strings.arguments, totals.reference)
        return out

    @overload
    def token_logprobs(self, texts: str) -> t.array[float]: ...
    @overload
    def token_logprobs(self, texts: t.Iterable[str]) -> list[t.array[float]]: ...
    def token_logprobs(self, texts):
        """Natural log-probability of every word of a text and of its end: array of float32 [words + 1]; of several texts a
        list of these."""
        if isinstance(texts, str):
            return self.token_logprobs([texts])[0]
        strings = Strings(texts, "texts")
        offsets = array.array("q", bytes(8 * (strings.count + 1)))
        given = (self._handle, *strings.arguments)
        bounds = tensor_to_fill(offsets, _ffi.ALCORE_KIND_INT, 64)
        run(lib.alcore_lm_token_logprobs, *given, bounds.reference, None)
        values = array.array("f", bytes(4 * offsets[-1]))
        filled = tensor_to_fill(values, _ffi.ALCORE_KIND_FLOAT, 32)
        run(lib.alcore_lm_token_logprobs, *given, bounds.reference, filled.reference)
        return [values[begin:end] for begin, end in zip(offsets, offsets[1:])]

    order = getter(int, "alcore_lm_order", "Length of the longest n-grams.")

    def ngrams(self, order: int) -> int:
        """Number of n-grams of one order."""
        if not 0 < order <= self.order:
            return 0
        info = struct(_ffi.alcore_lm_order_info)
        check(lib.alcore_lm_order_get(self._handle, order, ctypes.byref(info)))
        return info.ngrams

    fingerprint = getter(int, "alcore_lm_fingerprint", "A number that names the model in provenance.")

    def _description(self):
        return " order=%d unigrams=%d" % (self.order, self.ngrams(1))
