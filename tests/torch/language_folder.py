# SPDX-License-Identifier: Apache-2.0
"""Folders of small language models for test_language.py and test_language_peer.py."""
import json
import os

from model_keys_folder import make_folder

HERE = os.path.dirname(os.path.abspath(__file__))


def language_folder(box, family, files=None):
    """A folder with a tokenizer of words that puts <start> before a text and nothing behind it."""
    path = os.path.join(box, "%s-%d" % (family, len(os.listdir(box))))
    make_folder(os.path.join(HERE, "fixtures", family), files or {}, path)
    name = os.path.join(path, "tokenizer.json")
    with open(name, encoding="utf-8") as file:
        tokenizer = json.load(file)
    for kind in ("single", "pair"):
        post = tokenizer["post_processor"]
        post[kind] = [part for part in post[kind] if part.get("SpecialToken", {}).get("id") != "<end>"]
    with open(name, "w", encoding="utf-8") as file:
        json.dump(tokenizer, file)
    return path
