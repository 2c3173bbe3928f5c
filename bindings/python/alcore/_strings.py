# SPDX-License-Identifier: Apache-2.0
"""Texts in and out."""
import array
import ctypes
from itertools import accumulate


class Strings:
    """Texts as arrays of pointers and lengths; None where a text is absent."""

    def __init__(self, values, what, optional=False):
        if isinstance(values, (str, bytes)):
            raise TypeError("%s: a list of texts is expected, not one text" % what)
        if hasattr(values, "to_pylist"):
            values = values.to_pylist()
        if isinstance(values, (list, tuple)) and self._join(values):
            return
        encoded = []
        for number, value in enumerate(values):
            if isinstance(value, str):
                try:
                    value = value.encode()
                except UnicodeEncodeError as error:
                    raise ValueError("%s[%d]: the text cannot be written as UTF-8 (%s)" % (what, number,
                                                                                          error.reason)) from None
            elif optional and is_missing(value):
                value = None
            elif not isinstance(value, bytes):
                raise TypeError("%s[%d]: a text is expected, got %s" % (what, number, type(value).__name__))
            encoded.append(value)
        self.count = len(encoded)
        self.pointers = (ctypes.c_char_p * max(self.count, 1))(*encoded)
        self.lengths = (ctypes.c_size_t * max(self.count, 1))(*map(len_or_0, encoded))

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


def is_missing(value):
    """Whether the value stands for none: None, NaN, or the missing value of pandas."""
    return value is None or (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"


def len_or_0(value):
    return 0 if value is None else len(value)


def text_at(address, length):
    """UTF-8 in the library's memory as a str."""
    return ctypes.string_at(address, length).decode("utf-8", "replace")


def text_or_none(value):
    return None if value is None else value.decode("utf-8", "replace")


def name_of(name, what):
    """A name for the library."""
    if not isinstance(name, str):
        raise TypeError("%s: a name is expected, got %s" % (what, type(name).__name__))
    return name.encode()
