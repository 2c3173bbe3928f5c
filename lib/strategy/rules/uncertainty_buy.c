/* SPDX-License-Identifier: Apache-2.0 */
/* How UNCERTAINTY-KNN spends its budget on C, the most uncertain candidates: by their distance to
 * the target; with cover=1 in visits of the target's rows, each of which gets the nearest member;
 * or in turns of the target's languages, each of which has an order of its own. */
#include "strategy/rules/uncertainty_knn.h"

#include "strategy/budget/rank.h"

/* Offers C by (prox ascending, uncertainty descending): the largest key, minus prox, comes first.
 * `by_uncertainty` lists C by uncertainty, so the lower index in it wins between equal distances;
 * index, which is 0, 1, ..., stands for the pool rows that alcore__rank() expects. order, index and
 * keys [member_count]: workspace. */
static alcore_status buy_nearest(alcore__run *run, int64_t *order, int64_t *index, double *keys) {
    alcore__uncertainty_knn *state = run->state;
    int64_t count = state->member_count;
    for (int64_t i = 0; i < count; i++) {
        index[i] = i;
        keys[i] = -state->prox[state->by_uncertainty[i]];
    }
    ALCORE__TRY(
        alcore__rank(run->ctx, keys, index, count, ALCORE__TIE_INDEX, 0 /* seed */, count, order));
    for (int64_t i = 0; i < count; i++) order[i] = state->number[state->by_uncertainty[order[i]]];
    return alcore__filler_offer_all(&state->hybrid.filler, order, count);
}

/* The member that a visit of a target row offers: the one with the smallest of sq_dist
 * [member_count], of equally near ones the more uncertain, then the lower row; an index among the
 * members in row order, -1: none is left. done [member_count], in the same order: 1: offered
 * before. */
static int64_t find_nearest(const alcore__uncertainty_knn *state, const double *sq_dist,
                            const uint8_t *done) {
    int64_t best = -1;
    for (int64_t i = 0; i < state->member_count; i++) {
        if (done[i]) continue;
        if (best >= 0 && !(sq_dist[i] < sq_dist[best])) {
            const double gain = state->members[i].uncertainty - state->members[best].uncertainty;
            if (sq_dist[i] > sq_dist[best] || !(gain > 0)) continue;
        }
        best = i;
    }
    return best;
}

/* The row of the target's pool that visit number `visit`, from 0, is made to. group: visit mod
 * groups, so each group is visited in turn, and in each group one row after another, from the first
 * again after the last. */
static int64_t visited_row(const alcore__uncertainty_knn *state, int64_t visit, int64_t group) {
    const int64_t *starts = state->groups.starts, rows = starts[group + 1] - starts[group];
    return state->groups.members[starts[group] + visit / state->groups.count % rows];
}

/* Spends the budget with cover=1: visits the active target rows in turn until it is spent or C is
 * used up; each visit offers one member, bought or not. The embeddings of C move to the engine's
 * memory, in which each visit reads its row of the target; only the distances are copied back.
 * Workspace: sq_dist and done [member_count], zeroed. */
static alcore_status buy_cover(alcore__run *run, double *sq_dist, uint8_t *done) {
    alcore__uncertainty_knn *state = run->state;
    const alcore__column *column = alcore__dataset_find(&run->input->target, "embeddings");
    int64_t offered = 0, target = state->member_count; /* the row behind those of C */
    alcore__vectors *members = &state->engine_vectors;
    double *vectors = state->vectors;
    state->vectors = NULL;
    ALCORE__TRY(alcore__run_defer(run, alcore__vectors_free, members));
    ALCORE__TRY(alcore__vectors_adopt(run, members, vectors, state->member_count + 1,
                                      alcore__embedding_dims(run)));
    for (int64_t visit = 0; offered < state->member_count; visit++) {
        bool bought;
        if (alcore__filler_full(&state->hybrid.filler)) break;
        int64_t group = visit % state->groups.count;
        ALCORE__TRY(
            alcore__vectors_read(run, members, column, visited_row(state, visit, group), target));
        ALCORE__TRY(alcore__vectors_sq_dists(run, members, state->member_count, target, sq_dist));
        /* Not -1: fewer than member_count were offered. */
        int64_t nearest = find_nearest(state, sq_dist, done);
        const int64_t number = state->number[nearest];
        done[nearest] = 1;
        state->prox[nearest] = sq_dist[nearest];
        ALCORE__TRY(alcore__filler_offer(&state->hybrid.filler, number, &bought));
        if (bought) state->buyer[number] = group;
        offered++;
        ALCORE__TRY(alcore__tick(run->ctx, "covering the target", offered, state->member_count));
    }
    return ALCORE_OK;
}

/* Orders C for each group by (distance to its nearest row ascending, uncertainty descending), as
 * buy_nearest() does, and buys in turns; then sets prox of what was bought. Workspace: index and
 * values [member_count], order [groups, member_count] and starts [groups + 1], zeroed. */
static alcore_status buy_in_turns(alcore__run *run, int64_t *index, int64_t *order, double *values,
                                  int64_t *starts) {
    alcore__uncertainty_knn *state = run->state;
    const int64_t groups = state->groups.count, count = state->member_count;
    for (int64_t g = 0; g < groups; g++) {
        int64_t *list = order + g * count;
        starts[g + 1] = starts[g] + count;
        for (int64_t i = 0; i < count; i++) { /* i: index in `by_uncertainty` */
            index[i] = i;
            values[i] = -state->nearest[state->by_uncertainty[i] * groups + g];
        }
        ALCORE__TRY(alcore__rank(run->ctx, values, index, count, ALCORE__TIE_INDEX, 0 /* seed */,
                                 count, list));
        for (int64_t i = 0; i < count; i++) list[i] = state->number[state->by_uncertainty[list[i]]];
    }
    const alcore__group_lists lists = {.starts = starts,
                                       .positions = order,
                                       .candidates =
                                           alcore__lists_own(run) ? count : run->outcome.count};
    ALCORE__TRY(
        alcore__target_groups_buy(&state->groups, &lists, &state->hybrid.filler, state->buyer));
    for (int64_t m = 0; m < count; m++) {
        const int64_t group = state->buyer[state->number[m]];
        if (group >= 0) state->prox[m] = state->nearest[m * groups + group];
    }
    return ALCORE_OK;
}

alcore_status alcore__uncertainty_knn_buy(alcore__run *run) {
    alcore__uncertainty_knn *state = run->state;
    const int64_t count = state->member_count, groups = state->groups.count;
    const size_t height = alcore__run_height(run);
    int64_t *order, *index, *starts;
    double *values, *costs;
    uint8_t *done;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &values));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, groups * count, &order));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &index));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &done));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, groups + 1, &starts));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &costs));
    for (int64_t m = 0; m < count; m++) costs[m] = state->members[m].cost;
    if (alcore__lists_own(run)) state->hybrid.filler.costs = costs;
    ALCORE__TRY(state->cover      ? buy_cover(run, values, done)
                : state->in_turns ? buy_in_turns(run, index, order, values, starts)
                                  : buy_nearest(run, order, index, values));
    state->hybrid.filler.costs = NULL;
    alcore__run_drop(run, height);
    return ALCORE_OK;
}
