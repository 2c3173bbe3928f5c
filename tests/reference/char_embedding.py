# SPDX-License-Identifier: Apache-2.0
"""Embeddings of character n-grams (spec 6.7)."""
import math

from arithmetic import f32
from language_model import words
from random_numbers import GOLDEN, MASK, derive

BUCKET_BITS = 20


def scramble(z):
    """The last three lines of mix (spec 1.7)."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def fnv1a(data):
    """FNV-1a of 64 bits."""
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


def features(text):
    """Hashes of the n-grams of 3, 4 and 5 code points, by word, first code point, length."""
    out = []
    for word in words(text):
        padded = f" {word} "
        for i in range(len(padded)):
            for n in (3, 4, 5):
                if i + n <= len(padded):
                    out.append(scramble(fnv1a(padded[i : i + n].encode())))
    return out


def signs(feature, dims, seed):
    """(column, sign) of each slice."""
    slices = min(8, dims)
    out = []
    for s in range(slices):
        word = scramble(((feature ^ derive(seed, 0, 0, 0)) + (s // 4 + 1) * GOLDEN) & MASK)
        piece = word >> (16 * (s % 4)) & 0xFFFF
        first, last = s * dims // slices, (s + 1) * dims // slices
        out.append((first + (piece >> 1) * (last - first) // 32768, -1.0 if piece & 1 else 1.0))
    return out


def embed(learned, texts, dims, seed):
    """Embeddings [texts, dims] with the document frequencies of the learned texts."""
    counts = {}
    for text in learned:
        for bucket in {feature >> (64 - BUCKET_BITS) for feature in features(text)}:
            counts[bucket] = counts.get(bucket, 0) + 1
    rows = []
    for text in texts:
        v = [0.0] * dims
        for feature in features(text):
            df = counts.get(feature >> (64 - BUCKET_BITS), 0)
            idf = f32(1 + math.log((1 + len(learned)) / (1 + df)))
            for column, sign in signs(feature, dims, seed):
                v[column] += sign * idf
        total = 0.0
        for x in v:
            total += x * x
        rows.append([f32(x / math.sqrt(total)) if total > 0 else 0.0 for x in v])
    return rows
