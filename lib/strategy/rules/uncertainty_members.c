/* SPDX-License-Identifier: Apache-2.0 */
/* The set C of UNCERTAINTY-KNN: the most uncertain candidates, which together cost c times the
 * budget. In a run over own rows each shard tells which of its candidates would be in C if there
 * were no other shard. All members of C are among these, as what a shard has in C costs no more
 * than C. The terms are those of uncertainty_knn.c. */
#include <math.h>
#include <string.h>

#include "strategy/budget/rank.h"
#include "strategy/rules/uncertainty_knn.h"

/* What C is chosen from, ascending rows: all candidates, or those that the shards told. */
typedef struct choice {
    const double *uncertainty; /* [count] */
    const int64_t *rows;       /* [count] for random ties; may be NULL without them */
    const double *costs;       /* [count] NULL: those of the candidates */
    int64_t count;
} choice;

/* Lists the shortest prefix of the ranking by uncertainty that costs at least `limit`, or all:
 * *order, on the run's stack, has *found indices, the most uncertain first. As many are ranked as
 * will probably do; while these cost too little, four times as many are ranked. */
static alcore_status list_first(alcore__run *run, const choice *from, double limit, int64_t **order,
                                int64_t *found) {
    const alcore__uncertainty_knn *state = run->state;
    const alcore__fill *fill = &run->input->fill;
    const double expected = state->factor * alcore__expected_picks(run) + 64.0;
    int64_t ranked = expected < (double)from->count ? (int64_t)expected : from->count;
    for (;;) {
        const size_t height = alcore__run_height(run);
        double cost = 0;
        ALCORE__TRY(ALCORE__RUN_PUSH(run, ranked, order));
        ALCORE__TRY(alcore__rank(run->ctx, from->uncertainty, from->rows, from->count, fill->tie,
                                 run->input->seed, ranked, *order));
        for (*found = 0; *found < ranked && cost < limit; ++*found) {
            const int64_t i = (*order)[*found];
            cost += from->costs ? from->costs[i] : alcore__filler_cost(&state->hybrid.filler, i);
        }
        if (!(cost < limit) || ranked == from->count) return ALCORE_OK;
        alcore__run_drop(run, height);
        ranked = ranked < from->count / 4 ? ranked * 4 : from->count;
    }
}

/* ---- shards ---- */

/* Sums of costs may be rounded otherwise in another order, so that the limit of a shard is larger
 * by more than all roundings are. */
alcore_status alcore__uncertain_tell(alcore__run *run, alcore__buffer *out) {
    const alcore__uncertainty_knn *state = run->state;
    const size_t height = alcore__run_height(run);
    choice own = {.uncertainty = state->uncertainty, .count = run->outcome.count};
    int64_t *order, found;
    ALCORE__TRY(alcore__rows_of_ties(run, &own.rows));
    ALCORE__TRY(
        list_first(run, &own, state->factor * alcore__nominees_budget(run), &order, &found));
    ALCORE__TRY(alcore__sort(run->ctx, order, (size_t)found, sizeof *order, alcore__ascending));
    for (int64_t i = 0; i < found; i++) {
        const alcore__uncertain_row told = {
            .row = alcore__candidate_row(run, order[i]),
            .uncertainty = state->uncertainty[order[i]],
            .cost = alcore__filler_cost(&state->hybrid.filler, order[i])};
        ALCORE__TRY(alcore__buffer_append(run->ctx, out, &told, sizeof told));
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* What was told may come from another process. */
alcore_status alcore__uncertain_take(alcore__run *run, const alcore__block_partial *partial) {
    alcore__uncertainty_knn *state = run->state;
    const alcore__uncertain_row *told = partial->extra;
    const int64_t count = (int64_t)(partial->extra_bytes / sizeof *told);
    int64_t last = state->told_count > 0 ? state->told[state->told_count - 1].row : -1;
    ALCORE__TRY(alcore__run_grow(run, &state->told, &state->told_capacity,
                                 state->told_count + count, sizeof *told));
    for (int64_t i = 0; i < count; last = told[i++].row) {
        if (told[i].row <= last || told[i].row >= run->input->candidates.rows ||
            isnan(told[i].uncertainty) || !isfinite(told[i].cost) || told[i].cost < 0.0)
            return alcore__fail(ALCORE_E_CORRUPT, "a partial tells of no row behind row %lld",
                                (long long)last);
        state->told[state->told_count++] = told[i];
    }
    return ALCORE_OK;
}

/* ---- C ---- */

/* Allocates the arrays of C. */
static alcore_status make_members(alcore__run *run, int64_t count) {
    alcore__uncertainty_knn *state = run->state;
    const int64_t dims = alcore__embedding_dims(run);
    const int64_t numbers = alcore__lists_own(run) ? count : run->outcome.count;
    state->member_count = count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->members));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->by_uncertainty));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->number));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->prox));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, numbers, &state->buyer));
    for (int64_t m = 0; m < count; m++) state->prox[m] = (double)NAN;
    for (int64_t i = 0; i < numbers; i++) state->buyer[i] = -1;
    if (state->cover) return ALCORE__RUN_ARRAY(run, (count + 1) * dims, &state->vectors);
    if (!state->in_turns) return ALCORE_OK;
    return ALCORE__RUN_ARRAY(run, count * state->groups.count, &state->nearest);
}

/* Fills member m from number i of what C is chosen from. */
static void set_member(alcore__run *run, int64_t m, int64_t i) {
    alcore__uncertainty_knn *state = run->state;
    if (alcore__lists_own(run)) {
        state->members[m] = state->told[i];
        state->number[m] = m;
        return;
    }
    state->members[m] =
        (alcore__uncertain_row){.row = alcore__candidate_row(run, i),
                                .uncertainty = state->uncertainty[i],
                                .cost = alcore__filler_cost(&state->hybrid.filler, i)};
    state->number[m] = i;
}

/* All that was told, as arrays on the run's stack. */
static alcore_status choice_of_told(alcore__run *run, choice *out) {
    const alcore__uncertainty_knn *state = run->state;
    double *uncertainty, *costs;
    int64_t *rows;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->told_count, &uncertainty));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->told_count, &costs));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->told_count, &rows));
    for (int64_t i = 0; i < state->told_count; i++) {
        uncertainty[i] = state->told[i].uncertainty;
        costs[i] = state->told[i].cost;
        rows[i] = state->told[i].row;
    }
    *out = (choice){
        .uncertainty = uncertainty, .rows = rows, .costs = costs, .count = state->told_count};
    return ALCORE_OK;
}

/* The limit is 1e-9 lower, so that rounding in the sum of costs does not add one more row. */
alcore_status alcore__uncertain_choose(alcore__run *run) {
    alcore__uncertainty_knn *state = run->state;
    const size_t height = alcore__run_height(run);
    const double limit = state->factor * run->input->fill.budget - 1e-9;
    choice from = {
        .uncertainty = state->uncertainty, .rows = run->outcome.rows, .count = run->outcome.count};
    int64_t *order, *sorted, count;
    if (alcore__lists_own(run)) ALCORE__TRY(choice_of_told(run, &from));
    ALCORE__TRY(list_first(run, &from, limit, &order, &count));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &sorted));
    if (count > 0) memcpy(sorted, order, (size_t)count * sizeof *sorted);
    ALCORE__TRY(alcore__sort(run->ctx, sorted, (size_t)count, sizeof *sorted, alcore__ascending));
    ALCORE__TRY(make_members(run, count));
    for (int64_t m = 0; m < count; m++) {
        set_member(run, m, sorted[m]);
        state->by_uncertainty[m] = alcore__first_from(sorted, count, order[m]);
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* ---- those of a block ---- */

int64_t alcore__uncertain_first(const alcore__uncertainty_knn *state, int64_t block) {
    int64_t low = 0, high = state->member_count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (state->members[middle].row < block * ALCORE_BLOCK_ROWS)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t alcore__uncertain_count(const alcore__block *block) {
    const alcore__uncertainty_knn *state = block->run->state;
    return alcore__uncertain_first(state, block->number + block->blocks) -
           alcore__uncertain_first(state, block->number);
}

alcore_status alcore__uncertain_indices(alcore__block *block, int64_t **indices, uint8_t **wanted) {
    const alcore__uncertainty_knn *state = block->run->state;
    const int64_t first = alcore__uncertain_first(state, block->number);
    const int64_t count = alcore__uncertain_count(block);
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof **indices, indices));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof **wanted, wanted));
    memset(*wanted, 0, (size_t)block->count);
    for (int64_t m = 0; m < count; m++) {
        const int64_t row = state->members[first + m].row;
        int64_t index;
        ALCORE__TRY(alcore__hybrid_candidate(block, row, &index));
        (*indices)[m] = index;
        (*wanted)[index] = 1;
    }
    return ALCORE_OK;
}
