# SPDX-License-Identifier: Apache-2.0
"""alcore eval: the metrics of the specification's vectors, over files."""
import json
import math
import sys

from harness import case, contains, equal, main, vector


def lines(box, name, texts):
    return box.file(name, "".join(text + "\n" for text in texts))


def values(done):
    """The printed lines as a dictionary; numbers as such."""
    found = {}
    for line in done.out.splitlines():
        name, value = line.split("\t")
        found[name] = float(value) if name != "signature" and name != "scheme" else value
    return found


def near(found, wanted, what=""):
    wanted = float(wanted)
    assert (math.isnan(found) and math.isnan(wanted)) or abs(found - wanted) <= 1e-9, (what, found, wanted)


def corpus(box, given):
    """The files of a vector: hypotheses, and a file for each set of references."""
    files = [lines(box, "hyp.txt", given["hypotheses"])]
    for number, texts in enumerate(zip(*given["references"])):
        files.append(lines(box, "ref%d.txt" % number, texts))
    return files


@case
def bleu_is_that_of_the_vectors(box):
    seen = 0
    for name in ("TV-BLEU", "TV-BLEU2"):
        for one in vector("analyses", name)["cases"]:
            given, wanted = one["input"], one["expected"]
            settings = [word for option, key in (("--tokenize", "tokenizer"), ("--smooth", "smoothing")) if key in given
                        for word in (option, given[key])]
            args = ["eval", "bleu", *corpus(box, given), *settings]
            seen += 1
            if "sentence_bleu" in wanted:
                found = values(box.run(*args, "--sentence"))
                equal(list(found), [str(number + 1) for number in range(len(wanted["sentence_bleu"]))])
                for value, expected in zip(found.values(), wanted["sentence_bleu"]):
                    near(value, expected, one["name"])
                continue
            found = values(box.run(*args))
            near(found["bleu"], wanted["bleu"], one["name"])
            near(found["brevity_penalty"], wanted["bp"], one["name"])
            equal([found["hypothesis_tokens"], found["reference_tokens"]], [wanted["hyp_len"], wanted["ref_len"]])
            for order in range(4):
                near(found["precisions_%d" % (order + 1)], wanted["precisions"][order], one["name"])
                equal(found["matches_%d" % (order + 1)], wanted["matches"][order])
                equal(found["totals_%d" % (order + 1)], wanted["totals"][order])
            contains(found["signature"], "nrefs:%d|case:mixed|eff:no|tok:13a|smooth:" % len(given["references"][0]))
    assert seen > 10, seen


@case
def chrf_spans_and_labels_are_those_of_the_vectors(box):
    seen = 0
    for one in vector("analyses", "TV-METRICS")["cases"]:
        given, wanted = one["input"], one["expected"]
        if "chrf" in wanted:
            files = corpus(box, given)
            for name in ("chrf", "chrf++"):
                near(values(box.run("eval", name, *files))[name], wanted[name], one["name"])
        elif one["name"].startswith("spans"):
            files = [lines(box, side + ".txt", [" ".join(tags) for tags in given[side]]) for side in ("gold", "predicted")]
            found = values(box.run("eval", "f1", *files, "--scheme", "strict" if given["strict"] else "default"))
            for name in ("f1", "precision", "recall"):
                near(found[name], wanted[name], one["name"])
        elif one["name"] == "labels":
            files = [lines(box, side + ".txt", given[side]) for side in ("gold", "predicted")]
            found = values(box.run("eval", "accuracy", *files))
            near(found["accuracy"], wanted["accuracy"])
            equal([found["correct"], found["lines"]], [2, 4])
            found = values(box.run("eval", "macro-f1", *files))
            near(found["macro-f1"], wanted["macro_f1"])
            equal(found["labels"], 3)
        else:
            continue
        seen += 1
    equal(seen, 5)


@case
def statistics_are_those_of_the_vectors(box):
    for one in vector("analyses", "TV-SE")["cases"]:
        found = values(box.run("eval", "mean", lines(box, "x.txt", map(str, one["input"]["values"]))))
        for name, short in (("mean", "mean"), ("standard_deviation", "sd"), ("standard_error", "se")):
            near(found[name], one["expected"][short], one["name"])
    for one in vector("analyses", "TV-WILCOXON")["cases"]:
        if one["input"].get("exact", True):
            found = values(box.run("eval", "wilcoxon", lines(box, "d.txt", map(repr, one["input"]["differences"]))))
            for name, wanted in one["expected"].items():
                near(found[name], wanted, one["name"])
            equal(found["exact"], 1)
    a, b = lines(box, "a.txt", ["3", " 5 ", "9e0"]), lines(box, "b.txt", ["1", "1", "1"])
    equal(values(box.run("eval", "wilcoxon", a, b))["w_plus"], 6)
    found = values(box.run("eval", "pearson", lines(box, "x.txt", "123"), lines(box, "y.txt", "247")))
    near(found["rho"], 5 / math.sqrt(2 * 38 / 3))
    assert 0 < found["p"] < 0.1


@case
def json_has_all_of_it(box):
    files = [lines(box, "hyp.txt", ["a b c d e", ""]), lines(box, "ref.txt", ["a b c d e", "y"])]
    found = json.loads(box.run("eval", "bleu", *files, "--json", "--sentence", "--bootstrap", "20", "--seed", "4").out)
    contains(found["signature"], "bs:20|seed:4|")
    equal(len(found["sentences"]), 2)
    equal(found["totals"], [5, 4, 3, 2])
    assert found["bootstrap_low"] <= found["bootstrap_mean"] <= found["bootstrap_high"]
    equal(json.loads(box.run("eval", "mean", lines(box, "x.txt", ["1"]), "--json").out)["standard_error"], None)
    same = [box.run("eval", "chrf", *files, "--bootstrap", "9", "--seed", seed).out for seed in ("1", "1", "2")]
    assert same[0] == same[1] != same[2]


@case
def smoothing_has_a_value(box):
    files = [lines(box, "hyp.txt", ["a b c d"]), lines(box, "ref.txt", ["a x c d"])]
    low, high = (values(box.run("eval", "bleu", *files, "--smooth", "floor=" + value))["bleu"] for value in ("0.01", "0.5"))
    assert 0 < low < high
    equal(values(box.run("eval", "bleu", *files, "--smooth", "floor"))["bleu"],
          values(box.run("eval", "bleu", *files, "--smooth", "floor=0.1"))["bleu"])
    equal(values(box.run("eval", "bleu", *files, "--smooth", "none"))["bleu"], 0)


@case
def columns_are_read(box):
    box.file("two.tsv", "text\tlabel\na\tx\nb\ty\n")
    box.file("three.tsv", "text\tlabel\na\tx\nb\tz\n")
    equal(values(box.run("eval", "accuracy", "two.tsv", "three.tsv"))["accuracy"], 1)
    equal(values(box.run("eval", "accuracy", "two.tsv", "three.tsv", "--text-column", "label"))["accuracy"], 0.5)


@case
def what_cannot_be(box):
    a, two = lines(box, "a.txt", ["a"]), lines(box, "two.txt", ["a", "b"])
    for args, said in ((["bleuu", a, a], "did you mean 'bleu'"), (["ter", a, a], "wilcoxon"), (["mean", a, a], "takes FILE"),
                       (["bleu", a], "takes HYP REF"), (["f1", a, a, a], "takes GOLD PREDICTED"),
                       (["chrf", a, a, "--tokenize", "13a"], "chrf has no option '--tokenize'"),
                       (["mean", a, "--bootstrap", "3"], "--bootstrap"), (["bleu", a, a, "--scheme", "strict"], "--scheme"),
                       (["bleu", a, a, "--tokenize", "14a"], "13a|intl"), (["bleu", a, a, "--smooth", "exp=1"], "floor=0.1"),
                       (["bleu", a, a, "--smooth", "floor=x"], "floor=0.1"), (["bleu", a, a, "--smooth", "floor=0"], "above 0"),
                       (["bleu", a, a, "--bootstrap", "0"], "from 1"), (["f1", a, a, "--scheme", "loose"], "default|strict"),
                       (["bleu"], "METRIC FILE")):
        contains(box.run("eval", *args, expect=2).err, said)
    contains(box.run("eval", "bleu", a, two, expect=3).err, "a.txt has 1 lines and two.txt has 2")
    contains(box.run("eval", "mean", a, expect=3).err, "a.txt: entry 1: a number is needed, got 'a'")
    contains(box.run("eval", "mean", lines(box, "n.txt", ["1", ""]), expect=3).err, "entry 2")
    contains(box.run("eval", "f1", lines(box, "t.txt", ["O X-PER"]), lines(box, "u.txt", ["O O"]), expect=3).err, "X-PER")
    contains(box.run("eval", "bleu", "nowhere.txt", a, expect=4).err, "nowhere.txt")


if __name__ == "__main__":
    sys.exit(main())
