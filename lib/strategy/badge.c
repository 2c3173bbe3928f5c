/* SPDX-License-Identifier: Apache-2.0 */
/* BADGE (spec 4.5): rows drawn in proportion to the squared distance of their gradient embedding a
 * outer h from those of the rows chosen before, without ever writing a gradient down. A row that
 * the budget or the spread passes over is no centre and is not drawn again. */
#include <math.h>
#include <string.h>

#include "alcore/rng.h"
#include "scorer/score_table.h"
#include "strategy/greedy.h"
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
    /* What is looked for: a position, or the first row of a block whose cumulated weight passes
     * target. */
    int64_t draw_position, draw_block;
    double draw_before, draw_target;
    double *found_a, *found_h, found_square, found_weight; /* of the row that was found */
    double *squares; /* [candidates] squared norms of the gradients */
    double *value;   /* [candidates] of the picks: distance when it was drawn; NaN for the others */
    bool chosen;     /* there is a centre */
} badge_plan;

/* What stays with the rows of a block. */
typedef struct rows_state {
    double *squares, *minimum, *a; /* [count], [count], [count, classes] */
} rows_state;

static rows_state state_of(void *memory, int64_t count) {
    double *numbers = memory;
    return (rows_state){numbers, numbers + count, numbers + 2 * count};
}

static const alcore__column *factor_column(const alcore__run *run, bool *given) {
    const alcore__column *probs = alcore__side_find(&run->input->candidates, "probs");
    *given = !probs;
    return probs ? probs : alcore__side_find(&run->input->candidates, "factors");
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
    plan->draw_position = plan->draw_block = -1;
    ALCORE__TRY(alcore__greedy_begin(run, &plan->greedy));
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)run->members[0].blocks, sizeof(double), &plan->mass));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)plan->classes, sizeof(double), &plan->found_a));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)plan->dims, sizeof(double), &plan->found_h));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &plan->squares));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &plan->value));
    for (size_t i = 0; i < count; i++) plan->value[i] = (double)NAN;
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
    alcore__free(ctx, plan->value);
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

/* The factor a of the block's members: double [members, classes]. */
static alcore_status read_factors(const badge_plan *plan, alcore__block *block, double *a) {
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
        double *to = a + i * plan->classes;
        ALCORE__TRY(run->input->kernels->widen(&work, &row, NULL, to));
        if (!given) gradient_factor(column->meaning, plan->classes, to);
    }
    return ALCORE_OK;
}

/* Names a row whose class scores are none: the score of a row, or NaN, is what lc says. Given
 * factors have to be finite. */
static alcore_status check_rows(alcore__score_call *call) {
    const alcore__column *column = alcore__side_find(call->side, "factors");
    if (alcore__side_find(call->side, "probs")) return alcore__score_lc.rows(call);
    alcore_sys_work work = alcore__score_work(call);
    alcore_sys_rows rows = {0};
    ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &rows));
    ALCORE__TRY(call->kernels->self_dots(&work, &rows, call->take, call->rank));
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

static alcore_status self_dots(const alcore__run *run, const double *values, int64_t count,
                               int64_t dims, double *out) {
    alcore_sys_work work = alcore__run_work(run);
    alcore_sys_rows rows = {
        .data = values, .count = count, .dims = dims, .stride = dims, .dtype = ALCORE_FLOAT64};
    return run->input->kernels->self_dots(&work, &rows, NULL, out);
}

/* ---- blocks ---- */

/* Whether a row may still be chosen. */
static bool is_free(const badge_plan *plan, int64_t position) {
    return plan->greedy.state[position] == ALCORE__GREEDY_FREE &&
           alcore__filler_fits(&plan->greedy.filler, position);
}

/* The squared norms, first of all. Payload: them. */
static alcore_status factors_block(const badge_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    void *memory;
    double *out, *h_dots = block->bench->wide[1];
    size_t count = (size_t)block->count;
    ALCORE__TRY(alcore__block_scores(block, block->bench->wide[2], NULL, NULL));
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(
        alcore__block_local(block, count * (2 + (size_t)plan->classes) * sizeof(double), &memory));
    ALCORE__TRY(alcore__block_payload(block, count * sizeof *out, &out));
    rows_state state = state_of(memory, block->count);
    ALCORE__TRY(read_factors(plan, block, state.a));
    ALCORE__TRY(self_dots(block->run, state.a, block->count, plan->classes, state.squares));
    ALCORE__TRY(alcore__matrix_self_dots(&matrix, h_dots));
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(h_dots[i])) ALCORE__TRY(alcore__matrix_check(&matrix));
        out[i] = state.squares[i] *= h_dots[i];
        state.minimum[i] = HUGE_VAL;
    }
    return ALCORE_OK;
}

/* The weight of a member: 0 for rows that take no part. */
static double weight_of(const badge_plan *plan, const alcore__block *block, const rows_state *state,
                        int64_t i) {
    return is_free(plan, block->start + i) ? state->minimum[i] : 0.0;
}

/* The member that the draw means; -1: it is in another block. */
static int64_t drawn_member(const badge_plan *plan, const alcore__block *block,
                            const rows_state *state) {
    if (plan->draw_position >= 0) {
        int64_t member = plan->draw_position - block->start;
        return member >= 0 && member < block->count ? member : -1;
    }
    if (plan->draw_block != block->number) return -1;
    double run = 0.0;
    int64_t last = -1;
    for (int64_t i = 0; i < block->count; i++) {
        double weight = weight_of(plan, block, state, i);
        run += weight;
        if (!(weight > 0.0)) continue;
        last = i;
        if (plan->draw_before + run > plan->draw_target) return i;
    }
    return last;
}

/* Payload of the block with the drawn row: position, square, weight, a and h. */
static alcore_status find_block(const badge_plan *plan, alcore__block *block) {
    rows_state state = state_of(*block->local, block->count);
    int64_t member = drawn_member(plan, block, &state);
    if (member < 0) return ALCORE_OK;
    alcore__matrix matrix;
    double *out;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(
        block, (3 + (size_t)(plan->classes + plan->dims)) * sizeof *out, &out));
    out[0] = (double)(block->start + member);
    out[1] = state.squares[member];
    out[2] = state.minimum[member];
    memcpy(out + 3, state.a + member * plan->classes, (size_t)plan->classes * sizeof *out);
    return alcore__matrix_row(&matrix, member, out + 3 + plan->classes);
}

/* Payload: the block's weight. */
static alcore_status measure_block(const badge_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    double *out;
    rows_state state = state_of(*block->local, block->count);
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, sizeof *out, &out));
    ALCORE__TRY(alcore__matrix_min_badge(&matrix, state.a, plan->classes, plan->found_a,
                                         plan->found_h, plan->found_square, state.squares,
                                         state.minimum));
    for (int64_t i = 0; i < block->count; i++) *out += weight_of(plan, block, &state, i);
    return ALCORE_OK;
}

static alcore_status scores_block(alcore__block *block) {
    double *out;
    rows_state state = state_of(*block->local, block->count);
    ALCORE__TRY(alcore__block_payload(block, (size_t)block->count * sizeof *out, &out));
    for (int64_t i = 0; i < block->count; i++)
        out[i] = sqrt(state.minimum[i] < HUGE_VAL ? state.minimum[i] : state.squares[i]);
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
        plan->greedy.best = (int64_t)numbers[0];
        plan->found_square = numbers[1];
        plan->found_weight = numbers[2];
        memcpy(plan->found_a, numbers + 3, (size_t)plan->classes * sizeof *numbers);
        memcpy(plan->found_h, numbers + 3 + plan->classes, (size_t)plan->dims * sizeof *numbers);
    }
    return ALCORE_OK;
}

static double next_uniform(badge_plan *plan) {
    int64_t at = plan->drawn++;
    return at < plan->uniform_count ? plan->uniforms[at] : alcore_rng_f64(&plan->rng);
}

/* The first free row, or the n-th of them; -1: there is none. */
static int64_t nth_free(const alcore__run *run, const badge_plan *plan, int64_t n) {
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (is_free(plan, i) && n-- == 0) return i;
    }
    return -1;
}

/* Where the first centre is: the largest norm, or a uniform draw. */
static int64_t first_position(const alcore__run *run, badge_plan *plan) {
    int64_t best = -1, count = 0;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (!is_free(plan, i)) continue;
        count++;
        if (best < 0 || plan->squares[i] > plan->squares[best]) best = i;
    }
    if (!count || !plan->first_uniform) return best;
    return nth_free(run, plan, (int64_t)alcore_rng_below(&plan->rng, (uint64_t)count));
}

/* weighted(D^2, f64()) of spec 1.7 as far as the blocks' totals tell. */
static int64_t draw_block(alcore__run *run, badge_plan *plan) {
    double total = 0.0, before = 0.0, u = next_uniform(plan);
    int64_t last = -1, blocks = run->members[0].blocks;
    for (int64_t b = 0; b < blocks; b++) {
        if (plan->mass[b] > 0.0) last = b;
        total += plan->mass[b];
    }
    plan->draw_target = u * total;
    for (int64_t b = 0; b < blocks; b++) {
        plan->draw_before = before;
        before += plan->mass[b];
        if (before > plan->draw_target) return b;
    }
    /* Rounding left none: the last row with a weight. */
    plan->draw_before = -HUGE_VAL;
    return last;
}

/* Looks for the next row, or ends. */
static void look(alcore__run *run, badge_plan *plan) {
    plan->draw_position = plan->draw_block = -1;
    alcore__greedy_reset(&plan->greedy);
    run->pass = PASS_SCORES;
    if (alcore__filler_full(&plan->greedy.filler)) return;
    if (!plan->chosen) {
        plan->draw_position = first_position(run, plan);
    } else if ((plan->draw_block = draw_block(run, plan)) < 0) {
        plan->draw_position = nth_free(run, plan, 0); /* only duplicates are left */
    }
    if (plan->draw_position >= 0 || plan->draw_block >= 0) run->pass = PASS_FIND;
}

/* What was found is offered. Rows that were passed over weigh nothing from now on, so the weights
 * are added up again. */
static alcore_status offer(alcore__run *run, badge_plan *plan) {
    bool taken;
    int64_t position = plan->greedy.best;
    ALCORE__TRY(alcore__greedy_offer(&plan->greedy, &taken));
    if (taken) {
        double weight = plan->chosen ? plan->found_weight : plan->found_square;
        plan->value[position] = sqrt(weight);
        plan->chosen = true;
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
    for (int64_t i = 0; i < run->outcome.count; i++) {
        norm[i] = sqrt(plan->squares[i]);
        if (plan->greedy.state[i] == ALCORE__GREEDY_PICKED) run->outcome.scores[i] = plan->value[i];
    }
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
