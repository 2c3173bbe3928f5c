# SPDX-License-Identifier: Apache-2.0
"""Fixtures of test_every_struct.py: experiments."""
import ctypes
import json
import shutil

from alcore import _ffi
from alcore._handles import struct
from struct_world import CTX, FIXTURES, FOLDER, Fixture, Refused, When, lib

HOME, OTHER = FOLDER / "experiment", FOLDER / "experiment-base"
TOLD = []  # what the event function was called with: its first argument, and names


def _configurations():
    """One that runs, and one whose first seed fails; beside another folder with another pool."""
    for folder, texts in ((HOME, ("one two", "three")), (OTHER, ("one two three four", "five six"))):
        folder.mkdir(exist_ok=True)
        (folder / "pool.tsv").write_text("id\ttext\treference\n" + "".join("%d\t%s\tx\n" % pair for pair in enumerate(texts)))
    config = {"schema": "alcore-experiment-1", "domains": [{"name": "d", "pool": "pool.tsv"}], "strategies": ["random"], "seeds": [1, 2],
              "budgets": [2], "rounds": 1}
    for name, more in (("runs", {}), ("fails", {"evaluate": {"command": "test {seed} -eq 2 && echo one 1"}})):
        (HOME / (name + ".json")).write_text(json.dumps({**config, **more}))
        yield name


@dict(_ffi.alcore_experiment_options._fields_)["event"]
def told(user, line):
    event = json.loads(line)
    TOLD.append((user, event["run"], event["name"], event["value"]))
    return _ffi.ALCORE_OK


def experiment(options):
    TOLD.clear()
    found = []
    for name in _configurations():
        out = HOME / "out"
        shutil.rmtree(out, ignore_errors=True)
        result = struct(_ffi.alcore_experiment_result)
        status = lib.alcore_experiment_run(CTX._handle, str(HOME / (name + ".json")).encode(), str(out).encode(), ctypes.byref(options),
                                           ctypes.byref(result))
        if not result.runs:
            raise Refused(status)
        metrics = out / "metrics.tsv"
        found.append((status, result.runs, result.rounds, result.failed, metrics.read_text() if metrics.exists() else None))
    return found + TOLD


# Not by walks(), which has an argument called base too.
FIXTURES["alcore_experiment_run", "options"] = Fixture(experiment, {}, {
    "event": told, "event_user": When(7, event=told), "base": str(OTHER).encode(), "keep_going": 1})
