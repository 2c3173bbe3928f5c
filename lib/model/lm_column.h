/* SPDX-License-Identifier: Apache-2.0 */
/* The column "logprobs" of a language model: what the n-gram model and a model made of a caller's
 * alcore_lm have in common. */
#ifndef ALCORE__LM_COLUMN_H
#define ALCORE__LM_COLUMN_H

#include "model/model_internal.h"
#include "text/lm_internal.h"

/* What the workers share while one language model scores the rows of a pool. */
typedef struct alcore__lm_column {
    alcore_ctx *ctx;
    const alcore_pool *pool;      /* held for reading */
    const alcore_lm *lm;          /* borrowed */
    alcore_column_writer *writer; /* of the column "logprobs", ragged */
    int32_t fold;                 /* only rows whose text is in this fold; -1: all rows */
} alcore__lm_column;

/* Puts the natural log-probability of every word and of the end of the text, float32, for each
 * unmasked row of the fold: tasks of 1,024 rows on the context's threads. Rows of other folds keep
 * what they have. */
alcore_status alcore__lm_column_rows(alcore__lm_column *column);

#endif
