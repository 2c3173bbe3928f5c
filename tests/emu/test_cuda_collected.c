/* SPDX-License-Identifier: Apache-2.0 */
/* Column writers with the option on_device, which collect what they are given on the second of two
 * emulated devices in memory of it: the column is that of the same arrays in host memory, nothing
 * of the values comes to the host unless it has to, and what cannot stay there goes on in host
 * memory. */
#include <math.h>
#include <stdbool.h>
#include <unistd.h>

#include "device_tensors.h"
#include "host_memory.h"
#include "pool/column.h"
#include "test_folder.h"

enum { ROWS = 300, DIMS = 6, MOST_TOKENS = ROWS * 5, PUTS = 7, PICKS = 9 };

static alcore_ctx *ctx;
static alcore_pool *pools[2]; /* on the host, on cuda:1 */
static alcore_column_writer *writers[2];
static float vectors[ROWS * DIMS], numbers[MOST_TOKENS * DIMS];
static int64_t order[ROWS]; /* in which rows are put: every row once */
static int64_t lengths[ROWS], starts[ROWS + 1];

static void begin_writers(int32_t shape) {
    for (int far = 0; far < 2; far++) {
        alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
        options.on_device = far;
        ck_assert_ok(
            alcore_column_writer_new(pools[far], "embeddings", shape, &options, &writers[far]));
    }
}

static void finish_writers(int32_t missing) {
    for (int far = 0; far < 2; far++) {
        ck_assert_ok(alcore_column_writer_finish(writers[far], missing));
        alcore_column_writer_unref(writers[far]);
        writers[far] = NULL;
    }
}

static void save(alcore_column_writer *writer) {
    char path[TEST_PATH_BYTES];
    test_file_make(path, "collected", "", "");
    ck_assert_ok(alcore_column_writer_save(writer, path));
    unlink(path);
}

static void setup(void) {
    emulated_open(&emu, getenv("EMULATED_CUDA"));
    emu.device(1);
    for (int i = 0; i < ROWS * DIMS; i++) vectors[i] = (float)((i * 7919 % 1000) - 500) / 300.0f;
    for (int i = 0; i < MOST_TOKENS * DIMS; i++) numbers[i] = -(float)(i * 13 % 997) / 3.0f;
    starts[0] = 0;
    for (int i = 0; i < ROWS; i++) {
        order[i] = (i * 31 + 5) % ROWS;
        lengths[i] = i * 7 % 5;
        starts[i + 1] = starts[i] + lengths[i];
    }
    open_context(&ctx);
    for (int far = 0; far < 2; far++) pools[far] = pool_of_texts(ctx, ROWS);
}

static void teardown(void) {
    emu.memory((size_t)-1);
    for (int far = 0; far < 2; far++) {
        alcore_column_writer_unref(writers[far]);
        alcore_pool_unref(pools[far]);
        writers[far] = NULL;
    }
    alcore_ctx_unref(ctx);
    free_taken();
    ck_assert_int_eq(live, 0);
}

/* Puts rows[first .. first + count - 1] with the vectors of these places, of float32, with gaps of
 * one number between vectors of DIMS - 1: to both writers, on the device to the second. */
static alcore_status put_vectors(const int64_t *rows, int64_t first, int64_t count) {
    int64_t shape[] = {count, DIMS - 1}, strides[] = {DIMS, 1};
    alcore_status status = ALCORE_OK;
    for (int far = 0; far < 2 && status == ALCORE_OK; far++) {
        alcore_tensor x = tensor_of(vectors + first * DIMS, ALCORE_FLOAT32, shape, 2);
        if (far && count > 0) x = on_device(x, (size_t)(count * DIMS) * sizeof *vectors);
        x.strides = strides;
        status = alcore_column_writer_put(writers[far], rows + first, NULL, count, &x);
    }
    return status;
}

/* The same of lists of tokens, each with DIMS numbers, without gaps. */
static alcore_status put_tokens(const int64_t *rows, int64_t first, int64_t count) {
    const int64_t tokens = starts[first + count] - starts[first];
    int64_t shape[] = {tokens, DIMS};
    alcore_status status = ALCORE_OK;
    for (int far = 0; far < 2 && status == ALCORE_OK; far++) {
        alcore_tensor x = tensor_of(numbers + starts[first] * DIMS, ALCORE_FLOAT32, shape, 2);
        if (far) x = on_device(x, (size_t)(tokens * DIMS + 1) * sizeof *numbers);
        status = alcore_column_writer_put(writers[far], rows + first, lengths + first, count, &x);
    }
    return status;
}

/* The tokens of the second pool are those of the first, in the same order, and where they should
 * be. */
static void expect_same_tokens(bool on_device) {
    static float found[MOST_TOKENS * DIMS];
    alcore_tensor values[2], ends[2];
    for (int far = 0; far < 2; far++)
        ck_assert_ok(alcore_pool_get_column(pools[far], "embeddings", &values[far], &ends[far]));
    const int64_t *here = ends[0].data, *there_ends = ends[1].data;
    ck_assert_int_eq(values[1].device.type, on_device ? ALCORE_DEVICE_CUDA : ALCORE_DEVICE_CPU);
    ck_assert_int_eq(ends[0].shape[0], ends[1].shape[0]);
    ck_assert_mem_eq(here, there_ends, (size_t)ends[0].shape[0] * sizeof *here);
    const size_t bytes = (size_t)(values[0].shape[0] * DIMS) * sizeof *found;
    if (on_device)
        emu.copy(found, values[1].data, bytes);
    else
        memcpy(found, values[1].data, bytes);
    ck_assert_mem_eq(found, values[0].data, bytes);
}

/* All rows of both pools have the same vectors, those of the second where they should be. */
static void expect_same_vectors(bool on_device) {
    static double found[2][ROWS * (DIMS - 1)];
    int64_t rows[ROWS], shape[] = {ROWS, DIMS - 1};
    for (int i = 0; i < ROWS; i++) rows[i] = i;
    for (int far = 0; far < 2; far++) {
        alcore_tensor out = tensor_of(found[far], ALCORE_FLOAT64, shape, 2);
        ck_assert_ok(alcore_pool_get_column_rows(pools[far], "embeddings", rows, ROWS, &out));
    }
    ck_assert_mem_eq(found[0], found[1], sizeof found[0]);
    ck_assert_int_eq(alcore__column_device(alcore__pool_find_column(pools[1], "embeddings")),
                     on_device ? 1 : -1);
}

static alcore_selection *select_from(alcore_pool *pool) {
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    ck_assert_ok(alcore_request_new(ctx, &request));
    ck_assert_ok(alcore_strategy_new(ctx, "kcenter", &strategy));
    ck_assert_ok(alcore_request_set_strategy(request, strategy));
    alcore_strategy_unref(strategy);
    ck_assert_ok(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool));
    ck_assert_ok(alcore_request_set(request, "budget", "9"));
    ck_assert_ok(alcore_select(request, &selection));
    ck_assert_int_eq(alcore_selection_count(selection), PICKS);
    alcore_request_unref(request);
    return selection;
}

static void expect_same_picks(void) {
    alcore_selection *here = select_from(pools[0]), *far = select_from(pools[1]);
    ck_assert_mem_eq(alcore_selection_rows(here), alcore_selection_rows(far),
                     PICKS * sizeof(int64_t));
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(far), "cuda-emu"));
    alcore_selection_unref(here);
    alcore_selection_unref(far);
}

/* In the order of the pool (0), or in another one (1). */
START_TEST(vectors_stay_on_their_device) {
    int64_t rows[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = _i ? order[i] : i;
    begin_writers(ALCORE_COLUMN_DENSE);
    const uint64_t before = emu.work(1).bytes_out;
    for (int i = 0; i < ROWS; i += ROWS / PUTS + 1) {
        const int count = ROWS - i < ROWS / PUTS + 1 ? ROWS - i : ROWS / PUTS + 1;
        ck_assert_ok(put_vectors(rows, i, count));
        ck_assert_ok(put_vectors(rows, i, 0));
        ck_assert_int_eq(alcore_column_writer_missing_count(writers[1]), ROWS - i - count);
    }
    finish_writers(ALCORE_MISSING_FAIL);
    ck_assert_uint_eq(emu.work(1).bytes_out, before);
    expect_same_vectors(true);
    expect_same_picks();
    ck_assert_str_eq(logged, "");
}
END_TEST

/* Rows that are put again, in the same call and in a later one, keep their first values; some rows
 * are never put. */
START_TEST(repeated_rows_keep_their_first_values) {
    int64_t rows[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = order[i] / 2;
    begin_writers(ALCORE_COLUMN_DENSE);
    ck_assert_ok(put_vectors(rows, 0, ROWS / 2));
    ck_assert_ok(put_vectors(rows, ROWS / 3, ROWS / 2));
    ck_assert_int_gt(alcore_column_writer_repeats(writers[0]), ROWS / 6);
    ck_assert_int_eq(alcore_column_writer_repeats(writers[0]),
                     alcore_column_writer_repeats(writers[1]));
    finish_writers(ALCORE_MISSING_MASK);
    expect_same_vectors(true);
}
END_TEST

/* Lists, some empty, in the order of the pool (0), in another one (1), and some put twice (2). */
START_TEST(tokens_stay_on_their_device) {
    int64_t rows[ROWS];
    for (int i = 0; i < ROWS; i++) rows[i] = _i == 0 ? i : order[i];
    begin_writers(ALCORE_COLUMN_RAGGED_DENSE);
    const uint64_t before = emu.work(1).bytes_out;
    ck_assert_ok(put_tokens(rows, 0, 1)); /* no token at all */
    ck_assert_ok(put_tokens(rows, 1, 40));
    ck_assert_ok(put_tokens(rows, _i == 2 ? 20 : 41, ROWS - (_i == 2 ? 20 : 41)));
    finish_writers(ALCORE_MISSING_FAIL);
    ck_assert_uint_eq(emu.work(1).bytes_out, before);
    expect_same_tokens(true);
    ck_assert_str_eq(logged, "");
}
END_TEST

/* What is put on the host (0), is of another type (1), or is saved (2) brings the values to the
 * host, whatever was put before and is put later. */
START_TEST(values_come_to_the_host) {
    double wide[DIMS - 1] = {0.1, -0.2, 1e300, 0.4, 5};
    int64_t one[] = {1, DIMS - 1};
    begin_writers(ALCORE_COLUMN_DENSE);
    ck_assert_ok(put_vectors(order, 0, 100));
    for (int far = 0; far < 2; far++) {
        alcore_tensor x = _i == 1 ? tensor_of(wide, ALCORE_FLOAT64, one, 2)
                                  : tensor_of(vectors, ALCORE_FLOAT32, one, 2);
        if (_i == 1 && far) x = on_device(x, sizeof wide);
        if (_i == 2)
            save(writers[far]);
        else
            ck_assert_ok(alcore_column_writer_put(writers[far], order + 100, NULL, 1, &x));
    }
    ck_assert_ok(put_vectors(order, 101, ROWS - 101));
    finish_writers(ALCORE_MISSING_MASK);
    expect_same_vectors(false);
}
END_TEST

/* Host memory of a cancelled put is not lost when values come to the host later. */
START_TEST(a_cancelled_put_on_the_host) {
    int64_t shape[] = {ROWS, DIMS};
    const alcore_tensor here = tensor_of(vectors, ALCORE_FLOAT32, shape, 2),
                        far = on_device(here, sizeof vectors);
    begin_writers(ALCORE_COLUMN_DENSE);
    cancel_at = sizeof vectors;
    ck_assert_int_eq(alcore_column_writer_put(writers[1], order, NULL, ROWS, &here),
                     ALCORE_E_CANCELLED);
    cancel_at = SIZE_MAX;
    alcore_ctx_cancel_clear(ctx);
    ck_assert_ok(alcore_column_writer_put(writers[1], order, NULL, ROWS, &far));
    ck_assert_ok(alcore_column_writer_put(writers[1], order, NULL, ROWS, &here));
    ck_assert_int_eq(alcore_column_writer_repeats(writers[1]), ROWS);
    ck_assert_ok(alcore_column_writer_finish(writers[1], ALCORE_MISSING_FAIL));
    ck_assert_int_eq(alcore__column_device(alcore__pool_find_column(pools[1], "embeddings")), -1);
}
END_TEST

/* Too little memory for the first put (0), and for a later one (1): the values are in host memory,
 * and a warning says so. */
START_TEST(too_little_memory_is_told) {
    begin_writers(ALCORE_COLUMN_DENSE);
    if (_i) ck_assert_ok(put_vectors(order, 0, 100));
    emu.memory(8 * sizeof vectors);
    void *rest = emu.memory_new(5 * sizeof vectors);
    ck_assert_ok(put_vectors(order, _i ? 100 : 0, _i ? ROWS - 100 : ROWS));
    emu.memory_free(rest);
    emu.memory((size_t)-1);
    ck_assert_ptr_nonnull(strstr(logged, "column \"embeddings\": 300 rows would leave less than a "
                                         "quarter of the memory of cuda:1 free"));
    finish_writers(ALCORE_MISSING_FAIL);
    expect_same_vectors(false);
}
END_TEST

/* Wherever host memory is missing, a put and the end of a writer leave it as it was, and no memory
 * of the device is lost. */
START_TEST(host_memory_may_be_missing) {
    int failed = 0;
    begin_writers(ALCORE_COLUMN_DENSE);
    ck_assert_ok(put_vectors(order, 0, 60));
    alcore_column_writer_unref(writers[0]);
    for (int64_t n = 1;; n++) {
        int64_t shape[] = {ROWS - 50, DIMS - 1}, strides[] = {DIMS, 1};
        alcore_tensor x = tensor_of(vectors + 50 * DIMS, ALCORE_FLOAT32, shape, 2);
        x = on_device(x, (ROWS - 50) * DIMS * sizeof *vectors);
        x.strides = strides;
        fail_at = n;
        const alcore_status status =
            alcore_column_writer_put(writers[1], order + 50, NULL, ROWS - 50, &x);
        const bool all = fail_at > 0;
        fail_at = 0;
        if (all) ck_assert_ok(status);
        if (all) break;
        if (status == ALCORE_OK) continue; /* it goes on without that memory */
        ck_assert_int_eq(status, ALCORE_E_NOMEM);
        ck_assert_int_eq(alcore_column_writer_missing_count(writers[1]), ROWS - 60);
        failed++;
    }
    ck_assert_int_ge(failed, 2);
    for (int64_t n = 1;; n++) {
        fail_at = n;
        const alcore_status status = alcore_column_writer_finish(writers[1], ALCORE_MISSING_FAIL);
        fail_at = 0;
        if (status == ALCORE_OK) break;
        ck_assert_int_eq(status, ALCORE_E_NOMEM);
        ck_assert_ptr_null(alcore_pool_column_name(pools[1], 0));
        failed++;
    }
    ck_assert_int_ge(failed, 6);
    const int64_t shape_all[] = {ROWS, DIMS - 1};
    int64_t shape[] = {shape_all[0], shape_all[1]}, strides[] = {DIMS, 1};
    alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, shape, 2);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    x.strides = strides;
    options.rows = order;
    options.row_count = ROWS;
    writers[0] = NULL;
    ck_assert_ok(alcore_pool_set_column(pools[0], "embeddings", &x, NULL, &options));
    expect_same_vectors(true);
}
END_TEST

/* Writers that are dropped, finished and brought to the host give their memory back: else the
 * device, which has room for a few columns, would be full. */
START_TEST(memory_comes_back) {
    int64_t shape[] = {ROWS, DIMS};
    alcore_tensor x = on_device(tensor_of(vectors, ALCORE_FLOAT32, shape, 2), sizeof vectors);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.on_device = 1;
    emu.memory(12 * sizeof vectors);
    for (int i = 0; i < 60; i++) {
        alcore_column_writer *writer;
        ck_assert_ok(alcore_column_writer_new(pools[1], "embeddings", ALCORE_COLUMN_DENSE, &options,
                                              &writer));
        ck_assert_ok(alcore_column_writer_put(writer, order, NULL, ROWS, &x));
        if (i % 3 == 0) ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
        if (i % 3 == 1) save(writer);
        alcore_column_writer_unref(writer);
        ck_assert_str_eq(logged, "");
    }
}
END_TEST

/* Only a column writer has the option. */
START_TEST(other_setters_refuse_the_option) {
    int64_t shape[] = {ROWS, DIMS};
    const char *texts[] = {"a"};
    const alcore_tensor x = tensor_of(vectors, ALCORE_FLOAT32, shape, 2);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.on_device = 1;
    ck_assert_fails(alcore_pool_set_column(pools[0], "embeddings", &x, NULL, &options),
                    ALCORE_E_INVALID, "the option on_device is that of a column writer");
    ck_assert_fails(alcore_pool_set_text_column(pools[0], "t", texts, NULL, 1, &options),
                    ALCORE_E_INVALID, "only rows and row_count apply to a column of texts");
    ck_assert_fails(alcore_pool_read_column(pools[0], "t", "none.npy", &options), ALCORE_E_INVALID,
                    "ownership, release_user and on_device do not apply to a column in a file");
}
END_TEST

TEST_FILE() {
    TCase *tests = tcase_create("collected");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, vectors_stay_on_their_device, 0, 2);
    tcase_add_test(tests, repeated_rows_keep_their_first_values);
    tcase_add_loop_test(tests, tokens_stay_on_their_device, 0, 3);
    tcase_add_loop_test(tests, values_come_to_the_host, 0, 3);
    tcase_add_test(tests, a_cancelled_put_on_the_host);
    tcase_add_loop_test(tests, too_little_memory_is_told, 0, 2);
    tcase_add_test(tests, host_memory_may_be_missing);
    tcase_add_test(tests, memory_comes_back);
    tcase_add_test(tests, other_setters_refuse_the_option);
    return check_suite_run("cuda-collected", tests);
}
