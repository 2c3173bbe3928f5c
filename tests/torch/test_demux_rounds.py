#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/demux.sh with a small BERT: three rounds of DeMuX, each by the model that was fine-tuned in the round before, the same files after
any number of kills, the model that a training starts from, and its settings. In TAP.

  test_demux_rounds.py ALCORE ROOT"""
import json
import os
import random
import shutil
import string
import subprocess
import sys
import tempfile

alcore, root = sys.argv[1:]
sys.path.insert(0, os.path.join(root, "tests", "examples"))
from scripts import Report, Script, difference, table, tree  # noqa: E402

# The vocabulary has the 60 tokens that the model of the fixtures was made for.
TOKENS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + list(string.ascii_lowercase) + ["##" + letter for letter in string.ascii_lowercase] + list("0123")
SOURCE, TARGET = ("abcdef", ("ab", "cd", "ef")), ("uvwxyz", ("uv", "wx", "yz"))
ROUNDS, ITEMS = 3, 20


def texts(draw, count, language):
    """Texts whose class, 0 to 2, shows in most of their words: (text, class)."""
    words, of_class = language
    made = []
    for _ in range(count):
        label = draw.randrange(3)
        made.append((" ".join(draw.choice(of_class[label] if draw.random() < 0.8 else words) for _ in range(draw.randint(3, 7))), label))
    return made


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def write_table(path, rows):
    write(path, "text\treference\n" + "".join("%s\t%d\n" % row for row in rows))


def begin(folder):
    """The data and the model; the settings of the script."""
    draw, path = random.Random(3), lambda name: os.path.join(folder, name)
    os.mkdir(path("base"))
    for name in ("config.json", "model.safetensors"):
        shutil.copy(os.path.join(root, "tests", "torch", "fixtures", "bert-class", name), path("base"))
    write(path("base/vocab.txt"), "".join(token + "\n" for token in TOKENS))
    write_table(path("source.tsv"), texts(draw, 60, SOURCE))
    write_table(path("pool.tsv"), texts(draw, 150, TARGET) + texts(draw, 50, SOURCE))
    write_table(path("test.tsv"), texts(draw, 90, TARGET))
    write(path("target.txt"), "".join(text + "\n" for text, _ in texts(draw, 30, TARGET)))
    return {"MODEL": path("base"), "SOURCE": path("source.tsv"), "POOL": path("pool.tsv"), "TARGET": path("target.txt"),
            "TEST": path("test.tsv"), "ROUNDS": str(ROUNDS), "ITEMS": str(ITEMS), "SEED": "22",
            "TRAINING": '"rate": 0.01, "updates": 40, "batch_tokens": 200, "clip": 1, "checkpoint_every": 9'}


def rounds_of(files):
    """The files of rounds 0 to 2 but those by which a training goes on."""
    return {name: data for name, data in files.items()
            if name.startswith(("round-00", "round-01", "round-02")) and "/checkpoints/" not in name}


report = Report(14)
with tempfile.TemporaryDirectory() as folder:
    script = Script(root, alcore, "demux.sh", **begin(folder))
    whole, killed = os.path.join(folder, "whole"), os.path.join(folder, "killed")
    done = script.run(whole, timeout=150)
    report.check("three rounds run", done.returncode == 0, done.stdout + done.stderr)
    metrics = table(os.path.join(whole, "metrics.tsv"))
    accuracy = [float(line["accuracy"]) for line in metrics]
    report.check("model 0 and each round are measured, by what was bought until then",
                 [int(line["items"]) for line in metrics] == [ITEMS * number for number in range(ROUNDS + 1)],
                 metrics)
    report.check("labels of the target make the model better at it", accuracy[ROUNDS] > accuracy[0] + 0.2, accuracy)
    rounds = [table(os.path.join(whole, "round-%02d" % number, "selection.tsv")) for number in range(1, ROUNDS + 1)]
    ids = [pick["id"] for picks in rounds for pick in picks]
    report.check("each round buys its items, and none twice", len(set(ids)) == len(ids) == ROUNDS * ITEMS, ids)

    def third(model):
        """The third selection again, by the model of a round."""
        command = [alcore, "select", os.path.join(folder, "pool.tsv"), "--target", os.path.join(folder, "target.txt"), "--model",
                   model + "/model", "--exclude", "round-01/selection.tsv", "--exclude", "round-02/selection.tsv", "--strategy",
                   "knn-uncertainty", "--budget", str(ITEMS), "--round", "3", "--seed", "22", "--quiet"]
        return subprocess.run(command, cwd=whole, capture_output=True).stdout
    with open(os.path.join(whole, "round-03", "selection.tsv"), "rb") as file:
        found = file.read()
    report.check("a round selects by the model of the round before", found == third("round-02") != third("round-01"), found)

    kills, code = script.run_killed(killed, 1, longest=0.5, ROUNDS="2")
    report.check("killed %d times, also in trainings, it ends" % kills, kills > 1 and code == 0, (kills, code))
    unlike = difference(rounds_of(tree(killed)), rounds_of(tree(whole)))
    report.check("and has the same files", unlike == [], unlike)

    def start(run, number):
        """The folder from which the training of a round started."""
        with open(os.path.join(folder, run, "round-%02d" % number, "train.json"), encoding="utf-8") as file:
            return json.load(file)["model"]
    continued = os.path.join(folder, "continued")
    done = script.run(continued, ROUNDS="2", INIT="previous")
    report.check("with INIT=previous two rounds run", done.returncode == 0, done.stdout + done.stderr)
    starts = [[start(run, number) for number in (1, 2)] for run in ("whole", "continued")]
    report.check("a training starts from model 0, or from the previous round's model",
                 starts == [["round-00/model"] * 2, ["round-00/model", "round-01/model"]], starts)
    unlike = sorted(name for name in difference(rounds_of(tree(continued)), rounds_of(tree(whole))))
    report.check("which changes the second model and not the first",
                 any("round-02/model" in name for name in unlike) and not any("round-01/" in name for name in unlike), unlike)
    # The settings of a folder from before INIT existed do not name it.
    with open(os.path.join(killed, "settings"), encoding="utf-8") as file:
        lines = file.readlines()
    write(os.path.join(killed, "settings"), "".join(line for line in lines if line != "init base\n"))
    done = script.run(killed, ROUNDS="2", INIT="previous")
    report.check("a folder that was begun before INIT existed is none of INIT=previous",
                 len(lines) > 1 and "init base\n" in lines and done.returncode == 2 and "< init base" in done.stderr, done.stderr)
    done = script.run(killed, ROUNDS="2")
    unlike = difference(rounds_of(tree(killed)), rounds_of(tree(whole)))
    report.check("but one of INIT=base, and goes on with the same files", done.returncode == 0 and unlike == [], done.stderr + str(unlike))
    done = script.run(os.path.join(folder, "other"), INIT="round-01")
    report.check("another start is refused", done.returncode == 2 and "INIT is base or previous" in done.stderr, done.stderr)
    done = script.run(whole, SEED="42")
    report.check("other settings are refused", done.returncode == 2 and "other settings" in done.stderr, done.stderr)
sys.exit(bool(report.faults))
