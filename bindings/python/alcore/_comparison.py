# SPDX-License-Identifier: Apache-2.0
"""What several strategies would buy, side by side."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from ._calls import run
from ._columns import path_of
from ._handles import Handle
from ._lazy import types as t
from ._library import lib
from ._selection import Selection
from ._table import Table


class Compared(NamedTuple):
    """What one strategy picks. Percentages are those of n-grams of 1, 2 and 3 words, None where there are none: of the pool and the test
    set those that the picks have, of the distinct ones (types) and of their occurrences (tokens); repeated: of those in the picks.
    amount: of money, None without a price. phrases: of the items, by a hybrid; None by any other. near_duplicates: percent of the picks
    that have nearly the words of another. added: whether it is the floor that was not asked for."""

    name: str
    added: bool
    items: int
    phrases: int | None
    words: int
    characters: int
    spent: float
    amount: float | None
    words_mean: float | None
    words_q1: float | None
    words_median: float | None
    words_q3: float | None
    pool_types: list[float | None]
    pool_tokens: list[float | None]
    test_types: list[float | None] | None
    test_tokens: list[float | None] | None
    distinct: list[int]
    repeated: list[float | None]
    near_duplicates: float | None
    languages: dict[str, int]
    samples: list[str]
    selection: Selection


def _float(value):
    """A number of JSON, which writes 3.0 as 3; None for null, and for a member that is not there."""
    return [_float(one) for one in value] if isinstance(value, list) else None if value is None else float(value)


def _row(one, selection):
    test, lengths = one.get("test", {}), one["lengths"]
    return Compared(one["name"], one["added"], one["items"], one.get("phrases"), one["words"], one["characters"], float(one["spent"]),
                    _float(one.get("amount")), *(_float(lengths[name]) for name in ("mean", "first_quartile", "median", "third_quartile")),
                    _float(one["pool"]["types"]), _float(one["pool"]["tokens"]), _float(test.get("types")), _float(test.get("tokens")),
                    one["distinct"], _float(one["repeated"]), _float(one["near_duplicates"]),
                    {language["name"]: language["count"] for language in one["languages"]}, [sample["text"] for sample in one["samples"]],
                    selection)


class Comparison(Handle):
    """The selections of several strategies with their measures; made by compare().

    strategies: a Table with a Compared for each. shared_picks, shared_words: lists of lists, picks and distinct words that each two have,
    in the order of strategies; on the diagonal all of one. document: all of it as a dict (docs/schemas)."""

    _noun = "comparison"

    def __init__(self, pointer: int | None, context: t.Context | None, selection_of: Callable[[int], Selection]) -> None:
        super().__init__(pointer, context)
        self.document: dict[str, Any] = json.loads(lib.alcore_comparison_document(self._handle))
        self.strategies: Table[Compared] = Table(Compared, [
            _row(one, selection_of(lib.alcore_selection_ref(lib.alcore_comparison_selection(self._handle, number))))
            for number, one in enumerate(self.document["strategies"])], without=("selection",))
        self.shared_picks: list[list[int]] = self.document["shared_picks"]
        self.shared_words: list[list[int]] = self.document["shared_words"]

    def write(self, path: t.Path) -> None:
        """Writes the table (.tsv, .csv), the document (.json) or a page with pictures (.html); the file appears whole or not at all."""
        run(lib.alcore_comparison_write, self._handle, path_of(path))

    def __len__(self) -> int:
        return lib.alcore_comparison_count(self._handle)

    def __repr__(self) -> str:
        return "<alcore.Comparison of %s>" % ", ".join(row.name for row in self.strategies)
