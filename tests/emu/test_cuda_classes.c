/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of class probabilities on a device, the second of two emulated ones: the bytes of the same
 * columns on the host. Where the two largest classes are enough, only these come there. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_tensors.h"

enum { ROWS = 90, TOKENS = 2 * ROWS, CLASSES = 41 };

static alcore_ctx *ctx;
static alcore_pool *host, *device; /* the same texts; columns on the host, and on cuda:1 */
static double values[TOKENS * CLASSES];
static int64_t offsets[ROWS + 1]; /* of the tokens of each row, 1 to 3 */

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    host = pool_of_texts(ctx, ROWS);
    device = pool_of_texts(ctx, ROWS);
    for (int i = 0; i < ROWS; i++) offsets[i + 1] = offsets[i] + 1 + i % 3;
    ck_assert_int_le(offsets[ROWS], TOKENS);
}

static void teardown(void) {
    alcore_pool_unref(host);
    alcore_pool_unref(device);
    alcore_ctx_unref(ctx);
    free_taken();
}

/* Distributions with ties, ones and zeros among them: probabilities, their logarithms or logits. */
static void fill(int32_t meaning, int64_t classes) {
    for (int64_t t = 0; t < TOKENS; t++) {
        double *p = values + t * classes, sum = 0.0;
        for (int64_t c = 0; c < classes; c++)
            sum += p[c] = (double)(1 + (t * 37 + c * c * 11) % (t % 4 == 0 ? 7 : 1009));
        for (int64_t c = 0; c < classes; c++) {
            p[c] = t % 13 == 5 ? (double)(c == t % classes) : p[c] / sum;
            if (meaning != ALCORE_MEANS_PROBS) p[c] = log(p[c]);
            if (meaning == ALCORE_MEANS_LOGITS) p[c] += 3.0;
        }
    }
}

/* Gives both pools the values, as doubles [rows or tokens, classes]. */
static void give(const char *name, int32_t meaning, int64_t classes) {
    const bool ragged = strcmp(name, "token_probs") == 0;
    int64_t shape[] = {ragged ? offsets[ROWS] : ROWS, classes}, ends[] = {ROWS + 1};
    alcore_tensor x, where;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.meaning = meaning;
    ck_assert_ok(alcore_tensor_init(&x, values, ALCORE_FLOAT64, shape, 2));
    ck_assert_ok(alcore_tensor_init(&where, offsets, ALCORE_INT64, ends, 1));
    ck_assert_ok(alcore_pool_set_column(host, name, &x, ragged ? &where : NULL, &options));
    x.data = there(values, sizeof values);
    x.device = (alcore_device){ALCORE_DEVICE_CUDA, 1};
    options.ownership = ALCORE_BORROW;
    ck_assert_ok(alcore_pool_set_column(device, name, &x, ragged ? &where : NULL, &options));
}

/* A selection of `budget` rows, NULL where it fails. options: of the strategy, mode and margin, and
 * nan. *kernels and *copied: how many it started on the device, and the bytes that came from there.
 */
static alcore_selection *select_from(alcore_pool *pool, const char *const options[3], int budget,
                                     uint64_t *kernels, uint64_t *copied) {
    const char *const names[] = {"mode", "margin"};
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, "uncertainty", &strategy));
    for (int i = 0; i < 2; i++) ck_assert_ok(alcore_strategy_set(strategy, names[i], options[i]));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set_int(request, "budget", budget));
    ck_assert_ok(alcore_request_set(request, "nan", options[2]));
    const emu_work before = emu.work(1);
    if (alcore_select(request, &selection) != ALCORE_OK) selection = NULL;
    *kernels = emu.work(1).launches - before.launches;
    *copied = emu.work(1).bytes_out - before.bytes_out;
    alcore_request_unref(request);
    return selection;
}

/* The scores of all rows are the same bytes in both pools. Returns how many bytes came from the
 * device. */
static uint64_t expect_same_scores(const char *mode, const char *margin) {
    const char *const options[] = {mode, margin, "error"};
    uint64_t kernels, copied;
    alcore_selection *here = select_from(host, options, ROWS, &kernels, &copied);
    alcore_selection *far = select_from(device, options, ROWS, &kernels, &copied);
    ck_assert_msg(here && far, "%s", alcore_last_error());
    ck_assert_int_eq(alcore_selection_count(here), ROWS);
    ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(far), 8 * ROWS);
    ck_assert_mem_eq(alcore_selection_scores(here), alcore_selection_scores(far), 8 * ROWS);
    alcore_selection_unref(here);
    alcore_selection_unref(far);
    return copied;
}

static const int32_t MEANINGS[] = {ALCORE_MEANS_PROBS, ALCORE_MEANS_LOGPROBS, ALCORE_MEANS_LOGITS};

/* Bytes of the two largest classes and the sums of distributions; the sums of exponentials come
 * with the number of a bad row. */
static uint64_t tops_and_sums(int32_t meaning, uint64_t count) {
    return 3 * sizeof(double) * count + (meaning == ALCORE_MEANS_LOGPROBS ? sizeof(int64_t) : 0);
}

START_TEST(rows_give_their_two_largest) {
    const int32_t meaning = MEANINGS[_i];
    const uint64_t all = sizeof(double) * ROWS * CLASSES;
    const uint64_t few = meaning == ALCORE_MEANS_LOGITS ? all : tops_and_sums(meaning, ROWS);
    fill(meaning, CLASSES);
    give("probs", meaning, CLASSES);
    ck_assert_uint_eq(expect_same_scores("lc", "prob"), few);
    ck_assert_uint_eq(expect_same_scores("margin", "prob"), few);
    ck_assert_uint_eq(expect_same_scores("margin", "log"), few);
    ck_assert_uint_eq(expect_same_scores("entropy", "prob"), all);
}
END_TEST

START_TEST(tokens_give_their_two_largest) {
    const int32_t meaning = MEANINGS[_i];
    const uint64_t all = sizeof(double) * (uint64_t)offsets[ROWS] * CLASSES;
    const uint64_t few =
        meaning == ALCORE_MEANS_LOGITS ? all : tops_and_sums(meaning, (uint64_t)offsets[ROWS]);
    fill(meaning, CLASSES);
    give("token_probs", meaning, CLASSES);
    const char *const modes[] = {"lc", "margin-min", "margin-mean", "mnlp"};
    for (int m = 0; m < 4; m++) ck_assert_uint_eq(expect_same_scores(modes[m], "prob"), few);
    ck_assert_uint_eq(expect_same_scores("margin-mean", "log"), few);
    ck_assert_uint_eq(expect_same_scores("entropy", "prob"), all);
}
END_TEST

/* Distributions over two classes, of which both are the largest. */
START_TEST(two_classes) {
    fill(ALCORE_MEANS_PROBS, 2);
    give("probs", ALCORE_MEANS_PROBS, 2);
    ck_assert_uint_eq(expect_same_scores("margin", "prob"),
                      tops_and_sums(ALCORE_MEANS_PROBS, ROWS));
}
END_TEST

/* A NaN and a value out of range are errors in the words of the host, which name row and class;
 * with nan=exclude rows with a NaN are left out, however many, without a kernel for each. */
START_TEST(bad_distributions_are_those_of_the_host) {
    const bool ragged = _i;
    const char *name = ragged ? "token_probs" : "probs";
    const char *const strict[] = {"lc", "prob", "error"}, *const lax[] = {"lc", "prob", "exclude"};
    uint64_t kernels[3], copied;
    char said[300];
    fill(ALCORE_MEANS_PROBS, CLASSES);
    for (int many = 0; many < 3; many++) {
        if (many < 2)
            for (int t = 20; t < (many ? 60 : 21); t += 2) values[t * CLASSES + 17] = NAN;
        else
            values[61 * CLASSES + 3] = 1.5;
        give(name, ALCORE_MEANS_PROBS, CLASSES);
        ck_assert_ptr_null(select_from(host, strict, 9, &kernels[many], &copied));
        snprintf(said, sizeof said, "%s", alcore_last_error());
        ck_assert_ptr_nonnull(strstr(said, "class 17 of column"));
        ck_assert_ptr_null(select_from(device, strict, 9, &kernels[many], &copied));
        ck_assert_str_eq(alcore_last_error(), said);
        alcore_selection *here = select_from(host, lax, 9, &kernels[many], &copied);
        if (many == 2) snprintf(said, sizeof said, "%s", alcore_last_error());
        alcore_selection *far = select_from(device, lax, 9, &kernels[many], &copied);
        if (many < 2) {
            ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(far), 72);
        } else {
            ck_assert_ptr_null(here);
            ck_assert_ptr_null(far);
            ck_assert_ptr_nonnull(strstr(said, "outside the range"));
            ck_assert_str_eq(alcore_last_error(), said);
        }
        alcore_selection_unref(here);
        alcore_selection_unref(far);
    }
    ck_assert_uint_eq(kernels[0], kernels[1]);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("classes");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, rows_give_their_two_largest, 0, 3);
    tcase_add_loop_test(tests, tokens_give_their_two_largest, 0, 3);
    tcase_add_test(tests, two_classes);
    tcase_add_loop_test(tests, bad_distributions_are_those_of_the_host, 0, 2);
    return check_suite_run("cuda-classes", tests);
}
