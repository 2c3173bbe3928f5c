#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A project of many items beside files and beside a plain loop over SQLite in Python: wall time and processor time, medians of rounds, peak
memory, and ratios of both times.

  bench_project.py ALCORE [--items 300000] [--answers 100000] [--rounds 3] [--strategy ngram-cover] [--folder DIR]

- next: the first round of a project, beside `alcore select` on the same file with the same budget; the copy of the project is new for
  each of them
- status: of that project, and of one with 50 rounds
- the 50th round, of a small budget, beside `alcore select` without what earlier rounds picked; both pick the same
- report: of one round of --answers items that two people translated or gave labels, and of one whose items are near-duplicates of 1,000
- import: answers to --answers items (CSV), beside a loop that reads the file by the module csv and inserts what it finds into a table by
  the module sqlite3, with the project's settings (rollback journal, synchronous=EXTRA, one transaction)"""
import argparse
import csv
import os
import random
import shutil
import sqlite3
import statistics
import tempfile
import time

parser = argparse.ArgumentParser()
parser.add_argument("alcore", type=os.path.abspath)
for name, default in (("items", 300000), ("answers", 100000), ("rounds", 3)):
    parser.add_argument("--" + name, type=int, default=default)
parser.add_argument("--strategy", default="ngram-cover")
parser.add_argument("--folder")
given = parser.parse_args()
ITEMS, ANSWERS, ROUNDS = given.items, min(given.answers, given.items), given.rounds
folder = tempfile.mkdtemp(prefix="alcore-project-", dir=given.folder)


def run(*words):
    """Seconds, seconds of the processor, and peak memory (MiB) of a command."""
    pid = os.fork()
    if pid == 0:
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execv(given.alcore, ["alcore", *words, "-q"])
    begin = time.monotonic()
    _, status, used = os.wait4(pid, 0)
    if status:
        raise SystemExit("alcore %s: exit status %d" % (" ".join(words), os.waitstatus_to_exitcode(status)))
    return time.monotonic() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def repeated(prepare, *words):
    found = []
    for _ in range(ROUNDS):
        prepare()
        found.append(run(*words))
    return [statistics.median(one) for one in zip(*found)]


def at(name):
    return os.path.join(folder, name)


def copy(source):
    shutil.rmtree(at("now"), ignore_errors=True)
    shutil.copytree(at(source), at("now"))


def loop():
    """The plain loop: seconds, and seconds of the processor."""
    for name in os.listdir(folder):
        if name.startswith("plain"):
            os.remove(at(name))
    begin, used = time.monotonic(), time.process_time()
    store = sqlite3.connect(at("plain.sqlite"), isolation_level=None)
    store.execute("PRAGMA journal_mode=TRUNCATE")
    store.execute("PRAGMA synchronous=EXTRA")
    store.execute("BEGIN IMMEDIATE")
    store.execute("CREATE TABLE answers(answer INTEGER PRIMARY KEY, item TEXT, annotator TEXT, value TEXT, UNIQUE(item, annotator, value))")
    with open(at("back.csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if store.execute("SELECT 1 FROM answers WHERE item = ? AND annotator = 'ann' AND value = ?",
                             (row["id"], row["translation"])).fetchone() is None:
                store.execute("INSERT INTO answers(item, annotator, value) VALUES(?, 'ann', ?)", (row["id"], row["translation"]))
    store.execute("COMMIT")
    store.close()
    return time.monotonic() - begin, time.process_time() - used


def show(what, seconds, used, memory=None, beside=None):
    print("%-34s %8.3f s %8.3f s%s%s" % (what, seconds, used, "          " if memory is None else " %5.0f MiB" % memory,
                                         "" if beside is None else " %6.2f x %6.2f x" % (seconds / beside[0], used / beside[1])), flush=True)


rng = random.Random(1)
words = [a + b + c for a in "bdfgklmnprst" for b in "aeiou" for c in ("k", "nd", "ll", "ster", "rm", "s", "chen", "t")]
with open(at("pool.txt"), "w", encoding="utf-8") as file:
    for row in range(ITEMS):
        file.write("%s %d\n" % (" ".join(rng.choices(words, k=rng.randint(8, 24))), row))
print("%d texts, %d bytes each; wall time, processor time, memory, ratios of both times" % (ITEMS, os.path.getsize(at("pool.txt")) // ITEMS))
settings = ["strategy=" + given.strategy, "budget=%d" % ANSWERS, "masks=none"]
run("project", "init", "new", *settings)
show("project add", *run("project", "add", "new", "pool.txt"))
select = repeated(lambda: None, "select", "pool.txt", "--strategy", given.strategy, "--budget", str(ANSWERS), "--masks", "none", "--out",
                  "picked.tsv")
show("select on files", *select)
show("project next", *repeated(lambda: copy("new"), "project", "next", "now"), beside=select)
shutil.copytree(at("now"), at("round"))
show("project status", *repeated(lambda: None, "project", "status", "round"))
show("project export", *repeated(lambda: None, "project", "export", "round", "--tool", "csv", "--out", "out.csv"))
with open(at("out.csv"), encoding="utf-8-sig", newline="") as file, open(at("back.csv"), "w", encoding="utf-8", newline="") as out:
    sheet = csv.DictReader(file)
    writer = csv.DictWriter(out, sheet.fieldnames)
    writer.writeheader()
    for row in sheet:
        writer.writerow({**row, "translation": "Antwort: " + row["text"]})
plain = [statistics.median(one) for one in zip(*(loop() for _ in range(ROUNDS)))]
show("plain loop of %d answers" % ANSWERS, *plain)
show("project import", *repeated(lambda: copy("round"), "project", "import", "now", "back.csv", "--tool", "csv", "--annotator", "ann"),
     beside=plain)
show("the same again", *repeated(lambda: None, "project", "import", "now", "back.csv", "--tool", "csv", "--annotator", "ann"))
with open(at("back.csv"), encoding="utf-8", newline="") as file, open(at("second.csv"), "w", encoding="utf-8", newline="") as out:
    sheet = csv.DictReader(file)
    writer = csv.DictWriter(out, sheet.fieldnames)
    writer.writeheader()
    for row in sheet:
        writer.writerow({**row, "translation": row["translation"] + rng.choice(("", " doch"))})
shutil.copytree(at("now"), at("two"))
run("project", "import", "two", "second.csv", "--tool", "csv", "--annotator", "ben")
show("project report, two annotators", *repeated(lambda: None, "project", "report", "two", "--out", "report.html"))
run("project", "set", "two", "task=classes", "labels=x")
show("the same of classes", *repeated(lambda: None, "project", "report", "two", "--out", "report.html"))
templates = [rng.choices(words, k=20) for _ in range(1000)]
with open(at("near.txt"), "w", encoding="utf-8") as file:
    for row in range(ANSWERS):
        text = list(rng.choice(templates))
        text[rng.randrange(20)] = rng.choice(words)
        file.write("%s %d\n" % (" ".join(text), row))
run("project", "init", "near", "strategy=random", "budget=%d" % ANSWERS, "masks=none")
run("project", "add", "near", "near.txt")
run("project", "next", "near")
show("project report, near-duplicates", *repeated(lambda: None, "project", "report", "near", "--out", "report.html"))
show("project labeled", *repeated(lambda: None, "project", "labeled", "now", "--out", "labeled.tsv"))
show("project verify", *repeated(lambda: None, "project", "verify", "now"))
later = str(max(1, min(1000, (ITEMS - ANSWERS) // 50)))
run("project", "set", "now", "budget=" + later, "strategy=random")
rounds = ["picked.tsv"]  # the first round, as `select` chose it
for number in range(2, 50):
    rounds.append("round%d.tsv" % number)
    run("project", "next", "now", "--out", rounds[-1])
excluded = [word for name in rounds for word in ("--exclude", name)]
select = repeated(lambda: None, "select", "pool.txt", "--strategy", "random", "--budget", later, "--masks", "none", "--round", "50", "--labeled",
                  "labeled.tsv", *excluded, "--out", "last.tsv")
show("select on files, 50th round", *select)
shutil.copytree(at("now"), at("round50"))
show("project next, 50th round", *repeated(lambda: copy("round50"), "project", "next", "now", "--out", "here.tsv"), beside=select)
with open(at("last.tsv"), "rb") as one, open(at("here.tsv"), "rb") as other:
    assert one.read() == other.read(), "both pick the same"
show("status of 50 rounds", *repeated(lambda: None, "project", "status", "now"))
shutil.rmtree(folder)
