/* SPDX-License-Identifier: Apache-2.0 */
/* Columns that are written row by row, in any order, by several threads and processes. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "pool/column.h"
#include "pool/column_builder.h"
#include "pool_test.h"
#include "test_folder.h"

static alcore_ctx *ctx;
static alcore_pool *pool;
static alcore_column_writer *writer;

static void setup(void) {
    ctx = test_ctx();
    pool = test_pool_of(ctx, 5);
    writer = NULL;
}

static void teardown(void) {
    alcore_column_writer_unref(writer);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static alcore_status put(alcore_column_writer *to, const int64_t *rows, int64_t count, void *data,
                         int32_t dtype, int64_t value_rows, int64_t dims, const int64_t *lengths) {
    int64_t shape[] = {value_rows, dims};
    alcore_tensor values;
    ck_assert_ok(alcore_tensor_init(&values, data, dtype, shape, dims > 0 ? 2 : 1));
    return alcore_column_writer_put(to, rows, lengths, count, &values);
}

static const int64_t all_rows[] = {0, 1, 2, 3, 4};

START_TEST(any_order) {
    float numbers[] = {40, 41, 0, 1, 20, 21, 99, 99, 10, 11, 30, 31};
    const int64_t first[] = {4, 0, 2}, second[] = {2, 1, 3};
    const int64_t first_missing[] = {1, 3, -1};
    int64_t missing[] = {9, 9, 9, 9}, room = 3;
    double out[10];
    alcore_tensor view;
    ck_assert_ok(alcore_column_writer_new(pool, "embeddings", ALCORE_COLUMN_DENSE, NULL, &writer));
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 5);
    ck_assert_ok(put(writer, first, 3, numbers, ALCORE_FLOAT32, 3, 2, NULL));
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 2);
    ck_assert_ok(alcore_tensor_init(&view, missing, ALCORE_INT64, &room, 1));
    ck_assert_ok(alcore_column_writer_missing(writer, &view));
    for (int i = 0; i < 3; i++) ck_assert_int_eq(missing[i], first_missing[i]);
    ck_assert_int_eq(missing[3], 9); /* behind the tensor's three entries */
    view.ndim = 2;
    view.shape = (int64_t[]){1, 3};
    ck_assert_fails(alcore_column_writer_missing(writer, &view), ALCORE_E_SHAPE, "out");
    ck_assert_ok(alcore_tensor_init(&view, missing, ALCORE_FLOAT64, &room, 1));
    ck_assert_fails(alcore_column_writer_missing(writer, &view), ALCORE_E_SHAPE, "int64");
    ck_assert_fails(alcore_column_writer_missing(writer, NULL), ALCORE_E_INVALID, "out");
    ck_assert_fails(alcore_column_writer_missing(NULL, &view), ALCORE_E_INVALID, "writer");
    ck_assert_int_eq(missing[0], 1);
    ck_assert_fails(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL), ALCORE_E_MISSING,
                    "2 rows; the first of them is row 1");
    ck_assert_ok(put(writer, second, 3, numbers + 6, ALCORE_FLOAT32, 3, 2, NULL));
    ck_assert_int_eq(alcore_column_writer_repeats(writer), 1);
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    ck_assert_ok(test_column_rows(pool, "embeddings", all_rows, 5, out));
    for (int i = 0; i < 10; i++) ck_assert_double_eq(out[i], i / 2 * 10 + i % 2);
    ck_assert_ok(alcore_pool_get_column(pool, "embeddings", &view, NULL));
    ck_assert_int_eq(view.shape[1], 2);
    ck_assert_fails(put(writer, first, 3, numbers, ALCORE_FLOAT32, 3, 2, NULL), ALCORE_E_INVALID,
                    "finished");
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 0);
    ck_assert_ok(alcore_tensor_init(&view, missing, ALCORE_INT64, &room, 1));
    ck_assert_fails(alcore_column_writer_missing(writer, &view), ALCORE_E_INVALID, "finished");
}
END_TEST

START_TEST(ragged_any_order) {
    float tokens[] = {30, 31, 32, 10, 0, 1};
    const int64_t rows[] = {3, 2, 1, 0}, lengths[] = {3, 0, 1, 2}, last[] = {4}, none[] = {0};
    alcore_tensor view, offsets;
    ck_assert_ok(alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL, &writer));
    ck_assert_fails(put(writer, rows, 4, tokens, ALCORE_FLOAT32, 6, 0, NULL), ALCORE_E_INVALID,
                    "lengths must not be NULL");
    ck_assert_fails(put(writer, rows, 4, tokens, ALCORE_FLOAT32, 5, 0, lengths), ALCORE_E_SHAPE,
                    "expected 6 tokens (the sum of lengths), found 5");
    ck_assert_ok(put(writer, rows, 4, tokens, ALCORE_FLOAT32, 6, 0, lengths));
    ck_assert_ok(put(writer, last, 1, tokens, ALCORE_FLOAT32, 0, 0, none));
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    ck_assert_ok(alcore_pool_get_column(pool, "logprobs", &view, &offsets));
    const float expected[] = {0, 1, 10, 30, 31, 32};
    const int64_t starts[] = {0, 2, 3, 3, 6, 6};
    ck_assert_mem_eq(view.data, expected, sizeof expected);
    ck_assert_mem_eq(offsets.data, starts, sizeof starts);
}
END_TEST

START_TEST(kinds_of_numbers_and_strides) {
    /* A transposed float16 matrix, then float64: what was stored is widened. */
    uint16_t half[] = {0x3C00, 0x4000, 0x4200, 0x4400}; /* 1 2 3 4, column by column */
    double wide[] = {0.1, 0.2};
    int64_t shape[] = {2, 2}, strides[] = {1, 2}, wide_shape[] = {1, 2}, reversed[] = {2, -1};
    const int64_t rows[] = {1, 0}, third[] = {2};
    alcore_tensor values;
    double out[6];
    ck_assert_ok(alcore_column_writer_new(pool, "e", ALCORE_COLUMN_DENSE, NULL, &writer));
    ck_assert_ok(alcore_tensor_init(&values, half, ALCORE_FLOAT16, shape, 2));
    values.strides = strides;
    ck_assert_ok(alcore_column_writer_put(writer, rows, NULL, 2, &values));
    ck_assert_ok(alcore_tensor_init(&values, wide, ALCORE_FLOAT64, wide_shape, 2));
    values.strides = reversed;
    values.byte_offset = sizeof(double);
    ck_assert_ok(alcore_column_writer_put(writer, third, NULL, 1, &values));
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_MASK));
    ck_assert_ok(test_column_rows(pool, "e", all_rows, 3, out));
    const double expected[] = {2, 4, 1, 3, 0.2, 0.1};
    ck_assert_mem_eq(out, expected, sizeof expected);
    const uint32_t states[] = {0, 0, 0, ALCORE_ROW_MISSING, ALCORE_ROW_MISSING};
    ck_assert_mem_eq(alcore_pool_states(pool), states, sizeof states);
    const alcore__column *column = alcore__pool_find_column(pool, "e");
    ck_assert(alcore__column_has(column, 2) && !alcore__column_has(column, 3));
    ck_assert_int_eq(column->dtype, ALCORE_FLOAT64);
}
END_TEST

START_TEST(masked_rows_are_not_waited_for) {
    const int64_t masked[] = {1, 3}, rows[] = {4, 0, 2};
    float numbers[] = {4, 0, 2};
    double out[5];
    ck_assert_ok(alcore_column_writer_new(pool, "s", ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, masked, 2));
    ck_assert_ok(put(writer, rows, 3, numbers, ALCORE_FLOAT32, 3, 0, NULL));
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 0);
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    ck_assert_ok(test_column_rows(pool, "s", all_rows, 5, out));
    for (int i = 0; i < 5; i += 2) ck_assert_double_eq(out[i], i);
    ck_assert(isnan(out[1]) && isnan(out[3]));
}
END_TEST

START_TEST(refused_values) {
    float numbers[12] = {0};
    int64_t integers[5] = {0};
    const int64_t outside[] = {0, 5}, minus[] = {-1, 4}, rows[] = {0, 1};
    alcore_column_writer *other;
    ck_assert_fails(alcore_column_writer_new(pool, "", 0, NULL, &other), ALCORE_E_INVALID, "name");
    ck_assert_fails(alcore_column_writer_new(pool, "x", 4, NULL, &other), ALCORE_E_INVALID,
                    "shape");
    ck_assert_fails(alcore_column_writer_new(NULL, "x", 0, NULL, &other), ALCORE_E_INVALID, "pool");
    ck_assert_fails(alcore_column_writer_put(NULL, rows, NULL, 1, NULL), ALCORE_E_INVALID, "NULL");
    ck_assert_ok(alcore_column_writer_new(pool, "e", ALCORE_COLUMN_DENSE, NULL, &writer));
    ck_assert_fails(put(writer, outside, 2, numbers, ALCORE_FLOAT32, 2, 2, NULL),
                    ALCORE_E_NOT_FOUND, "no row 5");
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 5); /* nothing was taken */
    ck_assert_fails(put(writer, minus, 2, numbers, ALCORE_FLOAT32, 2, 2, NULL), ALCORE_E_NOT_FOUND,
                    "-1");
    ck_assert_fails(put(writer, rows, 2, numbers, ALCORE_FLOAT32, 3, 2, NULL), ALCORE_E_SHAPE,
                    "expected 2 rows of values, found 3");
    ck_assert_fails(put(writer, rows, 2, numbers, ALCORE_FLOAT32, 2, 0, NULL), ALCORE_E_SHAPE,
                    "1 dimension");
    ck_assert_fails(put(writer, rows, 2, integers, ALCORE_UINT64, 2, 2, NULL), ALCORE_E_SHAPE,
                    "int32 or int64, found uint64");
    ck_assert_fails(put(writer, rows, 2, numbers, ALCORE_FLOAT32, 2, 2, rows), ALCORE_E_INVALID,
                    "must be NULL");
    ck_assert_ok(put(writer, rows, 1, numbers, ALCORE_FLOAT32, 1, 3, NULL));
    ck_assert_fails(put(writer, rows, 2, numbers, ALCORE_FLOAT32, 2, 2, NULL), ALCORE_E_SHAPE,
                    "expected 3 values of each row, found 2");
    ck_assert_fails(alcore_column_writer_finish(writer, 2), ALCORE_E_INVALID, "missing");
}
END_TEST

START_TEST(nothing_given) {
    double out[5];
    ck_assert_ok(alcore_column_writer_new(pool, "r", ALCORE_COLUMN_RAGGED_DENSE, NULL, &writer));
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_MASK));
    const alcore__column *column = alcore__pool_find_column(pool, "r");
    ck_assert(column->ragged);
    alcore__scratch scratch = {0};
    alcore_sys_ragged block;
    ck_assert_ok(column->ops->ragged(column, 0, 5, &scratch, &block));
    ck_assert_int_eq(block.offsets[5] - block.offsets[0], 0);
    alcore__scratch_clear(ctx, &scratch);
    alcore_column_writer_unref(writer);
    ck_assert_ok(alcore_column_writer_new(pool, "s", ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL)); /* all are masked */
    ck_assert_ok(test_column_rows(pool, "s", all_rows, 5, out));
    for (int i = 0; i < 5; i++) ck_assert(isnan(out[i]));
}
END_TEST

/* ---- threads ---- */

enum { THREADS = 4, ROWS = 2000 };

static void *put_some(void *data) {
    const int64_t thread = (int64_t)(intptr_t)data;
    for (int64_t row = ROWS - 1; row >= 0; row--) {
        /* Every row is put by two threads, with the same value. */
        if (row % THREADS != thread && (row + 1) % THREADS != thread) continue;
        float numbers[3] = {(float)row, (float)row + 0.5f, (float)thread * 0};
        int64_t shape[] = {row % 3 + 1}, length = row % 3 + 1;
        alcore_tensor values;
        if (alcore_tensor_init(&values, numbers, ALCORE_FLOAT32, shape, 1) != ALCORE_OK ||
            alcore_column_writer_put(writer, &row, &length, 1, &values) != ALCORE_OK)
            return "put failed";
        if (row % 100 == 0) alcore_column_writer_missing_count(writer);
    }
    return NULL;
}

START_TEST(many_threads) {
    pthread_t threads[THREADS];
    alcore_pool_unref(pool);
    pool = test_pool_of(ctx, ROWS);
    ck_assert_ok(alcore_column_writer_new(pool, "logprobs", ALCORE_COLUMN_RAGGED, NULL, &writer));
    for (intptr_t i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, put_some, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failure;
        pthread_join(threads[i], &failure);
        ck_assert_ptr_null(failure);
    }
    ck_assert_int_eq(alcore_column_writer_repeats(writer), ROWS);
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    alcore_tensor view, offsets;
    ck_assert_ok(alcore_pool_get_column(pool, "logprobs", &view, &offsets));
    const int64_t *starts = offsets.data;
    for (int64_t row = 0; row < ROWS; row++) {
        ck_assert_int_eq(starts[row + 1] - starts[row], row % 3 + 1);
        ck_assert_float_eq(((const float *)view.data)[starts[row]], (float)row);
    }
}
END_TEST

/* ---- files ---- */

START_TEST(writers_merge) {
    const int32_t shape = _i == 0 ? ALCORE_COLUMN_DENSE : ALCORE_COLUMN_RAGGED;
    const int64_t first[] = {4, 1}, second[] = {1, 0, 2, 3}, lengths[] = {2, 2, 2, 2};
    const int64_t dims = _i == 0 ? 2 : 0, per_row = _i == 0 ? 1 : 2;
    float low[] = {40, 41, 10, 11};
    double high[] = {-1, -1, 0, 1, 20, 21, 30, 31};
    const char *path = test_path(_i == 0 ? "dense.alcol" : "ragged.alcol");
    alcore_column_writer *part;
    ck_assert_ok(alcore_column_writer_new(pool, "c", shape, NULL, &part));
    ck_assert_ok(put(part, first, 2, low, ALCORE_FLOAT32, 2 * per_row, dims, _i ? lengths : NULL));
    ck_assert_ok(alcore_column_writer_save(part, path));
    alcore_column_writer_unref(part);
    ck_assert_ok(alcore_column_writer_new(pool, "c", shape, NULL, &part));
    ck_assert_ok(
        put(part, second, 4, high, ALCORE_FLOAT64, 4 * per_row, dims, _i ? lengths : NULL));
    const char *other_path = test_path("other.alcol");
    ck_assert_ok(alcore_column_writer_save(part, other_path));
    alcore_column_writer_unref(part);

    ck_assert_ok(alcore_column_writer_new(pool, "c", shape, NULL, &writer));
    ck_assert_ok(alcore_column_writer_merge(writer, path));
    ck_assert_ok(alcore_column_writer_merge(writer, other_path));
    ck_assert_int_eq(alcore_column_writer_repeats(writer), 1);
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    alcore_tensor view;
    ck_assert_ok(alcore_pool_get_column(pool, "c", &view, NULL));
    for (int i = 0; i < 10; i++)
        ck_assert_double_eq(((const double *)view.data)[i], i / 2 * 10 + i % 2);
}
END_TEST

START_TEST(files_that_do_not_fit) {
    const char *path = test_path("saved.alcol");
    const int64_t rows[] = {2};
    float number[] = {2};
    alcore_column_writer *part;
    ck_assert_ok(alcore_column_writer_new(pool, "c", ALCORE_COLUMN_SCALAR, NULL, &part));
    ck_assert_ok(put(part, rows, 1, number, ALCORE_FLOAT32, 1, 0, NULL));
    ck_assert_ok(alcore_column_writer_save(part, path));
    alcore_column_writer_unref(part);
    ck_assert_ok(alcore_column_writer_new(pool, "d", ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_fails(alcore_column_writer_merge(writer, path), ALCORE_E_SHAPE,
                    "expected column \"d\", found \"c\"");
    alcore_column_writer_unref(writer);
    ck_assert_ok(alcore_column_writer_new(pool, "c", ALCORE_COLUMN_DENSE, NULL, &writer));
    ck_assert_fails(alcore_column_writer_merge(writer, path), ALCORE_E_SHAPE, "shape 1");
    alcore_column_writer_unref(writer);
    alcore_pool *other = test_pool_of(ctx, 6);
    ck_assert_ok(alcore_column_writer_new(other, "c", ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_fails(alcore_column_writer_merge(writer, path), ALCORE_E_SHAPE, "another pool");
    ck_assert_fails(alcore_column_writer_merge(writer, test_path("none")), ALCORE_E_IO, "none");
    ck_assert_fails(alcore_column_writer_merge(writer, NULL), ALCORE_E_INVALID, "path");
    ck_assert_fails(alcore_column_writer_save(writer, "/no/such/folder/x"), ALCORE_E_IO,
                    "/no/such");
    alcore_pool_unref(other);
}
END_TEST

START_TEST(damaged_files) {
    /* Every byte flipped, every length cut: refused, and the writer is as it was. */
    char path[512], damaged[512];
    snprintf(path, sizeof path, "%s", test_path("whole.alcol"));
    snprintf(damaged, sizeof damaged, "%s", test_path("damaged.alcol"));
    const int64_t rows[] = {2, 0}, lengths[] = {2, 1};
    float tokens[] = {1, 2, 3};
    char bytes[1024], copy[1024] = {0};
    ck_assert_ok(alcore_column_writer_new(pool, "c", ALCORE_COLUMN_RAGGED, NULL, &writer));
    ck_assert_ok(put(writer, rows, 2, tokens, ALCORE_FLOAT32, 3, 0, lengths));
    ck_assert_ok(alcore_column_writer_save(writer, path));
    FILE *file = fopen(path, "rb");
    const size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ck_assert_uint_eq(length, 80 + 1 + 16 + 16 + 12 + 8);
    alcore_column_writer_unref(writer);
    ck_assert_ok(alcore_column_writer_new(pool, "c", ALCORE_COLUMN_RAGGED, NULL, &writer));
    for (size_t i = 0; i < length; i++) {
        memcpy(copy, bytes, length);
        copy[i] = (char)(copy[i] ^ 0x41);
        test_file("damaged.alcol", copy, length);
        const alcore_status status = alcore_column_writer_merge(writer, damaged);
        const alcore_status expected = i >= 8 && i < 12 ? ALCORE_E_UNSUPPORTED : ALCORE_E_CORRUPT;
        ck_assert_msg(status == expected, "byte %zu: %s", i, alcore_last_error());
        test_file("damaged.alcol", bytes, i);
        ck_assert_int_eq(alcore_column_writer_merge(writer, damaged), ALCORE_E_CORRUPT);
    }
    test_file("damaged.alcol", copy, length + 1);
    ck_assert_int_eq(alcore_column_writer_merge(writer, damaged), ALCORE_E_CORRUPT);
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 5);
    ck_assert_ok(alcore_column_writer_merge(writer, path));
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 3);
}
END_TEST

START_TEST(integers) {
    int64_t numbers[] = {40, 0, ((int64_t)1 << 53) + 1};
    int32_t narrow[] = {INT32_MIN, 30};
    float floats[] = {1};
    const int64_t first[] = {4, 0, 2}, second[] = {1, 3};
    alcore_tensor view;
    ck_assert_ok(
        alcore_column_writer_new(pool, "occurrences", ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_fails(put(writer, first, 1, floats, ALCORE_FLOAT32, 1, 0, NULL), ALCORE_E_SHAPE,
                    "expected int32 or int64, found float32");
    ck_assert_ok(put(writer, first, 3, numbers, ALCORE_INT64, 3, 0, NULL));
    ck_assert_ok(put(writer, second, 2, narrow, ALCORE_INT32, 2, 0, NULL));
    /* A part file carries integers too. */
    alcore_column_writer *other;
    const char *path = test_path("integers.part");
    ck_assert_ok(alcore_column_writer_save(writer, path));
    ck_assert_ok(alcore_column_writer_new(pool, "occurrences", ALCORE_COLUMN_SCALAR, NULL, &other));
    ck_assert_ok(alcore_column_writer_merge(other, path));
    ck_assert_ok(alcore_column_writer_finish(other, ALCORE_MISSING_FAIL));
    alcore_column_writer_unref(other);
    ck_assert_ok(alcore_pool_get_column(pool, "occurrences", &view, NULL));
    ck_assert_int_eq(view.dtype.code, ALCORE_KIND_INT);
    const int64_t expected[] = {0, INT64_MIN, ((int64_t)1 << 53) + 1, 30, 40};
    ck_assert_mem_eq(view.data, expected, sizeof expected);
    /* One column holds integers or floats. */
    ck_assert_ok(alcore_column_writer_new(pool, "mixed", ALCORE_COLUMN_SCALAR, NULL, &other));
    ck_assert_ok(put(other, first, 1, floats, ALCORE_FLOAT32, 1, 0, NULL));
    ck_assert_fails(put(other, second, 1, numbers, ALCORE_INT64, 1, 0, NULL), ALCORE_E_SHAPE,
                    "expected floating-point values as in the values before, found int64");
    alcore_column_writer_unref(other);
}
END_TEST

/* What open_and_use() found: the calls on the writer whose call it is in. */
static alcore_status within[5];

static alcore_status open_and_use(void *user, const char *path, int32_t mode, void **out) {
    alcore_column_writer *used = *(alcore_column_writer **)user;
    double value = 1;
    int64_t missing[1], shape[] = {1};
    alcore_tensor rows;
    (void)path, (void)mode, (void)out;
    ck_assert_ok(alcore_tensor_init(&rows, missing, ALCORE_INT64, shape, 1));
    within[0] = put(used, all_rows, 1, &value, ALCORE_FLOAT64, 1, 0, NULL);
    within[1] = alcore_column_writer_missing(used, &rows);
    within[2] = alcore_column_writer_save(used, "again");
    within[3] = alcore_column_writer_merge(used, "again");
    within[4] = alcore_column_writer_finish(used, ALCORE_MISSING_MASK);
    ck_assert_int_eq(alcore_column_writer_missing_count(used), 4);
    return ALCORE_E_IO;
}

static alcore_status never_called(void *user, void *file) {
    (void)user, (void)file;
    return ALCORE_E_INTERNAL;
}

static alcore_status never_written(void *user, void *file, const void *data, size_t bytes) {
    (void)data, (void)bytes;
    return never_called(user, file);
}

static alcore_status never_renamed(void *user, const char *from, const char *to) {
    (void)user, (void)from, (void)to;
    return ALCORE_E_INTERNAL;
}

/* A callback of a call on a writer cannot use the writer: its calls answer ALCORE_E_BUSY and do not
 * wait for the call that they are in. */
START_TEST(a_callback_cannot_use_its_writer) {
    alcore_column_writer *made;
    const alcore_files files = {.size = sizeof files,
                                .user = &made,
                                .open = open_and_use,
                                .write = never_written,
                                .close = never_called,
                                .rename = never_renamed};
    const alcore_ctx_options options = {.size = sizeof options, .files = &files};
    alcore_ctx *own;
    double value = 1;
    ck_assert_ok(alcore_ctx_new(&options, &own));
    alcore_pool *rows = test_pool_of(own, 5);
    ck_assert_ok(alcore_column_writer_new(rows, "scores", ALCORE_COLUMN_SCALAR, NULL, &made));
    ck_assert_ok(put(made, all_rows, 1, &value, ALCORE_FLOAT64, 1, 0, NULL));
    ck_assert_int_eq(alcore_column_writer_save(made, "first"), ALCORE_E_IO);
    for (int i = 0; i < 5; i++) ck_assert_int_eq(within[i], ALCORE_E_BUSY);
    ck_assert_ok(alcore_column_writer_finish(made, ALCORE_MISSING_MASK));
    alcore_column_writer_unref(made);
    alcore_pool_unref(rows);
    alcore_ctx_unref(own);
}
END_TEST

/* The options of a column apply to a written one: their meaning reaches the strategies, and parts
 * of different meanings do not merge. */
/* A put that is cancelled after some entries leaves the builder as if it had not been made: the
 * next one may even have another width and type. */
START_TEST(a_cancelled_put_puts_nothing) {
    enum { COUNT = 1000 };
    static double wide[COUNT][3];
    static float narrow[COUNT][2];
    static int64_t rows[COUNT];
    alcore__column_builder builder;
    for (int64_t i = 0; i < COUNT; i++) rows[i] = COUNT - 1 - i;
    const alcore__builder_input first = {.rows = rows,
                                         .count = COUNT,
                                         .values = (const char *)wide,
                                         .value_rows = COUNT,
                                         .dims = 3,
                                         .dtype = ALCORE_FLOAT64,
                                         .strides = {sizeof *wide, sizeof **wide}};
    const alcore__builder_input second = {.rows = rows,
                                          .count = COUNT,
                                          .values = (const char *)narrow,
                                          .value_rows = COUNT,
                                          .dims = 2,
                                          .dtype = ALCORE_FLOAT32,
                                          .strides = {sizeof *narrow, sizeof **narrow}};
    ck_assert_ok(alcore__builder_init(&builder, ctx, COUNT, ALCORE_COLUMN_DENSE));
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore__builder_put(&builder, &first), ALCORE_E_CANCELLED);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_int_eq(builder.count, 0);
    for (int64_t i = 0; i < COUNT; i++) ck_assert_int_eq(builder.entry[i], 0);
    narrow[7][1] = 5;
    ck_assert_ok(alcore__builder_put(&builder, &second));
    ck_assert_int_eq(builder.count, COUNT);
    ck_assert_int_eq(builder.repeats, 0);
    ck_assert_int_eq(builder.dtype, ALCORE_FLOAT32);
    ck_assert(((const float *)(const void *)builder.values)[7 * 2 + 1] == 5);
    alcore__builder_clear(&builder);
}
END_TEST

START_TEST(options) {
    alcore_column_options meaning = ALCORE_COLUMN_OPTIONS_INIT, rows = ALCORE_COLUMN_OPTIONS_INIT;
    float logprobs[] = {-1, -2, -3, -4, -5};
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    alcore_column_writer *other;
    const char *path = test_path("logprobs.part");
    meaning.meaning = ALCORE_MEANS_LOGPROB;
    meaning.log_base = 2;
    rows.rows = all_rows;
    rows.row_count = 5;
    ck_assert_fails(alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, &rows, &writer),
                    ALCORE_E_INVALID, "only meaning, log_base, stream and on_device");
    rows = (alcore_column_options)ALCORE_COLUMN_OPTIONS_INIT;
    rows.on_device = 2;
    ck_assert_fails(alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, &rows, &writer),
                    ALCORE_E_INVALID, "on_device is 2");
    meaning.meaning = ALCORE_MEANS_LOGITS;
    ck_assert_fails(alcore_column_writer_new(pool, "probs", ALCORE_COLUMN_DENSE, &meaning, &writer),
                    ALCORE_E_INVALID, "\"probs\": log_base is that of logprobs");
    meaning.meaning = 99;
    ck_assert_fails(
        alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, &meaning, &writer),
        ALCORE_E_INVALID, "meaning is 99");
    meaning.meaning = ALCORE_MEANS_LOGPROB;
    ck_assert_ok(alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, &meaning, &writer));
    ck_assert_ok(put(writer, all_rows, 5, logprobs, ALCORE_FLOAT32, 5, 0, NULL));
    ck_assert_ok(alcore_column_writer_save(writer, path));
    ck_assert_ok(alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, NULL, &other));
    ck_assert_fails(alcore_column_writer_merge(other, path), ALCORE_E_SHAPE,
                    "expected meaning 0 (ALCORE_MEANS_*) with base 0, found 1403 with 2");
    alcore_column_writer_unref(other);
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    ck_assert_ok(alcore_pool_get_column_info(pool, "scores", &info));
    ck_assert_int_eq(info.meaning, ALCORE_MEANS_LOGPROB);
    ck_assert_double_eq(alcore__pool_find_column(pool, "scores")->log_scale, log(2));
}
END_TEST

/* Without the module, a device array is refused with what to do about it. */
/* A name that a writer takes is one that its file can have, and that any column can have. */
START_TEST(names) {
    static char name[4096 + 2];
    const float numbers[] = {1, 2, 3, 4, 5};
    int64_t shape = 5;
    char path[TEST_PATH_BYTES];
    alcore_tensor values;
    alcore_column_writer *other;
    test_file_make(path, "writer", "", "");
    ck_assert_ok(
        alcore_tensor_init(&values, (void *)(uintptr_t)numbers, ALCORE_FLOAT32, &shape, 1));
    memset(name, 'n', 4097);
    ck_assert_fails(alcore_column_writer_new(pool, name, ALCORE_COLUMN_SCALAR, NULL, &writer),
                    ALCORE_E_INVALID,
                    "the name of a column has 4097 bytes; 4096 are allowed: \"nn");
    ck_assert_ptr_null(writer);
    ck_assert_fails(alcore_pool_set_column(pool, name, &values, NULL, NULL), ALCORE_E_INVALID,
                    "the name of a column has 4097 bytes");
    ck_assert_fails(alcore_column_writer_new(pool, "a\xFF", ALCORE_COLUMN_SCALAR, NULL, &writer),
                    ALCORE_E_INVALID, "byte 2 of the name of a column is not UTF-8");
    ck_assert_fails(alcore_pool_set_column(pool, "a\xFF", &values, NULL, NULL), ALCORE_E_INVALID,
                    "byte 2 of the name of a column is not UTF-8");
    ck_assert_fails(alcore_column_writer_new(pool, "", ALCORE_COLUMN_SCALAR, NULL, &writer),
                    ALCORE_E_INVALID, "a column needs a name");
    name[4096] = '\0';
    ck_assert_ok(alcore_column_writer_new(pool, name, ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_ok(alcore_column_writer_put(writer, all_rows, NULL, 5, &values));
    ck_assert_ok(alcore_column_writer_save(writer, path));
    ck_assert_ok(alcore_column_writer_new(pool, name, ALCORE_COLUMN_SCALAR, NULL, &other));
    ck_assert_ok(alcore_column_writer_merge(other, path));
    ck_assert_int_eq(alcore_column_writer_missing_count(other), 0);
    ck_assert_ok(alcore_column_writer_finish(other, ALCORE_MISSING_FAIL));
    alcore_column_writer_unref(other);
    unlink(path);
}
END_TEST

/* A writer has the rows that the pool has when it begins, keeps the narrowest numbers that hold
 * what is put, and leaves the pool alone until it is finished. */
START_TEST(rows_of_now) {
    static const char *const late[] = {"late"};
    const int64_t added[] = {5}, twice[] = {0, 0};
    float numbers[] = {1, 2, 3, 4, 5};
    uint16_t half[] = {0x3C00};
    int32_t whole[] = {1, 2, 3, 4, 5};
    double found[6];
    const int64_t rows[] = {0, 1, 2, 3, 4, 5};
    int64_t shape[] = {5};
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    alcore_tensor values;
    ck_assert_ok(alcore_column_writer_new(pool, "s", ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_ok(alcore_pool_add_texts(pool, late, NULL, 1, NULL));
    ck_assert_int_eq(alcore_column_writer_missing_count(writer), 5);
    ck_assert_fails(put(writer, added, 1, numbers, ALCORE_FLOAT32, 1, 0, NULL), ALCORE_E_NOT_FOUND,
                    "no row 5");
    ck_assert_ok(put(writer, twice, 2, numbers, ALCORE_FLOAT32, 2, 0, NULL));
    ck_assert_int_eq(alcore_column_writer_repeats(writer), 1);
    ck_assert_ok(put(writer, rows + 1, 1, half, ALCORE_FLOAT16, 1, 0, NULL));
    ck_assert_ok(put(writer, rows + 2, 3, numbers + 2, ALCORE_FLOAT32, 3, 0, NULL));
    ck_assert_ptr_null(alcore_pool_column_name(pool, 0));
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL));
    ck_assert_ok(alcore_pool_get_column_info(pool, "s", &info));
    ck_assert_int_eq(info.dtype, ALCORE_FLOAT32);
    ck_assert_int_eq(info.entries, 5);
    ck_assert_ok(test_column_rows(pool, "s", rows, 6, found));
    ck_assert_double_eq(found[0], 1); /* the first of two */
    ck_assert_double_nan(found[5]);
    ck_assert_fails(alcore_column_writer_finish(writer, ALCORE_MISSING_MASK), ALCORE_E_INVALID,
                    "finished");
    ck_assert_fails(alcore_column_writer_save(writer, "x"), ALCORE_E_INVALID, "finished");
    ck_assert_fails(alcore_column_writer_merge(writer, "x"), ALCORE_E_INVALID, "finished");
    alcore_column_writer_unref(writer);
    /* Integers are kept as int64; a stream says nothing of numbers on the host. */
    ck_assert_ok(alcore_column_writer_new(pool, "n", ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_ok(alcore_tensor_init(&values, whole, ALCORE_INT32, shape, 1));
    ck_assert_ok(alcore_column_writer_put_in_stream(writer, rows, NULL, 5, &values, &values));
    ck_assert_ok(alcore_column_writer_finish(writer, ALCORE_MISSING_MASK));
    ck_assert_ok(alcore_pool_get_column_info(pool, "n", &info));
    ck_assert_int_eq(info.dtype, ALCORE_INT64);
    alcore_column_writer_unref(writer);
    /* What is not finished is no column. */
    ck_assert_ok(alcore_column_writer_new(pool, "never", ALCORE_COLUMN_SCALAR, NULL, &writer));
    ck_assert_ok(put(writer, rows, 5, numbers, ALCORE_FLOAT32, 5, 0, NULL));
    alcore_column_writer_unref(writer);
    ck_assert_fails(alcore_pool_get_column_info(pool, "never", &info), ALCORE_E_NOT_FOUND, "never");
    writer = NULL;
    ck_assert_int_eq(alcore_column_writer_repeats(NULL), 0);
    ck_assert_int_eq(alcore_column_writer_missing_count(NULL), 0);
}
END_TEST

START_TEST(device_arrays) {
    float numbers[] = {1, 2, 3, 4, 5};
    int64_t shape[] = {5};
    alcore_tensor values;
    ck_assert_ok(alcore_tensor_init(&values, numbers, ALCORE_FLOAT32, shape, 1));
    ck_assert_ok(alcore_column_writer_new(pool, "scores", ALCORE_COLUMN_SCALAR, NULL, &writer));
    values.device = (alcore_device){ALCORE_DEVICE_CUDA, 0};
    ck_assert_fails(alcore_column_writer_put(writer, all_rows, NULL, 5, &values), ALCORE_E_MODULE,
                    "is on cuda:0 and cannot be read there");
    values.device.type = ALCORE_DEVICE_CPU;
    ck_assert_ok(alcore_column_writer_put(writer, all_rows, NULL, 5, &values));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, any_order);
    tcase_add_test(tests, ragged_any_order);
    tcase_add_test(tests, kinds_of_numbers_and_strides);
    tcase_add_test(tests, masked_rows_are_not_waited_for);
    tcase_add_test(tests, refused_values);
    tcase_add_test(tests, nothing_given);
    tcase_add_test(tests, many_threads);
    tcase_add_test(tests, a_callback_cannot_use_its_writer);
    tcase_add_loop_test(tests, writers_merge, 0, 2);
    tcase_add_test(tests, files_that_do_not_fit);
    tcase_add_test(tests, damaged_files);
    tcase_add_test(tests, integers);
    tcase_add_test(tests, a_cancelled_put_puts_nothing);
    tcase_add_test(tests, options);
    tcase_add_test(tests, names);
    tcase_add_test(tests, rows_of_now);
    tcase_add_test(tests, device_arrays);
}

TEST_FILE() {
    return test_run("column-writer", add);
}
