/* SPDX-License-Identifier: Apache-2.0 */
/* TV-BLOCK (spec 1.8), to the last bit; and the same bits for any cut of the pool and any number of
 * threads. */
#include <string.h>

#include "block_bed.h"
#include "strategy/kmeans/kmeans.h"

typedef struct expected {
    int64_t dims;
    int64_t huds[10], unit[10], kcenter[5], idds[5], kmeans[8];
    uint64_t huds_order, huds_h, unit_order, unit_h, kcenter_picks, kcenter_radii, idds_picks,
        idds_scores;
    uint64_t kmeans_assigned, kmeans_centroids;
} expected;

static const expected EXPECTED[] = {
    {5,
     {219, 11264, 3342, 3394, 126, 8466, 7884, 285, 4748, 10140},
     {3342, 11264, 10500, 219, 16614, 18913, 10140, 17558, 17368, 3394},
     {13689, 9204, 12208, 10953, 1301},
     {18236, 12295, 17947, 12242, 10102},
     {5955, 2099, 466, 13816, 4664, 19082, 18068, 971},
     0x318DF54673ED8B83,
     0xBBF446204BC995C2,
     0x81B0B1ED81B11D52,
     0x4A78C860AEA5BE11,
     0x25AC4C3842D2D692,
     0x87F6FC6E506F843C,
     0xFE2359EB053BF868,
     0x2195D0F7B348AB7D,
     0x34CC0504EB7B1B03,
     0xCB4197F79D2357AD},
    {70,
     {15527, 1729, 10140, 8528, 10600, 13817, 489, 5929, 3212, 15870},
     {15527, 1729, 10140, 8528, 13817, 10600, 15870, 5929, 489, 1100},
     {5339, 9914, 8527, 18757, 7833},
     {18620, 1607, 18579, 5516, 15547},
     {5955, 2104, 469, 13850, 4669, 19087, 18070, 974},
     0xB00A7FA6DE0C3692,
     0x2BB2DB7296628BD0,
     0x4F6B790EFECCC46D,
     0xE7217F4853F54F24,
     0xE1AD5BCC6B5D1E17,
     0xB4E0494F1A7388AE,
     0x4ED4D5CA2DDD4D60,
     0x97753EB27EAAADEE,
     0xAA0BC868CCAF1D76,
     0x359BBDEC4D90493A},
};

static void check_huds(block_bed *data, const char *params, const int64_t *first, uint64_t order,
                       uint64_t h) {
    bed *b = &data->bed;
    ck_assert_int_eq(bed_run(b, "huds", params, 1e9), ALCORE_OK);
    bed_expect_picks(b, 10, first);
    ck_assert_int_eq(b->outcome.pick_count, 19793);
    ck_assert_uint_eq(bed_hash_picks(b, 19793), order);
    ck_assert_uint_eq(alcore_hash64(bed_record(b, "H"), 19793 * 8), h);
}

START_TEST(huds_gives_the_bits) {
    for (size_t e = 0; e < 2; e++) {
        block_bed data;
        block_bed_open(&data, EXPECTED[e].dims, 2);
        check_huds(&data, "n_strata=3", EXPECTED[e].huds, EXPECTED[e].huds_order,
                   EXPECTED[e].huds_h);
        const double *counts = bed_fact(&data.bed, "strata counts");
        ck_assert(counts[0] == 6703 && counts[1] == 6545 && counts[2] == 6545);
        check_huds(&data, "n_strata=3 unit=1", EXPECTED[e].unit, EXPECTED[e].unit_order,
                   EXPECTED[e].unit_h);
        block_bed_close(&data);
    }
}
END_TEST

START_TEST(kcenter_gives_the_bits) {
    for (size_t e = 0; e < 2; e++) {
        block_bed data;
        block_bed_open(&data, EXPECTED[e].dims, 2);
        bed *b = &data.bed;
        ck_assert_int_eq(bed_run(b, "kcenter", "", 100), ALCORE_OK);
        bed_expect_picks(b, 5, EXPECTED[e].kcenter);
        ck_assert_uint_eq(bed_hash_picks(b, 100), EXPECTED[e].kcenter_picks);
        const double *radius = bed_record(b, "radius");
        double radii[100];
        for (int i = 0; i < 100; i++) radii[i] = radius[b->outcome.picks[i]];
        ck_assert_uint_eq(alcore_hash64(radii, sizeof radii), EXPECTED[e].kcenter_radii);
        block_bed_close(&data);
    }
}
END_TEST

START_TEST(idds_gives_the_bits) {
    for (size_t e = 0; e < 2; e++) {
        block_bed data;
        block_bed_open(&data, EXPECTED[e].dims, 2);
        bed *b = &data.bed;
        ck_assert_int_eq(bed_run(b, "idds", "", 100), ALCORE_OK);
        bed_expect_picks(b, 5, EXPECTED[e].idds);
        ck_assert_uint_eq(bed_hash_picks(b, 100), EXPECTED[e].idds_picks);
        ck_assert_uint_eq(alcore_hash64(b->outcome.scores, 19793 * 8), EXPECTED[e].idds_scores);
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
    ck_assert(mean == 0x1.fd8f5081591ccp-2);
    ck_assert(sd == 0x1.277902486bf83p-2);
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
    uint64_t centroids;
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
    plan->centroids = alcore_hash64(plan->means.centroids, (size_t)(8 * plan->means.dims) * 8);
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
    for (size_t e = 0; e < (bed_brief() ? 1 : 2); e++) {
        for (int32_t parts = 0; parts <= 3; parts += 3) {
            block_bed data;
            block_bed_open(&data, EXPECTED[e].dims, 2);
            data.bed.parts = parts;
            ck_assert_int_eq(bed_run_def(&data.bed, &MEANS, NULL), ALCORE_OK);
            for (int c = 0; c < 8; c++) ck_assert_int_eq(last.initial[c], EXPECTED[e].kmeans[c]);
            ck_assert_int_eq(last.passes, 100);
            ck_assert_uint_eq(alcore_hash64(bed_record(&data.bed, "assigned"), 19793 * 8),
                              EXPECTED[e].kmeans_assigned);
            ck_assert_uint_eq(last.centroids, EXPECTED[e].kmeans_centroids);
            block_bed_close(&data);
        }
    }
}
END_TEST

CHECK_SUITE("strategy-block", huds_gives_the_bits, kcenter_gives_the_bits, idds_gives_the_bits,
            moments_give_the_bits, kmeans_gives_the_bits);
