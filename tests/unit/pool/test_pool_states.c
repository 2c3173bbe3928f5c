/* SPDX-License-Identifier: Apache-2.0 */
/* Masks: duplicates, marks, filters; and what the layers above ask of a pool. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pool_internal.h"
#include "pool_test.h"

static alcore_ctx *ctx;

static void setup(void) {
    ctx = test_ctx();
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static alcore_pool *pool_with(int32_t dedup, const char *const *texts, int64_t count) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = dedup;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, count, NULL));
    return pool;
}

START_TEST(duplicates) {
    /* U+00E9, and e with a combining acute: equal only when normalized; likewise case, digits,
     * punctuation and space. */
    static const char *const texts[] = {"Version 2.1",
                                        "version 35",
                                        "Caf\xC3\xA9",
                                        "Cafe\xCC\x81",
                                        "Version 2.1",
                                        ("stra\xC3\x9F"
                                         "e"),
                                        "STRASSE!",
                                        " ",
                                        "\t"};
    enum { TWICE = ALCORE_ROW_DUPLICATE, EMPTY = ALCORE_ROW_EMPTY };
    /* In the order of ALCORE_DEDUP_*. */
    static const uint32_t expected[3][9] = {{0, 0, 0, 0, TWICE, 0, 0, EMPTY, EMPTY},
                                            {0, TWICE, 0, TWICE, TWICE, 0, TWICE, EMPTY, EMPTY},
                                            {0, 0, 0, 0, 0, 0, 0, EMPTY, EMPTY}};
    alcore_pool *pool = pool_with(ALCORE_DEDUP_EXACT + _i, texts, 9);
    ck_assert_mem_eq(alcore_pool_states(pool), expected[_i], sizeof expected[_i]);
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(many_duplicates) {
    /* Every text three times, over many batches and growths of the index. */
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    enum { TEXTS = 20000 };
    static char bytes[TEXTS][16];
    static const char *texts[TEXTS];
    for (int i = 0; i < TEXTS; i++) {
        snprintf(bytes[i], sizeof bytes[i], "%d", i);
        texts[i] = bytes[i];
    }
    for (int round = 0; round < 3; round++)
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, TEXTS, NULL));
    for (int64_t row = 0; row < 3 * TEXTS; row++)
        ck_assert_int_eq(alcore_pool_states(pool)[row], row < TEXTS ? 0 : ALCORE_ROW_DUPLICATE);
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(failed_additions_leave_no_trace) {
    /* Texts of a failed addition must not make later ones duplicates, and duplicates must still be
     * found. */
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    enum { TEXTS = 3000 };
    static char bytes[TEXTS + 1][16];
    static const char *texts[TEXTS + 1], *languages[TEXTS + 1];
    for (int i = 0; i < TEXTS; i++) {
        snprintf(bytes[i], sizeof bytes[i], "t%d", i);
        texts[i] = bytes[i];
        languages[i] = i % 2 ? "xx" : NULL;
    }
    texts[TEXTS] = "bad \xFF";
    languages[TEXTS] = "yy";
    alcore_records records = ALCORE_RECORDS_INIT;
    records.texts = texts;
    records.languages = languages;
    records.ids = texts;
    records.groups = texts;
    records.count = TEXTS + 1;
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1000, NULL));
    const uint64_t before = alcore_pool_fingerprint(pool);
    for (int i = 0; i < 3; i++) {
        ck_assert_fails(alcore_pool_add_records(pool, &records, NULL), ALCORE_E_DATA, "row 4000");
        ck_assert_int_eq(alcore_pool_row_count(pool), 1000);
        ck_assert_uint_eq(alcore_pool_fingerprint(pool), before);
    }
    const char *const *tags;
    ck_assert_int_eq(alcore__pool_languages(pool, &tags), 1);
    ck_assert_str_eq(tags[0], "unknown");
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, TEXTS, NULL));
    for (int64_t row = 0; row < 1000 + TEXTS; row++) {
        const bool again = row >= 1000 && row < 2000;
        ck_assert_int_eq(alcore_pool_states(pool)[row], again ? ALCORE_ROW_DUPLICATE : 0);
        ck_assert_int_eq(atoll(alcore_pool_row_id(pool, row)), row + 1);
        ck_assert_ptr_null(alcore_pool_group(pool, row));
        ck_assert_str_eq(alcore_pool_language(pool, row), "unknown");
    }
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(marks) {
    alcore_pool *pool = test_pool_of(ctx, 4);
    const int64_t rows[] = {1, 3}, outside[] = {0, 4}, twice[] = {2, 2}, beyond[] = {1, 4};
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED | ALCORE_ROW_EXCLUDED, rows, 2));
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_LABELED), 2);
    ck_assert_fails(alcore_pool_mark(pool, ALCORE_ROW_LABELED, outside, 2), ALCORE_E_NOT_FOUND,
                    "no row 4");
    ck_assert_int_eq(alcore_pool_states(pool)[0], 0); /* nothing was marked */
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_INELIGIBLE | ALCORE_ROW_FILTERED, twice, 2));
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_INELIGIBLE | ALCORE_ROW_FILTERED), 1);
    ck_assert_ok(alcore_pool_unmark(pool, ALCORE_ROW_INELIGIBLE | ALCORE_ROW_FILTERED, twice, 2));
    ck_assert_fails(alcore_pool_unmark(pool, ALCORE_ROW_LABELED, beyond, 2), ALCORE_E_NOT_FOUND,
                    "no row 4");
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_LABELED), 2); /* nothing changed */
    ck_assert_ok(alcore_pool_unmark(pool, ALCORE_ROW_LABELED, rows, 1));
    ck_assert_int_eq(alcore_pool_states(pool)[1], ALCORE_ROW_EXCLUDED);
    ck_assert_int_eq(alcore_pool_states(pool)[3], ALCORE_ROW_LABELED | ALCORE_ROW_EXCLUDED);
    static const uint32_t refused[] = {0,
                                       ALCORE_ROW_EMPTY,
                                       ALCORE_ROW_DUPLICATE,
                                       ALCORE_ROW_NAN,
                                       ALCORE_ROW_KNOWN,
                                       ALCORE_ROW_MISSING,
                                       ALCORE_ROW_MALFORMED,
                                       512,
                                       ALCORE_ROW_LABELED | ALCORE_ROW_EMPTY};
    for (int i = 0; i < 9; i++) {
        ck_assert_fails(alcore_pool_mark(pool, refused[i], rows, 1), ALCORE_E_INVALID, "states");
        ck_assert_fails(alcore_pool_unmark(pool, refused[i], rows, 1), ALCORE_E_INVALID, "states");
    }
    ck_assert_fails(alcore_pool_mark(pool, ALCORE_ROW_LABELED, NULL, 1), ALCORE_E_INVALID, "rows");
    ck_assert_fails(alcore_pool_mark(pool, ALCORE_ROW_LABELED, rows, -1), ALCORE_E_INVALID, "-1");
    ck_assert_ok(alcore__pool_mark_internal(pool, ALCORE_ROW_NAN, rows, 1));
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_NAN), 1);
    ck_assert_ptr_null(alcore_pool_states(NULL));
    ck_assert_int_eq(alcore_pool_state_count(NULL, 0), 0);
    ck_assert_int_eq(alcore_pool_state_count(pool, 1), 0); /* no state */
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_LABELED | 1), 0);
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_LABELED, NULL, 0));
    ck_assert_ok(alcore_pool_unmark(pool, ALCORE_ROW_LABELED, NULL, 0));
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(texts_of_another_pool) {
    static const char *const texts[] = {"A b", "c", "a B!", "", "d"}, *const others[] = {"c", "a b",
                                                                                         ""};
    static const bool expected[3][5] = {{false, true, false, false, false},
                                        {true, true, true, false, false},
                                        {false, true, false, false, false}};
    for (int32_t dedup = 0; dedup < 3; dedup++) {
        for (int32_t other_dedup = 0; other_dedup < 3; other_dedup++) {
            alcore_pool *pool = pool_with(ALCORE_DEDUP_EXACT + dedup, texts, 5);
            alcore_pool *other = pool_with(ALCORE_DEDUP_EXACT + other_dedup, others, 3);
            ck_assert_ok(alcore_pool_mark_texts(pool, ALCORE_ROW_EXCLUDED, other));
            for (int64_t row = 0; row < 5; row++)
                ck_assert_int_eq((alcore_pool_states(pool)[row] & ALCORE_ROW_EXCLUDED) != 0,
                                 expected[dedup][row]);
            ck_assert_fails(alcore_pool_mark_texts(pool, ALCORE_ROW_EMPTY, other), ALCORE_E_INVALID,
                            "states");
            ck_assert_fails(alcore_pool_mark_texts(pool, ALCORE_ROW_EXCLUDED, pool),
                            ALCORE_E_INVALID, "itself");
            ck_assert_fails(alcore_pool_mark_texts(pool, ALCORE_ROW_EXCLUDED, NULL),
                            ALCORE_E_INVALID, "NULL");
            alcore_pool_unref(pool);
            alcore_pool_unref(other);
        }
    }
}
END_TEST

START_TEST(filters) {
    /* Hindi "namaste": letters and their marks count as letters. */
    static const char *const texts[] = {"one", "one two", "one two three", "12345 ab",
                                        ("\xE0\xA4\xA8\xE0\xA4\xAE\xE0\xA4\xB8\xE0\xA5"
                                         "\x8D\xE0\xA4\xA4\xE0\xA5\x87")};
    alcore_pool *pool = test_pool(ctx, texts, 5);
    const int64_t marked[] = {1};
    alcore_filter filter = ALCORE_FILTER_INIT;
    enum { OUT = ALCORE_ROW_FILTERED };
    static const struct {
        int64_t min_words, max_words;
        double min_letters;
        uint32_t expected[5];
    } cases[] = {{0, 0, 0, {0, 0, 0, 0, 0}},         {2, 0, 0, {OUT, 0, 0, 0, OUT}},
                 {0, 2, 0, {0, 0, OUT, 0, 0}},       {0, 0, 0.3, {0, 0, 0, OUT, 0}},
                 {0, 0, 2.0 / 7, {0, 0, 0, 0, 0}}, /* the share itself is no less */
                 {2, 2, 1, {OUT, 0, OUT, OUT, OUT}}, {0, 0, 0, {0, 0, 0, 0, 0}}};
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, marked, 1));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        filter.min_words = cases[i].min_words;
        filter.max_words = cases[i].max_words;
        filter.min_letters = cases[i].min_letters;
        ck_assert_ok(alcore_pool_filter(pool, &filter));
        for (int64_t row = 0; row < 5; row++)
            ck_assert_int_eq(alcore_pool_states(pool)[row],
                             cases[i].expected[row] | (row == 1 ? ALCORE_ROW_EXCLUDED : 0));
    }
    filter.min_words = 3;
    ck_assert_ok(alcore_pool_filter(pool, &filter));
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_FILTERED), 4);
    ck_assert_ok(alcore_pool_filter(pool, NULL)); /* no limit */
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_FILTERED), 0);
    filter.min_words = 0;
    filter.min_letters = 1.5;
    ck_assert_fails(alcore_pool_filter(pool, &filter), ALCORE_E_INVALID, "1.5");
    filter.min_letters = 0;
    filter.max_words = -1;
    ck_assert_fails(alcore_pool_filter(pool, &filter), ALCORE_E_INVALID, "negative");
    filter.size = 4;
    ck_assert_fails(alcore_pool_filter(pool, &filter), ALCORE_E_STRUCT_SIZE, "alcore_filter");
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(languages) {
    static const char *texts[] = {"a", "b", "c", "d"}, *tags[] = {"sw", NULL, "de", "sw"};
    static const int64_t ranks[] = {1, 2, 0, 1};
    alcore_pool *pool;
    const char *const *names;
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 4;
    records.texts = texts;
    records.languages = tags;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_int_eq(alcore__pool_languages(pool, &names), 0);
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_int_eq(alcore__pool_languages(pool, &names), 3);
    ck_assert_str_eq(names[0], "de");
    ck_assert_str_eq(names[1], "sw");
    ck_assert_str_eq(names[2], "unknown");
    for (int64_t row = 0; row < 4; row++)
        ck_assert_int_eq(alcore__pool_language_rank(pool, row), ranks[row]);
    tags[0] = "aa";
    tags[1] = "unknown";
    records.count = 2;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_int_eq(alcore__pool_languages(pool, &names), 4);
    ck_assert_int_eq(alcore__pool_language_rank(pool, 2), 1);
    ck_assert_int_eq(alcore__pool_language_rank(pool, 4), 0);
    ck_assert_int_eq(alcore__pool_language_rank(pool, 5), 3);
    static const char *const distinct[] = {"aa", "de", "sw", "unknown"};
    for (int64_t i = 0; i < 4; i++)
        ck_assert_str_eq(alcore_pool_distinct_language(pool, i), distinct[i]);
    ck_assert_ptr_null(alcore_pool_distinct_language(pool, 4));
    ck_assert_ptr_null(alcore_pool_distinct_language(pool, -1));
    alcore_pool_unref(pool);
}
END_TEST

/* Labels and costs arrive after the rows, replace earlier ones, and can be removed. */
START_TEST(references_and_costs_later) {
    alcore_pool *pool = test_pool_of(ctx, 3000);
    const int64_t rows[] = {2999, 0, 0}, wrong[] = {1, 3000};
    const char *const first[] = {"label", "old", "new"}, *const removed[] = {NULL};
    const char *const bad[] = {"fine", "b\xFF"};
    const size_t lengths[] = {2, 3, 3};
    const double costs[] = {1.5, 2, 0}, negative[] = {1, -1}, none[] = {(double)NAN};
    const double infinite[] = {1, (double)INFINITY};
    size_t length;
    ck_assert_ok(alcore_pool_set_references(pool, rows, first, lengths, 3));
    ck_assert_str_eq(alcore_pool_reference(pool, 2999, &length), "la");
    ck_assert_uint_eq(length, 2);
    const char *kept = alcore_pool_reference(pool, 0, NULL);
    ck_assert_str_eq(kept, "new"); /* the last entry of a row that stands twice */
    ck_assert_ptr_null(alcore_pool_reference(pool, 1, NULL));
    ck_assert_ok(alcore_pool_set_references(pool, rows, first, NULL, 2));
    ck_assert_str_eq(alcore_pool_reference(pool, 0, NULL), "old");
    ck_assert_str_eq(kept, "new"); /* a view that was handed out stays valid */
    ck_assert_ok(alcore_pool_set_references(pool, rows + 1, removed, NULL, 1));
    ck_assert_ptr_null(alcore_pool_reference(pool, 0, NULL));
    ck_assert_ok(alcore_pool_set_references(pool, NULL, NULL, NULL, 0));
    ck_assert_int_eq(alcore_pool_state_count(pool, 0), 3000); /* states do not follow */
    /* A failure changes no row. */
    ck_assert_fails(alcore_pool_set_references(pool, rows, bad, NULL, 2), ALCORE_E_DATA,
                    "row 0: the reference is not valid UTF-8 at byte 1");
    ck_assert_fails(alcore_pool_set_references(pool, wrong, first, NULL, 2), ALCORE_E_NOT_FOUND,
                    "3000");
    ck_assert_fails(alcore_pool_set_references(pool, rows, NULL, NULL, 1), ALCORE_E_INVALID,
                    "references");
    ck_assert_str_eq(alcore_pool_reference(pool, 2999, NULL), "label");
    ck_assert_ok(alcore_pool_set_costs(pool, rows, costs, 3));
    ck_assert_double_eq(alcore_pool_cost(pool, 2999), 1.5);
    ck_assert_double_eq(alcore_pool_cost(pool, 0), 0);
    ck_assert(isnan(alcore_pool_cost(pool, 1)));
    ck_assert_fails(alcore_pool_set_costs(pool, rows, negative, 2), ALCORE_E_DATA,
                    "row 0: the cost is -1");
    ck_assert_fails(alcore_pool_set_costs(pool, rows, infinite, 2), ALCORE_E_DATA, "row 0");
    ck_assert_fails(alcore_pool_set_costs(pool, wrong, costs, 2), ALCORE_E_NOT_FOUND, "3000");
    ck_assert_fails(alcore_pool_set_costs(pool, rows, NULL, 1), ALCORE_E_INVALID, "costs");
    ck_assert_double_eq(alcore_pool_cost(pool, 2999), 1.5);
    ck_assert_ok(alcore_pool_set_costs(pool, rows, none, 1));
    ck_assert(isnan(alcore_pool_cost(pool, 2999)));
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(facts_for_the_layers_above) {
    static const char *texts[] = {"abc", "\xE4\xBD\xA0\xE5\xA5\xBD", "x 1!"};
    alcore_pool *pool = test_pool(ctx, texts, 3), *swapped;
    ck_assert_int_eq(alcore__pool_characters(pool, 0), 3);
    ck_assert_int_eq(alcore__pool_characters(pool, 1), 2);
    ck_assert_double_eq(alcore__pool_unspaced_share(pool), 2.0 / 6);
    ck_assert_ptr_eq(alcore__pool_ctx(pool), ctx);
    texts[0] = "x 1!";
    texts[2] = "abc";
    swapped = test_pool(ctx, texts, 3);
    ck_assert_uint_ne(alcore_pool_fingerprint(pool), alcore_pool_fingerprint(swapped));
    alcore_pool_unref(swapped);
    texts[0] = "abc";
    texts[2] = "x 1!";
    /* One at a time or at once: the same pool. */
    ck_assert_ok(alcore_pool_new(ctx, NULL, &swapped));
    for (int i = 0; i < 3; i++)
        ck_assert_ok(alcore_pool_add_texts(swapped, texts + i, NULL, 1, NULL));
    ck_assert_uint_eq(alcore_pool_fingerprint(pool), alcore_pool_fingerprint(swapped));
    alcore_pool_unref(swapped);
    /* Ids, states and columns are no part of it, and it is the same on every machine. */
    static const char *const ids[] = {"x", "y", "z"};
    static const int64_t marked[] = {0, 2};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 3;
    records.texts = texts;
    records.ids = ids;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &swapped));
    ck_assert_ok(alcore_pool_add_records(swapped, &records, NULL));
    ck_assert_ok(alcore_pool_mark(swapped, ALCORE_ROW_LABELED, marked, 2));
    ck_assert_ok(alcore_pool_set_text_column(swapped, "notes", texts, NULL, 3, NULL));
    ck_assert_uint_eq(alcore_pool_fingerprint(pool), alcore_pool_fingerprint(swapped));
    ck_assert_uint_eq(alcore_pool_fingerprint(pool), UINT64_C(0xcb70ec54168d322));
    alcore_pool_unref(swapped);
    alcore_pool_unref(pool);
}
END_TEST

/* ---- busy ---- */

static alcore_pool *busy_pool;
static int calls_inside;

static int32_t call_inside(void *user, const char *stage, int64_t done, int64_t total) {
    const char *texts[] = {"inside"};
    int64_t row = 0;
    (void)user, (void)stage, (void)done, (void)total;
    if (!busy_pool) return 0;
    calls_inside++;
    ck_assert_int_eq(alcore_pool_add_texts(busy_pool, texts, NULL, 1, NULL), ALCORE_E_BUSY);
    ck_assert_int_eq(alcore_pool_mark(busy_pool, ALCORE_ROW_LABELED, &row, 1), ALCORE_E_BUSY);
    ck_assert_int_eq(alcore_pool_find(busy_pool, "1", 1, &row), ALCORE_E_BUSY);
    ck_assert_str_eq(alcore_pool_text(busy_pool, 0, NULL), "first"); /* takes no lock */
    return calls_inside >= 2;                                        /* then cancel */
}

START_TEST(callbacks_find_the_pool_busy) {
    alcore_ctx *own;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    const char *first[] = {"first"};
    options.progress = call_inside;
    ck_assert_ok(alcore_ctx_new(&options, &own));
    alcore_pool *pool = test_pool(own, first, 1);
    enum { TEXTS = 1 << 23 };
    const char **texts = malloc(TEXTS * sizeof *texts);
    for (int i = 0; i < TEXTS; i++) texts[i] = "the same text again and again";
    busy_pool = pool;
    alcore_status status = ALCORE_OK;
    /* Each call is long enough for progress, also on a fast machine: the second time it is
     * cancelled, and nothing was added. */
    for (int i = 0; i < 100 && status == ALCORE_OK; i++) {
        const int64_t before = alcore_pool_row_count(pool);
        status = alcore_pool_add_texts(pool, texts, NULL, TEXTS, NULL);
        if (status != ALCORE_OK) ck_assert_int_eq(alcore_pool_row_count(pool), before);
    }
    ck_assert_int_eq(status, ALCORE_E_CANCELLED);
    ck_assert_int_eq(calls_inside, 2);
    busy_pool = NULL;
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    free(texts);
    alcore_pool_unref(pool);
    alcore_ctx_unref(own);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, duplicates, 0, 3);
    tcase_add_test(tests, many_duplicates);
    tcase_add_test(tests, failed_additions_leave_no_trace);
    tcase_add_test(tests, marks);
    tcase_add_test(tests, texts_of_another_pool);
    tcase_add_test(tests, filters);
    tcase_add_test(tests, languages);
    tcase_add_test(tests, references_and_costs_later);
    tcase_add_test(tests, facts_for_the_layers_above);
    tcase_add_test(tests, callbacks_find_the_pool_busy);
}

TEST_FILE() {
    return test_run("pool-states", add);
}
