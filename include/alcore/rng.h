/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The library's random numbers, for callers that want their own draws to be as reproducible as
 * ours: seeds by splitmix64 (Steele, Lea and Flood 2014), numbers by xoshiro256** (Blackman and
 * Vigna 2021), draws without replacement by the first steps of a Fisher-Yates shuffle. */
#ifndef ALCORE_RNG_H
#define ALCORE_RNG_H

#include "alcore/status.h"

ALCORE_BEGIN

/** State of one generator; copy it to fork the stream. Its layout never changes. */
typedef struct alcore_rng {
    uint64_t state[4]; /**< of xoshiro256**; not all 0 */
} alcore_rng;

/** Seeds a generator: its state is the first four outputs of splitmix64(seed).
 * @param[out] rng filled; NULL: nothing is done
 * @param[in] seed any number
 * @serialized per generator
 * @since 0.1 */
ALCORE_API void alcore_rng_seed(alcore_rng *rng, uint64_t seed);

/** A seed made of four numbers: mix(mix(mix(mix(seed) ^ tag) ^ a) ^ b), mix(z) being the first
 * output of splitmix64(z).
 * @param[in] seed the user's seed
 * @param[in] tag what is drawn: one number per purpose
 * @param[in] a the round
 * @param[in] b a part within the round; 0 for none
 * @return the derived seed
 * @threadsafe
 * @since 0.1 */
ALCORE_API uint64_t alcore_rng_derive(uint64_t seed, uint64_t tag, uint64_t a, uint64_t b);

/** The next 64 random bits.
 * @param[in,out] rng advanced by one number
 * @return the bits; 0 for NULL
 * @serialized per generator
 * @since 0.1 */
ALCORE_API uint64_t alcore_rng_u64(alcore_rng *rng);

/** The next number in [0, 1), a multiple of 2^-53.
 * @param[in,out] rng advanced by one number
 * @return the number; 0 for NULL
 * @serialized per generator
 * @since 0.1 */
ALCORE_API double alcore_rng_f64(alcore_rng *rng);

/** The next integer below n, without bias: numbers that would favor small results are thrown
 * away.
 * @param[in,out] rng advanced by one number or more
 * @param[in] n the bound, which is never reached
 * @return 0 to n - 1; 0 for n = 0 or NULL
 * @serialized per generator
 * @since 0.1 */
ALCORE_API uint64_t alcore_rng_below(alcore_rng *rng, uint64_t n);

/** Draws from 0..n-1 without replacement, in draw order.
 * @param[in,out] rng advanced by count draws; NULL only if nothing is drawn
 * @param[in] n size of the set, 0 or more
 * @param[in] count numbers to draw, 0 or more; clamped to n
 * @param[out] out int64 [min(count, n)], host; NULL only if nothing is drawn
 * @return ALCORE_OK, ALCORE_E_INVALID (a negative number, a NULL), ALCORE_E_NOMEM
 * @serialized per generator
 * @since 0.1 */
ALCORE_API alcore_status alcore_rng_sample(alcore_rng *rng, int64_t n, int64_t count, int64_t *out);

/** 64-bit hash of bytes: XXH64 with seed 0. How a string enters a seed.
 * @param[in] data borrowed: [bytes]; NULL only if bytes is 0
 * @param[in] bytes length of data
 * @return the hash
 * @threadsafe
 * @since 0.1 */
ALCORE_API uint64_t alcore_hash64(const void *data, size_t bytes);

ALCORE_END

#endif
