#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters that are trained here open in PyPI's peft, which answers as the library does. In TAP. usage: test_lora_peft.py ROOT BUILD

peft is that of the virtual environment torch-venv of BUILD or beside it, where tests/run.sh --full installs it, or of the interpreter
$ALCORE_TORCH_PYTHON."""
import json
import os
import sys

ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from adapter_files import answers_alike, inside_peft, run_with_peft, worst  # noqa: E402
from language_folder import language_folder  # noqa: E402
from model_keys_folder import TARGETS, TEXTS, is_language, make_folder  # noqa: E402

BASES = {"bert-class": "query,word_embeddings", "distilbert-class": "all-linear", "albert-token": None, "modernbert-token": "Wqkv,Wi", "mpnet-class": None,
         "eurobert-class": "embed_tokens,v_proj", "llama": "all-linear", "qwen3": "embed_tokens,q_proj", "gemma3": "q_proj,down_proj", "marian": "all-linear", "t5": None, "mbart": "fc1"}


def adapters_answer_alike(box):
    trained = {}  # folder of the adapter: model, folder of its base, numbers of parameters
    for name, targets in BASES.items():
        fixture, base, out = os.path.join(TORCH, "fixtures", name), os.path.join(box, name), os.path.join(box, "adapter-" + name)
        if is_language(fixture):
            os.rename(language_folder(box, name), base)
        else:
            make_folder(fixture, {"modules.json": None}, base)
        model = alcore.Model.open(base, dtype="float32")
        labels = {"class": ["0", "1", "2"], "token": [" ".join("012"[k % 3] for k in range(len(text.split()))) for text in TEXTS]}
        references = next((labels[kind] for kind in labels if name.endswith("-" + kind)), TARGETS)
        done = model.train(alcore.Pool(TEXTS, references=references), rate=0.05, updates=4, lora_rank=2, lora_alpha=6, lora_targets=targets)
        model.save(out)
        trained[out] = model, base, [done["trained_parameters"], done["parameters"]]
    inside_peft(BUILD, os.path.join(TORCH, "lora_peer.py"), *trained)
    for out, (model, base, parameters) in trained.items():
        with open(out + ".parameters", encoding="utf-8") as file:
            found = json.load(file)
        assert found == parameters, (out, found, parameters)
        for opened in (model, alcore.Model.open(out)):
            wanted = answers_alike(opened, out + ".answers")
        assert worst(sum(alcore.Model.open(base).embed(TEXTS).tolist(), []), wanted["embed"]) > 1e-3, out


run_with_peft(BUILD, adapters_answer_alike)
