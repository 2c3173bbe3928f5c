# SPDX-License-Identifier: Apache-2.0
"""Sums and distances in the order of spec 1.5 and 1.8, orders and ties of spec 1.3."""
import math
import struct

import random_numbers

BLOCK_ROWS = random_numbers.BLOCK_ROWS
LANES = 32
SMALL = 1e-12  # norms below count as 0, cosines this near to 1 as 1


def f32(x):
    """The nearest float32, widened again."""
    return struct.unpack("f", struct.pack("f", x))[0]


def tree(lanes):
    """The sum of 32 lanes: halves are added until one is left."""
    lanes = list(lanes)
    for w in (16, 8, 4, 2, 1):
        for i in range(w):
            lanes[i] += lanes[i + w]
    return lanes[0]


def dot(a, b):
    """The dot product in 32 lanes, component j in lane j mod 32."""
    lanes = [0.0] * LANES
    for j, (x, y) in enumerate(zip(a, b)):
        lanes[j % LANES] += x * y
    return tree(lanes)


def sqd(a, b):
    """The squared distance, in lanes as dot()."""
    lanes = [0.0] * LANES
    for j, (x, y) in enumerate(zip(a, b)):
        t = x - y
        lanes[j % LANES] += t * t
    return tree(lanes)


def norm(a):
    return math.sqrt(dot(a, a))


def cos_of(product, norm_a, norm_b):
    """The cosine from a dot product and two norms; 0 for a vector without a direction."""
    if norm_a < SMALL or norm_b < SMALL:
        return 0.0
    c = product / (norm_a * norm_b)
    return math.copysign(1.0, c) if abs(c) > 1.0 - SMALL else c


def cos(a, b):
    return cos_of(dot(a, b), norm(a), norm(b))


def unit(a):
    """The vector divided by its norm; zeros where that is below SMALL."""
    length = norm(a)
    return [0.0] * len(a) if length < SMALL else [x / length for x in a]


def block_sum(rows, vectors):
    """Sum of vectors[row] over rows, which ascend: block sums first, then these in block order."""
    dims = len(vectors[rows[0]])
    total = [0.0] * dims
    for block in sorted({row // BLOCK_ROWS for row in rows}):
        run = [0.0] * dims
        for row in rows:
            if row // BLOCK_ROWS == block:
                run = [s + v for s, v in zip(run, vectors[row])]
        total = [s + v for s, v in zip(total, run)]
    return total


def block_total(rows, values):
    """The sum of values[row] over rows in the same order."""
    return block_sum(rows, {row: [values[row]] for row in rows})[0] if rows else 0.0


def mean_vector(rows, vectors):
    """The mean of vectors[row] over rows."""
    return [s / len(rows) for s in block_sum(rows, vectors)]


def mean_sd(rows, values):
    """Mean and population standard deviation."""
    mean = block_total(rows, values) / len(rows)
    squares = {row: (values[row] - mean) * (values[row] - mean) for row in rows}
    return mean, math.sqrt(block_total(rows, squares) / len(rows))


def order(rows, score, tie="index", seed=0):
    """Rows by (score descending, row ascending); score is indexed by row."""
    if tie == "random":
        return sorted(rows, key=lambda i: (-score[i], random_numbers.derive(seed, random_numbers.TIE, i, 0)))
    return sorted(rows, key=lambda i: (-score[i], i))
