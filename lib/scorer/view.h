/* SPDX-License-Identifier: Apache-2.0 */
/* The view that a host scorer or a host strategy gets: the candidates' columns, gathered as
 * float64. */
#ifndef ALCORE__VIEW_H
#define ALCORE__VIEW_H

#include "alcore/scorer.h"
#include "pool/dataset.h"

/* What a view shows. Everything is borrowed while the view lives. */
typedef struct alcore__view_input {
    alcore_ctx *ctx;
    const alcore__dataset *candidates;
    const char *const *needs;    /* NULL-terminated names of the columns to gather; "a|b" takes the
                                    first that is there; may be NULL */
    const uint8_t *labeled_rows; /* [candidates->rows] labeled rows of the pool; NULL: none */
    alcore_pool *labeled_pool;   /* NULL: none */
    const double *costs;         /* [candidates->rows]; NULL: 1 each */
    double budget;               /* infinity for a scorer */
    uint64_t seed;
    int64_t round;
} alcore__view_input;

/* ALCORE_E_MISSING names a column that is not there. */
alcore_status alcore__view_new(const alcore__view_input *input, alcore_view **out);
void alcore__view_free(alcore_view *view); /* NULL-safe */

#endif
