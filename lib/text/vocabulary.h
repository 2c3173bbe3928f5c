/* SPDX-License-Identifier: Apache-2.0 */
/* Words as numbers: 0, 1, 2, ... in the order in which they were first seen. The language model,
 * the shards of a corpus (corpus.h) and the n-gram counts number their words with it. */
#ifndef ALCORE__VOCABULARY_H
#define ALCORE__VOCABULARY_H

#include "base/base.h"
#include "base/rng.h"

#define ALCORE__WORD_NONE UINT32_MAX

/* A slot of the hash table. Comparing tags first spares most reads of the bytes of other words. */
typedef struct alcore__vocabulary_slot {
    uint32_t tag;  /* low bits of the hash */
    uint32_t word; /* number + 1; 0: free */
} alcore__vocabulary_slot;

/* It owns its arrays. A struct of zeros has no words. Any number of threads may read it while none
 * adds words. */
typedef struct alcore__vocabulary {
    uint64_t *hash;  /* [count] alcore__hash64() of each word's bytes */
    uint64_t *begin; /* [count + 1] index in bytes of each word's first byte; word i ends before
                        begin[i + 1]. NULL without words */
    char *bytes;     /* [begin[count]] the words, without terminators */
    alcore__vocabulary_slot *slot; /* [slots] open addressing by the hash's high bits */
    size_t hash_capacity, begin_capacity, bytes_capacity;
    size_t slots;   /* a power of two at least twice count, or 0 */
    uint32_t count; /* words; the next new word gets this number */
} alcore__vocabulary;

/* The number of a word, ALCORE__WORD_NONE when it is unknown. */
uint32_t alcore__vocabulary_find(const alcore__vocabulary *words, const char *word, size_t length);
/* *out: the number of a word; an unknown word is added and gets the next number. A failure leaves
 * the words as they were. */
alcore_status alcore__vocabulary_add(alcore_ctx *ctx, alcore__vocabulary *words, const char *word,
                                     size_t length, uint32_t *out);
/* alcore__vocabulary_find() and _add() for callers that already have alcore__hash64() of the word.
 */
uint32_t alcore__vocabulary_find_hashed(const alcore__vocabulary *words, uint64_t hash,
                                        const char *word, size_t length);
alcore_status alcore__vocabulary_add_hashed(alcore_ctx *ctx, alcore__vocabulary *words,
                                            uint64_t hash, const char *word, size_t length,
                                            uint32_t *out);
/* The bytes of a word, not terminated by NUL; valid until a word is added. */
const char *alcore__vocabulary_word(const alcore__vocabulary *words, uint32_t number,
                                    size_t *length);
void alcore__vocabulary_clear(alcore_ctx *ctx, alcore__vocabulary *words);

#endif
