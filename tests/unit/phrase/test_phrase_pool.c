/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of the phrases of a pool: its rows and columns, states, options, the table in a file. */
#include "alcore/phrase.h"
#include "pool_test.h"

#include <stdio.h>
#include <stdlib.h>

/* The corpus of the specification (TV-PHR). */
static const char *const UNLABELED[] = {
    "the patient has severe headache", "the patient has severe nausea",
    "severe headache was reported",    "the patient was treated",
    "headache was reported",           "the patient has fever",
};
static const char *const LABELED[] = {"the patient was late", "it was reported today"};

typedef struct bed {
    alcore_ctx *ctx;
    alcore_pool *pool, *labeled;
} bed;

static bed make_bed(void) {
    bed b = {.ctx = test_ctx()};
    b.pool = test_pool(b.ctx, UNLABELED, COUNT(UNLABELED));
    b.labeled = test_pool(b.ctx, LABELED, COUNT(LABELED));
    return b;
}

static void free_bed(bed *b) {
    alcore_pool_unref(b->pool);
    alcore_pool_unref(b->labeled);
    alcore_ctx_unref(b->ctx);
}

static int64_t value_of(const alcore_pool *pool, const char *name, int64_t row) {
    int64_t value, one = 1;
    alcore_tensor out;
    ck_assert_ok(alcore_tensor_init(&out, &value, ALCORE_INT64, &one, 1));
    ck_assert_ok(alcore_pool_get_column_rows(pool, name, &row, 1, &out));
    return value;
}

static void assert_phrase(const alcore_pool *pool, int64_t row, const char *text, int64_t occ,
                          int64_t first_row, int64_t first_position) {
    int64_t words = 1;
    for (const char *c = text; *c; c++) words += *c == ' ';
    ck_assert_str_eq(alcore_pool_text(pool, row, NULL), text);
    ck_assert_double_eq(alcore_pool_cost(pool, row), (double)words);
    ck_assert_int_eq(value_of(pool, "length", row), words);
    ck_assert_int_eq(value_of(pool, "occurrences", row), occ);
    ck_assert_int_eq(value_of(pool, "first_row", row), first_row);
    ck_assert_int_eq(value_of(pool, "first_position", row), first_position);
}

START_TEST(test_all_phrases) {
    bed b = make_bed();
    alcore_pool *out;
    int64_t known = 0, semi_maximal = 0;
    ck_assert_ok(alcore_pool_derive_phrases(b.pool, b.labeled, NULL, &out));
    ck_assert_int_eq(alcore_pool_row_count(out), 35);
    ck_assert_ptr_eq(alcore_pool_source(out), b.pool);
    assert_phrase(out, 0, "the patient", 4, 0, 0);
    assert_phrase(out, 3, "the patient has", 3, 0, 0);
    assert_phrase(out, 8, "was", 3, 2, 2);
    for (int64_t row = 0; row < 35; row++) {
        known += value_of(out, "known", row);
        semi_maximal += value_of(out, "semi_maximal", row) && !value_of(out, "known", row);
    }
    ck_assert_int_eq(known, 8);
    ck_assert_int_eq(semi_maximal, 8);
    alcore_pool_unref(out);
    free_bed(&b);
}
END_TEST

START_TEST(test_options) {
    bed b = make_bed();
    alcore_pool *out;
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    options.semi_maximal = options.unknown = 1;
    ck_assert_ok(alcore_pool_derive_phrases(b.pool, b.labeled, &options, &out));
    ck_assert_int_eq(alcore_pool_row_count(out), 8);
    assert_phrase(out, 0, "the patient has severe", 2, 0, 0);
    assert_phrase(out, 1, "headache was reported", 2, 2, 1);
    assert_phrase(out, 2, "severe headache", 2, 0, 3);
    assert_phrase(out, 7, "the patient has fever", 1, 5, 0);
    alcore_pool_unref(out);
    options.beyond_limit = 1;
    ck_assert_ok(alcore_pool_derive_phrases(b.pool, b.labeled, &options, &out));
    ck_assert_int_eq(alcore_pool_row_count(out), 6);
    alcore_pool_unref(out);
    options.beyond_limit = 0;
    options.min_count = 2;
    ck_assert_ok(alcore_pool_derive_phrases(b.pool, b.labeled, &options, &out));
    ck_assert_int_eq(alcore_pool_row_count(out), 3);
    alcore_pool_unref(out);
    options.min_count = 0;
    options.max_words = ALCORE_PHRASE_UNLIMITED;
    ck_assert_ok(alcore_pool_derive_phrases(b.pool, NULL, &options, &out));
    assert_phrase(out, alcore_pool_row_count(out) - 1, "the patient has fever", 1, 5, 0);
    alcore_pool_unref(out);
    free_bed(&b);
}
END_TEST

/* Labeled rows of the pool count as labeled, excluded rows and copies not at all. */
START_TEST(test_states) {
    static const char *const texts[] = {"a b", "b c", "c d", "a b", "d e"};
    const int64_t labeled[] = {1}, excluded[] = {4};
    alcore_ctx *ctx = test_ctx();
    alcore_pool *pool = test_pool(ctx, texts, COUNT(texts)), *out;
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, labeled, 1));
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, excluded, 1));
    ck_assert_ok(alcore_pool_derive_phrases(pool, NULL, NULL, &out));
    ck_assert_int_eq(alcore_pool_row_count(out), 6);
    assert_phrase(out, 0, "a b", 1, 0, 0);
    assert_phrase(out, 1, "c d", 1, 2, 0);
    assert_phrase(out, 2, "a", 1, 0, 0);
    assert_phrase(out, 3, "b", 1, 0, 1);
    ck_assert_int_eq(value_of(out, "known", 0), 0);
    ck_assert_int_eq(value_of(out, "known", 2), 0);
    ck_assert_int_eq(value_of(out, "known", 3), 1);
    alcore_pool_unref(out);
    /* Rows that change later do not change the phrases, and a new pool sees the change. */
    ck_assert_ok(alcore_pool_unmark(pool, ALCORE_ROW_EXCLUDED, excluded, 1));
    ck_assert_ok(alcore_pool_derive_phrases(pool, pool, NULL, &out));
    ck_assert_int_eq(alcore_pool_row_count(out), 8);
    assert_phrase(out, 0, "d", 2, 2, 1);
    for (int64_t row = 0; row < 8; row++) ck_assert_int_eq(value_of(out, "known", row), 1);
    alcore_pool_unref(out);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_empty) {
    static const char *const texts[] = {"", "  "};
    alcore_ctx *ctx = test_ctx();
    for (int64_t count = 0; count <= 2; count += 2) {
        alcore_pool *pool = test_pool(ctx, texts, count), *out;
        ck_assert_ok(alcore_pool_derive_phrases(pool, NULL, NULL, &out));
        ck_assert_int_eq(alcore_pool_row_count(out), 0);
        ck_assert_ok(alcore_pool_write_phrases(out, test_path("empty.tsv"), NULL));
        alcore_pool_unref(out);
        alcore_pool_unref(pool);
    }
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(test_bad_options) {
    static const struct {
        alcore_phrase_options options;
        const char *part;
    } cases[] = {
        {{.max_words = 65}, "max_words is 65; expected 1 to 64"},
        {{.max_words = -2}, "max_words is -2"},
        {{.max_words = ALCORE_PHRASE_UNLIMITED}, "too many to be listed"},
        {{.min_count = -1}, "min_count is -1"},
        {{.semi_maximal = 2}, "semi_maximal is 2"},
        {{.beyond_limit = -1}, "beyond_limit is -1"},
        {{.unknown = 3}, "unknown is 3"},
        {{.with_letters = 9}, "with_letters is 9"},
    };
    bed b = make_bed();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_phrase_options options = cases[i].options;
        alcore_pool *out = b.pool;
        options.size = sizeof options;
        ck_assert_fails(alcore_pool_derive_phrases(b.pool, NULL, &options, &out), ALCORE_E_INVALID,
                        cases[i].part);
        ck_assert_ptr_null(out);
    }
    ck_assert_fails(alcore_pool_derive_phrases(b.pool, NULL, NULL, NULL), ALCORE_E_INVALID, "out");
    alcore_pool *none = b.pool;
    ck_assert_fails(alcore_pool_derive_phrases(NULL, NULL, NULL, &none), ALCORE_E_INVALID,
                    "pool is NULL");
    ck_assert_ptr_null(none);
    ck_assert_fails(alcore_pool_write_phrases(b.pool, test_path("no.tsv"), NULL),
                    ALCORE_E_NOT_FOUND, "occurrences");
    free_bed(&b);
}
END_TEST

START_TEST(test_table_in_a_file) {
    static const char *const texts[] = {"a\\b c", "a\\b c"};
    static const char expected[] =
        "phrase\tocc\tlength\tfirst_index\tfirst_position\tin_labeled\tsemi_maximal\n"
        "a\\\\b c\t2\t2\t0\t0\t0\t1\n"
        "a\\\\b\t2\t1\t0\t0\t0\t0\n"
        "c\t2\t1\t0\t1\t0\t0\n";
    alcore_ctx *ctx = test_ctx();
    alcore_pool_options all_rows = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool, *out;
    char data[sizeof expected + 1];
    all_rows.dedup = ALCORE_DEDUP_NONE;
    ck_assert_ok(alcore_pool_new(ctx, &all_rows, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 2, NULL));
    ck_assert_ok(alcore_pool_derive_phrases(pool, NULL, NULL, &out));
    ck_assert_ok(alcore_pool_write_phrases(out, test_path("phrases.tsv"), NULL));
    FILE *file = fopen(test_path("phrases.tsv"), "rb");
    ck_assert_ptr_nonnull(file);
    const size_t bytes = fread(data, 1, sizeof data, file);
    fclose(file);
    ck_assert_uint_eq(bytes, sizeof expected - 1);
    ck_assert_mem_eq(data, expected, bytes);
    alcore_pool_unref(out);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Phrases are those of the moment at which they were derived, and their pool keeps the one of the
 * texts. Rows of a labeled pool are known whatever their states. */
START_TEST(the_phrases_stay) {
    static const char *const later[] = {"another text"};
    const int64_t row = 0;
    bed b = make_bed();
    alcore_pool *out;
    int64_t known = 0;
    ck_assert_ok(alcore_pool_mark(b.labeled, ALCORE_ROW_EXCLUDED, &row, 1));
    ck_assert_ok(alcore_pool_derive_phrases(b.pool, b.labeled, NULL, &out));
    ck_assert_ok(alcore_pool_mark(b.pool, ALCORE_ROW_LABELED, &row, 1));
    ck_assert_ok(alcore_pool_add_texts(b.pool, later, NULL, 1, NULL));
    const alcore_pool *texts = b.pool;
    alcore_pool_unref(b.pool);
    alcore_pool_unref(b.labeled);
    ck_assert_int_eq(alcore_pool_row_count(out), 35);
    ck_assert_ptr_eq(alcore_pool_source(out), texts);
    ck_assert_str_eq(alcore_pool_text(alcore_pool_source(out), 0, NULL), UNLABELED[0]);
    assert_phrase(out, 0, "the patient", 4, 0, 0);
    for (int64_t i = 0; i < 35; i++) known += value_of(out, "known", i);
    ck_assert_int_eq(known, 8);
    alcore_pool_unref(out);
    alcore_ctx_unref(b.ctx);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, test_all_phrases);
    tcase_add_test(tests, test_options);
    tcase_add_test(tests, test_states);
    tcase_add_test(tests, test_empty);
    tcase_add_test(tests, test_bad_options);
    tcase_add_test(tests, test_table_in_a_file);
    tcase_add_test(tests, the_phrases_stay);
}

TEST_FILE() {
    return test_run("phrase_pool", add);
}
