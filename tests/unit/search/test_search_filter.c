/* SPDX-License-Identifier: Apache-2.0 */
/* What the filters of searches discard, engine by engine: few dims and many, rows at both ends of
 * float32's range, copies, rows one unit in the last place apart. The portable engine's answers are
 * the ones to have; test_search_same.c compares those with plain loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "base/base.h"
#include "base/rng.h"
#include "check_suite.h"
#include "kernel/kernel_engine.h"
#include "kernel/kernels.h"

enum { ROWS = 420, OTHERS = 90, SHAPES = 6, MOST_DIMS = 384, PLACES = 11 };

static const char *const engines[] = {"cpu-avx2", "cpu-avx512", "cpu-avx512vnni", "cpu-neon"};
static const int64_t shapes[SHAPES] = {1, 2, 7, 31, 100, MOST_DIMS};

static alcore_ctx *ctx;
static alcore_sys_work work;
static float x[(ROWS + OTHERS) * MOST_DIMS]; /* the others are its last rows */

/* Every third row in a cluster, of which most are copies, or copies but for one last place. Tight:
 * all others so close together, far from the origin, that a coarse filter tells few apart. */
static void make(int64_t dims, int tight) {
    alcore__rng rng;
    alcore__rng_seed(&rng, (uint64_t)dims);
    for (int64_t i = 0; i < ROWS + OTHERS; i++) {
        float *row = x + i * dims, scale = 1.0f;
        if (i % 140 == 77) scale = 1e6f;
        if (i % 140 == 78) scale = 0.0f;
        if (i % 140 == 79) scale = 1e-42f;
        if (i % 140 == 80) scale = tight ? 1e35f : 2e38f;
        uint64_t kind = alcore__rng_below(&rng, 10);
        for (int64_t j = 0; j < dims; j++)
            row[j] = scale * ((float)(alcore__rng_f64(&rng) - 0.5) +
                              (tight ? 2000.0f : 1.5f * (float)(i % 3 == 0)));
        if (i == 0 || kind > 6) continue;
        int64_t like = (int64_t)alcore__rng_below(&rng, (uint64_t)i);
        memcpy(row, x + like * dims, (size_t)dims * sizeof *row);
        int64_t at = (int64_t)alcore__rng_below(&rng, (uint64_t)dims);
        if (kind < 5) row[at] = nextafterf(row[at], 9.0f);
    }
}

static alcore_sys_rows run_of(int64_t first, int64_t count, int64_t dims, int64_t number) {
    return (alcore_sys_rows){.data = x + first * dims,
                             .first = number,
                             .count = count,
                             .dims = dims,
                             .stride = dims,
                             .dtype = ALCORE_FLOAT32};
}

typedef struct answer {
    int64_t row[(ROWS + OTHERS) * PLACES]; /* of the rows, then of the others */
    double value[(ROWS + OTHERS) * PLACES];
    double ratio[ROWS];
    int64_t other[ROWS];
} answer;

/* Neighbors in runs of `cut` rows, both ways or of the others alone (for which an engine may filter
 * more coarsely), then the margin ratios. */
static void ask(const char *engine, int64_t dims, int32_t metric, int64_t cut, bool both,
                answer *out) {
    const alcore_sys_kernels *table = alcore__kernels_cpu_named(engine);
    alcore_sys_search search = {.size = sizeof search, .metric = metric};
    alcore_sys_rows others = run_of(ROWS, OTHERS, dims, 0);
    memset(out, 0, sizeof *out);
    for (size_t p = 0; p < (ROWS + OTHERS) * PLACES; p++) out->row[p] = -1;
    double half[ROWS + OTHERS];
    for (int64_t i = 0; i < ROWS + OTHERS; i++) half[i] = 0.5 + (double)(i % 7) / 64.0;
    for (int64_t i = 0; i < ROWS; i++) out->other[i] = -1;
    for (int64_t first = 0; first < ROWS; first += cut) {
        alcore_sys_rows rows = run_of(first, ROWS - first < cut ? ROWS - first : cut, dims, first);
        alcore_sys_best of_rows = {PLACES, out->row + first * PLACES, out->value + first * PLACES};
        alcore_sys_best of_others = {PLACES, out->row + ROWS * PLACES, out->value + ROWS * PLACES};
        ck_assert_int_eq(table->knn(&work, &rows, NULL, &others, NULL, &search, &of_others,
                                    both ? &of_rows : NULL),
                         ALCORE_OK);
        if (metric == ALCORE_SYS_COSINE)
            ck_assert_int_eq(table->margin_ratios(&work, &rows, NULL, &others, NULL, &search,
                                                  half + first, half + ROWS, out->ratio + first,
                                                  out->other + first),
                             ALCORE_OK);
    }
}

START_TEST(every_engine_finds_the_same) {
    static answer expected, got;
    int64_t dims = shapes[_i % SHAPES];
    make(dims, _i >= SHAPES);
    for (int search = 0; search < 6; search++) {
        int32_t metric = ALCORE_SYS_L2 + search / 2;
        bool both = search % 2 == 0;
        ask("cpu-portable", dims, metric, ROWS, both, &expected);
        for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
            for (int64_t cut = ROWS; alcore__kernels_cpu_named(engines[e]) && cut > 100; cut /= 2) {
                ask(engines[e], dims, metric, cut, both, &got);
                ck_assert_msg(memcmp(&got, &expected, sizeof got) == 0,
                              "%s, %lld dims, metric %d, both %d, runs of %lld", engines[e],
                              (long long)dims, metric, both, (long long)cut);
            }
        }
    }
}
END_TEST

/* Rows or, for odd _i, queries whose components all lose nearly half a step when they are rounded
 * to one byte, in the direction of the other operand: the best row has a lower product then than
 * rows that come before it, and only the bound of the rounding keeps it. */
START_TEST(rounding_that_adds_up) {
    enum { BEST = 415, K = 2 };
    int64_t dims = shapes[SHAPES - 1 - _i / 2];
    bool of_rows = _i % 2 == 0;
    alcore__rng rng;
    alcore__rng_seed(&rng, 5);
    for (int64_t i = 0; i < ROWS + OTHERS; i++) {
        bool near = i == 1 || i == 3 || i == 5 || i == 7, round = of_rows ? i == BEST : i >= ROWS;
        for (int64_t j = 0; j < dims; j++) {
            float value =
                i >= ROWS ? 1.0f
                          : (of_rows ? 20.0f : 1.0f) * (alcore__rng_below(&rng, 2) ? 1.0f : -1.0f);
            if (round) value = j == 0 ? 127.0f : 20.49f;
            if (of_rows && near) value = j == 0 ? 127.0f : j == 1 ? -20.0f : 20.51f;
            if (!of_rows && (near || i == BEST)) value = near ? 1.0f : 1.001f;
            x[i * dims + j] = value;
        }
    }
    alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_DOT};
    alcore_sys_rows rows = run_of(0, ROWS, dims, 0), others = run_of(ROWS, OTHERS, dims, 0);
    for (size_t e = 0; e < sizeof engines / sizeof engines[0]; e++) {
        const alcore_sys_kernels *table = alcore__kernels_cpu_named(engines[e]);
        int64_t row[OTHERS * K];
        double value[OTHERS * K];
        for (int64_t p = 0; p < OTHERS * K; p++) row[p] = -1;
        alcore_sys_best best = {K, row, value};
        if (!table) continue;
        ck_assert_int_eq(table->knn(&work, &rows, NULL, &others, NULL, &search, &best, NULL),
                         ALCORE_OK);
        for (int64_t q = 0; q < OTHERS; q++) {
            ck_assert_int_eq(row[q * K], BEST);
            ck_assert_int_eq(row[q * K + 1], 1);
        }
    }
}
END_TEST

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    work = alcore__engine_work(&(alcore__engine){.ctx = ctx});
}
static void teardown(void) {
    alcore_ctx_unref(ctx);
}

TEST_FILE() {
    TCase *tests = tcase_create("filter");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_set_timeout(tests, 120);
    /* Under valgrind the rows of 384 numbers (the last of either kind) take as long as all others.
     */
    int shapes_tried = getenv("ALCORE_TEST_BRIEF") ? SHAPES - 1 : SHAPES;
    tcase_add_loop_test(tests, every_engine_finds_the_same, 0, shapes_tried);
    tcase_add_loop_test(tests, every_engine_finds_the_same, SHAPES, SHAPES + shapes_tried);
    tcase_add_loop_test(tests, rounding_that_adds_up, 0, 4);
    return check_suite_run("search_filter", tests);
}
