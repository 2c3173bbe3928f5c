/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of several wide blocks have found is read at once: strategies that pick row
 * after row, and draws by weight, where a wide block ends at row 1,048,576, and of k-means earlier.
 * The selection is the CPU's, also where no row has a weight, and where the device has no memory
 * for a copy of the rows. On emulated devices, whose kernels, waits and copies are counted. Few
 * rows of the pool are candidates, which are copied to the device, so that the emulation need not
 * do much. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "emulated_module.h"

/* Rows of two wide blocks, of which the second begins at row SECOND. Every SPARSE-th of the first
 * is a candidate, and about as many of the second, so that rows are picked in both. */
enum { SECOND = 1 << 20, ROWS = SECOND + 8192 + 100, SPARSE = 9973, FEW = 2, MANY = 6 };
enum { DIMS = 3, CLASSES = 2 };

static emulated_module emu;
static alcore_ctx *ctx;
static float vectors[ROWS * DIMS], probs[ROWS * CLASSES], scores[ROWS];

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* Values of `rows` rows; with `distinct` those of the first rows again and again. */
static void fill_rows(int rows, int distinct) {
    uint64_t state = 1;
    for (int i = 0; i < rows; i++) {
        const int before = i - distinct;
        for (int j = 0; j < DIMS; j++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            vectors[i * DIMS + j] = distinct && before >= 0 ? vectors[before * DIMS + j]
                                                            : (float)(state >> 40) / 0x1p23f - 1.0f;
        }
        probs[i * CLASSES] = 0.25f + (float)((distinct ? i % distinct : i) % 97) / 200.0f;
        probs[i * CLASSES + 1] = 1.0f - probs[i * CLASSES];
        scores[i] = (float)(i / 7 % 101) / 50.0f;
    }
}

static void set_column(alcore_pool *pool, const char *name, float *data, int64_t rows,
                       int64_t dims) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_tensor tensor;
    int64_t shape[] = {rows, dims};
    options.ownership = ALCORE_BORROW;
    ck_assert_ok(alcore_tensor_init(&tensor, data, ALCORE_FLOAT32, shape, 2));
    ck_assert_ok(alcore_pool_set_column(pool, name, &tensor, NULL, &options));
}

/* A request for every `sparse`-th row from `first` on, and for every `sparse / 100`-th from SECOND
 * on. */
typedef struct request {
    const char *strategy, *option, *value; /* a parameter and its value; NULL: none */
    bool scored;                           /* the pool has scores in the place of probabilities */
    int rows, first, sparse;
} request;

static alcore_pool *pool_of(const request *r) {
    static char letters[ROWS][12];
    static const char *texts[ROWS];
    alcore_pool *pool;
    for (int i = 0; i < r->rows; i++) {
        snprintf(letters[i], sizeof letters[i], "%d", i);
        texts[i] = letters[i];
    }
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, r->rows, NULL));
    set_column(pool, "embeddings", vectors, r->rows, DIMS);
    if (r->scored)
        set_column(pool, "scores", scores, r->rows, 1);
    else
        set_column(pool, "probs", probs, r->rows, CLASSES);
    return pool;
}

static alcore_selection *select_rows(const request *r, alcore_pool *pool, const char *device,
                                     int budget) {
    static int64_t eligible[ROWS];
    alcore_request *made;
    alcore_strategy *strategy;
    alcore_selection *selection;
    int64_t count = 0;
    char text[16];
    snprintf(text, sizeof text, "%d", budget);
    for (int i = r->first; i < r->rows; i++)
        if (i % (i < SECOND ? r->sparse : r->sparse / 100 + 1) == 0) eligible[count++] = i;
    ck_assert_ok(alcore_request_new(ctx, &made));
    ck_assert_ok(alcore_strategy_new(ctx, r->strategy, &strategy));
    if (r->option) ck_assert_ok(alcore_strategy_set(strategy, r->option, r->value));
    if (r->scored && strcmp(r->option, "k_clusters") != 0)
        ck_assert_ok(alcore_strategy_set(strategy, "k_clusters", "2"));
    ck_assert_ok(alcore_request_set_strategy(made, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set_pool(made, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set_rows(made, ALCORE_ROWS_ELIGIBLE, eligible, count));
    ck_assert_ok(alcore_request_set(made, "budget", text));
    ck_assert_ok(alcore_request_set(made, "device", device));
    ck_assert_ok(alcore_select(made, &selection));
    alcore_request_unref(made);
    return selection;
}

/* MANY rows are the same on the CPU and on the device, and so are their scores. */
static void check_rows(const request *r, alcore_pool *pool) {
    alcore_selection *here = select_rows(r, pool, "cpu", MANY),
                     *there = select_rows(r, pool, "cuda", MANY);
    ck_assert_int_eq(alcore_selection_count(here), MANY);
    ck_assert_int_eq(alcore_selection_count(there), MANY);
    ck_assert_int_eq(memcmp(alcore_selection_rows(here), alcore_selection_rows(there), 8 * MANY),
                     0);
    ck_assert_int_eq(
        memcmp(alcore_selection_scores(here), alcore_selection_scores(there), 8 * MANY), 0);
    int64_t in_second = 0;
    for (int i = 0; i < MANY; i++) in_second += alcore_selection_rows(here)[i] >= SECOND;
    ck_assert_int_eq(in_second > 0, r->rows > SECOND);
    ck_assert_int_eq(in_second < MANY, r->first < SECOND);
    alcore_selection_unref(here);
    alcore_selection_unref(there);
}

/* launches: of a pick, those of docs/gpu.md for each wide block that has candidates, which the
 * first one has not in the last cases. The host waits once; a fraction is for waits that come once
 * in many picks, when pinned memory for small copies has been used up. */
static const struct {
    request r;
    double launches;     /* 0: not counted */
    unsigned long draws; /* launches of the kernel that draws, in a selection of MANY rows */
} QUEUED[] = {{{"idds", NULL, NULL, false, ROWS, 0, SPARSE}, 2 * 3, 0},
              {{"kcenter", NULL, NULL, false, ROWS, 0, SPARSE}, 2 * 3, 0},
              {{"badge", NULL, NULL, false, ROWS, 0, SPARSE}, 2 * 3, 10},
              {{"bertkm", NULL, NULL, false, ROWS, 0, SPARSE}, 0, 20},
              {{"huds", "n_strata", "3", true, ROWS, 0, SPARSE}, 0, 12},
              {{"idds", NULL, NULL, false, ROWS, SECOND, SPARSE}, 3, 0},
              {{"kcenter", NULL, NULL, false, ROWS, SECOND, SPARSE}, 3, 0},
              {{"badge", NULL, NULL, false, ROWS, SECOND, SPARSE}, 3, 5}};
enum { QUEUED_COUNT = sizeof QUEUED / sizeof QUEUED[0] };

START_TEST(a_pick_waits_once_for_all_wide_blocks) {
    const request *r = &QUEUED[_i].r;
    emu_work work[3];
    fill_rows(r->rows, 0);
    alcore_pool *pool = pool_of(r);
    uint64_t draws = emu.kernel("draw_rows_kernel").launches;
    check_rows(r, pool);
    draws = emu.kernel("draw_rows_kernel").launches - draws;
    for (int i = 0; i < 3; i++) {
        work[i] = emu.work(EMU_ALL);
        if (i < 2) alcore_selection_unref(select_rows(r, pool, "cuda", i ? MANY : FEW));
    }
    alcore_pool_unref(pool);
    /* What MANY picks did beyond FEW, per pick. */
#define PER_PICK(count)                                                                            \
    (((double)(work[2].count - work[1].count) - (double)(work[1].count - work[0].count)) /         \
     (MANY - FEW))
    const double launches = PER_PICK(launches), copies = PER_PICK(copies_out),
                 waits = PER_PICK(stream_waits) + PER_PICK(event_waits) + PER_PICK(device_waits);
    printf("# %s: %.2f kernels, %.2f waits and %.2f copies to the host a pick, %lu draws\n",
           r->strategy, launches, waits, copies, (unsigned long)draws);
    fflush(stdout);
    ck_assert_uint_eq(draws, QUEUED[_i].draws);
    if (QUEUED[_i].launches == 0) return;
    ck_assert_double_eq(launches, QUEUED[_i].launches);
    ck_assert_double_ge(waits, 1.0);
    ck_assert_double_le(waits, 1.5);
    ck_assert_double_le(copies, 1.1);
}
END_TEST

/* Rows of which all but a few are duplicates of others: when these have been drawn no row has a
 * weight, and the first that is left is next. The device says so, and the host finds it. */
static const request REPEATED[] = {{"badge", NULL, NULL, false, 700, 0, 1},
                                   {"bertkm", NULL, NULL, false, 700, 0, 1},
                                   {"huds", "n_strata", "2", true, 700, 0, 1}};
enum { REPEATED_COUNT = sizeof REPEATED / sizeof REPEATED[0] };

START_TEST(rows_without_a_weight_are_taken_in_order) {
    for (int distinct = 2; distinct <= 3; distinct++) {
        fill_rows(REPEATED[_i].rows, distinct);
        alcore_pool *pool = pool_of(&REPEATED[_i]);
        check_rows(&REPEATED[_i], pool);
        alcore_pool_unref(pool);
    }
}
END_TEST

/* ---- no memory for a copy of the candidates ---- */

/* Where the vectors of a pool are. */
enum {
    FEW_ROWS,      /* on the device, of fewer than half of the rows: read through the host */
    ANOTHER_ORDER, /* there, of all rows, and there is no memory to put them in order: likewise */
    ON_THE_HOST,
    PLACES
};
enum { SHORT_ROWS = 700, SHORT_SPARSE = 3, CANDIDATES = SHORT_ROWS / SHORT_SPARSE + 1 };

/* values: arrays of 8 bytes a row, beside a mask or two, that go to the device with the rows for
 * each pick; 0: not counted. */
static const struct {
    request r;
    int values;
} SHORT[] = {{{"idds", NULL, NULL, false, SHORT_ROWS, 0, SHORT_SPARSE}, 5},
             {{"kcenter", NULL, NULL, false, SHORT_ROWS, 0, SHORT_SPARSE}, 2},
             {{"badge", NULL, NULL, false, SHORT_ROWS, 0, SHORT_SPARSE}, 0},
             {{"bertkm", NULL, NULL, false, SHORT_ROWS, 0, SHORT_SPARSE}, 0},
             {{"huds", "k_clusters", "9", true, SHORT_ROWS, 0, SHORT_SPARSE}, 0}};
enum { SHORT_COUNT = sizeof SHORT / sizeof SHORT[0] };

/* Of MEMORY bytes less than a quarter is free beside BALLAST, so that nothing is kept there. */
enum { MEMORY = 4 << 20, BALLAST = MEMORY / 8 * 7 };

/* Gives the pool the vectors on the device, last row first, those of the candidates alone or of all
 * rows. The result is memory of the device, the caller's. */
static void *give_vectors(alcore_pool *pool, int place) {
    static float given[SHORT_ROWS * DIMS];
    static int64_t rows[SHORT_ROWS];
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_tensor tensor;
    int64_t shape[] = {0, DIMS};
    for (int64_t i = SHORT_ROWS; i-- > 0;) {
        if (place == FEW_ROWS && i % SHORT_SPARSE != 0) continue;
        memcpy(given + shape[0] * DIMS, vectors + i * DIMS, DIMS * sizeof *given);
        rows[shape[0]++] = i;
    }
    void *there = emulated_array(&emu, given, sizeof given);
    ck_assert_ok(alcore_tensor_init(&tensor, there, ALCORE_FLOAT32, shape, 2));
    tensor.device = (alcore_device){ALCORE_DEVICE_CUDA, 0};
    options.ownership = ALCORE_BORROW;
    options.rows = rows;
    options.row_count = shape[0];
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, &options));
    return there;
}

/* A selection on the device; *copied: bytes that it copied there. */
static alcore_selection *select_there(const request *r, alcore_pool *pool, int budget,
                                      uint64_t *copied) {
    const uint64_t before = emu.work(EMU_ALL).bytes_in;
    alcore_selection *selection = select_rows(r, pool, "cuda", budget);
    *copied = emu.work(EMU_ALL).bytes_in - before;
    return selection;
}

/* Rows that are read through the host get a copy in host memory, of the candidates alone; others
 * are read where they are, with a mask. Either way they go to the device once for each pick, and
 * the row that a kernel finds is the same row of the pool as on the CPU. With memory for a copy
 * there they go once in all. */
START_TEST(rows_that_the_device_has_no_memory_for) {
    const request *r = &SHORT[_i / PLACES].r;
    const int place = _i % PLACES, values = SHORT[_i / PLACES].values;
    const int rows = place == ON_THE_HOST ? SHORT_ROWS : CANDIDATES;
    const double most = rows * (DIMS * sizeof *vectors + 8.0 * values + 2.0) + 64.0;
    uint64_t copied[2], copied_for_few;
    void *array = NULL;
    fill_rows(SHORT_ROWS, 0);
    alcore_pool *pool = pool_of(r);
    alcore_selection *here = select_rows(r, pool, "cpu", MANY);
    emu.memory(MEMORY);
    void *ballast = emu.memory_new(BALLAST);
    if (place != ON_THE_HOST) array = give_vectors(pool, place);
    for (int enough = 0; enough < 2; enough++) {
        if (enough) emu.memory((size_t)2 * MEMORY);
        alcore_selection_unref(select_there(r, pool, FEW, &copied_for_few));
        alcore_selection *there = select_there(r, pool, MANY, &copied[enough]);
        const double per_pick =
            ((double)copied[enough] - (double)copied_for_few) / (double)(MANY - FEW);
        ck_assert_int_eq(alcore_selection_count(there), MANY);
        ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(there), 8 * MANY);
        ck_assert_mem_eq(alcore_selection_scores(here), alcore_selection_scores(there), 8 * MANY);
        if (values > 0) ck_assert_double_le(per_pick, enough ? 64.0 : most);
        alcore_selection_unref(there);
    }
    ck_assert_uint_gt(copied[0], copied[1] + CANDIDATES * DIMS * sizeof *vectors);
    emu.memory((size_t)-1);
    emu.memory_free(ballast);
    alcore_selection_unref(here);
    alcore_pool_unref(pool);
    if (array) emu.memory_free(array);
}
END_TEST

/* Strategies that draw, for a pool of one block: what was found begins behind an odd number of
 * totals, one for each sequence of draws. */
static const request ODD[] = {{"badge", NULL, NULL, false, SHORT_ROWS, 0, 1},
                              {"bertkm", NULL, NULL, false, SHORT_ROWS, 0, 1},
                              {"huds", "n_strata", "3", true, SHORT_ROWS, 0, 1}};
enum { ODD_COUNT = sizeof ODD / sizeof ODD[0] };

/* Rows that are used where they are, on the device. What all visits have found is there too, and
 * written in place, so that nothing is copied inside the device; without memory for it the host
 * draws. */
START_TEST(draws_where_the_rows_are) {
    const request *r = &ODD[_i];
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_tensor tensor;
    int64_t shape[] = {SHORT_ROWS, DIMS};
    uint64_t draws[2], totals[2]; /* launches */
    fill_rows(SHORT_ROWS, 0);
    alcore_pool *pool = pool_of(r);
    alcore_selection *here = select_rows(r, pool, "cpu", MANY);
    emu.memory(MEMORY);
    void *there = emulated_array(&emu, vectors, SHORT_ROWS * DIMS * sizeof *vectors);
    void *ballast = emu.memory_new(BALLAST);
    ck_assert_ok(alcore_tensor_init(&tensor, there, ALCORE_FLOAT32, shape, 2));
    tensor.device = (alcore_device){ALCORE_DEVICE_CUDA, 0};
    options.ownership = ALCORE_BORROW;
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &tensor, NULL, &options));
    for (int enough = 0; enough < 2; enough++) {
        if (enough) emu.memory((size_t)2 * MEMORY);
        const uint64_t within = emu.work(EMU_ALL).bytes_within,
                       draws_before = emu.kernel("draw_rows_kernel").launches,
                       totals_before = emu.kernel("run_totals_kernel").launches;
        alcore_selection *found = select_rows(r, pool, "cuda", MANY);
        draws[enough] = emu.kernel("draw_rows_kernel").launches - draws_before;
        totals[enough] = emu.kernel("run_totals_kernel").launches - totals_before;
        ck_assert_uint_eq(emu.work(EMU_ALL).bytes_within, within);
        ck_assert_int_eq(alcore_selection_count(found), MANY);
        ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(found), 8 * MANY);
        ck_assert_mem_eq(alcore_selection_scores(here), alcore_selection_scores(found), 8 * MANY);
        alcore_selection_unref(found);
    }
    /* For a draw by the host the weights of the block that it hit are added up once more. */
    ck_assert_uint_gt(draws[0], 0);
    ck_assert_uint_gt(draws[1], 0);
    ck_assert_uint_eq(totals[0], totals[1] + draws[0]);
    emu.memory((size_t)-1);
    emu.memory_free(ballast);
    alcore_selection_unref(here);
    alcore_pool_unref(pool);
    emu.memory_free(there);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("queued");
    tcase_set_timeout(tests, 150);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, a_pick_waits_once_for_all_wide_blocks, 0, QUEUED_COUNT);
    check_suite_add_sample(tests, rows_without_a_weight_are_taken_in_order, REPEATED_COUNT, 3);
    tcase_add_loop_test(tests, rows_that_the_device_has_no_memory_for, 0, SHORT_COUNT * PLACES);
    tcase_add_loop_test(tests, draws_where_the_rows_are, 0, ODD_COUNT);
    return check_suite_run("cuda-queued", tests);
}
