/* SPDX-License-Identifier: Apache-2.0 */
/* Columns from Arrow arrays and streams: types, lists, nulls, slices, and who releases what. */
#include <math.h>
#include <stdlib.h>

#include "arrow_maker.h"
#include "pool_test.h"

enum { ROWS = 4 };

static alcore_ctx *ctx;
static alcore_pool *pool;

static void setup(void) {
    ctx = test_ctx();
    pool = test_pool_of(ctx, ROWS);
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static alcore_status set(const char *name, made_array *made, const alcore_column_options *options) {
    return alcore_pool_set_column_arrow(pool, name, &made->array, &made->schema, options);
}

/* Sets a column, whose array and schema are then released once. */
static void set_ok(const char *name, made_array *made) {
    ck_assert_ok(set(name, made, NULL));
    ck_assert_ptr_null(made->array.release);
    ck_assert_ptr_null(made->schema.release);
    ck_assert_int_eq(made->schemas_released, 1);
    ck_assert_int_eq(made->arrays_released, 1);
}

/* A call that is refused leaves array and schema to the caller. */
static void refused(const char *name, made_array *made, const alcore_column_options *options,
                    alcore_status status, const char *part) {
    ck_assert_fails(set(name, made, options), status, part);
    ck_assert_ptr_nonnull(made->array.release);
    ck_assert_ptr_nonnull(made->schema.release);
    ck_assert_int_eq(made->schemas_released + made->arrays_released, 0);
    ck_assert_ptr_null(alcore_pool_column_name(pool, 0));
}

static alcore_column_info info_of(const char *name) {
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    ck_assert_ok(alcore_pool_get_column_info(pool, name, &info));
    return info;
}

static alcore_tensor tensor_of(const char *name) {
    alcore_tensor values;
    ck_assert_ok(alcore_pool_get_column(pool, name, &values, NULL));
    return values;
}

/* The numbers of the column "scores" or another one of one number a row. */
static void check_scalars(const char *name, const double *expected) {
    const int64_t rows[ROWS] = {0, 1, 2, 3};
    double found[ROWS];
    ck_assert_ok(test_column_rows(pool, name, rows, ROWS, found));
    for (int i = 0; i < ROWS; i++) {
        if (isnan(expected[i]))
            ck_assert_double_nan(found[i]);
        else
            ck_assert_double_eq(found[i], expected[i]);
    }
}

static const float floats[] = {9, 1.5f, -2, 3, 4, 5, 6, 7, 8};
static const uint8_t third_is_null[] = {0xF7, 0xFF}; /* of the buffer, so row 2 from offset 1 on */

START_TEST(numbers_of_every_type) {
    static const uint16_t halves[] = {0x3C00, 0x4000, 0x4200, 0x4400};
    static const double doubles[] = {1, 2, 3, 4};
    static const int8_t bytes[] = {1, 2, 3, 4};
    static const uint8_t unsigned_bytes[] = {1, 2, 3, 4};
    static const int16_t shorts[] = {1, 2, 3, 4};
    static const uint16_t unsigned_shorts[] = {1, 2, 3, 4};
    static const int32_t words[] = {1, 2, 3, 4};
    static const uint32_t unsigned_words[] = {1, 2, 3, 4};
    static const int64_t longs[] = {1, 2, 3, 4};
    static const uint64_t unsigned_longs[] = {1, 2, 3, 4};
    static const int64_t decimals[][2] = {{10, 0}, {20, 0}, {30, 0}, {40, 0}};
    static const struct {
        const char *format;
        const void *values;
        int32_t dtype;
    } cases[] = {{"e", halves, ALCORE_FLOAT16},        {"f", floats + 5, ALCORE_FLOAT32},
                 {"g", doubles, ALCORE_FLOAT64},       {"c", bytes, ALCORE_INT64},
                 {"C", unsigned_bytes, ALCORE_INT64},  {"s", shorts, ALCORE_INT64},
                 {"S", unsigned_shorts, ALCORE_INT64}, {"i", words, ALCORE_INT32},
                 {"I", unsigned_words, ALCORE_INT64},  {"l", longs, ALCORE_INT64},
                 {"L", unsigned_longs, ALCORE_INT64},  {"d:9,1", decimals, ALCORE_FLOAT64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool single = cases[i].dtype == ALCORE_FLOAT32;
        const double expected[ROWS] = {single ? 5 : 1, single ? 6 : 2, single ? 7 : 3,
                                       single ? 8 : 4};
        made_array made;
        made_array_init(&made, cases[i].format, ROWS, 0, NULL, cases[i].values, NULL, NULL);
        set_ok("mine", &made);
        ck_assert_int_eq(info_of("mine").dtype, cases[i].dtype);
        ck_assert_int_eq(info_of("mine").shape, ALCORE_COLUMN_SCALAR);
        check_scalars("mine", expected);
        /* A name with floating-point numbers has integers as float64. */
        made_array_init(&made, cases[i].format, ROWS, 0, NULL, cases[i].values, NULL, NULL);
        set_ok("scores", &made);
        check_scalars("scores", expected);
    }
}
END_TEST

START_TEST(nulls_and_offsets) {
    static const int32_t words[] = {9, 1, 2, 3, 4};
    static const double expected[] = {1.5, -2, NAN, 4}, integers[] = {1, 2, NAN, 4};
    made_array made;
    made_array_init(&made, "f", ROWS, 1, third_is_null, floats, NULL, NULL);
    set_ok("scores", &made);
    check_scalars("scores", expected);
    made_array_init(&made, "i", ROWS, 1, third_is_null, words, NULL, NULL);
    set_ok("mine", &made);
    ck_assert_int_eq(info_of("mine").dtype, ALCORE_INT32);
    check_scalars("mine", integers);
    made_array_init(&made, "i", ROWS, 1, third_is_null, words, NULL, NULL);
    set_ok("scores", &made);
    check_scalars("scores", integers);
    made_array_init(&made, "n", ROWS, 0, NULL, NULL, NULL, NULL);
    made.array.n_buffers = 0;
    made.array.buffers = NULL;
    set_ok("scores", &made);
    check_scalars("scores", (const double[]){NAN, NAN, NAN, NAN});
}
END_TEST

START_TEST(some_rows) {
    static const int64_t rows[] = {3, 1};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    made_array made;
    options.rows = rows;
    options.row_count = 2;
    options.meaning = ALCORE_MEANS_CONFIDENCE;
    made_array_init(&made, "f", 2, 1, NULL, floats, NULL, NULL);
    ck_assert_ok(set("scores", &made, &options));
    ck_assert_int_eq(info_of("scores").meaning, ALCORE_MEANS_CONFIDENCE);
    check_scalars("scores", (const double[]){NAN, -2, NAN, 1.5});
}
END_TEST

START_TEST(borrowed_in_place) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    made_array made, list, items;
    options.ownership = ALCORE_BORROW;
    made_array_init(&made, "f", ROWS, 1, NULL, floats, NULL, NULL);
    ck_assert_ok(set("scores", &made, &options));
    ck_assert_ptr_null(made.array.release);
    ck_assert_int_eq(made.schemas_released, 1);
    ck_assert_int_eq(made.arrays_released, 0);
    ck_assert_ptr_eq(tensor_of("scores").data, &floats[1]);
    made_array_init(&items, "f", 8, 1, NULL, floats, NULL, NULL);
    made_array_init(&list, "+w:2", ROWS, 0, NULL, NULL, NULL, &items);
    ck_assert_ok(set("embeddings", &list, &options));
    ck_assert_int_eq(list.arrays_released, 0);
    const alcore_tensor vectors = tensor_of("embeddings");
    ck_assert_ptr_eq(vectors.data, &floats[1]);
    ck_assert_int_eq(vectors.ndim, 2);
    ck_assert_int_eq(vectors.shape[1], 2);
    ck_assert_ok(alcore_pool_drop_column(pool, "scores"));
    ck_assert_int_eq(made.arrays_released, 1);
    alcore_pool_unref(pool);
    ck_assert_int_eq(list.arrays_released, 1);
    ck_assert_int_eq(list.schemas_released, 1);
    pool = test_pool_of(ctx, ROWS);
}
END_TEST

/* What cannot stay where it is gets copied, and is released at once. */
START_TEST(borrowed_but_copied) {
    static const int16_t shorts[] = {1, 2, 3, 4};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    made_array made;
    options.ownership = ALCORE_BORROW;
    made_array_init(&made, "f", ROWS, 1, third_is_null, floats, NULL, NULL);
    ck_assert_ok(set("scores", &made, &options));
    ck_assert_int_eq(made.arrays_released, 1);
    made_array_init(&made, "s", ROWS, 0, NULL, shorts, NULL, NULL);
    ck_assert_ok(set("mine", &made, &options));
    ck_assert_int_eq(made.arrays_released, 1);
    made_array_init(&made, "f", ROWS, 0, NULL, (const char *)floats + 2, NULL, NULL);
    ck_assert_ok(set("crooked", &made, &options)); /* not aligned */
    ck_assert_int_eq(made.arrays_released, 1);
    ck_assert_double_eq(((const float *)tensor_of("scores").data)[0], 1.5);
}
END_TEST

/* Lists with 32-bit and 64-bit offsets, list views and lists of one size. */
static const int32_t offsets[] = {7, 1, 3, 3, 4, 8}, views[] = {0, 4, 0, 1, 0};
static const int64_t wide_offsets[] = {7, 1, 3, 3, 4, 8};
static const int32_t view_lengths[] = {1, 2, 0, 1, 4};

static void check_tokens(const char *name, const int64_t *expected_offsets, const float *expected) {
    alcore_tensor values, found;
    ck_assert_ok(alcore_pool_get_column(pool, name, &values, &found));
    for (int i = 0; i <= ROWS; i++)
        ck_assert_int_eq(((const int64_t *)found.data)[i], expected_offsets[i]);
    ck_assert_int_eq(values.shape[0], expected_offsets[ROWS]);
    for (int64_t i = 0; i < expected_offsets[ROWS]; i++) {
        const float value = ((const float *)values.data)[i];
        if (isnan(expected[i]))
            ck_assert_float_nan(value);
        else
            ck_assert_float_eq(value, expected[i]);
    }
}

START_TEST(lists_are_tokens) {
    static const int64_t expected[] = {0, 2, 2, 3, 7}, of_views[] = {0, 2, 2, 3, 7};
    made_array list, items;
    made_array_init(&items, "f", 9, 0, NULL, floats, NULL, NULL);
    made_array_init(&list, "+l", ROWS, 1, NULL, offsets, NULL, &items);
    set_ok("logprobs", &list);
    ck_assert_int_eq(info_of("logprobs").shape, ALCORE_COLUMN_RAGGED);
    check_tokens("logprobs", expected, floats + 1);
    made_array_init(&list, "+L", ROWS, 1, NULL, wide_offsets, NULL, &items);
    set_ok("mlm_losses", &list);
    check_tokens("mlm_losses", expected, floats + 1);
    made_array_init(&list, "+vl", ROWS, 1, NULL, views, view_lengths, &items);
    set_ok("entropies", &list);
    check_tokens("entropies", of_views, (const float[]){4, 5, 1.5f, 9, 1.5f, -2, 3});
    made_array_init(&list, "+w:2", ROWS, 0, NULL, NULL, NULL, &items);
    set_ok("margins", &list);
    check_tokens("margins", (const int64_t[]){0, 2, 4, 6, 8}, floats);
}
END_TEST

START_TEST(null_lists_and_tokens) {
    static const uint8_t second[] = {0xFB}; /* null from offset 1 on: row 1 */
    made_array list, items;
    made_array_init(&items, "f", 9, 0, third_is_null, floats, NULL, NULL);
    made_array_init(&list, "+l", ROWS, 1, second, offsets, NULL, &items);
    set_ok("logprobs", &list);
    check_tokens("logprobs", (const int64_t[]){0, 2, 3, 4, 8},
                 (const float[]){1.5f, -2, NAN, NAN, 4, 5, 6, 7});
}
END_TEST

START_TEST(lists_are_vectors) {
    static const uint8_t first[] = {0xFE}, child_valid[] = {0x7F, 0xFF};
    static const int32_t even[] = {1, 3, 5, 7, 9};
    const int64_t rows[ROWS] = {0, 1, 2, 3};
    double found[ROWS * 2];
    made_array list, items;
    made_array_init(&items, "f", 9, 0, child_valid, floats, NULL, NULL); /* 7 is null */
    made_array_init(&list, "+l", ROWS, 0, first, even, NULL, &items);
    set_ok("embeddings", &list);
    ck_assert_int_eq(info_of("embeddings").width, 2);
    ck_assert_ok(test_column_rows(pool, "embeddings", rows, ROWS, found));
    ck_assert_double_nan(found[0]);
    ck_assert_double_nan(found[1]);
    ck_assert_double_eq(found[2], 3);
    ck_assert_double_eq(found[5], 6);
    ck_assert_double_nan(found[6]);
    ck_assert_double_eq(found[7], 8);
}
END_TEST

/* A name without a meaning has vectors, or tokens where the caller says so. */
START_TEST(the_option_shape) {
    static const int32_t even[] = {1, 3, 5, 7, 9}, nine[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    made_array list, inner, items;
    made_array_init(&items, "f", 9, 0, NULL, floats, NULL, NULL);
    made_array_init(&list, "+l", ROWS, 0, NULL, even, NULL, &items);
    set_ok("mine", &list);
    ck_assert_int_eq(info_of("mine").shape, ALCORE_COLUMN_DENSE);
    options.shape = ALCORE_COLUMN_RAGGED;
    made_array_init(&list, "+l", ROWS, 0, NULL, even, NULL, &items);
    ck_assert_ok(set("mine", &list, &options));
    ck_assert_int_eq(info_of("mine").shape, ALCORE_COLUMN_RAGGED);
    options.shape = ALCORE_COLUMN_DENSE;
    made_array_init(&list, "+l", ROWS, 0, NULL, even, NULL, &items);
    ck_assert_ok(set("margins", &list, &options));
    ck_assert_int_eq(info_of("margins").shape, ALCORE_COLUMN_DENSE);
    ck_assert_ok(alcore_pool_drop_column(pool, "mine"));
    ck_assert_ok(alcore_pool_drop_column(pool, "margins"));
    made_array_init(&inner, "+l", 9, 0, NULL, nine, NULL, &items);
    made_array_init(&list, "+l", ROWS, 0, NULL, even, NULL, &inner);
    refused("mine", &list, &options, ALCORE_E_SHAPE, "found lists of lists");
    made_array_init(&list, "f", ROWS, 0, NULL, floats, NULL, NULL);
    refused("mine", &list, &options, ALCORE_E_INVALID, "shape says what lists are, found numbers");
    options.shape = 77;
    made_array_init(&list, "+l", ROWS, 0, NULL, even, NULL, &items);
    refused("mine", &list, &options, ALCORE_E_INVALID, "shape is 77");
    /* It is no option of other columns. */
    int64_t shape[] = {ROWS};
    float data[ROWS] = {0};
    alcore_tensor values;
    ck_assert_ok(alcore_tensor_init(&values, data, ALCORE_FLOAT32, shape, 1));
    options.shape = ALCORE_COLUMN_DENSE;
    ck_assert_fails(alcore_pool_set_column(pool, "mine", &values, NULL, &options), ALCORE_E_INVALID,
                    "shape is that of columns of Arrow");
}
END_TEST

START_TEST(lists_of_lists) {
    static const int32_t tokens[] = {0, 1, 1, 1, 3}, vectors[] = {1, 3, 5, 7};
    static const uint8_t third_row[] = {0xFB}, second_token[] = {0xFD};
    made_array rows, list, items;
    alcore_tensor values, found;
    made_array_init(&items, "f", 9, 0, NULL, floats, NULL, NULL);
    made_array_init(&list, "+l", 3, 0, second_token, vectors, NULL, &items);
    made_array_init(&rows, "+l", ROWS, 0, third_row, tokens, NULL, &list);
    set_ok("token_probs", &rows);
    ck_assert_int_eq(info_of("token_probs").shape, ALCORE_COLUMN_RAGGED_DENSE);
    ck_assert_ok(alcore_pool_get_column(pool, "token_probs", &values, &found));
    static const int64_t expected[] = {0, 1, 1, 2, 4};
    for (int i = 0; i <= ROWS; i++) ck_assert_int_eq(((int64_t *)found.data)[i], expected[i]);
    const float *data = values.data;
    ck_assert_int_eq(values.shape[0], 4);
    ck_assert_int_eq(values.shape[1], 2);
    ck_assert_float_eq(data[1], -2);
    ck_assert_float_nan(data[2]); /* the null row has one token without a value */
    ck_assert_float_nan(data[3]);
    ck_assert_float_nan(data[4]); /* the null token */
    ck_assert_float_eq(data[7], 6);
    /* Fixed-size lists in lists, the usual form of token probabilities. */
    made_array_init(&list, "+w:2", 3, 1, NULL, NULL, NULL, &items);
    made_array_init(&rows, "+l", ROWS, 0, NULL, tokens, NULL, &list);
    set_ok("token_probs", &rows);
    ck_assert_float_eq(((const float *)tensor_of("token_probs").data)[0], -2);
    made_array_init(&rows, "+l", ROWS, 0, NULL, tokens, NULL, &list);
    ck_assert_ok(alcore_pool_drop_column(pool, "token_probs"));
    refused("embeddings", &rows, NULL, ALCORE_E_SHAPE, "expected one list of numbers a row");
}
END_TEST

START_TEST(texts) {
    static const int32_t ends[] = {0, 3, 5, 5, 9};
    static const int16_t codes[] = {1, 0, 1, 0};
    static const uint8_t second[] = {0x0D};
    made_array made, words;
    made_array_init(&made, "u", ROWS, 0, second, ends, "onetwfour", NULL);
    set_ok("notes", &made);
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 0, NULL), "one");
    ck_assert_ptr_null(alcore_pool_column_text(pool, "notes", 1, NULL));
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 2, NULL), "");
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 3, NULL), "four");
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW; /* texts are copied all the same */
    made_array_init(&made, "u", ROWS, 0, second, ends, "onetwfour", NULL);
    ck_assert_ok(set("notes", &made, &options));
    ck_assert_int_eq(made.arrays_released, 1);
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 3, NULL), "four");
    options.meaning = ALCORE_MEANS_CONFIDENCE;
    made_array_init(&made, "u", ROWS, 0, second, ends, "onetwfour", NULL);
    ck_assert_fails(set("notes", &made, &options), ALCORE_E_INVALID, "only rows and row_count");
    made_array_init(&words, "u", 2, 0, NULL, ends, "onetwfour", NULL);
    made_array_init(&made, "s", ROWS, 0, second, codes, NULL, NULL);
    made.schema.dictionary = &words.schema;
    made.array.dictionary = &words.array;
    set_ok("roundtrip", &made);
    ck_assert_str_eq(alcore_pool_column_text(pool, "roundtrip", 0, NULL), "tw");
    ck_assert_ptr_null(alcore_pool_column_text(pool, "roundtrip", 1, NULL));
    made_array_init(&made, "n", ROWS, 0, NULL, NULL, NULL, NULL);
    set_ok("roundtrip", &made);
    ck_assert_ptr_null(alcore_pool_column_text(pool, "roundtrip", 0, NULL));
}
END_TEST

START_TEST(dictionaries_of_numbers) {
    static const uint8_t codes[] = {2, 0, 1, 2};
    made_array made, values;
    made_array_init(&values, "f", 3, 1, NULL, floats, NULL, NULL);
    made_array_init(&made, "C", ROWS, 0, NULL, codes, NULL, NULL);
    made.schema.dictionary = &values.schema;
    made.array.dictionary = &values.array;
    set_ok("scores", &made);
    ck_assert_int_eq(info_of("scores").dtype, ALCORE_FLOAT32);
    check_scalars("scores", (const double[]){3, 1.5, -2, 3});
}
END_TEST

START_TEST(empty_arrays) {
    made_array made, items;
    alcore_pool_unref(pool);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    made_array_init(&made, "f", 0, 0, NULL, NULL, NULL, NULL);
    set_ok("scores", &made);
    made_array_init(&items, "f", 0, 0, NULL, NULL, NULL, NULL);
    made_array_init(&made, "+l", 0, 0, NULL, NULL, NULL, &items);
    set_ok("logprobs", &made);
    made_array_init(&made, "+w:3", 0, 0, NULL, NULL, NULL, &items);
    set_ok("embeddings", &made);
    ck_assert_int_eq(info_of("embeddings").width, 3);
    made_array_init(&made, "u", 0, 0, NULL, NULL, "", NULL);
    set_ok("notes", &made);
    made_stream stream;
    made_array_init(&made, "f", 0, 0, NULL, NULL, NULL, NULL);
    made_stream_init(&stream, &made, 0);
    ck_assert_ok(alcore_pool_set_column_stream(pool, "scores", &stream.stream, NULL));
}
END_TEST

START_TEST(refusals) {
    static const int64_t large[] = {1, 1LL << 53, (1LL << 53) + 1, 4};
    static const uint64_t unsigned_large[] = {1, 2, 3, 1ULL << 63};
    static const int32_t falling[] = {0, 3, 1, 5, 5}, beyond[] = {0, 1, 2, 3, 10},
                         uneven[] = {0, 2, 4, 5, 7}, none[] = {0, 0, 0, 0, 0};
    static const uint8_t no_row[] = {0};
    made_array made, items, inner;
    made_array_init(&made, "f", ROWS - 1, 0, NULL, floats, NULL, NULL);
    refused("scores", &made, NULL, ALCORE_E_SHAPE, "expected 4 rows, found 3");
    made_array_init(&made, "tdD", ROWS, 0, NULL, floats, NULL, NULL);
    refused("scores", &made, NULL, ALCORE_E_UNSUPPORTED, "\"scores\" has the type tdD");
    const struct {
        int32_t pairs, key_bytes;
        char key[20];
        int32_t value_bytes;
        char value[10];
    } extension = {1, 20, "ARROW:extension:name", 10, "arrow.json"};
    made_array_init(&made, "f", ROWS, 0, NULL, floats, NULL, NULL);
    made.schema.metadata = (const char *)&extension;
    refused("mine", &made, NULL, ALCORE_E_UNSUPPORTED, "has the type arrow.json");
    made_array_init(&made, "b", ROWS, 0, NULL, floats, NULL, NULL);
    refused("mine", &made, NULL, ALCORE_E_UNSUPPORTED, "has the type b");
    made_array_init(&made, "l", ROWS, 0, NULL, large, NULL, NULL);
    refused("scores", &made, NULL, ALCORE_E_DATA,
            "\"scores\": value 2: float64 does not hold 9007199254740993");
    made_array_init(&made, "L", ROWS, 0, NULL, unsigned_large, NULL, NULL);
    refused("mine", &made, NULL, ALCORE_E_DATA, "value 3: 9223372036854775808 is no int64");
    made_array_init(&items, "f", 9, 0, NULL, floats, NULL, NULL);
    made_array_init(&made, "+l", ROWS, 0, NULL, falling, NULL, &items);
    refused("logprobs", &made, NULL, ALCORE_E_DATA, "\"logprobs\": row 1: the list");
    made_array_init(&made, "+l", ROWS, 0, NULL, beyond, NULL, &items);
    refused("logprobs", &made, NULL, ALCORE_E_DATA, "row 3: the list");
    made_array_init(&made, "+l", ROWS, 0, NULL, uneven, NULL, &items);
    refused("embeddings", &made, NULL, ALCORE_E_SHAPE,
            "row 2: the list has 1 numbers, those before it have 2");
    made_array_init(&made, "+l", ROWS, 0, NULL, none, NULL, &items);
    refused("embeddings", &made, NULL, ALCORE_E_SHAPE, "row 0: the list is empty");
    made_array_init(&made, "+l", ROWS, 0, no_row, uneven, NULL, &items);
    refused("embeddings", &made, NULL, ALCORE_E_SHAPE, "every list is null");
    made_array_init(&made, "+w:3", ROWS, 0, NULL, NULL, NULL, &items);
    refused("embeddings", &made, NULL, ALCORE_E_DATA, "malformed"); /* 12 values are needed */
    made_array_init(&made, "+l", ROWS, INT64_MAX, NULL, uneven, NULL, &items);
    refused("embeddings", &made, NULL, ALCORE_E_DATA, "malformed");
    made_array_init(&made, "+l", ROWS, 0, NULL, NULL, NULL, &items);
    refused("embeddings", &made, NULL, ALCORE_E_DATA, "malformed");
    made_array_init(&made, "f", ROWS, 0, NULL, floats, NULL, NULL);
    made.array.null_count = 2; /* which no bits tell apart */
    refused("scores", &made, NULL, ALCORE_E_DATA, "malformed");
    made_array_init(&made, "f", ROWS, 0, NULL, floats, NULL, NULL);
    made.array.null_count = ROWS + 1;
    refused("scores", &made, NULL, ALCORE_E_DATA, "malformed");
    made_array_init(&made, "f", ROWS, 0, NULL, floats, NULL, NULL);
    made.array.dictionary = &items.array; /* which the schema does not have */
    refused("scores", &made, NULL, ALCORE_E_DATA, "malformed");
    made.array.dictionary = NULL;
    made_array_init(&inner, "u", ROWS, 0, NULL, uneven, "text", NULL);
    made_array_init(&made, "+l", ROWS, 0, NULL, uneven, NULL, &inner);
    refused("notes", &made, NULL, ALCORE_E_UNSUPPORTED, "lists of texts");
    made_array_init(&made, "+s", ROWS, 0, NULL, NULL, NULL, &items);
    refused("notes", &made, NULL, ALCORE_E_UNSUPPORTED, "has the type +s");
    made_array_init(&made, "u", ROWS, 0, NULL, uneven, "textual", NULL);
    refused("scores", &made, NULL, ALCORE_E_SHAPE, "scores");
    made_array_init(&made, "f", ROWS, 0, NULL, floats, NULL, NULL);
    refused("", &made, NULL, ALCORE_E_INVALID, "a column needs a name");
    ck_assert_fails(alcore_pool_set_column_arrow(pool, "x", NULL, &made.schema, NULL),
                    ALCORE_E_INVALID, "NULL or released");
    ck_assert_fails(alcore_pool_set_column_arrow(pool, "x", &made.array, NULL, NULL),
                    ALCORE_E_INVALID, "NULL or released");
    set_ok("scores", &made);
    ck_assert_fails(set("scores", &made, NULL), ALCORE_E_INVALID, "NULL or released");
}
END_TEST

static void never(void *user) {
    (void)user;
    ck_abort_msg("release was called");
}

START_TEST(options_of_other_columns) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    made_array made;
    made_array_init(&made, "f", ROWS, 0, NULL, floats, NULL, NULL);
    options.ownership = ALCORE_BORROW;
    options.release = never;
    refused("scores", &made, &options, ALCORE_E_INVALID, "only ownership");
    options = (alcore_column_options)ALCORE_COLUMN_OPTIONS_INIT;
    options.on_device = 1;
    refused("scores", &made, &options, ALCORE_E_INVALID, "only ownership");
    options = (alcore_column_options)ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = 77;
    refused("scores", &made, &options, ALCORE_E_INVALID, "ownership is 77");
    options = (alcore_column_options)ALCORE_COLUMN_OPTIONS_INIT;
    options.size = 0;
    refused("scores", &made, &options, ALCORE_E_STRUCT_UNSET, "size");
}
END_TEST

START_TEST(streams) {
    made_array pieces[3], first_items, second_items;
    made_stream stream;
    made_array_init(&pieces[0], "f", 3, 1, third_is_null, floats, NULL, NULL);
    made_array_init(&pieces[1], "f", 0, 0, NULL, floats, NULL, NULL);
    made_array_init(&pieces[2], "f", 1, 4, NULL, floats, NULL, NULL);
    made_stream_init(&stream, pieces, 3);
    ck_assert_ok(alcore_pool_set_column_stream(pool, "scores", &stream.stream, NULL));
    check_scalars("scores", (const double[]){1.5, -2, NAN, 4});
    ck_assert_int_eq(stream.released, 1);
    ck_assert_ptr_null(stream.stream.release);
    ck_assert_int_eq(pieces[0].schemas_released, 1);
    for (int i = 0; i < 3; i++) ck_assert_int_eq(pieces[i].arrays_released, 1);
    made_array_init(&first_items, "f", 9, 0, NULL, floats, NULL, NULL);
    made_array_init(&second_items, "f", 8, 1, NULL, floats, NULL, NULL);
    made_array_init(&pieces[0], "+l", 2, 1, NULL, offsets, NULL, &first_items);
    made_array_init(&pieces[1], "+l", 2, 1, NULL, offsets, NULL, &second_items);
    made_stream_init(&stream, pieces, 2);
    ck_assert_ok(alcore_pool_set_column_stream(pool, "logprobs", &stream.stream, NULL));
    check_tokens("logprobs", (const int64_t[]){0, 2, 2, 4, 4}, (const float[]){1.5f, -2, -2, 3});
}
END_TEST

START_TEST(a_stream_of_one_array_stays_in_place) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    made_array piece;
    made_stream stream;
    options.ownership = ALCORE_BORROW;
    made_array_init(&piece, "f", ROWS, 1, NULL, floats, NULL, NULL);
    made_stream_init(&stream, &piece, 1);
    ck_assert_ok(alcore_pool_set_column_stream(pool, "scores", &stream.stream, &options));
    ck_assert_int_eq(stream.released, 1);
    ck_assert_int_eq(piece.arrays_released, 0);
    ck_assert_ptr_eq(tensor_of("scores").data, &floats[1]);
    ck_assert_ok(alcore_pool_drop_column(pool, "scores"));
    ck_assert_int_eq(piece.arrays_released, 1);
}
END_TEST

/* Several arrays are put behind each other, in memory of the column's own. */
START_TEST(streams_of_several_are_copied) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    made_array pieces[2];
    made_stream stream;
    options.ownership = ALCORE_BORROW;
    for (int i = 0; i < 2; i++)
        made_array_init(&pieces[i], "f", 2, 1 + 2 * i, NULL, floats, NULL, NULL);
    made_stream_init(&stream, pieces, 2);
    ck_assert_ok(alcore_pool_set_column_stream(pool, "scores", &stream.stream, &options));
    for (int i = 0; i < 2; i++) ck_assert_int_eq(pieces[i].arrays_released, 1);
    ck_assert_ptr_ne(tensor_of("scores").data, &floats[1]);
    check_scalars("scores", (const double[]){1.5, -2, 3, 4});
}
END_TEST

START_TEST(streams_that_fail) {
    made_array pieces[2];
    made_stream stream;
    for (int i = 0; i < 2; i++) made_array_init(&pieces[i], "f", 2, 0, NULL, floats, NULL, NULL);
    made_stream_init(&stream, pieces, 2);
    stream.fail_at = 2;
    ck_assert_fails(alcore_pool_set_column_stream(pool, "scores", &stream.stream, NULL),
                    ALCORE_E_CALLBACK, "a batch: the disk is on fire (code 5)");
    ck_assert_int_eq(stream.released, 1);
    ck_assert_int_eq(pieces[0].arrays_released, 1);
    ck_assert_int_eq(pieces[0].schemas_released, 1);
    made_array_init(&pieces[0], "f", 3, 0, NULL, floats, NULL, NULL);
    made_stream_init(&stream, pieces, 2);
    ck_assert_fails(alcore_pool_set_column_stream(pool, "scores", &stream.stream, NULL),
                    ALCORE_E_SHAPE, "expected 4 rows, found 5");
    ck_assert_int_eq(pieces[0].arrays_released, 1);
    ck_assert_int_eq(pieces[1].arrays_released, 1);
    /* Before it is read it stays the caller's. */
    made_stream_init(&stream, pieces, 2);
    alcore_ctx_cancel(ctx);
    ck_assert_fails(alcore_pool_set_column_stream(pool, "scores", &stream.stream, NULL),
                    ALCORE_E_CANCELLED, "");
    alcore_ctx_cancel_clear(ctx);
    ck_assert_fails(alcore_pool_set_column_stream(pool, "", &stream.stream, NULL), ALCORE_E_INVALID,
                    "name");
    ck_assert_int_eq(stream.released, 0);
    ck_assert_fails(alcore_pool_set_column_stream(pool, "x", NULL, NULL), ALCORE_E_INVALID, "NULL");
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, numbers_of_every_type);
    tcase_add_test(tests, nulls_and_offsets);
    tcase_add_test(tests, some_rows);
    tcase_add_test(tests, borrowed_in_place);
    tcase_add_test(tests, borrowed_but_copied);
    tcase_add_test(tests, lists_are_tokens);
    tcase_add_test(tests, null_lists_and_tokens);
    tcase_add_test(tests, lists_are_vectors);
    tcase_add_test(tests, the_option_shape);
    tcase_add_test(tests, lists_of_lists);
    tcase_add_test(tests, texts);
    tcase_add_test(tests, dictionaries_of_numbers);
    tcase_add_test(tests, empty_arrays);
    tcase_add_test(tests, refusals);
    tcase_add_test(tests, options_of_other_columns);
    tcase_add_test(tests, streams);
    tcase_add_test(tests, a_stream_of_one_array_stays_in_place);
    tcase_add_test(tests, streams_of_several_are_copied);
    tcase_add_test(tests, streams_that_fail);
}

TEST_FILE() {
    return test_run("column-arrow", add);
}
