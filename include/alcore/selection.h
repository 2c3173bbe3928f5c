/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The selection: ranked rows with score, cost, the strategy's record, the reason of each pick, and where everything came from. */
#ifndef ALCORE_SELECTION_H
#define ALCORE_SELECTION_H

#include "alcore/pool.h"

ALCORE_BEGIN

/** A selection. Never changes once made; safe to read from many threads. */
typedef struct alcore_selection alcore_selection;

/** Flags of a selection. */
enum {
    ALCORE_SELECTION_SHORT = 1 /**< the pool ended before the budget did */
};

/** Takes another reference. @threadsafe @since 0.1 */
ALCORE_API alcore_selection *alcore_selection_ref(alcore_selection *selection);

/** Drops a reference. NULL is allowed. @threadsafe @since 0.1 */
ALCORE_API void alcore_selection_unref(alcore_selection *selection);

/** Picks. @threadsafe @since 0.1 */
ALCORE_API int64_t alcore_selection_count(const alcore_selection *selection);

/** Rows of the picks, best first: int64 [count]. @threadsafe @since 0.1 @return a view, valid until the selection is released */
ALCORE_API const int64_t *alcore_selection_rows(const alcore_selection *selection);

/** Scores of the picks: float64 [count]. @threadsafe @since 0.1 @return a view */
ALCORE_API const double *alcore_selection_scores(const alcore_selection *selection);

/** Costs of the picks in the budget's unit: float64 [count]. @threadsafe @since 0.1 @return a view */
ALCORE_API const double *alcore_selection_costs(const alcore_selection *selection);

/** Sum of the costs. @threadsafe @since 0.1 */
ALCORE_API double alcore_selection_spent(const alcore_selection *selection);

/** ALCORE_SELECTION_* bits. @threadsafe @since 0.1 */
ALCORE_API uint32_t alcore_selection_flags(const alcore_selection *selection);

/** The pool the picks come from. @threadsafe @since 0.1 @return borrowed */
ALCORE_API alcore_pool *alcore_selection_pool(const alcore_selection *selection);

/** Why a pick was made, one line of comparisons in words.
 * @param[in] rank from 0 @threadsafe @since 0.1 @return a view; NULL when there is no such pick */
ALCORE_API const char *alcore_selection_reason(const alcore_selection *selection, int64_t rank);

/** What a column of the record covers. */
enum {
    ALCORE_SCOPE_PICKS = 1,     /**< [count], in rank order */
    ALCORE_SCOPE_CANDIDATES = 2 /**< one entry per candidate, in row order; "row" holds the rows, "rank" -1 for those not picked */
};

/** Names of the strategy's record columns, one a call: "u", "d", "stratum", "cluster", "H", ... @threadsafe @since 0.1
 * @return a view; NULL past the last */
ALCORE_API const char *alcore_selection_column_name(const alcore_selection *selection, int32_t scope, int32_t index);

/** A column of the record: float64 or int64, host.
 * @param[out] out a view, valid until the selection is released @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_NOT_FOUND */
ALCORE_API alcore_status alcore_selection_column(const alcore_selection *selection, int32_t scope, const char *name,
                                                 alcore_tensor *out);

/** Where everything came from: version, strategy, every effective parameter, seed, round, rows and shapes of the inputs, masked rows by
 * cause, models, engines, as a JSON object. @threadsafe @since 0.1 @return a view */
ALCORE_API const char *alcore_selection_provenance(const alcore_selection *selection);

/** The summary for people: rows by cause, budget, shares, what each term decided; several lines. @threadsafe @since 0.1 @return a view */
ALCORE_API const char *alcore_selection_summary(const alcore_selection *selection);

/** Writes the picks to a file, which appears whole or not at all.
 * @param[in] path borrowed @param[in] format ALCORE_FORMAT_*; AUTO goes by the suffix
 * @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_IO, ALCORE_E_UNSUPPORTED */
ALCORE_API alcore_status alcore_selection_write(const alcore_selection *selection, const char *path, int32_t format);

/** Kinds of alcore_selection_report(). */
enum { ALCORE_REPORT_MARKDOWN = 1, ALCORE_REPORT_JSON = 2, ALCORE_REPORT_HTML = 3 };

/** Writes the report of a selection (spec 7.13): shares by language and group, what each term decided, parameters and provenance.
 * @param[in] format ALCORE_REPORT_*; 0 goes by the suffix .md .json .html @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_selection_report(const alcore_selection *selection, const char *path, int32_t format);

ALCORE_END

#endif
