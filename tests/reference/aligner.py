# SPDX-License-Identifier: Apache-2.0
"""The word aligner (spec 6.6): IBM Model 1, the diagonal model, its tension, symmetrization.

n and m are the words of a source and a target sentence, i = 1 .. m a target position, j = 1 .. n a source position and
j = 0 the null word.
"""
import functools
import math

from language_model import words

START = 1e-9  # t before the first iteration, and of words that never occurred together


def digamma(x):
    """The derivative of the logarithm of the gamma function: by recurrence up to x >= 12, then the asymptotic
    series."""
    shift = 0.0
    while x < 12:
        shift -= 1 / x
        x += 1
    r = 1 / (x * x)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * (1 / 132 - r * (691 / 32760 - r / 12))))))
    return shift + math.log(x) - 0.5 / x - series


def h(i, j, m, n):
    """Minus the distance of the link (i, j) from the diagonal."""
    return -abs(j / n - i / m)


@functools.lru_cache(maxsize=1 << 20)
def deltas(i, m, n, lam, p0, diagonal):
    """The prior delta(j | i) for j = 0 .. n."""
    if not diagonal:
        return [1 / (n + 1)] * (n + 1)
    powers = [math.exp(lam * h(i, j, m, n)) for j in range(1, n + 1)]
    z = sum(powers)
    return [p0] + [(1 - p0) * power / z for power in powers]


def public_mod(i, m, n, lam):
    """S / Z' of tension=public for target position i: the sum and the series of the public tool, which swaps the
    lengths."""
    s = 0.0
    for j in range(1, n + 1):
        value = h(i, j, m, n)
        s += value * math.exp(lam * value)
    mm, nn = n, m
    split = i * nn / mm
    f = math.floor(split)
    r = math.exp(-lam / nn)
    z = 0.0
    if f != nn:
        power = r ** ((nn - f) % 2**32)
        z += math.exp(lam * h(i, f + 1, mm, nn)) * (1 - power) / (1 - r)
    if f > 0:
        z += math.exp(lam * h(i, f, mm, nn)) * (1 - r**f) / (1 - r)
    return s / z


class Aligner:
    """The model after `iterations` of EM on pairs of (source, target) texts.

    t[e, f] is the probability of target word f given source word e (None: the null word); pairs that never
    occurred together are absent and count as `start`. likelihoods and lambdas have one entry per iteration and
    per update of lambda; links has the links of every pair after the last iteration. null=False is Model 1
    without a null word, for TV-IBM1."""
    def __init__(self, pairs, iterations=5, p0=0.08, lam=4.0, diagonal=True, bayes=True, alpha=0.01, tension="off", null=True,
                 start=START):
        self.p0, self.lam, self.diagonal, self.null = p0, lam, diagonal, null
        self.pairs = [(words(s), words(t)) for s, t in pairs]
        self.start, self.t, self.likelihoods, self.lambdas = start, {}, [], []
        kept = [(s, t) for s, t in self.pairs if s and t]
        self.links = None
        for iteration in range(1, iterations + 1):
            counts, likelihood, emp, mass, target_words = {}, 0.0, 0.0, [], 0
            for s, t in kept:
                n, m = len(s), len(t)
                for i, f in enumerate(t, 1):
                    terms = self.terms(s, t, i)
                    total = 0.0
                    for term in terms:
                        total += term
                    likelihood += math.log(total)
                    target_words += 1
                    inside = 0.0
                    for j, term in enumerate(terms):
                        if j == 0 and not null:
                            continue
                        q = term / total
                        e = s[j - 1] if j else None
                        row = counts.setdefault(e, {})
                        row[f] = row.get(f, 0.0) + q
                        if j:
                            emp += q * (h(i - 1, j, m, n) if tension == "public" else h(i, j, m, n))
                            inside += q
                    mass.append((i, m, n, inside))
            self.likelihoods.append(likelihood)
            if iteration == iterations:
                break
            if tension != "off" and 2 <= iteration:
                self.tighten(tension, emp / target_words, mass)
            self.t = {}
            for e, row in counts.items():
                if bayes:
                    whole = digamma(sum(c + alpha for c in row.values()))
                    for f, c in row.items():
                        self.t[e, f] = math.exp(digamma(c + alpha) - whole)
                else:
                    whole = sum(row.values())
                    for f, c in row.items():
                        self.t[e, f] = c / whole
        self.links = [self.align(s, t) for s, t in self.pairs]

    def terms(self, s, t, i):
        """delta(j | i) t(f_i | e_j) for j = 0 .. n, of the word lists s and t."""
        delta = deltas(i, len(t), len(s), self.lam, self.p0, self.diagonal)
        f = t[i - 1]
        if not self.null:
            return [0.0] + [self.t.get((e, f), self.start) / len(s) for e in s]
        return [delta[j] * self.t.get((s[j - 1] if j else None, f), self.start) for j in range(len(s) + 1)]

    def tighten(self, tension, emp, mass):
        """Eight steps of lambda. emp: the mean over target words of the posterior's h; mass: (i, m, n, sum of the
        posteriors of j >= 1) of every target word."""
        for _ in range(8):
            mod = 0.0
            for i, m, n, inside in mass:
                if tension == "public":
                    mod += public_mod(i, m, n, self.lam)
                else:
                    powers = [(h(i, j, m, n), math.exp(self.lam * h(i, j, m, n))) for j in range(1, n + 1)]
                    mod += inside * sum(a * b for a, b in powers) / sum(b for _, b in powers)
            self.lam = min(14.0, max(0.1, self.lam + 20 * (emp - mod / len(mass))))
        self.lambdas.append(self.lam)

    def align(self, s, t):
        """Links (i, j) from source to target, from 0."""
        links = []
        if s and t:
            for i in range(1, len(t) + 1):
                terms = self.terms(s, t, i)
                best = max(range(len(terms)), key=lambda j: (terms[j], -j))
                if best:
                    links.append((best - 1, i - 1))
        return links


def symmetrize(forward, reverse, method="grow-diag-final-and"):
    """Links of both directions, (source, target) from 0, combined by a method; sorted. The passes of grow-diag walk
    over the union in order and see what they added."""
    forward, reverse = set(forward), set(reverse)
    if method == "intersection":
        return sorted(forward & reverse)
    if method == "union":
        return sorted(forward | reverse)
    result = forward & reverse

    def unlinked(i, j):
        """Whether the source word and the target word have no link in the result yet."""
        return not any(a == i for a, _ in result), not any(b == j for _, b in result)

    added = True
    while added:
        added = False
        for i, j in sorted(forward | reverse):
            if (i, j) in result:
                continue
            neighbors = any((i + a, j + b) in result for a in (-1, 0, 1) for b in (-1, 0, 1) if a or b)
            if neighbors and any(unlinked(i, j)):
                result.add((i, j))
                added = True
    if method != "grow-diag":
        decide = all if method == "grow-diag-final-and" else any
        for links in (forward, reverse):
            for i, j in sorted(links):
                if (i, j) not in result and decide(unlinked(i, j)):
                    result.add((i, j))
    return sorted(result)
