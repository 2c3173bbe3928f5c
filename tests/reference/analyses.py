# SPDX-License-Identifier: Apache-2.0
"""Overlap, in-domain words, word accuracy, significance, projection, costs (spec 8)."""
import math

from language_model import words
from phrases import Counts


def types(texts, n):
    """The different n-grams of texts."""
    return {p for p in Counts(texts, n).places if len(p) == n}


def occurrences(texts, n):
    """How often each n-gram of texts occurs."""
    return {p: len(places) for p, places in Counts(texts, n).places.items() if len(p) == n}


def overlap(selected, test, n, unit="types", mode="coverage"):
    """Percentage, or NaN without an n-gram in the test."""
    s, t = types(selected, n), occurrences(test, n)
    if not t:
        return math.nan
    if unit == "tokens":
        return 100 * sum(count for p, count in t.items() if p in s) / sum(t.values())
    hits = len(s & set(t))
    return 100 * hits / {"coverage": len(t), "precision": len(s), "jaccard": len(s | set(t))}[mode]


def overlap_combined(selected, test, tagged=False):
    """selected and test: (source texts, target texts)."""
    if tagged:
        hits = sum(len(types(s, 1) & types(t, 1)) for s, t in zip(selected, test))
        return 100 * hits / sum(len(types(t, 1)) for t in test)
    return overlap(selected[0] + selected[1], test[0] + test[1], 1)


def in_domain_words(test, outside, selected, definition="test"):
    """(in-domain words of the selection's text or the test, IDWT, WT, IDWC, WC)."""
    known = types(outside, 1)
    counts = occurrences(selected, 1)
    domain = (types(test, 1) if definition == "test" else set(counts)) - known
    hits = {p: count for p, count in counts.items() if p in domain}
    return sorted(p[0] for p in domain), len(hits), len(counts), sum(hits.values()), sum(counts.values())


def word_accuracy(sources, references, hypotheses, links, domain):
    """(matched, total, in-domain words without a link)."""
    matched = total = unlinked = 0
    for source, reference, hypothesis, alignment in zip(sources, references, hypotheses, links):
        s, r, left = words(source), words(reference), words(hypothesis)
        wanted = set()
        for i, word in enumerate(s):
            if word in domain:
                targets = {j for a, j in alignment if a == i}
                unlinked += not targets
                wanted |= targets
        for j in sorted(wanted):
            total += 1
            if r[j] in left:
                left.remove(r[j])
                matched += 1
    return matched, total, unlinked


def length_ratio(hypotheses, references):
    """Words of the hypotheses per word of the references."""
    return sum(len(words(h)) for h in hypotheses) / sum(len(words(r)) for r in references)


def mean_sd_se(values):
    """Mean, sample standard deviation, standard error of the mean."""
    n = len(values)
    mean = sum(values) / n
    if n == 1:
        return mean, math.nan, math.nan
    sd = math.sqrt(sum((v - mean) ** 2 for v in values) / (n - 1))
    return mean, sd, sd / math.sqrt(n)


def wilcoxon(differences, exact=None):
    """(pairs used, W+, W-, two-sided p) of the signed-rank test. Differences are rounded to 1e-9 so that ties are
    exact; ranks are doubled to be integers; exact counts the ways to reach each sum."""
    whole = [round(1e9 * d) for d in differences]
    whole = [d for d in whole if d]
    n = len(whole)
    if not n:
        return 0, 0.0, 0.0, 1.0
    sizes = sorted(abs(d) for d in whole)
    doubled = {size: sizes.index(size) + 1 + sizes.index(size) + sizes.count(size) for size in set(sizes)}
    plus = sum(doubled[abs(d)] for d in whole if d > 0)
    minus = sum(doubled[abs(d)] for d in whole if d < 0)
    if n <= 50 if exact is None else exact:
        ways = [1] + [0] * (plus + minus)
        for d in whole:
            rank = doubled[abs(d)]
            for total in range(plus + minus, rank - 1, -1):
                ways[total] += ways[total - rank]
        p = min(1.0, 2 * min(sum(ways[plus:]), sum(ways[: plus + 1])) / 2**n)
    else:
        mean = n * (n + 1) / 4
        ties = sum(t**3 - t for t in (sizes.count(size) for size in set(sizes)))
        variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48
        z = max(0.0, abs(plus / 2 - mean) - 0.5) / math.sqrt(variance)
        p = min(1.0, math.erfc(z / math.sqrt(2)))
    return n, plus / 2, minus / 2, p


def principal_components(rows, count=2):
    """Mean, eigenvalues of the population covariance (descending), components, projections, shares. Jacobi rotations."""
    n, d = len(rows), len(rows[0])
    mean = [sum(row[j] for row in rows) / n for j in range(d)]
    centered = [[row[j] - mean[j] for j in range(d)] for row in rows]
    a = [[sum(row[i] * row[j] for row in centered) / n for j in range(d)] for i in range(d)]
    v = [[float(i == j) for j in range(d)] for i in range(d)]
    for _ in range(100):
        if sum(a[i][j] ** 2 for i in range(d) for j in range(d) if i != j) < 1e-28:
            break
        for p in range(d):
            for q in range(p + 1, d):
                if a[p][q] == 0:
                    continue
                theta = (a[q][q] - a[p][p]) / (2 * a[p][q])
                t = math.copysign(1.0, theta) / (abs(theta) + math.sqrt(theta * theta + 1))
                c = 1 / math.sqrt(t * t + 1)
                s = t * c
                for k in range(d):
                    a[k][p], a[k][q] = c * a[k][p] - s * a[k][q], s * a[k][p] + c * a[k][q]
                for k in range(d):
                    a[p][k], a[q][k] = c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]
                for k in range(d):
                    v[k][p], v[k][q] = c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]
    ranked = sorted(range(d), key=lambda i: -a[i][i])
    values = [a[i][i] for i in ranked]
    components = []
    for i in ranked[:count]:
        component = [v[k][i] for k in range(d)]
        largest = max(component, key=abs)
        components.append([x if largest > 0 else -x for x in component])
    projections = [[sum(x * y for x, y in zip(row, component)) for component in components] for row in centered]
    return mean, values, components, projections, [values[i] / sum(values) for i in range(count)]


def cost_models():
    """Coefficients of the two models through (2500, 491) and (40000, 7092)."""
    slope = (7092 - 491) / (40000 - 2500)
    power = math.log(7092 / 491) / math.log(40000 / 2500)
    return 491 - 2500 * slope, slope, 491 / 2500**power, power
