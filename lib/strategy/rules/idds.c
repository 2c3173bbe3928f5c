/* SPDX-License-Identifier: Apache-2.0 */
/* IDDS (spec 4.4): like the unlabeled rows, unlike the labeled ones. A row that the budget or the
 * spread passes over stays among the unlabeled. */
#include <math.h>
#include <string.h>

#include "strategy/rules/greedy_picks.h"
#include "strategy/strategies.h"

enum { PASS_LABELED, PASS_SUM, PASS_FIRST, PASS_STEP, PASS_SCORES };
enum { MODE_GREEDY, MODE_ONESHOT };
enum { SIM_COSINE, SIM_DOT };
enum { SELF_EXCLUDE, SELF_INCLUDE };

typedef struct idds_plan {
    alcore__greedy greedy;
    int64_t dims, unlabeled, labeled; /* |A| and |B| */
    bool cosine, include_self, oneshot;
    double alpha;
    double *sum_a, *sum_b; /* [dims] SA and SB */
    double *picked;        /* [dims] the row that moves from A to B; */
    double picked_norm;
    bool moved; /* there is one */
} idds_plan;

/* Numbers of a row that the engine keeps, by place of the matrix. */
typedef struct rows_state {
    double *norm, *a, *b, *s, *value;
} rows_state;

enum { STATE_ARRAYS = 5 };

static rows_state state_of(double *numbers, int64_t rows) {
    return (rows_state){numbers, numbers + rows, numbers + 2 * rows, numbers + 3 * rows,
                        numbers + 4 * rows};
}

static void over_sources(alcore__run *run) {
    idds_plan *plan = run->plan;
    run->pass = PASS_LABELED;
    /* Labeled rows of the pool come first, then the labeled side. */
    while (++run->source <= ALCORE__OVER_LABELED_SIDE) {
        if (run->members[run->source].count) return;
    }
    run->source = ALCORE__OVER_CANDIDATES;
    run->pass = PASS_SUM;
    plan->labeled = run->members[1].count + run->members[2].count;
}

static alcore_status begin(alcore__run *run) {
    idds_plan *plan = run->plan;
    size_t numbers = sizeof(double);
    plan->dims = alcore__embedding_dims(run);
    plan->unlabeled = run->outcome.count;
    plan->alpha = alcore__values_number(run->values, "alpha");
    plan->include_self = alcore__values_integer(run->values, "self") == SELF_INCLUDE;
    plan->oneshot = alcore__values_integer(run->values, "mode") == MODE_ONESHOT;
    plan->cosine = alcore__values_integer(run->values, "sim") == SIM_COSINE;
    ALCORE__TRY(alcore__greedy_begin(run, &plan->greedy));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)plan->dims, numbers, &plan->sum_a));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)plan->dims, numbers, &plan->sum_b));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)plan->dims, numbers, &plan->picked));
    over_sources(run);
    if (!plan->oneshot) {
        run->repeats = true;
        alcore__warn_passes(run, alcore__expected_picks(run) + 2.0);
    }
    return ALCORE_OK;
}

static void clear(alcore__run *run) {
    idds_plan *plan = run->plan;
    alcore__greedy_clear(run->ctx, &plan->greedy);
    alcore__free(run->ctx, plan->sum_a);
    alcore__free(run->ctx, plan->sum_b);
    alcore__free(run->ctx, plan->picked);
}

/* ---- blocks ---- */

/* A_v, B_v and s_v before the first pick. */
static alcore_status first_values(const idds_plan *plan, const alcore__matrix *matrix,
                                  rows_state *state) {
    const alcore_sys_kernels *kernels = matrix->block->run->input->engine.kernels;
    alcore_sys_work work = alcore__run_work(matrix->block->run);
    const alcore_sys_rows *rows = &matrix->rows;
    ALCORE__TRY(kernels->self_dots(&work, rows, matrix->take, state->s));
    ALCORE__TRY(kernels->dots(&work, rows, matrix->take, plan->sum_a, state->a));
    ALCORE__TRY(kernels->dots(&work, rows, matrix->take, plan->sum_b, state->b));
    for (int64_t i = 0; i < rows->count; i++) {
        state->norm[i] = sqrt(state->s[i]);
        if (!plan->cosine) continue;
        bool zero = state->norm[i] < 1e-12;
        state->a[i] = zero ? 0.0 : state->a[i] / state->norm[i];
        state->b[i] = zero ? 0.0 : state->b[i] / state->norm[i];
        state->s[i] = zero ? 0.0 : 1.0;
    }
    return ALCORE_OK;
}

static alcore_status begin_block(const idds_plan *plan, alcore__block *block,
                                 const alcore__matrix *matrix) {
    alcore_ctx *ctx = block->run->ctx;
    int64_t rows = matrix->rows.count;
    double *numbers;
    ALCORE__TRY(alcore__new_array(ctx, STATE_ARRAYS * (size_t)rows, sizeof *numbers, &numbers));
    rows_state state = state_of(numbers, rows);
    alcore_status status = first_values(plan, matrix, &state);
    if (status == ALCORE_OK) return alcore__block_keep(block, numbers, STATE_ARRAYS * rows);
    alcore__free(ctx, numbers);
    return status;
}

/* The scores, after w was picked and moved from A to B. */
static alcore_status step_block(const idds_plan *plan, alcore__block *block) {
    const alcore_sys_kernels *kernels = block->run->input->engine.kernels;
    alcore_sys_work work = alcore__run_work(block->run);
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    bool first = block->run->pass == PASS_FIRST;
    if (first) ALCORE__TRY(begin_block(plan, block, &matrix));
    rows_state state = state_of(alcore__block_numbers(block), matrix.rows.count);
    if (!first && plan->moved) {
        ALCORE__TRY(kernels->idds_update(&work, &matrix.rows, matrix.take,
                                         plan->cosine ? state.norm : NULL, plan->picked,
                                         plan->picked_norm, state.a, state.b));
    }
    if (first || plan->moved) {
        alcore_sys_idds idds = {.alpha = plan->alpha,
                                .unlabeled = plan->unlabeled,
                                .labeled = plan->labeled,
                                .include_self = plan->include_self};
        ALCORE__TRY(kernels->idds_scores(&work, matrix.rows.count, matrix.take, &idds, state.a,
                                         state.b, state.s, state.value));
    }
    int64_t best;
    double value;
    void *nothing;
    ALCORE__TRY(alcore__greedy_best(&matrix, alcore__greedy_mask(&plan->greedy, &matrix),
                                    state.value, &best, &value));
    return alcore__greedy_payload(block, &matrix, best, value, 0, &nothing);
}

static alcore_status scores_block(alcore__block *block) {
    alcore__matrix matrix;
    double *out, *wide = block->bench->wide[0];
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, (size_t)block->count * sizeof *out, &out));
    rows_state state = state_of(alcore__block_numbers(block), matrix.rows.count);
    ALCORE__TRY(alcore__numbers_read(block->run, state.value, matrix.rows.count, wide));
    for (int64_t i = 0; i < block->count; i++) out[i] = wide[alcore__matrix_place(&matrix, i)];
    return ALCORE_OK;
}

static alcore_status block_step(alcore__block *block) {
    const idds_plan *plan = block->run->plan;
    if (!block->count) return ALCORE_OK;
    switch (block->run->pass) {
    case PASS_LABELED:
    case PASS_SUM:
        return alcore__block_sum(block, plan->cosine, plan->dims);
    case PASS_SCORES:
        return scores_block(block);
    default:
        return step_block(plan, block);
    }
}

/* ---- between passes ---- */

static alcore_status gather(alcore__run *run, int64_t block, const void *payload, size_t bytes) {
    idds_plan *plan = run->plan;
    if (!bytes) return ALCORE_OK;
    if (run->pass == PASS_SCORES) {
        memcpy(run->outcome.scores + run->members[0].start[block], payload, bytes);
    } else if (run->pass == PASS_LABELED || run->pass == PASS_SUM) {
        double *sum = run->pass == PASS_SUM ? plan->sum_a : plan->sum_b;
        for (int64_t j = 0; j < plan->dims; j++) sum[j] += ((const double *)payload)[j];
    } else {
        alcore__greedy_gather(&plan->greedy, payload);
    }
    return ALCORE_OK;
}

/* ||w|| as the kernels take it. */
static alcore_status set_picked(alcore__run *run) {
    idds_plan *plan = run->plan;
    alcore_sys_work work = alcore__run_work(run);
    memcpy(plan->picked, plan->greedy.best_vector, (size_t)plan->dims * sizeof(double));
    alcore_sys_rows row = {.data = plan->picked,
                           .count = 1,
                           .dims = plan->dims,
                           .stride = plan->dims,
                           .dtype = ALCORE_FLOAT64};
    double dot;
    ALCORE__TRY(run->input->engine.kernels->self_dots(&work, &row, NULL, &dot));
    plan->picked_norm = sqrt(dot);
    return ALCORE_OK;
}

static alcore_status pick(alcore__run *run) {
    idds_plan *plan = run->plan;
    alcore__greedy *greedy = &plan->greedy;
    run->pass = PASS_SCORES;
    if (plan->oneshot || !alcore__greedy_more(greedy)) return ALCORE_OK;
    int64_t position = greedy->best;
    plan->greedy.value[position] = greedy->best_value;
    ALCORE__TRY(alcore__greedy_offer(greedy, &plan->moved));
    if (alcore__filler_full(&greedy->filler)) return ALCORE_OK;
    if (plan->moved) {
        ALCORE__TRY(set_picked(run));
        plan->unlabeled--;
        plan->labeled++;
    }
    alcore__greedy_reset(greedy);
    run->pass = PASS_STEP;
    return ALCORE_OK;
}

static alcore_status next(alcore__run *run) {
    switch (run->pass) {
    case PASS_LABELED:
        over_sources(run);
        return ALCORE_OK;
    case PASS_SUM:
        run->pass = PASS_FIRST;
        return ALCORE_OK;
    case PASS_FIRST:
    case PASS_STEP:
        return pick(run);
    default:
        run->done = true;
        return ALCORE_OK;
    }
}

static alcore_status finish(alcore__run *run) {
    idds_plan *plan = run->plan;
    if (plan->oneshot) return ALCORE_OK;
    alcore__greedy_finish(&plan->greedy);
    return ALCORE_OK;
}

static const char *const NEEDS[] = {"embeddings", NULL};
static const alcore__param ROWS[] = {
    {"alpha", ALCORE_PARAM_NUMBER, "0.67", 0, 1, NULL,
     "weight of likeness to the unlabeled rows; the rest is unlikeness to the labeled ones"},
    {"self", ALCORE_PARAM_CHOICE, "exclude", 0, 0, "exclude|include",
     "whether a row's likeness to itself counts"},
    {"mode", ALCORE_PARAM_CHOICE, "greedy", 0, 0, "greedy|oneshot",
     "each pick moves to the labeled rows before the next one, or all are ranked once"},
    {"sim", ALCORE_PARAM_CHOICE, "cosine", 0, 0, "cosine|dot-raw",
     "likeness: cosine or plain inner product"},
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_idds = {
    .name = "idds",
    .summary = "Rows like the unlabeled rows and unlike the labeled ones (Tsvigun et al. 2022)",
    .reason = "like the pool, unlike the labeled rows",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = NEEDS, [ALCORE_ROLE_LABELED] = NEEDS},
    .plan_bytes = sizeof(idds_plan),
    .begin = begin,
    .block = block_step,
    .gather = gather,
    .next = next,
    .finish = finish,
    .clear = clear,
};
