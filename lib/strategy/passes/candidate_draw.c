/* SPDX-License-Identifier: Apache-2.0 */
/* The candidate subsample (spec 3.7): candidates=N draws N of the rows that may be selected, by the
 * generator derive(seed, 1, round, 0); with sticky=1 the last round's candidates stay and only the
 * missing ones are drawn. Made before the run begins, on the mask of the candidates. */
#include "base/rng.h"
#include "strategy/strategy_run.h"

/* What is known of a row during the draw: it may not be selected, it is one of the `count`
 * candidates, or it may become one. */
enum { NOT_CANDIDATE = 0, CHOSEN = 1, WAITING = 2 };

/* Draws `count` of the rows that are WAITING, or all of them where there are fewer, uniformly and
 * without replacement, and makes them CHOSEN. Of a shard the draw is that of all shards, where all
 * that may be kept are, of which the shard takes its own. fate [rows]: what each row is. */
static alcore_status draw(alcore_ctx *ctx, alcore__rng *rng, int64_t count,
                          const alcore__place *place, int64_t rows, uint8_t *fate) {
    int64_t own = 0;
    for (int64_t i = 0; i < rows; i++) own += fate[i] == WAITING;
    const int64_t total = place->candidates > 0 ? place->candidates - place->kept : own;
    if (count < 0) count = 0; /* more are kept than are wanted */
    if (count > total) count = total;
    int64_t *waiting;      /* [own] the waiting rows, ascending */
    int64_t *drawn = NULL; /* [count] indices into the waiting rows of all shards */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)own, sizeof *waiting, &waiting));
    alcore_status status = alcore__new_array(ctx, (size_t)count, sizeof *drawn, &drawn);
    for (int64_t i = 0, n = 0; i < rows && status == ALCORE_OK; i++) {
        if (fate[i] == WAITING) waiting[n++] = i;
    }
    if (status == ALCORE_OK)
        status = alcore__rng_sample(NULL /* it uses malloc itself */, rng, total, count, drawn);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        const int64_t index = drawn[i] - (place->before - place->kept_before);
        if (index >= 0 && index < own) fate[waiting[index]] = CHOSEN;
    }
    alcore__free(ctx, drawn);
    alcore__free(ctx, waiting);
    return status;
}

/* First the rows that were candidates in the previous round, in row order, then a uniform draw from
 * the others. The mask is unchanged after a failure. */
alcore_status alcore__draw_candidates(alcore_ctx *ctx, uint64_t seed, int64_t round, int64_t count,
                                      const alcore__place *place, int64_t rows,
                                      const uint8_t *previous, uint8_t *mask) {
    int64_t kept = place->kept_before; /* in this shard and before it */
    uint8_t *fate;                     /* [rows] NOT_CANDIDATE, CHOSEN or WAITING */
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof *fate, &fate));
    for (int64_t i = 0; i < rows; i++) {
        bool keep = mask[i] && previous && previous[i] && kept < count;
        fate[i] = !mask[i] ? NOT_CANDIDATE : keep ? CHOSEN : WAITING;
        kept += keep;
    }
    alcore__rng rng;
    /* The last number is 0, as there is one draw a round. */
    alcore__rng_seed(&rng, alcore__rng_derive(seed, ALCORE__TAG_SUBSAMPLE, (uint64_t)round, 0));
    alcore_status status =
        draw(ctx, &rng, count - (place->candidates > 0 ? place->kept : kept), place, rows, fate);
    for (int64_t i = 0; i < rows && status == ALCORE_OK; i++) mask[i] = fate[i] == CHOSEN;
    alcore__free(ctx, fate);
    return status;
}

/* The draw that the strategy's parameters candidates=N and sticky=1 ask for; without N all rows
 * stay. lib/select calls it on the mask of the candidates before the run begins. */
alcore_status alcore__strategy_draw(const alcore_strategy *strategy, uint64_t seed, int64_t round,
                                    const alcore__place *place, int64_t rows,
                                    const uint8_t *previous, uint8_t *mask) {
    alcore__candidate_params params = {0};
    alcore__values_bind(alcore__strategy_values(strategy), ALCORE__TO_CANDIDATES, &params);
    if (params.count < 1) return ALCORE_OK;
    return alcore__draw_candidates(alcore__strategy_ctx(strategy), seed, round, params.count, place,
                                   rows, params.sticky ? previous : NULL, mask);
}

bool alcore__strategy_draws(const alcore_strategy *strategy) {
    alcore__candidate_params params = {0};
    alcore__values_bind(alcore__strategy_values(strategy), ALCORE__TO_CANDIDATES, &params);
    return params.count > 0;
}

bool alcore__strategy_is_sticky(const alcore_strategy *strategy) {
    alcore__candidate_params params = {0};
    alcore__values_bind(alcore__strategy_values(strategy), ALCORE__TO_CANDIDATES, &params);
    return params.sticky;
}
