/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the pool that come to the host as vectors, or are looked at for a NaN, on the emulated
 * device: the host waits for many of them as often as for a few. The embeddings are on the device,
 * and what is selected is what the CPU selects. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "emulated_module.h"

enum { ROWS = 2000, DIMS = 5, BUDGET = 3 };

static emulated_module emu;
static alcore_ctx *ctx;
static float vectors[ROWS * DIMS];

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    uint64_t state = 1;
    for (int i = 0; i < ROWS * DIMS; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        vectors[i] = (float)(state >> 40) / 0x1p23f - 1.0f;
    }
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* A selection: `labeled` rows, every second one from row 0 on, are labeled, and `bad` rows, every
 * fourth one from row `first_bad` on, have a component that is not finite. */
typedef struct setting {
    const char *strategy, *option, *value; /* a parameter and its value; NULL: none */
    const char *nan;
    int labeled, bad, first_bad;
} setting;

static alcore_pool *pool_of(float *values, bool on_device) {
    static char letters[ROWS][12];
    static const char *texts[ROWS];
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_tensor tensor;
    alcore_pool *pool;
    int64_t shape[] = {ROWS, DIMS};
    for (int i = 0; i < ROWS; i++) {
        snprintf(letters[i], sizeof letters[i], "%d", i);
        texts[i] = letters[i];
    }
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, ROWS, NULL));
    options.ownership = ALCORE_BORROW;
    ck_assert_ok(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2));
    if (on_device) tensor.device = (alcore_device){ALCORE_DEVICE_CUDA, 0};
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, &options));
    return pool;
}

/* Selects, and returns the status; *out: the selection, NULL after a failure. */
static alcore_status select_rows(const setting *s, alcore_pool *pool, const char *device,
                                 alcore_selection **out) {
    static int64_t labeled[ROWS];
    alcore_request *request;
    alcore_strategy *strategy;
    char text[16];
    snprintf(text, sizeof text, "%d", BUDGET);
    for (int i = 0; i < s->labeled; i++) labeled[i] = 2 * i;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, s->strategy, &strategy));
    if (s->option) ck_assert_ok(alcore_strategy_set(strategy, s->option, s->value));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    if (s->labeled > 0)
        ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LABELED, labeled, s->labeled));
    ck_assert_ok(alcore_request_set(request, "budget", text));
    ck_assert_ok(alcore_request_set(request, "device", device));
    if (s->nan) ck_assert_ok(alcore_request_set(request, "nan", s->nan));
    *out = NULL;
    alcore_status status = alcore_select(request, out);
    alcore_request_unref(request);
    alcore_strategy_unref(strategy);
    return status;
}

static uint64_t waits_of(emu_work work) {
    return work.stream_waits + work.event_waits + work.device_waits;
}

/* What a selection on the device did; it is the CPU's, or fails with the CPU's message. */
static emu_work work_of(const setting *s) {
    static float values[ROWS * DIMS];
    alcore_selection *here, *there;
    char message[256];
    memcpy(values, vectors, sizeof values);
    for (int b = 0; b < s->bad; b++)
        values[(s->first_bad + 4 * b) * DIMS + 2] = b % 2 ? INFINITY : NAN;
    void *array = emulated_array(&emu, values, sizeof values);
    alcore_pool *host = pool_of(values, false), *device = pool_of(array, true);
    const alcore_status expected = select_rows(s, host, "cpu", &here);
    snprintf(message, sizeof message, "%s", expected ? alcore_last_error() : "");
    const emu_work before = emu.work(EMU_ALL);
    ck_assert_int_eq(select_rows(s, device, "cuda", &there), expected);
    emu_work work = emu.work(EMU_ALL);
    if (expected) {
        ck_assert_str_eq(alcore_last_error(), message);
    } else {
        ck_assert_int_eq(alcore_selection_count(here), BUDGET);
        ck_assert_int_eq(alcore_selection_count(there), BUDGET);
        ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(there), 8 * BUDGET);
        ck_assert_mem_eq(alcore_selection_scores(here), alcore_selection_scores(there), 8 * BUDGET);
    }
    alcore_selection_unref(here);
    alcore_selection_unref(there);
    alcore_pool_unref(host);
    alcore_pool_unref(device);
    emu.memory_free(array);
    work.launches -= before.launches;
    work.stream_waits = waits_of(work) - waits_of(before);
    work.event_waits = work.device_waits = 0;
    printf("# %s: %d labeled, %d bad: %d kernels, %d waits\n", s->strategy, s->labeled, s->bad,
           (int)work.launches, (int)work.stream_waits);
    fflush(stdout);
    return work;
}

/* ---- labeled rows ---- */

/* The rows are collected and widened by two kernels. */
static const setting LABELED[] = {{.strategy = "kcenter"},
                                  {.strategy = "mrs", .option = "metric", .value = "cosine"},
                                  {.strategy = "mrs"}};
enum { LABELED_COUNT = sizeof LABELED / sizeof LABELED[0] };

START_TEST(labeled_rows_come_to_the_host_together) {
    setting s = LABELED[_i];
    s.labeled = 3;
    const emu_work few = work_of(&s);
    s.labeled = 300;
    const emu_work many = work_of(&s);
    ck_assert_uint_le(many.launches, few.launches + 4);
    ck_assert_uint_le(many.stream_waits, few.stream_waits + 4);
}
END_TEST

/* ---- rows that are not finite ---- */

/* Strategies that look for such rows each in another way. */
static const setting BAD[] = {
    {.strategy = "kcenter"}, {.strategy = "idds"}, {.strategy = "bertkm"}};
enum { BAD_COUNT = sizeof BAD / sizeof BAD[0], COMPARED_COUNT = 2 };

/* The last row of thousands is named as fast as the first one would be. */
START_TEST(a_bad_row_is_found_by_its_product) {
    setting s = BAD[_i];
    s.bad = 1;
    s.first_bad = 0;
    const emu_work first = work_of(&s);
    s.first_bad = ROWS - 1;
    const emu_work last = work_of(&s);
    ck_assert_uint_le(last.launches, first.launches + 2);
    ck_assert_uint_le(last.stream_waits, first.stream_waits + 2);
}
END_TEST

/* Hundreds of them are left out. What k-means does afterwards takes another number of passes, so
 * that it is not compared. */
START_TEST(bad_rows_are_looked_at_together) {
    setting s = BAD[_i];
    s.nan = "exclude";
    const emu_work none = work_of(&s);
    s.first_bad = 1;
    s.bad = 300;
    const emu_work many = work_of(&s);
    ck_assert_uint_le(many.launches, none.launches + 16);
    ck_assert_uint_le(many.stream_waits, none.stream_waits + 16);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("labeled");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, labeled_rows_come_to_the_host_together, 0, LABELED_COUNT);
    tcase_add_loop_test(tests, a_bad_row_is_found_by_its_product, 0, BAD_COUNT);
    tcase_add_loop_test(tests, bad_rows_are_looked_at_together, 0, COMPARED_COUNT);
    return check_suite_run("cuda-labeled", tests);
}
