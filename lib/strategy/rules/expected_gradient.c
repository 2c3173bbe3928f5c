/* SPDX-License-Identifier: Apache-2.0 */
/* EGL: expected gradient length, the expected change of a linear head (docs/spec/scores.md 4.21;
 * Settles, Craven and Ray 2007). A head gives softmax(W h + b) of the embedding h; if a row had the
 * label y, the gradient of its loss would be
 *
 *   by W: (p - onehot(y)) outer h,   by b: p - onehot(y)
 *   its length: ||p - onehot(y)|| L,   L = sqrt(h . h + 1), or with bias=0 ||h||
 *
 *   EGL = L E,   E = sum over y of p_y ||p - onehot(y)||
 *
 * A head with one sigmoid has the gradient (p - y) h, and E = 2 p (1 - p). Of labels that do not
 * exclude each other each has a row of W of its own, and E is the sum of these.
 *
 * Reads the class scores twice, once for their checks, and the embeddings once. Memory: 24 bytes a
 * candidate. Cost: candidates x (classes + dims). */
#include <math.h>

#include "kernel/kernels.h"
#include "scorer/class_distributions.h"
#include "scorer/score_table.h"
#include "strategy/block.h"
#include "strategy/strategies.h"

typedef struct egl_state {
    bool has_bias;   /* the parameter */
    double *error;   /* [candidates] E */
    double *lengths; /* [candidates] L */
} egl_state;

static const alcore__column *probs_of(const alcore__run *run) {
    return alcore__dataset_find(&run->input->candidates, "probs");
}

static alcore_status begin(alcore__run *run) {
    egl_state *state = run->state;
    if (probs_of(run)->ragged)
        return alcore__fail(ALCORE_E_SHAPE, "the column \"probs\" must have shape [rows, classes]");
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &state->error));
    return ALCORE__RUN_ARRAY(run, run->outcome.count, &state->lengths);
}

/* E of probabilities p [classes]. With Q the sum of squares of p, ||p - onehot(y)||^2 is
 * Q - p_y^2 + (1 - p_y)^2. */
static double expected_error(const double *p, int64_t classes) {
    double squares = 0.0, sum = 0.0;
    for (int64_t c = 0; c < classes; c++) squares += p[c] * p[c];
    for (int64_t c = 0; c < classes; c++) {
        const double others = squares - p[c] * p[c], own = 1.0 - p[c];
        sum += p[c] * sqrt(fmax(others, 0.0) + own * own);
    }
    return sum;
}

/* The sum over p [labels] of E of a sigmoid. */
static double expected_binary_error(const double *p, int64_t labels) {
    double sum = 0.0;
    for (int64_t l = 0; l < labels; l++) {
        const double q = fmin(fmax(p[l], 0.0), 1.0);
        sum += 2.0 * q * (1.0 - q);
    }
    return sum;
}

/* E of the block's active rows, error [count], whose class scores were checked. */
static alcore_status measure_errors(alcore__block *block, double *error) {
    const alcore_sys_work work = alcore__run_work(block->run);
    const alcore__column *column = probs_of(block->run);
    const bool is_binary =
        column->meaning == ALCORE_MEANS_SIGMOID || column->meaning == ALCORE_MEANS_MULTILABEL;
    alcore_sys_rows rows = {0};
    double *wide; /* [span, classes] the column's rows, from the first active one to the last */
    const alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    ALCORE__TRY(alcore__block_column(block, column, &rows));
    ALCORE__TRY(
        alcore__scratch_push(block, rows.count, (size_t)column->dims * sizeof *wide, &wide));
    ALCORE__TRY(alcore__kernels_cpu()->widen(&work, &rows, NULL /* no mask */, wide));
    for (int64_t i = 0; i < block->count; i++) {
        double *p = wide + (block->rows[i] - block->rows[0]) * column->dims;
        if (!is_binary) alcore__probs_of(column, p, column->dims, p);
        error[i] =
            is_binary ? expected_binary_error(p, column->dims) : expected_error(p, column->dims);
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* score_rows of the definition, called for its checks only: those of least confidence, which are
 * what its classes have to be. */
static alcore_status check_rows(alcore__score_call *call) {
    return alcore__score_lc.rows(call);
}

/* The partial is E, then L, double [active rows] each. */
static alcore_status measure_block(alcore__block *block, void *partial) {
    const egl_state *state = block->run->state;
    double *error = partial, *lengths = error + block->count, *dots; /* [matrix rows] */
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_scores(block, error, NULL, NULL)); /* overwritten */
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, matrix.rows.count, sizeof *dots, &dots));
    ALCORE__TRY(alcore__matrix_checked_dots(&matrix, dots));
    for (int64_t i = 0; i < block->count; i++)
        lengths[i] = sqrt(dots[alcore__matrix_row_of(&matrix, i)] + (state->has_bias ? 1.0 : 0.0));
    return measure_errors(block, error);
}

static const alcore__pass PASSES[] = {
    {.name = "gradients",
     .narrow = true,
     .block = measure_block,
     .partial = {.values = {ALCORE__VALUES(egl_state, error), ALCORE__VALUES(egl_state, lengths)}}},
    {.name = NULL},
};

/* Called after the last pass; the runner then ranks and buys by the scores. */
static alcore_status finish(alcore__run *run) {
    egl_state *state = run->state;
    for (int64_t i = 0; i < run->outcome.count; i++)
        run->outcome.scores[i] = state->error[i] * state->lengths[i];
    ALCORE__TRY(alcore__outcome_keep_column(run, "expected_error", &state->error));
    return alcore__outcome_keep_column(run, "activation_length", &state->lengths);
}

static const char *const NEEDS[] = {"probs", "embeddings", NULL};
static const char *const EXAMPLES[] = {"bias=0", NULL};
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"bias", ALCORE_PARAM_FLAG, "1", 0, 1, NULL,
     "1: the head adds a number to each class, as linear layers and regressions do by default",
     ALCORE__MEMBER(ALCORE__TO_STATE, egl_state, has_bias)},
    ALCORE__CANDIDATE_PARAMS,
};

const alcore__strategy_def alcore__strategy_egl = {
    .name = "egl",
    .summary = "The largest expected gradient of a linear head over embeddings (EGL, Settles et "
               "al. 2007)",
    .examples = EXAMPLES,
    .measure = "expected gradient",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS},
    .score_rows = check_rows,
    .state_bytes = sizeof(egl_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
    .ranks_own = alcore__ranks_own,
};
