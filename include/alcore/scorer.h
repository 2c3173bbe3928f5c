/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The scorer: one number per row, larger = more worth labelling. Built-in scores (spec 3.1, 4.2, 4.9, 7.4) and the caller's own. */
#ifndef ALCORE_SCORER_H
#define ALCORE_SCORER_H

#include "alcore/model.h"
#include "alcore/param.h"

ALCORE_BEGIN

/** A scorer with its parameters. */
typedef struct alcore_scorer alcore_scorer;

/** Names of the built-in scorers, one a call. @threadsafe @since 0.1 @return a static string; NULL past the last */
ALCORE_API const char *alcore_scorer_name(int32_t index);

/** One line about a built-in scorer. @threadsafe @since 0.1 @return a static string; NULL: no such scorer */
ALCORE_API const char *alcore_scorer_summary(const char *name);

/** Facts of a built-in scorer's parameter. @param[in,out] out size-first @threadsafe @since 0.1
 * @return ALCORE_OK, ALCORE_E_NOT_FOUND (past the last), ALCORE_E_PARAM (no such scorer; names the nearest) */
ALCORE_API alcore_status alcore_scorer_param(const char *name, int32_t index, alcore_param_info *out);

/** Names of the columns a built-in scorer needs, one a call; "|" separates alternatives. @threadsafe @since 0.1
 * @return a static string; NULL past the last */
ALCORE_API const char *alcore_scorer_needs(const char *name, int32_t index);

/** Makes a built-in scorer. @param[in] ctx kept @param[out] out owned @threadsafe @since 0.1
 * @return ALCORE_OK, ALCORE_E_PARAM (names the nearest), ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_scorer_new(alcore_ctx *ctx, const char *name, alcore_scorer **out);

/** A run of rows for a host scorer. */
typedef struct alcore_view alcore_view;

/** A caller's scorer. */
typedef struct alcore_scorer_host {
    size_t size;                 /**< sizeof(alcore_scorer_host) */
    void *user;                  /**< passed to every function */
    void (*destroy)(void *user); /**< called once when the scorer goes; may be NULL */
    const char *name;            /**< copied; NULL: "host" */
    const char *const *needs;    /**< NULL-terminated list of column names the view must have; copied; NULL: none */
    /** Fills scores [alcore_view_count(view)], larger = more worth labelling. */
    alcore_status (*score)(void *user, const alcore_view *view, double *scores);
} alcore_scorer_host;
#define ALCORE_SCORER_HOST_INIT ALCORE_INIT(alcore_scorer_host)

/** What ALCORE_SCORER_HOST_INIT does, for languages without macros. @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_scorer_host_init(alcore_scorer_host *host, size_t size);

/** Makes a scorer of the caller's function. @param[in] ctx kept @param[in] host borrowed, copied @param[out] out owned
 * @threadsafe @since 0.1 */
ALCORE_API alcore_status alcore_scorer_new_host(alcore_ctx *ctx, const alcore_scorer_host *host, alcore_scorer **out);

/** Takes another reference. @threadsafe @since 0.1 */
ALCORE_API alcore_scorer *alcore_scorer_ref(alcore_scorer *scorer);

/** Drops a reference. NULL is allowed. @threadsafe @since 0.1 */
ALCORE_API void alcore_scorer_unref(alcore_scorer *scorer);

/** Sets a parameter from text. @serialized per scorer @since 0.1
 * @return ALCORE_OK, ALCORE_E_PARAM (unknown: names the nearest; out of bounds: names the bounds) */
ALCORE_API alcore_status alcore_scorer_set(alcore_scorer *scorer, const char *name, const char *value);

/** Scores the unmasked rows of a pool and gives it the column "scores". Missing columns come from the model.
 * @param[in] model borrowed; NULL: columns of the pool only
 * @serialized per pool @callback the model's and scorer's functions, progress @since 0.1
 * @return ALCORE_OK, ALCORE_E_MISSING (names the column), ALCORE_E_DATA (names the row) */
ALCORE_API alcore_status alcore_scorer_run(alcore_scorer *scorer, alcore_pool *pool, alcore_model *model);

/* ---- the view: what a host scorer or host strategy sees ---- */

/** Candidates in the view. @since 0.1 */
ALCORE_API int64_t alcore_view_count(const alcore_view *view);

/** Row numbers of the candidates, ascending: int64 [count]. @since 0.1 @return a view */
ALCORE_API const int64_t *alcore_view_rows(const alcore_view *view);

/** The pool the rows belong to. @since 0.1 @return borrowed */
ALCORE_API alcore_pool *alcore_view_pool(const alcore_view *view);

/** A column of the candidates, gathered: float64 [count] or [count, n]; ragged: [tokens] or [tokens, n] with offsets.
 * @param[in] name one of the columns the host named in needs
 * @param[out] out_values a view, valid during the callback
 * @param[out] out_offsets int64 [count + 1] of a ragged column, else data NULL; may be NULL
 * @since 0.1 @return ALCORE_OK, ALCORE_E_NOT_FOUND */
ALCORE_API alcore_status alcore_view_column(const alcore_view *view, const char *name, alcore_tensor *out_values,
                                            alcore_tensor *out_offsets);

/** Rows of the pool that are labelled, ascending. @param[out] out_count @since 0.1 @return a view */
ALCORE_API const int64_t *alcore_view_labeled(const alcore_view *view, int64_t *out_count);

/** The labelled side given to the request. @since 0.1 @return borrowed; NULL without one */
ALCORE_API alcore_pool *alcore_view_labeled_pool(const alcore_view *view);

/** Cost of each candidate in the budget's unit: float64 [count]. @since 0.1 @return a view */
ALCORE_API const double *alcore_view_costs(const alcore_view *view);

/** The budget, in its unit; infinity for a scorer. @since 0.1 */
ALCORE_API double alcore_view_budget(const alcore_view *view);

/** The round, from 1. @since 0.1 */
ALCORE_API int64_t alcore_view_round(const alcore_view *view);

/** A reproducible random number for a counter: the same for the same seed, round and counter, whatever the order of calls.
 * @since 0.1 @return 64 random bits: alcore_rng_derive(seed, tag, round, counter) with a tag of host functions */
ALCORE_API uint64_t alcore_view_random(const alcore_view *view, uint64_t counter);

ALCORE_END

#endif
