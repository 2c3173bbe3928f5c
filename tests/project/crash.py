# SPDX-License-Identifier: Apache-2.0
"""Projects under SIGKILL, a full disk and a loss of power: rules R3 of docs/projects.md ("After a crash").

A run of six rounds with `alcore project` is made once without interruption, below crash_shim.c, which logs each call that changes a file of
the project. Then
- each step is made again and killed before each of these calls in turn, and once more with no space from that call on; what it was in the
  middle of is made again, and the bytes of the project and of what was written are those of the run without interruption;
- the same with no space for the files that a step writes beside the project either, where names can still be removed, as on a disk that is
  full: a step that failed has left nothing but what it was asked to write, and an init no folder;
- states that the disk may have after a loss of power at any call are drawn from the log (crash_disk.py): the project opens, every byte of
  it is what it should be, every step that had ended is there, the step in the middle is there whole or not at all, and goes on to the same
  project.
A shorter run with trainings and evaluations by commands is treated in the same way, the calls of the commands among the others. Of these two
steps the log keeps that they were begun, so that one that is made again after a kill has a line more in it, and project.sqlite other bytes;
everything else is the same: items, answers, measures, the other lines of the log, and each byte of each model, of which there is never half.

By default some of the calls and states, by ALCORE_TEST_SEED; with ALCORE_TEST_FULL=1 each call and 10,000 states."""
import csv
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli")]
from harness import ALCORE, case, equal, main  # noqa: E402
import crash_disk  # noqa: E402

SHIM = os.path.abspath(os.environ["CRASH_SHIM"])
FULL = os.environ.get("ALCORE_TEST_FULL") == "1"
SEED = int(os.environ.get("ALCORE_TEST_SEED", "1"))
ROUNDS = 6
NEVER_IN_ORDER = 2000000000  # a time of day far from that of the steps


class Step:
    def __init__(self, *words, out=None):
        self.words = ["project", words[0], "p", *words[1:]]
        self.out = out  # the file that it writes beside the project


def steps():
    """The steps of the run."""
    yield Step("init")
    for setting in ("strategy=ngram-cover", "budget=20w", "total=200w", "price=0.2EUR/w", "target_language=de", "seed=7"):
        yield Step("set", setting)
    yield Step("add", "pool.txt")
    yield Step("add", "known.tsv", "--role", "labeled")
    for r in range(1, ROUNDS + 1):
        yield Step("next")
        yield Step("export", "--tool", "csv", "--out", "out%d.csv" % r, out="out%d.csv" % r)
        yield Step("import", "first%d.csv" % r, "--tool", "csv", "--annotator", "ann")
        yield Step("import", "second%d.csv" % r, "--tool", "csv", "--annotator", "ben")
        yield Step("labeled", "--out", "labeled%d.tsv" % r, out="labeled%d.tsv" % r)
        yield Step("metric", "chrf=%d.5" % (20 + r), "--round", str(r))
    yield Step("report", "--out", "report.html", out="report.html")
    yield Step("gc")
    yield Step("verify")


# What trains: a model that is a file, and one that is a folder.
FILE = 'while read -r line; do printf "%s\\n" "$line"; done < "$ALCORE_LABELED" > "$ALCORE_MODEL"'
TREE = ('mkdir "$ALCORE_MODEL" && mkdir "$ALCORE_MODEL/in" && printf weights > "$ALCORE_MODEL/one" && read -r line < "$ALCORE_LABELED" && '
        'printf "%s" "$line" > "$ALCORE_MODEL/in/two"')


def training_steps():
    """The steps of the run with models: the second and third training take the place of the model before them, a file that of a folder."""
    yield Step("init")
    for setting in ("strategy=random", "budget=20w", "target_language=de", "seed=7"):
        yield Step("set", setting)
    yield Step("add", "pool.txt")
    for r, commands in ((1, (FILE, TREE, FILE)), (2, (TREE,))):
        yield Step("next")
        yield Step("export", "--tool", "csv", "--out", "out%d.csv" % r, out="out%d.csv" % r)
        yield Step("import", "first%d.csv" % r, "--tool", "csv", "--annotator", "ann")
        for command in commands:
            yield Step("train", command)
            yield Step("eval", "echo chrf %d.5" % (20 + r))
    yield Step("gc")
    yield Step("verify")


class Failure(AssertionError):
    pass


class World:
    """The run without interruption: what there was before and after each step, and the log."""
    steps_of = staticmethod(steps)

    def __init__(self, box, no_sync=False):
        self.box, self.path = box.path, os.path.realpath(box.path)
        rng = random.Random(5)
        words = [a + b + c for a in "bdfg" for b in "aeiou" for c in "klmnr"]
        box.file("pool.txt", "".join(" ".join(rng.choices(words, k=rng.randint(3, 9))) + "\n" for _ in range(150)))
        box.file("known.tsv", "text\treference\n" + "".join("%s\tpaar %d\n" % (" ".join(rng.choices(words, k=4)), i) for i in range(5)))
        self.steps = list(self.steps_of())
        self.before, self.documents, self.ends, self.outputs = [], [None], [], {}
        log = os.path.join(self.path, "log")
        open(log, "wb").close()
        for number, step in enumerate(self.steps):
            self.before.append(crash_disk.read_state(self.at("p")))
            self.run(number, CRASH_LOG=log, **({"CRASH_NO_SYNC": "1"} if no_sync else {}))
            self.ends.append(os.path.getsize(log))
            if step.out:
                self.outputs[number] = self.read(step.out)
            if step.words[1] == "export":
                self.answer(step.out)
            self.documents.append(self.document())
        self.before.append(crash_disk.read_state(self.at("p")))
        self.records = crash_disk.read_log(log)
        made, bytes_read = [], 0
        for number, record in enumerate(self.records, 1):
            bytes_read += crash_disk.HEAD.size + len(record[3].encode()) + len(record[4].encode()) + len(record[5])
            made.append(bytes_read)
        self.ends = [sum(bytes_made <= end for bytes_made in made) for end in self.ends]  # in calls
        disk = crash_disk.Disk()
        for record in self.records:
            disk.apply(record)
        equal(disk.now(), {**self.before[-1], ".": crash_disk.FOLDER}, "what the log makes")

    def at(self, name):
        return os.path.join(self.path, name)

    def read(self, name):
        with open(self.at(name), "rb") as file:
            return file.read()

    def answer(self, name):
        """Makes what two annotators send back of an export: ann the first half, ben the rest with other answers to some of the first."""
        number = name[3:-4]
        with open(self.at(name), encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        for who, some in (("first", rows[:(len(rows) + 1) // 2]), ("second", rows[len(rows) // 3:])):
            with open(self.at(who + number + ".csv"), "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                for row in some:
                    writer.writerow({**row, "translation": "%s: %s" % (who, row["text"])})

    def command(self, *words, expect=0, **env):
        with open(self.at("count"), "wb") as file:
            file.write(bytes(16))
        done = subprocess.run([ALCORE, *words], cwd=self.path, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "LD_PRELOAD": SHIM, "CRASH_ROOT": self.at("p"), "CRASH_COUNT": self.at("count"), "TMPDIR": self.path,
                                   **env})
        if expect is not None and done.returncode != expect:
            raise Failure("alcore %s: exit code %d: %s" % (" ".join(words), done.returncode, done.stderr))
        return done

    def run(self, number, expect=0, **env):
        """Makes a step, at the time of day that it always has."""
        return self.command(*self.steps[number].words, "-q", expect=expect, CRASH_TIME=str(1800000000 + 60 * number), **env)

    def document(self):
        return json.loads(self.command("project", "status", "p", "--json").stdout)

    def put(self, state):
        crash_disk.write_state(state, self.at("p"))
        if not state:
            os.rmdir(self.at("p"))

    def is_made(self, number):
        """Whether a step has happened, of a project of which those before have; says no where it cannot be told. Fails where the project
        is neither what it was before the step nor what it was after it."""
        if number == 0 and self.command("project", "status", "p", expect=None).returncode != 0:
            return False
        self.command("project", "verify", "p")
        found = self.document()
        if found == self.documents[number + 1]:
            return found != self.documents[number]
        equal(found, self.documents[number], "the project after step %d was begun" % number)
        return False

    def check_equal(self, number):
        """The bytes after a step are those of the run without interruption, once what a killed process left is removed."""
        self.command("project", "gc", "p", CRASH_TIME=str(NEVER_IN_ORDER))
        self.check_files(crash_disk.read_state(self.at("p")), self.before[number + 1])
        if number in self.outputs:
            equal(self.read(self.steps[number].out), self.outputs[number], self.steps[number].out)

    def check_files(self, found, wanted):
        equal(differences(found, wanted), [], "files that differ")

    def go_on(self, number, last):
        """Makes the steps from one to another."""
        for each in range(number, last):
            self.run(each)


class TrainedWorld(World):
    """The same of the run with models."""
    steps_of = staticmethod(training_steps)

    def document(self):
        """The document without what may differ: that a training or an evaluation was begun."""
        found = super().document()
        self.is_open = [name for name in ("training", "evaluating") if found["status"].pop(name)]
        found["steps"] = [{**step, "step": 0} for step in found["steps"] if not step["what"].startswith("begin ")]
        return found

    def is_made(self, number):
        models = models_of(crash_disk.read_state(self.at("p")))
        for name in models:
            assert models[name] in [models_of(state).get(name) for state in self.before], "%s is half a model" % name
        return super().is_made(number)

    def check_files(self, found, wanted):
        name = "project.sqlite"
        equal(differences({**found, name: b""}, {**wanted, name: b""}), [], "files that differ")
        self.document()
        equal(self.is_open, [], "what has not ended")


def models_of(state):
    """The models of a state that have their names: {name: what is in it}."""
    models = {}
    for path, held in state.items():
        parts = path.split("/")
        if parts[0] == "models" and len(parts) > 1 and "." not in parts[1]:
            models.setdefault(parts[1], {})["/".join(parts[2:])] = held
    return models


def differences(found, wanted):
    """The names of files that are in one state only, or differ."""
    return sorted(name for name in {*found, *wanted} if found.get(name) != wanted.get(name))


def calls_of(world, number):
    """How many calls of a step change files."""
    return world.ends[number] - (world.ends[number - 1] if number else 0)


def interrupted(world, share, **env):
    """Makes every step again with each call in turn interrupted, or a share of the calls; how many were."""
    rng, tried = random.Random(SEED), 0
    for number in range(len(world.steps)):
        for call in range(1, calls_of(world, number) + 1):
            if rng.random() >= share:
                continue
            world.put(world.before[number])
            if world.steps[number].out and os.path.exists(world.at(world.steps[number].out)):
                os.remove(world.at(world.steps[number].out))
            done = world.run(number, expect=None, **{name: str(call) for name in env})
            if done.returncode not in env[next(iter(env))]:
                raise Failure("step %d, call %d: exit code %d: %s" % (number, call, done.returncode, done.stderr))
            try:
                if not world.is_made(number):
                    world.run(number)
                world.check_equal(number)
                if (FULL and "CRASH_KILL" in env) or rng.random() < 0.02:
                    world.go_on(number + 1, len(world.steps))
                    world.check_equal(len(world.steps) - 1)
            except AssertionError as error:
                raise Failure("step %d (%s), call %d: %s" % (number, " ".join(world.steps[number].words), call, error)) from error
            tried += 1
    print("# %d of %d calls" % (tried, len(world.records)))
    return tried


WORLDS = {}


def world_of(box, kind=World):
    """The run without interruption, which is made once; its folder is that of the first case."""
    if kind not in WORLDS:
        WORLDS[kind] = kind(box)
        box.close = lambda: None
    return WORLDS[kind]


@case
def killed_before_each_call(box):
    world = world_of(box)
    assert interrupted(world, 1 if FULL else 0.15, CRASH_KILL=[-signal.SIGKILL]) > 20


@case
def no_space_from_each_call_on(box):
    world = world_of(box)
    # What cannot be removed is left; a step that failed says so.
    assert interrupted(world, 1 if FULL else 0.1, CRASH_FULL=[0, 4]) > 15


@case
def trainings_killed_before_each_call(box):
    world = world_of(box, TrainedWorld)
    assert interrupted(world, 1 if FULL else 0.1, CRASH_KILL=[-signal.SIGKILL]) > 20


@case
def trainings_without_space_from_each_call_on(box):
    world = world_of(box, TrainedWorld)
    # Where a command could not write it failed, which is 3.
    assert interrupted(world, 1 if FULL else 0.06, CRASH_FULL=[0, 3, 4]) > 15


def calls_beside(world, number):
    """How many calls of a step change files, those beside the project among them."""
    log = world.at("log-beside")
    open(log, "wb").close()
    world.put(world.before[number])
    world.run(number, CRASH_ROOT=world.path, CRASH_LOG=log)
    return len(crash_disk.read_log(log))


def fill_disk(world, number, call):
    """Makes a step with no space from a call on; what it wrote before is gone."""
    world.put(world.before[number])
    if number == 0:
        shutil.rmtree(world.at("p"), ignore_errors=True)
    out = world.steps[number].out
    if out and os.path.exists(world.at(out)):
        os.remove(world.at(out))
    there = set(os.listdir(world.path))
    done = world.run(number, expect=None, CRASH_ROOT=world.path, CRASH_FULL=str(call), CRASH_REMOVES="1")
    if done.returncode not in (0, 4):
        raise Failure("exit code %d: %s" % (done.returncode, done.stderr))
    if done.returncode:
        # An export is written before the project keeps that it was.
        equal(set(os.listdir(world.path)) - there - {out}, set(), "what a step has left that failed")
        equal("p" in os.listdir(world.path), number > 0, "whether there is a project")
    if not world.is_made(number):
        world.run(number)
    world.check_equal(number)


@case
def no_space_beside_the_project_either(box):
    world, rng, tried, calls = world_of(box), random.Random(SEED), 0, 0
    for number, step in enumerate(world.steps):
        count = calls_beside(world, number)
        calls += count
        for call in range(1, count + 1):
            if rng.random() >= (1 if FULL else 0.06):
                continue
            tried += 1
            try:
                fill_disk(world, number, call)
            except AssertionError as error:
                raise Failure("step %d (%s), call %d: %s" % (number, " ".join(step.words), call, error)) from error
    print("# %d of %d calls" % (tried, calls))
    assert tried > 15


def check_loss(world, made, state, rng):
    """Rules R3 of one state; made: calls that were made before the loss."""
    ended = sum(end <= made for end in world.ends)  # steps that were acknowledged
    world.put(state)
    if ended == len(world.steps):
        world.command("project", "verify", "p")
        equal(world.document(), world.documents[-1], "the project")
        return
    if not world.is_made(ended):
        world.run(ended)
    equal(world.document(), world.documents[ended + 1], "the project after step %d was made again" % ended)
    equal(models_of(crash_disk.read_state(world.at("p"))), models_of(world.before[ended + 1]), "the models after step %d" % ended)
    last = min(ended + 2, len(world.steps)) if rng.random() < 0.98 else len(world.steps)
    world.go_on(ended + 1, last)
    equal(world.document(), world.documents[last], "the project after step %d" % (last - 1))


def losses(world, count):
    """Checks at least so many states that differ, in batches of which each has states from the first call to the last."""
    rng, known, drawn = random.Random(SEED), set(), 0
    for batch in range(SEED, SEED + 100):
        for made, state in crash_disk.losses(world.records, count // 2, batch):
            drawn += 1
            state.pop(".", None)
            key = hashlib.sha256(repr((sum(end <= made for end in world.ends), sorted(
                (name, hash(held) if held is not crash_disk.FOLDER else 0) for name, held in state.items()))).encode()).digest()
            if key in known:
                continue
            known.add(key)
            try:
                check_loss(world, made, state, rng)
            except AssertionError as error:
                raise Failure("a loss of power after call %d, state %d of seed %d: %s" % (made, drawn, SEED, error)) from error
        if len(known) >= count:
            break
    print("# %d different states of %d" % (len(known), drawn))
    return len(known)


@case
def losses_of_power(box):
    count = 10000 if FULL else 300
    assert losses(world_of(box), count) >= count


@case
def losses_of_power_while_models_are_made(box):
    count = 3000 if FULL else 60
    assert losses(world_of(box, TrainedWorld), count) >= count


@case
def a_project_that_does_not_sync_is_noticed(box):
    world = World(box, no_sync=True)
    try:
        losses(world, 50)
    except Failure:
        return
    raise AssertionError("nothing was noticed without fsync()")


if __name__ == "__main__":
    code = main()
    for made in WORLDS.values():
        shutil.rmtree(made.path, ignore_errors=True)
    sys.exit(code)
