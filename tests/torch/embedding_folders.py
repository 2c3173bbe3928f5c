# SPDX-License-Identifier: Apache-2.0
"""Folders of sentence-transformers with the vectors of its encode() beside them, for test_embedders.py and test_modules.py."""
import json
import os
import shutil
import struct

import alcore


def wanted(folder):
    """{NAME: rows} of expected.safetensors."""
    with open(os.path.join(folder, "expected.safetensors"), "rb") as file:
        data = file.read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header, out = json.loads(data[8:start]), {}
    for key, one in header.items():
        if key == "__metadata__":
            continue
        rows, width = one["shape"]
        values = struct.unpack("<%df" % (rows * width), data[start + one["data_offsets"][0]:start + one["data_offsets"][1]])
        out[key] = [values[row * width:(row + 1) * width] for row in range(rows)]
    return out


def changed(box, folder, file, **members):
    """A copy of a folder with other members of one of its files."""
    path = os.path.join(box, "%s-%d" % (os.path.basename(folder), len(os.listdir(box))))
    shutil.copytree(folder, path)
    file = os.path.join(path, file)
    with open(file, encoding="utf-8") as old:
        config = json.load(old)
    with open(file, "w", encoding="utf-8") as new:
        json.dump({**config, **members}, new)
    return path


def texts_of(folder):
    with open(os.path.join(folder, "texts.txt"), encoding="utf-8") as file:
        return file.read().splitlines()


def furthest(path, rows, texts, **settings):
    """The largest difference of the vectors of texts to rows."""
    found = alcore.Model.open(path, **settings).embed(texts).tolist()
    assert len(found) == len(rows) == len(texts)
    assert all(len(row) == len(other) for row, other in zip(found, rows)), "%d components" % len(found[0])
    return max(abs(a - b) for row, other in zip(found, rows) for a, b in zip(row, other))
