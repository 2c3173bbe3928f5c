/* SPDX-License-Identifier: Apache-2.0 */
/* A trie over the tokens of a vocabulary: which tokens does a text begin with?
 *
 * It is a double array (Aoe 1989) of units. A node with children has a base of its own, and its
 * child for byte b is unit base ^ b, which keeps b as its label; a unit with another label belongs
 * to another node. Bases lie anywhere, so that each block of 256 units is shared by many nodes.
 * Where only one token is left below a node, its remaining bytes, the tail, are not spelled out as
 * units but compared with the text of the token: a vocabulary of 250,000 tokens takes about 400,000
 * units of 8 bytes, and most searches end after one or two cache lines. */
#ifndef ALCORE__TOKEN_TRIE_H
#define ALCORE__TOKEN_TRIE_H

#include <string.h>

#include "text/vocabulary.h"

/* A node. base 0: no children; no node with children has base 0. label 0: the root or a free unit;
 * else the byte of the edge that leads here, plus 1. A node with a tail has no children; its base
 * is the number of bytes of the tail, which are the last ones of the token. */
typedef struct alcore__trie_unit {
    uint32_t base : 23, label : 9;
    int32_t token; /* the number of the token that ends here; TRIE_INNER: none does; below that, the
                    * node has a tail and TRIE_INNER - 1 - token is the number */
} alcore__trie_unit;
#define ALCORE__TRIE_INNER (-1)

/* It owns its units. A struct of zeros holds no token. */
typedef struct alcore__token_trie {
    alcore__trie_unit *unit; /* [units] unit 0 is the root; whole blocks of 256 */
    size_t units, capacity;
    const alcore__vocabulary *words; /* borrowed: the texts of the tokens */
} alcore__token_trie;

/* Makes *trie, a struct of zeros, of the tokens of words whose text begins with prefix [length],
 * without that prefix; tokens that are the prefix itself are left out. mask [words->count]: 1 for
 * tokens that the trie is to have; NULL: all. words: kept, and not changed while the trie is in
 * use; its texts hold no NUL. A failure leaves arrays for alcore__token_trie_clear(). */
alcore_status alcore__token_trie_build(alcore_ctx *ctx, const alcore__vocabulary *words,
                                       const char *prefix, size_t length, const uint8_t *mask,
                                       alcore__token_trie *trie);
void alcore__token_trie_clear(alcore_ctx *ctx, alcore__token_trie *trie);

/* A search for the tokens that stand at a byte of a text, the shortest first. */
typedef struct alcore__trie_walk {
    uint32_t base;   /* of the node that was reached; 0: it has no children */
    uint32_t number; /* of the token that was found, set by alcore__trie_next() returning true */
    size_t end;      /* the byte of the text after what was read; after a hit, after the token */
} alcore__trie_walk;

/* Begins a search at byte `begin`. */
static inline alcore__trie_walk alcore__trie_begin(const alcore__token_trie *trie, size_t begin) {
    return (alcore__trie_walk){trie->unit ? trie->unit[0].base : 0, 0, begin};
}

/* Finds the next longer token; false: there is none. At a node without children base is 0, and the
 * search ends: unit `byte` would have the label byte + 1 only as a child of base 0, which no node
 * has. */
static inline bool alcore__trie_next(const alcore__token_trie *trie, alcore__trie_walk *walk,
                                     const char *text, size_t length) {
    if (!trie->unit) return false;
    while (walk->end < length) {
        const uint32_t byte = (unsigned char)text[walk->end];
        const alcore__trie_unit unit = trie->unit[walk->base ^ byte];
        if (unit.label != byte + 1) return false;
        walk->end++;
        if (unit.token >= ALCORE__TRIE_INNER) {
            walk->base = unit.base;
            walk->number = (uint32_t)unit.token;
            if (unit.token == ALCORE__TRIE_INNER) continue;
            return true;
        }
        walk->base = 0;
        walk->number = (uint32_t)(ALCORE__TRIE_INNER - 1 - unit.token);
        if (length - walk->end < unit.base) return false;
        const char *tail = trie->words->bytes + trie->words->begin[walk->number + 1] - unit.base;
        if (memcmp(text + walk->end, tail, unit.base) != 0) return false;
        walk->end += unit.base;
        return true;
    }
    return false;
}

#endif
