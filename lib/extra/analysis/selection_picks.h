/* SPDX-License-Identifier: Apache-2.0 */
/* The picks of several selections of one request, as they are compared: by the place that they have
 * in the pool of the request, since each selection of phrases has a pool of its own. */
#ifndef ALCORE__SELECTION_PICKS_H
#define ALCORE__SELECTION_PICKS_H

#include "alcore/extra/overlap.h"
#include "alcore/selection.h"
#include "base/base.h"

/* What a pick is, the same in every selection of the request: a row of the pool with -1 and -1, or
 * a phrase by its first occurrence and its number of words. */
typedef struct alcore__pick {
    int64_t row, position, length;
} alcore__pick;

/* A column of a selection's record that holds int64, [picks]; NULL: it has none of that name. */
const int64_t *alcore__picks_column(const alcore_selection *picked, const char *name);
/* *out: the picks in one fixed order, [picks], owned by the caller; set after a failure too. */
alcore_status alcore__picks_sort(alcore_ctx *ctx, const alcore_selection *picked,
                                 alcore__pick **out);
/* How many elements two sorted lists of distinct picks have in common. */
int64_t alcore__picks_shared(const alcore__pick *ours, int64_t count, const alcore__pick *theirs,
                             int64_t others);
/* Adds the texts of the picks to an overlap in a role, ALCORE_OVERLAP_*, as the source side. */
alcore_status alcore__picks_add(alcore_ctx *ctx, const alcore_selection *picked,
                                alcore_overlap *overlap, int32_t role);
/* *out: how the picks cover the n-grams of one order of an overlap's test set. Their texts replace
 * those of the role ALCORE_OVERLAP_SELECTED where renew is set; else these are there already. */
alcore_status alcore__picks_cover(alcore_ctx *ctx, const alcore_selection *picked,
                                  alcore_overlap *test, int32_t order, bool renew,
                                  alcore_coverage_result *out);

#endif
