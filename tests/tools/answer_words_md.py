#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the table of the words of annotation tools into docs/formats.md, from lib/extra/annotation/answer_words.c. With --check it compares and
reports in TAP.

  answer_words_md.py [--check] [SOURCE]"""
import os
import re
import sys

MEANINGS = {"ANSWER": "the translation counts, if there is one", "LOOSE": "it counts, and covers words outside the phrase too",
            "PENDING": "a draft: the item stays open", "UNTRANSLATABLE": "there is no translation; the cost is refunded",
            "SKIPPED": "left out: the cost is refunded until a translation comes",
            "REJECTED": "refused: what stands there never counts; the cost is refunded until a translation comes"}
BEGIN, END = "<!-- words of answers: tests/tools/answer_words_md.py -->\n", "<!-- end of words -->\n"


def table(source):
    with open(os.path.join(source, "lib/extra/annotation/answer_words.c"), encoding="utf-8") as file:
        words = re.findall(r'\{"([a-z0-9-]+)", ALCORE__MEANS_([A-Z]+), "([^"]+)"\}', file.read())
    rows = ["| word | written by | meaning |", "|---|---|---|"]
    rows += ["| `%s` | %s | %s |" % (word, tools, MEANINGS[meaning]) for word, meaning, tools in words]
    return "\n".join(rows) + "\n"


def main():
    check = "--check" in sys.argv
    paths = [argument for argument in sys.argv[1:] if argument != "--check"]
    source = paths[0] if paths else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    page = os.path.join(source, "docs/formats.md")
    with open(page, encoding="utf-8") as file:
        text = file.read()
    head, rest = text.split(BEGIN)
    tail = rest.split(END)[1]
    made = head + BEGIN + table(source) + END + tail
    if check:
        print("1..1\n%s 1 - docs/formats.md has the words of lib/extra/annotation/answer_words.c" % ("ok" if made == text else "not ok"))
        return made != text
    with open(page, "w", encoding="utf-8") as file:
        file.write(made)
    return 0


sys.exit(main())
