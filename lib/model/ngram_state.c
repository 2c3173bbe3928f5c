/* SPDX-License-Identifier: Apache-2.0 */
/* What the n-gram model learns from a pool, as one number. */
#include "base/rng.h"
#include "model/ngram_model.h"

/* Of the fingerprint of the texts, the states of all rows and their number. */
uint64_t alcore__ngram_state(const alcore_pool *pool) {
    int64_t rows = alcore_pool_row_count(pool);
    uint64_t states = alcore__hash64(alcore_pool_states(pool), (size_t)rows * sizeof(uint32_t));
    return alcore__rng_derive(alcore_pool_fingerprint(pool), states, (uint64_t)rows, 0);
}

const alcore_pool *alcore__ngram_source(const alcore__ngram_data *ngram, const alcore_pool *pool) {
    if (ngram->labeled) return ngram->labeled;
    return ngram->shard == pool && ngram->texts ? ngram->texts : pool;
}
