# SPDX-License-Identifier: Apache-2.0
"""Switched and contextualized pairs (spec 6.3, 6.4)."""
from language_model import words


def candidates(model, x, y, links, phrases, span="consistent"):
    """phrases: (phrase, translation) in order of selection. Returns every position with its score, target
    range and whether it is allowed, in order of phrase and position."""
    xs, ys = words(x), words(y)
    out = []
    for number, (p, translation) in enumerate(phrases):
        pw, tw = words(p), words(translation)
        for i in range(len(xs) - len(pw) + 1):
            inside = range(i, i + len(pw))
            aligned = sorted({j for a, j in links if a in inside})
            source = xs[:i] + pw + xs[i + len(pw) :]
            item = {"phrase": number, "i": i, "source": " ".join(source), "log10": model.total(" ".join(source)),
                    "span": None, "allowed": False, "target": None}
            if aligned:
                low, high = aligned[0], aligned[-1]
                consistent = all(a in inside for a, j in links if low <= j <= high)
                short = high - low + 1 <= max(4, 2 * len(pw))
                end = low + len(tw) if span == "literal" else high + 1
                item["span"] = [low, high]
                item["allowed"] = span == "literal" or (short and (span == "minmax" or consistent))
                item["consistent"] = consistent
                item["target"] = " ".join(ys[:low] + tw + ys[end:])
            out.append(item)
    return out


def switch(model, x, y, links, phrases, span="consistent"):
    """The best allowed candidate, or None."""
    allowed = [c for c in candidates(model, x, y, links, phrases, span) if c["allowed"]]
    return min(allowed, key=lambda c: (-round(c["log10"], 6), c["i"], c["phrase"]), default=None)


def contextualize(model, x, y, phrases, norm=False):
    """Returns the best (source, target, number of the phrase) and the scores by phrase."""
    scores = []
    for p, _ in phrases:
        text = x + " " + p
        total = model.total(text)
        scores.append(total / (len(words(text)) + 1) if norm else total)
    best = min(range(len(phrases)), key=lambda n: (-round(scores[n], 6), n))
    p, translation = phrases[best]
    return x + " " + p, y + " " + translation, best, scores
