# SPDX-License-Identifier: Apache-2.0
"""Scores from the output of a model (spec 3.1, 4.2, 4.9, 5.7, 7.4)."""
import math

import arithmetic
import random_numbers
import scores

TOKENS = [[0.5, 0.25], [0.9, 0.8, 0.5], [1.0], [0.125] * 4, [0.0, 0.5]]
SEQUENCES = [[0.5, 0.4, 0.1], [0.4, 0.31, 0.29], [0.9, 0.05, 0.05], [1 / 3] * 3]
WORDS = [[[0.7, 0.2, 0.1], [0.5, 0.45, 0.05], [0.9, 0.1, 0.0]], [[0.6, 0.3, 0.1]],
         [[0.55, 0.25, 0.2]] * 2 + [[0.98, 0.01, 0.01]] * 2]
LABELS = [[0.9, 0.2, 0.05], [0.5, 0.99, 0.01], [0.7, 0.6, 0.4], [0.0, 1.0, 0.3]]
POSITIVE = [0.9, 0.5, 0.3, 0.0]
SAMPLES = [  # [rows][samples][classes]
    [[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]],
    [[0.4, 0.3, 0.3], [0.4, 0.3, 0.3], [0.4, 0.3, 0.3]],
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.5, 0.5, 0.0]],
    [[0.9, 0.05, 0.05], [0.8, 0.1, 0.1], [0.3, 0.3, 0.4]],
]
SAMPLED_LABELS = [[[0.9, 0.2], [0.1, 0.3]], [[0.5, 1.0], [0.5, 0.0]], [[0.7, 0.6], [0.6, 0.7]], [[0.0, 0.5], [0.0, 0.4]]]
ACTIVATIONS = [[1.0, 2.0], [-0.5, 0.25], [3.0, 0.0], [0.0, 0.0]]
COMMITTEES = ("vote-entropy", "consensus-entropy", "variation-ratio", "kl", "kl-max")
SPANS = [([0.7, 0.2, 0.1], [0.1, 0.8, 0.1]), ([0.4, 0.3, 0.3], [0.35, 0.35, 0.3]), ([0.05, 0.9, 0.05], [0.3, 0.3, 0.4])]
WINDOWS = [[1, 2], [3], [2, 1]]  # of the contexts of SPANS
ROUND_TRIP = [[-0.1, -0.2, -0.3], [-2.0, -1.0], [-0.5] * 8, [-3.0]]


def ranked(values):
    """Indices by value descending, then index."""
    return arithmetic.order(range(len(values)), values)


def compared(count, seed):
    """Points around three directions and a distribution for each, of which one in six has a class that is ruled out."""
    generator = random_numbers.Generator(seed)
    points, probs = [], []
    for row in range(count):
        of = [[4.0, 0.0, 1.0], [0.0, 4.0, -1.0], [-2.0, 1.0, 3.0]][row % 3]
        points.append([x + generator.below(17) / 8.0 - 1.0 for x in of])
        weights = [generator.below(16) + (0 if row % 6 == 4 and c == 0 else 1) for c in range(3)]
        if row % 6 == 4:
            weights[0] = 0
        probs.append([weight / sum(weights) for weight in weights])
    return points, probs


def contrasted(k, labeled_rows):
    points, probs = compared(24, 22)
    rows = [row for row in range(24) if row not in labeled_rows]
    found = [scores.contrastive(points[row], probs[row], [(points[l], probs[l]) for l in labeled_rows], k) for row in rows]
    bernoulli = lambda p, q: math.fsum(scores.kl_divergence([1 - x, x], [1 - y, y]) for x, y in zip(p, q)) / len(p)
    labels = [scores.contrastive(points[row], probs[row], [(points[l], probs[l]) for l in labeled_rows], k, bernoulli) for row in rows]
    return {"name": "k=%d" % k, "input": {"labeled_rows": labeled_rows, "k": k},
            "expected": {"u": found, "labels": labels, "picks": [rows[i] for i in ranked(found)]}}


def one_minus(x):
    return 1.0 - x


def sampled(name, measure):
    """The expectations of a score of samples, by distributions and by independent labels."""
    found = [measure(samples) for samples in SAMPLES]
    labels = lambda samples: scores.of_sampled_labels(samples, measure)
    return {"name": name, "expected": {"u": found, "order": ranked(found)} if name.endswith("kl-max") else {
        "u": found, "order": ranked(found), "labels": [labels(samples) for samples in SAMPLED_LABELS]}}


def vectors():
    logprobs = [[math.log(p) if p > 0 else -math.inf for p in row] for row in TOKENS]
    margins = [scores.margin(p) for p in SEQUENCES]
    logs = [scores.log_margin(p) for p in SEQUENCES]
    word_min = [scores.margin_min(row) for row in WORDS]
    word_mean = [scores.margin_mean(row) for row in WORDS]
    word_logs = [scores.margin_min(row, scores.log_margin) for row in WORDS]
    mnlp = [scores.mnlp(row) for row in WORDS]
    qa = [scores.sum_prob(*span) for span in SPANS]
    windowed = [scores.sum_prob_of_windows(*span, counts) for span, counts in zip(SPANS, WINDOWS)]
    normal = [scores.rttl(row) for row in ROUND_TRIP]
    plain = [scores.rttl(row, normalize=False) for row in ROUND_TRIP]
    literal = [scores.rttl(row, literal=True) for row in ROUND_TRIP]
    return {
        "TV-NNLL": {
            "spec": "3.1",
            "about": "Token probabilities, NNLL and NSP (4.2); a probability of 0 meets the floor.",
            "origin": "reference",
            "input": {"probabilities": TOKENS, "logprobs": logprobs},
            "cases": [{"name": "rows", "expected": {"nnll": [scores.nnll(row) for row in logprobs],
                                                    "nsp": [scores.nsp(row) for row in logprobs]}}],
        },
        "TV-UNC": {
            "spec": "7.4",
            "about": "A distribution a row: margins, least confidence, entropy (4.9), softmax.",
            "origin": "reference",
            "input": {"probs": SEQUENCES},
            "cases": [
                {"name": "margin", "expected": {"raw": margins, "u": [1 - m for m in margins], "order": ranked([1 - m for m in margins])}},
                {"name": "log margin", "expected": {"raw": logs, "u": [1 - m for m in logs], "order": ranked([-m for m in logs])}},
                {"name": "lc", "expected": {"u": [scores.least_confidence(p) for p in SEQUENCES]}},
                {"name": "entropy", "expected": {"u": [scores.entropy(p) for p in SEQUENCES]}},
                {"name": "softmax", "input": {"logits": [2.0, 1.0, 0.0]},
                 "expected": {"probs": scores.softmax([2.0, 1.0, 0.0]), "margin": scores.margin(scores.softmax([2.0, 1.0, 0.0]))}},
            ],
        },
        "TV-LABELS": {
            "spec": "4.9",
            "about": "Independent labels, and the probability of one of two classes.",
            "origin": "reference",
            "input": {"labels": LABELS, "positive": POSITIVE},
            "cases": [
                {"name": "%s %s" % (name, labels), "expected": {
                    "u": [score(scores.of_labels(p, measure, labels)) for p in LABELS],
                    "positive": [score(scores.of_labels([p], measure, labels)) for p in POSITIVE]}}
                for name, measure, score in (("lc", max, one_minus), ("margin", scores.margin, one_minus), ("entropy", scores.entropy, float))
                for labels in ("mean", "max")
            ],
        },
        "TV-SAMPLES": {
            "spec": "4.20",
            "about": "Distributions by several samples of a model: BALD, variance, query by committee; independent labels. Row 1 agrees, "
                     "row 2 has zeros and a tie within a sample.",
            "origin": "reference",
            "input": {"samples": SAMPLES, "labels": SAMPLED_LABELS},
            "cases": [sampled("bald", scores.bald), sampled("variance", scores.variance)]
            + [sampled("qbc " + name, lambda samples, name=name: scores.disagreement(samples, name)) for name in COMMITTEES],
        },
        "TV-EGL": {
            "spec": "4.21",
            "about": "Expected gradient length of a linear head, with and without a bias; independent labels.",
            "origin": "reference",
            "input": {"probs": SEQUENCES, "labels": LABELS, "embeddings": ACTIVATIONS},
            "cases": [
                {"name": name, "expected": {
                    "u": [scores.expected_gradient_length(p, h, bias) for p, h in zip(SEQUENCES, ACTIVATIONS)],
                    "labels": [scores.expected_label_gradients(p, h, bias) for p, h in zip(LABELS, ACTIVATIONS)]}}
                for name, bias in (("bias=1", True), ("bias=0", False))
            ],
        },
        "TV-CONTRASTIVE": {
            "spec": "4.22",
            "about": "Divergences from the nearest labeled rows, of classes and of the same numbers as independent labels.",
            "origin": "reference; the public code of the authors (github.com/mourga/contrastive-active-learning, acquisition/cal.py at "
                      "aeb7cd9, the standard method, in double) gives the same but where a probability is 0, whose logarithm it has as "
                      "minus infinity",
            "tolerance": 1e-12,
            "input": {"embeddings": compared(24, 22)[0], "probs": compared(24, 22)[1]},
            "cases": [contrasted(k, labeled_rows) for k, labeled_rows in ((10, [0, 4, 5, 9, 16]), (3, [0, 1, 2, 6, 7, 11, 15, 20]),
                                                                           (1, [3, 8, 13, 21]))],
        },
        "TV-TOK": {
            "spec": "7.4",
            "about": "A distribution a word; rows 1 and 2 tie in margin-min.",
            "origin": "reference",
            "input": {"token_probs": WORDS},
            "cases": [
                {"name": "margin-min", "expected": {"raw": word_min, "u": [1 - m for m in word_min], "order": ranked([1 - m for m in word_min])}},
                {"name": "mnlp", "expected": {"raw": mnlp, "u": [-m for m in mnlp], "order": ranked([-m for m in mnlp])}},
                {"name": "margin-mean", "expected": {"raw": word_mean, "u": [1 - m for m in word_mean]}},
                {"name": "margin-min of logarithms", "expected": {"raw": word_logs, "u": [1 - m for m in word_logs]}},
                {"name": "lc", "expected": {"u": [scores.mean([scores.least_confidence(p) for p in row]) for row in WORDS]}},
                {"name": "entropy", "expected": {"u": [scores.mean([scores.entropy(p) for p in row]) for row in WORDS]}},
            ],
        },
        "TV-QA": {
            "spec": "7.4",
            "about": "SUM-PROB: the two maxima are independent.",
            "origin": "reference",
            "input": {"start": [s for s, _ in SPANS], "end": [e for _, e in SPANS]},
            "cases": [{"name": "sum-prob", "expected": {"raw": qa, "u": [-x for x in qa], "order": ranked([-x for x in qa])}},
                      {"name": "windows", "input": {"windows": WINDOWS},
                       "expected": {"raw": windowed, "u": [-x for x in windowed], "order": ranked([-x for x in windowed])}}],
        },
        "TV-RTTL": {
            "spec": "5.7",
            "about": "Round-trip likelihood: mean, sum, literal sign.",
            "origin": "reference",
            "input": {"logprobs": ROUND_TRIP},
            "cases": [
                {"name": "default", "expected": {"scores": normal, "order": ranked(normal)}},
                {"name": "norm=none", "expected": {"scores": plain, "order": ranked(plain)}},
                {"name": "sign=literal", "expected": {"scores": literal, "order": ranked(literal)}},
            ],
        },
    }
