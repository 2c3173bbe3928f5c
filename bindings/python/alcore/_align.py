# SPDX-License-Identifier: Apache-2.0
"""Word alignment: which word of a sentence translates which word of its translation."""
from __future__ import annotations

import array
import ctypes
from collections.abc import Mapping
from itertools import accumulate, chain
from typing import overload

from . import _ffi
from ._arrays import Tensor, memory_of
from ._calls import run
from ._columns import path_of
from ._frames import frame_of
from ._handles import Handle, default_context, getter, new, options
from ._intake import is_table, values_of
from ._lazy import types as t
from ._library import lib
from ._parts import all_of
from ._pool import Pool
from ._records import record_fields
from ._strings import Strings, name_of


def _sides(pairs):
    """Sources and targets of the pairs, with the arguments that a call takes them as."""
    if isinstance(pairs, Pool):
        both = [(text, pairs.reference(row) or "") for row, text in enumerate(pairs)]
    elif is_table(pairs):
        both = _pairs_of_table(pairs)
    else:
        both = [_pair(pair, number) for number, pair in enumerate(values_of(pairs, "pairs"))]
    sides = [Strings([pair[side] for pair in both], what) for side, what in enumerate(("sources", "targets"))]
    return sides, (*sides[0].arguments[:2], *sides[1].arguments)


def _pairs_of_table(table):
    """The texts of a table with their references."""
    frame = frame_of(table, "pairs")
    fields = record_fields(frame)
    if "references" not in fields:
        raise ValueError("pairs: the table has no column target, reference or translation; its columns are " + frame.listed())
    sides = [values_of(frame.column(fields[name]), "pairs") for name in ("texts", "references")]
    return list(zip(*sides))


def _pair(pair, number):
    if isinstance(pair, Mapping):
        raise TypeError("pairs[%d]: a pair (source, target) is expected, got a dict with the keys %s; say which is the source, such as "
                        "[(pair[%r], pair[%r]) for pair in pairs]" % (number, ", ".join(map(str, pair)), *(list(pair) * 2)[:2]))
    if not isinstance(pair, (list, tuple)) or len(pair) != 2:
        raise TypeError("pairs[%d]: a pair (source, target) is expected, got %s" % (number, type(pair).__name__))
    return pair


def _method(name):
    return None if name is None else name_of(name, "symmetrization")


def align(pairs: Pool | t.Iterable[t.Sequence[str]], *, symmetrization: str | None = None, model: str = "diagonal", estimate: str = "bayes",
          tension: str = "off", iterations: int = 0, p0: float | None = None, lambda_: float | None = None, alpha: float | None = None,
          context: t.Context | None = None) -> Links:
    """The Links of sentence pairs: trains an aligner in each direction and symmetrizes their links.

    pairs: (source, target) of each sentence pair, or a Pool with references. symmetrization: "grow-diag-final-and" (the
    default), "grow-diag-final", "grow-diag", "intersection", "union", "forward" or "reverse". The other settings are those of
    Aligner."""
    ctx = context or default_context()
    sides, texts = _sides(pairs)
    settings = options("aligner", locals())
    found = Links._made(new(lib.alcore_links_unref, lib.alcore_align, ctx._handle, *texts, _method(symmetrization),
                            ctypes.byref(settings), None), ctx)
    del sides
    return found


class Links(Handle):
    """Links of many sentence pairs: links[i] is a list of (source word, target word), both from 0, of pair i.

    Links([[(0, 0), (1, 2)], []]) makes them from lists; align(), an Aligner and Links.read() make them too."""

    _noun = "links"

    def __init__(self, pairs: t.Iterable[t.Iterable[t.Sequence[int]]], *, context: t.Context | None = None) -> None:
        ctx = context or default_context()
        ordered = [sorted(set(map(tuple, pair))) for pair in pairs]
        offsets = array.array("q", accumulate(map(len, ordered), initial=0))
        numbers = array.array("i", chain.from_iterable(chain.from_iterable(ordered)))
        if len(numbers) != 2 * offsets[-1]:
            raise ValueError("a link is a pair (source word, target word)")
        bounds = Tensor(offsets.buffer_info()[0], (_ffi.ALCORE_KIND_INT, 64), (len(offsets),), keep=offsets)
        values = Tensor(numbers.buffer_info()[0] if len(numbers) else None, (_ffi.ALCORE_KIND_INT, 32), (offsets[-1], 2),
                        keep=numbers)
        super().__init__(new(lib.alcore_links_unref, lib.alcore_links_new, ctx._handle, bounds.reference, values.reference), ctx)

    @classmethod
    def read(cls, path: t.Path, pairs: int | None = None, *, context: t.Context | None = None) -> t.Self:
        """Links of a file in Pharaoh's notation, a line a sentence pair. pairs: how many lines it is to have."""
        ctx = context or default_context()
        return cls._made(new(lib.alcore_links_unref, lib.alcore_links_open, ctx._handle, path_of(path),
                             -1 if pairs is None else pairs), ctx)

    def write(self, path: t.Path) -> None:
        """Writes the links in Pharaoh's notation."""
        run(lib.alcore_links_write, self._handle, path_of(path))

    def arrays(self) -> tuple[t.Any, t.Any]:
        """(offsets, links): pair i has the rows offsets[i] to offsets[i + 1] - 1 of links, int32 [n, 2]: source word and target
        word of each link. Read-only; they keep the handle's memory alive."""
        offsets, values = _ffi.alcore_tensor(), _ffi.alcore_tensor()
        run(lib.alcore_links_get, self._handle, ctypes.byref(offsets), ctypes.byref(values))
        shared = Links._made(lib.alcore_links_ref(self._handle), self._ctx)
        return memory_of(offsets, shared), memory_of(values, shared)

    def symmetrize(self, reverse: Links, symmetrization: str | None = None) -> Links:
        """These links, of the forward direction, and those of the reverse direction as one set."""
        if not isinstance(reverse, Links):
            raise TypeError("reverse: Links are expected, got %s" % type(reverse).__name__)
        return Links._made(new(lib.alcore_links_unref, lib.alcore_links_symmetrize, self._handle, reverse._handle,
                               _method(symmetrization)), self._ctx)

    def __len__(self) -> int:
        return len(self.arrays()[0]) - 1

    def __iter__(self) -> t.Iterator[list[tuple[int, ...]]]:
        offsets, values = self.arrays()
        bounds = offsets.tolist()
        for begin, end in zip(bounds, bounds[1:]):
            yield [tuple(link) for link in values[begin:end].tolist()]

    @overload
    def __getitem__(self, pair: int) -> list[tuple[int, ...]]: ...
    @overload
    def __getitem__(self, pair: slice) -> list[list[tuple[int, ...]]]: ...
    def __getitem__(self, pair):
        offsets, values = self.arrays()
        if isinstance(pair, slice):
            return [self[number] for number in range(*pair.indices(len(offsets) - 1))]
        number = range(len(offsets) - 1)[pair]
        return [tuple(link) for link in values[offsets[number]:offsets[number + 1]].tolist()]

    def _description(self):
        return " pairs=%d" % len(self)


class Aligner(Handle):
    """A word aligner of one direction, trained on sentence pairs.

    pairs: (source, target) of each sentence pair, or a Pool with references. direction: "forward" links each target word to one
    source word or none, "reverse" each source word to one target word or none. model: "diagonal" (Dyer et al. 2013) or "ibm1".
    estimate: "bayes" or "counts". tension: "off", "gradient" or "public". iterations (5), p0 (0.08), lambda_ (4) and alpha
    (0.01): the default in parentheses where they are not given."""

    _noun = "aligner"

    def __init__(self, pairs: Pool | t.Iterable[t.Sequence[str]], *, direction: str = "forward", model: str = "diagonal",
                 estimate: str = "bayes", tension: str = "off", iterations: int = 0, p0: float | None = None, lambda_: float | None = None,
                 alpha: float | None = None, context: t.Context | None = None) -> None:
        ctx = context or default_context()
        sides, texts = _sides(pairs)
        settings = options("aligner", locals())
        super().__init__(new(lib.alcore_aligner_unref, lib.alcore_aligner_new_trained, ctx._handle, *texts, ctypes.byref(settings)), ctx)
        del sides

    @classmethod
    def read(cls, path: t.Path, *, context: t.Context | None = None) -> t.Self:
        """An aligner that write() wrote: it links other pairs as that one does, and has no training pairs."""
        ctx = context or default_context()
        return cls._made(new(lib.alcore_aligner_unref, lib.alcore_aligner_open, ctx._handle, path_of(path)), ctx)

    def write(self, path: t.Path) -> None:
        """Writes the aligner, without its training pairs, for read()."""
        run(lib.alcore_aligner_write, self._handle, path_of(path))

    @property
    def direction(self) -> str:
        """"forward" or "reverse"."""
        return "reverse" if lib.alcore_aligner_direction(self._handle) == _ffi.ALCORE_DIRECTION_REVERSE else "forward"

    @property
    def log_likelihoods(self) -> list[float]:
        """Log-likelihood of the training pairs in each iteration: list of float."""
        out = _ffi.alcore_tensor()
        run(lib.alcore_aligner_log_likelihoods, self._handle, ctypes.byref(out))
        return memory_of(out).tolist()

    lambda_ = getter(float, "alcore_aligner_lambda", "How strongly links keep to the diagonal, after the training.")

    def probability(self, source: str | None, target: str | None) -> float:
        """Translation probability: forward t(target | source), reverse t(source | target). None stands for no word, on the side
        that explains."""
        out = ctypes.c_double()
        run(lib.alcore_aligner_probability, self._handle, None if source is None else name_of(source, "source"),
            None if target is None else name_of(target, "target"), ctypes.byref(out))
        return out.value

    def links(self) -> Links:
        """The Links of the training pairs; an aligner that was read has none."""
        return Links._made(new(lib.alcore_links_unref, lib.alcore_aligner_links, self._handle), self._ctx)

    def apply(self, pairs: Pool | t.Iterable[t.Sequence[str]]) -> Links:
        """The Links of other sentence pairs."""
        sides, texts = _sides(pairs)
        found = Links._made(new(lib.alcore_links_unref, lib.alcore_aligner_apply, self._handle, *texts), self._ctx)
        del sides
        return found


def symmetrizations() -> list[str]:
    """Names of the symmetrizations: list of str."""
    return [name.decode() for name in all_of(lib.alcore_symmetrization_builtin_name)]
