/* SPDX-License-Identifier: Apache-2.0 */
/* UNCERTAINTY-KNN, the hybrid that DeMuX names as future work (spec 7.6): first the most uncertain
 * candidates, then of these the ones that are nearest to a target.
 *
 *   C       = the most uncertain candidates, as many as c times the budget buys
 *   prox(x) = min over target rows t of ||e(x) - e(t)||^2, or the mean of ||e(x) - e(t)||
 *
 * The members of C are bought in the order of (prox ascending, uncertainty descending, row). With
 * cover=1 the target rows are visited in turn instead, and each gets the nearest member of C that
 * was not bought yet.
 *
 * With balance_targets the rows of the target are groups by language (target_groups.h). prox=mean
 * is then the mean over the groups of the mean distance to their rows. With prox=min each group
 * orders C by the distance to its own nearest row, and the groups buy in turns; with cover=1 every
 * visit is to a row of the next group.
 *
 * Passes: the uncertainty of every candidate; then one over the members of C, which measures them
 * from the target, or with cover=1 collects their embeddings. The visits of cover=1 are made after
 * the passes: each reads one row of the target and measures all of C from it.
 *
 * Terms used here:
 *
 *     position      number of a candidate among all candidates, from 0
 *     active row    a row that takes part in its block (8192 pool rows), here a candidate; its
 *                   index numbers them in the block, so that its position is block->start + index
 *     partial       what a block contributes to a pass, zeroed before the visit; its bytes are
 *                   given to reduce()
 *     target block  8192 rows of the target's pool; block_starts and mask of the active rows tell
 *                   which of its rows take part
 *     in turns      balance_targets=1 with prox=min and cover=0: each group has a list of C in its
 *                   own order, and the groups buy in turns
 *     filler        spends the budget: a row that is offered to it is bought or passed over
 *
 * Memory: 33 bytes a candidate; with cover=1 also 8 bytes for each component of the embeddings of
 * C; in turns 8 bytes for each pair of a member of C and a group, 8 more while the budget is spent,
 * and one byte for each pair of a group and a target row. */
#include <math.h>
#include <string.h>

#include "strategy/budget/rank.h"
#include "strategy/rules/target_groups.h"
#include "strategy/rules/target_hybrid.h"
#include "strategy/strategies.h"

enum { PROX_MIN, PROX_MEAN }; /* the parameter "prox" */

typedef struct uncertainty_knn_state {
    alcore__hybrid hybrid; /* uncertainty of the candidates, and the budget */
    bool by_mean, cover;   /* prox=mean, cover=1 */
    bool balanced;         /* balance_targets=1 */
    bool in_turns;         /* balanced, with prox=min and without cover */
    double factor;         /* c, 1 or more */
    uint8_t *is_member;    /* [candidates] 1: in C */
    int64_t *members;      /* [member_count] positions of C, the most uncertain first */
    int64_t member_count;
    /* [candidates] prox of the members of C: the squared distance to the nearest target row or,
     * with prox=mean, the mean distance (not squared); with cover=1 the squared distance to the
     * target row whose visit offered the candidate, and in turns that to the nearest row of the
     * group that bought it. NaN: no such distance is known */
    double *prox;
    alcore__target_groups groups; /* the languages of the target, or one group of all its rows */
    int64_t *buyer;               /* [candidates] the group for which it was bought; -1: none */
    /* With cover=1 and in turns, the members of C in row order, not in that of `members`: */
    int64_t *member_positions; /* [member_count] position of each */
    int64_t collected;         /* members whose values the pass has stored so far */
    double *vectors;           /* cover: [member_count + 1, dims] their embeddings; the last row is
                                    that of the visited row of the target */
    double *nearest;     /* in turns: [member_count, groups] their squared distances to the nearest
                              row of each group */
    uint8_t *group_mask; /* in turns: [groups, target rows] 1: an active row of the group */
    int64_t *visits;     /* cover: [active target rows] rows of the target's pool, those of group 0
                             first, and so on, ascending in each group */
    int64_t *group_visits; /* cover: [groups + 1] first entry of each group in `visits` */
} uncertainty_knn_state;

/* ---- begin ---- */

/* Makes visits and group_visits: the active rows of the target by group, for cover=1. */
static alcore_status list_visits(alcore__run *run) {
    uncertainty_knn_state *state = run->state;
    const alcore__active_rows *target = &run->active[ALCORE__OVER_TARGET];
    size_t groups = (size_t)state->groups.count;
    int64_t listed = 0;
    ALCORE__TRY(
        alcore__new_array(run->ctx, (size_t)target->count, sizeof(int64_t), &state->visits));
    ALCORE__TRY(alcore__new_array(run->ctx, groups + 1, sizeof(int64_t), &state->group_visits));
    for (int64_t g = 0; g < state->groups.count; g++) {
        for (int64_t i = 0; i < target->count; i++) {
            if (state->groups.group_of[target->rows[i]] == g)
                state->visits[listed++] = target->rows[i];
        }
        state->group_visits[g + 1] = listed;
    }
    return ALCORE_OK;
}

/* Makes group_mask [groups, target rows], by which measure_groups() finds the nearest row of each
 * group. */
static alcore_status mask_groups(alcore__run *run) {
    uncertainty_knn_state *state = run->state;
    int64_t rows = run->input->target.rows;
    ALCORE__TRY(
        alcore__new_array(run->ctx, (size_t)state->groups.count, (size_t)rows, &state->group_mask));
    for (int64_t row = 0; row < rows; row++) {
        int32_t group = state->groups.group_of[row];
        if (group >= 0) state->group_mask[group * rows + row] = 1;
    }
    return ALCORE_OK;
}

/* Called once before the first pass: reads the parameters and allocates the arrays. Those for the
 * members of C follow in choose_members(), which knows how many there are. */
static alcore_status begin(alcore__run *run) {
    uncertainty_knn_state *state = run->state;
    size_t count = (size_t)run->outcome.count;
    state->by_mean = alcore__values_integer(run->values, "prox") == PROX_MEAN;
    state->cover = alcore__values_integer(run->values, "cover") == 1;
    state->balanced = alcore__values_integer(run->values, "balance_targets") == 1;
    state->in_turns = state->balanced && !state->cover && !state->by_mean;
    state->factor = alcore__values_number(run->values, "c");
    ALCORE__TRY(alcore__hybrid_begin(run, false));
    if (state->cover && state->by_mean)
        return alcore__fail(
            ALCORE_E_PARAM,
            "strategy uncertainty-knn: prox has no part in the choice with cover=1");
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof *state->is_member, &state->is_member));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(int64_t), &state->members));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &state->prox));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(int64_t), &state->buyer));
    ALCORE__TRY(alcore__target_groups_new(run, state->balanced, &state->groups));
    run->row_work = true;
    run->block_doubles = 2.0 * ALCORE_BLOCK_ROWS * (double)state->groups.count;
    for (size_t i = 0; i < count; i++) state->prox[i] = (double)NAN;
    for (size_t i = 0; i < count; i++) state->buyer[i] = -1;
    if (state->in_turns) return mask_groups(run);
    return state->cover ? list_visits(run) : ALCORE_OK;
}

/* Called when the run is freed, also after a failure in begin: arrays that were not made are NULL.
 */
static void free_state(alcore__run *run) {
    uncertainty_knn_state *state = run->state;
    alcore__free(run->ctx, state->is_member);
    alcore__free(run->ctx, state->members);
    alcore__free(run->ctx, state->prox);
    alcore__free(run->ctx, state->buyer);
    alcore__free(run->ctx, state->member_positions);
    alcore__free(run->ctx, state->vectors);
    alcore__free(run->ctx, state->nearest);
    alcore__free(run->ctx, state->group_mask);
    alcore__free(run->ctx, state->visits);
    alcore__free(run->ctx, state->group_visits);
    alcore__target_groups_free(run->ctx, &state->groups);
    alcore__hybrid_free(run);
}

/* ---- end of pass "uncertainty" ---- */

/* End of "uncertainty": C is the shortest prefix of the ranking by uncertainty that costs at least
 * c times the budget, or all candidates. The limit is 1e-9 lower, so that rounding in the sum of
 * costs does not add one more row. Makes members [member_count of candidates], which is allocated
 * for all, and is_member; with cover=1 and in turns the arrays for the members of C too. */
static alcore_status choose_members(alcore__run *run) {
    uncertainty_knn_state *state = run->state;
    int64_t count = run->outcome.count;
    double cost = 0, limit = state->factor * run->input->fill.budget - 1e-9;
    ALCORE__TRY(alcore__rank(run->ctx, state->hybrid.uncertainty, run->outcome.rows, count,
                             run->input->fill.tie, run->input->seed, count, state->members));
    while (state->member_count < count && cost < limit) {
        int64_t position = state->members[state->member_count++];
        state->is_member[position] = 1;
        cost += alcore__filler_cost(&state->hybrid.filler, position);
    }
    if (!state->cover && !state->in_turns) return ALCORE_OK;
    size_t members = (size_t)state->member_count, dims = (size_t)alcore__embedding_dims(run);
    ALCORE__TRY(alcore__new_array(run->ctx, members, sizeof(int64_t), &state->member_positions));
    if (state->cover)
        return alcore__new_array(run->ctx, members + 1, dims * sizeof(double), &state->vectors);
    return alcore__new_array(run->ctx, members, (size_t)state->groups.count * sizeof(double),
                             &state->nearest);
}

/* ---- pass "distances": prox of the members of C ---- */

/* Condition of the pass: neither cover=1 nor in turns. */
static bool measures(const alcore__run *run) {
    const uncertainty_knn_state *state = run->state;
    return !state->cover && !state->in_turns;
}

/* Number of members of C in a block. */
static int64_t count_members(const alcore__block *block) {
    const uncertainty_knn_state *state = block->run->state;
    int64_t members = 0;
    for (int64_t i = 0; i < block->count; i++) members += state->is_member[block->start + i];
    return members;
}

/* The partial: double [active rows], prox of the members of C, NaN of the others. A block without
 * members is not visited. */
static size_t distance_bytes(const alcore__block *block) {
    return count_members(block) > 0 ? (size_t)block->count * sizeof(double) : 0;
}

/* Sets *matrix to the embeddings of a block of candidates, and fails on one that is not finite. */
static alcore_status open_matrix(alcore__block *block, alcore__matrix *matrix) {
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, matrix));
    return alcore__matrix_check_norms(matrix);
}

/* Whether a block of the target's pool has an active row. */
static bool has_active_target(const alcore__run *run, int64_t target_block) {
    const int64_t *starts = run->active[ALCORE__OVER_TARGET].block_starts;
    return starts[target_block] < starts[target_block + 1];
}

/* prox=mean: computes the mean over the groups of the mean distance of each member to the rows of
 * the group: prox [active rows]. Entries of rows that are no members have no meaning. The distances
 * to a block of the target are added up first and then these sums (spec 1.8). */
static alcore_status measure_means(const alcore__matrix *matrix, double *prox) {
    alcore__block *block = matrix->block;
    const uncertainty_knn_state *state = block->run->state;
    const uint8_t *is_member = state->is_member + block->start;
    const int64_t groups = state->groups.count, entries = block->count * groups;
    double *sums, *totals; /* [active rows, groups] over one block of the target, and over all */
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *sums, &sums));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *totals, &totals));
    memset(sums, 0, (size_t)entries * sizeof *sums); /* those of other rows are not written */
    memset(totals, 0, (size_t)entries * sizeof *totals);
    for (int64_t b = 0; b < block->run->active[ALCORE__OVER_TARGET].blocks; b++) {
        alcore_sys_rows targets = {0};
        if (!has_active_target(block->run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &targets));
        ALCORE__TRY(alcore__matrix_distances(matrix, is_member, &targets,
                                             state->groups.group_of + b * ALCORE_BLOCK_ROWS, groups,
                                             sums));
        for (int64_t i = 0; i < entries; i++) totals[i] += sums[i];
    }
    for (int64_t i = 0; i < block->count; i++)
        prox[i] = alcore__target_groups_mean(&state->groups, totals + i * groups);
    return ALCORE_OK;
}

/* prox=min: computes the squared distance of each member to the nearest row of the target: prox
 * [active rows]; HUGE_VAL for rows that are no members. */
static alcore_status measure_nearest(const alcore__matrix *matrix, double *prox) {
    alcore__block *block = matrix->block;
    const uncertainty_knn_state *state = block->run->state;
    const alcore__active_rows *target = &block->run->active[ALCORE__OVER_TARGET];
    for (int64_t i = 0; i < block->count; i++) prox[i] = HUGE_VAL;
    for (int64_t b = 0; b < target->blocks; b++) {
        alcore_sys_rows rows = {0};
        if (!has_active_target(block->run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &rows));
        const uint8_t *mask = target->mask ? target->mask + b * ALCORE_BLOCK_ROWS : NULL;
        ALCORE__TRY(alcore__matrix_join_nearest(matrix, state->is_member + block->start, &rows,
                                                mask, prox));
    }
    return ALCORE_OK;
}

/* Measures the members of C in the block from the whole target: writes the partial, prox of the
 * members and NaN for the other active rows. */
static alcore_status measure_members(alcore__block *block, void *partial) {
    const uncertainty_knn_state *state = block->run->state;
    double *prox = partial;
    alcore__matrix matrix;
    ALCORE__TRY(open_matrix(block, &matrix));
    ALCORE__TRY(state->by_mean ? measure_means(&matrix, prox) : measure_nearest(&matrix, prox));
    for (int64_t i = 0; i < block->count; i++) {
        if (!state->is_member[block->start + i]) prox[i] = (double)NAN;
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: prox, at the positions of its active rows. */
static alcore_status store_distances(alcore__run *run, const alcore__block_partial *partial) {
    uncertainty_knn_state *state = run->state;
    memcpy(state->prox + partial->start, partial->extra, partial->extra_bytes);
    return ALCORE_OK;
}

/* ---- pass "distances of languages": C in turns ---- */

/* Condition of the pass: the groups buy in turns. */
static bool takes_turns(const alcore__run *run) {
    return ((const uncertainty_knn_state *)run->state)->in_turns;
}

/* The partial: double [members of the block, groups], the squared distance to the nearest row of
 * each group. */
static size_t nearest_bytes(const alcore__block *block) {
    const uncertainty_knn_state *state = block->run->state;
    return (size_t)(count_members(block) * state->groups.count) * sizeof(double);
}

/* Measures the members of C in the block from the nearest row of each group, one target block after
 * another, and writes the partial in the order of the members' rows. */
static alcore_status measure_groups(alcore__block *block, void *partial) {
    const alcore__run *run = block->run;
    const uncertainty_knn_state *state = run->state;
    const int64_t groups = state->groups.count, target_rows = run->input->target.rows;
    double *nearest = partial, *sq_dist; /* sq_dist [groups, active rows] */
    alcore__matrix matrix;
    ALCORE__TRY(open_matrix(block, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, groups * block->count, sizeof *sq_dist, &sq_dist));
    for (int64_t i = 0; i < groups * block->count; i++) sq_dist[i] = HUGE_VAL;
    for (int64_t b = 0; b < run->active[ALCORE__OVER_TARGET].blocks; b++) {
        alcore_sys_rows rows = {0};
        if (!has_active_target(run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &rows));
        for (int64_t g = 0; g < groups; g++) {
            const uint8_t *mask = state->group_mask + g * target_rows + b * ALCORE_BLOCK_ROWS;
            if (!memchr(mask, 1, (size_t)rows.count)) continue; /* none in this block */
            ALCORE__TRY(alcore__matrix_join_nearest(&matrix, state->is_member + block->start, &rows,
                                                    mask, sq_dist + g * block->count));
        }
    }
    for (int64_t i = 0; i < block->count; i++) {
        if (!state->is_member[block->start + i]) continue;
        for (int64_t g = 0; g < groups; g++) *nearest++ = sq_dist[g * block->count + i];
    }
    return ALCORE_OK;
}

/* Appends the partial of a block, [members of the block, width], to values [member_count, width],
 * behind those of the blocks before, and the position of each member to member_positions. Blocks
 * come in order, so both are in row order. */
static void append_members(uncertainty_knn_state *state, const alcore__block_partial *partial,
                           int64_t width, double *values) {
    memcpy(values + state->collected * width, partial->extra, partial->extra_bytes);
    for (int64_t i = partial->start; i < partial->start + partial->count; i++)
        if (state->is_member[i]) state->member_positions[state->collected++] = i;
}

/* Reduces the partial of one block: appends the distances of its members. */
static alcore_status store_nearest(alcore__run *run, const alcore__block_partial *partial) {
    uncertainty_knn_state *state = run->state;
    append_members(state, partial, state->groups.count, state->nearest);
    return ALCORE_OK;
}

/* ---- pass "vectors": the embeddings of C, for cover=1 ---- */

/* Condition of the pass: cover=1. */
static bool collects(const alcore__run *run) {
    return ((const uncertainty_knn_state *)run->state)->cover;
}

/* The partial: double [members of the block, dims]. */
static size_t vectors_bytes(const alcore__block *block) {
    return (size_t)(count_members(block) * alcore__embedding_dims(block->run)) * sizeof(double);
}

/* Copies the embeddings of the members of C in the block to the partial, in row order, and fails on
 * a component that is not finite. */
static alcore_status collect_members(alcore__block *block, void *partial) {
    const uncertainty_knn_state *state = block->run->state;
    int64_t dims = alcore__embedding_dims(block->run);
    double *vector = partial;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__vectors_collect(&matrix, state->is_member + block->start,
                                        count_members(block), vector));
    for (int64_t i = 0; i < block->count; i++) {
        if (!state->is_member[block->start + i]) continue;
        ALCORE__TRY(alcore__vector_check(vector, dims, ALCORE__OVER_CANDIDATES, block->rows[i]));
        vector += dims;
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: appends the embeddings of its members. */
static alcore_status store_vectors(alcore__run *run, const alcore__block_partial *partial) {
    uncertainty_knn_state *state = run->state;
    append_members(state, partial, alcore__embedding_dims(run), state->vectors);
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {ALCORE__UNCERTAINTY_PASS, .end = choose_members},
    {ALCORE__CHECK_TARGET_PASS},
    {.name = "distances",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = measure_members,
     .partial = {.extra = distance_bytes, .reduce = store_distances},
     .when = measures},
    {.name = "distances of languages",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = measure_groups,
     .partial = {.extra = nearest_bytes, .reduce = store_nearest},
     .when = takes_turns},
    {.name = "vectors",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = collect_members,
     .partial = {.extra = vectors_bytes, .reduce = store_vectors},
     .when = collects},
    {.name = NULL},
};

/* ---- finish ---- */

/* Offers C by (prox ascending, uncertainty descending): the largest key, minus prox, comes first.
 * `members` lists C by uncertainty, so the lower index in it wins between equal distances; index,
 * which is 0, 1, ..., stands for the pool rows that alcore__rank() expects. order, index and keys
 * [member_count]: workspace. */
static alcore_status buy_nearest(alcore__run *run, int64_t *order, int64_t *index, double *keys) {
    uncertainty_knn_state *state = run->state;
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
static int64_t find_nearest(const uncertainty_knn_state *state, const double *sq_dist,
                            const uint8_t *done) {
    int64_t best = -1;
    for (int64_t i = 0; i < state->member_count; i++) {
        if (done[i]) continue;
        if (best >= 0 && !(sq_dist[i] < sq_dist[best])) {
            double gain = state->hybrid.uncertainty[state->member_positions[i]] -
                          state->hybrid.uncertainty[state->member_positions[best]];
            if (sq_dist[i] > sq_dist[best] || !(gain > 0)) continue;
        }
        best = i;
    }
    return best;
}

/* The row of the target's pool that visit number `visit`, from 0, is made to. group: visit mod
 * groups, so each group is visited in turn, and in each group one row after another, from the first
 * again after the last. */
static int64_t visited_row(const uncertainty_knn_state *state, int64_t visit, int64_t group) {
    int64_t first = state->group_visits[group], rows = state->group_visits[group + 1] - first;
    return state->visits[first + visit / state->groups.count % rows];
}

/* Spends the budget with cover=1: visits the active target rows in turn until it is spent or C is
 * used up; each visit offers one member, bought or not. The embeddings of C move to the engine's
 * memory, in which each visit reads its row of the target; only the distances are copied back.
 * Workspace: sq_dist and done [member_count], zeroed. */
static alcore_status buy_cover(alcore__run *run, double *sq_dist, uint8_t *done) {
    uncertainty_knn_state *state = run->state;
    const alcore__column *column = alcore__dataset_find(&run->input->target, "embeddings");
    int64_t offered = 0, target = state->member_count; /* the row behind those of C */
    alcore__vectors members = {0};
    double *vectors = state->vectors;
    state->vectors = NULL;
    alcore_status status = alcore__vectors_adopt(run, &members, vectors, state->member_count + 1,
                                                 alcore__embedding_dims(run));
    for (int64_t visit = 0; offered < state->member_count && status == ALCORE_OK; visit++) {
        bool bought; /* the filler sets it also when it fails */
        if (alcore__filler_full(&state->hybrid.filler)) break;
        int64_t group = visit % state->groups.count;
        status =
            alcore__vectors_read(run, &members, column, visited_row(state, visit, group), target);
        if (status == ALCORE_OK)
            status = alcore__vectors_sq_dists(run, &members, state->member_count, target, sq_dist);
        if (status != ALCORE_OK) break;
        /* Not -1: fewer than member_count were offered. */
        int64_t nearest = find_nearest(state, sq_dist, done);
        int64_t position = state->member_positions[nearest];
        done[nearest] = 1;
        state->prox[position] = sq_dist[nearest];
        status = alcore__filler_offer(&state->hybrid.filler, position, &bought);
        if (bought) state->buyer[position] = group;
        offered++;
        if (status == ALCORE_OK)
            status = alcore__tick(run->ctx, "covering the target", offered, state->member_count);
    }
    alcore__vectors_free(run, &members);
    return status;
}

/* The index of a member of C among those in row order, found by its position: a bisection of
 * member_positions, which ascends. */
static int64_t find_member(const uncertainty_knn_state *state, int64_t position) {
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
    uncertainty_knn_state *state = run->state;
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
    const alcore__group_lists lists = {.starts = starts, .positions = order};
    ALCORE__TRY(
        alcore__target_groups_buy(&state->groups, &lists, &state->hybrid.filler, state->buyer));
    for (int64_t m = 0; m < count; m++) {
        int64_t position = state->member_positions[m], group = state->buyer[position];
        if (group >= 0) state->prox[position] = state->nearest[m * groups + group];
    }
    return ALCORE_OK;
}

/* Allocates the workspace that the three rules need and spends the budget on C by the one of the
 * parameters: values [member_count], order [groups, member_count],
 * index [member_count], done [member_count] and starts [groups + 1], zeroed. */
static alcore_status buy(alcore__run *run) {
    uncertainty_knn_state *state = run->state;
    size_t count = (size_t)state->member_count;
    size_t groups = (size_t)state->groups.count;
    int64_t *order = NULL, *index = NULL, *starts = NULL;
    double *values = NULL;
    uint8_t *done = NULL;
    alcore_status status = alcore__new_array(run->ctx, count, sizeof *values, &values);
    if (status == ALCORE_OK)
        status = alcore__new_array(run->ctx, groups * count, sizeof *order, &order);
    if (status == ALCORE_OK) status = alcore__new_array(run->ctx, count, sizeof *index, &index);
    if (status == ALCORE_OK) status = alcore__new_array(run->ctx, count, sizeof *done, &done);
    if (status == ALCORE_OK)
        status = alcore__new_array(run->ctx, groups + 1, sizeof *starts, &starts);
    if (status == ALCORE_OK && state->cover)
        status = buy_cover(run, values, done);
    else if (status == ALCORE_OK)
        status = state->in_turns ? buy_in_turns(run, index, order, values, starts)
                                 : buy_nearest(run, order, index, values);
    alcore__free(run->ctx, values);
    alcore__free(run->ctx, order);
    alcore__free(run->ctx, index);
    alcore__free(run->ctx, done);
    alcore__free(run->ctx, starts);
    return status;
}

/* Called after the last pass: buys, records uncertainty and distance (the root of prox, which is
 * squared unless prox=mean), and scores what was measured by minus the distance, NaN where none was
 * measured. With cover=1 and in turns only picks have scores, which fall from 1 in the order of the
 * picks, as their distances do not order them. */
static alcore_status finish(alcore__run *run) {
    uncertainty_knn_state *state = run->state;
    int64_t count = run->outcome.count;
    const bool by_rank = state->cover || state->in_turns;
    double *uncertainty, *distance, *scores = run->outcome.scores;
    ALCORE__TRY(alcore__outcome_column(run, "u", ALCORE_FLOAT64, &uncertainty));
    ALCORE__TRY(alcore__outcome_column(run, "distance", ALCORE_FLOAT64, &distance));
    ALCORE__TRY(buy(run));
    alcore__filler_finish(&state->hybrid.filler);
    for (int64_t i = 0; i < count; i++) {
        uncertainty[i] = state->hybrid.uncertainty[i];
        distance[i] = state->by_mean ? state->prox[i] : sqrt(state->prox[i]);
        scores[i] = by_rank ? (double)NAN : 0.0 - distance[i];
    }
    int64_t picks = run->outcome.pick_count;
    for (int64_t rank = 0; by_rank && rank < picks; rank++)
        scores[run->outcome.picks[rank]] = (double)(picks - rank) / (double)picks;
    if (!state->balanced || state->by_mean) return ALCORE_OK;
    return alcore__target_groups_record(run, &state->groups, state->buyer);
}

static const char *const TARGET_NEEDS[] = {"embeddings", NULL};
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"c", ALCORE_PARAM_NUMBER, "4", 1, 1000000, NULL,
     "how many times the budget the most uncertain rows cost of which the nearest are chosen"},
    {"prox", ALCORE_PARAM_CHOICE, "min", 0, 0, "min|mean",
     "nearness to the target: the distance to its nearest row, or the mean distance to all"},
    {"cover", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the rows of the target are visited in turn, and each gets its nearest row that is left"},
    {"balance_targets", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the languages of the target buy in turns, each the rows nearest to its own; with "
     "prox=mean "
     "each has the same weight in the mean"},
    ALCORE__UNCERTAINTY_PARAMS,
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);
static const char *const EXAMPLES[] = {"c=2 prox=mean",
                                       "c=1.5 cover=1",
                                       "balance_targets=1",
                                       "balance_targets=1 prox=mean",
                                       "balance_targets=1 cover=1 c=2",
                                       NULL};

const alcore__strategy_def alcore__strategy_uncertainty_knn = {
    .name = "uncertainty-knn",
    .summary = "Of the most uncertain rows those that are nearest to a target (the reverse of "
               "KNN-UNCERTAINTY)",
    .examples = EXAMPLES,
    .reason = "among the most uncertain rows, and near the target",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = alcore__hybrid_needs, [ALCORE_ROLE_TARGET] = TARGET_NEEDS},
    .candidate_needs = alcore__hybrid_needs_of,
    .score_rows = alcore__score_given_or_class,
    .rows_depend_on_budget = true,
    .state_bytes = sizeof(uncertainty_knn_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .free_state = free_state,
};
