#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of a folder of worth.sh: worth_table.py FOLDER

For each selection its items, how many trainings there are, BLEU and chrF of all their outputs together, how much its chrF is above that
of the selection random, and the p of this difference by the paired bootstrap of `alcore eval` (Koehn 2004), where both have as many
trainings. Selections NAME-1, NAME-2 and so on, which other seeds drew, count as one."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return lines.read().split("\n")[:-1]


def joined(box, name, paths):
    """A file of the lines of all of them."""
    path = os.path.join(box, name)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for one in paths for line in lines_of(one))
    return path


def measure(metric, *arguments):
    command = [os.environ.get("ALCORE", "alcore"), "eval", metric, *arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def selections_of(folder, name):
    """The files of a selection, or of those that were drawn by several seeds, NAME-1 and so on."""
    return [path for path in glob.glob(os.path.join(folder, "selections", name + "*.tsv"))
            if re.fullmatch(r"(-\d+)?\.tsv", os.path.basename(path)[len(name):])]


def main(folder):
    outputs = {}
    for path in sorted(glob.glob(os.path.join(folder, "outputs", "*.de"))):
        outputs.setdefault(re.fullmatch(r"(.*?)(-\d+)?\.\d+\.de", os.path.basename(path)).group(1), []).append(path)
    chance = outputs.get("random", [])
    table = []
    with tempfile.TemporaryDirectory() as box:
        base = joined(box, "chance", chance)
        for name, paths in outputs.items():
            texts = joined(box, name, paths)
            reference = joined(box, "reference", [os.path.join(folder, "test.de")] * len(paths))
            paired = name != "random" and len(paths) == len(chance)
            bleu = measure("bleu", texts, reference)["bleu"]
            chrf = measure("chrf", texts, reference, *(["--baseline", base] if paired else []))
            items = [len(lines_of(path)) - 1 for path in selections_of(folder, name)]
            more = "%+.2f, p %.3f" % (chrf["chrf"] - chrf["baseline"], chrf["p"]) if paired else ""
            table.append((chrf["chrf"], name, sum(items) / len(items), len(paths), bleu, more))
    print("| selection | items | trainings | BLEU | chrF | above random |\n|---|---|---|---|---|---|")
    for chrf, name, items, count, bleu, more in sorted(table, reverse=True):
        print("| %s | %.0f | %d | %.2f | %.2f | %s |" % (name, items, count, bleu, chrf, more))


if __name__ == "__main__":
    main(*sys.argv[1:])
