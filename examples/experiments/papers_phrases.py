#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tables of a folder of papers.sh with phrases and sentences: papers_phrases.py FOLDER BASELINE

What was bought: how many items and words; percent of the different n-grams of the test set that the general text and the picks have; of the
different words of the picks, and of all of them, those that the test set has and the general text lacks, and their percentage (Tables 3 and 5
of Hu and Neubig 2021). What was trained, STRATEGY.KIND: BLEU and chrF of all outputs together; how much its chrF is above that of BASELINE,
with an interval as in worth_table.py; percent of the words that the general text lacks which are translated as in the reference (Figure 3);
words for a word of the reference (Figure 4). Last Pearson's correlation of the four percentages with BLEU over the runs of the KIND of BASELINE."""
import glob
import os
import re
import statistics
import sys
import tempfile

from worth_table import above, evaluate, joined, lines_of, measure

ORDERS = range(1, 5)
HEADS = (["picks", "items", "words"] + ["%d-grams" % n for n in ORDERS] + ["new types", "types", "%", "new words", "words", "%"],
         ["training", "trainings", "BLEU", "chrF", "above %s", "new words right", "length"])


def row(cells):
    print("| %s |" % " | ".join(map(str, cells)))


def head(cells):
    row(cells)
    print("|" + "---|" * len(cells))


def bought(at, name, path):
    """A row of what a file of texts has; without one of what the general text has."""
    shared = evaluate("overlap", at("test.tsv"), "--ood", at("general.tsv"), *(["--selected", path] if path else []))
    found = [shared["%s_%d" % ("both" if path else "outside", n)] for n in ORDERS]
    cells = [""] * 8
    if path:
        new = evaluate("in-domain", path, "--ood", at("general.tsv"), "--test", at("test.tsv"))
        cells = [len(lines_of(path)) - 1, new["words"], new["in_domain_types"], new["types"], "%.1f" % new["type_share"], new["in_domain_words"],
                 new["words"], "%.1f" % new["word_share"]]
    row([name, *cells[:2], *("%.1f" % share for share in found), *cells[2:]])
    return found


def main(folder, baseline):
    at = lambda *names: os.path.join(folder, *names)
    texts = len(lines_of(at("test.target")))
    head(HEADS[0])
    bought(at, "nothing", None)
    shares = {}
    for path in sorted(glob.glob(at("selections", "*.tsv"))):
        name = os.path.basename(path)[:-len(".tsv")]
        shares[name] = bought(at, name, path)
    bought(at, "the whole pool", at("pool.tsv"))
    outputs, rows = {}, []
    for path in sorted(glob.glob(at("outputs", "*.txt"))):
        outputs.setdefault(re.fullmatch(r"(.*)\.\d+\.txt", os.path.basename(path)).group(1), []).append(path)
    with tempfile.TemporaryDirectory() as box:
        for name, paths in outputs.items():
            join = lambda kind, files: joined(box, kind, files)
            files = join("outputs", paths), join("reference", [at("test.target")] * len(paths))
            right = evaluate("word-accuracy", join("source", [at("test.source")] * len(paths)), files[1], files[0], "--links",
                             join("links", [at("test.links")] * len(paths)), "--ood", at("general.tsv"))["word-accuracy"]
            rows.append((measure("chrf", *files), name, len(paths), measure("bleu", *files)["bleu"], right,
                         evaluate("length-ratio", *files)["length-ratio"]))
    base = next((chrf for chrf, name, *_ in rows if name == baseline), None)
    print()
    head([cell % baseline if "%s" in cell else cell for cell in HEADS[1]])
    for chrf, name, count, bleu, right, length in sorted(rows, key=lambda one: -one[0]["chrf"]):
        row([name, count, "%.2f" % bleu, "%.2f" % chrf["chrf"], "" if not base or name == baseline else above(chrf, base, texts),
             "%.1f" % right, "%.3f" % length])
    kind = os.path.splitext(baseline)[1]
    points = [(shares[os.path.splitext(name)[0]], bleu) for _, name, _, bleu, *_ in rows if os.path.splitext(name)[1] == kind != ""]
    if len(points) > 2:
        print("\nPearson with BLEU: " + ", ".join(
            "%d-grams %.2f" % (n, statistics.correlation([share[n - 1] for share, _ in points], [bleu for _, bleu in points])) for n in ORDERS))


if __name__ == "__main__":
    main(*sys.argv[1:])
