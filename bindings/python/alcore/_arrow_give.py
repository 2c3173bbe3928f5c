# SPDX-License-Identifier: Apache-2.0
"""Columns that the library itself reads by the Arrow interface, and tables of the library that other libraries read by it.

give() hands an ArrowColumn to the library without a look at its values: one array as it is, several as a stream. The library then owns
each array and releases it when it reads it last; until then the memory's owner is kept here. stream_of() is the other way: a
capsule with a stream that the library fills in."""
import ctypes
import itertools
from ctypes import c_char_p, c_void_p, py_object, pythonapi

from . import _arrow
from ._calls import run
from ._library import lib

_RELEASE = ctypes.CFUNCTYPE(None, c_void_p)
_GET = ctypes.CFUNCTYPE(ctypes.c_int, c_void_p, c_void_p)
_LAST_ERROR = ctypes.CFUNCTYPE(c_char_p, c_void_p)
_DESTRUCTOR = ctypes.CFUNCTYPE(None, c_void_p)
_new_capsule = ctypes.PYFUNCTYPE(py_object, c_void_p, c_char_p, _DESTRUCTOR)(("PyCapsule_New", pythonapi))
_pointer_of = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", pythonapi))
_numbers = itertools.count(1)
_kept = {}  # number in private_data -> what owns the memory of an array, a schema or a stream that the library has
_streams = {}  # address -> the struct of a stream in a capsule


def _releaser(kind):
    def release(address):
        item = kind.from_address(address)
        _kept.pop(item.private_data, None)
        item.release = _RELEASE()
    return _RELEASE(release)


_release_array, _release_schema = _releaser(_arrow.Array), _releaser(_arrow.Schema)


def _schema_of(kind, made):
    """The struct of a Type. made: what has to live as long as it."""
    children = (ctypes.POINTER(_arrow.Schema) * max(len(kind.children), 1))(
        *[ctypes.pointer(_schema_of(child, made)) for child in kind.children])
    schema = _arrow.Schema(format=kind.format.encode(), name=kind.name.encode(), n_children=len(kind.children), children=children)
    if kind.dictionary is not None:
        schema.dictionary = ctypes.pointer(_schema_of(kind.dictionary, made))
    made += [schema, children]
    return schema


def _given_schema(kind, out):
    """Fills in a schema that its owner releases."""
    made, number = [], next(_numbers)
    ctypes.memmove(ctypes.addressof(out), ctypes.addressof(_schema_of(kind, made)), ctypes.sizeof(out))
    out.release, out.private_data = _release_schema, number
    _kept[number] = made


def _given_array(piece, keep, out):
    """Fills in an array that its owner releases, of a piece of an ArrowColumn."""
    items, start, count = piece
    number = next(_numbers)
    ctypes.memmove(ctypes.addressof(out), ctypes.addressof(items), ctypes.sizeof(out))
    whole = start == items.offset and count == items.length
    out.offset, out.length, out.null_count = start, count, items.null_count if whole or not items.null_count else -1
    out.release, out.private_data = _release_array, number
    _kept[number] = (items, keep)


def _stream(column):
    """A stream of the pieces of a column, for the library to read at once; what has to live until then is its `made`."""
    pieces = iter(column.pieces)

    def get_schema(_, out):
        _given_schema(column.type, _arrow.Schema.from_address(out))
        return 0

    def get_next(_, out):
        piece, into = next(pieces, None), _arrow.Array.from_address(out)
        if piece is None:
            into.release = _RELEASE()
        else:
            _given_array(piece, column.keep, into)
        return 0

    def release(address):
        _arrow.Stream.from_address(address).release = _RELEASE()

    stream = _arrow.Stream(_GET(get_schema), _GET(get_next), _LAST_ERROR(), _RELEASE(release))
    return stream


def give(pool, name, column, options):
    """Gives a pool the column `name` as an ArrowColumn has it; UnsupportedError for a type that the library does not read."""
    if len(column.pieces) != 1:
        stream = _stream(column)
        run(lib.alcore_pool_set_column_stream, pool, name, ctypes.byref(stream), ctypes.byref(options))
        return
    schema, items = _arrow.Schema(), _arrow.Array()
    _given_schema(column.type, schema)
    _given_array(column.pieces[0], column.keep, items)
    try:
        run(lib.alcore_pool_set_column_arrow, pool, name, ctypes.byref(items), ctypes.byref(schema), ctypes.byref(options))
    finally:  # a call that fails leaves both to their owner
        for item in (items, schema):
            if item.release:
                item.release(ctypes.addressof(item))


@_DESTRUCTOR
def _delete_stream(capsule):
    stream = _streams.pop(_pointer_of(capsule, b"arrow_array_stream"), None)
    if stream is not None and stream.release:
        stream.release(ctypes.addressof(stream))


def stream_of(function, handle):
    """A capsule of the Arrow interface with the stream that function(handle, options, out) opens."""
    stream = _arrow.Stream()
    run(function, handle, None, ctypes.byref(stream))
    _streams[ctypes.addressof(stream)] = stream
    return _new_capsule(ctypes.addressof(stream), b"arrow_array_stream", _delete_stream)
