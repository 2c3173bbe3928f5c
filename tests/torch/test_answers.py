#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Questions and contexts through the torch engine beside transformers (make_answers.py): the windows of long contexts and
their probabilities, in Python, Lua and the command. In TAP.
usage: test_answers.py ALCORE ROOT BUILD [LUA MODULES]"""
import json
import math
import os
import shutil
import subprocess
import sys

ALCORE, ROOT, BUILD = sys.argv[1:4]
LUA = sys.argv[4:]
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from tap import Tap  # noqa: E402

TORCH = os.path.join(ROOT, "tests", "torch")
TOLERANCE = 1e-4


def answers(family):
    with open(os.path.join(TORCH, "answers", family + ".json"), encoding="utf-8") as file:
        return json.load(file)


def folder(box, family):
    path = os.path.join(box, family)
    if not os.path.exists(path):
        shutil.copytree(os.path.join(TORCH, "fixtures", family + "-qa"), path)
        shutil.copy(os.path.join(TORCH, "answers", family + "-tokenizer.json"), os.path.join(path, "tokenizer.json"))
    return path


def questions(pairs):
    """A pool of the questions, whose contexts are a column."""
    pool = alcore.Pool([question for question, _ in pairs], dedup="none")
    pool.set_column("qa_contexts", [context for _, context in pairs])
    return pool


def lists(pool, name):
    """The values of each row of a ragged column."""
    values, offsets = pool.get_column(name)
    return [list(values[a:b]) for a, b in zip(offsets, offsets[1:])]


def joined(row, part):
    return [value for window in row for value in window[part]]


def same_windows(pool, rows, where):
    """Probabilities and their logarithms, window by window."""
    assert [list(map(int, row)) for row in lists(pool, "qa_windows")] == [[len(w["start"]) for w in row] for row in rows], where
    for part, column in (("start", "qa_start"), ("end", "qa_end")):
        for found, wanted in zip(lists(pool, column), (joined(row, part) for row in rows)):
            assert len(found) == len(wanted), where
            assert max(abs(a - b) for a, b in zip(found, wanted)) < TOLERANCE, (where, column)
            assert max(abs(math.log(a) - math.log(b)) for a, b in zip(found, wanted)) < TOLERANCE, (where, column)


def sum_prob(row):
    """The largest sum of the logarithms of start and end of a row's windows, negated (DeMuX)."""
    return -max(math.log(max(w["start"])) + math.log(max(w["end"])) for w in row)


def windows_are_those_of_transformers(box):
    seen = set()
    for family in ("bert", "xlmroberta"):
        wanted = answers(family)
        for run in wanted["runs"]:
            model = alcore.Model.open(folder(box, family), max_tokens=run["max_tokens"], stride=run["stride"])
            with questions(wanted["pairs"]) as pool:
                for column in ("qa_start", "qa_end", "qa_windows"):
                    model.run(pool, column)
                same_windows(pool, run["rows"], (family, run["max_tokens"], run["stride"]))
            seen.update(len(row) for row in run["rows"])
    assert {1, 2} <= seen and max(seen) > 5, seen


def uncertainty_is_that_of_the_most_confident_window(box):
    wanted = answers("bert")
    rows = wanted["runs"][2]["rows"]
    model = alcore.Model.open(folder(box, "bert"))
    found = alcore.select([question for question, _ in wanted["pairs"]], 8, "uncertainty", model=model, params={"windows": 1},
                          qa_contexts=[context for _, context in wanted["pairs"]])
    scores = [sum_prob(row) for row in rows]
    assert list(found.indices) == sorted(range(8), key=lambda row: -scores[row]), (found.indices, scores)
    assert max(abs(found.scores[rank] - scores[row]) for rank, row in enumerate(found.indices)) < TOLERANCE


def the_command_reads_contexts_from_a_column(box):
    wanted = answers("bert")
    scores = [sum_prob(row) for row in wanted["runs"][2]["rows"]]
    for name in ("pool.jsonl", "pool.tsv"):
        path = os.path.join(box, name)
        with open(path, "w", encoding="utf-8") as file:
            if name.endswith(".tsv"):
                file.write("question\tcontext\n")
            for question, context in wanted["pairs"]:
                file.write(json.dumps({"question": question, "context": context}) + "\n" if name.endswith(".jsonl")
                           else "%s\t%s\n" % (question, context))
        done = subprocess.run([ALCORE, "select", path, "--text-column", "question", "--context-column", "context", "--strategy",
                               "uncertainty", "-p", "windows=1", "--model", folder(box, "bert"), "--budget", "3", "--quiet"],
                              capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        picks = [line.split("\t") for line in done.stdout.splitlines()[1:]]
        order = sorted(range(8), key=lambda row: -scores[row])[:3]
        assert [int(pick[1]) for pick in picks] == order, (picks, order)
        assert all(abs(float(pick[3]) - scores[row]) < TOLERANCE for pick, row in zip(picks, order)), picks


def lua_answers_too(box):
    if not LUA:
        return
    pairs = answers("bert")["pairs"]
    program = """
        local alcore = require("alcore")
        local model = assert(alcore.open(arg[1], {max_tokens = 20, stride = 6}))
        local questions, contexts = {%s}, {%s}
        local found = assert(alcore.select{texts = questions, budget = 8, strategy = "uncertainty", model = model,
                                           params = {windows = 1}, qa_contexts = contexts})
        for i = 1, #found do print(found.indices[i], found.scores[i]) end
    """ % tuple(", ".join(json.dumps(pair[side]) for pair in pairs) for side in (0, 1))
    path = os.path.join(box, "answers.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program)
    done = subprocess.run([LUA[0], path, folder(box, "bert")], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0]))))
    assert done.returncode == 0, done.stderr
    scores = [sum_prob(row) for row in answers("bert")["runs"][0]["rows"]]
    found = [float(line.split()[1]) for line in done.stdout.splitlines()]
    assert max(abs(a - b) for a, b in zip(found, sorted(scores, reverse=True))) < TOLERANCE, (done.stdout, scores)


def other_contexts_have_other_answers(box):
    """What the model keeps for the next column is not used for the same questions about other contexts."""
    model = alcore.Model.open(folder(box, "bert"))
    first = answers("bert")["pairs"]
    found = []
    for pairs in (first, [(question, context + " w9") for question, context in first]):
        with questions(pairs) as pool:
            model.run(pool, "qa_start")
            found.append(lists(pool, "qa_start"))
    assert all(len(a) < len(b) for a, b in zip(*found)), "the answers to other contexts are other ones"


def what_is_missing_is_named(box):
    model = alcore.Model.open(folder(box, "bert"), max_tokens=16, stride=6)
    for contexts, error, text in (
            (None, alcore.MissingError, 'the column of texts "qa_contexts" is missing'),
            (["w5", None], alcore.MissingError, "row 1 (id 2) has no context"),
            (["w5", "w6 " * 30], alcore.DataError, "row 1 (id 2): the question and special tokens are 10 tokens: with a stride of 6"),
    ):
        pool = alcore.Pool(["w7", "w8 w9 w8 w9 w8 w9 w8"], dedup="none")
        if contexts:
            pool.set_column("qa_contexts", contexts)
        try:
            model.run(pool, "qa_start")
            raise AssertionError("no error: " + text)
        except error as problem:
            assert text in str(problem), problem


def an_empty_context_has_no_window(box):
    model = alcore.Model.open(folder(box, "bert"))
    with questions([("w7", ""), ("w7", "w8 w9")]) as pool:
        for column in ("qa_windows", "qa_start", "qa_end"):
            model.run(pool, column)
        assert [list(map(int, row)) for row in lists(pool, "qa_windows")] == [[], [2]]
        assert [len(row) for row in lists(pool, "qa_start")] == [0, 2]


def main():
    tap = Tap()
    tap.run([windows_are_those_of_transformers, uncertainty_is_that_of_the_most_confident_window,
             the_command_reads_contexts_from_a_column, lua_answers_too, other_contexts_have_other_answers,
             what_is_missing_is_named, an_empty_context_has_no_window])
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
