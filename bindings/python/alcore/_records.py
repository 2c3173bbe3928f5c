# SPDX-License-Identifier: Apache-2.0
"""Which columns of a table are the fields of a pool's rows, which are its columns of numbers, and which are left alone."""
import ctypes
import warnings
from collections.abc import Mapping

from . import _arrow, _ffi
from ._errors import Error, user_level
from ._frames import arrow_frame, frame_of
from ._intake import Frame, is_frame, source_name
from ._table import Tabular

# Fields of rows, as Pool.add() calls them: names of the column of a table, the first that it has.
FIELDS = {"texts": ("text", "source", "src", "texts"), "ids": ("id", "ids"),
          "references": ("reference", "target", "translation", "references"), "languages": ("lang", "language", "languages"),
          "groups": ("group", "groups"), "costs": ("cost", "costs")}
_STRINGS = ("u", "U", "vu")
_NUMBERS = tuple("cCsSiIlLefg")


def record_fields(frame):
    """The fields that a table has: {argument of Pool.add(): name of the column}. Case does not matter where no name is the same."""
    found, lower = {}, {}
    for name in frame.names:
        lower.setdefault(str(name).lower(), name)
    for field, names in FIELDS.items():
        name = next((name for name in names if name in frame), None) or next((lower[name] for name in names if name in lower), None)
        if name is not None:
            found[field] = name
    if "texts" not in found and len(frame.names) == 1 and not isinstance(frame.source, Mapping):
        return {"texts": frame.names[0]}
    if "texts" not in found:
        raise ValueError("texts: the table has no column text, source or src; its columns are %s; give the texts as "
                         "table[...], and ids=, languages= and others beside them" % frame.listed())
    return found


class PlainStream:
    """An Arrow stream that the library itself reads, batch by batch, whatever its length."""

    def __init__(self, value, stream, capsule, kind):
        self._opened, self._value = (stream, capsule, kind), value

    @property
    def address(self):
        return ctypes.addressof(self._opened[0])

    def frame(self):
        """Its Frame, for a caller who needs its columns; it is read then."""
        return arrow_frame(self._value, _arrow.read_stream(*self._opened))


def open_table(value):
    """The PlainStream or the Frame of a table, which is read, collected or executed once."""
    if hasattr(value, "collect_schema") and hasattr(value, "collect"):
        value = value.collect()
    if is_frame(value) or isinstance(value, (Frame, Mapping, Tabular)) or not hasattr(value, "__arrow_c_stream__"):
        return frame_of(value)
    if hasattr(value, "get_columns"):  # of polars, whose columns of Python's objects have no Arrow form
        value = _known_columns(value)
    stream, capsule, kind = _arrow.open_stream(value)
    if kind.format != "+s":
        raise TypeError("texts: a table is expected, got %s" % source_name(value))
    opened = PlainStream(value, stream, capsule, kind)
    return opened if _is_plain(kind.children) else opened.frame()


def _known_columns(value):
    fields = record_fields(Frame(value, value.columns, value.get_column)).values()
    return value.select([name for name in value.columns if name in set(fields) or name in _ffi.COLUMNS])


def _is_plain(columns):
    """Whether the library reads the columns that have a meaning here as their types are."""
    names = [column.name for column in columns]
    if not set(names) & set(FIELDS["texts"]):
        return False
    for column in columns:
        field = next((field for field, known in FIELDS.items() if column.name in known), None)
        if field is None and any(column.name.lower() in known for known in FIELDS.values()):
            return False
        if column.name in _ffi.COLUMNS or column.name in FIELDS or field and names.count(column.name) > 1:
            return False
        letters = _NUMBERS if field == "costs" else _STRINGS
        if field and (column.format not in letters or column.dictionary or column.extension):
            return False
    return True


def add_columns(pool, frame, fields):
    """Gives the pool the columns of the table that have a meaning for strategies ("embeddings"); of a mapping, which has just what its
    writer put there, every one. One that is no column of numbers or texts is left out; a known one with a warning."""
    stated = isinstance(frame.source, Mapping) and "texts" in frame.source
    for name in frame.names:
        known = name in _ffi.COLUMNS
        if name in fields.values() or not (known or isinstance(frame.source, Mapping) and isinstance(name, str)):
            continue
        try:
            pool.set_column(name, frame.column(name))
        except (TypeError, ValueError, Error) as error:
            if stated:
                raise
            if known:
                pool._left_out.append("the column %s of the table was left out: %s" % (name, error))
                warnings.warn(pool._left_out[-1], stacklevel=user_level())
