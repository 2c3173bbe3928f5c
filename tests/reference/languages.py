# SPDX-License-Identifier: Apache-2.0
"""Draws by language: EGALITARIAN, GOLD, SAME-RATIO, plans (spec 7.7 to 7.10)."""
import random_numbers


def tags_of(languages):
    """The languages in byte order."""
    return sorted(set(languages), key=str.encode)


def counts_drawn(languages, counts, tag_number, seed, round_, unlabeled=None):
    """Draws counts[language] rows of every language, each by a stream of its own; language by language in byte
    order. tag_number: the tag of the stream (spec 1.7)."""
    rows = list(range(len(languages))) if unlabeled is None else unlabeled
    picks = []
    for rank, tag in enumerate(tags_of(languages)):
        if tag in counts:
            mine = [row for row in rows if languages[row] == tag]
            picks += random_numbers.draw(random_numbers.stream(seed, tag_number, round_, rank), mine, counts[tag])
    return picks


def egalitarian(languages, b, seed, round_, unlabeled=None):
    """The same number from every language, the rest from all."""
    rows = list(range(len(languages))) if unlabeled is None else unlabeled
    tags = tags_of(languages)
    picks = counts_drawn(languages, {tag: b // len(tags) for tag in tags}, random_numbers.EGAL, seed, round_, rows)
    rest = [row for row in rows if row not in picks]
    generator = random_numbers.stream(seed, random_numbers.EGAL, round_, len(tags))
    return picks + random_numbers.draw(generator, rest, b - len(picks))


def gold(rows, b, seed, round_):
    """b rows drawn from all."""
    return random_numbers.draw(random_numbers.stream(seed, random_numbers.GOLD, round_), rows, b)


def plan_counts(text):
    """'hi:4,fa:2' as a dict."""
    return {tag: int(count) for tag, count in (part.split(":") for part in text.split(","))}
