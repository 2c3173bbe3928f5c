/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths and repeats of some texts (text_measures.h). */
#include "extra/analysis/text_measures.h"

#include <math.h>

#include "request/text_masks_internal.h"

/* The quantile q of sorted numbers, one or more: between the two that it lies between, linearly. */
static double quantile_of(const int64_t *sorted, int64_t count, double q) {
    const double place = q * (double)(count - 1);
    const int64_t below = (int64_t)place;
    const int64_t above = below + 1 < count ? below + 1 : below;
    return (double)sorted[below] +
           (place - (double)below) * (double)(sorted[above] - sorted[below]);
}

alcore_status alcore__quartiles(alcore_ctx *ctx, int64_t *numbers, int64_t count, double out[3]) {
    const alcore_status status =
        alcore__sort(ctx, numbers, (size_t)count, sizeof *numbers, alcore__ascending);
    for (int k = 0; k < 3; k++)
        out[k] = count > 0 ? quantile_of(numbers, count, 0.25 * (k + 1)) : (double)NAN;
    return status;
}

/* Masks the rows among themselves as the request's masks "templates" and "near" would. The arrays
 * are as long as the pool, for a time. */
static alcore_status mask_rows(alcore_ctx *ctx, const alcore_pool *pool, alcore__masks *masks) {
    alcore__masked_texts texts = {.ctx = ctx, .masks = masks};
    alcore_status status = alcore__texts_read(ctx, pool, masks->candidate_mask, masks->rows, true,
                                              NULL /* no tokens */, &texts.candidates);
    if (status == ALCORE_OK) status = alcore__mask_templates(&texts);
    if (status == ALCORE_OK) status = alcore__mask_near(&texts);
    alcore__texts_read_clear(ctx, &texts.candidates);
    return status;
}

alcore_status alcore__near_duplicates(alcore_ctx *ctx, const alcore_pool *pool, uint8_t *mask,
                                      int64_t count, double *out) {
    alcore__masks masks = {
        .rows = alcore_pool_row_count(pool), .eligible = count, .candidate_mask = mask};
    const alcore_status status = mask_rows(ctx, pool, &masks);
    *out = count > 0 ? 100 * (double)(count - masks.eligible) / (double)count : (double)NAN;
    return status;
}
