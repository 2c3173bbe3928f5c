/* SPDX-License-Identifier: Apache-2.0 */
/* k-center greedy (spec 4.7): the row farthest from everything that is labeled or chosen, again
 * and again. A row that the budget or the spread passes over is no center.
 *
 * Distances to the nearest center only shrink, so that an old one is a bound: a row is measured
 * from the picks that it has not seen only when its bound is the largest of its block. Where most
 * rows of a block come to that, they are measured together. */
#include <math.h>
#include <string.h>

#include "strategy/rules/greedy_picks.h"
#include "strategy/strategies.h"

/* COLLECT brings labeled vectors together, CHUNK of them at a time; MEASURE takes vectors to the
 * candidates. */
enum { PASS_SUM, PASS_NEAREST_MEAN, PASS_COLLECT, PASS_MEASURE, PASS_SCORES };
enum { CHUNK = 1024 };

/* Rows that are looked at together for the farthest one. Measuring all rows of a block together
 * costs a SHARE of measuring them one by one, from FEW picks on. */
enum { TOP = 16, SHARE = 5, FEW = 5 };

typedef struct kcenter_plan {
    alcore__greedy greedy;
    int64_t dims, labeled, collected; /* collected: labeled rows brought so far */
    double *vectors; /* [CHUNK, dims] labeled rows that the next pass measures from; the mean */
    int64_t vector_count;
    double *centers; /* [center_count, dims] the picks */
    int64_t center_count;
    size_t center_capacity;
    double *radius;        /* [candidates] of the picks; NaN for the others */
    double radius_sq_dist; /* largest minimum of the rows that are no center */
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
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &plan->radius));
    for (size_t i = 0; i < count; i++) plan->radius[i] = (double)NAN;
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
    alcore__free(run->ctx, plan->centers);
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

/* What stays with a block. Where the engine has memory of its own, minimum lies there, and every
 * pick is shown to all rows. */
typedef struct rows_state {
    double *minimum; /* [rows] squared distances to the nearest of what a row has seen, by place of
                        the matrix */
    int64_t *seen_by_all, *spent; /* picks that every row has seen; distances measured since then */
    int64_t *seen;                /* [members] picks that a row has seen */
} rows_state;

/* Infinite minima at first. */
static alcore_status first_minima(alcore__block *block, const alcore__matrix *matrix) {
    const alcore__run *run = block->run;
    alcore_sys_work work = alcore__run_work(run);
    int64_t rows = matrix->rows.count;
    double *minimum;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)rows, sizeof *minimum, &minimum));
    alcore_status status =
        run->input->engine.kernels->self_dots(&work, &matrix->rows, matrix->take, minimum);
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        if (!isfinite(minimum[alcore__matrix_place(matrix, i)]))
            status = alcore__matrix_check(matrix);
    }
    for (int64_t i = 0; i < rows; i++) minimum[i] = HUGE_VAL;
    if (status == ALCORE_OK) return alcore__block_keep(block, minimum, rows);
    alcore__free(run->ctx, minimum);
    return status;
}

static alcore_status state_of(alcore__block *block, const alcore__matrix *matrix, rows_state *out) {
    int64_t *memory;
    if (!alcore__block_numbers(block)) ALCORE__TRY(first_minima(block, matrix));
    ALCORE__TRY(alcore__block_local(block, (2 + (size_t)block->count) * sizeof *memory, &memory));
    *out = (rows_state){alcore__block_numbers(block), memory, memory + 1, memory + 2};
    return ALCORE_OK;
}

/* Measures all rows of the block from several vectors. */
static alcore_status measure_many(const alcore__matrix *matrix, const double *vectors,
                                  int64_t vector_count, double *minimum) {
    const alcore__run *run = matrix->block->run;
    alcore_sys_work work = alcore__run_work(run);
    alcore_sys_weights weights = {.minimum = minimum};
    return run->input->engine.kernels->min_sq_dists(&work, &matrix->rows, matrix->take, vectors,
                                                    vector_count, NULL, NULL, 0, &weights);
}

/* Shows all rows the picks that some of them have not seen. */
static alcore_status see_all(const kcenter_plan *plan, alcore__block *block,
                             const alcore__matrix *matrix, rows_state *state) {
    int64_t first = *state->seen_by_all, count = plan->center_count - first;
    if (!count) return ALCORE_OK;
    ALCORE__TRY(measure_many(matrix, plan->centers + first * plan->dims, count, state->minimum));
    for (int64_t i = 0; i < block->count; i++) state->seen[i] = plan->center_count;
    *state->seen_by_all = plan->center_count;
    *state->spent = 0;
    return ALCORE_OK;
}

/* Shows one row the picks that it has not seen: it is measured from the other side, to the same
 * bits. vector: [dims] */
static alcore_status see(const kcenter_plan *plan, alcore__block *block,
                         const alcore__matrix *matrix, rows_state *state, int64_t member,
                         double *vector) {
    double *sq_dists = block->bench->wide[2],
           *minimum = &state->minimum[alcore__matrix_place(matrix, member)];
    alcore_sys_work work = alcore__run_work(block->run);
    ALCORE__TRY(alcore__matrix_row(matrix, member, vector));
    while (state->seen[member] < plan->center_count) {
        int64_t first = state->seen[member], left = plan->center_count - first;
        alcore_sys_rows centers = {.data = plan->centers + first * plan->dims,
                                   .count = left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS,
                                   .dims = plan->dims,
                                   .stride = plan->dims,
                                   .dtype = ALCORE_FLOAT64};
        ALCORE__TRY(
            block->run->input->engine.kernels->sq_dists(&work, &centers, NULL, vector, sq_dists));
        for (int64_t c = 0; c < centers.count; c++) {
            if (sq_dists[c] < *minimum) *minimum = sq_dists[c];
        }
        state->seen[member] += centers.count;
        *state->spent += centers.count;
    }
    return ALCORE_OK;
}

/* Rows among which the farthest is looked for: all that are no center, or those that can be picked.
 */
static bool takes_part(const kcenter_plan *plan, int64_t position, bool pickable) {
    if (pickable) return alcore__greedy_free(&plan->greedy, position);
    return plan->greedy.state[position] != ALCORE__GREEDY_PICKED;
}

/* The members of the largest minima in order, equal ones by the lower row. */
static int list_top(const kcenter_plan *plan, const alcore__matrix *matrix, const double *minimum,
                    bool pickable, int64_t top[TOP]) {
    const alcore__block *block = matrix->block;
    double value[TOP];
    int count = 0;
    for (int64_t i = 0; i < block->count; i++) {
        double own = minimum[alcore__matrix_place(matrix, i)];
        if (count == TOP && !(own > value[TOP - 1])) continue;
        if (!takes_part(plan, block->start + i, pickable)) continue;
        int at = count < TOP ? count++ : TOP - 1;
        for (; at > 0 && own > value[at - 1]; at--) {
            top[at] = top[at - 1];
            value[at] = value[at - 1];
        }
        top[at] = i;
        value[at] = own;
    }
    return count;
}

/* The farthest row of a block that has seen every pick: *out, -1: there is none. */
static alcore_status farthest_seen(const kcenter_plan *plan, const alcore__matrix *matrix,
                                   const rows_state *state, bool pickable, int64_t *out,
                                   double *value) {
    alcore__block *block = matrix->block;
    uint8_t *mask = block->bench->mask;
    memset(mask, 0, (size_t)matrix->rows.count);
    for (int64_t i = 0; i < block->count; i++) {
        mask[alcore__matrix_place(matrix, i)] = takes_part(plan, block->start + i, pickable);
    }
    return alcore__greedy_best(matrix, mask, state->minimum, out, value);
}

/* Until the largest minimum is one that has seen every pick: it is the farthest row, the lowest of
 * them. *out: the row, -1: there is none. */
static alcore_status find_farthest(const kcenter_plan *plan, alcore__block *block,
                                   const alcore__matrix *matrix, rows_state *state, bool pickable,
                                   double *vector, int64_t *out, double *value) {
    int64_t top[TOP], picks = plan->center_count;
    const double *minimum = state->minimum;
    if (block->run->input->engine.kernels->upload)
        return farthest_seen(plan, matrix, state, pickable, out, value);
    for (*out = -1, *value = 0.0;;) {
        int count = list_top(plan, matrix, minimum, pickable, top);
        if (!count) return ALCORE_OK;
        if (state->seen[top[0]] == picks) {
            *out = top[0];
            *value = minimum[alcore__matrix_place(matrix, top[0])];
            return ALCORE_OK;
        }
        int64_t unseen = picks - *state->seen_by_all;
        if (unseen >= FEW && *state->spent * SHARE > unseen * block->count) {
            ALCORE__TRY(see_all(plan, block, matrix, state));
            continue;
        }
        double best = -1.0;
        for (int k = 0; k < count; k++) {
            const double *own = &minimum[alcore__matrix_place(matrix, top[k])];
            if (*own < best) break;
            ALCORE__TRY(see(plan, block, matrix, state, top[k], vector));
            if (*own > best) best = *own;
        }
    }
}

/* Measures from labeled rows, or as far as it takes to find the farthest row. Payload: the
 * farthest row that can be picked, and the radius. */
static alcore_status measure_block(const kcenter_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    rows_state state;
    double *vector, *out, radius = 0.0, value = 0.0;
    int64_t farthest, pick = -1;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(state_of(block, &matrix, &state));
    if (plan->vector_count)
        ALCORE__TRY(measure_many(&matrix, plan->vectors, plan->vector_count, state.minimum));
    if (block->run->input->engine.kernels->upload)
        ALCORE__TRY(see_all(plan, block, &matrix, &state));
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)plan->dims, sizeof *vector, &vector));
    alcore_status status =
        find_farthest(plan, block, &matrix, &state, false, vector, &farthest, &radius);
    if (status == ALCORE_OK)
        status = find_farthest(plan, block, &matrix, &state, true, vector, &pick, &value);
    alcore__free(block->run->ctx, vector);
    ALCORE__TRY(status);
    ALCORE__TRY(alcore__greedy_payload(block, &matrix, pick, value, sizeof *out, &out));
    if (farthest >= 0) *out = radius;
    return ALCORE_OK;
}

/* The first pick without labeled rows: nearest to the mean, that is, farthest by minus the
 * distance. */
static alcore_status mean_block(const kcenter_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    alcore_sys_work work = alcore__run_work(block->run);
    void *nothing;
    int64_t best;
    double *near = block->bench->wide[1], value;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(block->run->input->engine.kernels->sq_dists(&work, &matrix.rows, matrix.take,
                                                            plan->vectors, near));
    for (int64_t i = 0; i < matrix.rows.count; i++) near[i] = -near[i];
    ALCORE__TRY(alcore__greedy_best(&matrix, alcore__greedy_mask(&plan->greedy, &matrix), near,
                                    &best, &value));
    return alcore__greedy_payload(block, &matrix, best, value, sizeof(double), &nothing);
}

static alcore_status scores_block(const kcenter_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    rows_state state;
    double *out, *wide = block->bench->wide[0];
    ALCORE__TRY(alcore__block_payload(block, (size_t)block->count * sizeof *out, &out));
    if (!alcore__block_numbers(block)) return ALCORE_OK;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(state_of(block, &matrix, &state));
    ALCORE__TRY(see_all(plan, block, &matrix, &state));
    ALCORE__TRY(alcore__numbers_read(block->run, state.minimum, matrix.rows.count, wide));
    for (int64_t i = 0; i < block->count; i++) {
        double minimum = wide[alcore__matrix_place(&matrix, i)];
        out[i] = minimum < HUGE_VAL ? sqrt(minimum) : 0.0;
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
        return scores_block(plan, block);
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
        if (radius > plan->radius_sq_dist) plan->radius_sq_dist = radius;
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
    plan->radius_sq_dist = 0.0;
    if (!alcore__greedy_more(greedy)) {
        end_picking(run);
        return ALCORE_OK;
    }
    int64_t position = greedy->best;
    double sq_dist = greedy->best_value;
    ALCORE__TRY(alcore__greedy_offer(greedy, &taken));
    if (taken) {
        plan->last_pick = position;
        plan->first_unmeasured = from_mean;
        plan->greedy.value[position] = from_mean ? 0.0 : sqrt(sq_dist);
        ALCORE__TRY(alcore__grow(run->ctx, &plan->centers, &plan->center_capacity,
                                 (size_t)((plan->center_count + 1) * plan->dims), sizeof(double)));
        memcpy(plan->centers + plan->center_count++ * plan->dims, greedy->best_vector,
               (size_t)plan->dims * sizeof(double));
        run->pass = PASS_MEASURE;
    }
    plan->vector_count = 0;
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
        plan->radius_sq_dist = 0.0;
        alcore__greedy_reset(&plan->greedy);
        return ALCORE_OK;
    }
    if (plan->last_pick >= 0 && isnan(plan->radius[plan->last_pick])) {
        plan->radius[plan->last_pick] = sqrt(plan->radius_sq_dist);
        /* What the first pick had to be far from is not there; the radius keeps the scores falling.
         */
        if (plan->first_unmeasured)
            plan->greedy.value[plan->last_pick] = sqrt(plan->radius_sq_dist);
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
    for (int64_t i = 0; i < run->outcome.count; i++) radius[i] = plan->radius[i];
    alcore__greedy_finish(&plan->greedy);
    return ALCORE_OK;
}

static const char *const NEEDS[] = {"embeddings", NULL};
static const alcore__param ROWS[] = {ALCORE__CANDIDATE_PARAMS};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_kcenter = {
    .name = "kcenter",
    .summary =
        "Farthest first from all that is labeled or chosen (core-set, Sener and Savarese 2018)",
    .reason = "farthest from the labeled and the chosen rows",
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
