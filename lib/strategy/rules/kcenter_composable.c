/* SPDX-License-Identifier: Apache-2.0 */
/* k-center over composable core-sets (spec 4.7, mode=composable; Malkomes et al. 2015): each block
 * of rows picks its own centers, farthest first, beside the labeled rows; their vectors are
 * gathered, and the picks are those of k-center over the gathered rows. So shards make one exchange
 * for all picks.
 *
 * A block gives per_block centers. While no more are picked than that, the covering radius is at
 * most 4 times the smallest one that as many picks can have beside the labeled rows: with 2 at most
 * a row is from the centers of its block, and a center from the picks. Proof: were a row of a block
 * farther than that from all of its centers, the row and the centers would be more rows than picks,
 * each farther than twice the smallest radius from the others and the labeled rows. Then no two of
 * them could lie within the smallest radius of the same pick, so that there were too few picks. The
 * same holds for the gathered rows and the picks.
 *
 * Where the gathered rows end before the budget does, the blocks pick again, beside the picks too.
 *
 * In a run over own rows the gathered rows are those of all shards, by their pool rows, and have
 * their costs with them: every shard picks among them.
 *
 * Time: candidates x per_block x components, and gathered rows x picks x components. Memory: 8
 * bytes a component of a gathered row, and of a row of a block for each thread. */
#include <math.h>
#include <string.h>

#include "strategy/rules/gathered_rows.h"
#include "strategy/rules/kcenter.h"

/* ---- the centers of a block ---- */

/* What a block gives of each of its centers; in the order of their positions. */
typedef struct center {
    int64_t place;   /* of the candidate (alcore__block_place()) */
    double cost;     /* in the unit of the budget */
    double sq_dist;  /* m(x), infinite where nothing is labeled or picked */
    double nearness; /* then minus the squared distance to the mean; else 0 */
    double vector[]; /* [dims] */
} center;

/* The first bytes of a partial: the lowest cost of a row that could be picked and is no center,
 * infinite where there is none. */
typedef struct centers_head {
    double cheapest;
} centers_head;

static size_t center_bytes(const alcore__run *run) {
    return sizeof(center) + (size_t)alcore__embedding_dims(run) * sizeof(double);
}

/* Whether the rows are compared by their nearness to the mean: there is no center at all. */
static bool is_first(const alcore__kcenter_state *state) {
    return state->from_mean && !state->center_count;
}

/* How many centers a block can have among the rows of indices first .. end - 1: those that can be
 * bought and were not offered in an earlier round. */
static int64_t centers_of(const alcore__block *block, int64_t first, int64_t end) {
    const alcore__kcenter_state *state = block->run->state;
    int64_t count = 0;
    for (int64_t i = first; i < end && count < state->per_block; i++)
        count += alcore__greedy_is_free(&state->greedy, block->start + i);
    return count;
}

/* The partial: these of the block or, of a wide one, of each of its blocks; of a block of another
 * shard as many as it can have. */
static size_t centers_bytes(const alcore__block *block) {
    const alcore__kcenter_state *state = block->run->state;
    int64_t count = 0;
    if (alcore__lists_own(block->run) && !block->count)
        return sizeof(centers_head) + (size_t)state->per_block * center_bytes(block->run);
    for (int64_t b = 0; b < block->blocks; b++)
        count += centers_of(block, alcore__block_first_index(block, b),
                            alcore__block_first_index(block, b + 1));
    return count > 0 ? sizeof(centers_head) + (size_t)count * center_bytes(block->run) : 0;
}

/* The rows of a block among which its centers are picked; arrays are by index from `first` on. */
typedef struct block_rows {
    int64_t first, count, centers;
    const double *sq_dist, *nearness; /* before the first center */
    uint8_t *free;                    /* 1: can be picked */
    uint8_t *picked;                  /* 1: is a center */
    double *nearest;                  /* m(x) beside the centers too */
    double *vectors;                  /* [count, dims] */
} block_rows;

/* Makes the arrays of the rows on the scratch stack. */
static alcore_status open_rows(const alcore__matrix *matrix, block_rows *rows) {
    alcore__block *block = matrix->block;
    const alcore__kcenter_state *state = block->run->state;
    int64_t *indices;
    ALCORE__TRY(alcore__scratch_push(block, rows->count, sizeof *indices, &indices));
    ALCORE__TRY(alcore__scratch_push(block, rows->count, 1, &rows->free));
    ALCORE__TRY(alcore__scratch_push(block, rows->count, 1, &rows->picked));
    ALCORE__TRY(alcore__scratch_push(block, rows->count, sizeof(double), &rows->nearest));
    ALCORE__TRY(
        alcore__scratch_push(block, rows->count * state->dims, sizeof(double), &rows->vectors));
    memset(rows->picked, 0, (size_t)rows->count);
    memcpy(rows->nearest, rows->sq_dist, (size_t)rows->count * sizeof(double));
    for (int64_t i = 0; i < rows->count; i++) {
        indices[i] = rows->first + i;
        rows->free[i] = alcore__greedy_is_free(&state->greedy, block->start + indices[i]);
    }
    return alcore__matrix_copy_rows(matrix, indices, rows->count, rows->vectors);
}

/* Picks the centers, farthest first, the lower row in a tie. */
static alcore_status pick_in_block(const alcore__run *run, block_rows *rows) {
    const alcore__kcenter_state *state = run->state;
    const alcore_sys_rows vectors = alcore__rows_of(rows->vectors, rows->count, state->dims);
    const alcore_sys_weights weights = {.minimum = rows->nearest};
    for (int64_t c = 0; c < rows->centers; c++) {
        const double *compared = c == 0 && is_first(state) ? rows->nearness : rows->nearest;
        int64_t index;
        double value;
        ALCORE__TRY(ALCORE__GATHERED_KERNEL(run, arg_max, rows->count, rows->free, compared, &index,
                                            &value));
        rows->free[index] = 0;
        rows->picked[index] = 1;
        ALCORE__TRY(ALCORE__GATHERED_KERNEL(run, min_sq_dists, &vectors, rows->free,
                                            rows->vectors + index * state->dims, 1, NULL, NULL, 0,
                                            &weights));
    }
    return ALCORE_OK;
}

/* Writes the centers to *out and moves it behind them; lowers head->cheapest. */
static void write_centers(const alcore__block *block, const block_rows *rows, centers_head *head,
                          char **out) {
    const alcore__kcenter_state *state = block->run->state;
    for (int64_t i = 0; i < rows->count; i++) {
        center *to = (center *)(void *)*out;
        const int64_t position = block->start + rows->first + i;
        const double cost = alcore__filler_cost(&state->greedy.filler, position);
        if (rows->free[i] && cost < head->cheapest) head->cheapest = cost;
        if (!rows->picked[i]) continue;
        to->place = alcore__block_place(block, rows->first + i);
        to->cost = cost;
        to->sq_dist = rows->sq_dist[i];
        to->nearness = is_first(state) ? rows->nearness[i] : 0.0;
        memcpy(to->vector, rows->vectors + i * state->dims, (size_t)state->dims * sizeof(double));
        *out += center_bytes(block->run);
    }
}

/* Rows that were measured from the picks of an earlier round are measured from the others first. */
static alcore_status choose_centers(alcore__block *block, void *partial) {
    const alcore__kcenter_state *state = block->run->state;
    alcore__matrix matrix;
    double *values, *sq_dist, *nearness = NULL;
    centers_head *head = partial;
    char *out = (char *)partial + sizeof *head;
    head->cheapest = HUGE_VAL;
    ALCORE__TRY(alcore__greedy_open(block, &matrix, &values));
    ALCORE__TRY(alcore__kcenter_complete(&matrix, values));
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *sq_dist, &sq_dist));
    ALCORE__TRY(alcore__download_active(&matrix, values, sq_dist));
    if (is_first(state)) {
        ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *nearness, &nearness));
        ALCORE__TRY(alcore__download_active(&matrix, values + matrix.rows.count, nearness));
    }
    for (int64_t b = 0; b < block->blocks; b++) {
        const alcore__scratch_mark mark = alcore__scratch_get_mark(block);
        const int64_t first = alcore__block_first_index(block, b);
        const int64_t end = alcore__block_first_index(block, b + 1);
        block_rows rows = {.first = first,
                           .count = end - first,
                           .centers = centers_of(block, first, end),
                           .sq_dist = sq_dist + first,
                           .nearness = nearness ? nearness + first : NULL};
        if (!rows.centers) continue;
        ALCORE__TRY(open_rows(&matrix, &rows));
        ALCORE__TRY(pick_in_block(block->run, &rows));
        write_centers(block, &rows, head, &out);
        alcore__scratch_release(block, mark);
    }
    return ALCORE_OK;
}

/* ---- the gathered rows ---- */

static alcore_status forget_gathered(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    state->gathered = 0;
    state->cheapest = HUGE_VAL;
    return ALCORE_OK;
}

/* The places that centers of a block can have: *first .. *first + *count - 1. */
static void places_of(const alcore__run *run, const alcore__block_partial *partial, int64_t *first,
                      int64_t *count) {
    *first = partial->start;
    *count = partial->count;
    if (!alcore__lists_own(run)) return;
    *first = partial->block * ALCORE_BLOCK_ROWS;
    *count = run->input->candidates.rows - *first;
    if (*count > ALCORE_BLOCK_ROWS) *count = ALCORE_BLOCK_ROWS;
}

/* ALCORE_E_CORRUPT unless the centers of a partial are rows of the block, in order, that can be
 * bought, with distances: it may come from another process. */
static alcore_status check_center(const alcore__run *run, const alcore__block_partial *partial,
                                  const center *from, int64_t after) {
    int64_t first, count;
    places_of(run, partial, &first, &count);
    ALCORE__TRY(alcore__partial_check_index(from->place < first ? -1 : from->place - first, count));
    if (from->place <= after || !(from->sq_dist >= 0.0) || !(from->nearness <= 0.0) ||
        !isfinite(from->cost) || !(from->cost > 0.0))
        return alcore__fail(ALCORE_E_CORRUPT, "a partial has a center of block %lld that is none",
                            (long long)partial->block);
    return ALCORE_OK;
}

/* Blocks are reduced in order, so that the gathered rows are in the order of their positions. */
static alcore_status store_centers(alcore__run *run, const alcore__block_partial *partial) {
    alcore__kcenter_state *state = run->state;
    const int64_t dims = state->dims, first = state->gathered;
    const centers_head *head = partial->extra;
    const size_t bytes = partial->extra_bytes - sizeof *head;
    const int64_t count = (int64_t)(bytes / center_bytes(run)), end = first + count;
    int64_t after = -1;
    if (partial->extra_bytes < sizeof *head || bytes % center_bytes(run) != 0 ||
        !(head->cheapest > 0.0))
        return alcore__fail(ALCORE_E_CORRUPT, "a partial has no centers of block %lld",
                            (long long)partial->block);
    ALCORE__TRY(
        alcore__run_grow(run, &state->places, &state->place_capacity, end, sizeof *state->places));
    ALCORE__TRY(
        alcore__run_grow(run, &state->costs, &state->cost_capacity, end, sizeof *state->costs));
    ALCORE__TRY(alcore__run_grow(run, &state->sq_dist, &state->sq_dist_capacity, end,
                                 sizeof *state->sq_dist));
    ALCORE__TRY(alcore__run_grow(run, &state->nearness, &state->nearness_capacity, end,
                                 sizeof *state->nearness));
    ALCORE__TRY(alcore__run_grow(run, &state->vectors, &state->vector_capacity, end * dims,
                                 sizeof *state->vectors));
    for (int64_t n = 0; n < count; n++) {
        const center *from =
            (const void *)((const char *)(head + 1) + (size_t)n * center_bytes(run));
        ALCORE__TRY(check_center(run, partial, from, after));
        after = state->places[first + n] = from->place;
        state->costs[first + n] = from->cost;
        state->sq_dist[first + n] = from->sq_dist;
        state->nearness[first + n] = from->nearness;
        memcpy(state->vectors + (first + n) * dims, from->vector, (size_t)dims * sizeof(double));
    }
    state->gathered = end;
    if (head->cheapest < state->cheapest) state->cheapest = head->cheapest;
    return ALCORE_OK;
}

/* Measures ALCORE_BLOCK_ROWS gathered rows, number `index` of such parts, from the last center.
 * data: the run. */
static alcore_status measure_part(void *data, int64_t index, int32_t worker) {
    const alcore__run *run = data;
    const alcore__kcenter_state *state = run->state;
    const int64_t first = index * ALCORE_BLOCK_ROWS, left = state->gathered - first;
    const alcore_sys_rows rows =
        alcore__rows_of(state->vectors + first * state->dims,
                        left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS, state->dims);
    const alcore_sys_weights weights = {.minimum = state->sq_dist + first};
    (void)worker;
    return ALCORE__GATHERED_KERNEL(run, min_sq_dists, &rows, NULL /* no mask */,
                                   state->centers + (state->center_count - 1) * state->dims, 1,
                                   NULL, NULL, 0, &weights);
}

static alcore_status measure_gathered(alcore__run *run) {
    const alcore__kcenter_state *state = run->state;
    const int64_t parts = (state->gathered + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
    if (parts == 1) return measure_part(run, 0, 0);
    return alcore__parallel(run->ctx, NULL /* no stage of its own */, parts, measure_part, run);
}

/* Whether gathered row n can be picked. *bought: it was. */
static bool is_left(const alcore__kcenter_state *state, int64_t n, bool *bought) {
    const alcore__greedy *greedy = &state->greedy;
    const int64_t place = state->places[n];
    if (alcore__lists_own(greedy->run)) {
        *bought = state->costs[n] == 0.0;
        return !*bought && alcore__filler_fits_cost(&greedy->filler, state->costs[n]);
    }
    *bought = greedy->status[place] == ALCORE__GREEDY_PICKED;
    return alcore__greedy_is_free(greedy, place);
}

static void set_best(alcore__kcenter_state *state, int64_t n) {
    alcore__greedy *greedy = &state->greedy;
    greedy->best = state->places[n];
    if (alcore__lists_own(greedy->run)) {
        greedy->best_row = state->places[n];
        greedy->best = alcore__candidate_position(greedy->run, greedy->best_row);
        greedy->best_cost = state->costs[n];
    }
    memcpy(greedy->best_vector, state->vectors + n * state->dims,
           (size_t)state->dims * sizeof(double));
}

/* Finds the row to pick, number *index of the gathered rows (-1: none), and greedy.left_value.
 * free [gathered]: workspace. */
static alcore_status find_farthest(alcore__run *run, uint8_t *free, int64_t *index) {
    alcore__kcenter_state *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    const double *compared = is_first(state) ? state->nearness : state->sq_dist;
    alcore__greedy_clear_best(greedy);
    for (int64_t n = 0; n < state->gathered; n++) {
        bool bought;
        free[n] = is_left(state, n, &bought);
        if (!bought && state->sq_dist[n] > greedy->left_value)
            greedy->left_value = state->sq_dist[n];
    }
    ALCORE__TRY(ALCORE__GATHERED_KERNEL(run, arg_max, state->gathered, free, compared, index,
                                        &greedy->best_value));
    if (*index >= 0) set_best(state, *index);
    return ALCORE_OK;
}

/* Whether a candidate that can be bought was not gathered; all others are bought or cannot be. */
static bool has_free(const alcore__kcenter_state *state) {
    return state->cheapest < HUGE_VAL &&
           alcore__filler_fits_cost(&state->greedy.filler, state->cheapest);
}

/* Picks gathered rows until the budget or the rows run out. The radius of the last pick is known
 * only when a further round has measured all rows from it. */
static alcore_status pick_gathered(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    const size_t height = alcore__run_height(run);
    uint8_t *free;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->gathered, &free));
    for (;;) {
        bool bought;
        int64_t index;
        ALCORE__TRY(find_farthest(run, free, &index));
        if (index < 0 || alcore__filler_full(&greedy->filler)) break;
        ALCORE__TRY(alcore__kcenter_set_radius(run));
        ALCORE__TRY(
            alcore__greedy_turn(greedy, alcore__kcenter_score(greedy->best_value), &bought));
        ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", 0, 0)); /* cancellation only */
        if (!bought) continue;
        if (alcore__lists_own(run)) state->costs[index] = 0.0;
        ALCORE__TRY(alcore__kcenter_add_center(run));
        ALCORE__TRY(measure_gathered(run));
    }
    alcore__run_drop(run, height);
    state->another_round = !alcore__filler_full(&greedy->filler) && has_free(state);
    return state->another_round ? ALCORE_OK : alcore__kcenter_set_radius(run);
}

const alcore__pass alcore__kcenter_composable_passes[] = {
    {.name = "centers of blocks",
     .block = choose_centers,
     .partial = {.extra = centers_bytes, .at_most = true, .reduce = store_centers},
     .start = forget_gathered,
     .end = pick_gathered,
     .again = ALCORE__IF(alcore__kcenter_state, another_round)},
    {.name = NULL},
};

/* ---- begin and finish ---- */

alcore_status alcore__kcenter_begin_composable(alcore__run *run) {
    alcore__kcenter_state *state = run->state;
    const double picks = ceil(alcore__expected_picks(run));
    /* With fill=skip one machine makes a run for each budget, whose first round may end with the
     * first pick, so that the radius of this one is another. */
    run->budget_decides = !state->per_block || run->input->own.policy == ALCORE__FILL_SKIP;
    if (!state->per_block)
        state->per_block = picks < 1.0                 ? 1
                           : picks > ALCORE_BLOCK_ROWS ? ALCORE_BLOCK_ROWS
                                                       : (int64_t)picks;
    const alcore__active_rows *active = &run->active[ALCORE__OVER_CANDIDATES];
    const double most = (double)active->blocks * (double)state->per_block;
    const double all = (double)alcore__active_in_all(run, ALCORE__OVER_CANDIDATES);
    const double rows = most < all ? most : all;
    const double bytes = rows * (double)state->dims * (double)sizeof(double);
    if (bytes <= (double)ALCORE__GATHERED_BYTES) return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "kcenter with mode=composable compares centers of blocks in memory: %.0f "
                        "of %lld components would need %.0f GiB, and %lld GiB are the most; "
                        "per_block=N lets each block of %d rows give N of them",
                        rows, (long long)state->dims, bytes / (double)(1 << 30),
                        (long long)(ALCORE__GATHERED_BYTES / (1 << 30)), ALCORE_BLOCK_ROWS);
}

void alcore__kcenter_score_gathered(alcore__run *run) {
    const alcore__kcenter_state *state = run->state;
    double *scores = run->outcome.scores;
    int64_t picked_before = 0;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        scores[i] = (double)NAN;
        picked_before += state->greedy.status[i] == ALCORE__GREEDY_PICKED;
    }
    for (int64_t n = 0; n < state->gathered; n++) {
        scores[state->places[n]] = alcore__kcenter_score(state->sq_dist[n]);
        picked_before -= state->greedy.status[state->places[n]] == ALCORE__GREEDY_PICKED;
    }
    run->outcome.measured = state->gathered + picked_before;
}
