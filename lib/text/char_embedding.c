/* SPDX-License-Identifier: Apache-2.0 */
#include "text/char_embedding.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "text/words.h"

#define SHORTEST 3
#define LONGEST 5
#define BUCKET_BITS 20
#define BUCKETS ((size_t)1 << BUCKET_BITS)
#define SLICES 8
#define GOLDEN 0x9E3779B97F4A7C15u
#define FNV_START 0xCBF29CE484222325u
#define FNV_PRIME 0x100000001B3u

struct alcore__char_embedder {
    alcore_ctx *ctx; /* borrowed */
    int32_t dims;
    uint64_t seed;  /* scrambled */
    int64_t texts;  /* learnt */
    uint32_t *df;   /* [BUCKETS]; NULL after _finish */
    uint32_t *last; /* [BUCKETS] low bits of the last text that counted here; NULL after _finish */
    float *idf;     /* [BUCKETS] */
};

static inline uint64_t scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline size_t bucket(uint64_t hash) {
    return (size_t)(hash >> (64 - BUCKET_BITS));
}

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
    alcore_status status = alcore__new_array(ctx, BUCKETS, sizeof(uint32_t), &embedder->df);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, BUCKETS, sizeof(uint32_t), &embedder->last);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, BUCKETS, sizeof(float), &embedder->idf);
    if (status != ALCORE_OK) {
        alcore__char_embedder_free(embedder);
        return status;
    }
    *out = embedder;
    return ALCORE_OK;
}

void alcore__char_embedder_free(alcore__char_embedder *embedder) {
    if (embedder == NULL) return;
    alcore_ctx *ctx = embedder->ctx;
    alcore__free(ctx, embedder->df);
    alcore__free(ctx, embedder->last);
    alcore__free(ctx, embedder->idf);
    alcore__free(ctx, embedder);
}

/* The bytes of a word with its two spaces. */
static inline unsigned char padded_byte(const char *word, size_t length, size_t i) {
    return i == 0 || i > length ? ' ' : (unsigned char)word[i - 1];
}

/* Whether a code point ends before byte i: the byte does not continue one. */
static inline bool is_border(const char *word, size_t length, size_t i) {
    return i > length || (padded_byte(word, length, i) & 0xC0) != 0x80;
}

/* The hashes of the n-grams that begin at byte `begin` of the padded word, shortest first; returns
 * how many. */
static inline int hashes_at(const char *word, size_t length, size_t begin, uint64_t *out) {
    uint64_t hash = FNV_START;
    int points = 0, count = 0;
    for (size_t i = begin; i < length + 2; i++) {
        hash = (hash ^ padded_byte(word, length, i)) * FNV_PRIME;
        if (!is_border(word, length, i + 1)) continue;
        if (++points >= SHORTEST) out[count++] = scramble(hash);
        if (points == LONGEST) break;
    }
    return count;
}

void alcore__char_embedder_learn(alcore__char_embedder *embedder, const char *text, size_t length) {
    const char *at = text, *end = text + length, *word;
    size_t bytes;
    embedder->texts++;
    const uint32_t number = (uint32_t)embedder->texts;
    while (alcore__word_next(&at, end, &word, &bytes)) {
        for (size_t begin = 0; begin < bytes; begin++) {
            if (!is_border(word, bytes, begin)) continue;
            uint64_t hashes[LONGEST - SHORTEST + 1];
            const int count = hashes_at(word, bytes, begin, hashes);
            for (int i = 0; i < count; i++) {
                const size_t b = bucket(hashes[i]);
                if (embedder->last[b] == number) continue;
                embedder->last[b] = number;
                embedder->df[b]++;
            }
        }
    }
}

void alcore__char_embedder_merge(alcore__char_embedder *embedder,
                                 const alcore__char_embedder *other) {
    for (size_t b = 0; b < BUCKETS; b++) embedder->df[b] += other->df[b];
    /* The texts learnt from here on must not have a number that `last` holds. */
    embedder->texts += other->texts;
}

void alcore__char_embedder_finish(alcore__char_embedder *embedder) {
    for (size_t b = 0; b < BUCKETS; b++)
        embedder->idf[b] =
            (float)(1.0 + log((1.0 + (double)embedder->texts) / (1.0 + (double)embedder->df[b])));
    alcore__free(embedder->ctx, embedder->df);
    alcore__free(embedder->ctx, embedder->last);
    embedder->df = NULL;
    embedder->last = NULL;
}

/* Adds idf * r(g). */
static inline void add_ngram(const alcore__char_embedder *embedder, uint64_t hash, int32_t slices,
                             const int32_t *slice, double *sum) {
    const double weight = (double)embedder->idf[bucket(hash)];
    uint64_t bits = 0;
    for (int32_t s = 0; s < slices; s++) {
        if (s % 4 == 0) bits = scramble((hash ^ embedder->seed) + (uint64_t)(s / 4 + 1) * GOLDEN);
        const uint32_t piece = (uint32_t)bits & 0xFFFF;
        bits >>= 16;
        const int32_t width = slice[s + 1] - slice[s];
        const int32_t column = slice[s] + (int32_t)(((piece >> 1) * (uint32_t)width) >> 15);
        sum[column] += piece & 1 ? -weight : weight;
    }
}

void alcore__char_embedder_embed(const alcore__char_embedder *embedder, const char *text,
                                 size_t length, float *row) {
    const int32_t dims = embedder->dims, slices = dims < SLICES ? dims : SLICES;
    double sum[ALCORE__CHAR_MAX_DIMS];
    int32_t slice[SLICES + 1];
    for (int32_t s = 0; s <= slices; s++) slice[s] = s * dims / slices;
    for (int32_t j = 0; j < dims; j++) sum[j] = 0.0;
    const char *at = text, *end = text + length, *word;
    size_t bytes;
    while (alcore__word_next(&at, end, &word, &bytes)) {
        for (size_t begin = 0; begin < bytes; begin++) {
            if (!is_border(word, bytes, begin)) continue;
            uint64_t hashes[LONGEST - SHORTEST + 1];
            const int count = hashes_at(word, bytes, begin, hashes);
            for (int i = 0; i < count; i++) add_ngram(embedder, hashes[i], slices, slice, sum);
        }
    }
    double square = 0.0;
    for (int32_t j = 0; j < dims; j++) square += sum[j] * sum[j];
    const double norm = sqrt(square);
    for (int32_t j = 0; j < dims; j++) row[j] = square > 0.0 ? (float)(sum[j] / norm) : 0.0f;
}
