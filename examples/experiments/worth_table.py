#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The table of a folder of worth.sh: worth_table.py FOLDER [BASELINE]

For each selection its items, how many of the words of the test set the picks have, how many trainings there are, BLEU and chrF of all their
outputs together, how many of the rare words of the references they have, and how much its chrF is above that of the selection BASELINE (random).
A word is a run of letters, digits and underscores with a letter, in lower case, and counts as often as it occurs. It is rare when the
translations in general.tsv, from which the base model learned, have it RARE times at most, and right when the output of the same text has it
(recall of words by their frequency in training). Behind chrF stands the 95 % interval of the difference of the chrF of single texts: a paired
bootstrap over the texts of the test set (Koehn 2004), of which each has its mean over the trainings. Selections NAME-1, NAME-2
and so on, which other seeds drew, count as one; "nothing bought" is the base model, whose translations are FOLDER/untrained.txt."""
import collections
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

SAMPLES = 2000
RARE = 5


def lines_of(path):
    with open(path, encoding="utf-8", newline="\n") as lines:
        return lines.read().split("\n")[:-1]


def joined(box, name, paths):
    """A file of the lines of all of them."""
    path = os.path.join(box, name)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(line + "\n" for one in paths for line in lines_of(one))
    return path


def evaluate(*arguments):
    """What `alcore eval` says."""
    command = [os.environ.get("ALCORE", "alcore"), "eval", *arguments, "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(metric, outputs, reference):
    return evaluate(metric, outputs, reference, "--sentence")


def by_text(chrf, texts):
    """The chrF of each text, its mean over the trainings, whose outputs stand behind one another."""
    runs = len(chrf["sentences"]) // texts
    return [sum(chrf["sentences"][text::texts]) / runs for text in range(texts)]


def interval(values, others):
    """The middle 95 % of the mean difference of texts that are drawn with replacement."""
    draw = random.Random(1)
    differences = [one - other for one, other in zip(values, others)]
    means = sorted(sum(draw.choices(differences, k=len(differences))) / len(differences) for _ in range(SAMPLES))
    return means[SAMPLES // 40], means[-SAMPLES // 40 - 1]


def above(chrf, other, texts):
    return "%+.2f (%+.2f to %+.2f)" % (chrf["chrf"] - other["chrf"], *interval(by_text(chrf, texts), by_text(other, texts)))


def selections_of(folder, name):
    """The files of a selection, or of those that were drawn by several seeds, NAME-1 and so on."""
    return [path for path in glob.glob(os.path.join(folder, "selections", name + "*.tsv"))
            if re.fullmatch(r"(-\d+)?\.tsv", os.path.basename(path)[len(name):])]


def words_of(text):
    return [word for word in re.findall(r"\w+", text.lower()) if re.search(r"[^\W\d_]", word)]


def covered(texts, pool, selection):
    """The share of the words of texts that the picks have."""
    names, *rows = [line.split("\t") for line in lines_of(selection)]
    bought = {word for row in rows for word in words_of(pool[int(row[names.index("index")])])}
    words = [word for text in texts for word in words_of(text)]
    return sum(word in bought for word in words) / len(words)


def rare_words(folder, references):
    """Those of each reference, with how often it has them."""
    known = collections.Counter(word for line in lines_of(os.path.join(folder, "general.tsv"))[1:] for word in words_of(line.split("\t")[1]))
    return [collections.Counter(word for word in words_of(text) if known[word] <= RARE) for text in references]


def rare_right(rare, outputs):
    """The percentage of them that the outputs of one or more trainings have, which stand behind one another."""
    found = sum((rare[number % len(rare)] & collections.Counter(words_of(text))).total() for number, text in enumerate(outputs))
    asked = sum(one.total() for one in rare) * len(outputs) // len(rare)
    return "%.1f %%" % (100 * found / asked) if asked else ""


def main(folder, baseline="random"):
    test = os.path.join(folder, "test.target")
    references = lines_of(test)
    texts, rare = len(references), rare_words(folder, references)
    sources = lines_of(os.path.join(folder, "test.source"))
    pool = [line.split("\t")[0] for line in lines_of(os.path.join(folder, "pool.tsv"))[1:]]
    outputs, rows = {}, []
    for path in sorted(glob.glob(os.path.join(folder, "outputs", "*.txt"))):
        outputs.setdefault(re.fullmatch(r"(.*?)(-\d+)?\.\d+\.txt", os.path.basename(path)).group(1), []).append(path)
    with tempfile.TemporaryDirectory() as box:
        for name, paths in outputs.items():
            files = joined(box, "outputs", paths), joined(box, "reference", [test] * len(paths))
            picks = selections_of(folder, name)
            mean = lambda measured: sum(measured(path) for path in picks) / len(picks)
            rows.append((measure("chrf", *files), name, mean(lambda path: len(lines_of(path)) - 1),
                         mean(lambda path: 100 * covered(sources, pool, path)), len(paths), measure("bleu", *files)["bleu"],
                         rare_right(rare, lines_of(files[0]))))
        before = os.path.join(folder, "untrained.txt")
        if os.path.exists(before):
            rows.append((measure("chrf", before, test), "nothing bought", 0, 0, 0, measure("bleu", before, test)["bleu"],
                         rare_right(rare, lines_of(before))))
    chance = next((chrf for chrf, name, *_ in rows if name == baseline), None)
    print("| selection | items | words covered | trainings | BLEU | rare words right | chrF | chrF above %s |" % baseline)
    print("|" + 8 * "---|")
    for chrf, name, items, words, count, bleu, right in sorted(rows, key=lambda row: -row[0]["chrf"]):
        more = "" if not chance or name == baseline else above(chrf, chance, texts)
        print("| %s | %.0f | %.1f %% | %d | %.2f | %s | %.2f | %s |" % (name, items, words, count, bleu, right, chrf["chrf"], more))


if __name__ == "__main__":
    main(*sys.argv[1:])
