# SPDX-License-Identifier: Apache-2.0
"""examples/rounds.sh on its own corpus: ten rounds of HUDS, the same files after any number of kills, and its settings.

  run_rounds.py ROOT ALCORE"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from scripts import Report, Script, difference, table, tree  # noqa: E402

root, alcore = sys.argv[1:]
report = Report(11)
script = Script(root, alcore, "rounds.sh", LAMBDA="0.9,0.7,0.1")
with tempfile.TemporaryDirectory() as folder:
    whole, killed, few = (os.path.join(folder, name) for name in ("whole", "killed", "few"))
    done = script.run(whole)
    report.check("ten rounds run", done.returncode == 0 and "all 10 rounds are done" in done.stdout, done.stdout + done.stderr)
    picks, metrics = table(os.path.join(whole, "selection.tsv")), table(os.path.join(whole, "metrics.tsv"))
    rounds = [pick["round"] for pick in picks]
    report.check("each round buys its items, and none twice",
                 all(rounds.count(str(number)) == 15 for number in range(1, 11)) and len({pick["id"] for pick in picks}) == 150, rounds)
    nnll = [float(line["nnll"]) for line in metrics]
    report.check("the model finds the test set likelier after every round", len(nnll) == 10 and nnll == sorted(nnll, reverse=True),
                 metrics)
    curve = subprocess.run([alcore, "plot", "curves", "metrics.tsv", "--x", "words", "--y", "nnll"], cwd=whole, capture_output=True, text=True)
    report.check("plot reads the metrics", [float(line.split("\t")[4]) for line in curve.stdout.splitlines()[1:]] == nnll, curve)

    # Round 3 again, by a command with its own number of the schedule.
    def again(weight):
        command = [alcore, "select", "pool.tsv", "--labeled", "labeled.tsv", "--labeled", "round-02/train.tsv", "--strategy", "huds",
                   "-p", "lambda=%s" % weight, "-p", "candidates=20000", "--budget", "15", "--round", "3", "--seed", "22", "--quiet"]
        return subprocess.run(command, cwd=whole, capture_output=True).stdout
    with open(os.path.join(whole, "round-03", "selection.tsv"), "rb") as file:
        third = file.read()
    report.check("lambda is the number of the round", third == again("0.1") != again("0.9"), third)

    wanted = tree(whole)
    kills = [script.run_killed(killed, 1, ROUNDS="4"), script.run_killed(killed, 2)]
    found = tree(killed)
    report.check("killed %d times, then with more rounds %d times, it ends" % (kills[0][0], kills[1][0]),
                 all(count > 1 and code == 0 for count, code in kills), kills)
    report.check("and has the same files", difference(found, wanted) == [], difference(found, wanted))

    done = script.run(whole, LAMBDA="0.5")
    report.check("other settings are refused, and change nothing",
                 done.returncode == 2 and "other settings" in done.stderr and tree(whole) == wanted, done.stderr)
    # Scores of earlier rounds: files of a cache, which a killed script leaves whole, too.
    old, killed = (os.path.join(folder, name) for name in ("old", "killed-old"))
    done = script.run(old, MAX_AGE="2", ROUNDS="4")
    report.check("scores of earlier rounds are used", done.returncode == 0 and " are of earlier rounds; saved about" in done.stderr,
                 done.stdout + done.stderr)
    kills = script.run_killed(killed, 3, MAX_AGE="2", ROUNDS="4")
    report.check("and a loop that was killed ends with the same files", difference(tree(killed), tree(old)) == [],
                 [kills, difference(tree(killed), tree(old))])

    done = script.run(few, PATIENCE="1", LEAST_GAIN="0.15")
    report.check("a plateau ends the loop", "stop: 1 of 1 rounds without a gain above 0.15 over round 1" in done.stdout and
                 sorted(os.listdir(few))[-4:-2] == ["round-02", "selection.tsv"], done.stdout + done.stderr)
sys.exit(bool(report.faults))
