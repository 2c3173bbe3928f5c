# SPDX-License-Identifier: Apache-2.0
"""Tokenizers: how the texts of a Hugging Face model become token ids."""
from __future__ import annotations

import ctypes
from typing import overload

from . import _ffi
from ._calls import run
from ._arrays import integers, memory_of
from ._columns import path_of
from ._handles import Handle, default_context, new, options
from ._lazy import types as t
from ._library import lib
from ._strings import Strings, name_of, text_at


class Tokenizer(Handle):
    """The tokenizer of a Hugging Face folder: tokenizer.json, else vocab.txt or sentencepiece models. Its ids and spans are
    those of the package tokenizers, which is not needed. path: the folder, or tokenizer.json, vocab.txt or a sentencepiece model
    itself."""

    _noun = "tokenizer"

    def __init__(self, path: t.Path, *, context: t.Context | None = None) -> None:
        ctx = context or default_context()
        super().__init__(new(lib.alcore_tokenizer_unref, lib.alcore_tokenizer_open, ctx._handle, path_of(path)), ctx)

    @classmethod
    def open(cls, path: t.Path, *, context: t.Context | None = None) -> t.Self:
        """The tokenizer at path; Tokenizer(path) is the same."""
        return cls(path, context=context)

    @classmethod
    def train(cls, texts: t.Iterable[str | bytes], path: t.Path, *, tokens: int = 0, kind: str = "unigram", coverage: float | None = None,
              byte_fallback: bool = False, max_texts: int = 0, seed: int = 0, context: t.Context | None = None) -> t.Self:
        """Trains a vocabulary on texts, writes it to path as a sentencepiece model and opens it. The program spm_train of
        sentencepiece does it, which must be on PATH.

        tokens: ids, of which 0 to 3 are <pad> <s> </s> <unk>; 0: 8000. kind: unigram or bpe. coverage: share of the characters that
        are tokens themselves, 0.98 to 1; None: 0.9995. byte_fallback=True: other characters become tokens of their bytes. max_texts: so
        many texts, drawn by seed; 0: all."""
        ctx = context or default_context()
        strings = Strings(texts, "texts")
        run(lib.alcore_tokenizer_train_vocabulary, ctx._handle, *strings.arguments, path_of(path), ctypes.byref(options("vocabulary", locals())))
        return cls(path, context=ctx)

    def encode(self, texts: t.Iterable[str | bytes], pairs: t.Iterable[str | bytes] | None = None, *, language: str | None = None,
               max_tokens: int = 0, special: bool = True, as_target: bool = False) -> Tokens:
        """The Tokens of a list of texts; of pairs of texts where `pairs` has the second text of each.

        language: code of the texts' language, such as "deu_Latn", for models that mark it. max_tokens: longer texts are cut, of a
        pair the second text; 0: nothing is cut. special=False: no special tokens such as [CLS]. as_target=True: the texts are
        outputs of a translation model."""
        first = Strings(texts, "texts")
        second = None if pairs is None else Strings(pairs, "pairs")
        if second is not None and second.count != first.count:
            raise ValueError("pairs: %d texts, but there are %d texts" % (second.count, first.count))
        how = options("encode", locals(), without_special=not special)
        others = (None, None) if second is None else second.arguments[:2]
        return Tokens._made(new(lib.alcore_tokens_unref, lib.alcore_tokenizer_encode, self._handle, *first.arguments[:2], *others, first.count,
                                ctypes.byref(how)), self._ctx)

    def decode(self, ids: t.Iterable[int], *, special: bool = False) -> str:
        """The text that ids stand for. special=True: special tokens such as [CLS] are written too."""
        address, count, kept = integers(ids, "ids")
        length, capacity = ctypes.c_size_t(), 16 * count + 64
        while True:
            text = ctypes.create_string_buffer(capacity)
            run(lib.alcore_tokenizer_decode, self._handle, address, count, int(bool(special)), capacity, text,
                ctypes.byref(length))
            if length.value <= capacity:
                return text_at(ctypes.addressof(text), length.value)
            capacity = length.value

    def id(self, token: str) -> int | None:
        """The id of a token such as "[MASK]"; None: there is no such token."""
        found = lib.alcore_tokenizer_id(self._handle, name_of(token, "token"))
        return None if found < 0 else found

    def token(self, id: int) -> str:
        """The text of the token with this id, as the vocabulary writes it."""
        text, length = ctypes.c_void_p(), ctypes.c_size_t()
        run(lib.alcore_tokenizer_token, self._handle, id, ctypes.byref(text), ctypes.byref(length))
        return text_at(text.value, length.value)

    def __len__(self) -> int:
        return lib.alcore_tokenizer_size(self._handle)

    def _description(self):
        return " size=%d" % len(self)


class Tokens(Handle):
    """The tokens of many texts: tokens[i] is the list of the ids of text i."""

    _noun = "tokens"

    def arrays(self) -> tuple[t.Any, t.Any, t.Any, t.Any, t.Any]:
        """(offsets, ids, types, spans, marks): text i has the entries offsets[i] to offsets[i + 1] - 1 of the others. types: int64,
        1 for the second text of a pair in models such as BERT. spans: int64 [n, 2], the bytes of the text that the token stems from,
        0 0 for special tokens. marks: uint8, the bits 1 (a special token) and 2 (the first token of a word). Read-only; they keep the
        handle's memory alive."""
        tensors = [_ffi.alcore_tensor() for _ in range(5)]
        run(lib.alcore_tokens_get, self._handle, *map(ctypes.byref, tensors))
        shared = Tokens._made(lib.alcore_tokens_ref(self._handle), self._ctx)
        return tuple(memory_of(tensor, shared) for tensor in tensors)

    def spans(self, text: int) -> list[tuple[int, ...]]:
        """The spans of the tokens of text number `text`: (first byte, byte after the last)."""
        offsets, _, _, spans, _ = self.arrays()
        number = range(len(offsets) - 1)[text]
        return [tuple(span) for span in spans[offsets[number]:offsets[number + 1]].tolist()]

    def __len__(self) -> int:
        return lib.alcore_tokens_count(self._handle)

    def __iter__(self) -> t.Iterator[list[int]]:
        offsets, ids = self.arrays()[:2]
        bounds = offsets.tolist()
        for begin, end in zip(bounds, bounds[1:]):
            yield ids[begin:end].tolist()

    @overload
    def __getitem__(self, text: int) -> list[int]: ...
    @overload
    def __getitem__(self, text: slice) -> list[list[int]]: ...
    def __getitem__(self, text):
        offsets, ids = self.arrays()[:2]
        if isinstance(text, slice):
            return [self[number] for number in range(*text.indices(len(offsets) - 1))]
        number = range(len(offsets) - 1)[text]
        return ids[offsets[number]:offsets[number + 1]].tolist()

    def _description(self):
        return " texts=%d" % len(self)
