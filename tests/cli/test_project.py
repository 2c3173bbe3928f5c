# SPDX-License-Identifier: Apache-2.0
"""alcore project: rounds from the pool to measures by commands only, what is refused, and what each command says next."""
import csv
import io
import json
import os
import signal
import sqlite3
import subprocess
import time

from harness import ALCORE, case, contains, equal, main, rows_of

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon".split()
TEXTS = [" ".join(WORDS[(row * step) % 20] for step in (3, 7, 11)) + " %d" % row for row in range(1, 41)]


def make(box, *settings):
    box.file("pool.txt", "".join(text + "\n" for text in TEXTS))
    box.run("project", "init", "work", "strategy=ngram-cover", "budget=5", *settings)
    box.run("project", "add", "work", "pool.txt", "-q")


def begin(box, *settings):
    """A project with a round that was exported: the rows of its file."""
    make(box, *settings)
    box.run("project", "next", "work", "-q")
    box.run("project", "export", "work", "--tool", "csv", "--out", "out.csv", "-q")
    return rows(box, "out.csv")


def rows(box, name):
    return list(csv.DictReader(io.StringIO(box.read(name).decode("utf-8-sig"))))


def answer(box, name, items, prefix="T ", **more):
    """Writes the rows with translations."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(items[0]))
    writer.writeheader()
    for item in items:
        writer.writerow({**item, "translation": prefix + item["text"], **more})
    box.file(name, out.getvalue())


def wait_for(box, name):
    """Waits until a file is there."""
    for _ in range(600):
        if box.exists(name):
            return
        time.sleep(0.05)
    raise AssertionError("%s did not come" % name)


def status(box):
    found = dict(line.split("\t") for line in box.run("project", "status", "work", "-q").out.splitlines())
    return {name: found[name] if name == "unit" else float(found[name]) for name in found}


@case
def two_rounds_with_half_of_the_answers_twice(box):
    make(box, "total=12")
    first = box.run("project", "next", "work", "--out", "picks.tsv", "--json")
    equal(len(rows_of(box.read("picks.tsv").decode())), 5)
    equal(json.loads(first.out)["schema"], "alcore-provenance-1" if "schema" in json.loads(first.out) else None)
    contains(first.err, "5")
    box.run("project", "export", "work", "--tool", "csv", "--out", "out.csv")
    items = rows(box, "out.csv")
    equal([row["text"] for row in items], [row["text"] for row in rows_of(box.read("picks.tsv").decode())])
    answer(box, "half.csv", items[:2])
    half = box.run("project", "import", "work", "half.csv", "--tool", "csv", "--annotator", "ann", "--json")
    found = json.loads(half.out)["files"][0]
    equal({name: found[name] for name in ("file", "answers", "added", "repeated", "unusable")},
          {"file": "half.csv", "answers": 2, "added": 2, "repeated": 0, "unusable": 0})
    contains(half.err, "half.csv: 2 answers, 2 of them new")
    contains(box.run("project", "import", "work", "half.csv", "--tool", "csv", "--annotator", "ann").err, "2 known before")
    equal({name: status(box)[name] for name in ("rounds", "items", "answered", "open", "answers")},
          {"rounds": 1, "items": 5, "answered": 2, "open": 3, "answers": 2})
    box.run("project", "export", "work", "--tool", "csv", "--out", "rest.csv", "-q")
    equal([row["id"] for row in rows(box, "rest.csv")], [row["id"] for row in items[2:]])
    answer(box, "all.csv", items)
    equal(json.loads(box.run("project", "import", "work", "all.csv", "--tool", "csv", "--annotator", "ann", "--json", "-q").out)["files"][0]["added"], 3)
    box.run("project", "labeled", "work", "--out", "labeled.tsv")
    equal(sorted(row["reference"] for row in rows_of(box.read("labeled.tsv").decode())), sorted("T " + row["text"] for row in items))
    equal(box.run("project", "labeled", "work").out.encode(), box.read("labeled.tsv"))
    box.run("project", "metric", "work", "chrf=41.5", "bleu=20")
    box.run("project", "next", "work", "-q")
    second = box.run("project", "export", "work", "--tool", "csv", "--out", "second.csv", "-q")
    equal(second.out, "")
    later = {row["id"] for row in rows(box, "second.csv")}
    equal((len(later), later & {row["id"] for row in items}), (5, set()))
    equal(status(box)["left"], 2)
    box.run("project", "report", "work", "--out", "report.html")
    contains(box.read("report.html").decode(), "<html", "chrf")
    contains(box.run("project", "verify", "work").err, "work")
    contains(box.run("project", "gc", "work").err, "bytes were freed")


@case
def the_next_command_is_named(box):
    contains(box.run("project", "status", "nowhere", expect=3).err, "alcore project init nowhere")
    box.run("project", "init", "work")
    contains(box.run("project", "status", "work").err, "alcore project add work FILE")
    contains(box.run("project", "next", "work", expect=3).err, "alcore project add work FILE")
    box.file("pool.txt", "".join(text + "\n" for text in TEXTS))
    box.run("project", "add", "work", "pool.txt", "-q")
    contains(box.run("project", "status", "work").err, "alcore project next work")
    box.run("project", "set", "work", "budget=2", "strategy=ngram-cover")
    box.run("project", "next", "work", "-q")
    contains(box.run("project", "status", "work").err, "alcore project export work", "alcore project import work")
    equal(box.run("project", "status", "work", "-q").err, "")
    contains(box.run("project", "init", "work", expect=4).err, "work")


@case
def settings(box):
    make(box)
    equal(box.run("project", "get", "work", "strategy", "budget").out, "ngram-cover\n5\n")
    equal(json.loads(box.run("project", "get", "work", "budget", "labels", "--json").out), {"budget": "5", "labels": None})
    contains(box.run("project", "get", "work").out, "strategy\tngram-cover\n", "budget\t5\n")
    equal(json.loads(box.run("project", "get", "work", "--json").out)["budget"], "5")
    box.run("project", "set", "work", "several=latest", "budget=")
    equal(box.run("project", "get", "work", "several").out, "latest\n")
    equal(box.run("project", "get", "work", "budget").out, "\n")
    contains(box.run("project", "set", "work", "budgte=3", expect=2).err, "budget")
    contains(box.run("project", "set", "work", "several=some", expect=2).err, "several")
    contains(box.run("project", "set", "work", "several", expect=2).err, "NAME=VALUE")
    contains(box.run("project", "set", "work", "=3", expect=2).err, "NAME=VALUE")


@case
def a_project_that_cannot_be_made_leaves_nothing(box):
    for word, says in (("budget=few", "few"), ("budgte=3", "budget"), ("lambda=x", "lambda"), ("budget", "NAME=VALUE")):
        contains(box.run("project", "init", "work", "strategy=huds", word, expect=2).err, says)
        assert not os.path.exists(os.path.join(box.path, "work")), word
    box.run("project", "init", "work", "lambda=0.25", "strategy=huds", "tie=")
    equal(box.run("project", "get", "work").out, "huds.lambda\t0.25\nstrategy\thuds\n")


@case
def usage(box):
    make(box)
    contains(box.run("project", "expotr", "work", expect=2).err, "did you mean 'export'?")
    contains(box.run("project", "next", expect=2).err, "FOLDER")
    contains(box.run("project", "next", "work", "more", expect=2).err, "'more' is one too many")
    contains(box.run("project", "add", "work", expect=2).err, "FOLDER FILE")
    contains(box.run("project", "next", "work", "--tool", "csv", expect=2).err, "project next has no option '--tool'")
    contains(box.run("project", "gc", "work", "--json", expect=2).err, "project gc has no option '--json'")
    contains(box.run("project", "export", "work", "--out", "x.csv", expect=2).err, "--tool NAME")
    contains(box.run("project", "export", "work", "--tool", "csv", expect=2).err, "--out FILE")
    contains(box.run("project", "export", "work", "--tool", "cvs", "--out", "x.csv", expect=2).err, "cvs")
    contains(box.run("project", "export", "work", "--tool", "csv", "--out", "x.csv", expect=3).err, "alcore project next work")
    contains(box.run("project", "report", "work", expect=2).err, "--out FILE.html")
    contains(box.run("project", "report", "work", "--out", "r.pdf", expect=2).err, ".html")
    contains(box.run("project", "metric", "work", "chrf=high", expect=2).err, "chrf=high: a number is needed")
    contains(box.run("project", "metric", "work", "chrf=1", "--round", "7", expect=3).err, "7")
    contains(box.run("project", "add", "work", "pool.txt", "--role", "known", expect=2).err, "candidates|labeled|target|excluded")
    contains(box.run("project", "add", "work", "absent.txt", expect=4).err, "absent.txt")
    box.file("empty.txt", "")
    equal(box.run("project", "add", "work", "empty.txt").err, "empty.txt: 0 candidates\n")
    contains(box.run("project", "next", "work", "--round", "3", expect=2).err, "the next round is 1")


@case
def texts_of_every_role(box):
    make(box)
    box.file("known.tsv", "source\tdone\n%s\tfertig\n" % TEXTS[0])
    box.file("known.txt", TEXTS[1] + "\n")
    box.file("known.de", "auch fertig\n")
    box.file("never.txt", TEXTS[2] + "\n")
    box.run("project", "add", "work", "known.tsv", "--role", "labeled", "--text-column", "source", "--reference-column", "done", "-q")
    box.run("project", "add", "work", "known.txt", "--role", "labeled", "--references", "known.de", "--by", "line", "-q")
    box.run("project", "add", "work", "never.txt", "--role", "excluded", "-q")
    equal(status(box)["labeled"], 2)
    box.run("project", "set", "work", "budget=40")
    box.run("project", "next", "work", "--out", "picks.tsv", "-q")
    picked = {row["text"] for row in rows_of(box.read("picks.tsv").decode())}
    equal(picked & set(TEXTS[:3]), set())
    assert picked & set(TEXTS[3:]), picked
    contains(box.run("project", "add", "work", "known.txt", "--by", "line", expect=2).err, "--by line")
    box.run("project", "add", "work", "never.txt", "--role", "target", "-q")
    contains(box.run("project", "next", "work", expect=2).err, "ngram-cover does not read the target", "`alcore project set work strategy=average-dist`")


@case
def a_file_that_is_added_again(box):
    make(box)
    again = box.run("project", "add", "work", "pool.txt")
    contains(again.err, "pool.txt: nothing is new: each of its 40 rows is there already (candidates)", "pool.txt: 0 candidates\n")
    box.file("pool.txt", "".join(text + "\n" for text in TEXTS) + "one more\nand another\n")
    grown = box.run("project", "add", "work", "pool.txt")
    contains(grown.err, "pool.txt: 40 of its 42 rows are there already", "pool.txt: 2 candidates\n")
    box.file("other.tsv", "id\ttext\nx\tone more\ny\tquite new\n")
    contains(box.run("project", "add", "work", "other.tsv").err, "1 of the 2 rows that are added repeat texts", "other.tsv: 2 candidates\n")
    equal(status(box)["candidates"], 44)
    box.run("project", "set", "work", "budget=1000")
    box.run("project", "next", "work", "--out", "picks.tsv", "-q")
    equal(sorted(row["text"] for row in rows_of(box.read("picks.tsv").decode())), sorted([*TEXTS, "one more", "and another", "quite new"]))
    log = json.loads(box.run("project", "log", "work", "--json").out)
    equal([step["result"].get("known") for step in log if step["what"] == "add"], [None, 40, None])
    box.run("project", "gc", "work", "-q")
    box.run("project", "verify", "work", "-q")


@case
def models(box):
    """The built-in model stands in for none, as in `alcore select`."""
    make(box, "strategy=nnll")
    contains(box.run("project", "next", "work", "--out", "picks.tsv").err, "built-in n-gram model")
    box.run("select", "pool.txt", "--strategy", "nnll", "--budget", "5", "--out", "select.tsv", "-q")
    equal(box.read("picks.tsv"), box.read("select.tsv"))
    box.run("project", "set", "work", "model=absent")
    contains(box.run("project", "next", "work", expect=4).err, "absent")


@case
def a_round_that_is_there_is_not_selected_again(box):
    make(box)
    box.run("project", "next", "work", "--round", "1", "-q")
    contains(box.run("project", "next", "work", "--round", "1").err, "round 1 was selected before")
    equal(status(box)["rounds"], 1)
    box.run("project", "next", "work", "--round", "2", "-q")
    equal(status(box)["rounds"], 2)
    for given, count in ((("--round", "1"), 5), (("--round", "all"), 10), ((), 5)):
        box.run("project", "export", "work", "--tool", "csv", "--out", "out.csv", "-q", *given)
        equal(len(rows(box, "out.csv")), count, given)
    contains(box.run("project", "export", "work", "--tool", "csv", "--out", "out.csv", "--round", "9", expect=3).err, "9")


@case
def values_of_one_round(box):
    """The options of `alcore select` are those of one round, and pick what `alcore select` picks with them."""
    make(box)
    given = ("--strategy", "nnll", "--model", "ngram", "--budget", "12w", "--seed", "3", "--fill", "stop", "--tie", "random", "-p", "candidates=30",
             "--cache", "cache", "--device", "cpu", "--masks", "none", "--max-similarity", "0.9", "--nan", "exclude")
    box.run("project", "next", "work", "--out", "picks.tsv", "-q", *given)
    box.run("select", "pool.txt", "--out", "select.tsv", "-q", *given)
    equal(box.read("picks.tsv"), box.read("select.tsv"))
    step = json.loads(box.run("project", "log", "work", "--json").out)[-1]
    equal(step["arguments"], {"settings": {
        "strategy": "nnll", "model": "ngram", "budget": "12w", "fill": "stop", "masks": "none", "max_similarity": "0.9", "tie": "random",
        "nan": "exclude", "cache": "cache", "seed": "3", "device": "cpu", "candidates": "30"}})
    first = json.loads(box.run("project", "status", "work", "--json").out)["rounds"][0]
    equal((first["strategy"], first["seed"], first["unit"]), ("nnll", "3", "words"))
    equal(box.run("project", "get", "work").out, "budget\t5\nstrategy\tngram-cover\n")
    contains(box.run("project", "next", "work", expect=2).err, "words")
    box.run("project", "next", "work", "--budget", "9w", "-q")
    contains(box.run("project", "next", "work", "--model", "absent", "--budget", "9w", "--strategy", "nnll", expect=4).err, "absent")
    contains(box.run("project", "next", "work", "-p", "several=latest", expect=2).err, "the same for all rounds")
    contains(box.run("project", "next", "work", "-p", "several", expect=2).err, "NAME=VALUE")
    contains(box.run("project", "next", "work", "--budget", "9w", "--budget", "8w", expect=2).err, "--budget")


@case
def a_round_with_values_of_its_own_is_repeated_with_them(box):
    make(box)
    given = ("--round", "1", "--budget", "2", "-p", "draft=")
    box.run("project", "next", "work", "-q", *given)
    contains(box.run("project", "next", "work", *given).err, "round 1 was selected before, and stays as it is")
    for other in ((), ("--budget", "3", "-p", "draft="), ("--budget", "2"), ("--budget", "2", "-p", "draft=none"), ("--budget", "2", "-p", "draft=", "--seed", "1")):
        contains(box.run("project", "next", "work", "--round", "1", *other, expect=2).err,
                 'round 1 was selected before, with {"budget":"2","draft":null}; it is not selected again with other options')
    box.run("project", "next", "work", "--round", "2", "-q")
    contains(box.run("project", "next", "work", "--round", "2", "--budget", "2", expect=2).err, "selected before, by the settings;")
    equal(status(box)["items"], 7)


@case
def answers_without_an_annotator_beside_named_ones(box):
    items = begin(box)
    answer(box, "ann.csv", items[:2])
    answer(box, "who.csv", items[1:3])
    box.run("project", "import", "work", "ann.csv", "--tool", "csv", "--annotator", "ann")
    contains(box.run("project", "import", "work", "who.csv", "--tool", "csv").err, "who.csv has answers without an annotator", "'ann'")


@case
def several_annotators(box):
    items = begin(box)
    answer(box, "ann.csv", items)
    answer(box, "ben.csv", items[:2], prefix="B ")
    answer(box, "carl.csv", items[:1], prefix="B ")
    box.run("project", "import", "work", "ann.csv", "--tool", "csv", "--annotator", "ann", "-q")
    contains(box.run("project", "import", "work", "ben.csv", "--tool", "csv", "--annotator", "ben").err, "items on which annotators differ: 2")
    box.run("project", "import", "work", "carl.csv", "--tool", "csv", "--annotator", "carl", "-q")
    equal(status(box)["disagreeing"], 2)
    found = json.loads(box.run("project", "disagreements", "work", "--json").out)
    equal({one["id"] for one in found}, {row["id"] for row in items[:2]})
    table = box.run("project", "disagreements", "work").out
    equal([(row["id"], row["annotator"], row["value"]) for row in rows_of(table)],
          [(items[0]["id"], "ann", "T " + items[0]["text"]), (items[0]["id"], "ben", "B " + items[0]["text"]),
           (items[0]["id"], "carl", "B " + items[0]["text"]),
           (items[1]["id"], "ann", "T " + items[1]["text"]), (items[1]["id"], "ben", "B " + items[1]["text"])])

    found = box.run("project", "disagreements", "work").err
    contains(found, "agreement: 0 of 2 items; chrF ", " (free texts have no kappa)\n")
    equal(box.run("project", "disagreements", "work", "-q").err, "")
    box.run("project", "set", "work", "task=classes", "labels=a,b")
    overall = json.loads(box.run("project", "status", "work", "--json").out)["overall"]
    contains(box.run("project", "disagreements", "work").err, "agreement: 0 of 2 items; Krippendorff's alpha %.3f\n" % overall["alpha"])
    equal((overall["units"], overall["labels"], overall["kappa"], overall["chrf"]), (2, 5, None, None))
    box.run("project", "set", "work", "task=translation")

    def labeled():
        return {row["reference"] for row in rows_of(box.run("project", "labeled", "work").out)}
    equal(labeled(), {"T " + row["text"] for row in items[2:]})
    box.run("project", "set", "work", "several=majority")
    equal(labeled(), {"T " + row["text"] for row in items[2:]} | {"B " + items[0]["text"]})
    box.run("project", "set", "work", "several=latest")
    equal(labeled(), {"T " + row["text"] for row in items[2:]} | {"B " + row["text"] for row in items[:2]})


@case
def records_that_cannot_be_used_are_named(box):
    items = begin(box)
    answer(box, "answers.csv", items[:1] + [{**items[1], "id": "stranger-%d" % number} for number in range(25)])
    done = box.run("project", "import", "work", "answers.csv", "--tool", "csv", "--annotator", "ann")
    contains(done.err, "answers.csv:3: ", "stranger-0", "25 records cannot be used; the first 20 are listed", "25 unusable")
    equal(done.err.count("warning: answers.csv:"), 20)
    answer(box, "strangers.csv", [{**items[1], "id": "stranger"}])
    contains(box.run("project", "import", "work", "strangers.csv", "--tool", "csv", expect=3).err, "strangers.csv:2", "stranger")
    contains(box.run("project", "import", "work", "absent.csv", "--tool", "csv", expect=4).err, "absent.csv")
    equal(status(box)["answers"], 1)


@case
def commands_train_and_measure(box):
    items = begin(box)
    answer(box, "answers.csv", items)
    box.run("project", "import", "work", "answers.csv", "--tool", "csv", "--annotator", "ann", "-q")
    done = box.run("project", "train", "work", 'cp "$ALCORE_LABELED" seen.tsv; echo "$ALCORE_PROJECT $ALCORE_ROUND" > seen.txt; echo said',
                   "--out", "labeled.tsv")
    equal((done.out, done.err), ("said\n", "the project keeps no model of this training\n"))
    equal(box.read("seen.tsv"), box.read("labeled.tsv"))
    equal(box.read("seen.txt"), b"work 1\n")
    equal(len(box.read("seen.tsv").splitlines()), 6)
    contains(box.run("project", "train", "work", 'test -s "$ALCORE_LABELED"; echo "$ALCORE_LABELED" > place.txt').err, "keeps no model of this training")
    assert not os.path.exists(box.read("place.txt").decode().strip()), "the temporary file is removed"
    contains(box.run("project", "train", "work", "exit 7", expect=3).err, "the command of train ended with status 7")
    done = box.run("project", "status", "work")
    contains(done.err, "next: `alcore project train work` failed; run it again")
    contains(done.out, "failed\ttrain: the command of train ended with status 7\n")
    assert "unfinished" not in done.out, done.out
    last = rows_of(box.run("project", "log", "work").out)[-1]
    equal((last["what"], json.loads(last["result"])),
          ("fail train", {"failed": "ALCORE_E_CALLBACK", "error": "the command of train ended with status 7", "exit": 7}))
    box.run("project", "report", "work", "--out", "failed.html")
    contains(box.read("failed.html").decode(), "<p>The last training failed: the command of train ended with status 7</p>")
    done = box.run("project", "train", "work", 'grep -c . "$ALCORE_LABELED" > "$ALCORE_MODEL"')
    equal(done.err, "work/models/round-1\n")
    assert "failed" not in box.run("project", "status", "work").out
    contains(box.run("project", "eval", "work", 'echo "lines $(cat "$ALCORE_MODEL")"').err, "round 1: lines 6")
    done = box.run("project", "eval", "work", 'echo loading 3 models >&2; printf "# done\\nbleu\\t20.5\\nchrf %s\\n" 4$ALCORE_ROUND.5')
    contains(done.err, "loading 3 models\nround 1: bleu 20.5\nround 1: chrf 41.5\n")
    box.run("project", "eval", "work", "echo chrf 30", "--round", "0", "-q")
    for output, words in (("nothing", "line 1 of the evaluation: 'nothing' is no measure"), ("bleu 1\nchrf nan", "line 2 of the evaluation: chrf: "),
                          ("bleu 1\nloading 3 models", "line 2 of the evaluation: loading: "), ("", "the evaluation has no measure"),
                          ("bleu 1\nbleu 2", "line 2 of the evaluation: 'bleu' is a measure that is there twice")):
        box.file("printed", output)
        contains(box.run("project", "eval", "work", "cat printed", expect=3).err, words)
    contains(box.run("project", "eval", "work", "echo bleu 1; exit 2", expect=3).err, "the command of eval ended with status 2")
    contains(box.run("project", "status", "work").out, "failed\teval: the command of eval ended with status 2\n")
    # What `alcore eval` prints is an evaluation, in both of its forms.
    box.file("hypotheses", "a b c d e\n")
    bleu = "%s eval bleu hypotheses hypotheses --quiet" % ALCORE
    box.run("project", "eval", "work", bleu, "--round", "0")
    shown = json.loads(box.run("project", "status", "work", "--json").out)["metrics"]
    box.run("project", "eval", "work", bleu + " --json", "--round", "0")
    metrics = json.loads(box.run("project", "status", "work", "--json").out)["metrics"]
    equal([(one["name"], one["value"]) for one in metrics[len(shown):]], [(one["name"], one["value"]) for one in shown[4:]])
    equal((shown[4]["name"], round(shown[4]["value"], 9), len(shown) > 6), ("bleu", 100, True))
    metrics = metrics[:4]
    equal([(one["round"], one["name"], one["value"]) for one in metrics], [(1, "lines", 6), (1, "bleu", 20.5), (1, "chrf", 41.5), (0, "chrf", 30)])


@case
def labeled_pairs_are_mixed_in(box):
    items = begin(box)
    answer(box, "answers.csv", items)
    box.run("project", "import", "work", "answers.csv", "--tool", "csv", "--annotator", "ann", "-q")
    box.file("known.tsv", "text\treference\n" + "".join("known %d\tK %d\n" % (row, row) for row in range(40)))
    box.run("project", "add", "work", "known.tsv", "--role", "labeled", "-q")
    box.run("project", "train", "work", "true", "--mix", "random", "--count", "7", "--out", "mixed.tsv")
    found = rows_of(box.read("mixed.tsv").decode())
    equal([row["kind"] for row in found], ["sent"] * 5 + ["random"] * 7)
    equal({row["id"]: row["reference"] for row in found[:5]}, {row["id"]: "T " + row["text"] for row in items})
    assert all(row["reference"] == row["text"].replace("known", "K") for row in found[5:]), found
    equal(len({row["text"] for row in found}), 12)
    step = json.loads(box.run("project", "log", "work", "--json").out)[-1]
    equal((step["what"], step["arguments"]["pairs"]), ("train", 12))
    box.run("project", "train", "work", "true", "--mix", "random+retrieved", "--count", "2", "-p", "unique=1", "--out", "mixed.jsonl")
    found = [json.loads(line) for line in box.read("mixed.jsonl").decode().splitlines()]
    equal([row["kind"] for row in found], ["sent"] * 5 + ["random"] * 2 + ["retrieved"] * 2)
    for words, code, text in ((["--count", "3"], 2, "--count goes with --mix"), (["-p", "k=3"], 2, "--param goes with --mix"),
                              (["--mix", "randm"], 2, 'did you mean "random"'), (["--mix", "random", "-p", "width=1"], 2, "mix has no parameter 'width'"),
                              (["--mix", "switched", "--with-labeled"], 2, "with_labeled brings all pairs"),
                              (["--mix", "random", "--count", "-1"], 2, "--count")):
        contains(box.run("project", "train", "work", "true", *words, expect=code).err, text)


@case
def what_train_and_eval_refuse(box):
    items = begin(box)
    contains(box.run("project", "train", "work", "true", expect=3).err, "no pair is labeled")
    answer(box, "answers.csv", items)
    box.run("project", "import", "work", "answers.csv", "--tool", "csv", "--annotator", "ann", "-q")
    for words, code, text in ((["train"], 2, "needs one COMMAND, or --model DIR"), (["train", "a", "b"], 2, "needs one COMMAND"),
                              (["train", "a", "--to", "de"], 2, "--to goes with --model"),
                              (["train", "--model", "m", "rate=fast"], 3, "project train: rate: a number above 0 is needed"),
                              (["train", "--model", "m", "rat=1"], 3, "did you mean 'rate'"), (["train", "--model", "m", "metric=bleu"], 3, "no such key"),
                              (["train", "--model", "m", "updates=3"], 4, "cannot read 'm'"), (["eval"], 2, "needs one COMMAND, or --test FILE"),
                              (["eval", "echo", "--metrics", "bleu"], 2, "--metrics goes with --test"),
                              (["eval", "x", "--test", "y"], 2, "one too many"),
                              (["eval", "--test", "y"], 3, "train one after round 1"),
                              (["eval", "--test", "y", "--model", "m", "--metrics", "bluu"], 2, "there is no measure 'bluu'"),
                              (["eval", "echo a 1", "--round", "9"], 3, "there is no round 9")):
        contains(box.run("project", words[0], "work", *words[1:], expect=None).err, text)
        equal(box.run("project", words[0], "work", *words[1:], expect=None).returncode, code, words)


@case
def one_training_at_a_time(box):
    """While one runs the project may be changed, and a killed one is told and can be made again."""
    items = begin(box)
    answer(box, "answers.csv", items[:3])
    box.run("project", "import", "work", "answers.csv", "--tool", "csv", "--annotator", "ann", "-q")
    command = 'cat "$ALCORE_LABELED" > "$ALCORE_MODEL"; touch begun; while [ ! -e go ]; do sleep 0.05; done; echo done >> "$ALCORE_MODEL"'
    running = subprocess.Popen([ALCORE, "project", "train", "work", command], cwd=box.path, stderr=subprocess.PIPE)
    wait_for(box, "begun")
    for step in ("train", "eval"):
        contains(box.run("project", step, "work", "echo a 1", expect=3).err, "another training or evaluation runs", "hint: the same command")
    answer(box, "more.csv", items[3:])
    box.run("project", "import", "work", "more.csv", "--tool", "csv", "--annotator", "ann", "-q")
    running.send_signal(signal.SIGKILL)
    running.wait()
    os.unlink(os.path.join(box.path, "begun"))
    contains(box.run("project", "status", "work").out, "unfinished\ttrain\n")
    assert not box.exists("work/models/round-1"), "it is there whole or not at all"
    box.file("go", "")
    box.run("project", "train", "work", command)
    equal(len(box.read("work/models/round-1").splitlines()), 7)  # a header, five pairs, done
    equal(sorted(os.listdir(os.path.join(box.path, "work/models"))), ["round-1"])
    assert "unfinished" not in box.run("project", "status", "work").out
    found = json.loads(box.run("project", "log", "work", "--json").out)
    equal([(one["what"], one["arguments"]["pairs"]) for one in found if "train" in one["what"]], [("begin train", 3), ("begin train", 5), ("train", 5)])
    equal(found[-1]["arguments"]["command"], ["/bin/sh", "-c", command])


@case
def a_training_that_is_interrupted_ends_its_command(box):
    items = begin(box)
    answer(box, "answers.csv", items)
    box.run("project", "import", "work", "answers.csv", "--tool", "csv", "--annotator", "ann", "-q")
    running = subprocess.Popen([ALCORE, "project", "train", "work", "echo $$ > begun.tmp; mv begun.tmp begun; sleep 60"], cwd=box.path, stderr=subprocess.PIPE)
    wait_for(box, "begun")
    running.send_signal(signal.SIGINT)
    equal(running.wait(timeout=20), 130)
    assert not os.path.exists("/proc/%s" % box.read("begun").decode().strip()), "the command goes with it"


@case
def warnings_name_the_file_and_come_once(box):
    box.run("project", "init", "work", "strategy=random", "budget=1")
    box.file("texts.tsv", "id\ttext\n" + "".join("%d\tline %d with a \\\\t in it\n" % (row, row) for row in range(4)))
    said = box.run("project", "add", "work", "texts.tsv").err
    contains(said, "texts.tsv: 4 fields have \\t", "texts.tsv: 4 candidates")
    assert "blobs/" not in said, said
    said = box.run("project", "next", "work").err
    assert "fields have" not in said and "selected 1 item" in said, said


@case
def labels_that_are_none_are_warned_of(box):
    box.file("pool.txt", "".join(text + "\n" for text in TEXTS[:4]))
    box.run("project", "init", "work", "task=classes", "labels=sports, travel", "strategy=random", "budget=4")
    box.run("project", "add", "work", "pool.txt", "-q")
    box.run("project", "next", "work", "-q")
    box.run("project", "export", "work", "--tool", "csv", "--out", "out.csv", "-q")
    ids = [row["id"] for row in rows(box, "out.csv")]
    for labels, expected in ((["sports", "travel|sports", "", "travel"], None), (["Sport", "sports|x|y", "travel", "sports"], "back.csv:2: 'Sport' is none")):
        box.file("back.csv", "id,labels\n" + "".join("%s,%s\n" % pair for pair in zip(ids, labels)))
        said = box.run("project", "import", "work", "back.csv", "--tool", "csv", "--annotator", "ann").err
        assert (expected or "3 answers") in said and ("none of the labels" in said) == (expected is not None), said
    contains(said, "as are labels of 2 answers in all")
    contains(box.run("project", "labeled", "work").out, "\tSport\t")


@case
def open_items_of_earlier_rounds_are_not_forgotten(box):
    items = begin(box)
    box.run("project", "next", "work", "-q")
    box.run("project", "export", "work", "--tool", "csv", "--out", "second.csv", "-q")
    answer(box, "answers.csv", rows(box, "second.csv"))
    box.run("project", "import", "work", "answers.csv", "--tool", "csv", "-q")
    contains(box.run("project", "status", "work").err, "with --round all those of all rounds")
    contains(box.run("project", "export", "work", "--tool", "csv", "--out", "none.csv", expect=3).err,
             "round 2 has no open item", "hint: --round all writes the %d open items" % len(items))
    box.run("project", "export", "work", "--tool", "csv", "--out", "rest.csv", "--round", "all", "-q")
    equal([row["id"] for row in rows(box, "rest.csv")], [row["id"] for row in items])


@case
def the_log_has_every_step(box):
    begin(box)
    found = json.loads(box.run("project", "log", "work", "--json").out)
    table = rows_of(box.run("project", "log", "work").out)
    equal([row["what"] for row in table], ["init", "set", "set", "add", "next", "export"])
    equal([json.loads(row["arguments"]) for row in table], [one["arguments"] for one in found])
    contains(table[3]["arguments"], "pool.txt")
    equal(json.loads(box.run("project", "status", "work", "--json").out)["steps"], found)


@case
def another_process_changes_the_project(box):
    make(box)
    other = sqlite3.connect(os.path.join(box.path, "work", "project.sqlite"), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    contains(box.run("project", "next", "work", expect=3).err, "the same command does it once the other process has ended")
    equal(status(box)["rounds"], 0)
    other.execute("ROLLBACK")
    other.close()
    box.run("project", "next", "work", "-q")


@case
def a_flipped_byte_is_found(box):
    begin(box)
    box.run("project", "verify", "work", "-q")
    folder = os.path.join(box.path, "work")
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            if not os.path.getsize(path):
                continue
            with open(path, "r+b") as file:
                held = file.read()
                for at in (len(held) // 2, len(held) - 1):
                    file.seek(at)
                    file.write(bytes([held[at] ^ 1]))
                    file.flush()
                    box.run("project", "verify", "work", expect=3)
                    file.seek(at)
                    file.write(held[at:at + 1])
                    file.flush()
    box.run("project", "verify", "work", "-q")


main()
