/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers of spec 1.7: splitmix64 seeds, xoshiro256**, draws without replacement. */
#include <string.h>

#include "base/base.h"
#include "base/rng.h"

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mix(uint64_t z) {
    z += GOLDEN;
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

void alcore__rng_seed(alcore__rng *rng, uint64_t seed) {
    for (uint64_t i = 0; i < 4; i++) rng->state[i] = mix(seed + i * GOLDEN);
}

uint64_t alcore__rng_derive(uint64_t seed, uint64_t tag, uint64_t a, uint64_t b) {
    return mix(mix(mix(mix(seed) ^ tag) ^ a) ^ b);
}

static uint64_t rotate_left(uint64_t value, int bits) {
    return (value << bits) | (value >> (64 - bits));
}

uint64_t alcore__rng_u64(alcore__rng *rng) {
    uint64_t *s = rng->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

double alcore__rng_f64(alcore__rng *rng) {
    return (double)(alcore__rng_u64(rng) >> 11) * 0x1p-53;
}

uint64_t alcore__rng_below(alcore__rng *rng, uint64_t n) {
    if (n == 0) return 0;
    uint64_t threshold = (UINT64_C(0) - n) % n, r;
    do {
        r = alcore__rng_u64(rng);
    } while (r < threshold);
    return r % n;
}

/* The part a[count..n-1] of the array that sample() of spec 1.7 shuffles: whole when that is cheap,
 * else only the entries that differ from their position. */
typedef struct tail {
    int64_t first;
    int64_t *whole;     /* [n - first], or NULL */
    int64_t *positions; /* [mask + 1], -1 is free */
    int64_t *values;
    uint64_t mask;
} tail;

static int64_t *tail_entry(tail *rest, int64_t position) {
    if (rest->whole) return rest->whole + (position - rest->first);
    uint64_t slot = mix((uint64_t)position) & rest->mask;
    while (rest->positions[slot] != position) {
        if (rest->positions[slot] < 0) {
            rest->positions[slot] = position;
            rest->values[slot] = position;
            break;
        }
        slot = (slot + 1) & rest->mask;
    }
    return rest->values + slot;
}

static alcore_status tail_begin(alcore_ctx *ctx, tail *rest, int64_t n, int64_t count) {
    *rest = (tail){.first = count};
    if (n - count <= 4 * count || n <= 4096) {
        ALCORE__TRY(alcore__new_array(ctx, (size_t)(n - count), sizeof(int64_t), &rest->whole));
        for (int64_t i = count; i < n; i++) rest->whole[i - count] = i;
        return ALCORE_OK;
    }
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)count) slots *= 2;
    ALCORE__TRY(alcore__new_array(ctx, 2 * slots, sizeof(int64_t), &rest->positions));
    rest->values = rest->positions + slots;
    rest->mask = slots - 1;
    memset(rest->positions, 0xFF, slots * sizeof(int64_t));
    return ALCORE_OK;
}

alcore_status alcore__rng_sample(alcore_ctx *ctx, alcore__rng *rng, int64_t n, int64_t count,
                                 int64_t *out) {
    tail rest = {0};
    if (n < 0 || count < 0)
        return alcore__fail(ALCORE_E_INVALID, "cannot draw %lld of %lld numbers", (long long)count,
                            (long long)n);
    if (count > n) count = n;
    if (count == 0) return ALCORE_OK;
    if (!rng || !out) return alcore__fail(ALCORE_E_INVALID, "%s is NULL", rng ? "out" : "rng");
    if (count > INT64_MAX / 32) return alcore__fail_memory(SIZE_MAX);
    if (count < n) ALCORE__TRY(tail_begin(ctx, &rest, n, count));
    for (int64_t i = 0; i < count; i++) out[i] = i;
    for (int64_t i = 0; i < count; i++) {
        int64_t j = i + (int64_t)alcore__rng_below(rng, (uint64_t)(n - i));
        int64_t *other = j < count ? out + j : tail_entry(&rest, j);
        int64_t drawn = *other;
        *other = out[i];
        out[i] = drawn;
    }
    alcore__free(ctx, rest.whole);
    alcore__free(ctx, rest.positions);
    return ALCORE_OK;
}
