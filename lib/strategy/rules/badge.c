/* SPDX-License-Identifier: Apache-2.0 */
/* BADGE (spec 4.5): rows drawn in proportion to the squared distance of their gradient embedding a
 * outer h from those of the rows chosen before, without ever writing a gradient down. A row that
 * the budget or the spread passes over is no centroid and is not drawn again. */
#include <math.h>
#include <string.h>

#include "alcore/rng.h"
#include "scorer/score_table.h"
#include "strategy/kmeans/d2_sampling.h"
#include "strategy/rules/greedy_picks.h"
#include "strategy/strategies.h"

enum { TAG_BADGE = 5 };
enum { PASS_FACTORS, PASS_FIND, PASS_MEASURE, PASS_SCORES };
enum { FIRST_NORM, FIRST_UNIFORM };

typedef struct badge_plan {
    alcore__greedy greedy; /* best: the row that was found */
    int64_t classes, dims;
    bool first_uniform;
    alcore_rng rng;
    const double *uniforms; /* given ones, before those of the generator */
    int64_t uniform_count, drawn;
    double *mass; /* [blocks] D^2 by block */
    alcore__sampler sampler;
    /* Of the row that was found and of the guesses: factors [ALCORE__AHEAD, numbers]. */
    double *found_a, *found_h, found_squares[ALCORE__AHEAD], found_weight;
    double *squares; /* [candidates] squared norms of the gradients */
    bool chosen;     /* there is a centroid */
    bool joined;     /* the row that was found last is one */
} badge_plan;

/* Numbers of a row that the engine keeps, by place of the matrix. */
typedef struct rows_state {
    double *squares, *minimum, *each, *a; /* [rows], [rows], [ALCORE__GUESSES, rows], [rows,
                                             classes] */
} rows_state;

static rows_state state_of(double *numbers, int64_t rows) {
    return (rows_state){numbers, numbers + rows, numbers + 2 * rows,
                        numbers + (2 + ALCORE__GUESSES) * rows};
}

/* What a block with the row of a draw sends; the row's a and h follow. */
typedef struct found_row {
    int64_t draw, position;
    double square, weight;
} found_row;

static size_t found_bytes(const badge_plan *plan) {
    return sizeof(found_row) + (size_t)(plan->classes + plan->dims) * sizeof(double);
}

static const alcore__column *factor_column(const alcore__run *run, bool *given) {
    const alcore__column *probs = alcore__dataset_find(&run->input->candidates, "probs");
    *given = !probs;
    return probs ? probs : alcore__dataset_find(&run->input->candidates, "factors");
}

/* ---- begin ---- */

static alcore_status begin(alcore__run *run) {
    badge_plan *plan = run->plan;
    alcore_ctx *ctx = run->ctx;
    size_t count = (size_t)run->outcome.count;
    bool given;
    const alcore__column *column = factor_column(run, &given);
    if (column->ragged || column->dims < 1)
        return alcore__fail(ALCORE_E_SHAPE, "the column \"%s\" has shape [rows, %s]",
                            given ? "factors" : "probs", given ? "numbers" : "classes");
    plan->classes = column->dims;
    plan->dims = alcore__embedding_dims(run);
    plan->first_uniform = alcore__values_integer(run->values, "first") == FIRST_UNIFORM;
    plan->uniforms = alcore__values_numbers(run->values, "uniforms", &plan->uniform_count);
    alcore_rng_seed(&plan->rng,
                    alcore_rng_derive(run->input->seed, TAG_BADGE, (uint64_t)run->input->round, 0));
    run->repeats = true;
    alcore__sampler_begin(run, false, &plan->sampler);
    ALCORE__TRY(alcore__greedy_begin(run, &plan->greedy));
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)run->members[0].blocks, sizeof(double), &plan->mass));
    size_t numbers = ALCORE__AHEAD * sizeof(double);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)plan->classes, numbers, &plan->found_a));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)plan->dims, numbers, &plan->found_h));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &plan->squares));
    run->pass = PASS_FACTORS;
    alcore__warn_passes(run, alcore__expected_picks(run));
    return ALCORE_OK;
}

static void clear(alcore__run *run) {
    badge_plan *plan = run->plan;
    alcore_ctx *ctx = run->ctx;
    alcore__greedy_clear(ctx, &plan->greedy);
    alcore__free(ctx, plan->mass);
    alcore__free(ctx, plan->found_a);
    alcore__free(ctx, plan->found_h);
    alcore__free(ctx, plan->squares);
}

/* ---- factors ---- */

static double clamped(double p) {
    return p < 0.0 ? 0.0 : p > 1.0 ? 1.0 : p;
}

/* Scores as stored become probabilities p, then p - onehot(argmax p), ties to the lower class. */
static void gradient_factor(int32_t meaning, int64_t classes, double *p) {
    int64_t likeliest = 0;
    for (int64_t c = 1; c < classes; c++) {
        if (p[c] > p[likeliest]) likeliest = c;
    }
    if (meaning == ALCORE_MEANS_LOGITS) {
        double most = p[likeliest], total = 0.0;
        for (int64_t c = 0; c < classes; c++) total += p[c] = exp(p[c] - most);
        for (int64_t c = 0; c < classes; c++) p[c] /= total;
    } else {
        for (int64_t c = 0; c < classes; c++)
            p[c] = clamped(meaning == ALCORE_MEANS_LOGPROBS ? exp(p[c]) : p[c]);
    }
    p[likeliest] -= 1.0;
}

/* The factor a of the block's members, by place: double [rows, classes]. */
static alcore_status read_factors(const badge_plan *plan, const alcore__matrix *matrix, double *a) {
    alcore__block *block = matrix->block;
    const alcore__run *run = block->run;
    bool given;
    const alcore__column *column = factor_column(run, &given);
    int64_t first = block->rows[0], span = block->rows[block->count - 1] - first + 1;
    alcore_sys_rows rows = {0};
    alcore_sys_work work = alcore__run_work(run);
    ALCORE__TRY(column->ops->rows(column, first, span, &block->bench->scratch[0], &rows));
    static const int64_t BYTES[] = {0, 2, 2, 4, 8};
    for (int64_t i = 0; i < block->count; i++) {
        alcore_sys_rows row = rows;
        row.data =
            (const char *)rows.data + (block->rows[i] - first) * rows.stride * BYTES[rows.dtype];
        row.count = 1;
        double *to = a + alcore__matrix_place(matrix, i) * plan->classes;
        ALCORE__TRY(run->input->engine.kernels->widen(&work, &row, NULL, to));
        if (!given) gradient_factor(column->meaning, plan->classes, to);
    }
    return ALCORE_OK;
}

/* Names a row whose class scores are none: the score of a row, or NaN, is what lc says. Given
 * factors have to be finite. */
static alcore_status check_rows(alcore__score_call *call) {
    const alcore__column *column = alcore__dataset_find(call->dataset, "factors");
    if (alcore__dataset_find(call->dataset, "probs")) return alcore__score_lc.rows(call);
    alcore_sys_work work = alcore__engine_work(&call->engine);
    alcore_sys_rows rows = {0};
    ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &rows));
    ALCORE__TRY(call->engine.kernels->self_dots(&work, &rows, call->take, call->rank));
    for (int64_t i = 0; i < call->count; i++) {
        if (call->take && !call->take[i]) continue;
        bool finite = isfinite(call->rank[i]);
        if (!finite && !call->nan_exclude)
            return alcore__fail(ALCORE_E_DATA,
                                "row %lld: a number in column \"factors\" is NaN or infinite; "
                                "nan=exclude leaves such rows out",
                                (long long)(call->first + i));
        call->score[i] = call->raw[i] = call->rank[i] = finite ? call->rank[i] : (double)NAN;
    }
    return ALCORE_OK;
}

static alcore_sys_rows factor_rows(const badge_plan *plan, const double *a, int64_t rows) {
    return (alcore_sys_rows){.data = a,
                             .count = rows,
                             .dims = plan->classes,
                             .stride = plan->classes,
                             .dtype = ALCORE_FLOAT64};
}

/* ---- blocks ---- */

static alcore_status first_numbers(const badge_plan *plan, alcore__block *block,
                                   const alcore__matrix *matrix, rows_state *state) {
    const alcore_sys_kernels *kernels = block->run->input->engine.kernels;
    alcore_sys_work work = alcore__run_work(block->run);
    int64_t rows = matrix->rows.count;
    alcore_sys_rows factors = factor_rows(plan, state->a, rows);
    double *h_dots = block->bench->wide[1];
    ALCORE__TRY(read_factors(plan, matrix, state->a));
    ALCORE__TRY(kernels->self_dots(&work, &factors, NULL, state->squares));
    ALCORE__TRY(kernels->self_dots(&work, &matrix->rows, matrix->take, h_dots));
    for (int64_t i = 0; i < block->count; i++) {
        int64_t at = alcore__matrix_place(matrix, i);
        if (!isfinite(h_dots[at])) ALCORE__TRY(alcore__matrix_check(matrix));
        state->squares[at] *= h_dots[at];
        state->minimum[at] = HUGE_VAL;
    }
    return ALCORE_OK;
}

/* The squared norms, first of all. Payload: them. */
static alcore_status factors_block(const badge_plan *plan, alcore__block *block) {
    alcore_ctx *ctx = block->run->ctx;
    alcore__matrix matrix;
    double *out, *numbers;
    ALCORE__TRY(alcore__block_scores(block, block->bench->wide[2], NULL, NULL));
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    int64_t rows = matrix.rows.count, count = (2 + ALCORE__GUESSES + plan->classes) * rows;
    ALCORE__TRY(alcore__block_payload(block, (size_t)block->count * sizeof *out, &out));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *numbers, &numbers));
    rows_state state = state_of(numbers, rows);
    alcore_status status = first_numbers(plan, block, &matrix, &state);
    if (status != ALCORE_OK) {
        alcore__free(ctx, numbers);
        return status;
    }
    for (int64_t i = 0; i < block->count; i++)
        out[i] = state.squares[alcore__matrix_place(&matrix, i)];
    return alcore__block_keep(block, numbers, count);
}

/* Payload: the rows of the draws that are in the block. */
static alcore_status find_block(const badge_plan *plan, alcore__block *block) {
    const alcore__run *run = block->run;
    alcore__matrix matrix;
    char *out;
    size_t count = 0;
    for (int k = 0; k < ALCORE__AHEAD; k++)
        count += alcore__draw_is_in(&plan->sampler.draw[k], block);
    if (!count) return ALCORE_OK;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, count * found_bytes(plan), &out));
    rows_state state = state_of(alcore__block_numbers(block), matrix.rows.count);
    const uint8_t *mask = alcore__greedy_mask(&plan->greedy, &matrix);
    for (int k = 0; k < ALCORE__AHEAD; k++) {
        int64_t member;
        found_row row = {.draw = k};
        double *numbers = (double *)(void *)(out + sizeof row);
        if (!alcore__draw_is_in(&plan->sampler.draw[k], block)) continue;
        ALCORE__TRY(
            alcore__draw_member(&plan->sampler.draw[k], &matrix, mask, state.minimum, &member));
        int64_t at = alcore__matrix_place(&matrix, member);
        row.position = block->start + member;
        ALCORE__TRY(alcore__numbers_read(run, state.squares + at, 1, &row.square));
        ALCORE__TRY(alcore__numbers_read(run, state.minimum + at, 1, &row.weight));
        ALCORE__TRY(
            alcore__numbers_read(run, state.a + at * plan->classes, plan->classes, numbers));
        ALCORE__TRY(alcore__matrix_row(&matrix, member, numbers + plan->classes));
        memcpy(out, &row, sizeof row);
        out += found_bytes(plan);
    }
    return ALCORE_OK;
}

/* Payload: the block's weight, after the row that was found is a centroid if it was taken. */
static alcore_status measure_block(const badge_plan *plan, alcore__block *block) {
    const alcore_sys_kernels *kernels = block->run->input->engine.kernels;
    alcore_sys_work work = alcore__run_work(block->run);
    const alcore__sampler *sampler = &plan->sampler;
    alcore__matrix matrix;
    double *out;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, sizeof *out, &out));
    int64_t rows = matrix.rows.count;
    rows_state state = state_of(alcore__block_numbers(block), rows);
    alcore_sys_weights weights = {.minimum = state.minimum,
                                  .speculative = state.each,
                                  .speculative_count = sampler->guessed,
                                  .total_mask = alcore__greedy_mask(&plan->greedy, &matrix),
                                  .total = out};
    if (!plan->joined) return kernels->update_min(&work, rows, matrix.take, NULL, &weights);
    if (sampler->known >= 0) {
        return kernels->update_min(&work, rows, matrix.take, state.each + sampler->known * rows,
                                   &weights);
    }
    alcore_sys_rows factors = factor_rows(plan, state.a, rows);
    return kernels->min_badge(&work, &factors, &matrix.rows, matrix.take, plan->found_a,
                              plan->found_h, 1 + sampler->guessed, plan->found_squares,
                              state.squares, &weights);
}

static alcore_status scores_block(alcore__block *block) {
    alcore__matrix matrix;
    double *out, *squares = block->bench->wide[0], *minimum = block->bench->wide[1];
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, (size_t)block->count * sizeof *out, &out));
    int64_t rows = matrix.rows.count;
    rows_state state = state_of(alcore__block_numbers(block), rows);
    ALCORE__TRY(alcore__numbers_read(block->run, state.squares, rows, squares));
    ALCORE__TRY(alcore__numbers_read(block->run, state.minimum, rows, minimum));
    for (int64_t i = 0; i < block->count; i++) {
        int64_t at = alcore__matrix_place(&matrix, i);
        out[i] = sqrt(minimum[at] < HUGE_VAL ? minimum[at] : squares[at]);
    }
    return ALCORE_OK;
}

static alcore_status block_step(alcore__block *block) {
    const badge_plan *plan = block->run->plan;
    if (!block->count) return ALCORE_OK;
    switch (block->run->pass) {
    case PASS_FACTORS:
        return factors_block(plan, block);
    case PASS_FIND:
        return find_block(plan, block);
    case PASS_MEASURE:
        return measure_block(plan, block);
    default:
        return scores_block(block);
    }
}

/* ---- between passes ---- */

static void take_found(badge_plan *plan, const char *payload) {
    found_row row;
    memcpy(&row, payload, sizeof row);
    const char *a = payload + sizeof row;
    size_t classes = (size_t)plan->classes, dims = (size_t)plan->dims, draw = (size_t)row.draw;
    plan->sampler.found[row.draw] = row.position;
    plan->found_squares[row.draw] = row.square;
    memcpy(plan->found_a + draw * classes, a, classes * sizeof(double));
    memcpy(plan->found_h + draw * dims, a + classes * sizeof(double), dims * sizeof(double));
    if (row.draw) return;
    plan->greedy.best = row.position;
    plan->found_weight = row.weight;
}

static alcore_status gather(alcore__run *run, int64_t block, const void *payload, size_t bytes) {
    badge_plan *plan = run->plan;
    const double *numbers = payload;
    int64_t start = run->members[0].start[block];
    if (run->pass == PASS_MEASURE) plan->mass[block] = bytes ? numbers[0] : 0.0;
    if (!bytes) return ALCORE_OK;
    if (run->pass == PASS_FACTORS) {
        memcpy(plan->squares + start, payload, bytes);
    } else if (run->pass == PASS_SCORES) {
        memcpy(run->outcome.scores + start, payload, bytes);
    } else if (run->pass == PASS_FIND) {
        for (size_t at = 0; at < bytes; at += found_bytes(plan))
            take_found(plan, (const char *)payload + at);
    }
    return ALCORE_OK;
}

/* The number of the draw that comes `later` draws after the next one; rng: a copy of the generator
 * that has given the numbers before it. */
static double uniform_of(const badge_plan *plan, int64_t later, alcore_rng *rng) {
    int64_t at = plan->drawn + later;
    return at < plan->uniform_count ? plan->uniforms[at] : alcore_rng_f64(rng);
}

/* The first free row, or the n-th of them; -1: there is none. */
static int64_t nth_free(const alcore__run *run, const badge_plan *plan, int64_t n) {
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (alcore__greedy_free(&plan->greedy, i) && n-- == 0) return i;
    }
    return -1;
}

/* Where the first centroid is: the largest norm, or a uniform draw. */
static int64_t first_position(const alcore__run *run, badge_plan *plan) {
    int64_t best = -1, count = 0;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (!alcore__greedy_free(&plan->greedy, i)) continue;
        count++;
        if (best < 0 || plan->squares[i] > plan->squares[best]) best = i;
    }
    if (!count || !plan->first_uniform) return best;
    return nth_free(run, plan, (int64_t)alcore_rng_below(&plan->rng, (uint64_t)count));
}

/* The next row, weighted(D^2, f64()), and guesses of those that follow. */
static void draw_rows(alcore__run *run, badge_plan *plan) {
    alcore__sampler *sampler = &plan->sampler;
    int64_t blocks = run->members[0].blocks;
    int32_t guesses = alcore__sampler_guesses(run, sampler);
    double u = uniform_of(plan, 0, &plan->rng);
    alcore_rng ahead = plan->rng;
    if (!alcore__draw_by_weight(plan->mass, 1, blocks, u, &sampler->draw[0]))
        sampler->draw[0].position = nth_free(run, plan, 0); /* only duplicates are left */
    for (int32_t k = 1; k <= guesses; k++) {
        u = uniform_of(plan, k, &ahead);
        alcore__draw_by_weight(plan->mass, 1, blocks, u, &sampler->draw[k]);
    }
    plan->drawn++;
}

/* Looks for the next row, or ends. */
static void look(alcore__run *run, badge_plan *plan) {
    alcore__sampler *sampler = &plan->sampler;
    for (int k = 0; k < ALCORE__AHEAD; k++) {
        sampler->draw[k] = alcore__draw_nothing;
        sampler->found[k] = -1;
    }
    alcore__greedy_reset(&plan->greedy);
    run->pass = PASS_SCORES;
    if (alcore__filler_full(&plan->greedy.filler)) return;
    if (plan->chosen) {
        draw_rows(run, plan);
    } else {
        sampler->draw[0].position = first_position(run, plan);
    }
    if (sampler->draw[0].position >= 0 || sampler->draw[0].block >= 0) run->pass = PASS_FIND;
}

/* What was found is offered. Rows that were passed over weigh nothing from now on, so the weights
 * are added up again. */
static alcore_status offer(alcore__run *run, badge_plan *plan) {
    int64_t position = plan->greedy.best;
    ALCORE__TRY(alcore__greedy_offer(&plan->greedy, &plan->joined));
    if (plan->joined) {
        double weight = plan->chosen ? plan->found_weight : plan->found_squares[0];
        plan->greedy.value[position] = sqrt(weight);
        plan->chosen = true;
        alcore__sampler_settle(&plan->sampler);
        alcore__sampler_pack(&plan->sampler, plan->found_a, plan->classes);
        alcore__sampler_pack(&plan->sampler, plan->found_h, plan->dims);
        alcore__sampler_pack(&plan->sampler, plan->found_squares, 1);
    }
    if (alcore__filler_full(&plan->greedy.filler)) {
        run->pass = PASS_SCORES;
    } else if (plan->chosen) {
        run->pass = PASS_MEASURE;
    } else {
        look(run, plan);
    }
    return ALCORE_OK;
}

static alcore_status next(alcore__run *run) {
    badge_plan *plan = run->plan;
    switch (run->pass) {
    case PASS_FIND:
        return offer(run, plan);
    case PASS_SCORES:
        run->done = true;
        return ALCORE_OK;
    default:
        look(run, plan);
        return ALCORE_OK;
    }
}

static alcore_status finish(alcore__run *run) {
    badge_plan *plan = run->plan;
    double *norm;
    ALCORE__TRY(alcore__outcome_column(run, "gradient_norm", ALCORE_FLOAT64, &norm));
    for (int64_t i = 0; i < run->outcome.count; i++) norm[i] = sqrt(plan->squares[i]);
    alcore__greedy_finish(&plan->greedy);
    return ALCORE_OK;
}

static const char *const NEEDS[] = {"probs|factors", "embeddings", NULL};
static const alcore__param ROWS[] = {
    {"first", ALCORE_PARAM_CHOICE, "norm", 0, 0, "norm|uniform",
     "the first row: the one of the largest gradient, or a uniform draw"},
    {"uniforms", ALCORE_PARAM_NUMBERS, "generator", 0, 1, "generator",
     "the draws' numbers, for tests; those of the generator follow"},
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_badge = {
    .name = "badge",
    .summary =
        "Rows of large and different gradients, drawn by k-means++ seeding (Ash et al. 2020)",
    .reason = "its gradient is far from those of the chosen rows",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = NEEDS},
    .score_rows = check_rows,
    .plan_bytes = sizeof(badge_plan),
    .begin = begin,
    .block = block_step,
    .gather = gather,
    .next = next,
    .finish = finish,
    .clear = clear,
};
