# SPDX-License-Identifier: Apache-2.0
"""Tensors of safetensors files, and programs in the environment of peft, for the tests of adapters."""
import json
import os
import struct
import subprocess

import alcore
from model_keys_folder import TARGETS, TEXTS
from tap import Tap


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


def answers_alike(model, path, most=1e-5):
    """Asserts that a model answers what the tensors of a file of make_adapters.py say, and returns these as lists."""
    wanted, found = {key: numbers(value) for key, value in read_tensors(path).items()}, {}
    found["embed"] = [value for row in model.embed(TEXTS).tolist() for value in row]
    if "probs" in wanted:
        pool = alcore.Pool(TEXTS, context=model.context)
        model.run(pool, "probs")
        found["probs"] = [float(value) for row in pool.get_column("probs").tolist() for value in row]
    if "logprobs" in wanted:
        found["logprobs"] = [float(value) for row in model.score(TEXTS, TARGETS) for value in row]
    for key in wanted:
        assert worst(found[key], wanted[key]) < most, (path, key, worst(found[key], wanted[key]))
    return wanted


def peft_python(build):
    return next((path for path in (os.environ.get("ALCORE_TORCH_PYTHON", ""), os.path.join(build, "torch-venv", "bin", "python"),
                                   os.path.join(os.path.dirname(build), "torch-venv", "bin", "python")) if os.path.exists(path)), None)


def inside_peft(build, *arguments):
    """What a program prints that runs in the environment of peft."""
    done = subprocess.run([peft_python(build), *arguments], capture_output=True, text=True, timeout=900, env=dict(os.environ, HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1"))
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "status %d" % done.returncode)
    return done.stdout


def peft_lacks(build):
    """Why there is no peft; else an empty text."""
    if not peft_python(build):
        return "peft cannot be imported: there is no torch-venv"
    try:
        inside_peft(build, "-c", "import peft, torch, transformers")
    except RuntimeError as error:
        return "peft cannot be imported: " + str(error).splitlines()[-1]
    return ""


def run_with_peft(build, case):
    """Runs a test of one case, which is skipped where peft cannot be imported."""
    if reason := peft_lacks(build):
        print("1..0 # SKIP " + reason)
        return
    tap = Tap()
    tap.run([case])
    tap.finish()
