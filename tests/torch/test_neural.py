#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Texts through the torch engine, from a folder with random weights and a vocabulary of letters: the command, the examples in
C, Python and Lua, and the library's version of a column. In TAP.
usage: test_neural.py ALCORE ROOT BUILD NEURAL [LUA MODULES]"""
import ctypes
import os
import shutil
import string
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from tap import Tap  # noqa: E402

ALCORE, ROOT, BUILD, NEURAL = sys.argv[1:5]
LUA = sys.argv[5:]
FIXTURES = os.path.join(ROOT, "tests", "torch", "fixtures")
LETTERS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"] + list(string.ascii_lowercase) + ["##" + letter for letter in string.ascii_lowercase]
TEXTS = ["a patient with fever", "no fever", "severe headache today", "headache", "the patient was treated", "fever and headache",
         "he sleeps", "she sleeps well", "nothing was found", "a cough"]


def folder(box, family, name):
    """A folder of random weights (make_fixtures.py) with a vocabulary of letters."""
    path = os.path.join(box, name)
    shutil.copytree(os.path.join(FIXTURES, family), path)
    with open(os.path.join(path, "vocab.txt"), "w", encoding="utf-8") as file:
        file.writelines(token + "\n" for token in LETTERS)
    return path


def pool(box):
    path = os.path.join(box, "pool.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(text + "\n" for text in TEXTS)
    return path


def run(*command, expect=0, **env):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=dict(os.environ, **env))
    assert done.returncode == expect, "%s: %d\n%s" % (" ".join(command), done.returncode, done.stderr)
    return done


def picks(box, model):
    done = run(ALCORE, "select", pool(box), "--model", "embeddings=" + model, "--model", "logprobs=ngram", "--strategy", "huds", "--budget", "5", "--quiet")
    return [line.split("\t")[-1] for line in done.stdout.splitlines()[1:]]


def the_examples_choose_what_the_command_chooses(box):
    model = folder(box, "bert", "m")
    wanted = picks(box, model)
    assert len(wanted) == 5, wanted
    assert run(NEURAL, model, pool(box)).stdout.splitlines() == wanted
    python = run(sys.executable, os.path.join(ROOT, "examples", "python", "neural.py"), model, pool(box),
                 PYTHONPATH=os.path.join(BUILD, "bindings", "python"),
                 ALCORE_LIBRARY=os.path.join(BUILD, "lib", "libalcore.so.1"), PYTHONDONTWRITEBYTECODE="1")
    assert python.stdout.splitlines() == wanted, python.stdout
    assert "bert: 16 numbers a text" in python.stderr
    if LUA:
        lua = run(LUA[0], os.path.join(ROOT, "examples", "lua", "neural.lua"), model, pool(box),
                  LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0])))
        assert lua.stdout.splitlines() == wanted, lua.stdout


def examples_are_short(box):
    for name in ("c/neural.c", "python/neural.py", "lua/neural.lua"):
        with open(os.path.join(ROOT, "examples", name), encoding="utf-8") as file:
            assert len(file.readlines()) <= 30, name


def a_head_gives_probabilities(box):
    out = os.path.join(box, "p.tsv")
    run(ALCORE, "model", "probs", folder(box, "bert-class", "c"), pool(box), "--out", out)
    with open(out, encoding="utf-8") as file:
        rows = [[float(number) for number in line.split("\t")[1:]] for line in file]
    assert len(rows) == len(TEXTS) and all(abs(sum(row) - 1) < 1e-6 for row in rows), rows[:2]
    assert len({tuple(row) for row in rows}) == len(TEXTS)


def tokens_have_probabilities_by_word(box):
    """A row of probabilities for each word: for the token that begins it."""
    probs, offsets = os.path.join(box, "p.npy"), os.path.join(box, "o.npy")
    run(ALCORE, "model", "probs", folder(box, "bert-token", "t"), pool(box), "--out", probs, "--offsets", offsets)
    with open(offsets, "rb") as file:
        data = file.read()
    bounds = (ctypes.c_int64 * (len(TEXTS) + 1)).from_buffer_copy(data[-8 * (len(TEXTS) + 1):])
    assert [b - a for a, b in zip(bounds, bounds[1:])] == [len(text.split()) for text in TEXTS], list(bounds)


def another_vocabulary_is_another_model(box):
    model, cache = folder(box, "bert", "m"), os.path.join(box, "cache")
    select = [ALCORE, "select", pool(box), "--model", "embeddings=" + model, "--model", "logprobs=ngram", "--strategy", "huds", "--budget", "5", "--quiet", "--cache", cache]

    def kept():
        return {name for name in os.listdir(cache) if name.startswith("embeddings-")}

    run(*select)
    first = kept()
    run(*select)
    assert kept() == first and len(first) == 1, first
    with open(os.path.join(model, "vocab.txt"), "a", encoding="utf-8") as file:
        file.write("fever\n")
    run(*select)
    assert len(kept() - first) == 1, "the embeddings of other tokens have a file of their own"


def number_types_of_the_command(box):
    """--dtype says in which type the model multiplies, wherever the command opens one; a cache keeps the columns of each type."""
    model, cache, vectors = folder(box, "bart", "m"), os.path.join(box, "cache"), {}
    for dtype in ("float32", "bfloat16", "int8"):
        out = os.path.join(box, dtype + ".tsv")
        run(ALCORE, "model", "embed", model, pool(box), "--dtype", dtype, "--out", out)
        with open(out, encoding="utf-8") as file:
            vectors[dtype] = [float(number) for line in file for number in line.split("\t")[1:]]
        assert ("dtype: %s\n" % {"float32": "Float", "bfloat16": "BFloat16", "int8": "Int8"}[dtype]) in run(
            ALCORE, "model", "info", model, "--dtype", dtype).stdout
        run(ALCORE, "select", pool(box), "--model", model, "--dtype", dtype, "--strategy", "huds", "--budget", "3", "--quiet", "--cache", cache)
        assert len([name for name in os.listdir(cache) if name.startswith("embeddings-")]) == len(vectors), dtype
    for dtype in ("bfloat16", "int8"):
        assert 0 < max(abs(a - b) for a, b in zip(vectors[dtype], vectors["float32"])) < 0.5, dtype
    scores = [run(ALCORE, "score", pool(box), "--scorer", "nnll", "--model", model, *more).stdout for more in ([], ["--dtype", "int8"])]
    assert scores[0] != scores[1] and len(scores[0].splitlines()) == len(scores[1].splitlines()), scores
    for options, message in ((["--model", "ngram", "--dtype", "int8"], "no --model is a Hugging Face folder"),
                             (["--model", model, "--dtype", "int4"], "float32|bfloat16|float16|int8")):
        assert message in run(ALCORE, "score", pool(box), "--scorer", "nnll", *options, expect=2).stderr
    assert "float16" in run(ALCORE, "model", "embed", model, pool(box), "--dtype", "float16", "--out", os.path.join(box, "no.tsv"), expect=6).stderr


def lp_of(path):
    """The log-probabilities of each line of a .lp file."""
    with open(path, encoding="utf-8") as file:
        return [[float(number) for number in line.split("\t")[1].split()] for line in file]


def a_seq2seq_model_scores_what_it_would_say(box):
    """The uncertainty of a source is that of the model's own greedy output."""
    model, scores, outputs = folder(box, "bart", "s"), os.path.join(box, "s.tsv"), os.path.join(box, "o.txt")
    run(ALCORE, "score", pool(box), "--scorer", "nnll", "--model", model, "--out", scores)
    run(ALCORE, "model", "translate", model, pool(box), "--beam", "1", "--out", outputs, "--scores", outputs + ".lp")
    with open(scores, encoding="utf-8") as file:
        found = [float(line.split("\t")[1]) for line in file]
    wanted = [-sum(tokens) / len(tokens) for tokens in lp_of(outputs + ".lp")]
    assert len(found) == len(TEXTS) and max(abs(a - b) for a, b in zip(found, wanted)) < 1e-4, (found, wanted)
    with open(outputs, encoding="utf-8") as file:
        assert len(file.readlines()) == len(TEXTS)
    beamed = os.path.join(box, "b.lp")
    run(ALCORE, "model", "translate", model, pool(box), "--beam", "4", "--max-length", "6", "--out", outputs, "--scores", beamed)
    assert max(map(len, lp_of(beamed))) <= 6


def targets_are_scored_given_their_sources(box):
    """The same target has other log-probabilities behind another source; each of its tokens has one, special ones too."""
    model, out, sources, targets = folder(box, "bart", "s"), *(os.path.join(box, name) for name in ("t.lp", "s.txt", "t.txt"))
    for path, lines in ((sources, ["no fever", "a cough", "no fever"]), (targets, ["he", "he", "she"])):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
    run(ALCORE, "model", "score", model, sources, targets, "--out", out)
    first, second, third = lp_of(out)
    assert (len(first), len(second), len(third)) == (4, 4, 5), (first, second, third)
    assert first != second and all(number <= 0 for number in first + second + third)
    assert abs(first[0] - third[0]) < 1e-5, "the first token is the same, and so is what stands before it"


def passes_with_dropout_differ_by_their_seed(box):
    model, out, texts = folder(box, "bart", "s"), os.path.join(box, "t.lp"), pool(box)

    def score(*more):
        run(ALCORE, "model", "score", model, texts, texts, "--out", out, *more)
        return lp_of(out)

    def largest(a, b):
        return max(abs(x - y) for one, other in zip(a, b) for x, y in zip(one, other))

    plain, first, again, second = score(), score("--dropout", "1"), score("--dropout", "1"), score("--dropout", "2")
    assert first == again and [len(row) for row in first] == [len(row) for row in plain]
    assert min(largest(plain, first), largest(first, second)) > 0.01, "dropout changes nothing"
    if LUA:
        program = """local model, texts = assert(require("alcore").open(arg[1])), {}
                     for line in io.lines(arg[2]) do texts[#texts + 1] = line end
                     for _, row in ipairs(assert(model:set_dropout(1):score(texts, texts))) do print("", table.concat(row, " ")) end
                     for _, row in ipairs(assert(model:set_dropout():score(texts, texts))) do print("", table.concat(row, " ")) end"""
        with open(os.path.join(box, "d.lua"), "w", encoding="utf-8") as file:
            file.write(program)
        done = run(LUA[0], os.path.join(box, "d.lua"), model, texts, LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0])))
        rows = [[float(number) for number in line.split("\t")[1].split()] for line in done.stdout.splitlines()]
        assert len(rows) == 2 * len(TEXTS) and largest(rows, first + plain) < 1e-5, done.stdout
    wrong = run(ALCORE, "model", "score", model, texts, texts, "--dropout", "-1", expect=2)
    assert "--dropout" in wrong.stderr, wrong.stderr


def chosen(*command):
    """{id: score} of a selection, in its order."""
    return {row[2]: float(row[3]) for row in (line.split("\t") for line in run(ALCORE, "select", *command, "--quiet").stdout.splitlines()[1:])}


def round_trips_are_scored(box):
    """Translations by one model and scores by another: the row that comes back least likely is the first."""
    there, back = folder(box, "bart", "there"), folder(box, "t5", "back")
    texts, outputs, scores, returned = pool(box), *(os.path.join(box, name) for name in ("there.txt", "back.lp", "back.txt"))
    run(ALCORE, "model", "translate", there, texts, "--beam", "4", "--max-length", "12", "--out", outputs)
    run(ALCORE, "model", "score", back, outputs, texts, "--out", scores)
    found = chosen(texts, "--strategy", "rttl", "--logprobs", scores, "--budget", "10")
    wanted = {str(row): -sum(tokens) / len(tokens) for row, tokens in enumerate(lp_of(scores), 1)}
    assert list(found) == sorted(wanted, key=lambda row: -wanted[row]), (found, wanted)
    assert all(abs(found[row] - wanted[row]) < 1e-9 for row in wanted), (found, wanted)
    run(ALCORE, "model", "translate", back, outputs, "--max-length", "12", "--out", returned)
    with open(returned, encoding="utf-8") as file:
        lines = file.read().splitlines()
    lines[3] = TEXTS[3]  # one that comes back
    with open(returned, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)
    found = chosen(texts, "--strategy", "rtt-bleu", "--roundtrip", returned, "--budget", "10")
    assert len(found) == len(TEXTS) and list(found)[-1] == "4" and abs(found["4"]) < 1e-9 and min(list(found.values())[:-1]) > 0.5, found


def alps_takes_losses_from_the_model(box):
    """Each vector that it clusters is made of losses of its row: rows of the same losses are the same."""
    masked, columns = folder(box, "bert-mlm", "m"), {}
    texts = pool(box)
    with open(texts, "a", encoding="utf-8") as file:
        file.write("zebra\n")
    done = run(ALCORE, "select", texts, "--strategy", "alps", "-p", "share=1", "--model", masked, "--budget", "11", "--report", box + "/r.json")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    columns = {row[2]: dict(zip(rows[0], row)) for row in rows[1:]}
    assert len(columns) == 11 and len({row["loss"] for row in columns.values()}) == 11, done.stdout
    assert all(float(row["loss"]) > 0 for row in columns.values()), done.stdout
    assert "mlm_losses: model" in done.stderr, done.stderr
    # A token is a letter, to which random weights give about one chance in 54.
    for row in columns.values():
        named = row["reason"].partition("; rare words: ")[2].split(", ")
        assert set(named) <= set(row["text"].split()), row
    wrong = run(ALCORE, "select", texts, "--strategy", "alps", "--model", folder(box, "bert", "b"), "--budget", "3", expect=3)
    assert "mlm_losses" in wrong.stderr, wrong.stderr


def a_folder_without_a_tokenizer_is_refused(box):
    done = run(ALCORE, "model", "embed", os.path.join(FIXTURES, "bert"), pool(box), "--out", os.path.join(box, "e.npy"), expect=6)
    assert "its folder has no tokenizer" in done.stderr, done.stderr
    assert "family: bert" in run(ALCORE, "model", "info", os.path.join(FIXTURES, "bert")).stdout


def main():
    cases = [the_examples_choose_what_the_command_chooses, examples_are_short, a_head_gives_probabilities,
             tokens_have_probabilities_by_word, number_types_of_the_command, a_seq2seq_model_scores_what_it_would_say,
             targets_are_scored_given_their_sources, passes_with_dropout_differ_by_their_seed, round_trips_are_scored,
             alps_takes_losses_from_the_model, another_vocabulary_is_another_model, a_folder_without_a_tokenizer_is_refused]
    tap = Tap()
    tap.run(cases)
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
