# SPDX-License-Identifier: Apache-2.0
"""Generators, draws and orders (spec 1.3, 1.7)."""
import arithmetic
import baselines
import huds
import languages
import random_numbers
from random_numbers import Generator, derive, hash64


def hexadecimal(word):
    """A 64-bit word as a vector stores it."""
    return f"{word:016X}"


def words(seed, count):
    """The first words of a generator."""
    generator = Generator(seed)
    return [hexadecimal(generator.u64()) for _ in range(count)]


def below(seed, n, count):
    """The first integers below n of a generator."""
    generator = Generator(seed)
    return [generator.below(n) for _ in range(count)]


def floats(seed, count):
    """The first numbers in [0, 1) of a generator."""
    generator = Generator(seed)
    return [generator.f64() for _ in range(count)]


def vectors():
    large = 2**63 + 1
    ten, even = list(range(10)), list(range(0, 20, 2))
    scores = [1.0, 2.0, 2.0, 0.5, 2.0]
    return {
        "TV-RNG": {
            "spec": "1.7",
            "about": "Generators, bounded and weighted draws, hashes of strings; 64-bit words are hexadecimal.",
            "origin": "reference; splitmix64(0) also against its published first values",
            "tolerance": 0,
            "cases": [
                {"name": "splitmix64", "input": {"seed": 0},
                 "expected": {"words": [hexadecimal(random_numbers.mix(i * random_numbers.GOLDEN & random_numbers.MASK)) for i in range(3)]}},
                {"name": "u64", "input": {"seed": 42}, "expected": {"words": words(42, 4)}},
                {"name": "f64", "input": {"seed": 42}, "expected": {"values": floats(42, 4)}},
                {"name": "below", "input": {"seed": 42, "n": 10}, "expected": {"values": below(42, 10, 12)}},
                {"name": "below with rejections", "input": {"seed": 1, "n_hex": hexadecimal(large)},
                 "expected": {"words": [hexadecimal(r) for r in below(1, large, 5)]}},
                {"name": "sample", "input": {"n": 10, "m": 5, "seeds": [2, 22, 42]},
                 "expected": {"samples": [Generator(seed).sample(10, 5) for seed in (2, 22, 42)]}},
                {"name": "sample all", "input": {"n": 8, "m": 8, "seeds": [42]},
                 "expected": {"samples": [Generator(42).sample(8, 8)]}},
                {"name": "derive", "input": {"arguments": [[42, 1, 0, 0], [42, 1, 1, 0], [2, 3, 4, 5]]},
                 "expected": {"words": [hexadecimal(derive(*a)) for a in ((42, 1, 0, 0), (42, 1, 1, 0), (2, 3, 4, 5))]}},
                {"name": "weighted", "input": {"weights": [[1, 1, 2], [0, 1, 2], [1, 0, 0]], "uniforms": [0.5, 0.0, 1.0]},
                 "expected": {"rows": [random_numbers.weighted(w, u) for w, u in
                                       (([1.0, 1.0, 2.0], 0.5), ([0.0, 1.0, 2.0], 0.0), ([1.0, 0.0, 0.0], 1.0))]}},
                {"name": "hash64", "input": {"texts": ["", "abc", "sentence-0001"]},
                 "expected": {"words": [hexadecimal(hash64(s)) for s in ("", "abc", "sentence-0001")]}},
            ],
        },
        "TV-DRAW": {
            "spec": "1.7",
            "about": "The draws of strategies: random (4.1), the seed set (3.6), candidates (3.7), gold (7.8).",
            "origin": "reference",
            "tolerance": 0,
            "input": {"seed": 42},
            "cases": [
                {"name": "random", "input": {"rows": ten, "round": 1, "k": 5}, "expected": {"picks": baselines.random_rows(ten, 5, 42, 1)}},
                {"name": "random of even rows", "input": {"rows": even, "round": 1, "k": 5},
                 "expected": {"picks": baselines.random_rows(even, 5, 42, 1)}},
                {"name": "seed set", "input": {"rows": ten, "round": 1, "k": 5}, "expected": {"picks": huds.seed_set(ten, 5, 42)}},
                {"name": "candidates", "input": {"rows": ten, "round": 1, "k": 4}, "expected": {"picks": huds.candidates(ten, 4, 42, 1)}},
                {"name": "gold", "input": {"rows": ten, "round": 1, "k": 5}, "expected": {"picks": languages.gold(ten, 5, 42, 1)}},
            ],
        },
        "TV-TOPK": {
            "spec": "1.3",
            "about": "Equal scores by row, or in random order.",
            "origin": "reference",
            "tolerance": 0,
            "input": {"scores": scores, "seed": 42},
            "cases": [
                {"name": "index", "input": {"tie": "index", "k": 2}, "expected": {"picks": arithmetic.order(range(5), scores)[:2]}},
                {"name": "random", "input": {"tie": "random", "k": 5},
                 "expected": {"picks": arithmetic.order(range(5), scores, "random", 42)}},
            ],
        },
    }
