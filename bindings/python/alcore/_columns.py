# SPDX-License-Identifier: Apache-2.0
"""Columns: one entry per row of a pool, given as arrays or put in parts, in any order."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping

from . import _arrow, _ffi
from ._arrow_give import give
from ._arrays import FLOATS, INTEGERS, NUMBERS, Tensor, integers, memory, memory_of, stream_of, tensor_of
from ._calls import check, run
from ._lazy import types as t
from ._statuses import UnsupportedError
from ._frames import frame_of
from ._handles import Handle, choice, getter, new, struct
from ._intake import is_arrow, is_missing, is_table, is_text_column, unwrapped, values_of
from ._library import lib
from ._numbers import ragged_of, stacked
from ._strings import Strings, name_of, text_at

RAGGED = (_ffi.ALCORE_COLUMN_RAGGED, _ffi.ALCORE_COLUMN_RAGGED_DENSE)


class Column:
    """An array with the meaning of its numbers.

    values: float16, bfloat16, float32 or float64 [rows], [rows, n], [tokens] or [tokens, n]; int32 or int64 too in
    columns whose name has no meaning of its own.
    offsets: integers [rows + 1] where each row's tokens begin and the last ends; None when each row has one entry.
    meaning: "uncertainty", "confidence" or "logprob" of scores, "probs", "logprobs", "logits", "sigmoid" (one number, the
    probability of the positive one of two classes) or "multilabel" (one for each label) of class probabilities.
    log_base: base of logprobs, and of scores that are "logprob", e when None. rows: the pool row of each entry; None: all rows in order.
    copy: None reads the array where it lies and copies it only where the library cannot (Fortran order, the other byte order,
    a DataFrame); False refuses to copy; True always copies. An array that is read in place must not change while the pool uses it.
    One on a CUDA device stays there, and so does its copy, if the device has memory for it: selections and searches run on that
    device then. Give tensor.cpu() for a copy in host memory."""

    def __init__(self, values: t.Array, offsets: t.Numbers | None = None, *, meaning: str | None = None, log_base: float | None = None,
                 rows: t.Numbers | None = None, copy: bool | None = None) -> None:
        self.values, self.offsets, self.meaning = values, offsets, meaning
        self.log_base, self.rows, self.copy = log_base, rows, copy

    def __repr__(self):
        return "alcore.Column(%s%s)" % (type(self.values).__name__, ", ragged" if self.offsets is not None else "")


def _is_array(value):
    """Whether a value is a list or an array of any library, such as one on a device that has no length of its own."""
    return any(hasattr(value, name) for name in ("__len__", "__dlpack__", "__array_interface__", "__cuda_array_interface__"))


def _are_samples(name, pair):
    """Whether a pair is the matrices of two samples, not values and offsets: offsets have one dimension."""
    return name == "sample_probs" and (getattr(pair[1], "ndim", 1) == 2 or isinstance(pair[1], (list, tuple)) and bool(pair[1])
                                       and _is_array(pair[1][0]))


def column_of(name, value, what=None, ragged=None):
    """A Column of what the caller gave. (values, offsets) is ragged; a list of lists is ragged where a column of that name is,
    or where `ragged` says so, else a matrix."""
    if isinstance(value, Column):
        return value
    shape = _ffi.COLUMNS.get(name)
    if isinstance(value, tuple) and len(value) == 2 and _is_array(value[1]) and shape in (None, *RAGGED) and not _are_samples(name, value):
        return Column(value[0], value[1])
    if name == "sample_probs" and ragged is None:
        return Column(stacked(value, what or name) if isinstance(value, (list, tuple)) else value)
    return Column(*ragged_of(value, what or name)) if (shape in RAGGED if ragged is None else ragged) else Column(value)


def read_once(values, what):
    """What can be looked at more than once: a list of what an iterator gives, the column of a table that has one."""
    if hasattr(values, "__next__") and not hasattr(values, "__arrow_c_stream__"):
        return list(values)
    if isinstance(values, (list, tuple, str, Column)):
        return values
    values = unwrapped(values, what)
    if is_table(values) and not isinstance(values, Mapping):
        frame = frame_of(values, what)
        if len(frame.names) == 1:
            return frame.column(frame.names[0])
        return values if hasattr(values, "to_numpy") else frame  # a frame of pandas or polars is a matrix as it is
    return values


def is_texts(values, what):
    """Whether values are texts: the first one that is not missing is. They are read twice."""
    if isinstance(values, (Column, memoryview)) or is_table(values):
        return False
    if not isinstance(values, (list, tuple)):
        if not is_text_column(values):
            return False
        values = values_of(values, what)
    return next((isinstance(text, str) for text in values if not is_missing(text)), False)


def give_texts(pool, name, texts, rows=None):
    """Sets a column of texts, which is copied."""
    strings = Strings(texts, name, optional=True)
    options = struct(_ffi.alcore_column_options)
    kept = None
    if rows is not None:
        options.rows, options.row_count, kept = pool.rows_of(rows, name + " rows")
    run(lib.alcore_pool_set_text_column, pool._handle, name_of(name, "name"), strings.pointers,
        strings.lengths, strings.count, ctypes.byref(options))
    del kept


def arrow_of(values):
    """The ArrowColumn of a column that has the Arrow interface; None: it has another one, or is a table."""
    if not isinstance(values, _arrow.ArrowColumn):
        if isinstance(values, (list, tuple, str, Column)) or is_table(values) or not is_arrow(values):
            return None
        source, values = values, _arrow.read(values)
        values.source = source
    return None if values.type.format == "+s" or values.type.extension else values


def give_arrow(pool, name, column, how):
    """Sets a column that the library reads by the Arrow interface; False: it does not read the type. how: as in Column()."""
    how = Column(column, **how)
    if how.offsets is not None or how.copy is False:
        return False
    options = struct(_ffi.alcore_column_options, ownership=_ffi.ALCORE_KEEP if how.copy else _ffi.ALCORE_BORROW,
                     meaning=choice("ALCORE_MEANS_", how.meaning, name) if how.meaning else 0, log_base=how.log_base)
    rows = None
    if how.rows is not None:
        options.rows, options.row_count, rows = pool.rows_of(how.rows, name + " rows")
    try:
        give(pool._handle, name_of(name, "name"), column, options)
    except UnsupportedError:
        return False
    finally:
        del rows
    return True


def read_tokens(pool, name, rows, count, info):
    """(values, offsets) of the tokens of rows, as int64 or float64; rows: the address of their numbers."""
    offsets = (ctypes.c_int64 * (count + 1))()
    column = name_of(name, "name")
    run(lib.alcore_pool_get_column_tokens, pool._handle, column, rows, count, offsets, None)
    integer = info.dtype in (_ffi.ALCORE_INT32, _ffi.ALCORE_INT64)
    out = ((ctypes.c_int64 if integer else ctypes.c_double) * max(offsets[count] * info.width, 1))()
    tensor = Tensor(ctypes.addressof(out), (_ffi.ALCORE_KIND_INT if integer else _ffi.ALCORE_KIND_FLOAT, 64),
                    [offsets[count], info.width])
    run(lib.alcore_pool_get_column_tokens, pool._handle, column, rows, count, offsets, tensor.reference)
    wide = info.shape == _ffi.ALCORE_COLUMN_RAGGED_DENSE
    shape = [offsets[count], info.width] if wide else [offsets[count]]
    return (memory(ctypes.addressof(out), shape, "q" if integer else "d", out),
            memory(ctypes.addressof(offsets), [count + 1], "q", offsets))


def info_of(pool, name):
    """Type, shape and origin of a column."""
    info = struct(_ffi.alcore_column_info)
    check(lib.alcore_pool_get_column_info(pool._handle, name_of(name, "name"), ctypes.byref(info)))
    return info


def read_texts(pool, name, rows):
    """Texts of rows in a column of texts; None where a row has none."""
    length, found = ctypes.c_size_t(), []
    for row in rows:
        address = lib.alcore_pool_column_text(pool._handle, name_of(name, "name"), row, ctypes.byref(length))
        found.append(None if address is None else text_at(address, length.value))
    return found


def give_column(pool, name, column):
    """Sets a column of numbers; returns what must stay alive while the pool has it."""
    accept = FLOATS if name in _ffi.COLUMNS and name not in _ffi.NUMBER_COLUMNS else NUMBERS
    values = tensor_of(column.values, name, pool.context._handle, accept, column.copy)
    offsets = None
    if column.offsets is not None:
        offsets = tensor_of(column.offsets, name + " offsets", pool.context._handle, INTEGERS, column.copy)
    options = struct(_ffi.alcore_column_options,
                     ownership=_ffi.ALCORE_KEEP if column.copy else _ffi.ALCORE_BORROW,
                     meaning=choice("ALCORE_MEANS_", column.meaning, name) if column.meaning else 0,
                     log_base=column.log_base, stream=stream_of(values, offsets))
    rows = None
    if column.rows is not None:
        options.rows, options.row_count, rows = pool.rows_of(column.rows, name + " rows")
    run(lib.alcore_pool_set_column, pool._handle, name_of(name, "name"), values.reference,
        offsets.reference if offsets else None, ctypes.byref(options))
    del rows
    return None if column.copy else (values, offsets)


def read_column(pool, name):
    """A column as the library has it: an array, or (values, offsets) when it is ragged, as views into the pool; a list of
    str where it has texts."""
    if info_of(pool, name).dtype == _ffi.ALCORE_TEXT:
        return read_texts(pool, name, range(len(pool)))
    values, offsets = _ffi.alcore_tensor(), _ffi.alcore_tensor()
    check(lib.alcore_pool_get_column(pool._handle, name_of(name, "name"), ctypes.byref(values), ctypes.byref(offsets)))
    found = memory_of(values, pool)
    return (found, memory_of(offsets, pool)) if offsets.data else found


def put(writer, rows, values, lengths, name, ctx, what=None):
    """Puts the values of some rows, (address, count, keep), into the writer with that handle, of the column `name`; what: names them
    in messages."""
    what = what or name
    address, count, kept = rows
    tensor = tensor_of(values, what, ctx, FLOATS if name in _ffi.COLUMNS and name not in _ffi.NUMBER_COLUMNS else NUMBERS)
    sizes, sizes_kept = None, None
    if lengths is not None:
        sizes, size_count, sizes_kept = integers(lengths, what + " lengths")
        if size_count != count:
            raise ValueError("%s: %d lengths were given for %d rows" % (what, size_count, count))
    run(lib.alcore_column_writer_put_in_stream, writer, address, sizes, count, tensor.reference, stream_of(tensor))
    del kept, sizes_kept


class ColumnWriter(Handle):
    """Collects a column in any order. Leaving the `with` block finishes it; after an exception there is no column.

        with pool.column(name) as writer:
            writer.put(rows, values)                # values float [rows] or [rows, n]
            writer.put(rows, values, lengths)       # values float [tokens] or [tokens, n], lengths [rows]

    missing: "fail" names the rows that were never put; "mask" leaves those rows out of selection. meaning, log_base: as in
    Column(). on_device: arrays on a CUDA device are collected in memory of that device, as long as all that is put is there and of
    one floating-point type; else, and by default, in host memory."""

    _noun = "column_writer"

    def __init__(self, pool: t.Pool, name: str, shape: str | None = None, missing: str = "fail", meaning: str | None = None,
                 log_base: float | None = None, on_device: bool = False) -> None:
        self._pool, self.name, self._missing = pool, name, choice("ALCORE_MISSING_", missing, "missing")
        self._options = struct(_ffi.alcore_column_options, log_base=log_base, on_device=bool(on_device),
                               meaning=choice("ALCORE_MEANS_", meaning, name) if meaning else 0)
        name_of(name, "name")
        super().__init__(None, pool.context)
        self._shape = choice("ALCORE_COLUMN_", shape, "shape") if shape is not None else _ffi.COLUMNS.get(name)
        self._done = False
        if self._shape is not None:
            self._begin()

    def _begin(self):
        self._pointer = new(lib.alcore_column_writer_unref, lib.alcore_column_writer_new, self._pool._handle,
                            self.name.encode(), self._shape, ctypes.byref(self._options))

    def _begin_as(self, shape):
        """Begins the column with that shape, unless it has one."""
        if self._shape is None and not self._done:
            self._shape = choice("ALCORE_COLUMN_", shape, "shape")
            self._begin()

    def put(self, rows: t.Numbers, values: t.Array, lengths: t.Numbers | None = None) -> None:
        """Gives the values of some rows, in any order; a row given twice keeps its first value."""
        values = read_once(values, self.name)
        if self._shape is None and not self._done:
            tensor = tensor_of(values, self.name, self._ctx._handle, NUMBERS)
            wide = len(tensor.shape) > 1
            self._shape = (_ffi.ALCORE_COLUMN_RAGGED_DENSE if wide else _ffi.ALCORE_COLUMN_RAGGED) \
                if lengths is not None else (_ffi.ALCORE_COLUMN_DENSE if wide else _ffi.ALCORE_COLUMN_SCALAR)
            self._begin()
        put(self._handle, self._pool.rows_of(rows, self.name + " rows"), values, lengths, self.name, self._ctx._handle)

    repeats = getter(int, "alcore_column_writer_repeats", "Rows that were given more than once.")

    @property
    def missing(self) -> list[int]:
        """Rows that were not put yet, ascending, without the masked ones."""
        count = lib.alcore_column_writer_missing_count(self._handle)
        if count == 0:
            return []
        rows = (ctypes.c_int64 * count)()
        out = Tensor(ctypes.addressof(rows), (_ffi.ALCORE_KIND_INT, 64), [count])
        run(lib.alcore_column_writer_missing, self._handle, out.reference)
        return [row for row in rows if row >= 0]

    def save(self, path: t.Path) -> None:
        """Saves what was put, for another process to merge."""
        run(lib.alcore_column_writer_save, self._handle, path_of(path))

    def merge(self, path: t.Path) -> None:
        """Adds what another process saved for the same pool and column."""
        run(lib.alcore_column_writer_merge, self._handle, path_of(path))

    def finish(self, missing: str | None = None) -> None:
        """Gives the column to the pool."""
        how = self._missing if missing is None else choice("ALCORE_MISSING_", missing, "missing")
        run(lib.alcore_column_writer_finish, self._handle, how)
        self._pool._kept.pop(self.name, None)
        self.close()

    def close(self) -> None:
        self._done = True
        super().close()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self._done:
            if self._shape is None:
                raise ValueError("column %s: nothing was put" % self.name)
            self.finish()
        self.close()

    def _description(self):
        return " %r" % self.name


def column_name(column, what):
    """A column of a file for the library: a name, or a number from 1; None: no column was named."""
    return None if column is None else name_of(str(column) if type(column) is int else column, what)


def path_of(path):
    """A path for the library."""
    return os.fsencode(path)
