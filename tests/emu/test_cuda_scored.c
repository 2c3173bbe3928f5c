/* SPDX-License-Identifier: Apache-2.0 */
/* Strategies that score rows from columns on a device, over more rows than one call of a kernel is
 * given: they are scored in wide blocks, two here, and not in blocks of 8,192 rows. What is
 * selected, reported and refused is what it is with the same columns on the host. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "device_tensors.h"

/* A wide block has 16 blocks of 8,192 rows where that is a fourth of the pool or more. */
enum {
    WIDE = 16 * 8192,
    ROWS = WIDE + 3000,
    CLASSES = 3,
    DIMS = 2,
    VISITS = 2,
    BLOCKS = 17,
    BUDGET = 50
};

static alcore_ctx *ctx;
static alcore_pool *host, *device; /* the same texts; columns on the host, and on cuda:1 */
static float logprobs[3 * ROWS], probs[ROWS * CLASSES], vectors[ROWS * DIMS];
static double scores[ROWS];
static int64_t starts[ROWS + 1];

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    host = pool_of_texts(ctx, ROWS);
    device = pool_of_texts(ctx, ROWS);
    for (int64_t i = 0; i < ROWS; i++) {
        const float first = (float)(1 + i * 7919 % 1009) / 2048.0f;
        starts[i + 1] = starts[i];
        for (int64_t t = 0; t <= i % 3; t++)
            logprobs[starts[i + 1]++] = -(float)((i * 13007 + t * 5) % 4999) / 300.0f;
        probs[i * CLASSES] = 1.0f - 1.5f * first;
        probs[i * CLASSES + 1] = first;
        probs[i * CLASSES + 2] = 0.5f * first;
        vectors[i * DIMS] = (float)(i % 101);
        vectors[i * DIMS + 1] = (float)(i % 37);
        scores[i] = (double)(i * 7919 % 10007);
    }
}

static void teardown(void) {
    alcore_pool_unref(host);
    alcore_pool_unref(device);
    alcore_ctx_unref(ctx);
    free_taken();
}

/* Gives both pools a column; offsets: NULL, or [ROWS + 1] those of its tokens. */
static void give(const char *name, alcore_tensor values, size_t bytes, int64_t *offsets) {
    int64_t shape[] = {ROWS + 1};
    alcore_tensor begin = tensor_of(starts, ALCORE_INT64, shape, 1);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    ck_assert_ok(alcore_pool_set_column(host, name, &values, offsets ? &begin : NULL, NULL));
    values = on_device(values, bytes);
    options.ownership = ALCORE_BORROW;
    ck_assert_ok(alcore_pool_set_column(device, name, &values, offsets ? &begin : NULL, &options));
}

static void give_columns(void) {
    int64_t tokens[] = {starts[ROWS]}, classes[] = {ROWS, CLASSES}, dense[] = {ROWS, DIMS};
    give("logprobs", tensor_of(logprobs, ALCORE_FLOAT32, tokens, 1),
         (size_t)tokens[0] * sizeof *logprobs, starts);
    give("probs", tensor_of(probs, ALCORE_FLOAT32, classes, 2), sizeof probs, NULL);
    give("embeddings", tensor_of(vectors, ALCORE_FLOAT32, dense, 2), sizeof vectors, NULL);
}

/* Selects from every seventh row. */
static alcore_status select_from(alcore_pool *pool, const char *name, bool exclude_nan,
                                 alcore_selection **out) {
    static int64_t eligible[ROWS];
    alcore_request *request;
    alcore_strategy *strategy;
    int64_t count = 0;
    for (int64_t i = 0; i < ROWS; i += 7) eligible[count++] = i;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, name, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_ELIGIBLE, eligible, count));
    ck_assert_ok(alcore_request_set(request, "budget", "50"));
    if (exclude_nan) ck_assert_ok(alcore_request_set(request, "nan", "exclude"));
    const alcore_status status = alcore_select(request, out);
    alcore_request_unref(request);
    return status;
}

/* Both pools give the same rows with the same scores. */
static void expect_same(const char *name, bool exclude_nan) {
    alcore_selection *here, *far;
    ck_assert_ok(select_from(host, name, exclude_nan, &here));
    ck_assert_ok(select_from(device, name, exclude_nan, &far));
    ck_assert_int_eq(alcore_selection_count(here), BUDGET);
    ck_assert_int_eq(alcore_selection_count(far), BUDGET);
    ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(far), 8 * BUDGET);
    ck_assert_mem_eq(alcore_selection_scores(here), alcore_selection_scores(far), 8 * BUDGET);
    alcore_selection_unref(here);
    alcore_selection_unref(far);
}

/* kernel: that scores; NULL: all kernels of a selection are counted. most: launches; class
 * probabilities take two, one for the two largest and one for the sum. */
static const struct {
    const char *strategy, *kernel;
    uint64_t most;
} SCORED[] = {{"nnll", NULL, VISITS},
              {"nsp", NULL, VISITS},
              {"margin", NULL, 2 * VISITS},
              {"huds", "nnll_kernel", VISITS},
              {"entropy", NULL, 0}}; /* on the host, by all threads */

START_TEST(rows_on_a_device_are_scored_in_wide_blocks) {
    const char *const name = SCORED[_i].strategy, *const kernel = SCORED[_i].kernel;
    give_columns();
    const uint64_t before = kernel ? emu.kernel(kernel).launches : emu.work(1).launches;
    expect_same(name, false);
    const uint64_t after = kernel ? emu.kernel(kernel).launches : emu.work(1).launches;
    ck_assert_uint_eq(after - before, SCORED[_i].most);
}
END_TEST

/* Scores that are given lie in a column on the device, of which wide blocks are copied. The module
 * makes a few copies of each, as its pinned memory is small. */
START_TEST(given_scores_are_copied_in_wide_blocks) {
    int64_t shape[] = {ROWS};
    give("scores", tensor_of(scores, ALCORE_FLOAT64, shape, 1), sizeof scores, NULL);
    const uint64_t before = emu.work(1).copies_out;
    expect_same("nnll", false);
    ck_assert_uint_lt(emu.work(1).copies_out - before, ROWS / 8192);
}
END_TEST

/* The entropy is the work of all threads, each of which copies blocks of 8,192 rows. */
START_TEST(entropies_are_computed_block_by_block) {
    give_columns();
    const uint64_t before = emu.work(1).copies_out;
    expect_same("entropy", false);
    ck_assert_uint_ge(emu.work(1).copies_out - before, BLOCKS);
}
END_TEST

/* A column on the host is copied to the device, and scored there, in blocks of 8,192 rows. */
START_TEST(a_column_on_the_host_is_scored_block_by_block) {
    int64_t tokens[] = {starts[ROWS]}, dense[] = {ROWS, DIMS}, shape[] = {ROWS + 1};
    give("embeddings", tensor_of(vectors, ALCORE_FLOAT32, dense, 2), sizeof vectors, NULL);
    alcore_tensor values = tensor_of(logprobs, ALCORE_FLOAT32, tokens, 1);
    alcore_tensor begin = tensor_of(starts, ALCORE_INT64, shape, 1);
    ck_assert_ok(alcore_pool_set_column(host, "logprobs", &values, &begin, NULL));
    ck_assert_ok(alcore_pool_set_column(device, "logprobs", &values, &begin, NULL));
    const uint64_t before = emu.kernel("nnll_kernel").launches;
    expect_same("huds", false);
    ck_assert_uint_eq(emu.kernel("nnll_kernel").launches - before, BLOCKS);
}
END_TEST

/* Of two rows that have a NaN, each in a wide block, the first is named; rows with a NaN can be
 * left out. */
START_TEST(the_first_row_with_a_nan_is_named) {
    const int64_t first = 7 * 5003, second = 7 * ((WIDE + 1000) / 7);
    alcore_selection *none;
    char text[64];
    logprobs[starts[first]] = logprobs[starts[second]] = NAN;
    give_columns();
    snprintf(text, sizeof text, "row %lld: the log-probability of token 0 is NaN",
             (long long)first);
    ck_assert_fails(select_from(device, "nnll", false, &none), ALCORE_E_DATA, text);
    expect_same("nnll", true);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("scored");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, rows_on_a_device_are_scored_in_wide_blocks, 0,
                        sizeof SCORED / sizeof *SCORED);
    tcase_add_test(tests, given_scores_are_copied_in_wide_blocks);
    tcase_add_test(tests, entropies_are_computed_block_by_block);
    tcase_add_test(tests, a_column_on_the_host_is_scored_block_by_block);
    tcase_add_test(tests, the_first_row_with_a_nan_is_named);
    return check_suite_run("cuda-scored", tests);
}
