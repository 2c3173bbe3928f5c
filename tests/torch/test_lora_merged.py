#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters that are merged as docs/models.md shows it: transformers opens the folder, and computes what it computes after merge_and_unload() of
peft. In TAP. usage: test_lora_merged.py ROOT BUILD ALCORE

peft is found as in test_lora_peft.py."""
import os
import subprocess
import sys

ROOT, BUILD, ALCORE = (os.path.abspath(path) for path in sys.argv[1:4])
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
from adapter_files import inside_peft, run_with_peft  # noqa: E402
from language_folder import language_folder  # noqa: E402
from model_keys_folder import is_language, make_folder  # noqa: E402


def block_of_the_page(language):
    with open(os.path.join(ROOT, "docs", "models.md"), encoding="utf-8") as file:
        block = file.read().split("### Merging\n")[1].split("```%s\n" % language)[1].split("```")[0]
    assert block.count("ADAPTER-FOLDER") == block.count("merged") == 1, block
    return block


def merged_folders_open_in_transformers(box):
    bases = []
    for family in ("qwen3", "llama", "marian", "bart", "t5"):
        bases.append(os.path.join(box, family))
        if is_language(os.path.join(TORCH, "fixtures", family)):
            os.rename(language_folder(box, family), bases[-1])
        else:
            make_folder(os.path.join(TORCH, "fixtures", family), {"modules.json": None}, bases[-1])
    inside_peft(BUILD, os.path.join(TORCH, "lora_merged.py"), "make", *bases)
    for base in bases:
        for dtype in ("float32", "bfloat16"):
            path = "%s-%s" % (base, dtype)
            exec(block_of_the_page("python").replace("ADAPTER-FOLDER", path + "-adapter").replace("merged", path + "-merged"), {})
            words = block_of_the_page("sh").replace("ADAPTER-FOLDER", path + "-adapter").replace("merged", path + "-command").split()
            assert words.pop(0) == "alcore", words
            subprocess.run([ALCORE, *words, "--dtype", dtype, "--device", "cpu"], check=True)
    inside_peft(BUILD, os.path.join(TORCH, "lora_merged.py"), "compare", *bases)


run_with_peft(BUILD, merged_folders_open_in_transformers)
