/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of the word aligner (alcore/extra/aligner.h). */
#ifndef ALCORE__ALIGNER_HANDLE_H
#define ALCORE__ALIGNER_HANDLE_H

#include "alcore/extra/aligner.h"
#include "extra/aligner/aligner_model.h"

/* A trained model. It does not change once it is made. */
struct alcore_aligner {
    alcore__object object;
    alcore__aligner *model; /* owned */
    bool reverse;           /* the model's sources are the caller's targets */
    int64_t iterations[1];  /* {iterations}: the shape of the view of the log-likelihoods */
};

/* Makes a handle that owns the model, which is freed after a failure. */
alcore_status alcore__aligner_handle_new(alcore_ctx *ctx, alcore__aligner *model, bool reverse,
                                         alcore_aligner **out);

#endif
