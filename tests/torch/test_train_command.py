#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""alcore model train with the torch engine: a small transformer from scratch, a training that is killed again and again, and
what a validation keeps, against values that other commands compute. In TAP. usage: test_train_command.py ALCORE"""
import json
import math
import os
import random
import signal
import string
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from tap import Tap  # noqa: E402

ALCORE = sys.argv[1]
# The ids of <pad>, <s>, </s> and <unk> in a vocabulary of `alcore model vocabulary`.
LETTERS = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"] + list(string.ascii_lowercase) + ["##" + letter for letter in string.ascii_lowercase]
MODEL = {"model_type": "alcore_transformer", "random_seed": 1, "vocab_size": len(LETTERS), "d_model": 16, "encoder_layers": 1,
         "decoder_layers": 1, "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32,
         "max_position_embeddings": 32, "activation_function": "relu", "scale_embedding": True, "dropout": 0.1, "pad_token_id": 0,
         "decoder_start_token_id": 1, "eos_token_id": 2}


def write(box, name, text):
    with open(os.path.join(box, name), "w", encoding="utf-8") as file:
        file.write(text)


def read(box, name):
    with open(os.path.join(box, name), "rb") as file:
        return file.read()


def begin(box):
    """Pairs of four to six letters and the same letters; a part of them is kept for validation."""
    draw = random.Random(5)
    texts = [" ".join(draw.choice("abcdef") for _ in range(draw.randint(4, 6))) for _ in range(60)]
    write(box, "vocab.txt", "".join(token + "\n" for token in LETTERS))
    write(box, "mix.tsv", "kind\tsrc\ttgt\tprovenance\n" + "".join("%s\t%s\t%s\t\n" % ("phrase" if i % 3 else "sent", text, text)
                                                             for i, text in enumerate(texts[:40])))
    write(box, "valid.txt", "".join(text + "\n" for text in texts[40:]))


def settings(name, **more):
    """The configuration of a training whose folders begin with a name."""
    return {"model": "model", "from_scratch": {"config": MODEL, "tokenizer": "vocab.txt"}, "train": [{"mix": "mix.tsv"}],
            "kind_weights": {"phrase": 0.5}, "out": name + "-out", "rate": 0.01, "warmup": 10, "clip": 1, "label_smoothing": 0.1,
            "batch_tokens": 120, "seed": 3, **more}


VALIDATION = {"validation": [{"texts": "valid.txt", "references": "valid.txt"}]}


def command(box, config, name):
    write(box, name + ".json", json.dumps(config))
    return [ALCORE, "model", "train", name + ".json", "--json", "--threads", "1"]


def run(box, *arguments):
    done = subprocess.run(arguments, cwd=box, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, "%s: %d\n%s" % (" ".join(arguments), done.returncode, done.stderr)
    return done


def train(box, name, **more):
    return json.loads(run(box, *command(box, settings(name, **more), name)).stdout)


def lines_of(box, name):
    """The validations of a training: a value for each update."""
    rows = [line.split("\t") for line in read(box, name + "-kept/validations.tsv").decode().splitlines()]
    assert rows[0] == ["update", "value", "metric", "every", "data"], rows[0]
    return {int(row[0]): float(row[1]) for row in rows[1:]}


def loss_of(box, folder):
    """Minus the mean log-probability of the tokens of the validation, as `alcore model score` gives them."""
    run(box, ALCORE, "model", "score", folder, "valid.txt", "valid.txt", "--out", "s.lp")
    tokens = [float(number) for line in read(box, "s.lp").decode().splitlines() for number in line.split("\t")[1].split()]
    return -math.fsum(tokens) / len(tokens)


def update_of(box, name):
    """The update of the checkpoint of a training; 0 without one."""
    path = os.path.join(box, name + "-kept", "checkpoint.json")
    return json.loads(read(box, path))["update"] if os.path.exists(path) else 0


def a_killed_training_ends_with_the_same_bytes(box):
    begin(box)
    more = {**VALIDATION, "updates": 240, "checkpoint_every": 7, "validate_every": 10}
    whole = train(box, "whole", checkpoints="whole-kept", **more)
    words = command(box, settings("killed", checkpoints="killed-kept", **more), "killed")
    for least in (7, 90, 150):
        process = subprocess.Popen(words, cwd=box, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 120
        while update_of(box, "killed") < least and process.poll() is None and time.monotonic() < end:
            time.sleep(0.002)
        process.kill()
        process.wait()
        assert least <= update_of(box, "killed") < 240, "killed at update %d" % update_of(box, "killed")
    done = run(box, *words)
    found = json.loads(done.stdout)
    assert 150 <= found["resumed"] < 240 and "goes on after update %d of 240" % found["resumed"] in done.stderr, done.stderr
    assert found["validation"] == whole["validation"], (found, whole)
    for name in ("out/model.safetensors", "out/config.json", "kept/validations.tsv"):
        assert read(box, "killed-" + name) == read(box, "whole-" + name), name
    # The last weights too, not the best ones alone.
    states = [json.loads(read(box, name + "-kept/checkpoint.json"))["hash"] for name in ("whole", "killed")]
    assert states[0] == states[1], states


def an_interrupted_training_goes_on(box):
    """Ctrl-C ends the command with 130 and says what the same command does; it goes on from the last checkpoint."""
    begin(box)
    words = command(box, settings("i", checkpoints="i-kept", updates=100000, checkpoint_every=5), "i")
    process = subprocess.Popen(words, cwd=box, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while update_of(box, "i") < 5 and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "the same command goes on from the last checkpoint in i-kept" in said, (process.returncode, said)
    assert "interrupted" in said and not os.path.exists(os.path.join(box, "i-out")), said
    stopped_at = update_of(box, "i")
    process = subprocess.Popen(words, cwd=box, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while update_of(box, "i") == stopped_at and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130 and "goes on after update %d of 100000" % stopped_at in said, said


def an_interrupted_training_without_a_checkpoint_does_not_go_on(box):
    """The folder of checkpoints has validations alone."""
    begin(box)
    words = command(box, settings("n", checkpoints="n-kept", **VALIDATION, updates=100000, checkpoint_every=100000, validate_every=2), "n")
    process = subprocess.Popen(words, cwd=box, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    end = time.monotonic() + 120
    while not os.path.exists(os.path.join(box, "n-kept/validations.tsv")) and process.poll() is None and time.monotonic() < end:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert os.path.exists(os.path.join(box, "n-kept/validations.tsv")) and update_of(box, "n") == 0, os.listdir(box)
    assert process.returncode == 130 and "interrupted" in said and "goes on" not in said, said


def the_best_model_has_the_best_value(box):
    """Each value is that of a training that ends there, and the folder has the model of the best one."""
    begin(box)
    found = train(box, "v", **VALIDATION, updates=30, validate_every=10, checkpoints="v-kept")["validation"]
    values = lines_of(box, "v")
    assert sorted(values) == [10, 20, 30] and len(set(values.values())) == 3, values
    for update, value in values.items():
        train(box, "u%d" % update, updates=update)
        loss = loss_of(box, "u%d-out" % update)
        assert abs(loss - value) < 1e-5, "update %d: %g, not %g" % (update, value, loss)
    best = min(values, key=values.get)
    assert (found["best_update"], found["best"], found["metric"]) == (best, values[best], "loss"), found
    assert read(box, "v-out/model.safetensors") == read(box, "u%d-out/model.safetensors" % best)


def patience_ends_a_training(box):
    """A rate that is far too large makes the loss rise."""
    begin(box)
    done = train(box, "p", **VALIDATION, updates=400, rate=0.2, warmup=0, validate_every=5, patience=3, checkpoints="p-kept")
    values = lines_of(box, "p")
    best = min(values, key=values.get)
    assert done["validation"]["stopped"] and done["updates"] < 400, done
    assert done["validation"]["best_update"] == best and done["updates"] == best + 15, (done, values)
    assert max(values) == done["updates"] and abs(loss_of(box, "p-out") - values[best]) < 1e-5


def bleu_is_that_of_greedy_outputs(box):
    """The value of the best model is what `alcore eval` says of the outputs of `alcore model translate`."""
    begin(box)
    found = train(box, "b", **VALIDATION, updates=600, validate_every=300, metric="bleu", checkpoints="b-kept")["validation"]
    run(box, ALCORE, "model", "translate", "b-out", "valid.txt", "--beam", "1", "--out", "h.txt")
    scored = json.loads(run(box, ALCORE, "eval", "bleu", "h.txt", "valid.txt", "--json").stdout)
    assert found["best"] > 1 and abs(found["best"] - scored["bleu"]) < 1e-9, (found, scored)


def the_example_of_the_page_runs(box):
    """docs/models.md has a complete configuration; here it makes four updates, of a smaller model."""
    begin(box)
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "models.md"), encoding="utf-8") as file:
        page = file.read().split("### The command")[1].split("| key |")[0]
    config = json.loads("".join(line for line in page.splitlines(True) if line.startswith("    ")))
    config.update(updates=4, validate_every=2)
    ids = {key: MODEL[key] for key in MODEL if key.endswith("token_id")}
    assert {key: config["from_scratch"]["config"][key] for key in ids} == ids, config["from_scratch"]["config"]
    config["from_scratch"]["config"].update({key: MODEL[key] for key in MODEL if key.endswith(("dim", "layers", "heads", "model", "size"))})
    os.mkdir(os.path.join(box, config["from_scratch"]["tokenizer"]))
    os.rename(os.path.join(box, "vocab.txt"), os.path.join(box, config["from_scratch"]["tokenizer"], "vocab.txt"))
    os.rename(os.path.join(box, "mix.tsv"), os.path.join(box, config["train"][0]["mix"]))
    write(box, "mixed.tsv", read(box, "mixed.tsv").decode().replace("phrase", "retrieved", 5))
    for name in ("train.en", "train.de", "dev.en", "dev.de"):
        write(box, name, read(box, "valid.txt").decode())
    found = json.loads(run(box, *command(box, config, "page")).stdout)
    assert found["updates"] == 4 and found["validation"]["metric"] == "bleu" and found["rows"] == 60, found
    assert sorted(os.listdir(os.path.join(box, "trained"))) == ["config.json", "model.safetensors", "vocab.txt"]


def main():
    tap = Tap()
    tap.run([a_killed_training_ends_with_the_same_bytes, an_interrupted_training_goes_on,
             an_interrupted_training_without_a_checkpoint_does_not_go_on, the_best_model_has_the_best_value,
             patience_ends_a_training, bleu_is_that_of_greedy_outputs, the_example_of_the_page_runs])
    tap.finish()
    return 0


if __name__ == "__main__":
    sys.exit(main())
