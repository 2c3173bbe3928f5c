/* SPDX-License-Identifier: Apache-2.0 */
/* How UNCERTAINTY-KNN spends its budget on C, the most uncertain candidates: by their distance to
 * the target; with cover=1 in visits of the target's rows, each of which gets the nearest member;
 * or in turns of the target's languages, each of which has an order of its own. */
#include "strategy/rules/uncertainty_knn.h"

#include "strategy/budget/rank.h"

/* Offers C by (prox ascending, uncertainty descending): the largest key, minus prox, comes first.
 * `members` lists C by uncertainty, so the lower index in it wins between equal distances; index,
 * which is 0, 1, ..., stands for the pool rows that alcore__rank() expects. order, index and keys
 * [member_count]: workspace. */
static alcore_status buy_nearest(alcore__run *run, int64_t *order, int64_t *index, double *keys) {
    alcore__uncertainty_knn *state = run->state;
    int64_t count = state->member_count;
    for (int64_t i = 0; i < count; i++) {
        index[i] = i;
        keys[i] = -state->prox[state->members[i]];
    }
    ALCORE__TRY(
        alcore__rank(run->ctx, keys, index, count, ALCORE__TIE_INDEX, 0 /* seed */, count, order));
    for (int64_t i = 0; i < count; i++) order[i] = state->members[order[i]];
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
            double gain = state->uncertainty[state->member_positions[i]] -
                          state->uncertainty[state->member_positions[best]];
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
        int64_t position = state->member_positions[nearest];
        done[nearest] = 1;
        state->prox[position] = sq_dist[nearest];
        ALCORE__TRY(alcore__filler_offer(&state->hybrid.filler, position, &bought));
        if (bought) state->buyer[position] = group;
        offered++;
        ALCORE__TRY(alcore__tick(run->ctx, "covering the target", offered, state->member_count));
    }
    return ALCORE_OK;
}

/* The index of a member of C among those in row order, found by its position: a bisection of
 * member_positions, which ascends. */
static int64_t find_member(const alcore__uncertainty_knn *state, int64_t position) {
    int64_t low = 0, high = state->member_count - 1;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (state->member_positions[middle] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
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
        for (int64_t i = 0; i < count; i++) { /* i: index in `members`, by uncertainty */
            index[i] = i;
            values[i] = -state->nearest[find_member(state, state->members[i]) * groups + g];
        }
        ALCORE__TRY(alcore__rank(run->ctx, values, index, count, ALCORE__TIE_INDEX, 0 /* seed */,
                                 count, list));
        for (int64_t i = 0; i < count; i++) list[i] = state->members[list[i]];
    }
    const alcore__group_lists lists = {
        .starts = starts, .positions = order, .candidates = run->outcome.count};
    ALCORE__TRY(
        alcore__target_groups_buy(&state->groups, &lists, &state->hybrid.filler, state->buyer));
    for (int64_t m = 0; m < count; m++) {
        int64_t position = state->member_positions[m], group = state->buyer[position];
        if (group >= 0) state->prox[position] = state->nearest[m * groups + group];
    }
    return ALCORE_OK;
}

alcore_status alcore__uncertainty_knn_buy(alcore__run *run) {
    alcore__uncertainty_knn *state = run->state;
    const int64_t count = state->member_count, groups = state->groups.count;
    const size_t height = alcore__run_height(run);
    int64_t *order, *index, *starts;
    double *values;
    uint8_t *done;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &values));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, groups * count, &order));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &index));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &done));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, groups + 1, &starts));
    ALCORE__TRY(state->cover      ? buy_cover(run, values, done)
                : state->in_turns ? buy_in_turns(run, index, order, values, starts)
                                  : buy_nearest(run, order, index, values));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}
