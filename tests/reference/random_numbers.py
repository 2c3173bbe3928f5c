# SPDX-License-Identifier: Apache-2.0
"""Random numbers (spec 1.7): splitmix64, xoshiro256**, draws, and XXH64 for strings."""

MASK = 2**64 - 1  # arithmetic is modulo 2^64
GOLDEN = 0x9E3779B97F4A7C15
BLOCK_ROWS = 8192

# The tags of random decisions, 1 to 14 (spec 1.7).
SUBSAMPLE, SEEDSET, RANDOM, KMEANS, BADGE, ALPS, MIX, EGAL, SAMERATIO, PLAN, GOLD, TIE, LSUB, RANDPHRASE, BOOTSTRAP = range(1, 16)


def mix(z):
    """The first value of splitmix64(z)."""
    z = (z + GOLDEN) & MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def derive(seed, tag, a, b):
    """A seed made of four numbers."""
    return mix(mix(mix(mix(seed) ^ tag) ^ a) ^ b)


def rotl(x, bits):
    return ((x << bits) | (x >> (64 - bits))) & MASK


class Generator:
    """xoshiro256** whose state is the first four values of splitmix64(seed)."""

    def __init__(self, seed):
        self.s = [mix((seed + i * GOLDEN) & MASK) for i in range(4)]

    def u64(self):
        """The next 64 bits."""
        s = self.s
        result = (rotl((s[1] * 5) & MASK, 7) * 9) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def f64(self):
        """The next number in [0, 1)."""
        return (self.u64() >> 11) * 2.0**-53

    def below(self, n):
        """The next integer below n, without bias."""
        threshold = (2**64 - n) % n
        while True:
            r = self.u64()
            if r >= threshold:
                return r % n

    def sample(self, n, m):
        """m of 0 .. n - 1 without replacement, in the order of the draw."""
        a = list(range(n))
        for i in range(min(n, m)):
            j = i + self.below(n - i)
            a[i], a[j] = a[j], a[i]
        return a[: min(n, m)]


def stream(seed, tag, round_, sub=0):
    """The generator of one random decision."""
    return Generator(derive(seed, tag, round_, sub))


def draw(generator, rows, m):
    """m of the rows, which are in increasing order."""
    return [rows[position] for position in generator.sample(len(rows), m)]


def weighted(weights, u):
    """The row drawn in proportion to its weight; weights has an entry for every row of the pool."""
    runs, totals = [], []
    for first in range(0, len(weights), BLOCK_ROWS):
        run = 0.0
        for weight in weights[first : first + BLOCK_ROWS]:
            run += weight
            runs.append(run)
        totals.append(run)
    before = [0.0]
    for total in totals:
        before.append(before[-1] + total)
    t = u * before[-1]
    for i, weight in enumerate(weights):
        if before[i // BLOCK_ROWS] + runs[i] > t and weight > 0:
            return i
    return max(i for i, weight in enumerate(weights) if weight > 0)


P1, P2, P3, P4, P5 = (
    11400714785074694791,
    14029467366897019727,
    1609587929392839161,
    9650029242287828579,
    2870177450012600261,
)


def hash64(data):
    """XXH64 with seed 0 of bytes, or of the UTF-8 bytes of a string."""
    if isinstance(data, str):
        data = data.encode()

    def step(accumulator, lane):
        return (rotl((accumulator + lane * P2) & MASK, 31) * P1) & MASK

    def word(offset, size):
        return int.from_bytes(data[offset : offset + size], "little")

    offset, n = 0, len(data)
    if n >= 32:
        v = [(P1 + P2) & MASK, P2, 0, (-P1) & MASK]
        while offset + 32 <= n:
            for k in range(4):
                v[k] = step(v[k], word(offset + 8 * k, 8))
            offset += 32
        h = (rotl(v[0], 1) + rotl(v[1], 7) + rotl(v[2], 12) + rotl(v[3], 18)) & MASK
        for k in range(4):
            h = ((h ^ step(0, v[k])) * P1 + P4) & MASK
    else:
        h = P5
    h = (h + n) & MASK
    while offset + 8 <= n:
        h = (rotl(h ^ step(0, word(offset, 8)), 27) * P1 + P4) & MASK
        offset += 8
    if offset + 4 <= n:
        h = (rotl(h ^ ((word(offset, 4) * P1) & MASK), 23) * P2 + P3) & MASK
        offset += 4
    while offset < n:
        h = (rotl(h ^ ((data[offset] * P5) & MASK), 11) * P1) & MASK
        offset += 1
    h = ((h ^ (h >> 33)) * P2) & MASK
    h = ((h ^ (h >> 29)) * P3) & MASK
    return h ^ (h >> 32)
