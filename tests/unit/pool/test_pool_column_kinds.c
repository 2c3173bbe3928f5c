/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of integers and of texts, and which kinds of numbers the names of columns take. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "pool/column.h"
#include "pool/column_names.h"
#include "pool_column_bed.h"

/* ---- integers ---- */

START_TEST(integers) {
    const int64_t big = ((int64_t)1 << 53) + 1;
    int64_t wide[] = {7, -1, big, INT64_MIN, 0}, out[5], shape[] = {5, 1};
    int32_t narrow[] = {7, -1, INT32_MAX, INT32_MIN, 0};
    double doubles[5];
    alcore_tensor values = tensor_of(wide, ALCORE_INT64, 1, shape), view;
    alcore_tensor target = tensor_of(out, ALCORE_INT64, 2, shape);
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    ck_assert_ok(alcore_pool_set_column(pool, "n", &values, NULL, NULL));
    ck_assert_ok(alcore_pool_get_column_info(pool, "n", &info));
    ck_assert_int_eq(info.dtype, ALCORE_INT64);
    ck_assert_ok(alcore_pool_get_column(pool, "n", &view, NULL));
    ck_assert_mem_eq(view.data, wide, sizeof wide);
    ck_assert_ok(alcore_pool_get_column_rows(pool, "n", all_rows, 5, &target));
    ck_assert_mem_eq(out, wide, sizeof wide); /* exactly, also beyond 2^53 */
    ck_assert_ok(test_column_rows(pool, "n", all_rows, 5, doubles));
    ck_assert_double_eq(doubles[0], 7);
    ck_assert(isnan(doubles[3]));
    values = tensor_of(narrow, ALCORE_INT32, 1, shape);
    ck_assert_ok(alcore_pool_set_column(pool, "n", &values, NULL, NULL));
    ck_assert_ok(alcore_pool_get_column_rows(pool, "n", all_rows, 5, &target));
    ck_assert_int_eq(out[2], INT32_MAX);
    ck_assert_int_eq(out[3], INT64_MIN);
    /* Names with a meaning take one kind of values. */
    ck_assert_fails(alcore_pool_set_column(pool, "scores", &values, NULL, NULL), ALCORE_E_SHAPE,
                    "expected float16, bfloat16, float32 or float64, found int32");
    float floats[] = {1, 2, 3, 4, 5};
    values = tensor_of(floats, ALCORE_FLOAT32, 1, shape);
    ck_assert_fails(alcore_pool_set_column(pool, "occurrences", &values, NULL, NULL),
                    ALCORE_E_SHAPE, "expected int32 or int64, found float32");
    /* Floats do not go into an array of integers, and shapes are checked. */
    ck_assert_ok(alcore_pool_set_column(pool, "f", &values, NULL, NULL));
    ck_assert_fails(alcore_pool_get_column_rows(pool, "f", all_rows, 5, &target), ALCORE_E_SHAPE,
                    "out: expected float64, found int64");
    ck_assert_fails(alcore_pool_get_column_rows(pool, "n", all_rows, 4, &target), ALCORE_E_SHAPE,
                    "out: expected [4, 1], found [5, 1]");
    ck_assert_fails(alcore_pool_get_column_rows(pool, "n", all_rows, 5, NULL), ALCORE_E_INVALID,
                    "out");
}
END_TEST

/* Which kinds of numbers, or texts, each name takes, as the header lists them. */
START_TEST(the_names_say_what_they_take) {
    enum { FLOATS = 1, INTEGERS = 2, TEXTS = 4 };
    static const struct {
        const char *name;
        int takes;
    } cases[] = {{"scores", FLOATS},
                 {"logprobs", FLOATS},
                 {"probs", FLOATS},
                 {"embeddings", FLOATS},
                 {"token_probs", FLOATS},
                 {"margins", FLOATS},
                 {"confidences", FLOATS},
                 {"entropies", FLOATS},
                 {"mlm_losses", FLOATS},
                 {"factors", FLOATS},
                 {"qa_start", FLOATS},
                 {"qa_end", FLOATS},
                 {"roundtrip", TEXTS},
                 {"qa_contexts", TEXTS},
                 {"occurrences", INTEGERS},
                 {"first_row", INTEGERS},
                 {"source_rows", INTEGERS},
                 {"first_position", INTEGERS},
                 {"qa_windows", FLOATS | INTEGERS},
                 {"mine", FLOATS | INTEGERS | TEXTS}};
    float numbers[] = {1, 2, 3, 4, 5};
    int64_t whole[] = {0, 1, 2, 3, 4}, shape[] = {5};
    const char *const given[] = {"a", "b", "c", "d", "e"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *name = cases[i].name;
        alcore_tensor one = tensor_of(numbers, ALCORE_FLOAT32, 1, shape);
        alcore_tensor two = tensor_of(whole, ALCORE_INT64, 1, shape);
        const alcore_status found[] = {
            alcore_pool_set_column(pool, name, &one, NULL, NULL),
            alcore_pool_set_column(pool, name, &two, NULL, NULL),
            alcore_pool_set_text_column(pool, name, given, NULL, 5, NULL)};
        for (int kind = 0; kind < 3; kind++)
            ck_assert_msg(found[kind] == (cases[i].takes >> kind & 1 ? ALCORE_OK : ALCORE_E_SHAPE),
                          "%s, kind %d: %s", name, kind, alcore_status_name(found[kind]));
    }
}
END_TEST

START_TEST(integers_for_some_rows_and_tokens) {
    int64_t values[] = {10, 30}, shape[] = {2}, out[5], out_shape[] = {5};
    int64_t tokens[] = {1, 2, 3}, token_shape[] = {3}, offsets[] = {0, 2, 2, 2, 2, 3};
    int64_t offset_shape[] = {6};
    const int64_t rows[] = {1, 3};
    alcore_tensor given = tensor_of(values, ALCORE_INT64, 1, shape);
    alcore_tensor target = tensor_of(out, ALCORE_INT64, 1, out_shape), view, view_offsets;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = rows;
    options.row_count = 2;
    ck_assert_ok(alcore_pool_set_column(pool, "n", &given, NULL, &options));
    ck_assert_ok(alcore_pool_get_column_rows(pool, "n", all_rows, 5, &target));
    const int64_t expected[] = {INT64_MIN, 10, INT64_MIN, 30, INT64_MIN};
    ck_assert_mem_eq(out, expected, sizeof expected);
    given = tensor_of(tokens, ALCORE_INT64, 1, token_shape);
    alcore_tensor starts = tensor_of(offsets, ALCORE_INT64, 1, offset_shape);
    ck_assert_ok(alcore_pool_set_column(pool, "source_rows", &given, &starts, NULL));
    ck_assert_ok(alcore_pool_get_column(pool, "source_rows", &view, &view_offsets));
    ck_assert_mem_eq(view.data, tokens, sizeof tokens);
    uint64_t first, second;
    const alcore__column *column = alcore__pool_find_column(pool, "source_rows");
    ck_assert_ok(alcore__column_fingerprint(column, &first));
    tokens[0] = 9; /* the pool has a copy */
    ck_assert_ok(alcore__column_fingerprint(column, &second));
    ck_assert(first == second);
}
END_TEST

/* ---- texts ---- */

START_TEST(texts) {
    const char *const given[] = {"one", NULL, "", "d\xC3\xA9j\xC3\xA0", "five"};
    const size_t lengths[] = {3, 0, 0, 6, 2};
    size_t length = 99;
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    alcore_tensor view;
    double out[5];
    ck_assert_ok(alcore_pool_set_text_column(pool, "notes", given, lengths, 5, NULL));
    ck_assert_ok(alcore_pool_get_column_info(pool, "notes", &info));
    ck_assert_int_eq(info.dtype, ALCORE_TEXT);
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 0, &length), "one");
    ck_assert_uint_eq(length, 3);
    ck_assert_ptr_null(alcore_pool_column_text(pool, "notes", 1, &length));
    ck_assert_uint_eq(length, 0);
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 2, NULL), "");
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 3, NULL), "d\xC3\xA9j\xC3\xA0");
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 4, NULL), "fi");
    ck_assert_ptr_null(alcore_pool_column_text(pool, "notes", 5, NULL));
    ck_assert_ptr_null(alcore_pool_column_text(pool, "other", 0, NULL));
    ck_assert_ptr_null(alcore_pool_column_text(NULL, "notes", 0, NULL));
    ck_assert_fails(alcore_pool_get_column(pool, "notes", &view, NULL), ALCORE_E_UNSUPPORTED,
                    "notes");
    ck_assert_fails(test_column_rows(pool, "notes", all_rows, 5, out), ALCORE_E_SHAPE, "texts");
    uint64_t first, second;
    ck_assert_ok(alcore__column_fingerprint(alcore__pool_find_column(pool, "notes"), &first));
    ck_assert_ok(alcore_pool_set_text_column(pool, "notes", given, NULL, 5, NULL));
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 4, NULL), "five");
    ck_assert_ok(alcore__column_fingerprint(alcore__pool_find_column(pool, "notes"), &second));
    ck_assert(first != second);
    /* For some rows. */
    const int64_t rows[] = {4, 0};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = rows;
    options.row_count = 2;
    ck_assert_ok(alcore_pool_set_text_column(pool, "notes", given, NULL, 2, &options));
    ck_assert_str_eq(alcore_pool_column_text(pool, "notes", 4, NULL), "one");
    ck_assert_ptr_null(alcore_pool_column_text(pool, "notes", 0, NULL));
    ck_assert_ptr_null(alcore_pool_column_text(pool, "notes", 2, NULL));
}
END_TEST

static int64_t told = -1; /* what progress was told last of the texts that are copied */

static int32_t stop_copying(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user;
    if (strcmp(stage, "copying") != 0) return 0;
    ck_assert_int_le(done, total);
    told = done;
    return 1;
}

/* Progress is told of many texts, and its answer leaves the pool as it was. */
START_TEST(progress_ends_texts) {
    enum { MANY = 1 << 23 };
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *own;
    alcore_status status = ALCORE_OK;
    const char **many = malloc(MANY * sizeof *many);
    ck_assert_ptr_nonnull(many);
    for (int64_t i = 0; i < MANY; i++) many[i] = "a b";
    options.progress = stop_copying;
    ck_assert_ok(alcore_ctx_new(&options, &own));
    alcore_pool *large;
    ck_assert_ok(alcore_pool_new(own, NULL, &large));
    ck_assert_ok(alcore_pool_add_texts(large, many, NULL, MANY, NULL));
    /* Each call is long enough on a machine that is slow enough. */
    for (int i = 0; i < 100 && status == ALCORE_OK; i++)
        status = alcore_pool_set_text_column(large, "notes", many, NULL, MANY, NULL);
    ck_assert_int_eq(status, ALCORE_E_CANCELLED);
    ck_assert_int_ge(told, 0);
    free(many);
    alcore_pool_unref(large);
    alcore_ctx_unref(own);
}
END_TEST

START_TEST(wrong_texts) {
    const char *const given[] = {"one", "tw\xFFo", "three", "four", "five"};
    ck_assert_fails(alcore_pool_set_text_column(pool, "notes", given, NULL, 5, NULL), ALCORE_E_DATA,
                    "column \"notes\": entry 1: the text is not valid UTF-8 at byte 2");
    ck_assert_fails(alcore_pool_set_text_column(pool, "notes", given, NULL, 4, NULL),
                    ALCORE_E_SHAPE, "expected 5 texts, found 4");
    ck_assert_fails(alcore_pool_set_text_column(pool, "notes", NULL, NULL, 5, NULL),
                    ALCORE_E_INVALID, "5 texts");
    ck_assert_fails(alcore_pool_set_text_column(pool, "scores", given, NULL, 5, NULL),
                    ALCORE_E_SHAPE, "found texts");
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.ownership = ALCORE_BORROW;
    ck_assert_fails(alcore_pool_set_text_column(pool, "notes", given, NULL, 5, &options),
                    ALCORE_E_INVALID, "only rows and row_count");
    ck_assert_ptr_null(alcore_pool_column_name(pool, 0));
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, bed_setup, bed_teardown);
    tcase_add_test(tests, integers);
    tcase_add_test(tests, the_names_say_what_they_take);
    tcase_add_test(tests, integers_for_some_rows_and_tokens);
    tcase_add_test(tests, texts);
    tcase_add_test(tests, progress_ends_texts);
    tcase_add_test(tests, wrong_texts);
}

TEST_FILE() {
    return test_run("pool-column-kinds", add);
}
