/* SPDX-License-Identifier: Apache-2.0 */
/* A score: what one row is worth, from its columns alone. A score is one file and one row of the
 * table in score.c; scorers (alcore_scorer_*) and the strategies that rank by a score share it. */
#ifndef ALCORE__SCORE_H
#define ALCORE__SCORE_H

#include "base/params.h"
#include "kernel/kernel_engine.h"
#include "pool/dataset.h"

/* A run of rows to score. Thread-safe for different scratch. */
typedef struct alcore__score_call {
    alcore_ctx *ctx;
    alcore__engine engine;
    const alcore__dataset *dataset;
    const alcore__values *values; /* of the score's table */
    int64_t first, count;         /* rows of the dataset */
    const uint8_t *mask;          /* [count]; NULL: all */
    bool nan_exclude; /* a row without a score gets NaN; else it is ALCORE_E_DATA that names the row
                         (spec 1.4) */
    alcore__scratch *scratch;
    /* Entries of rows that are not taken are not written. */
    double *score;   /* [count] larger = more worth labeling */
    double *raw;     /* [count] the raw quantity of spec 1.2, in the paper's sense */
    double *rank;    /* [count] what rows are ordered by: the score, or what it grows with where the
                        score saturates (NSP) */
    int64_t floored; /* added to: values below the floor of spec 1.1 */
} alcore__score_call;

typedef struct alcore__score {
    const char *name, *summary;
    const alcore__param_table *params;
    const char *raw_name; /* of the record column: "nnll", "margin", ... */
    const char *const
        *needs; /* NULL-terminated; "scores|logprobs": the first that is there is used */
    alcore_status (*rows)(alcore__score_call *call);
} alcore__score;

const alcore__score *alcore__score_at(int32_t index); /* NULL past the last */
const alcore__score *alcore__score_find(const char *name);

/* Uncertainty per row as HUDS takes it: the column "scores" in its meaning, else NNLL of "logprobs"
 * (spec 3.1). */
alcore_status alcore__score_uncertainty(alcore__score_call *call);

#endif
