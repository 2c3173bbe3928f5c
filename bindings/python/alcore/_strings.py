# SPDX-License-Identifier: Apache-2.0
"""Texts in and out."""
import array
import ctypes
import operator
from itertools import accumulate

from ._intake import is_bool, is_missing, values_of


class Strings:
    """Texts as arrays of pointers and lengths.

    values: a column of any kind (_intake.py). optional: a missing text is absent, NULL; empty: it is an empty text, as in the rows
    of a pool; else it is an error. integers: whole numbers are taken too, as their digits: ids, groups and labels."""

    def __init__(self, values, what, optional=False, integers=False, empty=False):
        values = values_of(values, what)
        self.whole = False  # whether whole numbers are among them
        if self._join(values):
            return
        encoded = []
        for number, value in enumerate(values):
            if isinstance(value, str):
                try:
                    value = value.encode()
                except UnicodeEncodeError as error:
                    raise ValueError("%s[%d]: the text cannot be written as UTF-8 (%s)" % (what, number,
                                                                                          error.reason)) from None
            elif is_missing(value):
                value = self._absent(what, number, value, optional, empty)
            elif not isinstance(value, bytes):
                value = _other_text(value, "%s[%d]" % (what, number), integers)
                self.whole = True
            encoded.append(value)
        self.count = len(encoded)
        self.pointers = (ctypes.c_char_p * max(self.count, 1))(*encoded)
        self.lengths = (ctypes.c_size_t * max(self.count, 1))(*map(len_or_0, encoded))

    @property
    def arguments(self):
        """What a call takes: the addresses of the texts and of their lengths, and their number."""
        return ctypes.addressof(self.pointers), ctypes.addressof(self.lengths), self.count

    @staticmethod
    def _absent(what, number, value, optional, empty):
        if optional or empty:
            return None if optional else b""
        raise TypeError("%s[%d]: a text is expected, got %s, a missing value" % (what, number, type(value).__name__))

    def _join(self, values):
        """Fills the arrays where all values are str that UTF-8 can write, without a step of the interpreter for each: the texts
        lie behind each other in one block, a NUL behind each. False: something else is among them."""
        try:
            encoded = list(map(str.encode, values))
        except (TypeError, UnicodeEncodeError):
            return False
        self.count = len(encoded)
        self._block = b"\0".join(encoded)
        begin = ctypes.cast(ctypes.c_char_p(self._block), ctypes.c_void_p).value
        lengths = array.array("Q", map(len, encoded)) or array.array("Q", [0])
        pointers = array.array("Q", accumulate(map((1).__add__, lengths), initial=begin))
        self.pointers = (ctypes.c_size_t * len(lengths)).from_buffer(pointers)
        self.lengths = (ctypes.c_size_t * len(lengths)).from_buffer(lengths)
        return True


class Block:
    """Texts that lie behind each other in one block, with the offset of each and of the end."""

    def __init__(self, encoded):
        self.count, self.bytes = len(encoded), b"".join(encoded)
        self._offsets = array.array("q", accumulate(map(len, encoded), initial=0))
        self.offsets = self._offsets.buffer_info()[0]


def block_of(values):
    """The Block of a list; None unless all values are str that UTF-8 can write."""
    try:
        return Block(list(map(str.encode, values)))
    except (TypeError, UnicodeEncodeError):
        return None


def _other_text(value, where, integers):
    """The text of an id, group or label that is no str: the digits of an integer, or a UUID."""
    if integers and not is_bool(value):
        if hasattr(value, "__index__") and not hasattr(value, "__len__"):
            return str(operator.index(value)).encode()
        if type(value).__name__ == "UUID":
            return str(value).encode()
        if type(value).__name__ == "Decimal" and value == value.to_integral_value():
            return b"%d" % int(value)
        if isinstance(value, float):
            raise TypeError("%s: a text or an integer is expected, got the float %r; integers beside a missing value become floats "
                            "in pandas, where astype(\"Int64\") keeps them" % (where, value))
    raise TypeError("%s: a text is expected, got %s" % (where, type(value).__name__))


def len_or_0(value):
    return 0 if value is None else len(value)


def text_at(address, length):
    """UTF-8 in the library's memory as a str."""
    return ctypes.string_at(address, length).decode("utf-8", "replace")


def text(value: bytes) -> str:
    """A text of the library."""
    return value.decode("utf-8", "replace")


def text_or_none(value):
    return None if value is None else value.decode("utf-8", "replace")


def name_of(name, what):
    """A name for the library."""
    if not isinstance(name, str):
        raise TypeError("%s: a name is expected, got %s" % (what, type(name).__name__))
    return name.encode()
