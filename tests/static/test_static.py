#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Static models in the command, Python and Lua, where no module can be loaded. In TAP.
usage: test_static.py ALCORE ROOT BUILD [LUA MODULES]"""
import os
import subprocess
import sys

ALCORE, ROOT, BUILD = sys.argv[1:4]
LUA = sys.argv[4:]
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), os.path.join(BUILD, "bindings", "python")]
os.environ.update(ALCORE_LIBRARY=os.path.join(BUILD, "lib", "libalcore.so.1"), ALCORE_MODULE_DIR="/nowhere", PYTHONDONTWRITEBYTECODE="1")
import alcore  # noqa: E402
from npy_file import read_npy  # noqa: E402
from tap import Tap  # noqa: E402

FIXTURES = os.path.join(ROOT, "tests", "static", "fixtures")
MODEL = os.path.join(FIXTURES, "quantized")
POOL = os.path.join(ROOT, "examples", "data", "pool.txt")
LABELED = os.path.join(ROOT, "examples", "data", "labeled.tsv")


def run(*command, expect=0, **env):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=dict(os.environ, **env))
    assert done.returncode == expect, "%s: %d\n%s" % (" ".join(command), done.returncode, done.stderr)
    return done


def texts():
    with open(POOL, encoding="utf-8") as file:
        return file.read().splitlines()


def picks(*options):
    done = run(ALCORE, "select", POOL, "--budget", "9", "--quiet", *options)
    return [line.split("\t")[-1] for line in done.stdout.splitlines()[1:]]


def embeddings_of(box, *options):
    out = os.path.join(box, "e.npy")
    run(ALCORE, "model", "embed", MODEL, POOL, "--out", out, *options)
    return read_npy(out)


def strategies_take_its_embeddings(box):
    """As those of a file that the same model made."""
    out = os.path.join(box, "e.npy")
    run(ALCORE, "model", "embed", MODEL, POOL, "--out", out)
    for strategy in ("kcenter", "bertkm", "typiclust"):
        mine, given = picks("--strategy", strategy, "--model", MODEL), picks("--strategy", strategy, "--embeddings", out)
        assert mine == given and len(set(mine)) == 9, (strategy, mine, given)
    mine = picks("--strategy", "huds", "--model", "embeddings=" + MODEL, "--model", "logprobs=ngram", "--labeled", LABELED)
    assert len(set(mine)) == 9, mine


def what_needs_a_language_model_is_refused(box):
    done = run(ALCORE, "select", POOL, "--budget", "9", "--strategy", "huds", "--model", MODEL, expect=3)
    assert "logprobs" in done.stderr and MODEL in done.stderr, done.stderr
    for call, word in (("probs", "class probabilities"), ("translate", "no translation")):
        done = run(ALCORE, "model", call, MODEL, POOL, expect=3)
        assert word in done.stderr, done.stderr


def threads_and_caches_change_no_byte(box):
    cache = os.path.join(box, "cache")
    wanted = embeddings_of(box, "--threads", "1")
    assert embeddings_of(box, "--threads", "5") == wanted
    first = picks("--strategy", "kcenter", "--model", MODEL, "--cache", cache)
    kept = sorted(os.listdir(cache))
    assert any(name.startswith("embeddings-") for name in kept), kept
    assert picks("--strategy", "kcenter", "--model", MODEL, "--cache", cache) == first and sorted(os.listdir(cache)) == kept


def the_command_says_what_it_is(box):
    said = dict(line.split(": ", 1) for line in run(ALCORE, "model", "info", MODEL).stdout.splitlines() if ": " in line)
    assert said["family"] == "model2vec" and said["engine"] == "cpu" and said["dims"] == "6", said
    assert said["rows"] == "40" and said["dtype"] == "float32" and said["max_tokens"] == "20", said


def python_gives_the_same(box):
    shape, wanted = embeddings_of(box)
    model = alcore.Model.open(MODEL)
    rows = model.embed(texts()).tolist()
    assert [number for row in rows for number in row] == list(wanted) and shape == (len(rows), 6)
    chosen = alcore.select(texts(), 9, "kcenter", model=model)
    assert [texts()[row] for row in chosen.indices] == picks("--strategy", "kcenter", "--model", MODEL)
    assert model.info["family"] == "model2vec" and model.can("embeddings") and not model.can("logprobs")
    try:
        model.score(["a"], ["b"])
    except alcore.Error as error:
        assert "scores no pairs" in str(error), error
    else:
        raise AssertionError("a table of words scored a pair")


def lua_gives_the_same(box):
    if not LUA:
        return
    program = os.path.join(box, "embed.lua")
    with open(program, "w", encoding="utf-8") as file:
        file.write('local alcore = require("alcore")\nlocal model = alcore.open(arg[1])\nlocal rows = model:embed({"the patient has a fever"})\n'
                   'io.write(model.info.family)\nfor j = 1, #rows[1] do io.write(string.format(" %.9g", rows[1][j])) end\n')
    said = run(LUA[0], program, MODEL, LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0]))).stdout.split()
    wanted = list(alcore.Model.open(MODEL).embed(["the patient has a fever"]).tolist()[0])
    assert said[0] == "model2vec" and all(abs(float(a) - b) < 1e-7 for a, b in zip(said[1:], wanted)) and len(said) == 7, said


def main():
    tap = Tap()
    tap.run([strategies_take_its_embeddings, what_needs_a_language_model_is_refused, threads_and_caches_change_no_byte,
             the_command_says_what_it_is, python_gives_the_same, lua_gives_the_same])
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
