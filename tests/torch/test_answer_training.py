#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Training a model of question answering from questions, contexts and answers with the torch engine: a rule that is learned,
windows of long contexts, with losses that PyTorch computed (answers/training.json), checkpoints, and rows that are refused. In TAP. usage: test_answer_training.py ALCORE ROOT BUILD [LUA MODULES]"""
import json
import os
import random
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
CONTEXT = alcore.Context(threads=1)
HOW = {"labels": "answer_start", "rate": 1e-2, "warmup": 10, "schedule": "linear", "batch_tokens": 400, "seed": 3}


def folder(box):
    """The small BERT for answers without dropout, and a tokenizer of the words w4, w5, ..."""
    path = os.path.join(box, "bert")
    if not os.path.exists(path):
        shutil.copytree(os.path.join(TORCH, "fixtures", "bert-qa"), path)
        shutil.copy(os.path.join(TORCH, "answers", "bert-tokenizer.json"), os.path.join(path, "tokenizer.json"))
    return path


def open_model(path):
    return alcore.Model.open(path, max_tokens=24, stride=8, context=CONTEXT)


def examples():
    """The answer is the word behind the only "w9" of a context, of which some are longer than a window of 24 tokens. Where the row
    is odd the first word is of two-byte characters, so that characters are not bytes."""
    draw, rows = random.Random(7), []
    for row in range(24):
        count = 40 if row % 8 == 3 else draw.randint(5, 12)
        words = ["w%d" % draw.randint(10, 40) for _ in range(count)]
        place = draw.randrange(len(words) - 1)
        words[place] = "w9"
        if row % 2 and place:
            words[0] = "ÜÜ"
        start = sum(len(word) + 1 for word in words[:place + 1])
        rows.append(("w5 w6", " ".join(words), words[place + 1], start))
    return rows


def pool_of(rows, context=CONTEXT):
    questions, contexts, answers, starts = zip(*rows)
    pool = alcore.Pool(list(questions), references=list(answers), dedup="none", context=context)
    pool.set_column("qa_contexts", list(contexts))
    pool.set_column("answer_start", list(starts))
    return pool


def a_rule_is_learned(box):
    assert len(short_examples()) == 21
    with pool_of(examples()) as pool, pool_of(short_examples()) as kept:
        losses = [open_model(folder(box)).train(pool, updates=1, **HOW)["loss"]]
        model = open_model(folder(box))
        done = model.train(pool, updates=400, validation=kept, metric="exact_match", validate_every=50, **HOW)
        losses.append(done["loss"])
        assert done["best_value"] == 100, done
        assert losses[0] > 1 and losses[1] < 0.2, losses
        still = dict(HOW, rate=1e-12, updates=1, batch_tokens=100000)  # one update that moves nothing
        assert model.train(pool, validation=kept, metric="f1", **still)["best_value"] == 100
        whole = model.train(pool, validation=pool, metric="f1", **still)["best_value"]
        assert 90 < whole <= 100, whole
        # The columns have the answers that were learned: the likeliest start is the answer's.
        for column in ("qa_start", "qa_windows"):
            model.run(pool, column)
        starts, bounds = pool.get_column("qa_start")
        for row, (_, context, answer, start) in enumerate(examples()):
            if len(context.split()) > 12:
                continue
            values = list(starts[bounds[row]:bounds[row + 1]])
            assert context.split()[values.index(max(values))] == answer, (row, values)


def losses_are_those_of_pytorch(box):
    """Windows without the whole answer learn their first token: losses before each of four updates, by make_answer_training.py."""
    with open(os.path.join(TORCH, "answers", "training.json"), encoding="utf-8") as file:
        made = json.load(file)
    how = dict(made["how"], labels="answer_start", batch_tokens=100000)
    updates = how.pop("updates")
    for family, expected in made["families"].items():
        assert (expected["windows"], expected["with_answer"]) == (6, 3), expected
        path = os.path.join(box, family)
        shutil.copytree(os.path.join(TORCH, "fixtures", family + "-qa"), path)
        shutil.copy(os.path.join(TORCH, "answers", family + "-tokenizer.json"), os.path.join(path, "tokenizer.json"))
        with open(os.path.join(path, "config.json"), encoding="utf-8") as file:
            config = json.load(file)
        with open(os.path.join(path, "config.json"), "w", encoding="utf-8") as file:
            json.dump(dict(config, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0), file)
        with pool_of(made["rows"]) as pool:
            for update in range(1, updates + 1):
                model = alcore.Model.open(path, max_tokens=made["max_tokens"], stride=made["stride"], context=CONTEXT)
                loss = model.train(pool, updates=update, **how)["loss"]
                assert abs(loss - expected["losses"][update - 1]) < 1e-4, (family, update, loss, expected["losses"])
            # Validation by loss reads the same windows: after all updates but the last it gives the
            # last training loss.
            model = alcore.Model.open(path, max_tokens=made["max_tokens"], stride=made["stride"], context=CONTEXT)
            value = model.train(pool, updates=updates - 1, validation=pool, **how)["best_value"]
            assert abs(value - expected["losses"][-1]) < 1e-4, (family, value, expected["losses"])
            # The columns are over the tokens of the context alone.
            for column in ("qa_start", "qa_windows"):
                model.run(pool, column)
            starts, bounds = pool.get_column("qa_start")
            assert abs(sum(starts[bounds[1]:bounds[2]]) - 1) < 1e-5 and bounds[2] - bounds[1] == 9, bounds


def an_interrupted_training_ends_with_the_same_weights(box):
    kept, saved = os.path.join(box, "kept"), []
    for stop in (None, True, None):
        if saved or stop is not None:
            how = dict(HOW, checkpoints=kept, checkpoint_every=5)
        else:
            how = HOW

        def progress(*arguments):
            if stop is not None and os.path.exists(os.path.join(kept, "checkpoint.json")):
                context.cancel()
        context = alcore.Context(threads=1, progress=progress)
        model = alcore.Model.open(folder(box), max_tokens=24, stride=8, context=context)
        with pool_of(examples(), context) as pool:
            try:
                done = model.train(pool, updates=30, **how)
                assert stop is None, "the training was not interrupted"
            except alcore.CancelledError:
                assert stop is not None
                continue
        model.save(os.path.join(box, "saved"))
        with open(os.path.join(box, "saved", "model.safetensors"), "rb") as file:
            saved.append(file.read())
    assert 5 <= done["resumed"] < 30 and len(saved) == 2 and saved[0] == saved[1], done


def short_examples():
    return [row for row in examples() if len(row[1].split()) < 13]


def write(box, name, rows):
    with open(os.path.join(box, name), "w", encoding="utf-8") as file:
        file.write("question\tcontext\tanswer\tstart\n")
        file.writelines("%s\t%s\t%s\t%s\n" % row for row in rows)


def the_command_trains_from_columns(box):
    path = folder(box)
    columns = {"text_column": "question", "context_column": "context", "reference_column": "answer", "start_column": "start"}
    write(box, "q.tsv", examples())
    write(box, "v.tsv", short_examples())
    write(box, "w.tsv", [row[:3] + ("x",) for row in examples()])
    config = {"model": path, "out": "out", "train": [{"texts": "q.tsv", **columns}], "validation": [{"texts": "v.tsv", **columns}],
              "metric": "exact_match", "validate_every": 100, "updates": 400, "rate": 1e-2, "warmup": 10, "schedule": "linear",
              "batch_tokens": 400, "seed": 3, "max_tokens": 24}

    def run(**more):
        with open(os.path.join(box, "c.json"), "w", encoding="utf-8") as file:
            json.dump({**config, **more}, file)
        return subprocess.run([ALCORE, "model", "train", "c.json", "--json", "--threads", "1"], cwd=box, capture_output=True, text=True,
                              timeout=250)
    done = run()
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["validation"]["metric"] == "exact_match" and found["validation"]["best"] == 100 and found["rows"] == 24, found
    with pool_of(short_examples()) as pool:  # the folder has the model that was measured
        out = alcore.Model.open(os.path.join(box, "out"), max_tokens=24, context=CONTEXT)
        assert out.train(pool, updates=1, validation=pool, metric="exact_match", labels="answer_start", rate=1e-12)["best_value"] == 100
    for more, text in (({"train": [{"texts": "w.tsv", **columns}]}, "train: record 1: 'x' of start_column is no number"),
                       ({"train": [{"texts": "q.tsv", **dict(columns, text_column="answer", reference_column="question")}]},
                        "row 0 (id 1): the answer 'w5 w6' does not stand at"),
                       ({"validation": [{"texts": "v.tsv", "text_column": "question", "reference_column": "answer"}]},
                        "context_column is needed in train and in validation"),
                       ({"train": [{"texts": "q.tsv", "text_column": "question", "context_column": "context"}]},
                        "context_column and start_column go together")):
        done = run(**more)
        assert done.returncode == 3 and text in done.stderr, (done.returncode, done.stderr)


def lua_trains_too(box):
    if not LUA:
        return
    rows = examples()
    fields = [", ".join(json.dumps(row[i], ensure_ascii=False) for row in rows) for i in range(4)]
    program = """
        local alcore = require("alcore")
        local pool = assert(alcore.pool({%s}, {references = {%s}, dedup = "none"}))
        assert(pool:set_column("qa_contexts", {%s}))
        assert(pool:set_column("answer_start", {%s}))
        local model = assert(alcore.open(arg[1], {max_tokens = 24, stride = 8}))
        local done = assert(model:train(pool, {labels = "answer_start", updates = 2, rate = 1e-2, warmup = 10, schedule = "linear",
                                               batch_tokens = 400, seed = 3, validation = pool, metric = "f1"}))
        print(done.updates, done.loss, done.best_value)
    """ % (fields[0], fields[2], fields[1], fields[3])
    path = os.path.join(box, "answers.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write(program)
    done = subprocess.run([LUA[0], path, folder(box)], capture_output=True, text=True, timeout=120,
                          env=dict(os.environ, LUA_CPATH="%s/?-%s.so" % (LUA[1], os.path.basename(LUA[0]))))
    assert done.returncode == 0, done.stderr
    with pool_of(rows) as pool:
        wanted = open_model(folder(box)).train(pool, updates=2, validation=pool, metric="f1", **HOW)
    found = [float(value) for value in done.stdout.split()]
    assert found[0] == 2 and abs(found[1] - wanted["loss"]) < 1e-3 and abs(found[2] - wanted["best_value"]) < 1e-3, (found, wanted)


def wrong_rows_are_named(box):
    model = open_model(folder(box))
    rows = examples()[:3]
    for change, error, text in (
            ((2, 3, 1), alcore.DataError, "row 2 (id 3): the answer"),
            ((1, 3, 10**6), alcore.DataError, "row 1 (id 2): the answer"),
            ((1, 3, -1), alcore.DataError, "row 1 (id 2): -1 is no number of a character"),
            ((0, 2, ""), alcore.DataError, "row 0 (id 1): the answer ''"),
            ((1, 2, None), alcore.MissingError, "row 1 (id 2) has no reference"),
            ((1, 1, None), alcore.MissingError, "row 1 (id 2) has no context"),
            ((2, 0, "w5 " * 30), alcore.DataError, "row 2 (id 3): the question and special tokens"),
    ):
        row, place, value = change
        wrong = [list(one) for one in rows]
        wrong[row][place] = value
        with pool_of(wrong) as pool:
            try:
                model.train(pool, updates=1, **HOW)
                raise AssertionError("no error: " + text)
            except error as problem:
                assert text in str(problem), problem
    with pool_of(rows) as pool:
        for how, text in (({}, "labels is needed"), ({"labels": "absent"}, "absent"),
                          ({"labels": "answer_start", "validation": pool, "metric": "accuracy"}, "it answers questions")):
            try:
                model.train(pool, updates=1, **how)
                raise AssertionError("no error: " + text)
            except alcore.Error as problem:
                assert text in str(problem), problem


def main():
    tap = Tap()
    tap.run([a_rule_is_learned, losses_are_those_of_pytorch, an_interrupted_training_ends_with_the_same_weights, the_command_trains_from_columns, lua_trains_too,
             wrong_rows_are_named])
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
