# SPDX-License-Identifier: Apache-2.0
"""Arrays of the caller as tensors of the library, and memory of the library as arrays.

Whatever interface an array has (buffer, Arrow, DLPack, __array_interface__, __cuda_array_interface__, a list), it becomes an
alcore_tensor that points to the caller's memory, on a CUDA device too. Where the library cannot read that layout or type (integers,
masked arrays, columns in pieces, with nulls or of lists, sparse matrices), a copy is made that it can; a missing number is NaN there. A
value that is no array of numbers is refused, and the message says what was expected. _numbers.py has these copies."""
import array
import ctypes
import struct
import sys
import warnings
from ctypes import c_char_p, c_int, c_int64, c_ssize_t, c_void_p, py_object, pythonapi

from . import _arrow, _ffi
from ._intake import dtype_kind, is_bool, is_missing, values_of
from ._errors import user_level
from ._statuses import UnsupportedError
from ._ffi import (ALCORE_DEVICE_CPU, ALCORE_DEVICE_CUDA, ALCORE_DEVICE_CUDA_HOST, ALCORE_DEVICE_CUDA_MANAGED,
                   ALCORE_KIND_BFLOAT, ALCORE_KIND_FLOAT, ALCORE_KIND_INT, ALCORE_KIND_UINT)
from ._library import lib

# (kind, bits) of DLPack -> name of the dtype.
FLOATS = {(ALCORE_KIND_FLOAT, 16): "float16", (ALCORE_KIND_BFLOAT, 16): "bfloat16", (ALCORE_KIND_FLOAT, 32): "float32",
          (ALCORE_KIND_FLOAT, 64): "float64"}
INTEGERS = {(ALCORE_KIND_INT, 64): "int64", (ALCORE_KIND_UINT, 64): "uint64"}
NUMBERS = {**FLOATS, (ALCORE_KIND_INT, 32): "int32", (ALCORE_KIND_INT, 64): "int64"}
OTHERS = {(ALCORE_KIND_INT, 8): "int8", (ALCORE_KIND_INT, 16): "int16", (ALCORE_KIND_INT, 32): "int32",
          (ALCORE_KIND_UINT, 8): "uint8", (ALCORE_KIND_UINT, 16): "uint16", (ALCORE_KIND_UINT, 32): "uint32",
          (5, 64): "complex64", (5, 128): "complex128", (6, 8): "bool"}
# Kinds by the letters of the buffer protocol, and by those of __array_interface__.
LETTERS = {"e": ALCORE_KIND_FLOAT, "f": ALCORE_KIND_FLOAT, "d": ALCORE_KIND_FLOAT, "?": 6,
           **dict.fromkeys("bhilqn", ALCORE_KIND_INT), **dict.fromkeys("BHILQN", ALCORE_KIND_UINT)}
KINDS = {"f": ALCORE_KIND_FLOAT, "i": ALCORE_KIND_INT, "u": ALCORE_KIND_UINT, "b": 6, "c": 5}
HOST = (ALCORE_DEVICE_CPU, ALCORE_DEVICE_CUDA_HOST)
# The default stream as DLPack and __cuda_array_interface__ number it. An array of DLPack is asked
# to be ready in its order, which is the one that the library waits for when it is given no stream.
DEFAULT_STREAM = 1


COPY_WARNING_BYTES = 1 << 30


class CopyWarning(UserWarning):
    """More than 1 GiB was copied, because the library cannot read the array where it lies."""


class _NotInPlace(Exception):
    """The library cannot read this array where it lies; the text completes "because ..."."""


class _Buffer(ctypes.Structure):
    """Py_buffer, from the stable part of CPython's headers."""

    _fields_ = [("buf", c_void_p), ("obj", py_object), ("len", c_ssize_t), ("itemsize", c_ssize_t), ("readonly", c_int),
                ("ndim", c_int), ("format", c_char_p), ("shape", ctypes.POINTER(c_ssize_t)),
                ("strides", ctypes.POINTER(c_ssize_t)), ("suboffsets", c_void_p), ("internal", c_void_p)]


RECORDS_RO = 0x1C  # PyBUF_RECORDS_RO: strides and format, read-only is enough
_get_buffer = ctypes.PYFUNCTYPE(c_int, py_object, ctypes.POINTER(_Buffer), c_int)(("PyObject_GetBuffer", pythonapi))
_release_buffer = ctypes.PYFUNCTYPE(None, ctypes.POINTER(_Buffer))(("PyBuffer_Release", pythonapi))
_has_buffer = ctypes.PYFUNCTYPE(c_int, py_object)(("PyObject_CheckBuffer", pythonapi))
capsule_valid = ctypes.PYFUNCTYPE(c_int, py_object, c_char_p)(("PyCapsule_IsValid", pythonapi))


class ExportedBuffer:
    """The buffer of a value, which its owner cannot move or free while this object lives."""

    def __init__(self, value):
        self.view = _Buffer()
        _get_buffer(value, self.view, RECORDS_RO)

    def __del__(self):
        _release_buffer(self.view)


class Tensor:
    """An alcore_tensor of an array, with its shape and strides (in values), and `keep`, which keeps its memory alive. stream:
    the address of the CUDA stream in whose order an array on a device is ready; None: the default stream. readonly: its owner
    says that it must not be written."""

    def __init__(self, data, dtype, shape, strides=None, keep=None, device=(ALCORE_DEVICE_CPU, 0), offset=0, stream=None,
                 readonly=False):
        self.keep, self.stream, self.readonly = keep, stream, bool(readonly)
        self.shape = tuple(shape)
        self.dtype = dtype
        self.shape_array = (c_int64 * max(len(self.shape), 1))(*self.shape)
        self.strides_array = None if strides is None else (c_int64 * max(len(strides), 1))(*strides)
        code, bits = dtype
        self.struct = _ffi.alcore_tensor(
            data=data, device=_ffi.alcore_device(*device), ndim=len(self.shape),
            dtype=_ffi.alcore_dtype(code, bits, 1), shape=ctypes.addressof(self.shape_array),
            strides=None if strides is None else ctypes.addressof(self.strides_array), byte_offset=offset)

    @property
    def reference(self):
        return ctypes.byref(self.struct)


def dtype_name(dtype):
    return FLOATS.get(dtype) or INTEGERS.get(dtype) or OTHERS.get(dtype) or "kind %d of %d bits" % dtype


def _strides_in_values(strides, itemsize):
    """Strides in bytes as strides in values, the unit of DLPack and of the library."""
    if any(stride % itemsize for stride in strides):
        raise _NotInPlace("its strides are no multiple of the size of a value")
    return [stride // itemsize for stride in strides]


def _check_layout(tensor):
    """Raises _NotInPlace unless the library reads this layout: the values of a row are adjacent, rows follow one another and
    do not overlap, and every value is aligned. Arrays of three dimensions may have any strides but the last."""
    shape, strides, size = tensor.shape, tensor.strides_array, tensor.dtype[1] // 8
    if tensor.struct.device.type not in HOST or 0 in shape:
        return
    if strides is not None:
        if len(shape) > 1 and shape[-1] > 1 and strides[-1] != 1:
            raise _NotInPlace("the values of a row are not adjacent")
        if len(shape) <= 2 and shape[:1] > (1,) and strides[0] < (shape[1] if len(shape) == 2 else 1):
            raise _NotInPlace("its rows overlap or run backwards")
    if (tensor.struct.data + tensor.struct.byte_offset) % size:
        raise _NotInPlace("its values are not aligned in memory")


def _copied(value, what, reason, copy):
    """A C-contiguous copy in native byte order, made by NumPy; long double becomes float64."""
    numpy = numpy_or_none()
    if copy is False:
        raise ValueError("%s: the array cannot be read in place, because %s; leave out copy=False and it is copied" % (what, reason))
    if numpy is None:
        raise ValueError("%s: the array cannot be read in place, because %s, and NumPy, which would copy it, is not installed"
                         % (what, reason))
    array_of = numpy.asarray(value)
    dtype = array_of.dtype.newbyteorder("=")
    if dtype.kind == "f" and dtype.itemsize > 8:
        dtype = numpy.dtype("f8")
    if array_of.size * dtype.itemsize > COPY_WARNING_BYTES:
        warnings.warn("%s: %.1f GiB are copied, because %s" % (what, array_of.size * dtype.itemsize / 2 ** 30, reason), CopyWarning,
                      stacklevel=user_level())
    return _from_buffer(numpy.require(array_of, dtype, ["C_CONTIGUOUS", "ALIGNED"]), what)


def _from_buffer(value, what):
    held = ExportedBuffer(value)
    view = held.view
    letter = (view.format or b"B").decode()
    if letter[:1] in ">!" and sys.byteorder == "little" and letter[1:] in LETTERS:
        raise _NotInPlace("its byte order is not this machine's")
    letter = letter.lstrip("@=<")
    if letter == "g":
        raise _NotInPlace("its values are long doubles")
    if letter not in LETTERS:
        raise TypeError("%s: numbers are expected, got items of format %r" % (what, letter))
    return Tensor(view.buf, (LETTERS[letter], view.itemsize * 8), view.shape[:view.ndim],
                  _strides_in_values(view.strides[:view.ndim], view.itemsize), held, readonly=view.readonly)


def _check_device(kind, number, what, ctx):
    """Raises UnsupportedError unless the library has a module that reads arrays on that device."""
    if kind not in (ALCORE_DEVICE_CUDA, ALCORE_DEVICE_CUDA_MANAGED):
        raise UnsupportedError("%s: the array lives on a device that alcore does not know (DLPack number %d); bring it to "
                               "host memory first" % (what, kind))
    if lib.alcore_device_check(ctx, b"cuda"):
        reason = lib.alcore_last_error().decode("utf-8", "replace")
        raise UnsupportedError("%s: the array lives on cuda:%d, and %s; give a copy in host memory instead, such as "
                               "tensor.cpu()" % (what, number, reason))


def _from_dlpack(value, what, ctx):
    order = {}
    if hasattr(value, "__dlpack_device__"):
        kind, number = map(int, value.__dlpack_device__())
        if kind not in HOST:
            _check_device(kind, number, what, ctx)
            order["stream"] = DEFAULT_STREAM
    try:
        capsule = value.__dlpack__(max_version=(1, 0), **order)
    except TypeError:
        capsule = value.__dlpack__(**order)  # written before DLPack 1
    readonly = False
    if capsule_valid(capsule, b"dltensor_versioned"):
        address = _arrow.capsule_pointer(capsule, b"dltensor_versioned")
        major = ctypes.c_uint32.from_address(address).value
        if major != 1:
            raise BufferError("%s: DLPack %d is not known; 1 is" % (what, major))
        readonly = ctypes.c_uint64.from_address(address + 24).value & 1  # DLPACK_FLAG_BITMASK_READ_ONLY
        address += 32  # version, context, deleter, flags
    elif capsule_valid(capsule, b"dltensor"):
        address = _arrow.capsule_pointer(capsule, b"dltensor")
    else:
        raise BufferError("%s: its DLPack capsule was used already" % what)
    found = _ffi.alcore_tensor.from_address(address)
    shape = (c_int64 * found.ndim).from_address(found.shape)[:] if found.ndim else []
    strides = (c_int64 * found.ndim).from_address(found.strides)[:] if found.strides and found.ndim else None
    if found.dtype.lanes != 1:
        raise TypeError("%s: plain numbers are expected, not vectors of %d" % (what, found.dtype.lanes))
    # The capsule is not renamed to a used one: so it frees the array itself when it is deleted.
    return Tensor(found.data, (found.dtype.code, found.dtype.bits), shape, strides, capsule,
                  (found.device.type, found.device.id), found.byte_offset, readonly=readonly)


def _from_interface(value, what):
    interface = value.__array_interface__
    kind, size = interface["typestr"][1], int(interface["typestr"][2:])
    if kind not in KINDS:
        raise TypeError("%s: numbers are expected, got %s" % (what, interface["typestr"]))
    if interface["typestr"][0] == ">" and sys.byteorder == "little":
        raise _NotInPlace("its byte order is not this machine's")
    if kind == "f" and size > 8:
        raise _NotInPlace("its values are long doubles")
    strides = interface.get("strides")
    return Tensor(interface["data"][0], (KINDS[kind], size * 8), interface["shape"],
                  None if strides is None else _strides_in_values(strides, size), value)


def _from_cuda_interface(value, what, ctx):
    """An array that names its device only by the interface of its own package: CuPy's `device`; else the first one. The library
    refuses an array that is on another device than that."""
    interface = value.__cuda_array_interface__
    number = int(getattr(getattr(value, "device", None), "id", 0))
    _check_device(ALCORE_DEVICE_CUDA, number, what, ctx)
    kind, size = interface["typestr"][1], int(interface["typestr"][2:])
    if kind not in KINDS or interface.get("mask") is not None:
        raise TypeError("%s: numbers without a mask are expected, got %s" % (what, interface["typestr"]))
    strides, stream = interface.get("strides"), interface.get("stream")
    return Tensor(interface["data"][0], (KINDS[kind], size * 8), interface["shape"],
                  None if strides is None else _strides_in_values(strides, size), value, (ALCORE_DEVICE_CUDA, number),
                  stream=None if stream == DEFAULT_STREAM else stream, readonly=interface["data"][1])


def stream_of(*tensors):
    """The stream in whose order all of the tensors on a device are ready, for the library; None: the default stream. Others, and
    None, have no say."""
    streams = {tensor.stream for tensor in tensors if tensor is not None and tensor.struct.device.type not in HOST}
    if len(streams) > 1:
        raise ValueError("the arrays are ready in different CUDA streams; give them by DLPack, or wait for one of the streams")
    return streams.pop() if streams else None


def plain(row):
    """The values of an array of any kind as a list; other values as they are."""
    return row.tolist() if hasattr(row, "tolist") else row


def _convert(value, what, ctx):
    """The Tensor of an array by one of its interfaces; None: it has none of them."""
    if isinstance(value, Tensor):
        return value
    if _has_buffer(value):
        return _from_buffer(value, what)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, what, ctx)
    if hasattr(value, "__cuda_array_interface__"):
        return _from_cuda_interface(value, what, ctx)
    if hasattr(value, "__array_interface__"):
        return _from_interface(value, what)
    if hasattr(value, "__array__"):
        return _from_buffer(value.__array__(), what)
    return None


def tensor_of(value, what, ctx, accept=FLOATS, copy=None):
    """A Tensor of the value. accept: the dtypes that are allowed. It is copied only where the library cannot read its layout;
    copy=False refuses such arrays. `what` names the value in messages."""
    value = _numbers.source_of(value, what, accept)
    try:
        made = _convert(value, what, ctx)
        if made is None:
            made = _numbers.from_values(value, what, accept)
        _check_layout(made)
    except _NotInPlace as reason:
        made = _copied(value, what, reason, copy)
    return made if made.dtype in accept else _numbers.converted(value, made, what, accept)


def output_of(value, what, ctx, dtype, shape):
    """The Tensor of an array of the caller that a call fills: of that dtype and shape, contiguous, in host memory or on a CUDA
    device. Whatever cannot be written where it is gets refused."""
    expected = "%s numbers [%s]" % (dtype_name(dtype), ", ".join(map(str, shape)))
    try:
        if isinstance(value, (str, bytes)) or not (_has_buffer(value) or hasattr(value, "__dlpack__") or
                                                   hasattr(value, "__cuda_array_interface__")):
            raise TypeError("%s: an array of %s that can be written is expected, got %s" % (what, expected, type(value).__name__))
        made = _convert(value, what, ctx)
        _check_layout(made)
    except _NotInPlace as reason:
        raise ValueError("%s: the array cannot be written in place, because %s" % (what, reason)) from None
    if made.readonly:
        raise ValueError("%s: the array is read-only" % what)
    if made.dtype != dtype or made.shape != tuple(shape):
        raise ValueError("%s: %s are expected, got %s [%s]" % (what, expected, dtype_name(made.dtype), ", ".join(map(str, made.shape))))
    return made


def integers_in_place(values):
    """(address, count, keep) of int64 numbers that can be read without a copy; None for other values."""
    try:
        view = memoryview(values)
    except (TypeError, ValueError, BufferError):  # no buffer, or one of dates
        return None
    if view.format not in ("q", "l") or view.itemsize != 8 or view.ndim != 1 or not view.contiguous or not view.nbytes or \
            hasattr(values, "mask"):
        return None
    made = _from_buffer(values, "rows")
    return made.struct.data, made.shape[0], made


def integers(values, what):
    """(address, count, keep) of integers as int64, copied where needed; the address is None for none."""
    if type(values) is not list:
        if isinstance(values, int):
            values = (values,)
        found = integers_in_place(values)
        if found is not None:
            return found
        if _has_buffer(values) and not isinstance(values, (bytes, bytearray)) and not hasattr(values, "mask") and \
                dtype_kind(values) != "O":
            made = _from_buffer(values, what)
            if made.dtype[0] not in (ALCORE_KIND_INT, ALCORE_KIND_UINT) and made.shape[0]:
                raise TypeError("%s: integers are expected, got %s" % (what, dtype_name(made.dtype)))
        values = values_of(values, what)
    try:
        kept = array.array("q", values)
    except (TypeError, OverflowError) as error:
        absent = next((number for number, value in enumerate(values) if is_missing(value)), None)
        raise TypeError("%s: integers are expected (%s)" % (what, error if absent is None else "entry %d is missing" % absent)) from None
    if any(map(is_bool, values)):
        raise TypeError("%s: integers are expected, got bool" % what)
    return kept.buffer_info()[0] if len(kept) else None, len(kept), kept


_numpy = None


def numpy_or_none():
    """NumPy when it is installed."""
    global _numpy
    if _numpy is None:
        try:
            import numpy
        except ImportError:
            numpy = False
        _numpy = numpy
    return _numpy or None


CODES = {(ALCORE_KIND_FLOAT, 64): "d", (ALCORE_KIND_FLOAT, 32): "f", (ALCORE_KIND_FLOAT, 16): "e",
         (ALCORE_KIND_INT, 64): "q", (ALCORE_KIND_INT, 32): "i", (ALCORE_KIND_UINT, 32): "I", (ALCORE_KIND_UINT, 8): "B"}


def memory(address, shape, code, keep=None):
    """Memory of the library as a read-only NumPy array, or as a memoryview without NumPy. code: the letter of its type. `keep`
    lives as long as the array."""
    count = 1
    for length in shape:
        count *= length
    size = count * array.array(code).itemsize if code != "e" else count * 2
    raw = (ctypes.c_char * size).from_address(address) if size and address else (ctypes.c_char * 0)()
    raw.keep = keep
    numpy = numpy_or_none()
    if numpy is not None:
        made = numpy.frombuffer(raw, dtype=code).reshape(shape) if size else numpy.empty(shape, dtype=code)
        made.flags.writeable = False
        return made
    view = memoryview(raw).cast("B").toreadonly()
    return view.cast(code, list(shape)) if size and len(shape) > 1 else view.cast(code)


def bfloat16_of(value):
    """The Tensor of an array of NumPy whose dtype is the bfloat16 of ml_dtypes, which no interface names: its bits are read as they
    lie, row by row."""
    bits = _from_buffer(numpy_or_none().ascontiguousarray(value).view("u2"), "bfloat16")
    return Tensor(bits.struct.data, (ALCORE_KIND_BFLOAT, 16), bits.shape, keep=bits)


def float64_of(tensor):
    """The numbers of a Tensor in host memory, one a row, as an array of float64."""
    if tensor.struct.device.type not in HOST:
        raise UnsupportedError("the numbers are on a device; give a copy in host memory, such as tensor.cpu()")
    rows = tensor.shape[0] if tensor.shape else 0
    step = tensor.strides_array[0] if tensor.strides_array is not None else 1
    if not rows:
        return array.array("d")
    kind, bits = tensor.dtype
    size, code = bits // 8, {16: "e", 32: "f", 64: "d"}[bits]
    block = ctypes.string_at(tensor.struct.data + tensor.struct.byte_offset, ((rows - 1) * step + 1) * size)
    if kind == ALCORE_KIND_BFLOAT:  # the upper half of a float32
        return array.array("d", (struct.unpack("=f", b"\0\0" + block[at:at + 2])[0] for at in range(0, len(block), step * size)))
    return array.array("d", struct.unpack("=%d%s" % (len(block) // size, code), block)[::step])


def narrowed(values, dtype):
    """A copy of a float64 array [n, m] as float32, if that is the dtype; else the array itself."""
    if dtype != "float32":
        return values
    if hasattr(values, "astype"):
        return values.astype("float32")
    rows, columns = values.shape
    return memoryview(array.array("f", values.cast("B").cast("d"))).cast("B").cast("f", [rows, columns])


def memory_of(tensor, keep=None):
    """The array of a tensor of the library, in host memory; `keep` lives as long as the array."""
    if tensor.device.type not in HOST:
        raise UnsupportedError("the array lives on cuda:%d; read its rows instead, which copies them" % tensor.device.id)
    shape = (c_int64 * tensor.ndim).from_address(tensor.shape)[:] if tensor.ndim else []
    dtype = (tensor.dtype.code, tensor.dtype.bits)
    if dtype not in CODES:
        raise UnsupportedError("numbers of type %s cannot be shown in Python" % dtype_name(dtype))
    strides = (c_int64 * tensor.ndim).from_address(tensor.strides)[:] if tensor.strides and tensor.ndim else None
    if strides is not None and len(shape) > 1 and strides[0] != shape[1]:
        raise UnsupportedError("the array is strided; read its rows instead")
    return memory((tensor.data or 0) + tensor.byte_offset, shape, CODES[dtype], keep)


from . import _numbers  # noqa: E402  it makes Tensors
