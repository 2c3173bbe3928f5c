/* SPDX-License-Identifier: Apache-2.0 */
/* What strategies share that pick row after row: in each pass every block sends its best row, the
 * best of all is offered to the budget, and bought or passed over. The state of such a strategy
 * begins with its alcore__greedy, so run->state points to that too.
 *
 * Terms used here:
 *
 *     position    number of a candidate among all candidates, from 0
 *     active row  a candidate in its block (8192 pool rows); its index numbers them in the block,
 *                 so that its position is block->start + index
 *     matrix row  a row of the block as kernels see it, rows that are no candidates included
 *     status      [candidates] ALCORE__GREEDY_FREE: not offered yet; _PICKED: bought;
 *                 _PASSED_OVER: offered and not bought
 *     best        position of the best candidate of the pass so far, -1: none; best_value is what
 *                 it is the best by, best_vector [dims] its embedding
 *     filler      spends the budget: a row that is offered to it is bought or passed over; it is
 *                 full when nothing more can be bought */
#include "strategy/rules/greedy_picks.h"

#include <string.h>

/* Numbers of the masks that a block keeps: rows that can be picked, and rows that are not picked.
 */
enum { FREE_MASK = 0, LEFT_MASK = 1 };

/* Prepares the state of a strategy that picks row after row: no candidate has been offered (status
 * [candidates] is ALCORE__GREEDY_FREE, which is 0 as new arrays are), none is the best, and
 * pick_scores [candidates] are 0. The state is freed by alcore__greedy_free_state(), also after a
 * failure here. */
alcore_status alcore__greedy_begin(alcore__run *run, alcore__greedy *greedy) {
    greedy->run = run;
    alcore__filler_begin(&greedy->filler, run);
    alcore__greedy_clear_best(greedy);
    size_t count = (size_t)run->outcome.count;
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof *greedy->status, &greedy->status));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &greedy->pick_scores));
    return alcore__new_array(run->ctx, (size_t)alcore__embedding_dims(run), sizeof(double),
                             &greedy->best_vector);
}

/* Frees the arrays and the filler; what was not made is NULL or zeroed. */
void alcore__greedy_free_state(alcore_ctx *ctx, alcore__greedy *greedy) {
    alcore__filler_clear(&greedy->filler);
    alcore__free(ctx, greedy->status);
    alcore__free(ctx, greedy->pick_scores);
    alcore__free(ctx, greedy->best_vector);
}

/* Whether the candidate at a position was not offered yet and would be bought if it were offered
 * now, the similarity limit aside: a row of cost 0 never is, and with fill=skip neither is a row
 * that costs more than is left. */
bool alcore__greedy_is_free(const alcore__greedy *greedy, int64_t position) {
    return greedy->status[position] == ALCORE__GREEDY_FREE &&
           alcore__filler_fits(&greedy->filler, position);
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
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *mask, &mask));
    memset(mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count && affordable; i++) {
        bool is_free = same_costs ? status[i] == ALCORE__GREEDY_FREE
                                  : alcore__greedy_is_free(greedy, block->start + i);
        mask[alcore__matrix_row_of(matrix, i)] = is_free;
    }
    return alcore__block_store_mask(block, FREE_MASK, mask, matrix->rows.count, out);
}

/* The same of the rows that were not bought, whether they can still be or not. */
alcore_status alcore__greedy_push_left(const alcore__greedy *greedy, const alcore__matrix *matrix,
                                       const uint8_t **out) {
    alcore__block *block = matrix->block;
    const uint8_t *status = greedy->status + block->start;
    uint8_t *mask;
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *mask, &mask));
    memset(mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count; i++)
        mask[alcore__matrix_row_of(matrix, i)] = status[i] != ALCORE__GREEDY_PICKED;
    return alcore__block_store_mask(block, LEFT_MASK, mask, matrix->rows.count, out);
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
