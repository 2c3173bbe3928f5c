/* SPDX-License-Identifier: Apache-2.0 */
/* Phrases: sequences of words within one row, their occurrences and semi-maximality
 * (docs/spec/phrases.md; Hu and Neubig 2021).
 *
 *   occ(p)         number of word positions in unlabeled rows at which phrase p begins; occurrences
 *                  may overlap
 *   labeled        p occurs in a labeled row too; then so does every sequence of words inside p
 *   dominated      some phrase q of the unlabeled rows contains p, is longer, and 2 occ(q) > occ(p)
 *   semi-maximal   not dominated
 *
 * Only phrases q that are one word longer need to be looked at: every occurrence of a longer one
 * that contains p is an occurrence of such a q.
 *
 * An index (phrase_index.c) is made once from the texts of all rows; each row is then absent,
 * unlabeled or labeled, and may change that at any time. A table (phrase_walk.c, phrase_order.c)
 * lists the phrases of the present unlabeled rows in one pass over the index. So moving rows, such
 * as the sentences bought in a round, costs no new sort, and the table is that of a new index of
 * the remaining rows.
 *
 * Nothing in a table depends on the number of threads. An index is used by one call at a time; the
 * work inside a call runs on the context's threads. */
#ifndef ALCORE__PHRASE_TABLE_H
#define ALCORE__PHRASE_TABLE_H

#include "phrase/suffix_array.h"
#include "text/corpus.h"

/* The state of a row of the pool; two bits each in alcore__phrase_index.states. Rows of the labeled
 * source, beside the pool, are always labeled. */
enum { ALCORE__PHRASE_ABSENT = 0, ALCORE__PHRASE_UNLABELED = 1, ALCORE__PHRASE_LABELED = 2 };

/* max_words without a limit: then only semi-maximal phrases can be listed, since a row of n words
 * has n (n + 1) / 2 phrases. */
#define ALCORE__PHRASE_UNLIMITED UINT32_MAX

/* Longest max_words with a limit. */
#define ALCORE__PHRASE_MAX_WORDS 64u

/* Owns everything that it points to, but for ctx. */
typedef struct alcore__phrase_index {
    alcore_ctx *ctx;            /* borrowed */
    alcore__corpus *corpus;     /* the words of all rows */
    alcore__suffix_array array; /* the positions of the corpus in the order of their n-grams */
    uint32_t max_words;         /* length in words of the longest phrase that is listed */
    uint8_t *states; /* [pool_end / 4 + 1] the state of the row that each position below pool_end
                        belongs to: two bits a position, four positions a byte */
    bool moved;      /* some row has changed its state: until then states need not be read */
    uint8_t *has_letters; /* [max_symbol + 1] 1: the word has a letter or digit; NULL until a table
                             with the letters filter is listed */
} alcore__phrase_index;

/* Makes an index; every row of the pool is unlabeled. labeled may be NULL.
 * max_words: 1 to ALCORE__PHRASE_MAX_WORDS, or ALCORE__PHRASE_UNLIMITED.
 * extend: phrases of max_words words are dominated by longer ones too (smp_limit=inf); else they
 * are always semi-maximal, since longer ones are no phrases. */
alcore_status alcore__phrase_index_new(alcore_ctx *ctx, const alcore__text_source *pool,
                                       const alcore__text_source *labeled, uint32_t max_words,
                                       bool extend, alcore__phrase_index **out);
void alcore__phrase_index_free(alcore__phrase_index *index); /* NULL-safe */
/* Gives the rows [count] of the pool a new state, ALCORE__PHRASE_... O(words of the rows). */
void alcore__phrase_index_move(alcore__phrase_index *index, const int64_t *rows, int64_t count,
                               int32_t state);

/* One phrase: 12 bytes, since a large pool has more than a hundred million. */
typedef struct alcore__phrase {
    uint32_t first;            /* corpus position of its first occurrence in an unlabeled row */
    uint32_t occ;              /* occurrences in unlabeled rows, 1 or more */
    uint32_t length : 30;      /* words */
    uint32_t labeled : 1;      /* it occurs in a labeled row too */
    uint32_t semi_maximal : 1; /* 0 also where counts_only left it unknown */
} alcore__phrase;

/* Which phrases a table lists. A struct of zeros lists all of them. */
typedef struct alcore__phrase_filter {
    uint32_t min_count; /* only phrases whose occ is at least this */
    bool semi_maximal;  /* only semi-maximal phrases; not together with counts_only */
    bool unlabeled;     /* only phrases that occur in no labeled row */
    bool letters;       /* only phrases with a letter or digit */
    bool counts_only;   /* leaves semi_maximal of every phrase 0 and saves a third of the time */
} alcore__phrase_filter;

/* Phrases by falling occ, then falling length, then rising first occurrence. Between phrase_walk.c
 * and phrase_order.c also the phrases of one bucket, in no order. */
typedef struct alcore__phrase_table {
    alcore__phrase *phrases; /* [count] owned */
    int64_t count;
} alcore__phrase_table;

/* Lists the phrases of the present unlabeled rows that pass the filter; the caller clears *out.
 * ALCORE_E_INVALID when phrases other than semi-maximal ones are asked of an index without a limit
 * on their length. */
alcore_status alcore__phrase_table_list(alcore__phrase_index *index,
                                        const alcore__phrase_filter *filter,
                                        alcore__phrase_table *out);
void alcore__phrase_table_clear(alcore_ctx *ctx, alcore__phrase_table *table);

/* Returns the row of the pool in which a phrase occurs first among the unlabeled rows; *out_word
 * becomes the index in that row, from 0, of its first word. */
int64_t alcore__phrase_row(const alcore__phrase_index *index, const alcore__phrase *phrase,
                           int64_t *out_word);
/* Appends the words of a phrase, with one space between them. */
alcore_status alcore__phrase_text(const alcore__phrase_index *index, const alcore__phrase *phrase,
                                  alcore__buffer *out);
/* ---- between phrase_index.c, phrase_walk.c, phrase_order.c and phrase_singles.c ---- */

/* The state, ALCORE__PHRASE_..., of the row that a corpus position belongs to. Read for every entry
 * of the array in a walk, therefore by position and not by row. */
static inline int32_t alcore__phrase_state(const alcore__phrase_index *index, uint32_t position) {
    if (position >= index->corpus->pool_end) return ALCORE__PHRASE_LABELED;
    if (!index->moved) return ALCORE__PHRASE_UNLABELED;
    return index->states[position / 4] >> (position % 4 * 2) & 3;
}
/* The phrases that begin at a position and occur once, in unlabeled rows: there are several times
 * as many of these as of others. Two of a position never have the same length, and every one of
 * them that is longer than one that occurs once occurs once too; what a filter leaves out are the
 * shortest, or all but the longest. So 4 bytes a position stand for them in place of 12 bytes a
 * phrase, and they are in order without a sort (phrase_singles.c). */
typedef struct alcore__phrase_single {
    uint8_t low, high;    /* the phrases of low to high words; both 0: there are none */
    uint8_t labeled;      /* phrases of at most this many words occur in a labeled row too */
    uint8_t semi_maximal; /* 1: the phrase of `high` words is; no shorter one can be */
} alcore__phrase_single;
_Static_assert(ALCORE__PHRASE_MAX_WORDS <= UINT8_MAX, "alcore__phrase_single has lengths in bytes");

/* Finds the phrases that pass the filter: parts [buckets] receives those of each bucket of the
 * array, in no order; singles [pool_end], of zeros, instead those that occur once, or is NULL:
 * always without a limit on the length. parts is zero before; the caller clears it, also after a
 * failure. */
alcore_status alcore__phrase_walk(const alcore__phrase_index *index,
                                  const alcore__phrase_filter *filter, alcore__phrase_table *parts,
                                  alcore__phrase_single *singles);
/* Joins parts [part_count] and singles [positions], which may be NULL, into one table in the order
 * of a table. The parts are cleared as soon as they are copied; the caller clears parts and *out,
 * also after a failure. */
alcore_status alcore__phrase_order(alcore_ctx *ctx, alcore__phrase_table *parts, int64_t part_count,
                                   const alcore__phrase_single *singles, uint32_t positions,
                                   alcore__phrase_table *out);
/* *count: the phrases of singles [positions]. *next: what alcore__phrase_singles_list() needs to
 * know of them; the caller frees it, also after a failure. */
alcore_status alcore__phrase_singles_count(alcore_ctx *ctx, const alcore__phrase_single *singles,
                                           uint32_t positions, uint32_t **next, int64_t *count);
/* Writes the phrases that `singles` [positions] stands for to `out`, in the order of a table. out:
 * [count] entries, as alcore__phrase_singles_count() counted them. The contents of `next` are
 * overwritten. */
alcore_status alcore__phrase_singles_list(alcore_ctx *ctx, const alcore__phrase_single *singles,
                                          uint32_t positions, uint32_t *next, alcore__phrase *out);

#endif
