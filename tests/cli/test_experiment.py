# SPDX-License-Identifier: Apache-2.0
"""alcore experiment: what the folder gets, configurations that are refused, several processes, processes that are killed."""
import copy
import hashlib
import json
import math
import os
import random
import signal
import statistics
import subprocess
import time

from harness import ALCORE, case, kept_documents, contains, equal, main, rows_of
from experiment_configs import BAD, BAD_BEYOND_THE_SCHEMA, CONFIG, WORDS

# Names of what differs between two runs that did the same.
VOLATILE = ("events.jsonl", ".log")


def sentences(seed, count):
    """A table of pairs; the reference of a sentence is its words backwards."""
    draw = random.Random(seed)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(3, 9))) for _ in range(count)]
    return "id\tsource\treference\n" + "".join(
        "%d-%d\t%s\t%s\n" % (seed, i, text, " ".join(reversed(text.split()))) for i, text in enumerate(texts))


def world(box, **changes):
    """Files of an experiment, and its configuration with other members; None takes one away."""
    for name, seed, count in (("pool.tsv", 1, 60), ("labeled.tsv", 2, 20), ("all.tsv", 3, 30)):
        box.file(name, sentences(seed, count))
    return write(box, "c.json", **changes)


def write(box, path, **changes):
    config = copy.deepcopy({**CONFIG, **changes})
    box.file(path, json.dumps({key: value for key, value in config.items() if value is not None}))
    return path


def bytes_of(box, folder):
    """The digests of all files of an experiment but those that tell of time."""
    found = {}
    root = os.path.join(box.path, folder)
    for path, _, names in os.walk(root):
        for name in names:
            if not name.endswith(VOLATILE):
                with open(os.path.join(path, name), "rb") as file:
                    found[os.path.relpath(os.path.join(path, name), root)] = hashlib.sha256(file.read()).hexdigest()
    return found


def keep_records(box, folder):
    """Hands the documents of a folder to the test that compares documents with their schemas."""
    for path, _, names in os.walk(os.path.join(box.path, folder)):
        for name in names:
            if name.endswith(".json"):
                with open(os.path.join(path, name), encoding="utf-8") as file:
                    kept_documents.keep(file.read())


def same(box, folder, other):
    """Two folders have the same files with the same bytes."""
    one, two = bytes_of(box, folder), bytes_of(box, other)
    equal(sorted(name for name in {*one, *two} if one.get(name) != two.get(name)), [], "files of %s and %s that differ" % (folder, other))


def events_of(box, folder):
    return [json.loads(line) for line in box.read(folder + "/events.jsonl").decode().splitlines()]


# ---- what the folder gets ----

@case
def rounds_are_selected_answered_trained_and_measured(box):
    world(box)
    done = box.run("experiment", "c.json", "out")
    equal(done.err, "6 runs; rounds made by this call: 18; out/report.html\n", "the summary")
    rows = rows_of(box.read("out/metrics.tsv").decode())
    equal(list(rows[0]), ["domain", "budget", "strategy", "seed", "round", "items", "words", "cost", "coverage", "perplexity"])
    equal([row["round"] for row in rows], ["0", "1", "2", "3"] * 6)
    equal({row["items"] for row in rows if row["round"] == "3"}, {"12"})
    folder = "out/runs/pets/4/seed-2/"
    picked = rows_of(box.read(folder + "long/round-02/selection.tsv").decode())
    equal(len(picked), 4)
    first = rows_of(box.read(folder + "shared/round-01/selection.tsv").decode())
    assert not {row["id"] for row in picked} & {row["id"] for row in first}, "what was bought is bought again"
    train = rows_of(box.read(folder + "long/round-02/train.tsv").decode())
    equal(len(train), 8)
    for row in train:
        equal(row["tgt"].split(), row["src"].split()[::-1], "a reference")
    # A seed is that of the single command.
    drawn = {seed: box.read("out/runs/pets/4/seed-%d/shared/round-01/selection.tsv" % seed) for seed in (1, 2, 3)}
    assert len(set(drawn.values())) == 3, "every seed draws the same"
    box.run("select", "pool.tsv", "--labeled", "labeled.tsv", "--strategy", "random", "-p", "seed_set=1", "--budget", "4", "--seed", "2",
            "--out", "drawn.tsv", "-q")
    equal(box.read("drawn.tsv"), drawn[2])
    # The measures are those of the single commands.
    last = next(row for row in rows if (row["strategy"], row["seed"], row["round"]) == ("long", "2", "2"))
    box.file("test.tsv", "".join(line + "\n" for line in box.read("all.tsv").decode().split("\n")[:1]
                                 + box.read("all.tsv").decode().split("\n")[3:23]))
    overlap = box.run("eval", "overlap", "test.tsv", "--selected", folder + "long/round-02/train.tsv", "-n", "1").out
    equal(float(last["coverage"]), float(dict(line.split("\t")[:2] for line in overlap.splitlines())["selected_1"]))
    scores = box.run("lm", "score", "test.tsv", "--lm", folder + "long/round-02/model.arpa").out.splitlines()
    words = sum(len(line.split("\t")[1].split()) + 1 for line in box.read("test.tsv").decode().splitlines()[1:])
    assert math.isclose(float(last["perplexity"]), math.exp(-sum(float(number) for line in scores for number in line.split("\t")[1].split()) / words), rel_tol=1e-6), (last, scores)


@case
def the_table_has_the_statistics_of_the_single_commands(box):
    world(box, strategies=["random", "nnll"], seeds=[5, 6, 7, 8])
    box.run("experiment", "c.json", "out")
    rows = rows_of(box.read("out/metrics.tsv").decode())
    values = {name: [float(row["perplexity"]) for row in rows if row["strategy"] == name and row["round"] == "3"] for name in ("random", "nnll")}
    table = rows_of(box.read("out/table.tsv").decode())
    base, line = (next(row for row in table if (row["strategy"], row["measure"], row["round"]) == (name, "perplexity", "3"))
                  for name in ("random", "nnll"))
    equal((base["n"], base["pairs"], base["difference"], base["wilcoxon_p"], base["bootstrap_p"]), ("4", "0", "", "", ""), "the baseline")
    assert math.isclose(float(line["mean"]), statistics.mean(values["nnll"]))
    assert math.isclose(float(line["sd"]), statistics.stdev(values["nnll"]))
    assert math.isclose(float(line["se"]), statistics.stdev(values["nnll"]) / 2)
    assert math.isclose(float(line["difference"]), statistics.mean(values["nnll"]) - statistics.mean(values["random"]))
    for name, numbers in values.items():
        box.file(name + ".txt", "".join("%r\n" % number for number in numbers))
    test = dict(part.split("\t") for part in box.run("eval", "wilcoxon", "nnll.txt", "random.txt").out.splitlines())
    equal((line["pairs"], float(line["wilcoxon_p"])), ("4", float(test["p"])))
    assert 1 / 1001 <= float(line["bootstrap_p"]) <= 1, line


@case
def plots_read_what_is_written(box):
    world(box)
    box.run("experiment", "c.json", "out")
    box.run("plot", "curves", "out/metrics.tsv", "--x", "words", "--y", "perplexity", "--out", "curves.tsv")
    curves = rows_of(box.read("curves.tsv").decode())
    table = rows_of(box.read("out/table.tsv").decode())
    for point in curves:
        cell = next(row for row in table if (row["strategy"], row["round"], row["measure"]) == (point["series"], point["round"], "perplexity"))
        equal((float(point["mean"]), float(point["se"]), point["n"]), (float(cell["mean"]), float(cell["se"]), cell["n"]), str(point))
    equal(len(curves), 8)
    equal(box.read("out/results/pets.4.tsv"), box.read("out/metrics.tsv"), "one domain and budget is all there is")
    page = box.read("out/report.html").decode()
    contains(page, "<h1>cats &amp; dogs</h1>", "<svg", "perplexity", "difference from random")
    assert box.read("out/results/pets.4.perplexity.svg").decode().split("<svg", 1)[1] in page, "the page has the picture"
    for forbidden in ("http://", "https://", "<script", "src="):
        assert forbidden not in page.replace("http://www.w3.org/2000/svg", ""), forbidden


@case
def domains_and_budgets_have_tables_of_their_own(box):
    two = [dict(CONFIG["domains"][0], name=name) for name in ("pets", "farm")]
    world(box, domains=two, budgets=["9w", 2], seeds=[1], rounds=1, models=None)
    box.run("experiment", "c.json", "out")
    equal(sorted(name for name in os.listdir(box.path + "/out/results") if name.endswith(".tsv")),
          ["farm.2.tsv", "farm.9w.tsv", "pets.2.tsv", "pets.9w.tsv"])
    rows = rows_of(box.read("out/results/farm.9w.tsv").decode())
    equal({(row["domain"], row["budget"]) for row in rows}, {("farm", "9w")})
    assert all(float(row["words"]) <= 18 for row in rows), rows
    equal(len(rows_of(box.read("out/metrics.tsv").decode())), 2 * 2 * 2 * 2)


@case
def an_experiment_ends_where_nothing_is_left(box):
    world(box, budgets=[25], rounds=9, seeds=[1])
    box.run("experiment", "c.json", "out")
    rows = [row for row in rows_of(box.read("out/metrics.tsv").decode()) if row["strategy"] == "long"]
    equal([row["items"] for row in rows], ["0", "25", "50", "60"])
    record = json.loads(box.read("out/runs/pets/25/seed-1/long/round-04/record.json"))
    equal((record["ended"], record["version"], record["measures"]),
          ("no row is left that can be selected", box.run("--version").out.split()[1], {}))
    keep_records(box, "out")
    before = bytes_of(box, "out")
    equal(box.run("experiment", "c.json", "out", "--json").out.count('"rounds": 0'), 1)
    equal(bytes_of(box, "out"), before, "done again")


@case
def what_has_no_answer_is_not_bought_again(box):
    """It is not among the labeled texts, and its cost is refunded."""
    world(box, strategies=["random"], seeds=[1], budgets=[1], rounds=6, zero=None, first=None, models=None)
    box.file("pool.tsv", "id\ttext\treference\n" + "".join("%d\t%s\t%s\n" % (i, WORDS[i], "x" if i % 2 else "") for i in range(6)))
    box.run("experiment", "c.json", "out")
    bought = [rows_of(box.read("out/runs/pets/1/seed-1/random/round-%02d/selection.tsv" % number).decode())[0]["id"] for number in range(1, 7)]
    equal(sorted(bought), list("012345"))
    last = rows_of(box.read("out/metrics.tsv").decode())[-1]
    equal((last["items"], last["cost"]), ("3", "3"))


@case
def events_tell_every_measure(box):
    world(box)
    printed = box.run("experiment", "c.json", "out", "--events", "--quiet").out
    events = events_of(box, "out")
    equal([json.loads(line) for line in printed.splitlines()], events, "--events prints what the file has")
    equal(set(events[0]), {"time", "run", "round", "step", "name", "value"})
    assert all(abs(event["time"] - time.time()) < 600 for event in events)
    told = {(event["run"], event["round"], event["name"]): event["value"] for event in events if event["step"] == "evaluate"}
    for row in rows_of(box.read("out/metrics.tsv").decode()):
        strategy = row["strategy"] if int(row["round"]) > 1 else "shared"
        for name in ("items", "words", "coverage", "perplexity"):
            equal(told["pets/4/seed-%s/%s" % (row["seed"], strategy), int(row["round"]), name], float(row[name]))
    equal([event["step"] for event in events if event["run"] == "pets/4/seed-1/long" and event["round"] == 2],
          ["select", "answer", "mix", "train"] + ["evaluate"] * 5)


@case
def phrases_labels_and_targets(box):
    """Phrases are bought and translated, a mix makes pairs, labels answer as references do, and only strategies that read one get the
    target."""
    box.file("labels.tsv", "id\ttext\tlabel\n" + "".join("%d\t%s\t%s\n" % (i, " ".join(WORDS[i:i + 4]), "pn"[i % 2]) for i in range(16)))
    box.file("target.txt", "red dog\nblue cat\n")
    sentences_ = dict(CONFIG["domains"][0], links=None)
    del sentences_["links"]
    labels = {"name": "labels", "pool": {"path": "labels.tsv", "reference_column": "label"}, "target": "target.txt",
              "test": {"path": "labels.tsv", "reference_column": "label", "records": [1, 4]}}
    world(box, domains=[sentences_], strategies=[{"name": "hybrid", "strategy": "hybrid", "parameters": {"sentences": "random", "phrases": "ngf"}}],
          budgets=["20w"], seeds=[1], rounds=2, models=None, zero=None, first=None, mix={"kind": "retrieved", "count": 3})
    box.run("experiment", "c.json", "out")
    kinds = [row["kind"] for row in rows_of(box.read("out/runs/pets/20w/seed-1/hybrid/round-02/train.tsv").decode())]
    equal(kinds.count("retrieved"), 3)
    assert kinds.count("phrase") > 1 and kinds.count("sent") > 1, kinds
    write(box, "d.json", domains=[labels], strategies=["random", "average-dist"], seeds=[1], rounds=2, models=None, zero=None, first=None)
    box.run("experiment", "d.json", "labels")
    train = rows_of(box.read("labels/runs/labels/4/seed-1/average-dist/round-02/train.tsv").decode())
    equal(len(train), 8)
    equal({row["tgt"] for row in train} - {"p", "n"}, set())


# ---- commands ----

TRAINER = r"""#!/bin/sh
# A model is a folder with a table of word counts of all texts.
set -eu
mkdir -p "$3"
cat "$1" "$2" | cut -f 2 | tr ' ' '\n' | sort | uniq -c >"$3/counts"
echo "trained with seed $4 in round $5, after $(echo "${6:-nothing}" | sed 's|.*/seed|seed|')" >"$3/notes"
echo working >&2
"""
EVALUATE = "grep -c . {model}/counts | awk '{{print \"types\\t\" $1}'; echo; printf 'half\\t%s\\n' 0.5"


def by_command(box, **changes):
    box.file("train.sh", TRAINER)
    return world(box, **{**dict(
        models=None, train={"command": ["/bin/sh", "train.sh", "{labeled}", "{train}", "{model}", "{seed}", "{round}", "{previous}"]},
        evaluate={"command": EVALUATE}), **changes})


@case
def commands_train_and_measure(box):
    by_command(box)
    box.run("experiment", "c.json", "out")
    folder = "out/runs/pets/4/seed-3/random/round-02"
    contains(box.read(folder + "/model/notes").decode(), "seed 3 in round 2, after seed-3/shared/round-01/model\n")
    contains(box.read("out/runs/pets/4/seed-3/shared/round-00/model/notes").decode(), "round 0, after nothing")
    equal(box.read(folder + "/train.log"), b"working\n")
    rows = rows_of(box.read("out/metrics.tsv").decode())
    row = next(row for row in rows if (row["strategy"], row["seed"], row["round"]) == ("random", "3", "2"))
    equal((int(row["types"]), row["half"]), (box.read(folder + "/model/counts").decode().count("\n"), "0.5"))
    assert not [name for _, _, names in os.walk(box.path + "/out") for name in names if "part-" in name]


@case
def paths_reach_the_shell_whole(box):
    by_command(box, seeds=[1], rounds=1, zero=None, evaluate={"command": "cat {model}/notes >&2; grep -c . {train} | sed 's/^/lines\t/'"})
    box.run("experiment", "c.json", "it's an $(out)")
    equal({row["lines"] for row in rows_of(box.read("it's an $(out)/metrics.tsv").decode())}, {"5"})


@case
def an_evaluation_may_write_json_to_a_file(box):
    by_command(box, evaluate={"command": ["/bin/sh", "-c", "printf '{\"accuracy\": 0.25, \"loss\": 1e-3}' >\"$0\"; echo ignored", "{out}"]}, seeds=[1])
    box.run("experiment", "c.json", "out")
    rows = rows_of(box.read("out/metrics.tsv").decode())
    equal({(row["accuracy"], row["loss"]) for row in rows}, {("0.25", "0.001")})


@case
def a_space_stands_before_a_measure_as_a_tab_does(box):
    by_command(box, evaluate={"command": "echo 'chrf  41.5'; printf 'bleu\\t3\\n'"}, seeds=[1])
    box.run("experiment", "c.json", "out")
    equal({(row["chrf"], row["bleu"]) for row in rows_of(box.read("out/metrics.tsv").decode())}, {("41.5", "3")})


@case
def what_commands_do_wrong_is_named(box):
    for number, (evaluation, words) in enumerate((
            ("echo almost; echo 'no such data' >&2; exit 3", "round 0: the command of \"evaluate\" ended with status 3: no such data"),
            ("exit 4", "pets/4/seed-1/shared: round 0: the command of \"evaluate\" ended with status 4\n"),
            ("echo bleu", "round 0: line 1 of the evaluation: 'bleu' is no measure: a line has a name, blanks or a TAB, and a number"),
            ("echo the bleu 3", "line 1 of the evaluation: the: a finite number is needed, got 'bleu 3'"),
            ("true", "round 0: the evaluation has no measure"),
            ("printf 'a\\tinf\\n'", "line 1 of the evaluation: a: a finite number is needed, got 'inf'"),
            ("printf 'a\\t1\\nb\\tnan\\n'", "line 2 of the evaluation: b: a finite number is needed, got 'nan'"),
            ("printf 'a\\t0,5\\n'", "got '0,5'; the decimal point is a point"),
            ("printf 'words\\t1\\n'", "the evaluation has a measure 'words', which the tables have a column of"),
            ("printf 'a\\t1\\na\\t2\\n'", "line 2 of the evaluation: 'a' is a measure that is there twice"),
            ("printf '../a\\t1\\n'", "'../a' is no name of a measure"),
            ("printf '{\"a\": \"b\"}'", "the evaluation's JSON: 'a': a number is needed"),
            ("printf '{\"a\": 1'", "the evaluation's JSON, byte 8"))):
        by_command(box, evaluate={"command": evaluation})
        contains(box.run("experiment", "c.json", "out%d" % number, expect=None).err, "pets/4/seed-1/shared", words)
    by_command(box, train={"command": "true {model}"})
    contains(box.run("experiment", "c.json", "none", expect=None).err, "the command of \"train\" made no {model}")
    by_command(box, train={"command": ["./missing", "{model}"]})
    contains(box.run("experiment", "c.json", "nowhere", expect=None).err, "ended with status 127", "missing")


@case
def other_runs_go_on_after_a_failure(box):
    by_command(box, evaluate={"command": "[ {seed} -ne 2 ] || { echo two >&2; exit 1; }; printf 'one\\t1\\n'"})
    failed = box.run("experiment", "c.json", "out", "--keep-going", expect=None)
    assert failed.returncode not in (0, 1), failed.returncode
    contains(failed.err, "pets/4/seed-2/shared", "two")
    rows = rows_of(box.read("out/metrics.tsv").decode())
    equal({row["seed"] for row in rows}, {"1", "3"})
    equal(len(rows), 2 * 2 * 4)
    stopped = box.run("experiment", "c.json", "stopped", expect=None)
    equal(stopped.returncode, failed.returncode)
    assert not os.path.exists(box.path + "/stopped/runs/pets/4/seed-3"), "without --keep-going the first failure ends all"


@case
def strategies_are_compared_over_the_seeds_that_both_have(box):
    """The baseline lacks the second of three seeds."""
    by_command(box, zero=None, first=None, rounds=1, strategies=["random", {"name": "long", "strategy": "random"}], evaluate={
        "command": "case {strategy}-{seed} in random-2) exit 1;; random-*) printf 'one\\t{seed}\\n';; *) printf 'one\\t{seed}0\\n';; esac"})
    box.run("experiment", "c.json", "out", "--keep-going", expect=None)
    rows = {row["strategy"]: row for row in rows_of(box.read("out/table.tsv").decode()) if row["measure"] == "one"}
    equal([(rows[name]["n"], float(rows[name]["mean"])) for name in ("random", "long")], [("2", 2), ("3", 20)])
    equal((rows["long"]["pairs"], float(rows["long"]["difference"])), ("2", 18))


@case
def a_trained_folder_is_the_model_of_the_next_selection(box):
    """A command may train a folder of ready columns for the pool."""
    box.npy("up/scores.npy" if os.makedirs(box.path + "/up") else "up/scores.npy", [float(i) for i in range(60)], "<f8")
    by_command(box, train={"command": "mkdir {model} && cp up/scores.npy {model}/scores.npy", "base": "up"}, models={"scores": "trained"},
               strategies=["nnll"], zero=None, first=None, seeds=[1], evaluate=None)
    box.run("experiment", "c.json", "out")
    picked = rows_of(box.read("out/runs/pets/4/seed-1/nnll/round-03/selection.tsv").decode())
    equal([int(row["index"]) for row in picked], [51, 50, 49, 48])


def by_engine(box, **changes):
    """With the null module (tests/unit/model/module/null_model.c), of which an update reads one example."""
    box.file("labels.tsv", "id\ttext\tlabel\n" + "".join("%d\t%s\t%d\n" % (i, " ".join(WORDS[i:i + 4]), i % 2) for i in range(16)))
    os.makedirs(os.path.join(box.path, "null"), exist_ok=True)
    box.file("null/config.json", '{"dims": 3}')
    data = {"path": "labels.tsv", "reference_column": "label"}
    return world(box, domains=[{"name": "labels", "pool": data, "labeled": dict(data, records=[15, 16]), "test": dict(data, records=[1, 4])}],
                 **{**dict(strategies=["uncertainty"], seeds=[1], budgets=[2], rounds=2, models={"*": "trained"}, first=None,
                           train={"model": "null"}), **changes})


@case
def the_engine_trains_and_its_model_selects(box):
    engine = {"ALCORE_MODULE_DIR": os.environ["NULL_MODEL_MODULE"]}
    by_engine(box)
    box.run("experiment", "c.json", "out", env=engine)
    rows = rows_of(box.read("out/metrics.tsv").decode())
    equal([(row["round"], row["items"]) for row in rows], [("0", "0"), ("1", "2"), ("2", "4")])
    assert all(float(row["loss"]) >= 0 for row in rows), rows
    run = "out/runs/labels/2/seed-1/"
    for place in ("shared/round-00", "uncertainty/round-01", "uncertainty/round-02"):
        equal(float(box.read(run + place + "/validation.txt")), float(rows[int(place[-1])]["loss"]))
    # The same by single commands: the model of round 0 is trained on what was bought in round 1.
    box.file("train.json", json.dumps({
        "model": run + "shared/round-00/model", "train": [{"mix": run + "uncertainty/round-01/train.tsv"}], "out": "again", "seed": 1}))
    box.run("model", "train", "train.json", env=engine)
    for name in os.listdir(box.path + "/again"):
        equal(box.read(run + "uncertainty/round-01/model/" + name), box.read("again/" + name), name)
    # Another start and what it learns from make another model.
    for number, more in enumerate(({"previous": True}, {"with_labeled": True})):
        by_engine(box, train={"model": "null", **more})
        box.run("experiment", "c.json", "other%d" % number, env=engine)
        assert box.read(run + "uncertainty/round-02/model/config.json") != box.read(
            run.replace("out", "other%d" % number) + "uncertainty/round-02/model/config.json"), more


# ---- configurations that are refused ----

@case
def bad_configurations_name_line_and_member(box):
    world(box)
    for changes, words in BAD + BAD_BEYOND_THE_SCHEMA:
        write(box, "c.conf", **changes)
        err = box.run("experiment", "c.conf", "out-%d" % len(words), expect=None).err
        contains(err, words)
        subprocess.run(["rm", "-rf", os.path.join(box.path, "out-%d" % len(words))], check=True)


@case
def broken_files_name_the_line(box):
    for data, words in ((b"", "c.conf:1: "), (b"{", "c.conf:1: "), (b'{"schema":\n1,\n}', "c.conf:3: "), (b'{"a":1}\n{', "c.conf:2: "),
                        (b'{"a": 1, "a": 2}', "c.conf:1: 'a' stands twice in one object"), (b'{"a": "\xff"}', "c.conf: byte 8 is not UTF-8"),
                        (b"[" * 100000, "c.conf:1: "), (b'{"seeds":\n\n[1', "c.conf:3: "), (b"[]", "c.conf:1: the file: an object is needed"),
                        (b'{"schema": 1e999}', "c.conf:1: schema: a string that is not empty is needed"),
                        (b" " * (17 << 20), "c.conf: more than 16777216 bytes")):
        box.file("c.conf", data)
        contains(box.run("experiment", "c.conf", "out", expect=None).err, words)
        assert not box.exists("out"), "nothing was begun"


# ---- going on ----

@case
def a_changed_configuration_is_refused_by_name(box):
    world(box)
    box.run("experiment", "c.json", "out")
    before = bytes_of(box, "out")
    domain = CONFIG["domains"][0]
    long = CONFIG["strategies"][1]
    for changes, words in (
            ({"rounds": 2}, "rounds were more"),
            ({"seeds": [1, 2]}, "seeds[3] is gone"),
            ({"strategies": ["random"]}, "strategies[long]"),
            ({"strategies": ["random", dict(long, parameters={"sticky": False, "candidates": 30})]},
             "strategies[long].parameters.sticky was 'true' and is 'false'"),
            ({"strategies": ["random", dict(long, options={"masks": "none"})]}, "strategies[long].options.masks was not there"),
            ({"first": "random"}, "first.parameters.seed_set is gone"),
            ({"zero": False}, "zero was 'true' and is 'false'"),
            ({"options": {"masks": "none"}}, "options.masks was not there"),
            ({"train": {"ngram": {"order": 3}}}, "train.ngram.order was '2' and is '3'"),
            ({"domains": [dict(domain, labeled="pool.tsv")]}, "domains[pets].labeled.content was "),
            ({"budgets": [5]}, "budgets[4] is gone")):
        write(box, "changed.json", **changes)
        contains(box.run("experiment", "changed.json", "out", expect=None).err, "out was begun with another configuration: ", words)
        equal(bytes_of(box, "out"), before, str(changes))
    box.file("pool.tsv", sentences(9, 60))
    contains(box.run("experiment", "c.json", "out", expect=None).err, "domains[pets].pool.content was ")


@case
def the_same_files_may_lie_elsewhere(box):
    world(box)
    box.run("experiment", "c.json", "out")
    domain = CONFIG["domains"][0]
    os.mkdir(box.path + "/data")
    os.rename(box.path + "/labeled.tsv", box.path + "/data/labeled.tsv")
    for labeled in ("data/labeled.tsv", {"path": "./data/labeled.tsv"}):
        write(box, "moved.json", domains=[dict(domain, labeled=labeled)])
        contains(box.run("experiment", "moved.json", "out").err, "rounds made by this call: 0;")


@case
def strategies_seeds_and_rounds_may_be_added(box):
    world(box, rounds=2, seeds=[2], strategies=["random"])
    box.run("experiment", "c.json", "grown")
    before = {name: digest for name, digest in bytes_of(box, "grown").items() if name.startswith("runs/")}
    write(box, "c.json", name="more", baseline="long")
    box.run("experiment", "c.json", "grown")
    after = bytes_of(box, "grown")
    equal([name for name in before if after[name] != before[name]], [], "what was done stays")
    box.run("experiment", "c.json", "whole")
    same(box, "grown", "whole")


@case
def threads_change_nothing(box):
    world(box)
    box.run("experiment", "c.json", "one", "--threads", "1")
    box.run("experiment", "c.json", "four", "--threads", "4")
    same(box, "one", "four")


def start(box, *args):
    return subprocess.Popen([ALCORE, "experiment", *args], cwd=box.path, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@case
def several_processes_share_the_runs(box):
    by_command(box, evaluate={"command": "sleep 0.02; " + EVALUATE})
    box.run("experiment", "c.json", "alone")
    crowd = [start(box, "c.json", "out", "--json", "--quiet") for _ in range(4)]
    made = []
    for process in crowd:
        out, err = process.communicate(timeout=100)
        equal((process.returncode, err), (0, b""))
        made.append(json.loads(out)["rounds"])
    equal(sum(made), 18, "each round is made once: %s" % made)
    assert sum(one > 0 for one in made) > 1, "several processes worked: %s" % made
    same(box, "out", "alone")


@case
def a_process_that_died_does_not_block(box):
    by_command(box, evaluate={"command": "sleep 0.05; " + EVALUATE})
    box.run("experiment", "c.json", "alone")
    first = start(box, "c.json", "out", "--events")
    for _ in range(3):
        first.stdout.readline()
    second = start(box, "c.json", "out", "--quiet")
    for _ in range(20):
        first.stdout.readline()
    first.kill()
    first.communicate()
    err = second.communicate(timeout=100)[1]
    equal((second.returncode, err), (0, b""))
    same(box, "out", "alone")


@case
def models_that_are_not_whole_are_removed_from_each_round(box):
    by_command(box)
    box.run("experiment", "c.json", "out")
    run = box.path + "/out/runs/pets/4/seed-3/random/"
    parts = [run + "round-%02d/model.part-%d" % (number, number) for number in (2, 3)]
    for part in parts:
        os.makedirs(part + "/inner")
        open(part + "/inner/weights", "w").close()
    box.run("experiment", "c.json", "out")
    equal([part for part in parts if os.path.exists(part)], [])


@case
def ctrl_c_ends_it_and_it_goes_on(box):
    by_command(box, evaluate={"command": "sleep 0.05; " + EVALUATE})
    box.run("experiment", "c.json", "alone")
    process = start(box, "c.json", "out", "--events")
    for _ in range(12):
        process.stdout.readline()
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    equal(process.returncode, 130)
    box.run("experiment", "c.json", "out")
    same(box, "out", "alone")


@case
def a_torn_event_is_ended_before_the_next(box):
    world(box, seeds=[1])
    box.run("experiment", "c.json", "out")
    with open(box.path + "/out/events.jsonl", "ab") as file:
        file.write(b'{"time":17')
    write(box, "c.json", seeds=[1, 2])
    box.run("experiment", "c.json", "out")
    lines = box.read("out/events.jsonl").decode().split("\n")
    broken = lines.index('{"time":17')
    for line in lines[:broken] + lines[broken + 1:-1]:
        json.loads(line)


@case
def a_damaged_record_is_named(box):
    world(box, seeds=[1])
    box.run("experiment", "c.json", "out")
    path = "out/runs/pets/4/seed-1/long/round-02/record.json"
    whole = box.read(path).decode()
    box.file(path, whole[:40])
    contains(box.run("experiment", "c.json", "out", expect=None).err, "round-02/record.json:1: ")
    record = json.loads(whole)
    record["settings"] = "0" * 32
    box.file(path, json.dumps(record))
    contains(box.run("experiment", "c.json", "out", expect=None).err, "round-02/record.json: the record of a run with other settings")
    box.file("out/experiment.json", "{}")
    contains(box.run("experiment", "c.json", "out", expect=None).err, "experiment.json: this is no 'alcore-experiment-record-1'")


if __name__ == "__main__":
    raise SystemExit(main())
