# SPDX-License-Identifier: Apache-2.0
"""Switched and contextualized pairs (spec 6.3, 6.4), and whole training sets (spec 6)."""
import math

import language_model
import neighbors
import random_numbers
from language_model import words


def rounded(log10):
    """The key by which probabilities are compared: millionths."""
    return math.floor(log10 * 1e6 + 0.5)


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
                item["end"] = min(end, len(ys))
            out.append(item)
    return out


def switch(model, x, y, links, phrases, span="consistent"):
    """The best allowed candidate, or None."""
    allowed = [c for c in candidates(model, x, y, links, phrases, span) if c["allowed"]]
    return min(allowed, key=lambda c: (-rounded(c["log10"]), c["i"], c["phrase"]), default=None)


def contextualize(model, x, y, phrases, norm=False):
    """Returns the best (source, target, number of the phrase) and the scores by phrase."""
    scores = []
    for p, _ in phrases:
        text = x + " " + p
        total = model.total(text)
        scores.append(total / (len(words(text)) + 1) if norm else total)
    best = min(range(len(phrases)), key=lambda n: (-rounded(scores[n]), n))
    p, translation = phrases[best]
    return x + " " + p, y + " " + translation, best, scores


def pair(kind, source, target, **numbers):
    """A pair of a training set with where it comes from; -1: no such thing."""
    blank = {"labeled_row": -1, "pool_row": -1, "item": -1, "word": -1, "target_first": -1, "target_end": -1, "score": math.nan}
    return {"kind": kind, "src": source, "tgt": target} | blank | numbers


def taken_sentences(texts, items):
    """The sentences of the pool in the order in which passes over the translated phrases take them."""
    used = {item["row"] for item in items if item["kind"] == "sent"}
    phrases = []
    for item in items:
        if item["kind"] == "phrase" and item["translation"] and words(item["text"]) not in phrases:
            phrases.append(words(item["text"]))

    def holds(row, p):
        w = words(texts[row])
        return any(w[i : i + len(p)] == p for i in range(len(w) - len(p) + 1))

    while True:
        found = False
        for p in phrases:
            row = next((row for row in range(len(texts)) if row not in used and holds(row, p)), None)
            if row is not None:
                used.add(row)
                found = True
                yield row
        if not found:
            return


def phrases_of(text, items):
    """(item, phrase, translation) of the translated phrases in a text, each text once, in order of selection."""
    w, out = words(text), []
    for number, item in enumerate(items):
        p = words(item["text"])
        inside = any(w[i : i + len(p)] == p for i in range(len(w) - len(p) + 1))
        if item["kind"] == "phrase" and item["translation"] and inside and p not in [words(q) for _, q, _ in out]:
            out.append((number, item["text"], item["translation"]))
    return out


def with_phrases(kind, data, model, ratios, count, span, norm):
    """Switched or contextualized pairs. ratios: [pool, labeled]."""
    out = []
    for row in taken_sentences(data["pool"], data["items"]):
        if len(out) == count:
            break
        best = ratios[row].index(max(ratios[row]))
        x, y = data["labeled"][best]
        listed = phrases_of(data["pool"][row], data["items"])
        texts = [(p, t) for _, p, t in listed]
        if kind == "contextualized":
            source, target, chosen, scores = contextualize(model, x, y, texts, norm)
            out.append(pair(kind, source, target, labeled_row=best, pool_row=row, item=listed[chosen][0],
                            word=len(words(x)), score=scores[chosen]))
            continue
        links = [(int(i), int(j)) for i, j in (link.split("-") for link in data["links"][best].split())]
        found = switch(model, x, y, links, texts, span)
        if found:
            out.append(pair(kind, found["source"], found["target"], labeled_row=best, pool_row=row,
                            item=listed[found["phrase"]][0], word=found["i"], target_first=found["span"][0],
                            target_end=found["end"], score=found["log10"]))
    return out


def training_set(data, kind, count, span="consistent", norm=False, unique=False, upsample=1, k=4, seed=0, round_=1):
    """All pairs. data: labeled (source, target), links, labeled_vectors, pool (texts), pool_vectors, items (kind,
    text, translation or None, row)."""
    wanted = kind.split("+")
    items, labeled = data["items"], data["labeled"]
    out = []
    for of in ("sent", "phrase"):
        for _ in range(upsample if of == "phrase" else 1):
            out += [pair(of, item["text"], item["translation"], item=i, pool_row=item["row"])
                    for i, item in enumerate(items) if item["kind"] == of and item["translation"]]
    if "random" in wanted:
        drawn = random_numbers.stream(seed, random_numbers.MIX, round_).sample(len(labeled), count)
        out += [pair("random", *labeled[row], labeled_row=row) for row in drawn]
    ratios = neighbors.margin_ratios(data["pool_vectors"], data["labeled_vectors"], k)[3]
    if "retrieved" in wanted:
        sim, taken = [max(row[j] for row in ratios) for j in range(len(labeled))], []
        for j in sorted(range(len(labeled)), key=lambda j: (-sim[j], j)):
            if len(taken) < count and not (unique and labeled[j][0] in [labeled[i][0] for i in taken]):
                taken.append(j)
        out += [pair("retrieved", *labeled[j], labeled_row=j, score=sim[j]) for j in taken]
    model = language_model.Model(data["pool"], 4)
    for of in ("switched", "contextualized"):
        if of in wanted:
            out += with_phrases(of, data, model, ratios, count, span, norm)
    return out
