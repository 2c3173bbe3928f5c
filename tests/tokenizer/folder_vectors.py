#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/tokenizer/folder_vectors.tsv: folders with sentencepiece models and without
tokenizer.json, texts, and what the package transformers (PyPI) makes of them.

    pip install transformers==5.23.0 sentencepiece==0.2.3 protobuf sacremoses
    python3 tests/tokenizer/folder_vectors.py > tests/unit/tokenizer/folder_vectors.tsv

A line is "file", the path below the folders, and the contents in hexadecimal digits; or the name of
a folder, a text and the text without special tokens that its ids are decoded to, both in JSON, the
ids, and for Marian the ids of the text as a target."""
import io
import json
import os
import random
import sys
import tempfile

import sentencepiece
from transformers import AutoTokenizer

# Composition, case and width, and one rule that is longer than a grapheme cluster of 5 bytes.
RULES = ["41\t61", "42\t62", "FF21\t61", "3000\t20", "9C7 9BE\t9CB", "65 301\tE9", "2126\t3A9",
         "61 62 63 64 65 66\t78"]
LETTERS = ["a", "b", "c", "d", "e", "f", "\u00e9", "\u09a8", "\u09cb", "\u03a9", "\u65e5"]
WORDS = LETTERS + ["ab", "cab", "dad", "fee", "A", "B", "\uff21", "e\u0301", "\u2126", "x",
                   "\u0939", "\u65e5\u65e5"]
# What sentencepiece, which Marian is cut with, and so the library replace as a whole. The package
# tokenizers, which cuts for the other classes of transformers, maps grapheme clusters of 6 bytes
# and more character by character.
LONG_WORDS = ["\u09a8\u09c7\u09be", "abcdef"]


def train(folder, rng, **settings):
    os.chdir(folder)  # the file keeps the name of the rules
    rules = "rules.tsv"
    with open(rules, "w", encoding="utf-8") as file:
        file.write("\n".join(RULES) + "\n")
    lines = [" ".join("".join(rng.choices(LETTERS, k=rng.randint(1, 4))) for _ in range(8))
             for _ in range(200)]
    out = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=out, vocab_size=48, minloglevel=2,
        normalization_rule_tsv=rules, character_coverage=1.0, num_threads=1, **settings)
    model = out.getvalue()
    os.remove(rules)
    return model


def a_text(rng, name):
    """transformers' class of mBART-50 keeps a space at the end of a text and before a special
    token; sentencepiece, with which the model was trained, and the library do not."""
    words = rng.choices(WORDS + (LONG_WORDS if name == "Marian" else []), k=rng.randint(1, 7))
    if rng.random() < 0.4 and name != "MBart50":
        words.insert(rng.randrange(len(words) + 1),
                     rng.choice(["</s>", "<mask>", "<extra_id_7>", ">>de<<", "<unk>", "de_DE"]))
    text = rng.choice([" ", "  ", "\u3000"]).join(words)
    behind = "" if name == "MBart50" else rng.choice(["", "", " ", "  "])
    return rng.choice(["", "", " "]) + text + behind


def write(folders, path, data):
    os.makedirs(os.path.dirname(os.path.join(folders, path)), exist_ok=True)
    with open(os.path.join(folders, path), "wb") as file:
        file.write(data)
    print("file\t%s\t%s" % (path, data.hex()))


def as_json(value):
    return json.dumps(value).encode()


def write_folders(folders, rng):
    fairseq = train(folders, rng)
    target = train(folders, rng)
    t5 = train(folders, rng, pad_id=0, eos_id=1, unk_id=2, bos_id=-1)
    for name in "XLMRoberta", "MBart", "MBart50":
        write(folders, name + "/sentencepiece.bpe.model", fairseq)
        settings = {"tokenizer_class": name + "Tokenizer"}
        if name != "XLMRoberta":
            settings.update(src_lang="de_DE", tgt_lang="ro_RO")
        write(folders, name + "/tokenizer_config.json", as_json(settings))
    write(folders, "T5/spiece.model", t5)
    write(folders, "T5/tokenizer_config.json",
          as_json({"tokenizer_class": "T5Tokenizer", "extra_ids": 9}))
    write(folders, "Marian/source.spm", fairseq)
    write(folders, "Marian/target.spm", target)
    vocab = {}
    for token in ["</s>", "<unk>", ">>de<<", "x", "\u0939"]:
        vocab[token] = len(vocab)
    for model in fairseq, target:
        pieces = sentencepiece.SentencePieceProcessor(model_proto=model)
        for i in range(pieces.get_piece_size()):
            if i % 9 != 8:
                vocab.setdefault(pieces.id_to_piece(i), len(vocab))
    vocab["<pad>"] = len(vocab)
    write(folders, "Marian/vocab.json", as_json(vocab))
    write(folders, "Marian/tokenizer_config.json", as_json({"tokenizer_class": "MarianTokenizer"}))


def main():
    rng = random.Random(20261125)
    with tempfile.TemporaryDirectory() as folders:
        write_folders(folders, rng)
        for name in "XLMRoberta", "MBart", "MBart50", "T5", "Marian":
            cut = AutoTokenizer.from_pretrained(os.path.join(folders, name))
            if name == "MBart":
                # transformers 5.23 forgets the character map of mBART, with which it was trained.
                xlm = AutoTokenizer.from_pretrained(os.path.join(folders, "XLMRoberta"))
                cut.backend_tokenizer.normalizer = xlm.backend_tokenizer.normalizer
            for _ in range(30):
                text = a_text(rng, name)
                if name == "Marian":
                    text = rng.choice(["", "", ">>de<< ", ">>zz<<"]) + text
                ids = cut(text).input_ids
                decoded = cut.decode(ids, skip_special_tokens=True)
                cells = [name, json.dumps(text), json.dumps(decoded), " ".join(map(str, ids))]
                if name == "Marian":
                    cells.append(" ".join(map(str, cut(text_target=text).input_ids)))
                print("\t".join(cells))


if __name__ == "__main__":
    sys.exit(main())
