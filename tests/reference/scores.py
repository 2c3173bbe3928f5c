# SPDX-License-Identifier: Apache-2.0
"""Scores from the output of a model (spec 3.1, 4.2, 4.9, 5.7, 7.4)."""
import math

from arithmetic import sqd, unit

FLOOR = -100.0  # smallest log-probability (spec 1.1)


def log(p):
    """Logarithm with the floor of spec 1.1."""
    return max(math.log(p), FLOOR) if p > 0 else FLOOR


def nnll(logprobs):
    """The mean negative log-likelihood of a text's tokens."""
    total = 0.0
    for lp in logprobs:
        total += min(max(lp, FLOOR), 0.0)
    return -(total / len(logprobs)) + 0.0


def nsp(logprobs):
    """One minus the geometric mean of the token probabilities."""
    return 1.0 - math.exp(-nnll(logprobs))


def top_two(p):
    """The two largest probabilities."""
    ranked = sorted(p, reverse=True)
    return ranked[0], ranked[1] if len(ranked) > 1 else 0.0


def margin(p):
    first, second = top_two(p)
    return first - second


def log_margin(p):
    first, second = top_two(p)
    return log(first) - log(second)


def least_confidence(p):
    return 1.0 - max(p)


def entropy(p):
    total = 0.0
    for x in p:
        total += x * math.log(x) if x > 0 else 0.0
    return -total + 0.0


def of_labels(p, measure, labels="mean"):
    """A measure of independent labels with the probabilities p (spec 4.9): the mean over the labels, or that of the most uncertain
    one. measure: of a distribution; `entropy` grows with uncertainty, the others shrink."""
    values = [measure([1.0 - x, x]) for x in p]
    if labels == "mean":
        return mean(values)
    return max(values) if measure is entropy else min(values)


def softmax(logits):
    largest = max(logits)
    powers = [math.exp(z - largest) for z in logits]
    total = 0.0
    for power in powers:
        total += power
    return [power / total for power in powers]


def mean(values):
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


def mean_of_samples(samples):
    """The mean distribution of samples [n][classes], added in their order."""
    return [mean([p[c] for p in samples]) for c in range(len(samples[0]))]


def bald(samples):
    """Mutual information between the class and the sample (spec 4.20)."""
    return max(0.0, entropy(mean_of_samples(samples)) - mean([entropy(p) for p in samples]))


def variance(samples):
    m = mean_of_samples(samples)
    return mean([mean([(p[c] - m[c]) ** 2 for p in samples]) for c in range(len(m))])


def votes(samples):
    """The share of the samples whose likeliest class, the first of equal ones, is each."""
    winners = [p.index(max(p)) for p in samples]
    return [winners.count(c) / len(samples) for c in range(len(samples[0]))]


def divergence(p, q):
    """KL(p || q) in nats."""
    return math.fsum(a * math.log(a / b) for a, b in zip(p, q) if a > 0)


def disagreement(samples, measure):
    """What `measure` of query by committee names (spec 4.20)."""
    m = mean_of_samples(samples)
    if measure == "vote-entropy":
        return entropy(votes(samples))
    if measure == "variation-ratio":
        return 1.0 - max(votes(samples))
    if measure == "consensus-entropy":
        return entropy(m)
    found = [divergence(p, m) for p in samples]
    return mean(found) if measure == "kl" else max(found)


def of_sampled_labels(samples, measure):
    """A measure of samples [n][labels] of independent labels: the mean over the labels."""
    return mean([measure([[1.0 - p[l], p[l]] for p in samples]) for l in range(len(samples[0]))])


def expected_gradient_length(p, h, bias=True):
    """The expected length of the gradient of a linear head with the probabilities p and the activations h (spec 4.21), from the
    gradients themselves."""
    inputs = list(h) + ([1.0] if bias else [])
    total = 0.0
    for y, weight in enumerate(p):
        gradient = [(q - (c == y)) * x for c, q in enumerate(p) for x in inputs]
        total += weight * math.sqrt(math.fsum(g * g for g in gradient))
    return total


def kl_divergence(p, q):
    """KL(p || q) in nats, with the floor of spec 1.1."""
    return math.fsum(x * (log(x) - log(y)) for x, y in zip(p, q) if x > 0)


def contrastive(point, q, labeled, k, divergence=kl_divergence):
    """The mean divergence of the probabilities of the k labeled rows (point, p) that are nearest to a point from its own, q (spec
    4.22)."""
    ranked = sorted(range(len(labeled)), key=lambda l: (sqd(unit(labeled[l][0]), unit(point)), l))
    return mean([divergence(labeled[l][1], q) for l in ranked[:k]])


def expected_label_gradients(p, h, bias=True):
    """The same of independent labels, each a sigmoid with weights of its own: the sum."""
    length = math.sqrt(math.fsum(x * x for x in h) + bias)
    return sum(q * (1 - q) * length + (1 - q) * q * length for q in p)


def margin_min(words, of=margin):
    """The smallest margin of a text's words, each a distribution."""
    return min(of(p) for p in words)


def margin_mean(words, of=margin):
    return mean([of(p) for p in words])


def mnlp(words):
    """The mean over words of the log of the largest probability."""
    return mean([log(max(p)) for p in words])


def sum_prob(start, end):
    """The score of an answer span: the log-probabilities of its likeliest start and end."""
    return log(max(start)) + log(max(end))


def sum_prob_of_windows(start, end, windows):
    """The largest SUM-PROB of the windows of a context; windows: the positions of each, in order."""
    found, first = [], 0
    for count in windows:
        found.append(sum_prob(start[first:first + count], end[first:first + count]))
        first += count
    return max(found)


def rttl(logprobs, normalize=True, literal=False):
    """The round-trip likelihood: mean or sum of the tokens' log-probabilities, negative but for literal."""
    total = 0.0
    for lp in logprobs:
        total += min(max(lp, FLOOR), 0.0)
    if literal:
        return total
    return -(total / len(logprobs) if normalize else total) + 0.0


def first_subword_mean(hidden, words):
    """The mean vector of the tokens of a row that begin a word (spec 7.2); words: the number of each token's word, None for none."""
    begins = [vector for vector, word, before in zip(hidden, words, [None] + words) if word is not None and word != before]
    return [sum(numbers) / len(begins) for numbers in zip(*begins)] if begins else [math.nan] * len(hidden[0])
