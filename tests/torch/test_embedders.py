#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Language models that embed, as sentence-transformers saves them: Qwen3-Embedding's chain and EmbeddingGemma's give the vectors of its
encode(), with and without prompts, whichever side the package pads (tests/engines/current/make_embedders.py). In TAP.
usage: test_embedders.py ROOT BUILD"""
import json
import os
import shutil
import struct
import sys

ROOT, BUILD = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from tap import Tap  # noqa: E402

FOLDERS = os.path.join(ROOT, "tests", "torch", "embedders")
SIDES, PROMPTS = ("left", "right"), ("none", "query", "document")


def wanted(name):
    """{SIDE.PROMPT: rows} of a folder."""
    with open(os.path.join(FOLDERS, name, "expected.safetensors"), "rb") as file:
        data = file.read()
    start = 8 + struct.unpack("<Q", data[:8])[0]
    header, out = json.loads(data[8:start]), {}
    for key, one in header.items():
        rows, width = one["shape"]
        values = struct.unpack("<%df" % (rows * width), data[start + one["data_offsets"][0]:start + one["data_offsets"][1]])
        out[key] = [values[row * width:(row + 1) * width] for row in range(rows)]
    return out


def changed(box, name, file, **members):
    """A copy of a folder with other members of one of its files."""
    path = os.path.join(box, "%s-%d" % (name, len(os.listdir(box))))
    shutil.copytree(os.path.join(FOLDERS, name), path)
    file = os.path.join(path, file)
    with open(file, encoding="utf-8") as old:
        config = json.load(old)
    with open(file, "w", encoding="utf-8") as new:
        json.dump({**config, **members}, new)
    return path


def texts_of(name):
    with open(os.path.join(FOLDERS, name, "texts.txt"), encoding="utf-8") as file:
        return file.read().splitlines()


def furthest(path, rows, texts, **settings):
    """The largest difference of the vectors of texts to rows."""
    found = alcore.Model.open(path, **settings).embed(texts).tolist()
    assert len(found) == len(rows) == len(texts)
    return max(abs(a - b) for row, other in zip(found, rows) for a, b in zip(row, other))


def vectors_are_those_of_encode(box):
    for name in ("qwen3", "gemma3"):
        expected, texts = wanted(name), texts_of(name)
        assert sorted(expected) == sorted("%s.%s" % (side, prompt) for side in SIDES for prompt in PROMPTS)
        for side in SIDES:
            path = changed(box, name, "tokenizer_config.json", padding_side=side)
            for prompt in PROMPTS:
                settings = {} if prompt == "none" else {"prompt_name": prompt}
                worst = furthest(path, expected["%s.%s" % (side, prompt)], texts, **settings)
                assert worst <= 1e-5, "%s, %s, %s: the largest difference is %g" % (name, side, prompt, worst)


def other_poolings_and_masks_are_far_off(box):
    """So that the vectors above are those of the pooling, of the mask and of the Dense modules."""
    for name, file, members in (("qwen3", "1_Pooling/config.json", {"pooling_mode": "mean"}),
                                ("gemma3", "1_Pooling/config.json", {"pooling_mode": "lasttoken"}),
                                ("gemma3", "config.json", {"use_bidirectional_attention": False}),
                                ("gemma3", "3_Dense/config.json", {"activation_function": "torch.nn.modules.activation.Tanh"})):
        worst = furthest(changed(box, name, file, **members), wanted(name)["left.none"], texts_of(name))
        assert worst > 0.01, "%s, %s: the largest difference is %g" % (name, members, worst)


def main():
    tap = Tap()
    tap.run([vectors_are_those_of_encode, other_poolings_and_masks_are_far_off])
    tap.finish()


main()
