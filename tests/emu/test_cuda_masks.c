/* SPDX-License-Identifier: Apache-2.0 */
/* Masks that a block of rows keeps on a device while bertkm offers rows to the budget: after up to
 * MAX_CHANGES offers (lib/strategy/rules/greedy_picks.c, 16) the entries of the rows that were
 * offered are cleared, after more the mask is made again. Either way the next pass searches the
 * rows that are left, and the selection is the CPU's.
 *
 * Two clusters choose from lists of the 8 rows that are nearest to their centroids. The vectors
 * lie on half a circle, and the centroids at a quarter and three quarters of it: the first cluster
 * buys its nearest row, and the second has all its rows passed over that are more similar to that
 * one than max_similarity allows, nearest first. A list of which all rows were passed over is
 * followed by a pass with one of twice the length. So 9, 16, 32, ... rows are offered between the
 * passes: both sides of the limit where more than 8 + 16 + 32 rows are passed over. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_tensors.h"

enum { ROWS = 700, DIMS = 2, CLUSTERS = 2, FIRST_LIST = 8, MAX_CHANGES = 16 };

static alcore_ctx *ctx;
static alcore_pool *pool;
static float vectors[ROWS * DIMS];

static void setup(void) {
    static char memory[ROWS][16];
    static const char *texts[ROWS];
    int64_t shape[] = {ROWS, DIMS};
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    for (int i = 0; i < ROWS; i++) {
        const double angle = 3.14159265358979323846 * (double)(i * 311 % ROWS) / ROWS;
        vectors[i * DIMS] = (float)cos(angle);
        vectors[i * DIMS + 1] = (float)sin(angle);
        snprintf(memory[i], sizeof memory[i], "text %d", i);
        texts[i] = memory[i];
    }
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, ROWS, NULL));
    const alcore_tensor all = tensor_of(vectors, ALCORE_FLOAT32, shape, 2);
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &all, NULL, NULL));
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static alcore_selection *select_on(const char *device, const char *max_similarity) {
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, "bertkm", &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set(request, "budget", "2"));
    ck_assert_ok(alcore_request_set(request, "max_similarity", max_similarity));
    ck_assert_ok(alcore_request_set(request, "device", device));
    ck_assert_ok(alcore_select(request, &selection));
    alcore_request_unref(request);
    ck_assert_int_eq(alcore_selection_count(selection), CLUSTERS);
    return selection;
}

/* Rows that were passed over as too similar to a pick. */
static int passed_over(const alcore_selection *selection) {
    static const char name[] = "\"passed_over_similar\":";
    const char *found = strstr(alcore_selection_provenance(selection), name);
    ck_assert_ptr_nonnull(found);
    return atoi(found + sizeof name - 1);
}

/* Passes of two clusters after which the second has been offered `rows` rows, when no list has a
 * row that was offered before. */
static uint64_t passes_for(int rows) {
    uint64_t passes = 1;
    for (int seen = FIRST_LIST; seen < rows; seen += FIRST_LIST << passes++) continue;
    return passes;
}

/* The fewest and the most rows that are passed over, and the limit that does so. */
static const struct {
    const char *max_similarity;
    int fewest, most;
} LIMITS[] = {
    /* One pass: no mask is changed. */
    {"0.5", 0, 0},
    /* Three passes at most, with up to MAX_CHANGES offers in the first two. */
    {"-0.047", FIRST_LIST, FIRST_LIST + MAX_CHANGES},
    /* More offers in the third and fourth. The row behind those that are passed over is the last of
     * the fourth list: a list with a row that was offered before would need a fifth. */
    {"-0.264", 15 * FIRST_LIST - 1, 15 * FIRST_LIST - 1},
};
enum { LIMIT_COUNT = sizeof LIMITS / sizeof LIMITS[0] };

/* Each pass searches both clusters at once, in one call that joins lists once. */
START_TEST(few_offers_and_many_give_the_picks_of_the_cpu) {
    const char *limit = LIMITS[_i].max_similarity;
    alcore_selection *here = select_on("cpu", limit);
    const uint64_t before = emu.kernel("join_kernel").launches;
    alcore_selection *there = select_on("cuda", limit);
    const uint64_t joins = emu.kernel("join_kernel").launches - before;
    const int passed = passed_over(there);
    ck_assert_int_ge(passed, LIMITS[_i].fewest);
    ck_assert_int_le(passed, LIMITS[_i].most);
    ck_assert_int_eq(passed, passed_over(here));
    ck_assert_int_eq(memcmp(alcore_selection_rows(here), alcore_selection_rows(there),
                            CLUSTERS * sizeof(int64_t)),
                     0);
    ck_assert_int_eq(memcmp(alcore_selection_scores(here), alcore_selection_scores(there),
                            CLUSTERS * sizeof(double)),
                     0);
    ck_assert_uint_eq(joins, passes_for(passed + 1));
    alcore_selection_unref(here);
    alcore_selection_unref(there);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("masks");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, few_offers_and_many_give_the_picks_of_the_cpu, 0, LIMIT_COUNT);
    return check_suite_run("cuda-masks", tests);
}
