#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every setting of an adapter that PyPI's peft has: the folder opens with the values of peft's own merged weights, or is refused by the
name of the setting. In TAP. usage: test_lora_settings.py ROOT BUILD

peft is found as in test_lora_peft.py."""
import json
import os
import shutil
import sys

ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from adapter_files import answers_alike, inside_peft, run_with_peft  # noqa: E402
from language_folder import language_folder  # noqa: E402
from lora_settings import OPENS, PARTED, SETTINGS, rows  # noqa: E402
from model_keys_folder import is_language, make_folder  # noqa: E402


def all_settings(box):
    """Adapters lie in BOX/adapters, and their bases, with tokenizers, in BOX/fixtures, as base_model_name_or_path says."""
    made, bases = os.path.join(box, "adapters"), os.path.join(box, "fixtures")
    os.makedirs(made)
    os.makedirs(bases)
    inside_peft(BUILD, os.path.join(TORCH, "lora_settings.py"), os.path.join(TORCH, "fixtures"), made)
    with open(os.path.join(made, "fields.json"), encoding="utf-8") as file:
        fields = json.load(file)
    assert sorted(fields) == sorted(SETTINGS), (set(fields) ^ set(SETTINGS))
    failed = []
    for base in sorted({row[1] for row in rows()}):
        fixture = os.path.join(TORCH, "fixtures", base)
        if is_language(fixture):
            os.rename(language_folder(box, base), os.path.join(bases, base))
        else:
            make_folder(fixture, {"modules.json": None}, os.path.join(bases, base))
    for name, base, settings, word in rows():
        path = os.path.join(made, name)
        opens = word in (OPENS, PARTED)
        if not opens and not os.path.exists(path):  # peft makes it with other packages or devices alone
            shutil.copytree(os.path.join(made, "lora_alpha-0"), path)
            with open(os.path.join(path, "adapter_config.json"), "r+", encoding="utf-8") as file:
                config = json.load(file)
                file.seek(0)
                json.dump({**config, name.rpartition("-")[0]: {"one": 1}}, file, indent=2)
        found = ""
        try:
            model = alcore.Model.open(path)
            if opens:
                answers_alike(model, os.path.join(path, "expected.safetensors"))
        except (alcore.Error, AssertionError) as error:
            found = str(error)
        if opens != (found == "") or not opens and word not in found:
            failed.append("%s %s: %s" % (name, base, found or "opens"))
    assert not failed, "\n".join(failed)


run_with_peft(BUILD, all_settings)
