/* SPDX-License-Identifier: Apache-2.0 */
/* The distances of k-center: m(x) of every candidate, the squared distance to its nearest center,
 * over as many picks as it was measured from, and the search for the farthest row, which measures
 * as few rows as it can (kcenter.c says why that is enough).
 *
 * Centers are labeled rows and picks. */
#include "strategy/rules/kcenter.h"

#include <math.h>

#include "kernel/kernels.h"

/* Rows of a block that are listed at once as the next to be measured: those of the largest bounds.
 */
enum { TOP_ROWS = 16 };
/* All rows of a block are measured together when there are MIN_UNMEASURED picks or more that some
 * row was not measured from, and the distances measured row by row since the last time are more
 * than 1 / TOGETHER_SPEEDUP of those that measuring together computes. Both numbers were found by
 * timing on CPUs. */
enum { TOGETHER_SPEEDUP = 5, MIN_UNMEASURED = 5 };

/* What is kept beside m(x), in host memory; zeroed: no row was measured from a pick yet. */
typedef struct measured {
    int64_t block_picks; /* number of picks that every row of the block was measured from */
    int64_t single;      /* distances that were measured row by row since all rows were measured
                            together */
    int64_t picks[];     /* [active rows] number of picks that each row was measured from */
} measured;

/* *out: what the block keeps of this, zeros at first. */
static alcore_status open_measured(alcore__block *block, measured **out) {
    const size_t rows = (size_t)block->count;
    return alcore__block_local(block, sizeof **out + rows * sizeof(int64_t), out);
}

/* The dots with which the rows are checked for NaN lie in the same array before. */
alcore_status alcore__kcenter_fill(const alcore__matrix *matrix, double *sq_dist, void *unused) {
    (void)unused;
    ALCORE__TRY(alcore__matrix_checked_dots(matrix, sq_dist));
    for (int64_t i = 0; i < matrix->rows.count; i++) sq_dist[i] = HUGE_VAL;
    return ALCORE_OK;
}

/* The kernel could round distances of near duplicates to 0; that is off (flag 0), so it needs no
 * self dots (the two NULLs). */
alcore_status alcore__kcenter_measure(const alcore__matrix *matrix, const double *vectors,
                                      int64_t count, double *sq_dist) {
    const alcore__run *run = matrix->block->run;
    alcore_sys_weights weights = {.minimum = sq_dist};
    return ALCORE__KERNEL(run, min_sq_dists, &matrix->rows, matrix->mask, vectors, count, NULL,
                          NULL, 0, &weights);
}

/* Measures all rows of the block from the picks that not all were measured from. Rows that were
 * measured from a few of them are measured from them again, which changes no minimum. */
alcore_status alcore__kcenter_complete(const alcore__matrix *matrix, double *sq_dist) {
    alcore__block *block = matrix->block;
    const alcore__kcenter_state *state = block->run->state;
    const double *there = state->greedy.best_there; /* the last pick, on a device */
    measured *done;
    ALCORE__TRY(open_measured(block, &done));
    const int64_t first = done->block_picks, count = state->center_count - first;
    if (!count) return ALCORE_OK;
    ALCORE__TRY(alcore__kcenter_measure(
        matrix, count == 1 && there ? there : state->centers + first * state->dims, count,
        sq_dist));
    /* On a device no row is ever measured alone, so that only the block's number is read. */
    const bool singly = !alcore__run_kernels(block->run)->upload;
    for (int64_t i = 0; i < block->count && singly; i++) done->picks[i] = state->center_count;
    done->block_picks = state->center_count;
    done->single = 0;
    return ALCORE_OK;
}

/* Host memory is left to the search, which measures as few rows as it can. */
alcore_status alcore__kcenter_update(const alcore__matrix *matrix, double *sq_dist) {
    const bool on_device = alcore__run_kernels(matrix->block->run)->upload != NULL;
    return on_device ? alcore__kcenter_complete(matrix, sq_dist) : ALCORE_OK;
}

/* Measures the active row number `index` from the picks it was not measured from yet, at most
 * ALCORE_BLOCK_ROWS of them at a time, so that to_picks [max_count] stays small. Only for engines
 * that work in host memory. The picks are the rows of the kernel here and the row is its vector,
 * where alcore__kcenter_measure() has it the other way round: squared distances are symmetric to
 * the last bit. sq_dist is here the one entry of the row, its m(x), not the array [matrix rows]. */
static alcore_status measure_from_picks(const alcore__matrix *matrix, measured *done, int64_t index,
                                        double *sq_dist) {
    alcore__block *block = matrix->block;
    const alcore__kcenter_state *state = block->run->state;
    double *vector, *to_picks;
    alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    int64_t unmeasured = state->center_count - done->picks[index];
    int64_t max_count = unmeasured < ALCORE_BLOCK_ROWS ? unmeasured : ALCORE_BLOCK_ROWS;
    ALCORE__TRY(alcore__scratch_push(block, max_count, sizeof *to_picks, &to_picks));
    ALCORE__TRY(alcore__scratch_push(block, state->dims, sizeof *vector, &vector));
    ALCORE__TRY(alcore__matrix_copy_row(matrix, index, vector));
    while (done->picks[index] < state->center_count) {
        int64_t first = done->picks[index], left = state->center_count - first;
        const alcore_sys_rows centers = alcore__rows_of(
            state->centers + first * state->dims, left < max_count ? left : max_count, state->dims);
        ALCORE__TRY(
            ALCORE__KERNEL(block->run, sq_dists, &centers, NULL /* no mask */, vector, to_picks));
        for (int64_t c = 0; c < centers.count; c++) {
            if (to_picks[c] < *sq_dist) *sq_dist = to_picks[c];
        }
        done->picks[index] += centers.count;
        done->single += centers.count;
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* ---- the farthest row of a block ---- */

/* Whether a candidate takes part in a search for the farthest row: with `pickable` every row that
 * can still be picked does, else every row that is no center. */
static bool takes_part(const alcore__kcenter_state *state, int64_t position, bool pickable) {
    if (pickable) return alcore__greedy_is_free(&state->greedy, position);
    return state->greedy.status[position] != ALCORE__GREEDY_PICKED;
}

/* Lists the indices of the active rows with the largest bounds among those that take part
 * (takes_part()), at most TOP_ROWS, largest first, the lower row first among equals; returns how
 * many. sq_dist [matrix rows] has the bounds. value [count] holds those of the rows listed so far,
 * sorted by insertion; most rows end at the first test. */
static int list_top(const alcore__matrix *matrix, const double *sq_dist, bool pickable,
                    int64_t top[TOP_ROWS]) {
    const alcore__block *block = matrix->block;
    const alcore__kcenter_state *state = block->run->state;
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

/* Measures rows until the largest bound belongs to a row that was measured from every pick, since
 * no other row can be farther then. Each turn measures the first row of the list at least, so the
 * loop ends. */
alcore_status alcore__kcenter_find_farthest(const alcore__matrix *matrix, double *sq_dist,
                                            bool pickable, int64_t *index, double *value) {
    alcore__block *block = matrix->block;
    int64_t top[TOP_ROWS], picks = ((const alcore__kcenter_state *)block->run->state)->center_count;
    measured *done;
    ALCORE__TRY(open_measured(block, &done));
    for (*index = -1, *value = 0.0;;) {
        int count = list_top(matrix, sq_dist, pickable, top);
        if (!count) return ALCORE_OK;
        if (done->picks[top[0]] == picks) {
            *index = top[0];
            *value = sq_dist[alcore__matrix_row_of(matrix, top[0])];
            return ALCORE_OK;
        }
        int64_t unmeasured = picks - done->block_picks;
        if (unmeasured >= MIN_UNMEASURED &&
            done->single * TOGETHER_SPEEDUP > unmeasured * block->count) {
            ALCORE__TRY(alcore__kcenter_complete(matrix, sq_dist));
            continue;
        }
        double best = -1.0;
        for (int k = 0; k < count; k++) {
            double *bound = &sq_dist[alcore__matrix_row_of(matrix, top[k])];
            if (*bound < best) break; /* this bound and those after it are below a true m(x) */
            ALCORE__TRY(measure_from_picks(matrix, done, top[k], bound));
            if (*bound > best) best = *bound;
        }
    }
}
