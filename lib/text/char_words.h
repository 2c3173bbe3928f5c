/* SPDX-License-Identifier: Apache-2.0 */
/* The words that char_rows.c has met, in the memory of one thread, and what each that was met a
 * second time adds to v: a row of integers. A word has at most ALCORE__CHAR_WORD_BYTES bytes. When
 * the memory for words or for rows is full, those that were met most often stay, at most three
 * quarters of the rows, and the others are dropped. */
#ifndef ALCORE__CHAR_WORDS_H
#define ALCORE__CHAR_WORDS_H

#include <string.h>

#include "text/char_code.h"
#include "text/spelling.h"

/* Of the hash table: 1 MiB. */
enum { ALCORE__CHAR_SLOT_BITS = 17, ALCORE__CHAR_WORD_SLOTS = 1 << ALCORE__CHAR_SLOT_BITS };

/* A word packed into three numbers that, with its length, are those of no other word. */
typedef struct alcore__char_key {
    uint64_t bytes[3];
    uint64_t length; /* in bytes; not 0 */
} alcore__char_key;

/* A word that was met. Of two words with one tag the second passes for the first while that has no
 * row; this does no harm, as a row is made of the word that is at hand. */
typedef struct alcore__char_slot {
    uint32_t tag; /* of the word's hash; its highest bits are the slot where a search begins */
    uint16_t met; /* how often it was met, at most UINT16_MAX; 0: a free slot */
    uint16_t row; /* number of its row, from 1 on; 0: it has none */
} alcore__char_slot;

/* A word with a row: a cache line, then the row. */
typedef struct alcore__char_word {
    alcore__char_key key;
    uint32_t bound; /* largest absolute value of row */
    uint32_t unused[7];
    int32_t row[]; /* [padded] in units */
} alcore__char_word;

/* The names of a word by which it is found. */
typedef struct alcore__char_name {
    alcore__char_key key;
    uint32_t tag;
} alcore__char_name;

typedef struct alcore__char_words {
    alcore__char_slot *slots; /* [ALCORE__CHAR_WORD_SLOTS] open addressing */
    char *rows;               /* [max_rows] of row_bytes */
    size_t row_bytes;         /* of an alcore__char_word and its row: whole cache lines */
    uint16_t *free_rows;      /* [free_count] numbers of rows that no word has, the next one last */
    uint32_t free_count;      /* of max_rows that there is memory for */
    uint32_t max_rows;
    uint32_t met; /* words in slots */
    void *block;  /* that rows are in */
} alcore__char_words;

/* Makes an empty table; self is zeroed. The caller clears it, also after a failure. */
alcore_status alcore__char_words_new(alcore_ctx *ctx, int32_t padded, alcore__char_words *self);
void alcore__char_words_clear(alcore_ctx *ctx, alcore__char_words *self);

/* Packs a word of 1 .. ALCORE__CHAR_WORD_BYTES bytes and hashes it: its spelling, or of a longer
 * word three reads, two of which overlap. */
static inline void alcore__char_pack(const alcore__spelled_word *word, alcore__char_name *out) {
    const size_t length = word->bytes;
    uint64_t a = word->spelling.part[0], b = word->spelling.part[1], c = 0;
    if (length > ALCORE__SPELLED) {
        a = alcore__spelling_part(word->word, 8);
        b = alcore__spelling_part(word->word + length - 8, 8);
        c = alcore__spelling_part(word->word + 8, 8);
    }
    uint64_t hash = a * 0x9E3779B97F4A7C15u;
    hash = (hash ^ hash >> 32 ^ b) * 0xD6E8FEB86659FD93u;
    hash = (hash ^ hash >> 32 ^ c ^ length) * 0xBF58476D1CE4E5B9u;
    out->key = (alcore__char_key){{a, b, c}, length};
    out->tag = (uint32_t)(hash >> 32);
}

/* The slot where the search for a tag begins. */
static inline size_t alcore__char_home(uint32_t tag) {
    return tag >> (32 - ALCORE__CHAR_SLOT_BITS);
}

/* Row `number`, from 1 on. */
static inline alcore__char_word *alcore__char_word_at(const alcore__char_words *self,
                                                      uint32_t number) {
    return (void *)(self->rows + (number - 1) * self->row_bytes);
}

/* Prefetches row `number` into the second-level cache: the rows of a few words are more lines than
 * the first level can wait for. */
static inline void alcore__char_word_fetch(const alcore__char_words *self, uint32_t number) {
    const char *row = (const char *)alcore__char_word_at(self, number);
    for (size_t byte = 0; byte < self->row_bytes; byte += ALCORE__CHAR_LINE)
        __builtin_prefetch(row + byte, 0, 2);
}

/* The number of the slot that is most likely the word's, or of the free one where it belongs; no
 * row is read. */
static inline uint32_t alcore__char_word_guess(const alcore__char_words *self, uint32_t tag) {
    size_t at = alcore__char_home(tag);
    while (self->slots[at].met && self->slots[at].tag != tag)
        at = (at + 1) % ALCORE__CHAR_WORD_SLOTS;
    return (uint32_t)at;
}

static inline bool alcore__char_same_key(const alcore__char_key *a, const alcore__char_key *b) {
    return ((a->bytes[0] ^ b->bytes[0]) | (a->bytes[1] ^ b->bytes[1]) |
            (a->bytes[2] ^ b->bytes[2]) | (a->length ^ b->length)) == 0;
}

/* Whether the slot is that of a word, which has a row. */
static inline bool alcore__char_has_row(const alcore__char_words *self,
                                        const alcore__char_slot *slot,
                                        const alcore__char_name *name) {
    return slot->tag == name->tag && slot->row != 0 &&
           alcore__char_same_key(&alcore__char_word_at(self, slot->row)->key, &name->key);
}

/* The word's slot, or the free one where it belongs. */
static inline alcore__char_slot *alcore__char_word_find(const alcore__char_words *self,
                                                        const alcore__char_name *name) {
    for (size_t at = alcore__char_home(name->tag);; at = (at + 1) % ALCORE__CHAR_WORD_SLOTS) {
        alcore__char_slot *slot = &self->slots[at];
        if (!slot->met || (slot->tag == name->tag && slot->row == 0) ||
            alcore__char_has_row(self, slot, name))
            return slot;
    }
}

/* Whether there is no memory for one word more, or none for the row of one. */
static inline bool alcore__char_words_full(const alcore__char_words *self) {
    return self->met == ALCORE__CHAR_WORD_SLOTS / 2 || self->free_count == 0;
}

/* Makes room: drops the words without rows and those that were met least. */
void alcore__char_words_drop(alcore__char_words *self);

#endif
