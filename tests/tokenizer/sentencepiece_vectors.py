#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/tokenizer/sentencepiece_vectors.tsv: small random sentencepiece models, each
followed by texts and the ids that the packages sentencepiece and tokenizers (PyPI) give them.

    pip install sentencepiece==0.2.3 tokenizers==0.23.3
    cd tests; python3 tokenizer/sentencepiece_vectors.py > unit/tokenizer/sentencepiece_vectors.tsv

A line is "model", the file in hexadecimal digits and a vocabulary as Marian has one; or a text, its
ids by sentencepiece and that vocabulary, by the model as `transformers` converts it (for byte-pair
encoding by sentencepiece itself), and by the same with the ids of fairseq ("-" for byte-pair)."""
import json
import random
import struct

import sentencepiece
from tokenizers import models

LETTERS = ["a", "b", "c", "\u2581", "\u00e9", "\u65e5"]
STRANGERS = ["x", "y", "\u0939"]
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)


def varint(value):
    value &= 2**64 - 1
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3) + varint(int(value))


def model_file(pieces, byte_pair, fallback):
    out = b""
    for piece, score, kind in pieces:
        message = field(1, piece.encode()) + field(2, score)
        out += field(1, message + (field(3, kind) if kind != NORMAL else b""))
    trainer = field(1, b"corpus") + field(3, 1 + byte_pair) + field(35, fallback) + field(43, -1)
    return out + field(2, trainer) + field(3, field(1, b"identity") + field(3, 0) + field(4, 0))


def text(rng, least, most, letters):
    return "".join(rng.choice(letters) for _ in range(rng.randint(least, most)))


def random_pieces(rng, byte_pair, fallback):
    pieces = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)]
    if fallback:
        pieces += [("<0x%02X>" % b, 0.0, BYTE) for b in range(256)]
    score = [lambda: float(-rng.randint(1, 4)), lambda: -rng.randint(1, 9) / 10,
             lambda: -rng.random() * 10][rng.randrange(3)]
    known = {p[0] for p in pieces}
    tokens = [c for c in LETTERS if rng.random() < 0.85]
    if byte_pair:
        for _ in range(25):
            tokens.append(rng.choice(tokens) + rng.choice(tokens))
    else:
        tokens += [text(rng, 1, 4, LETTERS) for _ in range(20)]
    for token in tokens:
        if token not in known and len(token) < 9:
            known.add(token)
            kind = NORMAL
            if len(token) > 1 and rng.random() < 0.12:
                kind = USER_DEFINED
            elif not byte_pair and rng.random() < 0.08:
                kind = UNUSED
            pieces.append((token, score(), kind))
    return pieces


def as_float(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def ids_of(cut, word):
    return " ".join(str(t.id) for t in cut.tokenize(word))


def main():
    rng = random.Random(20261123)
    for number in range(16):
        byte_pair, fallback = number % 2 == 1, number in (2, 3)
        pieces = random_pieces(rng, byte_pair, fallback)
        data = model_file(pieces, byte_pair, fallback)
        exact = sentencepiece.SentencePieceProcessor(model_proto=data)
        # Two pieces are not in the vocabulary, and a surface that is unknown is.
        vocab = {p[0]: 2 * i + 1 for i, p in enumerate(pieces) if i % 7 != 6 or p[2] == BYTE}
        vocab.update({"<pad>": 0, "x": 4, "xy": 6})
        scores = [(t, as_float(s)) for t, s, _ in pieces]
        own = fairseq = None
        if not byte_pair:
            own = models.Unigram(scores, unk_id=0, byte_fallback=fallback)
            head = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
            fairseq = models.Unigram(head + scores[3:] + [("<mask>", 0.0)], unk_id=3,
                                     byte_fallback=fallback)
        print("model\t%s\t%s" % (data.hex(), json.dumps(vocab)))
        bare = [p[0] for p in pieces if p[2] in (NORMAL, USER_DEFINED, UNUSED)]
        for _ in range(24):
            word = text(rng, 1, 12, LETTERS * 3 + STRANGERS)
            if rng.random() < 0.6:
                parts = rng.choices(bare, k=rng.randint(1, 5))
                word = "".join(part * rng.randint(1, 3) for part in parts)
            names = [vocab.get(p, vocab["<unk>"]) for p in exact.encode(word, out_type=str)]
            print("%s\t%s\t%s\t%s" % (
                word, " ".join(map(str, names)),
                " ".join(map(str, exact.encode(word))) if byte_pair else ids_of(own, word),
                "-" if byte_pair else ids_of(fairseq, word)))


if __name__ == "__main__":
    main()
