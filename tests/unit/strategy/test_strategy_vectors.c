/* SPDX-License-Identifier: Apache-2.0 */
/* The test vectors of spec sections 1.3, 1.6, 1.7, 3.2-3.5, 4 and 7.4 that strategies answer for.
 */
#include <math.h>
#include <string.h>

#include "strategy/kmeans/kmeans.h"
#include "strategy/rank.h"
#include "strategy/rescale.h"
#include "strategy/rules/strata.h"
#include "strategy_bed.h"

#define NEAR(value, expected) ck_assert_double_eq_tol(value, expected, 1e-6)

static void expect_near(const double *values, int64_t count, const double *expected) {
    for (int64_t i = 0; i < count; i++) {
        ck_assert_msg(fabs(values[i] - expected[i]) < 1e-6, "entry %lld is %.9f, not %.9f",
                      (long long)i, values[i], expected[i]);
    }
}
#define ALL_NEAR(values, ...)                                                                      \
    do {                                                                                           \
        const double expected_[] = {__VA_ARGS__};                                                  \
        expect_near((values), (int64_t)(sizeof expected_ / sizeof expected_[0]), expected_);       \
    } while (0)

static bed b;

static alcore__dataset *pool(void) {
    return &b.input.candidates;
}

/* ---- TV-TOPK ---- */

START_TEST(topk) {
    const double scores[] = {1.0, 2.0, 2.0, 0.5, 2.0};
    bed_open(&b, 5, 1, NULL);
    bed_column(&b, pool(), "scores", scores, 5, 1, ALCORE_FLOAT64);
    bed_run(&b, "nnll", "", 2);
    ck_assert_int_eq(b.outcome.pick_count, 2);
    ck_assert_uint_eq(b.outcome.flags, 0);
    BED_PICKS(&b, 1, 2);
    b.input.fill.tie = ALCORE__TIE_RANDOM;
    bed_run(&b, "nnll", "", 5);
    BED_PICKS(&b, 2, 4, 1, 0, 3);
    bed_run(&b, "nnll", "", 6);
    ck_assert_int_eq(b.outcome.pick_count, 5);
    ck_assert_uint_eq(b.outcome.flags, ALCORE_SELECTION_SHORT);
    bed_run(&b, "nnll", "", 0);
    ck_assert_int_eq(b.outcome.pick_count, 0);
    ck_assert_uint_eq(b.outcome.flags, 0);
    bed_close(&b);
}
END_TEST

/* ---- TV-DRAW ---- */

START_TEST(draws) {
    bed_open(&b, 20, 1, NULL);
    for (int i = 10; i < 20; i++) b.take[i] = 0;
    bed_run(&b, "random", "", 5);
    BED_PICKS(&b, 7, 3, 2, 4, 0);
    for (int i = 0; i < 20; i++) b.take[i] = i % 2 == 0;
    bed_run(&b, "random", "", 5);
    BED_PICKS(&b, 14, 6, 4, 8, 0);
    uint8_t take[10];
    memset(take, 1, sizeof take);
    ck_assert_int_eq(alcore__draw_candidates(b.ctx, 42, 1, 4, 10, NULL, take), ALCORE_OK);
    const uint8_t drawn[10] = {0, 0, 1, 1, 0, 1, 1, 0, 0, 0};
    ck_assert_mem_eq(take, drawn, 10);
    /* Sticky: what is left of the last candidates stays, the rest is drawn. */
    memset(take, 1, sizeof take);
    take[2] = 0;
    ck_assert_int_eq(alcore__draw_candidates(b.ctx, 42, 2, 4, 10, drawn, take), ALCORE_OK);
    int count = 0;
    for (int i = 0; i < 10; i++) count += take[i];
    ck_assert_int_eq(count, 4);
    ck_assert(take[3] && take[5] && take[6] && !take[2]);
    bed_close(&b);
}
END_TEST

/* ---- TV-STRATA ---- */

static void expect_strata(const double *scores, int64_t count, int64_t strata,
                          const int32_t *expected) {
    int32_t stratum[16];
    double edges[16];
    alcore__strata_equal(scores, count, strata, stratum, edges);
    for (int64_t i = 0; i < count; i++) ck_assert_int_eq(stratum[i], expected[i]);
    ck_assert(edges[0] == scores[0] && edges[strata] == scores[count - 1]);
}

START_TEST(strata) {
    double tenths[11], few[7];
    for (int i = 0; i <= 10; i++) tenths[i] = i / 10.0;
    for (int i = 0; i < 7; i++) few[i] = (i + 1) / 10.0;
    const double uneven[] = {1, 2, 4, 7}, same[] = {2, 2, 2, 2};
    expect_strata(tenths, 11, 10, (const int32_t[]){0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9});
    expect_strata(few, 7, 3, (const int32_t[]){0, 0, 1, 1, 2, 2, 2});
    expect_strata(few, 7, 6, (const int32_t[]){0, 1, 2, 3, 4, 5, 5});
    expect_strata(uneven, 4, 3, (const int32_t[]){0, 0, 1, 2});
    expect_strata(same, 4, 10, (const int32_t[]){0, 0, 0, 0});
    const double heavy[] = {5, 1, 1, 9, 3, 3, 2};
    int32_t stratum[7];
    double edges[4];
    bed_open(&b, 1, 1, NULL);
    ck_assert_int_eq(alcore__strata_quantile(b.ctx, heavy, 7, 3, stratum, edges), ALCORE_OK);
    ck_assert_mem_eq(stratum, ((const int32_t[]){2, 0, 0, 2, 1, 1, 0}), sizeof stratum);
    ALL_NEAR(edges, 1, 3, 5, 9);
    bed_close(&b);
}
END_TEST

/* ---- TV-HUDS ---- */

static const double HUDS_U[] = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.5};
static const float HUDS_E[] = {1, 0, 0, 1, 3, 4, 4, 3, 1, 0, -1, 0, 2, 0, 2, 0};

static void open_huds(void) {
    bed_open(&b, 8, 1, NULL);
    bed_column(&b, pool(), "scores", HUDS_U, 8, 1, ALCORE_FLOAT64);
    bed_column(&b, pool(), "embeddings", HUDS_E, 8, 2, ALCORE_FLOAT32);
}

START_TEST(huds) {
    open_huds();
    bed_run(&b, "huds", "n_strata=4", 4);
    BED_PICKS(&b, 7, 5, 4, 6);
    ALL_NEAR(b.outcome.scores, 0.396447, 0.646447, 0.755025, 1.005025, 1.75, 2.0, 1.75, 2.25);
    ALL_NEAR((const double *)bed_record(&b, "d"), 0.292893, 0.292893, 0.010051, 0.010051, 1, 1, 0,
             0);
    const int64_t *stratum = bed_record(&b, "stratum");
    for (int i = 0; i < 8; i++) ck_assert_int_eq(stratum[i], i / 2);
    ALL_NEAR(bed_fact(&b, "strata edges"), 0.5, 1.5, 2.5, 3.5, 4.5);
    bed_run(&b, "huds", "n_strata=4 lambda=0", 4);
    BED_PICKS(&b, 7, 6, 5, 4);
    bed_run(&b, "huds", "n_strata=4 lambda=0.9", 4);
    BED_PICKS(&b, 5, 4, 7, 1);
    ALL_NEAR(b.outcome.scores, 0.313604, 0.363604, 0.159045, 0.209045, 1.15, 1.2, 0.35, 0.45);
    bed_run(&b, "huds", "n_strata=4 lambda=1", 4);
    BED_PICKS(&b, 4, 5, 0, 1);
    bed_run(&b, "diversity", "n_strata=4", 4);
    BED_PICKS(&b, 4, 5, 0, 1);
    bed_close(&b);
}
END_TEST

START_TEST(huds_rescaled) {
    open_huds();
    bed_run(&b, "huds", "n_strata=4 rescale=minmax", 4);
    BED_PICKS(&b, 5, 4, 7, 6);
    ALL_NEAR(b.outcome.scores, 0.146447, 0.208947, 0.130025, 0.192525, 0.75, 0.8125, 0.375, 0.5);
    bed_run(&b, "huds", "n_strata=4 rescale=minmax lambda=0.9", 4);
    BED_PICKS(&b, 5, 4, 1, 0);
    ALL_NEAR(b.outcome.scores, 0.263604, 0.276104, 0.034045, 0.046545, 0.95, 0.9625, 0.075, 0.1);
    bed_run(&b, "huds", "n_strata=1 lambda=1", 4);
    BED_PICKS(&b, 5, 1, 0, 4);
    ALL_NEAR((const double *)bed_record(&b, "d"), 0.167950, 0.445300, 0.057010, 0.001540, 0.167950,
             1.832050, 0.167950, 0.167950);
    bed_run(&b, "diversity-global", "", 4);
    BED_PICKS(&b, 5, 1, 0, 4);
    bed_close(&b);
}
END_TEST

START_TEST(huds_without_range) {
    const double u[] = {2, 2, 2, 2};
    const float e[] = {1, 0, 0, 1, 1, 0, 0, 1};
    bed_open(&b, 4, 1, NULL);
    bed_column(&b, pool(), "scores", u, 4, 1, ALCORE_FLOAT64);
    bed_column(&b, pool(), "embeddings", e, 4, 2, ALCORE_FLOAT32);
    bed_run(&b, "huds", "", 2);
    BED_PICKS(&b, 0, 1);
    ALL_NEAR(b.outcome.scores, 1.146447, 1.146447, 1.146447, 1.146447);
    for (const char *const *scale = (const char *const[]){"minmax", "zscore", "rank", NULL}; *scale;
         scale++) {
        char params[32] = "rescale=";
        strcat(params, *scale);
        bed_run(&b, "huds", params, 4);
        ALL_NEAR(b.outcome.scores, 0, 0, 0, 0);
    }
    bed_close(&b);
}
END_TEST

START_TEST(scales) {
    const double u[] = {1, 2, 4, 7};
    const float e[] = {1, 0, 1, 0, 1, 0, 1, 0};
    bed_open(&b, 4, 1, NULL);
    bed_column(&b, pool(), "scores", u, 4, 1, ALCORE_FLOAT64);
    bed_column(&b, pool(), "embeddings", e, 4, 2, ALCORE_FLOAT32);
    bed_run(&b, "huds", "lambda=0 rescale=zscore", 4);
    ALL_NEAR(b.outcome.scores, -1.091089, -0.654654, 0.218218, 1.527525);
    bed_run(&b, "huds", "lambda=0 rescale=rank", 4);
    ALL_NEAR(b.outcome.scores, 0, 1.0 / 3.0, 2.0 / 3.0, 1);
    bed_close(&b);
}
END_TEST

START_TEST(small_strata_use_the_global_centroid) {
    const double u[] = {0, 0.1, 0.2, 1.0};
    const float e[] = {1, 0, 0, 1, 1, 1, 0, 2};
    bed_open(&b, 4, 1, NULL);
    bed_column(&b, pool(), "scores", u, 4, 1, ALCORE_FLOAT64);
    bed_column(&b, pool(), "embeddings", e, 4, 2, ALCORE_FLOAT32);
    bed_run(&b, "huds", "n_strata=2 lambda=1", 4);
    const double own = 1.0 - 2.0 / sqrt(8.0);
    ALL_NEAR((const double *)bed_record(&b, "d"), own, own, 0, 0);
    /* The centroid of all is (0.5, 1). */
    const double *d;
    for (int k = 1; k <= 2; k++) {
        bed_run(&b, "huds",
                k == 1 ? "n_strata=2 min_stratum=2" : "n_strata=2 min_stratum=2 k_clusters=2", 4);
        d = bed_record(&b, "d");
        NEAR(d[3], 1.0 - 2.0 / (2.0 * sqrt(1.25)));
    }
    bed_run(&b, "huds", "n_strata=2 min_stratum=9 k_clusters=2", 4);
    d = bed_record(&b, "d");
    NEAR(d[0], 1.0 - 0.5 / sqrt(1.25));
    bed_close(&b);
}
END_TEST

START_TEST(lambda_schedule) {
    open_huds();
    b.input.round = 1;
    bed_run(&b, "huds", "n_strata=4 lambda=0,0.9,1", 4);
    BED_PICKS(&b, 7, 6, 5, 4);
    bed_run(&b, "huds", "n_strata=4 lambda=0,0.9,1 lambda_first=0.5", 4);
    BED_PICKS(&b, 7, 5, 4, 6);
    b.input.round = 2;
    bed_run(&b, "huds", "n_strata=4 lambda=0,0.9,1 lambda_first=0.5", 4);
    BED_PICKS(&b, 5, 4, 7, 1);
    b.input.round = 9;
    bed_run(&b, "huds", "n_strata=4 lambda=0,0.9,1", 4);
    BED_PICKS(&b, 4, 5, 0, 1);
    ck_assert_int_eq(bed_run(&b, "huds", "lambda=1.5", 4), ALCORE_E_PARAM);
    bed_close(&b);
}
END_TEST

/* ---- TV-KMEANS, with given and drawn first centroids ---- */

typedef struct means_plan {
    alcore__kmeans means;
    int32_t *group, *assigned;
} means_plan;

static int64_t means_initial[4], means_passes, means_drawn[4];
static bool means_given;
static double means_centroids[16];
static int64_t means_k;

static alcore_status means_begin(alcore__run *run) {
    means_plan *plan = run->plan;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)run->outcome.count, 4, &plan->group));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)run->outcome.count, 4, &plan->assigned));
    return alcore__kmeans_begin(run, &plan->means, plan->group, 1, means_k, false,
                                means_given ? means_initial : NULL);
}

static alcore_status means_block(alcore__block *block) {
    means_plan *plan = block->run->plan;
    ALCORE__TRY(alcore__kmeans_block(&plan->means, block));
    /* One block: its state is whole after every pass. */
    if (block->memory->local) {
        memcpy(plan->assigned, alcore__kmeans_assigned(block),
               (size_t)block->count * sizeof(int32_t));
    }
    return ALCORE_OK;
}

static alcore_status means_gather(alcore__run *run, int64_t block, const void *payload,
                                  size_t bytes) {
    return alcore__kmeans_gather(run, &((means_plan *)run->plan)->means, block, payload, bytes);
}

static alcore_status means_next(alcore__run *run) {
    return alcore__kmeans_next(run, &((means_plan *)run->plan)->means, &run->done);
}

static alcore_status means_finish(alcore__run *run) {
    means_plan *plan = run->plan;
    means_passes = plan->means.each[0].passes;
    memcpy(means_drawn, plan->means.initial, (size_t)means_k * sizeof *means_drawn);
    memcpy(means_centroids, plan->means.centroids,
           (size_t)(means_k * plan->means.dims) * sizeof *means_centroids);
    for (int64_t i = 0; i < run->outcome.count; i++) run->outcome.scores[i] = plan->assigned[i];
    return ALCORE_OK;
}

static void means_clear(alcore__run *run) {
    means_plan *plan = run->plan;
    alcore__kmeans_clear(run->ctx, &plan->means);
    alcore__free(run->ctx, plan->group);
    alcore__free(run->ctx, plan->assigned);
}

static const alcore__strategy_def MEANS = {
    .name = "kmeans",
    .plan_bytes = sizeof(means_plan),
    .begin = means_begin,
    .block = means_block,
    .gather = means_gather,
    .next = means_next,
    .finish = means_finish,
    .clear = means_clear,
};

static void run_means(const float *x, int64_t rows, int64_t k, bool given, int64_t first,
                      int64_t second) {
    bed_open(&b, rows, 1, NULL);
    bed_column(&b, pool(), "embeddings", x, rows, 2, ALCORE_FLOAT32);
    means_k = k;
    means_given = given;
    means_initial[0] = first;
    means_initial[1] = second;
    ck_assert_int_eq(bed_run_def(&b, &MEANS, NULL), ALCORE_OK);
}

START_TEST(kmeans) {
    const float x[] = {1, 0, 2, 0, 0, 1, 0, 3, 0.5f, 0.5f};
    run_means(x, 5, 2, true, 0, 3);
    ALL_NEAR(b.outcome.scores, 0, 0, 0, 1, 0);
    ALL_NEAR(means_centroids, 0.875, 0.375, 0, 3);
    ck_assert_int_eq(means_passes, 2);
    bed_close(&b);
    const float empty[] = {0, 0, 0, 0, 4, 0, 10, 0};
    run_means(empty, 4, 2, true, 0, 1);
    ALL_NEAR(b.outcome.scores, 0, 0, 0, 1);
    ALL_NEAR(means_centroids, 4.0 / 3.0, 0, 10, 0);
    ck_assert_int_eq(means_passes, 3);
    bed_close(&b);
    const float seeded[] = {0, 0, 0, 1, 5, 0, 5, 1, 10, 0, 10, 1, 20, 5, 21, 5};
    run_means(seeded, 8, 3, false, 0, 0);
    ck_assert(means_drawn[0] == 1 && means_drawn[1] == 4 && means_drawn[2] == 2);
    ALL_NEAR(b.outcome.scores, 0, 0, 2, 2, 2, 2, 1, 1);
    ALL_NEAR(means_centroids, 0, 0.5, 20.5, 5, 7.5, 0.5);
    ck_assert_int_eq(means_passes, 3);
    bed_close(&b);
}
END_TEST

/* ---- TV-NNLL ---- */

START_TEST(likelihoods) {
    const double p[] = {0.5, 0.25, 0.9, 0.8, 0.5, 1.0, 0.125, 0.125, 0.125, 0.125, 0.0, 0.5};
    const int64_t offsets[] = {0, 2, 5, 6, 10, 12};
    double lp[12], base2[12];
    for (int i = 0; i < 12; i++) {
        lp[i] = log(p[i]);
        base2[i] = log2(p[i]);
    }
    bed_open(&b, 5, 1, NULL);
    alcore__column *column = bed_ragged(&b, "logprobs", lp, offsets, 5, 1, ALCORE_FLOAT64);
    bed_run(&b, "nnll", "", 5);
    BED_PICKS(&b, 4, 3, 0, 1, 2);
    ALL_NEAR(b.outcome.scores, 1.039721, 0.340550, 0, 2.079442, 50.346574);
    ck_assert(!signbit(b.outcome.scores[2]));
    ck_assert_int_eq(b.outcome.floored, 1);
    bed_run(&b, "nsp", "", 5);
    BED_PICKS(&b, 4, 3, 0, 1, 2);
    ALL_NEAR(b.outcome.scores, 0.646447, 0.288621, 0, 0.875, 1);
    ALL_NEAR((const double *)bed_record(&b, "u"), 1.039721, 0.340550, 0, 2.079442, 50.346574);
    bed_close(&b);
    bed_open(&b, 5, 1, NULL);
    column = bed_ragged(&b, "logprobs", base2, offsets, 5, 1, ALCORE_FLOAT64);
    column->log_scale = log(2.0);
    bed_run(&b, "nnll", "", 5);
    ALL_NEAR(b.outcome.scores, 1.039721, 0.340550, 0, 2.079442, 50.346574);
    bed_close(&b);
}
END_TEST

START_TEST(nsp_saturates_in_nnll_order) {
    const double u[] = {40, 50, 45};
    bed_open(&b, 3, 1, NULL);
    bed_column(&b, pool(), "scores", u, 3, 1, ALCORE_FLOAT64);
    bed_run(&b, "nsp", "", 3);
    BED_PICKS(&b, 1, 2, 0);
    ck_assert(b.outcome.scores[0] == 1.0 && b.outcome.scores[1] == 1.0);
    bed_close(&b);
}
END_TEST

START_TEST(meanings_of_scores) {
    const double v[] = {0.9, 0.2, 0.5};
    bed_open(&b, 3, 1, NULL);
    alcore__column *column = bed_column(&b, pool(), "scores", v, 3, 1, ALCORE_FLOAT64);
    column->meaning = ALCORE_MEANS_CONFIDENCE;
    bed_run(&b, "nnll", "", 3);
    ALL_NEAR(b.outcome.scores, 0.1, 0.8, 0.5);
    column->meaning = ALCORE_MEANS_LOGPROB;
    bed_run(&b, "nnll", "", 3);
    ALL_NEAR(b.outcome.scores, -0.9, -0.2, -0.5);
    bed_close(&b);
}
END_TEST

/* ---- TV-IDDS ---- */

static const double IDDS_A[] = {1, 0, 0, 1, 0.6, 0.8, 0.96, 0.28}, IDDS_B[] = {0, 1, -1, 0};

START_TEST(idds) {
    bed_open(&b, 4, 1, NULL);
    bed_column(&b, pool(), "embeddings", IDDS_A, 4, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.labeled, "embeddings", IDDS_B, 2, 2, ALCORE_FLOAT64);
    bed_run(&b, "idds", "mode=oneshot", 4);
    BED_PICKS(&b, 3, 0, 2, 1);
    ALL_NEAR(b.outcome.scores, 0.513400, 0.076200, 0.458333, 0.567800);
    bed_run(&b, "idds", "mode=oneshot self=include", 4);
    BED_PICKS(&b, 3, 0, 2, 1);
    ALL_NEAR(b.outcome.scores, 0.593800, 0.183400, 0.503000, 0.621400);
    bed_run(&b, "idds", "", 3);
    BED_PICKS(&b, 3, 2, 0);
    ALL_NEAR(b.outcome.scores, -0.046200, -0.171600, 0.359000, 0.567800);
    b.input.labeled.rows = 0;
    bed_run(&b, "idds", "mode=oneshot", 4);
    BED_PICKS(&b, 2, 3, 0, 1);
    ALL_NEAR(b.outcome.scores, 0.348400, 0.241200, 0.491333, 0.455600);
    for (int i = 1; i < 4; i++) b.take[i] = 0;
    bed_run(&b, "idds", "", 1);
    ALL_NEAR(b.outcome.scores, 0);
    bed_close(&b);
    const double scaled[] = {1, 0, 0, 2, 0.6, 0.8, 2.88, 0.84};
    bed_open(&b, 4, 1, NULL);
    bed_column(&b, pool(), "embeddings", scaled, 4, 2, ALCORE_FLOAT64);
    bed_column(&b, &b.input.labeled, "embeddings", IDDS_B, 2, 2, ALCORE_FLOAT64);
    bed_run(&b, "idds", "mode=oneshot sim=dot-raw", 4);
    BED_PICKS(&b, 3, 2, 0, 1);
    ALL_NEAR(b.outcome.scores, 0.942200, 0.402533, 0.994333, 1.891000);
    bed_close(&b);
}
END_TEST

/* ---- TV-KCENTER ---- */

START_TEST(kcenter) {
    const float x[] = {0, 0, 1, 0, 4, 0, 0, 3, 4, 3, 8, 6};
    const uint8_t labeled[] = {1, 0, 0, 0, 0, 0};
    bed_open(&b, 6, 1, NULL);
    bed_column(&b, pool(), "embeddings", x, 6, 2, ALCORE_FLOAT32);
    b.take[0] = 0;
    b.input.labeled_rows = labeled;
    bed_run(&b, "kcenter", "", 3);
    BED_PICKS(&b, 5, 4, 2);
    const double *radius = bed_record(&b, "radius");
    ck_assert(radius[4] == 5 && radius[3] == 3 && radius[1] == 3 && isnan(radius[0]));
    /* Positions 4, 3, 1 are rows 5, 4, 2. */
    ck_assert(b.outcome.scores[4] == 10 && b.outcome.scores[3] == 5 && b.outcome.scores[1] == 3);
    b.input.labeled_rows = NULL;
    b.take[0] = 1;
    bed_run(&b, "kcenter", "", 3);
    BED_PICKS(&b, 4, 0, 5);
    radius = bed_record(&b, "radius");
    ck_assert(radius[4] == 5 && radius[0] == 5 && radius[5] == 3);
    /* Everything chosen: nothing is left to cover. */
    bed_run(&b, "kcenter", "", 6);
    radius = bed_record(&b, "radius");
    ck_assert_int_eq(b.outcome.pick_count, 6);
    ck_assert(radius[b.outcome.picks[5]] == 0);
    bed_close(&b);
}
END_TEST

/* ---- TV-UNC, TV-TOK ---- */

START_TEST(classes) {
    const double third = 1.0 / 3.0;
    const double p[] = {.5, .4, .1, .4, .31, .29, .9, .05, .05, third, third, third};
    bed_open(&b, 4, 1, NULL);
    alcore__column *column = bed_column(&b, pool(), "probs", p, 4, 3, ALCORE_FLOAT64);
    bed_run(&b, "uncertainty", "", 4);
    BED_PICKS(&b, 3, 1, 0, 2);
    ALL_NEAR(b.outcome.scores, .9, .91, .15, 1);
    ALL_NEAR((const double *)bed_record(&b, "raw"), .1, .09, .85, 0);
    bed_run(&b, "margin", "margin=log", 4);
    BED_PICKS(&b, 3, 0, 1, 2);
    ALL_NEAR((const double *)bed_record(&b, "margin"), 0.223144, 0.254892, 2.890372, 0);
    bed_run(&b, "lc", "", 4);
    ALL_NEAR(b.outcome.scores, .5, .6, .1, .666667);
    bed_run(&b, "entropy", "", 4);
    ALL_NEAR(b.outcome.scores, 0.943348, 1.088567, 0.394398, 1.098612);
    bed_run(&b, "uncertainty", "mode=entropy", 4);
    ALL_NEAR(b.outcome.scores, 0.943348, 1.088567, 0.394398, 1.098612);
    ck_assert_int_eq(bed_run(&b, "uncertainty", "mode=mnlp", 4), ALCORE_E_MISSING);
    bed_close(&b);
    const double logits[] = {2, 1, 0};
    bed_open(&b, 1, 1, NULL);
    column = bed_column(&b, pool(), "probs", logits, 1, 3, ALCORE_FLOAT64);
    column->meaning = ALCORE_MEANS_LOGITS;
    bed_run(&b, "margin", "", 1);
    ALL_NEAR((const double *)bed_record(&b, "margin"), 0.420512);
    bed_close(&b);
}
END_TEST

START_TEST(tokens) {
    const double p[] = {.7,  .2,  .1, .5,  .45, .05, .9,  .1,  0,   .6,  .3,  .1,
                        .55, .25, .2, .55, .25, .2,  .98, .01, .01, .98, .01, .01};
    const int64_t offsets[] = {0, 3, 4, 8};
    bed_open(&b, 3, 1, NULL);
    bed_ragged(&b, "token_probs", p, offsets, 3, 3, ALCORE_FLOAT64);
    bed_run(&b, "uncertainty", "", 3);
    BED_PICKS(&b, 0, 1, 2);
    ALL_NEAR(b.outcome.scores, .95, .7, .7);
    bed_run(&b, "uncertainty", "mode=mnlp", 3);
    BED_PICKS(&b, 1, 0, 2);
    ALL_NEAR((const double *)bed_record(&b, "raw"), -0.385061, -0.510826, -0.309020);
    bed_run(&b, "uncertainty", "mode=margin-mean", 3);
    ALL_NEAR((const double *)bed_record(&b, "raw"), .45, .30, .635);
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-vectors", topk, draws, strata, huds, huds_rescaled, huds_without_range,
            scales, small_strata_use_the_global_centroid, lambda_schedule, kmeans, likelihoods,
            nsp_saturates_in_nnll_order, meanings_of_scores, idds, kcenter, classes, tokens);
