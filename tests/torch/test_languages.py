#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Outputs in the language that a call names, and the best of them, beside transformers (make_languages.py), and scores in the
language of the model: in Python, Lua and the command. In TAP.
usage: test_languages.py ALCORE ROOT BUILD [LUA MODULES]"""
import json
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
HOW = {"beams": 4, "max_tokens": 9}
TOLERANCE = 1e-4


def expected(family):
    with open(os.path.join(TORCH, "languages", family + ".json"), encoding="utf-8") as file:
        return json.load(file)


def folder(box, family):
    path = os.path.join(box, family)
    if not os.path.exists(path):
        shutil.copytree(os.path.join(TORCH, "fixtures", family), path)
        shutil.copy(os.path.join(TORCH, "languages", family + "-tokenizer.json"), os.path.join(path, "tokenizer.json"))
    return path


def same(found, wanted, where):
    """Outputs with scores, in the same order."""
    assert [[text for text, _ in row] for row in found] == [[text for text, _ in row] for row in wanted], (where, found, wanted)
    for row, other in zip(found, wanted):
        assert all(abs(a - b) < TOLERANCE for (_, a), (_, b) in zip(row, other)), (where, row, other)
        assert [score for _, score in row] == sorted((score for _, score in row), reverse=True), where


def a_call_names_the_language(box):
    for family in ("m2m100", "mbart"):
        wanted = expected(family)
        model = alcore.Model.open(folder(box, family))
        for language, outputs in wanted["outputs"].items():
            found = model.translate(wanted["texts"], best=3, language=language, **HOW)
            same(found, outputs, (family, language))
            best = model.translate(wanted["texts"], language=language, **HOW)
            assert best == [row[0][0] for row in outputs], (family, language)
        firsts = {tuple(row[0][0] for row in outputs) for outputs in wanted["outputs"].values()}
        assert len(firsts) == 3, "each language has other outputs"


def the_next_call_has_the_language_of_the_folder(box):
    wanted = expected("m2m100")
    model = alcore.Model.open(folder(box, "m2m100"))
    before = model.translate(wanted["texts"], **HOW)
    model.translate(wanted["texts"], language="de", **HOW)
    assert model.translate(wanted["texts"], **HOW) == before == [row[0][0] for row in wanted["outputs"]["fr"]]


def an_unknown_language_is_answered_with_a_list(box):
    for family, language, listed in (("m2m100", "xx", "it has de, en, fr"), ("mbart", "de", "it has de_DE, en_XX, ro_RO")):
        try:
            alcore.Model.open(folder(box, family)).translate(["w20"], language=language)
            raise AssertionError("no error")
        except alcore.ParamError as error:
            assert 'language "%s" is none' % language in str(error) and listed in str(error), error


def a_pool_has_a_row_for_each_output(box):
    wanted = expected("mbart")
    with alcore.Pool(wanted["texts"] + [""], ids=["a", "b", "c", "d", "e", "f"], dedup="none") as pool:
        out = alcore.Model.open(folder(box, "mbart")).translate(pool, best=3, language="de_DE", **HOW)
        assert len(out) == 18 and [out.id(row) for row in range(3, 7)] == ["b", "b", "b", "c"]
        scores = list(out.get_column("output_scores"))
        assert [round(score, 3) for score in scores[:15]] == [round(score, 3) for row in wanted["outputs"]["de_DE"] for _, score in row]
        assert all(score != score for score in scores[15:]), "an empty text has no output"
        values, offsets = out.get_column("logprobs")
        for row in range(15):
            tokens = list(values[offsets[row]:offsets[row + 1]])
            if len(tokens) == HOW["max_tokens"]:
                continue  # the end was forced, which counts 0 in the score
            assert abs(sum(tokens) / len(tokens) - scores[row]) < TOLERANCE, row


def outputs_that_there_are_not_have_no_score(box):
    """The one token of an output is forced to be the language, so that of three beams one has an output."""
    for family, language in (("m2m100", "de"), ("mbart", "de_DE")):
        model = alcore.Model.open(folder(box, family))
        texts = expected(family)["texts"]
        for row in model.translate(texts, best=3, beams=3, max_tokens=1, language=language):
            assert [score for _, score in row] == [0.0, None, None], (family, row)
            assert row[1][0] == row[2][0] == "", (family, row)
        wider = model.translate(texts, best=3, beams=3, max_tokens=2, language=language)
        assert all(score is not None for row in wider for _, score in row), (family, wider)


def tokens(pool):
    """The log-probabilities of the tokens of each row."""
    values, offsets = pool.get_column("logprobs")
    return [list(values[a:b]) for a, b in zip(offsets, offsets[1:])]


def near(found, wanted, where):
    assert [len(row) for row in found] == [len(row) for row in wanted], where
    assert all(abs(a - b) < TOLERANCE for row, other in zip(found, wanted) for a, b in zip(row, other)), (where, found, wanted)


def own_outputs_are_scored_in_the_language_of_the_model(box):
    """They are the greedy outputs of translate() in that language; of M2M100 the first token is the language itself."""
    for family in ("m2m100", "mbart"):
        wanted = expected(family)
        model, firsts = alcore.Model.open(folder(box, family)), set()
        for language in wanted["outputs"]:
            with alcore.Pool(wanted["texts"], dedup="none") as pool:
                greedy = model.translate(pool, beams=1, language=language)
                model.set_language(language)
                assert list(model.translate(pool, beams=1)) == list(greedy), (family, language)
                model.run(pool, "logprobs")
                near(tokens(pool), tokens(greedy), (family, language))
                firsts.add(tuple(round(float(row[0]), 5) for row in tokens(pool)))
        assert len(firsts) == 3, "the first token depends on the language"
        model.set_language(None)
        with alcore.Pool(wanted["texts"], dedup="none") as pool:
            model.run(pool, "logprobs")
            near(tokens(pool), tokens(model.translate(pool, beams=1)), family)
        try:
            model.set_language("xx")
            raise AssertionError("no error")
        except alcore.ParamError as error:
            assert 'language "xx" is none' in str(error), error


def references_are_scored_in_the_language_of_the_model(box):
    """An output has the log-probabilities that it was found with. Of M2M100 the token of the language is before its words; mBART
    reads it first, and has it behind the end."""
    for family, before in (("m2m100", 1), ("mbart", 0)):
        wanted = expected(family)
        first, *others = wanted["outputs"]
        model = alcore.Model.open(folder(box, family), language=first)
        with alcore.Pool(wanted["texts"], dedup="none") as pool:
            outputs = model.translate(pool, **HOW)
            scores = model.score(wanted["texts"], list(outputs))
            assert sum(len(text.split()) for text in outputs) > 20, list(outputs)
            for row, (found, text) in enumerate(zip(tokens(outputs), outputs)):
                count = before + len(text.split())
                assert len(scores[row]) == len(text.split()) + 2, (family, row)
                near([scores[row][:count]], [found[:count]], (family, row))
            for language in others:
                model.set_language(language)
                other = model.score(wanted["texts"], list(outputs))
                assert all(abs(a[0] - b[0]) > TOLERANCE for a, b in zip(scores, other)), (family, language)


def commands_and_lua_name_the_language_of_scores(box):
    wanted, path = expected("m2m100"), folder(box, "m2m100")
    model = alcore.Model.open(path, language="de")
    outputs = model.translate(wanted["texts"], **HOW)
    for name, texts in (("s.txt", wanted["texts"]), ("r.txt", outputs)):
        with open(os.path.join(box, name), "w", encoding="utf-8") as file:
            file.writelines(text + "\n" for text in texts)

    def rows(*arguments):
        done = subprocess.run([ALCORE, *arguments], cwd=box, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return [[float(number) for number in line.split("\t")[1].split()] for line in done.stdout.splitlines()]
    scores = model.score(wanted["texts"], outputs)
    near(rows("model", "score", path, "s.txt", "r.txt", "--to", "de"), scores, "model score --to")
    with alcore.Pool(wanted["texts"], dedup="none") as pool:
        model.run(pool, "logprobs")
        means = [[-sum(row) / len(row)] for row in tokens(pool)]
    near(rows("score", "s.txt", "--scorer", "nnll", "--model", path, "--to", "de", "--out", "-"), means, "score --to")
    done = subprocess.run([ALCORE, "select", "s.txt", "--budget", "1", "--to", "de"], cwd=box, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 2 and "no --model is one that translates" in done.stderr, done.stderr
    if not LUA:
        return
    program = """
        local alcore = require("alcore")
        for _, model in ipairs{assert(alcore.open(arg[1], {language = "de"})), assert(assert(alcore.open(arg[1])):set_language("de"))} do
            for _, row in ipairs(assert(model:score({%s}, {%s}))) do print("", table.concat(row, " ")) end
        end
        print("", 0, select(2, assert(alcore.open(arg[1])):set_language("xx")))
    """ % tuple(", ".join(json.dumps(text) for text in texts) for texts in (wanted["texts"], outputs))
    with open(os.path.join(box, "scores.lua"), "w", encoding="utf-8") as file:
        file.write(program)
    done = subprocess.run([LUA[0], os.path.join(box, "scores.lua"), path], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0]))))
    assert done.returncode == 0, done.stderr
    *found, refused = done.stdout.splitlines()
    near([[float(number) for number in line.split("\t")[1].split()] for line in found], scores + scores, "Lua")
    assert "it has de, en, fr" in refused, refused


def the_command_has_both(box):
    wanted = expected("m2m100")
    path = os.path.join(box, "t.txt")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(text + "\n" for text in wanted["texts"])
    command = [ALCORE, "model", "translate", folder(box, "m2m100"), path, "--beam", "4", "--max-length", "9", "--to", "de", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [row[0][0] for row in wanted["outputs"]["de"]], (done.stdout, done.stderr)
    done = subprocess.run(command + ["--best", "3"], capture_output=True, text=True, timeout=120)
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    assert lines[0] == ["id", "rank", "score", "text"], done.stdout
    assert [(line[0], line[1]) for line in lines[1:7]] == [("1", "1"), ("1", "2"), ("1", "3"), ("2", "1"), ("2", "2"), ("2", "3")]
    same([[(line[3], float(line[2])) for line in lines[at:at + 3]] for at in range(1, 16, 3)], wanted["outputs"]["de"], "command")
    done = subprocess.run(command[:-2] + ["xx"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and "it has de, en, fr" in done.stderr, (done.returncode, done.stderr)


def lua_has_both(box):
    if not LUA:
        return
    wanted = expected("m2m100")
    program = """
        local model = assert(require("alcore").open(arg[1]))
        local found = assert(model:translate({%s}, {beams = 4, max_tokens = 9, best = 3, language = "de"}))
        for i = 1, #found do for k = 1, #found[i] do print(("%%s\\t%%.9g"):format(found[i][k].text, found[i][k].score)) end end
        print((assert(model:translate({%s}, {beams = 4, max_tokens = 9, language = "de"}))[1]))
    """ % ((", ".join(json.dumps(text) for text in wanted["texts"]),) * 2)
    path = os.path.join(box, "languages.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program)
    done = subprocess.run([LUA[0], path, folder(box, "m2m100")], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0]))))
    assert done.returncode == 0, done.stderr
    lines = [line.split("\t") for line in done.stdout.splitlines()]
    pairs = [(text, float(score)) for text, score in lines[:-1]]
    same([pairs[at:at + 3] for at in range(0, 15, 3)], wanted["outputs"]["de"], "Lua")
    assert lines[-1] == [wanted["outputs"]["de"][0][0][0]]


def main():
    tap = Tap()
    tap.run([a_call_names_the_language, the_next_call_has_the_language_of_the_folder,
             an_unknown_language_is_answered_with_a_list, a_pool_has_a_row_for_each_output, outputs_that_there_are_not_have_no_score,
             own_outputs_are_scored_in_the_language_of_the_model, references_are_scored_in_the_language_of_the_model,
             commands_and_lua_name_the_language_of_scores, the_command_has_both, lua_has_both])
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
