/* SPDX-License-Identifier: Apache-2.0 */
/* The best row of each block. In passes that are queued as a whole (alcore__wide_visits()) each
 * visit leaves it in the engine's memory, and the end of the pass reads all of them at once. */
#include <string.h>

#include "strategy/greedy/greedy.h"

/* A record of `found`, in numbers of 8 bytes: the matrix row of the best candidate of a visit
 * (int64_t; -1: none), its value, the row of the largest value of those that were not bought
 * (likewise) and that value; then the vector of the best candidate, [dims]. */
enum { RECORD_ROW = 0, RECORD_VALUE = 1, RECORD_LEFT_ROW = 2, RECORD_LEFT_VALUE = 3, RECORD_HEAD };

/* Numbers of 8 bytes of such a record. */
static int64_t record_size(const alcore__run *run) {
    return RECORD_HEAD + alcore__embedding_dims(run);
}

/* The row number at `at`, which kernels write as an int64_t among doubles. */
static int64_t row_at(const double *at) {
    int64_t row;
    memcpy(&row, at, sizeof row);
    return row;
}

/* The records [visits] of the passes of a turn (0 or 1), in the engine's memory. Turns alternate
 * from pass to pass. */
static double *records_of(const alcore__greedy *greedy, int64_t turn) {
    return greedy->found.data + turn * greedy->visits * record_size(greedy->run);
}

/* The record of a visit in the present pass; NULL: the pass is not queued as a whole. */
static double *record_of(const alcore__greedy *greedy, const alcore__block *block) {
    if (!greedy->found.data) return NULL;
    return records_of(greedy, greedy->turn) +
           alcore__wide_visit(greedy->run, block->number) * record_size(greedy->run);
}

/* Makes the records once. They say at first that no row was found, which remains so in parts of the
 * pool without candidates, as these are not visited. */
alcore_status alcore__greedy_start_pass(alcore__run *run) {
    alcore__greedy *greedy = run->state;
    const int64_t visits = alcore__wide_visits(run), size = record_size(run), none = -1;
    double *records;
    if (greedy->found.data || !visits) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, (visits * size), &greedy->records));
    ALCORE__TRY(
        alcore__new_array(run->ctx, (size_t)(2 * visits * size), sizeof *records, &records));
    for (int64_t v = 0; v < 2 * visits; v++) {
        memcpy(&records[v * size + RECORD_ROW], &none, sizeof none);
        memcpy(&records[v * size + RECORD_LEFT_ROW], &none, sizeof none);
    }
    greedy->visits = visits;
    return alcore__vectors_adopt(run, &greedy->found, records, 2 * visits, size);
}

/* Visits are looked at in block order and only a larger value replaces the one before, so the lower
 * row is kept in a tie. Where all that is left can be picked, its largest value is the best. The
 * next pass writes to the records of the other turn, while its kernels
 * still read the vector of the best candidate from these. */
alcore_status alcore__greedy_collect(alcore__run *run) {
    alcore__greedy *greedy = run->state;
    const int64_t size = record_size(run);
    if (!greedy->found.data) return ALCORE_OK;
    const double *there = records_of(greedy, greedy->turn);
    ALCORE__TRY(alcore__read_back(run, there, greedy->visits * size, greedy->records));
    for (int64_t v = 0; v < greedy->visits; v++) {
        const double *record = greedy->records + v * size, value = record[RECORD_VALUE];
        const int64_t row = row_at(record + RECORD_ROW);
        if (row_at(record + RECORD_LEFT_ROW) >= 0 && record[RECORD_LEFT_VALUE] > greedy->left_value)
            greedy->left_value = record[RECORD_LEFT_VALUE];
        if (row < 0 || (greedy->best >= 0 && !(value > greedy->best_value))) continue;
        greedy->best = alcore__wide_position(run, v, row);
        greedy->best_value = value;
        greedy->best_there = there + v * size + RECORD_HEAD;
        memcpy(greedy->best_vector, record + RECORD_HEAD,
               (size_t)(size - RECORD_HEAD) * sizeof value);
    }
    greedy->turn = 1 - greedy->turn;
    if (alcore__greedy_left_are_free(greedy))
        greedy->left_value = greedy->best < 0 ? 0.0 : greedy->best_value;
    return ALCORE_OK;
}

/* *index: the active row with the largest of values [matrix rows, in the engine's memory] where
 * mask [matrix rows] is 1, the lowest one in a tie, and *value its value; -1: the mask is empty. */
static alcore_status arg_max(const alcore__matrix *matrix, const uint8_t *mask,
                             const double *values, int64_t *index, double *value) {
    const alcore__run *run = matrix->block->run;
    int64_t matrix_row;
    ALCORE__TRY(ALCORE__KERNEL(run, arg_max, matrix->rows.count, mask, values, &matrix_row, value));
    *index = matrix_row < 0 ? -1 : alcore__matrix_index_of(matrix, matrix_row);
    return ALCORE_OK;
}

/* The vector is copied, because the block may have been visited by another process. */
alcore_status alcore__greedy_write_best(const alcore__matrix *matrix, int64_t index, double value,
                                        alcore__greedy_best *out) {
    const alcore__block *block = matrix->block;
    const alcore__greedy *greedy = block->run->state;
    out->position = index < 0 ? -1 : block->start + index;
    out->value = value;
    if (index < 0) return ALCORE_OK;
    out->row = block->rows[index];
    out->cost = alcore__filler_cost(&greedy->filler, out->position);
    return alcore__matrix_copy_row(matrix, index, out->vector);
}

alcore_status alcore__greedy_find_best(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       const uint8_t *mask, const double *values,
                                       alcore__greedy_best *out) {
    double *record = record_of(greedy, matrix->block), value;
    int64_t index;
    out->position = -1;
    if (record)
        return ALCORE__KERNEL(greedy->run, best_row, &matrix->rows, mask, values,
                              (int64_t *)(void *)&record[RECORD_ROW], &record[RECORD_VALUE],
                              &record[RECORD_HEAD]);
    ALCORE__TRY(arg_max(matrix, mask, values, &index, &value));
    return alcore__greedy_write_best(matrix, index, value, out);
}

alcore_status alcore__greedy_max_left(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                      const uint8_t *mask, const double *values, double *max) {
    double *record = record_of(greedy, matrix->block);
    int64_t index;
    *max = 0.0;
    if (record)
        return ALCORE__KERNEL(greedy->run, arg_max, matrix->rows.count, mask, values,
                              (int64_t *)(void *)&record[RECORD_LEFT_ROW],
                              &record[RECORD_LEFT_VALUE]);
    ALCORE__TRY(arg_max(matrix, mask, values, &index, max));
    if (index < 0) *max = 0.0;
    return ALCORE_OK;
}
