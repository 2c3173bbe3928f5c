# SPDX-License-Identifier: Apache-2.0
"""The phrases of a pool."""
from __future__ import annotations

import ctypes

from . import _ffi
from ._calls import run
from ._columns import path_of
from ._handles import new, options, write_options
from ._lazy import types as t
from ._library import lib
from ._pool import Pool, pool_of
from ._table import Tabular

_COLUMNS = ("occurrences", "length", "first_row", "first_position", "known", "semi_maximal")


class Phrases(Tabular, Pool):
    """A pool whose rows are the phrases of another pool, its `source`; phrases() makes it. Columns: occurrences, length,
    first_row, first_position, known, semi_maximal (get_column() gives them as arrays)."""

    def _columns(self):
        found = {"phrase": list(self)}
        found.update({name: self.get_column(name).tolist() for name in _COLUMNS if name in self.columns})
        return found

    def write_table(self, path: t.Path, format: str = "auto") -> None:
        """Writes the table of the phrases as TSV, JSONL or CSV, or the phrases as text ("auto": by the suffix)."""
        run(lib.alcore_pool_write_phrases, self._handle, path_of(path), write_options(format))


def phrases(texts: Pool | t.Texts | t.Mapping[str, t.Any], labeled: t.Dataset | None = None, *, max_words: int | None = 4,
            min_count: int = 1, semi_maximal: bool = False, beyond_limit: bool = False, unknown: bool = False, with_letters: bool = False,
            context: t.Context | None = None) -> Phrases:
    """The phrases of texts as a pool of their own, those that occur most often first.

    texts, labeled: a Pool, or what Pool() takes. max_words: the longest phrase; None for any length, with
    semi_maximal=True. min_count: fewer occurrences are left out. semi_maximal=True: only phrases of which no longer one
    has more than half of the occurrences; beyond_limit=True lets phrases longer than max_words count there.
    unknown=True: only phrases that no labeled text contains. with_letters=True: only those with a letter or digit."""
    source = pool_of(texts, context)
    known = None if labeled is None else pool_of(labeled, source.context)
    how = options("phrase", locals(), max_words=_ffi.ALCORE_PHRASE_UNLIMITED if max_words is None else max_words)
    pointer = new(lib.alcore_pool_unref, lib.alcore_pool_derive_phrases, source._handle,
                  None if known is None else known._handle, ctypes.byref(how))
    made = Phrases.borrowed(pointer, source.context)
    lib.alcore_pool_unref(pointer)
    made._source = source
    return made
