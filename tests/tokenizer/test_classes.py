#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tokenizers whose tokenizer_config.json and tokenizer.json contradict each other give the ids of AutoTokenizer: every case of
classes.json, which tests/engines/current/make_classes.py made with transformers 5.23.0. In TAP.
usage: test_classes.py ROOT LIBRARY"""
import json
import os
import sys
import tempfile

ROOT, LIBRARY = sys.argv[1:3]
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), os.path.join(os.path.dirname(LIBRARY), "..", "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = LIBRARY
import alcore  # noqa: E402
from tap import Tap  # noqa: E402


def ids_of(tokenizer, case):
    """The ids of each text of a case."""
    with tempfile.TemporaryDirectory() as folder:
        for file, members in (("tokenizer.json", tokenizer), ("tokenizer_config.json", case["config"]),
                              ("config.json", {"model_type": case["model_type"]})):
            if members is not None:
                with open(os.path.join(folder, file), "w", encoding="utf-8") as out:
                    json.dump(members, out)
        return [list(ids) for ids in alcore.Tokenizer.open(folder).encode(case["texts"])]


def main():
    tap = Tap()
    with open(os.path.join(ROOT, "tests", "tokenizer", "classes.json"), encoding="utf-8") as file:
        known = json.load(file)
    for case in known["cases"]:
        try:
            found = ids_of(known["tokenizers"][case["tokenizer"]], case)
        except alcore.Error as error:
            found = str(error)
        tap.check(found == case["ids"], "%s with %s" % (case["tokenizer"], json.dumps(case["config"])), "%s is not %s" % (found, case["ids"]))
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
