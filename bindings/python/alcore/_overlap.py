# SPDX-License-Identifier: Apache-2.0
"""Overlap of the n-grams of a test set with data, which may be larger than memory."""
from __future__ import annotations

import ctypes
import os

from . import _ffi
from ._calls import run
from ._columns import column_name, path_of
from ._handles import Handle, choice, default_context, filled, new, options, struct
from ._lazy import types as t
from ._library import lib
from ._results import InDomainScore, OverlapScore
from ._strings import Strings

_ROLES = ["SELECTED", "OUTSIDE", "TEST"]
_DATA = ["SELECTED", "OUTSIDE", "BOTH"]


def members(kind, given):
    """The named tuple with the members of a struct that have its names."""
    return kind(**{name: getattr(given, name) for name in kind._fields})


class Overlap(Handle):
    """Counts the n-grams of texts by role: "test", "selected", "outside" (data outside the domain).

    kept: roles whose n-grams are kept in memory; the texts of the others are only looked up in them, so that they may be of any
    length, and come after those of the kept roles. tagged=True: n-grams of the source and of the target side differ."""

    _noun = "overlap"

    def __init__(self, *, max_order: int = 4, kept: t.Iterable[str] = ("test",), tagged: bool = False,
                 context: t.Context | None = None) -> None:
        ctx = context or default_context()
        bits = 0
        for role in kept:
            bits |= choice("ALCORE_OVERLAP_", role, "kept", _ROLES)
        settings = options("overlap", locals(), kept=bits)
        super().__init__(new(lib.alcore_overlap_unref, lib.alcore_overlap_new, ctx._handle, ctypes.byref(settings)), ctx)

    def add(self, role: str, texts: t.Iterable[str | bytes], *, side: str = "source") -> None:
        """Adds a list of texts."""
        strings = Strings(texts, "texts")
        run(lib.alcore_overlap_add, self._handle, choice("ALCORE_OVERLAP_", role, "role", _ROLES), choice("ALCORE_SIDE_", side, "side"),
            *strings.arguments)

    def read(self, role: str, path: t.Path, *, side: str = "source", format: str = "auto", escapes: str = "auto",
             text_column: str | int | None = None, translator: str | None = None, system: str | None = None,
             domain: str | None = None) -> int:
        """Adds the texts of a file, which is read in blocks; the number of its texts. escapes: as of Pool.read(). translator, system,
        domain: what is read of a test set in SGML or XML that has several sides."""
        how = options("read", locals(), text_column=column_name(text_column, "text_column"), side=None)
        count = ctypes.c_int64()
        run(lib.alcore_overlap_read, self._handle, choice("ALCORE_OVERLAP_", role, "role", _ROLES), choice("ALCORE_SIDE_", side, "side"),
            path_of(path), ctypes.byref(how), ctypes.byref(count))
        return count.value

    def put(self, role: str, given: t.Iterable[str | bytes] | t.PathLike[str]) -> None:
        """Adds a list of texts, or reads a file where a path object is given."""
        if isinstance(given, os.PathLike):
            self.read(role, given)
        else:
            self.add(role, given)

    def score(self, order: int, data: str = "selected") -> OverlapScore:
        """The overlap of n-grams of `order` words with the data "selected", "outside" or "both"."""
        how = struct(_ffi.alcore_coverage_options, data=choice("ALCORE_OVERLAP_", data, "data", _DATA))
        return members(OverlapScore, filled(_ffi.alcore_coverage_result, lib.alcore_overlap_compute_coverage, self._handle, order,
                                            ctypes.byref(how)))

    def in_domain(self, definition: str = "test") -> InDomainScore:
        """In-domain words of the selected data, a kept role: those of the test set ("test") or any ("unseen") that the data outside
        the domain lacks."""
        return members(InDomainScore, filled(_ffi.alcore_in_domain_result, lib.alcore_overlap_compute_in_domain, self._handle,
                                             ctypes.byref(options("in_domain", locals()))))
