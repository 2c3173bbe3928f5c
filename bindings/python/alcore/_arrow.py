# SPDX-License-Identifier: Apache-2.0
"""Reads what other libraries give through the Arrow C data interface, which needs no package.

An Arrow object hands out capsules: a schema (the type of the values), an array (their buffers), or a stream of arrays with one
schema. Who receives a schema or an array must call its release function once; Released does so. A stream may be read only once,
and asking an object for another one may compute everything again, so each object is asked once: read() gives its Columns.

    ArrowColumn    type of a column, and its pieces (arrays of that type)
    .numbers()     the memory of floats as it lies, [rows] or [rows, n]; copied only where there are several pieces or nulls
    .ragged()      the same for lists of any lengths: values and offsets

_arrow_values.py makes plain Python values of every type."""
import array
import ctypes
import struct
from ctypes import c_char_p, c_int, c_int64, c_void_p, py_object, pythonapi

#: Letters of floats in Arrow's formats: their bits.
FLOAT_BITS = {"e": 16, "f": 32, "g": 64}
NAN_BYTES = {bits: struct.pack("=" + letter, float("nan")) for letter, bits in (("e", 16), ("f", 32), ("d", 64))}
capsule_pointer = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", pythonapi))


class Schema(ctypes.Structure):
    """struct ArrowSchema: the type of an array and of its children."""


class Array(ctypes.Structure):
    """struct ArrowArray: the buffers of an array; buffer 0 says which values are null, buffer 1 has the values."""


class Stream(ctypes.Structure):
    """struct ArrowArrayStream: arrays of one schema, one after the other; a released array ends it."""


Schema._fields_ = [("format", c_char_p), ("name", c_char_p), ("metadata", c_void_p), ("flags", c_int64),
                   ("n_children", c_int64), ("children", ctypes.POINTER(ctypes.POINTER(Schema))),
                   ("dictionary", ctypes.POINTER(Schema)), ("release", ctypes.CFUNCTYPE(None, c_void_p)),
                   ("private_data", c_void_p)]
Array._fields_ = [("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64),
                  ("n_children", c_int64), ("buffers", ctypes.POINTER(c_void_p)),
                  ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
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


def _metadata(address):
    """The metadata of a schema: {key: value}. Numbers are int32 of this machine: pairs, then the length of each key and value."""
    found, at = {}, address + 4
    for _ in range(ctypes.c_int32.from_address(address).value):
        pair = []
        for _ in "kv":
            length = ctypes.c_int32.from_address(at).value
            pair.append(ctypes.string_at(at + 4, length))
            at += 4 + length
        found[pair[0]] = pair[1]
    return found


class Type:
    """The type of a column, copied from its schema. format: Arrow's letters. extension: the name of an extension type, else None;
    extra: its parameters."""

    def __init__(self, schema):
        self.format, self.name = schema.format.decode(), (schema.name or b"").decode("utf-8", "replace")
        self.children = [Type(schema.children[number].contents) for number in range(schema.n_children)]
        self.dictionary = Type(schema.dictionary.contents) if schema.dictionary else None
        told = _metadata(schema.metadata) if schema.metadata else {}
        self.extension = told.get(b"ARROW:extension:name", b"").decode("utf-8", "replace") or None
        self.extra = told.get(b"ARROW:extension:metadata", b"")


def null_positions(items, start, count):
    """Positions, from 0, of the nulls among `count` values from `start` on, which has the array's offset in it. Bit 1 of the
    validity buffer is valid, the lowest bit first; without that buffer all are."""
    if not items.n_buffers or not items.buffers[0] or items.null_count == 0 or not count:
        return []
    first, end = start // 8, (start + count + 7) // 8
    bits = ctypes.string_at(items.buffers[0] + first, end - first)
    found = []
    for number, byte in enumerate(bits):
        if byte != 255:
            base = (first + number) * 8 - start
            found += [base + bit for bit in range(8) if not byte >> bit & 1 and 0 <= base + bit < count]
    return found


class ArrowColumn:
    """A column in pieces: [(array, position of its first value with the array's offset, number of values)]. keep: what owns the
    memory."""

    def __init__(self, kind, pieces, keep):
        self.type, self.pieces, self.keep = kind, pieces, keep
        self.source = None  # the value that it was read of, for messages

    def __len__(self):
        return sum(count for _, _, count in self.pieces)

    def column(self, number):
        """The column `number` of a table, which is a struct of columns. A null struct is a null in each of its columns; none of
        the libraries that write tables make such."""
        return ArrowColumn(self.type.children[number], [
            (items.children[number].contents, items.children[number].contents.offset + start, count)
            for items, start, count in self.pieces], self.keep)

    def numbers(self):
        """(address, bits, shape, keep) of floats [rows], or of lists of one length [rows, n]; NaN for a null. None: a type of
        another kind, or lists of several lengths."""
        width, inner = self._width()
        if width is None or inner.format not in FLOAT_BITS or inner.dictionary or inner.extension:
            return None
        bits = FLOAT_BITS[inner.format]
        pieces = [part for piece in self.pieces for part in self._parts(*piece, width)]
        shape = (len(self),) if self.type is inner else (len(self), width)
        address, keep = _joined(pieces, bits, width, self.keep)
        return address, bits, shape, keep

    def ragged(self):
        """(address, bits, number of values, offsets, keep) of lists of floats; a null list is one NaN. None: another type."""
        kind = self.type
        if kind.format not in ("+l", "+L") or kind.extension or kind.children[0].format not in FLOAT_BITS:
            return None
        bits, pieces, offsets = FLOAT_BITS[kind.children[0].format], [], array.array("q", [0])
        for items, start, count in self.pieces:
            bounds = self._bounds(items, start, count)
            nulls = set(null_positions(items, start, count))
            if nulls:
                return None
            child = items.children[0].contents
            first = bounds[0] if bounds else 0
            pieces.append((child, child.offset + first, (bounds[-1] if bounds else 0) - first, []))
            base = offsets[-1] - first
            offsets.extend(base + bound for bound in bounds[1:])
        pieces = [(child, start, count, null_positions(child, start, count)) for child, start, count, _ in pieces]
        address, keep = _joined(pieces, bits, 1, self.keep)
        return address, bits, offsets[-1], offsets, keep

    def _width(self):
        """(numbers of each row, type of a number): 1 for a column of numbers; None where rows have several lengths."""
        kind = self.type
        if kind.extension:
            return None, kind
        if kind.format.startswith("+w:"):
            return int(kind.format[3:]), kind.children[0]
        if kind.format not in ("+l", "+L"):
            return 1, kind
        width = None
        for items, start, count in self.pieces:
            bounds, nulls = self._bounds(items, start, count), set(null_positions(items, start, count))
            lengths = {end - begin for row, (begin, end) in enumerate(zip(bounds, bounds[1:])) if row not in nulls}
            if len(lengths | ({width} - {None})) > 1:
                return None, kind.children[0]
            width = lengths.pop() if lengths else width
        return width or 0, kind.children[0]

    def _bounds(self, items, start, count):
        code, size = ("i", 4) if self.type.format == "+l" else ("q", 8)
        if not count:
            return []
        return memoryview(ctypes.string_at(items.buffers[1] + start * size, (count + 1) * size)).cast(code).tolist()

    def _parts(self, items, start, count, width):
        """The parts of a piece that lie together, as _floats() describes each: where lists of any length are null, they have no
        place in the memory, and the rows between them are parts of their own."""
        nulls = null_positions(items, start, count) if self.type.format in ("+l", "+L") else []
        begin = 0
        for null in nulls:
            if null > begin:
                yield self._floats(items, start + begin, null - begin, width)
            yield items, 0, width, range(width)  # all of it is NaN
            begin = null + 1
        yield self._floats(items, start + begin, count - begin, width)

    def _floats(self, items, start, count, width):
        """(array of the numbers, the first one, how many, positions of the nulls) of rows that lie together."""
        kind, rows = self.type, null_positions(items, start, count) if self.type.format not in ("+l", "+L") else []
        if kind.format.startswith("+w:"):
            child = items.children[0].contents
            first = child.offset + start * width
        elif kind.format in ("+l", "+L"):
            child = items.children[0].contents
            first = child.offset + (self._bounds(items, start, 1)[0] if count else 0)
        else:
            return items, start, count, rows
        nulls = null_positions(child, first, count * width)
        return child, first, count * width, {*nulls, *(row * width + k for row in rows for k in range(width))}


def _joined(pieces, bits, width, keep):
    """(address, keep) of the floats of all pieces one after the other; a copy where there are several or a null, which is NaN."""
    size, filled = bits // 8, [piece for piece in pieces if piece[2]]
    if len(filled) == 1 and not filled[0][3]:
        items, start, _, _ = filled[0]
        return items.buffers[1] + start * size, keep
    copy = bytearray()
    for items, start, count, nulls in filled:
        if len(nulls) == count:
            copy += NAN_BYTES[bits] * count
            continue
        block = bytearray(ctypes.string_at(items.buffers[1] + start * size, count * size))
        for position in nulls:
            block[position * size:(position + 1) * size] = NAN_BYTES[bits]
        copy += block
    if not copy:
        return None, keep
    held = (ctypes.c_char * len(copy)).from_buffer(copy)
    return ctypes.addressof(held), held


def has_arrow(value):
    """Whether the value gives its data in Arrow form. Nothing is asked of it, since that might read a stream."""
    return hasattr(value, "__arrow_c_stream__") or hasattr(value, "__arrow_c_array__")


def open_stream(value):
    """(the stream's struct, the capsule that owns it, its Type) of a value; the stream has not been read."""
    capsule = value.__arrow_c_stream__()
    stream, schema = Stream.from_address(capsule_pointer(capsule, b"arrow_array_stream")), Schema()
    _checked(stream, stream.get_schema(ctypes.addressof(stream), ctypes.addressof(schema)))
    keep = Released(schema)
    kind = Type(schema)
    del keep
    return stream, capsule, kind


def _checked(stream, status):
    if status:
        reason = stream.get_last_error(ctypes.addressof(stream)) if stream.get_last_error else None
        raise ValueError("the Arrow stream failed: %s" % ((reason or b"no reason given").decode("utf-8", "replace")))


def read_stream(stream, capsule, kind):
    """The ArrowColumn of a whole stream, which is then empty."""
    pieces, keep = [], [capsule]
    while True:
        items = Array()
        _checked(stream, stream.get_next(ctypes.addressof(stream), ctypes.addressof(items)))
        if not items.release:
            return ArrowColumn(kind, pieces, keep)
        keep.append(Released(items))
        pieces.append((items, items.offset, items.length))


def read(value):
    """The ArrowColumn of a value, which is asked for its data once; that of a table has the format +s."""
    if hasattr(value, "__arrow_c_array__"):
        schema_capsule, array_capsule = value.__arrow_c_array__()
        items = Array.from_address(capsule_pointer(array_capsule, b"arrow_array"))
        return ArrowColumn(Type(Schema.from_address(capsule_pointer(schema_capsule, b"arrow_schema"))),
                           [(items, items.offset, items.length)], (schema_capsule, array_capsule))
    return read_stream(*open_stream(value))
