# SPDX-License-Identifier: Apache-2.0
"""Span F1, labels, question answering (spec 8.9)."""
from collections import Counter

from translation_metrics import PUNCTUATION, split


def spans(tags, strict=False):
    """The spans of one sentence with BIO tags: (type, first word, last word). strict: an I without a B before it
    begins none."""
    out, kind, first = [], None, 0
    for i, tag in enumerate([*tags, "O"]):
        mark, this = tag[0], tag[2:]
        if kind is not None and (mark in "BO" or this != kind):
            out.append((kind, first, i - 1))
            kind = None
        if mark == "B" or (mark == "I" and kind is None and not strict):
            kind, first = this, i
    return out


def span_scores(gold, predicted, strict=False):
    """Micro precision, recall, F1."""
    def every(sentences):
        return {(i,) + span for i, tags in enumerate(sentences) for span in spans(tags, strict)}

    g, p = every(gold), every(predicted)
    hits = len(g & p)
    precision, recall = hits / len(p) if p else 0.0, hits / len(g) if g else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if hits else 0.0


def accuracy(gold, predicted):
    """The share of equal labels."""
    return sum(a == b for a, b in zip(gold, predicted)) / len(gold)


def macro_f1(gold, predicted):
    """The mean F1 of the labels that occur in either list."""
    scores = []
    for label in sorted({*gold, *predicted}):
        tp = sum(a == b == label for a, b in zip(gold, predicted))
        scores.append(2 * tp / (gold.count(label) + predicted.count(label)) if tp else 0.0)
    return sum(scores) / len(scores)


def normalized_answer(text):
    """The words of an answer without case, ASCII punctuation and articles (SQuAD)."""
    text = "".join(c for c in text.lower() if c not in PUNCTUATION)
    out, word = "", ""
    for c in text + " ":
        if c.isalnum() or c == "_":
            word += c
        else:
            out += (" " if word in ("a", "an", "the") else word) + c
            word = ""
    return split(out)


def answer_scores(predicted, gold):
    """(exact match, F1) of one pair."""
    p, g = normalized_answer(predicted), normalized_answer(gold)
    exact = float(p == g)
    if not p or not g:
        return exact, float(not p and not g)
    common = sum((Counter(p) & Counter(g)).values())
    if not common:
        return exact, 0.0
    precision, recall = common / len(p), common / len(g)
    return exact, 2 * precision * recall / (precision + recall)
