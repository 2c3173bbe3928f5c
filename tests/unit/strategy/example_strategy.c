/* SPDX-License-Identifier: Apache-2.0 */
/* Outlying length, an example of a strategy: the candidates whose embeddings have the most unusual
 * length.
 *
 *   score(x) = | ||e(x)|| - mean of ||e|| over the candidates |, or without the bars (long_first=1)
 *
 * Reads the embeddings once. Memory: 16 bytes a candidate. It is in no registry: a test compiles it
 * as it is, and another adds it to a copy of the tree as an author would, with one row. */
#include <math.h>

#include "strategy/block.h"
#include "strategy/strategies.h"

typedef struct length_state {
    bool long_first;       /* the parameter */
    double *length;        /* [candidates] */
    alcore__doubles total; /* [1] of all lengths, summed as spec 1.8 says */
} length_state;

static alcore_status begin(alcore__run *run) {
    length_state *state = run->state;
    ALCORE__TRY(alcore__run_sums(run, 1, &state->total));
    return ALCORE__RUN_ARRAY(run, run->outcome.count, &state->length);
}

/* ---- pass "lengths" ---- */

static alcore_status measure_lengths(alcore__block *block, void *partial) {
    double *length = partial;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__matrix_self_dots(&matrix, length));
    for (int64_t i = 0; i < block->count; i++) {
        if (!isfinite(length[i])) ALCORE__TRY(alcore__matrix_check(&matrix));
        length[i] = sqrt(length[i]);
    }
    return ALCORE_OK;
}

/* ---- pass "mean": the sum of the block's lengths ---- */

static alcore_status sum_lengths(alcore__block *block, void *partial) {
    const length_state *state = block->run->state;
    double *sum = partial;
    for (int64_t i = 0; i < block->count; i++) *sum += state->length[block->start + i];
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "lengths",
     .block = measure_lengths,
     .partial = {.values = {ALCORE__VALUES(length_state, length)}}},
    {.name = "mean",
     .narrow = true, /* its sum is of one block */
     .block = sum_lengths,
     .partial = {.sums = ALCORE__SUMS(length_state, total)}},
    {.name = NULL},
};

static alcore_status finish(alcore__run *run) {
    const length_state *state = run->state;
    double mean = state->total.values[0] / (double)run->outcome.count, *length;
    ALCORE__TRY(alcore__outcome_column(run, "length", ALCORE_FLOAT64, &length));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        length[i] = state->length[i];
        double excess = state->length[i] - mean;
        run->outcome.scores[i] = state->long_first ? excess : fabs(excess);
    }
    return ALCORE_OK;
}

static const char *const NEEDS[] = {"embeddings", NULL};
static const alcore__param ROWS[] = {
    {"long_first", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the longest first, in place of the most unusual",
     ALCORE__MEMBER(ALCORE__TO_STATE, length_state, long_first)},
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"long_first=1", NULL};

const alcore__strategy_def alcore__strategy_outlying_length = {
    .name = "outlying-length",
    .examples = EXAMPLES,
    .summary = "The embeddings of the most unusual length",
    .measure = "unusual length of the embedding",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .state_bytes = sizeof(length_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
};
