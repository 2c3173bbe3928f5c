#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Language models through the library: what their texts and outputs are, prompts with places for source, target and languages, a
selection, and what is refused. The numbers themselves are compared with transformers in test_torch_models.c. In TAP.
usage: test_language.py ALCORE ROOT BUILD"""
import json
import logging
import math
import os
import subprocess
import sys

ALCORE, ROOT, BUILD = sys.argv[1:4]
TORCH = os.path.join(ROOT, "tests", "torch")
sys.path[:0] = [os.path.join(ROOT, "tests", "tools"), TORCH, os.path.join(BUILD, "bindings", "python")]
os.environ["ALCORE_LIBRARY"] = os.environ.get("ALCORE_LIBRARY") or os.path.join(BUILD, "lib", "libalcore.so.1")
import alcore  # noqa: E402
from language_folder import language_folder as folder  # noqa: E402
from refusals import error  # noqa: E402
from tap import Tap  # noqa: E402

FAMILIES = ["llama", "mistral", "qwen2", "qwen3", "gemma3"]
SOURCES = ["w5 w6", "w30", "w7 w8 w9 w30 w31 w32", "w21 w22"]
TARGETS = ["w12", "w13 w14 w15", "w16 w17", "w18"]


def close(a, b, tolerance=2e-5):
    return len(a) == len(b) and all(len(x) == len(y) and all(abs(u - v) <= tolerance * (1 + abs(v)) for u, v in zip(x, y))
                                    for x, y in zip(a, b))


def rows_of(pool):
    values, offsets = pool.get_column("logprobs")
    return [[float(v) for v in values[a:b]] for a, b in zip(offsets, offsets[1:])]


def logprobs(model, texts, **pool):
    pool = alcore.Pool(texts, context=model.context, **pool)
    model.run(pool, "logprobs")
    return rows_of(pool)


def texts(box):
    """A text is scored behind <start>, as a target behind a source of that token alone would be."""
    for family in FAMILIES:
        model = alcore.Model.open(folder(box, family))
        found = logprobs(model, SOURCES)
        whole = model.score([text.split()[0] for text in SOURCES], [" ".join(text.split()[1:]) or "w5" for text in SOURCES])
        assert [len(row) for row in found] == [len(text.split()) for text in SOURCES], found
        for row, other, text in zip(found, whole, SOURCES):
            if " " in text:  # the end is scored behind the target, and not behind a text
                assert close([row[1:]], [other[:-1]]), (family, row, other)
        assert all(value <= 0 for row in found for value in row)


def templates(box):
    """A prompt with places gives what the text that it makes gives."""
    for family in FAMILIES:
        path = folder(box, family)
        plain = alcore.Model.open(path)
        made = ["w40 %s w41 w42" % text for text in SOURCES]
        model = alcore.Model.open(path, prompt="w40 {source} w41 w42 {target}")
        assert close(model.score(SOURCES, TARGETS), plain.score(made, TARGETS)), family
        assert model.translate(SOURCES) == plain.translate(made), family
        # The column has the model's own outputs.
        assert close(logprobs(model, SOURCES), rows_of(plain.translate(alcore.Pool(made, context=plain.context), beams=1))), family
        assert model.embed(SOURCES).tolist() == plain.embed(SOURCES).tolist()


def languages(box):
    path = folder(box, "qwen3")
    assert "{target_language}" in error(lambda: alcore.Model.open(path, prompt="{source} {target_language}").score(SOURCES, TARGETS))
    model = alcore.Model.open(path, prompt="{source_language} {source} {target_language} ")
    model.set_language("w21")
    assert "{source_language}" in error(lambda: model.score(SOURCES, TARGETS))
    found = logprobs(model, SOURCES, languages=["w9", "w10", "w9", "w9"])
    made = ["%s %s w21" % (tag, text) for tag, text in zip(("w9", "w10", "w9", "w9"), SOURCES)]
    assert close(found, logprobs(alcore.Model.open(path, prompt="{source}"), made))


def wrong_prompts(box):
    path = folder(box, "llama")
    for prompt, word in (("{source} {source}", "2 times"), ("{target_language}", "0 times"), ("{source} {target} w5", "' w5'")):
        assert word in error(lambda: alcore.Model.open(path, prompt=prompt)), prompt
    # A prompt without places stands before sources and shifts no values.
    model = alcore.Model.open(path, prompt="w40 ")
    assert "logprobs" in error(lambda: logprobs(model, SOURCES))
    assert close(model.score(SOURCES, TARGETS), alcore.Model.open(path).score(["w40 " + text for text in SOURCES], TARGETS))
    # Words in braces are places, which are known, or text where the braces are doubled.
    assert "{word}" in error(lambda: alcore.Model.open(path, prompt="{word} "))
    assert error(lambda: alcore.Model.open(path, prompt="{{word}} ")) == ""


def selections(box):
    for more in ({}, {"prompt": "w40 {source} w41"}):
        model = alcore.Model.open(folder(box, "mistral"), **more)
        picks = alcore.select([" ".join("w%d" % (5 + (7 * i + k) % 50) for k in range(2 + i % 5)) for i in range(30)], 5, "huds", model=model)
        assert len(picks) == 5
    done = subprocess.run([ALCORE, "model", "info", folder(box, "gemma3")], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "gemma3_text" in done.stdout, done.stderr


def saved(box):
    path, copy = folder(box, "gemma3"), os.path.join(box, "copy")
    model = alcore.Model.open(path)
    model.save(copy)
    again = alcore.Model.open(copy)
    assert close(again.score(SOURCES, TARGETS), model.score(SOURCES, TARGETS), 1e-6)
    assert again.translate(SOURCES) == model.translate(SOURCES)


def loss(model, pairs):
    """Minus the mean log-probability of the tokens of targets, and of their ends."""
    rows = model.score(*zip(*pairs))
    return -sum(map(sum, rows)) / sum(map(len, rows))


def trained(box):
    """Targets are learned behind their sources in a prompt, or texts without any, and a training that goes on makes the same bytes."""
    pairs, prompt = list(zip(SOURCES, TARGETS)), "w40 {source} w41 w42 {target}"
    for family in ("llama", "gemma3"):  # the numbers of all are compared in test_torch_train.c
        path = folder(box, family)
        model = alcore.Model.open(path, prompt=prompt)
        pool = alcore.Pool(SOURCES, references=TARGETS, context=model.context)
        before = loss(model, pairs)
        first = model.train(pool, rate=1e-9, updates=1)  # the loss is that before the update
        assert abs(first["loss"] - before) < 1e-4, (family, first, before)
        done = model.train(pool, rate=0.02, updates=15, validation=pool)
        assert done["loss"] < 0.7 * before, (family, done)
        assert abs(done["best_value"] - loss(model, pairs)) < 1e-4, (family, done)
        plain = alcore.Model.open(path)
        texts = alcore.Pool(SOURCES, context=plain.context)
        scores = logprobs(plain, SOURCES)
        first = plain.train(texts, rate=1e-9, updates=1, validation=alcore.Pool(SOURCES, context=plain.context))
        mean = -sum(map(sum, scores)) / sum(map(len, scores))
        assert abs(first["loss"] - mean) < 1e-4 and abs(first["best_value"] - mean) < 1e-4, (family, first, mean)
        assert plain.train(texts, rate=0.02, updates=15)["loss"] < 0.7 * mean, family
    assert "without a prompt" in error(lambda: alcore.Model.open(folder(box, "llama"), prompt=prompt).train(texts, updates=1))
    some = alcore.Pool(SOURCES[:2], references=[TARGETS[0], None], context=plain.context)
    assert "row 1" in error(lambda: plain.train(some, updates=1))
    half = alcore.Model.open(folder(box, "qwen3"), dtype="bfloat16")
    assert "float32" in error(lambda: half.train(alcore.Pool(SOURCES, references=TARGETS, context=half.context), updates=1))


def dropout(box):
    """attention_dropout changes what is learned; the same seed drops the same, also where blocks are computed again."""
    path = folder(box, "gemma3", {"config.json": {"attention_dropout": 0.2}})

    def trained_bytes(path, name, **how):
        model = alcore.Model.open(path, prompt="{source} w40")
        model.train(alcore.Pool(SOURCES, references=TARGETS, context=model.context), rate=0.01, updates=4, batch_tokens=20, accumulate=2, **how)
        model.save(os.path.join(box, name))
        with open(os.path.join(box, name, "model.safetensors"), "rb") as file:
            return file.read()

    first = trained_bytes(path, "first", seed=3)
    assert trained_bytes(path, "again", seed=3) == first == trained_bytes(path, "recomputed", seed=3, recompute=True)
    assert trained_bytes(folder(box, "gemma3"), "none", seed=3) != first


def command(box):
    """alcore model train on texts alone, and on pairs with a prompt."""
    path = folder(box, "qwen2")
    for name, lines in (("texts.txt", SOURCES), ("targets.txt", TARGETS)):
        with open(os.path.join(box, name), "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
    for name, more in (("whole", {"train": [{"texts": "texts.txt", "whole": True}]}),
                       ("pairs", {"train": [{"texts": "texts.txt", "references": "targets.txt"}], "prompt": "w40 {source} w41 {target}"})):
        with open(os.path.join(box, name + ".json"), "w", encoding="utf-8") as file:
            json.dump({"model": path, "out": name, "updates": 3, **more}, file)
        done = subprocess.run([ALCORE, "model", "train", name + ".json", "--json"], cwd=box, capture_output=True, text=True, timeout=250)
        assert done.returncode == 0, done.stderr
        assert alcore.Model.open(os.path.join(box, name)).info["version"] != alcore.Model.open(path).info["version"]


def limits(box):
    model = alcore.Model.open(folder(box, "llama"))
    long = " ".join("w%d" % (5 + i % 50) for i in range(23))  # 24 tokens with <start>: what the tokenizer cuts at
    assert "the text has 24 tokens and its reference 23" in error(lambda: model.score([long], [long]))
    assert len(model.translate([long], max_tokens=40)[0].split()) <= 32 - 24 + 1
    assert math.isnan(model.embed(["w5", " ", "w6 w7"]).tolist()[1][0])


def refusals(box):
    for files, word in (({"config.json": {"rope_parameters": {"rope_type": "longrope", "rope_theta": 100.0}}}, "longrope"),
                        ({"config.json": {"rope_parameters": {"rope_type": "llama3", "rope_theta": 100.0}}}, "factor"),
                        ({"config.json": {"num_key_value_heads": 3}}, "divisor"),
                        ({"config.json": {"model_type": "gemma3"}}, "gemma3"),
                        ({"config.json": {"attention_bias": "yes"}}, "attention_bias"),
                        ({"config.json": {"model_type": "qwen3", "layer_types": ["chunked_attention", "full_attention"]}}, "chunked_attention")):
        assert word in error(lambda: alcore.Model.open(folder(box, "llama", files))), word
    for files, word in (({"generation_config.json": {"min_length": 3}}, "min_length"), ({"generation_config.json": {"do_sample": True}}, "do_sample")):
        model = alcore.Model.open(folder(box, "llama", files))
        assert word in error(lambda: model.translate(SOURCES)), word
        assert len(model.score(SOURCES, TARGETS)) == 4  # needs no outputs
    model = alcore.Model.open(folder(box, "llama"))
    model.set_dropout(7)
    assert "dropout" in error(lambda: model.score(SOURCES, TARGETS))


def other_heads(box):
    """A head that is not computed is named where its probabilities are asked for; embeddings are what they are without it."""
    for family, name in (("llama", "LlamaForSequenceClassification"), ("qwen3", "Qwen3ForTokenClassification"), ("gemma3", "Gemma3TextForQuestionAnswering")):
        plain = alcore.Model.open(folder(box, family))
        model = alcore.Model.open(folder(box, family, {"config.json": {"architectures": [name]}}))
        assert model.embed(SOURCES).tolist() == plain.embed(SOURCES).tolist(), name
        pool = alcore.Pool(SOURCES, context=model.context)
        for column in ("probs", "token_probs", "qa_probs", "logprobs"):
            assert name in error(lambda: model.run(pool, column)), (name, column)
        assert name in error(lambda: alcore.select(SOURCES, 1, "lc", model=model)), name
        found = error(lambda: plain.run(alcore.Pool(SOURCES, context=plain.context), "probs"))
        assert "probs" in found and "head" not in found, found
    for names in ([], [7], "LlamaForSequenceClassification", ["x" * 300 + "ForSequenceClassification"]):
        model = alcore.Model.open(folder(box, "llama", {"config.json": {"architectures": names}}))
        assert "probs" in error(lambda: model.run(alcore.Pool(SOURCES, context=model.context), "probs")), names


def templates_of_conversations(box):
    """They do not run where no chat was asked for, which a line of the log says when targets are read behind texts."""
    lines, logger, handler = [], logging.getLogger("alcore"), logging.Handler()
    handler.emit = lambda record: lines.append(record.getMessage())
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    for files, said in (({}, False), ({"tokenizer_config.json": {"chat_template": "{{ messages }}"}}, True)):
        for prompt in (None, "w40 {source} "):
            del lines[:]
            alcore.Model.open(folder(box, "llama", files), prompt=prompt).score(SOURCES, TARGETS)
            assert sum("chat template" in line for line in lines) == said, (files, prompt, lines)
    logger.removeHandler(handler)


def main():
    tap = Tap()
    tap.run([texts, templates, languages, wrong_prompts, selections, saved, trained, dropout, command, limits, refusals, other_heads, templates_of_conversations])
    tap.finish()


main()
