/* SPDX-License-Identifier: Apache-2.0 */
/* What strategies share that pick row after row: in each pass every block sends its best row, the
 * best of all is offered to the budget, and bought or passed over. The state of such a strategy
 * begins with its alcore__greedy, so run->state points to that too.
 *
 * Words of this file:
 *
 *     status      [candidates] ALCORE__GREEDY_FREE: not offered yet; _PICKED: bought;
 *                 _PASSED_OVER: offered and not bought
 *     best        position of the best candidate of the pass so far, -1: none; best_value is what
 *                 it is the best by, best_vector [dims] its embedding
 *     number      of a mask that a block keeps in the engine's memory (alcore__block_store_mask()),
 *                 and of which it knows how many offers are in it */
#include "strategy/rules/greedy_picks.h"

#include <string.h>

/* Numbers of the masks that a block keeps: rows that can be picked, and rows that were not picked.
 */
enum { FREE_MASK = 0, LEFT_MASK = 1 };

/* Prepares the state of a strategy that picks row after row: no candidate has been offered (status
 * [candidates] is ALCORE__GREEDY_FREE, which is 0 as new arrays are), none is the best, and
 * pick_scores [candidates] are 0. */
alcore_status alcore__greedy_begin(alcore__run *run, alcore__greedy *greedy) {
    greedy->run = run;
    ALCORE__TRY(alcore__filler_begin(&greedy->filler, run));
    ALCORE__TRY(alcore__run_defer(run, alcore__vectors_free, &greedy->found));
    alcore__greedy_clear_best(greedy);
    const int64_t count = run->outcome.count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &greedy->status));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &greedy->pick_scores));
    return ALCORE__RUN_ARRAY(run, alcore__embedding_dims(run), &greedy->best_vector);
}

/* Whether the candidate at a position was not offered yet and would be bought if it were offered
 * now, the similarity limit aside: a row of cost 0 never is, and with fill=skip neither is a row
 * that costs more than is left. */
bool alcore__greedy_is_free(const alcore__greedy *greedy, int64_t position) {
    return greedy->status[position] == ALCORE__GREEDY_FREE &&
           alcore__filler_fits(&greedy->filler, position);
}

/* False for a request with costs, as each pick may leave further rows too expensive. */
bool alcore__greedy_left_are_free(const alcore__greedy *greedy) {
    return !greedy->run->input->costs && greedy->passed_over == 0 &&
           alcore__filler_fits(&greedy->filler, 0 /* as any other */);
}

/* After more offers than this a mask is made anew and not changed entry by entry. */
enum { MAX_CHANGES = 16 };

/* Brings the mask that the block keeps under a number up to date by the offers since the last time,
 * whose number does not depend on that of the rows. *out: the mask; NULL: it has to be made anew,
 * as none is kept or more than MAX_CHANGES offers were made. */
static alcore_status change_mask(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                 int32_t number, const uint8_t **out) {
    alcore__block *block = matrix->block;
    const int64_t known = alcore__block_mask_changes(block, number);
    *out = NULL;
    if (known < 0 || greedy->offered_count - known > MAX_CHANGES) return ALCORE_OK;
    for (int64_t n = known; n < greedy->offered_count; n++) {
        const int64_t position = greedy->offered[n], index = position - block->start;
        if (index < 0 || index >= block->count) continue;
        if (number == LEFT_MASK && greedy->status[position] != ALCORE__GREEDY_PICKED) continue;
        ALCORE__TRY(
            alcore__block_clear_mask_row(block, number, alcore__matrix_row_of(matrix, index)));
    }
    alcore__block_set_mask_changes(block, number, greedy->offered_count);
    *out = alcore__block_kept_mask(block, number);
    return ALCORE_OK;
}

/* Gives a mask [matrix rows] in host memory to the engine, to be kept under a number; *out: the
 * mask that kernels read. */
static alcore_status store_mask(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                int32_t number, const uint8_t *mask, const uint8_t **out) {
    ALCORE__TRY(alcore__block_store_mask(matrix->block, number, mask, matrix->rows.count, out));
    alcore__block_set_mask_changes(matrix->block, number, greedy->offered_count);
    return ALCORE_OK;
}

/* Makes a mask [matrix rows]: 1 for the active rows of which alcore__greedy_is_free() is true, 0
 * for the others and for rows that are not active. */
alcore_status alcore__greedy_push_mask(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       const uint8_t **out) {
    alcore__block *block = matrix->block;
    uint8_t *mask;
    const uint8_t *status = greedy->status + block->start;
    /* Without costs every row costs 1, so the budget is asked once for the whole block. */
    bool same_costs = !greedy->run->input->costs;
    bool affordable = !same_costs || alcore__filler_fits(&greedy->filler, block->start);
    if (same_costs && affordable) {
        ALCORE__TRY(change_mask(greedy, matrix, FREE_MASK, out));
        if (*out) return ALCORE_OK;
    }
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *mask, &mask));
    memset(mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count && affordable; i++) {
        bool is_free = same_costs ? status[i] == ALCORE__GREEDY_FREE
                                  : alcore__greedy_is_free(greedy, block->start + i);
        mask[alcore__matrix_row_of(matrix, i)] = is_free;
    }
    return store_mask(greedy, matrix, FREE_MASK, mask, out);
}

/* The same mask for all rows that were not bought, also those that cannot be bought any more. */
alcore_status alcore__greedy_push_left(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       const uint8_t **out) {
    alcore__block *block = matrix->block;
    const uint8_t *status = greedy->status + block->start;
    uint8_t *mask;
    ALCORE__TRY(change_mask(greedy, matrix, LEFT_MASK, out));
    if (*out) return ALCORE_OK;
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *mask, &mask));
    memset(mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count; i++)
        mask[alcore__matrix_row_of(matrix, i)] = status[i] != ALCORE__GREEDY_PICKED;
    return store_mask(greedy, matrix, LEFT_MASK, mask, out);
}

/* The row of the block with the largest of values [matrix rows, in the engine's memory] among those
 * whose mask [matrix rows] is 1: its index among the active rows, the lower row where values are
 * equal; -1 where the mask is 0 everywhere (*value is then -infinity). */
alcore_status alcore__greedy_arg_max(const alcore__matrix *matrix, const uint8_t *mask,
                                     const double *values, int64_t *index, double *value) {
    const alcore__run *run = matrix->block->run;
    alcore_sys_work work = alcore__run_work(run);
    int64_t matrix_row;
    ALCORE__TRY(alcore__run_kernels(run)->arg_max(&work, matrix->rows.count, mask, values,
                                                  &matrix_row, value));
    *index = matrix_row < 0 ? -1 : alcore__matrix_index_of(matrix, matrix_row);
    return ALCORE_OK;
}

/* Size of the partial of a block: its best row with the row's vector, double [dims]. */
size_t alcore__greedy_best_bytes(const alcore__block *block) {
    return sizeof(alcore__greedy_best) +
           (size_t)alcore__embedding_dims(block->run) * sizeof(double);
}

/* Writes the partial of a block: its best row, by its position among all candidates (-1 where index
 * is -1: no row can be picked), the value that it is the best by, and a copy of its vector [dims],
 * because the block may have been visited by another process. */
alcore_status alcore__greedy_write_best(const alcore__matrix *matrix, int64_t index, double value,
                                        alcore__greedy_best *out) {
    out->position = index < 0 ? -1 : matrix->block->start + index;
    out->value = value;
    return index < 0 ? ALCORE_OK : alcore__matrix_copy_row(matrix, index, out->vector);
}

/* ---- passes that are queued as a whole ---- */

/* A record of `found`, in numbers of 8 bytes: the matrix row of the best candidate of a visit
 * (int64_t; -1: none), its value, the row of the largest value of those that were not bought
 * (likewise) and that value; then the vector of the best candidate, [dims]. */
enum { RECORD_ROW = 0, RECORD_VALUE = 1, RECORD_LEFT_ROW = 2, RECORD_LEFT_VALUE = 3, RECORD_HEAD };

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
 * row is kept in a tie. The next pass writes to the records of the other turn, while its kernels
 * still read the vector of the best candidate from these. */
alcore_status alcore__greedy_collect(alcore__run *run) {
    alcore__greedy *greedy = run->state;
    const int64_t size = record_size(run);
    if (!greedy->found.data) return ALCORE_OK;
    const double *there = records_of(greedy, greedy->turn);
    ALCORE__TRY(alcore__read_back(run, there, greedy->visits * size, greedy->records));
    greedy->left_value = 0.0;
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
    return ALCORE_OK;
}

alcore_status alcore__greedy_find_best(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       const uint8_t *mask, const double *values,
                                       alcore__greedy_best *out) {
    alcore_sys_work work = alcore__run_work(greedy->run);
    double *record = record_of(greedy, matrix->block), value;
    int64_t index;
    out->position = -1;
    if (record)
        return alcore__run_kernels(greedy->run)
            ->best_row(&work, &matrix->rows, mask, values, (int64_t *)(void *)&record[RECORD_ROW],
                       &record[RECORD_VALUE], &record[RECORD_HEAD]);
    ALCORE__TRY(alcore__greedy_arg_max(matrix, mask, values, &index, &value));
    return alcore__greedy_write_best(matrix, index, value, out);
}

alcore_status alcore__greedy_max_left(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                      const uint8_t *mask, const double *values, double *max) {
    alcore_sys_work work = alcore__run_work(greedy->run);
    double *record = record_of(greedy, matrix->block);
    int64_t index;
    *max = 0.0;
    if (record)
        return alcore__run_kernels(greedy->run)
            ->arg_max(&work, matrix->rows.count, mask, values,
                      (int64_t *)(void *)&record[RECORD_LEFT_ROW], &record[RECORD_LEFT_VALUE]);
    ALCORE__TRY(alcore__greedy_arg_max(matrix, mask, values, &index, max));
    if (index < 0) *max = 0.0;
    return ALCORE_OK;
}

/* ---- the best of all blocks ---- */

/* Reduces the partial of one block: keeps the row of the larger value, unless the block has none
 * (position -1). Blocks are reduced in order and only a larger value replaces the one before, so
 * the lower row is kept in a tie. */
alcore_status alcore__greedy_keep_best(alcore__run *run, const alcore__block_partial *partial) {
    alcore__greedy *greedy = run->state;
    const alcore__greedy_best *best = partial->extra;
    if (best->position < 0 || (greedy->best >= 0 && !(best->value > greedy->best_value)))
        return ALCORE_OK;
    greedy->best = best->position;
    greedy->best_value = best->value;
    memcpy(greedy->best_vector, best->vector, (size_t)alcore__embedding_dims(run) * sizeof(double));
    return ALCORE_OK;
}

/* Whether the pass found a best row and the budget can buy more. */
bool alcore__greedy_can_offer(const alcore__greedy *greedy) {
    return greedy->best >= 0 && !alcore__filler_full(&greedy->filler);
}

/* Offers the best candidate of the pass, which exists, as alcore__greedy_can_offer() was true, and
 * records in its status what became of it: it is not offered again. */
alcore_status alcore__greedy_offer(alcore__greedy *greedy, bool *bought) {
    ALCORE__TRY(alcore__filler_offer(&greedy->filler, greedy->best, bought));
    greedy->status[greedy->best] = *bought ? ALCORE__GREEDY_PICKED : ALCORE__GREEDY_PASSED_OVER;
    greedy->passed_over += !*bought;
    ALCORE__TRY(alcore__run_grow(greedy->run, &greedy->offered, &greedy->offered_capacity,
                                 greedy->offered_count + 1, sizeof *greedy->offered));
    greedy->offered[greedy->offered_count++] = greedy->best;
    return ALCORE_OK;
}

/* Forgets the best row, before another pass. */
void alcore__greedy_clear_best(alcore__greedy *greedy) {
    greedy->best = -1;
}

/* Ends the picking: picked rows get the score they had when they were picked, in place of the one
 * that the last pass stored, and the picks move to the outcome. Where the budget is not full,
 * picking ended because no row that is left could be bought. These rows were never offered; they
 * are counted here as passed over, as a strategy that ranks counts them: as more expensive than
 * what is left (fill=skip), or as rows of cost 0, which are never bought. */
alcore_status alcore__greedy_finish(alcore__greedy *greedy) {
    alcore__filler *filler = &greedy->filler;
    alcore__outcome *outcome = &greedy->run->outcome;
    for (int64_t i = 0; i < outcome->count; i++) {
        if (greedy->status[i] == ALCORE__GREEDY_PICKED) outcome->scores[i] = greedy->pick_scores[i];
    }
    for (int64_t i = 0; i < outcome->count && !alcore__filler_full(filler); i++) {
        if (greedy->status[i] != ALCORE__GREEDY_FREE) continue;
        const bool costs_nothing = !(alcore__filler_cost(filler, i) > 0.0);
        ALCORE__TRY(alcore__filler_pass_over(
            filler, i, costs_nothing ? ALCORE__REFUSED_FREE : ALCORE__REFUSED_UNAFFORDABLE));
    }
    alcore__filler_finish(filler);
    return ALCORE_OK;
}
