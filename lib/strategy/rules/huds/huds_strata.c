/* SPDX-License-Identifier: Apache-2.0 */
/* The uncertainty u of every candidate, and the strata of HUDS, which are cut by it: passes that
 * read no embeddings. Strata of equal width need no more of all candidates than the range of u;
 * those of equal numbers of rows need their order, of which a run over own rows finds the bounds of
 * strata (rank_bounds.h). */
#include <math.h>
#include <string.h>

#include "strategy/rules/huds/huds.h"
#include "strategy/rules/huds/strata.h"

/* ---- pass "scores": u of every candidate ---- */

size_t alcore__huds_range_bytes(const alcore__block *block) {
    (void)block;
    return sizeof(alcore__huds_range);
}

alcore__huds_range alcore__huds_range_of(const double *values, int64_t count) {
    alcore__huds_range range = {.low = values[0], .high = values[0]};
    for (int64_t i = 1; i < count; i++) {
        if (values[i] < range.low) range.low = values[i];
        if (values[i] > range.high) range.high = values[i];
    }
    return range;
}

void alcore__huds_join_ranges(const alcore__block *block, void *into, const void *next,
                              size_t bytes) {
    alcore__huds_range *range = into;
    const alcore__huds_range *other = next;
    (void)block, (void)bytes;
    if (other->low < range->low) range->low = other->low;
    if (other->high > range->high) range->high = other->high;
}

alcore_status alcore__huds_widen(alcore__huds_range *range, const alcore__block_partial *partial) {
    const alcore__huds_range *found = partial->extra;
    if (!isfinite(found->low) || !isfinite(found->high) || found->low > found->high)
        return alcore__fail(ALCORE_E_CORRUPT, "a partial has no range of values of block %lld",
                            (long long)partial->block);
    alcore__huds_join_ranges(NULL, range, found, sizeof *found);
    return ALCORE_OK;
}

/* The partial is u, double [active rows]: the `rank` of the score, by which rows are ordered; then
 * their range. */
static alcore_status score_block(alcore__block *block, void *partial) {
    double *u = partial;
    ALCORE__TRY(alcore__block_scores(block, u, NULL, NULL)); /* without score and raw */
    *(alcore__huds_range *)(void *)(u + block->count) = alcore__huds_range_of(u, block->count);
    return ALCORE_OK;
}

static alcore_status widen_scores(alcore__run *run, const alcore__block_partial *partial) {
    alcore__huds_state *state = run->state;
    return alcore__huds_widen(&state->u_range, partial);
}

/* End of pass "scores": cuts the candidates into strata by u. */
static alcore_status cut_strata(alcore__run *run) {
    alcore__huds_state *state = run->state;
    const int64_t count = run->outcome.count;
    if (state->brief && state->by_count)
        return alcore__rank_bounds_begin(run, &state->bounds, state->strata, state->u_range.low,
                                         state->u_range.high);
    if (state->brief) return ALCORE_OK;
    if (state->by_count)
        return alcore__strata_quantile(run->ctx, state->u, count, state->strata, state->stratum,
                                       state->edges);
    alcore__strata_equal(state->u, count, state->u_range.low, state->u_range.high, state->strata,
                         state->stratum, state->edges);
    return ALCORE_OK;
}

/* ---- pass "bounds": where strata of equal numbers of rows begin ---- */

static size_t bounds_bytes(const alcore__block *block) {
    const alcore__huds_state *state = block->run->state;
    return alcore__rank_bounds_bytes(&state->bounds);
}

static alcore_status count_ranks(alcore__block *block, void *partial) {
    const alcore__huds_state *state = block->run->state;
    alcore__rank_bounds_count(&state->bounds, block, state->u + block->start, partial);
    return ALCORE_OK;
}

static alcore_status add_ranks(alcore__run *run, const alcore__block_partial *partial) {
    alcore__huds_state *state = run->state;
    return alcore__rank_bounds_add(run, &state->bounds, partial->extra);
}

static alcore_status narrow_bounds(alcore__run *run) {
    alcore__huds_state *state = run->state;
    return alcore__rank_bounds_narrow(&state->bounds);
}

/* Condition and loop of the pass. */
static bool has_open_bounds(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    return alcore__rank_bounds_open(&state->bounds);
}

/* ---- pass "strata": how many candidates each has ---- */

/* The partial: int64 [strata]. */
static size_t counts_bytes(const alcore__block *block) {
    const alcore__huds_state *state = block->run->state;
    return (size_t)state->strata * sizeof(int64_t);
}

/* The stratum of a row where no array has it. */
static int32_t stratum_of_row(const alcore__huds_state *state, double u, int64_t row) {
    if (state->strata <= 1) return 0;
    if (state->by_count) return alcore__rank_bounds_stratum(&state->bounds, u, row);
    return alcore__stratum_of(u, state->u_range.low, state->u_range.high, state->strata);
}

alcore_status alcore__huds_strata_of(alcore__block *block, const int32_t **out) {
    const alcore__huds_state *state = block->run->state;
    const double *u = state->u + block->start;
    int32_t *made;
    if (!state->brief) {
        *out = state->stratum + block->start;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *made, &made));
    for (int64_t i = 0; i < block->count; i++)
        made[i] = stratum_of_row(state, u[i], block->rows[i]);
    *out = made;
    return ALCORE_OK;
}

static alcore_status count_strata(alcore__block *block, void *partial) {
    const int32_t *stratum;
    int64_t *counts = partial;
    ALCORE__TRY(alcore__huds_strata_of(block, &stratum));
    for (int64_t i = 0; i < block->count; i++) counts[stratum[i]]++;
    return ALCORE_OK;
}

/* partial.join. */
static void join_counts(const alcore__block *block, void *into, const void *next, size_t bytes) {
    int64_t *counts = into;
    const int64_t *others = next;
    (void)block;
    for (size_t s = 0; s < bytes / sizeof *counts; s++) counts[s] += others[s];
}

/* Adds the counts, which may come from another process, to those of the strata and of all. */
static alcore_status add_counts(alcore__run *run, const alcore__block_partial *partial) {
    alcore__huds_state *state = run->state;
    const int64_t *counts = partial->extra;
    for (int64_t s = 0; s < state->strata; s++) {
        const int64_t left = run->input->candidates.rows - state->counts[state->strata];
        ALCORE__TRY(alcore__partial_check_index(counts[s], left + 1));
        state->counts[s] += counts[s];
        state->counts[state->strata] += counts[s];
    }
    return ALCORE_OK;
}

/* End of the pass: decides which centroid each row is measured from: that of its stratum or, in a
 * stratum of fewer than min_stratum rows, that of all candidates. With distances=needed the first
 * batch is chosen. */
static alcore_status choose_groups(alcore__run *run) {
    alcore__huds_state *state = run->state;
    for (int64_t s = 0; s < state->strata; s++)
        state->some_global |= state->counts[s] > 0 && state->counts[s] < state->min_stratum;
    for (int64_t i = 0; i < run->outcome.count && state->group; i++) {
        const int32_t stratum =
            state->brief ? stratum_of_row(state, state->u[i], alcore__candidate_row(run, i))
                         : state->stratum[i];
        state->group[i] = state->counts[stratum] < state->min_stratum ? -1 : stratum;
    }
    return state->only_needed ? alcore__huds_choose_strata(run) : ALCORE_OK;
}

const alcore__pass alcore__huds_strata_passes[] = {
    {.name = "scores",
     .scores = true,
     .block = score_block,
     .partial = {.values = {ALCORE__VALUES(alcore__huds_state, u)},
                 .extra = alcore__huds_range_bytes,
                 .reduce = widen_scores,
                 .join = alcore__huds_join_ranges},
     .end = cut_strata,
     .when = ALCORE__TEST(alcore__huds_has_scores)},
    {.name = "bounds",
     .narrow = true,
     .keeps_nothing = true,
     .block = count_ranks,
     .partial = {.extra = bounds_bytes, .reduce = add_ranks, .join = join_counts},
     .end = narrow_bounds,
     .when = ALCORE__TEST(has_open_bounds),
     .again = ALCORE__TEST(has_open_bounds)},
    {.name = "strata",
     .narrow = true,
     .keeps_nothing = true,
     .block = count_strata,
     .partial = {.extra = counts_bytes, .reduce = add_counts, .join = join_counts},
     .end = choose_groups},
    {.name = NULL},
};
