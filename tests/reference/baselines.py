# SPDX-License-Identifier: Apache-2.0
"""Baselines: random, IDDS, BADGE, ALPS, k-center, BERT-KM (spec 4)."""
import math

import arithmetic
import kmeans
import random_numbers
from arithmetic import SMALL, cos_of, dot, norm, sqd, unit


def random_rows(rows, k, seed, round_):
    """k rows drawn without replacement."""
    return random_numbers.draw(random_numbers.stream(seed, random_numbers.RANDOM, round_), rows, k)


# ---- IDDS (spec 4.4) ----


def idds(rows, vectors, labeled, k, alpha=0.67, include_self=False, mode="greedy", sim="cosine"):
    """IDDS, greedy or in one shot: the picks and the reported scores by row, a pick's being that at its time.

    vectors and labeled: vectors by row, of the candidates and of the labeled data. a and b: by row, the sums of
    similarities to the candidates left and to the labeled rows; both are updated after each pick. mode "paper" is the
    equation as printed, "code" what the public code computes: inner products, and 1 for a row's similarity to itself."""
    code = mode == "code"
    cosine = sim == "cosine" and not code
    if mode == "paper":
        include_self, mode = True, "oneshot"
    normalize = unit if cosine else list
    dims = len(vectors[rows[0]])
    sa = arithmetic.block_sum(rows, {row: normalize(vectors[row]) for row in rows})
    sb = [0.0] * dims
    if labeled:
        sb = arithmetic.block_sum(sorted(labeled), {row: normalize(labeled[row]) for row in labeled})
    a, b, self_term = {}, {}, {}
    for row in rows:
        v, length = vectors[row], norm(vectors[row])
        if not cosine:
            a[row], b[row], self_term[row] = dot(v, sa), dot(v, sb), 1.0 if code else dot(v, v)
        elif length < SMALL:
            a[row] = b[row] = self_term[row] = 0.0
        else:
            a[row], b[row], self_term[row] = dot(v, sa) / length, dot(v, sb) / length, 1.0
    count_a, count_b = len(rows), len(labeled)

    def score(row):
        first = second = 0.0
        if include_self and count_a > 0:
            first = a[row] / count_a
        elif not include_self and count_a > 1:
            first = (a[row] - self_term[row]) / (count_a - 1)
        if count_b > 0:
            second = b[row] / count_b
        return alpha * first - (1 - alpha) * second

    scores = {row: score(row) for row in rows}
    if mode == "oneshot":
        return arithmetic.order(rows, scores)[:k], scores
    picks, left = [], list(rows)
    while left and len(picks) < k:
        for row in left:
            scores[row] = score(row)
        pick = arithmetic.order(left, scores)[0]
        picks.append(pick)
        left.remove(pick)
        for row in left:
            f = dot(vectors[row], vectors[pick])
            if cosine:
                f = cos_of(f, norm(vectors[row]), norm(vectors[pick]))
            a[row] -= f
            b[row] += f
        count_a -= 1
        count_b += 1
    return picks, scores


# ---- BADGE (spec 4.5) ----


def gradient_factor(p):
    """p - onehot(the likeliest class)."""
    likeliest = p.index(max(p))
    return [x - (1.0 if c == likeliest else 0.0) for c, x in enumerate(p)]


def badge_norm(a, h):
    """The squared norm of the outer product of a and h."""
    return dot(a, a) * dot(h, h)


def badge_distance(a, h, i, j):
    """The squared distance of the outer products of rows i and j."""
    return (badge_norm(a[i], h[i]) + badge_norm(a[j], h[j])) - 2 * (dot(a[i], a[j]) * dot(h[i], h[j]))


def badge(rows, a, h, k, generator=None, uniforms=None, first="max", pool_rows=None):
    """BADGE: k-means++ on the outer products of a[row] and h[row]. Returns the picks and the weights before every
    draw, each a list by pool row."""
    g = {row: badge_norm(a[row], h[row]) for row in rows}
    next_uniform = iter(uniforms).__next__ if uniforms is not None else generator.f64
    if first == "uniform":
        picks = [rows[generator.below(len(rows))]]
    else:
        picks = [max(rows, key=lambda row: (g[row], -row))]
    weight, tables = {row: float("inf") for row in rows}, []
    while len(picks) < min(k, len(rows)):
        c = picks[-1]
        for row in rows:
            d = (g[row] + g[c]) - 2 * (dot(a[row], a[c]) * dot(h[row], h[c]))
            if d <= kmeans.DUPLICATE * (g[row] + g[c]):
                d = 0.0
            weight[row] = min(weight[row], d)
        for row in picks:
            weight[row] = 0.0
        if not any(weight.values()):
            picks.append(next(row for row in rows if row not in picks))
            continue
        table = [weight.get(row, 0.0) for row in range(pool_rows or rows[-1] + 1)]
        tables.append(table)
        picks.append(random_numbers.weighted(table, next_uniform()))
    return picks, tables


# ---- k-means and the nearest row (spec 4.6, 4.8) ----


def nearest_to_centroids(rows, vectors, centroids):
    """For every centroid the nearest row that is not picked yet."""
    picks = []
    for c in centroids:
        distance = {row: sqd(vectors[row], c) for row in rows if row not in picks}
        picks.append(min(distance, key=lambda row: (distance[row], row)))
    return picks


def surprisal(losses, mask, dims):
    """Losses at the chosen positions, 0 elsewhere, normalized."""
    vector = [loss if chosen else 0.0 for loss, chosen in zip(losses[:dims], mask[:dims])]
    return unit(vector + [0.0] * (dims - len(vector)))


def alps_positions(name, length, seed, limit=128, share=0.15):
    """The token positions, ascending, whose losses ALPS keeps of a text with that name and number of tokens."""
    length = min(length, limit)
    count = max(1, math.floor(share * length + 0.5))
    generator = random_numbers.stream(seed, random_numbers.ALPS, 0, random_numbers.hash64(name))
    return sorted(generator.sample(length, count))


def cluster_picks(rows, vectors, k, seed, round_, initial=None):
    """ALPS and BERT-KM once the vectors are ready."""
    if initial is None:
        generator = random_numbers.stream(seed, random_numbers.KMEANS, round_)
        initial = kmeans.seed_rows(rows, vectors, k, generator)
    cluster, centroids, passes = kmeans.lloyd(rows, vectors, [vectors[row] for row in initial])
    return nearest_to_centroids(rows, vectors, centroids), cluster, centroids, passes


# ---- k-center (spec 4.7) ----


def kcenter(rows, vectors, labeled, k):
    """labeled: a list of vectors. Returns the picks, their delta and the radius after each, as distances. The delta of a
    first pick that nothing was labeled before is the radius after it."""
    picks, deltas, radii = [], [], []
    delta = {row: min((sqd(vectors[row], c) for c in labeled), default=math.inf) for row in rows}
    while len(picks) < min(k, len(rows)):
        left = [row for row in rows if row not in picks]
        if not labeled and not picks:
            mean = arithmetic.mean_vector(rows, vectors)
            distance = {row: sqd(vectors[row], mean) for row in rows}
            pick = min(left, key=lambda row: (distance[row], row))
        else:
            pick = max(left, key=lambda row: (delta[row], -row))
        picks.append(pick)
        deltas.append(math.sqrt(delta[pick]))
        left.remove(pick)
        for row in left:
            delta[row] = min(delta[row], sqd(vectors[row], vectors[pick]))
        radii.append(math.sqrt(max((delta[row] for row in left), default=0.0)))
        if deltas[-1] == math.inf:
            deltas[-1] = radii[-1]
    return picks, deltas, radii
