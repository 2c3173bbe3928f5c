/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the view (alcore/view.h) that is passed to the function of a host's scorer or strategy. */
#ifndef ALCORE__HOST_VIEW_H
#define ALCORE__HOST_VIEW_H

#include "alcore/view.h"
#include "pool/dataset.h"
#include "scorer/role_place.h"

/* The roles that a view shows, which are the first ones. */
enum { ALCORE__VIEW_ROLES = ALCORE__ROLE(LABELED_ROWS) + 1 };

/* What a view shows under one role. */
typedef struct alcore__view_source {
    const alcore__dataset *dataset; /* NULL or without rows: the request has no such pool */
    const int64_t *rows;            /* [count] rows of the dataset that take part, ascending */
    int64_t count;
} alcore__view_source;

/* What a view shows. Everything is borrowed while the view lives. */
typedef struct alcore__view_input {
    alcore_ctx *ctx;
    alcore__view_source sources[ALCORE__VIEW_ROLES]; /* by ALCORE__ROLE() */
    const double *costs; /* [rows of the candidates' dataset]; NULL: 1 each */
    double budget;       /* infinity for a scorer */
    uint64_t seed;
    int64_t round;
} alcore__view_input;

/* Makes a view. It copies no column; those are copied in parts when the host asks for them. */
alcore_status alcore__view_new(const alcore__view_input *input, alcore_view **out);
void alcore__view_free(alcore_view *view); /* NULL-safe */

#endif
