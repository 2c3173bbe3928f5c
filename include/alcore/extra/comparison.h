/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * What several strategies would buy with one budget, side by side, before anything is paid: what
 * the picks cost, how long they are, how much of the pool and of a test set they cover, how much
 * they repeat, and what they have in common (docs/analyses.md). */
#ifndef ALCORE_EXTRA_COMPARISON_H
#define ALCORE_EXTRA_COMPARISON_H

#include "alcore/extra/overlap.h"
#include "alcore/request.h"

ALCORE_BEGIN

/** The selections of several strategies with their measures. Never changes once made; safe to read
 * from many threads. */
typedef struct alcore_comparison alcore_comparison;

/** Largest number of strategies of a comparison, the added one not counted. */
#define ALCORE_COMPARISON_MAX 64

/** Answers a request with each of several strategies and measures what they pick. All of them read
 * the same pools with the same options; a column that a model computes is computed once, but those
 * of a host's model without a name by each. The strategy random is the floor that every other one
 * should beat: where it is not among the strategies it is added behind them. A target, and rows of
 * another selection, are shown to the strategies that read them.
 *
 * Words are those of alcore_pool_words(), and n-grams are of 1, 2 and 3 words. The measures keep
 * the n-grams of the pool in memory: about 100 bytes for each distinct one.
 * Source: docs/spec/analyses.md 8.10.
 * @param[in,out] request borrowed; its strategy is not used and stays; of several budgets the first
 *   counts
 * @param[in] strategies borrowed: [count]; NULL in it is the recommended strategy
 * @param[in] names borrowed: [count] what each is called, UTF-8, NUL-terminated, no two equal; NULL
 *   in it, or NULL: the name of the strategy
 * @param[in] count 1 to ALCORE_COMPARISON_MAX
 * @param[in,out] test borrowed: has the texts of the test set, which have words, and does not keep
 *   the n-grams of the role ALCORE_OVERLAP_SELECTED, whose texts are forgotten; orders that it
 *   lacks are not measured; NULL: none
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (also two equal names, a pool without rows, a test set
 *   without words or whose selected data is kept, an input that no strategy reads), ALCORE_E_PARAM
 *   (the request has max_age, by which each strategy would score rows again), what
 *   alcore_select(), which names the strategy, and alcore_overlap_add() return
 * @serialized per request and per test; per pool and model as alcore_select(). ALCORE_E_BUSY while
 *   another call uses one.
 * @callback model, scorer and strategy functions, progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_compare(alcore_request *request,
                                                alcore_strategy *const *strategies,
                                                const char *const *names, int64_t count,
                                                alcore_overlap *test, alcore_comparison **out);

/** Takes another reference.
 * @param[in] comparison the handle; NULL is allowed
 * @return owned: comparison itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_comparison *alcore_comparison_ref(alcore_comparison *comparison);

/** Drops a reference; the last one releases the comparison.
 * @param[in] comparison the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_comparison_unref(alcore_comparison *comparison);

/** The number of strategies that were compared, with one that was added.
 * @param[in] comparison borrowed
 * @return 1 or more; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_comparison_count(const alcore_comparison *comparison);

/** What one of the strategies picked: what alcore_select() gives with it.
 * @param[in] comparison borrowed
 * @param[in] index from 0, in the order given; one that was added is the last
 * @return a view, valid until comparison is released; alcore_selection_ref() keeps it longer; NULL
 *   past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_selection *alcore_comparison_selection(const alcore_comparison *comparison,
                                                         int64_t index);

/** All that was measured, with ten picks of each strategy that are spread over its ranks. Its
 * member "schema" is the name and the version of its form, "alcore-comparison-1", which
 * docs/schemas describes; a minor release may add members, and the number rises when one goes or
 * changes its meaning.
 * @param[in] comparison borrowed
 * @return a view: a JSON object, valid until the comparison is released; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_comparison_document(const alcore_comparison *comparison);

/** Writes the comparison. A file appears whole or not at all; standard output is written as it
 * comes.
 * @param[in] comparison borrowed
 * @param[in] path borrowed: .tsv and .csv write the table, a line for each strategy; .json the
 *   document; .html one page that loads nothing, with its pictures inside; "-" is the table on
 *   standard output
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_UNSUPPORTED (another suffix),
 *   ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY (a pool is being changed)
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_comparison_write(const alcore_comparison *comparison,
                                                 const char *path);

ALCORE_END

#endif
