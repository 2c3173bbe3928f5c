# SPDX-License-Identifier: Apache-2.0
"""What every command does where standard output is on a full disk: whatever prints there fails, and says why. The command lines are
those of option_fixtures.py, which have all commands and all their kinds, with and without --json."""
import os
import subprocess
import sys

import harness
from harness import ALCORE, Skip, case, contains, equal, main
from option_files import files, project
from option_fixtures import FIXTURES

# Without torch the null module is what runs a model folder.
os.environ["ALCORE_MODULE_DIR"] = os.environ["NULL_MODEL_MODULE"]
FULL = "alcore: cannot write to standard output: No space left on device\n"


def on_full(box, args):
    if not os.path.exists("/dev/full"):
        raise Skip("no /dev/full")
    with open("/dev/full", "wb") as full:
        return subprocess.run([ALCORE, *args], cwd=box.path, stdout=full, stderr=subprocess.PIPE, text=True, errors="replace", timeout=60)


def fails(box, args):
    done = on_full(box, args)
    equal(done.returncode, 4, "%s: %s" % (args, done.stderr))
    contains(done.stderr, "cannot write", "No space left on device")
    return done.stderr


def lines_of(command):
    """A command line of each kind, as `eval bleu` is one, and with each option that says in what form things are printed."""
    base, fixtures = FIXTURES[command]
    found = {(): [command, "-h"], "version": [command, "--version"]}
    for fixture in fixtures.values():
        for args in (fixture(base) if callable(fixture) else fixture)[:2]:
            kind = tuple(word for word in args[1:2] if command in ("eval", "model", "project", "lm", "plot", "tools"))
            found.setdefault((kind, *(word for word in args if word in ("--json", "--tool", "--requests", "--events", "--sentence"))), args)
    return list(found.values())


def walk(command):
    @case
    def full(box):
        printed = 0
        other = harness.Box()  # where the same command lines have an output with room
        try:
            for one in (box, other):
                files(one)
                if command == "project":
                    project(one)
            for args in lines_of(command):
                done = other.run(*args, expect=None)
                if done.returncode == 0 and done.out:
                    fails(box, args)
                    printed += 1
                else:
                    on_full(box, args)
        finally:
            other.close()
        assert printed > (1 if command == "fold" else 2), "alcore %s prints nothing" % command  # beside -h and --version

    full.__name__ = "what_%s_prints_on_a_full_disk" % command


for command in FIXTURES:
    walk(command)


@case
def more_than_one_buffer(box):
    """What fails before the end, as a part of it is written when there is too much to wait for that."""
    files(box)
    box.file("long.txt", "".join("%s of row %d\n" % ("a long text " * 9, row) for row in range(2000)))
    select = ["select", "long.txt", "--strategy", "random", "--budget"]
    for args in (["strategies", "--json"], ["scorers", "--json"], ["lm", "train", "long.txt"], ["phrases", "long.txt"], [*select, "1000"],
                 [*select, "2,3", "--out", "{budget}.tsv", "--json"], ["candidates", "long.txt", "--count", "1000"]):
        assert len(box.run(*args).stdout) > 8192 or args[0] in ("select", "scorers"), args
        fails(box, args)


@case
def messages_of_shards(box):
    """A message that is cut off is none: the step and the fold fail, and a file that would get it stays as it was."""
    box.file("long.txt", "".join("a text of row %d\n" % row for row in range(2000)))
    step = ["select", "long.txt", "--strategy", "random", "--budget", "9", "--shard", "0/2000"]
    equal(fails(box, [*step, "--next", "-"]), FULL)
    box.run(*step, "--next", "one.msg")
    equal(fails(box, ["fold", "one.msg"]), FULL)
    for args in ([*step, "--next", "/dev/full"], ["fold", "one.msg", "--out", "/dev/full"]):
        contains(box.run(*args, expect=4).err, "alcore: /dev/full: No space left on device")
    delivered = []
    for number in range(9):
        box.run("fold", "one.msg", "--out", "all-%d.msg" % number)
        delivered += ["--message", "all-%d.msg" % number]
        box.run(*step, *delivered, "--next", "one.msg", "--out", "picks.tsv")
        if box.exists("picks.tsv"):
            break
    equal(fails(box, [*step, *delivered, "--next", "one.msg"]), FULL)
    contains(box.run(*step, *delivered, "--next", "one.msg", "--out", "-").out, "rank\tindex")


if __name__ == "__main__":
    sys.exit(main())
