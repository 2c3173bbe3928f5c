/* SPDX-License-Identifier: Apache-2.0 */
/* The end of KNN-UNCERTAINTY: the budget is spent on the neighbors of each group in turns, then on
 * other candidates, the most uncertain first. The terms are those of knn_uncertainty.c.
 *
 * A run over own rows buys the neighbors of all shards, as every other one does too, and leaves the
 * other candidates to the nominees of all (budget/nominees.h), by their scores. */
#include <math.h>
#include <string.h>

#include "strategy/budget/rank.h"
#include "strategy/rules/knn_uncertainty.h"

/* Reorders list [count], ascending before the call, of indices of pool_rows and uncertainty: the
 * most uncertain first. Ties by the request's rule, which for random ties needs the pool rows. */
static alcore_status rank_list(alcore__run *run, const int64_t *pool_rows,
                               const double *uncertainty, int64_t *list, int64_t count) {
    const size_t height = alcore__run_height(run);
    int64_t *rows, *order; /* [count] of the list; ranked places in the list, then what is there */
    double *keys;          /* [count] */
    if (count == 0) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &rows));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &order));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &keys));
    for (int64_t i = 0; i < count; i++) {
        rows[i] = pool_rows[list[i]];
        keys[i] = uncertainty[list[i]];
    }
    ALCORE__TRY(alcore__rank(run->ctx, keys, rows, count, run->input->fill.tie, run->input->seed,
                             count, order));
    for (int64_t i = 0; i < count; i++) order[i] = list[order[i]];
    memcpy(list, order, (size_t)count * sizeof *list);
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Lists the N_k of every group, the most uncertain neighbor first: *lists [starts[groups]], on the
 * run's stack, has that of group g from starts[g] on. starts [groups + 1] comes zeroed and is
 * filled. */
static alcore_status list_by_group(alcore__run *run, int64_t *starts, int64_t **lists) {
    const alcore__knn_state *state = run->state;
    const int64_t groups = state->groups.count;
    const size_t bytes = (size_t)state->neighbors.count * sizeof(int32_t);
    double cost = 0; /* not used */
    int32_t *mark;   /* [neighbors] */
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->neighbors.count, &mark));
    for (int64_t g = 0; g < groups; g++) {
        starts[g + 1] = starts[g] + alcore__knn_mark(state, g, 0, state->k[g], mark, &cost, NULL);
        ALCORE__TRY(alcore__tick(run->ctx, "neighbors of languages", g, 2 * groups));
    }
    ALCORE__TRY(ALCORE__RUN_PUSH(run, starts[groups], lists));
    /* Marked again: later groups have overwritten the marks of neighbors that they share, and the
     * marks of the last group are still there. */
    if (bytes > 0) memset(mark, 0, bytes);
    for (int64_t g = 0; g < groups; g++) {
        int64_t *list = *lists + starts[g];
        const int64_t found = alcore__knn_mark(state, g, 0, state->k[g], mark, &cost, list);
        ALCORE__TRY(alcore__tick(run->ctx, "neighbors of languages", groups + g, 2 * groups));
        ALCORE__TRY(alcore__sort(run->ctx, list, (size_t)found, sizeof *list, alcore__ascending));
        ALCORE__TRY(
            rank_list(run, state->neighbors.row, state->neighbors.uncertainty, list, found));
    }
    return ALCORE_OK;
}

/* Spends the budget on the N_k of the groups in turns. The filler knows neighbor n as positions[n],
 * below `candidates` (NULL: as n). buyer [candidates] is -1 everywhere before the call and gets the
 * group for which one was bought. What is pushed on the run's stack is left for the caller. */
static alcore_status buy_neighbors(alcore__run *run, const int64_t *positions, int64_t candidates,
                                   int64_t *buyer) {
    alcore__knn_state *state = run->state;
    int64_t *starts, *list;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->groups.count + 1, &starts));
    ALCORE__TRY(list_by_group(run, starts, &list));
    for (int64_t i = 0; positions && i < starts[state->groups.count]; i++)
        list[i] = positions[list[i]];
    const alcore__group_lists lists = {
        .starts = starts, .positions = list, .candidates = candidates};
    for (int64_t i = 0; i < candidates; i++) buyer[i] = -1;
    return alcore__target_groups_buy(&state->groups, &lists, &state->hybrid.filler, buyer);
}

/* positions [neighbors]: those among the candidates; -1: of another shard. The rows may come from
 * another process. */
static alcore_status find_positions(const alcore__run *run, int64_t *positions) {
    const alcore__knn_state *state = run->state;
    for (int64_t n = 0; n < state->neighbors.count; n++) {
        const int64_t row = state->neighbors.row[n];
        positions[n] = alcore__candidate_position(run, row);
        if (positions[n] < 0 && !alcore__lists_own(run))
            return alcore__fail(ALCORE_E_CORRUPT, "row %lld is a neighbor and no candidate",
                                (long long)row);
    }
    return ALCORE_OK;
}

/* ---- all candidates ---- */

/* Spends what is left of the budget on the candidates in no N_k, the most uncertain first. */
static alcore_status buy_others(alcore__run *run, const int64_t *target_counts) {
    alcore__knn_state *state = run->state;
    const int64_t count = run->outcome.count;
    int64_t *positions, others = 0; /* [candidates] */
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &positions));
    for (int64_t i = 0; i < count; i++)
        if (target_counts[i] == 0) positions[others++] = i;
    ALCORE__TRY(rank_list(run, run->outcome.rows, run->outcome.scores, positions, others));
    return alcore__filler_offer_all(&state->hybrid.filler, positions, others);
}

/* Buys, and records with balance_targets for which language each pick was bought. */
static alcore_status buy(alcore__run *run, const int64_t *positions, const int64_t *target_counts) {
    alcore__knn_state *state = run->state;
    int64_t *buyer; /* [candidates] the group that bought the candidate; -1: none */
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, &buyer));
    ALCORE__TRY(buy_neighbors(run, positions, run->outcome.count, buyer));
    if (state->fill_short && !alcore__filler_full(&state->hybrid.filler))
        ALCORE__TRY(buy_others(run, target_counts));
    if (state->balanced) ALCORE__TRY(alcore__target_groups_record(run, &state->groups, buyer));
    alcore__filler_finish(&state->hybrid.filler);
    return ALCORE_OK;
}

/* Records the uncertainty, which is the score, and the number of target rows of every candidate,
 * and reports the k of each group and how many candidates are in an N_k. */
static alcore_status record(alcore__run *run, const int64_t *positions, int64_t **target_counts) {
    const alcore__knn_state *state = run->state;
    const alcore__neighbors *neighbors = &state->neighbors;
    double *k, *size;
    ALCORE__TRY(alcore__outcome_score_column(run, "u"));
    ALCORE__TRY(alcore__outcome_column(run, "targets", ALCORE_INT64, target_counts));
    ALCORE__TRY(alcore__outcome_fact(run, "k", state->groups.count, &k));
    ALCORE__TRY(alcore__outcome_fact(run, "near rows", 1, &size));
    for (int64_t g = 0; g < state->groups.count; g++) k[g] = (double)state->k[g];
    for (int64_t n = 0; n < neighbors->count; n++) {
        (*target_counts)[positions[n]] = neighbors->target_counts[n];
        *size += neighbors->target_counts[n] > 0;
    }
    return ALCORE_OK;
}

/* ---- own candidates ---- */

/* Buys what the N_k give, which is offered to the budget before all nominees. Own candidates in an
 * N_k are not nominated. */
static alcore_status offer_neighbors(alcore__run *run, const int64_t *positions) {
    alcore__knn_state *state = run->state;
    const alcore__neighbors *neighbors = &state->neighbors;
    alcore__filler *filler = &state->hybrid.filler;
    alcore__nominees *offered = &state->offered;
    int64_t *buyer; /* [neighbors] not used */
    ALCORE__TRY(ALCORE__RUN_PUSH(run, neighbors->count, &buyer));
    filler->costs = neighbors->cost;
    ALCORE__TRY(buy_neighbors(run, NULL, neighbors->count, buyer));
    const int64_t count = filler->bought.pick_count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &offered->entries));
    for (; offered->count < count; offered->count++) {
        const int64_t n = filler->bought.picks[offered->count];
        offered->entries[offered->count] = (alcore__nominee){.row = neighbors->row[n],
                                                             .score = neighbors->uncertainty[n],
                                                             .cost = neighbors->cost[n]};
    }
    for (int64_t n = 0; n < neighbors->count; n++)
        if (positions[n] >= 0 && neighbors->target_counts[n] > 0)
            run->outcome.scores[positions[n]] = (double)NAN;
    run->offered = offered;
    run->offered_last = !state->fill_short || alcore__filler_full(filler);
    run->offered_skips = filler->bought.unaffordable > 0;
    return ALCORE_OK;
}

alcore_status alcore__knn_finish(alcore__run *run) {
    const alcore__knn_state *state = run->state;
    const size_t height = alcore__run_height(run);
    int64_t *positions, *target_counts; /* [neighbors], [candidates] */
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->neighbors.count, &positions));
    ALCORE__TRY(find_positions(run, positions));
    if (alcore__lists_own(run)) {
        ALCORE__TRY(offer_neighbors(run, positions));
    } else {
        ALCORE__TRY(record(run, positions, &target_counts));
        ALCORE__TRY(buy(run, positions, target_counts));
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}
