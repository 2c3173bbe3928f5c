# SPDX-License-Identifier: Apache-2.0
"""examples/experiments/tagging.py on made languages whose words' states are there already. run_tagging.py ROOT

In the language en nouns and verbs have the states 0 and 1, as in the source xx; in the target zz they are the other way round and further
away, as in the source yy. So only rows of yy, or of zz itself, teach what the words of zz are."""
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile

import numpy

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from scripts import Report  # noqa: E402

root, = sys.argv[1:]
report = Report(8)
STRATEGIES = ["random", "egalitarian", "gold", "average-dist", "knn-uncertainty", "same-ratio", "uncertainty,mode=mnlp"]
with tempfile.TemporaryDirectory() as folder:
    draw, states = random.Random(1), os.path.join(folder, "states")
    os.mkdir(states)

    def make(language, turned, **splits):
        with lzma.open(os.path.join(folder, language + ".tsv.xz"), "wt", encoding="utf-8", newline="\n") as file:
            file.write("split\ttokens\tupos\n")
            for split, count in splits.items():
                rows = [[draw.randrange(2) for _ in range(5)] for _ in range(count)]
                found = [[float(tag != turned), float(tag == turned), turned + draw.random(), draw.random()] for row in rows for tag in row]
                numpy.save(os.path.join(states, "%s.%s.npy" % (language, split)), numpy.array(found, dtype=numpy.float16))
                file.writelines("%s\t%s\t%s\n" % (split, " ".join("%s%d" % (language, draw.randrange(900)) for _ in row),
                                                 " ".join(("NOUN", "VERB")[tag] for tag in row)) for row in rows)

    make("en", False, source=30)
    make("xx", False, source=120)
    make("yy", True, source=120)
    make("zz", True, source=30, gold=120, target=20, test=40)
    make("ww", True, test=130)
    numpy.save(os.path.join(states, "ww.target.npy"), numpy.load(os.path.join(states, "ww.test.npy"))[:5 * 117])
    numpy.save(os.path.join(states, "ww.test.npy"), numpy.load(os.path.join(states, "ww.test.npy"))[5 * 117:])

    def run(target, *strategies):
        command = [sys.executable, os.path.join(root, "examples", "experiments", "tagging.py"), folder, "none", states, *strategies, "--target", target,
                   "--budget", "30", "--rounds", "2", "--runs", "2"]
        return subprocess.run(command, capture_output=True, text=True, timeout=100)

    done = run("zz", *STRATEGIES)
    found = done.stdout + done.stderr[-500:]
    first, _, last = done.stdout.partition("**All 1 targets**")
    lines = {match.group(1): [cell.strip() for cell in match.group(2).split("|")] for match in re.finditer(r"^\| `(\S+)` (.*) \|$", first, re.M)}
    report.check("a table for the target and one of all", done.returncode == 0 and list(lines) == STRATEGIES and
                 last.count("`") == 2 * len(STRATEGIES) and "160 source rows, 20 of the target, 40 of test, 120 of gold" in first, found)
    languages = {name: set(re.findall(r"(\w\w):", cells[0])) for name, cells in lines.items()}
    report.check("gold buys of the target, the others of the source languages", languages.pop("gold", None) == {"zz"} and
                 all(one <= {"xx", "yy"} for one in languages.values()) and lines["egalitarian"][0] in ("xx:50% yy:50%", "yy:50% xx:50%"), found)
    after = {name: [float(cell) for cell in cells[1:4]] for name, cells in lines.items()}
    near, random_draws = after.get("average-dist", [0] * 3), after.get("random", [0] * 3)
    report.check("near rows teach, and random ones less", lines.get("average-dist", [""])[0] == "yy:100%" and near[0] < 10 and near[2] > 80 and
                 random_draws[2] < 60 and random_draws[0] == near[0], found)
    report.check("same-ratio has the languages of knn-uncertainty", done.returncode == 0 and
                 lines["same-ratio"][0] == lines["knn-uncertainty"][0], found)
    report.check("random is compared with nothing, others with it", done.returncode == 0 and lines["random"][5] == "" and
                 re.fullmatch(r"\+\d+\.\d\d ± \d+\.\d\d", lines["average-dist"][5]) and
                 abs(float(lines["average-dist"][5].split()[0]) - near[2] + random_draws[2]) < 0.02, found)
    wrong = run("zz", "uncertainty,mode=nonsense")
    report.check("parameters are read", wrong.returncode != 0 and "nonsense" in wrong.stderr, wrong.stderr)
    alone = run("ww", "gold")  # zz is a source here
    report.check("of a language with a test alone the first rows are the target's", alone.returncode == 0 and
                 "180 source rows, 117 of the target, 13 of test, 117 of gold" in alone.stdout, alone.stdout + alone.stderr)
    kept = os.path.join(states, "zz.1.2.30.json")
    with open(kept, encoding="utf-8") as file:
        first = file.read()
    os.remove(kept)
    other = os.path.join(states, "zz.0.2.30.json")
    os.utime(other, (1, 1))
    again = run("zz", *STRATEGIES).stdout
    with open(kept, encoding="utf-8") as file:
        report.check("a run that is there is not made again, and one that is made again is the same", done.returncode == 0 and
                     again == done.stdout and os.path.getmtime(other) == 1 and file.read() == first, found + again)
sys.exit(bool(report.faults))
