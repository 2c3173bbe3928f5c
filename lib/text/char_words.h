/* SPDX-License-Identifier: Apache-2.0 */
/* The words that char_rows.c has met with one embedder, on all threads, and what each that was met
 * a second time adds to v: a row of integers. A word has at most ALCORE__CHAR_WORD_BYTES bytes.
 * When the memory for words or for rows is full, those that were met most often stay, at most three
 * quarters of the rows, and the others are dropped.
 *
 * Threads that make rows of texts, the makers, share one table, as two of them would read twice as
 * much memory in two. Between alcore__char_words_enter() and _leave() a maker reads it without a
 * lock:
 *
 *   slots   a free one becomes a word's, and gets a row, under `lock`: the tag, then `met`, and the
 *           row's bytes, then its number, are written with release and read with acquire
 *   met     is counted without a lock: where two threads count at once, one of them is forgotten
 *   drop    words are dropped while no maker is inside
 *
 * What is in the table changes no row of a text, only how fast it is made. */
#ifndef ALCORE__CHAR_WORDS_H
#define ALCORE__CHAR_WORDS_H

#include <pthread.h>
#include <string.h>

#include "text/char_code.h"
#include "text/spelling.h"

/* Of the hash table: 1 MiB. */
enum { ALCORE__CHAR_SLOT_BITS = 17, ALCORE__CHAR_WORD_SLOTS = 1 << ALCORE__CHAR_SLOT_BITS };
/* Meetings are counted up to here: slots of words that all threads meet all the time are no longer
 * written then, and stay in the cache of each. */
enum { ALCORE__CHAR_MOST_MET = 255 };

/* A word packed into three numbers that, with its length, are those of no other word. */
typedef struct alcore__char_key {
    uint64_t bytes[3];
    uint64_t length; /* in bytes; not 0 */
} alcore__char_key;

/* A word that was met. Of two words with one tag the second passes for the first while that has no
 * row; this does no harm, as a row is made of the word that is at hand. */
typedef struct alcore__char_slot {
    uint32_t tag; /* of the word's hash; its highest bits are the slot where a search begins */
    uint16_t met; /* how often it was met, at most ALCORE__CHAR_MOST_MET; 0: a free slot */
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
    alcore_ctx *ctx;          /* borrowed */
    alcore__char_slot *slots; /* [ALCORE__CHAR_WORD_SLOTS] open addressing */
    char *rows;               /* [max_rows] of row_bytes */
    size_t row_bytes;         /* of an alcore__char_word and its row: whole cache lines */
    uint32_t max_rows;
    void *block; /* that rows are in */

    pthread_mutex_t lock; /* of slots that become used, and: */
    uint16_t *free_rows;  /* [free_count] numbers of rows that no word has, the next one last */
    uint32_t free_count;  /* of max_rows that there is memory for */
    uint32_t met;         /* words in slots */
    bool full;            /* atomic: there was no memory for a word, and some are to be dropped */

    pthread_mutex_t gate; /* of: */
    pthread_cond_t turn;  /* signaled when the last maker leaves, and when words were dropped */
    int32_t users;        /* calls of _open() less those of _close() */
    int32_t makers;       /* threads inside */
    bool dropping;        /* a thread drops words, or waits for the makers inside to leave */
} alcore__char_words;

/* Makes a table without memory for words, for rows of `padded` columns. */
alcore_status alcore__char_words_new(alcore_ctx *ctx, int32_t padded, alcore__char_words **out);
void alcore__char_words_free(alcore__char_words *self); /* NULL-safe; nobody has it open */

/* Any thread: the first to open it gets memory, which the last to close it frees. */
alcore_status alcore__char_words_open(alcore__char_words *self);
void alcore__char_words_close(alcore__char_words *self);

/* Around the use of slots and rows by a thread that has it open. Where the memory is full, room is
 * made first. */
void alcore__char_words_enter(alcore__char_words *self);
void alcore__char_words_leave(alcore__char_words *self);

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

/* Whether the slot is used; its tag may be read then. */
static inline bool alcore__char_is_met(const alcore__char_slot *slot) {
    return __atomic_load_n(&slot->met, __ATOMIC_ACQUIRE) != 0;
}

/* The tag of a slot that is used. */
static inline uint32_t alcore__char_tag_of(const alcore__char_slot *slot) {
    return __atomic_load_n(&slot->tag, __ATOMIC_RELAXED);
}

/* The number of the row of a slot, which may be read then; 0: it has none. */
static inline uint32_t alcore__char_row_of(const alcore__char_slot *slot) {
    return __atomic_load_n(&slot->row, __ATOMIC_ACQUIRE);
}

/* Counts a meeting of a word that has a row. */
static inline void alcore__char_count(alcore__char_slot *slot) {
    const uint16_t met = __atomic_load_n(&slot->met, __ATOMIC_RELAXED);
    if (met < ALCORE__CHAR_MOST_MET)
        __atomic_store_n(&slot->met, (uint16_t)(met + 1), __ATOMIC_RELAXED);
}

/* The number of the slot that is most likely the word's, or of the free one where it belongs; no
 * row is read. */
static inline uint32_t alcore__char_word_guess(const alcore__char_words *self, uint32_t tag) {
    size_t at = alcore__char_home(tag);
    while (alcore__char_is_met(&self->slots[at]) && alcore__char_tag_of(&self->slots[at]) != tag)
        at = (at + 1) % ALCORE__CHAR_WORD_SLOTS;
    return (uint32_t)at;
}

static inline bool alcore__char_same_key(const alcore__char_key *a, const alcore__char_key *b) {
    return ((a->bytes[0] ^ b->bytes[0]) | (a->bytes[1] ^ b->bytes[1]) |
            (a->bytes[2] ^ b->bytes[2]) | (a->length ^ b->length)) == 0;
}

/* The word's row, where the slot is that of the word and has one; else NULL. */
static inline const alcore__char_word *alcore__char_row_in(const alcore__char_words *self,
                                                           const alcore__char_slot *slot,
                                                           const alcore__char_name *name) {
    const uint32_t number = alcore__char_row_of(slot);
    if (number == 0 || alcore__char_tag_of(slot) != name->tag) return NULL;
    const alcore__char_word *word = alcore__char_word_at(self, number);
    return alcore__char_same_key(&word->key, &name->key) ? word : NULL;
}

/* The word's slot, or the free one where it belongs. */
static inline alcore__char_slot *alcore__char_word_find(const alcore__char_words *self,
                                                        const alcore__char_name *name) {
    for (size_t at = alcore__char_home(name->tag);; at = (at + 1) % ALCORE__CHAR_WORD_SLOTS) {
        alcore__char_slot *slot = &self->slots[at];
        if (!alcore__char_is_met(slot)) return slot;
        if (alcore__char_tag_of(slot) != name->tag) continue;
        if (alcore__char_row_of(slot) == 0 || alcore__char_row_in(self, slot, name)) return slot;
    }
}

/* Whether there is no memory for one word more, or none for the row of one. The caller has the
 * lock. */
static inline bool alcore__char_words_full(const alcore__char_words *self) {
    return self->met == ALCORE__CHAR_WORD_SLOTS / 2 || self->free_count == 0;
}

#endif
