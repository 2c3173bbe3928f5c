# SPDX-License-Identifier: Apache-2.0
"""Phrases (spec 5.1 to 5.5, 5.8, 5.10) and HUDS over phrases (spec 3.9).

A phrase is a tuple of words; counts and labeled are Counts of the unlabeled and of the labeled texts.
"""
import math

import arithmetic
import budgets
import huds
import random_numbers
from language_model import words

LENGTH = 4  # words of the longest phrase


class Counts:
    """The n-grams of texts, as tuples of words, with their places: lists of (row, word), ascending. rows: which
    texts count."""

    def __init__(self, texts, n=LENGTH, rows=None):
        self.places = {}
        for row in range(len(texts)) if rows is None else rows:
            w = words(texts[row])
            for i in range(len(w)):
                for length in range(1, n + 1):
                    if i + length <= len(w):
                        self.places.setdefault(tuple(w[i : i + length]), []).append((row, i))

    def occ(self, p):
        """How often the phrase p occurs."""
        return len(self.places.get(p, ()))

    def listed(self):
        """Types by first occurrence, then length."""
        return sorted(self.places, key=lambda p: (self.places[p][0], len(p)))

    def tokens(self):
        """All occurrences in order of place, then length: (place, length, phrase)."""
        return sorted((place, len(p), p) for p, places in self.places.items() for place in places)


def sub_phrases(p):
    """All sequences of words inside p, p included."""
    return {p[i:j] for i in range(len(p)) for j in range(i + 1, len(p) + 1)}


def rank(phrases, counts):
    """Phrases by occurrences, then words, both descending, then first place."""
    return sorted(phrases, key=lambda p: (-counts.occ(p), -len(p), counts.places[p][0]))


def ngf(counts, labeled):
    """The ranking of the phrases that no labeled text has."""
    return rank([p for p in counts.places if p not in labeled.places], counts)


def semi_maximal(counts, extended=None):
    """The semi-maximal phrases, found by extensions of one word. extended: counts with longer n-grams, for
    smp_limit=inf."""
    dominated = set()
    for q in (extended or counts).places:
        for p in (q[1:], q[:-1]):
            if p and 2 * (extended or counts).occ(q) > counts.occ(p) > 0:
                dominated.add(p)
    return [p for p in counts.places if p not in dominated]


def ngf_smp(counts, labeled, extended=None):
    """The ranking of the semi-maximal phrases that no labeled text has."""
    return rank([p for p in semi_maximal(counts, extended) if p not in labeled.places], counts)


def buy(ranking, budget, policy="overshoot"):
    """Phrases bought with their words as costs, and the words spent."""
    picks, spent = budgets.fill(range(len(ranking)), [len(p) for p in ranking], budget, policy)
    return [ranking[i] for i in picks], spent


def random_phrases(counts, labeled, seed, round_, exclude_labeled=False, by_tokens=False):
    """Phrases in random order: types drawn alike, or by their occurrences."""
    generator = random_numbers.stream(seed, random_numbers.RANDPHRASE, round_)
    if by_tokens:
        tokens = [p for _, _, p in counts.tokens() if not (exclude_labeled and p in labeled.places)]
        drawn = [tokens[i] for i in generator.sample(len(tokens), len(tokens))]
        return list(dict.fromkeys(drawn))
    types = [p for p in counts.listed() if not (exclude_labeled and p in labeled.places)]
    return [types[i] for i in generator.sample(len(types), len(types))]


def hybrid(texts, labeled_texts, scores, budget, ratio=0.5, policy="overshoot", carry=False, cover=False):
    """Algorithm 2 with ready sentence scores and NGF-SMP. Returns rows, their words, phrases, their words."""
    for_sentences = math.floor(ratio * budget + 1e-9)
    costs = [len(words(t)) for t in texts]
    ranking = arithmetic.order(range(len(texts)), scores)
    rows, spent = budgets.fill(ranking, costs, for_sentences, policy)
    rest = budget - (spent if carry else for_sentences)
    counts = Counts(texts, rows=[row for row in range(len(texts)) if row not in rows])
    labeled = Counts(labeled_texts + ([texts[row] for row in rows] if cover else []))
    phrases, words_spent = buy(ngf_smp(counts, labeled), rest, policy)
    return rows, spent, phrases, words_spent


def extracted(phrase, pairs, links):
    """Target spans of every occurrence (spec 5.10). pairs: (source, target); links: sets of (i, j)."""
    consistent, loose = [], []
    for (source, target), alignment in zip(pairs, links):
        s, t = words(source), words(target)
        for i in range(len(s) - len(phrase) + 1):
            if tuple(s[i : i + len(phrase)]) != tuple(phrase):
                continue
            inside = range(i, i + len(phrase))
            span = [j for a, j in alignment if a in inside]
            if not span:
                continue
            low, high = min(span), max(span)
            text = " ".join(t[low : high + 1])
            loose.append(text)
            if all(a in inside for a, j in alignment if low <= j <= high):
                consistent.append(text)
    return consistent, loose


def oracle(phrase, pairs, links):
    """(translation, how, counts of the consistent spans in order of first occurrence)."""
    consistent, loose = extracted(phrase, pairs, links)
    counts = {text: consistent.count(text) for text in dict.fromkeys(consistent)}
    if counts:
        best = min(counts, key=lambda text: (-counts[text], len(words(text)), consistent.index(text)))
        return best, "extracted", counts
    if loose:
        return loose[0], "loose", counts
    return None, "untranslatable", counts


def huds_phrases(texts, labeled_texts, nll, vectors, n_strata, lambda_, occ_min=2, gamma=1.0, prune=True, rescale="none"):
    """nll: by row and word; vectors: of sentences (the fallback). Returns records in order of listing, and the order."""
    counts, labeled = Counts(texts), Counts(labeled_texts)
    smp = set(semi_maximal(counts))
    chosen = [p for p in counts.listed() if p in smp and p not in labeled.places and counts.occ(p) >= occ_min]
    u, e = [], []
    for p in chosen:
        total = 0.0
        for row, i in counts.places[p]:
            inner = 0.0
            for j in range(i, i + len(p)):
                inner += nll[row][j]
            total += inner / len(p)
        u.append(total / counts.occ(p))
        places = counts.places[p][:32]
        run = [0.0] * len(vectors[0])
        for row, _ in places:
            run = [s + v for s, v in zip(run, vectors[row])]
        e.append([s / len(places) for s in run])
    result = huds.huds(list(range(len(chosen))), u, e, n_strata, lambda_, rescale)
    score = [math.log(1 + counts.occ(p)) ** gamma * h for p, h in zip(chosen, result["H"])]
    ranking = sorted(range(len(chosen)), key=lambda i: (-score[i], -counts.occ(chosen[i]), -len(chosen[i]), counts.places[chosen[i]][0]))
    order = []
    for i in ranking:
        inside = any(chosen[i] in sub_phrases(chosen[j]) or chosen[j] in sub_phrases(chosen[i]) for j in order)
        if not (prune and inside):
            order.append(i)
    return chosen, counts, u, e, result, score, order
