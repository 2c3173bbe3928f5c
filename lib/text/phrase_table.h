/* SPDX-License-Identifier: Apache-2.0 */
/* Phrases: sequences of words within one row, their occurrences and semi-maximality
 * (docs/spec, phrase-level selection; Hu and Neubig 2021).
 *
 *   occ(p)         number of places in unlabeled rows at which phrase p begins; overlapping ones
 * count labeled        p occurs in a labeled row too (P_L, which is closed under sub-phrases)
 *   dominated      some phrase q of the unlabeled rows contains p, is longer, and 2 occ(q) > occ(p)
 *   semi-maximal   not dominated
 *
 * It suffices to look at phrases q that are one word longer: every occurrence of a longer one is an
 * occurrence of a q inside it.
 *
 * An index is made once from all rows; each row is then absent, unlabeled or labeled, and may
 * change that at any time. A table lists the phrases of the present unlabeled rows in one pass over
 * the index, so that moving rows (sentences bought in a round) costs no new sort and gives what a
 * new index of the remaining rows would give.
 *
 * Nothing in a table depends on the number of threads. */
#ifndef ALCORE__PHRASE_TABLE_H
#define ALCORE__PHRASE_TABLE_H

#include "text/corpus.h"
#include "text/suffix_array.h"

/* What a row of the pool is. Rows of the labeled source are labeled for good. */
enum { ALCORE__PHRASE_ABSENT = 0, ALCORE__PHRASE_UNLABELED = 1, ALCORE__PHRASE_LABELED = 2 };

/* max_words without a limit: then only semi-maximal phrases can be listed, since a row of n words
 * has n (n + 1) / 2 phrases. */
#define ALCORE__PHRASE_UNLIMITED UINT32_MAX

/* Longest max_words with a limit. */
#define ALCORE__PHRASE_MAX_WORDS 64u

typedef struct alcore__phrase_index {
    alcore_ctx *ctx;
    alcore__corpus *corpus;
    alcore__suffix_array array;
    uint32_t max_words; /* longest phrase that is listed */
    /* Two bits a position below pool_end, four positions a byte: the state of its row. */
    uint8_t *states;
    bool moved;           /* some row has changed its state: until then states need not be read */
    uint8_t *has_letters; /* [max_symbol + 1] 1: the word has a letter or digit; NULL until asked */
} alcore__phrase_index;

/* Makes an index; every row of the pool is unlabeled. labeled may be NULL.
 * max_words: 1 to ALCORE__PHRASE_MAX_WORDS, or ALCORE__PHRASE_UNLIMITED.
 * extend: phrases of max_words words are dominated by longer ones too (smp_limit=inf); else they
 * are always semi-maximal, since longer ones are no phrases. */
alcore_status alcore__phrase_index_new(alcore_ctx *ctx, const alcore__text_source *pool,
                                       const alcore__text_source *labeled, uint32_t max_words,
                                       bool extend, alcore__phrase_index **out);
void alcore__phrase_index_free(alcore__phrase_index *index); /* NULL-safe */
/* Moves rows of the pool to a state. O(words of the rows). */
void alcore__phrase_index_move(alcore__phrase_index *index, const int64_t *rows, int64_t count,
                               int32_t state);

/* One phrase: 12 bytes, since a large pool has more than a hundred million. */
typedef struct alcore__phrase {
    uint32_t first; /* position of its first occurrence in an unlabeled row */
    uint32_t occ;
    uint32_t length : 30; /* words */
    uint32_t labeled : 1;
    uint32_t semi_maximal : 1;
} alcore__phrase;

/* Which phrases a table lists. All-zero lists all of them. */
typedef struct alcore__phrase_filter {
    uint32_t min_count; /* occ is at least this */
    bool semi_maximal;  /* no others */
    bool unlabeled;     /* none that occurs in labeled rows */
    bool letters;       /* only phrases with a letter or digit */
    bool counts_only;   /* do not find out what is semi-maximal: the flags are 0; saves a third */
} alcore__phrase_filter;

/* By occ and length, both falling, then by first occurrence. */
typedef struct alcore__phrase_table {
    alcore__phrase *phrases; /* [count] */
    int64_t count;
} alcore__phrase_table;

/* Lists phrases. ALCORE_E_INVALID: all phrases of an index without a limit. */
alcore_status alcore__phrase_table_list(alcore__phrase_index *index,
                                        const alcore__phrase_filter *filter,
                                        alcore__phrase_table *out);
void alcore__phrase_table_clear(alcore_ctx *ctx, alcore__phrase_table *table);

/* Row and word at which a phrase occurs first. */
int64_t alcore__phrase_row(const alcore__phrase_index *index, const alcore__phrase *phrase,
                           int64_t *out_word);
/* Appends the words of a phrase, with one space between them. */
alcore_status alcore__phrase_text(const alcore__phrase_index *index, const alcore__phrase *phrase,
                                  alcore__buffer *out);
/* The first rows, rising, that are unlabeled and have the phrase: at most `most` (1 or more) into
 * out. Returns their number. O(log words + occurrences). */
int64_t alcore__phrase_rows(const alcore__phrase_index *index, const alcore__phrase *phrase,
                            int64_t most, int64_t *out);

/* ---- between phrase_index.c, phrase_walk.c and phrase_order.c ---- */

static inline int32_t alcore__phrase_state(const alcore__phrase_index *index, uint32_t position) {
    if (position >= index->corpus->pool_end) return ALCORE__PHRASE_LABELED;
    if (!index->moved) return ALCORE__PHRASE_UNLABELED;
    return index->states[position / 4] >> (position % 4 * 2) & 3;
}
/* The phrases that pass the filter, those of each bucket of the array in a part of their own: parts
 * [buckets], empty before; the caller clears them, also after a failure. */
alcore_status alcore__phrase_walk(const alcore__phrase_index *index,
                                  const alcore__phrase_filter *filter, alcore__phrase_table *parts);
/* Joins the parts in the order of a table and clears them. out is to be cleared after a failure
 * too. */
alcore_status alcore__phrase_order(alcore_ctx *ctx, alcore__phrase_table *parts, int64_t part_count,
                                   alcore__phrase_table *out);

#endif
