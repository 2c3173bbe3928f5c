# SPDX-License-Identifier: Apache-2.0
"""Reading the .npy files that the command writes, and writing such ones, without numpy."""
import array
import ast
import struct

LETTERS = {"<f4": "f", "<f8": "d", "<i8": "q"}  # of the module array


def read_npy(path):
    """Shape and numbers, a flat array, of a .npy of version 1.0."""
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    assert data[6:8] == b"\1\0" and not head["fortran_order"], head
    numbers = array.array(LETTERS[head["descr"]])
    numbers.frombytes(data[10 + size:])
    return head["shape"], numbers


def write_npy(path, shape, numbers):
    """A .npy of float64 in C order."""
    head = repr({"descr": "<f8", "fortran_order": False, "shape": tuple(shape)}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + array.array("d", numbers).tobytes())
