# SPDX-License-Identifier: Apache-2.0
"""examples/experiments/worth.sh, with a command that trains nothing. run_worth.py ROOT ALCORE"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from experiment import Experiment  # noqa: E402
from scripts import Report, table  # noqa: E402

root, alcore = sys.argv[1:]
report = Report(23)
with tempfile.TemporaryDirectory() as folder:
    experiment = Experiment(root, alcore, "worth.sh", folder, SEEDS="1 2", BUDGET="15w")
    run, text = experiment.run, experiment.text

    def refused(what, **settings):
        done, _ = run("it", "default", **settings)
        report.check("%s is refused by its name" % what, done.returncode != 0 and what in done.stderr, done.stderr)

    refused("LABELED=0", LABELED="0")
    refused("ROWS=61", ROWS="61")
    refused("UNTIL=selections", UNTIL="selections")
    done, calls = run("it", "random-1", "--strategy", "random", UNTIL="picks")
    report.check("until the picks nothing is trained or translated", done.returncode == 0 and "select" in calls and "model" not in calls and
                 done.stdout == "", calls + done.stdout + done.stderr)
    done, calls = run("it", "random-1", "--strategy", "random")
    report.check("a selection ends with the table", done.returncode == 0 and "| random | " in done.stdout, done.stdout + done.stderr)
    report.check("the base and a model for each seed are trained", calls.count("model train") == 3, calls)
    report.check("on the CPU", calls.count("--device cpu") == 6 == calls.count("model train") + calls.count("model translate"), calls)
    report.check("the picks that are there are taken", "select" not in calls, calls)
    done, calls = run("it", "default")
    lines = [line.strip("|").split("|") for line in done.stdout.splitlines()[2:]]
    rows, covered, rare = ({line[0].strip(): line[column].strip() for line in lines} for column in (7, 2, 5))
    report.check("the table compares it with chance", done.returncode == 0 and sorted(rows) == ["default", "nothing bought", "random"] and
                 re.fullmatch(r"[+-]\d+\.\d\d \([+-]\d+\.\d\d to [+-]\d+\.\d\d\)", rows["default"]) and rows["random"] == "",
                 done.stdout + done.stderr)
    report.check("the base is trained once", calls.count("model train") == 2, calls)
    translated = [call.split()[2] for call in calls.splitlines() if call.startswith("model translate")]
    report.check("and its translations are kept", len(translated) == 2 and not any(model.endswith("base") for model in translated), calls)
    at = lambda *names: experiment.at("it.15w", *names)
    pool, picks = table(at("pool.tsv")), table(at("picks", "default.tsv"))
    report.check("the pool is the training part", [row["source"] for row in pool] == [text(i) for i in range(90) if i % 3], pool)
    report.check("long general pairs and those of other parts are left out", len(table(at("general.tsv"))) == 30)
    chosen = [int(row["index"]) for row in table(at("selections", "default.tsv"))]
    bought = {word for i in chosen for word in pool[i]["source"].lower().split()}
    words = [word for i in range(0, 90, 3) for word in text(i).lower().split()]
    share = "%.1f %%" % (100 * sum(word in bought for word in words) / len(words))
    report.check("the table says how many words are covered", covered["default"] == share != "100.0 %", (covered, share))
    asked = right = 0
    for output, reference in zip(open(at("outputs", "default.1.txt")), open(at("test.target"))):
        left = output.lower().split()
        for word in reference.lower().split():
            asked += word != "open"
            if word != "open" and word in left:
                left.remove(word)
                right += 1
    report.check("and how many of the rare words are right", rare["default"] == "%.1f %%" % (100 * right / asked) and 0 < right < asked,
                 (rare, right, asked))
    report.check("what was picked is trained on, with its seed", picks == [pool[i] for i in chosen] and
                 json.load(open(at("outputs", "default.2.json")))["seed"] == 2, picks)
    done, calls = run("it", "default")
    report.check("a second call makes nothing again", done.returncode == 0 and "model" not in calls, calls + done.stderr)
    for name in ("pool.tsv", "general.tsv", "vocabulary.txt", "test.tsv"):
        os.remove(at(name))
    done, calls = run("it", "default", SEEDS="3", DEVICE="cuda", UNTIL="outputs", ALCORE_SHARED_DATA="nowhere")
    report.check("outputs need no corpora once there are picks; they are trained on the device, and translated on the CPU",
                 done.returncode == 0 and done.stdout == "" and os.path.exists(at("outputs", "default.3.txt")) and
                 [" ".join(call.split()[:2] + call.split()[call.split().index("--device"):][:2]) for call in calls.splitlines()] ==
                 ["model train --device cuda", "model translate --device cpu"], calls + done.stdout + done.stderr)
    done, calls = run("it", "default", PAIR="de-en", GENERAL="it", ROWS="9", LABELED="no")
    at = lambda *names: experiment.at("de-en.it", "it.9.unlabeled.15w", *names)
    pool = table(at("pool.tsv"))
    report.check("the other direction is read from the same tables, and has a base of its own", done.returncode == 0 and
                 calls.count("model train") == 3 and all(row["source"] == row["target"].upper() for row in pool), pool)
    report.check("a pool has as many rows as are asked for", len(pool) == 9, pool)
    report.check("a selection without a labeled side does not see it", "select pool.tsv" in calls and "--labeled" not in calls, calls)
    experiment.write("catalogues", "th", "package en th", [("package-%d" % (i % 8), text(i), text(i).upper()) for i in range(2400)])
    done, calls = run("catalogues", "default", PAIR="th-en", GENERAL="catalogues")
    at = lambda *names: experiment.at("th-en.catalogues", *names)
    general, pool, test = (table(at("catalogues.15w", name)) for name in ("general.tsv", "pool.tsv", "test.tsv"))
    report.check("half of the packages of a catalogue are translated, the others are the domain", done.returncode == 0 and
                 (len(general), len(pool), len(test)) == (1200, 200, 1000), done.stderr)
    report.check("which translates into English", all(row["source"] == row["target"].upper() for row in general + pool + test), pool)
sys.exit(bool(report.faults))
