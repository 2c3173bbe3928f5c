/* SPDX-License-Identifier: Apache-2.0 */
/* AVERAGE-DIST of DeMuX (spec 7.3): the smallest mean distance to the target. The mean Euclidean
 * distance has no shortcut: intervals in float32 first, then the exact mean of every row that the
 * budget can still reach, in steps, since the budget may pass rows over. */
#include <math.h>
#include <string.h>

#include "strategy/fill.h"
#include "strategy/rank.h"
#include "strategy/strategies.h"

enum { PASS_TARGET, PASS_SPREAD, PASS_BOUNDS, PASS_EXACT, PASS_CLOSED };
enum { METRIC_L2, METRIC_COSINE };
enum { SCORES_PICKED, SCORES_ALL };

/* Intervals are widened by this share: dividing and adding up their ends rounds. */
#define WIDER 1e-9

typedef struct average_plan {
    alcore__filler filler;
    int64_t dims, groups;
    bool squared, cosine, all, bounded; /* bounded: low and high are known */
    int32_t *group;                     /* [target rows] -1: takes no part */
    double *count;                      /* [groups] */
    double *centroids, *spread; /* [groups, dims] means; [groups] mean sq_dist of targets to them */
    double *low, *high;         /* [candidates] around the mean distance */
    double *distance;           /* [candidates] the mean distance; NaN: not computed */
    uint8_t *open;              /* [candidates] 1: the next pass computes it */
    int64_t wanted;             /* the nearest so many rows are known to the last bit */
    int64_t offered;            /* of them, so many went to the budget */
    double reach;               /* no row outside is nearer than this or as near */
} average_plan;

/* ---- begin ---- */

/* Languages without a row of the target are no groups. */
static alcore_status group_targets(alcore__run *run, average_plan *plan, bool balanced) {
    const alcore__run_input *input = run->input;
    const alcore__members *members = &run->members[ALCORE__OVER_TARGET];
    int64_t languages = balanced && input->target_languages ? input->target_language_count : 1;
    int32_t *number;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)languages, sizeof(double), &plan->count));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)languages, sizeof *number, &number));
    bool single = languages == 1;
    for (int64_t i = 0; i < members->count; i++)
        number[single ? 0 : input->target_languages[members->rows[i]]] = 1;
    for (int64_t g = 0; g < languages; g++) number[g] = number[g] ? (int32_t)plan->groups++ : -1;
    for (int64_t i = 0; i < input->target.rows; i++) plan->group[i] = -1;
    for (int64_t i = 0; i < members->count; i++) {
        int64_t row = members->rows[i];
        plan->group[row] = number[single ? 0 : input->target_languages[row]];
        plan->count[plan->group[row]] += 1.0;
    }
    alcore__free(run->ctx, number);
    return ALCORE_OK;
}

static alcore_status begin(alcore__run *run) {
    average_plan *plan = run->plan;
    alcore_ctx *ctx = run->ctx;
    size_t count = (size_t)run->outcome.count;
    plan->dims = alcore__embedding_dims(run);
    plan->squared = alcore__values_integer(run->values, "sq") == 1;
    plan->cosine = alcore__values_integer(run->values, "metric") == METRIC_COSINE;
    plan->all = alcore__values_integer(run->values, "scores") == SCORES_ALL;
    if (plan->squared && plan->cosine)
        return alcore__fail(ALCORE_E_PARAM, "strategy average-dist: sq=1 goes with metric=l2 only");
    bool balanced = alcore__values_integer(run->values, "balance_targets") == 1;
    alcore__filler_begin(&plan->filler, run);
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)run->input->target.rows, sizeof(int32_t), &plan->group));
    ALCORE__TRY(group_targets(run, plan, balanced));
    size_t groups = (size_t)plan->groups, numbers = (size_t)plan->dims * sizeof(double);
    ALCORE__TRY(alcore__new_array(ctx, groups, numbers, &plan->centroids));
    ALCORE__TRY(alcore__new_array(ctx, groups, sizeof(double), &plan->spread));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &plan->distance));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &plan->low));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(double), &plan->high));
    ALCORE__TRY(alcore__new_array(ctx, count, 1, &plan->open));
    for (size_t i = 0; i < count; i++) plan->distance[i] = run->outcome.scores[i] = (double)NAN;
    run->repeats = true;
    run->pass = PASS_TARGET;
    run->source = ALCORE__OVER_TARGET;
    return ALCORE_OK;
}

static void clear(alcore__run *run) {
    average_plan *plan = run->plan;
    alcore_ctx *ctx = run->ctx;
    alcore__filler_clear(&plan->filler);
    alcore__free(ctx, plan->group);
    alcore__free(ctx, plan->count);
    alcore__free(ctx, plan->centroids);
    alcore__free(ctx, plan->spread);
    alcore__free(ctx, plan->distance);
    alcore__free(ctx, plan->low);
    alcore__free(ctx, plan->high);
    alcore__free(ctx, plan->open);
}

/* ---- blocks ---- */

/* The groups of a block's members of the target. */
static const int32_t *member_groups(const average_plan *plan, alcore__block *block) {
    int32_t *group = block->bench->groups[1];
    for (int64_t i = 0; i < block->count; i++) group[i] = plan->group[block->rows[i]];
    return group;
}

/* What the target brings: sums of its rows, which also finds a NaN. */
static alcore_status target_block(const average_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    double *sums;
    int64_t *counts;
    ALCORE__TRY(alcore__block_matrix(block, plan->cosine, &matrix));
    size_t numbers = (size_t)(plan->groups * plan->dims);
    ALCORE__TRY(alcore__block_payload(block, (numbers + (size_t)plan->groups) * 8, &sums));
    counts = (int64_t *)(void *)(sums + numbers);
    return alcore__matrix_group_sums(&matrix, member_groups(plan, block), plan->groups, sums,
                                     counts);
}

/* Sums of the sq_dists of targets to the mean of their group, in row order. */
static alcore_status spread_block(const average_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    double *sums, *sq_dists;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, (size_t)plan->groups * sizeof *sums, &sums));
    ALCORE__TRY(
        alcore__new_array(block->run->ctx, (size_t)block->count, sizeof *sq_dists, &sq_dists));
    const int32_t *group = member_groups(plan, block);
    alcore_status status = ALCORE_OK;
    for (int64_t g = 0; g < plan->groups && status == ALCORE_OK; g++) {
        status = alcore__matrix_sq_dists(&matrix, plan->centroids + g * plan->dims, sq_dists);
        for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
            if (group[i] == g) sums[g] += sq_dists[i];
        }
    }
    alcore__free(block->run->ctx, sq_dists);
    return status;
}

/* The mean over the groups: each its own mean, then a running sum over them. */
static double mean_of(const average_plan *plan, const double *sums) {
    double total = 0.0;
    for (int64_t g = 0; g < plan->groups; g++) {
        double mean = sums[g] / plan->count[g];
        if (plan->groups == 1) return mean;
        total += mean;
    }
    return total / (double)plan->groups;
}

/* Adds up what `sums` of each block of the target brings, in block order. */
static alcore_status sum_targets(const average_plan *plan, const alcore__matrix *matrix,
                                 const uint8_t *which, double *totals) {
    alcore__block *block = matrix->block;
    const alcore__members *members = &block->run->members[ALCORE__OVER_TARGET];
    size_t entries = (size_t)(block->count * plan->groups);
    double *sums;
    ALCORE__TRY(alcore__new_array(block->run->ctx, entries, sizeof *sums, &sums));
    alcore_status status = ALCORE_OK;
    for (int64_t b = 0; b < members->blocks && status == ALCORE_OK; b++) {
        alcore_sys_rows targets = {0};
        if (members->start[b] == members->start[b + 1]) continue;
        status = alcore__target_rows(block, b, &targets);
        if (status == ALCORE_OK)
            status = alcore__matrix_distances(
                matrix, which, &targets, plan->group + b * ALCORE_BLOCK_ROWS, plan->groups, sums);
        for (size_t i = 0; i < entries && status == ALCORE_OK; i++) totals[i] += sums[i];
    }
    alcore__free(block->run->ctx, sums);
    return status;
}

/* Payload: the mean distances of the open members, NaN for the others. */
static alcore_status exact_block(const average_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    double *out, *totals;
    const uint8_t *open = plan->open + block->start;
    if (!memchr(open, 1, (size_t)block->count)) return ALCORE_OK;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, (size_t)block->count * sizeof *out, &out));
    ALCORE__TRY(alcore__new_array(block->run->ctx, (size_t)(block->count * plan->groups),
                                  sizeof *totals, &totals));
    alcore_status status = sum_targets(plan, &matrix, open, totals);
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        out[i] = open[i] ? mean_of(plan, totals + i * plan->groups) : (double)NAN;
        if (open[i] && !isfinite(out[i])) status = alcore__matrix_check(&matrix);
    }
    alcore__free(block->run->ctx, totals);
    return status;
}

static alcore_status add_bounds(const average_plan *plan, const alcore__matrix *matrix,
                                double *bounds, double *totals) {
    alcore__block *block = matrix->block;
    const alcore__members *members = &block->run->members[ALCORE__OVER_TARGET];
    int64_t entries = block->count * plan->groups;
    for (int64_t b = 0; b < members->blocks; b++) {
        alcore_sys_rows targets = {0};
        if (members->start[b] == members->start[b + 1]) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &targets));
        ALCORE__TRY(alcore__matrix_distance_bounds(matrix, &targets,
                                                   plan->group + b * ALCORE_BLOCK_ROWS,
                                                   plan->groups, bounds, bounds + entries));
        for (int64_t i = 0; i < 2 * entries; i++) totals[i] += bounds[i];
    }
    return ALCORE_OK;
}

/* Payload: low and high of the members. */
static alcore_status bounds_block(const average_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    alcore_ctx *ctx = block->run->ctx;
    int64_t entries = block->count * plan->groups;
    double *out, *bounds = NULL, *totals = NULL;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, 2 * (size_t)block->count * sizeof *out, &out));
    alcore_status status = alcore__new_array(ctx, 2 * (size_t)entries, sizeof *bounds, &bounds);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, 2 * (size_t)entries, sizeof *totals, &totals);
    if (status == ALCORE_OK) status = add_bounds(plan, &matrix, bounds, totals);
    for (int64_t i = 0; i < block->count && status == ALCORE_OK; i++) {
        out[i] = mean_of(plan, totals + i * plan->groups) * (1.0 - WIDER);
        out[block->count + i] = mean_of(plan, totals + entries + i * plan->groups) * (1.0 + WIDER);
    }
    alcore__free(ctx, totals);
    alcore__free(ctx, bounds);
    return status;
}

/* The squared and the cosine distance of the members to the mean of one group. */
static alcore_status closed_group(const average_plan *plan, const alcore__matrix *matrix, int64_t g,
                                  const double *norms, double *out) {
    const double *centroid = plan->centroids + g * plan->dims;
    int64_t count = matrix->block->count;
    if (plan->squared) {
        ALCORE__TRY(alcore__matrix_sq_dists(matrix, centroid, out));
        for (int64_t i = 0; i < count; i++) out[i] += plan->spread[g];
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__matrix_dots(matrix, centroid, out));
    for (int64_t i = 0; i < count; i++) {
        double cosine = norms[i] < 1e-12 ? 0.0 : out[i] / norms[i];
        if (fabs(cosine) > 1.0 - 1e-12) cosine = cosine > 0.0 ? 1.0 : -1.0;
        out[i] = 1.0 - cosine;
    }
    return ALCORE_OK;
}

/* Payload: the distances of the members, which need the means of the target only. */
static alcore_status closed_block(const average_plan *plan, alcore__block *block) {
    alcore__matrix matrix;
    double *out, *norms;
    size_t count = (size_t)block->count;
    ALCORE__TRY(alcore__block_matrix(block, false, &matrix));
    ALCORE__TRY(alcore__block_payload(block, count * sizeof *out, &out));
    ALCORE__TRY(alcore__new_array(block->run->ctx, 2 * count, sizeof *norms, &norms));
    double *one = norms + count;
    alcore_status status = alcore__matrix_self_dots(&matrix, norms);
    for (size_t i = 0; i < count && status == ALCORE_OK; i++) {
        if (!isfinite(norms[i])) status = alcore__matrix_check(&matrix);
        norms[i] = sqrt(norms[i]);
    }
    for (int64_t g = 0; g < plan->groups && status == ALCORE_OK; g++) {
        status = closed_group(plan, &matrix, g, norms, plan->groups == 1 ? out : one);
        for (size_t i = 0; i < count && plan->groups > 1; i++) out[i] += one[i];
    }
    for (size_t i = 0; i < count && plan->groups > 1; i++) out[i] /= (double)plan->groups;
    alcore__free(block->run->ctx, norms);
    return status;
}

static alcore_status block_step(alcore__block *block) {
    const average_plan *plan = block->run->plan;
    if (!block->count) return ALCORE_OK;
    switch (block->run->pass) {
    case PASS_TARGET:
        return target_block(plan, block);
    case PASS_SPREAD:
        return spread_block(plan, block);
    case PASS_BOUNDS:
        return bounds_block(plan, block);
    case PASS_EXACT:
        return exact_block(plan, block);
    default:
        return closed_block(plan, block);
    }
}

/* ---- between passes ---- */

static alcore_status gather(alcore__run *run, int64_t block, const void *payload, size_t bytes) {
    average_plan *plan = run->plan;
    const double *numbers = payload;
    int64_t start = run->source == ALCORE__OVER_CANDIDATES ? run->members[0].start[block] : 0;
    size_t count = bytes / sizeof *numbers;
    if (!bytes) return ALCORE_OK;
    switch (run->pass) {
    case PASS_TARGET:
        for (int64_t i = 0; i < plan->groups * plan->dims; i++) plan->centroids[i] += numbers[i];
        break;
    case PASS_SPREAD:
        for (int64_t g = 0; g < plan->groups; g++) plan->spread[g] += numbers[g];
        break;
    case PASS_BOUNDS:
        memcpy(plan->low + start, numbers, bytes / 2);
        memcpy(plan->high + start, numbers + count / 2, bytes / 2);
        break;
    default:
        for (size_t i = 0; i < count; i++) {
            if (!isnan(numbers[i])) plan->distance[start + (int64_t)i] = numbers[i];
        }
    }
    return ALCORE_OK;
}

/* Opens every row that can be among the `wanted` nearest and is not known yet. */
static alcore_status open_rows(alcore__run *run, average_plan *plan) {
    int64_t count = run->outcome.count;
    plan->reach = HUGE_VAL;
    if (plan->bounded && plan->wanted < count) {
        int64_t *order;
        double *keys;
        ALCORE__TRY(alcore__new_array(run->ctx, (size_t)plan->wanted, sizeof *order, &order));
        alcore_status status = alcore__new_array(run->ctx, (size_t)count, sizeof *keys, &keys);
        for (int64_t i = 0; i < count && status == ALCORE_OK; i++) keys[i] = -plan->high[i];
        if (status == ALCORE_OK)
            status = alcore__rank(run->ctx, keys, run->outcome.rows, count, ALCORE__TIE_INDEX, 0,
                                  plan->wanted, order);
        if (status == ALCORE_OK) plan->reach = plan->high[order[plan->wanted - 1]];
        alcore__free(run->ctx, keys);
        alcore__free(run->ctx, order);
        ALCORE__TRY(status);
    }
    for (int64_t i = 0; i < count; i++)
        plan->open[i] = isnan(plan->distance[i]) && !(plan->low[i] > plan->reach);
    run->pass = PASS_EXACT;
    return ALCORE_OK;
}

/* How many rows are settled: no row beyond them is as near. */
static int64_t settle(const alcore__run *run, const average_plan *plan, double *keys) {
    int64_t settled = 0;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        bool known = !isnan(plan->distance[i]) && plan->distance[i] <= plan->reach;
        keys[i] = known ? -plan->distance[i] : -HUGE_VAL;
        settled += known;
    }
    return settled;
}

/* Offers the settled rows to the budget, the nearest first. */
static alcore_status offer_rows(alcore__run *run, average_plan *plan, const double *keys,
                                int64_t settled) {
    const alcore__fill *fill = &run->input->fill;
    int64_t *order;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)settled, sizeof *order, &order));
    alcore_status status = alcore__rank(run->ctx, keys, run->outcome.rows, run->outcome.count,
                                        fill->tie, run->input->seed, settled, order);
    while (plan->offered < settled && !alcore__filler_full(&plan->filler) && status == ALCORE_OK) {
        bool taken;
        int64_t position = order[plan->offered++];
        run->outcome.scores[position] = 0.0 - plan->distance[position];
        status = alcore__filler_offer(&plan->filler, position, &taken);
        if (status == ALCORE_OK)
            status =
                alcore__tick(run->ctx, "filling the budget", plan->offered, run->outcome.count);
    }
    alcore__free(run->ctx, order);
    return status;
}

static alcore_status after_exact(alcore__run *run, average_plan *plan) {
    double *keys;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)run->outcome.count, sizeof *keys, &keys));
    int64_t settled = settle(run, plan, keys);
    alcore_status status = offer_rows(run, plan, keys, settled);
    alcore__free(run->ctx, keys);
    ALCORE__TRY(status);
    run->done = plan->offered == run->outcome.count || alcore__filler_full(&plan->filler);
    if (run->done) return ALCORE_OK;
    plan->wanted = settled < run->outcome.count / 2 ? 2 * settled : run->outcome.count;
    return open_rows(run, plan);
}

static alcore_status after_target(alcore__run *run, average_plan *plan) {
    for (int64_t i = 0; i < plan->groups * plan->dims; i++)
        plan->centroids[i] /= plan->count[i / plan->dims];
    if (plan->squared) {
        run->pass = PASS_SPREAD;
        return ALCORE_OK;
    }
    run->source = ALCORE__OVER_CANDIDATES;
    double wanted = alcore__expected_picks(run);
    bool every = plan->all || 2.0 * wanted > (double)run->outcome.count;
    plan->wanted = every ? run->outcome.count : wanted < 1.0 ? 1 : (int64_t)wanted;
    plan->bounded = !every && !plan->cosine && run->input->engine.kernels->distance_bounds;
    run->pass = plan->cosine ? PASS_CLOSED : PASS_BOUNDS;
    return plan->cosine || plan->bounded ? ALCORE_OK : open_rows(run, plan);
}

static alcore_status next(alcore__run *run) {
    average_plan *plan = run->plan;
    switch (run->pass) {
    case PASS_TARGET:
        return after_target(run, plan);
    case PASS_SPREAD:
        for (int64_t g = 0; g < plan->groups; g++) plan->spread[g] /= plan->count[g];
        run->source = ALCORE__OVER_CANDIDATES;
        run->pass = PASS_CLOSED;
        return ALCORE_OK;
    case PASS_BOUNDS:
        return open_rows(run, plan);
    case PASS_EXACT:
        return after_exact(run, plan);
    default:
        run->done = true;
        return ALCORE_OK;
    }
}

/* Rows that nobody asked about have no score, however many a filter happened to look at. */
static alcore_status finish(alcore__run *run) {
    average_plan *plan = run->plan;
    double *distance, *scores = run->outcome.scores;
    bool closed = run->pass == PASS_CLOSED;
    ALCORE__TRY(alcore__outcome_column(run, "distance", ALCORE_FLOAT64, &distance));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (closed || plan->all) scores[i] = 0.0 - plan->distance[i];
        distance[i] = isnan(scores[i]) ? scores[i] : plan->distance[i];
    }
    if (!closed) alcore__filler_finish(&plan->filler);
    return ALCORE_OK;
}

static const char *const NEEDS[] = {"embeddings", NULL};
static const alcore__param ROWS[] = {
    {"metric", ALCORE_PARAM_CHOICE, "l2", 0, 0, "l2|cosine", "distance: Euclidean or 1 - cosine"},
    {"sq", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: squared distances, which need one pass over the rows only; another order"},
    {"balance_targets", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: the mean over each language of the target first, then over the languages"},
    {"scores", ALCORE_PARAM_CHOICE, "picked", 0, 0, "picked|all",
     "with Euclidean distances: the scores of the rows that the budget looked at, or of all"},
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param_table PARAMS = ALCORE__PARAM_TABLE(ROWS);

const alcore__strategy_def alcore__strategy_average_dist = {
    .name = "average-dist",
    .summary = "The smallest mean distance to the rows of a target (AVERAGE-DIST of DeMuX)",
    .measure = "nearness to the target",
    .params = &PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = NEEDS, [ALCORE_ROLE_TARGET] = NEEDS},
    .plan_bytes = sizeof(average_plan),
    .begin = begin,
    .block = block_step,
    .gather = gather,
    .next = next,
    .finish = finish,
    .clear = clear,
};
