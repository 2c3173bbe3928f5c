/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of phrases inside the library: how a request makes one, and where the phrases occur.
 *
 * A pool of phrases is a derived pool whose rows are phrases of its source (alcore/phrase.h). It
 * remembers which rows of the source were unlabeled when it was made; the occurrences of a phrase
 * are those in these rows. */
#ifndef ALCORE__PHRASE_POOL_H
#define ALCORE__PHRASE_POOL_H

#include "alcore/phrase.h"
#include "base/base.h"

/* What is kept between counts of the phrases of a pool whose rows become labeled or absent in
 * between, and may return: the index, in which such rows only change their states, so that nothing
 * is read or sorted again. A struct of zeros has counted nothing. The index is made anew where the
 * texts of either pool, the longest phrase or what may dominate have changed. Memory: 12 bytes for
 * each word of both pools, and 1 a row. */
typedef struct alcore__phrase_counter {
    struct alcore__phrase_index *index; /* owned; NULL: there is none */
    uint8_t *use;                       /* [rows] owned: the states that its rows have,
                                           ALCORE__PHRASE_... */
    int64_t rows, labeled_rows;    /* of both pools when it was made; without a labeled pool -1 */
    uint64_t texts, labeled_texts; /* their fingerprints */
    int64_t max_words;             /* of the options that it was made for */
    int32_t beyond_limit;
} alcore__phrase_counter;
void alcore__phrase_counter_clear(alcore_ctx *ctx, alcore__phrase_counter *counter);

/* alcore_pool_derive_phrases() for a caller that is inside a call, has locked both pools for
 * reading, and says for each row of the pool what it counts as: use [rows], ALCORE__PHRASE_ABSENT,
 * _UNLABELED or _LABELED (phrase/phrase_table.h). by_occurrence: the rows of the new pool are
 * ordered by first occurrence (row, word), then length, in place of the order by frequency.
 * counter: keeps the index for the next count; NULL: it is freed, most of it before the rows are
 * made. */
alcore_status alcore__derive_phrases(alcore_pool *pool, const alcore_pool *labeled,
                                     const uint8_t *use, const alcore_phrase_options *options,
                                     bool by_occurrence, alcore__phrase_counter *counter,
                                     alcore_pool **out);

/* Whether a pool was made by alcore__derive_phrases(), so that the occurrences of its phrases are
 * known. A caller may make a pool of phrases by hand too, whose occurrences are not. */
bool alcore__is_phrase_pool(const alcore_pool *pool);
/* The number of rows of the source in which the phrases of a pool of phrases are counted. */
int64_t alcore__phrase_source_rows(const alcore_pool *phrases);

/* Called for one occurrence: that of phrase number `phrase` (an index of `rows` below) at word
 * `word`, from 0, of row `row` of the source. */
typedef alcore_status alcore__phrase_visit(void *user, int64_t phrase, int64_t row, int64_t word);

/* Visits every occurrence of rows [count] of a pool of phrases, each row once, in the order of
 * (row of the source, word, length). Takes the read lock of the source itself.
 *
 * One pass over the words of the source. The hash of an n-gram is that of its first n - 1 words,
 * extended by the hash of its last word, and is looked up in a table of the phrases; where it is
 * found, the words are compared. Time: words of the source times the length of the longest phrase;
 * memory: 16 bytes a phrase and the words of one row. */
alcore_status alcore__phrase_occurrences(const alcore_pool *phrases, const int64_t *rows,
                                         int64_t count, alcore__phrase_visit *visit, void *user);

/* Visits every occurrence of rows [count] of a pool of phrases inside other rows of it, texts
 * [text_count]: the `row` of a visit is then an index of `texts`, whose order the visits have. A
 * phrase is inside itself too. Time and memory are those above, for the words of `texts`. */
alcore_status alcore__phrases_inside(const alcore_pool *phrases, const int64_t *rows, int64_t count,
                                     const int64_t *texts, int64_t text_count,
                                     alcore__phrase_visit *visit, void *user);

#endif
