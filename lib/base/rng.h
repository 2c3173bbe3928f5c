/* SPDX-License-Identifier: Apache-2.0 */
/* The random numbers of the library (docs/spec/arithmetic.md): seeds by splitmix64 (Steele, Lea and
 * Flood 2014), numbers by xoshiro256** (Blackman and Vigna 2021), draws without replacement by the
 * first steps of a Fisher-Yates shuffle. Everything that is drawn is drawn with these, so the same
 * seed gives the same selection on every machine. */
#ifndef ALCORE__RNG_H
#define ALCORE__RNG_H

#include "base/base.h"

/* State of one generator. A copy is a fork: both give the same numbers from there on. */
typedef struct alcore__rng {
    uint64_t state[4]; /* of xoshiro256**; not all 0 */
} alcore__rng;

/* What is drawn: the tag of alcore__rng_derive(), so that no two uses share a stream. The numbers
 * are part of the results (spec 1.7) and never change. */
enum {
    ALCORE__TAG_SUBSAMPLE = 1,   /* the candidates that a strategy looks at */
    ALCORE__TAG_SEEDSET = 2,     /* the rows that a loop labels first */
    ALCORE__TAG_RANDOM = 3,      /* random rows */
    ALCORE__TAG_KMEANS = 4,      /* first centroids */
    ALCORE__TAG_BADGE = 5,       /* rows that BADGE selects */
    ALCORE__TAG_ALPS = 6,        /* tokens of a text */
    ALCORE__TAG_MIX = 7,         /* pairs of labeled data for a training set */
    ALCORE__TAG_EGALITARIAN = 8, /* rows of each language, then the rest */
    ALCORE__TAG_SAME_RATIO = 9,  /* rows of each language */
    ALCORE__TAG_PLAN = 10,       /* rows of each language */
    ALCORE__TAG_GOLD = 11,       /* rows of the target languages */
    ALCORE__TAG_TIE = 12,        /* the order of equal scores */
    ALCORE__TAG_LSUB = 13,       /* the pairs of labeled data that take part */
    ALCORE__TAG_RANDPHRASE = 14, /* random phrases */
    ALCORE__TAG_BOOTSTRAP = 15,  /* segments of a sample of a corpus */
    ALCORE__TAG_VOCABULARY = 16, /* texts that a vocabulary is trained on */
    ALCORE__TAG_SHUFFLE = 17,    /* segments that two systems exchange */
    ALCORE__TAG_HOST = 64        /* numbers for host functions; above all tags of the spec */
};

/* Seeds a generator: its state is the first four outputs of splitmix64(seed). */
void alcore__rng_seed(alcore__rng *rng, uint64_t seed);
/* A seed made of four numbers: mix(mix(mix(mix(seed) ^ tag) ^ a) ^ b), where mix(z) is the first
 * output of splitmix64(z). tag says what is drawn, one number per purpose; a is the round, b a part
 * within the round, 0 for none. Also used to hash tuples of numbers. */
uint64_t alcore__rng_derive(uint64_t seed, uint64_t tag, uint64_t a, uint64_t b);
/* The next 64 random bits. */
uint64_t alcore__rng_u64(alcore__rng *rng);
/* The next number in [0, 1), a multiple of 2^-53. */
double alcore__rng_f64(alcore__rng *rng);
/* The next integer below n, without bias: raw numbers below 2^64 mod n, which would favor small
 * results, are drawn again. 0 for n = 0. */
uint64_t alcore__rng_below(alcore__rng *rng, uint64_t n);
/* Draws min(count, n) of 0..n-1 without replacement into out, in draw order. Memory grows with
 * count, not with n. ctx may be NULL. ALCORE_E_INVALID for negative numbers or a NULL that is
 * needed; out and the state of rng are unchanged after a failure. */
alcore_status alcore__rng_sample(alcore_ctx *ctx, alcore__rng *rng, int64_t n, int64_t count,
                                 int64_t *out);

/* XXH64 with seed 0 of `bytes` bytes: how a string enters a seed, or is assigned to a fold. data
 * may be NULL for 0 bytes. */
uint64_t alcore__hash64(const void *data, size_t bytes);

/* The bits of a hash well mixed: the last lines of splitmix64. */
static inline uint64_t alcore__scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

#endif
