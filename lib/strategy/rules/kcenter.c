/* SPDX-License-Identifier: Apache-2.0 */
/* k-center greedy, core-set selection (spec 4.7; Sener and Savarese 2018): the candidate farthest
 * from everything that is labeled or picked, again and again.
 *
 *   m(x) = min of ||x - y||^2 over labeled rows and picks y;  the next pick is argmax m(x)
 *
 * Labeled rows and picks are the centers. Without labeled rows the first pick is the candidate
 * nearest to the mean of all. A row that the budget or the similarity limit passes over is no
 * center.
 *
 * m(x) only shrinks as picks are added, so a value over fewer picks is an upper bound. Each row
 * therefore keeps m over the picks that it was measured from, and is measured from the others only
 * when its bound is the largest of its block, for then it may be the farthest row. Where that has
 * cost too much in a block, all of its rows are measured together, which costs a fifth of measuring
 * them one by one.
 *
 * Squared distances are compared; radii and scores are distances.
 *
 * Terms used here:
 *
 *     active row  a row that takes part in its block (8192 pool rows): a candidate, or in passes
 *                 over labeled rows one of these; its index numbers them in the block
 *     position    number of an active row among those that the pass reads, from 0: block->start +
 *                 index; in passes over the candidates, and of picks, the number of a candidate
 *     matrix row  a row of the block as kernels see it, rows that are not active included
 *     partial     what a block contributes to a pass, zeroed before the visit. `sums` are added up
 *                 over the blocks, `values` stored at the positions of the active rows, `extra`
 *                 bytes given to reduce()
 *     upload      an entry of the table of kernels; it is NULL unless the engine has memory of its
 *                 own, that of a device
 *     filler      spends the budget: a row that is offered to it is bought or passed over
 *     greedy      what is shared by strategies that pick row after row (greedy_picks.h): best is
 *                 the position of the best candidate of the pass, best_value what it is the best
 *                 by, best_vector its embedding; status tells which candidates are centers
 *
 * Reads the labeled embeddings once, CHUNK_ROWS at a time, and the candidates' once for each chunk;
 * then a part of the candidates for each pick. Memory: 33 bytes a candidate, 8 more for the record,
 * and the vectors of CHUNK_ROWS labeled rows and of all picks in double. */
#include <math.h>
#include <string.h>

#include "strategy/rules/greedy_picks.h"
#include "strategy/strategies.h"

/* Labeled rows that one pass over the candidates measures from. */
enum { CHUNK_ROWS = 1024 };
/* Rows of a block that are listed at once as the next to be measured: those of the largest bounds.
 */
enum { TOP_ROWS = 16 };
/* All rows of a block are measured together when there are MIN_UNMEASURED picks or more that some
 * row was not measured from, and the distances measured row by row since the last time are more
 * than 1 / TOGETHER_SPEEDUP of those that measuring together computes. Both numbers were found by
 * timing on CPUs. */
enum { TOGETHER_SPEEDUP = 5, MIN_UNMEASURED = 5 };

typedef struct kcenter_state {
    alcore__greedy greedy; /* first, see greedy_picks.h */
    int64_t dims;          /* of the embeddings */
    int64_t labeled; /* number of labeled rows: of the candidates' pool and of the labeled pool */
    double *chunk;   /* [chunk_rows, dims] vectors of the labeled rows of the present chunk;
                        without labeled rows [dims], the mean of the candidates */
    int64_t chunk_rows; /* at most CHUNK_ROWS */
    int64_t collected;  /* labeled rows in earlier chunks of both sources, those of the candidates'
                           pool first */
    double *centers;    /* [center_count, dims] vectors of the picks, in their order */
    int64_t center_count;
    size_t center_capacity; /* in doubles */
    double *radius;         /* [candidates] for each pick the largest distance that a row has to its
                               nearest center once this pick is one; NaN for other rows */
    double max_sq_dist;     /* largest m(x) of the rows that are no center, in the present pass */
    int64_t last_pick;      /* position of the last pick; -1: there is none */
    bool first_from_mean;   /* the last pick is the first one, chosen by its distance to the mean */
    bool has_next_pass;     /* a further pass that picks is made, see offer_best() */
} kcenter_state;

/* Called once before the first pass: allocates the chunk of labeled rows, which has a vector for
 * the mean where there are none, and the radii. Warns when this will take long: measuring from a
 * labeled row costs what a pass for a pick does at most, so both count as a pass. The parameters
 * have been applied before the run: they only say which candidates are drawn. */
static alcore_status begin(alcore__run *run) {
    kcenter_state *state = run->state;
    size_t count = (size_t)run->outcome.count;
    state->dims = alcore__embedding_dims(run);
    state->labeled =
        run->active[ALCORE__OVER_LABELED_ROWS].count + run->active[ALCORE__OVER_LABELED_POOL].count;
    state->last_pick = -1;
    state->has_next_pass = true;
    run->repeats = true; /* one pass for each pick: the runner keeps copies of the embeddings */
    ALCORE__TRY(alcore__greedy_begin(run, &state->greedy));
    size_t chunk = state->labeled < CHUNK_ROWS ? (size_t)state->labeled + 1 : CHUNK_ROWS;
    ALCORE__TRY(
        alcore__new_array(run->ctx, chunk, (size_t)state->dims * sizeof(double), &state->chunk));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &state->radius));
    for (size_t i = 0; i < count; i++) state->radius[i] = (double)NAN;
    alcore__warn_passes(run, alcore__expected_picks(run) + (double)state->labeled);
    return ALCORE_OK;
}

/* Called when the run is freed, also after a failure in begin: arrays that were not made are NULL.
 */
static void free_state(alcore__run *run) {
    kcenter_state *state = run->state;
    alcore__greedy_free_state(run->ctx, &state->greedy);
    alcore__free(run->ctx, state->chunk);
    alcore__free(run->ctx, state->centers);
    alcore__free(run->ctx, state->radius);
}

/* ---- what is kept with a block ---- */

/* A row with n measured picks was measured from the first n of centers. */
typedef struct row_state {
    double *sq_dist; /* [matrix rows] m(x) over labeled rows and the measured picks of the row, in
                        the engine's memory; infinite at first. On a device every row is measured
                        from every pick in each pass, as it cannot be measured alone there. */
    int64_t *block_measured_picks; /* [1] number of picks that every row of the block was measured
                                      from */
    int64_t *single_count;   /* [1] distances that were measured row by row since all rows were
                                measured together */
    int64_t *measured_picks; /* [active rows] number of picks that each row was measured from */
} row_state;

/* Gives the block its m(x) [matrix rows], infinite, on the first visit. Before that the dot product
 * of each row with itself is computed in the same array: where one is not finite, the run fails
 * with the number of the first row that has a NaN or an infinity. */
static alcore_status make_sq_dists(alcore__block *block, const alcore__matrix *matrix) {
    const alcore__run *run = block->run;
    alcore_sys_work work = alcore__run_work(run);
    int64_t rows = matrix->rows.count;
    double *values;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)rows, sizeof *values, &values));
    alcore_status status =
        alcore__run_kernels(run)->self_dots(&work, &matrix->rows, matrix->mask, values);
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        if (!isfinite(values[alcore__matrix_row_of(matrix, i)]))
            status = alcore__matrix_check(matrix);
    }
    for (int64_t i = 0; i < rows; i++) values[i] = HUGE_VAL;
    if (status == ALCORE_OK) return alcore__block_keep(block, values, rows);
    alcore__free(run->ctx, values);
    return status;
}

/* Finds what the block keeps between passes, or makes it on the first visit. block_measured_picks,
 * single_count and measured_picks lie in one array of 2 + count integers, zeroed: no row was
 * measured from a pick yet. */
static alcore_status open_rows(alcore__block *block, const alcore__matrix *matrix, row_state *out) {
    int64_t *local;
    if (!alcore__block_doubles(block)) ALCORE__TRY(make_sq_dists(block, matrix));
    ALCORE__TRY(alcore__block_local(block, (2 + (size_t)block->count) * sizeof *local, &local));
    *out = (row_state){.sq_dist = alcore__block_doubles(block),
                       .block_measured_picks = local,
                       .single_count = local + 1,
                       .measured_picks = local + 2};
    return ALCORE_OK;
}

/* Measures all active rows of the block from vectors [count, dims]: m(x), sq_dist [matrix rows, in
 * the engine's memory], becomes the minimum with each distance. The kernel could round distances of
 * near duplicates to 0; that is off (flag 0), so it needs no self dots (the two NULLs). */
static alcore_status measure_all(const alcore__matrix *matrix, const double *vectors, int64_t count,
                                 double *sq_dist) {
    const alcore__run *run = matrix->block->run;
    alcore_sys_work work = alcore__run_work(run);
    alcore_sys_weights weights = {.minimum = sq_dist};
    return alcore__run_kernels(run)->min_sq_dists(&work, &matrix->rows, matrix->mask, vectors,
                                                  count, NULL, NULL, 0, &weights);
}

/* Measures all rows of the block together from the picks after the first block_measured_picks. Rows
 * that were measured from a few of these are measured from them again, which changes no minimum. */
static alcore_status measure_all_from_picks(const kcenter_state *state,
                                            const alcore__matrix *matrix, row_state *rows) {
    int64_t first = *rows->block_measured_picks, count = state->center_count - first;
    if (!count) return ALCORE_OK;
    ALCORE__TRY(measure_all(matrix, state->centers + first * state->dims, count, rows->sq_dist));
    /* On a device no row is ever measured alone, so that only the block's number is read. */
    bool singly = !alcore__run_kernels(matrix->block->run)->upload;
    for (int64_t i = 0; i < matrix->block->count && singly; i++)
        rows->measured_picks[i] = state->center_count;
    *rows->block_measured_picks = state->center_count;
    *rows->single_count = 0;
    return ALCORE_OK;
}

/* Measures the active row number `index` from the picks it was not measured from yet, at most
 * ALCORE_BLOCK_ROWS of them at a time, so that to_picks [max_count] stays small. Only for engines
 * that work in host memory. The picks are the rows of the kernel here and the row is its vector,
 * where measure_all() has it the other way round: sq_dist is symmetric to the last bit. vector
 * [dims]: workspace for the row. */
static alcore_status measure_from_picks(const kcenter_state *state, const alcore__matrix *matrix,
                                        row_state *rows, int64_t index, double *vector) {
    alcore__block *block = matrix->block;
    alcore_sys_work work = alcore__run_work(block->run);
    double *sq_dist = &rows->sq_dist[alcore__matrix_row_of(matrix, index)], *to_picks;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    int64_t unmeasured = state->center_count - rows->measured_picks[index];
    int64_t max_count = unmeasured < ALCORE_BLOCK_ROWS ? unmeasured : ALCORE_BLOCK_ROWS;
    ALCORE__TRY(alcore__scratch_push(block, max_count, sizeof *to_picks, &to_picks));
    ALCORE__TRY(alcore__matrix_copy_row(matrix, index, vector));
    while (rows->measured_picks[index] < state->center_count) {
        int64_t first = rows->measured_picks[index], left = state->center_count - first;
        alcore_sys_rows centers = {.data = state->centers + first * state->dims,
                                   .count = left < max_count ? left : max_count,
                                   .dims = state->dims,
                                   .stride = state->dims,
                                   .dtype = ALCORE_FLOAT64};
        ALCORE__TRY(alcore__run_kernels(block->run)
                        ->sq_dists(&work, &centers, NULL /* no mask */, vector, to_picks));
        for (int64_t c = 0; c < centers.count; c++) {
            if (to_picks[c] < *sq_dist) *sq_dist = to_picks[c];
        }
        rows->measured_picks[index] += centers.count;
        *rows->single_count += centers.count;
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* ---- the farthest row of a block ---- */

/* Whether a candidate takes part in a search for the farthest row: with `pickable` every row that
 * can still be picked does, else every row that is no center. */
static bool takes_part(const kcenter_state *state, int64_t position, bool pickable) {
    if (pickable) return alcore__greedy_is_free(&state->greedy, position);
    return state->greedy.status[position] != ALCORE__GREEDY_PICKED;
}

/* Lists the indices of the active rows with the largest bounds among those that take part
 * (takes_part()), at most TOP_ROWS, largest first, the lower row first among equals; returns how
 * many. sq_dist [matrix rows] has the bounds. value [count] holds those of the rows listed so far,
 * sorted by insertion; most rows end at the first test. */
static int list_top(const kcenter_state *state, const alcore__matrix *matrix, const double *sq_dist,
                    bool pickable, int64_t top[TOP_ROWS]) {
    const alcore__block *block = matrix->block;
    double value[TOP_ROWS];
    int count = 0;
    for (int64_t i = 0; i < block->count; i++) {
        double bound = sq_dist[alcore__matrix_row_of(matrix, i)];
        if (count == TOP_ROWS && !(bound > value[TOP_ROWS - 1])) continue;
        if (!takes_part(state, block->start + i, pickable)) continue;
        int at = count < TOP_ROWS ? count++ : TOP_ROWS - 1;
        for (; at > 0 && bound > value[at - 1]; at--) {
            top[at] = top[at - 1];
            value[at] = value[at - 1];
        }
        top[at] = i;
        value[at] = bound;
    }
    return count;
}

/* find_farthest() where the engine has memory of its own: find_pick() has measured every row from
 * all picks before, so the kernel arg_max under a mask of the rows that take part is enough. */
static alcore_status find_farthest_on_device(const kcenter_state *state,
                                             const alcore__matrix *matrix, const row_state *rows,
                                             bool pickable, int64_t *index, double *value) {
    alcore__block *block = matrix->block;
    const uint8_t *mask;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    if (pickable) {
        ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, matrix, &mask));
    } else {
        ALCORE__TRY(alcore__greedy_push_left(&state->greedy, matrix, &mask));
    }
    ALCORE__TRY(alcore__greedy_arg_max(matrix, mask, rows->sq_dist, index, value));
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* Finds the farthest row of the block among those that take part (takes_part): measures rows until
 * the largest bound belongs to a row that was measured from every pick, since no other row can be
 * farther then. Each turn measures the first row of the list at least, so the loop ends. *index and
 * *value: the row found and its m(x); index -1: no row takes part, and *value has no meaning.
 * vector [dims]: workspace for measure_from_picks(). */
static alcore_status find_farthest(const kcenter_state *state, const alcore__matrix *matrix,
                                   row_state *rows, bool pickable, double *vector, int64_t *index,
                                   double *value) {
    int64_t top[TOP_ROWS], picks = state->center_count;
    const alcore__block *block = matrix->block;
    if (alcore__run_kernels(block->run)->upload)
        return find_farthest_on_device(state, matrix, rows, pickable, index, value);
    for (*index = -1, *value = 0.0;;) {
        int count = list_top(state, matrix, rows->sq_dist, pickable, top);
        if (!count) return ALCORE_OK;
        if (rows->measured_picks[top[0]] == picks) {
            *index = top[0];
            *value = rows->sq_dist[alcore__matrix_row_of(matrix, top[0])];
            return ALCORE_OK;
        }
        int64_t unmeasured = picks - *rows->block_measured_picks;
        if (unmeasured >= MIN_UNMEASURED &&
            *rows->single_count * TOGETHER_SPEEDUP > unmeasured * block->count) {
            ALCORE__TRY(measure_all_from_picks(state, matrix, rows));
            continue;
        }
        double best = -1.0;
        for (int k = 0; k < count; k++) {
            const double *sq_dist = &rows->sq_dist[alcore__matrix_row_of(matrix, top[k])];
            if (*sq_dist < best) break; /* this bound and those after it are below a true m(x) */
            ALCORE__TRY(measure_from_picks(state, matrix, rows, top[k], vector));
            if (*sq_dist > best) best = *sq_dist;
        }
    }
}

/* ---- without labeled rows: passes "mean" and "nearest to the mean" ---- */

/* Condition of both passes: there is no labeled row. */
static bool has_no_labeled(const alcore__run *run) {
    return !((const kcenter_state *)run->state)->labeled;
}

/* The array of the state to which the runner adds the sums: the first vector of the chunk. */
static alcore__doubles mean_of(const alcore__run *run) {
    const kcenter_state *state = run->state;
    return (alcore__doubles){.values = state->chunk, .count = state->dims};
}

/* The partial is the sum [dims] of the block's candidates. */
static alcore_status sum_block(alcore__block *block, void *partial) {
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    return alcore__matrix_sum(&matrix, partial);
}

/* End of the pass "mean": turns the sum into the mean of all candidates. */
static alcore_status divide_mean(alcore__run *run) {
    kcenter_state *state = run->state;
    for (int64_t j = 0; j < state->dims; j++) state->chunk[j] /= (double)run->outcome.count;
    return ALCORE_OK;
}

/* Finds the candidate of the block nearest to the mean (state->chunk [dims]) among those that can
 * be picked. The best candidate is that of the largest value in every pass, so the value here is
 * minus the squared distance. */
static alcore_status find_nearest_to_mean(alcore__block *block, void *partial) {
    const kcenter_state *state = block->run->state;
    alcore_sys_work work = alcore__run_work(block->run);
    alcore__matrix matrix;
    int64_t best;
    double *nearness, value;
    const uint8_t *mask;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, matrix.rows.count, sizeof *nearness, &nearness));
    ALCORE__TRY(alcore__run_kernels(block->run)
                    ->sq_dists(&work, &matrix.rows, matrix.mask, state->chunk, nearness));
    for (int64_t i = 0; i < matrix.rows.count; i++) nearness[i] = -nearness[i];
    ALCORE__TRY(alcore__greedy_push_mask(&state->greedy, &matrix, &mask));
    ALCORE__TRY(alcore__greedy_arg_max(&matrix, mask, nearness, &best, &value));
    return alcore__greedy_write_best(&matrix, best, value, partial);
}

/* ---- with labeled rows: passes "labeled ..." and "distances to ...", a chunk at a time ---- */

/* Active rows of the block that are in the present chunk of their source: indices *first to
 * *end - 1. state->collected counts the rows of both sources, so those of the first one are
 * subtracted in the second. The range is empty, *first = *end, where the block has none. */
static void chunk_range(const alcore__block *block, int64_t *first, int64_t *end) {
    const kcenter_state *state = block->run->state;
    int64_t earlier_rows = block->source == ALCORE__OVER_LABELED_POOL
                               ? block->run->active[ALCORE__OVER_LABELED_ROWS].count
                               : 0;
    int64_t chunk_first = state->collected - earlier_rows - block->start;
    int64_t chunk_end = chunk_first + CHUNK_ROWS;
    *first = chunk_first > 0 ? chunk_first : 0;
    *end = chunk_end < block->count ? chunk_end : block->count;
    if (*end < *first) *end = *first;
}

/* The partial: the vectors of the block's rows in the chunk, double [end - first, dims]. */
static size_t chunk_bytes(const alcore__block *block) {
    const kcenter_state *state = block->run->state;
    int64_t first, end;
    chunk_range(block, &first, &end);
    return (size_t)((end - first) * state->dims) * sizeof(double);
}

/* Copies the vectors of the block's rows that belong to the present chunk to the partial, as
 * doubles, and fails on a component that is not finite. */
static alcore_status collect_vectors(alcore__block *block, void *partial) {
    const kcenter_state *state = block->run->state;
    alcore__matrix matrix;
    int64_t first, end;
    double *vector = partial;
    chunk_range(block, &first, &end);
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    for (int64_t i = first; i < end; i++, vector += state->dims) {
        ALCORE__TRY(alcore__matrix_copy_row(&matrix, i, vector));
        for (int64_t j = 0; j < state->dims; j++) {
            if (!isfinite(vector[j])) return alcore__matrix_check(&matrix);
        }
    }
    return ALCORE_OK;
}

/* Reduces the partial of one block: appends its vectors to the chunk. Blocks are reduced in order,
 * so the chunk has the rows in the order of the pool. */
static alcore_status store_vectors(alcore__run *run, const alcore__block_partial *partial) {
    kcenter_state *state = run->state;
    memcpy(state->chunk + state->chunk_rows * state->dims, partial->extra, partial->extra_bytes);
    state->chunk_rows += (int64_t)(partial->extra_bytes / sizeof(double)) / state->dims;
    return ALCORE_OK;
}

/* Measures every candidate of the block from the labeled rows of the chunk. There is no partial:
 * m(x) stays with the block. */
static alcore_status measure_from_chunk(alcore__block *block, void *partial) {
    const kcenter_state *state = block->run->state;
    alcore__matrix matrix;
    row_state rows;
    (void)partial;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(open_rows(block, &matrix, &rows));
    return measure_all(&matrix, state->chunk, state->chunk_rows, rows.sq_dist);
}

/* Condition of the passes "distances to ...": the chunk has a labeled row. */
static bool has_chunk(const alcore__run *run) {
    return ((const kcenter_state *)run->state)->chunk_rows > 0;
}

/* End of the passes "distances to ...": counts the rows of the chunk as collected and empties it.
 */
static alcore_status end_chunk(alcore__run *run) {
    kcenter_state *state = run->state;
    state->collected += state->chunk_rows;
    state->chunk_rows = 0;
    return ALCORE_OK;
}

/* Loops of these passes: whether rows of the present source are left for another chunk. */
static bool more_labeled_rows(const alcore__run *run) {
    const kcenter_state *state = run->state;
    return state->collected < run->active[ALCORE__OVER_LABELED_ROWS].count;
}

static bool more_labeled_pool(const alcore__run *run) {
    const kcenter_state *state = run->state;
    return state->collected < state->labeled;
}

/* ---- pass "farthest": one pick ---- */

/* The partial: the largest m(x) of the rows that are no center, double [1], then the best
 * candidate, an alcore__greedy_best. */
static size_t farthest_bytes(const alcore__block *block) {
    return sizeof(double) + alcore__greedy_best_bytes(block);
}

/* Searches the block twice: for the largest m(x) of all rows that are no center, whose root, over
 * all blocks, is the radius of the last pick, and for the largest among rows that can still be
 * picked. They differ when the budget passed rows over. Without a row for the first search the
 * block reports 0, without one for the second -1 as its best row. */
static alcore_status find_pick(alcore__block *block, void *partial) {
    const kcenter_state *state = block->run->state;
    alcore__matrix matrix;
    row_state rows;
    int64_t farthest, pick;
    double *max_sq_dist = partial, *vector, farthest_value = 0.0, pick_value = 0.0;
    alcore__greedy_best *best = (alcore__greedy_best *)(void *)(max_sq_dist + 1);
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(open_rows(block, &matrix, &rows));
    ALCORE__TRY(alcore__scratch_push(block, state->dims, sizeof *vector, &vector));
    if (alcore__run_kernels(block->run)->upload)
        ALCORE__TRY(measure_all_from_picks(state, &matrix, &rows));
    bool pickable = false; /* first among all rows that are no center */
    ALCORE__TRY(find_farthest(state, &matrix, &rows, pickable, vector, &farthest, &farthest_value));
    pickable = true;
    ALCORE__TRY(find_farthest(state, &matrix, &rows, pickable, vector, &pick, &pick_value));
    *max_sq_dist = farthest < 0 ? 0.0 : farthest_value;
    return alcore__greedy_write_best(&matrix, pick, pick_value, best);
}

/* Reduces the partial of one block to the largest m(x) and the best candidate so far. */
static alcore_status keep_farthest(alcore__run *run, const alcore__block_partial *partial) {
    kcenter_state *state = run->state;
    const double *max_sq_dist = partial->extra;
    if (*max_sq_dist > state->max_sq_dist) state->max_sq_dist = *max_sq_dist;
    alcore__block_partial best = *partial;
    best.extra = max_sq_dist + 1;
    return alcore__greedy_keep_best(run, &best);
}

/* Offers the best candidate of the pass to the budget; if it is bought it becomes a center.
 * sq_dist: its m(x), whose root is its score. from_mean: it is the nearest to the mean, as there is
 * nothing labeled or picked yet; its score is then set by set_radius_and_offer(). Sets
 * state->has_next_pass, which repeats the pass; false: there was nothing to offer, or the budget is
 * full. */
static alcore_status offer_best(alcore__run *run, double sq_dist, bool from_mean) {
    kcenter_state *state = run->state;
    alcore__greedy *greedy = &state->greedy;
    bool bought = false;
    state->max_sq_dist = 0.0;
    state->has_next_pass = false;
    if (!alcore__greedy_can_offer(greedy)) return ALCORE_OK;
    ALCORE__TRY(alcore__greedy_offer(greedy, &bought));
    if (bought) {
        state->last_pick = greedy->best;
        state->first_from_mean = from_mean;
        greedy->pick_scores[greedy->best] = from_mean ? 0.0 : sqrt(sq_dist);
        size_t needed = (size_t)((state->center_count + 1) * state->dims);
        ALCORE__TRY(alcore__grow(run->ctx, &state->centers, &state->center_capacity, needed,
                                 sizeof(double)));
        memcpy(state->centers + state->center_count++ * state->dims, greedy->best_vector,
               (size_t)state->dims * sizeof(double));
    }
    alcore__greedy_clear_best(greedy);
    /* Also when this pick fills the budget: one more pass finds its radius and offers nothing. */
    state->has_next_pass = bought || !alcore__filler_full(&greedy->filler);
    return ALCORE_OK;
}

/* End of the pass "nearest to the mean". */
static alcore_status offer_nearest_to_mean(alcore__run *run) {
    return offer_best(run, 0.0 /* not used */, true);
}

/* End of the pass "farthest", which measured the rows from the last pick too: the distance of the
 * row that is farthest now is the radius of that pick. Then the best candidate is offered. */
static alcore_status set_radius_and_offer(alcore__run *run) {
    kcenter_state *state = run->state;
    if (state->last_pick >= 0 && isnan(state->radius[state->last_pick])) {
        double radius = sqrt(state->max_sq_dist);
        state->radius[state->last_pick] = radius;
        /* The first pick has no distance to earlier ones. With its radius as its score the scores
         * of the picks never increase. */
        if (state->first_from_mean) state->greedy.pick_scores[state->last_pick] = radius;
        state->first_from_mean = false;
    }
    return offer_best(run, state->greedy.best_value, false);
}

/* Condition and loop of the pass "farthest". */
static bool has_next_pass(const alcore__run *run) {
    return ((const kcenter_state *)run->state)->has_next_pass;
}

/* Loop of the pass "nearest to the mean": the row offered was passed over, so the pass is made
 * again and finds the next nearest one. */
static bool lacks_first_center(const alcore__run *run) {
    const kcenter_state *state = run->state;
    return !state->labeled && state->has_next_pass && !state->center_count;
}

/* ---- pass "scores": the distance of every candidate to the nearest center ---- */

/* Measures every row from the picks that it was not measured from, so that m(x) is final, and
 * scores it with its root; finish() sets the scores of the picks. Without picks and labeled rows
 * all scores are 0. The partial is scores, double [active rows]. */
static alcore_status read_scores(alcore__block *block, void *partial) {
    const kcenter_state *state = block->run->state;
    double *scores = partial;
    alcore__matrix matrix;
    row_state rows;
    if (!alcore__block_doubles(block)) return ALCORE_OK; /* nothing was measured: all are 0 */
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(open_rows(block, &matrix, &rows));
    ALCORE__TRY(measure_all_from_picks(state, &matrix, &rows));
    ALCORE__TRY(alcore__download_active(&matrix, rows.sq_dist, scores));
    for (int64_t i = 0; i < block->count; i++)
        scores[i] = scores[i] < HUGE_VAL ? sqrt(scores[i]) : 0.0;
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "mean",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = sum_block,
     .partial = {.sums = mean_of},
     .end = divide_mean,
     .when = has_no_labeled},
    {.name = "nearest to the mean",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = find_nearest_to_mean,
     .partial = ALCORE__GREEDY_BEST,
     .end = offer_nearest_to_mean,
     .when = has_no_labeled,
     .again = lacks_first_center},
    {.name = "labeled rows",
     .rows = ALCORE__OVER_LABELED_ROWS,
     .block = collect_vectors,
     .partial = {.extra = chunk_bytes, .reduce = store_vectors}},
    {.name = "distances to labeled rows",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = measure_from_chunk,
     .end = end_chunk,
     .when = has_chunk,
     .again = more_labeled_rows,
     .back = 1},
    {.name = "labeled pool",
     .rows = ALCORE__OVER_LABELED_POOL,
     .block = collect_vectors,
     .partial = {.extra = chunk_bytes, .reduce = store_vectors}},
    {.name = "distances to labeled pool",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = measure_from_chunk,
     .end = end_chunk,
     .when = has_chunk,
     .again = more_labeled_pool,
     .back = 1},
    {.name = "farthest",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = find_pick,
     .partial = {.extra = farthest_bytes, .reduce = keep_farthest},
     .end = set_radius_and_offer,
     .when = has_next_pass,
     .again = has_next_pass},
    {.name = "scores",
     .rows = ALCORE__OVER_CANDIDATES,
     .wide = true,
     .block = read_scores,
     .partial = {.values = alcore__outcome_scores}},
    {.name = NULL},
};

/* Called after the last pass: records the radii, and moves the picks and their scores to the
 * outcome. */
static alcore_status finish(alcore__run *run) {
    kcenter_state *state = run->state;
    double *radius;
    ALCORE__TRY(alcore__outcome_column(run, "radius", ALCORE_FLOAT64, &radius));
    memcpy(radius, state->radius, (size_t)run->outcome.count * sizeof *radius);
    return alcore__greedy_finish(&state->greedy);
}

static const char *const NEEDS[] = {"embeddings", NULL};
static const alcore__param ROWS[] = {ALCORE__CANDIDATE_PARAMS};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_kcenter = {
    .name = "kcenter",
    .summary = "k-center greedy: the row farthest from everything labeled or picked, again and "
               "again (core-set, Sener and Savarese 2018)",
    .reason = "farthest from the labeled and the chosen rows",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = NEEDS, [ALCORE_ROLE_LABELED] = NEEDS},
    .state_bytes = sizeof(kcenter_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .free_state = free_state,
};
