/* SPDX-License-Identifier: Apache-2.0 */
/* Learning the weights of character n-grams: df(b), counted text by text, and idf(b) at the end
 * (char_embedding.h has the formulas, char_ngrams.h the struct). */
#include "text/char_embedding.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "text/char_words.h"
#include "text/words.h"

/* Makes an embedder that has learnt nothing; `last` and `df` are needed for learning only. */
alcore_status alcore__char_embedder_new(alcore_ctx *ctx, int32_t dims, uint64_t seed,
                                        alcore__char_embedder **out) {
    *out = NULL;
    if (dims < 1 || dims > ALCORE__CHAR_MAX_DIMS)
        return alcore__fail(ALCORE_E_PARAM, "dims is %d, allowed are 1 to %d", (int)dims,
                            ALCORE__CHAR_MAX_DIMS);
    alcore__char_embedder *embedder = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *embedder, &embedder));
    embedder->ctx = ctx;
    embedder->dims = dims;
    embedder->seed = alcore__rng_derive(seed, 0, 0, 0);
    alcore_status status =
        alcore__new_array(ctx, ALCORE__CHAR_BUCKETS, sizeof(uint32_t), &embedder->df);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, ALCORE__CHAR_BUCKETS, sizeof(uint32_t), &embedder->last);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, ALCORE__CHAR_BUCKETS, sizeof(float), &embedder->idf);
    if (status == ALCORE_OK)
        status = alcore__char_words_new(ctx, alcore__char_padded_dims(dims), &embedder->words);
    if (status != ALCORE_OK) {
        alcore__char_embedder_free(embedder);
        return status;
    }
    *out = embedder;
    return ALCORE_OK;
}

void alcore__char_embedder_free(alcore__char_embedder *embedder) {
    if (!embedder) return;
    alcore_ctx *ctx = embedder->ctx;
    alcore__free(ctx, embedder->df);
    alcore__free(ctx, embedder->last);
    alcore__free(ctx, embedder->idf);
    alcore__char_words_free(embedder->words);
    alcore__free(ctx, embedder);
}

/* A bucket counts a text once: last[b] is the number of the last text that counted there. Numbers
 * are those of 32 bits from 1 on, which last, at first 0, has not. */
void alcore__char_embedder_learn(alcore__char_embedder *embedder, const char *text, size_t length) {
    const char *at = text, *end = text + length, *word;
    size_t bytes;
    embedder->texts++;
    const uint32_t number = (uint32_t)embedder->texts;
    while (alcore__word_next(&at, end, &word, &bytes)) {
        for (size_t begin = 0; begin < bytes; begin++) {
            if (!alcore__char_border(word, bytes, begin)) continue;
            uint64_t hashes[ALCORE__CHAR_LONGEST];
            const int count = alcore__char_hashes(word, bytes, begin, hashes);
            for (int i = 0; i < count; i++) {
                const size_t b = alcore__char_bucket(hashes[i]);
                if (embedder->last[b] == number) continue;
                embedder->last[b] = number;
                embedder->df[b]++;
            }
        }
    }
}

void alcore__char_embedder_merge(alcore__char_embedder *embedder,
                                 const alcore__char_embedder *other) {
    for (size_t b = 0; b < ALCORE__CHAR_BUCKETS; b++) embedder->df[b] += other->df[b];
    /* The texts learnt from here on must not have a number that `last` holds. */
    embedder->texts += other->texts;
}

/* Computes idf and frees what only learning needs. */
void alcore__char_embedder_finish(alcore__char_embedder *embedder) {
    for (size_t b = 0; b < ALCORE__CHAR_BUCKETS; b++)
        embedder->idf[b] =
            (float)(1.0 + log((1.0 + (double)embedder->texts) / (1.0 + (double)embedder->df[b])));
    alcore__free(embedder->ctx, embedder->df);
    alcore__free(embedder->ctx, embedder->last);
    embedder->df = NULL;
    embedder->last = NULL;
}
