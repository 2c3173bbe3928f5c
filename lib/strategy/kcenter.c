/* SPDX-License-Identifier: Apache-2.0 */
/* k-centre greedy (spec 4.7): the row farthest from everything that is labelled or chosen, again
 * and again. A row that the budget or the spread passes over is no centre. */
#include <math.h>
#include <string.h>

#include "strategy/greedy.h"
#include "strategy/strategies.h"

/* COLLECT brings labelled vectors together, CHUNK of them at a time; MEASURE takes vectors to the
 * candidates. */
enum { PASS_SUM, PASS_NEAREST_MEAN, PASS_COLLECT, PASS_MEASURE, PASS_SCORES };
enum { CHUNK = 1024 };

typedef struct kcenter_plan {
    alcore__greedy greedy;
    int64_t dims, labeled, collected; /* collected: labelled rows brought so far */
    double *vectors; /* [CHUNK, dims] what the next pass measures from: labelled rows, the pick, the
                        mean */
    int64_t vector_count;
    double *value, *radius; /* [candidates] of the picks; NaN for the others */
    double radius_sqd;      /* largest minimum of the rows that are no centre */
    int64_t last_pick;
    bool first_unmeasured; /* the first pick had nothing to be far from */
} kcenter_plan;

static alcore_status begin(alcore__run *run) {
    kcenter_plan *plan = run->plan;
    size_t count = (size_t)run->outcome.count;
    plan->dims = alcore__embedding_dims(run);
    plan->labeled = run->members[1].count + run->members[2].count;
    plan->last_pick = -1;
    run->repeats = true;
    ALCORE__TRY(alcore__greedy_begin(run, &plan->greedy));
    size_t chunk = plan->labeled < CHUNK ? (size_t)plan->labeled + 1 : CHUNK;
    ALCORE__TRY(
        alcore__new_array(run->ctx, chunk, (size_t)plan->dims * sizeof(double), &plan->vectors));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &plan->value));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &plan->radius));
    for (size_t i = 0; i < count; i++) plan->value[i] = plan->radius[i] = (double)NAN;
    run->pass = plan->labeled ? PASS_COLLECT : PASS_SUM;
    run->source = !plan->labeled          ? ALCORE__OVER_CANDIDATES
                  : run->members[1].count ? ALCORE__OVER_LABELED_ROWS
                                          : ALCORE__OVER_LABELED_SIDE;
    alcore__warn_passes(run, alcore__expected_picks(run) + (double)plan->labeled);
    return ALCORE_OK;
}

static void clear(alcore__run *run) {
    kcenter_plan *plan = run->plan;
    alcore__greedy_clear(run->ctx, &plan->greedy);
    alcore__free(run->ctx, plan->vectors);
    alcore__free(run->ctx, plan->value);
    alcore__free(run->ctx, plan->radius);
}

/* ---- blocks ---- */

/* Which of a source's rows the present chunk takes: from *first up to *end, counted over the
 * source. */
static void chunk_of(const alcore__run *run, const kcenter_plan *plan, int64_t *first,
                     int64_t *end) {
    int64_t before = run->source == ALCORE__OVER_LABELED_SIDE ? run->members[1].count : 0;
    int64_t count = run->members[run->source].count;
    *first = plan->collected - before;
    *end = *first + CHUNK < count ? *first + CHUNK : count;
}

static alcore_status collect_block(const kcenter_plan *plan, alcore__block *block) {
    int64_t first, end;
    chunk_of(block->run, plan, &first, &end);
    first = first > block->start ? first - block->start : 0;
    end = end - block->start < block->count ? end - block->start : block->count;
    if (first >= end) return ALCORE_OK;
    alcore__matrix matrix;
    double *vectors;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, (size_t)((end - first) * plan->dims) * sizeof *vectors,
                                      &vectors));
    for (int64_t i = first; i < end; i++) {
        double *vector = vectors + (i - first) * plan->dims;
        ALCORE__TRY(alcore__matrix_row(&matrix, i, vector));
        for (int64_t j = 0; j < plan->dims; j++) {
            if (!isfinite(vector[j])) return alcore__matrix_check(&matrix);
        }
    }
    return ALCORE_OK;
}

/* The block's squared distances to the nearest centre; infinite at first. */
static alcore_status minimum_of(alcore__block *block, const alcore__matrix *matrix, double **out) {
    bool fresh = !*block->local;
    ALCORE__TRY(alcore__block_local(block, (size_t)block->count * sizeof **out, out));
    if (!fresh) return ALCORE_OK;
    ALCORE__TRY(alcore__matrix_self_dots(matrix, *out));
    for (int64_t i = 0; i < block->count; i++) {
        if (!isfinite((*out)[i])) ALCORE__TRY(alcore__matrix_check(matrix));
        (*out)[i] = HUGE_VAL;
    }
    return ALCORE_OK;
}

static alcore_status measure_many(const kcenter_plan *plan, alcore__block *block,
                                  const alcore__matrix *matrix, double *minimum) {
    alcore_ctx *ctx = block->run->ctx;
    const int64_t starts[2] = {0, plan->vector_count};
    int32_t *numbers;
    double *distance = NULL;
    ALCORE__TRY(alcore__new_array(ctx, 2 * (size_t)block->count, sizeof *numbers, &numbers));
    alcore_status status =
        alcore__new_array(ctx, (size_t)block->count, sizeof *distance, &distance);
    if (status == ALCORE_OK) {
        status = alcore__matrix_nearest(matrix, numbers, 1, starts, plan->vectors,
                                        numbers + block->count, distance);
    }
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        if (distance[i] < minimum[i]) minimum[i] = distance[i];
    }
    alcore__free(ctx, distance);
    alcore__free(ctx, numbers);
    return status;
}

/* Measures from the plan's vectors; payload: the farthest free row and the radius. */
static alcore_status measure_block(const kcenter_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    double *minimum, *radius;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(minimum_of(block, &matrix, &minimum));
    if (plan->vector_count > 1) ALCORE__TRY(measure_many(plan, block, &matrix, minimum));
    if (plan->vector_count == 1) {
        ALCORE__TRY(
            alcore__matrix_min_sqd(&matrix, NULL, plan->vectors, 0.0, NULL, false, minimum));
    }
    ALCORE__TRY(
        alcore__greedy_payload(&plan->greedy, block, &matrix, minimum, sizeof *radius, &radius));
    for (int64_t i = 0; i < block->count; i++) {
        bool centre = plan->greedy.state[block->start + i] == ALCORE__GREEDY_PICKED;
        if (!centre && minimum[i] > *radius) *radius = minimum[i];
    }
    return ALCORE_OK;
}

/* The first pick without labelled rows: nearest to the mean, that is, farthest by minus the
 * distance. */
static alcore_status mean_block(const kcenter_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    void *nothing;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    double *near = block->bench->wide[1];
    ALCORE__TRY(alcore__matrix_sqds(&matrix, plan->vectors, near));
    for (int64_t i = 0; i < block->count; i++) near[i] = -near[i];
    return alcore__greedy_payload(&plan->greedy, block, &matrix, near, sizeof(double), &nothing);
}

static alcore_status scores_block(alcore__block *block) {
    double *out, *minimum = *block->local;
    ALCORE__TRY(alcore__block_payload(block, (size_t)block->count * sizeof *out, &out));
    for (int64_t i = 0; i < block->count; i++) {
        out[i] = minimum && minimum[i] < HUGE_VAL ? sqrt(minimum[i]) : 0.0;
    }
    return ALCORE_OK;
}

static alcore_status block_step(alcore__block *block) {
    const kcenter_plan *plan = block->run->plan;
    if (!block->count) return ALCORE_OK;
    switch (block->run->pass) {
    case PASS_SUM:
        return alcore__block_sum(block, false, plan->dims);
    case PASS_NEAREST_MEAN:
        return mean_block(plan, block);
    case PASS_COLLECT:
        return collect_block(plan, block);
    case PASS_MEASURE:
        return measure_block(plan, block);
    default:
        return scores_block(block);
    }
}

/* ---- between passes ---- */

static alcore_status gather(alcore__run *run, int64_t block, const void *payload, size_t bytes) {
    kcenter_plan *plan = run->plan;
    const double *numbers = payload;
    if (!bytes) return ALCORE_OK;
    switch (run->pass) {
    case PASS_SUM:
        for (int64_t j = 0; j < plan->dims; j++) plan->vectors[j] += numbers[j];
        break;
    case PASS_COLLECT:
        memcpy(plan->vectors + plan->vector_count * plan->dims, payload, bytes);
        plan->vector_count += (int64_t)(bytes / sizeof(double)) / plan->dims;
        break;
    case PASS_SCORES:
        memcpy(run->outcome.scores + run->members[0].start[block], payload, bytes);
        break;
    default: {
        double radius;
        const void *extra = alcore__greedy_gather(&plan->greedy, payload);
        memcpy(&radius, extra, sizeof radius);
        if (radius > plan->radius_sqd) plan->radius_sqd = radius;
    }
    }
    return ALCORE_OK;
}

static void end_picking(alcore__run *run) {
    run->pass = PASS_SCORES;
}

/* The best free row of the pass is offered. */
static alcore_status pick(alcore__run *run) {
    kcenter_plan *plan = run->plan;
    alcore__greedy *greedy = &plan->greedy;
    bool from_mean = run->pass == PASS_NEAREST_MEAN, taken;
    plan->radius_sqd = 0.0;
    if (!alcore__greedy_more(greedy)) {
        end_picking(run);
        return ALCORE_OK;
    }
    int64_t position = greedy->best;
    double sqd = greedy->best_value;
    ALCORE__TRY(alcore__greedy_offer(greedy, &taken));
    if (taken) {
        plan->last_pick = position;
        plan->first_unmeasured = from_mean;
        plan->value[position] = from_mean ? 0.0 : sqrt(sqd);
        memcpy(plan->vectors, greedy->best_vector, (size_t)plan->dims * sizeof(double));
        plan->vector_count = 1;
        run->pass = PASS_MEASURE;
    } else if (!from_mean) {
        plan->vector_count = 0;
    }
    alcore__greedy_reset(greedy);
    if (alcore__filler_full(&greedy->filler) && !taken) end_picking(run);
    return ALCORE_OK;
}

static alcore_status after_measure(alcore__run *run) {
    kcenter_plan *plan = run->plan;
    if (plan->collected < plan->labeled) {
        run->pass = PASS_COLLECT;
        run->source = plan->collected < run->members[1].count ? ALCORE__OVER_LABELED_ROWS
                                                              : ALCORE__OVER_LABELED_SIDE;
        plan->vector_count = 0;
        plan->radius_sqd = 0.0;
        alcore__greedy_reset(&plan->greedy);
        return ALCORE_OK;
    }
    if (plan->last_pick >= 0 && isnan(plan->radius[plan->last_pick])) {
        plan->radius[plan->last_pick] = sqrt(plan->radius_sqd);
        /* What the first pick had to be far from is not there; the radius keeps the scores falling.
         */
        if (plan->first_unmeasured) plan->value[plan->last_pick] = sqrt(plan->radius_sqd);
        plan->first_unmeasured = false;
    }
    return pick(run);
}

static alcore_status next(alcore__run *run) {
    kcenter_plan *plan = run->plan;
    switch (run->pass) {
    case PASS_SUM:
        for (int64_t j = 0; j < plan->dims; j++) plan->vectors[j] /= (double)run->outcome.count;
        run->pass = PASS_NEAREST_MEAN;
        return ALCORE_OK;
    case PASS_COLLECT:
        plan->collected += plan->vector_count;
        run->pass = PASS_MEASURE;
        run->source = ALCORE__OVER_CANDIDATES;
        return ALCORE_OK;
    case PASS_NEAREST_MEAN:
        return pick(run);
    case PASS_MEASURE:
        return after_measure(run);
    default:
        run->done = true;
        return ALCORE_OK;
    }
}

static alcore_status finish(alcore__run *run) {
    kcenter_plan *plan = run->plan;
    double *radius;
    ALCORE__TRY(alcore__outcome_column(run, "radius", ALCORE_FLOAT64, &radius));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        radius[i] = plan->radius[i];
        if (plan->greedy.state[i] == ALCORE__GREEDY_PICKED) run->outcome.scores[i] = plan->value[i];
    }
    alcore__greedy_finish(&plan->greedy);
    return ALCORE_OK;
}

static const char *const NEEDS[] = {"embeddings", NULL};
static const alcore__param ROWS[] = {ALCORE__CANDIDATE_PARAMS};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_kcenter = {
    .name = "kcenter",
    .summary =
        "Farthest first from all that is labelled or chosen (core-set, Sener and Savarese 2018)",
    .reason = "farthest from the labelled and the chosen rows",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = NEEDS, [ALCORE_ROLE_LABELED] = NEEDS},
    .plan_bytes = sizeof(kcenter_plan),
    .begin = begin,
    .block = block_step,
    .gather = gather,
    .next = next,
    .finish = finish,
    .clear = clear,
};
