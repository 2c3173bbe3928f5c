/* SPDX-License-Identifier: Apache-2.0 */
/* A score: how much a row is worth labeling, from its columns alone. A score is one file and one
 * row of the table in score.c; scorers (alcore_scorer_*) and the strategies that rank by a score
 * share it.
 *
 *   score.c, score_*.c       the table, and its scores
 *   uncertainty_modes.c, class_distributions.c   what the scores of classes measure, and of what
 *   scorer_handle.c, scorer_run.c, host_view.c   the scorer that a caller has, its run over a pool,
 *                            and what the function of a host is shown
 *   logits.c, logits_topk.c, token_rows.c, token_columns.c, first_subword_mean.c   from what a
 *                            caller's model gave to statistics of tokens, and to columns of a pool
 *
 * Words of this room:
 *
 *   item         what has a list of tokens or classes: a row of the pool, or of a caller's arrays
 *   entry        of a block: row - call->first; arrays [count] of a call are by entry
 *   meaning      what the numbers of a column are (ALCORE_MEANS_*); a stored logarithm times
 *                column->log_scale is a natural one
 *   measure      a number of one distribution; raw: that of a row, as the paper has it; score: what
 *                is made of it so that larger is more worth labeling
 *   floored      below -100, and counted as -100 (spec 1.1)
 *   narrow       of a column: one number in place of a distribution, such as margins
 *
 * A NaN, an infinity or a list without tokens is ALCORE_E_DATA that names the row, by
 * alcore__fail_nan(), or with call->nan_exclude a NaN as score. Blocks are read into call->scratch
 * and valid until it is used again. */
#ifndef ALCORE__SCORE_H
#define ALCORE__SCORE_H

#include "base/params.h"
#include "kernel/kernel_engine.h"
#include "pool/dataset.h"

/* The parameters of scores, which strategies that rank by them have too; those that a table lacks
 * are at their defaults, 0. The rows of the tables are bound to them (score_table.h). */
typedef struct alcore__score_params {
    int64_t mode;      /* MODE_* of uncertainty_modes.h */
    bool log_margin;   /* margin=log */
    bool windows;      /* windows=1 */
    bool labels_max;   /* labels=max */
    bool sums;         /* norm=none */
    bool literal;      /* sign=literal */
    int64_t committee; /* COMMITTEE_* of score_samples.c: the parameter "measure" of qbc */
} alcore__score_params;
enum { ALCORE__TO_SCORE = 100 }; /* the number of the struct; those below are of other rooms */
alcore__score_params alcore__score_params_of(const alcore__values *values);

/* One call of a score: the adjacent pool rows first .. first + count - 1 (usually a block). Arrays
 * are indexed by row - first. Calls with different scratch may run at the same time. */
typedef struct alcore__score_call {
    alcore_ctx *ctx;
    alcore__engine engine;
    const alcore__dataset *dataset;
    const alcore__score_params *params;
    int64_t first, count; /* rows of the dataset's pool */
    const uint8_t *mask;  /* [count] 1: score the row; NULL: all */
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
    const char *const *(*needs_of)(const alcore__score_params *params);
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
