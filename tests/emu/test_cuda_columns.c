/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays on a device as columns of a pool and as operands of a search, through the public calls: on
 * the second of two emulated devices, so that a device that is dropped on the way is seen, and
 * filled by work that waits in the caller's stream, so that a stream that is dropped is seen. What
 * is selected and found is, to the byte, what it is with the same arrays on the host. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_tensors.h"
#include "pool/column.h"
#include "search_calls.h"

enum { ROWS = 70, DIMS = 12, CLASSES = 3, K = 3 };

static alcore_ctx *ctx;
static alcore_pool *host, *device; /* the same texts; columns on the host, and on cuda:1 */
static float vectors[ROWS * DIMS], probs[ROWS * CLASSES];
static double scores[ROWS];
static int64_t dense[] = {ROWS, DIMS}, classes[] = {ROWS, CLASSES}, scalar[] = {ROWS};
static int released;
static uint64_t launches_before[EMU_DEVICES];

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    for (int i = 0; i < ROWS * DIMS; i++) vectors[i] = (float)((i * 7919 % 1000) - 500) / 300.0f;
    for (int i = 0; i < ROWS; i++) {
        scores[i] = (double)(i * 37 % 71) / 7.0;
        for (int c = 0; c < CLASSES; c++)
            probs[i * CLASSES + c] = (float)(1 + (i * 7 + c * 3) % 11);
        float sum = probs[i * CLASSES] + probs[i * CLASSES + 1] + probs[i * CLASSES + 2];
        for (int c = 0; c < CLASSES; c++) probs[i * CLASSES + c] /= sum;
    }
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
    host = pool_of_texts(ctx, ROWS);
    device = pool_of_texts(ctx, ROWS);
    for (int d = 0; d < EMU_DEVICES; d++) launches_before[d] = emu.work(d).launches;
    released = 0;
}

static void teardown(void) {
    alcore_pool_unref(host);
    alcore_pool_unref(device);
    alcore_ctx_unref(ctx);
    free_taken();
}

/* Kernels ran on device 1 since the last call, and none on device 0. */
static void expect_second_device(void) {
    ck_assert_uint_eq(emu.work(0).launches, launches_before[0]);
    ck_assert_uint_gt(emu.work(1).launches, launches_before[1]);
    launches_before[1] = emu.work(1).launches;
}

/* The vectors on cuda:1, which are not there yet. */
static alcore_tensor queued_vectors(void *stream) {
    const alcore_tensor tensor = tensor_of(vectors, ALCORE_FLOAT32, dense, 2);
    return queued(&tensor, sizeof vectors, 0, stream);
}

static void count_release(void *user) {
    (void)user;
    released++;
}

static alcore_status borrow(alcore_pool *pool, const char *name, const alcore_tensor *values,
                            const alcore_tensor *offsets, void *stream) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW;
    options.release = count_release;
    options.stream = stream;
    return alcore_pool_set_column(pool, name, values, offsets, &options);
}

/* Gives both pools the columns that most strategies read. */
static void give_columns(void) {
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, dense, 2);
    alcore_tensor u = tensor_of(scores, ALCORE_FLOAT64, scalar, 1);
    alcore_tensor p = tensor_of(probs, ALCORE_FLOAT32, classes, 2);
    ck_assert_ok(alcore_pool_set_column(host, "embeddings", &x, NULL, NULL));
    ck_assert_ok(alcore_pool_set_column(host, "scores", &u, NULL, NULL));
    ck_assert_ok(alcore_pool_set_column(host, "probs", &p, NULL, NULL));
    x = on_device(x, sizeof vectors);
    u = on_device(u, sizeof scores);
    p = on_device(p, sizeof probs);
    ck_assert_ok(borrow(device, "embeddings", &x, NULL, NULL));
    ck_assert_ok(borrow(device, "scores", &u, NULL, NULL));
    ck_assert_ok(borrow(device, "probs", &p, NULL, NULL));
}

/* ---- strategies ---- */

/* A request for 9 of the rows that are not labeled (every fifth is). */
static alcore_request *request_of(alcore_pool *pool, const char *name) {
    alcore_request *request;
    alcore_strategy *strategy;
    int64_t labeled[ROWS / 5];
    for (int i = 0; i < ROWS / 5; i++) labeled[i] = 5 * i + 2;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, name, &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    if (alcore_strategy_builtin_needs(name, ALCORE_ROLE_TARGET, 0))
        ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_TARGET, pool));
    ck_assert_ok(alcore_request_set_rows(request, ALCORE_ROWS_LABELED, labeled, ROWS / 5));
    ck_assert_ok(alcore_request_set(request, "budget", "9"));
    return request;
}

static alcore_selection *select_from(alcore_pool *pool, const char *name) {
    alcore_request *request = request_of(pool, name);
    alcore_selection *selection;
    ck_assert_ok(alcore_select(request, &selection));
    alcore_request_unref(request);
    return selection;
}

static const char *const STRATEGIES[] = {
    "huds",         "diversity", "idds", "kcenter", "bertkm",          "badge",
    "average-dist", "nnll",      "lc",   "mrs",     "knn-uncertainty", "uncertainty-knn"};

START_TEST(strategies_read_columns_on_their_device) {
    const char *name = STRATEGIES[_i];
    give_columns();
    alcore_selection *here = select_from(host, name), *far = select_from(device, name);
    ck_assert_int_eq(alcore_selection_count(here), 9);
    ck_assert_int_eq(alcore_selection_count(far), 9);
    ck_assert_int_eq(memcmp(alcore_selection_rows(here), alcore_selection_rows(far), 72), 0);
    ck_assert_int_eq(memcmp(alcore_selection_scores(here), alcore_selection_scores(far), 72), 0);
    ck_assert_ptr_null(strstr(alcore_selection_provenance(here), "cuda-emu"));
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(far), "cuda-emu"));
    ck_assert_uint_eq(emu.work(0).launches, launches_before[0]);
    if (strstr(alcore_strategy_builtin_needs(name, ALCORE_ROLE_CANDIDATES, 0), "embeddings"))
        expect_second_device();
    ck_assert_int_eq(emu.primary(0), 0);
    alcore_selection_unref(here);
    alcore_selection_unref(far);
    alcore_pool_unref(device);
    ck_assert_int_eq(released, 3);
    device = pool_of_texts(ctx, ROWS);
}
END_TEST

/* Some columns on the device and some on the host, and the other way round. */
START_TEST(columns_on_both_sides) {
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, dense, 2);
    alcore_tensor u = tensor_of(scores, ALCORE_FLOAT64, scalar, 1);
    give_columns();
    alcore_selection *here = select_from(host, "huds");
    ck_assert_ok(
        alcore_pool_set_column(device, _i ? "scores" : "embeddings", _i ? &u : &x, NULL, NULL));
    alcore_selection *mixed = select_from(device, "huds");
    ck_assert_int_eq(memcmp(alcore_selection_rows(here), alcore_selection_rows(mixed), 72), 0);
    expect_second_device();
    alcore_selection_unref(here);
    alcore_selection_unref(mixed);
}
END_TEST

/* The matrix of a kernel is the caller's memory; a reader on the host gets a copy. */
START_TEST(rows_are_handed_out_in_place) {
    alcore__scratch scratch = {0};
    alcore_sys_rows rows;
    alcore__engine cuda, other, cpu = alcore__engine_cpu(ctx);
    give_columns();
    const alcore__column *column = alcore__pool_find_column(device, "embeddings");
    alcore_tensor values;
    ck_assert_ok(alcore_pool_get_column(device, "embeddings", &values, NULL));
    ck_assert(values.device.type == ALCORE_DEVICE_CUDA && values.device.id == 1);
    ck_assert_ok(alcore__engine_open(ctx, "cuda:1", &cuda));
    ck_assert_ok(alcore__engine_open(ctx, "cuda:0", &other));
    ck_assert_ok(alcore__column_rows_on(column, &cuda, 3, 20, &scratch, &rows));
    ck_assert_ptr_eq(rows.data, (float *)values.data + 3 * DIMS);
    ck_assert(rows.first == 3 && rows.count == 20 && rows.stride == DIMS);
    const alcore__engine *const engines[] = {&other, &cpu};
    for (int e = 0; e < 2; e++) {
        ck_assert_ok(alcore__column_rows_on(column, engines[e], 3, 20, &scratch, &rows));
        ck_assert_int_eq(memcmp(rows.data, vectors + 3 * DIMS, sizeof(float) * 20 * DIMS), 0);
    }
    alcore__scratch_clear(ctx, &scratch);
}
END_TEST

/* ---- streams ---- */

/* The values as the pool has them, which are those of `vectors`. */
static void expect_vectors(const alcore_pool *pool) {
    static double out[ROWS * DIMS];
    int64_t rows[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = i;
    alcore_tensor tensor = tensor_of(out, ALCORE_FLOAT64, dense, 2);
    ck_assert_ok(alcore_pool_get_column_rows(pool, "embeddings", rows, ROWS, &tensor));
    for (int i = 0; i < ROWS * DIMS; i++) ck_assert(out[i] == (double)vectors[i]);
}

/* The work that fills an array waits in the caller's stream until the call waits for it. The stream
 * is gone when the column is read. */
START_TEST(arrays_are_ready_in_the_order_of_the_stream) {
    void *stream = emu.stream_new();
    alcore_tensor values = queued_vectors(stream);
    if (_i == 0) {
        ck_assert_ok(borrow(device, "embeddings", &values, NULL, stream));
    } else {
        alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
        options.stream = stream;
        ck_assert_ok(alcore_pool_set_column(device, "embeddings", &values, NULL, &options));
    }
    emu.stream_free(stream);
    expect_vectors(device);
}
END_TEST

START_TEST(a_writer_takes_arrays_of_its_stream) {
    alcore_column_writer *writer;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    int64_t rows[ROWS];
    void *stream = options.stream = emu.stream_new();
    alcore_tensor values = queued_vectors(stream);
    for (int i = 0; i < ROWS; i++) rows[i] = i;
    ck_assert_ok(
        alcore_column_writer_new(device, "embeddings", ALCORE_COLUMN_DENSE, &options, &writer));
    ck_assert_ok(alcore_column_writer_put(writer, rows, NULL, ROWS, &values));
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    alcore_column_writer_unref(writer);
    emu.stream_free(stream);
    expect_vectors(device);
}
END_TEST

/* ---- what the host reads ---- */

/* The fingerprint of a column in the provenance of a selection. */
static void fingerprint_of(const alcore_selection *selection, char out[64]) {
    const char *found = strstr(alcore_selection_provenance(selection), "fingerprint");
    ck_assert_ptr_nonnull(found);
    snprintf(out, 64, "%.60s", found);
}

START_TEST(fingerprints_and_files_are_those_of_the_host) {
    char here[64], far[64], bytes[2][8192], path[64];
    size_t lengths[2];
    alcore_pool *const pools[] = {host, device};
    give_columns();
    alcore_selection *of_host = select_from(host, "kcenter"),
                     *of_device = select_from(device, "kcenter");
    fingerprint_of(of_host, here);
    fingerprint_of(of_device, far);
    ck_assert_str_eq(here, far);
    alcore_selection_unref(of_host);
    alcore_selection_unref(of_device);
    snprintf(path, sizeof path, "test_cuda_columns.%ld.npy", (long)getpid());
    for (int p = 0; p < 2; p++) {
        ck_assert_ok(alcore_pool_write_column(pools[p], "embeddings", path, NULL));
        FILE *file = fopen(path, "rb");
        ck_assert_ptr_nonnull(file);
        lengths[p] = fread(bytes[p], 1, sizeof bytes[p], file);
        fclose(file);
        remove(path);
    }
    ck_assert_uint_gt(lengths[0], sizeof vectors);
    ck_assert_uint_eq(lengths[0], lengths[1]);
    ck_assert_int_eq(memcmp(bytes[0], bytes[1], lengths[0]), 0);
}
END_TEST

/* Token values on the device, with their offsets there too, are scored there: one number a row
 * comes to the host, and some bytes of counts. */
START_TEST(ragged_columns_are_scored) {
    float logprobs[3 * ROWS];
    int64_t starts[ROWS + 1], tokens = 0, shape[1], offsets_shape[] = {ROWS + 1};
    for (int i = 0; i < ROWS; i++) {
        starts[i] = tokens;
        for (int t = 0; t <= i % 3; t++)
            logprobs[tokens++] = -(float)((i * 13 + t * 5) % 29) / 3.0f;
    }
    starts[ROWS] = shape[0] = tokens;
    alcore_tensor values = tensor_of(logprobs, ALCORE_FLOAT32, shape, 1);
    alcore_tensor offsets = tensor_of(starts, ALCORE_INT64, offsets_shape, 1);
    ck_assert_ok(alcore_pool_set_column(host, "logprobs", &values, &offsets, NULL));
    values = on_device(values, (size_t)tokens * sizeof *logprobs);
    offsets = on_device(offsets, sizeof starts);
    ck_assert_ok(borrow(device, "logprobs", &values, &offsets, NULL));
    const uint64_t copied = emu.work(1).bytes_out;
    alcore_selection *far = select_from(device, "nnll"), *here = select_from(host, "nnll");
    ck_assert_uint_le(emu.work(1).bytes_out - copied, 8 * ROWS + 64);
    ck_assert_int_eq(memcmp(alcore_selection_rows(here), alcore_selection_rows(far), 72), 0);
    ck_assert_int_eq(memcmp(alcore_selection_scores(here), alcore_selection_scores(far), 72), 0);
    /* As a column of scores, by the scorer alone. */
    double out[2][ROWS];
    int64_t all[ROWS];
    alcore_pool *const pools[] = {host, device};
    alcore_scorer *scorer;
    for (int i = 0; i < ROWS; i++) all[i] = i;
    ck_assert_ok(alcore_scorer_new(ctx, "nnll", &scorer));
    for (int p = 0; p < 2; p++) {
        alcore_tensor got = tensor_of(out[p], ALCORE_FLOAT64, scalar, 1);
        ck_assert_ok(alcore_scorer_run(scorer, pools[p], NULL));
        ck_assert_ok(alcore_pool_get_column_rows(pools[p], "scores", all, ROWS, &got));
    }
    ck_assert_int_eq(memcmp(out[0], out[1], sizeof out[0]), 0);
    alcore_scorer_unref(scorer);
    alcore_selection_unref(here);
    alcore_selection_unref(far);
}
END_TEST

/* Integers, which no kernel reads, become host memory. */
START_TEST(integers_are_copied) {
    int64_t numbers[ROWS], rows[] = {0, 33, ROWS - 1}, out[3], three[] = {3};
    for (int i = 0; i < ROWS; i++) numbers[i] = 3 * i - 7;
    alcore_tensor values = tensor_of(numbers, ALCORE_INT64, scalar, 1), view;
    values = on_device(values, sizeof numbers);
    ck_assert_ok(borrow(device, "lengths", &values, NULL, NULL));
    alcore_tensor answer = tensor_of(out, ALCORE_INT64, three, 1);
    ck_assert_ok(alcore_pool_get_column_rows(device, "lengths", rows, 3, &answer));
    ck_assert(out[0] == -7 && out[1] == 92 && out[2] == 3 * (ROWS - 1) - 7);
    ck_assert_ok(alcore_pool_get_column(device, "lengths", &view, NULL));
    ck_assert_int_eq(view.device.type, ALCORE_DEVICE_CPU);
    ck_assert_ok(alcore_pool_drop_column(device, "lengths"));
    ck_assert_int_eq(released, 1);
}
END_TEST

/* Entries in another order than the rows, and rows with gaps between them. */
START_TEST(any_rows_and_strides) {
    static float wide[ROWS * 2 * DIMS];
    int64_t rows[ROWS], strides[] = {2 * DIMS, 1};
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, dense, 2);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    for (int i = 0; i < ROWS; i++) {
        rows[i] = (i * 31 + 5) % ROWS;
        memcpy(wide + (ptrdiff_t)(2 * i * DIMS), vectors + rows[i] * DIMS, DIMS * sizeof *wide);
    }
    ck_assert_ok(alcore_pool_set_column(host, "embeddings", &x, NULL, NULL));
    alcore_tensor gaps = tensor_of(wide, ALCORE_FLOAT32, dense, 2);
    gaps.strides = strides;
    gaps = on_device(gaps, sizeof wide);
    options.ownership = ALCORE_BORROW;
    options.rows = rows;
    options.row_count = ROWS;
    ck_assert_ok(alcore_pool_set_column(device, "embeddings", &gaps, NULL, &options));
    expect_vectors(device);
    alcore_selection *here = select_from(host, "kcenter"), *far = select_from(device, "kcenter");
    ck_assert_int_eq(memcmp(alcore_selection_rows(here), alcore_selection_rows(far), 72), 0);
    alcore_selection_unref(here);
    alcore_selection_unref(far);
}
END_TEST

/* ---- errors ---- */

START_TEST(a_nan_names_its_row) {
    alcore_selection *none;
    vectors[13 * DIMS + 4] = NAN;
    give_columns();
    alcore_request *request = request_of(device, "idds");
    ck_assert_fails(alcore_select(request, &none), ALCORE_E_DATA, "row 13: component 4");
    alcore_request_unref(request);
}
END_TEST

START_TEST(other_devices_are_refused) {
    alcore_selection *none;
    give_columns();
    alcore_request *request = request_of(device, "kcenter");
    ck_assert_ok(alcore_request_set(request, "device", "cpu"));
    ck_assert_fails(alcore_select(request, &none), ALCORE_E_INVALID,
                    "columns: embeddings is on cuda:1 and the call runs on cpu; run it on cuda:1, "
                    "or give a copy in host memory");
    ck_assert_ok(alcore_request_set(request, "device", "cuda:0"));
    ck_assert_fails(alcore_select(request, &none), ALCORE_E_INVALID,
                    "runs on cuda:0; run it on cuda:1, or give a copy in that device's memory");
    ck_assert_ok(alcore_request_set(request, "device", "cuda:1"));
    ck_assert_ok(alcore_select(request, &none));
    alcore_selection_unref(none);
    alcore_request_unref(request);
    /* A column on each device. */
    emu.device(0);
    alcore_tensor u = tensor_of(scores, ALCORE_FLOAT64, scalar, 1);
    u = on_device(u, sizeof scores);
    u.device.id = 0;
    ck_assert_ok(borrow(device, "scores", &u, NULL, NULL));
    request = request_of(device, "huds");
    ck_assert_fails(alcore_select(request, &none), ALCORE_E_INVALID, "copy them to one device");
    alcore_request_unref(request);
}
END_TEST

/* No failure releases the array, and the pool stays as it was. */
START_TEST(arrays_that_cannot_be_read) {
    int64_t columns_first[] = {1, ROWS};
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, dense, 2), bad;
    x = on_device(x, sizeof vectors);
    bad = x;
    bad.device.id = 0;
    ck_assert_fails(borrow(device, "embeddings", &bad, NULL, NULL), ALCORE_E_INVALID,
                    "column \"embeddings\": the array is on cuda:0 and cannot be read there");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "an array is on cuda:1"));
    bad.device.id = 7;
    ck_assert_fails(borrow(device, "embeddings", &bad, NULL, NULL), ALCORE_E_UNSUPPORTED,
                    "no device cuda:7: there are 2");
    bad = x;
    bad.strides = columns_first;
    ck_assert_fails(borrow(device, "embeddings", &bad, NULL, NULL), ALCORE_E_SHAPE, "contiguous");
    bad = x;
    bad.device.type = 8; /* Metal */
    ck_assert_fails(borrow(device, "embeddings", &bad, NULL, NULL), ALCORE_E_UNSUPPORTED,
                    "device type 8");
    emu.device(0);
    void *elsewhere = emu.stream_new();
    ck_assert_fails(borrow(device, "embeddings", &x, NULL, elsewhere), ALCORE_E_INVALID,
                    "the stream is of another device");
    emu.stream_free(elsewhere);
    ck_assert_int_eq(released, 0);
    ck_assert_ptr_null(alcore_pool_column_name(device, 0));
    ck_assert_ok(borrow(device, "embeddings", &x, NULL, NULL));
    expect_vectors(device);
}
END_TEST

START_TEST(without_the_module) {
    alcore_ctx *bare;
    alcore_pool *pool;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    const char *text[] = {"one text"};
    int64_t shape[] = {1, DIMS};
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, shape, 2);
    x = on_device(x, DIMS * sizeof *vectors);
    unsetenv("ALCORE_MODULE_DIR");
    options.module_dir = "/nowhere";
    ck_assert_ok(alcore_ctx_new(&options, &bare));
    ck_assert_ok(alcore_pool_new(bare, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, text, NULL, 1, NULL));
    ck_assert_fails(borrow(pool, "embeddings", &x, NULL, NULL), ALCORE_E_MODULE,
                    "/nowhere/libalcore-cuda.so");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), ".cpu()"));
    ck_assert_int_eq(released, 0);
    alcore_pool_unref(pool);
    alcore_ctx_unref(bare);
}
END_TEST

/* Calls with every outcome leave the thread's context as it was, in a thread that has none and in
 * one whose host has made its own. */
START_TEST(the_context_is_as_before) {
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, dense, 2), bad;
    alcore_selection *selection;
    x = on_device(x, sizeof vectors);
    bad = x;
    bad.device.id = 7;
    void *own = _i ? emu.context_new(_i - 1) : NULL;
    if (own) emu.context_set(own);
    ck_assert_ok(borrow(device, "embeddings", &x, NULL, NULL));
    ck_assert_ptr_eq(emu.context(), own);
    ck_assert_fails(borrow(device, "embeddings", &bad, NULL, NULL), ALCORE_E_UNSUPPORTED, "");
    ck_assert_ptr_eq(emu.context(), own);
    alcore_request *request = request_of(device, "kcenter");
    ck_assert_ok(alcore_select(request, &selection));
    ck_assert_ptr_eq(emu.context(), own);
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(
        alcore_pool_write_column(device, "embeddings", "/nowhere/x.npy", NULL) != ALCORE_OK, 1);
    alcore_ctx_cancel_clear(ctx);
    expect_vectors(device);
    ck_assert_ptr_eq(emu.context(), own);
    ck_assert_int_eq(emu.primary(0), 0);
    emu.context_set(NULL);
    alcore_selection_unref(selection);
    alcore_request_unref(request);
}
END_TEST

/* ---- searches ---- */

enum { QUERIES = 9 };

/* What a search finds. */
typedef struct found {
    int64_t rows[QUERIES * K], others[QUERIES];
    double values[QUERIES * K], ratios[QUERIES];
} found;

/* Searches the rows after the first QUERIES for these, with rows and queries on the host (0) or on
 * the device (1), as matrices or as a column. */
static void search(bool rows_there, bool queries_there, bool column, found *out) {
    int64_t query_shape[] = {QUERIES, DIMS}, row_shape[] = {ROWS - QUERIES, DIMS};
    alcore_tensor q = tensor_of(vectors, ALCORE_FLOAT32, query_shape, 2);
    alcore_tensor r = tensor_of(vectors + QUERIES * DIMS, ALCORE_FLOAT32, row_shape, 2);
    uint8_t mask[ROWS] = {0};
    alcore_search_data rows = ALCORE_SEARCH_DATA_INIT, queries = ALCORE_SEARCH_DATA_INIT;
    void *stream = emu.stream_new();
    memset(mask + QUERIES, 1, ROWS - QUERIES);
    if (queries_there) q = on_device(q, sizeof(float) * QUERIES * DIMS);
    queries.matrix = &q;
    if (column) {
        rows.pool = rows_there ? device : host;
        rows.mask = mask;
        rows.mask_count = ROWS;
    } else if (rows_there) { /* written by work that waits in the stream */
        r = queued_vectors(stream);
        r.shape = row_shape;
        r.byte_offset = sizeof(float) * QUERIES * DIMS;
        rows.stream = stream;
        rows.matrix = &r;
    } else {
        rows.matrix = &r;
    }
    ck_assert_ok(test_knn(ctx, &rows, &queries, K, NULL, out->rows, out->values, NULL, NULL));
    ck_assert_ok(test_margin_ratios(ctx, &queries, &rows, K, NULL, out->ratios, out->others));
    for (int i = 0; column && i < QUERIES; i++) {
        out->others[i] -= QUERIES;
        for (int k = 0; k < K; k++) out->rows[i * K + k] -= QUERIES;
    }
    emu.stream_free(stream);
}

START_TEST(searches_read_arrays_on_their_device) {
    found here, far;
    give_columns();
    search(false, false, false, &here);
    for (int places = 1; places < 4; places++) {
        for (int column = 0; column < 2; column++) {
            memset(&far, 0, sizeof far);
            search(places & 1, places & 2, column, &far);
            ck_assert_int_eq(memcmp(&here, &far, sizeof here), 0);
            expect_second_device();
        }
    }
    ck_assert_int_eq(emu.primary(0), 0);
}
END_TEST

/* Rows of a large column, in two blocks; the first has FIRST_BLOCK of them (search_run.c). */
enum { LARGE = 140000, FIRST_BLOCK = 131072, NARROW = 3, FEW = 4 };
/* The most kernels of a search in double: the check of the queries, and of each of two blocks the
 * check of its rows, a conversion of the queries, one of the rows, the values of all pairs, and the
 * lists; with a filter, 3 chunks in 22 steps, which begin with few rows in each block. */
enum { IN_DOUBLE = 1 + 2 * 5, FILTERED = 1 + 2 * 2 + 3 * 2 + 22 * 2, MOST_WAITS = 12 };

static float large[LARGE * NARROW];

/* A pool whose column "embeddings" is `large` on cuda:1. */
static alcore_pool *large_pool(void) {
    static char text[LARGE][8];
    static const char *texts[LARGE];
    int64_t shape[] = {LARGE, NARROW};
    alcore_pool *pool;
    for (int i = 0; i < LARGE; i++) {
        snprintf(text[i], sizeof *text, "%d", i);
        texts[i] = text[i];
    }
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, LARGE, NULL));
    alcore_tensor x = tensor_of(large, ALCORE_FLOAT32, shape, 2);
    x = on_device(x, sizeof large);
    ck_assert_ok(borrow(pool, "embeddings", &x, NULL, NULL));
    return pool;
}

/* A device has work for microseconds with 8,192 rows and few queries, and each wait takes tens: so
 * the kernels and waits of a search are counted by the block of more rows. A query is nearest to
 * two rows with the same values in each block; the last rows of each are queries, too. */
START_TEST(a_search_of_a_large_column_has_few_blocks) {
    emu.filters(_i);
    static const int rows_of_queries[FEW] = {7, FIRST_BLOCK - 1, FIRST_BLOCK, LARGE - 1};
    int64_t shape[] = {LARGE, NARROW}, few[] = {FEW, NARROW}, rows[2][FEW * K];
    double values[2][FEW * K];
    float query_values[FEW * NARROW];
    uint32_t state = 1;
    for (int i = 0; i < LARGE * NARROW; i++) {
        state = state * 1664525 + 1013904223;
        large[i] = (float)(state >> 8) / (float)(1 << 22) - 2.0f;
    }
    memcpy(large + FIRST_BLOCK * NARROW + 5 * NARROW, large + 7 * NARROW, NARROW * sizeof *large);
    memcpy(large + 8 * NARROW, large + 7 * NARROW, NARROW * sizeof *large);
    for (int q = 0; q < FEW; q++)
        memcpy(query_values + q * NARROW, large + rows_of_queries[q] * NARROW,
               NARROW * sizeof *large);

    alcore_search_data data = ALCORE_SEARCH_DATA_INIT, queries = ALCORE_SEARCH_DATA_INIT;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    alcore_tensor x = tensor_of(large, ALCORE_FLOAT32, shape, 2);
    alcore_tensor q = tensor_of(query_values, ALCORE_FLOAT32, few, 2);
    data.matrix = &x;
    queries.matrix = &q;
    options.device = "cpu";
    ck_assert_ok(test_knn(ctx, &data, &queries, K, &options, rows[0], values[0], NULL, NULL));
    ck_assert_int_eq(rows[0][0], 7);
    ck_assert_int_eq(rows[0][1], 8);
    ck_assert_int_eq(rows[0][2], FIRST_BLOCK + 5);

    alcore_pool *pool = large_pool();
    data = (alcore_search_data)ALCORE_SEARCH_DATA_INIT;
    data.pool = pool;
    const emu_work before = emu.work(1);
    ck_assert_ok(test_knn(ctx, &data, &queries, K, NULL, rows[1], values[1], NULL, NULL));
    const emu_work after = emu.work(1);
    ck_assert_int_eq(memcmp(rows[0], rows[1], sizeof rows[0]), 0);
    ck_assert_int_eq(memcmp(values[0], values[1], sizeof values[0]), 0);
    ck_assert_uint_le(after.launches - before.launches, _i ? FILTERED : IN_DOUBLE);
    ck_assert_uint_le(after.stream_waits + after.event_waits - before.stream_waits -
                          before.event_waits,
                      MOST_WAITS);
    alcore_pool_unref(pool);
    emu.filters(-1);
}
END_TEST

START_TEST(searches_on_other_devices_are_refused) {
    int64_t rows[ROWS * K];
    double values[ROWS * K];
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, dense, 2), y = x;
    alcore_search_data data = ALCORE_SEARCH_DATA_INIT, other = ALCORE_SEARCH_DATA_INIT;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    x = on_device(x, sizeof vectors);
    data.matrix = &x;
    options.device = "cpu";
    ck_assert_fails(test_knn(ctx, &data, &data, K, &options, rows, values, NULL, NULL),
                    ALCORE_E_INVALID, "rows is on cuda:1 and the call runs on cpu");
    emu.device(0);
    y = on_device(y, sizeof vectors);
    y.device.id = 0;
    other.matrix = &y;
    ck_assert_fails(test_knn(ctx, &data, &other, K, NULL, rows, values, NULL, NULL),
                    ALCORE_E_INVALID,
                    "rows is on cuda:1 and queries on cuda:0; copy them to one device");
}
END_TEST

/* Rows of 4 GiB, of which there are none: blocks are sized before a row is read. */
START_TEST(a_row_may_be_longer_than_a_block) {
    int64_t none[] = {0, INT64_C(1) << 30}, row;
    double value;
    alcore_search_data data = ALCORE_SEARCH_DATA_INIT;
    alcore_tensor x = on_device(tensor_of(vectors, ALCORE_FLOAT32, none, 2), sizeof vectors);
    data.matrix = &x;
    ck_assert_ok(test_knn(ctx, &data, &data, K, NULL, &row, &value, NULL, NULL));
}
END_TEST

/* The projection computes on the host, from rows that it copies by strips. */
START_TEST(a_projection_reads_both) {
    double points[2][2 * ROWS];
    int64_t shape[] = {ROWS, 2};
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, dense, 2);
    for (int far = 0; far < 2; far++) {
        alcore_search_data data = ALCORE_SEARCH_DATA_INIT;
        alcore_tensor out = tensor_of(points[far], ALCORE_FLOAT64, shape, 2);
        if (far) x = on_device(x, sizeof vectors);
        data.matrix = &x;
        ck_assert_ok(
            alcore_analysis_compute_projection(ctx, &data, NULL, NULL, &out, NULL, NULL, NULL));
    }
    ck_assert_int_eq(memcmp(points[0], points[1], sizeof points[0]), 0);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("columns");
    tcase_set_timeout(tests, 100);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, strategies_read_columns_on_their_device, 0,
                        sizeof STRATEGIES / sizeof *STRATEGIES);
    tcase_add_loop_test(tests, columns_on_both_sides, 0, 2);
    tcase_add_test(tests, rows_are_handed_out_in_place);
    tcase_add_loop_test(tests, arrays_are_ready_in_the_order_of_the_stream, 0, 2);
    tcase_add_test(tests, a_writer_takes_arrays_of_its_stream);
    tcase_add_test(tests, fingerprints_and_files_are_those_of_the_host);
    tcase_add_test(tests, ragged_columns_are_scored);
    tcase_add_test(tests, integers_are_copied);
    tcase_add_test(tests, any_rows_and_strides);
    tcase_add_test(tests, a_nan_names_its_row);
    tcase_add_test(tests, other_devices_are_refused);
    tcase_add_test(tests, arrays_that_cannot_be_read);
    tcase_add_test(tests, without_the_module);
    tcase_add_loop_test(tests, the_context_is_as_before, 0, 3);
    tcase_add_test(tests, searches_read_arrays_on_their_device);
    check_suite_add_sample(tests, a_search_of_a_large_column_has_few_blocks, 2, 2);
    tcase_add_test(tests, searches_on_other_devices_are_refused);
    tcase_add_test(tests, a_row_may_be_longer_than_a_block);
    tcase_add_test(tests, a_projection_reads_both);
    return check_suite_run("cuda-columns", tests);
}
