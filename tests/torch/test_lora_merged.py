#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Adapters that are merged as docs/models.md shows it: transformers opens the folder, and computes what it computes after merge_and_unload() of
peft. In TAP. usage: test_lora_merged.py ROOT BUILD

peft is found as in test_lora_peft.py."""
import os
import sys

ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
from adapter_files import inside_peft, run_with_peft  # noqa: E402
from language_folder import language_folder  # noqa: E402


def block_of_the_page():
    with open(os.path.join(ROOT, "docs", "models.md"), encoding="utf-8") as file:
        return file.read().split("### Merging\n")[1].split("```python\n")[1].split("```")[0]


def merged_folders_open_in_transformers(box):
    bases = []
    for family in ("qwen3", "llama"):
        bases.append(os.path.join(box, family))
        os.rename(language_folder(box, family), bases[-1])
    inside_peft(BUILD, os.path.join(TORCH, "lora_merged.py"), "make", *bases)
    block = block_of_the_page()
    assert block.count("ADAPTER-FOLDER") == block.count("merged") == 1, block
    for base in bases:
        for dtype in ("float32", "bfloat16"):
            path = "%s-%s" % (base, dtype)
            exec(block.replace("ADAPTER-FOLDER", path + "-adapter").replace("merged", path + "-merged"), {})
    inside_peft(BUILD, os.path.join(TORCH, "lora_merged.py"), "compare", *bases)


run_with_peft(BUILD, merged_folders_open_in_transformers)
