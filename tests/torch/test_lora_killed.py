#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trainings of adapters under SIGKILL, at a moment that is drawn and at calls that change a file, those of checkpoints and of saves: the same
command once more ends with the bytes of a training that nobody killed. In TAP. usage: test_lora_killed.py ALCORE BUILD CRASH_SHIM

By default some of the calls, by ALCORE_TEST_SEED; with ALCORE_TEST_FULL=1 more of them."""
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import time

TORCH = os.path.dirname(os.path.abspath(__file__))
BUILD, SHIM = (os.path.abspath(path) for path in sys.argv[2:])
sys.path[:0] = [os.path.join(TORCH, "..", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
from adapter_files import read_tensors, write_tensors  # noqa: E402
from lora_command import PAIRS, bytes_of, config_of, folder, train, write_command  # noqa: E402
from tap import Tap  # noqa: E402

FULL = os.environ.get("ALCORE_TEST_FULL") == "1"
DRAW = random.Random(int(os.environ.get("ALCORE_TEST_SEED", "1")))
SETTINGS = dict(checkpoints="kept", checkpoint_every=2, updates=5, seed=3)


def run_with_calls(box, words, kill=0):
    """Runs a command that is killed before that call that changes a file of the box, from 1 on, 0: never. (exit code, such calls)"""
    count = os.path.join(box, os.pardir, os.path.basename(box) + ".calls")  # outside of the box
    with open(count, "wb") as file:
        file.write(bytes(16))
    env = {**os.environ, "LD_PRELOAD": SHIM, "CRASH_ROOT": os.path.realpath(box), "CRASH_COUNT": count, "CRASH_KILL": str(kill)}
    done = subprocess.run(words, cwd=box, capture_output=True, timeout=100, env=env)
    with open(count, "rb") as file:
        calls = struct.unpack("<q", file.read(8))[0]
    os.remove(count)
    return done.returncode, calls


def state(box):
    """What a training wrote: the files of its model and the hash of its last state."""
    out = {name: bytes_of(box, "out", name) for name in sorted(os.listdir(os.path.join(box, "out")))}
    return out, json.loads(bytes_of(box, "kept", "checkpoint.json"))["hash"]


def change_adapter(path, tensors, **keys):
    """Adds tensors and keys to the folder of an adapter."""
    file = os.path.join(path, "adapter_model.safetensors")
    write_tensors(file, {**read_tensors(file), **tensors})
    config = {**config_of(path), **keys}
    with open(os.path.join(path, "adapter_config.json"), "w", encoding="utf-8") as out:
        json.dump(config, out, indent=2)


def remove(box):
    for name in ("out", "kept"):
        shutil.rmtree(os.path.join(box, name), ignore_errors=True)


def killed_at_calls(box, model, **more):
    words = write_command(box, model, "out", **SETTINGS, **more)
    code, calls = run_with_calls(box, words)
    wanted = state(box)
    assert code == 0 and calls > 30 and any(name.startswith(("adapter_model", "model")) for name in wanted[0]), (code, calls, wanted[0].keys())
    # The last calls are those of a save or of the checkpoint of the last update.
    places = DRAW.sample(range(1, calls - 9), 20 if FULL else 2) + DRAW.sample(range(calls - 9, calls + 1), 10 if FULL else 2)
    for place in places:
        remove(box)
        assert run_with_calls(box, words, place)[0] == -signal.SIGKILL, place
        assert run_with_calls(box, words)[0] == 0 and state(box) == wanted, "call %d of %d" % (place, calls)


def lora(box):
    """Matrices and the table of words, with dropout; the best model of a validation is saved twice or more."""
    folder(box, "qwen3")
    killed_at_calls(box, "qwen3", lora_rank=2, lora_dropout=0.2, lora_targets="embed_tokens q_proj down_proj", validation=[PAIRS], validate_every=2)


def modules_to_save(box):
    """Of a language model whose adapter has a whole output beside its factors."""
    base = folder(box, "qwen3")
    train(box, "qwen3", "adapter", lora_rank=2, updates=1)
    output = read_tensors(os.path.join(base, "model.safetensors"))["lm_head.weight"]
    change_adapter(os.path.join(box, "adapter"), {"base_model.model.lm_head.weight": output}, modules_to_save=["lm_head"])
    killed_at_calls(box, "adapter", lora_rank=2, lora_dropout=0.2)
    assert config_of(os.path.join(box, "out"))["modules_to_save"] == ["lm_head"]
    found = read_tensors(os.path.join(box, "out", "adapter_model.safetensors"))
    assert found["base_model.model.lm_head.weight"] != output


def dora(box):
    """Adapters with DoRA are not trained further; the model that they are merged to is."""
    folder(box, "qwen3")
    train(box, "qwen3", "adapter", lora_rank=2, lora_targets="q_proj", updates=1)
    path = os.path.join(box, "adapter")
    rows = {name: value[1][0] for name, value in read_tensors(os.path.join(path, "adapter_model.safetensors")).items() if name.endswith("lora_B.weight")}
    change_adapter(path, {name.replace("lora_B.weight", "lora_magnitude_vector"): ("F32", [n], struct.pack("<%df" % n, *[0.5 + 0.1 * k for k in range(n)]))
                          for name, n in rows.items()}, use_dora=True)
    killed_at_calls(box, "adapter")
    assert "model.safetensors" in os.listdir(os.path.join(box, "out"))


def at_any_moment(box):
    """A classifier, whose head is trained beside the factors. It is killed three times, and goes on each time."""
    folder(box, "bert-class")
    with open(os.path.join(box, "classes.txt"), "w", encoding="utf-8") as file:
        file.write("0\n1\n2\n")
    words = write_command(box, "bert-class", "out", train=[{"texts": "texts.txt", "references": "classes.txt"}], rate=0.001, lora_rank=2,
                          lora_dropout=0.2, checkpoints="kept", checkpoint_every=7, updates=1000)
    assert run_with_calls(box, words)[0] == 0
    wanted = state(box)
    assert config_of(os.path.join(box, "out"))["modules_to_save"] == ["classifier"]
    remove(box)

    def update():
        path = os.path.join(box, "kept", "checkpoint.json")
        return json.loads(bytes_of(path))["update"] if os.path.exists(path) else 0

    for least in (7, 250, 500):
        process, end = subprocess.Popen(words, cwd=box, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL), time.monotonic() + 100
        while update() < least and process.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        time.sleep(DRAW.uniform(0, 0.02))
        process.kill()
        assert process.wait() == -signal.SIGKILL and least <= update() < 1000, (least, update())
    done = subprocess.run(words, cwd=box, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and 500 <= json.loads(done.stdout)["resumed"] < 1000 and state(box) == wanted, done.stderr


def main():
    tap = Tap()
    tap.run([lora, modules_to_save, dora, at_any_moment])
    tap.finish()


main()
