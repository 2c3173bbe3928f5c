/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of the caller's arrays: shapes, kinds of numbers, ownership, rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "pool/column.h"
#include "pool/column_names.h"
#include "pool_column_bed.h"

START_TEST(scalar_kept) {
    float scores[] = {1, 2, 3, 4, 5};
    int64_t shape[] = {5};
    alcore_tensor values = tensor_of(scores, ALCORE_FLOAT32, 1, shape), view, offsets;
    double out[5];
    ck_assert_ok(alcore_pool_set_column(pool, "scores", &values, NULL, NULL));
    scores[2] = 99; /* a copy was kept */
    ck_assert_ok(test_column_rows(pool, "scores", all_rows, 5, out));
    for (int i = 0; i < 5; i++) ck_assert_double_eq(out[i], i + 1);
    ck_assert_ok(alcore_pool_get_column(pool, "scores", &view, &offsets));
    ck_assert_ptr_ne(view.data, scores);
    ck_assert_int_eq(view.ndim, 1);
    ck_assert_int_eq(view.shape[0], 5);
    ck_assert_ptr_null(offsets.data);
    ck_assert_str_eq(alcore_pool_column_name(pool, 0), "scores");
    ck_assert_ptr_null(alcore_pool_column_name(pool, 1));
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    ck_assert_ok(alcore_pool_get_column_info(pool, "scores", &info));
    ck_assert_int_eq(info.width, 1);
    ck_assert_int_eq(info.shape, ALCORE_COLUMN_SCALAR);
    ck_assert_int_eq(info.dtype, ALCORE_FLOAT32);
    ck_assert_int_eq(info.entries, 5);
    ck_assert_int_eq(info.in_file, 0);
    ck_assert_str_eq(info.origin, "given");
    ck_assert_fails(alcore_pool_get_column_info(pool, "score", &info), ALCORE_E_NOT_FOUND,
                    "did you mean \"scores\"?");
    ck_assert_fails(alcore_pool_get_column_info(pool, NULL, &info), ALCORE_E_INVALID, "name");
    ck_assert_fails(alcore_pool_get_column_info(NULL, "scores", &info), ALCORE_E_INVALID, "pool");
    ck_assert_fails(alcore_pool_get_column_info(pool, "scores", NULL), ALCORE_E_INVALID, "NULL");
    alcore_column_info unset = {0};
    ck_assert_fails(alcore_pool_get_column_info(pool, "scores", &unset), ALCORE_E_STRUCT_UNSET,
                    "size");
    ck_assert_ptr_null(alcore_pool_column_name(pool, -1));
}
END_TEST

START_TEST(dense_borrowed_and_strided) {
    float matrix[5][4];
    for (int i = 0; i < 20; i++) matrix[i / 4][i % 4] = (float)i;
    int64_t shape[] = {5, 3}, strides[] = {4, 1};
    alcore_tensor values = tensor_of(matrix, ALCORE_FLOAT32, 2, shape), view;
    values.strides = strides;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW;
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &values, NULL, &options));
    ck_assert_ok(alcore_pool_get_column(pool, "embeddings", &view, NULL));
    ck_assert_ptr_eq(view.data, matrix);
    ck_assert_int_eq(view.strides[0], 4);
    double out[6];
    const int64_t rows[] = {4, 1};
    ck_assert_ok(test_column_rows(pool, "embeddings", rows, 2, out));
    const double expected[] = {16, 17, 18, 4, 5, 6};
    ck_assert_mem_eq(out, expected, sizeof expected);
    /* Kept, the room between the rows goes. */
    options.ownership = ALCORE_KEEP;
    ck_assert_ok(alcore_pool_set_column(pool, "embeddings", &values, NULL, &options));
    ck_assert_ok(alcore_pool_get_column(pool, "embeddings", &view, NULL));
    ck_assert_ptr_null(view.strides);
    ck_assert_int_eq(view.ndim, 2);
    ck_assert_ok(test_column_rows(pool, "embeddings", rows, 2, out));
    ck_assert_mem_eq(out, expected, sizeof expected);
    ck_assert_ptr_null(alcore_pool_column_name(pool, 1)); /* replaced, not added */
    strides[1] = 2;
    ck_assert_fails(alcore_pool_set_column(pool, "embeddings", &values, NULL, NULL), ALCORE_E_SHAPE,
                    "adjacent");
    ck_assert_ok(test_column_rows(pool, "embeddings", rows, 2, out)); /* still there */
}
END_TEST

START_TEST(half_precision) {
    /* 1, -2, the smallest subnormal, the largest number, infinity */
    uint16_t half[] = {0x3C00, 0xC000, 0x0001, 0x7BFF, 0x7C00};
    uint16_t brain[] = {0x3F80, 0xC000, 0x0001, 0x7F7F, 0xFF80};
    const double half_values[] = {1, -2, 0x1p-24, 65504, INFINITY};
    const double brain_values[] = {1, -2, 0x1p-133, 0x1.fep127, -INFINITY};
    int64_t shape[] = {5};
    alcore_tensor values = tensor_of(half, ALCORE_FLOAT16, 1, shape);
    double out[5];
    ck_assert_ok(alcore_pool_set_column(pool, "a", &values, NULL, NULL));
    ck_assert_ok(test_column_rows(pool, "a", all_rows, 5, out));
    ck_assert_mem_eq(out, half_values, sizeof out);
    values = tensor_of(brain, ALCORE_BFLOAT16, 1, shape);
    ck_assert_ok(alcore_pool_set_column(pool, "a", &values, NULL, NULL));
    ck_assert_ok(test_column_rows(pool, "a", all_rows, 5, out));
    ck_assert_mem_eq(out, brain_values, sizeof out);
}
END_TEST

START_TEST(ragged) {
    double tokens[] = {-1, -2, -3, -4, -5, -6};
    int64_t offsets[] = {0, 2, 2, 3, 5, 6}, shape[] = {6}, offset_shape[] = {6};
    alcore_tensor values = tensor_of(tokens, ALCORE_FLOAT64, 1, shape), view, view_offsets;
    alcore_tensor starts = tensor_of(offsets, ALCORE_UINT64, 1, offset_shape);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.log_base = 2;
    options.meaning = ALCORE_MEANS_LOGPROBS;
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &values, &starts, &options));
    ck_assert_ok(alcore_pool_get_column(pool, "logprobs", &view, &view_offsets));
    ck_assert_mem_eq(view.data, tokens, sizeof tokens);
    ck_assert_mem_eq(view_offsets.data, offsets, sizeof offsets);
    const alcore__column *column = alcore__pool_find_column(pool, "logprobs");
    ck_assert(column->ragged);
    ck_assert_double_eq(column->log_scale, log(2));
    ck_assert_int_eq(column->meaning, ALCORE_MEANS_LOGPROBS);
    alcore__scratch scratch = {0};
    alcore_sys_ragged block;
    ck_assert_ok(column->ops->ragged(column, 2, 3, &scratch, &block));
    ck_assert_double_eq(((const double *)block.values)[0], -3);
    ck_assert_int_eq(block.offsets[3] - block.offsets[0], 4);
    /* Rows that come later have no value: no tokens. */
    const char *late[] = {"late"};
    ck_assert_ok(alcore_pool_add_texts(pool, late, NULL, 1, NULL));
    ck_assert(!alcore__column_has(column, 5) && alcore__column_has(column, 4));
    ck_assert_ok(column->ops->ragged(column, 3, 3, &scratch, &block));
    ck_assert_int_eq(block.offsets[2] - block.offsets[0], 3);
    ck_assert_int_eq(block.offsets[3] - block.offsets[0], 3);
    ck_assert_double_eq(((const double *)block.values)[2], -6);
    alcore__scratch_clear(ctx, &scratch);
    double out[1];
    ck_assert_fails(test_column_rows(pool, "logprobs", all_rows, 1, out), ALCORE_E_SHAPE, "ragged");
}
END_TEST

START_TEST(wrong_offsets) {
    float tokens[] = {-1, -2, -3, -4};
    int64_t shape[] = {4}, offset_shape[] = {6};
    alcore_tensor values = tensor_of(tokens, ALCORE_FLOAT32, 1, shape);
    static const struct {
        int64_t offsets[6];
        alcore_status status;
        const char *part;
    } cases[] = {
        {{1, 1, 1, 2, 3, 4}, ALCORE_E_SHAPE, "first offset is 1"},
        {{0, 2, 1, 2, 3, 4}, ALCORE_E_DATA, "offset 2 is 1"},
        {{0, 1, 2, 3, 4, 5}, ALCORE_E_SHAPE, "last offset is 5, but there are 4"},
        {{0, 1, INT64_MIN, 3, 4, 4}, ALCORE_E_DATA, "offset 2"}, /* 2^63 as uint64 */
        {{0, INT64_MAX, 2, 3, 4, 4}, ALCORE_E_DATA, "offset 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t offsets[6];
        memcpy(offsets, cases[i].offsets, sizeof offsets);
        alcore_tensor starts = tensor_of(offsets, ALCORE_UINT64, 1, offset_shape);
        ck_assert_fails(alcore_pool_set_column(pool, "logprobs", &values, &starts, NULL),
                        cases[i].status, cases[i].part);
    }
    int64_t short_shape[] = {5}, offsets[] = {0, 1, 2, 3, 4, 4};
    alcore_tensor starts = tensor_of(offsets, ALCORE_INT64, 1, short_shape);
    ck_assert_fails(alcore_pool_set_column(pool, "logprobs", &values, &starts, NULL),
                    ALCORE_E_SHAPE, "expected 6 offsets (entries + 1), found 5");
    starts = tensor_of(tokens, ALCORE_FLOAT32, 1, shape);
    ck_assert_fails(alcore_pool_set_column(pool, "logprobs", &values, &starts, NULL),
                    ALCORE_E_SHAPE, "found float32");
    ck_assert_ptr_null(alcore_pool_column_name(pool, 0));
}
END_TEST

START_TEST(wrong_arrays) {
    float numbers[20] = {0};
    int64_t rows4[] = {4}, empty[] = {5, 0}, cube[] = {5, 1, 1}, huge[] = {5, INT64_MAX};
    int32_t integers[5] = {0};
    int64_t rows5[] = {5};
    double out[5];
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_tensor values = tensor_of(numbers, ALCORE_FLOAT32, 1, rows4);
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, NULL), ALCORE_E_SHAPE,
                    "column \"s\": expected 5 rows, found 4");
    values = tensor_of(integers, ALCORE_UINT8, 1, rows5);
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, NULL), ALCORE_E_SHAPE,
                    "expected float16, bfloat16, float32 or float64, int32 or int64, found uint8");
    values = tensor_of(numbers, ALCORE_FLOAT32, 2, empty);
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, NULL), ALCORE_E_SHAPE,
                    "[5, 0]");
    values = tensor_of(numbers, ALCORE_FLOAT32, 3, cube);
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, NULL), ALCORE_E_SHAPE,
                    "3 dimensions");
    values = tensor_of(numbers, ALCORE_FLOAT32, 1, rows5);
    values.ndim = 2;
    values.shape = huge;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, NULL), ALCORE_E_SHAPE,
                    "overflow");
    values = tensor_of(numbers, ALCORE_FLOAT32, 1, rows5);
    values.device.type = ALCORE_DEVICE_CUDA;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, NULL), ALCORE_E_MODULE,
                    ".cpu()");
    values.device.type = ALCORE_DEVICE_CPU;
    ck_assert_fails(alcore_pool_set_column(pool, "", &values, NULL, NULL), ALCORE_E_INVALID,
                    "name");
    ck_assert_fails(alcore_pool_set_column(pool, NULL, &values, NULL, NULL), ALCORE_E_INVALID,
                    "name");
    ck_assert_fails(alcore_pool_set_column(pool, "s", NULL, NULL, NULL), ALCORE_E_INVALID, "NULL");
    options.log_base = 1;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, &options), ALCORE_E_INVALID,
                    "log_base");
    options.log_base = 0;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, &options), ALCORE_E_INVALID,
                    "log_base");
    options.log_base = 2; /* of uncertainties */
    ck_assert_fails(alcore_pool_set_column(pool, "scores", &values, NULL, &options),
                    ALCORE_E_INVALID, "\"scores\": log_base is that of logprobs");
    options.log_base = ALCORE_UNSET;
    options.meaning = 99;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, &options), ALCORE_E_INVALID,
                    "meaning");
    options.meaning = 0;
    options.ownership = 2;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, &options), ALCORE_E_INVALID,
                    "ownership");
    options.ownership = 0;
    options.row_count = 3;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, &options), ALCORE_E_INVALID,
                    "row_count");
    ck_assert_fails(test_column_rows(pool, "s", all_rows, 5, out), ALCORE_E_NOT_FOUND,
                    "no column \"s\"");
    ck_assert_ok(alcore_pool_set_column(pool, "scores", &values, NULL, NULL));
    ck_assert_fails(test_column_rows(pool, "score", all_rows, 5, out), ALCORE_E_NOT_FOUND,
                    "did you mean \"scores\"");
    const int64_t outside[] = {0, 5};
    ck_assert_fails(test_column_rows(pool, "scores", outside, 2, out), ALCORE_E_NOT_FOUND,
                    "no row 5");
    ck_assert_fails(alcore_pool_drop_column(pool, "x"), ALCORE_E_NOT_FOUND, "\"x\"");
    ck_assert_ok(alcore_pool_drop_column(pool, "scores"));
    ck_assert_ptr_null(alcore_pool_column_name(pool, 0));
}
END_TEST

START_TEST(entries_for_some_rows) {
    float numbers[] = {10, 11, 20, 21, 30, 31};
    int64_t shape[] = {3, 2};
    const int64_t rows[] = {4, 0, 1}, twice[] = {4, 0, 4}, outside[] = {4, 0, 5};
    alcore_tensor values = tensor_of(numbers, ALCORE_FLOAT32, 2, shape), view;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    double out[10];
    options.rows = rows;
    options.row_count = 3;
    ck_assert_ok(alcore_pool_set_column(pool, "e", &values, NULL, &options));
    ck_assert_ok(test_column_rows(pool, "e", all_rows, 5, out));
    const double expected[] = {20, 21, 30, 31};
    ck_assert_mem_eq(out, expected, sizeof expected);
    ck_assert(isnan(out[4]) && isnan(out[5]) && isnan(out[6]) && isnan(out[7]));
    ck_assert_double_eq(out[8], 10);
    ck_assert_double_eq(out[9], 11);
    const alcore__column *column = alcore__pool_find_column(pool, "e");
    const bool has[] = {true, true, false, false, true, false};
    for (int64_t row = 0; row < 6; row++)
        ck_assert_int_eq(alcore__column_has(column, row), has[row]);
    ck_assert_fails(alcore_pool_get_column(pool, "e", &view, NULL), ALCORE_E_UNSUPPORTED, "\"e\"");
    options.rows = twice;
    ck_assert_fails(alcore_pool_set_column(pool, "e", &values, NULL, &options), ALCORE_E_DATA,
                    "entries 0 and 2 are both for row 4");
    options.rows = outside;
    ck_assert_fails(alcore_pool_set_column(pool, "e", &values, NULL, &options), ALCORE_E_NOT_FOUND,
                    "entry 2 is for row 5");
    options.rows = rows;
    options.row_count = 2;
    ck_assert_fails(alcore_pool_set_column(pool, "e", &values, NULL, &options), ALCORE_E_SHAPE,
                    "expected 2 rows, found 3");
    /* All rows in order are no mapping at all. */
    float five[5] = {1, 2, 3, 4, 5};
    int64_t five_shape[] = {5};
    values = tensor_of(five, ALCORE_FLOAT32, 1, five_shape);
    options.rows = all_rows;
    options.row_count = 5;
    ck_assert_ok(alcore_pool_set_column(pool, "e", &values, NULL, &options));
    ck_assert_ok(alcore_pool_get_column(pool, "e", &view, NULL));
}
END_TEST

START_TEST(ragged_for_some_rows) {
    float tokens[] = {1, 2, 3, 4, 5, 6};
    int64_t shape[] = {6}, offset_shape[] = {4}, offsets[] = {0, 1, 3, 6};
    const int64_t rows[] = {3, 1, 2};
    alcore_tensor values = tensor_of(tokens, ALCORE_FLOAT32, 1, shape);
    alcore_tensor starts = tensor_of(offsets, ALCORE_INT64, 1, offset_shape);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = rows;
    options.row_count = 3;
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &values, &starts, &options));
    const alcore__column *column = alcore__pool_find_column(pool, "logprobs");
    alcore__scratch scratch = {0};
    alcore_sys_ragged block;
    ck_assert_ok(column->ops->ragged(column, 0, 5, &scratch, &block));
    const int64_t expected_offsets[] = {0, 0, 2, 5, 6, 6};
    const float expected[] = {2, 3, 4, 5, 6, 1};
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(block.offsets[i] - block.offsets[0], expected_offsets[i]);
    ck_assert_mem_eq(block.values, expected, sizeof expected);
    alcore__scratch_clear(ctx, &scratch);
}
END_TEST

/* Tokens of any rows, in any order, also of a column that has only some of them. */
START_TEST(tokens_of_rows) {
    float tokens[] = {1, 2, NAN, 4, 5, 6};
    int64_t shape[] = {6}, offset_shape[] = {4}, offsets[] = {0, 1, 3, 6}, found[5];
    const int64_t given[] = {3, 1, 2}, rows[] = {2, 0, 3, 2}, missing[] = {9};
    alcore_tensor values = tensor_of(tokens, ALCORE_FLOAT32, 1, shape);
    alcore_tensor starts = tensor_of(offsets, ALCORE_INT64, 1, offset_shape);
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = given;
    options.row_count = 3;
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &values, &starts, &options));
    ck_assert_ok(alcore_pool_get_column_tokens(pool, "logprobs", rows, 4, found, NULL));
    static const int64_t expected[] = {0, 3, 3, 4, 7};
    ck_assert_mem_eq(found, expected, sizeof expected);
    double out[7] = {0};
    int64_t out_shape[] = {7}, short_shape[] = {6};
    alcore_tensor all = tensor_of(out, ALCORE_FLOAT64, 1, out_shape);
    ck_assert_ok(alcore_pool_get_column_tokens(pool, "logprobs", rows, 4, found, &all));
    static const double copied[] = {4, 5, 6, 1, 4, 5, 6};
    ck_assert_mem_eq(out, copied, sizeof copied);
    ck_assert_ok(alcore_pool_get_column_tokens(pool, "logprobs", given + 1, 0, found, NULL));
    ck_assert_int_eq(found[0], 0);
    alcore_tensor too_short = tensor_of(out, ALCORE_FLOAT64, 1, short_shape);
    ck_assert_fails(alcore_pool_get_column_tokens(pool, "logprobs", rows, 4, found, &too_short),
                    ALCORE_E_SHAPE, "out_values");
    ck_assert_fails(alcore_pool_get_column_tokens(pool, "logprobs", missing, 1, found, NULL),
                    ALCORE_E_NOT_FOUND, "row 9");
    ck_assert_fails(alcore_pool_get_column_tokens(pool, "logprobs", rows, 4, NULL, NULL),
                    ALCORE_E_INVALID, "out_offsets");
    float scores[] = {1, 2, 3, 4, 5};
    int64_t score_shape[] = {5};
    values = tensor_of(scores, ALCORE_FLOAT32, 1, score_shape);
    ck_assert_ok(alcore_pool_set_column(pool, "scores", &values, NULL, NULL));
    ck_assert_fails(alcore_pool_get_column_tokens(pool, "scores", rows, 4, found, NULL),
                    ALCORE_E_SHAPE, "is not ragged");
}
END_TEST

/* Vectors of tokens, and integers, whose missing values are INT64_MIN or NaN. */
START_TEST(tokens_of_integers) {
    int32_t links[] = {0, 1, INT32_MIN, 3, 4, 5, 6, 7, 8, 9};
    int64_t shape[] = {5, 2}, offset_shape[] = {6}, offsets[] = {0, 2, 2, 2, 4, 5}, found[3];
    const int64_t rows[] = {3, 0};
    int64_t integers[8], out_shape[] = {4, 2};
    double numbers[8];
    alcore_tensor values = tensor_of(links, ALCORE_INT32, 2, shape);
    alcore_tensor starts = tensor_of(offsets, ALCORE_INT64, 1, offset_shape);
    ck_assert_ok(alcore_pool_set_column(pool, "links", &values, &starts, NULL));
    alcore_tensor out = tensor_of(integers, ALCORE_INT64, 2, out_shape);
    ck_assert_ok(alcore_pool_get_column_tokens(pool, "links", rows, 2, found, &out));
    ck_assert_int_eq(found[2], 4);
    ck_assert_int_eq(integers[0], 4);
    ck_assert_int_eq(integers[3], 7);
    ck_assert_int_eq(integers[6], INT64_MIN);
    out = tensor_of(numbers, ALCORE_FLOAT64, 2, out_shape);
    ck_assert_ok(alcore_pool_get_column_tokens(pool, "links", rows, 2, found, &out));
    ck_assert_double_eq(numbers[7], 3);
    ck_assert_double_nan(numbers[6]);
}
END_TEST

START_TEST(rows_added_later_have_no_value) {
    float numbers[] = {1, 2, 3, 4, 5};
    int64_t shape[] = {5};
    alcore_tensor values = tensor_of(numbers, ALCORE_FLOAT32, 1, shape);
    const char *late[] = {"late", "later"};
    double out[7];
    const int64_t rows[] = {3, 4, 5, 6};
    ck_assert_ok(alcore_pool_set_column(pool, "s", &values, NULL, NULL));
    ck_assert_ok(alcore_pool_add_texts(pool, late, NULL, 2, NULL));
    ck_assert_ok(test_column_rows(pool, "s", rows, 4, out));
    ck_assert_double_eq(out[0], 4);
    ck_assert_double_eq(out[1], 5);
    ck_assert(isnan(out[2]) && isnan(out[3]));
    alcore_tensor view;
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    ck_assert_ok(alcore_pool_get_column(pool, "s", &view, NULL));
    ck_assert_int_eq(view.shape[0], 5);
    ck_assert_ok(alcore_pool_get_column_info(pool, "s", &info));
    ck_assert_int_eq(info.entries, 5);
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, NULL), ALCORE_E_SHAPE,
                    "expected 7 rows, found 5");
}
END_TEST

/* ---- ownership of borrowed arrays ---- */

static int released;
static void count_release(void *user) {
    ck_assert_ptr_eq(user, &released);
    released++;
}

/* A borrowed column of an array whose owner is told. */
static alcore_status lend(alcore_pool *target, const alcore_tensor *values) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW;
    options.release = count_release;
    options.release_user = &released;
    return alcore_pool_set_column(target, "s", values, NULL, &options);
}

START_TEST(release_of_borrowed) {
    float numbers[] = {1, 2, 3, 4, 5};
    int64_t shape[] = {5};
    alcore_tensor values = tensor_of(numbers, ALCORE_FLOAT32, 1, shape), view;
    released = 0;
    ck_assert_ok(lend(pool, &values));
    ck_assert_ok(alcore_pool_get_column(pool, "s", &view, NULL));
    ck_assert_ptr_eq(view.data, numbers);
    ck_assert_int_eq(released, 0);
    ck_assert_ok(alcore_pool_drop_column(pool, "s"));
    ck_assert_int_eq(released, 1);
    /* Replaced by another one, and released with the pool. */
    ck_assert_ok(lend(pool, &values));
    ck_assert_ok(lend(pool, &values));
    ck_assert_int_eq(released, 2);
    alcore_pool_unref(pool);
    ck_assert_int_eq(released, 3);
    pool = test_pool_of(ctx, 5);
}
END_TEST

/* Ownership moves only with ALCORE_OK: no failure calls release, whatever its cause. */
START_TEST(failures_release_nothing) {
    float numbers[] = {1, 2, 3, 4, 5};
    int64_t shape[] = {5}, wrong[] = {4};
    alcore_tensor values = tensor_of(numbers, ALCORE_FLOAT32, 1, shape);
    alcore_tensor fewer = tensor_of(numbers, ALCORE_FLOAT32, 1, wrong), device = values;
    device.device = (alcore_device){ALCORE_DEVICE_CUDA, 1};
    released = 0;
    ck_assert_fails(lend(pool, &fewer), ALCORE_E_SHAPE, "expected 5 rows, found 4");
    ck_assert_fails(lend(pool, &device), ALCORE_E_MODULE,
                    "the array is on cuda:1 and cannot be read there");
    ck_assert_fails(lend(NULL, &values), ALCORE_E_INVALID, "pool");
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.release = count_release;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, &options), ALCORE_E_INVALID,
                    "release goes with ALCORE_BORROW");
    options = (alcore_column_options)ALCORE_COLUMN_OPTIONS_INIT;
    options.release_user = &released;
    ck_assert_fails(alcore_pool_set_column(pool, "s", &values, NULL, &options), ALCORE_E_INVALID,
                    "release_user without release");
    ck_assert_int_eq(released, 0);
}
END_TEST

/* Columns are set in a cancelled context too, so that what was computed can be saved. */
START_TEST(set_in_a_cancelled_context) {
    float numbers[] = {1, 2, 3, 4, 5};
    int64_t shape[] = {5};
    alcore_tensor values = tensor_of(numbers, ALCORE_FLOAT32, 1, shape);
    released = 0;
    alcore_ctx_cancel(ctx);
    ck_assert_ok(lend(pool, &values));
    ck_assert_ok(alcore_pool_set_column(pool, "copied", &values, NULL, NULL));
    ck_assert_ok(alcore_pool_write_column(pool, "copied", "cancelled.npy", NULL));
    alcore_ctx_cancel_clear(ctx);
    ck_assert_int_eq(remove("cancelled.npy"), 0);
    ck_assert_int_eq(released, 0);
}
END_TEST

/* ---- derived pools ---- */

START_TEST(derived) {
    alcore_pool *phrases;
    const char *const phrase_texts[] = {"text", "0", "text 0"};
    int64_t rows[] = {0, 4, 5}, shape[] = {3};
    ck_assert_ok(alcore_pool_new_derived(pool, NULL, &phrases));
    ck_assert_ptr_eq(alcore_pool_source(phrases), pool);
    ck_assert_ptr_null(alcore_pool_source(pool));
    ck_assert_ptr_null(alcore_pool_source(NULL));
    ck_assert_ok(alcore_pool_add_texts(phrases, phrase_texts, NULL, 3, NULL));
    alcore_tensor values = tensor_of(rows, ALCORE_INT64, 1, shape);
    ck_assert_fails(alcore_pool_set_column(phrases, "first_row", &values, NULL, NULL),
                    ALCORE_E_NOT_FOUND, "value 0 is 5, but the source pool has 5 rows");
    rows[2] = 1;
    ck_assert_ok(alcore_pool_set_column(phrases, "first_row", &values, NULL, NULL));
    int64_t starts[] = {0, 1, 2, 3}, start_shape[] = {4};
    alcore_tensor offsets = tensor_of(starts, ALCORE_INT64, 1, start_shape);
    ck_assert_ok(alcore_pool_set_column(phrases, "source_rows", &values, &offsets, NULL));
    rows[2] = -1;
    ck_assert_fails(alcore_pool_set_column(phrases, "source_rows", &values, &offsets, NULL),
                    ALCORE_E_NOT_FOUND, "value 0 is -1, but the source pool has 5 rows");
    rows[2] = 70;
    ck_assert_ok(alcore_pool_set_column(phrases, "first_position", &values, NULL, NULL));
    ck_assert_ok(
        alcore_pool_set_column(pool, "any", &values, NULL,
                               &(alcore_column_options){.size = sizeof(alcore_column_options),
                                                        .rows = all_rows,
                                                        .row_count = 3,
                                                        .log_base = ALCORE_UNSET}));
    /* The derived pool keeps its source alive. */
    alcore_pool_unref(pool);
    ck_assert_int_eq(alcore_pool_row_count(alcore_pool_source(phrases)), 5);
    alcore_pool_unref(phrases);
    pool = test_pool_of(ctx, 5);
    phrases = pool;
    ck_assert_fails(alcore_pool_new_derived(NULL, NULL, &phrases), ALCORE_E_INVALID, "source");
    ck_assert_ptr_null(phrases);
}
END_TEST

/* The inputs are the first entries of the table of names, and all of them. */
START_TEST(inputs_come_first) {
    for (int32_t i = 0; i < ALCORE__COLUMN_INPUTS; i++)
        ck_assert_int_eq(alcore__column_name_input(i)->role, ALCORE__COLUMN_INPUT);
    ck_assert_str_eq(alcore__column_name_input(ALCORE__COLUMN_INPUTS)->name, "occurrences");
    ck_assert(alcore__column_name_is_ragged("qa_end") && !alcore__column_name_is_ragged("probs"));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, bed_setup, bed_teardown);
    tcase_add_test(tests, inputs_come_first);
    tcase_add_test(tests, scalar_kept);
    tcase_add_test(tests, dense_borrowed_and_strided);
    tcase_add_test(tests, half_precision);
    tcase_add_test(tests, ragged);
    tcase_add_test(tests, wrong_offsets);
    tcase_add_test(tests, wrong_arrays);
    tcase_add_test(tests, entries_for_some_rows);
    tcase_add_test(tests, ragged_for_some_rows);
    tcase_add_test(tests, tokens_of_rows);
    tcase_add_test(tests, tokens_of_integers);
    tcase_add_test(tests, rows_added_later_have_no_value);
    tcase_add_test(tests, release_of_borrowed);
    tcase_add_test(tests, failures_release_nothing);
    tcase_add_test(tests, set_in_a_cancelled_context);
    tcase_add_test(tests, derived);
}

TEST_FILE() {
    return test_run("pool-columns", add);
}
