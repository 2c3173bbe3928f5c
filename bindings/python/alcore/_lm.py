# SPDX-License-Identifier: Apache-2.0
"""The n-gram language model."""
import array
import ctypes

from . import _ffi
from ._calls import check, run
from ._columns import path_of
from ._handles import Handle, default_context, new, struct
from ._library import lib
from ._strings import Strings


class LanguageModel(Handle):
    """An n-gram model with interpolated modified Kneser-Ney smoothing; it never changes once made.

    LanguageModel(texts, order=0) trains one: each text is one sentence, order 1 to 6 (0: 4)."""

    _noun = "lm"

    def __init__(self, texts, *, order=0, context=None):
        ctx = context or default_context()
        strings = Strings(texts, "texts")
        options = struct(_ffi.alcore_lm_options, order=order)
        super().__init__(new(lib.alcore_lm_unref, lib.alcore_lm_train, ctx._handle, ctypes.byref(options),
                             ctypes.addressof(strings.pointers), ctypes.addressof(strings.lengths), strings.count), ctx)

    @classmethod
    def read(cls, path, *, context=None):
        """A model in ARPA format."""
        ctx = context or default_context()
        made = cls.__new__(cls)
        Handle.__init__(made, new(lib.alcore_lm_unref, lib.alcore_lm_read_arpa, ctx._handle, path_of(path)), ctx)
        return made

    def write(self, path):
        """Writes the model in ARPA format."""
        run(lib.alcore_lm_write_arpa, self._handle, path_of(path))

    def score(self, text):
        """Total log10 probability of a text with its end, <= 0."""
        data, out = text.encode(), ctypes.c_double()
        check(lib.alcore_lm_score(self._handle, data, len(data), ctypes.byref(out)))
        return out.value

    def token_logprobs(self, text):
        """Natural log-probability of every word and of the end: array of float32 [words + 1]."""
        data, count = text.encode(), ctypes.c_int64()
        check(lib.alcore_lm_token_logprobs(self._handle, data, len(data), None, 0, ctypes.byref(count)))
        out = array.array("f", bytes(4 * count.value))
        check(lib.alcore_lm_token_logprobs(self._handle, data, len(data), out.buffer_info()[0], count.value,
                                           ctypes.byref(count)))
        return out

    @property
    def order(self):
        """Length of the longest n-grams."""
        return lib.alcore_lm_order(self._handle)

    def ngrams(self, order):
        """Number of n-grams of one order."""
        return lib.alcore_lm_ngrams(self._handle, order) if 0 < order <= self.order else 0

    @property
    def fingerprint(self):
        """A number that names the model in provenance."""
        return lib.alcore_lm_fingerprint(self._handle)

    def _facts(self):
        return " order=%d unigrams=%d" % (self.order, self.ngrams(1))
