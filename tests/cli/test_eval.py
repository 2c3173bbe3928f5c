# SPDX-License-Identifier: Apache-2.0
"""alcore eval: the metrics of the specification's vectors, over files."""
import gzip
import json
import math
import sys

from harness import case, contains, equal, main, rows_of, vector


def lines(box, name, texts):
    return box.file(name, "".join(text + "\n" for text in texts))


def values(done):
    """The printed lines as a dictionary; numbers as such."""
    found = {}
    for line in done.out.splitlines():
        name, value = line.split("\t")
        found[name] = value if name in ("signature", "scheme", "idw") else float(value)
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
def the_other_metrics_are_those_of_the_vectors(box):
    seen = 0
    for one in vector("analyses", "TV-METRICS")["cases"]:
        given, wanted = one["input"], one["expected"]
        if "chrf" in wanted:
            files = corpus(box, given)
            for name in ("chrf", "chrf++", "ter"):
                near(values(box.run("eval", name, *files))[name], wanted[name], one["name"])
        elif "edits" in wanted:
            found = values(box.run("eval", "ter", *corpus(box, given)))
            equal(found["edits"], wanted["edits"])
            near(found["ter"], wanted["ter"], one["name"])
            contains(found["signature"], "nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:")
        elif one["name"].startswith("QA"):
            files = [lines(box, side + ".txt", [given[side]]) for side in ("gold", "predicted")]
            found = values(box.run("eval", "qa", *files))
            near(found["exact_match"], 100 * wanted["exact"], one["name"])
            near(found["f1"], 100 * wanted["f1"], one["name"])
        elif one["name"].startswith("spans"):
            files = [lines(box, side + ".txt", [" ".join(tags) for tags in given[side]]) for side in ("gold", "predicted")]
            found = values(box.run("eval", "f1", *files, "--scheme", "iob2" if given["strict"] else "default"))
            for name in ("f1", "precision", "recall"):
                near(found[name], wanted[name], one["name"])
        elif one["name"] == "labels":
            files = [lines(box, side + ".txt", given[side]) for side in ("gold", "predicted")]
            found = values(box.run("eval", "accuracy", *files))
            near(found["accuracy"], wanted["accuracy"])
            equal([found["correct"], found["lines"]], [2, 4])
            joined = [lines(box, side + "-words.txt", [" ".join(given[side])]) for side in ("gold", "predicted")]
            found = values(box.run("eval", "accuracy", *joined, "--by-word"))
            equal([found["accuracy"], found["words"]], [wanted["accuracy"], 4])
            contains(box.run("eval", "accuracy", joined[0], lines(box, "e.txt", ["e"]), "--by-word", expect=3).err, "predicted e.txt:1: word 2 of gold")
            found = values(box.run("eval", "macro-f1", *files))
            near(found["macro-f1"], wanted["macro_f1"])
            equal(found["labels"], 3)
        else:
            raise AssertionError(one["name"])
        seen += 1
    equal(seen, 12)


@case
def the_sides_are_not_exchanged(box):
    """Hypotheses come first and gold labels before predicted ones: pairs whose sides differ in length and in number."""
    long, short = lines(box, "long.txt", ["a b c", "d e"]), lines(box, "short.txt", ["a", "d"])
    found = values(box.run("eval", "length-ratio", long, short))
    equal([found["length-ratio"], found["hypothesis_words"], found["reference_words"]], [2.5, 5, 2])
    gold, predicted = lines(box, "gold.txt", ["B-A O B-A"]), lines(box, "predicted.txt", ["B-A O O"])
    found = values(box.run("eval", "f1", gold, predicted))
    equal([found[name] for name in ("gold_spans", "predicted_spans", "matches")], [2, 1, 1])
    equal([found["precision"], found["recall"]], [1, 0.5])
    # I- begins a span by default, and not with --scheme iob2.
    found = [values(box.run("eval", "f1", gold, lines(box, "inside.txt", ["I-A O O"]), "--scheme", scheme)) for scheme in ("default", "iob2")]
    equal([one["predicted_spans"] for one in found], [1, 0])


@case
def two_systems_are_compared(box):
    """p of --baseline is that of the library; by randomization a system that equals the baseline but for its order has p = 1."""
    ref = lines(box, "ref.txt", ["a b c d e", "x y z", "a c d", "q r s t"])
    hyp, base = lines(box, "hyp.txt", ["a b c d e", "x y z", "a c", "q r s"]), lines(box, "base.txt", ["a b d", "x z", "a d", "r t"])
    for name in ("bleu", "chrf", "ter"):
        found = values(box.run("eval", name, hyp, ref, "--baseline", base))
        near(found["baseline"], values(box.run("eval", name, base, ref))[name], name)
        near(found[name], values(box.run("eval", name, hyp, ref))[name], name)
        equal([found["p"] * 1001 == round(found["p"] * 1001) and 0 < found["p"] <= 1, "bs:1000|seed:0" in found["signature"]], [True, True])
        found = values(box.run("eval", name, hyp, ref, "--baseline", base, "--paired", "randomization", "--samples", "64", "--seed", "3"))
        contains(found["signature"], "ar:64|seed:3")
        equal(values(box.run("eval", name, hyp, ref, "--baseline", hyp))["p"], 1)
    contains(box.run("eval", "bleu", hyp, ref, "--paired", "bootstrap", expect=2).err, "--paired needs --baseline")
    contains(box.run("eval", "bleu", hyp, ref, "--samples", "5", expect=2).err, "--samples needs --baseline")
    contains(box.run("eval", "accuracy", hyp, ref, "--baseline", base, expect=2).err, "--baseline")


@case
def tags_and_classes_of_data_sets_are_read(box):
    """Lists of tokens and of classes in JSONL; tags of other schemes."""
    gold = lines(box, "gold.jsonl", ['{"tokens": ["New", "York"], "ner_tags": [1, 2]}', '{"tokens": ["x"], "ner_tags": [0]}'])
    predicted = lines(box, "found.jsonl", ['{"tokens": ["New", "York"], "ner_tags": [1, 0]}', '{"tokens": ["x"], "ner_tags": [0]}'])
    found = values(box.run("eval", "accuracy", gold, predicted, "--text-column", "ner_tags", "--by-word"))
    equal([found["correct"], found["words"]], [2, 3])
    gold = lines(box, "gold-tags.jsonl", ['{"tags": ["B-A", "L-A", "O"]}', '{"tags": ["U-B"]}'])
    found = values(box.run("eval", "f1", gold, gold, "--text-column", "tags", "--scheme", "bilou"))
    equal([found["f1"], found["gold_spans"]], [1, 2])
    contains(box.run("eval", "f1", gold, gold, "--text-column", "tags", expect=3).err, "the scheme bilou has it")


@case
def a_question_has_several_answers(box):
    files = [lines(box, "gold.txt", ["a cat\tthe dog", ""]), lines(box, "predicted.txt", ["Dog!", "none"])]
    found = values(box.run("eval", "qa", *files))
    equal([found["exact_match"], found["f1"], found["exact"], found["questions"]], [50, 50, 1, 2])
    found = values(box.run("eval", "ter", lines(box, "h.txt", ["A b"]), lines(box, "r.txt", ["a b"]), "--cased"))
    equal([found["ter"], found["edits"], found["reference_words"]], [50, 1, 2])
    equal(box.run("eval", "ter", "h.txt", "r.txt", "--sentence").out, "1\t0\n")


@case
def overlap_is_that_of_the_vectors(box):
    vectors = vector("analyses", "TV-OVL")
    shared = vectors["input"]
    data = ["--selected", lines(box, "selected.txt", shared["selected"]), "--ood", lines(box, "ood.txt", shared["outside"])]
    for one in vectors["cases"]:
        given, wanted = one["input"], one["expected"]["coverage"]
        settings = [word for key in ("unit", "mode") if key in given for word in ("--" + key, given[key])]
        test = lines(box, "test.txt", given.get("test", shared["test"]))
        found = values(box.run("eval", "overlap", test, *data, *settings))
        for n in range(1, 5):
            near(found["%s_%d" % (given["data"], n)], wanted[n - 1], one["name"])
    found = json.loads(box.run("eval", "overlap", lines(box, "test.txt", shared["test"]), *data[:2], "-n", "2-3", "--json").out)
    equal(list(found), ["selected_2", "selected_3", "signature"])
    contains(found["signature"], "n:2-3|side:src|unit:types|mode:coverage|version:alcore-")
    found = json.loads(box.run("eval", "overlap", lines(box, "one.txt", ["fever"]), *data[:2], "--json").out)
    equal(found["selected_4"], None)


@case
def overlap_of_two_sides_is_that_of_the_vectors(box):
    vectors = vector("analyses", "TV-OVL2")
    given, wanted = vectors["input"], vectors["cases"][0]["expected"]
    files = []
    for what in ("test", "selected"):
        rows = zip(given[what + "_source"] + [""], given[what + "_target"] + [""])
        box.file(what + ".tsv", "source\ttarget\n" + "".join("\t".join(row) + "\n" for row in rows if row[0] or row[1]))
        files.append(what + ".tsv")
    args = ["eval", "overlap", files[0], "--selected", files[1], "-n", "1"]
    for settings, name in (([], "source"), (["--side", "tgt"], "target"), (["--side", "both"], "union"),
                           (["--side", "both", "--combined", "tagged"], "tagged")):
        near(values(box.run(*args, *settings))["selected_1"], wanted[name], name)
    contains(box.run(*args, "--side", "both", "--json").out, "n:1-1|side:both|combined:union|unit:types")


@case
def in_domain_words_are_those_of_the_vectors(box):
    vectors = vector("analyses", "TV-IDW")
    given = vectors["input"]
    selected, outside, test = (lines(box, side + ".txt", given[side]) for side in ("selected", "outside", "test"))
    for one in vectors["cases"]:
        wanted = one["expected"]
        found = values(box.run("eval", "in-domain", selected, "--ood", outside, "--test", test, "--idw", one["name"].partition("=")[2]))
        equal([found[name] for name in ("in_domain_types", "types", "in_domain_words", "words")],
              [wanted[name] for name in ("idwt", "wt", "idwc", "wc")])
        if "type_share" in wanted:
            near(found["type_share"], wanted["type_share"])
            near(found["word_share"], wanted["word_share"])
    equal(values(box.run("eval", "in-domain", selected, "--ood", outside, "--idw", "unseen"))["idw"], "unseen")


@case
def translated_words_are_those_of_the_vectors(box):
    one = vector("analyses", "TV-WACC")
    given, wanted = one["input"], one["cases"][0]["expected"]
    files = [lines(box, side + ".txt", given[side]) for side in ("sources", "references", "hypotheses")]
    links, outside = lines(box, "links.txt", given["links"]), lines(box, "ood.txt", ["wurden gemeldet und"])
    found = values(box.run("eval", "word-accuracy", *files, "--links", links, "--ood", outside))
    near(found["word-accuracy"], wanted["accuracy"])
    equal([found[name] for name in ("matched", "total", "unlinked")], [wanted[name] for name in ("matched", "total", "unlinked")])
    near(values(box.run("eval", "length-ratio", files[2], files[1]))["length-ratio"], wanted["length_ratio"])
    # Without links those of the built-in aligner, which `alcore align` prints.
    sides = [lines(box, side + "_many.txt", given[side] * 3) for side in ("sources", "references", "hypotheses")]
    box.run("align", *sides[:2], "--out", "made.txt")
    made = box.run("eval", "word-accuracy", *sides)
    contains(made.err, "the built-in aligner is trained on these %d sentence pairs" % (3 * len(given["sources"])))
    equal(box.run("eval", "word-accuracy", *sides, "--quiet").err, "")
    equal(made.out, box.run("eval", "word-accuracy", *sides, "--links", "made.txt").out)
    equal(made.out == box.run("eval", "word-accuracy", *sides, "--links", lines(box, "none.txt", [""] * 3 * len(given["sources"]))).out, False)
    contains(box.run("eval", "word-accuracy", *files, "--links", lines(box, "x.txt", ["0-0", "0~0"]), expect=3).err,
             "x.txt:2: '0~0' is not a link")
    contains(box.run("eval", "word-accuracy", *files, "--links", lines(box, "z.txt", ["0-9", ""]), expect=3).err,
             "z.txt:1: line 1: the link 0-9 points behind")
    spaced = [lines(box, name, texts) for name, texts in (("s", ["a\u00a0b c"]), ("r", ["x y"]), ("h", ["x y"]))]
    contains(box.run("eval", "word-accuracy", *spaced, "--links", lines(box, "nbsp.txt", ["0-0 2-1"]), expect=3).err,
             "nbsp.txt:1: line 1: the link 2-1 points behind a source of 2", "the aligner may have split at the space U+00A0")
    contains(box.run("eval", "word-accuracy", *files, "--links", lines(box, "y.txt", ["0-0"]), expect=3).err, "'y.txt' has 1 lines")


@case
def texts_of_the_training_data_are_found_in_the_test_set(box):
    test = lines(box, "test.txt", ["A cat.", "a dog", "a dog", "", "new"])
    train = lines(box, "train.txt", ["a cat", "a dog", "old"])
    found = values(box.run("eval", "duplicates", test, "--train", train))
    equal([found[name] for name in ("duplicates", "in_train", "texts", "repeated")], [50, 2, 4, 1])
    found = values(box.run("eval", "duplicates", test, "--train", train, "--dedup", "normalized"))
    equal([found[name] for name in ("duplicates", "in_train")], [75, 3])


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
    a, b = lines(box, "a.txt", ["3", "+5", "9e0"]), lines(box, "b.txt", ["1", "1", "1"])
    equal(values(box.run("eval", "wilcoxon", a, b))["w_plus"], 6)
    for wrong, fault in (("1e400", "too large"), ("0x10", "not hexadecimal"), ("0,5", "the decimal point is a point"), (" 5 ", "spaces"),
                         ("1 000", "thousands"), ("inf", ""), ("nan", ""), ("", "empty")):
        contains(box.run("eval", "mean", lines(box, "odd.txt", ["1", wrong]), expect=3).err, "odd.txt: entry 2: a number is needed", fault)
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


def complete_test_set(box):
    """A test set of WMT with its sources, two references and a system."""
    sides = (("src lang='en'", ["a cat", "a dog"]), ("ref translator='A'", ["x y z w", "x y"]), ("ref translator='B'", ["x y", "z"]),
             ("hyp system='S'", ["x y z w", "x q"]))
    box.file("set.xml", "".join("<doc id='d%d' domain='%s'>\n%s</doc>\n" % (row, domain, "".join(
        "<%s>\n<seg id='1'>%s</seg></%s>\n" % (begin, texts[row], begin.split()[0]) for begin, texts in sides))
        for row, domain in enumerate(("news", "chat"))))
    for name, (_, texts) in zip(("src", "a", "b", "s"), sides):
        lines(box, name + ".txt", texts)


@case
def sides_of_test_sets(box):
    complete_test_set(box)
    hypotheses = ["--side", "hyp", "--system", "S"]
    for measure in ("bleu", "chrf", "ter", "length-ratio"):
        plain = values(box.run("eval", measure, "s.txt", "a.txt"))
        equal(values(box.run("eval", measure, "set.xml", "set.xml", *hypotheses, "--translator", "A")), plain)
        equal(values(box.run("eval", measure, "s.txt", "set.xml", "--translator", "A")), plain)
        equal(values(box.run("eval", measure, "set.xml", "a.txt", *hypotheses)), plain)
    assert values(box.run("eval", "ter", "set.xml", "set.xml", *hypotheses, "--translator", "B"))["ter"] > plain.get("ter", 0)
    contains(box.run("eval", "bleu", "set.xml", "set.xml", *hypotheses, expect=2).err,
             'several sides, of which one is read: src (en), ref of translator "A", ref of translator "B", hyp of system "S"',
             "--translator NAME reads the references of one translator")
    contains(box.run("eval", "bleu", "s.txt", "a.txt", "--system", "S", expect=2).err, "read as text, which has one side")
    contains(box.run("eval", "bleu", "set.xml", "a.txt", "--side", "tgt", expect=2).err, "expected src, ref or hyp")
    contains(box.run("eval", "accuracy", "s.txt", "a.txt", "--system", "S", expect=2).err, "--system")
    rows = rows_of(box.run("candidates", "set.xml", "--side", "src", "--references", "set.xml", "--translator", "B", "--count", "9").out)
    equal(sorted((row["id"], row["text"], row["reference"], row["lang"]) for row in rows),
          [("d0:1", "a cat", "x y", "en"), ("d1:1", "a dog", "z", "en")])
    rows = rows_of(box.run("candidates", "set.xml", "--translator", "A", "--domain", "chat", "--count", "9").out)
    equal([(row["id"], row["text"]) for row in rows], [("d1:1", "x y")])
    contains(box.run("candidates", "set.xml", "--count", "1", expect=2).err, "several sides", "--side src, ref or hyp")
    contains(box.run("candidates", "set.xml", "--side", "src", "--domain", "law", "--count", "1", expect=2).err, 'no document of domain "law"')
    contains(box.run("candidates", "src.txt", "--side", "src", "--count", "1", expect=2).err, "src.txt is read as text, which has one side")
    plain = box.run("align", "src.txt", "a.txt").out
    equal(box.run("align", "set.xml", "set.xml", "--side", "src", "--translator", "A").out, plain)
    equal(box.run("align", "src.txt", "set.xml", "--translator", "A").out, plain)
    equal(box.run("align", "set.xml", "a.txt", "--side", "src").out, plain)
    box.run("select", "set.xml", "--side", "src", "--strategy", "random", "--budget", "1", "--labeled", "src.txt", "-q")


CONLLU = "# sent_id = s1\n1-2\tvámonos\t_\t_%s1\tvamos\tir\tVERB%s2\tnos\tnosotros\tPRON%s\n# sent_id = s2\n1\tmar\tmar\tNOUN%s" % (
    ("\t_" * 6 + "\n",) * 4)


@case
def columns_of_conll_are_read(box):
    box.file("gold.conllu", CONLLU)
    box.file("found.conll", "vamos\tVERB\nnos\tDET\n\nmar\tNOUN\n")
    by_word = ["eval", "accuracy", "gold.conllu", "found.conll", "--by-word"]
    equal(values(box.run(*by_word))["accuracy"], 1)  # the tokens
    box.file("tags.conllu", CONLLU.replace("PRON", "DET"))
    equal(values(box.run("eval", "accuracy", "gold.conllu", "tags.conllu", "--by-word", "--text-column", "upos")),
          {"accuracy": 2 / 3, "correct": 2, "words": 3})
    box.file("gold.bio", "EU NNP B-ORG\nrejects VBZ O\n\nParis NNP B-LOC\n")
    box.file("found.bio", "EU NNP B-ORG\nrejects VBZ O\n\nParis NNP B-PER\n")
    equal(values(box.run("eval", "f1", "gold.bio", "found.bio", "--text-column", "3"))["f1"], 0.5)
    # As a pool, of which the labels are the references.
    rows = rows_of(box.run("candidates", "gold.conllu", "--count", "9").out)
    equal(sorted((row["id"], row["text"], row["reference"]) for row in rows), [("s1", "vamos nos", "VERB PRON"), ("s2", "mar", "NOUN")])
    box.file("gold", CONLLU)
    equal(rows_of(box.run("candidates", "gold", "--count", "9", "--format", "conll").out), rows)
    rows = rows_of(box.run("candidates", "gold.conllu", "--count", "9", "--text-column", "lemma", "--reference-column", "form").out)
    equal(sorted((row["text"], row["reference"]) for row in rows), [("ir nosotros", "vamos nos"), ("mar", "mar")])
    picked = rows_of(box.run("select", "gold.conllu", "--budget", "1", "--strategy", "random", "-q").out)
    assert picked[0]["id"] in ("s1", "s2"), picked
    box.file("bad.conllu", CONLLU + "2\talto\t_\n")
    contains(box.run("candidates", "bad.conllu", "--count", "1", expect=3).err, "bad.conllu:8: 3 columns, line 2 has 10")
    contains(box.run("candidates", "gold.conllu", "--count", "1", "--text-column", "word", expect=2).err,
             'gold.conllu:2: no column is called "word"', "form lemma upos")


@case
def what_cannot_be(box):
    a, two = lines(box, "a.txt", ["a"]), lines(box, "two.txt", ["a", "b"])
    for args, said in ((["bleuu", a, a], "did you mean 'bleu'"), (["nosuch", a, a], "wilcoxon"), (["comet", a, a], "it needs a model"), (["mean", a, a], "takes FILE"),
                       (["bleu", a], "takes HYP REF"), (["f1", a, a, a], "takes GOLD PREDICTED"),
                       (["chrf", a, a, "--tokenize", "13a"], "chrf has no option '--tokenize'"),
                       (["mean", a, "--bootstrap", "3"], "--bootstrap"), (["bleu", a, a, "--scheme", "iob2"], "--scheme"),
                       (["bleu", a, a, "--tokenize", "14a"], "13a|intl"), (["bleu", a, a, "--smooth", "exp=1"], "floor=0.1"),
                       (["bleu", a, a, "--smooth", "floor=x"], "floor=0.1"), (["bleu", a, a, "--smooth", "floor=-1"], "from 0 on"),
                       (["bleu", a, a, "--bootstrap", "0"], "from 1"), (["f1", a, a, "--scheme", "loose"], "default|iob2"),
                       (["qa", a], "takes GOLD PREDICTED"), (["ter", a, a, "--smooth", "exp"], "ter has no option '--smooth'"),
                       (["overlap", a], "--selected"), (["overlap", a, a], "takes TEST"),
                       (["overlap", a, "--selected", a, "-n", "0"], "from 1 to 16"),
                       (["overlap", a, "--selected", a, "-n", "3-2"], "from 1 to 16"),
                       (["overlap", a, "--selected", a, "--side", "both"], "a.txt has one text a line"),
                       (["overlap", a, "--selected", a, "--combined", "union"], "--combined needs --side both"),
                       (["overlap", a, "--selected", a, "--unit", "tokens", "--mode", "jaccard"], "--unit tokens"),
                       (["overlap", a, "--selected", a, "--target-column", "x"], "--side tgt"),
                       (["in-domain", a], "--ood"), (["in-domain", a, "--ood", a], "--test FILE, or --idw unseen"),
                       (["duplicates", a], "--train"), (["bleu"], "takes HYP REF")):
        contains(box.run("eval", *args, expect=2).err, said)
    contains(box.run("eval", "bleu", a, two, expect=3).err, "a.txt has 1 lines and two.txt has 2")
    contains(box.run("eval", "mean", a, expect=3).err, "a.txt: entry 1: a number is needed, got 'a'")
    contains(box.run("eval", "mean", lines(box, "n.txt", ["1", ""]), expect=3).err, "entry 2")
    tags, mistaken = lines(box, "t.txt", ["O O", "O O"]), lines(box, "u.txt", ["O O", "O X-PER"])
    contains(box.run("eval", "f1", tags, mistaken, expect=3).err, "predicted u.txt:2: tag 2 is 'X-PER'")
    contains(box.run("eval", "f1", mistaken, tags, expect=3).err, "gold u.txt:2: tag 2 is 'X-PER'")
    contains(box.run("eval", "f1", tags, lines(box, "s.txt", ["O O", "O"]), expect=3).err, "gold t.txt:2, predicted s.txt:2: 2 gold tags, 1 predicted")
    contains(box.run("eval", "accuracy", tags, "s.txt", "--by-word", expect=3).err, "predicted s.txt:2: word 2 of gold has no counterpart")
    # The lines are those of the file: the first of a .tsv names the columns, and of .jsonl blank
    # ones are no entries.
    box.file("t.tsv", "text\nO O\nO O\n")
    box.file("u.tsv.gz", gzip.compress(b"text\nO O\nO X-PER\n"))
    box.file("s.jsonl", '{"text": "O O"}\n\n{"text": "O"}\n')
    contains(box.run("eval", "f1", "t.tsv", "u.tsv.gz", expect=3).err, "predicted u.tsv.gz:3: tag 2 is 'X-PER'")
    contains(box.run("eval", "f1", "t.tsv", "s.jsonl", expect=3).err, "gold t.tsv:3, predicted s.jsonl:3: 2 gold tags, 1 predicted")
    contains(box.run("eval", "bleu", "nowhere.txt", a, expect=4).err, "nowhere.txt")
    empty, rubbish = lines(box, "empty.txt", []), box.file("rubbish.txt", b"a\nb \xff\n")
    for args in (["bleu", empty, empty], ["mean", empty], ["qa", empty, empty], ["overlap", empty, "--selected", a],
                 ["in-domain", empty, "--ood", a, "--idw", "unseen"], ["duplicates", empty, "--train", a]):
        contains(box.run("eval", *args, expect=3).err, "empty.txt is empty")
    for args in (["ter", rubbish, rubbish], ["overlap", a, "--selected", rubbish], ["qa", rubbish, rubbish]):
        contains(box.run("eval", *args, expect=3).err, "rubbish.txt:2: the text is not valid UTF-8 at byte 2")
    contains(box.run("eval", "overlap", a, "--selected", "nowhere.txt", expect=4).err, "nowhere.txt")
    contains(box.run("eval", "overlap", box.file("x.tsv", "text\na\n"), "--selected", a, "--side", "tgt", expect=3).err, "target")
    contains(box.run("eval", "length-ratio", a, two, expect=3).err, "two.txt has 2")
    # Files that are read twice are no standard input.
    contains(box.run("eval", "agreement", a, "-", a, expect=2).err, "the first and the last, which alone can be standard input")
    contains(box.run("eval", "word-accuracy", "-", a, a, "--links", a, "--ood", a, expect=2).err, "reads SRC twice")


def decision(done):
    """The printed lines of a decision as a dictionary of strings."""
    return dict(line.split("\t") for line in done.out.splitlines())


@case
def a_plateau_is_that_of_the_vectors(box):
    seen = 0
    for one in vector("loop", "TV-PLATEAU")["cases"]:
        given, wanted = one["input"], one["expected"]
        if not given["metric"]:
            continue  # a file of rounds that is empty is an error
        args = ["eval", "plateau", lines(box, "rounds.txt", map(repr, given["metric"])), "--patience", str(given["patience"]),
                "--least-gain", str(given["least_gain"]), *(["--lower-is-better"] if given["lower_is_better"] else [])]
        found = decision(box.run(*args))
        equal([found["stop"], found["best_round"]], [str(wanted["stop"]), str(wanted["best_round"])], one["name"])
        near(float(found["value"]), wanted["value"], one["name"])
        box.run(*args, "--exit-code", expect=1 - wanted["stop"])
        seen += 1
    assert seen > 8, seen
    contains(box.run("eval", "plateau", lines(box, "nan.txt", ["1", "nan"]), expect=3).err, "round 2")
    contains(box.run("eval", "plateau", "nan.txt", "--patience", "0", expect=2).err, "--patience")
    contains(box.run("eval", "plateau", box.file("none.txt", ""), expect=3).err, "none.txt is empty")


@case
def low_uncertainty_is_that_of_the_vectors(box):
    for one in vector("loop", "TV-LOWU")["cases"]:
        given, wanted = one["input"], one["expected"]
        if not given["values"]:
            continue
        args = ["eval", "uncertainty", lines(box, "u.txt", map(str, given["values"])), "--threshold", str(given["threshold"]),
                "--statistic", given["statistic"]]
        found = decision(box.run(*args))
        equal([found["stop"], found["numbers"], found["left_out"]], [str(wanted[key]) for key in ("stop", "numbers", "left_out")],
              one["name"])
        near(float(found["value"]), wanted["value"], one["name"])
        box.run(*args, "--exit-code", expect=1 - wanted["stop"])
    contains(box.run("eval", "uncertainty", "u.txt", expect=2).err, "--threshold")
    picked = box.file("picked.tsv", "rank\tu\ttext\n1\t0.5\tone\n2\t0.25\ttwo\n")
    found = decision(box.run("eval", "uncertainty", picked, "--text-column", "u", "--threshold", "0.4", "--statistic", "max"))
    equal([found["text"], found["criterion"]], ["go on: largest uncertainty 0.5 of 2 rows is above 0.4", "largest uncertainty"])


@case
def kappa_and_agreement_are_those_of_the_vectors(box):
    for one in vector("loop", "TV-KAPPA")["cases"]:
        given, wanted = one["input"], one["expected"]
        if not given["x"]:
            continue
        files = [lines(box, side + ".txt", ["class %d" % label for label in given[side]]) for side in "xy"]
        found = values(box.run("eval", "kappa", *files))
        for key in ("kappa", "observed", "expected", "classes"):
            near(found[key], wanted[key], one["name"])
    rounds = ["aabb", "abbb", "abbb", "abbb", "abbb"]
    files = [lines(box, "round%d.txt" % number, labels) for number, labels in enumerate(rounds, 1)]
    done = box.run("eval", "agreement", *files[:4], "--exit-code", expect=1)
    contains(done.out, "text\tgo on: mean 0.833333 of the last 3 kappas is below 0.99\n", "kappas_1\t0.5\nkappas_2\t1\nkappas_3\t1\n")
    done = box.run("eval", "agreement", *files, "--exit-code")
    contains(done.out, "stop\t1\ncriterion\tagreement\nvalue\t1\nthreshold\t0.99\nnumbers\t4\nwindow\t3\n")
    found = json.loads(box.run("eval", "agreement", *files[:2], "--json").out)
    equal([found["stop"], found["value"], found["kappas"]], [False, None, [0.5]])
    contains(box.run("eval", "agreement", files[0], lines(box, "short.txt", "ab"), expect=3).err, "short.txt has 2")
    contains(box.run("eval", "agreement", *files, "--threshold", "1.5", expect=2).err, "threshold is 1.5")


@case
def the_result_goes_to_a_file(box):
    lines(box, "numbers.txt", ["1", "2", "4"])
    for options in ([], ["--json"]):
        wanted = box.run("eval", "mean", "numbers.txt", *options).out
        equal(box.run("eval", "mean", "numbers.txt", *options, "--out", "mean.out").out, "")
        equal(box.read("mean.out").decode(), wanted)
    box.file("numbers.txt", "1\r\n2\r\n")
    contains(box.run("eval", "mean", "numbers.txt").err, "CR LF")
    equal(box.run("eval", "mean", "numbers.txt", "-q").err, "")
    contains(box.run("eval", "mean", "numbers.txt", "--out", "no/where.tsv", expect=4).err, "no/where.tsv")


if __name__ == "__main__":
    sys.exit(main())
