/* SPDX-License-Identifier: Apache-2.0 */
/* Strata in memory one after another give the bytes of two passes over the blocks (spec 3.3). */
#include <math.h>
#include <string.h>

#include "strategy_bed.h"

enum { ROWS = 20500, DIMS_MOST = 40 };

static float x[ROWS * DIMS_MOST];
static double u[ROWS];
static int64_t steps; /* passes of the last run */

/* Every third row is left out, the last block has few rows, and the last stratum one. */
static void open_bed(bed *b, int64_t dims, int32_t threads) {
    alcore_rng rng;
    alcore_rng_seed(&rng, 5);
    for (int64_t i = 0; i < ROWS; i++) {
        u[i] = alcore_rng_f64(&rng) * alcore_rng_f64(&rng);
        /* Of so many magnitudes that the order of additions can be seen. */
        for (int64_t j = 0; j < dims; j++) {
            int down = -(int)alcore_rng_below(&rng, 40);
            x[i * dims + j] = (float)ldexp(alcore_rng_f64(&rng) - 0.4, down);
        }
    }
    u[7] = 4.0;
    bed_open(b, ROWS, threads, NULL);
    for (int64_t i = 0; i < ROWS; i++) b->take[i] = i % 3 != 1 || i == 7;
    bed_column(b, &b->input.candidates, "scores", u, ROWS, 1, ALCORE_FLOAT64);
    bed_column(b, &b->input.candidates, "embeddings", x, ROWS, dims, ALCORE_FLOAT32);
}

static uint64_t run_huds(bed *b, const char *params) {
    alcore_strategy *strategy;
    alcore__run *run;
    uint64_t print = 0;
    ck_assert_int_eq(alcore_strategy_new(b->ctx, "huds", &strategy), ALCORE_OK);
    ck_assert_int_eq(alcore_strategy_set(strategy, "strata", params), ALCORE_OK);
    ck_assert_int_eq(alcore_strategy_set(strategy, "n_strata", "30"), ALCORE_OK);
    b->input.fill.budget = 500;
    alcore__outcome_clear(b->ctx, &b->outcome);
    ck_assert_int_eq(alcore__enter(b->ctx), ALCORE_OK);
    b->status = alcore__run_begin(strategy, strategy->def, &strategy->values, &b->input, &run);
    ck_assert_int_eq(b->status, ALCORE_OK);
    b->status = alcore__run_drive(run);
    steps = run->step;
    if (b->status == ALCORE_OK) b->status = alcore__run_finish(run, &b->outcome);
    if (b->status == ALCORE_OK) print = bed_fingerprint(b);
    alcore__run_free(run);
    b->status = alcore__leave(b->ctx, b->status);
    alcore_strategy_unref(strategy);
    return print;
}

START_TEST(one_read_gives_the_bytes_of_two) {
    static const int64_t dims[] = {1, 7, DIMS_MOST};
    for (size_t d = 0; d < 3; d++) {
        for (int32_t threads = 1; threads <= 3; threads += 2) {
            bed b;
            open_bed(&b, dims[d], threads);
            for (int kind = 0; kind < 2; kind++) {
                const char *params = kind ? "quantile" : "equal";
                b.input.by_strata = false;
                uint64_t twice = run_huds(&b, params);
                ck_assert_int_eq(steps, 3);
                b.input.by_strata = true;
                uint64_t once = run_huds(&b, params);
                ck_assert_int_eq(steps, 1);
                ck_assert_uint_eq(once, twice);
            }
            bed_close(&b);
        }
    }
}
END_TEST

/* A sum that is not finite is left to the passes, which name the row. */
START_TEST(bad_numbers_are_found) {
    bed b;
    open_bed(&b, 7, 2);
    x[7 * 9000 + 3] = NAN;
    b.take[9000] = 1;
    b.input.by_strata = true;
    run_huds(&b, "equal");
    ck_assert_int_eq(b.status, ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 9000"));
    bed_close(&b);
}
END_TEST

/* A pool that is cut goes by blocks. */
START_TEST(cut_pools_go_by_blocks) {
    bed b;
    open_bed(&b, DIMS_MOST, 2);
    b.input.by_strata = true;
    ck_assert_int_eq(bed_run(&b, "huds", "n_strata=30", 500), ALCORE_OK);
    uint64_t whole = bed_fingerprint(&b);
    b.parts = 3;
    ck_assert_int_eq(bed_run(&b, "huds", "n_strata=30", 500), ALCORE_OK);
    ck_assert_uint_eq(bed_fingerprint(&b), whole);
    bed_close(&b);
}
END_TEST

CHECK_SUITE("strategy-segment", one_read_gives_the_bytes_of_two, bad_numbers_are_found,
            cut_pools_go_by_blocks);
