/* SPDX-License-Identifier: Apache-2.0 */
/* KNN-UNCERTAINTY of DeMuX (spec 7.5; Khanuja et al. 2023): the most uncertain candidates among the
 * neighbors of a target,
 *
 *   N_k = union over target rows t of the k candidates with the smallest (||e(x) - e(t)||^2, row)
 *
 * With k=auto, k is the smallest of 1, 2, 4, ... for which the candidates of N_k cost more than the
 * budget, so that uncertainty has a choice. Where N_k costs less than the budget, the most
 * uncertain of the other candidates follow.
 *
 * Passes: the uncertainty of every candidate; the neighbors, which are lists of `length` candidates
 * for each target row. A block's partial is its own lists, and lists are merged in block order. The
 * lists are longer than k is expected to be, because each pass computes candidates x target rows
 * distances; if k outgrows them, the pass is made again with longer lists (neighbor_lists.h).
 *
 * Terms used here:
 *
 *     position    number of a candidate among all candidates, from 0
 *     active row  a row that takes part in its block (8192 pool rows): a candidate, or a row of
 *                 the target; its index numbers them in the block, so that the position of a
 *                 candidate is block->start + index
 *     matrix row  a row of the block as kernels see it, rows that are not active included; matrix
 *                 row i of a matrix is reported by kernels as rows.first + i
 *     partial     what a block contributes to a pass; it comes zeroed, and its bytes are given to
 *                 reduce()
 *     filler      spends the budget: a row that is offered to it is bought or passed over
 *
 * Memory: 48 bytes a candidate, 32 of them while the budget is spent; and 16 bytes for each entry
 * of the lists, for the merged ones and for each block in work. */
#include <math.h>
#include <string.h>

#include "strategy/budget/rank.h"
#include "strategy/rules/neighbor_lists.h"
#include "strategy/rules/target_hybrid.h"
#include "strategy/strategies.h"

enum { FILL_SHORT_NONE, FILL_SHORT_UNCERTAINTY }; /* the parameter "fill_short" */

/* Lists have this many times the entries that the budget needs if no two targets shared a neighbor,
 * and at most this many more bytes are spent on them than one entry for each target needs. */
enum { LENGTH_FACTOR = 4, LIST_BYTES = 8 << 20 /* 8 MiB */ };

typedef struct knn_state {
    alcore__hybrid hybrid; /* uncertainty of the candidates, and the budget */
    bool automatic;        /* k=auto */
    bool fill_short;       /* other candidates follow where N_k is short of the budget */
    int64_t limit;         /* largest k: that of the parameters, at most the candidates */
    int64_t target_rows;   /* rows of the target's pool, active or not */
    int64_t length;        /* entries of each list */
    int64_t k;             /* neighbors that were counted in `targets` so far */
    int64_t next_k;        /* neighbors to be counted after the pass */
    double cost;           /* of the candidates of N_k, in the unit of the budget */
    int64_t *targets; /* [candidates] target rows among whose k nearest the candidate is; it is in
                          N_k where this is not 0 */
    alcore__neighbor_lists near; /* [target rows, length] the nearest candidates of each target row;
                                    none of one that is not active */
} knn_state;

/* ---- begin ---- */

/* The entries of each list in the first pass: those that the fixed k needs; with k=auto
 * LENGTH_FACTOR times the smallest k that can exceed the budget, as far as LIST_BYTES allow. */
static int64_t first_length(const alcore__run *run) {
    const knn_state *state = run->state;
    if (!state->automatic) return state->limit;
    int64_t active_targets = run->active[ALCORE__OVER_TARGET].count, length = 1;
    double wanted = LENGTH_FACTOR * alcore__expected_picks(run) / (double)active_targets;
    int64_t affordable = LIST_BYTES / (16 * state->target_rows); /* 16 bytes an entry */
    while ((double)length < wanted && length < affordable) length *= 2;
    return length < state->limit ? length : state->limit;
}

/* Called once before the first pass: reads the parameters and allocates what has one entry for each
 * candidate. A fixed k above k_max counts as k_max. The target has an active row, which was checked
 * before. */
static alcore_status begin(alcore__run *run) {
    knn_state *state = run->state;
    size_t count = (size_t)run->outcome.count;
    ALCORE__TRY(alcore__hybrid_begin(run));
    int64_t k = alcore__values_integer(run->values, "k"); /* 0: the word auto */
    int64_t k_max = alcore__values_integer(run->values, "k_max");
    state->automatic = k == 0;
    state->fill_short = alcore__values_integer(run->values, "fill_short") == FILL_SHORT_UNCERTAINTY;
    state->limit = state->automatic || k > k_max ? k_max : k;
    if (state->limit > run->outcome.count) state->limit = run->outcome.count;
    state->target_rows = run->input->target.rows;
    state->length = first_length(run);
    state->next_k = state->automatic ? 1 : state->limit;
    run->repeats = true; /* "neighbors" may be made again: embeddings are kept for it */
    return alcore__new_array(run->ctx, count, sizeof(int64_t), &state->targets);
}

/* Called when the run is freed, also after a failure in begin: arrays that were not made are NULL.
 */
static void free_state(alcore__run *run) {
    knn_state *state = run->state;
    alcore__neighbor_lists_free(run->ctx, &state->near);
    alcore__free(run->ctx, state->targets);
    alcore__hybrid_free(run);
}

/* ---- pass "neighbors" ---- */

/* Empties the lists, which get `length` entries for each target row. */
static alcore_status new_lists(alcore__run *run) {
    knn_state *state = run->state;
    return alcore__neighbor_lists_new(run->ctx, ALCORE_SYS_L2, state->target_rows, state->length,
                                      &state->near);
}

static size_t lists_bytes(const alcore__block *block) {
    const knn_state *state = block->run->state;
    return alcore__neighbor_lists_bytes(&state->near);
}

/* Finds the nearest active rows of the block for every active target row, a block of targets at a
 * time: the partial is their lists. Embeddings are checked for NaN in the first pass only, where k
 * is still 0. */
static alcore_status find_neighbors(alcore__block *block, void *partial) {
    const alcore__run *run = block->run;
    const knn_state *state = run->state;
    const alcore__active_rows *target = &run->active[ALCORE__OVER_TARGET];
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    if (state->k == 0) ALCORE__TRY(alcore__matrix_check_norms(&matrix));
    alcore__neighbor_lists_begin(&state->near, partial);
    for (int64_t b = 0; b < target->blocks; b++) {
        int64_t first = b * ALCORE_BLOCK_ROWS;
        alcore_sys_rows rows = {0};
        if (target->block_starts[b] == target->block_starts[b + 1]) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &rows));
        const uint8_t *mask = target->mask ? target->mask + first : NULL;
        ALCORE__TRY(alcore__neighbor_lists_join(&state->near, &matrix, matrix.mask, &rows, mask,
                                                first, partial));
    }
    alcore__neighbor_lists_end(&state->near, &matrix, partial);
    return ALCORE_OK;
}

static alcore_status merge_lists(alcore__run *run, const alcore__block_partial *part) {
    knn_state *state = run->state;
    alcore__neighbor_lists_merge(&state->near, part->extra);
    return ALCORE_OK;
}

/* Counts the neighbors of every target row from number k to number next_k - 1 of its list in
 * `targets`, and the cost of the candidates that this adds to N_k; then k is next_k. */
static void count_neighbors(alcore__run *run) {
    knn_state *state = run->state;
    for (int64_t t = 0; t < state->target_rows; t++) {
        for (int64_t i = state->k; i < state->next_k; i++) {
            int64_t position = state->near.position[t * state->length + i];
            if (position < 0) break;
            if (state->targets[position]++ == 0)
                state->cost += alcore__filler_cost(&state->hybrid.filler, position);
        }
    }
    state->k = state->next_k;
}

/* End of "neighbors": doubles k until N_k costs more than the budget, k is at its limit, or the
 * lists are too short; then they are made longer and the pass is made again. */
static alcore_status choose_k(alcore__run *run) {
    knn_state *state = run->state;
    while (state->next_k <= state->length) {
        count_neighbors(run);
        if (!state->automatic || state->cost > run->input->fill.budget || state->k == state->limit)
            break;
        state->next_k = 2 * state->k < state->limit ? 2 * state->k : state->limit;
    }
    if (state->k < state->next_k)
        state->length = LENGTH_FACTOR * state->next_k < state->limit ? LENGTH_FACTOR * state->next_k
                                                                     : state->limit;
    return ALCORE_OK;
}

/* Loop of the pass: next_k neighbors are wanted, and the lists had fewer. */
static bool needs_longer_lists(const alcore__run *run) {
    const knn_state *state = run->state;
    return state->k < state->next_k;
}

static const alcore__pass PASSES[] = {
    {ALCORE__UNCERTAINTY_PASS},
    {ALCORE__CHECK_TARGET_PASS},
    {.name = "neighbors",
     .rows = ALCORE__OVER_CANDIDATES,
     .block = find_neighbors,
     .partial = {.extra = lists_bytes, .reduce = merge_lists},
     .start = new_lists,
     .end = choose_k,
     .again = needs_longer_lists},
    {.name = NULL},
};

/* ---- finish ---- */

/* Offers the candidates inside N_k, or those outside, in the order of their uncertainty, the
 * largest first. positions, rows, keys, order: [candidates] workspace; the index among the
 * candidates offered leads to the position, the pool row and the uncertainty. */
static alcore_status offer(alcore__run *run, bool inside, int64_t *positions, int64_t *rows,
                           double *keys, int64_t *order) {
    knn_state *state = run->state;
    int64_t count = 0;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if ((state->targets[i] > 0) != inside) continue;
        positions[count] = i;
        rows[count] = run->outcome.rows[i];
        keys[count++] = state->hybrid.uncertainty[i];
    }
    ALCORE__TRY(alcore__rank(run->ctx, keys, rows, count, run->input->fill.tie, run->input->seed,
                             count, order));
    for (int64_t i = 0; i < count; i++) order[i] = positions[order[i]];
    return alcore__filler_offer_all(&state->hybrid.filler, order, count);
}

/* Spends the budget on N_k and then, where it is short and fill_short allows it, on the others. */
static alcore_status buy(alcore__run *run) {
    knn_state *state = run->state;
    size_t count = (size_t)run->outcome.count;
    int64_t *integers; /* [3, candidates] */
    double *keys = NULL;
    ALCORE__TRY(alcore__new_array(run->ctx, 3 * count, sizeof *integers, &integers));
    int64_t *rows = integers + count, *order = rows + count;
    alcore_status status = alcore__new_array(run->ctx, count, sizeof *keys, &keys);
    bool inside = true; /* N_k */
    if (status == ALCORE_OK) status = offer(run, inside, integers, rows, keys, order);
    if (status == ALCORE_OK && state->fill_short && !alcore__filler_full(&state->hybrid.filler))
        status = offer(run, !inside, integers, rows, keys, order);
    alcore__free(run->ctx, integers);
    alcore__free(run->ctx, keys);
    return status;
}

/* Called after the last pass: records uncertainty and target rows of every candidate, and buys. */
static alcore_status finish(alcore__run *run) {
    knn_state *state = run->state;
    size_t bytes = (size_t)run->outcome.count * sizeof(double);
    double *uncertainty, *k, *size;
    int64_t *targets;
    ALCORE__TRY(alcore__outcome_column(run, "u", ALCORE_FLOAT64, &uncertainty));
    ALCORE__TRY(alcore__outcome_column(run, "targets", ALCORE_INT64, &targets));
    ALCORE__TRY(alcore__outcome_fact(run, "k", 1, &k));
    ALCORE__TRY(alcore__outcome_fact(run, "near rows", 1, &size));
    memcpy(run->outcome.scores, state->hybrid.uncertainty, bytes);
    memcpy(uncertainty, state->hybrid.uncertainty, bytes);
    memcpy(targets, state->targets, bytes);
    *k = (double)state->k;
    for (int64_t i = 0; i < run->outcome.count; i++) *size += state->targets[i] > 0;
    ALCORE__TRY(buy(run));
    alcore__filler_finish(&state->hybrid.filler);
    return ALCORE_OK;
}

static const char *const TARGET_NEEDS[] = {"embeddings", NULL};
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"k", ALCORE_PARAM_INTEGER, "auto", 1, 1024, "auto",
     "neighbors of each row of the target; auto: doubled from 1 until they exceed the budget"},
    {"k_max", ALCORE_PARAM_INTEGER, "256", 1, 1024, NULL, "largest k"},
    {"fill_short", ALCORE_PARAM_CHOICE, "uncertainty", 0, 0, "none|uncertainty",
     "what follows if the neighbors do not fill the budget: nothing, or the most uncertain other "
     "rows"},
    ALCORE__UNCERTAINTY_MODE_PARAM,
    ALCORE__MARGIN_PARAM,
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);
static const char *const EXAMPLES[] = {"k=2 fill_short=none", NULL};
static const alcore__term TERMS[] = {
    {.name = "uncertainty", .column = "u", .alone = "uncertainty", .is_score = true}, {0}};

const alcore__strategy_def alcore__strategy_knn_uncertainty = {
    .name = "knn-uncertainty",
    .summary = "The most uncertain of the rows that are neighbors of a target (KNN-UNCERTAINTY of "
               "DeMuX)",
    .examples = EXAMPLES,
    .measure = "uncertainty",
    .terms = TERMS,
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = alcore__hybrid_needs, [ALCORE_ROLE_TARGET] = TARGET_NEEDS},
    .candidate_needs = alcore__hybrid_needs_of,
    .score_rows = alcore__score_given_or_class,
    .rows_depend_on_budget = true,
    .state_bytes = sizeof(knn_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .free_state = free_state,
};
