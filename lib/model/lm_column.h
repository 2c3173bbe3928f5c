/* SPDX-License-Identifier: Apache-2.0 */
/* The column "logprobs" of a language model: what the n-gram model and a model made of a caller's
 * alcore_lm have in common. The number of tokens of a row is known before it is scored (its words
 * and the end), so the arrays of the column are made first and every row is scored into its place.
 *
 *     alcore__lm_column_begin     the pool is held for reading
 *     alcore__lm_column_rows      with one language model, or with several for parts of the rows
 *     alcore__lm_column_finish    the pool is no longer held */
#ifndef ALCORE__LM_COLUMN_H
#define ALCORE__LM_COLUMN_H

#include "model/model_internal.h"
#include "text/lm_internal.h"

/* What the workers share while language models score the rows of a pool. */
typedef struct alcore__lm_column {
    alcore_ctx *ctx;
    alcore_pool *pool;
    const alcore__wanted *wanted; /* rows to score; NULL: all */
    alcore_lm *lm;                /* of the present call of _rows(), borrowed */
    int32_t fold;                 /* only rows whose text is in this fold; -1: all rows */
    bool may_wait;     /* values may be made when they are read: `lm` scores all rows, also then */
    bool waits;        /* they are; there are no offsets and values, and no call of _rows() */
    int64_t pool_rows; /* of the pool */
    int64_t entries;   /* rows of the column: wanted and unmasked */
    int64_t tokens;    /* of all entries */
    int64_t *rows;     /* [entries] of the pool, ascending; NULL: entry i is row i */
    int64_t *offsets;  /* [entries + 1] first token of each entry */
    float *values;     /* [offsets[entries]] natural logarithms: of the words, then of the end */
} alcore__lm_column;

/* Makes the arrays; ctx, pool, wanted and may_wait are set. They are freed by _finish(), also after
 * a failure. Sets waits where the values of a selection would take much memory. */
alcore_status alcore__lm_column_begin(alcore__lm_column *column);
/* Scores the entries of the fold, in tasks on the context's threads. Those of other folds keep what
 * they have. */
alcore_status alcore__lm_column_rows(alcore__lm_column *column);
/* Gives the pool the column when status, that of the calls before, is ALCORE_OK; else frees the
 * arrays and returns status. */
alcore_status alcore__lm_column_finish(alcore__lm_column *column, alcore_status status);

/* What _finish() does for a column that waits: gives the pool one with the entries and `lm`, to
 * which the column has a reference. (lm_read.c) */
alcore_status alcore__lm_column_put_waiting(const alcore__lm_column *column);

#endif
