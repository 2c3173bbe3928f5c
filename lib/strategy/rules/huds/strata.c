/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts candidates into n strata by a score u, for HUDS (spec 3.2):
 *
 *   equal width   stratum(x) = min(floor(n (u(x) - min u) / (max u - min u)), n - 1)
 *   equal count   stratum(x) = floor(n rank(x) / candidates), rank from 0 by u, then by row
 *
 * Both write the edges of the strata for the report. Called at the end of the pass "scores" of HUDS
 * (huds_score.c). Scores are finite, as the scorer refuses others. Cost: one pass, or one sort. */
#include "strategy/rules/huds/strata.h"

#include "strategy/budget/rank.h"
#include "strategy/strategy_run.h"

/* The largest score, and one that rounding puts beside it, belongs to the last stratum; when all
 * scores are equal, all belong to the first. */
void alcore__strata_equal(const double *scores, int64_t count, double low, double high,
                          int64_t strata, int32_t *stratum, double *edges) {
    const double range = high - low, n = (double)strata;
    for (int64_t i = 0; i < count; i++)
        stratum[i] = alcore__stratum_of(scores[i], low, high, strata);
    for (int64_t e = 0; e < strata; e++) edges[e] = low + ((double)e / n) * range;
    edges[strata] = high;
}

/* Ties are ranked by row, so equal scores can be in two parts, and with fewer scores than strata
 * some parts are empty; the edge of an empty part is the lowest score of the next one that is not,
 * or the largest score. */
alcore_status alcore__strata_quantile(alcore_ctx *ctx, const double *scores, int64_t count,
                                      int64_t strata, int32_t *stratum, double *edges) {
    double *negative;      /* [count] minus each score */
    int64_t *order = NULL; /* [count] indices of the scores, the smallest score first */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *negative, &negative));
    alcore_status status = alcore__new_array(ctx, (size_t)count, sizeof *order, &order);
    /* alcore__rank() puts the largest first, hence the negatives; the lower row first among equals.
     */
    for (int64_t i = 0; i < count; i++) negative[i] = -scores[i];
    if (status == ALCORE_OK)
        status = alcore__rank(ctx, negative, NULL /* no rows */, count, ALCORE__TIE_INDEX,
                              0 /* seed */, count, order);
    if (status == ALCORE_OK) {
        for (int64_t rank = 0; rank < count; rank++) {
            stratum[order[rank]] = (int32_t)(rank * strata / count);
        }
        for (int64_t e = 0; e <= strata; e++) {
            int64_t rank = (e * count + strata - 1) / strata; /* the first rank of stratum e */
            edges[e] = scores[order[rank < count - 1 ? rank : count - 1]];
        }
    }
    alcore__free(ctx, order);
    alcore__free(ctx, negative);
    return status;
}
