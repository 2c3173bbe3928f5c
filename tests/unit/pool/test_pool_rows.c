/* SPDX-License-Identifier: Apache-2.0 */
/* Adding rows and asking for them. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool_test.h"

/* Ids of numbers stay valid while others are made. */
START_TEST(ids_without_a_buffer) {
    alcore_ctx *ctx = test_ctx();
    static const char *const texts[] = {"a", "b"}, *const ids[] = {"x7", NULL};
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_pool *pool;
    records.count = 2;
    records.texts = texts;
    records.ids = ids;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    const char *own = alcore_pool_row_id(pool, 0), *number = alcore_pool_row_id(pool, 1);
    ck_assert_str_eq(own, "x7");
    ck_assert_str_eq(number, "2");
    ck_assert_ptr_null(alcore_pool_row_id(pool, 2));
    ck_assert_ptr_null(alcore_pool_row_id(pool, -1));
    ck_assert_ptr_null(alcore_pool_row_id(NULL, 0));
    for (int64_t i = 2; i < 5000; i++) {
        char text[24], expected[24];
        const char *const one[] = {text};
        snprintf(text, sizeof text, "text %lld", (long long)i);
        snprintf(expected, sizeof expected, "%lld", (long long)i + 1);
        ck_assert_ok(alcore_pool_add_texts(pool, one, NULL, 1, NULL));
        ck_assert_str_eq(alcore_pool_row_id(pool, i), expected);
    }
    ck_assert_str_eq(number, "2");
    ck_assert_ptr_eq(alcore_pool_row_id(pool, 1), number);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

static void *ask_all_ids(void *data) {
    const alcore_pool *pool = data;
    const char **ids = malloc(5000 * sizeof *ids);
    ck_assert_ptr_nonnull(ids);
    for (int64_t row = 0; row < 5000; row++) ids[row] = alcore_pool_row_id(pool, row);
    return ids;
}

/* Threads that ask at once are given the same texts. */
START_TEST(ids_of_several_threads) {
    alcore_ctx *ctx = test_ctx();
    alcore_pool *pool = test_pool_of(ctx, 5000);
    pthread_t threads[4];
    void *ids[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, ask_all_ids, pool), 0);
    for (int i = 0; i < 4; i++) ck_assert_int_eq(pthread_join(threads[i], &ids[i]), 0);
    for (int i = 1; i < 4; i++) ck_assert_mem_eq(ids[i], ids[0], 5000 * sizeof(char *));
    ck_assert_str_eq(((const char **)ids[0])[4999], "5000");
    for (int i = 0; i < 4; i++) free(ids[i]);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(texts_in_one_block) {
    alcore_ctx *ctx = test_ctx();
    static const int64_t offsets[] = {2, 5, 5, 9}, falling[] = {0, 3, 2}, negative[] = {-1, 3};
    alcore_pool *pool;
    int64_t first = -1;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_utf8(pool, "..onetwo!", offsets, 3, &first));
    ck_assert_int_eq(first, 0);
    ck_assert_str_eq(alcore_pool_text(pool, 0, NULL), "one");
    ck_assert_str_eq(alcore_pool_text(pool, 1, NULL), "");
    ck_assert_str_eq(alcore_pool_text(pool, 2, NULL), "two!");
    ck_assert_fails(alcore_pool_add_utf8(pool, "abc", falling, 2, &first), ALCORE_E_DATA,
                    "offset 1 is 3 and the next one 2");
    ck_assert_fails(alcore_pool_add_utf8(pool, "abc", negative, 1, NULL), ALCORE_E_DATA,
                    "offset 0 is -1");
    ck_assert_fails(alcore_pool_add_utf8(pool, NULL, offsets, 1, NULL), ALCORE_E_INVALID, "NULL");
    ck_assert_fails(alcore_pool_add_utf8(pool, "abc", NULL, 1, NULL), ALCORE_E_INVALID, "offsets");
    ck_assert_fails(alcore_pool_add_utf8(pool, "abc", offsets, -1, NULL), ALCORE_E_INVALID, "-1");
    ck_assert_fails(alcore_pool_add_utf8(pool, "ab\xFF", (const int64_t[]){0, 3}, 1, NULL),
                    ALCORE_E_DATA, "row 3: the text is not valid UTF-8");
    ck_assert_int_eq(alcore_pool_row_count(pool), 3);
    ck_assert_ok(alcore_pool_add_utf8(pool, NULL, offsets + 1, 1, &first)); /* an empty text */
    ck_assert_ok(alcore_pool_add_utf8(pool, NULL, NULL, 0, &first));
    ck_assert_int_eq(first, 4);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(texts_keep_their_rows) {
    alcore_ctx *ctx = test_ctx();
    const char *texts[] = {"one two  three", "", "b", " \t\r\n", "one two  three"};
    alcore_pool *pool = test_pool(ctx, texts, 5);
    alcore_ctx_unref(ctx);
    size_t length;
    int64_t first;
    ck_assert_int_eq(alcore_pool_row_count(pool), 5);
    for (int64_t row = 0; row < 5; row++) {
        ck_assert_str_eq(alcore_pool_text(pool, row, &length), texts[row]);
        ck_assert_uint_eq(length, strlen(texts[row]));
    }
    ck_assert_int_eq(alcore_pool_words(pool, 0), 3);
    ck_assert_int_eq(alcore_pool_words(pool, 3), 0);
    ck_assert_int_eq(alcore_pool_words(pool, 5), -1);
    const uint32_t expected[] = {0, ALCORE_ROW_EMPTY, 0, ALCORE_ROW_EMPTY, ALCORE_ROW_DUPLICATE};
    ck_assert_mem_eq(alcore_pool_states(pool), expected, sizeof expected);
    ck_assert_int_eq(alcore_pool_state_count(pool, 0), 2);
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_EMPTY | ALCORE_ROW_DUPLICATE), 3);
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, &first));
    ck_assert_int_eq(first, 5);
    ck_assert_int_eq(alcore_pool_states(pool)[5], ALCORE_ROW_DUPLICATE);
    alcore_pool_unref(pool);
}
END_TEST

/* The sizes of texts that are short, long and the longest of the short ones; a pool keeps these in
 * front of the texts. */
START_TEST(texts_of_all_sizes) {
    static const size_t sizes[] = {1, 65533, 65534, 65535, 65536, 300000, 3};
    enum { TEXTS = sizeof sizes / sizeof *sizes };
    alcore_ctx *ctx = test_ctx();
    alcore_pool *pool, *other;
    char *texts[TEXTS];
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_new(ctx, NULL, &other));
    for (int i = 0; i < TEXTS; i++) { /* "a b a b a ..." */
        texts[i] = calloc(sizes[i] + 1, 1);
        for (size_t k = 0; k < sizes[i]; k++) texts[i][k] = k % 2 ? ' ' : "ab"[k / 2 % 2];
    }
    for (int again = 0; again < 2; again++)
        ck_assert_ok(alcore_pool_add_texts(pool, (const char *const *)texts, sizes, TEXTS, NULL));
    for (int64_t row = 0; row < 2 * TEXTS; row++) {
        size_t length;
        const char *text = alcore_pool_text(pool, row, &length);
        ck_assert_uint_eq(length, sizes[row % TEXTS]);
        ck_assert_mem_eq(text, texts[row % TEXTS], length + 1); /* with the NUL */
        ck_assert_int_eq(alcore_pool_words(pool, row), (int64_t)(length + 1) / 2);
        ck_assert_uint_eq(alcore_pool_states(pool)[row],
                          row < TEXTS ? 0 : (uint32_t)ALCORE_ROW_DUPLICATE);
    }
    ck_assert_ok(alcore_pool_add_texts(other, (const char *const *)texts + 3, sizes + 3, 1, NULL));
    ck_assert_ok(alcore_pool_mark_texts(pool, ALCORE_ROW_EXCLUDED, other));
    for (int64_t row = 0; row < 2 * TEXTS; row++)
        ck_assert_int_eq((alcore_pool_states(pool)[row] & ALCORE_ROW_EXCLUDED) != 0,
                         row % TEXTS == 3);
    for (int i = 0; i < TEXTS; i++) free(texts[i]);
    alcore_pool_unref(other);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(texts_never_move) {
    alcore_ctx *ctx = test_ctx();
    alcore_pool *pool = test_pool_of(ctx, 3);
    const char *before = alcore_pool_text(pool, 1, NULL);
    char large[300000];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = '\0';
    const char *texts[] = {large};
    for (int i = 0; i < 20; i++) {
        large[0] = (char)('a' + i);
        ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    }
    for (int i = 0; i < 5000; i++) {
        const int length = snprintf(large, 64, "row number %d", i);
        const size_t bytes = (size_t)length;
        ck_assert_ok(alcore_pool_add_texts(pool, texts, &bytes, 1, NULL));
    }
    ck_assert_ptr_eq(before, alcore_pool_text(pool, 1, NULL));
    ck_assert_str_eq(before, "text 1");
    ck_assert_str_eq(alcore_pool_text(pool, 3 + 20 + 4321, NULL), "row number 4321");
    ck_assert_int_eq(alcore_pool_state_count(pool, 0), 3 + 20 + 5000);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(records_keep_everything) {
    alcore_ctx *ctx = test_ctx();
    alcore_pool *pool;
    const char *texts[] = {"a", "b", "c"}, *ids[] = {"x7", NULL, "1"};
    const char *references[] = {"A", NULL, ""}, *languages[] = {"sw", NULL, "de"};
    const char *groups[] = {NULL, "doc", "doc"};
    const double costs[] = {0, 2.5, 7};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 3;
    records.texts = texts;
    records.ids = ids;
    records.references = references;
    records.languages = languages;
    records.groups = groups;
    records.costs = costs;
    size_t length;
    int64_t row;
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.repeated_ids = ALCORE_IDS_PER_CALL;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_ok(alcore_pool_add_texts(pool, texts + 1, NULL, 1, NULL));
    ck_assert_str_eq(alcore_pool_row_id(pool, 0), "x7");
    ck_assert_str_eq(alcore_pool_row_id(pool, 1), "2");
    ck_assert_ptr_null(alcore_pool_row_id(pool, 4));
    ck_assert_str_eq(alcore_pool_reference(pool, 0, &length), "A");
    ck_assert_ptr_null(alcore_pool_reference(pool, 1, &length));
    ck_assert_str_eq(alcore_pool_reference(pool, 2, &length), "");
    ck_assert_str_eq(alcore_pool_language(pool, 0), "sw");
    ck_assert_str_eq(alcore_pool_language(pool, 1), "unknown");
    ck_assert_ptr_null(alcore_pool_language(pool, -1));
    ck_assert_ptr_null(alcore_pool_group(pool, 0));
    ck_assert_ptr_eq(alcore_pool_group(pool, 1), alcore_pool_group(pool, 2));
    ck_assert_double_eq(alcore_pool_cost(pool, 0), 0);
    ck_assert_double_eq(alcore_pool_cost(pool, 1), 2.5);
    ck_assert(isnan(alcore_pool_cost(pool, 3)));
    ck_assert_str_eq(alcore_pool_language(pool, 3), "unknown");

    ck_assert_ok(alcore_pool_find(pool, "x7", 2, &row));
    ck_assert_int_eq(row, 0);
    ck_assert_ok(alcore_pool_find(pool, "1", 1, &row));
    ck_assert_int_eq(row, 2); /* row 0 has another id */
    ck_assert_ok(alcore_pool_find(pool, "4", 1, &row));
    ck_assert_int_eq(row, 3);
    ck_assert_fails(alcore_pool_find(pool, "04", 2, &row), ALCORE_E_NOT_FOUND, "04");
    ck_assert_int_eq(row, -1);
    ck_assert_fails(alcore_pool_find(pool, "3", 1, &row), ALCORE_E_NOT_FOUND, "\"3\"");
    row = 5;
    ck_assert_fails(alcore_pool_find(pool, NULL, 0, &row), ALCORE_E_INVALID, "id");
    ck_assert_int_eq(row, -1);
    /* The index takes in rows that are added later; the first of several rows with an id is found.
     */
    const char *late[] = {"late", "x7"};
    records = (alcore_records)ALCORE_RECORDS_INIT;
    records.count = 2;
    records.texts = texts;
    records.ids = late;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_ok(alcore_pool_find(pool, "late", 4, &row));
    ck_assert_int_eq(row, 4);
    ck_assert_ok(alcore_pool_find(pool, "x7", 2, &row));
    ck_assert_int_eq(row, 0);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* An empty id, language or group is none; an empty reference is one. */
START_TEST(empty_strings) {
    alcore_ctx *ctx = test_ctx();
    alcore_pool *pool;
    const char *const texts[] = {"a"}, *const empty[] = {""};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 1;
    records.texts = texts;
    records.ids = records.languages = records.groups = records.references = empty;
    size_t length = 7;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_str_eq(alcore_pool_row_id(pool, 0), "1");
    ck_assert_str_eq(alcore_pool_language(pool, 0), "unknown");
    ck_assert_ptr_null(alcore_pool_group(pool, 0));
    ck_assert_str_eq(alcore_pool_reference(pool, 0, &length), "");
    ck_assert_uint_eq(length, 0);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* What a function without a status answers where there is nothing. */
START_TEST(no_such_row) {
    alcore_ctx *ctx = test_ctx();
    alcore_pool *pool = test_pool_of(ctx, 2);
    static const int64_t rows[] = {-1, 2, INT64_MIN, INT64_MAX};
    for (int64_t i = 0; i <= COUNT(rows); i++) { /* the last: no pool */
        const alcore_pool *asked = i < COUNT(rows) ? pool : NULL;
        const int64_t row = i < COUNT(rows) ? rows[i] : 0;
        size_t length = 7, other = 7;
        ck_assert_ptr_null(alcore_pool_text(asked, row, &length));
        ck_assert_ptr_null(alcore_pool_reference(asked, row, &other));
        ck_assert_uint_eq(length + other, 0);
        ck_assert_ptr_null(alcore_pool_text(asked, row, NULL));
        ck_assert_ptr_null(alcore_pool_reference(asked, row, NULL));
        ck_assert_ptr_null(alcore_pool_row_id(asked, row));
        ck_assert_ptr_null(alcore_pool_language(asked, row));
        ck_assert_ptr_null(alcore_pool_group(asked, row));
        ck_assert_double_nan(alcore_pool_cost(asked, row));
        ck_assert_int_eq(alcore_pool_words(asked, row), -1);
    }
    ck_assert_uint_eq(alcore_pool_fingerprint(NULL), 0);
    ck_assert_ptr_null(alcore_pool_distinct_language(NULL, 0));
    ck_assert_ptr_null(alcore_pool_states(NULL));
    alcore_pool_unref(pool);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    ck_assert_ptr_null(alcore_pool_states(pool));
    ck_assert_ptr_null(alcore_pool_distinct_language(pool, 0));
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(wrong_arguments) {
    alcore_ctx *ctx = test_ctx();
    alcore_pool *pool = test_pool_of(ctx, 2);
    const char *texts[] = {"x", NULL};
    const double costs[] = {1, -1}, nan_cost[] = {NAN, 1};
    alcore_records records = ALCORE_RECORDS_INIT;
    int64_t first = 77;
    ck_assert_fails(alcore_pool_add_texts(NULL, texts, NULL, 1, NULL), ALCORE_E_INVALID, "NULL");
    ck_assert_fails(alcore_pool_add_texts(pool, texts, NULL, -1, &first), ALCORE_E_INVALID, "-1");
    ck_assert_int_eq(first, 0);
    ck_assert_fails(alcore_pool_add_texts(pool, NULL, NULL, 1, NULL), ALCORE_E_INVALID, "1 texts");
    ck_assert_fails(alcore_pool_add_texts(pool, texts, NULL, 2, NULL), ALCORE_E_INVALID, "row 3");
    records.count = 2;
    texts[1] = "y";
    records.texts = texts;
    records.costs = costs;
    ck_assert_fails(alcore_pool_add_records(pool, &records, NULL), ALCORE_E_DATA,
                    "row 3: the cost is -1");
    records.costs = nan_cost;
    ck_assert_fails(alcore_pool_add_records(pool, &records, NULL), ALCORE_E_DATA, "row 2");
    records.size = 0;
    ck_assert_fails(alcore_pool_add_records(pool, &records, NULL), ALCORE_E_STRUCT_UNSET,
                    "alcore_records");
    ck_assert_int_eq(alcore_pool_row_count(pool), 2);
    ck_assert_ok(alcore_pool_add_texts(pool, NULL, NULL, 0, &first));
    ck_assert_int_eq(first, 2);
    /* What was taken back is free again. */
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 2, NULL));
    ck_assert_int_eq(alcore_pool_state_count(pool, 0), 4);
    ck_assert(isnan(alcore_pool_cost(pool, 2)));
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *other = pool;
    options.dedup = 3;
    ck_assert_fails(alcore_pool_new(ctx, &options, &other), ALCORE_E_INVALID, "dedup");
    ck_assert_ptr_null(other);
    options.dedup = 0;
    options.utf8 = -1;
    ck_assert_fails(alcore_pool_new(ctx, &options, &other), ALCORE_E_INVALID, "utf8");
    options.utf8 = 0;
    options.max_text_bytes = -1;
    ck_assert_fails(alcore_pool_new(ctx, &options, &other), ALCORE_E_INVALID, "max_text_bytes");
    ck_assert_fails(alcore_pool_new(NULL, NULL, &other), ALCORE_E_INVALID, "ctx");
    alcore_pool_unref(NULL);
    ck_assert_ptr_null(alcore_pool_ref(NULL));
    ck_assert_int_eq(alcore_pool_row_count(NULL), 0);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

/* Malformed UTF-8, one case a class, with the byte that is named. */
static const struct {
    const char *text;
    size_t length;
    int bad;
    const char *repaired;
} malformed[] = {
    {"ok \x80", 4, 3, "ok \xEF\xBF\xBD"},                               /* stray byte */
    {"\xC0\xAF", 2, 0, "\xEF\xBF\xBD\xEF\xBF\xBD"},                     /* overlong */
    {"a\xE0\x80\x80", 4, 1, "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},   /* overlong */
    {"ab\xED\xA0\x80", 5, 2, "ab\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"}, /* surrogate */
    {"\xF4\x90\x80\x80", 4, 0, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"abc\xE2\x82", 5, 3, "abc\xEF\xBF\xBD"}, /* cut off */
    {"\xFFx", 2, 0, "\xEF\xBF\xBDx"},
    {"a\0b", 3, 1,
     "a\xEF\xBF\xBD"
     "b"}, /* NUL: texts are NUL-terminated */
    {"a\0\xFF", 3, 1, "a\xEF\xBF\xBD\xEF\xBF\xBD"},
};

START_TEST(malformed_text) {
    alcore_ctx *ctx = test_ctx();
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *strict, *lenient;
    const char *texts[] = {"fine", malformed[_i].text};
    const size_t lengths[] = {4, malformed[_i].length};
    char part[64];
    ck_assert_ok(alcore_pool_new(ctx, &options, &strict));
    options.utf8 = ALCORE_UTF8_REPLACE;
    ck_assert_ok(alcore_pool_new(ctx, &options, &lenient));
    snprintf(part, sizeof part, "at byte %d", malformed[_i].bad);
    ck_assert_fails(alcore_pool_add_texts(strict, texts, lengths, 2, NULL), ALCORE_E_DATA, part);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "row 1: "));
    ck_assert_int_eq(alcore_pool_row_count(strict), 0);
    ck_assert_ok(alcore_pool_add_texts(lenient, texts, lengths, 2, NULL));
    ck_assert_str_eq(alcore_pool_text(lenient, 1, NULL), malformed[_i].repaired);
    alcore_pool_unref(strict);
    alcore_pool_unref(lenient);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(odd_characters_stay) {
    /* CR, BOM, U+0085 and U+2028 inside a text are characters like others; only four bytes separate
     * words. */
    alcore_ctx *ctx = test_ctx();
    const char *texts[] = {"a\rb",
                           "\xEF\xBB\xBF"
                           "a",
                           "a\xC2\x85"
                           "b",
                           "a\xE2\x80\xA8"
                           "b\vc"};
    alcore_pool *pool = test_pool(ctx, texts, 4);
    const int64_t words[] = {2, 1, 1, 1};
    for (int64_t row = 0; row < 4; row++) {
        ck_assert_str_eq(alcore_pool_text(pool, row, NULL), texts[row]);
        ck_assert_int_eq(alcore_pool_words(pool, row), words[row]);
    }
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(words_of_every_length) {
    /* Against a count byte by byte, over lengths around the eight bytes that are looked at
     * together. */
    alcore_ctx *ctx = test_ctx();
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.dedup = ALCORE_DEDUP_NONE;
    alcore_pool *pool;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    uint32_t state = 12345;
    for (int round = 0; round < 4000; round++) {
        static char text[9000];
        size_t length = round < 3900 ? (size_t)round % 67 : (size_t)round * 2;
        int64_t words = 0;
        for (size_t i = 0; i < length; i++) {
            state = state * 1664525u + 1013904223u;
            text[i] = " \t\r\nab\x0B\x0C\x01!\x7F"[(state >> 16) % 11];
            const bool space = memchr(" \t\r\n", text[i], 4);
            words += !space && (i == 0 || memchr(" \t\r\n", text[i - 1], 4));
        }
        const char *texts[] = {text};
        int64_t row;
        ck_assert_ok(alcore_pool_add_texts(pool, texts, &length, 1, &row));
        ck_assert_int_eq(alcore_pool_words(pool, row), words);
        ck_assert_int_eq(alcore_pool_states(pool)[row] == ALCORE_ROW_EMPTY, words == 0);
    }
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

START_TEST(lengths_are_limited) {
    alcore_ctx *ctx = test_ctx();
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.max_text_bytes = 5;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    const char *texts[] = {"12345", "123456"};
    const size_t huge[] = {5, SIZE_MAX};
    ck_assert_fails(alcore_pool_add_texts(pool, texts, NULL, 2, NULL), ALCORE_E_DATA,
                    "row 1: the text has 6 bytes; max_text_bytes is 5");
    ck_assert_fails(alcore_pool_add_texts(pool, texts, huge, 2, NULL), ALCORE_E_DATA, "row 1");
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 1, NULL));
    alcore_pool_unref(pool);

    /* By default a sentence of 10 MB is accepted and one of 64 MiB + 1 refused. */
    ck_assert_ok(alcore_pool_new(ctx, NULL, &pool));
    const size_t sentence = 10u << 20, limit = 64u << 20;
    char *text = malloc(limit + 1);
    memset(text, 'x', limit + 1);
    const char *long_texts[] = {text};
    ck_assert_ok(alcore_pool_add_texts(pool, long_texts, &sentence, 1, NULL));
    const size_t too_long = limit + 1;
    ck_assert_fails(alcore_pool_add_texts(pool, long_texts, &too_long, 1, NULL), ALCORE_E_DATA,
                    "row 1: the text has 67108865 bytes");
    free(text);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_test(tests, texts_keep_their_rows);
    tcase_add_test(tests, texts_of_all_sizes);
    tcase_add_test(tests, texts_never_move);
    tcase_add_test(tests, records_keep_everything);
    tcase_add_test(tests, empty_strings);
    tcase_add_test(tests, no_such_row);
    tcase_add_test(tests, wrong_arguments);
    tcase_add_loop_test(tests, malformed_text, 0, (int)COUNT(malformed));
    tcase_add_test(tests, odd_characters_stay);
    tcase_add_test(tests, words_of_every_length);
    tcase_add_test(tests, ids_without_a_buffer);
    tcase_add_test(tests, ids_of_several_threads);
    tcase_add_test(tests, texts_in_one_block);
    tcase_add_test(tests, lengths_are_limited);
}

TEST_FILE() {
    return test_run("pool-rows", add);
}
