# SPDX-License-Identifier: Apache-2.0
"""TV-BLOCK (spec 1.8): strategies over 20,000 rows in the arithmetic of the specification, many rows at a time.

numpy multiplies and adds element by element, each operation rounded on its own, and accumulate() is a running sum, so
the loops over rows are numpy's and the order inside a row, a block and a pass is the specification's. Matrices are
stored by component, x[dims, rows]: component j of all rows is one array, and adding 32 of them is one step of all lanes.

The pool has POOL rows, of which those that are 3 modulo 97 are labeled; QUERIES more vectors follow it. Strategies
return pool rows, except where a docstring says positions, which count the unlabeled rows (Data.rows).
"""
import math

import numpy as np

import random_numbers

POOL, ROWS, QUERIES = 20000, 20010, 10  # rows of the pool, all vectors, vectors behind the pool
BLOCK, LANES = 8192, 32  # rows of a block, running sums of a dot product (spec 1.8)
SEED, ROUND, STRATA = 42, 1, 3
DUPLICATE = 1e-12  # squared distances below this share of the squared norms count as 0 (spec 3.3)


def tree(lanes):
    """The sum of 32 lanes [32, ...] in the order of spec 1.8: halves are added until one is left."""
    for w in (16, 8, 4, 2, 1):
        lanes = lanes[:w] + lanes[w : 2 * w]
    return lanes[0]


def laned(dims, term):
    """The sum of dims terms in 32 lanes: term j goes to lane j mod 32. term(first, last) returns the terms first ..
    last - 1 as an array [last - first, ...]."""
    lanes = None
    for first in range(0, dims, LANES):
        last = min(dims, first + LANES)
        part = term(first, last)
        if lanes is None:
            lanes = np.zeros((LANES,) + part.shape[1:])
        lanes[: last - first] += part
    return tree(lanes)


def dots(x, c):
    """The dot product of every row of x[dims, rows] with the vector c[dims], or with the same row of c[dims, rows]."""
    c = c if c.ndim == 2 else c[:, None]
    return laned(len(x), lambda a, b: x[a:b] * c[a:b])


def sqds(x, c):
    """The squared distance of every row of x[dims, rows] from the vector c[dims]."""
    def term(a, b):
        t = x[a:b] - c[a:b, None]
        return t * t

    return laned(len(x), term)


def units(x):
    """Every row of x[dims, rows] divided by its norm; 0 where that is below 1e-12."""
    norms = np.sqrt(dots(x, x))
    return np.where(norms < 1e-12, 0.0, x / np.where(norms < 1e-12, 1.0, norms))


def cosines(products, norms, norm):
    """Cosines from dot products [rows], the norms of the rows [rows] and the norm of the other vector; values within
    1e-12 of 1 or -1 are set to it."""
    small = (norms < 1e-12) | (norm < 1e-12)
    c = products / np.where(small, 1.0, norms * norm)
    c = np.where(np.abs(c) > 1.0 - 1e-12, np.copysign(1.0, c), c)
    return np.where(small, 0.0, c)


def block_sum(x, rows):
    """The sum of x[..., rows] over the given pool rows, which ascend: running sums inside each block, then over the
    blocks."""
    total = np.zeros(x.shape[:-1])
    for block in range(0, POOL, BLOCK):
        subset = rows[(rows >= block) & (rows < block + BLOCK)]
        if len(subset):
            total = total + np.add.accumulate(x[..., subset], axis=-1)[..., -1]
        else:
            total = total + 0.0
    return total


def weighted(weights, uniform):
    """A pool row drawn in proportion to its weight, weights [POOL], by the random number `uniform` in [0, 1) (spec
    1.7)."""
    runs = [np.add.accumulate(weights[b : b + BLOCK]) for b in range(0, POOL, BLOCK)]
    before = [0.0]
    for run in runs:
        before.append(before[-1] + float(run[-1]))
    t = uniform * before[-1]
    for b, run in enumerate(runs):
        found = np.flatnonzero((before[b] + run > t) & (weights[b * BLOCK : (b + 1) * BLOCK] > 0))
        if len(found):
            return b * BLOCK + int(found[0])
    return int(np.flatnonzero(weights > 0)[-1])


def digest(values):
    """The XXH64 of the values as little-endian doubles or 64-bit integers: what a vector stores of a long array."""
    values = np.asarray(values)
    kind = "<f8" if values.dtype.kind == "f" else "<i8"
    return f"{random_numbers.hash64(np.ascontiguousarray(values, dtype=kind).tobytes()):016X}"


class Data:
    """The vectors of one case. x [dims, ROWS] and u [POOL] are random; every thousandth row is a copy of the row 500
    before it.

    rows and labeled: the unlabeled and the labeled pool rows, ascending; stratum [POOL]: which of STRATA equal
    intervals of u a row lies in, cut over the unlabeled rows; queries [dims, QUERIES]: the vectors behind the
    pool."""
    def __init__(self, dims):
        generator = random_numbers.Generator(dims)
        x = np.array([generator.f64() - 0.5 for _ in range(ROWS * dims)]).astype(np.float32)
        x = x.reshape(ROWS, dims).astype(np.float64)
        generator = random_numbers.Generator(1)
        u = np.array([generator.f64() for _ in range(POOL)])
        copies = np.arange(999, POOL, 1000)
        x[copies], u[copies] = x[copies - 500], u[copies - 500]
        rows = np.arange(POOL)
        self.dims, self.x, self.u = dims, np.ascontiguousarray(x.T), u
        self.queries = self.x[:, POOL:]
        self.labeled = rows[rows % 97 == 3]
        self.rows = rows[rows % 97 != 3]
        low, high = u[self.rows].min(), u[self.rows].max()
        self.stratum = np.minimum(STRATA - 1, np.floor((u - low) / (high - low) * STRATA)).astype(int)

    def members(self, stratum):
        """The unlabeled rows of a stratum, ascending."""
        return self.rows[self.stratum[self.rows] == stratum]


def moments(data):
    """Mean and population standard deviation of u over the unlabeled rows."""
    u, rows = data.u, data.rows
    mean = float(block_sum(u, rows)) / len(rows)
    squares = (u - mean) * (u - mean)
    return mean, math.sqrt(float(block_sum(squares, rows)) / len(rows))


def huds(data, unit):
    """HUDS with lambda = 1/2 and one centroid per stratum: the ranking of the unlabeled rows and their scores by
    position."""
    x = units(data.x[:, :POOL]) if unit else data.x[:, :POOL]
    h = np.zeros(POOL)
    for stratum in range(STRATA):
        subset = data.members(stratum)
        centroid = block_sum(x, subset) / len(subset)
        e = x[:, subset]
        norm = math.sqrt(float(dots(centroid[:, None], centroid)[0]))
        d = 1 - cosines(dots(e, centroid), np.sqrt(dots(e, e)), norm)
        h[subset] = 0.5 * d + (1 - 0.5) * data.u[subset]
    scores = h[data.rows]
    return data.rows[np.argsort(-scores, kind="stable")], scores


def kcenter(data, k):
    """k-center from the labeled rows: k picks and the radius after each. delta [positions] is the squared distance
    of each unlabeled row from its nearest center."""
    x, rows = data.x, data.rows
    e = x[:, rows]
    delta = np.full(len(rows), np.inf)
    for row in data.labeled:
        delta = np.minimum(delta, sqds(e, x[:, row]))
    open_, picks, radii = np.ones(len(rows), bool), [], []
    for _ in range(k):
        pick = int(np.argmax(np.where(open_, delta, -np.inf)))
        picks.append(int(rows[pick]))
        open_[pick] = False
        delta = np.minimum(delta, sqds(e, e[:, pick]))
        radii.append(math.sqrt(float(delta[open_].max())))
    return picks, radii


def composable(data, k, per_block):
    """k-center over composable core-sets: k picks and the radius after each, over the rows that are gathered then; the
    last one counts those of its own round."""
    x, rows = data.x, data.rows
    delta = np.full(len(rows), np.inf)
    for row in data.labeled:
        delta = np.minimum(delta, sqds(x[:, rows], x[:, row]))
    open_, picks, radii = np.ones(len(rows), bool), [], []
    while len(picks) < k:
        gathered = []
        for block in range(0, POOL, BLOCK):
            inside = np.flatnonzero((rows >= block) & (rows < block + BLOCK) & open_)
            e, near, centers = x[:, rows[inside]], delta[inside].copy(), []
            while len(centers) < min(per_block, len(inside)):
                centers.append(int(np.argmax(near)))
                near = np.minimum(near, sqds(e, e[:, centers[-1]]))
                near[centers] = -1.0
            gathered += sorted(inside[centers].tolist())
        for _ in range(min(k - len(picks), len(gathered))):
            farthest = np.where(open_[gathered], delta[gathered], -np.inf)
            if len(picks) > len(radii):
                radii.append(math.sqrt(float(farthest.max())))
            pick = gathered[int(np.argmax(farthest))]
            picks.append(int(rows[pick]))
            open_[pick] = False
            delta = np.minimum(delta, sqds(x[:, rows], x[:, rows[pick]]))
    left = [position for position in gathered if open_[position]]
    radii.append(math.sqrt(float(max(delta[left], default=0.0))))
    return picks, radii


def idds(data, k, alpha=0.67):
    """Greedy IDDS: k picks and the scores by position, a pick's being those at its time. a and b [positions] are the
    sums of cosines to the unlabeled and to the labeled rows, updated after each pick."""
    x, rows = data.x[:, :POOL], data.rows
    e = x[:, rows]
    norms = np.sqrt(dots(e, e))
    unit = units(x)
    a = dots(e, block_sum(unit, rows)) / norms
    b = dots(e, block_sum(unit, data.labeled)) / norms
    count_a, count_b = len(rows), len(data.labeled)
    scores, open_, picks = np.zeros(len(rows)), np.ones(len(rows), bool), []
    for _ in range(k):
        now = alpha * ((a - 1.0) / (count_a - 1)) - (1 - alpha) * (b / count_b)
        scores = np.where(open_, now, scores)
        pick = int(np.argmax(np.where(open_, now, -np.inf)))
        picks.append(int(rows[pick]))
        open_[pick] = False
        f = cosines(dots(e, e[:, pick]), norms, norms[pick])
        a, b = a - f, b + f
        count_a, count_b = count_a - 1, count_b + 1
    return picks, scores


def badge(data, k):
    """BADGE on outer products a x h with one class factor a (u) and h the vectors: k picks. weight [positions] is
    the squared distance to the nearest pick."""
    rows = data.rows
    a, h = data.u[None, rows], data.x[:, rows]
    g = dots(a, a) * dots(h, h)
    generator = random_numbers.stream(SEED, random_numbers.BADGE, ROUND)
    weight, chosen = np.full(len(rows), np.inf), [int(np.argmax(g))]
    while len(chosen) < k:
        c = chosen[-1]
        d = (g + g[c]) - 2 * (dots(a, a[:, c]) * dots(h, h[:, c]))
        weight = np.minimum(weight, np.where(d <= DUPLICATE * (g + g[c]), 0.0, d))
        weight[chosen] = 0.0
        table = np.zeros(POOL)
        table[rows] = weight
        chosen.append(int(np.searchsorted(rows, weighted(table, generator.f64()))))
    return [int(rows[c]) for c in chosen]


def oversampled(data, k, steps, per_step):
    """badge with mode=oversampling: k picks among the rows that `steps` steps draw, per_step each; where these end, in
    further turns. near [positions] is the gathered row that is the nearest, weight the squared distance to it."""
    rows = data.rows
    a, h = data.u[None, rows], data.x[:, rows]
    g = dots(a, a) * dots(h, h)
    generator = random_numbers.stream(SEED, random_numbers.BADGE, ROUND, 1)
    weight, near = np.full(len(rows), np.inf), np.zeros(len(rows), int)
    gathered, delta, picks = [], [], []

    def distances(to, c):
        d = (g[to] + g[c]) - 2 * (dots(a[:, to], a[:, c]) * dots(h[:, to], h[:, c]))
        return np.where(d <= DUPLICATE * (g[to] + g[c]), 0.0, d)

    def gather(new):
        nonlocal weight
        for c in new:
            d = distances(slice(None), c)
            near[d < weight] = len(gathered)
            weight = np.minimum(weight, d)
            gathered.append(c)
            delta.append(min((float(distances([c], p)[0]) for p in picks), default=np.inf))

    gather([int(np.argmax(g))])
    while True:
        for _ in range(steps):
            table = np.zeros(POOL)
            table[rows] = np.where(np.isin(np.arange(len(rows)), picks), 0.0, weight)
            drawn = [int(np.searchsorted(rows, weighted(table, generator.f64()))) for _ in range(per_step)]
            blocks = [[c for c in drawn if rows[c] // BLOCK == b] for b in range(-(-POOL // BLOCK))]
            gather(dict.fromkeys(c for block in blocks for c in block))
        counts = np.bincount(near, minlength=len(gathered))
        while len(picks) < k:
            free = np.array([c not in picks for c in gathered])
            mass = np.where(free, counts * np.array(delta), 0.0) if picks else None
            if picks and not mass.any():
                break
            if picks:
                runs = np.add.accumulate(mass)
                hits = np.flatnonzero((runs > generator.f64() * runs[-1]) & (mass > 0))
            n = int(hits[0]) if picks else 0
            picks.append(gathered[n])
            delta = list(np.minimum(delta, distances(gathered, gathered[n])))
        if len(picks) == k:
            return [int(rows[c]) for c in picks]


def knn(data, k):
    """The k nearest unlabeled rows of every query, query after query, and their squared distances."""
    e = data.x[:, data.rows]
    picks, values = [], []
    for q in range(QUERIES):
        distance = sqds(e, data.queries[:, q])
        nearest = np.argsort(distance, kind="stable")[:k]
        picks += [int(data.rows[i]) for i in nearest]
        values += [float(distance[i]) for i in nearest]
    return picks, values


def kmeans(data, k):
    """k-means on the normalized vectors: the first centroids' rows, the number of passes, the cluster of each
    position, the centroids [k, dims]."""
    rows = data.rows
    x = units(data.x[:, :POOL])
    e = x[:, rows]
    own = dots(e, e)
    generator = random_numbers.stream(SEED, random_numbers.KMEANS, ROUND)
    initial, weight = [generator.below(len(rows))], np.full(len(rows), np.inf)
    while len(initial) < k:
        c = initial[-1]
        d = sqds(e, e[:, c])
        weight = np.minimum(weight, np.where(d <= DUPLICATE * (own + own[c]), 0.0, d))
        weight[initial] = 0.0
        table = np.zeros(POOL)
        table[rows] = weight
        initial.append(int(np.searchsorted(rows, weighted(table, generator.f64()))))
    centroids = [e[:, i] for i in initial]
    before, passes = None, 0
    while passes < 100:
        passes += 1
        cluster = np.argmin([sqds(e, c) for c in centroids], axis=0)
        if before is not None and (cluster == before).all():
            break
        before = cluster
        for c in range(k):
            subset = rows[cluster == c]
            assert len(subset), "no cluster of this data runs empty"
            centroids[c] = block_sum(x, subset) / len(subset)
    return [int(rows[i]) for i in initial], passes, before, np.array(centroids)


def average(data):
    """The mean distance of every query from all rows of the pool."""
    pool, every = data.x[:, :POOL], np.arange(POOL)
    return [float(block_sum(np.sqrt(sqds(pool, data.queries[:, q])), every)) / POOL for q in range(QUERIES)]
