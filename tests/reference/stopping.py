# SPDX-License-Identifier: Apache-2.0
"""Stopping criteria of the loop (spec 9.6). Python's integers and fractions are exact."""
import math
from fractions import Fraction

BLOCK = 8192


def plateau(metric, patience=3, least_gain=0.0, lower_is_better=False):
    """(holds, best round from 1, its metric, largest gain since)."""
    sign = -1.0 if lower_is_better else 1.0
    best = 1 if metric else 0
    for r in range(2, len(metric) + 1):
        if round(1e9 * (sign * metric[r - 1] - sign * metric[best - 1])) > round(1e9 * least_gain):
            best = r
    since = [sign * m - sign * metric[best - 1] for m in metric[best:]]
    return bool(metric) and len(since) >= patience, best, metric[best - 1] if metric else math.nan, max(since, default=math.nan)


def low_uncertainty(values, threshold, statistic="mean"):
    """(holds, the statistic, values that count, values left out)."""
    used = [v for v in values if not math.isnan(v)]
    if not used:
        return False, math.nan, 0, len(values)
    if statistic == "max":
        found = max(used)
    else:
        found = 0.0
        for first in range(0, len(values), BLOCK):
            block = 0.0
            for v in values[first:first + BLOCK]:
                if not math.isnan(v):
                    block += v
            found += block
        found /= len(used)
    return found <= threshold, found, len(used), len(values) - len(used)


def kappa(a, b):
    """(kappa, share of equal classes, share expected by chance, classes)."""
    n, classes = len(a), sorted(set(a) | set(b))
    if n == 0:
        return math.nan, math.nan, math.nan, 0
    observed = Fraction(sum(x == y for x, y in zip(a, b)), n)
    expected = Fraction(sum(a.count(c) * b.count(c) for c in classes), n * n)
    value = math.nan if expected == 1 else float((observed - expected) / (1 - expected))
    return value, float(observed), float(expected), len(classes)


def agreement(kappas, window=3, threshold=0.99):
    """(holds, mean of the last kappas)."""
    if len(kappas) < window:
        return False, math.nan
    mean = 0.0
    for k in kappas[-window:]:
        mean += k
    mean /= window
    return mean >= threshold, mean
