/* SPDX-License-Identifier: Apache-2.0 */
/* Words as numbers: 0, 1, 2, ... in the order in which they were first seen. */
#ifndef ALCORE__VOCABULARY_H
#define ALCORE__VOCABULARY_H

#include "base/base.h"
#include "base/rng.h"

#define ALCORE__WORD_NONE UINT32_MAX

/* A place of the hash table. The tag spares most reads of the bytes of other words. */
typedef struct alcore__vocabulary_slot {
    uint32_t tag;  /* low bits of the hash */
    uint32_t word; /* number + 1; 0: free */
} alcore__vocabulary_slot;

/* All-zero is empty. Reading is thread-safe. */
typedef struct alcore__vocabulary {
    uint64_t *hash; /* [count] of the word's bytes */
    uint64_t
        *begin; /* [count + 1] where the word's bytes begin in bytes; word i ends at begin[i + 1] */
    char *bytes;
    alcore__vocabulary_slot *slot; /* open addressing by the hash's high bits */
    size_t hash_capacity, begin_capacity, bytes_capacity;
    size_t slots; /* a power of two, or 0 */
    uint32_t count;
} alcore__vocabulary;

/* The number of a word, ALCORE__WORD_NONE when it is unknown. */
uint32_t alcore__vocabulary_find(const alcore__vocabulary *words, const char *word, size_t length);
/* The same, but an unknown word gets the next number. A failure leaves the words as they were. */
alcore_status alcore__vocabulary_add(alcore_ctx *ctx, alcore__vocabulary *words, const char *word,
                                     size_t length, uint32_t *out);
/* The two above for callers that already have alcore__hash64() of the word. */
uint32_t alcore__vocabulary_find_hashed(const alcore__vocabulary *words, uint64_t hash,
                                        const char *word, size_t length);
alcore_status alcore__vocabulary_add_hashed(alcore_ctx *ctx, alcore__vocabulary *words,
                                            uint64_t hash, const char *word, size_t length,
                                            uint32_t *out);
const char *alcore__vocabulary_word(const alcore__vocabulary *words, uint32_t number,
                                    size_t *length);
void alcore__vocabulary_clear(alcore_ctx *ctx, alcore__vocabulary *words);

#endif
