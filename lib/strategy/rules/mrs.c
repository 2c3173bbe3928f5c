/* SPDX-License-Identifier: Apache-2.0 */
/* MRS, the sentence strategy of phrase-level active learning (spec 5.6; Hu and Neubig 2021): the
 * candidates that are least like the labeled data,
 *
 *   dist(x)     = 1 - max over x' in L' of ratio(x, x')
 *   ratio(x, y) = cos(x, y) / (h(x) + h(y)),   h = half the mean cosine to the k nearest rows of
 *                                              the other set
 *
 * (Artetxe and Schwenk 2019; lib/search/margin_bound.h). L' is a random sample of L, the labeled
 * rows of the candidates' pool followed by the labeled pool. metric=cosine takes the cosine in the
 * place of the ratio. The largest dist is picked first.
 *
 * iterative=1 moves each pick from the candidates into L' and computes all dists again. Few of them
 * change: with w the pick,
 *
 *   h(y) of the rows y of L' that had w among their neighbors: their lists are searched again;
 *   h(x) of the candidates x whose k nearest rows of L' now include w;
 *   the largest ratio of x where h(x) changed, or h of the row of L' that has it: it is computed
 *   again over all of L'; every other candidate is compared with w and the changed rows only.
 *
 * Passes: the sample; then, once or for each pick, "neighbors" (lists of both sides) and
 * "distances"; before each further round, "pick" reads the vector of the pick.
 *
 * Words of this file:
 *
 *     number      of a row of L', from 0: those that were drawn in the order of L, then the picks
 *     list        of the k neighbors of a row, that of the largest cosine first; -1 is a free
 *                 entry, and free entries come last
 *     local       memory that a block of candidates keeps from pass to pass, zeroed at first
 *     greedy      the picks of iterative=1 (greedy/greedy.h). best: position of the candidate that
 *                 is offered next and then of the last pick, -1: none; status [candidates]: what
 *                 became of each; pick_scores [candidates]: the score that a pick keeps. A
 *                 candidate is free while it was not offered and could be bought now: it costs
 *                 something, and with fill=skip no more than is left
 *     knn, margin_ratios  kernels (alcore/sys/kernel.h) that join what they find in a call to what
 *                 earlier calls found; rows of L' are reported by their number, first + i
 *
 * Reads the labeled embeddings once and those of the candidates twice, with metric=cosine once;
 * with iterative=1 as often again for each pick, and the block of the pick once more. Memory: 16 k
 * + 33 bytes a candidate, 9 more with iterative=1, 16 more for the record; for each row of L' its
 * vector in double and 8 k + 33 bytes; for each pending row of L' (mrs.h; at first all are pending)
 * a copy of the vector and 16 k bytes, and 16 k bytes more for each block in work. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "search/margin_bound.h"
#include "strategy/rules/mrs.h"
#include "strategy/strategies.h"

/* ---- begin ---- */

static const char *const NO_LABELED =
    "strategy mrs compares with labeled sentences, but there are none: give labeled rows or a "
    "labeled pool";

/* Draws L' from L: all of it where it has no more rows than the parameter `sample`. Sets
 * labeled_rows, drawn, own_rows, and positions [drawn], which the draw returns in another order and
 * which are then written anew, ascending. Fails without a labeled row. */
static alcore_status draw_sample(alcore__run *run) {
    alcore__mrs_state *state = run->state;
    state->labeled_rows = run->active[ALCORE__OVER_LABELED_ROWS].count;
    int64_t all = state->labeled_rows + run->active[ALCORE__OVER_LABELED_POOL].count;
    state->drawn = state->sample_size < all ? state->sample_size : all;
    if (!all)
        return alcore__fail_remedy(alcore__fail(ALCORE_E_MISSING, "%s", NO_LABELED),
                                   ALCORE_REMEDY_POOL, "labeled", NULL /* no value */,
                                   "is the data that the picks should be unlike");
    alcore__rng rng;
    uint8_t *in_sample; /* [all] 1: drawn */
    /* One draw for all rounds: neither the round nor a part enters the seed. */
    alcore__rng_seed(&rng, alcore__rng_derive(run->input->seed, ALCORE__TAG_LSUB, 0, 0));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->drawn, &state->positions));
    ALCORE__TRY(alcore__rng_sample(run->ctx, &rng, all, state->drawn, state->positions));
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, all, &in_sample));
    for (int64_t i = 0; i < state->drawn; i++) in_sample[state->positions[i]] = 1;
    for (int64_t position = 0, i = 0; position < all; position++) {
        if (!in_sample[position]) continue;
        state->own_rows += position < state->labeled_rows;
        state->positions[i++] = position;
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Grows all arrays that have entries for each row of L', except pending_vectors and the lists in
 * `found`, to the capacity for `count` rows; what they hold stays. */
static alcore_status reserve(alcore__run *run, int64_t count) {
    alcore__mrs_state *state = run->state;
    const int64_t rows = count, k = state->k;
    ALCORE__TRY(alcore__run_grow(run, &state->sample, &state->sample_capacity, rows * state->dims,
                                 sizeof(double)));
    ALCORE__TRY(alcore__run_grow(run, &state->sample_rows, &state->rows_capacity, rows,
                                 sizeof *state->sample_rows));
    ALCORE__TRY(alcore__run_grow(run, &state->pending, &state->pending_capacity, rows,
                                 sizeof *state->pending));
    ALCORE__TRY(alcore__run_grow(run, &state->changed, &state->changed_capacity, rows,
                                 sizeof *state->changed));
    ALCORE__TRY(
        alcore__run_grow(run, &state->near, &state->near_capacity, rows * k, sizeof *state->near));
    return alcore__run_grow(run, &state->half, &state->half_capacity, rows, sizeof *state->half);
}

/* Called once before the first pass: draws L' and allocates what the passes fill that collect its
 * vectors. With iterative=1 each pick makes three passes again. */
static alcore_status begin(alcore__run *run) {
    alcore__mrs_state *state = run->state;
    state->dims = alcore__embedding_dims(run);
    if (state->by_cosine) state->k = 1; /* only the nearest row of L' matters */
    run->hints.repeats = run->hints.row_work =
        true; /* two passes or more: the runner keeps copies of the embeddings */
    ALCORE__TRY(draw_sample(run));
    ALCORE__TRY(reserve(run, state->drawn));
    state->found.joined = true;
    if (alcore__lists_own(run)) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &state->nearest));
    if (!state->iterative) return ALCORE_OK;
    alcore__warn_passes(run, 3.0 * alcore__expected_picks(run));
    return alcore__greedy_begin(run, &state->greedy);
}

/* ---- passes "labeled rows" and "labeled pool": the vectors of L' ---- */

/* The number of the first drawn row whose position in L is `position` or later; state->drawn: there
 * is none. */
static int64_t first_drawn_from(const alcore__mrs_state *state, int64_t position) {
    return alcore__first_from(state->positions, state->drawn, position);
}

/* The position in L of the first active row of a block of either pass: the labeled rows of the
 * candidates' pool come first, then the labeled pool. */
static int64_t first_position(const alcore__block *block) {
    const alcore__mrs_state *state = block->run->state;
    return block->start + (block->source == ALCORE__OVER_LABELED_POOL ? state->labeled_rows : 0);
}

/* The partial: the pool row of each drawn row of the block, int64 [rows], then their vectors,
 * double [rows, dims]. */
static size_t drawn_bytes(const alcore__block *block) {
    const alcore__mrs_state *state = block->run->state;
    int64_t position = first_position(block);
    int64_t rows =
        first_drawn_from(state, position + block->count) - first_drawn_from(state, position);
    return (size_t)rows * (sizeof(int64_t) + (size_t)state->dims * sizeof(double));
}

/* Writes the partial, the drawn rows of the block in the order of L: first + d is the place of row
 * d in state->positions, indices[d] its index in the block. Fails for a vector with a NaN or
 * infinity. */
static alcore_status collect_drawn(alcore__block *block, void *partial) {
    const alcore__mrs_state *state = block->run->state;
    const int64_t position = first_position(block), first = first_drawn_from(state, position),
                  count = first_drawn_from(state, position + block->count) - first;
    int64_t *rows = partial, *indices;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, count, sizeof *indices, &indices));
    for (int64_t d = 0; d < count; d++) {
        indices[d] = state->positions[first + d] - position;
        rows[d] = block->rows[indices[d]];
    }
    return alcore__matrix_copy_rows(&matrix, indices, count, (double *)(rows + count));
}

/* Reduces the partial of one block: appends its rows to L', which thus has the drawn rows in the
 * order of L. A block without a drawn row has no partial, and is not reduced. reserve() in begin()
 * has made the capacity. */
static alcore_status append_drawn(alcore__run *run, const alcore__block_partial *partial) {
    alcore__mrs_state *state = run->state;
    size_t row_bytes = sizeof(int64_t) + (size_t)state->dims * sizeof(double);
    size_t count = partial->extra_bytes / row_bytes;
    const int64_t *rows = partial->extra;
    memcpy(state->sample_rows + state->collected, rows, count * sizeof *rows);
    memcpy(state->sample + state->collected * state->dims, rows + count,
           count * (row_bytes - sizeof *rows));
    state->collected += (int64_t)count;
    return ALCORE_OK;
}

/* ---- pass "neighbors": not with metric=cosine, which needs no h ---- */

/* Start of the pass: appends the rows of L' that were added to the pending ones, copies the vectors
 * of all pending rows to pending_vectors, so that they are adjacent, and makes empty lists for
 * them. */
static alcore_status add_new_pending(alcore__run *run) {
    alcore__mrs_state *state = run->state;
    size_t row_bytes = (size_t)state->dims * sizeof(double);
    for (int64_t i = state->new_first; i < state->collected; i++) {
        state->pending[state->pending_count++] = i;
        state->changed[i] = 1;
    }
    ALCORE__TRY(alcore__run_grow(run, &state->pending_vectors, &state->pending_vectors_capacity,
                                 state->pending_count * state->dims, sizeof(double)));
    for (int64_t i = 0; i < state->pending_count; i++)
        memcpy(state->pending_vectors + i * state->dims,
               state->sample + state->pending[i] * state->dims, row_bytes);
    return alcore__neighbor_lists_new(run, ALCORE_SYS_COSINE, state->pending_count, state->k,
                                      &state->found);
}

/* Finds the nearest candidates of the block for each pending row of L', whose lists are the
 * partial, and joins the new rows of L' to the lists of the candidates, from which h of each
 * candidate is computed again. A candidate is stale where its h changed, or where the row of L'
 * that has its largest ratio is pending. The mask leaves out picks, which are no candidates any
 * more. */
static alcore_status find_neighbors(alcore__block *block, void *partial) {
    const alcore__mrs_state *state = block->run->state;
    alcore__matrix matrix;
    alcore__mrs_rows rows;
    uint8_t *mask;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__mrs_open_rows(block, &matrix, &rows));
    ALCORE__TRY(alcore__mrs_push_mask(&matrix, &mask));
    const alcore_sys_rows pending =
        alcore__mrs_as_rows(state, state->pending_vectors, 0, state->pending_count);
    alcore__neighbor_lists_begin(&state->found, block, partial);
    ALCORE__TRY(alcore__neighbor_lists_join(&state->found, &matrix, mask, &pending,
                                            NULL /* all of them */, 0, partial));
    alcore__neighbor_lists_end(&state->found, &matrix, partial);
    ALCORE__TRY(alcore__mrs_join_new(&matrix, mask, &rows));
    for (int64_t m = 0; m < matrix.rows.count; m++) {
        if (!mask[m]) continue;
        double half =
            alcore__margin_half(rows.near + m * state->k, rows.cosine + m * state->k, state->k);
        if (half != rows.half[m] || (rows.number[m] >= 0 && state->changed[rows.number[m]]))
            rows.stale[m] = 1;
        rows.half[m] = half;
    }
    return ALCORE_OK;
}

/* End of the pass: the lists found replace those of the pending rows in near [collected, k]. Sets h
 * of these rows, and the smallest h of all rows of L'. */
static alcore_status set_halves(alcore__run *run) {
    alcore__mrs_state *state = run->state;
    int64_t k = state->k;
    for (int64_t i = 0; i < state->pending_count; i++) {
        const int64_t *found = state->found.position + i * k;
        memcpy(state->near + state->pending[i] * k, found, (size_t)k * sizeof *found);
        state->half[state->pending[i]] = alcore__margin_half(found, state->found.value + i * k, k);
    }
    /* min_half bounds a candidate's ratios with rows of L' beyond its k nearest (margin_bound.h). h
     * of a list with free entries is half the mean of the others, 0 where all are free. */
    state->min_half = HUGE_VAL;
    for (int64_t i = 0; i < state->collected; i++)
        if (state->half[i] < state->min_half) state->min_half = state->half[i];
    return ALCORE_OK;
}

/* ---- pass "distances" ---- */

/* The numbers behind dist in the partial; in a run over own rows they are not told. */
static size_t numbers_bytes(const alcore__block *block) {
    return alcore__lists_own(block->run) ? 0 : (size_t)block->count * sizeof(int64_t);
}

/* Computes the largest ratio of every candidate of the block, with metric=cosine the largest cosine
 * by joining the new rows of L' to its list of one entry, and writes the partial: dist, double
 * [active rows], then the number that decides it, int64 [active rows]. The entries of a pick are
 * those of the pass after which it was picked. */
static alcore_status measure(alcore__block *block, void *partial) {
    const alcore__mrs_state *state = block->run->state;
    double *dist = partial;
    int64_t *number = (int64_t *)(dist + block->count);
    alcore__matrix matrix;
    alcore__mrs_rows rows;
    uint8_t *mask;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__mrs_open_rows(block, &matrix, &rows));
    ALCORE__TRY(alcore__mrs_push_mask(&matrix, &mask));
    if (state->by_cosine) {
        ALCORE__TRY(alcore__mrs_join_new(&matrix, mask, &rows));
    } else {
        ALCORE__TRY(alcore__mrs_update_ratios(&matrix, mask, &rows));
    }
    for (int64_t i = 0; i < block->count; i++) {
        int64_t m = alcore__matrix_row_of(&matrix, i);
        dist[i] = 1.0 - (state->by_cosine ? rows.cosine[m] : rows.ratio[m]);
        if (state->nearest) number[i] = state->by_cosine ? rows.near[m] : rows.number[m];
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: stores its numbers; the runner stores its dists as the scores
 * of its candidates. */
static alcore_status store_numbers(alcore__run *run, const alcore__block_partial *partial) {
    alcore__mrs_state *state = run->state;
    const int64_t *number = partial->extra;
    for (int64_t i = 0; i < partial->count; i++) {
        ALCORE__TRY(alcore__partial_check_index(number[i], state->collected));
        state->nearest[partial->start + i] = number[i];
    }
    return ALCORE_OK;
}

/* End of the pass: no row of L' is new or pending any more. With iterative=1 the best candidate is
 * offered to the budget, and the next best ones until one is bought, which greedy->best then names;
 * the pass "pick" then adds it to L'. Without, the runner ranks by the scores. */
static alcore_status offer_best(alcore__run *run) {
    alcore__mrs_state *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    const double *scores = run->outcome.scores;
    bool bought = false;
    state->new_first = state->collected;
    for (int64_t i = 0; i < state->pending_count; i++) state->changed[state->pending[i]] = 0;
    state->pending_count = 0;
    greedy->has_next = state->iterative;
    while (greedy->has_next && !bought) {
        greedy->best = alcore__greedy_best_free(greedy, scores, NULL);
        ALCORE__TRY(
            alcore__greedy_turn(greedy, greedy->best < 0 ? 0.0 : scores[greedy->best], &bought));
        ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", 0, 0)); /* cancellation only */
    }
    return ALCORE_OK;
}

/* ---- pass "pick" ---- */

/* The partial of the block that has the pick: its vector, double [dims]; other blocks have no byte
 * and are not visited. */
static size_t pick_bytes(const alcore__block *block) {
    const alcore__mrs_state *state = block->run->state;
    int64_t index = state->greedy.best - block->start;
    return index >= 0 && index < block->count ? (size_t)state->dims * sizeof(double) : 0;
}

/* Writes the partial: copies the vector of the pick. Called for its block only. */
static alcore_status read_pick(alcore__block *block, void *partial) {
    const alcore__mrs_state *state = block->run->state;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    return alcore__matrix_copy_row(&matrix, state->greedy.best - block->start, partial);
}

/* Reduces the partial: appends the pick to L', as a row of the candidates' pool. */
static alcore_status append_pick(alcore__run *run, const alcore__block_partial *partial) {
    alcore__mrs_state *state = run->state;
    ALCORE__TRY(reserve(run, state->collected + 1));
    memcpy(state->sample + state->collected * state->dims, partial->extra, partial->extra_bytes);
    state->sample_rows[state->collected] = run->outcome.rows[state->greedy.best];
    state->changed[state->collected++] = 0;
    return ALCORE_OK;
}

/* End of the pass: the rows of L' that have the pick in their lists are pending again, as it is no
 * candidate any more. The pick itself, row new_first of L', is added by add_new_pending(). */
static alcore_status mark_neighbors_of_pick(alcore__run *run) {
    alcore__mrs_state *state = run->state;
    const int64_t pick = run->outcome.rows[state->greedy.best];
    for (int64_t i = 0; i < state->new_first && !state->by_cosine; i++) {
        bool has = false;
        for (int64_t p = 0; p < state->k; p++) has = has || state->near[i * state->k + p] == pick;
        if (!has) continue;
        state->pending[state->pending_count++] = i;
        state->changed[i] = 1;
    }
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = collect_drawn,
     .partial = {.extra = drawn_bytes, .reduce = append_drawn}},
    {.name = "labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = collect_drawn,
     .partial = {.extra = drawn_bytes, .reduce = append_drawn}},
    {.name = "neighbors",
     .block = find_neighbors,
     .partial = ALCORE__JOINED_LISTS(alcore__mrs_state, found),
     .start = add_new_pending,
     .end = set_halves,
     .when = ALCORE__UNLESS(alcore__mrs_state, by_cosine)},
    {.name = "distances",
     .block = measure,
     .partial = {.values = {ALCORE__SCORES}, .extra = numbers_bytes, .reduce = store_numbers},
     .end = offer_best},
    {.name = "pick",
     .block = read_pick,
     .partial = {.extra = pick_bytes, .reduce = append_pick},
     .end = mark_neighbors_of_pick,
     .when = ALCORE__GREEDY_HAS_NEXT,
     .again = ALCORE__GREEDY_HAS_NEXT,
     .back = 2},
    {.name = NULL},
};

/* ---- finish ---- */

/* Whether the scores are those of one ranking. */
static bool ranks_own(const void *state) {
    return !((const alcore__mrs_state *)state)->iterative;
}

/* Called after the last pass: records the row of L' that decides each dist, in the pool where it
 * is: nearest_labeled is a row of the labeled pool, nearest_row one of the candidates' pool, which
 * is labeled or a pick; -1: it is in the other pool. Every candidate has such a row, as L' is not
 * empty. */
static alcore_status finish(alcore__run *run) {
    alcore__mrs_state *state = run->state;
    int64_t *labeled, *own;
    if (alcore__lists_own(run)) return ALCORE_OK;
    ALCORE__TRY(alcore__outcome_score_column(run, "dist"));
    ALCORE__TRY(alcore__outcome_column(run, "nearest_labeled", ALCORE_INT64, &labeled));
    ALCORE__TRY(alcore__outcome_column(run, "nearest_row", ALCORE_INT64, &own));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        int64_t number = state->nearest[i], row = state->sample_rows[number];
        bool is_labeled_pool = number >= state->own_rows && number < state->drawn;
        labeled[i] = is_labeled_pool ? row : -1;
        own[i] = is_labeled_pool ? -1 : row;
    }
    return state->iterative ? alcore__greedy_finish(&state->greedy) : ALCORE_OK;
}

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, alcore__mrs_state, member)
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"k", ALCORE_PARAM_INTEGER, "4", 1, 1024, NULL,
     "neighbors on the other side whose mean cosine a ratio is divided by", STATE(k)},
    {"metric", ALCORE_PARAM_CHOICE, "ratio", 0, 0, "ratio|cosine",
     "margin ratios as in the paper, or plain cosines", STATE(by_cosine)},
    {"iterative", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: each pick becomes labeled data before the next one is chosen", STATE(iterative)},
    {"sample", ALCORE_PARAM_INTEGER, "10000", 1, 1e9, NULL,
     "labeled rows that are compared with, drawn at random where there are more",
     STATE(sample_size)},
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"iterative=1 k=2", "metric=cosine sample=3",
                                       "metric=cosine iterative=1", NULL};

const alcore__strategy_def alcore__strategy_mrs = {
    .name = "mrs",
    .summary = "The rows least like the labeled data by margin ratios of embeddings (MRS of "
               "phrase-level active learning)",
    .examples = EXAMPLES,
    .measure = "distance from the labeled data",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings,
              [ALCORE__ROLE(LABELED)] = alcore__needs_embeddings},
    .by_passes = true,
    .state_bytes = sizeof(alcore__mrs_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .ranks_own = ranks_own,
};
