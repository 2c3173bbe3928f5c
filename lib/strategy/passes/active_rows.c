/* SPDX-License-Identifier: Apache-2.0 */
/* The active rows of each source, as lists by block: made when a run begins, and once more when
 * nan=exclude has found the rows with a NaN; those of ALCORE__OVER_CHOSEN when a strategy chooses
 * them. */
#include <string.h>

#include "strategy/passes/runner.h"

/* Frees the lists of one source and zeroes them; the dataset and its mask are borrowed. */
static void free_source(alcore_ctx *ctx, alcore__active_rows *active) {
    alcore__free(ctx, active->mask_copy);
    alcore__free(ctx, active->rows);
    alcore__free(ctx, active->block_starts);
    memset(active, 0, sizeof *active);
}

/* Frees the lists of all sources, when the run is freed; those that were not made are NULL. */
void alcore__free_active_rows(alcore__run *run) {
    for (int32_t s = 0; s < ALCORE__SOURCES; s++) free_source(run->ctx, &run->active[s]);
}

/* Lists the active rows of one source anew, in place of what *out listed: rows of the dataset with
 * mask 1 and nan 0, [rows] each; mask NULL: every row, nan NULL: no row has a NaN; own: only its
 * rows, NULL: all; where they are all own rows they need no list. out borrows the mask, or owns a
 * copy of it in which rows with a NaN are 0. Called when the run begins, when nan is NULL, and
 * after the search for NaN; also by alcore__run_choose(). */
static alcore_status list_source(alcore_ctx *ctx, const alcore__dataset *dataset,
                                 const uint8_t *mask, const uint8_t *nan,
                                 const alcore__own_rows *own, alcore__active_rows *out) {
    int64_t rows = dataset->rows, count = 0;
    const int64_t first = own && own->only ? own->first : 0;
    const int64_t end = own && own->only ? own->end : rows;
    free_source(ctx, out);
    out->dataset = dataset;
    if (nan) {
        ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof *out->mask_copy, &out->mask_copy));
        for (int64_t i = 0; i < rows; i++) out->mask_copy[i] = (!mask || mask[i]) && !nan[i];
        mask = out->mask_copy;
    }
    out->mask = mask;
    out->blocks = (rows + ALCORE_BLOCK_ROWS - 1) / ALCORE_BLOCK_ROWS;
    for (int64_t i = first; i < end; i++) count += !mask || mask[i];
    const bool listed = !own || !own->only || mask;
    if (listed) ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof(int64_t), &out->rows));
    out->first_row = first;
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)out->blocks + 1, sizeof(int64_t), &out->block_starts));
    /* out->count, zeroed above, grows to `count`. */
    for (int64_t b = 0; b < out->blocks; b++) {
        const int64_t row = b * ALCORE_BLOCK_ROWS;
        int64_t i = row > first ? row : first;
        out->block_starts[b] = out->count;
        for (; i < end && i < row + ALCORE_BLOCK_ROWS; i++) {
            if (mask && !mask[i]) continue;
            if (listed) out->rows[out->count] = i;
            out->count++;
        }
    }
    out->block_starts[out->blocks] = out->count;
    return ALCORE_OK;
}

/* Labeled rows of the candidates' pool are a source of their own with the NaN marks of that pool;
 * without any, their source stays zeroed: 0 rows, 0 blocks. */
alcore_status alcore__list_active_rows(alcore__run *run) {
    const alcore__run_input *input = run->input;
    uint8_t *const *nan = run->runner->nan;
    alcore__active_rows *active = run->active;
    ALCORE__TRY(list_source(run->ctx, &input->candidates, input->candidates.mask,
                            nan[ALCORE__OVER_CANDIDATES], &input->own,
                            &active[ALCORE__OVER_CANDIDATES]));
    if (input->labeled_rows)
        ALCORE__TRY(list_source(run->ctx, &input->candidates, input->labeled_rows,
                                nan[ALCORE__OVER_CANDIDATES], NULL,
                                &active[ALCORE__OVER_LABELED_ROWS]));
    ALCORE__TRY(list_source(run->ctx, &input->labeled, input->labeled.mask,
                            nan[ALCORE__OVER_LABELED_POOL], NULL,
                            &active[ALCORE__OVER_LABELED_POOL]));
    return list_source(run->ctx, &input->target, input->target.mask, nan[ALCORE__OVER_TARGET], NULL,
                       &active[ALCORE__OVER_TARGET]);
}

/* The source of the chosen rows gets a mask [rows of the pool] that only they have, as a block also
 * reads the rows between two of them. The search for NaN is over when a strategy calls this. */
alcore_status alcore__run_choose(alcore__run *run, const int64_t *positions, int64_t count) {
    const alcore__active_rows *candidates = &run->active[ALCORE__OVER_CANDIDATES];
    uint8_t *mask;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)candidates->dataset->rows, 1, &mask));
    for (int64_t k = 0; k < count; k++) mask[candidates->rows[positions[k]]] = 1;
    alcore__active_rows *chosen = &run->active[ALCORE__OVER_CHOSEN];
    alcore_status status =
        list_source(run->ctx, candidates->dataset, mask, NULL /* no NaN */, NULL, chosen);
    chosen->mask_copy = mask; /* owned, and freed with the list also after a failure */
    return status;
}
