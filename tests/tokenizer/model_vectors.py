#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/tokenizer/model_vectors.tsv: small random models of every kind, each followed
by words and the pieces, as id:begin:end, that the package tokenizers (PyPI) cuts them into.

    pip install tokenizers==0.23.3
    python3 tests/tokenizer/model_vectors.py > tests/unit/tokenizer/model_vectors.tsv

The models have few characters and many tokens over them, so that ties, unknown characters, merges
that compete and tokens that are prefixes of each other are common."""
import json
import random

from tokenizers import Tokenizer

LETTERS = ["a", "b", "c", "\u00e9", "\u65e5", "\U0001f600"]
STRANGERS = ["x", "y", "\u00df", "\u0939"]


def text(rng, least, most, letters=None):
    return "".join(rng.choice(letters or LETTERS) for _ in range(rng.randint(least, most)))


def ids(rng, tokens):
    """Numbers the tokens: in order, in disorder, or with holes."""
    numbers = list(range(len(tokens)))
    kind = rng.randrange(3)
    if kind == 1:
        rng.shuffle(numbers)
    if kind == 2:
        numbers = sorted(rng.sample(range(3 * len(tokens)), len(tokens)))
    return dict(zip(tokens, numbers))


def word_piece(rng):
    prefix = rng.choice(["##", "##", "@", ""])
    tokens = ["[UNK]"] + [text(rng, 1, 4) for _ in range(12)]
    tokens += [prefix + text(rng, 1, 4) for _ in range(12)] + [prefix + c for c in LETTERS]
    tokens += [c for c in LETTERS if rng.random() < 0.9]
    return {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": rng.choice([100, 100, 7]),
            "vocab": ids(rng, list(dict.fromkeys(tokens)))}


def word_level(rng):
    tokens = ["<unk>"] + [text(rng, 1, 3) for _ in range(15)]
    return {"type": "WordLevel", "vocab": ids(rng, list(dict.fromkeys(tokens))),
            "unk_token": "<unk>"}


def byte_pair(rng):
    prefix, suffix = rng.choice([None, None, "", "@@"]), rng.choice([None, None, "", "</w>"])
    bare = [c for c in LETTERS if rng.random() < 0.9]
    parts = list(bare)
    if prefix:
        parts += [prefix + c for c in bare]
    if suffix:
        parts += [(prefix or "") + c + suffix for c in bare] + [c + suffix for c in bare]
    parts = list(dict.fromkeys(parts))
    tokens, merges = list(parts), []
    for _ in range(25):
        left = rng.choice([t for t in tokens if not suffix or not t.endswith(suffix)])
        right = rng.choice([t for t in tokens if not prefix or t.startswith(prefix)])
        merged = left + right[len(prefix or ""):]
        if len(merged) < 14 and (left, right) not in merges:
            merges.append((left, right))
            if merged not in tokens:
                tokens.append(merged)
    rng.shuffle(merges)
    unknown = rng.choice([None, "<unk>", "<unk>"])
    tokens += ["<unk>"] if unknown else []
    fallback = rng.random() < 0.4
    if fallback:
        known = STRANGERS[:3] + ["@", "<", "/", "w", ">"]
        tokens += ["<0x%02X>" % b for c in known for b in c.encode()]
    return {"type": "BPE", "dropout": None, "unk_token": unknown,
            "continuing_subword_prefix": prefix, "end_of_word_suffix": suffix,
            "fuse_unk": rng.random() < 0.5, "byte_fallback": fallback,
            "ignore_merges": rng.random() < 0.3, "vocab": ids(rng, list(dict.fromkeys(tokens))),
            "merges": [" ".join(m) for m in merges] if rng.random() < 0.5 else merges}


def unigram(rng):
    tokens = list(dict.fromkeys([c for c in LETTERS if rng.random() < 0.8] +
                                [text(rng, 1, 4) for _ in range(20)]))
    unknown = rng.randrange(len(tokens) + 1)
    tokens.insert(unknown, "<unk>")
    fallback = rng.random() < 0.4
    if fallback:
        tokens += ["<0x%02X>" % b for c in STRANGERS[:3] for b in c.encode()]
    kind = rng.randrange(3)  # many ties, ties up to the last bit, hardly any
    score = [lambda: float(-rng.randint(1, 4)), lambda: -rng.randint(1, 9) / 10,
             lambda: -rng.random() * 10][kind]
    return {"type": "Unigram", "unk_id": unknown, "vocab": [[t, score()] for t in tokens],
            "byte_fallback": fallback}


def pieces(model, word):
    """Where the bytes of an unknown character have tokens, the package counts those of its prefix
    and suffix as bytes of the word, and passes its end; the library stops there."""
    end = len(word.encode())
    return " ".join("%d:%d:%d" % (t.id, min(t.offsets[0], end), min(t.offsets[1], end))
                    for t in model.tokenize(word))


def a_word(rng, model):
    """Letters, known and unknown; or tokens in a row, with and without their prefix; or one of them
    again and again."""
    vocab = model["vocab"]
    tokens = [t if isinstance(t, str) else t[0] for t in vocab]
    prefix = model.get("continuing_subword_prefix") or "\0"
    suffix = model.get("end_of_word_suffix") or "\0"
    bare = [t.removeprefix(prefix).removesuffix(suffix) for t in tokens if t[0] not in "<["]
    bare = [t for t in bare if t] or LETTERS
    kind = rng.randrange(4)
    if kind == 0:
        return text(rng, 1, 9, LETTERS * 4 + STRANGERS)
    if kind == 1:
        return rng.choice(bare) * rng.randint(2, 6)
    word = "".join(rng.choice(bare) for _ in range(rng.randint(1, 4)))
    return word + rng.choice(STRANGERS) * rng.randint(1, 3) + word if kind == 2 else word


def main():
    rng = random.Random(20261122)
    for kind, count in (word_piece, 8), (word_level, 2), (byte_pair, 24), (unigram, 16):
        for _ in range(count):
            model = kind(rng)
            cut = Tokenizer.from_str(json.dumps({
                "version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
                "normalizer": None, "pre_tokenizer": None, "post_processor": None, "decoder": None,
                "model": model})).model
            print("model\t" + json.dumps(model))
            for _ in range(16):
                word = a_word(rng, model)
                print("%s\t%s" % (word, pieces(cut, word)))


if __name__ == "__main__":
    main()
