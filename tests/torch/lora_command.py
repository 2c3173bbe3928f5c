# SPDX-License-Identifier: Apache-2.0
"""Folders of models and trainings of adapters by the command, for tests whose first argument is the program."""
import json
import os
import subprocess
import sys

from language_folder import language_folder
from model_keys_folder import TARGETS, TEXTS, is_language, make_folder

ALCORE, HERE = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
PAIRS = {"texts": "texts.txt", "references": "targets.txt"}


def folder(box, name):
    """A model of the fixtures with a tokenizer, and texts and targets beside it."""
    fixture, path = os.path.join(HERE, "fixtures", name), os.path.join(box, name)
    if is_language(fixture):
        os.rename(language_folder(box, name), path)
    else:
        make_folder(fixture, {"modules.json": None}, path)
    for file, lines in (("texts.txt", TEXTS), ("targets.txt", TARGETS)):
        with open(os.path.join(box, file), "w", encoding="utf-8") as out:
            out.writelines(line + "\n" for line in lines)
    return path


def write_command(box, model, out, **more):
    """The command of a training of four updates, whose configuration is written to a file."""
    settings = {"model": model, "out": out, "train": [PAIRS], "rate": 0.05, "updates": 4, "seed": 3, **more}
    with open(os.path.join(box, "c.json"), "w", encoding="utf-8") as file:
        json.dump(settings, file)
    return [ALCORE, "model", "train", "c.json", "--json", "--threads", "1"]


def command(box, model, out, **more):
    return subprocess.run(write_command(box, model, out, **more), cwd=box, capture_output=True, text=True, timeout=100)


def train(box, model, out, **more):
    done = command(box, model, out, **more)
    assert done.returncode == 0, done.stderr
    return done


def config_of(path):
    with open(os.path.join(path, "adapter_config.json"), encoding="utf-8") as file:
        return json.load(file)


def bytes_of(box, *names):
    with open(os.path.join(box, *names), "rb") as file:
        return file.read()
