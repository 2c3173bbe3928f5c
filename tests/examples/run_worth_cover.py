# SPDX-License-Identifier: Apache-2.0
"""examples/experiments/worth_cover.py on small corpora, against shares that are counted anew. run_worth_cover.py ROOT ALCORE"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from experiment import Experiment  # noqa: E402
from scripts import Report  # noqa: E402

root, alcore = sys.argv[1:]
script = os.path.join(root, "examples", "experiments", "worth_cover.py")
report = Report(5)
with tempfile.TemporaryDirectory() as folder:
    experiment = Experiment(root, alcore, "worth.sh", folder)  # the corpora

    def run(*settings):
        done = subprocess.run([sys.executable, script, *settings], capture_output=True, text=True, check=False,
                              env=dict(os.environ, ALCORE=alcore, ALCORE_SHARED_DATA=folder))
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]
        return done, [line for line in lines[2:] if len(line) == 9]

    everything = "10000w"  # the whole pool is bought
    pool = {word for i in range(90) if i % 3 for word in experiment.text(i).lower().split()}
    general = {word for i in range(30) for word in ("we say %d" % i).split()}
    unseen = [word for i in range(0, 90, 3) for word in experiment.text(i).lower().split() if not word.isdigit()]
    share = lambda words: "%.2f" % (100 * sum(word in words for word in unseen) / len(unseen))
    done, rows = run("en-de/general/it/0/%s/yes" % everything, "en-de/general/it/0/%s/no" % everything, "en-de/general/it/1/%s/no" % everything)
    report.check("a line for each setting", [row[:5] for row in rows] == [["en-de", "general", "it", "all", everything],
                                                                         ["en-de", "nothing", "it", "all", everything],
                                                                         ["en-de", "nothing", "it", "1", everything]], done.stdout + done.stderr)
    report.check("the whole pool covers what it has", rows[1][5:] == [share(pool)] * 4, (rows, share(pool)))
    report.check("with what is translated too", rows[0][7:] == [share(pool | general)] * 2, (rows, share(pool | general)))
    report.check("fewer rows cover less", 0 < float(rows[2][5]) < float(rows[1][5]), rows)
    done, _ = run("en-de/general/it/0/15w/perhaps")
    report.check("another word for labeled is refused", done.returncode != 0 and "perhaps" in done.stderr, done.stderr)
