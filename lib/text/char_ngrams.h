/* SPDX-License-Identifier: Apache-2.0 */
/* The character n-grams of a word and their random vectors: what learning the weights
 * (char_embedding.c) and making rows (char_rows.c) share. The formulas are those of
 * char_embedding.h. */
#ifndef ALCORE__CHAR_NGRAMS_H
#define ALCORE__CHAR_NGRAMS_H

#include "base/rng.h"
#include "text/char_embedding.h"

enum {
    ALCORE__CHAR_SHORTEST = 3, /* code points of an n-gram */
    ALCORE__CHAR_LONGEST = 5,
    ALCORE__CHAR_BUCKET_BITS = 20,
    ALCORE__CHAR_BUCKETS = 1 << ALCORE__CHAR_BUCKET_BITS,
    ALCORE__CHAR_SLICES = 8
};

struct alcore__char_embedder {
    alcore_ctx *ctx; /* borrowed */
    int32_t dims;
    uint64_t seed;  /* seed' of the formula, derived from the caller's */
    int64_t texts;  /* D: texts learnt so far */
    uint32_t *df;   /* [BUCKETS] texts that have an n-gram of the bucket; NULL after _finish */
    uint32_t *last; /* [BUCKETS] low bits of the last text that counted here; NULL after _finish */
    float *idf;     /* [BUCKETS] weight of an n-gram of the bucket; 1 or more */
    struct alcore__char_words *words; /* that rows are made of, shared by all alcore__char_rows */
};

/* The bucket b(g) of an n-gram with the hash h(g): its highest bits. */
static inline size_t alcore__char_bucket(uint64_t hash) {
    return (size_t)(hash >> (64 - ALCORE__CHAR_BUCKET_BITS));
}

/* Byte i of a word with its two spaces, i = 0 .. length + 1. */
static inline unsigned char alcore__char_padded(const char *word, size_t length, size_t i) {
    return i == 0 || i > length ? ' ' : (unsigned char)word[i - 1];
}

/* Whether a code point ends before byte i of the padded word: that byte begins another one, or lies
 * behind the letters. */
static inline bool alcore__char_border(const char *word, size_t length, size_t i) {
    return i > length || (alcore__char_padded(word, length, i) & 0xC0) != 0x80;
}

/* The hashes h(g) of the n-grams that begin at byte `begin` of the padded word, shortest first;
 * returns how many. Each is one step of FNV-1a beyond the one before it. */
static inline int alcore__char_hashes(const char *word, size_t length, size_t begin,
                                      uint64_t out[ALCORE__CHAR_LONGEST]) {
    uint64_t hash = 0xCBF29CE484222325u;
    int points = 0, count = 0;
    for (size_t i = begin; i < length + 2; i++) {
        hash = (hash ^ alcore__char_padded(word, length, i)) * 0x100000001B3u;
        if (!alcore__char_border(word, length, i + 1)) continue;
        if (++points >= ALCORE__CHAR_SHORTEST) out[count++] = alcore__scramble(hash);
        if (points == ALCORE__CHAR_LONGEST) break;
    }
    return count;
}

#endif
