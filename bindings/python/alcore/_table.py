# SPDX-License-Identifier: Apache-2.0
"""Results as tables of other libraries. Whatever has columns of one length offers the same three ways: to_arrow(), to_pandas() and the
stream of the Arrow interface, which other libraries read. Such a class says only what its columns are."""
from __future__ import annotations

import importlib
from typing import TypeVar

from ._lazy import types as t

_Row = TypeVar("_Row")


def _needed(package, call):
    """The package, or an error that says what to install."""
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ImportError("%s needs %s, which is not installed (pip install %s)" % (call, package, package)) from None


class Tabular:
    """Has columns of one length, which _columns() returns: {name: list of plain values}."""

    __slots__ = ()

    def _columns(self):
        raise NotImplementedError

    def to_arrow(self) -> t.Any:
        """The result as a pyarrow.Table."""
        return _needed("pyarrow", "to_arrow()").table(self._columns())

    def to_pandas(self) -> t.Any:
        """The result as a pandas.DataFrame."""
        return _needed("pandas", "to_pandas()").DataFrame(self._columns())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow interface: a stream of the rows, which needs pyarrow."""
        return _needed("pyarrow", "the Arrow interface of alcore's results").table(self._columns()).__arrow_c_stream__(requested_schema)


class Row(Tabular):
    """A named tuple that is a table of one row."""

    __slots__ = ()

    def _columns(self):
        return {name: [value] for name, value in zip(self._fields, self)}


class Table(list[_Row], Tabular):
    """A list of named tuples of one kind, which are its rows. without: members that are no column."""

    def __init__(self, kind: type[_Row], rows: t.Iterable[_Row] = (), without: t.Iterable[str] = ()) -> None:
        super().__init__(rows)
        self._kind, self._without = kind, without

    def _columns(self):
        return {name: [getattr(row, name) for row in self] for name in self._kind._fields if name not in self._without}

    def __reduce__(self):
        return Table, (self._kind, list(self), self._without)
