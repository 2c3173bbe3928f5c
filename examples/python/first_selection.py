# SPDX-License-Identifier: Apache-2.0
"""Picks the first sentences to label and says why.   usage: first_selection.py POOL.txt [BUDGET]"""
import sys
from pathlib import Path

import alcore


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    budget = sys.argv[2] if len(sys.argv) > 2 else "60w"
    with alcore.Pool(Path(sys.argv[1])) as pool:
        picked = alcore.select(pool, budget=budget)
        for record in picked.records:
            print("%d\t%s\n\t%s" % (record["index"], pool[record["index"]], record["reason"]))
    print("%d sentences, %g words" % (len(picked), picked.spent))


if __name__ == "__main__":
    main()
