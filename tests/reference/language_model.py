# SPDX-License-Identifier: Apache-2.0
"""Interpolated modified Kneser-Ney (spec 6.5) from its definitions, and cross-fitting. An n-gram is a tuple of words."""
import math
from collections import Counter, defaultdict

import random_numbers

FALLBACK = (0.0, 0.5, 1.0, 1.5)  # D(0) .. D(3+) where the counts give none
FOLDS = 5
MARKS = ("<s>", "</s>", "<unk>")


def words(text):
    """Maximal runs without ASCII space, tab, CR and LF (spec 1.1)."""
    return [w for w in text.replace("\t", " ").replace("\r", " ").replace("\n", " ").split(" ") if w]


def discounts(t):
    """t: numbers of n-grams with adjusted count 1, 2, 3, 4. Returns (D(0) .. D(3+)), or None."""
    t1, t2, t3, t4 = t
    if t1 == 0 or t2 == 0 or t3 == 0:
        return None
    y = t1 / (t1 + 2 * t2)
    d = (0.0, 1 - 2 * y * t2 / t1, 2 - 3 * y * t3 / t2, 3 - 4 * y * t4 / t3)
    return d if all(0 <= d[k] <= k for k in range(4)) else None


class Model:
    """The model of an order, trained on texts.

    adjusted[n]: a(g) by n-gram; discount[n]: D(0) .. D(3+); fallback[n]: whether they are FALLBACK; counts[n -
    1]: t_1 .. t_4; den and gamma_of by context; size: V of the specification."""
    def __init__(self, texts, order):
        self.order = order
        sentences = [["<s>"] + [w for w in words(t) if w not in MARKS] + ["</s>"] for t in texts]
        raw = [Counter() for _ in range(order + 1)]
        before = defaultdict(set)
        for s in sentences:
            for n in range(1, order + 1):
                for i in range(len(s) - n + 1):
                    raw[n][tuple(s[i : i + n])] += 1
            for n in range(2, order + 1):
                for i in range(len(s) - n + 1):
                    before[tuple(s[i + 1 : i + n])].add(s[i])
        self.adjusted = [{} for _ in range(order + 1)]
        for n in range(1, order + 1):
            for g, count in raw[n].items():
                if g != ("<s>",):
                    self.adjusted[n][g] = count if n == order or g[0] == "<s>" else len(before[g])
        self.counts, self.discount, self.fallback = [], [None], [None]
        for n in range(1, order + 1):
            t = [sum(1 for a in self.adjusted[n].values() if a == k) for k in range(1, 5)]
            d = discounts(t)
            self.counts.append(t)
            self.fallback.append(d is None)
            self.discount.append(d or FALLBACK)
        self.vocabulary = sorted({g[0] for g in self.adjusted[1]} - {"</s>"}, key=str.encode)
        self.size = len(self.vocabulary) + 2
        self.den, self.gamma_of = {}, {}
        for n in range(1, order + 1):
            tables = defaultdict(list)
            for g, a in self.adjusted[n].items():
                tables[g[:-1]].append(a)
            for h, values in tables.items():
                d = self.discount[n]
                self.den[h] = sum(values)
                self.gamma_of[h] = sum(d[min(a, 3)] for a in values) / sum(values)

    def gamma(self, h):
        """Back-off weight; 1 where h is no context."""
        return self.gamma_of.get(tuple(h), 1.0)

    def p(self, w, h=()):
        """p(w | h) for a tuple h, whose last order - 1 words count."""
        h = tuple(h)[max(0, len(h) - (self.order - 1)) :]
        known = (w,) in self.adjusted[1]
        if not h:
            a = self.adjusted[1].get((w,), 0) if known else 0
            return (a - self.discount[1][min(a, 3)]) / self.den[()] + self.gamma(()) / self.size
        if h not in self.den:
            return self.p(w, h[1:])
        a = self.adjusted[len(h) + 1].get(h + (w,), 0)
        return (a - self.discount[len(h) + 1][min(a, 3)]) / self.den[h] + self.gamma(h) * self.p(w, h[1:])

    def log10s(self, text):
        """log10 of every word and of </s>."""
        history, out = ["<s>"], []
        for w in words(text) + ["</s>"]:
            known = (w,) in self.adjusted[1] and (w not in MARKS or (w == "</s>" and len(out) == len(words(text))))
            w = w if known else "<unk>"
            out.append(math.log10(self.p(w, history[-(self.order - 1) :] if self.order > 1 else ())))
            history.append(w)
        return out

    def total(self, text):
        """log10 of the probability of a text."""
        total = 0.0
        for value in self.log10s(text):
            total += value
        return total


def fold(text):
    """The fold of a text in cross-fitting."""
    return random_numbers.hash64(text) % FOLDS


def cross_fitted(texts, order):
    """log10 of every token of every text, by the model of the other folds."""
    out = []
    for text in texts:
        others = [t for t in texts if fold(t) != fold(text)]
        if others:
            out.append(Model(others, order).log10s(text))
        else:
            out.append([math.log10(0.5)] * (len(words(text)) + 1))
    return out
