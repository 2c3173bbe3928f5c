# SPDX-License-Identifier: Apache-2.0
"""examples/experiments/worth_jobs.py, with a command that trains nothing. run_worth_jobs.py ROOT ALCORE"""
import os
import sys
import tarfile
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from experiment import Experiment  # noqa: E402
from scripts import Report  # noqa: E402

root, alcore = sys.argv[1:]
report = Report(13)
RANDOM, DEFAULT = "it random-1 --strategy random --seed 1", "it default"
with tempfile.TemporaryDirectory() as folder:
    experiment = Experiment(root, alcore, "worth_jobs.py", folder, BUDGET="15w", SEEDS="1")
    archive, table = os.path.join(folder, "out.tar.gz"), experiment.at("jobs.tsv")

    def run(lines, *options, **settings):
        """(what came out, the calls, the lines of jobs.tsv without their seconds)."""
        path = os.path.join(folder, "list")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        if os.path.exists(table):
            os.remove(table)
        done, calls = experiment.run(path, *options, **settings)
        rows = []
        if os.path.exists(table):
            with open(table, encoding="utf-8") as file:
                rows = [(one, *rest) for one, _, *rest in (line.rstrip("\n").split("\t") for line in file)]
        return done, calls, rows

    done, calls, rows = run([RANDOM, DEFAULT], UNTIL="picks")
    report.check("the picks can be made first", done.returncode == 0 and [row[0] for row in rows] == ["done"] * 2 and "model" not in calls and
                 calls.count("select pool.tsv") == 2, calls + done.stdout + done.stderr)
    done, calls, rows = run(["# first", "", "SEEDS=2 " + RANDOM, "SEEDS='1 3' it default  # both"], "--pack", archive)
    report.check("a list is run, and its calls are noted", done.returncode == 0 and sorted(rows) == sorted(
        [("done", "cpu", "SEEDS=2 " + RANDOM), ("done", "cpu", "'SEEDS=1 3' it default")]), done.stdout + done.stderr)
    report.check("the base is trained once, and a model for each seed", calls.count("model train") == 4, calls)
    with tarfile.open(archive) as packed:
        names = packed.getnames()
        same = all(packed.extractfile(name).read() == open(experiment.at(name), "rb").read() for name in names)
    report.check("all outputs are packed", sorted(names) == ["it.15w/outputs/%s.txt" % one for one in ("default.1", "default.3", "random-1.2")] +
                 ["jobs.tsv"] and same, names)
    done, calls, rows = run([RANDOM, DEFAULT], "--at-once", "cuda=1", "--at-once", "cpu=1", SEEDS="4")
    report.check("another device has calls of its own", done.returncode == 0 and sorted(row[1] for row in rows) == ["cpu", "cuda"] and
                 sorted(call.split("--device ")[1] for call in calls.splitlines() if "model train" in call) == ["cpu", "cuda"], calls)
    done, calls, rows = run([RANDOM, DEFAULT], "--at-once", "cuda=2", SEEDS="5", BROKEN="cuda")
    report.check("a device that fails at first is left to the CPU", done.returncode == 0 and rows[0][:2] == ("FAILED with 1", "cuda") and
                 sorted(rows[1:]) == sorted([("done", "cpu", RANDOM), ("done", "cpu", DEFAULT)]), (rows, done.stderr))
    report.check("and it is said why", "there is no such device" in done.stdout and "cuda is not used" in done.stdout, done.stdout)
    done, calls, rows = run(["it other --strategy none-such", DEFAULT], "--at-once", "cpu=1", SEEDS="6")
    report.check("after a call that fails the others go on", done.returncode == 1 and [row[0][:6] for row in rows] == ["FAILED", "done"] and
                 "none-such" in done.stdout, done.stdout)
    begun = time.monotonic()
    done, calls, rows = run([DEFAULT, RANDOM, "SEEDS=8 " + DEFAULT], "--at-once", "cpu=2", "--seconds", "8", "--pack", archive, SEEDS="7", SLOW="default")
    report.check("what runs is ended in time", done.returncode == 1 and time.monotonic() - begun < 50 and
                 os.path.exists(experiment.seen + ".slow"), done.stdout)
    report.check("what has ended is kept", sorted(row[:2] for row in rows) == [("done", "cpu"), ("ended", "cpu"), ("ended", "cpu")], rows)
    with tarfile.open(archive) as packed:
        report.check("and packed", "it.15w/outputs/random-1.7.txt" in packed.getnames() and "it.15w/outputs/default.7.txt" not in packed.getnames())
    done, _, _ = run(["it"])
    report.check("a call without a name is refused by its line", done.returncode != 0 and "list:1" in done.stderr, done.stderr)
    done, _, _ = run([DEFAULT], "--at-once", "cuda")
    report.check("a device without a number is refused", done.returncode != 0 and "--at-once cuda" in done.stderr, done.stderr)
sys.exit(bool(report.faults))
