/* SPDX-License-Identifier: Apache-2.0 */
/* The picks of a strategy over rows that lie in shards.
 *
 * A strategy with in_shards ranks candidates by keys that do not depend on the shard, and so does
 * one with ranks_own once the passes over all shards are made. Then the
 * picks of all shards that lie in a shard S are among those that S alone buys under the same
 * budget:
 *
 *   overshoot   a row of S is bought while less than the budget is spent; what the rows of S before
 *               it cost is no more than what all rows before it cost, so that S buys it too
 *   stop        ends at the first row that does not fit; S, which overshoots, buys that one too
 *   skip        only of rows that cost 1 each, where it buys the first rows as the others do; with
 *               other costs a row that S passes over may be bought: see skip_rounds.h
 *
 * So a shard nominates what it buys with fill=overshoot, and the budget is spent by the rules of
 * the request on the nominees of all shards: by a run of a strategy without passes, whose
 * candidates are the nominees. Sums of costs may be rounded otherwise in another order, so that
 * the budget of a shard is larger by more than all roundings are. Nominees are sorted by row, or
 * with tie=random as random ties are, by which the lower position among equals is the pick of
 * one machine.
 *
 * A strategy may choose some rows by another rule, such as the neighbors of a target, and rank only
 * the remaining ones. It offers the chosen rows first (run->offered). Every shard knows these rows
 * and their costs, so that no shard sends them; of the remaining rows the shards nominate what the
 * rest of the budget buys. */
#include "strategy/budget/nominees.h"

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "strategy/budget/fill.h"
#include "strategy/passes/runner.h"
#include "strategy/strategy_handle.h"

/* ---- a shard ---- */

/* Copies to *out what is offered before all nominees, and the picks of a shard, by rank; keys
 * [candidates]. */
static alcore_status copy_picks(const alcore__run *run, const double *keys,
                                const alcore__purchase *bought, alcore__nominees *out) {
    const alcore__run_input *input = run->input;
    const int64_t offered = run->offered ? run->offered->count : 0;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)(offered + bought->pick_count),
                                  sizeof *out->entries, &out->entries));
    for (; out->count < offered; out->count++)
        out->entries[out->count] = run->offered->entries[out->count];
    out->offered = offered;
    for (int64_t i = 0; i < bought->pick_count; i++) {
        const int64_t position = bought->picks[i], row = alcore__candidate_row(run, position);
        out->entries[out->count++] =
            (alcore__nominee){.row = row + input->place.first_row,
                              .key = keys[position],
                              .score = run->outcome.scores[position],
                              .cost = input->costs ? input->costs[row] : 1.0};
    }
    return ALCORE_OK;
}

alcore_status alcore__run_nominate(alcore__run *run, alcore__nominees *out) {
    if (alcore__active_in_all(run, ALCORE__OVER_CANDIDATES) == 0)
        return ALCORE_OK; /* the strategy has not begun */
    ALCORE__TRY(run->def->finish(run));
    const double *keys = run->keys ? run->keys : run->outcome.scores;
    alcore__purchase bought = {.budget = alcore__nominees_budget(run)};
    for (int64_t i = 0; run->offered && i < run->offered->count; i++)
        bought.budget -= run->offered->entries[i].cost;
    alcore_status status =
        run->offered && run->offered_last ? ALCORE_OK : alcore__fill_by(run, keys, &bought);
    if (status == ALCORE_OK) status = copy_picks(run, keys, &bought, out);
    alcore__purchase_clear(run->ctx, &bought);
    return status;
}

alcore_status alcore__strategy_nominate(const alcore_strategy *strategy,
                                        const alcore__run_input *input, alcore__nominees *out) {
    alcore__run_input overshooting = *input;
    overshooting.fill.policy = ALCORE__FILL_OVERSHOOT;
    memset(out, 0, sizeof *out);
    alcore__run *run;
    ALCORE__TRY(alcore__run_begin(strategy, strategy->def, &strategy->values, &overshooting, &run));
    alcore_status status = alcore__run_drive(run);
    if (status == ALCORE_OK) status = alcore__run_nominate(run, out);
    alcore__run_free(run);
    if (status != ALCORE_OK) alcore__nominees_clear(input->ctx, out);
    return status;
}

alcore_status alcore__strategy_ranks_own(const alcore_strategy *strategy,
                                         const alcore__run_input *input, bool *out) {
    const alcore__strategy_def *def = strategy->def;
    void *state;
    /* Which pick is similar to others depends on all. */
    *out = def->ranks_own && !input->fill.limited;
    if (!*out) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(input->ctx, 1, def->state_bytes, &state));
    alcore__values_bind(&strategy->values, ALCORE__TO_STATE, state);
    *out = def->ranks_own(state);
    alcore__free(input->ctx, state);
    return ALCORE_OK;
}

alcore_status alcore__strategy_gather(const alcore_strategy *strategy,
                                      const alcore__run_input *input, alcore__buffer *out) {
    return strategy->def->gather(input, out);
}

void alcore__nominees_clear(alcore_ctx *ctx, alcore__nominees *nominees) {
    alcore__free(ctx, nominees->entries);
    memset(nominees, 0, sizeof *nominees);
}

/* ---- all shards ---- */

/* finish of a strategy that only ranks by the scores that its caller has set. */
static alcore_status keep_scores(alcore__run *run) {
    (void)run;
    return ALCORE_OK;
}

static const alcore__strategy_def NOMINEES = {.name = "nominees", .finish = keep_scores};

/* A nominee and what its ties are broken by. */
typedef struct drawn_nominee {
    int64_t place;  /* of those that are offered first, from 0; of the others one more than the last
                     */
    uint64_t drawn; /* of the row, by which random ties are drawn (rank.c); else 0 */
    alcore__nominee nominee;
} drawn_nominee;

/* For alcore__sort(): the order in which equal keys are bought. */
static int by_tie(const void *left, const void *right) {
    const drawn_nominee *a = left, *b = right;
    if (a->place != b->place) return a->place < b->place ? -1 : 1;
    if (a->drawn != b->drawn) return a->drawn < b->drawn ? -1 : 1;
    return (a->nominee.row > b->nominee.row) - (a->nominee.row < b->nominee.row);
}

/* For alcore__sort(): ascending rows. */
static int by_row(const void *left, const void *right) {
    const int64_t a = ((const drawn_nominee *)left)->nominee.row;
    const int64_t b = ((const drawn_nominee *)right)->nominee.row;
    return (a > b) - (a < b);
}

/* ALCORE_E_CORRUPT: a row stands there twice. Sorts by row. */
static alcore_status check_rows(alcore_ctx *ctx, drawn_nominee *nominees, size_t count) {
    ALCORE__TRY(alcore__sort(ctx, nominees, count, sizeof *nominees, by_row));
    for (size_t i = 1; i < count; i++)
        if (nominees[i].nominee.row == nominees[i - 1].nominee.row)
            return alcore__fail(ALCORE_E_CORRUPT, "row %lld is nominated twice",
                                (long long)nominees[i].nominee.row);
    return ALCORE_OK;
}

/* Sorts the nominees so that those which are offered first come first, with the largest key, and of
 * two others with equal keys the one that is bought first has the lower index. */
static alcore_status sort_by_tie(alcore_ctx *ctx, int32_t tie, uint64_t seed,
                                 alcore__nominees *nominees) {
    const size_t count = (size_t)nominees->count;
    drawn_nominee *sorted;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *sorted, &sorted));
    for (size_t i = 0; i < count; i++) {
        const uint64_t row = (uint64_t)nominees->entries[i].row;
        sorted[i].nominee = nominees->entries[i];
        sorted[i].place = (int64_t)i < nominees->offered ? (int64_t)i : nominees->offered;
        if ((int64_t)i < nominees->offered) sorted[i].nominee.key = HUGE_VAL;
        if (tie == ALCORE__TIE_RANDOM)
            sorted[i].drawn = alcore__rng_derive(seed, ALCORE__TAG_TIE, row, 0);
    }
    alcore_status status = check_rows(ctx, sorted, count);
    if (status == ALCORE_OK) status = alcore__sort(ctx, sorted, count, sizeof *sorted, by_tie);
    for (size_t i = 0; i < count && status == ALCORE_OK; i++)
        nominees->entries[i] = sorted[i].nominee;
    alcore__free(ctx, sorted);
    return status;
}

/* Runs NOMINEES with these as candidates: costs [count], in the order of the nominees. */
static alcore_status spend(const alcore__run_input *input, const alcore__nominees *nominees,
                           alcore__outcome *out) {
    const alcore__values none = {0}; /* it has no parameter */
    alcore__run *run;
    ALCORE__TRY(alcore__run_begin(NULL /* no handle */, &NOMINEES, &none, input, &run));
    for (int64_t i = 0; i < run->outcome.count; i++)
        run->outcome.scores[i] = nominees->entries[i].key;
    const alcore_status status = alcore__run_finish(run, out);
    alcore__run_free(run);
    return status;
}

alcore_status alcore__nominees_spend(alcore_ctx *ctx, const alcore__fill *fill, uint64_t seed,
                                     alcore__nominees *nominees, alcore__outcome *out) {
    alcore__run_input input = {
        .ctx = ctx, .seed = seed, .candidates = {.rows = nominees->count}, .fill = *fill};
    double *costs; /* [count] */
    *out = (alcore__outcome){0};
    input.fill.tie = ALCORE__TIE_INDEX; /* the order of the nominees */
    input.fill.explain = false;
    ALCORE__TRY(sort_by_tie(ctx, fill->tie, seed, nominees));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)nominees->count, sizeof *costs, &costs));
    for (int64_t i = 0; i < nominees->count; i++) costs[i] = nominees->entries[i].cost;
    input.costs = costs;
    const alcore_status status = spend(&input, nominees, out);
    if (nominees->unaffordable) out->bought.flags &= ~(uint32_t)ALCORE_SELECTION_SHORT;
    alcore__free(ctx, costs);
    return status;
}
