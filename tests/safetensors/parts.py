# SPDX-License-Identifier: Apache-2.0
"""What the crafted safetensors files of corpus.py and shards.py are made of.

A file is 8 bytes with the length of the header, the header, and the numbers. Every file starts from a whole one: the
tensors of a small model (tests/torch/fixtures/distilbert), which the torch engine asks for, and behind them the tensor
"e", float32 [2, 3] with the numbers 1 to 6, which the reader of arrays asks for. A case changes one thing."""
import json
import os
import struct
import sys

FIXTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../torch/fixtures/distilbert')
with open(os.path.join(FIXTURE, 'model.safetensors'), 'rb') as file:
    _whole = file.read()
_end = 8 + struct.unpack('<Q', _whole[:8])[0]
MODEL = {name: entry for name, entry in json.loads(_whole[8:_end]).items() if name != '__metadata__'}
MODEL_DATA = _whole[_end:]
MODEL_ENTRIES = json.dumps(MODEL)[1:-1]  # the members of the header, without its braces
E_DATA = struct.pack('<6f', 1, 2, 3, 4, 5, 6)

CASES = []


class Case:
    """One file or folder and what the readers make of it.

    name    also the name of its folder
    files   the folder's files beside config.json: name -> bytes, a text, or the Link that stands there
    array   what the reader of arrays (lib/formats/safetensors.c) makes of the tensor "e" of model.safetensors: a text
            that its error holds, OK and what OK says of the array, or NOT_ASKED where the case is about folders
    model   what the torch engine (lib/engines/torch/torch_weights.cpp) makes of the folder: a text of its error, or OK
    tensor  what the reader of arrays is asked for"""

    def __init__(self, name, files, array, model, tensor):
        self.name, self.files, self.array, self.model, self.tensor = name, files, array, model, tensor


class Link:
    """A symbolic link in place of a file."""

    def __init__(self, target):
        self.target = target


NOT_ASKED = object()
_MISSING = object()


class OK:
    """The file is accepted. shape and data: of the array that was asked for."""

    def __init__(self, shape='2x3', data=E_DATA):
        self.shape, self.data = shape, data


def case(name, content, array=_MISSING, model=_MISSING, tensor='e'):
    """Adds a case. content: the bytes of model.safetensors, or the files of a folder."""
    caller = sys._getframe(1)
    place = f'{os.path.basename(caller.f_code.co_filename)}:{caller.f_lineno}'
    for value in array, model:
        if value is _MISSING or value == '':
            raise SystemExit(f'{place}: case "{name}" does not say what is expected of both readers')
    if any(other.name == name for other in CASES):
        raise SystemExit(f'{place}: case "{name}" stands twice')
    files = content if isinstance(content, dict) else {'model.safetensors': content}
    CASES.append(Case(name, files, array, model, tensor))


def at(byte):
    """Text of an offset that counts from the first byte of "e"."""
    return str(len(MODEL_DATA) + byte)


def entry(name='"e"', dtype='"F32"', shape='[2,3]', offsets=(0, 24), more=''):
    """A member of the header. offsets: a text, or two numbers that count from the first byte of "e". more: further members
    of the tensor's object, each with a comma before it."""
    if not isinstance(offsets, str):
        offsets = '[' + ','.join(at(byte) for byte in offsets) + ']'
    return f'{name}:{{"dtype":{dtype},"shape":{shape},"data_offsets":{offsets}{more}}}'


def pack(header, data=MODEL_DATA + E_DATA, length=None):
    """A file. header: bytes or a text, whose lone surrogates U+DC80 to U+DCFF stand for bytes that are not UTF-8. length:
    what the first 8 bytes say; None: what is true."""
    if isinstance(header, str):
        header = header.encode('utf-8', 'surrogateescape')
    return struct.pack('<Q', len(header) if length is None else length) + header + data


def header_of(*members, tail=''):
    """The header with the tensors of the model and these members; tail stands behind its last brace."""
    return '{' + ','.join((MODEL_ENTRIES,) + members) + '}' + tail


def file_of(*members, data=E_DATA, tail=''):
    """The file with the tensors of the model and these members; data: the numbers behind those of the model."""
    return pack(header_of(*members, tail=tail), MODEL_DATA + data)


def shard(names, extra=None):
    """A file with these tensors of the model. extra: name -> bytes of tensors of U8 beside them."""
    header, data = {}, b''
    for name in names:
        begin, end = MODEL[name]['data_offsets']
        header[name] = dict(MODEL[name], data_offsets=[len(data), len(data) + end - begin])
        data += MODEL_DATA[begin:end]
    for name, content in (extra or {}).items():
        header[name] = {'dtype': 'U8', 'shape': [len(content)], 'data_offsets': [len(data), len(data) + len(content)]}
        data += content
    return pack(json.dumps(header), data)
