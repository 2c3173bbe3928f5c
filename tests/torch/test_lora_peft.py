#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters that are trained here open in PyPI's peft, which answers as the library does. In TAP. usage: test_lora_peft.py ROOT BUILD

peft is that of the virtual environment torch-venv of BUILD or beside it, where tests/run.sh --full installs it, or of the interpreter
$ALCORE_TORCH_PYTHON."""
import os
import subprocess
import sys

ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from adapter_files import numbers, read_tensors, worst  # noqa: E402
from language_folder import language_folder  # noqa: E402
from model_keys_folder import TARGETS, TEXTS, is_language, make_folder  # noqa: E402
from tap import Tap  # noqa: E402

PYTHON = next((path for path in (os.environ.get("ALCORE_TORCH_PYTHON", ""), os.path.join(BUILD, "torch-venv", "bin", "python"),
                                 os.path.join(os.path.dirname(BUILD), "torch-venv", "bin", "python")) if os.path.exists(path)), None)
BASES = {"bert-class": None, "distilbert-class": "all-linear", "albert-token": None, "modernbert-token": "Wqkv,Wi", "mpnet-class": None, "llama": "all-linear",
         "qwen3": None, "gemma3": "q_proj,down_proj", "marian": "all-linear", "t5": None, "mbart": "fc1"}


def inside(*arguments):
    done = subprocess.run([PYTHON, *arguments], capture_output=True, text=True, timeout=900, env=dict(os.environ, HF_HUB_OFFLINE="1", OMP_NUM_THREADS="1"))
    if done.returncode:
        raise RuntimeError(done.stderr.strip() or "status %d" % done.returncode)
    return done.stdout


def adapters_answer_alike(box):
    for name, targets in BASES.items():
        fixture, base, out = os.path.join(TORCH, "fixtures", name), os.path.join(box, name), os.path.join(box, "adapter-" + name)
        if is_language(fixture):
            os.rename(language_folder(box, name), base)
        else:
            make_folder(fixture, {"modules.json": None}, base)
        model = alcore.Model.open(base, dtype="float32")
        labels = {"class": ["0", "1", "2"], "token": [" ".join("012"[k % 3] for k in range(len(text.split()))) for text in TEXTS]}
        references = next((labels[kind] for kind in labels if name.endswith("-" + kind)), TARGETS)
        model.train(alcore.Pool(TEXTS, references=references), rate=0.05, updates=4, lora_rank=2, lora_alpha=6, lora_targets=targets)
        model.save(out)
        inside(os.path.join(TORCH, "lora_peer.py"), out, os.path.join(box, "answers.safetensors"))
        wanted = {key: numbers(value) for key, value in read_tensors(os.path.join(box, "answers.safetensors")).items()}
        for opened in (model, alcore.Model.open(out)):
            assert worst(sum(opened.embed(TEXTS).tolist(), []), wanted["embed"]) < 1e-5, name
            if "logprobs" in wanted:
                assert worst([float(value) for row in opened.score(TEXTS, TARGETS) for value in row], wanted["logprobs"]) < 1e-5, name
            if "probs" in wanted:
                pool = alcore.Pool(TEXTS, context=opened.context)
                opened.run(pool, "probs")
                assert worst([float(value) for row in pool.get_column("probs").tolist() for value in row], wanted["probs"]) < 1e-5, name
        assert worst(sum(alcore.Model.open(base).embed(TEXTS).tolist(), []), wanted["embed"]) > 1e-3, name


def main():
    try:
        if not PYTHON:
            raise RuntimeError("there is no torch-venv")
        inside("-c", "import peft, torch, transformers")
    except RuntimeError as error:
        print("1..0 # SKIP peft cannot be imported: " + str(error).splitlines()[-1])
        return
    tap = Tap()
    tap.run([adapters_answer_alike])
    tap.finish()


main()
