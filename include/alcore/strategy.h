/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The strategy: the rule that chooses. Built-in strategies by name (spec 2), with named parameters, and the caller's own. */
#ifndef ALCORE_STRATEGY_H
#define ALCORE_STRATEGY_H

#include "alcore/scorer.h"

ALCORE_BEGIN

/** A strategy with its parameters. */
typedef struct alcore_strategy alcore_strategy;

/** Roles of pools in a request. */
enum {
    ALCORE_ROLE_CANDIDATES = 1, /**< the pool that is selected from */
    ALCORE_ROLE_LABELED = 2,    /**< texts whose labels are known */
    ALCORE_ROLE_TARGET = 3      /**< unlabelled texts of the languages or domain one cares about */
};

/** Names of the built-in strategies, one a call. @threadsafe @since 0.1 @return a static string; NULL past the last */
ALCORE_API const char *alcore_strategy_name(int32_t index);

/** One line about a built-in strategy. @threadsafe @since 0.1 @return a static string; NULL: no such strategy */
ALCORE_API const char *alcore_strategy_summary(const char *name);

/** Facts of a built-in strategy's parameter. @param[in,out] out size-first @threadsafe @since 0.1
 * @return ALCORE_OK, ALCORE_E_NOT_FOUND (past the last), ALCORE_E_PARAM (no such strategy; names the nearest) */
ALCORE_API alcore_status alcore_strategy_param(const char *name, int32_t index, alcore_param_info *out);

/** Names of the columns a built-in strategy needs in a role, one a call; "|" separates alternatives: "scores|logprobs".
 * @param[in] role ALCORE_ROLE_* @threadsafe @since 0.1 @return a static string; NULL past the last */
ALCORE_API const char *alcore_strategy_needs(const char *name, int32_t role, int32_t index);

/** Makes a built-in strategy. @param[in] ctx kept @param[out] out owned @threadsafe @since 0.1
 * @return ALCORE_OK, ALCORE_E_PARAM (names the nearest), ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_strategy_new(alcore_ctx *ctx, const char *name, alcore_strategy **out);

/** What a host strategy answers: scores or an order. */
typedef struct alcore_choice alcore_choice;

/** A caller's strategy. */
typedef struct alcore_strategy_host {
    size_t size;                 /**< sizeof(alcore_strategy_host) */
    void *user;                  /**< passed to every function */
    void (*destroy)(void *user); /**< called once when the strategy goes; may be NULL */
    const char *name;            /**< copied; NULL: "host" */
    const char *const *needs;    /**< NULL-terminated list of column names the view must have; copied; NULL: none */
    /** Looks at the candidates and answers with alcore_choice_scores() or alcore_choice_order(). Budgets, ties, masks and reports
     * are the library's work. */
    alcore_status (*choose)(void *user, const alcore_view *view, alcore_choice *out);
} alcore_strategy_host;
#define ALCORE_STRATEGY_HOST_INIT ALCORE_INIT(alcore_strategy_host)

/** What ALCORE_STRATEGY_HOST_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_strategy_host_init(alcore_strategy_host *host, size_t size);

/** Makes a strategy of the caller's function. @param[in] ctx kept @param[in] host borrowed, copied @param[out] out owned
 * @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_strategy_new_host(alcore_ctx *ctx, const alcore_strategy_host *host,
                                                  alcore_strategy **out);

/** Answers with one score per candidate, larger = more worth labelling; ties go to the lower row.
 * @param[in] scores float64 [count] copied @param[in] count alcore_view_count() @since 0.1
 * @return ALCORE_OK, ALCORE_E_SHAPE, ALCORE_E_DATA (a NaN; names the row) */
ALCORE_API alcore_status alcore_choice_scores(alcore_choice *choice, const double *scores, int64_t count);

/** Answers with rows in the order in which they are to be bought; rows left out are never selected.
 * @param[in] rows int64 [count] row numbers among the candidates, each once, copied @since 0.1
 * @return ALCORE_OK, ALCORE_E_DATA (a row that is no candidate or stands twice) */
ALCORE_API alcore_status alcore_choice_order(alcore_choice *choice, const int64_t *rows, int64_t count);

/** Takes another reference. @threadsafe @since 0.1 */
ALCORE_API alcore_strategy *alcore_strategy_ref(alcore_strategy *strategy);

/** Drops a reference. NULL is allowed. @threadsafe @since 0.1 */
ALCORE_API void alcore_strategy_unref(alcore_strategy *strategy);

/** Sets a parameter from text. @serialized per strategy @since 0.1
 * @return ALCORE_OK, ALCORE_E_PARAM (unknown: names the nearest; out of bounds: names the bounds) */
ALCORE_API alcore_status alcore_strategy_set(alcore_strategy *strategy, const char *name, const char *value);

ALCORE_END

#endif
