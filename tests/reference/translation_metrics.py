# SPDX-License-Identifier: Apache-2.0
"""Tokenizers, BLEU, chrF and TER (spec 8.6, 8.9), as sacreBLEU computes them.

Hypotheses and references are texts; `references` has a list of texts for every hypothesis. Statistics are integers of
one hypothesis, which a corpus adds up before the score is computed.
"""
import math
import re
import unicodedata
from collections import Counter

import random_numbers

SPACE = ("\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680" + "".join(chr(c) for c in range(0x2000, 0x200B))
         + "\u2028\u2029\u202f\u205f\u3000")
PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"


def split(text):
    """The words of a text: maximal runs of characters that are not white space in Python's sense."""
    out, word = [], ""
    for c in text:
        if c in SPACE:
            if word:
                out.append(word)
            word = ""
        else:
            word += c
    return out + [word] if word else out


# ---- tokenizers ----


def pairs(text, first, second, first_stays):
    """Left to right, without overlap: a pair (a, b) with first(a) and second(b) becomes a, space, b, space when b is the
    mark (first_stays), else space, a, space, b."""
    out, i = "", 0
    while i < len(text):
        if i + 1 < len(text) and first(text[i]) and second(text[i + 1]):
            out += text[i] + " " + text[i + 1] + " " if first_stays else " " + text[i] + " " + text[i + 1]
            i += 2
        else:
            out += text[i]
            i += 1
    return out


def digit(c):
    """Whether c is an ASCII digit."""
    return c in "0123456789"


def marks_13a(text):
    """The four substitutions of 13a."""
    ranges = [(0x20, 0x26), (0x28, 0x2B), (0x2F, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)]
    text = "".join(f" {c} " if any(a <= ord(c) <= b for a, b in ranges) else c for c in text)
    text = pairs(text, lambda a: not digit(a), lambda b: b in ".,", True)
    text = pairs(text, lambda a: a in ".,", lambda b: not digit(b), False)
    return pairs(text, digit, lambda b: b == "-", True)


def tokenize_13a(text):
    """The tokens of mteval-v13a."""
    text = text.rstrip(SPACE).replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    for entity, c in (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")):
        text = text.replace(entity, c)
    return split(marks_13a(f" {text} "))


def category(c, letter):
    """Whether the Unicode category of c begins with a letter, such as "P" for punctuation."""
    return unicodedata.category(c).startswith(letter)


def tokenize_intl(text):
    """The tokens of mteval-v14's international tokenizer."""
    text = text.rstrip(SPACE)
    text = pairs(text, lambda a: not category(a, "N"), lambda b: category(b, "P"), True)
    text = pairs(text, lambda a: category(a, "P"), lambda b: not category(b, "N"), False)
    return split("".join(f" {c} " if category(c, "S") else c for c in text))


# Ranges of code points that tokenize_zh sets apart, both ends included.
CHINESE = [(0x2001, 0x2A6D), (0x2E80, 0x2FDF), (0x2FF0, 0x303F), (0x3100, 0x312F), (0x31A0, 0x31BF), (0x31C0, 0x31EF),
           (0x3200, 0x4DB5), (0x4E00, 0x9FBB), (0xF900, 0xFA2D), (0xFA30, 0xFA6A), (0xFA70, 0xFAD9), (0xFE10, 0xFE1F),
           (0xFE30, 0xFE4F), (0xFF00, 0xFFEF)]


def tokenize_zh(text):
    """Chinese characters one by one, everything else as in 13a."""
    text = text.rstrip(SPACE).lstrip(SPACE)
    text = "".join(f" {c} " if any(a <= ord(c) <= b for a, b in CHINESE) else c for c in text)
    return split(marks_13a(text))


def tokenize_char(text):
    """The characters of a text without white space."""
    return [c for c in text.rstrip(SPACE) if c not in SPACE]


TOKENIZERS = {"13a": tokenize_13a, "intl": tokenize_intl, "zh": tokenize_zh, "char": tokenize_char, "none": split}


# ---- BLEU ----


def ngrams(tokens, n):
    """How often each sequence of n tokens occurs."""
    return Counter(tuple(tokens[i : i + n]) for i in range(len(tokens) - n + 1))


def bleu_statistics(hypothesis, references):
    """Of one hypothesis, token lists: matches and totals [4] by order, its length, and the length of the reference
    closest in length, the shorter one in ties. An n-gram matches at most as often as in the reference that has it
    most."""
    matches, totals = [], []
    for n in range(1, 5):
        best = Counter()
        for reference in references:
            best |= ngrams(reference, n)
        mine = ngrams(hypothesis, n)
        matches.append(sum(min(count, best[g]) for g, count in mine.items()))
        totals.append(sum(mine.values()))
    length = min((abs(len(r) - len(hypothesis)), len(r)) for r in references)[1]
    return matches, totals, len(hypothesis), length


def bleu_score(matches, totals, hyp_len, ref_len, smoothing="exp", value=None, effective_order=False):
    """(BLEU, the four precisions as percentages, brevity penalty) of summed statistics. value: of the smoothing;
    effective_order: only orders that the hypothesis has n-grams of count."""
    value = {"floor": 0.1, "add-k": 1.0}.get(smoothing, 0.0) if value is None else value
    bp = 1.0
    if hyp_len < ref_len:
        bp = math.exp(1 - ref_len / hyp_len) if hyp_len else 0.0
    precisions, k = [], 1.0
    order = 4
    for n in range(4):
        match, total = matches[n], totals[n]
        if smoothing == "add-k" and n > 0:
            match, total = match + value, total + value
        if total == 0:
            break
        if effective_order:
            order = n + 1
        if match == 0 and smoothing == "exp":
            k *= 2
            precisions.append(1 / (k * total))
        elif match == 0 and smoothing == "floor":
            precisions.append(value / total)
        else:
            precisions.append(match / total)
    precisions += [0.0] * (4 - len(precisions))
    score = 0.0
    if any(matches) and hyp_len and all(p > 0 for p in precisions[:order]):
        score = 100 * bp * math.exp(sum(math.log(p) for p in precisions[:order]) / order)
    return score, [100 * p for p in precisions], bp


def corpus_bleu(hypotheses, references, tokenizer="13a", **options):
    """Summed matches, totals, hypothesis and reference length, then the three results of bleu_score()."""
    cut = TOKENIZERS[tokenizer]
    parts = [bleu_statistics(cut(h), [cut(r) for r in rs]) for h, rs in zip(hypotheses, references)]
    matches = [sum(p[0][n] for p in parts) for n in range(4)]
    totals = [sum(p[1][n] for p in parts) for n in range(4)]
    hyp_len, ref_len = sum(p[2] for p in parts), sum(p[3] for p in parts)
    return (matches, totals, hyp_len, ref_len) + bleu_score(matches, totals, hyp_len, ref_len, **options)


def sentence_bleu(hypothesis, references, tokenizer="13a", effective_order=True, **options):
    """BLEU of one hypothesis."""
    return corpus_bleu([hypothesis], [references], tokenizer, effective_order=effective_order, **options)[4]


def bootstrap_bleu(hypotheses, references, resamples, seed):
    """(mean, low end, high end) of the BLEU of corpora drawn with replacement (spec 8.5)."""
    scores = []
    for sample in range(resamples):
        generator = random_numbers.stream(seed, random_numbers.BOOTSTRAP, sample)
        rows = [generator.below(len(hypotheses)) for _ in hypotheses]
        scores.append(corpus_bleu([hypotheses[row] for row in rows], [references[row] for row in rows])[4])
    total, cut = 0.0, resamples // 40
    for score in scores:
        total += score
    scores.sort()
    return total / resamples, scores[cut], scores[resamples - 1 - cut]


# ---- chrF ----


def chrf_words(text):
    """The words of a text with one leading or trailing ASCII punctuation mark cut off."""
    out = []
    for word in split(text):
        if len(word) > 1 and word[-1] in PUNCTUATION:
            out += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in PUNCTUATION:
            out += [word[0], word[1:]]
        else:
            out.append(word)
    return out


def chrf_statistics(hypothesis, reference, word_order=0, whitespace=False):
    """(n-grams of the hypothesis, n-grams of the reference, matches) for character orders 1 .. 6, then word orders 1
    .. word_order."""
    def units(text):
        return text if whitespace else "".join(c for c in text if c not in SPACE)

    rows = []
    pieces = [(units(hypothesis), units(reference), 6), (chrf_words(hypothesis), chrf_words(reference), word_order)]
    for h, r, orders in pieces:
        for n in range(1, orders + 1):
            hyp, ref = ngrams(h, n), ngrams(r, n)
            rows.append((sum(hyp.values()) if ref else 0, sum(ref.values()), sum((hyp & ref).values())))
    return rows


def chrf_score(rows, beta=2):
    """The F-score of summed statistics: precision and recall averaged over the orders that both texts have."""
    used = [(h, r, m) for h, r, m in rows if h > 0 and r > 0]
    if not used:
        return 0.0
    p = sum(m / h for h, _, m in used) / len(used)
    r = sum(m / r for _, r, m in used) / len(used)
    return 100 * (1 + beta * beta) * p * r / (beta * beta * p + r) if p + r else 0.0


def chrf(hypotheses, references, word_order=0, whitespace=False):
    """chrF of a corpus; of several references the one with the best score of its own counts."""
    total = [(0, 0, 0)] * (6 + word_order)
    for hypothesis, several in zip(hypotheses, references):
        each = [chrf_statistics(hypothesis, r, word_order, whitespace) for r in several]
        best = max(each, key=chrf_score)
        total = [tuple(a + b for a, b in zip(x, y)) for x, y in zip(total, best)]
    return chrf_score(total)


# ---- TER ----


def edit_path(h, r):
    """(distance, operations from the left) that turn the words h into r: 'k' keep, 's' substitute, 'd' delete a word
    of h, 'i' insert one of r. cost and step [len(h) + 1, len(r) + 1]; only a band around the diagonal is
    computed, as in the public tool."""
    ratio = len(r) / len(h) if h else 1.0
    width = math.ceil(ratio / 2 + 25) if ratio / 2 > 25 else 25
    cost = [[None] * (len(r) + 1) for _ in range(len(h) + 1)]
    step = [[None] * (len(r) + 1) for _ in range(len(h) + 1)]
    for j in range(len(r) + 1):
        cost[0][j], step[0][j] = j, "i"
    for i in range(1, len(h) + 1):
        d = math.floor(i * ratio)
        low = max(0, d - width)
        high = len(r) if i == len(h) else min(len(r), d + width - 1)
        for j in range(low, high + 1):
            choices = []
            if j and cost[i - 1][j - 1] is not None:
                same = h[i - 1] == r[j - 1]
                choices.append((cost[i - 1][j - 1] + (not same), 0, "k" if same else "s"))
            if cost[i - 1][j] is not None:
                choices.append((cost[i - 1][j] + 1, 1, "d"))
            if j and cost[i][j - 1] is not None:
                choices.append((cost[i][j - 1] + 1, 2, "i"))
            if choices:
                cost[i][j], _, step[i][j] = min(choices)
    path, i, j = "", len(h), len(r)
    while i or j:
        path = step[i][j] + path
        i, j = i - (step[i][j] != "i"), j - (step[i][j] != "d")
    return cost[len(h)][len(r)], path


def ter_state(path, hyp_len, ref_len):
    """Which words of h and of r are in error, and at[j]: the word of h that word j of r is aligned with, or the one
    before where it was inserted."""
    h_error, r_error, at, i, j = [False] * hyp_len, [False] * ref_len, [], 0, 0
    for op in path:
        if op in "ks":
            h_error[i] = r_error[j] = op == "s"
            at.append(i)
            i, j = i + 1, j + 1
        elif op == "d":
            h_error[i] = True
            i += 1
        else:
            r_error[j] = True
            at.append(i - 1)
            j += 1
    return h_error, r_error, at


def ter_edits(h, r):
    """The edits of TER between the words h and r: shifts of blocks of up to 10 words while one lowers the distance,
    greedily, plus the distance that is left. At most 1,000 shifts are tried."""
    if not r:
        return len(h)
    shifts, tried = 0, 0
    while True:
        before, path = edit_path(h, r)
        h_error, r_error, at = ter_state(path, len(h), len(r))
        best, stop = None, False
        for a in range(len(h)):
            for b in range(max(0, a - 50), min(len(r), a + 51)):
                for size in range(1, 11):
                    if a + size > len(h) or b + size > len(r) or h[a + size - 1] != r[b + size - 1]:
                        break
                    if not any(h_error[a : a + size]) or not any(r_error[b : b + size]) or a <= at[b] < a + size:
                        continue
                    last = None
                    for k in range(b - 1, b + size):
                        t = 0 if k == -1 else at[k] + 1
                        if t == last:
                            continue
                        last = t
                        rest, block = h[:a] + h[a + size :], h[a : a + size]
                        place = t - size if t > a + size else t
                        moved = rest[:place] + block + rest[place:]
                        gain = before - edit_path(moved, r)[0]
                        tried += 1
                        if best is None or (gain, size, -a, -t) > best[0]:
                            best = ((gain, size, -a, -t), moved)
                    if tried >= 1000:
                        stop = True
                        break
                if stop:
                    break
            if stop:
                break
        if stop or best is None or best[0][0] <= 0:
            return shifts + before
        shifts, h = shifts + 1, best[1]


def ter(hypotheses, references):
    """TER of a corpus in percent: the edits of each hypothesis to its nearest reference, per average reference word."""
    edits = length = 0.0
    for hypothesis, several in zip(hypotheses, references):
        h = split(hypothesis.lower())
        cut = [split(r.lower()) for r in several]
        edits += min(ter_edits(h, r) for r in cut)
        length += sum(len(r) for r in cut) / len(cut)
    if length:
        return 100 * edits / length
    return 100.0 if edits else 0.0
