#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""examples/experiments/static_words.py, in TAP: of an encoder whose words lie where their topic is, it makes a static model that knows
the topics of words that no training text has, which the built-in vectors, made of letters, do not. In the environment of compare.py.
usage: test_static_words.py ROOT BUILD"""
import json
import lzma
import os
import random
import re
import subprocess
import sys
import tempfile

ROOT, BUILD = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path[:0] = [os.path.join(ROOT, "tests", folder) for folder in ("tools", "bench")]
from tap import Tap  # noqa: E402
import peers  # noqa: E402

TOPICS, WORDS, HIDDEN = 4, 200, 24


def write_encoder(folder, words):
    """The folder of a BERT, as far as the script reads it: words [TOPICS * WORDS] of one topic after the other."""
    import numpy
    from safetensors.numpy import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers
    numbers = numpy.random.default_rng(1)
    middles = numbers.normal(size=(TOPICS, HIDDEN))
    rows = numpy.concatenate([numbers.normal(size=(1, HIDDEN))] + [middle + 0.3 * numbers.normal(size=(WORDS, HIDDEN)) for middle in middles])
    save_file({"bert.embeddings.word_embeddings.weight": rows.astype(numpy.float32),
               "bert.embeddings.token_type_embeddings.weight": numpy.zeros((2, HIDDEN), numpy.float32),
               "bert.embeddings.LayerNorm.weight": numpy.ones(HIDDEN, numpy.float32),
               "bert.embeddings.LayerNorm.bias": numpy.zeros(HIDDEN, numpy.float32)}, os.path.join(folder, "model.safetensors"))
    tokenizer = Tokenizer(models.WordPiece({word: i for i, word in enumerate(["[UNK]"] + words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(os.path.join(folder, "tokenizer.json"))


def write_topics(path, words):
    """Texts of the first half of each topic's words to learn from, of the other half to test."""
    draw = random.Random(2)
    with lzma.open(path, "wt", encoding="utf-8") as file:
        file.write("split\tlabel\ttext\n")
        for i in range(240):
            topic, test = i % TOPICS, i % 3 == 0
            begin = topic * WORDS + test * WORDS // 2
            file.write("%s\t%d\t%s\n" % ("test" if test else "train", topic, " ".join(draw.sample(words[begin:begin + WORDS // 2], 5))))


def main():
    failed = peers.enter(ROOT, os.path.join("tests", "bench", "static_peers.txt"), "static-venv")
    if failed:
        print("1..0 # SKIP", failed)
        return 0
    tap = Tap()
    script = [sys.executable, os.path.join(ROOT, "examples", "experiments", "static_words.py")]
    environment = dict(os.environ, PYTHONPATH=os.path.join(BUILD, "bindings", "python"), ALCORE_LIBRARY=os.path.join(BUILD, "lib", "libalcore.so.1"))
    draw = random.Random(3)
    words = sorted({"".join(draw.choices("abcdefghij", k=6)) for _ in range(2 * TOPICS * WORDS)})
    draw.shuffle(words)
    words = words[:TOPICS * WORDS]
    with tempfile.TemporaryDirectory() as box:
        encoder, static, topics = (os.path.join(box, name) for name in ("encoder", "static", "xx.tsv.xz"))
        os.mkdir(encoder)
        write_encoder(encoder, words)
        write_topics(topics, words)
        made = subprocess.run([*script, "make", encoder, static], capture_output=True, text=True, check=False)
        tap.check(made.stdout.endswith("%d words, %d numbers each\n" % (len(words) + 1, HIDDEN)), "a static model is made", made.stdout + made.stderr)
        with open(os.path.join(static, "config.json"), encoding="utf-8") as file:
            tap.check(json.load(file)["hidden_dim"] == HIDDEN, "its config.json says how many numbers")
        done = subprocess.run([*script, "measure", static, topics], capture_output=True, text=True, check=False, env=environment)
        found = re.search(r"^\| xx \| (.*) \|$", done.stdout, re.M)
        tap.check(found, "it is measured", done.stdout + done.stderr)
        few_letters, few, letters, every = map(float, found[1].split(" | "))
        tap.check(few > 60 and every > 90, "it knows topics by words that no training text has", done.stdout)
        tap.check(max(few_letters, letters) < 60, "letters do not tell these topics", done.stdout)
    tap.finish()


if __name__ == "__main__":
    sys.exit(main())
