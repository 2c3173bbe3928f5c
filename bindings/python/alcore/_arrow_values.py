# SPDX-License-Identifier: Apache-2.0
"""Columns of the Arrow interface as lists of plain Python values: None for a null, str, int, float, bool, Decimal, lists of these.

Types without a plain value (dates, unions, extension types that are not named here) raise TypeNotRead, which names them."""
import ctypes
import json
import struct
import uuid
from decimal import Decimal

from ._arrow import ArrowColumn, null_positions

# Letters of numbers: code of a memoryview, bytes.
NUMBERS = {"c": ("b", 1), "C": ("B", 1), "s": ("h", 2), "S": ("H", 2), "i": ("i", 4), "I": ("I", 4), "l": ("q", 8), "L": ("Q", 8),
           "f": ("f", 4), "g": ("d", 8)}
NAMES = {"td": "dates", "ts": "timestamps", "tt": "times", "tD": "durations", "ti": "intervals", "+u": "a union", "+m": "a map",
         "w:": "binary values of fixed size", "z": "binary values"}


class TypeNotRead(TypeError):
    """A column of a type that has no plain values here; the text names it."""


def type_name(kind):
    """What to call a type in a message."""
    if kind.extension:
        return "the extension type " + kind.extension
    return next((name for letters, name in NAMES.items() if kind.format.startswith(letters)), "the Arrow type " + kind.format)


def values_of(column):
    """All values of an ArrowColumn."""
    found = []
    for items, start, count in column.pieces:
        found += _values(column.type, items, start, count)
    return found


def _values(kind, items, start, count):
    if kind.extension:
        return _of_extension(kind, items, start, count)
    found = _stored(kind, items, start, count)
    if kind.format != "n" and not kind.format.startswith("+r"):
        for position in null_positions(items, start, count):
            found[position] = None
    return found


def _stored(kind, items, start, count):
    """The values of a type, with anything in the places of nulls."""
    letters = kind.format
    if kind.dictionary is not None:
        words = _values(kind.dictionary, items.dictionary.contents, items.dictionary.contents.offset, items.dictionary.contents.length)
        nulls = set(null_positions(items, start, count))
        return [None if row in nulls else words[code] for row, code in enumerate(_numbers(letters, items, start, count))]
    if letters == "n":
        return [None] * count
    if letters in NUMBERS or letters == "e":
        return _numbers(letters, items, start, count)
    if letters == "b":
        bits = _memory(items, 1, start // 8, (start + count + 7) // 8 - start // 8)
        return [bool(bits[(start % 8 + row) // 8] >> (start % 8 + row) % 8 & 1) for row in range(count)]
    if letters in ("u", "U", "z", "Z"):
        return _strings(letters, items, start, count)
    if letters in ("vu", "vz"):
        return _views(letters, items, start, count)
    if letters.startswith("d:"):
        return _decimals(letters, items, start, count)
    if letters.startswith("w:"):
        size = int(letters[2:])
        block = _memory(items, size, start, count)
        return [block[row * size:(row + 1) * size] for row in range(count)]
    if letters.startswith("+"):
        return _nested(kind, items, start, count)
    raise TypeNotRead(type_name(kind))


def _memory(items, size, start, count, buffer=1):
    return ctypes.string_at(items.buffers[buffer] + start * size, count * size) if count else b""


def _numbers(letters, items, start, count):
    if letters == "e":
        return list(struct.unpack("=%de" % count, _memory(items, 2, start, count)))
    code, size = NUMBERS[letters]
    return memoryview(_memory(items, size, start, count)).cast(code).tolist()


def _text(data, letters):
    return data.decode("utf-8", "surrogateescape") if letters[-1] in "uU" else data


def _strings(letters, items, start, count):
    if not count:
        return []
    code, size = ("i", 4) if letters in "uz" else ("q", 8)
    bounds = memoryview(_memory(items, size, start, count + 1)).cast(code).tolist()
    block = ctypes.string_at(items.buffers[2] + bounds[0], bounds[-1] - bounds[0]) if bounds[-1] > bounds[0] else b""
    first = bounds[0]
    return [_text(block[begin - first:end - first], letters) for begin, end in zip(bounds, bounds[1:])]


def _views(letters, items, start, count):
    """String views of 16 bytes: the length, then up to 12 bytes of text, or 4 of them, a buffer and the offset in it."""
    found, nulls, block = [], set(null_positions(items, start, count)), _memory(items, 16, start, count)
    for row in range(count):
        if row in nulls:
            found.append(None)
            continue
        length, _, buffer, offset = struct.unpack_from("=iiii", block, row * 16)
        data = block[row * 16 + 4:row * 16 + 4 + length] if length <= 12 else ctypes.string_at(items.buffers[2 + buffer] + offset, length)
        found.append(_text(data, letters))
    return found


def _decimals(letters, items, start, count):
    parts = letters[2:].split(",")
    size = int(parts[2]) // 8 if len(parts) > 2 else 16
    block, scale = _memory(items, size, start, count), int(parts[1])
    whole = (int.from_bytes(block[row * size:(row + 1) * size], "little", signed=True) for row in range(count))
    return [Decimal("%de%d" % (number, -scale)) for number in whole]


def _nested(kind, items, start, count):
    letters = kind.format
    if letters in ("+l", "+L"):
        bounds = ArrowColumn(kind, (), None)._bounds(items, start, count)
        child = items.children[0].contents
        values = _values(kind.children[0], child, child.offset + (bounds[0] if bounds else 0), (bounds[-1] - bounds[0]) if bounds else 0)
        first = bounds[0] if bounds else 0
        return [values[begin - first:end - first] for begin, end in zip(bounds, bounds[1:])]
    if letters.startswith("+w:"):
        width, child = int(letters[3:]), items.children[0].contents
        values = _values(kind.children[0], child, child.offset + start * width, count * width)
        return [values[row * width:(row + 1) * width] for row in range(count)]
    if letters in ("+vl", "+vL"):
        code, size = ("i", 4) if letters == "+vl" else ("q", 8)
        begins, lengths = (memoryview(_memory(items, size, start, count, buffer)).cast(code).tolist() for buffer in (1, 2))
        child = items.children[0].contents
        values = _values(kind.children[0], child, child.offset, child.length)
        return [values[begin:begin + length] for begin, length in zip(begins, lengths)]
    if letters == "+s":
        parts = [_values(of, child.contents, child.contents.offset + start, count)
                 for of, child in zip(kind.children, items.children[:items.n_children])]
        return [dict(zip([of.name for of in kind.children], row)) for row in zip(*parts)] if parts else [{} for _ in range(count)]
    if letters == "+r":
        return _runs(kind, items, start, count)
    raise TypeNotRead(type_name(kind))


def _runs(kind, items, start, count):
    ends, values = (_values(of, child.contents, child.contents.offset, child.contents.length)
                    for of, child in zip(kind.children, items.children[:2]))
    found, begin = [], 0
    for end, value in zip(ends, values):
        found += [value] * (min(end, start + count) - max(begin, start))
        begin = end
    return found


def _of_extension(kind, items, start, count):
    """Values of the extension types whose meaning is known: of arrow.json what the JSON says, so that "a" is a text without its
    quotes."""
    read = {"arrow.json": json.loads, "arrow.uuid": lambda value: str(uuid.UUID(bytes=value)), "arrow.bool8": bool}.get(kind.extension)
    if kind.extension == "arrow.fixed_shape_tensor" and len(json.loads(kind.extra)["shape"]) == 1:
        read = list
    if read is None:
        raise TypeNotRead(type_name(kind))
    stored = object.__new__(type(kind))
    stored.__dict__.update(kind.__dict__, extension=None)
    return [None if value is None else read(value) for value in _values(stored, items, start, count)]
