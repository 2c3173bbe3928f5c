/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * The request: pools by role, strategy, budget, model and round; and the one call that answers it. */
#ifndef ALCORE_REQUEST_H
#define ALCORE_REQUEST_H

#include "alcore/selection.h"
#include "alcore/strategy.h"

ALCORE_BEGIN

/** A request. It may be changed and used again: the next round is alcore_request_set(request, "round", "2"). */
typedef struct alcore_request alcore_request;

/** Makes an empty request: strategy huds, round 1, the context's seed.
 * @param[in] ctx kept @param[out] out owned @threadsafe @since 0.1 @return ALCORE_OK, ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_request_new(alcore_ctx *ctx, alcore_request **out);

/** Takes another reference. @threadsafe @since 0.1 */
ALCORE_API alcore_request *alcore_request_ref(alcore_request *request);

/** Drops a reference. NULL is allowed. @threadsafe @since 0.1 */
ALCORE_API void alcore_request_unref(alcore_request *request);

/** Gives a pool. One candidates pool, one labelled side, one target. Rows of the candidates whose text stands on the labelled side are
 * never selected.
 * @param[in] role ALCORE_ROLE_* @param[in] pool kept; NULL takes the role away
 * @serialized per request @since 0.1 @return ALCORE_OK, ALCORE_E_INVALID */
ALCORE_API alcore_status alcore_request_set_pool(alcore_request *request, int32_t role, alcore_pool *pool);

/** Gives the strategy. @param[in] strategy kept; NULL: huds with its defaults @serialized per request @since 0.1 */
ALCORE_API alcore_status alcore_request_set_strategy(alcore_request *request, alcore_strategy *strategy);

/** Gives the model that computes missing columns. @param[in] model kept; NULL: the built-in n-gram model
 * @serialized per request @since 0.1 */
ALCORE_API alcore_status alcore_request_set_model(alcore_request *request, alcore_model *model);

/** Sets an option from text: "budget" ("1000", "1000w", "20000 characters", "150u"), "fill", "seed", "round", "spread", "tie", "nan",
 * "device", ...; alcore_request_param() lists them.
 * @serialized per request @since 0.1 @return ALCORE_OK, ALCORE_E_PARAM (unknown: names the nearest; out of bounds: names the bounds) */
ALCORE_API alcore_status alcore_request_set(alcore_request *request, const char *name, const char *value);

/** Facts of a request's option. @param[in,out] out size-first @threadsafe @since 0.1
 * @return ALCORE_OK, ALCORE_E_NOT_FOUND (past the last) */
ALCORE_API alcore_status alcore_request_param(int32_t index, alcore_param_info *out);

/** Answers the request. Columns that the strategy needs come from the pool, else from the model, else from the built-in n-gram
 * model; the selection records who produced what. The pools are read, and computed columns are kept in them for the next call.
 * @param[in] request borrowed @param[out] out owned; NULL on failure
 * @serialized per request and per pool @callback model, scorer and strategy functions, progress @since 0.1
 * @return ALCORE_OK (also with fewer items than asked for: see ALCORE_SELECTION_SHORT), ALCORE_E_INVALID (no pool), ALCORE_E_PARAM (no
 *   budget), ALCORE_E_MISSING, ALCORE_E_DATA, ALCORE_E_SHAPE, ALCORE_E_UNSUPPORTED, ALCORE_E_CANCELLED, ALCORE_E_NOMEM */
ALCORE_API alcore_status alcore_select(alcore_request *request, alcore_selection **out);

/** The rows that would be scored: those a request's strategy would see as candidates (spec 3.7), for scoring elsewhere. Uses
 * "candidates", "seed" and "round" and the masks of the request.
 * @param[in] count candidates to draw @param[out] out int64 [count] ascending @param[out] out_count rows written
 * @serialized per request and per pool @since 0.1 */
ALCORE_API alcore_status alcore_request_candidates(alcore_request *request, int64_t count, int64_t *out,
                                                   int64_t *out_count);

ALCORE_END

#endif
