#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what worth.sh works with, from the tables of a folder: worth_data.py FOLDER PAIR GENERAL DOMAIN ROWS OUT

PAIR: SOURCE-TARGET, whose tables lie in FOLDER/SOURCE-TARGET or FOLDER/TARGET-SOURCE. general.tsv (what is translated: the table GENERAL),
replay.tsv (2,000 pairs of it, for each fine-tuning), vocabulary.txt, pool.tsv (the training part of the table DOMAIN, or ROWS of it that are
drawn at random), test.tsv, test.source and test.target (1,000 texts that are not in the pool).

GENERAL and DOMAIN may both be `catalogues`, of FOLDER/catalogues/LANGUAGE.tsv.xz, where LANGUAGE is translated to or from en: the messages
of half of the packages are translated, and those of the others are the domain."""
import lzma
import os
import random
import sys

LONGEST = 60  # words of a general pair
TESTS = 1000
CATALOGUES = "catalogues"


def rows(folder, name):
    with lzma.open(os.path.join(folder, name + ".tsv.xz"), "rt", encoding="utf-8", newline="\n") as lines:
        names = next(lines).rstrip("\n").split("\t")
        cells = (line.rstrip("\n").split("\t") for line in lines)
        return [dict(zip(names, row)) for row in cells if len(row) == len(names)]


def write(path, lines):
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in lines)


def folder_of(data, pair):
    """The folder of a pair of languages, which is named by either direction."""
    found = [os.path.join(data, name) for name in (pair, "-".join(reversed(pair.split("-"))))]
    return next((folder for folder in found if os.path.isdir(folder)), found[0])


def tables(data, pair, general, domain):
    """The rows of both tables."""
    if (general, domain) != (CATALOGUES, CATALOGUES):
        folder = folder_of(data, pair)
        return [row for row in rows(folder, general) if row["split"] == "train"], rows(folder, domain)
    language = next(side for side in pair.split("-") if side != "en")
    messages = rows(os.path.join(data, CATALOGUES), language)
    packages = sorted({row["package"] for row in messages})
    random.Random(1).shuffle(packages)
    translated = set(packages[::2])
    return [row for row in messages if row["package"] in translated], [row for row in messages if row["package"] not in translated]


def main(data, pair, general_table, domain, count, out):
    folder = folder_of(data, pair)
    sides = source, target = pair.split("-")
    pairs = lambda found: [row[source] + "\t" + row[target] for row in found]
    general, everything = tables(data, pair, general_table, domain)
    general = [row for row in general if all(0 < len(row[side].split()) <= LONGEST for side in sides)]
    pool = [row for row in everything if row.get("split") not in ("test", "dev")]
    test = [row for row in everything if row.get("split") == "test"][:TESTS]
    if not test:
        random.Random(1).shuffle(pool)
        test, pool = pool[:TESTS], pool[TESTS:]
    if count:
        if not count.isdecimal() or not 0 < int(count) <= len(pool):
            sys.exit("ROWS=%s: a number from 1 to %d, the rows of %s" % (count, len(pool), domain))
        pool = random.Random(7).sample(pool, int(count))
    interface = [row for row in rows(folder, "it") if row["split"] == "train"] if os.path.exists(os.path.join(folder, "it.tsv.xz")) else []
    random.Random(1).shuffle(interface)
    replay = pairs(general)
    random.Random(5).shuffle(replay)
    at = lambda name: os.path.join(out, name)
    write(at("general.tsv"), ["source\ttarget"] + pairs(general))
    write(at("replay.tsv"), ["source\ttarget"] + replay[:2000])
    write(at("vocabulary.txt"), [row[side] for row in general for side in sides] + [row[source] for row in interface[:60000]])
    write(at("pool.tsv"), ["source\ttarget"] + pairs(pool))
    write(at("test.tsv"), ["source\ttarget"] + pairs(test))
    write(at("test.source"), [row[source] for row in test])
    write(at("test.target"), [row[target] for row in test])


if __name__ == "__main__":
    main(*sys.argv[1:])
