# SPDX-License-Identifier: Apache-2.0
"""Numbers that the library cannot read as they lie become arrays that it can: lists, integers, masked arrays, columns of Arrow,
pandas and datasets, lists in columns, sparse matrices, bfloat16 of NumPy, tables of columns of numbers.

A missing number is NaN, so that the option nan of a request decides about its row; where integers are needed it is an error."""
import array
from collections.abc import Mapping

from . import _arrays, _arrow
from ._arrow_values import TypeNotRead, values_of as arrow_values
from ._frames import are_records, frame_of
from ._ffi import ALCORE_KIND_FLOAT, ALCORE_KIND_INT, ALCORE_KIND_UINT
from ._intake import dtype_kind, is_arrow, is_bool, is_missing, is_series, is_sparse, is_table, source_name, unwrapped, values_of

MAX_SPARSE_BYTES = 1 << 30  # of the dense copy of a sparse matrix
MAX_EXACT = 1 << 53  # integers up to here are exact as float64
WORDS = {"U": "texts", "S": "texts", "T": "texts", "M": "dates", "m": "durations", "c": "complex numbers"}


def _expected(accept):
    return " or ".join(accept.values())


def source_of(value, what, accept):
    """What stands for the value: an array that has one of the interfaces of _arrays.py, or a list."""
    if isinstance(value, (_arrays.Tensor, list, tuple, range)):
        return value
    if isinstance(value, (str, bytes)):
        raise TypeError("%s: an array of numbers is expected, got %s" % (what, type(value).__name__))
    value = unwrapped(value, what)
    if is_sparse(value):
        return _dense(value, what)
    if hasattr(value, "mask") and hasattr(value, "filled"):
        return _unmasked(value)
    if is_table(value):
        return source_of(_matrix(value, what, accept), what, accept)
    if is_series(value):
        return _of_series(value, what)
    if isinstance(value, _arrow.ArrowColumn) or is_arrow(value):
        return _of_arrow(value if isinstance(value, _arrow.ArrowColumn) else _arrow.read(value), value, what)
    return _of_array(value, what)


def _dense(value, what):
    size = 8
    for length in value.shape:
        size *= length
    if size > MAX_SPARSE_BYTES:
        raise TypeError("%s: %s would take %.1f GiB as a dense array, and columns are dense: reduce it, such as by a truncated SVD, "
                        "or give value.toarray()" % (what, source_name(value), size / 2 ** 30))
    return value.toarray()


def _unmasked(value):
    """A masked array of NumPy with NaN where it is masked."""
    if not getattr(value.mask, "any", bool)():
        return value.data
    if dtype_kind(value) in ("i", "u"):
        return value.astype("float64").filled(float("nan"))
    return value.filled(float("nan")) if dtype_kind(value) == "f" else value.tolist()


def _of_array(value, what):
    """Arrays of NumPy whose memory has no numbers of the library as it is."""
    kind = dtype_kind(value)
    if kind == "O":
        return value.tolist()
    if kind == "V" and getattr(value.dtype, "name", "") == "bfloat16":
        return _arrays.bfloat16_of(value)
    if kind in WORDS or kind == "V":
        raise TypeError("%s: numbers are expected, got %s of %s" % (
            what, source_name(value), WORDS.get(kind) or 'dtype %s; give value.astype("float32")' % value.dtype))
    return value


def _of_series(value, what):
    """A Series of pandas: its array, where that has numbers; else a list. Rows are positions, whatever the index says."""
    if str(value.dtype) in ("bool", "boolean"):
        raise TypeError("%s: numbers are expected, got %s of booleans" % (what, source_name(value)))
    found = value.to_numpy()
    return found.tolist() if dtype_kind(found) == "O" else _of_array(found, what)


def _of_arrow(column, value, what):
    """The memory of a column of Arrow, or a list of its values."""
    found = column.numbers()
    if found is not None:
        address, bits, shape, keep = found
        return _arrays.Tensor(address, (ALCORE_KIND_FLOAT, bits), shape, keep=keep)
    try:
        return arrow_values(column)
    except TypeNotRead as error:
        raise TypeError("%s: numbers are expected, got %s of %s" % (what, source_name(value), error)) from None


def _matrix(value, what, accept):
    """The columns of a table side by side; of a table with one column that column."""
    frame = frame_of(value, what)
    if isinstance(value, Mapping):
        raise TypeError("%s: an array is expected, got %s with the keys %s; give one of its columns" % (
            what, source_name(value), frame.listed()))
    if len(frame.names) == 1:
        return frame.column(frame.names[0])
    if hasattr(value, "dtypes") and hasattr(value, "to_numpy"):
        found = value.to_numpy()
        if dtype_kind(found) in ("f", "i", "u"):
            return found
    columns = []
    for name in frame.names:
        try:
            columns.append(float_list(frame.column(name), what))
        except TypeError as error:
            raise TypeError("%s: the column %s of %s has no numbers (%s); give the columns of numbers alone" % (
                what, name, source_name(value), str(error).partition(": ")[2])) from None
    return [list(row) for row in zip(*columns)]


def from_values(value, what, accept):
    """A Tensor of a list of numbers, [rows], or of lists of one length, [rows, n]."""
    rows = value if isinstance(value, (list, tuple, range)) else values_of(value, what)
    if are_records(rows):
        raise TypeError("%s: numbers are expected, got a list of dicts; give one of their columns" % what)
    whole = accept is not _arrays.FLOATS and (accept is not _arrays.NUMBERS or all(map(_is_integer, rows)))
    letter = "q" if whole else "d"
    try:
        flat, shape = _flat(rows, letter, what)
    except (TypeError, OverflowError) as error:
        raise TypeError("%s: %s numbers are expected (%s)" % (what, _expected(accept), error)) from None
    return _arrays.Tensor(flat.buffer_info()[0] if len(flat) else None, (_arrays.LETTERS[letter], 64), shape, keep=flat)


def _flat(rows, letter, what):
    """(array of all numbers, shape). A missing row of a matrix has NaN everywhere."""
    first = next((row for row in rows if not is_missing(row)), None)
    if first is None or not (hasattr(first, "__len__") or hasattr(first, "tolist") and hasattr(first, "shape") and first.shape):
        return _numbers_of(rows, letter), (len(rows),)
    width, flat = len(first), array.array(letter)
    for number, row in enumerate(rows):
        if is_missing(row):
            row = [None] * width
        if not hasattr(row, "__len__") or isinstance(row, (str, bytes)):
            raise TypeError("row %d is no list of numbers" % number)
        if len(row) != width:
            raise ValueError("%s: row %d has %d numbers, row 0 has %d" % (what, number, len(row), width))
        flat.extend(_numbers_of(row if type(row) is list else values_of(row, "%s[%d]" % (what, number)), letter))
    return flat, (len(rows), width)


def _numbers_of(values, letter):
    """An array of numbers; NaN for missing ones, which integers cannot be."""
    if not {float, int}.issuperset(map(type, values)) and any(map(is_bool, values)):
        raise TypeError("got bool")
    try:
        return array.array(letter, values)
    except TypeError:
        if letter != "d":
            if any(map(is_missing, values)):
                raise TypeError("entry %d is missing" % next(number for number, value in enumerate(values) if is_missing(value))) from None
            raise
        return array.array(letter, [float("nan") if is_missing(value) else value for value in values])


def _is_integer(value):
    """Whether a number, or every number of a row, is an integer."""
    if isinstance(value, (str, bytes, Mapping)):
        return False
    if hasattr(value, "__len__"):
        return all(map(_is_integer, _arrays.plain(value)))
    return hasattr(value, "__index__")


def _as_numpy(value):
    """The value as an array of numpy; None without numpy, and where a tensor's library was built for another numpy."""
    numpy = _arrays.numpy_or_none()
    if numpy is None or not hasattr(value, "__array__") and not hasattr(value, "dtype"):
        return None
    try:
        return numpy.asarray(value)
    except RuntimeError:
        return None


def converted(value, made, what, accept):
    """A Tensor of a dtype that is accepted, of one that is not: integers become int64 where these are, else float64."""
    whole = made.dtype[0] in (ALCORE_KIND_INT, ALCORE_KIND_UINT)
    if not whole or made.struct.device.type not in _arrays.HOST:
        raise TypeError("%s: %s numbers are expected, got %s" % (what, _expected(accept), _arrays.dtype_name(made.dtype)))
    wanted = "int64" if accept is not _arrays.FLOATS else "float64"
    found = _as_numpy(value)
    if found is None:
        return from_values(_exact(values_of(value, what), what, wanted), what, accept)
    if found.size and wanted == "float64" and max(abs(int(found.min())), abs(int(found.max()))) > MAX_EXACT:
        _exact(found.ravel().tolist(), what, wanted)
    if found.size and wanted == "int64" and int(found.max()) > (1 << 63) - 1:
        raise TypeError("%s: %s numbers are expected, got %d" % (what, _expected(accept), int(found.max())))
    return _arrays.tensor_of(found.astype(wanted, order="C"), what, None, accept)


def _exact(values, what, wanted):
    """The values, none of which is rounded as a float64."""
    if wanted == "float64":
        for number, row in enumerate(values):
            for one in row if isinstance(row, list) else [row]:
                if abs(one) > MAX_EXACT:
                    raise ValueError("%s: %d in row %d is no float64 exactly; give floats" % (what, one, number))
    return values


def float_list(values, what):
    """Numbers [n] of any kind as an array of float64, such as costs and the values of a measure; NaN for a missing one."""
    if type(values) in (list, tuple):
        try:
            return _numbers_of(values, "d")
        except TypeError as error:
            raise TypeError("%s: numbers are expected (%s)" % (what, error)) from None
    made = _arrays.tensor_of(values, what, None, _arrays.FLOATS)
    if len(made.shape) != 1:
        if len(made.shape) != 2 or made.shape[1] != 1:
            raise ValueError("%s: one number a row is expected, got the shape %s" % (what, list(made.shape)))
    return _arrays.float64_of(made)


def stacked(samples, what):
    """[samples, rows, classes] of a list with the matrix [rows, classes] of each sample of a model, or of each model."""
    numpy = _arrays.numpy_or_none()
    are_arrays = numpy is not None and all(hasattr(sample, "__array__") for sample in samples)
    flat, shape = array.array("d"), None
    for number, sample in enumerate(samples):
        if are_arrays:
            found = numpy.shape(sample)
        else:
            numbers, found = _flat(sample if isinstance(sample, (list, tuple)) else values_of(sample, what), "d", what)
            flat.extend(numbers)
        if len(found) != 2 or shape not in (None, found):
            raise ValueError("%s: sample %d has the shape %s, %s" % (what, number, list(found), "a matrix [rows, classes] is expected"
                             if shape is None else "sample 0 has %s" % list(shape)))
        shape = found
    if shape is None:
        raise ValueError("%s: a list without samples" % what)
    if are_arrays:
        return numpy.stack([numpy.asarray(sample) for sample in samples])
    return _arrays.Tensor(flat.buffer_info()[0] if flat else None, (ALCORE_KIND_FLOAT, 64), (len(samples), *shape), keep=flat)


def ragged_of(value, what):
    """(values, offsets) of lists of tokens, one list for each row: numbers [tokens] or [tokens, n]. A missing row is one NaN."""
    if getattr(value, "ndim", None) == 1 and dtype_kind(value) in ("f", "i", "u") or isinstance(value, (str, bytes)):
        raise TypeError("%s: (values, offsets) is expected, or a list with the numbers of each row" % what)
    value = unwrapped(value, what)
    if is_arrow(value) and not is_table(value):
        value = _arrow.read(value)
    if isinstance(value, _arrow.ArrowColumn):
        found = value.ragged()
        if found is not None:
            address, bits, count, offsets, keep = found
            return _arrays.Tensor(address, (ALCORE_KIND_FLOAT, bits), (count,), keep=keep), offsets
    return _flattened(values_of(value, what), what)


def _flattened(rows, what):
    rows = [None if is_missing(row) else _tokens(row, number, what) for number, row in enumerate(rows)]
    width = next((len(row[0]) for row in rows if row and hasattr(row[0], "__len__")), None)
    values, offsets, tokens = array.array("d"), array.array("q", [0]), 0
    for number, row in enumerate(rows):
        if row is None:
            row = [float("nan")] if width is None else [[float("nan")] * width]
        for token in row if width is not None else ():
            if not hasattr(token, "__len__") or len(token) != width:
                raise ValueError("%s: row %d has a token with %d numbers, others have %d" % (
                    what, number, len(token) if hasattr(token, "__len__") else 1, width))
            values.extend(_numbers_of_row(_arrays.plain(token), number, what))
        if width is None:
            values.extend(_numbers_of_row(row, number, what))
        tokens += len(row)
        offsets.append(tokens)
    if width is None:
        return values, offsets
    return memoryview(values).cast("B").cast("d", [tokens, width]) if tokens else values, offsets


def _numbers_of_row(values, number, what):
    try:
        return _numbers_of(values, "d")
    except TypeError as error:
        raise TypeError("%s: row %d: numbers are expected (%s)" % (what, number, error)) from None


def _tokens(row, number, what):
    if not hasattr(row, "__iter__") or isinstance(row, (str, bytes)):
        raise TypeError("%s: (values, offsets) is expected, or a list with the numbers of each row" % what)
    return values_of(row, "%s[%d]" % (what, number))
