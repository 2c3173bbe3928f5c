#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the picks of a selection with their translations: worth_picks.py POOL.tsv SELECTION.tsv OUT.tsv"""
import sys


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return [line.rstrip("\n") for line in lines]


def main(pool, selection, out):
    header, *pairs = lines_of(pool)
    names, *picks = (line.split("\t") for line in lines_of(selection))
    at = names.index("index")
    with open(out, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for line in [header] + [pairs[int(pick[at])] for pick in picks])


if __name__ == "__main__":
    main(*sys.argv[1:])
