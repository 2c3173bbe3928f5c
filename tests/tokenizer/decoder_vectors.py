#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/unit/tokenizer/decoder_vectors.jsonl: a decoder of tokenizer.json, texts of tokens
and the text that the package tokenizers (PyPI) makes of them, in JSON, a case a line.

    pip install tokenizers==0.23.3
    python3 tests/tokenizer/decoder_vectors.py > tests/unit/tokenizer/decoder_vectors.jsonl
"""
import json
import random

from tokenizers import Tokenizer

REST = {"version": "1.0", "truncation": None, "padding": None, "added_tokens": [],
        "normalizer": None, "pre_tokenizer": None, "post_processor": None,
        "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}
MARK = "\u2581"


def replace(pattern, content):
    return {"type": "Replace", "pattern": pattern, "content": content}


DECODERS = [
    {"type": "WordPiece", "prefix": "##", "cleanup": True},
    {"type": "WordPiece", "prefix": "@@", "cleanup": False},
    {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
    {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": True},
    {"type": "Metaspace", "replacement": "_", "prepend_scheme": "never", "split": True},
    {"type": "Metaspace", "replacement": MARK, "add_prefix_space": True},
    {"type": "BPEDecoder", "suffix": "</w>"},
    {"type": "ByteFallback"},
    {"type": "Fuse"},
    replace({"String": MARK}, " "),
    replace({"String": "aa"}, ""),
    replace({"Regex": "[a-c]+"}, "<>")]
LLAMA = {"type": "Sequence", "decoders": [
    replace({"String": MARK}, " "), {"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}
TOKENS = ["##a", "a", MARK, MARK + "the", "_x_", " .", ".", "?", "!", ",", "n't", "'m", "'", "'s",
          "'ve", "'re", "do not", "##s", "@@b", "</w>", "lo</w>w</w>", "<0xE2>", "<0x96>",
          "<0x81>", "<0x41>", "<0xFF>", "<0x4>", "<0xGG>", "<0xc3>", "\u0120", "\u0120the",
          "\u00c3\u0143", "\u00e0\u00a4", "\u00b9", "\u010a", "\u65e5\u672c", "", " do not",
          "a ' b", "  ", "aaa", "\u00e9", "\u0143", "x x", MARK + MARK]
BYTES = ["<0xE2>", "<0x96>", "<0x81>", "<0x41>"]


def main():
    rng = random.Random(20261124)
    for case in range(400):
        kind = rng.random()
        if kind < 0.05:
            decoder = None
        elif kind < 0.5:
            decoder = rng.choice(DECODERS)
        elif kind < 0.65:
            decoder = LLAMA
        else:
            parts = rng.choices(DECODERS, k=rng.randint(0, 3))
            if rng.random() < 0.2:
                parts.append({"type": "Sequence", "decoders": [rng.choice(DECODERS)]})
            decoder = {"type": "Sequence", "decoders": parts}
        tokens = rng.choices(BYTES if rng.random() < 0.1 else TOKENS, k=rng.randint(1, 9))
        made = Tokenizer.from_str(json.dumps(dict(REST, decoder=decoder))).decoder
        text = made.decode(tokens) if made else " ".join(tokens)
        print(json.dumps([decoder, tokens, text]))


if __name__ == "__main__":
    main()
