#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Named-entity recognition with the torch engine: the names of classes reach users, and a training is measured by the F1 of spans,
which alcore.metrics.spans() of the model's own predictions has too. In TAP. usage: test_span_training.py ALCORE ROOT BUILD [LUA MODULES]"""
import json
import os
import random
import shutil
import subprocess
import sys
from array import array

ALCORE, ROOT, BUILD = sys.argv[1:4]
LUA = sys.argv[4:]
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from tap import Tap  # noqa: E402

TORCH = os.path.join(ROOT, "tests", "torch")
CONTEXT = alcore.Context(threads=1)
NAMES = ["O", "B-LOC", "I-LOC"]
HOW = {"rate": 3e-3, "warmup": 5, "batch_tokens": 150, "seed": 3}


def folder(box, names=NAMES):
    """The small BERT for classes of tokens without dropout, with these names of its classes (None: without id2label), and a
    tokenizer of the words w4, w5, ..."""
    path = os.path.join(box, "bert-%s" % (names[-1] if names else "none"))
    if os.path.exists(path):
        return path
    shutil.copytree(os.path.join(TORCH, "fixtures", "bert-token"), path)
    shutil.copy(os.path.join(TORCH, "answers", "bert-tokenizer.json"), os.path.join(path, "tokenizer.json"))
    with open(os.path.join(path, "config.json"), encoding="utf-8") as file:
        config = json.load(file)
    config.update(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    del config["id2label"], config["label2id"]
    if names:
        config["id2label"] = {str(k): name for k, name in enumerate(names)}
    with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as file:
        json.dump(config, file)
    return path


def open_model(path):
    return alcore.Model.open(path, context=CONTEXT)


def sentences(seed, count=30):
    """Texts and their tags: w9 begins a place, to which each w10 right behind it belongs; another w10 is none."""
    draw, rows = random.Random(seed), []
    for _ in range(count):
        words = [draw.choice(["w9", "w9 w10", "w9 w10 w10", "w9 w9", "w11 w10"] + ["w%d" % k for k in range(12, 20)]) for _ in range(5)]
        words, tags, inside = " ".join(words).split(), [], False
        for word in words:
            inside = word == "w9" or (inside and word == "w10")
            tags.append("B-LOC" if word == "w9" else "I-LOC" if inside else "O")
        rows.append((" ".join(words), " ".join(tags)))
    return rows


def pool_of(rows):
    texts, tags = zip(*rows)
    return alcore.Pool(list(texts), references=list(tags), dedup="none", context=CONTEXT)


def predictions(model, pool):
    """The most probable tags of each text, from the column "token_probs"."""
    model.run(pool, "token_probs")
    probs, bounds = pool.get_column("token_probs")
    best = [NAMES[max(range(3), key=lambda k: row[k])] for row in probs.tolist()]
    return [" ".join(best[a:b]) for a, b in zip(bounds, bounds[1:])]


def expected_f1(model, rows, scheme):
    with pool_of(rows) as pool:
        return alcore.metrics.spans([tags for _, tags in rows], predictions(model, pool), scheme=scheme).f1


def names_of_classes_reach_users(box):
    path, nameless = folder(box), folder(box, None)
    assert open_model(path).info["labels"] == NAMES
    assert open_model(nameless).info["labels"] is None
    assert open_model(os.path.join(TORCH, "fixtures", "bert-class")).info["labels"] == ["LABEL_0", "LABEL_1", "LABEL_2"]
    assert open_model(os.path.join(TORCH, "fixtures", "bert-qa")).info["labels"] is None
    open_model(path).save(os.path.join(box, "saved"))
    assert open_model(os.path.join(box, "saved")).info["labels"] == NAMES

    def info(of, *more):
        return subprocess.run([ALCORE, "model", "info", of, *more], capture_output=True, text=True, timeout=60, check=True).stdout
    assert json.loads(info(path, "--json"))["labels"] == NAMES
    assert "labels: O B-LOC I-LOC\n" in info(path) and "labels" not in info(nameless), info(path)
    if LUA:
        program = 'local alcore = require("alcore")\nfor i = 1, 2 do local labels = assert(alcore.open(arg[i])).info.labels ' \
                  'print(labels and table.concat(labels, " ")) end'
        assert lua(box, program, path, nameless) == "O B-LOC I-LOC\nnil\n"


def lua(box, program, *arguments):
    script = os.path.join(box, "spans.lua")
    with open(script, "w", encoding="utf-8") as file:
        file.write(program)
    done = subprocess.run([LUA[0], script, *arguments], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0]))))
    assert done.returncode == 0, done.stderr
    return done.stdout


def damaged_names_are_errors(box):
    path = folder(box)
    config = os.path.join(path, "config.json")
    with open(config, encoding="utf-8") as file:
        good = json.load(file)
    for names, text in (({"0": "O", "1": "B-X"}, 'config.json: id2label names no class "2"; the head has 3 classes'),
                        ({"0": "O", "1": "B-X", "2": 3}, 'id2label names no class "2"'), (["O", "B-X", "I-X"], 'no class "0"'),
                        ({"0": "O", "1": "B-X", "2": "I-X", "3": "Z"}, "id2label has 4 names; the head has 3 classes")):
        with open(config, "w", encoding="utf-8") as file:
            json.dump(dict(good, id2label=names), file)
        try:
            open_model(path)
            raise AssertionError("no error: " + text)
        except alcore.DataError as problem:
            assert text in str(problem), problem


def a_validation_has_the_f1_of_the_predictions(box):
    rows, kept = sentences(1), sentences(2)
    found = []
    with pool_of(rows) as pool, pool_of(kept) as validation:
        for metric, scheme in (("span_f1", "default"), ("strict_span_f1", "iob2")):
            model = open_model(folder(box))
            for updates in (1, 8, 20):
                done = model.train(pool, updates=updates, validation=validation, metric=metric, **HOW)
                wanted = expected_f1(model, kept, scheme)
                assert done["best_update"] == updates and abs(done["best_value"] - wanted) < 1e-12, (metric, updates, done, wanted)
                found.append(wanted)
    # Values that say something: between 0 and 1, and not the same in both schemes.
    assert any(0 < value < 1 for value in found) and found[:3] != found[3:], found


def tags_may_be_references_or_a_column(box):
    rows = sentences(1)
    with pool_of(rows) as pool:
        first = open_model(folder(box)).train(pool, updates=5, validation=pool, metric="span_f1", **HOW)
        numbers = [[NAMES.index(tag) for tag in tags.split()] for _, tags in rows]
        values = array("q", (k for row in numbers for k in row))
        pool.set_column("tags", (values, array("q", (sum(map(len, numbers[:i])) for i in range(len(rows) + 1)))))
        second = open_model(folder(box)).train(pool, updates=5, validation=pool, metric="span_f1", labels="tags", **HOW)
    assert {**first, "seconds": 0} == {**second, "seconds": 0}, (first, second)


def patience_ends_it_and_the_best_model_is_kept(box):
    kept, best = sentences(2), os.path.join(box, "best")
    with pool_of(sentences(1)) as pool, pool_of(kept) as validation:
        how = dict(HOW, validation=validation, metric="span_f1", validate_every=10, patience=3, best=best)
        model = open_model(folder(box))
        done = model.train(pool, updates=2000, **how)
        assert done["stopped"] and done["updates"] == done["best_update"] + 30 < 2000, done
        assert done["best_value"] > 0.7 and expected_f1(open_model(best), kept, "default") == done["best_value"], done


def the_command_reads_conll(box):
    kept = sentences(2)
    for name, rows in (("train.conll", sentences(1)), ("valid.conll", kept)):
        with open(os.path.join(box, name), "w", encoding="utf-8") as file:
            for text, tags in rows:
                file.writelines("%s %s\n" % pair for pair in zip(text.split(), tags.split()))
                file.write("\n")
    with open(os.path.join(box, "train.tsv"), "w", encoding="utf-8") as file:
        file.write("text\ttags\n")
        file.writelines("%s\t%s\n" % row for row in sentences(1))
    with open(os.path.join(box, "wrong.tsv"), "w", encoding="utf-8") as file:
        file.write("text\ttags\nw9 w10\tB-LOC I-LOC\nw9 w10\tB-LOC LOC\n")
    config = {"model": folder(box), "out": "out", "train": [{"texts": "train.conll"}], "validation": [{"texts": "valid.conll"}],
              "metric": "span_f1", "validate_every": 10, "updates": 60, **HOW}

    def run(**more):
        with open(os.path.join(box, "c.json"), "w", encoding="utf-8") as file:
            json.dump({**config, **more}, file)
        return subprocess.run([ALCORE, "model", "train", "c.json", "--json", "--threads", "1"], cwd=box, capture_output=True, text=True,
                              timeout=250)
    done = run()
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["validation"]
    wanted = expected_f1(open_model(os.path.join(box, "out")), kept, "default")
    assert found["metric"] == "span_f1" and abs(found["best"] - wanted) < 1e-12 and wanted > 0, (found, wanted)
    again = run(train=[{"texts": "train.tsv", "text_column": "text", "reference_column": "tags"}])
    assert again.returncode == 0 and json.loads(again.stdout)["validation"]["best"] == found["best"], (again.stdout, again.stderr)
    for more, code, text in (
            ({"metric": "f2"}, 3, "metric: one of loss|bleu|accuracy|exact_match|f1|span_f1|strict_span_f1 is needed"),
            ({"model": folder(box, None)}, 6, "no validation by span_f1: id2label of its config.json does not name the classes"),
            ({"model": folder(box, ["O", "B-LOC", "LOC"]), "metric": "strict_span_f1"}, 6,
             "no validation by strict_span_f1: its class 2 is called 'LOC' (id2label of its config.json), not O, B-TYPE or I-TYPE"),
            ({"train": [{"texts": "wrong.tsv", "text_column": "text", "reference_column": "tags"}]}, 3,
             "row 1 (id 2): label 2 of its reference is 'LOC', not -100 and no class of the model")):
        done = run(**more)
        assert done.returncode == code and text in done.stderr, (done.returncode, done.stderr)


def lua_measures_spans_too(box):
    if not LUA:
        return
    rows = sentences(1)
    program = """
        local alcore = require("alcore")
        local pool = assert(alcore.pool({%s}, {references = {%s}, dedup = "none"}))
        local done = assert(assert(alcore.open(arg[1])):train(pool, {updates = 40, rate = 3e-3, warmup = 5, batch_tokens = 150, seed = 3,
                                                                     validation = pool, metric = "strict_span_f1"}))
        print(done.best_value)
    """ % tuple(", ".join(json.dumps(row[i]) for row in rows) for i in range(2))
    with pool_of(rows) as pool:
        wanted = open_model(folder(box)).train(pool, updates=40, validation=pool, metric="strict_span_f1", **HOW)["best_value"]
    assert 0 < wanted < 1 and abs(float(lua(box, program, folder(box))) - wanted) < 1e-3, wanted


def main():
    tap = Tap()
    tap.run([names_of_classes_reach_users, damaged_names_are_errors, a_validation_has_the_f1_of_the_predictions,
             tags_may_be_references_or_a_column, patience_ends_it_and_the_best_model_is_kept, the_command_reads_conll,
             lua_measures_spans_too])
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
