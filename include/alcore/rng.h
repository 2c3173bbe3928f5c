/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The library's random numbers (spec 1.7), for callers that want their own draws to be as
 * reproducible as ours: splitmix64 seeds, xoshiro256** numbers, sampling without replacement. */
#ifndef ALCORE_RNG_H
#define ALCORE_RNG_H

#include "alcore/status.h"

ALCORE_BEGIN

/** State of one generator; copy it to fork the stream. */
typedef struct alcore_rng {
    uint64_t state[4];
} alcore_rng;

/** Seeds a generator: its state is the first four outputs of splitmix64(seed). @threadsafe @since
 * 0.1 */
ALCORE_API void alcore_rng_seed(alcore_rng *rng, uint64_t seed);

/** A seed made of four numbers: mix(mix(mix(mix(seed) ^ tag) ^ a) ^ b). @threadsafe @since 0.1 */
ALCORE_API uint64_t alcore_rng_derive(uint64_t seed, uint64_t tag, uint64_t a, uint64_t b);

/** The next 64 random bits. @serialized per generator @since 0.1 */
ALCORE_API uint64_t alcore_rng_u64(alcore_rng *rng);

/** The next number in [0, 1), a multiple of 2^-53. @serialized per generator @since 0.1 */
ALCORE_API double alcore_rng_f64(alcore_rng *rng);

/** The next whole number below n, without bias; 0 for n = 0. @serialized per generator @since 0.1
 */
ALCORE_API uint64_t alcore_rng_below(alcore_rng *rng, uint64_t n);

/** Draws from 0..n-1 without replacement, in draw order.
 * @param[in,out] rng advanced by count draws
 * @param[in] n size of the set @param[in] count numbers to draw, clamped to n
 * @param[out] out [count] @serialized per generator @since 0.1
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_rng_sample(alcore_rng *rng, int64_t n, int64_t count, int64_t *out);

/** 64-bit hash of bytes: XXH64 with seed 0. @threadsafe @since 0.1 */
ALCORE_API uint64_t alcore_hash64(const void *data, size_t bytes);

ALCORE_END

#endif
