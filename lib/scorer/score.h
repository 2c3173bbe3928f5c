/* SPDX-License-Identifier: Apache-2.0 */
/* A score: how much a row is worth labeling, from its columns alone. A score is one file and one
 * row of the table in score.c; scorers (alcore_scorer_*) and the strategies that rank by a score
 * share it. */
#ifndef ALCORE__SCORE_H
#define ALCORE__SCORE_H

#include "base/params.h"
#include "kernel/kernel_engine.h"
#include "pool/dataset.h"

/* One call of a score: the adjacent pool rows first .. first + count - 1 (usually a block). Arrays
 * are indexed by row - first. Calls with different scratch may run at the same time. */
typedef struct alcore__score_call {
    alcore_ctx *ctx;
    alcore__engine engine;
    const alcore__dataset *dataset;
    const alcore__values *values; /* the parameters of the score */
    int64_t first, count;         /* rows of the dataset's pool */
    const uint8_t *mask;          /* [count] 1: score the row; NULL: all */
    bool nan_exclude; /* a row without a score gets NaN; else it is ALCORE_E_DATA that names the row
                         (spec 1.4) */
    alcore__scratch *scratch; /* buffers of the calling thread for reading columns */
    /* Outputs; entries of rows outside the mask are not written. */
    double *score;   /* [count] larger = more worth labeling */
    double *raw;     /* [count] the raw quantity of spec 1.2, in the paper's sense */
    double *rank;    /* [count] what rows are ordered by: the score, or where that saturates (NSP) a
                        value in the same order that does not */
    int64_t floored; /* added to: values below the floor of spec 1.1 */
} alcore__score_call;

/* A row of the table. */
typedef struct alcore__score {
    const char *name, *summary;
    const alcore__param_table *params;
    const char *raw_name; /* name of raw as a record column: "nnll", "margin", ... */
    /* NULL-terminated, with the default parameters; "scores|logprobs": the first that is there is
     * used. */
    const char *const *needs;
    /* The same with other parameters, where they matter; NULL: always `needs`. */
    const char *const *(*needs_of)(const alcore__values *values);
    alcore_status (*rows)(alcore__score_call *call); /* fills score, raw and rank */
} alcore__score;

/* ALCORE_E_DATA with a text of the caller's, for a row without a value: a NaN, an infinity, no
 * token. Its remedy is the request's nan=exclude, which leaves such rows out. */
alcore_status alcore__fail_nan(const char *format, ...) __attribute__((format(printf, 1, 2)));

const alcore__score *alcore__score_at(int64_t index); /* NULL past the last */
const alcore__score *alcore__score_find(const char *name);

/* The uncertainty u(x) of HUDS: the column "scores", converted by its meaning, else the NNLL of
 * "logprobs" (spec 3.1). */
alcore_status alcore__score_uncertainty(alcore__score_call *call);

#endif
