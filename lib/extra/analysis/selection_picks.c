/* SPDX-License-Identifier: Apache-2.0 */
/* Picks as they are compared (selection_picks.h). */
#include "extra/analysis/selection_picks.h"

#include <string.h>

#include "extra/overlap/overlap_handle.h"

const int64_t *alcore__picks_column(const alcore_selection *picked, const char *name) {
    for (int64_t i = 0;; i++) {
        const char *found = alcore_selection_column_name(picked, ALCORE_SCOPE_PICKS, i);
        alcore_tensor column;
        if (!found) return NULL;
        if (strcmp(found, name) == 0)
            return alcore_selection_get_column(picked, ALCORE_SCOPE_PICKS, name, &column) ==
                           ALCORE_OK
                       ? column.data
                       : NULL;
    }
}

static int compare_picks(const void *a, const void *b) {
    const alcore__pick *one = a, *other = b;
    if (one->row != other->row) return one->row < other->row ? -1 : 1;
    if (one->position != other->position) return one->position < other->position ? -1 : 1;
    return (one->length > other->length) - (one->length < other->length);
}

alcore_status alcore__picks_sort(alcore_ctx *ctx, const alcore_selection *picked,
                                 alcore__pick **out) {
    const int64_t count = alcore_selection_count(picked);
    const int64_t *rows = alcore__picks_column(picked, "first_row");
    const int64_t *positions = alcore__picks_column(picked, "first_position");
    const int64_t *lengths = alcore__picks_column(picked, "length");
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count + 1, sizeof **out, out));
    if (!rows) rows = alcore_selection_rows(picked);
    for (int64_t i = 0; i < count; i++)
        (*out)[i] =
            (alcore__pick){rows[i], positions ? positions[i] : -1, lengths ? lengths[i] : -1};
    return alcore__sort(ctx, *out, (size_t)count, sizeof **out, compare_picks);
}

int64_t alcore__picks_shared(const alcore__pick *ours, int64_t count, const alcore__pick *theirs,
                             int64_t others) {
    int64_t both = 0;
    for (int64_t i = 0, j = 0; i < count && j < others;) {
        const int order = compare_picks(&ours[i], &theirs[j]);
        both += order == 0;
        i += order <= 0;
        j += order >= 0;
    }
    return both;
}

alcore_status alcore__picks_add(alcore_ctx *ctx, const alcore_selection *picked,
                                alcore_overlap *overlap, int32_t role) {
    const int64_t count = alcore_selection_count(picked);
    const alcore_pool *pool = alcore_selection_pool(picked);
    const char **texts = NULL;
    size_t *lengths = NULL;
    alcore_status status = alcore__new_array(ctx, (size_t)count + 1, sizeof *texts, &texts);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, (size_t)count + 1, sizeof *lengths, &lengths);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++)
        texts[i] = alcore_pool_text(pool, alcore_selection_rows(picked)[i], &lengths[i]);
    if (status == ALCORE_OK)
        status = alcore_overlap_add(overlap, role, ALCORE_SIDE_SOURCE, texts, lengths, count);
    alcore__free(ctx, lengths);
    alcore__free(ctx, texts);
    return status;
}

alcore_status alcore__picks_cover(alcore_ctx *ctx, const alcore_selection *picked,
                                  alcore_overlap *test, int32_t order, bool renew,
                                  alcore_coverage_result *out) {
    if (renew) {
        ALCORE__TRY(alcore__overlap_forget_selected(test));
        ALCORE__TRY(alcore__picks_add(ctx, picked, test, ALCORE_OVERLAP_SELECTED));
    }
    return alcore_overlap_compute_coverage(test, order, NULL, out);
}
