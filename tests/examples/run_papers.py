# SPDX-License-Identifier: Apache-2.0
"""examples/experiments/papers.sh, with a command that trains nothing. run_papers.py ROOT ALCORE"""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from experiment import Experiment  # noqa: E402
from scripts import Report, table  # noqa: E402

root, alcore = sys.argv[1:]
report = Report(18)


def tables_of(text):
    """[{name: [cell of the other columns]}] of all tables."""
    found = []
    for block in re.split(r"\n\n+", text):
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines() if line.startswith("|")]
        if len(lines) > 1:
            found.append({line[0]: line[1:] for line in lines[2:]})
    return found


with tempfile.TemporaryDirectory() as folder:
    experiment = Experiment(root, alcore, "papers.sh", folder, ROWS="all", SEEDS="3", ITEMS="4", CANDIDATES="30", BUDGET="20w")
    run = experiment.run
    at = lambda *names: experiment.at("it", *names)
    config = lambda *names: json.load(open(at(*names)))

    done, calls = run("it", "rounds")
    report.check("what it makes comes first", done.returncode == 2 and "papers.sh rounds DOMAIN" in done.stderr and not calls, done.stderr)
    done, calls = run("rounds", "it")
    rounds = tables_of(done.stdout)
    report.check("each round has a table", done.returncode == 0 and [sorted(one) for one in rounds] ==
                 [["random"]] + [["huds", "idds", "nsp", "random"]] * 2, done.stdout + done.stderr)
    report.check("a model is trained for all that was bought before", [one["random"][0] for one in rounds] == ["4", "8", "12"] and
                 calls.count("model train") == 1 + 1 + 8, calls)
    picks = lambda number, name: [row["index"] for row in table(at("rounds.4", str(number), "picks", name + "-3.tsv"))]
    bought = [row["index"] for row in table(at("rounds.4", "3", "selections", "huds-3.tsv"))]
    report.check("a strategy goes on from the first draw with its own picks", bought == picks(1, "random") + picks(2, "huds") + picks(3, "huds") and
                 len(set(bought)) == 12, bought)
    selects = [line for line in calls.splitlines() if line.startswith("select ")]
    scored = {re.search(r"--strategy (\S+)", line).group(1): re.findall(r"--model (\S+)", line) for line in selects}
    report.check("it is scored by its translator of the round before", scored == {
        "random": [], "nsp": ["logprobs=rounds.4/2/outputs/nsp-3.3.model"], "idds": ["embeddings=ngram"],
        "huds": ["embeddings=ngram", "logprobs=rounds.4/2/outputs/huds-3.3.model"]}, scored)
    report.check("the rows that it looks at are drawn, those of random are not",
                 all(("candidates=30" in line) != ("--strategy random" in line) for line in selects), selects)
    report.check("every round is trained as worth.sh trains, by its seed", config("rounds.4", "3", "outputs", "huds-3.3.json")["updates"] == 300 and
                 config("rounds.4", "3", "outputs", "huds-3.3.json")["seed"] == 3)
    done, calls = run("lambda", "it")
    weights = tables_of(done.stdout)[1]
    report.check("the weights are compared with that of the default in the first queried round", done.returncode == 0 and weights["huds"][-1] == "" and
                 {"nsp", "huds,lambda=0.1", "huds,lambda=0.9", "huds,lambda=1"} < set(weights) and weights["nsp"][-1], done.stdout + done.stderr)
    report.check("what rounds has made is not made again", calls.count("model train") == 5 and "-p lambda=0.7" in calls, calls)
    done, calls = run("lambda", "it")
    report.check("a second call makes nothing again", done.returncode == 0 and not re.search("^(select|model)", calls, re.M), calls + done.stderr)

    done, calls = run("phrases", "it", SEEDS="none")
    covered, trained = tables_of(done.stdout)
    report.check("what is covered needs no training", done.returncode == 0 and "model train" not in calls and list(trained) == ["base"] and
                 sorted(covered) == ["hybrid", "mrs", "ngf", "ngf-smp", "nothing", "random", "random-phrase", "the whole pool"], done.stdout + done.stderr)
    columns = covered["ngf-smp"]
    report.check("shares of n-grams and of new words are those of eval", float(covered["nothing"][2]) <= float(columns[2]) <=
                 float(covered["the whole pool"][2]) and columns[8] == "%.1f" % (100 * int(columns[6]) / int(columns[7])), covered)
    done, calls = run("phrases", "it")
    covered, trained = tables_of(done.stdout)
    report.check("each strategy is trained beside retrieved pairs", done.returncode == 0 and calls.count("model train") == 6 and
                 trained["random.retrieved"][3] == "" and all(trained[name + ".retrieved"][3] for name in ("mrs", "ngf", "hybrid")),
                 done.stdout + done.stderr)
    report.check("coverage and BLEU are correlated", "Pearson with BLEU: 1-grams" in done.stdout, done.stdout)
    mixed = table(at("phrases.20w", "outputs", "ngf.retrieved.3.tsv"))
    phrases = len(table(at("phrases.20w", "selections", "ngf-smp.tsv")))
    words = sum(len(row["src"].split()) + len(row["tgt"].split()) for row in mixed)
    updates = config("phrases.20w", "outputs", "ngf.retrieved.3.json")["updates"]
    report.check("as many pairs are mixed in as ngf-smp buys phrases, and updates follow the words",
                 sum(row["kind"] == "retrieved" for row in mixed) == min(phrases, 30) and updates == words // 240 + 1, (len(mixed), phrases, updates))
    done, calls = run("mix", "it")
    kinds = sorted(name for name in tables_of(done.stdout)[1] if name.startswith("hybrid"))
    report.check("all kinds of pairs are mixed in", done.returncode == 0 and calls.count("model train") == 8 and
                 kinds == ["hybrid." + kind for kind in ("contextualized", "none", "random", "retrieved", "retrieved+contextualized",
                                                         "retrieved+switched", "switched")], done.stdout + done.stderr)
    done, calls = run("phrases", "it", KIND="none")
    alone = tables_of(done.stdout)[1]
    report.check("or nothing is mixed in", done.returncode == 0 and calls.count("model train") == 3 and alone["random.none"][3] == "" and
                 {"ngf.none", "random-phrase.none", "mrs.retrieved"} < set(alone) and "Pearson" in done.stdout, done.stdout + done.stderr)
    done, calls = run("phrases", "it", REVERSE=experiment.at("base"))
    sources = [row["source"] for row in table(at("pool.tsv"))]
    longest = str(max(range(len(sources)), key=lambda i: len(sources[i])))
    report.check("round trips go through the reverse translator", "model score " + experiment.at("base") +
                 " pool.translated pool.source" in calls and [row["index"] for row in table(at("phrases.20w", "selections", "rttl.tsv"))][0] == longest and
                 "rttl.retrieved" in done.stdout, done.stdout + done.stderr)
sys.exit(bool(report.faults))
