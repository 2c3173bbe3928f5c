#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A project of two rounds whose translator the engine trains and measures, and an experiment that does, with a small Marian of transformers:
both are killed and go on to the bytes of the run that was not. In TAP.
usage: test_project_rounds.py ALCORE BUILD"""
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from tap import Tap  # noqa: E402

ALCORE, BUILD = sys.argv[1:3]
PYTHON = next((path for path in (os.environ.get("ALCORE_TORCH_PYTHON", ""), os.path.join(BUILD, "torch-venv", "bin", "python"),
                                 os.path.join(os.path.dirname(BUILD), "torch-venv", "bin", "python")) if os.path.exists(path)), None)
WORDS = {"red": "rot", "blue": "blau", "green": "gelb", "cat": "katze", "dog": "hund", "bird": "vogel", "sees": "sieht", "eats": "frisst", "the": "das",
         "old": "alt", "small": "klein", "house": "haus"}
TOKENS = ["</s>", "<unk>", "<pad>"] + sorted({*WORDS, *WORDS.values()})
# Transformers makes the folder of a random Marian whose vocabulary is the words; its tokenizer is
# a tokenizer.json of whole words.
MAKE = """
import json, sys
import torch, transformers
folder, tokens = sys.argv[1], json.loads(sys.argv[2])
torch.manual_seed(7)
config = transformers.MarianConfig(vocab_size=len(tokens), d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
    decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=32, pad_token_id=2, eos_token_id=0,
    forced_eos_token_id=0, decoder_start_token_id=2, num_beams=2, max_length=16, dropout=0.1)
transformers.MarianMTModel(config).save_pretrained(folder)
"""


def tokenizer():
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [
        {"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for i, token in enumerate(TOKENS[:3])], "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
                           "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
                           "special_tokens": {"</s>": {"id": "</s>", "ids": [0], "tokens": ["</s>"]}}},
        "decoder": None, "model": {"type": "WordLevel", "vocab": {token: i for i, token in enumerate(TOKENS)}, "unk_token": "<unk>"}}


def texts(count, seed):
    draw = random.Random(seed)
    return [" ".join(draw.choice(sorted(WORDS)) for _ in range(draw.randint(3, 6))) for _ in range(count)]


def translated(text):
    return " ".join(WORDS[word] for word in text.split())


def table(path, rows, head=("id", "text", "reference")):
    with open(path, "w", newline="", encoding="utf-8") as file:
        file.write("\t".join(head) + "\n" + "".join("%d\t%s\t%s\n" % (i, text, translated(text)) for i, text in enumerate(rows)))


class World:
    """A folder with the model and the data."""

    def __init__(self, path):
        self.path = path
        subprocess.run([PYTHON, "-c", MAKE, path + "/model", json.dumps(TOKENS)], check=True, timeout=200, stdout=subprocess.DEVNULL)
        with open(path + "/model/tokenizer.json", "w", encoding="utf-8") as file:
            json.dump(tokenizer(), file)
        table(path + "/pool.tsv", texts(60, 1))
        table(path + "/known.tsv", texts(12, 2))
        table(path + "/test.tsv", texts(8, 3))

    def run(self, *words, expect=0):
        done = subprocess.run([ALCORE, *words], cwd=self.path, capture_output=True, text=True, timeout=250,
                              env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))
        assert done.returncode == expect, "%s: %d\n%s" % (" ".join(words), done.returncode, done.stderr)
        return done

    def begin(self, *words):
        return subprocess.Popen([ALCORE, *words], cwd=self.path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                env=dict(os.environ, SOURCE_DATE_EPOCH="1700000000"))

    def killed(self, process, path):
        """Kills a process once a file or folder is there; whether it was still running."""
        for _ in range(4000):
            if os.path.exists(os.path.join(self.path, path)):
                break
            assert process.poll() is None, "it ended before %s was there" % path
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        return process.wait() == -signal.SIGKILL

    def bytes_of(self, folder):
        found = {}
        for place, _, names in os.walk(os.path.join(self.path, folder)):
            for name in names:
                path = os.path.join(place, name)
                with open(path, "rb") as file:
                    found[os.path.relpath(path, os.path.join(self.path, folder))] = file.read()
        return found


def answers(world, project):
    """The round goes out, and each item comes back translated."""
    world.run("project", "export", project, "--tool", "csv", "--out", project + ".csv")
    with open(os.path.join(world.path, project + ".csv"), newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    with open(os.path.join(world.path, project + "-back.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows({**row, "translation": translated(row["text"])} for row in rows)
    world.run("project", "import", project, project + "-back.csv", "--tool", "csv", "--annotator", "ann")


TRAIN = ("--model", "model", "--with-labeled", "rate=0.01", "updates=60", "batch_tokens=200", "seed=3")


def rounds(world, project, interrupt=False):
    """Two rounds; interrupt: each training and each evaluation is killed once before."""
    killed = 0
    world.run("project", "init", project, "strategy=ngram-cover", "budget=8", "seed=5")
    world.run("project", "add", project, "pool.tsv")
    world.run("project", "add", project, "known.tsv", "--role", "labeled")
    for number in (1, 2):
        world.run("project", "next", project)
        answers(world, project)
        checkpoints = "checkpoints=%s-kept-%d" % (project, number)
        words = ("project", "train", project, *TRAIN, checkpoints, "checkpoint_every=5", "--threads", "1")
        if interrupt:
            killed += world.killed(world.begin(*words), "%s-kept-%d/checkpoint.json" % (project, number))
            assert "unfinished\ttrain" in world.run("project", "status", project).stdout
        assert "models/round-%d" % number in world.run(*words).stderr
        world.run("project", "eval", project, "--test", "test.tsv", "--threads", "1")
        world.run("project", "eval", project, "--test", "test.tsv", "--metrics", "loss", "--threads", "1")
        assert "unfinished" not in world.run("project", "status", project).stdout
        world.run("project", "set", project, "model=%s/models/round-%d" % (project, number), "strategy=nnll")
    return killed


def document(world, project):
    return json.loads(world.run("project", "status", project, "--json").stdout)


def measures(found):
    return [(one["round"], one["name"], one["value"]) for one in found["metrics"]]


def project_case(world):
    rounds(world, "whole")
    found = document(world, "whole")
    metrics = measures(found)
    assert [one[:2] for one in metrics] == [(r, name) for r in (1, 2) for name in ("chrf", "bleu", "loss")], metrics
    # The measures are those of the commands that do one thing.
    with open(world.path + "/test.tsv", encoding="utf-8") as file:
        rows = [line.rstrip("\n").split("\t") for line in file][1:]
    for name, column in (("sources.txt", 1), ("references.txt", 2)):
        with open(world.path + "/" + name, "w", encoding="utf-8") as file:
            file.write("".join(row[column] + "\n" for row in rows))
    outputs = world.run("model", "translate", "whole/models/round-2", "sources.txt", "--threads", "1").stdout
    with open(world.path + "/outputs.txt", "w", encoding="utf-8") as file:
        file.write(outputs)
    for name in ("chrf", "bleu"):
        scored = json.loads(world.run("eval", name, "outputs.txt", "references.txt", "--json").stdout)
        value = next(value for round, key, value in metrics if (round, key) == (2, name))
        assert abs(value - scored[name if name in scored else "score"]) < 1e-9, (name, value, scored)
    losses = [value for _, name, value in metrics if name == "loss"]
    assert losses[1] < 3.3, losses  # ln 27 = 3.3 of a model that knows nothing
    log = [(one["what"], one["arguments"]) for one in found["steps"] if one["what"] == "train"]
    assert [one["pairs"] for _, one in log] == [20, 28] and log[0][1]["training"]["seed"] == 3, log


def resumed_case(world):
    metrics = measures(document(world, "whole"))
    killed = rounds(world, "again", interrupt=True)
    assert killed == 2, killed
    found = document(world, "again")
    assert measures(found) == metrics
    assert [one["what"] for one in found["steps"]].count("begin train") == 4
    for number in (1, 2):
        place = "/models/round-%d" % number
        assert world.bytes_of("whole" + place) == world.bytes_of("again" + place), place
    world.run("project", "verify", "again")


CONFIG = {"schema": "alcore-experiment-1", "domains": [{"name": "zoo", "pool": "pool.tsv", "labeled": "known.tsv", "test": "test.tsv"}],
          "strategies": ["random", {"name": "unsure", "strategy": "nnll", "models": {"*": "trained"}}], "seeds": [1], "budgets": [6], "rounds": 2,
          "zero": True, "train": {"model": "model", "rate": 0.01, "updates": 40, "batch_tokens": 200, "metric": "bleu", "previous": True}}


def experiment_case(world):
    with open(world.path + "/config.json", "w", encoding="utf-8") as file:
        json.dump(CONFIG, file)
    world.run("experiment", "config.json", "one", "--quiet", "--threads", "1")
    with open(world.path + "/one/metrics.tsv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [(row["strategy"], row["round"]) for row in rows] == [(name, str(r)) for name in ("random", "unsure") for r in range(3)], rows
    assert all(0 <= float(row["bleu"]) <= 100 for row in rows), rows
    run = "runs/zoo/6/seed-1/"
    killed = 0
    for place in ("shared/round-00", "random/round-02", "unsure/round-01"):
        killed += world.killed(world.begin("experiment", "config.json", "two", "--quiet", "--threads", "1"), "two/" + run + place)
    world.run("experiment", "config.json", "two", "--quiet", "--threads", "1")
    assert killed >= 1, "it was killed while it worked"
    one, two = world.bytes_of("one"), world.bytes_of("two")
    for found in (one, two):  # their times differ, and events may be told twice
        found.pop("events.jsonl")
    assert sorted(one) == sorted(two), sorted({*one} ^ {*two})
    assert [name for name in one if one[name] != two[name]] == []


def main():
    if not PYTHON or subprocess.run([PYTHON, "-c", "import torch, transformers"], capture_output=True).returncode:
        print("1..0 # SKIP transformers cannot be imported")
        return
    report = Tap()
    with tempfile.TemporaryDirectory() as folder:
        world = World(folder)
        for case in (project_case, resumed_case, experiment_case):
            try:
                case(world)
                report.check(True, case.__name__)
            except Exception as error:
                report.check(False, case.__name__, "%s: %s" % (type(error).__name__, error))
    report.finish()


main()
