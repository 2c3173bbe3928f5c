# SPDX-License-Identifier: Apache-2.0
"""alcore.experiment(): what the command does (tests/cli/test_experiment.py), from Python; killed at every event; trackers without their
packages."""
import hashlib
import json
import os
import random
import signal
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

import alcore
from alcore import trackers

WORDS = "the a red blue old new cat dog bird house tree river runs sees likes near under over green small".split()


def sentences(seed, count):
    draw = random.Random(seed)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(3, 9))) for _ in range(count)]
    return "id\tsource\treference\n" + "".join("%d-%d\t%s\t%s\n" % (seed, i, text, text.upper()) for i, text in enumerate(texts))


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A small configuration, whose files lie in the present folder."""
    monkeypatch.chdir(tmp_path)
    for name, seed, count in (("pool.tsv", 1, 40), ("labeled.tsv", 2, 20), ("test.tsv", 3, 10)):
        (tmp_path / name).write_text(sentences(seed, count))
    return {"schema": "alcore-experiment-1", "domains": [{"name": "pets", "pool": "pool.tsv", "labeled": "labeled.tsv", "test": "test.tsv"}],
            "strategies": ["random", "nnll"], "seeds": [1, 2], "budgets": [3], "rounds": 2, "train": {"ngram": {"order": 2}}}


def bytes_of(folder):
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.rglob("*"))
            if path.is_file() and path.name != "events.jsonl"}


def test_a_dict_and_a_file_are_the_same(config, tmp_path):
    events = []
    assert alcore.experiment(config, "one", event=events.append) == alcore.ExperimentResult(4, 8, 0)
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert alcore.experiment(tmp_path / "config.json", tmp_path / "two", keep_going=True).rounds == 8
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    assert [json.loads(line) for line in (tmp_path / "one/events.jsonl").read_text().splitlines()] == events
    assert {event["step"] for event in events} == {"select", "answer", "mix", "train", "evaluate"}
    assert alcore.experiment(config, "one").rounds == 0


def test_paths_of_a_file_are_relative_to_it(config, tmp_path, monkeypatch):
    (tmp_path / "config.json").write_text(json.dumps(config))
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert alcore.experiment("../config.json", "out").rounds == 8
    with pytest.raises(OSError, match="pool.tsv"):
        alcore.experiment(config, "other")


def test_errors_name_the_member(config):
    config["rounds"] = "two"
    with pytest.raises(ValueError, match="rounds: an integer from 0 on is needed"):
        alcore.experiment(config, "out")
    config.update(rounds=2, seeds=[1])
    alcore.experiment(config, "out")
    config["train"] = {"ngram": {"order": 3}}
    with pytest.raises(ValueError, match="train.ngram.order was '2' and is '3'"):
        alcore.experiment(config, "out")


def test_an_exception_of_the_event_function_comes_back(config, tmp_path):
    def fail(event):
        if event["round"] == 2:
            raise KeyError(event["step"])
    with pytest.raises(KeyError, match="select"):
        alcore.experiment(config, "out", event=fail)
    assert alcore.experiment(config, "out").rounds == 7
    alcore.experiment(config, "whole")
    assert bytes_of(tmp_path / "out") == bytes_of(tmp_path / "whole")


def test_failures_of_other_runs(config):
    config["evaluate"] = {"command": "[ {seed} -ne 1 ] && printf 'one\\t1\\n'"}
    with pytest.raises(alcore.Error, match="seed-1/random: round 1: the command of \"evaluate\" ended with status 1"):
        alcore.experiment(config, "out", keep_going=True)
    lines = open("out/metrics.tsv").read().splitlines()
    assert len(lines) == 1 + 4 and all(line.split("\t")[3] in ("seed", "2") for line in lines)


def test_a_cancel_ends_it(config):
    with alcore.Context() as context:
        context.cancel()
        with pytest.raises(alcore.Error):
            alcore.experiment(config, "out", context=context)


def test_killed_at_every_event(config, tmp_path):
    """SIGKILL after each step, before its event is written: what goes on has the same bytes, and each measure is told."""
    config.update(seeds=[1], zero=True, first="random", rounds=2)
    events = []
    alcore.experiment(config, "whole", event=events.append)
    count = 0

    def kill(event):
        nonlocal count
        count += 1
        if count == place:
            os.kill(os.getpid(), signal.SIGKILL)
    for place in range(1, len(events) + 1):
        child = os.fork()
        if child == 0:
            try:
                alcore.experiment(config, "out-%d" % place, event=kill, context=alcore.Context(threads=1))
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == signal.SIGKILL, place
        alcore.experiment(config, "out-%d" % place)
        assert bytes_of(tmp_path / ("out-%d" % place)) == bytes_of(tmp_path / "whole"), place
        told = [json.loads(line) for line in open("out-%d/events.jsonl" % place)]
        measures = [{(one["run"], one["round"], one["name"], one["value"]) for one in all_ if one["step"] == "evaluate"} for all_ in (told, events)]
        assert measures[0] == measures[1], place


class Notes(trackers.Tracker):
    """A tracker that keeps what it is told."""

    def __init__(self):
        super().__init__()
        self.opened, self.logged, self.closed = [], [], []

    def _open(self, name, labels):
        self.opened.append((name, labels))
        return name

    def _log(self, run, name, value, step, time):
        self.logged.append((run, name, value, step))

    def _close(self, run):
        self.closed.append(run)


def test_a_tracker_is_told_each_measure_once(config):
    with Notes() as notes:
        alcore.experiment(config, "out", event=notes)
    assert notes.opened[0] == ("pets/3/seed-1/random", {"domain": "pets", "budget": "3", "seed": "1", "strategy": "random"})
    assert len(notes.opened) == 4 and sorted(notes.closed) == sorted(name for name, _ in notes.opened)
    assert ("pets/3/seed-2/nnll", "items", 6, 2) in notes.logged and ("pets/3/seed-2/nnll", "select/items", 3, 1) in notes.logged
    assert len(notes.logged) == len(set(notes.logged)) == len(open("out/events.jsonl").readlines())
    with open("out/events.jsonl") as file:
        lines = file.readlines()
    with open("out/events.jsonl", "a") as file:
        file.write(lines[0] + '{"time": 17')  # told again, and one that was cut
    again = Notes()
    assert trackers.replay("out", again) == len(lines) + 1
    assert again.logged == notes.logged


@pytest.mark.parametrize("name,package", [("tensorboard", "tensorboardX"), ("mlflow", "mlflow"), ("wandb", "wandb")])
def test_a_missing_package_is_named(name, package, monkeypatch):
    for module in ("torch", "torch.utils", "torch.utils.tensorboard", "tensorboardX", "mlflow", "wandb"):
        monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(ImportError, match="alcore.trackers.%s needs the package %s: pip install %s" % (name, package, package)):
        getattr(trackers, name)("name")


ROOT = Path(__file__).resolve().parents[3]


def test_the_schema_is_what_is_read(monkeypatch):
    """Configurations that run are valid, and those that are refused are not, but for what no schema can know."""
    schema = Draft202012Validator(json.loads((ROOT / "docs/schemas/experiment.schema.json").read_text()))
    monkeypatch.setenv("ALCORE", os.environ.get("ALCORE", "alcore"))
    monkeypatch.syspath_prepend(str(ROOT / "tests/cli"))
    from experiment_configs import BAD, BAD_BEYOND_THE_SCHEMA, CONFIG
    whole = [CONFIG] + [json.loads(path.read_text()) for path in sorted((ROOT / "examples/experiments").glob("*.json")) if "experiment" in path.read_text()[:60]]
    assert len(whole) == 4
    for one in whole:
        schema.validate(one)
    for changes, seen in [(changes, True) for changes, _ in BAD] + [(changes, False) for changes, _ in BAD_BEYOND_THE_SCHEMA]:
        one = {name: value for name, value in {**CONFIG, **changes}.items() if value is not None}
        assert schema.is_valid(one) != seen, changes
