# SPDX-License-Identifier: Apache-2.0
"""examples/experiments/*.json: each runs as it is, has every round of every run, and shows what its paper does.
Usage: run_experiments.py SOURCE ALCORE."""
import csv
import json
import os
import subprocess
import sys
import tempfile

source, alcore = map(os.path.abspath, sys.argv[1:3])
folder = os.path.join(source, "examples", "experiments")
results, failed = [], 0


def check(right, what):
    global failed
    failed += not right
    results.append("%s %d - %s" % ("ok" if right else "not ok", len(results) + 1, what))


def table(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def mean(rows, strategy, measure, number):
    return next(float(row["mean"]) for row in rows if (row["strategy"], row["measure"], row["round"]) == (strategy, measure, str(number)))


with tempfile.TemporaryDirectory(prefix="alcore-experiments-") as scratch:
    tables = {}
    for name in ("huds", "phrases", "demux"):
        out = os.path.join(scratch, name)
        with open(os.path.join(folder, name + ".json"), encoding="utf-8") as file:
            config = json.load(file)
        done = subprocess.run([alcore, "experiment", os.path.join(folder, name + ".json"), out], capture_output=True, text=True)
        check(done.returncode == 0, "%s.json runs%s" % (name, "\n# " + done.stderr if done.returncode else ""))
        if done.returncode:
            continue
        names = [one if isinstance(one, str) else one["name"] for one in config["strategies"]]
        wanted = {(strategy, str(seed), str(number)) for strategy in names for seed in config["seeds"]
                  for number in range(0 if config.get("zero") else 1, config["rounds"] + 1)}
        rows = table(os.path.join(out, "metrics.tsv"))
        check({(row["strategy"], row["seed"], row["round"]) for row in rows} == wanted and len(rows) == len(wanted), name + ": every round of every run")
        check(all(row["coverage"] for row in rows), name + ": each is measured")
        again = subprocess.run([alcore, "experiment", os.path.join(folder, name + ".json"), out, "--json"], capture_output=True, text=True)
        check(again.returncode == 0 and json.loads(again.stdout)["rounds"] == 0, name + ": nothing is left to do")
        tables[name] = table(os.path.join(out, "table.tsv"))
    if len(tables) == 3:
        # HUDS: the rounds before the first query are one and the same.
        check(mean(tables["huds"], "huds", "perplexity", 1) == mean(tables["huds"], "random", "perplexity", 1), "huds: round 1 is shared")
        check(mean(tables["huds"], "huds", "perplexity", 4) < mean(tables["huds"], "huds", "perplexity", 1) < mean(tables["huds"], "huds", "perplexity", 0),
              "huds: the model learns")
        # Phrases (Table 3): semi-maximal ones cover more than drawn and most frequent ones.
        check(mean(tables["phrases"], "ngf-smp", "coverage", 1) > max(mean(tables["phrases"], other, "coverage", 1) for other in ("random-phrase", "ngf")),
              "phrases: ngf-smp covers most of the phrases")
        # DeMuX (Table 3): with few labels, knowing the target pays.
        check(mean(tables["demux"], "knn-uncertainty", "accuracy", 3) > mean(tables["demux"], "egalitarian", "accuracy", 3),
              "demux: knn-uncertainty is ahead of egalitarian")
print("1..%d" % len(results))
print("\n".join(results))
sys.exit(failed > 0)
