/* SPDX-License-Identifier: Apache-2.0 */
/* Contrastive active learning (spec 4.22; CAL, Margatina, Vernikos, Barrault and Aletras 2021): the
 * candidates whose class probabilities differ most from those of the labeled rows that lie nearest,
 *
 *   CAL(x) = mean over l in N_k(x) of KL(p_l || p_x)
 *
 * where N_k(x) are the k labeled rows that are nearest to x among unit vectors. Of labels that do
 * not exclude each other each is a distribution (1 - p, p), and KL is their mean.
 *
 * Passes: the vectors and probabilities of the labeled rows, of the candidates' pool and of the
 * labeled pool; then the candidates, each compared with all of them. Time: candidates x labeled
 * rows x components, and candidates x k x classes. Memory: 8 bytes a component and 16 a class for
 * each labeled row, 8 bytes a candidate, and for each thread 8 bytes a component and 16 a neighbor
 * of a block's rows. */
#include <math.h>
#include <string.h>

#include "scorer/class_distributions.h"
#include "scorer/score_table.h"
#include "strategy/rules/gathered_rows.h"
#include "strategy/strategies.h"

/* A logarithm below counts as this (spec 1.1). */
#define FLOOR (-100.0)

typedef struct contrastive_state {
    int64_t k;                 /* the parameter; then at most the labeled rows */
    int64_t width;             /* probabilities of a row: classes, or two for each label */
    int64_t labels;            /* distributions of a row */
    alcore__gathered gathered; /* vectors of the labeled rows, those of the pool itself first */
    uint8_t *usable;           /* [labeled rows] 0: nan=exclude leaves it out */
    double *probs;             /* [labeled rows, width] */
    double *logs;              /* [labeled rows, width] of these */
    double *divergence;        /* [candidates] CAL */
} contrastive_state;

static const alcore__column *probs_of(const alcore__run *run, enum alcore__row_source source) {
    return alcore__dataset_find(run->active[source].dataset, "probs");
}

static bool is_binary(const alcore__column *column) {
    return column->meaning == ALCORE_MEANS_SIGMOID || column->meaning == ALCORE_MEANS_MULTILABEL;
}

/* ---- begin ---- */

/* The class scores of a source have to be those of the candidates' classes. */
static alcore_status check_classes(const alcore__run *run, enum alcore__row_source source) {
    const alcore__column *own = probs_of(run, ALCORE__OVER_CANDIDATES);
    const alcore__column *other = probs_of(run, source);
    if (own->ragged || other->ragged)
        return alcore__fail(ALCORE_E_SHAPE, "the column \"probs\" must have shape [rows, classes]");
    if (own->dims != other->dims || is_binary(own) != is_binary(other))
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"probs\" of the labeled pool has %lld classes, that of "
                            "the pool %lld; both must come from the same model and mean the same",
                            (long long)other->dims, (long long)own->dims);
    return ALCORE_OK;
}

static alcore_status begin(alcore__run *run) {
    contrastive_state *state = run->state;
    const alcore__column *column = probs_of(run, ALCORE__OVER_CANDIDATES);
    const int64_t labeled =
        run->active[ALCORE__OVER_LABELED_ROWS].count + run->active[ALCORE__OVER_LABELED_POOL].count;
    if (labeled == 0)
        return alcore__fail(ALCORE_E_MISSING,
                            "strategy contrastive compares rows with labeled rows, of which there "
                            "is none");
    ALCORE__TRY(check_classes(run, ALCORE__OVER_CANDIDATES));
    if (run->active[ALCORE__OVER_LABELED_POOL].count > 0)
        ALCORE__TRY(check_classes(run, ALCORE__OVER_LABELED_POOL));
    state->labels = is_binary(column) ? column->dims : 1;
    state->width = is_binary(column) ? 2 * column->dims : column->dims;
    if (state->k > labeled) state->k = labeled;
    ALCORE__TRY(alcore__gathered_begin(run, &state->gathered, labeled, NULL /* in order */));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, labeled, &state->usable));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, labeled * state->width, &state->probs));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, labeled * state->width, &state->logs));
    run->hints.row_work = true;
    return ALCORE__RUN_ARRAY(run, run->outcome.count, &state->divergence);
}

/* ---- class scores ---- */

/* score_rows of the definition, called for its checks and for what nan=exclude leaves out: those of
 * least confidence, which are what classes have to be. */
static alcore_status check_rows(alcore__score_call *call) {
    return alcore__score_lc.rows(call);
}

/* The logarithm of a probability. */
static double log_of(double p) {
    return p > 0.0 ? fmax(log(p), FLOOR) : FLOOR;
}

/* Makes probabilities out [width] of the numbers of one row, values [classes or labels]. */
static void make_probs(const contrastive_state *state, const alcore__column *column,
                       const double *values, double *out) {
    if (!is_binary(column)) {
        alcore__probs_of(column, values, state->width, out);
        return;
    }
    for (int64_t l = 0; l < state->labels; l++) {
        out[2 * l + 1] = fmin(fmax(values[l], 0.0), 1.0);
        out[2 * l] = 1.0 - out[2 * l + 1];
    }
}

/* Reads the class scores of the block's active rows, which are checked: probs and logs [count,
 * width], and usable [count] where it is not NULL. */
static alcore_status read_probs(alcore__block *block, double *probs, double *logs,
                                uint8_t *usable) {
    const contrastive_state *state = block->run->state;
    const alcore_sys_work work = alcore__run_work(block->run);
    const alcore__column *column = probs_of(block->run, block->source);
    alcore_sys_rows rows = {0};
    double *rank, *wide; /* [span, classes] from the first active row to the last */
    const alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *rank, &rank));
    ALCORE__TRY(alcore__block_scores(block, rank, NULL, NULL));
    ALCORE__TRY(alcore__block_column(block, column, &rows));
    ALCORE__TRY(
        alcore__scratch_push(block, rows.count, (size_t)column->dims * sizeof *wide, &wide));
    ALCORE__TRY(alcore__kernels_cpu()->widen(&work, &rows, NULL /* no mask */, wide));
    for (int64_t i = 0; i < block->count; i++) {
        double *p = probs + i * state->width, *log_p = logs + i * state->width;
        make_probs(state, column, wide + (block->rows[i] - block->rows[0]) * column->dims, p);
        for (int64_t c = 0; c < state->width; c++) log_p[c] = log_of(p[c]);
        if (usable) usable[i] = (uint8_t)!isnan(rank[i]);
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* ---- passes over labeled rows ---- */

/* The partial of a block of labeled rows: vectors [count, dims], probabilities and their logarithms
 * [count, width] each, in double, then usable [count]. */
static size_t labeled_bytes(const alcore__block *block) {
    const contrastive_state *state = block->run->state;
    return (size_t)block->count *
           ((size_t)(state->gathered.dims + 2 * state->width) * sizeof(double) + 1);
}

static alcore_status read_labeled(alcore__block *block, void *partial) {
    const contrastive_state *state = block->run->state;
    double *probs = (double *)partial + block->count * state->gathered.dims;
    double *logs = probs + block->count * state->width;
    ALCORE__TRY(alcore__gather_block(block, partial));
    return read_probs(block, probs, logs, (uint8_t *)(logs + block->count * state->width));
}

static alcore_status store_labeled(alcore__run *run, const alcore__block_partial *partial) {
    contrastive_state *state = run->state;
    const int64_t dims = state->gathered.dims, width = state->width, count = partial->count;
    const bool is_other = partial->source == ALCORE__OVER_LABELED_POOL;
    const int64_t first =
        partial->start + (is_other ? run->active[ALCORE__OVER_LABELED_ROWS].count : 0);
    const double *vectors = partial->extra, *probs = vectors + count * dims;
    const double *logs = probs + count * width;
    memcpy(state->gathered.vectors + first * dims, vectors, (size_t)(count * dims) * sizeof *probs);
    memcpy(state->probs + first * width, probs, (size_t)(count * width) * sizeof *probs);
    memcpy(state->logs + first * width, logs, (size_t)(count * width) * sizeof *logs);
    memcpy(state->usable + first, logs + count * width, (size_t)count);
    return ALCORE_OK;
}

/* ---- pass over candidates ---- */

/* Sets *out to the numbers of the k nearest labeled rows of each active row of the block, [count,
 * k], nearest first; -1: there are fewer. It is on the scratch stack. */
static alcore_status find_neighbors(alcore__block *block, int64_t **out) {
    const contrastive_state *state = block->run->state;
    const int64_t dims = state->gathered.dims, entries = block->count * state->k;
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    const alcore_sys_rows labeled =
        alcore__gathered_rows(&state->gathered, 0, state->gathered.count);
    double *vectors, *sq_dist;
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof **out, out));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *sq_dist, &sq_dist));
    ALCORE__TRY(
        alcore__scratch_push(block, block->count, (size_t)dims * sizeof *vectors, &vectors));
    ALCORE__TRY(alcore__gather_block(block, vectors));
    const alcore_sys_rows queries = alcore__rows_of(vectors, block->count, dims);
    const alcore_sys_best best = {.k = state->k, .row = *out, .value = sq_dist};
    for (int64_t n = 0; n < entries; n++) best.row[n] = -1;
    return ALCORE__GATHERED_KERNEL(block->run, knn, &labeled, state->usable, &queries,
                                   NULL /* all queries */, &search, &best, NULL);
}

/* KL(p_l || q) of labeled row l, log_q [width]. */
static double divergence_from(const contrastive_state *state, int64_t l, const double *log_q) {
    const double *p = state->probs + l * state->width, *log_p = state->logs + l * state->width;
    double sum = 0.0;
    for (int64_t c = 0; c < state->width; c++) sum += p[c] * (log_p[c] - log_q[c]);
    return sum / (double)state->labels;
}

/* The partial is the divergence, double [active rows]. */
static alcore_status measure_block(alcore__block *block, void *partial) {
    const contrastive_state *state = block->run->state;
    double *divergence = partial, *probs, *logs;
    int64_t *near;
    ALCORE__TRY(find_neighbors(block, &near));
    const size_t row_bytes = (size_t)state->width * sizeof *probs;
    ALCORE__TRY(alcore__scratch_push(block, block->count, row_bytes, &probs));
    ALCORE__TRY(alcore__scratch_push(block, block->count, row_bytes, &logs));
    ALCORE__TRY(read_probs(block, probs, logs, NULL));
    for (int64_t i = 0; i < block->count; i++) {
        const int64_t *of = near + i * state->k;
        int64_t count = 0;
        double sum = 0.0;
        for (; count < state->k && of[count] >= 0; count++)
            sum += divergence_from(state, of[count], logs + i * state->width);
        divergence[i] = count ? fmax(sum / (double)count, 0.0) : 0.0;
    }
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = read_labeled,
     .partial = {.extra = labeled_bytes, .reduce = store_labeled}},
    {.name = "labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = read_labeled,
     .partial = {.extra = labeled_bytes, .reduce = store_labeled}},
    {.name = "divergence",
     .narrow = true,
     .block = measure_block,
     .partial = {.values = {ALCORE__VALUES(contrastive_state, divergence)}}},
    {.name = NULL},
};

/* Called after the last pass; the runner then ranks and buys by the scores. */
static alcore_status finish(alcore__run *run) {
    contrastive_state *state = run->state;
    memcpy(run->outcome.scores, state->divergence,
           (size_t)run->outcome.count * sizeof *state->divergence);
    return alcore__outcome_keep_column(run, "divergence", &state->divergence);
}

static const char *const NEEDS[] = {"probs", "embeddings", NULL};
static const char *const EXAMPLES[] = {"k=2", NULL};
/* All classes are compared. */
static bool reads_all_classes(const alcore__score_params *params) {
    (void)params;
    return true;
}
static const alcore__param ROWS[] = {
    ALCORE__PARAM("k", INTEGER, "10", 1, 1024, NULL,
                  "nearest labeled rows that a row is compared with",
                  ALCORE__MEMBER(ALCORE__TO_STATE, contrastive_state, k)),
    ALCORE__CANDIDATE_PARAMS,
};

const alcore__strategy_def alcore__strategy_contrastive = {
    .name = "contrastive",
    .summary = "Rows whose class probabilities differ most from those of the nearest labeled rows "
               "(CAL, Margatina et al. 2021)",
    .examples = EXAMPLES,
    .measure = "divergence",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = NEEDS, [ALCORE__ROLE(LABELED)] = NEEDS},
    .score_rows = check_rows,
    .reads_all_classes = reads_all_classes,
    .state_bytes = sizeof(contrastive_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
    .ranks_own = alcore__ranks_own,
};
