# SPDX-License-Identifier: Apache-2.0
"""Tables of every library: a Frame has the names of the columns and gives each of them, and is read once.

A table is a mapping of columns, a data frame of pandas or polars (lazy ones are collected once), a table, batch or stream of
Arrow, a relation of DuckDB (executed once), a Dataset of Hugging Face (in the order that its user sees), records of NumPy, or a
list of dicts."""
from collections.abc import Mapping

from . import _arrow
from ._intake import Frame, is_frame, refuse_unreadable, source_name
from ._table import Tabular


def frame_of(value, what="texts"):
    """The Frame of a table."""
    if isinstance(value, Frame):
        return value
    refuse_unreadable(value, what)
    if isinstance(value, Mapping):
        return Frame(value, value, value.__getitem__)
    if isinstance(value, (list, tuple)):
        return _of_records(value)
    if isinstance(value, Tabular):
        columns = value._columns()
        return Frame(value, columns, columns.__getitem__)
    if hasattr(value, "collect_schema") and hasattr(value, "collect"):
        return frame_of(value.collect(), what)
    if hasattr(value, "with_format") and hasattr(value, "select_columns"):
        return Frame(value, value.column_names, lambda name: value.select_columns([name]).with_format("arrow")[:].column(name))
    if is_frame(value):
        return Frame(value, value.columns, value.__getitem__)
    if hasattr(value, "get_columns"):
        return Frame(value, value.columns, value.get_column)
    names = getattr(getattr(value, "dtype", None), "names", None)
    if names:
        return Frame(value, names, value.__getitem__)
    return arrow_frame(value, value if isinstance(value, _arrow.ArrowColumn) else _arrow.read(value))


def _of_records(rows):
    names = list(dict.fromkeys(name for row in rows for name in row))
    return Frame(rows, names, lambda name: [row.get(name) for row in rows])


def arrow_frame(value, table):
    """The Frame of a value whose rows were read as one ArrowColumn of structs."""
    names = [kind.name for kind in table.type.children]
    return Frame(value, names, lambda name: table.column(names.index(name)))


def are_records(value):
    """Whether the value is a list of dicts, one for each row."""
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(row, Mapping) for row in value)


def only_column(value, what):
    """The column of a table that has one, where one column is expected."""
    frame = frame_of(value, what)
    if len(frame.names) != 1 or isinstance(value, Mapping):
        raise TypeError("%s: one column is expected, and %s has the columns %s; give one of them, such as value[%r]" % (
            what, source_name(value), frame.listed(), frame.names[0] if frame.names else "text"))
    return frame.column(frame.names[0])

