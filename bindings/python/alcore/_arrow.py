# SPDX-License-Identifier: Apache-2.0
"""Reads numbers and tables of texts from other libraries through the Arrow C data interface.

An Arrow object hands out capsules: a schema (the format of the values), arrays (buffers), or a stream of arrays with one
schema. Who receives a schema or an array must call its release function once; Released does so. Here a column of floats
becomes an address with a dtype and a shape, without a copy; tables go to the library as the stream that they are."""
import ctypes
from ctypes import c_char_p, c_int, c_int64, c_void_p, py_object, pythonapi

#: Bits of a float by its Arrow format.
FLOAT_BITS = {b"e": 16, b"f": 32, b"g": 64}
capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))


class Schema(ctypes.Structure):
    """struct ArrowSchema: the type of an array and of its children."""


class Array(ctypes.Structure):
    """struct ArrowArray: the buffers of an array; buffer 0 says which values are null, buffer 1 has the values."""


class Stream(ctypes.Structure):
    """struct ArrowArrayStream: arrays of one schema, one after the other; a released array ends it."""


Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
                   ("n_children", c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", c_void_p),
                   ("release", ctypes.CFUNCTYPE(None, c_void_p)), ("private_data", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                  ("n_children", c_int64), ("buffers", ctypes.POINTER(c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", c_void_p),
                  ("release", ctypes.CFUNCTYPE(None, c_void_p)), ("private_data", c_void_p)]
Stream._fields_ = [("get_schema", ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)),
                   ("get_next", ctypes.CFUNCTYPE(c_int, c_void_p, c_void_p)),
                   ("get_last_error", ctypes.CFUNCTYPE(c_char_p, c_void_p)),
                   ("release", ctypes.CFUNCTYPE(None, c_void_p)), ("private_data", c_void_p)]


class Released:
    """Releases an array or schema when this object is deleted."""

    def __init__(self, item):
        self.item = item

    def __del__(self):
        if self.item.release:
            self.item.release(ctypes.addressof(self.item))


def schema_format(value):
    """Format of a value's Arrow stream, such as b"+s" for a table."""
    capsule = value.__arrow_c_stream__()
    stream = Stream.from_address(capsule_pointer(capsule, b"arrow_array_stream"))
    schema = Schema()
    if stream.get_schema(ctypes.addressof(stream), ctypes.addressof(schema)):
        raise ValueError("the Arrow stream has no schema")
    keep = Released(schema)
    found = schema.format
    del keep
    return found


def has_arrow(value):
    """Whether the value gives its data in Arrow form. pandas always has the method, which raises ImportError without pyarrow."""
    if hasattr(value, "__arrow_c_array__"):
        return True
    if not hasattr(value, "__arrow_c_stream__"):
        return False
    try:
        value.__arrow_c_stream__()
    except ImportError:
        return False
    return True


def is_table(value):
    """Whether the value is an Arrow table; a single column of texts is not."""
    return has_arrow(value) and hasattr(value, "__arrow_c_stream__") and schema_format(value) == b"+s"


def stream_of(value):
    """(address of the stream, capsule that owns it)."""
    capsule = value.__arrow_c_stream__()
    return capsule_pointer(capsule, b"arrow_array_stream"), capsule


def _one_array(value, what):
    """The value as one array: (schema, array, capsules), or None when it comes in several pieces."""
    if hasattr(value, "__arrow_c_array__"):
        schema_capsule, array_capsule = value.__arrow_c_array__()
        return (Schema.from_address(capsule_pointer(schema_capsule, b"arrow_schema")),
                Array.from_address(capsule_pointer(array_capsule, b"arrow_array")), (schema_capsule, array_capsule))
    capsule = value.__arrow_c_stream__()
    stream = Stream.from_address(capsule_pointer(capsule, b"arrow_array_stream"))
    address = ctypes.addressof(stream)
    schema, first, second = Schema(), Array(), Array()
    if stream.get_schema(address, ctypes.addressof(schema)) or stream.get_next(address, ctypes.addressof(first)):
        raise ValueError("%s: the Arrow stream failed" % what)
    keep = (Released(schema), Released(first), capsule)
    if not first.release:
        return None
    if stream.get_next(address, ctypes.addressof(second)):
        raise ValueError("%s: the Arrow stream failed" % what)
    if second.release:
        del keep
        Released(second)
        return None
    return schema, first, keep


def numbers_of(value, what):
    """(address, dtype, shape, keep) of a column of floats without nulls: [rows], or fixed-size lists [rows, n]. `keep` owns
    the memory. None for values of another form, which the caller reads by another interface."""
    found = _one_array(value, what)
    if found is None:
        return None
    schema, items, keep = found
    width, start, rows = 1, items.offset, items.length
    if items.null_count > 0:
        raise ValueError("%s: %d values are null" % (what, items.null_count))
    shape = (rows,)
    if schema.format.startswith(b"+w:"):
        width = int(schema.format[3:])
        schema, items = schema.children[0].contents, items.children[0].contents
        start, shape = start * width + items.offset, (rows, width)
    if schema.format not in FLOAT_BITS:
        return None
    bits = FLOAT_BITS[schema.format]
    return (items.buffers[1] or 0) + start * bits // 8, (2, bits), shape, keep
