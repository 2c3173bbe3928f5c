/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The strategy: the rule that chooses. Built-in strategies by name, with named parameters, and the
 * caller's own.
 *
 * The most uncertain rows of a score are selected by the strategies of the same name (see
 * alcore/scorer.h; those of sum-prob by uncertainty with mode=sum-prob); the others have rules of
 * their own.
 * alcore_strategy_builtin_name() lists them, alcore_strategy_builtin_param() their options;
 * docs/strategies.md is made from both, docs/papers.md names the papers. */
#ifndef ALCORE_STRATEGY_H
#define ALCORE_STRATEGY_H

#include "alcore/scorer.h"

ALCORE_BEGIN

/** A strategy with its parameters. */
typedef struct alcore_strategy alcore_strategy;

/** Names of the built-in strategies, one a call.
 * @param[in] index from 0
 * @return a view, valid for ever; NULL past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_strategy_builtin_name(int64_t index);

/** Name of the recommended strategy, which a request without a strategy and every call or command
 * that names none selects with. A minor release may recommend another one; the summary and the
 * provenance of a selection name it. A program whose picks must not change names its strategy:
 * each of the built-in ones, huds for example, always is what its paper says.
 * @return a view, valid for ever
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_strategy_recommended(void);

/** One line about a built-in strategy.
 * @param[in] name borrowed: a strategy's name; NULL or "recommended": the recommended one
 * @return a view, valid for ever; NULL: no such strategy
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_strategy_builtin_summary(const char *name);

/** Description of a parameter of a built-in strategy.
 * @param[in] name borrowed: a strategy's name; NULL or "recommended": the recommended one
 * @param[in] index from 0
 * @param[in,out] out size-first; filled with views, valid for ever
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (past the last), ALCORE_E_PARAM (no such
 *   strategy; names the nearest), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_builtin_param(const char *name, int64_t index,
                                                       alcore_param_info *out);

/** Names of the columns a built-in strategy needs in a role, one a call; "|" separates
 * alternatives: "scores|logprobs".
 * @param[in] name borrowed: a strategy's name; NULL or "recommended": the recommended one
 * @param[in] role ALCORE_ROLE_*
 * @param[in] index from 0
 * @return a view, valid for ever; NULL past the last, or no such strategy
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_strategy_builtin_needs(const char *name, int32_t role, int64_t index);

/** Makes a built-in strategy with its defaults.
 * @param[in] ctx kept
 * @param[in] name borrowed: a strategy's name; NULL or "recommended": the recommended one
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (names the nearest), ALCORE_E_NOMEM
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_new(alcore_ctx *ctx, const char *name,
                                             alcore_strategy **out);

/** What a host strategy answers: scores or an order. */
typedef struct alcore_choice alcore_choice;

/** A caller's strategy. */
typedef struct alcore_strategy_host {
    size_t size;                 /**< sizeof(alcore_strategy_host) */
    void *user;                  /**< passed to every function */
    void (*destroy)(void *user); /**< called once when the strategy goes; may be NULL */
    const char *name;            /**< copied; NULL: "host" */
    /** Copied: NULL-terminated list of the columns of the candidates that the function reads,
     * at most 7, "a|b" for the first of both that is there; NULL: none. A column that is not given
     * is made by the model, as for a built-in strategy. Rows of the candidates' pool that are
     * labeled have the same columns */
    const char *const *needs;
    /** Copied: the same of the labeled pool, where the request has one; NULL: none */
    const char *const *labeled_needs;
    /** Copied: the same of the target, without which a request is then refused; NULL: none. Rows
     * and texts of the target are in the view whether columns of it are named or not */
    const char *const *target_needs;
    /** Looks at the view and answers with alcore_choice_scores() or alcore_choice_order(). Budgets,
     * ties, masks and reports are the library's work. Returns ALCORE_OK or a failure, which ends
     * the outer call; a positive number, or ALCORE_OK without an answer, counts as
     * ALCORE_E_CALLBACK. Runs on the thread that entered the call. */
    alcore_status (*choose)(void *user, const alcore_view *view, alcore_choice *out);
} alcore_strategy_host;
/** An alcore_strategy_host with its size set and everything else 0. */
#define ALCORE_STRATEGY_HOST_INIT ALCORE_INIT(alcore_strategy_host)

/** Makes a strategy of the caller's function.
 * @param[in] ctx kept
 * @param[in] host kept: copied
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_STRUCT_*; after a failure destroy
 * is not called
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_new_host(alcore_ctx *ctx, const alcore_strategy_host *host,
                                                  alcore_strategy **out);

/** Answers with one score per candidate, larger = more worth labeling; ties go to the lower row,
 * or as the request's option "tie" says.
 * @param[in,out] choice borrowed, changed: a later answer replaces an earlier one
 * @param[in] scores kept, copied: float64 [count], host, in the order of alcore_view_rows()
 * @param[in] count alcore_view_row_count()
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_SHAPE (another count), ALCORE_E_DATA (a NaN or
 * infinity; names the row), ALCORE_E_NOMEM
 * @serialized per choice
 * @since 1.0 */
ALCORE_API alcore_status alcore_choice_scores(alcore_choice *choice, const double *scores,
                                              int64_t count);

/** Answers with rows in the order in which they are to be bought; rows left out are never selected.
 * @param[in,out] choice borrowed, changed: a later answer replaces an earlier one
 * @param[in] rows kept, copied: int64 [count] row numbers among the candidates, each once, host
 * @param[in] count entries of rows, 0 or more
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_DATA (a row that is no candidate or stands twice),
 *   ALCORE_E_NOMEM
 * @serialized per choice
 * @since 1.0 */
ALCORE_API alcore_status alcore_choice_order(alcore_choice *choice, const int64_t *rows,
                                             int64_t count);

/** Takes another reference.
 * @param[in] strategy the handle; NULL is allowed
 * @return owned: strategy itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_strategy *alcore_strategy_ref(alcore_strategy *strategy);

/** Drops a reference; the last one releases the strategy.
 * @param[in] strategy the caller's reference; NULL is allowed
 * @threadsafe
 * @callback destroy of a host's strategy
 * @since 1.0 */
ALCORE_API void alcore_strategy_unref(alcore_strategy *strategy);

/** Sets a parameter from text.
 * @param[in,out] strategy borrowed, changed
 * @param[in] name borrowed: a parameter's name
 * @param[in] value borrowed: its value as text; numbers have a decimal point in every locale
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (unknown: names the nearest; out of bounds:
 * names the bounds; a host's strategy has none), ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per strategy; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_set(alcore_strategy *strategy, const char *name,
                                             const char *value);

/** Sets a parameter to an integer, whatever the locale is.
 * @param[in,out] strategy borrowed, changed
 * @param[in] name borrowed: a parameter's name
 * @param[in] value the integer; a flag takes 0 and 1
 * @return as alcore_strategy_set()
 * @serialized per strategy; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_set_int(alcore_strategy *strategy, const char *name,
                                                 int64_t value);

/** Sets a parameter to a number, which is kept exactly, whatever the locale is.
 * @param[in,out] strategy borrowed, changed
 * @param[in] name borrowed: a parameter's name
 * @param[in] value the number, finite
 * @return as alcore_strategy_set()
 * @serialized per strategy; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_set_number(alcore_strategy *strategy, const char *name,
                                                    double value);

/** Sets a parameter of type ALCORE_PARAM_NUMBERS: one number for each round, the last of which
 * holds for all later rounds. The numbers are kept exactly.
 * @param[in,out] strategy borrowed, changed
 * @param[in] name borrowed: a parameter's name
 * @param[in] numbers borrowed: float64 [count], finite
 * @param[in] count numbers, 1 or more; a parameter of another type takes 1
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (unknown: names the nearest; out of bounds:
 * names the bounds), ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per strategy; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_set_numbers(alcore_strategy *strategy, const char *name,
                                                     const double *numbers, int64_t count);

/** The numbers of a parameter of type ALCORE_PARAM_NUMBERS, however they were set.
 * @param[in] strategy borrowed
 * @param[in] name borrowed: a parameter's name
 * @param[out] out a view: float64 [count], host, valid until the parameter is set or the strategy
 *   is released; [0] where a word stands in place of numbers; all 0 on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (unknown: names the nearest; of another
 *   type), ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while another call changes the strategy.
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_get_numbers(const alcore_strategy *strategy,
                                                     const char *name, alcore_tensor *out);

/** The present value of a parameter: what was set, or its default.
 * @param[in] strategy borrowed
 * @param[in] name borrowed: a parameter's name
 * @param[out] out_text a view: the value as text, valid until the strategy is changed or released;
 * NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (names the nearest), ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while another call changes the strategy.
 * @since 1.0 */
ALCORE_API alcore_status alcore_strategy_get(const alcore_strategy *strategy, const char *name,
                                             const char **out_text);

ALCORE_END

#endif
