/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Phrases of a pool: sequences of words within one row, as rows of a pool of their own.
 *
 * occ(p) is the number of places in the unmasked rows of the pool at which phrase p begins;
 * overlapping ones count. p is semi-maximal unless a longer phrase that contains it has more than
 * half of its occurrences (docs/spec/phrases.md). p is known when a labeled row contains it. Words
 * are the maximal runs without ASCII space, tab, CR and LF. */
#ifndef ALCORE_PHRASE_H
#define ALCORE_PHRASE_H

#include "alcore/pool.h"

ALCORE_BEGIN

/** Largest limit on the words of a phrase. */
#define ALCORE_PHRASE_WORDS_MAX 64
/** Phrases of any length; only semi-maximal ones are listed. */
#define ALCORE_PHRASE_UNLIMITED (-1)

/** Which phrases a derived pool has. Zero means default. */
typedef struct alcore_phrase_options {
    size_t size; /**< sizeof(alcore_phrase_options) */
    /** longest phrase, 1 to ALCORE_PHRASE_WORDS_MAX or ALCORE_PHRASE_UNLIMITED; 0: 4 */
    int64_t max_words;
    int64_t min_count;    /**< phrases that occur less often are left out; 0: none is */
    int32_t semi_maximal; /**< 1: only semi-maximal phrases */
    int32_t beyond_limit; /**< 1: phrases longer than max_words count when a shorter one is tested
                             for semi-maximality; 0: they do not, and phrases of max_words words are
                             always semi-maximal */
    int32_t unknown;      /**< 1: only phrases that no labeled row contains */
    int32_t with_letters; /**< 1: only phrases with a letter or a digit */
} alcore_phrase_options;
/** An alcore_phrase_options with its size set and everything else 0. */
#define ALCORE_PHRASE_OPTIONS_INIT ALCORE_INIT(alcore_phrase_options)

/** Makes the pool of the phrases of a pool. Its rows are phrases by falling occurrences, then
 * falling length, then first occurrence; the text of a row is the phrase with single spaces between
 * its words, the cost its number of words. Its columns, one entry per row:
 *
 *     occurrences     int64    occ
 *     length          int64    words
 *     first_row       int64    row of the pool with the first occurrence
 *     first_position  int64    word of that row, from 0, at which it begins
 *     known           int32    1: a labeled row contains the phrase
 *     semi_maximal    int32    1: the phrase is semi-maximal
 *
 * The new pool keeps the pool (alcore_pool_source()), and does not change when the pool or its
 * states do.
 * @param[in] pool kept: unmasked rows are unlabeled, rows with ALCORE_ROW_LABELED are labeled,
 *   others are left out
 * @param[in] labeled borrowed: its rows are labeled, whatever their states; NULL: none
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (an option out of range, or all phrases without a limit),
 *   ALCORE_E_UNSUPPORTED (more than 2^32 - 2 words or phrases), ALCORE_E_NOMEM, ALCORE_E_CANCELLED,
 *   ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_derive_phrases(alcore_pool *pool, const alcore_pool *labeled,
                                                    const alcore_phrase_options *options,
                                                    alcore_pool **out);

/** Writes a pool of phrases with the columns phrase, occ, length, first_index, first_position,
 * in_labeled and semi_maximal of TSV or CSV, the same keys of JSONL, or as plain text with the
 * phrases only. A file appears whole or not at all.
 * @param[in] phrases borrowed: made by alcore_pool_derive_phrases()
 * @param[in] path borrowed; "-" is standard output; no compressed suffix
 * @param[in] options borrowed: ALCORE_FORMAT_TEXT, _TSV, _JSONL or _CSV; NULL: by the
 *   suffix, "-" as TSV
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND or ALCORE_E_SHAPE (a pool of something
 *   else), ALCORE_E_UNSUPPORTED (the format or suffix, a compressed file), ALCORE_E_IO,
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY, ALCORE_E_STRUCT_*
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_pool_write_phrases(const alcore_pool *phrases, const char *path,
                                                   const alcore_write_options *options);

ALCORE_END

#endif
