/* SPDX-License-Identifier: Apache-2.0 */
/* Column writers that are given arrays on a device, the second of two emulated ones: the column is
 * the one of the same arrays in host memory, which never has more of them than what the column
 * keeps and a block. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_tensors.h"
#include "host_memory.h"

/* Values of float64: 3 MiB of them, three times the block that is copied at a time. */
enum { ROWS = 6000, DIMS = 64, TOKENS = 70, BLOCK_BYTES = 1 << 20 };

static alcore_ctx *ctx;
static void *stream;
static double values[ROWS * DIMS];
static int64_t rows[ROWS], lengths[ROWS];

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    stream = emu.stream_new();
    open_context(&ctx);
    for (int i = 0; i < ROWS * DIMS; i++) values[i] = (double)(i % 10007 * 13 % 10007) / 3.0;
    for (int i = 0; i < ROWS; i++) rows[i] = (int64_t)i * 4999 % ROWS; /* any order, each once */
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    if (stream) emu.stream_free(stream);
    free_taken();
    ck_assert_int_eq(live, 0);
}

/* The tensor, or the same one on cuda:1, where a copy that waits in the stream writes it. */
static alcore_tensor tensor_at(bool far, void *data, int32_t dtype, int64_t *shape, int32_t ndim,
                               size_t bytes) {
    const alcore_tensor tensor = tensor_of(data, dtype, shape, ndim);
    return far ? queued(&tensor, bytes, 0, stream) : tensor;
}

static alcore_column_writer *new_writer(alcore_pool *pool, int32_t shape) {
    alcore_column_writer *writer;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.stream = stream;
    ck_assert_ok(alcore_column_writer_new(pool, "values", shape, &options, &writer));
    return writer;
}

/* Vectors with gaps between them, in two puts, of which the second repeats rows of the first. */
START_TEST(vectors_come_in_blocks) {
    static double found[2][ROWS * (DIMS - 1)];
    static int64_t sorted[ROWS];
    long long most[2];
    for (int i = 0; i < ROWS; i++) sorted[i] = i;
    for (int far = 0; far < 2; far++) {
        int64_t shape[] = {ROWS, DIMS - 1}, strides[] = {DIMS, 1}, half[] = {ROWS / 2, DIMS - 1};
        alcore_pool *pool = pool_of_texts(ctx, ROWS);
        alcore_column_writer *writer = new_writer(pool, ALCORE_COLUMN_DENSE);
        alcore_tensor all = tensor_at(far, values, ALCORE_FLOAT64, shape, 2, sizeof values), part;
        all.strides = strides;
        part = all;
        part.shape = half;
        ck_assert_ok(alcore_column_writer_put(writer, rows + ROWS / 4, NULL, ROWS / 2, &part));
        ck_assert_int_eq(alcore_column_writer_missing_count(writer), ROWS / 2);
        peak = live;
        const uint64_t copied = emu.work(1).bytes_out;
        const long long before = live;
        ck_assert_ok(alcore_column_writer_put(writer, rows, NULL, ROWS, &all));
        most[far] = peak - before;
        if (far) {
            ck_assert_uint_le(emu.work(1).bytes_out - copied, sizeof values);
            ck_assert_uint_ge(emu.work(1).bytes_out - copied, sizeof values / 3);
        }
        ck_assert_int_eq(alcore_column_writer_repeats(writer), ROWS / 2);
        ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
        alcore_column_writer_unref(writer);
        alcore_tensor out = tensor_at(false, found[far], ALCORE_FLOAT64, shape, 2, 0);
        ck_assert_ok(alcore_pool_get_column_rows(pool, "values", sorted, ROWS, &out));
        alcore_pool_unref(pool);
    }
    ck_assert_mem_eq(found[0], found[1], sizeof found[0]);
    ck_assert_double_eq(found[1][(size_t)rows[0] * (DIMS - 1) + 5], values[5]);
    ck_assert_int_le(most[1], most[0] + BLOCK_BYTES);
}
END_TEST

/* Lists of numbers, some longer than a block of their array, in a narrower type. */
START_TEST(lists_come_in_blocks) {
    static float narrow[ROWS * TOKENS], found[2][ROWS * TOKENS];
    int64_t total[] = {0};
    memset(lengths, 0, sizeof lengths);
    lengths[0] = 300000; /* more than a block has */
    total[0] = lengths[0];
    for (int i = 1; i < ROWS; i++) total[0] += lengths[i] = i % 7 * 3;
    ck_assert_int_le(total[0], ROWS * TOKENS);
    for (int i = 0; i < ROWS * TOKENS; i++) narrow[i] = (float)(i * 31 % 1009) / 7.0f;
    for (int far = 0; far < 2; far++) {
        alcore_pool *pool = pool_of_texts(ctx, ROWS);
        alcore_column_writer *writer = new_writer(pool, ALCORE_COLUMN_RAGGED);
        alcore_tensor all = tensor_at(far, narrow, ALCORE_FLOAT32, total, 1, sizeof narrow), column;
        ck_assert_ok(alcore_column_writer_put(writer, rows, lengths, ROWS, &all));
        ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
        alcore_column_writer_unref(writer);
        ck_assert_ok(alcore_pool_get_column(pool, "values", &column, NULL));
        ck_assert_int_eq(column.shape[0], total[0]);
        memcpy(found[far], column.data, (size_t)total[0] * sizeof *narrow);
        alcore_pool_unref(pool);
    }
    ck_assert_mem_eq(found[0], found[1], (size_t)total[0] * sizeof *narrow);
}
END_TEST

/* Two halves of an array, each written by work that waits in a stream of its own, of which none is
 * that of the writer. The streams are gone when the column is read. */
START_TEST(each_put_has_its_stream) {
    int64_t shape[] = {ROWS / 2, DIMS}, all_shape[] = {ROWS, DIMS};
    static double found[ROWS * DIMS];
    static int64_t sorted[ROWS];
    alcore_pool *pool = pool_of_texts(ctx, ROWS);
    alcore_column_writer *writer = new_writer(pool, ALCORE_COLUMN_DENSE);
    void *of_writer = stream;
    for (int half = 0; half < 2; half++) {
        stream = emu.stream_new();
        alcore_tensor part = tensor_at(true, values + (ptrdiff_t)(half * (ROWS / 2) * DIMS),
                                       ALCORE_FLOAT64, shape, 2, sizeof values / 2);
        ck_assert_ok(alcore_column_writer_put_in_stream(writer, rows + half * (ROWS / 2), NULL,
                                                        ROWS / 2, &part, stream));
        emu.stream_free(stream);
    }
    stream = of_writer;
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    alcore_column_writer_unref(writer);
    alcore_tensor out = tensor_at(false, found, ALCORE_FLOAT64, all_shape, 2, 0);
    for (int i = 0; i < ROWS; i++) sorted[i] = i;
    ck_assert_ok(alcore_pool_get_column_rows(pool, "values", sorted, ROWS, &out));
    for (int i = 0; i < ROWS; i++)
        ck_assert_mem_eq(found + rows[i] * DIMS, values + (ptrdiff_t)(i * DIMS),
                         DIMS * sizeof *values);
    alcore_pool_unref(pool);
}
END_TEST

/* A stream of another device puts nothing, and leaves the calling thread's context as it was. */
START_TEST(a_stream_of_another_device_is_refused) {
    int64_t shape[] = {ROWS, DIMS};
    alcore_pool *pool = pool_of_texts(ctx, ROWS);
    alcore_column_writer *writer = new_writer(pool, ALCORE_COLUMN_DENSE);
    alcore_tensor all = tensor_at(true, values, ALCORE_FLOAT64, shape, 2, sizeof values);
    emu.device(0);
    void *elsewhere = emu.stream_new(), *context = emu.context();
    ck_assert_fails(alcore_column_writer_put_in_stream(writer, rows, NULL, ROWS, &all, elsewhere),
                    ALCORE_E_INVALID,
                    "column \"values\": the array is on cuda:1 and cannot be read there");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "the stream is of another device"));
    ck_assert_ptr_eq(emu.context(), context);
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), ROWS);
    ck_assert_ok(alcore_column_writer_put_in_stream(writer, rows, NULL, ROWS, &all, stream));
    ck_assert_ptr_eq(emu.context(), context);
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 0);
    emu.stream_free(elsewhere);
    alcore_column_writer_unref(writer);
    alcore_pool_unref(pool);
}
END_TEST

/* A call that is cancelled while values are copied puts nothing, and can be repeated. */
START_TEST(a_cancelled_put_is_repeated) {
    int64_t shape[] = {ROWS, DIMS};
    double found[DIMS];
    const int64_t wanted[] = {rows[7]};
    alcore_pool *pool = pool_of_texts(ctx, ROWS);
    alcore_column_writer *writer = new_writer(pool, ALCORE_COLUMN_DENSE);
    alcore_tensor all = tensor_at(true, values, ALCORE_FLOAT64, shape, 2, sizeof values);
    cancel_at = BLOCK_BYTES - DIMS * sizeof(double);
    ck_assert_int_eq(alcore_column_writer_put(writer, rows, NULL, ROWS, &all), ALCORE_E_CANCELLED);
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), ROWS);
    cancel_at = SIZE_MAX;
    alcore_ctx_cancel_clear(ctx);
    ck_assert_ok(alcore_column_writer_put(writer, rows, NULL, ROWS, &all));
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    alcore_column_writer_unref(writer);
    int64_t one[] = {1, DIMS};
    alcore_tensor out = tensor_at(false, found, ALCORE_FLOAT64, one, 2, 0);
    ck_assert_ok(alcore_pool_get_column_rows(pool, "values", wanted, 1, &out));
    ck_assert_mem_eq(found, values + 7 * DIMS, sizeof found);
    alcore_pool_unref(pool);
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("writers");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, vectors_come_in_blocks);
    tcase_add_test(tests, lists_come_in_blocks);
    tcase_add_test(tests, each_put_has_its_stream);
    tcase_add_test(tests, a_stream_of_another_device_is_refused);
    tcase_add_test(tests, a_cancelled_put_is_repeated);
    return check_suite_run("cuda-writers", tests);
}
