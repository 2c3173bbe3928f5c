# SPDX-License-Identifier: Apache-2.0
"""Tensors of safetensors files for test_adapters.py and test_lora_peft.py."""
import json
import struct


def read_tensors(path):
    """name: (type, shape, bytes)"""
    with open(path, "rb") as file:
        data = file.read()
    end = 8 + struct.unpack("<Q", data[:8])[0]
    return {name: (entry["dtype"], entry["shape"], data[end + entry["data_offsets"][0]:end + entry["data_offsets"][1]])
            for name, entry in json.loads(data[8:end]).items() if name != "__metadata__"}


def write_tensors(path, tensors):
    header, at = {}, 0
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + len(data)]}
        at += len(data)
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data for _, _, data in tensors.values()))


def numbers(tensor):
    return list(struct.unpack("<%df" % (len(tensor[2]) // 4), tensor[2]))


def worst(found, wanted):
    assert len(found) == len(wanted), (len(found), len(wanted))
    return max(abs(a - b) / (1 + abs(b)) for a, b in zip(found, wanted))
