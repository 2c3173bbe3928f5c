#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what worth.sh works with, from the tables of a folder: worth_data.py FOLDER DOMAIN OUT

general.tsv (what is translated), replay.tsv (2,000 pairs of it, for each fine-tuning), vocabulary.txt, pool.tsv (the training part of the
domain), test.tsv, test.en and test.de (1,000 texts that are not in the pool)."""
import lzma
import os
import random
import sys

LONGEST = 60  # words of a general pair
TESTS = 1000


def rows(folder, name):
    with lzma.open(os.path.join(folder, name + ".tsv.xz"), "rt", encoding="utf-8", newline="\n") as lines:
        names = next(lines).rstrip("\n").split("\t")
        cells = (line.rstrip("\n").split("\t") for line in lines)
        return [dict(zip(names, row)) for row in cells if len(row) == len(names)]


def write(path, lines):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)


def pairs(found):
    return [row["en"] + "\t" + row["de"] for row in found]


def main(folder, domain, out):
    general = [row for row in rows(folder, "general")
               if row["split"] == "train" and all(0 < len(row[side].split()) <= LONGEST for side in ("en", "de"))]
    everything = rows(folder, domain)
    pool = [row for row in everything if row.get("split") not in ("test", "dev")]
    test = [row for row in everything if row.get("split") == "test"][:TESTS]
    if not test:
        random.Random(1).shuffle(pool)
        test, pool = pool[:TESTS], pool[TESTS:]
    interface = [row for row in rows(folder, "it") if row["split"] == "train"]
    random.Random(1).shuffle(interface)
    replay = pairs(general)
    random.Random(5).shuffle(replay)
    at = lambda name: os.path.join(out, name)
    write(at("general.tsv"), ["source\ttarget"] + pairs(general))
    write(at("replay.tsv"), ["source\ttarget"] + replay[:2000])
    write(at("vocabulary.txt"), [row[side] for row in general for side in ("en", "de")] + [row["en"] for row in interface[:60000]])
    write(at("pool.tsv"), ["source\ttarget"] + pairs(pool))
    write(at("test.tsv"), ["source\ttarget"] + pairs(test))
    write(at("test.en"), [row["en"] for row in test])
    write(at("test.de"), [row["de"] for row in test])


if __name__ == "__main__":
    main(*sys.argv[1:])
