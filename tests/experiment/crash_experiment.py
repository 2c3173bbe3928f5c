# SPDX-License-Identifier: Apache-2.0
"""Experiments under SIGKILL, a full disk and losses of power: an experiment is killed, or has no space any more, before each call that
changes a file of its folder (crash_shim.c), or the disk has what it may have after a loss of power (crash_disk.py); the same command then
goes on, and ends with the bytes of the run without interruption.

By default some of the calls and states, by ALCORE_TEST_SEED; with ALCORE_TEST_FULL=1 each call and 300 states."""
import json
import os
import random
import shutil
import signal
import subprocess
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder) for folder in ("cli", "project")]
from harness import ALCORE, CASES, case, equal, main  # noqa: E402
import crash_disk  # noqa: E402
from test_experiment import bytes_of, by_command, world  # noqa: E402

CASES.clear()  # those of test_experiment run by themselves
SHIM = os.path.abspath(os.environ["CRASH_SHIM"])
FULL = os.environ.get("ALCORE_TEST_FULL") == "1"
SEED = int(os.environ.get("ALCORE_TEST_SEED", "1"))
CALLS, STATES = 40, 80  # of an experiment, by default


def run(box, folder, **env):
    root = os.path.join(os.path.realpath(box.path), folder)
    return subprocess.run([ALCORE, "experiment", "c.json", folder, "--quiet", "--threads", "1"], cwd=box.path, capture_output=True, timeout=100,
                          env=dict(os.environ, LD_PRELOAD=SHIM, CRASH_ROOT=root, **{name: str(value) for name, value in env.items()}))


def calls_of(box, **env):
    """The run without interruption, and the calls that changed its folder."""
    log = os.path.join(box.path, "log")
    open(log, "wb").close()
    done = run(box, "whole", CRASH_LOG=log, **env)
    equal((done.returncode, done.stderr), (0, b""))
    return bytes_of(box, "whole"), crash_disk.read_log(log)


def places(calls):
    every = range(1, calls + 1)
    return every if FULL or calls <= CALLS else sorted(random.Random(SEED).sample(every, CALLS))


def check(box, whole, place, what):
    """Goes on after an interruption, and compares."""
    done = run(box, "out")
    equal((done.returncode, done.stderr), (0, b""), "%s before call %d: going on" % (what, place))
    found = bytes_of(box, "out")
    equal(sorted(name for name in {*whole, *found} if whole.get(name) != found.get(name)), [],
          "%s before call %d: files that differ" % (what, place))
    shutil.rmtree(os.path.join(box.path, "out"))


def interrupt(box, **settings):
    whole, records = calls_of(box)
    calls = len(records)
    assert calls > 60, calls
    for place in places(calls):
        died = run(box, "out", CRASH_KILL=place)
        assert died.returncode in (-signal.SIGKILL, 0) or b"status 137" in died.stderr, (place, died)
        for line in box.read("out/events.jsonl").decode().splitlines() if os.path.exists(box.path + "/out/events.jsonl") else []:
            if line.endswith("}"):  # but for one that was cut
                json.loads(line)
        check(box, whole, place, "killed")
    for place in places(calls)[::4]:
        full = run(box, "out", CRASH_FULL=place)
        assert full.returncode > 0 and full.stderr.startswith(b"alcore: "), (place, full)
        check(box, whole, place, "no space")


@case
def the_built_in_model(box):
    world(box, seeds=[1], rounds=2, budgets=[3])
    interrupt(box)


@case
def commands_with_models_in_folders(box):
    by_command(box, seeds=[1], rounds=2, strategies=["random"], evaluate={"command": "grep -c . {model}/counts | sed 's/^/types\\t/'"})
    interrupt(box)


def lose_power(box, whole, records, count):
    for made, state in crash_disk.losses(records, count, SEED):
        state.pop(".", None)  # the folder itself
        crash_disk.write_state(state, os.path.join(box.path, "out"))
        check(box, whole, made, "a loss of power")


@case
def losses_of_power(box):
    """Events are not brought to the disk, and may be lost or torn; nothing else is."""
    world(box, seeds=[1], rounds=2, budgets=[3])
    lose_power(box, *calls_of(box), 300 if FULL else STATES)


@case
def a_program_that_does_not_sync_is_found_out(box):
    """The test of the test."""
    world(box, seeds=[1], rounds=2, budgets=[3])
    try:
        lose_power(box, *calls_of(box, CRASH_NO_SYNC=1), STATES)
    except AssertionError:
        return
    raise AssertionError("all states were taken for whole")


if __name__ == "__main__":
    raise SystemExit(main())
