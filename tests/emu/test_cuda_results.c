/* SPDX-License-Identifier: Apache-2.0 */
/* Results in the memory of a device, through the public calls: on the second of two emulated
 * devices, so that a device that is dropped on the way is seen. Work that waits in the caller's
 * stream overwrites the arrays before the results come, so that a stream that is dropped is seen.
 * What is written is, to the byte, what the same call writes on the host. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "device_tensors.h"

enum { ROWS = 50, QUERIES = 9, DIMS = 12, K = 3, ITEMS = 6, TOKENS = 5, CLASSES = 11 };

static alcore_ctx *ctx;
static void *stream;
static float vectors[(ROWS + QUERIES) * DIMS];
static int64_t row_shape[] = {ROWS, DIMS}, query_shape[] = {QUERIES, DIMS};

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    stream = emu.stream_new();
    for (int i = 0; i < (ROWS + QUERIES) * DIMS; i++)
        vectors[i] = (float)((i * 7919 % 1000) - 500) / 300.0f;
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    if (stream) emu.stream_free(stream);
    free_taken();
}

/* An array that a call fills, of numbers of 8 bytes: on the host, where each byte is 0x55, or on
 * cuda:1, where a copy that waits in the stream makes them so. */
typedef struct out_array {
    alcore_tensor tensor;
    size_t bytes;
    unsigned char host[8 * ROWS * DIMS];
} out_array;

static const alcore_tensor *out_of(out_array *out, int32_t dtype, int64_t *shape, int32_t ndim,
                                   bool far) {
    out->bytes = 8;
    for (int32_t i = 0; i < ndim; i++) out->bytes *= (size_t)shape[i];
    ck_assert_uint_le(out->bytes, sizeof out->host);
    memset(out->host, 0x55, sizeof out->host);
    out->tensor = tensor_of(out->host, dtype, shape, ndim);
    if (!far) return &out->tensor;
    out->tensor = queued(&out->tensor, out->bytes, 0, stream);
    memset(out->host, 0, sizeof out->host);
    return &out->tensor;
}

/* The bytes of the array in out->host, as work in the stream after the call sees them. */
static void read_out(out_array *out) {
    if (out->tensor.device.type == ALCORE_DEVICE_CPU) return;
    void *copy = there(out->host, out->bytes);
    emu.queue(stream, copy, out->tensor.data, out->bytes);
    ck_assert_int_eq(emu.stream_wait(stream), 0);
    emu.copy(out->host, copy, out->bytes);
}

static void expect_equal(out_array *here, out_array *far, int count) {
    for (int i = 0; i < count; i++) {
        read_out(&far[i]);
        ck_assert_uint_eq(here[i].bytes, far[i].bytes);
        ck_assert_msg(memcmp(here[i].host, far[i].host, here[i].bytes) == 0, "array %d", i);
    }
}

/* ---- searches and analyses ---- */

static alcore_tensor matrices[2];

/* The operands, of which rows are on the device where bit 1 of `places` is set, queries where bit 2
 * is. The stream is that of the rows, whose matrix waits in no stream. */
static void operands(int places, alcore_search_data *rows, alcore_search_data *queries) {
    matrices[0] = tensor_of(vectors + QUERIES * DIMS, ALCORE_FLOAT32, row_shape, 2);
    matrices[1] = tensor_of(vectors, ALCORE_FLOAT32, query_shape, 2);
    if (places & 1) matrices[0] = on_device(matrices[0], sizeof(float) * ROWS * DIMS);
    if (places & 2) matrices[1] = on_device(matrices[1], sizeof(float) * QUERIES * DIMS);
    *rows = (alcore_search_data)ALCORE_SEARCH_DATA_INIT;
    *queries = (alcore_search_data)ALCORE_SEARCH_DATA_INIT;
    rows->matrix = &matrices[0];
    queries->matrix = &matrices[1];
    rows->stream = stream;
}

enum { KNN_OUTS = 4, RATIO_OUTS = 2, PROJECTION_OUTS = 3, SEARCH_OUTS = 10 };

/* Every call that searches, with its arrays on the host, or those on the device whose bit is set in
 * `far`: neighbors both ways, margin ratios, neighborhood, projection. */
static void search(int places, unsigned far, out_array *out) {
    static int64_t of_queries[] = {QUERIES, K}, of_rows[] = {ROWS, K}, queries_only[] = {QUERIES};
    static int64_t correlations[] = {2, 2}, points[] = {ROWS, 2}, others[] = {QUERIES, 2};
    static int64_t components[] = {2, DIMS};
    static double uncertainty[ROWS];
    const int64_t k[] = {1, K};
    alcore_search_data rows, queries;
    alcore_projection_result projection = ALCORE_PROJECTION_RESULT_INIT;
    for (int i = 0; i < ROWS; i++) uncertainty[i] = (double)(i * 37 % 71) / 7.0;
    operands(places, &rows, &queries);
    out_array *o = out;
    ck_assert_ok(alcore_search_knn(ctx, &rows, &queries, K, NULL,
                                   out_of(&o[0], ALCORE_INT64, of_queries, 2, far & 1),
                                   out_of(&o[1], ALCORE_FLOAT64, of_queries, 2, far & 2),
                                   out_of(&o[2], ALCORE_INT64, of_rows, 2, far & 4),
                                   out_of(&o[3], ALCORE_FLOAT64, of_rows, 2, far & 8)));
    queries.stream = stream;
    ck_assert_ok(alcore_search_margin_ratios(
        ctx, &queries, &rows, K, NULL, out_of(&o[4], ALCORE_FLOAT64, queries_only, 1, far & 1),
        out_of(&o[5], ALCORE_INT64, queries_only, 1, far & 2)));
    ck_assert_ok(alcore_analysis_compute_neighborhood(
        ctx, &rows, uncertainty, ROWS, &queries, uncertainty, QUERIES, k, 2, NULL,
        out_of(&o[6], ALCORE_FLOAT64, correlations, 2, far & 1)));
    ck_assert_ok(alcore_analysis_compute_projection(
        ctx, &rows, &queries, NULL, out_of(&o[7], ALCORE_FLOAT64, points, 2, far & 1),
        out_of(&o[8], ALCORE_FLOAT64, others, 2, far & 2),
        out_of(&o[9], ALCORE_FLOAT64, components, 2, far & 4), &projection));
}

/* Rows, queries and results on either side: each array on the device, some of them, all of them. */
START_TEST(searches_write_results_on_the_device) {
    static out_array here[SEARCH_OUTS], far[SEARCH_OUTS];
    const unsigned arrays[] = {1, 2, 15};
    search(0, 0, here);
    for (int i = 0; i < 3; i++) {
        search(_i, arrays[i], far);
        expect_equal(here, far, SEARCH_OUTS);
    }
    ck_assert_int_eq(emu.primary(0), 0);
}
END_TEST

/* A search on the CPU whose results go to a device, in one copy for each array. */
START_TEST(results_of_the_host_are_copied_once) {
    static out_array out[2];
    int64_t shape[] = {QUERIES, K};
    alcore_search_data rows, queries;
    alcore_search_options options = ALCORE_SEARCH_OPTIONS_INIT;
    operands(0, &rows, &queries);
    options.device = "cpu";
    const alcore_tensor *numbers = out_of(&out[0], ALCORE_INT64, shape, 2, true),
                        *values = out_of(&out[1], ALCORE_FLOAT64, shape, 2, true);
    const emu_work before = emu.work(1);
    ck_assert_ok(alcore_search_knn(ctx, &rows, &queries, K, &options, numbers, values, NULL, NULL));
    const emu_work after = emu.work(1);
    ck_assert_uint_eq(after.copies_in - before.copies_in, 2);
    ck_assert_uint_eq(after.bytes_in - before.bytes_in, 2 * 8 * QUERIES * K);
    ck_assert_uint_eq(after.bytes_out, before.bytes_out);
    ck_assert_uint_eq(after.launches, before.launches);
}
END_TEST

/* ---- statistics of tokens ---- */

enum { STATS = 7 };

static float logits[ITEMS * TOKENS * CLASSES];
static int64_t labels[ITEMS * TOKENS];
static int64_t logits_shape[] = {ITEMS, TOKENS, CLASSES}, labels_shape[] = {ITEMS, TOKENS};

/* All statistics of some logits, of which every seventh token is left out: with logits, and with
 * the results, on the host or on the device. time_major: tokens first in memory, so that the rows
 * of the kernel are in another order than the entries of the results. */
static void measure(bool logits_far, unsigned far, bool time_major, out_array *out) {
    static float moved[ITEMS * TOKENS * CLASSES];
    static int64_t strides[] = {CLASSES, ITEMS * CLASSES, 1};
    for (int i = 0; i < ITEMS * TOKENS; i++) {
        const int place = time_major ? i % TOKENS * ITEMS + i / TOKENS : i;
        for (int c = 0; c < CLASSES; c++) {
            logits[i * CLASSES + c] = (float)((i * 31 + c * 17) % 97) / 9.0f;
            moved[place * CLASSES + c] = logits[i * CLASSES + c];
        }
        labels[i] = i % 7 == 3 ? -100 : i % CLASSES;
    }
    alcore_tensor z = tensor_of(moved, ALCORE_FLOAT32, logits_shape, 3);
    alcore_tensor l = tensor_of(labels, ALCORE_INT64, labels_shape, 2);
    if (time_major) z.strides = strides;
    if (logits_far) z = on_device(z, sizeof moved);
    alcore_logits given = ALCORE_LOGITS_INIT;
    alcore_token_stats stats = ALCORE_TOKEN_STATS_INIT;
    given.logits = &z;
    given.labels = &l;
    given.stream = stream;
    stats.logprob = out_of(&out[0], ALCORE_FLOAT64, labels_shape, 2, far & 1);
    stats.top1 = out_of(&out[1], ALCORE_FLOAT64, labels_shape, 2, far & 2);
    stats.top2 = out_of(&out[2], ALCORE_FLOAT64, labels_shape, 2, far & 4);
    stats.margin = out_of(&out[3], ALCORE_FLOAT64, labels_shape, 2, far & 8);
    stats.entropy = out_of(&out[4], ALCORE_FLOAT64, labels_shape, 2, far & 16);
    stats.logsumexp = out_of(&out[5], ALCORE_FLOAT64, labels_shape, 2, far & 32);
    stats.likeliest = out_of(&out[6], ALCORE_INT64, labels_shape, 2, far & 64);
    ck_assert_ok(alcore_logits_measure(ctx, &given, -100, &stats));
}

/* The bytes do not depend on where results go; entries that are left out stay as they are. */
START_TEST(statistics_are_written_on_the_device) {
    static out_array here[STATS], far[STATS];
    const unsigned arrays[] = {1, 64, 2 | 8 | 32, 127};
    const bool logits_far = _i & 1, time_major = _i & 2;
    measure(logits_far, 0, time_major, here);
    int64_t kept, likeliest;
    memcpy(&kept, here[0].host + (size_t)8 * 3, sizeof kept);
    ck_assert_int_eq(kept, INT64_C(0x5555555555555555));
    memcpy(&likeliest, here[6].host, sizeof likeliest);
    ck_assert_int_lt(likeliest, CLASSES);
    for (int i = 0; i < 4; i++) {
        measure(logits_far, arrays[i], time_major, far);
        expect_equal(here, far, STATS);
    }
    ck_assert_int_eq(emu.primary(0), 0);
}
END_TEST

/* Kernels write statistics of logits on the device where they are wanted: none passes through the
 * host, and what comes to it says which row was bad. */
START_TEST(statistics_stay_on_the_device) {
    static out_array out[STATS];
    alcore_token_stats stats = ALCORE_TOKEN_STATS_INIT;
    alcore_logits given = ALCORE_LOGITS_INIT;
    measure(false, 0, false, out); /* fills logits */
    alcore_tensor z = tensor_of(logits, ALCORE_FLOAT32, logits_shape, 3);
    z = on_device(z, sizeof logits);
    given.logits = &z;
    given.stream = stream;
    stats.entropy = out_of(&out[4], ALCORE_FLOAT64, labels_shape, 2, true);
    const emu_work before = emu.work(1);
    ck_assert_ok(alcore_logits_measure(ctx, &given, -100, &stats));
    const emu_work after = emu.work(1);
    ck_assert_uint_le(after.bytes_out - before.bytes_out, 16);
    ck_assert_uint_gt(after.launches, before.launches);
}
END_TEST

/* ---- rows of a column ---- */

START_TEST(rows_of_columns_are_written_on_the_device) {
    static out_array here, far;
    int64_t rows[] = {3, 4, 5, 0, ROWS - 1}, shape[] = {5, DIMS}, all[] = {ROWS, DIMS};
    alcore_pool *pool;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    for (int i = 0; i < ROWS; i++) {
        const char text[] = {'a', (char)('a' + i / 26), (char)('a' + i % 26), '\0'};
        const char *texts[] = {text};
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, all, 2);
    options.ownership = ALCORE_BORROW;
    if (_i) x = on_device(x, sizeof(float) * ROWS * DIMS);
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &x, NULL, &options));
    ck_assert_ok(alcore_pool_get_column_rows(pool, "embeddings", rows, 5,
                                             out_of(&here, ALCORE_FLOAT64, shape, 2, false)));
    /* The call has no stream, and returns when the rows are written. */
    out_of(&far, ALCORE_FLOAT64, shape, 2, false);
    alcore_tensor out = on_device(far.tensor, far.bytes);
    ck_assert_ok(alcore_pool_get_column_rows(pool, "embeddings", rows, 5, &out));
    emu.copy(far.host, out.data, far.bytes);
    ck_assert_int_eq(memcmp(here.host, far.host, far.bytes), 0);
    /* Of a column on cuda:1 to cuda:0: nobody copies between devices in silence. */
    emu.device(0);
    alcore_tensor elsewhere = tensor_of(here.host, ALCORE_FLOAT64, shape, 2);
    elsewhere = on_device(elsewhere, here.bytes);
    elsewhere.device.id = 0;
    if (_i)
        ck_assert_fails(alcore_pool_get_column_rows(pool, "embeddings", rows, 5, &elsewhere),
                        ALCORE_E_INVALID, "out is on cuda:0 and the call on cuda:1");
    else
        ck_assert_ok(alcore_pool_get_column_rows(pool, "embeddings", rows, 5, &elsewhere));
    alcore_pool_unref(pool);
}
END_TEST

/* ---- errors ---- */

/* A search of rows on cuda:1 for two arrays. */
static alcore_status knn(const alcore_tensor *numbers, const alcore_tensor *values) {
    alcore_search_data rows, queries;
    operands(1, &rows, &queries);
    return alcore_search_knn(ctx, &rows, &queries, K, NULL, numbers, values, NULL, NULL);
}

START_TEST(arrays_that_cannot_be_written) {
    static out_array numbers, values;
    int64_t shape[] = {QUERIES, K}, by_columns[] = {1, QUERIES}, gaps[] = {2 * K, 1};
    const alcore_tensor *n = out_of(&numbers, ALCORE_INT64, shape, 2, true);
    const alcore_tensor good = *out_of(&values, ALCORE_FLOAT64, shape, 2, true);
    alcore_tensor bad = good;
    bad.strides = by_columns;
    ck_assert_fails(knn(n, &bad), ALCORE_E_SHAPE,
                    "out_values: the numbers of a row must be adjacent (stride 1), not 9 apart; "
                    "make it contiguous (.contiguous() in PyTorch)");
    bad.strides = gaps;
    ck_assert_fails(knn(n, &bad), ALCORE_E_SHAPE, "without gaps; give a contiguous array");
    bad = good;
    bad.dtype.bits = 32;
    ck_assert_fails(knn(n, &bad), ALCORE_E_SHAPE, "out_values: expected float64, found float32");
    bad = good;
    bad.device.id = 0;
    ck_assert_fails(knn(n, &bad), ALCORE_E_INVALID,
                    "out_values is on cuda:0 and the call on cuda:1; give an array on cuda:1, or "
                    "in host memory");
    bad.device.id = 1;
    emu.device(0);
    bad.data = there(values.host, values.bytes); /* which is said to be on cuda:1 */
    emu.device(1);
    ck_assert_fails(knn(n, &bad), ALCORE_E_INVALID,
                    "out_values is on cuda:1 and cannot be written there; an array in host memory "
                    "can be");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "an array is on cuda:0"));
    bad = tensor_of(values.host, ALCORE_FLOAT64, shape, 2);
    bad.device = good.device; /* memory of the host */
    ck_assert_fails(knn(n, &bad), ALCORE_E_INVALID, "in memory of no device");
    bad = good;
    bad.device.type = 8; /* Metal */
    ck_assert_fails(knn(n, &bad), ALCORE_E_UNSUPPORTED, "device type 8");
    ck_assert_ok(knn(n, &good));
    /* Arrays of a search on the host, on two devices, and a stream of another device than theirs.
     */
    alcore_search_data rows, queries;
    operands(0, &rows, &queries);
    rows.stream = NULL;
    emu.device(0);
    bad = tensor_of(values.host, ALCORE_FLOAT64, shape, 2);
    bad = on_device(bad, values.bytes);
    bad.device.id = 0;
    ck_assert_fails(alcore_search_knn(ctx, &rows, &queries, K, NULL, n, &bad, NULL, NULL),
                    ALCORE_E_INVALID, "out_values is on cuda:0 and out_rows on cuda:1");
    rows.stream = emu.stream_new();
    ck_assert_fails(alcore_search_knn(ctx, &rows, &queries, K, NULL, n, &good, NULL, NULL),
                    ALCORE_E_INVALID, "the stream is of another device");
    emu.stream_free(rows.stream);
}
END_TEST

/* Arrays of calls that compute on the host alone. */
START_TEST(calls_of_the_host_say_so) {
    static out_array counts;
    int64_t shape[] = {1};
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_fails(
        alcore_analysis_count_languages(pool, NULL, 0,
                                        out_of(&counts, ALCORE_INT64, shape, 1, true)),
        ALCORE_E_UNSUPPORTED,
        "out_counts is in the memory of cuda:1, and this call writes host memory: give an array "
        "there and copy it");
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(without_the_module) {
    static out_array numbers, values;
    int64_t shape[] = {QUERIES, K};
    alcore_ctx *bare;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_search_data rows, queries;
    operands(0, &rows, &queries);
    unsetenv("ALCORE_MODULE_DIR");
    options.module_dir = "/nowhere";
    ck_assert_ok(alcore_ctx_new(&options, &bare));
    ck_assert_fails(alcore_search_knn(bare, &rows, &queries, K, NULL,
                                      out_of(&numbers, ALCORE_INT64, shape, 2, true),
                                      out_of(&values, ALCORE_FLOAT64, shape, 2, false), NULL, NULL),
                    ALCORE_E_MODULE, "/nowhere/libalcore-cuda.so");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "an array in host memory can be"));
    alcore_ctx_unref(bare);
}
END_TEST

/* Calls with every outcome leave the thread's context as it was. */
START_TEST(the_context_is_as_before) {
    static out_array numbers, values;
    int64_t shape[] = {QUERIES, K};
    void *own = _i ? emu.context_new(_i - 1) : NULL;
    const alcore_tensor *n = out_of(&numbers, ALCORE_INT64, shape, 2, true);
    const alcore_tensor *v = out_of(&values, ALCORE_FLOAT64, shape, 2, true);
    alcore_tensor bad = *v;
    bad.device.id = 0;
    if (own) emu.context_set(own);
    ck_assert_ok(knn(n, v));
    ck_assert_ptr_eq(emu.context(), own);
    ck_assert_fails(knn(n, &bad), ALCORE_E_INVALID, "");
    ck_assert_ptr_eq(emu.context(), own);
    alcore_ctx_cancel(ctx);
    ck_assert_fails(knn(n, v), ALCORE_E_CANCELLED, "");
    alcore_ctx_cancel_clear(ctx);
    ck_assert_ptr_eq(emu.context(), own);
    ck_assert_int_eq(emu.primary(0), 0);
    emu.context_set(NULL);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("results");
    tcase_set_timeout(tests, 100);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, searches_write_results_on_the_device, 0, 4);
    tcase_add_test(tests, results_of_the_host_are_copied_once);
    tcase_add_loop_test(tests, statistics_are_written_on_the_device, 0, 4);
    tcase_add_test(tests, statistics_stay_on_the_device);
    tcase_add_loop_test(tests, rows_of_columns_are_written_on_the_device, 0, 2);
    tcase_add_test(tests, arrays_that_cannot_be_written);
    tcase_add_test(tests, calls_of_the_host_say_so);
    tcase_add_test(tests, without_the_module);
    tcase_add_loop_test(tests, the_context_is_as_before, 0, 3);
    return check_suite_run("cuda-results", tests);
}
