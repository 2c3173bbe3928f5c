#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How many words of unseen texts picks cover, without training anything: worth_cover.py [SETTING...]

ALCORE_SHARED_DATA is a folder with en-de/general.tsv.xz and so on, and ALCORE the command (default: the one on PATH). A setting is
PAIR/GENERAL/DOMAIN/ROWS/BUDGET/LABELED as worth.sh has them (`fr-en/docs/system/500/2500w/yes`, where ROWS is 0 for all of them); without
any those of docs/results/worth.md are measured. The table has a line for each, as soon as it is known: the share of the words of 1,000 unseen
texts (a word counts as often as it occurs) that stand in the picks, and that stand in the picks or in what is translated already, with the
recommended strategy and with random draws, the mean of five seeds."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import worth_data  # noqa: E402
from worth_table import lines_of, words_of  # noqa: E402

GERMAN = ("it", "docs", "system", "law", "medicine")
SETTINGS = (["en-de/general/%s/0/%s/yes" % (domain, budget) for domain in GERMAN for budget in ("2500w", "10000w")] +
            ["en-de/general/%s/0/%s/yes" % (domain, budget) for domain in ("it", "docs") for budget in ("1500w", "40000w")] +
            ["en-de/general/%s/500/500w/yes" % domain for domain in GERMAN] +
            ["en-de/general/%s/0/10000w/no" % domain for domain in ("it", "docs", "system")] +
            ["de-en/general/%s/0/10000w/yes" % domain for domain in ("it", "docs", "system", "law")] +
            ["%s/%s/0/10000w/yes" % pair for pair in (("en-fr", "docs/system"), ("en-fr", "system/docs"), ("fr-en", "docs/system"),
                                                      ("fr-en", "system/docs"))])
DRAWS = 5


def sources(path):
    """The first column of a table with a header."""
    return [line.split("\t")[0] for line in lines_of(path)[1:]]


def picked(folder, pool, budget, labeled, *options):
    """The words of what the command picks."""
    out = os.path.join(folder, "picks.tsv")
    shown = ["--labeled", os.path.join(folder, "general.tsv")] if labeled else []
    subprocess.run([os.environ.get("ALCORE", "alcore"), "select", os.path.join(folder, "pool.tsv"), "--budget", budget, "--quiet", "--out", out,
                    *shown, *options], check=True)
    names, *rows = [line.split("\t") for line in lines_of(out)]
    return {word for row in rows for word in words_of(pool[int(row[names.index("index")])])}


def measure(folder, setting):
    """The shares, in %: of the picks and of the draws; and of both with what is translated already."""
    pair, general, domain, rows, budget, labeled = setting.split("/")
    if labeled not in ("yes", "no"):
        sys.exit("%s: labeled is yes or no" % setting)
    worth_data.main(os.environ["ALCORE_SHARED_DATA"], pair, general, domain, "" if rows == "0" else rows, folder)
    pool = sources(os.path.join(folder, "pool.tsv"))
    known = {word for text in sources(os.path.join(folder, "general.tsv")) for word in words_of(text)} if labeled == "yes" else set()
    unseen = [word for text in lines_of(os.path.join(folder, "test.source")) for word in words_of(text)]
    share = lambda words: 100 * sum(word in words for word in unseen) / len(unseen)
    picks = picked(folder, pool, budget, labeled == "yes")
    draws = [picked(folder, pool, budget, labeled == "yes", "--strategy", "random", "--seed", str(seed + 1)) for seed in range(DRAWS)]
    mean = lambda values: sum(values) / len(values)
    return share(picks), mean([share(draw) for draw in draws]), share(picks | known), mean([share(draw | known) for draw in draws])


def main(settings):
    print("| languages | translated | domain | texts | budget | picks | draws | picks and translated | draws and translated |")
    print("|---|---|---|---|---|---|---|---|---|")
    shares = []
    for setting in settings:
        with tempfile.TemporaryDirectory() as folder:
            shares.append(measure(folder, setting))
        pair, general, domain, rows, budget, labeled = setting.split("/")
        words = [pair, general if labeled == "yes" else "nothing", domain, "all" if rows == "0" else rows, budget]
        print("| %s |" % " | ".join(words + ["%.2f" % value for value in shares[-1]]), flush=True)
    print("\nMore than draws: %d of %d; with what is translated %d of %d." % (sum(one > other for one, other, *_ in shares), len(shares),
                                                                            sum(one > other for *_, one, other in shares), len(shares)))


if __name__ == "__main__":
    main(sys.argv[1:] or SETTINGS)
