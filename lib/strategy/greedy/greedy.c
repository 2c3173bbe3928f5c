/* SPDX-License-Identifier: Apache-2.0 */
/* Which candidates are left, and the budget (greedy.h). A mask that a block keeps
 * in the engine's memory has a number (alcore__block_store_mask()), and it is known how many offers
 * are in it. */
#include "strategy/greedy/greedy.h"

#include "strategy/budget/skip_rounds.h"

#include <string.h>

/* Numbers of the masks that a block keeps: rows that can be picked, and rows that were not picked.
 */
enum { FREE_MASK = 0, LEFT_MASK = 1 };

alcore_status alcore__greedy_begin(alcore__run *run, alcore__greedy *greedy) {
    greedy->run = run;
    if (greedy->ranks_once) return ALCORE_OK;
    ALCORE__TRY(alcore__filler_begin(&greedy->filler, run));
    ALCORE__TRY(alcore__run_defer(run, alcore__vectors_free, &greedy->found));
    alcore__greedy_clear_best(greedy);
    const int64_t count = run->outcome.count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &greedy->status));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &greedy->pick_scores));
    return ALCORE__RUN_ARRAY(run, alcore__embedding_dims(run), &greedy->best_vector);
}

bool alcore__greedy_is_free(const alcore__greedy *greedy, int64_t position) {
    return greedy->status[position] == ALCORE__GREEDY_FREE &&
           alcore__filler_fits(&greedy->filler, position);
}

bool alcore__greedy_has_free(const alcore__greedy *greedy) {
    for (int64_t i = 0; i < greedy->run->outcome.count; i++)
        if (alcore__greedy_is_free(greedy, i)) return true;
    return false;
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

/* No cost is looked at: what was not bought is left, whether it was never offered, was passed over
 * or costs too much. Only a pick changes the mask. */
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

/* Notes that the best candidate was offered. */
static alcore_status set_status(alcore__greedy *greedy, bool bought) {
    greedy->status[greedy->best] = bought ? ALCORE__GREEDY_PICKED : ALCORE__GREEDY_PASSED_OVER;
    greedy->passed_over += !bought;
    ALCORE__TRY(alcore__run_grow(greedy->run, &greedy->offered, &greedy->offered_capacity,
                                 greedy->offered_count + 1, sizeof *greedy->offered));
    greedy->offered[greedy->offered_count++] = greedy->best;
    return ALCORE_OK;
}

alcore_status alcore__greedy_offer(alcore__greedy *greedy, bool *bought) {
    ALCORE__TRY(alcore__filler_offer(&greedy->filler, greedy->best, bought));
    return set_status(greedy, *bought);
}

/* Buys the best row of all shards, which fits: the policy is overshoot, or only rows that fit are
 * looked at. */
static alcore_status buy_row(alcore__greedy *greedy, double score, bool *bought) {
    alcore__nominees *rows = &greedy->bought_rows;
    if (greedy->best_row < 0 || alcore__filler_full(&greedy->filler)) return ALCORE_OK;
    ALCORE__TRY(alcore__run_grow(greedy->run, &rows->entries, &greedy->bought_capacity,
                                 rows->count + 1, sizeof *rows->entries));
    rows->entries[rows->count++] =
        (alcore__nominee){.row = greedy->best_row, .score = score, .cost = greedy->best_cost};
    greedy->filler.bought.spent += greedy->best_cost;
    *bought = true;
    greedy->has_next = !alcore__filler_full(&greedy->filler);
    return greedy->best < 0 ? ALCORE_OK : set_status(greedy, true);
}

alcore_status alcore__greedy_turn(alcore__greedy *greedy, double score, bool *bought) {
    *bought = greedy->has_next = false;
    if (alcore__lists_own(greedy->run)) return buy_row(greedy, score, bought);
    if (greedy->best < 0 || alcore__filler_full(&greedy->filler)) return ALCORE_OK;
    greedy->pick_scores[greedy->best] = score;
    ALCORE__TRY(alcore__greedy_offer(greedy, bought));
    greedy->has_next = !alcore__filler_full(&greedy->filler);
    return ALCORE_OK;
}

int64_t alcore__greedy_best_free(const alcore__greedy *greedy, const double *values,
                                 int64_t *count) {
    int64_t best = -1, left = 0;
    for (int64_t i = 0; i < greedy->run->outcome.count; i++) {
        if (!alcore__greedy_is_free(greedy, i)) continue;
        left++;
        if (best < 0 || values[i] > values[best]) best = i;
    }
    if (count) *count = left;
    return best;
}

void alcore__greedy_clear_best(alcore__greedy *greedy) {
    greedy->best = greedy->best_row = -1;
    greedy->left_value = 0.0;
}

void alcore__greedy_score_last(alcore__greedy *greedy, int64_t position, double score) {
    if (alcore__lists_own(greedy->run))
        greedy->bought_rows.entries[greedy->bought_rows.count - 1].score = score;
    else
        greedy->pick_scores[position] = score;
}

/* Where the budget is not full, picking ended because no row that is left could be bought. These
 * rows were never offered; they are counted here as passed over, as a strategy that ranks counts
 * them: as more expensive than what is left (fill=skip), or as rows of cost 0, which are never
 * bought. */
alcore_status alcore__greedy_finish(alcore__greedy *greedy) {
    alcore__filler *filler = &greedy->filler;
    alcore__outcome *outcome = &greedy->run->outcome;
    if (alcore__lists_own(greedy->run)) {
        greedy->run->offered = &greedy->bought_rows;
        greedy->run->offered_last = true;
        greedy->run->offered_skips = alcore__unbought_in_all(greedy->run, &greedy->bought_rows);
        return ALCORE_OK;
    }
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
