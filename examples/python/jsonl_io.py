# SPDX-License-Identifier: Apache-2.0
"""Reads a pool from JSONL, picks, writes the picks as JSONL with every column of the record, and reads the answers.

usage: jsonl_io.py POOL.jsonl PICKS.jsonl ANSWERS.jsonl

An answer is {"id": ..., "reference": ...}; the next picks are made without the rows that were answered."""
import json
import sys
from pathlib import Path

import alcore


def write_jsonl(path, records):
    with open(path, "w", encoding="utf-8") as out:
        for record in records:
            out.write(json.dumps(record, ensure_ascii=False) + "\n")


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    pool_path, picks_path, answers_path = map(Path, sys.argv[1:4])
    pool = alcore.Pool(pool_path)
    round = 1
    if answers_path.exists():
        answers = [json.loads(line) for line in answers_path.open(encoding="utf-8")]
        pool.mark_labeled([answer["id"] for answer in answers])
        round = 2
    picked = pool.select("40w", round=round)
    write_jsonl(picks_path, picked.records)
    print("round %d: %d picks, %d rows labeled" % (round, len(picked), pool.count("labeled")))


if __name__ == "__main__":
    main()
