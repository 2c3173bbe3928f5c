/* SPDX-License-Identifier: Apache-2.0 */
/* TV-BLOCK (spec 1.8), to the last bit; and the same bits for any cut of the pool and any number of
 * threads. */
#include <string.h>

#include "block_bed.h"
#include "strategy/kmeans/kmeans.h"

static void expect_first(const bed *b, const vector_case *known, const char *path) {
    int64_t count;
    const int64_t *rows = vector_integers(vector_expected(known, path), &count);
    bed_expect_picks(b, count, rows);
}

/* hash64 of the pool rows of the first picks. */
static void expect_picks(const bed *b, int64_t count, const vector_case *known, const char *path) {
    ck_assert_uint_eq(bed_hash_picks(b, count), vector_word(vector_expected(known, path)));
}

START_TEST(huds_gives_the_bits) {
    for (int width = 0; width < BLOCK_WIDTHS; width++) {
        vector_case known = block_vector(width);
        block_bed data;
        block_bed_open(&data, block_dims(width), 2);
        bed *b = &data.bed;
        ck_assert_int_eq(bed_run(b, "huds", "n_strata=3", 1e9), ALCORE_OK);
        ck_assert_int_eq(b->outcome.pick_count, 19793);
        expect_first(b, &known, "huds/first");
        expect_picks(b, 19793, &known, "huds/order");
        vector_digest(bed_record(b, "H"), 19793 * 8, vector_expected(&known, "huds/H"));
        vector_case u = vector_case_named(vector_find("block", "TV-BLOCK"), "u");
        vector_near(bed_fact(b, "strata counts"), vector_expected(&u, "strata"), 0);
        ck_assert_int_eq(bed_run(b, "huds", "n_strata=3 unit=1", 1e9), ALCORE_OK);
        expect_first(b, &known, "huds unit/first");
        expect_picks(b, 19793, &known, "huds unit/order");
        vector_digest(bed_record(b, "H"), 19793 * 8, vector_expected(&known, "huds unit/H"));
        block_bed_close(&data);
    }
}
END_TEST

START_TEST(kcenter_gives_the_bits) {
    for (int width = 0; width < BLOCK_WIDTHS; width++) {
        vector_case known = block_vector(width);
        block_bed data;
        block_bed_open(&data, block_dims(width), 2);
        bed *b = &data.bed;
        ck_assert_int_eq(bed_run(b, "kcenter", "", 100), ALCORE_OK);
        expect_first(b, &known, "kcenter/first");
        expect_picks(b, 100, &known, "kcenter/picks");
        const double *radius = bed_record(b, "radius");
        double radii[100];
        for (int i = 0; i < 100; i++) radii[i] = radius[b->outcome.picks[i]];
        vector_digest(radii, sizeof radii, vector_expected(&known, "kcenter/radii"));
        block_bed_close(&data);
    }
}
END_TEST

START_TEST(idds_gives_the_bits) {
    for (int width = 0; width < BLOCK_WIDTHS; width++) {
        vector_case known = block_vector(width);
        block_bed data;
        block_bed_open(&data, block_dims(width), 2);
        bed *b = &data.bed;
        ck_assert_int_eq(bed_run(b, "idds", "", 100), ALCORE_OK);
        expect_first(b, &known, "idds/first");
        expect_picks(b, 100, &known, "idds/picks");
        vector_digest(b->outcome.scores, 19793 * 8, vector_expected(&known, "idds/scores"));
        block_bed_close(&data);
    }
}
END_TEST

START_TEST(moments_give_the_bits) {
    block_bed data;
    block_bed_open(&data, 5, 1);
    bed *b = &data.bed;
    alcore_strategy *strategy;
    alcore__run *run;
    double mean, sd;
    ck_assert_int_eq(alcore_strategy_new(b->ctx, "nnll", &strategy), ALCORE_OK);
    ck_assert_int_eq(alcore__run_begin(strategy, strategy->def, &strategy->values, &b->input, &run),
                     ALCORE_OK);
    ck_assert_int_eq(alcore__run_drive(run), ALCORE_OK);
    alcore__block_moments(run, ((alcore__top_plan *)run->plan)->rank, &mean, &sd);
    vector_case u = vector_case_named(vector_find("block", "TV-BLOCK"), "u");
    vector_near((const double[]){mean, sd}, vector_expected(&u, "mean_sd"), 0);
    alcore__run_free(run);
    alcore_strategy_unref(strategy);
    block_bed_close(&data);
}
END_TEST

/* ---- k-means by itself ---- */

typedef struct means_plan {
    alcore__kmeans means;
    int32_t *group, *assigned;
    int64_t passes;
    int64_t initial[8];
    double centroids[8 * 70];
} means_plan;

static means_plan last; /* of the last run; tests run in processes of their own */

static alcore_status means_begin(alcore__run *run) {
    means_plan *plan = run->plan;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)run->outcome.count, 4, &plan->group));
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)run->outcome.count, 4, &plan->assigned));
    return alcore__kmeans_begin(run, &plan->means, plan->group, 1, 8, true, NULL);
}

static alcore_status means_block(alcore__block *block) {
    means_plan *plan = block->run->plan;
    if (block->run->pass == 0) return alcore__kmeans_block(&plan->means, block);
    void *out;
    size_t bytes = (size_t)block->count * sizeof(int32_t);
    ALCORE__TRY(alcore__block_payload(block, bytes, &out));
    memcpy(out, alcore__kmeans_assigned(block), bytes);
    return ALCORE_OK;
}

static alcore_status means_gather(alcore__run *run, int64_t block, const void *payload,
                                  size_t bytes) {
    means_plan *plan = run->plan;
    if (run->pass == 0) return alcore__kmeans_gather(run, &plan->means, block, payload, bytes);
    memcpy(plan->assigned + run->members[0].start[block], payload, bytes);
    return ALCORE_OK;
}

static alcore_status means_next(alcore__run *run) {
    means_plan *plan = run->plan;
    bool finished = false;
    if (run->pass == 1) {
        run->done = true;
        return ALCORE_OK;
    }
    ALCORE__TRY(alcore__kmeans_next(run, &plan->means, &finished));
    if (finished) run->pass = 1;
    return ALCORE_OK;
}

static alcore_status means_finish(alcore__run *run) {
    means_plan *plan = run->plan;
    int64_t *assigned;
    ALCORE__TRY(alcore__outcome_column(run, "assigned", ALCORE_INT64, &assigned));
    for (int64_t i = 0; i < run->outcome.count; i++) assigned[i] = plan->assigned[i];
    plan->passes = plan->means.each[0].passes;
    for (int c = 0; c < 8; c++) plan->initial[c] = run->outcome.rows[plan->means.initial[c]];
    memcpy(plan->centroids, plan->means.centroids, (size_t)(8 * plan->means.dims) * 8);
    last = *plan;
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

START_TEST(kmeans_gives_the_bits) {
    for (int width = 0; width < (bed_brief() ? 1 : BLOCK_WIDTHS); width++) {
        vector_case known = block_vector(width);
        for (int32_t parts = 0; parts <= 3; parts += 3) {
            block_bed data;
            block_bed_open(&data, block_dims(width), 2);
            data.bed.parts = parts;
            ck_assert_int_eq(bed_run_def(&data.bed, &MEANS, NULL), ALCORE_OK);
            vector_equal(last.initial, vector_expected(&known, "kmeans/initial"));
            ck_assert_int_eq(last.passes, vector_integer(vector_expected(&known, "kmeans/passes")));
            vector_digest(bed_record(&data.bed, "assigned"), 19793 * 8,
                          vector_expected(&known, "kmeans/cluster"));
            vector_digest(last.centroids, (size_t)(8 * block_dims(width)) * 8,
                          vector_expected(&known, "kmeans/centroids"));
            block_bed_close(&data);
        }
    }
}
END_TEST

CHECK_SUITE("strategy-block", huds_gives_the_bits, kcenter_gives_the_bits, idds_gives_the_bits,
            moments_give_the_bits, kmeans_gives_the_bits);
