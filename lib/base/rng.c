/* SPDX-License-Identifier: Apache-2.0 */
/* The random numbers of docs/spec/arithmetic.md, 1.7 (rng.h): splitmix64 seeds, xoshiro256**, draws
 * without replacement. */
#include <string.h>

#include "base/base.h"
#include "base/rng.h"

#define GOLDEN UINT64_C(0x9E3779B97F4A7C15)

/* The first output of splitmix64 with the state z. */
static uint64_t mix(uint64_t z) {
    return alcore__scramble(z + GOLDEN);
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

/* One step of xoshiro256**, as its authors publish it (spec 1.7). */
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

/* The upper 53 bits, as many as a double holds, times 2^-53. */
double alcore__rng_f64(alcore__rng *rng) {
    return (double)(alcore__rng_u64(rng) >> 11) * 0x1p-53;
}

/* threshold is 2^64 mod n: the numbers from there on are a multiple of n, so each rest is equally
 * likely. */
uint64_t alcore__rng_below(alcore__rng *rng, uint64_t n) {
    if (n == 0) return 0;
    uint64_t threshold = (UINT64_C(0) - n) % n, r;
    do {
        r = alcore__rng_u64(rng);
    } while (r < threshold);
    return r % n;
}

/* Entries count .. n - 1 of the array a = 0 .. n - 1 that sample() of docs/spec/arithmetic.md
 * shuffles; the entries below count are the result itself. The tail is an array where that is
 * cheap, else a hash table of the entries that were asked for; all others equal their index. */
typedef struct tail {
    int64_t first;    /* count: the index in a of the tail's first entry */
    int64_t *whole;   /* [n - first] the entries, or NULL */
    int64_t *indices; /* [mask + 1] index in a of each slot of the hash table, -1: free */
    int64_t *values;  /* [mask + 1] the entry of a at that index; same block of memory as indices */
    uint64_t mask;    /* slots - 1, slots being a power of two at least 2 count */
} tail;

/* The entry of a at an index of the tail; enters it into the hash table if it is not there. At most
 * count different indices are asked for, so the table never fills up. */
static int64_t *tail_entry(tail *rest, int64_t index) {
    if (rest->whole) return rest->whole + (index - rest->first);
    uint64_t slot = mix((uint64_t)index) & rest->mask;
    while (rest->indices[slot] != index) {
        if (rest->indices[slot] < 0) {
            rest->indices[slot] = index;
            rest->values[slot] = index;
            break;
        }
        slot = (slot + 1) & rest->mask;
    }
    return rest->values + slot;
}

/* Allocates the tail of a = 0 .. n - 1 from entry `count` on: an array if that has at most 4 count
 * entries or n is small. */
static alcore_status tail_begin(alcore_ctx *ctx, tail *rest, int64_t n, int64_t count) {
    *rest = (tail){.first = count};
    if (n - count <= 4 * count || n <= 4096) {
        ALCORE__TRY(alcore__new_array(ctx, (size_t)(n - count), sizeof(int64_t), &rest->whole));
        for (int64_t i = count; i < n; i++) rest->whole[i - count] = i;
        return ALCORE_OK;
    }
    uint64_t slots = 16;
    while (slots < 2 * (uint64_t)count) slots *= 2;
    ALCORE__TRY(alcore__new_array(ctx, 2 * slots, sizeof(int64_t), &rest->indices));
    rest->values = rest->indices + slots;
    rest->mask = slots - 1;
    memset(rest->indices, 0xFF, slots * sizeof(int64_t));
    return ALCORE_OK;
}

/* The first `count` steps of a Fisher-Yates shuffle of a = 0 .. n - 1: out is a[0 .. count), the
 * tail has the entries behind it that were swapped. All memory is allocated before the first
 * draw. */
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
    alcore__free(ctx, rest.indices);
    return ALCORE_OK;
}
