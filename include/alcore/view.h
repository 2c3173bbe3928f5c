/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The view: what the function of a host scorer or host strategy sees of the pools, each by its
 * role, while it runs.
 *
 * A view shows rows and columns. The rows of a role are a list of row numbers of its pool,
 * ascending: those that take part, all masks applied. The n-th of them stands at position n, from
 * 0. Texts, ids and languages are read from the pool with these row numbers. The values of a column
 * are copied when they are asked for, for as many positions as the caller wants:
 *
 *     for (int64_t first = 0; first < count; first += 4096) {
 *         int64_t n = count - first < 4096 ? count - first : 4096;
 *         status = alcore_view_get_column(view, ALCORE_ROLE_CANDIDATES, "embeddings", first, n,
 *                                     &block, NULL);
 *         ...                            // block: float64 [n, dims]
 *     }
 *
 * So a pool of 10 million rows with 768 components, 61 GB as float64, passes through 25 MB. A view
 * and what it hands out belong to the thread that runs the callback. */
#ifndef ALCORE_VIEW_H
#define ALCORE_VIEW_H

#include "alcore/pool.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** Roles of the pools of a request, and what a view shows under each. A scorer sees one pool:
 * ALCORE_ROLE_CANDIDATES and ALCORE_ROLE_LABELED_ROWS of it. */
enum alcore_role {
    /** The pool that is selected from; its rows that may be selected */
    ALCORE_ROLE_CANDIDATES = 1701,
    ALCORE_ROLE_LABELED = 1702, /**< another pool, of texts whose labels are known */
    ALCORE_ROLE_TARGET = 1703,  /**< unlabeled texts of the languages or domain one cares about */
    /** In views only: the rows of the pool of candidates whose labels are known. Beside
     * ALCORE_ROLE_LABELED they are what is labeled already. */
    ALCORE_ROLE_LABELED_ROWS = 1704,
    /** In requests only: texts that are not to be selected, such as a test set, or phrases that
     * earlier rounds bought; rows that these bought are named by ALCORE_ROWS_EXCLUDED. Rows with
     * one of these texts are masked as excluded, and where a strategy buys phrases, phrases with
     * one of them. */
    ALCORE_ROLE_EXCLUDED = 1705
};

/** What a host's function sees. */
typedef struct alcore_view alcore_view;

/** Rows of a role.
 * @param[in] view borrowed
 * @param[in] role ALCORE_ROLE_*
 * @return 0 or more; 0 where the request has no such pool
 * @threadsafe During the callback that got the view.
 * @since 1.0 */
ALCORE_API int64_t alcore_view_row_count(const alcore_view *view, int32_t role);

/** Row numbers of a role in its pool, ascending.
 * @param[in] view borrowed
 * @param[in] role ALCORE_ROLE_*
 * @return a view: int64 [alcore_view_row_count(view, role)], host, valid during the callback; NULL
 * where there are none
 * @threadsafe During the callback that got the view.
 * @since 1.0 */
ALCORE_API const int64_t *alcore_view_rows(const alcore_view *view, int32_t role);

/** The pool that the rows of a role belong to.
 * @param[in] view borrowed
 * @param[in] role ALCORE_ROLE_*
 * @return a view, valid during the callback; the pool may be read, not changed. NULL where the
 * request has no pool in this role, or none with a row that takes part
 * @threadsafe During the callback that got the view.
 * @since 1.0 */
ALCORE_API alcore_pool *alcore_view_pool(const alcore_view *view, int32_t role);

/** Copies the values of a column at some positions of a role as float64. Integers are converted,
 * texts are read with alcore_pool_column_text(); stored log-probabilities keep their base. Every
 * candidate has a value; a row of another role may lack one, such as a labeled row in a column that
 * `labeled_needs` does not name, and reads as NaN, or as no tokens.
 * @param[in] view borrowed; the copy lies in its memory
 * @param[in] role ALCORE_ROLE_*
 * @param[in] name borrowed: one of the columns that the host named for the role: in `needs` for
 * ALCORE_ROLE_CANDIDATES and ALCORE_ROLE_LABELED_ROWS, which are rows of one pool, in
 * `labeled_needs`, `target_needs` for the others
 * @param[in] first position of the first row, from 0
 * @param[in] count rows, 0 or more
 * @param[out] out_values a view: float64 [count] or [count, n]; of a ragged column [tokens] or
 * [tokens, n]; host. Valid until the next call for the same role and column, and during the
 * callback. All 0 on failure
 * @param[out] out_offsets a view: int64 [count + 1] of a ragged column, from 0: the tokens of the
 * i-th row are offsets[i] to offsets[i + 1] - 1; else all 0. Valid as long as out_values. NULL is
 * allowed
 * @return ALCORE_OK, ALCORE_E_INVALID (no such role or positions), ALCORE_E_NOT_FOUND (a column
 * that the host did not name, or of a role without a pool: says which, of which role),
 * ALCORE_E_SHAPE (texts), ALCORE_E_IO, ALCORE_E_CANCELLED, ALCORE_E_NOMEM
 * @serialized per view
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_view_get_column(const alcore_view *view, int32_t role,
                                                const char *name, int64_t first, int64_t count,
                                                alcore_tensor *out_values,
                                                alcore_tensor *out_offsets);

/** Cost of each candidate in the budget's unit.
 * @param[in] view borrowed
 * @return a view: float64 [alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES)], host, valid during
 * the callback; 1 each for items and for a scorer
 * @threadsafe During the callback that got the view.
 * @since 1.0 */
ALCORE_API const double *alcore_view_costs(const alcore_view *view);

/** The budget; of several the largest.
 * @param[in] view borrowed
 * @return units of alcore_view_costs(); infinity for a scorer
 * @threadsafe During the callback that got the view.
 * @since 1.0 */
ALCORE_API double alcore_view_budget(const alcore_view *view);

/** The round.
 * @param[in] view borrowed
 * @return from 1; 1 for a scorer
 * @threadsafe During the callback that got the view.
 * @since 1.0 */
ALCORE_API int64_t alcore_view_round(const alcore_view *view);

/** Says how far the function that got the view is, and asks whether it shall go on. One that runs
 * for more than 100 ms calls it that often, and returns what it returns unless that is ALCORE_OK.
 * @param[in] view borrowed
 * @param[in] stage borrowed: what is being done, such as "scoring"; NULL: what the library said
 *   last, and done and total are not read
 * @param[in] done units done
 * @param[in] total units in all; -1 when unknown
 * @return ALCORE_OK, ALCORE_E_INVALID (view is NULL), ALCORE_E_CANCELLED (the call was cancelled,
 *   see alcore_ctx_cancel() and alcore_request_cancel(), or its progress function ended it)
 * @serialized per view
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_view_poll(const alcore_view *view, const char *stage, int64_t done,
                                          int64_t total);

/** A reproducible random number for a counter: the same for the same seed, round and counter,
 * whatever the order of calls.
 * @param[in] view borrowed
 * @param[in] counter any number
 * @return 64 random bits: derive(seed, 64, round, counter) of docs/spec/arithmetic.md, section 1.7,
 * seed being the request's, for a scorer the context's
 * @threadsafe During the callback that got the view.
 * @since 1.0 */
ALCORE_API uint64_t alcore_view_random(const alcore_view *view, uint64_t counter);

ALCORE_END

#endif
