/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The scorer: one number per row, larger = more worth labeling. Built-in scores and the caller's
 * own.
 *
 * The built-in scores, p being probabilities, log natural, p1 >= p2 the two likeliest classes:
 *
 *     nnll         -(1/S) sum of log p(token), S tokens: the uncertainty of HUDS, Algorithm 1
 *     nsp          1 - exp((1/T) sum of log p(token)): HUDS, section 4.3; ordered as nnll
 *     uncertainty  1 - (p1 - p2), of a row or the largest of its words: DeMuX, section 3.2
 *     margin       the same of a row only
 *     sum-prob     -(max log p(start) + max log p(end)): DeMuX, section 3.2, question answering
 *     lc           1 - p1, least confidence
 *     entropy      -(sum of p log p), 0 log 0 = 0
 *
 * margin, lc, entropy and uncertainty read the columns "margins", "confidences" or "entropies"
 * where these are there (see alcore/logits.h), else "probs" or "token_probs"; docs/spec/scores.md,
 * section 4.9, says which.
 *
 * alcore_scorer_builtin_name() lists them, alcore_scorer_builtin_param() their options;
 * docs/strategies.md is made from both, docs/papers.md names the papers. */
#ifndef ALCORE_SCORER_H
#define ALCORE_SCORER_H

#include "alcore/model.h"
#include "alcore/param.h"
#include "alcore/view.h"

ALCORE_BEGIN

/** A scorer with its parameters. */
typedef struct alcore_scorer alcore_scorer;

/** Names of the built-in scorers, one a call.
 * @param[in] index from 0
 * @return a view, valid for ever; NULL past the last
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_scorer_builtin_name(int64_t index);

/** One line about a built-in scorer.
 * @param[in] name borrowed: a scorer's name
 * @return a view, valid for ever; NULL: no such scorer
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_scorer_builtin_summary(const char *name);

/** Description of a parameter of a built-in scorer.
 * @param[in] name borrowed: a scorer's name
 * @param[in] index from 0
 * @param[in,out] out size-first; filled with views, valid for ever
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOT_FOUND (past the last), ALCORE_E_PARAM (no such
 *   scorer; names the nearest), ALCORE_E_STRUCT_*
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_scorer_builtin_param(const char *name, int64_t index,
                                                     alcore_param_info *out);

/** Names of the columns a built-in scorer needs, one a call; "|" separates alternatives.
 * @param[in] name borrowed: a scorer's name
 * @param[in] index from 0
 * @return a view, valid for ever; NULL past the last, or no such scorer
 * @threadsafe
 * @since 1.0 */
ALCORE_API const char *alcore_scorer_builtin_needs(const char *name, int64_t index);

/** Names of the columns that a scorer needs with the present values of its parameters, one a call;
 * "|" separates alternatives, of which the first that is there is read.
 * @param[in] scorer borrowed; NULL is allowed
 * @param[in] index from 0
 * @return a view, valid until the scorer is changed or released; NULL past the last, or for NULL
 * @threadsafe ALCORE_E_BUSY is not told: not while another call changes the scorer.
 * @since 1.0 */
ALCORE_API const char *alcore_scorer_needs(const alcore_scorer *scorer, int64_t index);

/** Makes a built-in scorer with its defaults.
 * @param[in] ctx kept
 * @param[in] name borrowed: a scorer's name
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (names the nearest), ALCORE_E_NOMEM
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_scorer_new(alcore_ctx *ctx, const char *name, alcore_scorer **out);

/** A caller's scorer. */
typedef struct alcore_scorer_host {
    size_t size;                 /**< sizeof(alcore_scorer_host) */
    void *user;                  /**< passed to every function */
    void (*destroy)(void *user); /**< called once when the scorer goes; may be NULL */
    const char *name;            /**< copied; NULL: "host" */
    /** Copied: NULL-terminated list of column names the view must have; NULL: none */
    const char *const *needs;
    /** Fills scores, float64 [alcore_view_row_count(view, ALCORE_ROLE_CANDIDATES)], host, larger =
     * more worth labeling, finite. Returns ALCORE_OK or a failure, which ends the outer call; a
     * positive number counts as ALCORE_E_CALLBACK. Runs on the thread that entered the call. */
    alcore_status (*score)(void *user, const alcore_view *view, double *scores);
} alcore_scorer_host;
/** An alcore_scorer_host with its size set and everything else 0. */
#define ALCORE_SCORER_HOST_INIT ALCORE_INIT(alcore_scorer_host)

/** Makes a scorer of the caller's function.
 * @param[in] ctx kept
 * @param[in] host kept: copied
 * @param[out] out owned; NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_NOMEM, ALCORE_E_STRUCT_*; after a failure destroy
 * is not called
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_scorer_new_host(alcore_ctx *ctx, const alcore_scorer_host *host,
                                                alcore_scorer **out);

/** Takes another reference.
 * @param[in] scorer the handle; NULL is allowed
 * @return owned: scorer itself; NULL for NULL
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_scorer *alcore_scorer_ref(alcore_scorer *scorer);

/** Drops a reference; the last one releases the scorer.
 * @param[in] scorer the caller's reference; NULL is allowed
 * @threadsafe
 * @callback destroy of a host's scorer
 * @since 1.0 */
ALCORE_API void alcore_scorer_unref(alcore_scorer *scorer);

/** Sets a parameter from text.
 * @param[in,out] scorer borrowed, changed
 * @param[in] name borrowed: a parameter's name
 * @param[in] value borrowed: its value as text; numbers have a decimal point in every locale
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (unknown: names the nearest; out of bounds:
 * names the bounds; a host's scorer has none), ALCORE_E_NOMEM, ALCORE_E_BUSY
 * @serialized per scorer; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_scorer_set(alcore_scorer *scorer, const char *name,
                                           const char *value);

/** Sets a parameter to an integer, whatever the locale is.
 * @param[in,out] scorer borrowed, changed
 * @param[in] name borrowed: a parameter's name
 * @param[in] value the integer; a flag takes 0 and 1
 * @return as alcore_scorer_set()
 * @serialized per scorer; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_scorer_set_int(alcore_scorer *scorer, const char *name,
                                               int64_t value);

/** Sets a parameter to a number, which is kept exactly, whatever the locale is.
 * @param[in,out] scorer borrowed, changed
 * @param[in] name borrowed: a parameter's name
 * @param[in] value the number, finite
 * @return as alcore_scorer_set()
 * @serialized per scorer; ALCORE_E_BUSY while another call uses it.
 * @since 1.0 */
ALCORE_API alcore_status alcore_scorer_set_number(alcore_scorer *scorer, const char *name,
                                                  double value);

/** The present value of a parameter: what was set, or its default.
 * @param[in] scorer borrowed
 * @param[in] name borrowed: a parameter's name
 * @param[out] out_text a view: the value as text, valid until the scorer is changed or released;
 * NULL on failure
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_PARAM (names the nearest), ALCORE_E_BUSY
 * @threadsafe ALCORE_E_BUSY while another call changes the scorer.
 * @since 1.0 */
ALCORE_API alcore_status alcore_scorer_get(const alcore_scorer *scorer, const char *name,
                                           const char **out_text);

/** Scores the unmasked rows of a pool and gives it the column "scores". Missing columns come from
 * the model and stay in the pool.
 * @param[in] scorer borrowed
 * @param[in,out] pool borrowed, changed
 * @param[in] model borrowed; NULL: columns of the pool only
 * @return ALCORE_OK, ALCORE_E_INVALID, ALCORE_E_MISSING (names the column, or the row without a
 * value), ALCORE_E_DATA (names the row: a NaN, an infinity, a value out of range), ALCORE_E_SHAPE,
 *   ALCORE_E_CALLBACK or what a host's function returned, ALCORE_E_IO, ALCORE_E_NOMEM,
 *   ALCORE_E_CANCELLED, ALCORE_E_BUSY
 * @serialized per pool and model; one scorer may score several pools at a time. ALCORE_E_BUSY while
 * another call changes the scorer, uses the model, changes the pool, or reads it at the end.
 * @callback the model's and scorer's functions, progress, log, files
 * @since 1.0 */
ALCORE_API alcore_status alcore_scorer_run(alcore_scorer *scorer, alcore_pool *pool,
                                           alcore_model *model);

ALCORE_END

#endif
