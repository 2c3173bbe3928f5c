# SPDX-License-Identifier: Apache-2.0
"""What callers hold, of any library, as plain values: the one way in for texts, ids, rows, masks and numbers of every call.

Nothing is imported for it: a value is known by the interfaces that it has. A source that can be understood in no way, or in
several, is refused by an error that names it and what to give in its place.

    missing values   None, NaN, pandas' NA and NaT, the masked entries of NumPy, nulls of Arrow are one thing: is_missing()
    values_of()      a column of any kind as a list of Python values
    rows_of()        which rows: numbers, a mask with one bool for each row, ids
    flags_of()       a mask as bytes

Tables of several columns are read by _frames.py, arrays of numbers by _arrays.py."""
import os
from collections.abc import Mapping

from . import _arrow
from ._arrow_values import TypeNotRead, values_of as arrow_values


def source_name(value):
    """What to call the source in a message: "a pandas.Series", "a list"."""
    if isinstance(value, Frame) or isinstance(value, _arrow.ArrowColumn) and value.source is not None:
        value = value.source
    kind = type(value)
    root = kind.__module__.partition(".")[0].lstrip("_")
    name = kind.__qualname__ if root == "builtins" else root + "." + kind.__qualname__
    return "%s %s" % ("an" if name[:1].lower() in "aeiou" else "a", name)


class Frame:
    """names: of the columns, in their order; a column is read when it is asked for."""

    def __init__(self, source, names, read):
        self.source, self.names, self._read = source, list(names), read

    def __contains__(self, name):
        return name in self.names

    def column(self, name):
        """A column of the table, of whatever kind the library has."""
        if self.names.count(name) > 1:
            raise ValueError("%s has %d columns with the name %s" % (source_name(self.source), self.names.count(name), name))
        return self._read(name)

    def listed(self):
        return ", ".join(map(str, self.names)) or "none"


def is_missing(value):
    """Whether the value stands for none."""
    if value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return True
    if isinstance(value, float):
        return value != value
    return hasattr(value, "__float__") and not hasattr(value, "__len__") and bool(value != value)  # of NumPy, or a Decimal


def _root(value):
    return type(value).__module__.partition(".")[0].lstrip("_")


def is_frame(value):
    """Whether the value is a data frame of pandas or one that has its interface."""
    return hasattr(value, "iloc") and hasattr(value, "columns") and hasattr(value, "__getitem__")


def is_series(value):
    """Whether the value is a Series, an Index or an extension array of pandas."""
    return not is_frame(value) and hasattr(value, "to_numpy") and (hasattr(value, "iloc") or hasattr(value, "get_indexer")
                                                                  or hasattr(value, "_from_sequence"))


def is_sparse(value):
    """Whether the value is a sparse matrix or array of SciPy."""
    return hasattr(value, "toarray") and hasattr(value, "nnz")


def _is_lazy(value):
    return hasattr(value, "collect") and hasattr(value, "collect_schema")


def _is_dataset_column(value):
    """ds["text"] of datasets 4 and later, which reads its rows when it is asked for them."""
    return hasattr(value, "column_name") and hasattr(value, "source") and hasattr(value, "__getitem__")


def dtype_kind(value):
    """The letter of the kind of NumPy's dtype; None for other values."""
    kind = getattr(getattr(value, "dtype", None), "kind", None)
    return kind if isinstance(kind, str) and len(kind) == 1 else None


def is_arrow(value):
    """Whether the values are to be read by the Arrow interface: those of pandas, and of what has NumPy's types, are not."""
    return _arrow.has_arrow(value) and not is_series(value) and dtype_kind(value) is None


def refuse_unreadable(value, what):
    """Raises TypeError for what cannot be read as rows or as a table, with what to give in its place."""
    remedy = None
    kind, root = type(value).__name__, _root(value)
    if isinstance(value, (str, bytes, bytearray)):
        is_file = isinstance(value, str) and not set(value) & set(" \n") and os.path.splitext(value)[1] != ""
        raise TypeError("%s: a list is expected, not one text%s" % (what, "; a file is given as pathlib.Path(%r)" % value if is_file else ""))
    if root == "duckdb" and hasattr(value, "execute") and not hasattr(value, "columns"):
        remedy = 'a relation of it, such as connection.sql("SELECT text FROM pool") or connection.table("pool")'
    elif root == "sqlite3":
        remedy = "the rows of a query, such as [row[0] for row in connection.execute(...)]"
    elif hasattr(value, "dask") and hasattr(value, "compute"):
        remedy = "value.compute(); of what does not fit in memory give what map_partitions() computes of each row"
    elif root == "ray":
        remedy = "value.to_pandas(); of what does not fit in memory give what map_batches() computes of each row"
    elif root == "pyspark" and not _arrow.has_arrow(value):
        remedy = "value.toPandas(); of what does not fit in memory give what mapInArrow() computes of each row"
    elif root == "datasets" and kind.startswith("Iterable"):
        remedy = "a Dataset, or a list of what it yields"
    elif isinstance(value, Mapping) and value and all(is_table(part) for part in value.values()):
        raise TypeError("%s: %s has the splits %s; give one of them, such as value[%r]" % (
            what, source_name(value), ", ".join(map(str, value)), next(iter(value))))
    if remedy is not None:
        raise TypeError("%s: %s cannot be read; give %s" % (what, source_name(value), remedy))


def is_table(value):
    """Whether the value has columns with names: a data frame, a table or a dataset. A stream is not asked for its type here."""
    if isinstance(value, (list, tuple, str, bytes, os.PathLike)) or value is None:
        return False
    if isinstance(value, (Mapping, Frame)) or is_frame(value) or _is_lazy(value):
        return True
    if _root(value) == "datasets":
        return hasattr(value, "with_format") and hasattr(value, "column_names")
    if getattr(getattr(value, "dtype", None), "names", None):
        return True  # records of NumPy
    if isinstance(value, _arrow.ArrowColumn):
        return value.type.format == "+s" and value.type.extension is None
    return hasattr(value, "get_columns") or _is_arrow_table(value)


def _is_arrow_table(value):
    """Whether an Arrow value says of itself that it is a table."""
    if not _arrow.has_arrow(value) or hasattr(value, "to_numpy") and not hasattr(value, "columns"):
        return False
    return hasattr(value, "columns") or hasattr(getattr(value, "schema", None), "names")


def unwrapped(value, what):
    """The rows that a column stands for, where it only refers to them; what an object gives that has the Arrow interface and says
    nothing else of itself."""
    refuse_unreadable(value, what)
    if _is_dataset_column(value):
        return value[:]
    known = is_table(value) or any(hasattr(value, name) for name in ("type", "dtype", "dtypes"))
    return _arrow.read(value) if _arrow.has_arrow(value) and not known else value


def values_of(value, what):
    """A column of any kind as a list of Python values; missing ones are as its source has them. what: names it in messages."""
    if type(value) is list:
        return [item.as_py() for item in value] if value and hasattr(value[0], "as_py") else value  # scalars of Arrow
    if hasattr(value, "__arrow_c_stream__"):
        from ._pool import Pool
        if isinstance(value, Pool):  # a sequence of texts, whose stream has other columns too
            return list(value)
    value = unwrapped(value, what)
    if is_table(value):
        from ._frames import only_column
        return values_of(only_column(value, what), what)
    if is_sparse(value):
        raise TypeError("%s: %s has numbers; a list is expected, such as value.toarray().ravel().tolist()" % (what, source_name(value)))
    if dtype_kind(value) in ("M", "m") or _is_dates(value):
        raise TypeError("%s: %s has dates or times" % (what, source_name(value)))
    try:
        return _plain(value, what)
    except TypeNotRead as error:
        raise TypeError("%s: %s has %s, which cannot be read; cast it to a plain type first" % (what, source_name(value), error)) from None


def _is_dates(value):
    return is_series(value) and str(getattr(value, "dtype", "")).startswith(("datetime", "timedelta", "period"))


def _plain(value, what):
    if hasattr(value, "mask") and hasattr(value, "filled"):
        return value.tolist()  # of NumPy: None for what is masked
    if isinstance(value, _arrow.ArrowColumn):
        return arrow_values(value)
    if is_arrow(value):
        column = _arrow.read(value)
        if column.type.format == "+s" and column.type.extension is None:
            raise TypeError("%s: %s has the columns %s; give one of them" % (
                what, source_name(value), ", ".join(kind.name for kind in column.type.children)))
        return arrow_values(column)
    if dtype_kind(value) == "V" and hasattr(value, "astype"):
        return value.astype("float32").tolist()  # bfloat16 of ml_dtypes
    if hasattr(value, "__array__") and not hasattr(value, "tolist") and dtype_kind(value) is not None:
        value = value.__array__()  # of xarray
    if hasattr(value, "tolist"):
        found = value.tolist()
        return found if isinstance(found, list) else [found]
    if not hasattr(value, "__iter__") and not hasattr(value, "__getitem__"):
        raise TypeError("%s: a list is expected, got %s" % (what, source_name(value)))
    return [item.as_py() if hasattr(item, "as_py") else item for item in value]


def is_bool(value):
    """Whether the value is a bool of Python or of NumPy."""
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool") and hasattr(value, "dtype")


def is_bool_column(value):
    """Whether the source says that its values are booleans, which an empty or wholly missing one cannot show."""
    return dtype_kind(value) == "b" or str(getattr(value, "dtype", "")).lower() in ("bool", "boolean", "torch.bool") or \
        str(getattr(value, "type", "")) == "bool"


def mask_of(value, values, count, what):
    """The rows of a mask with one bool for each of `count` rows; None where the values are no mask. value: the source of them."""
    kinds = set(map(type, values))
    if not (is_bool_column(value) or any(is_bool(one) for one in map(_first_of(values), kinds))):
        return None
    plain = kinds == {bool}  # the usual case, which needs no look at each value
    if not plain and not all(is_bool(one) or is_missing(one) for one in values):
        raise TypeError("%s: booleans are a mask of rows, and cannot stand beside other values" % what)
    absent = None if plain else next((row for row, one in enumerate(values) if is_missing(one)), None)
    if absent is not None:
        raise ValueError("%s: the mask has no value at row %d; say whether it is meant, such as by fill_null(False) or "
                         "fillna(False)" % (what, absent))
    if len(values) != count:
        raise ValueError("%s: the mask has %d entries, the pool %d rows" % (what, len(values), count))
    return [row for row, one in enumerate(values) if one]


def refuse_number_mask(values, count, what):
    """Refuses 0 and 1 for each of `count` rows, which are a mask: as row numbers they name two rows, again and again."""
    if len(values) == count and count > 1 and values[-1] in (0, 1):
        found = set(values)
        if len(found) < count and found <= {0, 1}:
            raise ValueError("%s: whole numbers are row numbers, and 0 and 1 for each of the %d rows look like a mask; give "
                             "booleans, such as value.astype(bool)" % (what, count))


def _first_of(values):
    """A function of a type: the first of the values that has it."""
    first = {}
    for one in values:
        first.setdefault(type(one), one)
    return first.get


def flags_of(mask, count, what):
    """A mask as bytes, one for each of `count` rows: booleans, or 0 and 1."""
    values = values_of(mask, what)
    for row, one in enumerate(values):
        if is_missing(one):
            raise ValueError("%s: the mask has no value at row %d; say whether it is meant" % (what, row))
        if not is_bool(one) and not (hasattr(one, "__index__") and one in (0, 1)):
            raise TypeError("%s: booleans are expected, got %r at row %d" % (what, one, row))
    if len(values) != count:
        raise ValueError("%s: mask has %d entries for %d rows" % (what, len(values), count))
    return bytes(map(bool, values))


def is_text_column(value):
    """Whether the values of a column that is no list may be texts, by its type alone."""
    if _is_dataset_column(value):
        return True
    if isinstance(value, _arrow.ArrowColumn):
        return value.type.format in ("u", "U", "vu") or value.type.dictionary is not None
    if dtype_kind(value) in ("O", "U", "T"):
        return True
    name = str(getattr(value, "type", getattr(value, "dtype", ""))).lower()
    return name.startswith(("str", "large_str", "utf8", "dictionary", "cat", "enum"))
