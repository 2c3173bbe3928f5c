/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The request: pools by role, strategy, budget, model and round; and the call that answers it.
 */
#ifndef ALCORE_REQUEST_H
#define ALCORE_REQUEST_H

#include "alcore/selection.h"
#include "alcore/strategy.h"

ALCORE_BEGIN

/** A request. It may be changed and used again: the next round is alcore_request_set(request,
 * "round", "2"). */
typedef struct alcore_request alcore_request;

/** Makes an empty request: the recommended strategy, round 1, the context's seed.
 * @param[in] ctx kept
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_new(alcore_ctx *ctx, alcore_request **out);

/** Takes another reference.
 * @param[in] request the handle; NULL is allowed
 * @return owned: request itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_request *alcore_request_ref(alcore_request *request);

/** Drops a reference; the last one releases the request with its references.
 * @param[in] request the caller's reference; NULL is allowed
 * @threadsafe
 * @callback destroy of its progress function
 * @since 1.0 */
ALCORE_API void alcore_request_unref(alcore_request *request);

/** Sets the pool of a role: the candidates, the labeled pool, the target or excluded texts. Rows of
 * the candidates whose text is also in the labeled pool or among the excluded texts are never
 * selected. Where the strategy buys phrases, the same holds for their phrases; the rows then stay
 * in the texts whose phrases are counted. The strategy gold picks from the target where there is
 * one, and does not look at the candidates: rows of its selection are rows of the target.
 * @param[in,out] request borrowed, changed
 * @param[in] role ALCORE_ROLE_* but not ALCORE_ROLE_LABELED_ROWS
 * @param[in] pool kept; NULL: the role has no pool
 * @return ALCORE_OK, ALCORE_E_INVALID (no such role; a pool of another context), ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_pool(alcore_request *request, int32_t role,
                                                 alcore_pool *pool);

/** Sets the strategy.
 * @param[in,out] request borrowed, changed
 * @param[in] strategy kept; NULL: the recommended strategy, alcore_strategy_recommended(), with its
 *   defaults
 * @return ALCORE_OK, ALCORE_E_INVALID (a strategy of another context), ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_strategy(alcore_request *request,
                                                     alcore_strategy *strategy);

/** Sets the model that computes missing columns.
 * @param[in,out] request borrowed, changed
 * @param[in] model kept; NULL: none, see alcore_select()
 * @return ALCORE_OK, ALCORE_E_INVALID (a model of another context), ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_model(alcore_request *request, alcore_model *model);

/** Sets the model that computes one column where it is missing, such as "embeddings", before the
 * model of alcore_request_set_model() is asked: a request may have a model for each column.
 * @param[in,out] request borrowed, changed
 * @param[in] column borrowed: one of the input columns that alcore_pool_set_column() lists
 * @param[in] model kept; NULL: none of its own
 * @return ALCORE_OK, ALCORE_E_INVALID (a model of another context), ALCORE_E_NOT_FOUND (no such
 *   column: names the nearest), ALCORE_E_UNSUPPORTED (the model cannot make the column),
 *   ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @callback can of a host's model
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_column_model(alcore_request *request,
                                                         const char *column, alcore_model *model);

/** Which rows of the candidates a list of a request names. The lists are the request's: two
 * requests over one pool may differ, and the pool stays as it is. */
enum alcore_row_list {
    ALCORE_ROWS_ELIGIBLE = 1801, /**< only these may be selected */
    /** These are never selected. As what earlier rounds bought they count as labeled rows do, for
     * the option "masks" and for the strategy ngram-cover. No other strategy reads them */
    ALCORE_ROWS_EXCLUDED = 1802,
    /** Their labels are known: these are never selected, and strategies that read labeled rows read
     * them */
    ALCORE_ROWS_LABELED = 1803,
    /** Rows of another selection, whose languages the strategy same-ratio counts: it picks as many
     * rows of each. A row that is named twice counts twice. No other strategy takes them */
    ALCORE_ROWS_LIKE = 1804
};

/** Names rows of the candidates, in place of those named before. They are looked up when the
 * request is answered: a row that the pool lacks is then ALCORE_E_NOT_FOUND.
 * @param[in,out] request borrowed, changed
 * @param[in] kind ALCORE_ROWS_*
 * @param[in] rows kept, copied: int64 [count] row numbers in any order; NULL removes the list,
 * which is not the same as an empty list
 * @param[in] count entries of rows, 0 or more
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_rows(alcore_request *request, int32_t kind,
                                                 const int64_t *rows, int64_t count);

/** Adds the rows of the candidates whose ids a file lists: the file of a selection or of candidates
 * (.tsv, .csv, .jsonl, .ndjson), or a text file with one id a line. An id that the pool lacks is
 * skipped; for ALCORE_ROWS_ELIGIBLE and ALCORE_ROWS_LIKE it is an error. With ALCORE_ROWS_EXCLUDED
 * the id of a phrase, "ID:WORD+LENGTH", excludes the text of these words of the row ID, as a text
 * of ALCORE_ROLE_EXCLUDED is; removing the list removes these texts. With ALCORE_ROWS_LIKE a phrase
 * stands for the row ID.
 * @param[in,out] request borrowed, changed; it has its pool of candidates
 * @param[in] kind ALCORE_ROWS_*
 * @param[in] path borrowed; "-" is standard input; .gz, .xz and .zst are decompressed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_IO, ALCORE_E_DATA, ALCORE_E_NOT_FOUND (names file,
 * line and id), ALCORE_E_UNSUPPORTED (a compression that this build lacks), ALCORE_E_NOMEM,
 * ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @callback progress, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_read_rows(alcore_request *request, int32_t kind,
                                                  const char *path);

/** The rows that a list names, in the order given.
 * @param[in] request borrowed
 * @param[in] kind ALCORE_ROWS_*
 * @param[out] out a view: int64 [count], host, valid until the list changes; all 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (no such list was given), ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while another call changes the request.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_get_rows(const alcore_request *request, int32_t kind,
                                                 alcore_tensor *out);

/** Sets an option from text: "budget" ("1000", "1000w", "20000 characters", "150u", or several
 * separated by commas: "2500w,5000w"), "price" ("0.12EUR/w"), "fill", "seed", "round",
 * "max_similarity", "tie", "nan", "device", ...; alcore_request_builtin_param() lists them.
 * @param[in,out] request borrowed, changed
 * @param[in] name borrowed: an option's name
 * @param[in] value borrowed: its value as text; numbers have a decimal point in every locale
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (unknown: names the nearest; out of bounds:
 * names the bounds), ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set(alcore_request *request, const char *name,
                                            const char *value);

/** Sets an option to an integer, whatever the locale is.
 * @param[in,out] request borrowed, changed
 * @param[in] name borrowed: an option's name
 * @param[in] value the integer; a flag takes 0 and 1
 * @return as alcore_request_set()
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_int(alcore_request *request, const char *name,
                                                int64_t value);

/** Sets an option to a number, which is kept exactly, whatever the locale is.
 * @param[in,out] request borrowed, changed
 * @param[in] name borrowed: an option's name
 * @param[in] value the number, finite
 * @return as alcore_request_set()
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_number(alcore_request *request, const char *name,
                                                   double value);

/** Sets the budgets from numbers, as the option "budget" does from text: its text is then what
 * these numbers are written as. All are spent from one ranking, and so in one unit.
 * @param[in,out] request borrowed, changed
 * @param[in] amounts borrowed: float64 [count], each 0 or more and finite, none of them twice; of
 *   items whole numbers
 * @param[in] count budgets, 1 to 64
 * @param[in] unit ALCORE_UNIT_*; 0: items
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (an amount that is none, more than 64),
 *   ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_budgets(alcore_request *request, const double *amounts,
                                                    int64_t count, int32_t unit);

/** The budgets, however they were set.
 * @param[in] request borrowed
 * @param[out] out_amounts a view: float64 [count] in the order given, host, valid until the request
 *   is changed or released; all 0 on failure
 * @param[out] out_unit ALCORE_UNIT_*; 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (no budget was set), ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while another call changes the request.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_get_budgets(const alcore_request *request,
                                                    alcore_tensor *out_amounts, int32_t *out_unit);

/** Sets the price from numbers, as the option "price" does from text: its text is then what these
 * numbers are written as.
 * @param[in,out] request borrowed, changed
 * @param[in] price kept, copied; NULL: there is no price
 * @return ALCORE_OK, ALCORE_E_INVALID (no such unit), ALCORE_E_PARAM (an amount or a currency that
 *   is none), ALCORE_E_STRUCT_*, ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_price(alcore_request *request,
                                                  const alcore_price *price);

/** The price, however it was set.
 * @param[in] request borrowed
 * @param[in,out] out size-first; filled; currency is a view, valid until the request is changed or
 *   released
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (there is none), ALCORE_E_STRUCT_*,
 *   ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while another call changes the request.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_get_price(const alcore_request *request, alcore_price *out);

/** The present value of an option: what was set, or its default.
 * @param[in] request borrowed
 * @param[in] name borrowed: an option's name
 * @param[out] out_text a view: the value as text, valid until the request is changed or released;
 * NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (names the nearest), ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while another call changes the request.
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_get(const alcore_request *request, const char *name,
                                            const char **out_text);

/** Description of one option of requests.
 * @param[in] index from 0
 * @param[in,out] out size-first; filled with views, valid for ever
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (past the last), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_builtin_param(int64_t index, alcore_param_info *out);

/** Cancels the calls that answer the request (alcore_select(), alcore_request_ablate(),
 * alcore_request_compare(), alcore_request_candidates(), alcore_request_read_rows()) and no others:
 * the one that runs and every later one ends with ALCORE_E_CANCELLED within 100 ms, until
 * alcore_request_cancel_clear(). A cancel that comes between two calls is therefore not lost, and
 * one that comes while a call runs ends it even where it is cleared meanwhile. Another request over
 * the same pools, and calls without a request, go on; alcore_ctx_cancel() ends them too.
 * @param[in] request borrowed, from any thread: it has to stay as long as somebody may cancel it;
 *   NULL is allowed
 * @threadsafe Async-signal-safe.
 * @since 1.0 */
ALCORE_API void alcore_request_cancel(alcore_request *request);

/** Lets the request be answered again: forgets the cancels that were made before. A call that they
 * have reached ends all the same.
 * @param[in] request borrowed; NULL is allowed
 * @threadsafe Async-signal-safe.
 * @since 1.0 */
ALCORE_API void alcore_request_cancel_clear(alcore_request *request);

/** Sets the function that gets the progress of the calls that answer the request, in place of the
 * one of its context.
 * @param[in,out] request borrowed, changed
 * @param[in] progress NULL: that of the context
 * @param[in] user kept, passed to progress
 * @param[in] destroy called once with user when another function is set or the request is released,
 *   not in a forked child; NULL is allowed
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it.
 * @callback destroy of the function that was set before
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_set_progress(alcore_request *request,
                                                     alcore_progress_function progress, void *user,
                                                     alcore_destroy_function destroy);

/** Answers the request. For a strategy that buys phrases, a pool of texts is replaced by the pool
 * of their phrases: rows that may be selected are counted, labeled rows and the labeled pool are
 * what is known, and rows that the request names are rows of the texts. Columns that the strategy
 * needs come from the pool, else from the model of the column, else from the model. Only a request
 * that names nothing, no model and no column of a pool that the built-in n-gram model did not make,
 * is answered with that model (ALCORE_SELECTION_BUILT_IN); in any other a missing column is an
 * error. The selection records who produced what, and which given columns were not read. The pools
 * are read, and computed columns are kept in them for the next call. A model computes the rows that
 * the request reads, and no others: the candidates, and rows
 * of the pool that are labeled; rows that an earlier request had computed in the same state of the
 * model stay. Without a row that may be selected the answer is an empty selection with
 * ALCORE_SELECTION_SHORT, and no column is asked for; a budget of 0 gives an empty one without that
 * flag. Where every needed column is given, the pools are only read: any number of requests may
 * select from one pool at the same time. Of several budgets each has its selection, all made from
 * one pass over the columns; alcore_selection_of_budget() walks them.
 * @param[in,out] request borrowed; it remembers its candidates where the strategy has sticky=1
 * @param[out] out owned; NULL on failure; the selection of the first budget
 * @return ALCORE_OK (also with fewer items than asked for: see ALCORE_SELECTION_SHORT),
 * ALCORE_E_INVALID (no pool; one pool as the candidates and the labeled pool or excluded texts; a
 * target that the strategy does not read, where a host's reads every one; rows of ALCORE_ROWS_LIKE
 * that it does not take; what the option "given" lists and nothing reads), ALCORE_E_PARAM (no
 * budget), ALCORE_E_MISSING (a column, or its value for a candidate), ALCORE_E_NOT_FOUND (a named
 * row), ALCORE_E_DATA (names the row), ALCORE_E_SHAPE, ALCORE_E_UNSUPPORTED, ALCORE_E_MODULE (a
 * device that was named), ALCORE_E_IO, ALCORE_E_CALLBACK or what a host's function returned,
 * ALCORE_E_CANCELLED, ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per request; per pool and model where a column has to be computed. ALCORE_E_BUSY
 * while another call uses them.
 * @callback model, scorer and strategy functions, progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_select(alcore_request *request, alcore_selection **out);

/** The rows that a strategy with candidates=count would read, for hosts that score rows themselves:
 * count rows drawn from the unmasked ones with the seed and round of the request (HUDS scores
 * 20,000 candidates a round). A strategy that reads scores is named, so the option masks=auto masks
 * no text here, whichever strategy the request has; other values mask what they name.
 * @param[in,out] request borrowed, with a pool of candidates; it keeps the list that is handed out
 * @param[in] count candidates to draw, 0 or more
 * @param[out] out_rows a view: int64 [n] row numbers, ascending, host; n is count, or the number of
 * rows that may be selected where there are fewer. Valid until the next call of this function for
 * the request, or until the request is released; all 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID (no pool), ALCORE_E_NOT_FOUND (a named row), ALCORE_E_NOMEM,
 * ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per request; ALCORE_E_BUSY while another call uses it, or changes its pools.
 * @callback progress
 * @since 1.0 */
ALCORE_API alcore_status alcore_request_candidates(alcore_request *request, int64_t count,
                                                   alcore_tensor *out_rows);

ALCORE_END

#endif
