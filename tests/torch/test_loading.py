#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The peak of the memory of a process that opens a model: at most 1.1 times its weights, and the work space that docs/models.md
states, whatever type and however many files the weights come in. In TAP. usage: test_loading.py ROOT BUILD"""
import json
import os
import struct
import subprocess
import sys

ROOT, BUILD = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, "tests", "tools")]
from tap import Tap  # noqa: E402

WIDTH = {"F32": 4, "BF16": 2, "F16": 2}
WORDS, DIMS, LAYERS, HEADS, GROUPS, INNER = 32000, 1024, 8, 8, 4, 2816
SPACE = 16 << 20  # a block of a file whose type is converted
CHILD = """
import sys
sys.path.insert(0, sys.argv[1])
import alcore
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))
alcore.Model.open(sys.argv[2], dtype=sys.argv[4])
before = peak()
model = alcore.Model.open(sys.argv[3], dtype=sys.argv[4])
print(before, peak(), model.info["description"]["parameters"])
"""


def shapes():
    """Of a Llama, by name."""
    out = {"model.embed_tokens.weight": [WORDS, DIMS], "model.norm.weight": [DIMS]}
    for layer in range(LAYERS):
        kv = DIMS * GROUPS // HEADS
        out.update({"model.layers.%d.%s.weight" % (layer, name): shape for name, shape in (
            ("self_attn.q_proj", [DIMS, DIMS]), ("self_attn.k_proj", [kv, DIMS]), ("self_attn.v_proj", [kv, DIMS]),
            ("self_attn.o_proj", [DIMS, DIMS]), ("mlp.gate_proj", [INNER, DIMS]), ("mlp.up_proj", [INNER, DIMS]),
            ("mlp.down_proj", [DIMS, INNER]), ("input_layernorm", [DIMS]), ("post_attention_layernorm", [DIMS]))})
    return out


def write_zeros(path, tensors, dtype):
    """A file whose values are a hole of the file system, which takes no room."""
    header, at = {}, 0
    for name, shape in tensors.items():
        size = WIDTH[dtype]
        for one in shape:
            size *= one
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        file.truncate(8 + len(text) + at)


def make(box, name, dtype, shards):
    path = os.path.join(box, name)
    os.makedirs(path)
    with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as file:
        json.dump({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "vocab_size": WORDS, "hidden_size": DIMS,
                   "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": GROUPS, "intermediate_size": INNER,
                   "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "hidden_act": "silu", "tie_word_embeddings": True,
                   "bos_token_id": 1, "eos_token_id": 2, "rope_parameters": {"rope_type": "default", "rope_theta": 10000.0}}, file)
    tensors = shapes()
    if shards == 1:
        write_zeros(os.path.join(path, "model.safetensors"), tensors, dtype)
        return path
    names, places = sorted(tensors), {}
    for shard in range(shards):
        file = "model-%05d-of-%05d.safetensors" % (shard + 1, shards)
        own = names[shard::shards]
        write_zeros(os.path.join(path, file), {name: tensors[name] for name in own}, dtype)
        places.update({name: file for name in own})
    with open(os.path.join(path, "model.safetensors.index.json"), "w", encoding="utf-8") as file:
        json.dump({"metadata": {}, "weight_map": places}, file)
    return path


def peak(path, dtype, **more):
    """What opening a folder adds to the peak of a process that has opened a small one, and how many parameters the model has."""
    env = dict(os.environ, ALCORE_LIBRARY=os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1"), **more)
    done = subprocess.run([sys.executable, "-c", CHILD, os.path.join(BUILD, "bindings", "python"),
                           os.path.join(ROOT, "tests", "torch", "fixtures", "llama"), path, dtype],
                          capture_output=True, text=True, timeout=250, env=env)
    assert done.returncode == 0, done.stderr
    before, after, parameters = (int(word) for word in done.stdout.split())
    return after - before, parameters


def check(what, found, weights):
    assert weights > 200 << 20, weights
    print("# %s: %.3f of the weights of %d MiB" % (what, found / weights, weights >> 20))
    assert weights * 0.9 < found <= 1.1 * weights + SPACE, (what, found, weights)


def peaks(box):
    for dtype, shards in (("F32", 1), ("BF16", 3), ("F16", 1)):
        found, parameters = peak(make(box, dtype, dtype, shards), "float32")
        check("%s, %d files" % (dtype, shards), found, 4 * parameters)


def narrow_peaks(box):
    """In bfloat16 matrices are packed one by one in their own memory, and so is the table of words, which the output shares here. Without
    the processor's instructions matrices are kept in float32, beside the table. int8 is read in float32 before it is packed."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = file.read() if "ATEN_CPU_CAPABILITY" not in os.environ else ""
    width = 2 if "avx512_bf16" in flags else 4
    for dtype, shards in (("F32", 1), ("BF16", 3)):
        path = make(box, "narrow-" + dtype, dtype, shards)
        for size, more in ((width, {}), (4, {"ATEN_CPU_CAPABILITY": "avx2"})):
            found, parameters = peak(path, "bfloat16", **more)
            check("%s to bfloat16, %d bytes" % (dtype, size), found, size * parameters + (2 * WORDS * DIMS if size == 4 else 0))
        for packed, more in (("avx512_vnni" in flags, {}), (False, {"ATEN_CPU_CAPABILITY": "avx2"})):
            found, parameters = peak(path, "int8", **more)
            check("%s to int8, %s" % (dtype, "packed" if packed else "as float32"), found,
                  4 * parameters + (0 if packed else 4 * WORDS * DIMS))


def main():
    tap = Tap()
    tap.run([peaks, narrow_peaks])
    tap.finish()


main()
