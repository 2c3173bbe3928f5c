# SPDX-License-Identifier: Apache-2.0
"""The kernel table for numpy arrays: one call per block of rows, blocks on as many threads as asked for."""
import ctypes
import re
from concurrent.futures import ThreadPoolExecutor
from ctypes import c_char_p, c_double, c_int32, c_int64, c_size_t, c_uint32, c_void_p

import numpy

BLOCK = 8192
DTYPES = {'float16': 101, 'bfloat16': 102, 'float32': 103, 'float64': 104}  # ALCORE_FLOAT16 ...


class Work(ctypes.Structure):
    _fields_ = [('size', c_size_t), ('host', c_void_p), ('host_user', c_void_p), ('stream', c_void_p),
                ('workspace', c_void_p), ('workspace_release', c_void_p), ('workspace_user', c_void_p),
                ('device', c_int32), ('reserved', c_int32), ('workspace_bytes', c_int64)]


class Rows(ctypes.Structure):
    _fields_ = [('data', c_void_p), ('first', c_int64), ('count', c_int64), ('dims', c_int64), ('stride', c_int64),
                ('dtype', c_int32), ('unit', c_int32)]


class Best(ctypes.Structure):
    _fields_ = [('k', c_int64), ('row', c_void_p), ('value', c_void_p)]


class Search(ctypes.Structure):
    _fields_ = [('size', c_size_t), ('metric', c_int32), ('reserved', c_int32), ('basis', c_void_p),
                ('leading', c_int64), ('skew', c_double), ('cost', c_double)]

    @classmethod
    def of(cls, metric):
        return cls(size=ctypes.sizeof(cls), metric=metric)


class TokenStats(ctypes.Structure):
    _fields_ = [(name, c_void_p) for name in ('logprob', 'top1', 'top2', 'margin', 'entropy', 'logsumexp', 'likeliest')]


class Kernels:
    """table.NAME(...) calls an entry: arrays are passed as pointers, Python's numbers as int64 unless wrapped. The table
    is that of an engine of the CPU, or of a module's file."""

    def __init__(self, library, header, engine=None, module=None):
        shared = ctypes.CDLL(library)
        with open(header, encoding='utf-8') as file:
            text = file.read()
        struct = text[text.index('typedef struct alcore_sys_kernels {'):text.index('} alcore_sys_kernels;')]
        names = re.findall(r'(?:alcore_status|void) \(\*(\w+)\)', struct)

        class Table(ctypes.Structure):
            _fields_ = ([('size', c_size_t), ('abi', c_uint32), ('device', c_int32), ('engine', c_char_p)]
                        + [(name, c_void_p) for name in names])
        find = shared.bench_module if module else shared.bench_kernels
        find.restype = ctypes.POINTER(Table)
        wanted = module or engine
        table = find(wanted and wanted.encode())
        if not table:
            raise ValueError(f'no engine {wanted} here')
        if table.contents.size != ctypes.sizeof(Table):
            raise ValueError('kernel.h is of another build')
        self.engine = table.contents.engine.decode()
        self.work = Work(size=ctypes.sizeof(Work), host=ctypes.addressof(c_size_t.in_dll(shared, 'bench_host')))
        self._entries = {name: getattr(table.contents, name) for name in names}
        self._pools = {}

    def __getattr__(self, name):
        address = self._entries.get(name)
        if not address:
            raise AttributeError(f'the engine lacks {name}')
        call = ctypes.CFUNCTYPE(c_int32)(address)

        def entry(*arguments):
            status = call(ctypes.byref(self.work), *map(given, arguments))
            if status != 0:
                raise RuntimeError(f'{name}: status {status}')
        setattr(self, name, entry)
        return entry

    def spread(self, function, cuts, threads):
        """function(first, last) for each of the cuts; results in their order."""
        if threads == 1:
            return [function(*cut) for cut in cuts]
        if threads not in self._pools:
            self._pools[threads] = ThreadPoolExecutor(threads)
        return list(self._pools[threads].map(lambda cut: function(*cut), cuts))

    def blocks(self, function, rows, threads):
        """The same for each block of rows."""
        return self.spread(function, [(first, min(first + BLOCK, rows)) for first in range(0, rows, BLOCK)], threads)


def given(value):
    if value is None:
        return c_void_p()
    if isinstance(value, numpy.ndarray):
        return c_void_p(value.ctypes.data)
    if hasattr(value, 'data_ptr'):  # a tensor of torch
        return c_void_p(value.data_ptr())
    if isinstance(value, ctypes.Structure):
        return ctypes.byref(value)
    return c_int64(value) if isinstance(value, int) else value


def rows_of(matrix, first=0, last=None, unit=0):
    """Rows first .. last - 1 of a C-ordered matrix."""
    last = len(matrix) if last is None else last
    part = matrix[first:last]
    return Rows(data=part.ctypes.data, first=first, count=len(part), dims=matrix.shape[1], stride=matrix.shape[1],
                dtype=DTYPES[str(matrix.dtype)], unit=unit)
