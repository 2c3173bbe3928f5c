#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Expressions of adapters beside Python's re: random ones, of comments, repetitions and groups
above all. In TAP.
usage: test_expressions.py EXPRESSIONS (expressions.cpp)"""
import collections
import os
import random
import re
import subprocess
import sys
import warnings

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
from tap import Tap  # noqa: E402

COUNT = 20000
PARTS = ["a", "b", "ab", "(?#c)", "(?#)", "(?#a+)", "(?#", "+", "*", "?", "+?", "*?", "{2}", "{1,2}", "{,2}", "{,}", "{1,}", "{2,1}", "{", "{}", "{a}",
         "(", ")", "(?:", ")", "(?=", "(?!", "(?P<n>", "(?P<m>", "(?P<1>", "(?P<>", "|", "^", "$", r"\b", r"\B", r"\A", r"\Z", "[ab]", "[^a]", ".",
         r"\d", r"\.", "a+", "(a)", "(?:a)"]
NAMES = ["a", "b", "ab", "aa", "aab", "aba", "abab", "{", "a{", "aaa", "}", "{a}", " ", "c", "a.1"]
#: What Python reads and is refused here: possessive repetitions, and repeated lookahead.
UNREAD = re.compile(r"[*+?}]\+|\(\?[=!]")


def matched(text):
    """As the program writes it, of Python."""
    try:
        read = re.compile(text)
    except re.error:
        return "refused"
    return "".join("01"[read.fullmatch(name) is not None] for name in NAMES)


def random_expressions(_box):
    draw = random.Random(7)
    texts = ["".join(draw.choice(PARTS) for _ in range(draw.randint(1, 7))) for _ in range(COUNT)]
    lines = "".join("%s\n%s\n" % (text, "\t".join(NAMES)) for text in texts)
    found = subprocess.run(sys.argv[1], input=lines, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    assert len(found) == COUNT, len(found)
    seen = collections.Counter()
    with warnings.catch_warnings():  # of what Python may read otherwise one day
        warnings.simplefilter("ignore", FutureWarning)
        for text, here in zip(texts, found):
            there = matched(text)
            unread = here == "refused" and there != "refused" and UNREAD.search(text)
            assert here == there or unread, (text, here, there)
            seen["refused" if there == "refused" else "unread" if unread else "read"] += 1
    assert seen["refused"] > COUNT // 2 and seen["read"] > COUNT // 10 and seen["unread"] < COUNT // 200, seen


if __name__ == "__main__":
    Tap().run([random_expressions])
