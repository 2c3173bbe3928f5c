# SPDX-License-Identifier: Apache-2.0
"""Fixtures of test_every_struct.py: trainings and evaluations of projects, with the null module."""
import csv
import ctypes
import json
import os
import shutil

from alcore import _ffi
from struct_models import folder
from struct_pools import SET, TABLE
from struct_texts import LABELED as SOURCES, REFERENCES
from struct_world import CTX, FIXTURES, FOLDER, TEXTS, Fixture, Owned, Refusal, When, ask, attempts, file, log_lines, strings, struct_of

HOME = FOLDER / "trained-project"
MODEL = folder("start", '{"dims": 3}')
TOLD = []  # what the functions were called with
FUNCTION = dict(_ffi.alcore_project_train_options._fields_)["function"]
MEASURES = ctypes.create_string_buffer(b"chrf 41.5")
# Where the standard error of a command goes: to the file of its words, or to that of this process.
ERRORS = "case $(readlink /proc/self/fd/2) in */log) echo log %s;; *) echo own %s;; esac"


def shell(text):
    return strings(["/bin/sh", "-c", text, None])


@FUNCTION
def trains(user, work, out):
    seen = _ffi.alcore_project_work.from_address(work)
    with open(seen.labeled, "rb") as pairs_file, open(seen.model, "wb") as made:
        TOLD.append((user, seen.round, pairs_file.read()))
        made.write(b"weights")
    return _ffi.ALCORE_OK


@FUNCTION
def measures(user, work, out):
    TOLD.append((user, _ffi.alcore_project_work.from_address(work).round))
    ctypes.c_void_p.from_address(out).value = ctypes.addressof(MEASURES)
    return _ffi.ALCORE_OK


def project():
    """A project with a round of two that were answered."""
    shutil.rmtree(HOME, ignore_errors=True)
    made = Owned("project", "alcore_project_init", CTX, os.fsencode(HOME), None, None, 0)
    for name, value in ((b"strategy", b"random"), (b"budget", b"2")):
        ask("alcore_project_set", made, name, value)
    ask("alcore_project_add", made, _ffi.ALCORE_ROLE_CANDIDATES, file("asked.tsv", "id\ttext\na\tone two\nb\tthree\n"), None)
    ask("alcore_project_add", made, _ffi.ALCORE_ROLE_LABELED, file("known.tsv", "text\treference\nfour\tvier\n"), None)
    selection = Owned("selection", "alcore_project_next", made, None, None, None, 0)
    ask("alcore_project_import", made, b"csv", file("back.csv", "id,translation\na,eins zwei\nb,drei\n"), b"ann", None)
    del selection
    return made


def steps(made):
    """What the log has of the two last steps, without their times, and the measures."""
    out = ctypes.c_char_p()
    ask("alcore_project_document", made, ctypes.byref(out))
    document = json.loads(out.value)
    return [(step["what"], step["arguments"], step["result"]) for step in document["steps"][-2:]] + [
        (one["round"], one["name"], one["value"]) for one in document["metrics"]]


def train(options):
    TOLD.clear()
    shutil.rmtree(FOLDER / "kept", ignore_errors=True)
    made, out, kept = project(), ctypes.c_char_p(), FOLDER / "kept.jsonl"
    if kept.exists():
        kept.unlink()
    ask("alcore_project_train", made, ctypes.byref(options), ctypes.byref(out))
    model, path = HOME / "models" / "round-1", out.value
    return path, steps(made), TOLD[:], kept.exists(), model.read_bytes() if model.is_file() else None


LABELED = os.fsencode(FOLDER / "kept.jsonl")
FIXTURES["alcore_project_train", "options"] = Fixture(train, {}, {
    "model": os.fsencode(MODEL), "training": When(struct_of(_ffi.alcore_train_options, {"rate": .5}), model=os.fsencode(MODEL)),
    "language": When(b"de", model=os.fsencode(MODEL)), "command": shell("echo made > $ALCORE_MODEL"), "function": trains,
    "user": When(7, function=trains), "labeled": When(LABELED, function=trains), "with_labeled": When(1, function=trains),
    "show": When(1, command=shell(ERRORS % ("", "") + ' > "$ALCORE_MODEL"')),
    "mix": When(struct_of(_ffi.alcore_mix_options, {"kind": b"random", "count": 1}), function=trains)})


def mixed_with(mix):
    """The pairs of a training set of a project whose items are phrases."""
    shutil.rmtree(HOME, ignore_errors=True)
    made = Owned("project", "alcore_project_init", CTX, os.fsencode(HOME), None, None, 0)
    for name, value in ((b"strategy", b"ngf-smp"), (b"budget", b"6w")):
        ask("alcore_project_set", made, name, value)
    known = "".join("%s\t%s\n" % pair for pair in zip(SOURCES, REFERENCES))
    ask("alcore_project_add", made, _ffi.ALCORE_ROLE_CANDIDATES, file("phrased.txt", "".join(text + "\n" for text in TEXTS)), None)
    ask("alcore_project_add", made, _ffi.ALCORE_ROLE_LABELED, file("pairs.tsv", "text\treference\n" + known), None)
    selection = Owned("selection", "alcore_project_next", made, None, None, None, 0)
    ask("alcore_project_export", made, b"csv", os.fsencode(FOLDER / "phrases.csv"), 0)
    with open(FOLDER / "phrases.csv", newline="", encoding="utf-8-sig") as lines:
        rows = ["%s,T %s\n" % (row["id"], row["text"]) for row in csv.DictReader(lines)]
    ask("alcore_project_import", made, b"csv", file("answers.csv", "id,translation\n" + "".join(rows)), b"ann", None)
    del selection
    path = FOLDER / "mixed.tsv"
    options = struct_of(_ffi.alcore_project_train_options, {"mix": mix, "labeled": os.fsencode(path), "command": shell("true")})
    ask("alcore_project_train", made, ctypes.byref(options), None)
    return path.read_bytes(), steps(made)[-1][1]["mix"]


MIXED = FIXTURES["alcore_mix_new", "options"]
FIXTURES["alcore_project_train", "options.mix"] = Fixture(mixed_with, MIXED.base, MIXED.members)


def train_with(how):
    return train(struct_of(_ffi.alcore_project_train_options, {"model": os.fsencode(MODEL), "training": how}))


SETTINGS = dict(FIXTURES["alcore_model_train", "options"].members)
KEPT = {"checkpoints": os.fsencode(FOLDER / "kept")}
SETTINGS.update(checkpoints=KEPT["checkpoints"], checkpoint_every=When(1, **KEPT), best=Refusal(b"best", "best is not taken"),
                weights=Refusal(b"weights", "weights"), labels=Refusal(b"classes", "labels"))
FIXTURES["alcore_project_train", "options.training"] = Fixture(train_with, {"updates": 2}, SETTINGS)


def evaluate(options):
    TOLD.clear()
    made, out = project(), ctypes.c_char_p()
    with log_lines() as lines:
        ask("alcore_project_eval", made, ctypes.byref(options), ctypes.byref(out))
    return out.value, steps(made), TOLD[:], lines


TEST = file("measured.tsv", "text\treference\tother\none two\tone\ttwo\nthree\tthree\tfour\n")
BY_ENGINE = {"test": TEST, "model": os.fsencode(MODEL)}
ASKED = shell("echo round_$ALCORE_ROUND 1")
FIXTURES["alcore_project_eval", "options"] = Fixture(evaluate, {}, {
    "round": When(0, command=ASKED), "test": When(TEST, model=os.fsencode(MODEL)),
    "reading": When(struct_of(_ffi.alcore_read_options, {"reference_column": b"other"}), **BY_ENGINE),
    "metrics": When(b"ter,loss", **BY_ENGINE), "model": When(os.fsencode(MODEL), test=TEST), "language": When(b"de", **BY_ENGINE),
    "command": ASKED, "function": measures, "user": When(7, function=measures), "show": When(1, command=shell(ERRORS % (1, 1)))})


def evaluate_read(how):
    def read(path):
        return evaluate(struct_of(_ffi.alcore_project_eval_options, {"test": path, "model": os.fsencode(MODEL), "reading": how}))
    table = TABLE.replace("target", "reference")
    return attempts(read, file("table.tsv", table), file("table", table), file("bad.tsv", table + "too few\n"), file("set.xml", SET))


# The null module has one language: a tag that is none shows that the member is read.
FIXTURES["alcore_project_eval", "options.reading"] = Fixture(evaluate_read, {}, {
    **FIXTURES["alcore_pool_read", "options"].members, "language": b"\xff"})
