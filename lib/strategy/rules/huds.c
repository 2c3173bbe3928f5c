/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS (spec 3): uncertainty, strata of it, and the distance of a row to the centroid of its
 * stratum; with the strategies that are one half of it (spec 4.3). When each stratum has one
 * centroid the embeddings are read twice, in the order of rows. */
#include <math.h>
#include <string.h>

#include "strategy/kmeans/kmeans.h"
#include "strategy/rescale.h"
#include "strategy/rules/strata.h"
#include "strategy/strategies.h"

enum { PASS_SCORES, PASS_SUMS, PASS_KMEANS, PASS_DISTANCES };
enum { STRATA_EQUAL, STRATA_QUANTILE };

typedef struct huds_plan {
    int64_t strata, clusters, dims, total_centroids;
    bool unit, global; /* global: some strata are measured from the centroid of all candidates */
    double *u, *d;     /* [candidates] */
    int32_t *stratum;  /* [candidates] */
    int32_t
        *measured;    /* [candidates] centroid to measure from; before k-means the stratum, or -1 */
    int32_t *cluster; /* [candidates] */
    double *edges;    /* [strata + 1] */
    double *sums;     /* [strata + 1, dims] the last: all candidates */
    int64_t *counts;  /* [strata + 1] */
    double *centroids; /* [total_centroids, dims] */
    alcore__kmeans means;
} huds_plan;

static alcore_status begin(alcore__run *run) {
    huds_plan *plan = run->plan;
    size_t count = (size_t)run->outcome.count;
    const alcore__values *values = run->values;
    bool strata = alcore__values_has(values, "n_strata");
    plan->strata = strata ? alcore__values_integer(values, "n_strata") : 1;
    plan->clusters =
        alcore__values_has(values, "k_clusters") ? alcore__values_integer(values, "k_clusters") : 1;
    plan->unit = alcore__values_integer(values, "unit") == 1;
    plan->dims = alcore__embedding_dims(run);
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &plan->u));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(double), &plan->d));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(int32_t), &plan->stratum));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(int32_t), &plan->measured));
    ALCORE__TRY(alcore__new_array(run->ctx, count, sizeof(int32_t), &plan->cluster));
    size_t groups = (size_t)plan->strata + 1, numbers = (size_t)plan->dims * sizeof(double);
    ALCORE__TRY(alcore__new_array(run->ctx, groups, sizeof(double), &plan->edges));
    ALCORE__TRY(alcore__new_array(run->ctx, groups, numbers, &plan->sums));
    ALCORE__TRY(alcore__new_array(run->ctx, groups, sizeof(int64_t), &plan->counts));
    run->pass = run->def->score_rows ? PASS_SCORES : PASS_SUMS;
    if (plan->clusters > 1)
        alcore__warn_passes(run, (double)plan->clusters + ALCORE__KMEANS_PASSES);
    return ALCORE_OK;
}

static void clear(alcore__run *run) {
    huds_plan *plan = run->plan;
    alcore__free(run->ctx, plan->u);
    alcore__free(run->ctx, plan->d);
    alcore__free(run->ctx, plan->stratum);
    alcore__free(run->ctx, plan->measured);
    alcore__free(run->ctx, plan->cluster);
    alcore__free(run->ctx, plan->edges);
    alcore__free(run->ctx, plan->sums);
    alcore__free(run->ctx, plan->counts);
    alcore__free(run->ctx, plan->centroids);
    alcore__kmeans_clear(run->ctx, &plan->means);
}

/* ---- blocks ---- */

/* Sums by stratum, and of all rows together where a stratum needs them: [strata + 1, dims]. */
static alcore_status sums_block(alcore__block *block) {
    huds_plan *plan = block->run->plan;
    size_t numbers = (size_t)plan->dims * sizeof(double), strata = (size_t)plan->strata;
    if (!block->count) return ALCORE_OK;
    alcore__matrix matrix;
    double *sums;
    int64_t *counts;
    ALCORE__TRY(alcore__block_matrix(block, plan->unit, &matrix));
    ALCORE__TRY(alcore__block_payload(block, (strata + 1) * numbers, &sums));
    ALCORE__TRY(alcore__new_array(block->run->ctx, strata, sizeof *counts, &counts));
    alcore_status status = alcore__matrix_group_sums(&matrix, plan->measured + block->start,
                                                     plan->strata, sums, counts);
    if (status == ALCORE_OK && plan->global) {
        int32_t *all = block->bench->groups[1];
        memset(all, 0, (size_t)block->count * sizeof *all);
        status =
            alcore__matrix_group_sums(&matrix, all, 1, sums + plan->strata * plan->dims, counts);
    }
    alcore__free(block->run->ctx, counts);
    return status;
}

/* Distances, then the cluster of each member. */
static alcore_status distances_block(alcore__block *block) {
    huds_plan *plan = block->run->plan;
    if (!block->count) return ALCORE_OK;
    alcore__matrix matrix;
    double *out;
    int32_t *centroid = block->bench->groups[1];
    const int32_t *assigned = plan->means.groups ? alcore__kmeans_assigned(block) : NULL;
    size_t count = (size_t)block->count;
    ALCORE__TRY(alcore__block_matrix(block, plan->unit, &matrix));
    ALCORE__TRY(alcore__block_payload(block, count * (sizeof *out + sizeof(int32_t)), &out));
    int32_t *cluster = (int32_t *)(void *)(out + count);
    for (int64_t i = 0; i < block->count; i++) {
        int32_t s = plan->measured[block->start + i];
        bool own = assigned && s < plan->strata;
        cluster[i] = own ? assigned[i] : 0;
        centroid[i] = own        ? (int32_t)plan->means.starts[s] + assigned[i]
                      : assigned ? (int32_t)plan->means.starts[plan->strata]
                                 : s;
    }
    return alcore__matrix_group_cosine(&matrix, centroid, plan->total_centroids, plan->centroids,
                                       out);
}

static alcore_status block_step(alcore__block *block) {
    huds_plan *plan = block->run->plan;
    double *scores;
    switch (block->run->pass) {
    case PASS_SCORES:
        ALCORE__TRY(alcore__block_payload(block, (size_t)block->count * sizeof *scores, &scores));
        return alcore__block_scores(block, scores, NULL, NULL);
    case PASS_SUMS:
        return sums_block(block);
    case PASS_KMEANS:
        return alcore__kmeans_block(&plan->means, block);
    default:
        return distances_block(block);
    }
}

/* ---- between passes ---- */

static alcore_status gather(alcore__run *run, int64_t block, const void *payload, size_t bytes) {
    huds_plan *plan = run->plan;
    int64_t start = run->members[0].start[block];
    if (run->pass == PASS_KMEANS)
        return alcore__kmeans_gather(run, &plan->means, block, payload, bytes);
    if (!bytes) return ALCORE_OK;
    const double *numbers = payload;
    if (run->pass == PASS_SCORES) {
        memcpy(plan->u + start, numbers, bytes);
    } else if (run->pass == PASS_SUMS) {
        for (int64_t i = 0; i < (plan->strata + 1) * plan->dims; i++) plan->sums[i] += numbers[i];
    } else {
        size_t count = bytes / (sizeof *numbers + sizeof(int32_t));
        memcpy(plan->d + start, numbers, count * sizeof *numbers);
        memcpy(plan->cluster + start, numbers + count, count * sizeof(int32_t));
    }
    return ALCORE_OK;
}

static alcore_status cut_strata(alcore__run *run) {
    huds_plan *plan = run->plan;
    int64_t count = run->outcome.count, least = alcore__values_integer(run->values, "min_stratum");
    if (alcore__values_integer(run->values, "strata") == STRATA_QUANTILE) {
        ALCORE__TRY(alcore__strata_quantile(run->ctx, plan->u, count, plan->strata, plan->stratum,
                                            plan->edges));
    } else {
        alcore__strata_equal(plan->u, count, plan->strata, plan->stratum, plan->edges);
    }
    for (int64_t i = 0; i < count; i++) plan->counts[plan->stratum[i]]++;
    plan->counts[plan->strata] = count;
    for (int64_t s = 0; s < plan->strata; s++)
        plan->global |= plan->counts[s] && plan->counts[s] < least;
    for (int64_t i = 0; i < count; i++) {
        plan->measured[i] = plan->counts[plan->stratum[i]] < least ? -1 : plan->stratum[i];
    }
    return ALCORE_OK;
}

static alcore_status begin_kmeans(alcore__run *run) {
    huds_plan *plan = run->plan;
    run->pass = PASS_KMEANS;
    return alcore__kmeans_begin(run, &plan->means, plan->measured, plan->strata, plan->clusters,
                                plan->unit, NULL);
}

/* From here on the rows of small strata belong to one more centroid, that of all candidates. */
static void point_to_global(alcore__run *run) {
    huds_plan *plan = run->plan;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (plan->measured[i] < 0) plan->measured[i] = (int32_t)plan->strata;
    }
}

static alcore_status set_centroids(alcore__run *run) {
    huds_plan *plan = run->plan;
    int64_t own = plan->means.groups ? plan->means.starts[plan->strata] : plan->strata,
            dims = plan->dims;
    plan->total_centroids = own + 1;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)plan->total_centroids, (size_t)dims * 8,
                                  &plan->centroids));
    if (plan->means.groups) {
        memcpy(plan->centroids, plan->means.centroids, (size_t)(own * dims) * sizeof(double));
    } else {
        for (int64_t i = 0; i < own * dims; i++) {
            int64_t count = plan->counts[i / dims];
            if (count) plan->centroids[i] = plan->sums[i] / (double)count;
        }
    }
    for (int64_t j = 0; j < dims && plan->global; j++) {
        plan->centroids[own * dims + j] =
            plan->sums[plan->strata * dims + j] / (double)plan->counts[plan->strata];
    }
    point_to_global(run);
    run->pass = PASS_DISTANCES;
    return ALCORE_OK;
}

static alcore_status next(alcore__run *run) {
    huds_plan *plan = run->plan;
    bool finished = false;
    switch (run->pass) {
    case PASS_SCORES:
        ALCORE__TRY(cut_strata(run));
        if (plan->clusters > 1 && !plan->global) return begin_kmeans(run);
        run->pass = PASS_SUMS;
        return ALCORE_OK;
    case PASS_SUMS:
        if (!run->def->score_rows) plan->counts[0] = run->outcome.count;
        return plan->clusters > 1 ? begin_kmeans(run) : set_centroids(run);
    case PASS_KMEANS:
        ALCORE__TRY(alcore__kmeans_next(run, &plan->means, &finished));
        return finished ? set_centroids(run) : ALCORE_OK;
    default:
        run->done = true;
        return ALCORE_OK;
    }
}

/* ---- the outcome ---- */

/* lambda of the round; lambda_first in the first one when it is set (spec 3.6). */
static double lambda_of(const alcore__run *run) {
    if (!alcore__values_has(run->values, "lambda")) return 1.0;
    double first = alcore__values_number(run->values, "lambda_first");
    if (run->input->round <= 1 && !isnan(first)) return first;
    return alcore__values_of_round(run->values, "lambda", run->input->round);
}

static alcore_status fact(alcore__run *run, const char *name, double value) {
    double *out;
    ALCORE__TRY(alcore__outcome_fact(run, name, 1, &out));
    *out = value;
    return ALCORE_OK;
}

/* What a term weighs in H. */
static alcore_status term_fact(alcore__run *run, const char *name, const double *values,
                               double weight, double *memory) {
    double mean, sd;
    for (int64_t i = 0; i < run->outcome.count; i++) memory[i] = weight * values[i];
    alcore__block_moments(run, memory, &mean, &sd);
    return fact(run, name, sd);
}

/* H of every candidate, from copies of u and d that are rescaled. */
static alcore_status mix(alcore__run *run, double *h, double *u, double *d, double *memory) {
    huds_plan *plan = run->plan;
    size_t bytes = (size_t)run->outcome.count * sizeof(double);
    int64_t scale = alcore__values_integer(run->values, "rescale");
    double lambda = lambda_of(run), rest = 1.0 - lambda;
    memcpy(u, plan->u, bytes);
    memcpy(d, plan->d, bytes);
    ALCORE__TRY(alcore__rescale(run, scale, u));
    ALCORE__TRY(alcore__rescale(run, scale, d));
    for (int64_t i = 0; i < run->outcome.count; i++) h[i] = lambda * d[i] + rest * u[i];
    ALCORE__TRY(fact(run, "lambda", lambda));
    ALCORE__TRY(term_fact(run, "sd lambda d", d, lambda, memory));
    return term_fact(run, "sd rest u", u, rest, memory);
}

static alcore_status report_strata(alcore__run *run) {
    huds_plan *plan = run->plan;
    double *edges, *counts, *passes;
    if (run->def->score_rows) {
        ALCORE__TRY(alcore__outcome_fact(run, "strata edges", plan->strata + 1, &edges));
        memcpy(edges, plan->edges, ((size_t)plan->strata + 1) * sizeof *edges);
    }
    ALCORE__TRY(alcore__outcome_fact(run, "strata counts", plan->strata, &counts));
    for (int64_t s = 0; s < plan->strata; s++) counts[s] = (double)plan->counts[s];
    if (!plan->means.groups) return ALCORE_OK;
    ALCORE__TRY(alcore__outcome_fact(run, "kmeans passes", plan->strata, &passes));
    for (int64_t s = 0; s < plan->strata; s++) passes[s] = (double)plan->means.each[s].passes;
    return ALCORE_OK;
}

static alcore_status record(alcore__run *run, double *h) {
    huds_plan *plan = run->plan;
    size_t bytes = (size_t)run->outcome.count * sizeof(double);
    double *d, *u, *out;
    int64_t *stratum, *cluster;
    if (run->def->score_rows) {
        ALCORE__TRY(alcore__outcome_column(run, "u", ALCORE_FLOAT64, &u));
        memcpy(u, plan->u, bytes);
    }
    ALCORE__TRY(alcore__outcome_column(run, "d", ALCORE_FLOAT64, &d));
    ALCORE__TRY(alcore__outcome_column(run, "stratum", ALCORE_INT64, &stratum));
    ALCORE__TRY(alcore__outcome_column(run, "cluster", ALCORE_INT64, &cluster));
    ALCORE__TRY(alcore__outcome_column(run, "H", ALCORE_FLOAT64, &out));
    memcpy(d, plan->d, bytes);
    memcpy(out, h, bytes);
    for (int64_t i = 0; i < run->outcome.count; i++) {
        stratum[i] = plan->stratum[i];
        cluster[i] = plan->cluster[i];
    }
    return report_strata(run);
}

static alcore_status finish(alcore__run *run) {
    double *memory;
    int64_t count = run->outcome.count;
    ALCORE__TRY(alcore__new_array(run->ctx, 3 * (size_t)count, sizeof *memory, &memory));
    double *h = run->outcome.scores;
    alcore_status status = mix(run, h, memory, memory + count, memory + 2 * count);
    alcore__free(run->ctx, memory);
    return status == ALCORE_OK ? record(run, h) : status;
}

/* ---- the three strategies ---- */

#define STRATA_PARAMS                                                                              \
    {"n_strata", ALCORE_PARAM_INTEGER, "10", 1, 1000000, NULL, "strata of the uncertainty"},       \
        {"strata",                                                                                 \
         ALCORE_PARAM_CHOICE,                                                                      \
         "equal",                                                                                  \
         0,                                                                                        \
         0,                                                                                        \
         "equal|quantile",                                                                         \
         "strata of equal width, or of equal numbers of rows"},                                    \
    {                                                                                              \
        "min_stratum", ALCORE_PARAM_INTEGER, "0", 0, 0x1p53, NULL,                                 \
            "rows of smaller strata are measured from the centroid of all candidates; 0: off"      \
    }
#define CENTROID_PARAMS                                                                            \
    {                                                                                              \
        "k_clusters",                                                                              \
        ALCORE_PARAM_INTEGER,                                                                      \
        "1",                                                                                       \
        1,                                                                                         \
        1000000,                                                                                   \
        NULL,                                                                                      \
        "k-means clusters in each stratum"},                                                       \
    {                                                                                              \
        "unit", ALCORE_PARAM_FLAG, "0", 0, 1, NULL, "1: embeddings are brought to length 1 first"  \
    }

static const alcore__param HUDS_ROWS[] = {
    {"lambda", ALCORE_PARAM_NUMBERS, "0.5", 0, 1, NULL,
     "weight of diversity against uncertainty, one number for each round; the last one stays"},
    {"lambda_first", ALCORE_PARAM_NUMBER, "same", 0, 1, "same", "weight in the first round"},
    {"rescale", ALCORE_PARAM_CHOICE, "none", 0, 0, "none|minmax|zscore|rank",
     "common scale of the two terms before they are mixed"},
    STRATA_PARAMS,
    CENTROID_PARAMS,
    ALCORE__CANDIDATE_PARAMS,
};
static const alcore__param DIVERSITY_ROWS[] = {STRATA_PARAMS, CENTROID_PARAMS,
                                               ALCORE__CANDIDATE_PARAMS};
static const alcore__param GLOBAL_ROWS[] = {CENTROID_PARAMS, ALCORE__CANDIDATE_PARAMS};
static const alcore__param_table HUDS_PARAMS = ALCORE__PARAM_TABLE(HUDS_ROWS);
static const alcore__param_table DIVERSITY_PARAMS = ALCORE__PARAM_TABLE(DIVERSITY_ROWS);
static const alcore__param_table GLOBAL_PARAMS = ALCORE__PARAM_TABLE(GLOBAL_ROWS);

static const char *const BOTH[] = {"scores|logprobs", "embeddings", NULL};
static const char *const EMBEDDINGS[] = {"embeddings", NULL};

#define HUDS_STEPS                                                                                 \
    .plan_bytes = sizeof(huds_plan), .begin = begin, .block = block_step, .gather = gather,        \
    .next = next, .finish = finish, .clear = clear

const alcore__strategy_def alcore__strategy_huds = {
    .name = "huds",
    .summary = "Uncertainty mixed with the distance from the centroid of rows of like uncertainty "
               "(HUDS, eq. 3 and 4)",
    .params = &HUDS_PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = BOTH},
    .score_rows = alcore__score_uncertainty,
    HUDS_STEPS,
};

const alcore__strategy_def alcore__strategy_diversity = {
    .name = "diversity",
    .summary = "The distance from the centroid of rows of like uncertainty: HUDS with lambda 1",
    .params = &DIVERSITY_PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = BOTH},
    .score_rows = alcore__score_uncertainty,
    HUDS_STEPS,
};

const alcore__strategy_def alcore__strategy_diversity_global = {
    .name = "diversity-global",
    .summary = "The distance from the centroid of all rows (HUDS)",
    .params = &GLOBAL_PARAMS,
    .needs = {[ALCORE_ROLE_CANDIDATES] = EMBEDDINGS},
    HUDS_STEPS,
};
