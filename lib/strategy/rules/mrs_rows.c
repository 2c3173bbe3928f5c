/* SPDX-License-Identifier: Apache-2.0 */
/* What MRS keeps with a block of candidates: the neighbors of each in L', its h, and its largest
 * ratio with the row that has it. A pick that joins L' leaves most of these as they are: the ratio
 * is computed again over all of L' where it is stale, else compared with the changed rows only.
 *
 * The terms are those of mrs.c. L' is the sample of labeled rows, and with iterative=1 the picks; a
 * number counts its rows. ratio(x, y) = cos(x, y) / (h(x) + h(y)), where h of a row is half the
 * mean cosine to its k nearest rows on the other side. An active row is a candidate of the block, a
 * matrix row a row of the block as kernels see it, active or not. The pending rows of L' are those
 * whose h may have changed since the last pass, the new ones included. */
#include <math.h>
#include <string.h>

#include "search/margin_bound.h"
#include "strategy/rules/mrs.h"

/* On the first visit lists are empty, all rows stale, and the vectors are searched for a NaN. All
 * arrays lie in one piece of memory, those of 8-byte entries first and `stale` last, so that all
 * are aligned. */
alcore_status alcore__mrs_open_rows(alcore__block *block, const alcore__matrix *matrix,
                                    alcore__mrs_rows *out) {
    const alcore__mrs_state *state = block->run->state;
    bool first_visit = !alcore__block_find_local(block);
    int64_t rows = matrix->rows.count, entries = rows * state->k;
    char *local;
    size_t bytes = (size_t)(2 * entries + 3 * rows) * sizeof(int64_t) + (size_t)rows;
    ALCORE__TRY(alcore__block_local(block, bytes, &local));
    out->near = (int64_t *)(void *)local;
    out->number = out->near + entries;
    out->cosine = (double *)(out->number + rows);
    out->half = out->cosine + entries;
    out->ratio = out->half + rows;
    out->stale = (uint8_t *)(out->ratio + rows);
    if (!first_visit) return ALCORE_OK;
    for (int64_t i = 0; i < entries; i++) out->near[i] = -1;
    for (int64_t m = 0; m < rows; m++) out->number[m] = -1;
    memset(out->stale, 1, (size_t)rows);
    return alcore__matrix_check(matrix);
}

bool alcore__mrs_is_picked(const alcore__mrs_state *state, int64_t position) {
    return state->iterative && state->greedy.status[position] == ALCORE__GREEDY_PICKED;
}

alcore_status alcore__mrs_push_mask(const alcore__matrix *matrix, uint8_t **mask) {
    alcore__block *block = matrix->block;
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, 1, mask));
    memset(*mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count; i++)
        (*mask)[alcore__matrix_row_of(matrix, i)] =
            !alcore__mrs_is_picked(block->run->state, block->start + i);
    return ALCORE_OK;
}

/* Kernels report a row as `.first` + its index: of vectors by number, as the sample's, they report
 * numbers of L', of others indexes of that array. */
alcore_sys_rows alcore__mrs_as_rows(const alcore__mrs_state *state, const double *vectors,
                                    int64_t first, int64_t end) {
    alcore_sys_rows rows = alcore__rows_of(vectors + first * state->dims, end - first, state->dims);
    rows.first = first;
    return rows;
}

alcore_status alcore__mrs_join_new(const alcore__matrix *matrix, const uint8_t *mask,
                                   alcore__mrs_rows *rows) {
    const alcore__run *run = matrix->block->run;
    const alcore__mrs_state *state = run->state;
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_COSINE};
    const alcore_sys_rows added =
        alcore__mrs_as_rows(state, state->sample, state->new_first, state->collected);
    alcore_sys_work work;
    ALCORE__TRY(alcore__matrix_work(matrix, search.metric, added.count, &work));
    const alcore_sys_best best = {.k = state->k, .row = rows->near, .value = rows->cosine};
    return alcore__run_kernels(run)->knn(&work, &matrix->rows, mask, &added, NULL /* all of them */,
                                         &search, NULL /* no lists of L' */, &best);
}

/* ---- the largest ratios ---- */

/* Compares the candidates whose mask [matrix rows] is 1 with `others`, rows of L', all of them,
 * whose h is half [others->count]. row_half [matrix rows]: h of the candidates. Raises ratio
 * [matrix rows], the largest so far, and sets number [matrix rows] to others->first + the index of
 * the one that has it, the lower one in a tie. Before the call they are -infinity and -1 where
 * there is none so far. */
static alcore_status join_ratios(const alcore__matrix *matrix, const uint8_t *mask,
                                 const alcore_sys_rows *others, const double *half,
                                 const double *row_half, double *ratio, int64_t *number) {
    const alcore__run *run = matrix->block->run;
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_COSINE};
    alcore_sys_work work;
    ALCORE__TRY(alcore__matrix_work(matrix, search.metric, others->count, &work));
    return alcore__run_kernels(run)->margin_ratios(&work, &matrix->rows, mask, others,
                                                   NULL /* all of them */, &search, row_half, half,
                                                   ratio, number);
}

/* Computes the largest ratio over all of L' of the stale candidates of the block, into ratio and
 * number of `rows`. The largest among their k neighbors comes first:
 * alcore__margin_from_neighbors() writes it over the values of an earlier L' (-infinity and -1
 * without neighbors) and returns whether another row of L' may have a larger one (margin_bound.h).
 * Only those candidates, open [matrix rows], are compared with all of L'. mask [matrix rows]: the
 * candidates; on return it is 0 for those that were stale, and these are stale no longer. open:
 * workspace. */
static alcore_status compute_stale(const alcore__matrix *matrix, uint8_t *mask, uint8_t *open,
                                   alcore__mrs_rows *rows) {
    const alcore__mrs_state *state = matrix->block->run->state;
    const alcore_sys_rows sample = alcore__mrs_as_rows(state, state->sample, 0, state->collected);
    int64_t k = state->k;
    bool any = false;
    for (int64_t m = 0; m < matrix->rows.count; m++) {
        open[m] = 0;
        if (!mask[m] || !rows->stale[m]) continue;
        open[m] = alcore__margin_from_neighbors(rows->near + m * k, rows->cosine + m * k, k,
                                                rows->half[m], state->half, state->min_half,
                                                &rows->ratio[m], &rows->number[m]);
        any = any || open[m];
        mask[m] = rows->stale[m] = 0;
    }
    return any ? join_ratios(matrix, open, &sample, state->half, rows->half, rows->ratio,
                             rows->number)
               : ALCORE_OK;
}

/* Compares the other candidates of the block, those of mask [matrix rows], with the pending rows of
 * L': one that has a larger ratio than the largest so far, or the same one and a lower number,
 * replaces it in `rows`. The largest so far is valid, as its row of L' is not pending: otherwise
 * the candidate would have been stale (find_neighbors() in mrs.c). */
static alcore_status compare_pending(const alcore__matrix *matrix, const uint8_t *mask,
                                     alcore__mrs_rows *rows) {
    alcore__block *block = matrix->block;
    const alcore__mrs_state *state = block->run->state;
    const alcore_sys_rows pending =
        alcore__mrs_as_rows(state, state->pending_vectors, 0, state->pending_count);
    double *half, *ratio;
    int64_t *found; /* [matrix rows] index into pending */
    if (!memchr(mask, 1, (size_t)matrix->rows.count)) return ALCORE_OK;
    ALCORE__TRY(alcore__scratch_push(block, state->pending_count, sizeof *half, &half));
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *ratio, &ratio));
    ALCORE__TRY(alcore__scratch_push(block, matrix->rows.count, sizeof *found, &found));
    for (int64_t i = 0; i < state->pending_count; i++) half[i] = state->half[state->pending[i]];
    for (int64_t m = 0; m < matrix->rows.count; m++) {
        ratio[m] = -HUGE_VAL;
        found[m] = -1;
    }
    ALCORE__TRY(join_ratios(matrix, mask, &pending, half, rows->half, ratio, found));
    for (int64_t m = 0; m < matrix->rows.count; m++) {
        if (!mask[m] || found[m] < 0) continue;
        int64_t number = state->pending[found[m]];
        if (ratio[m] < rows->ratio[m] || (ratio[m] == rows->ratio[m] && number > rows->number[m]))
            continue;
        rows->ratio[m] = ratio[m];
        rows->number[m] = number;
    }
    return ALCORE_OK;
}

/* Called after "neighbors" has set h and `stale`. */
alcore_status alcore__mrs_update_ratios(const alcore__matrix *matrix, uint8_t *mask,
                                        alcore__mrs_rows *rows) {
    uint8_t *open; /* [matrix rows] */
    ALCORE__TRY(alcore__scratch_push(matrix->block, matrix->rows.count, sizeof *open, &open));
    ALCORE__TRY(compute_stale(matrix, mask, open, rows));
    return compare_pending(matrix, mask, rows);
}
