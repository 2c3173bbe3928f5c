#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""alcore model merge: the new folder opens as a model of its own, with the values of the adapter. In TAP.
usage: test_merge_command.py ALCORE ROOT BUILD"""
import json
import os
import shutil
import subprocess
import sys

ALCORE, ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:4])
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from adapter_files import answers_alike, read_tensors  # noqa: E402
from lora_command import folder  # noqa: E402
from model_keys_folder import TEXTS  # noqa: E402
from tap import Tap  # noqa: E402

ADAPTERS = {"llama": "llama", "bert-to-class": "bert", "marian": "marian", "t5-saved": "t5", "qwen3-embedding": "qwen3-embedding"}


def adapter(box, name):
    """A folder of make_adapters.py, and its base beside it."""
    path, base = os.path.join(box, "adapter-" + name), os.path.join(box, ADAPTERS[name])
    shutil.copytree(os.path.join(TORCH, "adapters", name), path)
    if not os.path.exists(base):
        folder(box, ADAPTERS[name])
    config = os.path.join(path, "adapter_config.json")
    with open(config, encoding="utf-8") as file:
        settings = json.load(file)
    with open(config, "w", encoding="utf-8") as file:
        json.dump({**settings, "base_model_name_or_path": base}, file)
    return path


def merge(box, *arguments):
    return subprocess.run([ALCORE, "model", "merge", *arguments], cwd=box, capture_output=True, text=True, timeout=100)


def merged(box):
    for name in ADAPTERS:
        path, out = adapter(box, name), os.path.join(box, "whole-" + name)
        done = merge(box, path, out, "--device", "cpu", "--json")
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert (said["action"], said["model"], said["out"], said["dtype"]) == ("merge", path, out, "Float") and said["parameters"] > 1000, said
        shutil.move(os.path.join(box, ADAPTERS[name]), os.path.join(box, "away"))  # the base is not needed any more
        answers_alike(alcore.Model.open(out), os.path.join(TORCH, "adapters", name, "expected.safetensors"))
        shutil.move(os.path.join(box, "away"), os.path.join(box, ADAPTERS[name]))
        narrow = out + "-narrow"
        done = merge(box, path, narrow, "--device", "cpu", "--dtype", "bfloat16")
        assert (done.returncode, done.stdout) == (0, ""), done
        assert {kind for kind, _, _ in read_tensors(os.path.join(narrow, "model.safetensors")).values()} == {"BF16"}, name
        found, wanted = (alcore.Model.open(model, dtype="bfloat16").embed(TEXTS).tolist() for model in (narrow, path))
        assert found == wanted, name


def refused(box):
    path, weights = adapter(box, "llama"), os.path.join(box, "llama", "model.safetensors")
    os.symlink("llama", os.path.join(box, "link"))
    with open(weights, "rb") as file:
        before = file.read()
    for arguments, code, words in (
            ((path,), 2, "takes ADAPTER OUT"), ((path, "out", "more"), 2, "takes ADAPTER OUT"), ((path, "out", "--out", "x"), 2, "takes no --out"),
            ((path, "out", "--format", "tsv"), 2, "takes no --format"), ((path, "out", "--beam", "2"), 2, "takes no --beam"),
            ((os.path.join(box, "llama"), "out"), 3, "adapter_config.json: No such file"), (("nowhere", "out"), 3, "nowhere/adapter_config.json"),
            *(((path, base), 4, "is not empty: ") for base in (os.path.join(box, "llama"), "llama", "./llama/", "link")), ((path, path), 4, "is not empty: adapter_"), ((path, "no/such/folder"), 4, "no/such/folder"),
            ((path, "out", "--dtype", "int8"), 6, "int8")):
        done = merge(box, *arguments)
        assert done.returncode == code and words in done.stderr and done.stdout == "", (arguments, done)
        assert not os.path.exists(os.path.join(box, "out")), arguments
        with open(weights, "rb") as file:
            assert file.read() == before, arguments


def refused_by_the_library(box):
    """What programs save meets no command that looks at the folder first: the base and the adapter are refused by alcore_model_save()."""
    path = adapter(box, "llama")
    model = alcore.Model.open(path)
    os.symlink("llama", os.path.join(box, "link"))
    for out, words in ((os.path.join(box, "llama"), "twice"), (os.path.join(box, "link"), "twice"), (path, "holds an adapter")):
        before = contents(box)
        try:
            model.save(out)
        except alcore.Error as error:
            assert words in str(error), (out, error)
        else:
            raise AssertionError(out)
        assert contents(box) == before, out


def contents(top):
    """The files below a folder, with their bytes."""
    found = {}
    for folder_path, _, names in os.walk(top):
        for name in names:
            with open(os.path.join(folder_path, name), "rb") as file:
                found[os.path.relpath(os.path.join(folder_path, name), top)] = file.read()
    return found


def folders_in_use(box):
    """A folder with anything in it keeps its files, which would be read as the merged model's; one that is empty is filled."""
    path = adapter(box, "bert-to-class")
    for name in ("model", "empty", "one"):
        os.mkdir(os.path.join(box, name))
    assert merge(box, path, "empty", "--device", "cpu").returncode == 0
    shutil.copytree(os.path.join(box, "bert"), os.path.join(box, "model"), dirs_exist_ok=True)
    with open(os.path.join(box, "one", ".name"), "w", encoding="utf-8"), open(os.path.join(box, "file"), "w", encoding="utf-8"):
        pass
    for out, words in (("model", "model is not empty: "), ("empty", "empty is not empty: "), ("one", "one is not empty: .name is in it; model merge takes a new or an empty"),
                       ("file", "file cannot be made: Not a directory")):
        before = contents(box)
        done = merge(box, path, out, "--device", "cpu")
        assert done.returncode == 4 and words in done.stderr, (out, done)
        assert contents(box) == before, out


tap = Tap()
tap.run([merged, refused, refused_by_the_library, folders_in_use])
tap.finish()
