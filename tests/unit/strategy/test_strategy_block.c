/* SPDX-License-Identifier: Apache-2.0 */
/* TV-BLOCK (spec 1.8), to the last bit; and the same bits for any cut of the pool and any number of
 * threads. */
#include <string.h>

#include "base/rng.h"
#include "block_bed.h"
#include "kmeans_bed.h"

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
        ck_assert_int_eq(b->outcome.bought.pick_count, 19793);
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
        for (int i = 0; i < 100; i++) radii[i] = radius[b->outcome.bought.picks[i]];
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
    ck_assert_int_eq(alcore__enter(b->ctx), ALCORE_OK);
    ck_assert_int_eq(alcore__run_begin(strategy, strategy->def, &strategy->values, &b->input, &run),
                     ALCORE_OK);
    ck_assert_int_eq(alcore__run_drive(run), ALCORE_OK);
    ck_assert_int_eq(alcore__leave(b->ctx, ALCORE_OK), ALCORE_OK);
    const double *values = ((alcore__ranked_scores *)run->state)->rank;
    alcore__candidate_mean_sd(run, values, 1.0, &mean, &sd);
    vector_case u = vector_case_named(vector_find("block", "TV-BLOCK"), "u");
    vector_near((const double[]){mean, sd}, vector_expected(&u, "mean_sd"), 0);
    alcore__candidate_mean_sd(run, values, 4.0, &mean, &sd); /* a power of two: no rounding */
    vector_near((const double[]){mean / 4, sd / 4}, vector_expected(&u, "mean_sd"), 0);
    alcore__run_free(run);
    alcore_strategy_unref(strategy);
    block_bed_close(&data);
}
END_TEST

START_TEST(kmeans_gives_the_bits) {
    for (int width = 0; width < (bed_brief() ? 1 : BLOCK_WIDTHS); width++) {
        vector_case known = block_vector(width);
        for (int32_t parts = 0; parts <= 3; parts += 3) {
            block_bed data;
            kmeans_bed means = {.groups = 1, .k = 8, .unit = true};
            block_bed_open(&data, block_dims(width), 2);
            data.bed.parts = parts;
            kmeans_bed_run(&data.bed, &means);
            ck_assert_int_eq(means.count, 19793);
            int64_t assigned[19793], seeds[8];
            for (int64_t i = 0; i < means.count; i++) assigned[i] = means.assigned[i];
            for (int c = 0; c < 8; c++) seeds[c] = data.bed.outcome.rows[means.seed_positions[c]];
            vector_equal(seeds, vector_expected(&known, "kmeans/initial"));
            ck_assert_int_eq(means.iterations[0],
                             vector_integer(vector_expected(&known, "kmeans/passes")));
            vector_digest(assigned, sizeof assigned, vector_expected(&known, "kmeans/cluster"));
            vector_digest(means.centroids, (size_t)(8 * block_dims(width)) * sizeof(double),
                          vector_expected(&known, "kmeans/centroids"));
            kmeans_bed_free(&means);
            block_bed_close(&data);
        }
    }
}
END_TEST

CHECK_SUITE("strategy-block", huds_gives_the_bits, kcenter_gives_the_bits, idds_gives_the_bits,
            moments_give_the_bits, kmeans_gives_the_bits);
