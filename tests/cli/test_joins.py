# SPDX-License-Identifier: Apache-2.0
"""Two files that belong together: joined by id in any order where both have ids, else by line (docs/formats.md)."""
import json

from harness import case, contains, equal, main, rows_of

SOURCES = [("b", "the house"), ("a", "a cat sleeps"), ("c", "it rains")]
GERMAN = [("a", "eine Katze schläft"), ("b", "das Haus"), ("c", "es regnet")]


def table(pairs, columns=("id", "text")):
    return "\t".join(columns) + "\n" + "".join("%s\t%s\n" % pair for pair in pairs)


def lines(pairs):
    return "".join(text + "\n" for _, text in pairs)


def objects(pairs):
    return "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in pairs)


def files(box):
    box.file("sources.tsv", table(SOURCES))
    box.file("german.tsv", table(GERMAN))
    box.file("german.jsonl", objects(reversed(GERMAN)))
    box.file("more.tsv", table([*GERMAN, ("y", "mehr"), ("z", "noch mehr")]))
    box.file("fewer.tsv", table(GERMAN[:1]))
    box.file("strange.tsv", table([("x%d" % i, text) for i, (_, text) in enumerate(GERMAN)]))
    box.file("plain.txt", lines(GERMAN))


@case
def references_of_an_oracle(box):
    files(box)
    box.file("selection.tsv", "index\tid\ttext\n" + "".join("%d\t%s\t%s\n" % (i, *pair) for i, pair in enumerate(SOURCES)))
    for name in "german.tsv", "german.jsonl":
        done = box.run("oracle", "sources.tsv", "--selection", "selection.tsv", "--references", name)
        equal({row["id"]: row["translation"] for row in rows_of(done.out)}, dict(GERMAN))
    done = box.run("oracle", "sources.tsv", "--selection", "selection.tsv", "--references", "german.tsv", "--by", "line")
    equal(rows_of(done.out)[0]["translation"], "eine Katze schläft")
    contains(box.run("oracle", "sources.tsv", "--selection", "selection.tsv", "--references", "more.tsv").err,
             "2 ids of more.tsv are not in sources.tsv and are passed over: \"y\", \"z\"")
    contains(box.run("oracle", "sources.tsv", "--selection", "selection.tsv", "--references", "fewer.tsv", expect=3).err,
             "2 of the 3 ids of sources.tsv are not in fewer.tsv: \"b\", \"c\"")
    contains(box.run("oracle", "sources.tsv", "--selection", "selection.tsv", "--references", "strange.tsv", expect=3).err,
             "have no id in common: the ids are \"b\", \"a\", \"c\" and \"x0\", \"x1\", \"x2\"; --by line pairs")
    contains(box.run("oracle", "sources.tsv", "--selection", "selection.tsv", "--references", "plain.txt").err,
             "sources.tsv has ids and plain.txt has none: line i of one belongs to line i of the other")


@case
def references_of_labeled_data(box):
    files(box)
    done = box.run("mix", "--labeled", "sources.tsv", "--labeled-references", "german.tsv", "--kind", "random", "--count", "3")
    pairs = {row["src"]: row["tgt"] for row in rows_of(done.out)}
    equal(pairs, {text: dict(GERMAN)[name] for name, text in SOURCES})


@case
def every_measure(box):
    """The numbers of two files in different orders are those of the files in one order."""
    gold = [("s%d" % i, text) for i, text in enumerate(["B-PER I-PER O", "O B-LOC", "O", "B-LOC O B-PER"])]
    guess = [("s%d" % i, text) for i, text in enumerate(["B-PER O O", "O B-LOC", "B-PER", "B-LOC O O"])]
    numbers = [("n%d" % i, str(i * i % 7)) for i in range(6)], [("n%d" % i, str(3 * i + i % 2)) for i in range(6)]
    box.file("gold.tsv", table(gold))
    box.file("guess.tsv", table(guess))
    box.file("other.tsv", table([guess[i] for i in (2, 0, 3, 1)]))
    box.file("x.tsv", table(numbers[0]))
    box.file("y.tsv", table(numbers[1]))
    box.file("other-y.tsv", table([numbers[1][i] for i in (5, 0, 4, 1, 3, 2)]))
    box.file("links.txt", "0-0\n" * 4)
    for metric in "bleu", "chrf", "ter", "f1", "accuracy", "macro-f1", "qa", "length-ratio", "kappa":
        same, mixed = (box.run("eval", metric, "gold.tsv", name) for name in ("guess.tsv", "other.tsv"))
        equal((mixed.out, mixed.err), (same.out, same.err), metric)
        if metric not in ("f1", "chrf", "length-ratio"):  # of f1 the lines have other numbers of tags
            equal(box.run("eval", metric, "gold.tsv", "other.tsv", "--by", "line").out != same.out, True, metric)
    for metric in "pearson", "wilcoxon":
        equal(box.run("eval", metric, "x.tsv", "other-y.tsv").out, box.run("eval", metric, "x.tsv", "y.tsv").out, metric)
        equal(box.run("eval", metric, "x.tsv", "other-y.tsv", "--by", "line").out == box.run("eval", metric, "x.tsv", "y.tsv").out, False)
    same = box.run("eval", "bleu", "gold.tsv", "guess.tsv", "other.tsv", "--sentence", "--bootstrap", "20")
    equal(box.run("eval", "bleu", "gold.tsv", "guess.tsv", "guess.tsv", "--sentence", "--bootstrap", "20").out, same.out)
    for links in (), ("--links", "links.txt"):
        same = box.run("eval", "word-accuracy", "gold.tsv", "gold.tsv", "guess.tsv", *links)
        equal(box.run("eval", "word-accuracy", "gold.tsv", "gold.tsv", "other.tsv", *links).out, same.out)
    equal(box.run("eval", "agreement", "gold.tsv", "guess.tsv", "gold.tsv", "gold.tsv").out,
          box.run("eval", "agreement", "gold.tsv", "other.tsv", "gold.tsv", "gold.tsv").out)
    contains(box.run("eval", "mean", "x.tsv", "--by", "line", expect=2).err, "eval mean has no option '--by'")


@case
def measures_that_cannot_be_joined(box):
    files(box)
    box.file("twice.tsv", table([*GERMAN, GERMAN[0]]))
    box.file("partly.tsv", table([*GERMAN[:2], ("", "es regnet")]))
    contains(box.run("eval", "bleu", "sources.tsv", "fewer.tsv", expect=3).err, "2 of the 3 ids of sources.tsv are not in fewer.tsv: \"b\", \"c\"")
    # A reference without a translation is a text that the system did not translate; a prediction
    # without a gold label is passed over.
    contains(box.run("eval", "bleu", "sources.tsv", "more.tsv", expect=3).err, "2 of the 5 ids of more.tsv are not in sources.tsv", "\"y\", \"z\"")
    contains(box.run("eval", "accuracy", "sources.tsv", "more.tsv").err, "2 ids of more.tsv are not in sources.tsv", "\"y\", \"z\"")
    contains(box.run("eval", "bleu", "sources.tsv", "strange.tsv", expect=3).err, "have no id in common", "--by line")
    contains(box.run("eval", "bleu", "sources.tsv", "twice.tsv", expect=3).err, "twice.tsv:5: the id \"a\" is that of line 2 too")
    contains(box.run("eval", "bleu", "twice.tsv", "german.tsv", expect=3).err, "twice.tsv:5: the id \"a\" is that of line 2 too")
    contains(box.run("eval", "bleu", "sources.tsv", "partly.tsv", expect=3).err, "partly.tsv: line 2 has an id and line 4 has none", "--by line")
    contains(box.run("eval", "bleu", "sources.tsv", "plain.txt").err, "sources.tsv has ids and plain.txt has none")
    contains(box.run("eval", "bleu", "sources.tsv", "plain.txt", "--by", "id", expect=3).err, "plain.txt has no ids")
    # A file that is joined by its lines beside one that is joined by its ids.
    contains(box.run("eval", "bleu", "sources.tsv", "german.tsv", "plain.txt").err, "sources.tsv has ids and plain.txt has none")


@case
def many_texts_in_another_order(box):
    """More than a block of texts, one of which is far from its partner."""
    count = 20000
    pairs = [("t%d" % i, "word%d" % (i % 50)) for i in range(count)]
    box.file("a.tsv", table(pairs))
    box.file("b.tsv", table([*reversed(pairs)]))
    box.file("c.tsv", table([*pairs[1:], pairs[0]]))
    for name in "b.tsv", "c.tsv":
        contains(box.run("eval", "accuracy", "a.tsv", name).out, "accuracy\t1\n", "lines\t%d\n" % count)
    contains(box.run("eval", "accuracy", "a.tsv", "b.tsv", "--by", "line").out, "accuracy\t0\n")


@case
def trees_with_names(box):
    """CoNLL-U: # sent_id is the id of a sentence."""
    tree = "# sent_id = %s\n1\t%s\t_\t%s\t_\t_\t0\troot\t_\t_\n\n"
    box.file("gold.conllu", tree % ("u1", "rains", "VERB") + tree % ("u2", "house", "NOUN"))
    box.file("guess.conllu", tree % ("u2", "house", "NOUN") + tree % ("u1", "rains", "VERB"))
    for column in "form", "upos":
        contains(box.run("eval", "accuracy", "gold.conllu", "guess.conllu", "--text-column", column).out, "accuracy\t1\n")


@case
def aligned_by_id(box):
    files(box)
    straight = box.run("align", "sources.tsv", "german.tsv")
    box.file("sorted.tsv", table([(name, dict(GERMAN)[name]) for name, _ in SOURCES]))
    equal(straight.out, box.run("align", "sources.tsv", "sorted.tsv").out)
    contains(box.run("align", "sources.tsv", "fewer.tsv", expect=3).err, "2 of the 3 ids of sources.tsv")
    box.file("pairs.tsv", "source\ttarget\na\tb\n")
    contains(box.run("align", "pairs.tsv", "--by", "line", expect=2).err, "--by line: there are no two files")


@case
def round_trips_by_id(box):
    files(box)
    box.file("back.tsv", table([("c", "it rains"), ("a", "a dog barks"), ("b", "the house")]))
    done = box.run("score", "sources.tsv", "--scorer", "rtt-bleu", "--roundtrip", "back.tsv")
    scores = {row["id"]: float(row["score"]) for row in rows_of(done.out)} if "id\t" in done.out else None
    plain = box.run("score", "sources.tsv", "--scorer", "rtt-bleu", "--roundtrip", box.file("back.txt", "the house\na dog barks\nit rains\n"))
    equal(done.out, plain.out, scores)
    equal(box.run("score", "sources.tsv", "--scorer", "rtt-bleu", "--roundtrip", "back.tsv", "--by", "line").out == done.out, False)
    # Of the candidates alone, in any order.
    box.file("candidates.tsv", "index\tid\ttext\n2\tc\tit rains\n0\tb\tthe house\n")
    box.file("two.tsv", table([("b", "the house"), ("c", "snow")]))
    some = box.run("score", "sources.tsv", "--scorer", "rtt-bleu", "--candidates", "candidates.tsv", "--roundtrip", "two.tsv")
    box.file("two.txt", "snow\nthe house\n")
    equal(some.out, box.run("score", "sources.tsv", "--scorer", "rtt-bleu", "--candidates", "candidates.tsv", "--roundtrip", "two.txt").out)


@case
def ids_occur_once(box):
    box.file("twice.tsv", table([("a", "one"), ("b", "two"), ("a", "three")]))
    contains(box.run("select", "twice.tsv", "--strategy", "huds", "--budget", "1", expect=3).err,
             "twice.tsv:4: the id \"a\" is that of line 2 too; each id has to stand for one text")
    contains(box.run("select", "twice.tsv", "--strategy", "huds", "--budget", "1", "--bad-lines", "mask").err, "masked: 1 malformed")
    # Files of labeled texts may number their texts alike, each file alone may not.
    box.file("pool.tsv", table([("a", "one"), ("b", "two"), ("c", "three")]))
    box.file("labeled.tsv", table([("a", "four")]))
    box.run("select", "pool.tsv", "--strategy", "huds", "--budget", "1", "--labeled", "labeled.tsv", "--labeled", "labeled.tsv")
    contains(box.run("select", "pool.tsv", "--budget", "1", "--labeled", "twice.tsv", expect=3).err, "twice.tsv:4")


main()
