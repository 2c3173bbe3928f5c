/* SPDX-License-Identifier: Apache-2.0 */
/* Near-duplicates: texts whose words are nearly the same (docs/spec/arithmetic.md, 1.9).
 *
 * The parts of a text are its distinct words and its distinct pairs of adjacent words, where its
 * beginning and its end count as a word. Two texts are near where at least two thirds of the parts
 * that either has are in both (Jaccard 1901): of texts of seven words one may differ, of texts of
 * six words one may be missing. In a script without spaces a word is a letter here, and the share
 * is five sixths.
 *
 * Near texts are looked for by keys (MinHash, Broder 1997): a key is a hash of the smallest of the
 * words in KEY_HASHES random orders, so that texts that share a part s of their words have an equal
 * key with a probability of s^KEY_HASHES. */
#ifndef ALCORE__NEAR_WORDS_H
#define ALCORE__NEAR_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* With 6 keys of 3 hashes two texts have an equal one with a probability of 0.96 where they share
 * three quarters of their words, and of 0.1 where they share a quarter. */
enum { ALCORE__NEAR_KEYS = 6 };
/* Texts of fewer words have no near ones: of "Session ok, logged in" and "Session ok, not logged
 * in" each word matters. */
enum { ALCORE__NEAR_SHORTEST = 5 };
/* Letters of a script without spaces that count as one word of these. */
enum { ALCORE__NEAR_LETTERS = 3 };

/* The parts of a text, owned by the caller. */
typedef struct alcore__near_parts {
    const uint32_t *parts; /* [count] hashes, rising */
    uint32_t count;        /* below 2^32, as a text has less than 2^31 bytes */
    bool unspaced;         /* half of the words or more are letters of a script without spaces */
} alcore__near_parts;

/* The largest number of parts of a text of `words` words. */
static inline int64_t alcore__near_most(int64_t words) {
    return 2 * words + 1;
}
/* Writes the hashes of the parts of a text of words [count], 1 or more hashes, to out
 * [alcore__near_most(count)] by rising order; returns their number. */
uint32_t alcore__near_list(const uint64_t *words, int64_t count, uint32_t *out);
/* The keys by which texts that may be near are found. Messages between processes hold them
 * (request/text_masks_shards.c), which are refused from another release: they may change in one. */
void alcore__near_keys(const uint64_t *words, int64_t count, uint32_t out[ALCORE__NEAR_KEYS]);
/* Whether two texts with parts are near. */
bool alcore__near_same(const alcore__near_parts *a, const alcore__near_parts *b);

/* How many parts may be in one of two near texts alone, which have `total` together: 2/3 is
 * (5 - 1) / (5 + 1), 5/6 is (11 - 1) / (11 + 1). */
static inline int64_t alcore__near_alone(int64_t total, bool unspaced) {
    return total / (unspaced ? 11 : 5);
}

/* The outline of a text tells it apart from most others without their parts, in 8 bytes: above a
 * bit p % SKETCH of each part p whether it is unspaced, and above that its parts, MANY or fewer. */
enum { ALCORE__NEAR_SKETCH = 56, ALCORE__NEAR_MANY = 127 };
uint64_t alcore__near_outline(const alcore__near_parts *text);

/* Whether the texts of two outlines may be near: no fewer parts are in one of them alone than bits
 * differ, nor than they differ in number. */
static inline bool alcore__near_may(uint64_t a, uint64_t b) {
    const int64_t many_a = (int64_t)(a >> (ALCORE__NEAR_SKETCH + 1));
    const int64_t many_b = (int64_t)(b >> (ALCORE__NEAR_SKETCH + 1));
    const bool unspaced = (a | b) >> ALCORE__NEAR_SKETCH & 1;
    const int64_t most = alcore__near_alone(many_a + many_b, unspaced);
    const int64_t more = many_a > many_b ? many_a - many_b : many_b - many_a;
    if (many_a == ALCORE__NEAR_MANY || many_b == ALCORE__NEAR_MANY) return true;
    return more <= most && __builtin_popcountll((a ^ b) << (64 - ALCORE__NEAR_SKETCH)) <= most;
}

#endif
