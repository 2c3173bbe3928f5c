/* SPDX-License-Identifier: Apache-2.0 */
/* The word n-grams of a text as 64-bit hashes, by which texts are compared without a vocabulary: n
 * adjacent tokens of one text (text_tokens.h), at least one of which is a word, as numbers,
 * placeholders and punctuation alone tell nothing of a language.
 *
 * Two different n-grams have equal hashes with a probability of 2^-63: among a hundred million
 * n-grams once in 2,000 pools, and then one n-gram counts for another. */
#ifndef ALCORE__TEXT_NGRAMS_H
#define ALCORE__TEXT_NGRAMS_H

#include "base/base.h"

enum { ALCORE__TEXT_NGRAM_ORDERS = 8 }; /* the longest n */

/* A bound of the number of tokens of a text, which reading it takes a small part of the time of
 * counting them: every character but spaces, and letters and digits of ASCII behind another. A text
 * that is not well-formed UTF-8 may have more tokens. */
int64_t alcore__text_tokens_most(const char *text, size_t length);
/* The largest number of hashes of a text of `tokens` tokens. */
static inline int64_t alcore__text_ngrams_most(int64_t tokens, int64_t orders) {
    return tokens * orders;
}
/* How many slots alcore__text_ngrams() needs for a text of `tokens` tokens: a power of two. */
int64_t alcore__text_ngrams_slots(int64_t tokens, int64_t orders);
/* Writes the hashes of the distinct n-grams of a text, n = 1 .. orders, in the order in which they
 * first end, shorter ones after longer ones, and returns their number; *tokens is that of the
 * tokens. No more tokens are read than alcore__text_tokens_most() says. out: memory for as many
 * hashes as these may have; seen: [alcore__text_ngrams_slots() of these or more] zeros, which are
 * zeros again afterwards. No hash is 0, and its highest bit is set if n is 1. */
int64_t alcore__text_ngrams(const char *text, size_t length, int64_t orders, uint64_t *out,
                            uint64_t *seen, int64_t *tokens);
/* The same of tokens [count] that were read before, no more than alcore__text_tokens_most(): their
 * hashes (uint64, which need not be aligned), and words, bit i % 8 of byte i / 8 of which is set if
 * token i is a word. */
int64_t alcore__tokens_ngrams(const char *words, const char *hashes, int64_t count, int64_t orders,
                              uint64_t *out, uint64_t *seen);
/* Whether the hash of an n-gram is that of a word alone. */
static inline bool alcore__ngram_is_word(uint64_t hash) {
    return hash >> 63;
}

#endif
