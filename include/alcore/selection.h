/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The selection: ranked rows with score, cost, the strategy's record, the reason of each pick, and
 * where everything came from. */
#ifndef ALCORE_SELECTION_H
#define ALCORE_SELECTION_H

#include "alcore/arrow.h"
#include "alcore/budget.h"
#include "alcore/pool.h"
#include "alcore/remedy.h"
#include "alcore/tensor.h"

ALCORE_BEGIN

/** A selection. Never changes once made; safe to read from many threads. */
typedef struct alcore_selection alcore_selection;

/** Flags of a selection. */
enum alcore_selection_flag {
    /** The rows that the strategy offered ended before the budget was spent: all that could be
     * selected, or fewer where the strategy leaves some out (a plan's counts are used up). An empty
     * pool gives an empty selection with this flag. */
    ALCORE_SELECTION_SHORT = 4,
    /** A column that was read is of the built-in n-gram model, as the request named neither a
     * column nor a model */
    ALCORE_SELECTION_BUILT_IN = 8
};

/** Takes another reference.
 * @param[in] selection the handle; NULL is allowed
 * @return owned: selection itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_selection *alcore_selection_ref(alcore_selection *selection);

/** Drops a reference; the last one releases the selection.
 * @param[in] selection the caller's reference; NULL is allowed
 * @threadsafe
 * @since 1.0 */
ALCORE_API void alcore_selection_unref(alcore_selection *selection);

/** The number of picks.
 * @param[in] selection borrowed
 * @return 0 or more; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_selection_count(const alcore_selection *selection);

/** Rows of the picks, best first.
 * @param[in] selection borrowed
 * @return a view: int64 [count], host, valid until the selection is released
 * @threadsafe
 * @since 1.0 */
ALCORE_API const int64_t *alcore_selection_rows(const alcore_selection *selection);

/** Scores of the picks, in rank order.
 * @param[in] selection borrowed
 * @return a view: float64 [count], host, valid until the selection is released
 * @threadsafe
 * @since 1.0 */
ALCORE_API const double *alcore_selection_scores(const alcore_selection *selection);

/** Costs of the picks in the budget's unit, in rank order.
 * @param[in] selection borrowed
 * @return a view: float64 [count], host, valid until the selection is released
 * @threadsafe
 * @since 1.0 */
ALCORE_API const double *alcore_selection_costs(const alcore_selection *selection);

/** Sum of the costs.
 * @param[in] selection borrowed
 * @return units of the budget; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API double alcore_selection_spent(const alcore_selection *selection);

/** The budget that the selection was made under.
 * @param[in] selection borrowed
 * @return the budget of this selection in its unit; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API double alcore_selection_budget(const alcore_selection *selection);

/** The unit of the budget, of what was spent and of the costs of the picks.
 * @param[in] selection borrowed
 * @return ALCORE_UNIT_*; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API int32_t alcore_selection_unit(const alcore_selection *selection);

/** The price of the request: of one unit, and of which.
 * @param[in] selection borrowed
 * @param[in,out] out size-first; filled; currency is a view, valid until the selection is released
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (the request had none), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_selection_get_price(const alcore_selection *selection,
                                                    alcore_price *out);

/** What the picks cost in money, by the price of the request, alcore_selection_get_price().
 * @param[in] selection borrowed
 * @return an amount; NaN without a price, or where the price is for units of cost and the rows have
 * none
 * @threadsafe
 * @since 1.0 */
ALCORE_API double alcore_selection_amount(const alcore_selection *selection);

/** How many budgets the request had.
 * @param[in] selection borrowed: what alcore_select() handed out
 * @return 1 or more; 0 for NULL; 1 for a selection that alcore_selection_of_budget() showed
 * @threadsafe
 * @since 1.0 */
ALCORE_API int64_t alcore_selection_budget_count(const alcore_selection *selection);

/** The selection of one of the request's budgets, in the order given.
 * @param[in] selection borrowed: what alcore_select() handed out
 * @param[in] index from 0, which is selection itself
 * @return a view, valid until selection is released; alcore_selection_ref() keeps it longer; NULL
 * past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_selection *alcore_selection_of_budget(const alcore_selection *selection,
                                                        int64_t index);

/** Settings that may improve the selection, one remedy a call, for a front end to show in the form
 * in which its users write them: an option that stays within the budget, a parameter that gives
 * both terms the same scale.
 * @param[in] selection borrowed
 * @param[in] index from 0
 * @param[in,out] out size-first; filled with views, valid for ever
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (past the last), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_selection_remedy(const alcore_selection *selection, int64_t index,
                                                 alcore_remedy *out);

/** Flags of the whole selection.
 * @param[in] selection borrowed
 * @return ALCORE_SELECTION_* bits; 0 for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API uint32_t alcore_selection_flags(const alcore_selection *selection);

/** The pool the picks come from. Of a strategy that buys phrases, where the request had a pool of
 * texts, it is the pool of their phrases that the request derived (alcore_pool_source() is that of
 * the texts); the record then has the int64 columns "occ", "first_row", "first_position" and
 * "length" of the phrases. Of the strategy "hybrid" it has the picks only, in rank order; the
 * record has the int64 columns "kind", 0 for a row of the texts and 1 for a phrase, and
 * "first_row".
 * @param[in] selection borrowed
 * @return a view, valid until the selection is released; alcore_pool_ref() keeps it longer
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_pool *alcore_selection_pool(const alcore_selection *selection);

/** Why a pick was made: one line of comparisons in words.
 * @param[in] selection borrowed
 * @param[in] rank from 0
 * @return a view, UTF-8, valid until the selection is released; NULL: no such pick
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_selection_reason(const alcore_selection *selection, int64_t rank);

/** What a column of the record covers. */
enum alcore_scope {
    ALCORE_SCOPE_PICKS = 1901, /**< [count], in rank order */
    /** One entry per candidate, in row order; "row" holds the rows, "rank" -1 for those not
     * picked. Of several budgets all selections show the record of the largest, but "rank", which
     * is of their own picks. */
    ALCORE_SCOPE_CANDIDATES = 1902
};

/** Names of the record's columns, one a call: "u", "d", "stratum", "cluster", "H", ..., as the
 * strategy keeps them; for candidates "row", "rank" and "score" come first.
 * @param[in] selection borrowed
 * @param[in] scope ALCORE_SCOPE_*
 * @param[in] index from 0
 * @return a view, valid until the selection is released; NULL past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_selection_column_name(const alcore_selection *selection,
                                                    int32_t scope, int64_t index);

/** A column of the record: float64 or int64 [count] of its scope, host.
 * @param[in] selection borrowed
 * @param[in] scope ALCORE_SCOPE_*
 * @param[in] name borrowed: a column's name
 * @param[out] out a view, read only, valid until the selection is released; all 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_selection_get_column(const alcore_selection *selection,
                                                     int32_t scope, const char *name,
                                                     alcore_tensor *out);

/** Where everything came from: version, strategy, every effective parameter, seed, round, rows and
 * shapes of the inputs, masked rows by cause, models, engines. Its member "schema" is the name and
 * the version of its form, "alcore-provenance-1", which docs/schemas describes; a minor release may
 * add members, and the number rises when one goes or changes its meaning.
 * @param[in] selection borrowed
 * @return a view: a JSON object, valid until the selection is released
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_selection_provenance(const alcore_selection *selection);

/** The summary for people: rows by cause, budget, shares, what each term decided.
 * @param[in] selection borrowed
 * @return a view: several lines of UTF-8, valid until the selection is released
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_selection_summary(const alcore_selection *selection);

/** Hands out the picks in their order as an Arrow stream of structs, with the columns that
 * alcore_selection_write() gives a TSV file, and lang and group:
 *
 *     rank               int64         from 1
 *     index              int64         row of the pool; of a phrase that of its first occurrence
 *     id                 large string
 *     score, cost        float64
 *     ...                float64, int64, or large string: the columns of the strategy's record;
 *                        null where a pick has no value
 *     reason, text       large string
 *     lang, group        large string  null where the pick has none
 *
 * The stream keeps the selection alive; what alcore_pool_get_arrow() says of reading it holds.
 * @param[in] selection kept: read later, as the stream is
 * @param[in] options borrowed; NULL: defaults
 * @param[out] out owned: filled in; the caller, or whoever it is passed on to, releases it by its
 *   release function, on any thread. Its release is NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (a column, names the nearest),
 *   ALCORE_E_NOMEM, ALCORE_E_BUSY (the pool is being changed), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_selection_get_arrow(const alcore_selection *selection,
                                                    const alcore_table_options *options,
                                                    struct ArrowArrayStream *out);

/** Writes the picks. A file appears whole or not at all; standard output is written as it comes.
 * @param[in] selection borrowed
 * @param[in] path borrowed; "-" is standard output; no compressed suffix
 * @param[in] options borrowed; NULL: the format by the suffix, "-" as TSV. format:
 *   ALCORE_FORMAT_TSV, _CSV, _JSONL or _TEXT
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_UNSUPPORTED (the suffix or format),
 *   ALCORE_E_STRUCT_*, ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY (the pool is
 *   being changed)
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_selection_write(const alcore_selection *selection, const char *path,
                                                const alcore_write_options *options);

/** Kinds of reports. */
enum alcore_report_kind {
    ALCORE_REPORT_MARKDOWN = 2001, /**< Markdown with tables */
    ALCORE_REPORT_JSON = 2002,     /**< one JSON object */
    ALCORE_REPORT_HTML = 2003      /**< one page that loads nothing, with its pictures inside */
};

/** How a report is written. Zero means default. */
typedef struct alcore_report_options {
    size_t size;      /**< sizeof(alcore_report_options) */
    int32_t kind;     /**< ALCORE_REPORT_*; 0: by the suffix .md .json .html */
    int32_t reserved; /**< pads: 0, checked */
} alcore_report_options;
/** An alcore_report_options with its size set and everything else 0. */
#define ALCORE_REPORT_OPTIONS_INIT ALCORE_INIT(alcore_report_options)

/** Writes the report of a selection: shares by language and group, what each term decided, the
 * price, parameters and provenance; as HTML also drawings of the picks among the candidates. A file
 * appears whole or not at all.
 * @param[in] selection borrowed
 * @param[in] path borrowed; "-" is standard output, for which a kind is given; no compressed suffix
 * @param[in] options borrowed; NULL: the kind by the suffix
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_UNSUPPORTED (the suffix),
 *   ALCORE_E_STRUCT_*, ALCORE_E_NOMEM, ALCORE_E_CANCELLED (by progress), ALCORE_E_BUSY (the pool is
 *   being changed)
 * @threadsafe
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_selection_report(const alcore_selection *selection,
                                                 const char *path,
                                                 const alcore_report_options *options);

ALCORE_END

#endif
