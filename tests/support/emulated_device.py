# SPDX-License-Identifier: Apache-2.0
"""Arrays in the memory of an emulated CUDA device (tests/emu), by the protocols by which PyTorch gives them."""
import ctypes

CUDA = 2  # the number of DLPack


class Work(ctypes.Structure):
    """What the engine asked of a device since the start of the process (emu_work of emu_control.h)."""

    _fields_ = [(name, ctypes.c_uint64) for name in (
        "launches", "stream_waits", "event_waits", "device_waits", "copies_in", "bytes_in", "copies_out", "bytes_out",
        "copies_within", "bytes_within", "copies_by_row", "clears", "bytes_cleared", "allocations", "frees")]


class Device:
    """The emulated devices: memory of one of them, filled from the host. At exit everything is freed."""

    def __init__(self, library, number):
        self.emu, self.number, self.blocks = ctypes.CDLL(library), number, []
        self.emu.alcore_emu_new.restype = self.emu.alcore_emu_stream.restype = ctypes.c_void_p
        self.emu.alcore_emu_new.argtypes = [ctypes.c_size_t]
        self.emu.alcore_emu_free.argtypes = self.emu.alcore_emu_stream_free.argtypes = [ctypes.c_void_p]
        self.emu.alcore_emu_copy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.emu.alcore_emu_queue.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t]
        self.emu.alcore_emu_context.restype = ctypes.c_void_p
        self.emu.alcore_emu_work.restype = Work
        self.emu.alcore_emu_device(number)

    def work(self, number):
        """The work of one of the devices."""
        return self.emu.alcore_emu_work(number)

    def copy(self, array):
        """The address of a copy of a NumPy array."""
        address = self.emu.alcore_emu_new(array.nbytes + 8)
        self.blocks.append(address)
        self.emu.alcore_emu_copy(address, array.ctypes.data, array.nbytes)
        return address

    def read(self, address, like):
        """What an array on a device has now: a NumPy array of the shape and type of `like`."""
        found = like.copy()
        self.emu.alcore_emu_copy(found.ctypes.data, address, found.nbytes)
        return found

    def queue(self, array, stream):
        """The same, where the copy waits in the stream."""
        address, source = self.copy(array * 0 - 1), self.copy(array)
        self.emu.alcore_emu_queue(stream, address, source, array.nbytes)
        return address

    def free(self):
        for address in self.blocks:
            self.emu.alcore_emu_free(address)


def capsule(array, address, device, versioned, flags=0):
    """A DLPack capsule of a C-contiguous array whose memory is at the address; without a deleter."""
    class DLTensor(ctypes.Structure):
        _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
                    ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p),
                    ("offset", ctypes.c_uint64)]

    class Versioned(ctypes.Structure):
        _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                    ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", DLTensor)]
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    tensor = DLTensor(address, (CUDA, device), array.ndim, {"f": 2, "i": 0}[array.dtype.kind], array.itemsize * 8, 1,
                      ctypes.addressof(shape), None, 0)
    made = Versioned(1, 0, None, None, flags, tensor) if versioned else tensor
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(made), b"dltensor_versioned" if versioned else b"dltensor", None), (made, shape)


class Torch:
    """A stand-in for a tensor of PyTorch: versioned DLPack, which is asked for with the stream that the consumer uses."""

    versioned = True
    flags = 0  # 1: read-only

    def __init__(self, array, device):
        self.array, self.device, self.asked = array, device, []
        self.address = device.copy(array)

    def __dlpack_device__(self):
        return CUDA, self.device.number

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked.append(stream)
        made, self.kept = capsule(self.array, self.address, self.device.number, self.versioned, self.flags)
        return made
