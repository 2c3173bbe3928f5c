/* SPDX-License-Identifier: Apache-2.0 */
/* Rows on a device that a selection reads beside its candidates (labeled rows, a labeled pool, a
 * target), and the search of nan=exclude: the device visits all of their blocks of 8,192 rows at
 * once, so that three blocks cost as many kernels and waits as one. What is selected is what the
 * CPU selects. */
#include <math.h>
#include <stdbool.h>

#include "device_tensors.h"

/* MOST rows are three blocks, the last of which is not full; FEW are one. The candidates are a pool
 * of CANDIDATES rows unless they are what grows. */
enum { MOST = 17000, FEW = 8000, CANDIDATES = 50, DIMS = 3, BUDGET = 5 };
/* In place of a role: rows of the candidates' own pool are labeled, all but the last CANDIDATES. */
enum { LABELED_ROWS = -1 };

static alcore_ctx *ctx;

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    free_taken();
}

typedef struct setting {
    const char *strategy, *name, *value; /* a parameter and its value; NULL: none */
    int role;                            /* whose pool grows */
    bool exclude;                        /* nan=exclude, and two rows have a NaN */
    const char *second;                  /* another parameter that is 1; NULL: none */
} setting;

/* A pool of three languages, whose texts are "WORD 0", "WORD 1" and so on. bad: rows 5 and rows - 5
 * have a component that is not finite. */
static alcore_pool *pool_of(const char *word, int rows, bool device, bool bad) {
    static float values[MOST * DIMS];
    static char letters[MOST][16];
    static const char *texts[MOST], *languages[MOST];
    static const char *const TAGS[] = {"de", "fr", "yo"};
    int64_t shape[] = {rows, DIMS};
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_pool *pool;
    for (int i = 0; i < rows; i++) {
        snprintf(letters[i], sizeof letters[i], "%s %d", word, i);
        texts[i] = letters[i];
        languages[i] = TAGS[i / 3 % 3];
        for (int d = 0; d < DIMS; d++)
            values[i * DIMS + d] = (float)((i * 7919 + d * 104729) % 10007 - 5003) / 997.0f;
    }
    if (bad) {
        values[5 * DIMS + 1] = NAN;
        values[(rows - 5) * DIMS + 2] = INFINITY;
    }
    records.texts = texts;
    records.languages = languages;
    records.count = rows;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    alcore_tensor tensor = tensor_of(values, ALCORE_FLOAT32, shape, 2);
    if (device) {
        tensor = on_device(tensor, (size_t)rows * DIMS * sizeof(float));
        options.ownership = ALCORE_BORROW;
    }
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, &options));
    return pool;
}

/* Selects BUDGET rows; *out is NULL after a failure. */
static alcore_status select_rows(const setting *s, int rows, bool device, bool bad,
                                 alcore_selection **out) {
    static int64_t labeled[MOST];
    const bool grows = s->role == ALCORE_ROLE_CANDIDATES || s->role == LABELED_ROWS;
    alcore_pool *candidates = pool_of("text", grows ? rows : CANDIDATES, device, grows && bad);
    alcore_pool *other = grows ? NULL : pool_of("other", rows, device, bad);
    alcore_request *request;
    alcore_strategy *strategy;
    *out = NULL;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, s->strategy, &strategy));
    if (s->name) ck_assert_ok(alcore_strategy_set(strategy, s->name, s->value));
    if (s->second) ck_assert_ok(alcore_strategy_set(strategy, s->second, "1"));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, candidates));
    if (other) ck_assert_ok(alcore_request_set_pool(request, s->role, other));
    if (s->role == LABELED_ROWS) {
        for (int i = 0; i < rows - CANDIDATES; i++) labeled[i] = i;
        ck_assert_ok(
            alcore_request_set_rows(request, ALCORE_ROWS_LABELED, labeled, rows - CANDIDATES));
    }
    ck_assert_ok(alcore_request_set(request, "budget", "5"));
    if (s->exclude) ck_assert_ok(alcore_request_set(request, "nan", "exclude"));
    const alcore_status status = alcore_select(request, out);
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    alcore_pool_unref(candidates);
    alcore_pool_unref(other);
    return status;
}

static uint64_t waits_of(emu_work work) {
    return work.stream_waits + work.event_waits + work.device_waits;
}

/* Kernels and waits of a selection on the device, which is that of the CPU. */
static void count(const setting *s, int rows, uint64_t *launches, uint64_t *waits) {
    alcore_selection *here, *there;
    ck_assert_ok(select_rows(s, rows, false, s->exclude, &here));
    const emu_work before = emu.work(EMU_ALL);
    ck_assert_ok(select_rows(s, rows, true, s->exclude, &there));
    const emu_work after = emu.work(EMU_ALL);
    ck_assert_int_eq(alcore_selection_count(here), BUDGET);
    ck_assert_int_eq(alcore_selection_count(there), BUDGET);
    ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(there), 8 * BUDGET);
    ck_assert_mem_eq(alcore_selection_scores(here), alcore_selection_scores(there), 8 * BUDGET);
    alcore_selection_unref(here);
    alcore_selection_unref(there);
    *launches = after.launches - before.launches;
    *waits = waits_of(after) - waits_of(before);
}

static const setting SETTINGS[] = {
    {"idds", "mode", "oneshot", ALCORE_ROLE_LABELED, false, NULL},
    {"idds", "mode", "oneshot", ALCORE_ROLE_LABELED, true, NULL},
    {"idds", "mode", "oneshot", LABELED_ROWS, false, NULL},
    {"idds", "mode", "oneshot", LABELED_ROWS, true, NULL},
    {"idds", "mode", "oneshot", ALCORE_ROLE_CANDIDATES, true, NULL},
    {"average-dist", "metric", "cosine", ALCORE_ROLE_TARGET, true, NULL},
    {"average-dist", "metric", "cosine", ALCORE_ROLE_TARGET, false, "balance_targets"},
    {"average-dist", "sq", "1", ALCORE_ROLE_TARGET, false, NULL},
    {"average-dist", "sq", "1", ALCORE_ROLE_TARGET, true, "balance_targets"}};

START_TEST(three_blocks_cost_as_much_as_one) {
    const setting *s = &SETTINGS[_i];
    uint64_t few, few_waits, most, most_waits;
    count(s, FEW, &few, &few_waits);
    count(s, MOST, &most, &most_waits);
    ck_assert_uint_gt(few, 0);
    ck_assert_uint_eq(most, few);
    ck_assert_uint_eq(most_waits, few_waits);
}
END_TEST

/* Vectors of the labeled rows of three blocks come to the host, and none of them is lost. */
START_TEST(labeled_rows_of_three_blocks_are_collected) {
    static const setting LABELED[] = {{"kcenter", NULL, NULL, ALCORE_ROLE_LABELED, true, NULL},
                                      {"mrs", "sample", "300", ALCORE_ROLE_LABELED, true, NULL},
                                      {"kcenter", NULL, NULL, LABELED_ROWS, false, NULL}};
    uint64_t launches, waits;
    count(&LABELED[_i], MOST, &launches, &waits);
}
END_TEST

/* Without nan=exclude the first of two such rows is named, as it is on the CPU. */
START_TEST(the_first_bad_row_is_named) {
    alcore_selection *none;
    char text[200];
    ck_assert_int_eq(select_rows(&SETTINGS[_i], MOST, false, true, &none), ALCORE_E_DATA);
    snprintf(text, sizeof text, "%s", alcore_last_error());
    ck_assert_ptr_nonnull(strstr(text, "row 5"));
    ck_assert_fails(select_rows(&SETTINGS[_i], MOST, true, true, &none), ALCORE_E_DATA, text);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("sources");
    tcase_add_checked_fixture(tests, setup, teardown);
    const int settings = sizeof SETTINGS / sizeof *SETTINGS;
    tcase_add_loop_test(tests, three_blocks_cost_as_much_as_one, 0, settings);
    tcase_add_loop_test(tests, labeled_rows_of_three_blocks_are_collected, 0, 3);
    tcase_add_test(tests, the_first_bad_row_is_named);
    tcase_add_loop_test(tests, the_first_bad_row_is_named, settings - 2, settings - 1);
    return check_suite_run("cuda-sources", tests);
}
