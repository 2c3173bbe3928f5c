/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a pool that are written and read again; the formats of pools, columns and phrases. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alcore/phrase.h"
#include "alcore/tensor.h"
#include "file_text.h"
#include "pool_test.h"

static alcore_ctx *ctx;

static void setup(void) {
    ctx = test_ctx();
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static alcore_pool *new_pool(void) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE;
    options.utf8 = ALCORE_UTF8_REPLACE;
    options.repeated_ids = ALCORE_IDS_ANY; /* a row may be written twice */
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    return pool;
}

static alcore_write_options in_format(int32_t format) {
    alcore_write_options options = ALCORE_WRITE_OPTIONS_INIT;
    options.format = format;
    return options;
}

/* ---- records that come back ---- */

enum { RANDOM_TEXTS = 400, MOST_TEXTS = 600, MOST_BYTES = 24 };

static char texts[MOST_TEXTS][MOST_BYTES + 1];
static int64_t text_count;

static void add_text(const char *text) {
    ck_assert_int_lt(text_count, MOST_TEXTS);
    strcpy(texts[text_count++], text);
}

/* Every control character but NUL at the start, in the middle, at the end and alone; what formats
 * escape, quote or drop; malformed UTF-8; random strings of all of these. */
static void make_texts(void) {
    static const char *const parts[] = {"\t", "\n",   "\r", "\\",          "\"",
                                        ",",  " ",    "a",  "\\t",         "\xEF\xBB\xBF",
                                        "é",  "\xFF", "",   "\xE2\x80\xA8"};
    text_count = 0;
    for (int c = 1; c <= 0x20; c++) {
        const char byte = (char)(c == 0x20 ? 0x7f : c);
        add_text((char[]){byte, 'x', '\0'});
        add_text((char[]){'x', byte, 'y', '\0'});
        add_text((char[]){'x', byte, '\0'});
        add_text((char[]){byte, '\0'});
    }
    uint32_t state = 1;
    for (int i = 0; i < RANDOM_TEXTS; i++) {
        char text[MOST_BYTES + 1] = "";
        for (int j = 0; j < 7; j++) {
            state = state * 1664525u + 1013904223u;
            strcat(text, parts[(state >> 16) % COUNT(parts)]);
        }
        add_text(text);
    }
}

/* A pool of all texts. Rows have ids, references, languages, groups and costs of their own, or lack
 * some of them by their number. */
static alcore_pool *pool_of_all(void) {
    static const double costs[] = {0, 0.1, 1e-300, DBL_MAX};
    alcore_pool *pool = new_pool();
    make_texts();
    for (int64_t i = 0; i < text_count; i++) {
        const char *text = texts[i], *reference = texts[text_count - 1 - i], *group = texts[i];
        const char *language = i % 3 == 0 ? "de" : "unknown";
        char id[MOST_BYTES + 16];
        snprintf(id, sizeof id, "%.*s#%d", MOST_BYTES, texts[i], (int)i);
        const char *given = id;
        alcore_records records = ALCORE_RECORDS_INIT;
        records.texts = &text;
        records.count = 1;
        if (i % 2 == 0) records.ids = &given;
        if (i % 4 != 0) records.references = &reference;
        if (i % 3 != 2) records.languages = &language;
        if (i % 5 == 0) records.groups = &group;
        if (i % 7 != 0) records.costs = &costs[i % 4];
        ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    }
    return pool;
}

/* Equal strings, where an empty one and none at all are the same. */
static void same(const char *found, const char *expected) {
    ck_assert_str_eq(found ? found : "", expected ? expected : "");
}

static void same_row(const alcore_pool *found, int64_t row, const alcore_pool *expected,
                     int64_t other) {
    size_t lengths[2];
    same(alcore_pool_text(found, row, &lengths[0]), alcore_pool_text(expected, other, &lengths[1]));
    ck_assert_uint_eq(lengths[0], lengths[1]);
    same(alcore_pool_row_id(found, row), alcore_pool_row_id(expected, other));
    same(alcore_pool_reference(found, row, NULL), alcore_pool_reference(expected, other, NULL));
    same(alcore_pool_language(found, row), alcore_pool_language(expected, other));
    same(alcore_pool_group(found, row), alcore_pool_group(expected, other));
    const double costs[] = {alcore_pool_cost(found, row), alcore_pool_cost(expected, other)};
    ck_assert(costs[0] == costs[1] || (isnan(costs[0]) && isnan(costs[1])));
}

/* TSV, JSONL and CSV bring back every string and cost, in the order that was asked for. */
START_TEST(there_and_back) {
    const char *path = test_path(_i == 0 ? "all.tsv" : _i == 1 ? "all.jsonl" : "all.csv");
    alcore_pool *pool = pool_of_all(), *read = new_pool();
    int64_t *rows = malloc((size_t)(text_count + 1) * sizeof *rows);
    ck_assert_ptr_nonnull(rows);
    for (int64_t i = 0; i < text_count; i++) rows[i] = text_count - 1 - i;
    rows[text_count] = 7; /* a row may stand twice */
    ck_assert_ok(alcore_pool_write(pool, rows, text_count + 1, path, NULL));
    ck_assert_ok(alcore_pool_read(read, path, NULL));
    ck_assert_int_eq(alcore_pool_row_count(read), text_count + 1);
    for (int64_t i = 0; i <= text_count; i++) same_row(read, i, pool, rows[i]);
    free(rows);
    alcore_pool_unref(read);
    alcore_pool_unref(pool);
}
END_TEST

/* An empty reference comes back as none. */
START_TEST(empty_references) {
    static const char *const paths[] = {"e.tsv", "e.jsonl", "e.csv"};
    const char *const given[] = {"a", "b"}, *const references[] = {"", "B"};
    const int64_t rows[] = {0, 1};
    alcore_pool *pool = new_pool(), *read = new_pool();
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 2;
    records.texts = given;
    records.references = references;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_ok(alcore_pool_write(pool, rows, 2, test_path(paths[_i]), NULL));
    ck_assert_ok(alcore_pool_read(read, test_path(paths[_i]), NULL));
    ck_assert_str_eq(alcore_pool_reference(pool, 0, NULL), "");
    ck_assert_ptr_null(alcore_pool_reference(read, 0, NULL));
    ck_assert_str_eq(alcore_pool_reference(read, 1, NULL), "B");
    alcore_pool_unref(read);
    alcore_pool_unref(pool);
}
END_TEST

/* Plain text brings back every text without a line break, also one that begins with a byte order
 * mark or ends in CR. */
START_TEST(plain_there_and_back) {
    const char *path = test_path("all.txt");
    for (int64_t first = 0; first < 2; first++) {
        alcore_pool *pool = new_pool(), *read = new_pool();
        const char *const given[] = {"\xEF\xBB\xBFone\r", "", "\\t\r\r", "\xEF\xBB\xBF", "e\tnd"};
        const int64_t rows[] = {first, 1, 2, 3, 4};
        ck_assert_ok(alcore_pool_add_texts(pool, given, NULL, COUNT(given), NULL));
        ck_assert_ok(alcore_pool_write(pool, rows, COUNT(rows), path, NULL));
        ck_assert_ok(alcore_pool_read(read, path, NULL));
        ck_assert_int_eq(alcore_pool_row_count(read), COUNT(rows));
        for (int64_t i = 0; i < COUNT(rows); i++)
            same(alcore_pool_text(read, i, NULL), alcore_pool_text(pool, rows[i], NULL));
        alcore_pool_unref(read);
        alcore_pool_unref(pool);
    }
}
END_TEST

/* ---- what the files look like ---- */

static alcore_pool *small_pool(void) {
    const char *const given[] = {"one, two", "line\nbreak"}, *const ids[] = {NULL, "b"};
    const char *const languages[] = {"de", NULL};
    const double costs[] = {1.5, 0};
    alcore_pool *pool = new_pool();
    alcore_records records = ALCORE_RECORDS_INIT;
    records.texts = given;
    records.count = 2;
    records.ids = ids;
    records.languages = languages;
    records.costs = costs;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    return pool;
}

static const int64_t both[] = {1, 0};

START_TEST(formats_by_suffix_and_option) {
    static const struct {
        const char *name;
        int32_t format;
        const char *content;
    } cases[] = {
        {"p.tsv", 0,
         "index\tid\ttext\tlang\tcost\n1\tb\tline\\nbreak\t\t0\n0\t1\tone, two\tde\t1.5\n"},
        {"p.csv", 0,
         "\xEF\xBB\xBFindex,id,text,lang,cost\r\n1,b,\"line\nbreak\",,0\r\n"
         "0,1,\"one, two\",de,1.5\r\n"},
        {"p.JSONL", 0,
         "{\"id\":\"b\",\"source\":\"line\\nbreak\",\"cost\":0,\"al\":{\"index\":1}}\n"
         "{\"id\":\"1\",\"source\":\"one, two\",\"lang\":\"de\",\"cost\":1.5,\"al\":{\"index\":0}}"
         "\n"},
        {"p.ndjson", 0,
         "{\"id\":\"b\",\"source\":\"line\\nbreak\",\"cost\":0,\"al\":{\"index\":1}}\n"
         "{\"id\":\"1\",\"source\":\"one, two\",\"lang\":\"de\",\"cost\":1.5,\"al\":{\"index\":0}}"
         "\n"},
        {"p.txt", 0, "line\\nbreak\none, two\n"},
        {"rows", ALCORE_FORMAT_TEXT, "line\\nbreak\none, two\n"},
        {"p.tsv", ALCORE_FORMAT_TEXT, "line\\nbreak\none, two\n"},
    };
    alcore_pool *pool = small_pool();
    const alcore_write_options options = in_format(cases[_i].format);
    const char *path = test_path(cases[_i].name);
    ck_assert_ok(alcore_pool_write(pool, both, 2, path, &options));
    ck_assert_str_eq(file_text(path), cases[_i].content);
    alcore_pool_unref(pool);
}
END_TEST

/* A table has the columns that a row that is written has. */
START_TEST(columns_of_what_is_written) {
    static const int64_t second[] = {1}, first[] = {0};
    alcore_pool *pool = small_pool();
    const char *path = test_path("some.tsv");
    ck_assert_ok(alcore_pool_write(pool, second, 1, path, NULL));
    ck_assert_str_eq(file_text(path), "index\tid\ttext\tcost\n1\tb\tline\\nbreak\t0\n");
    ck_assert_ok(alcore_pool_write(pool, first, 1, path, NULL));
    ck_assert_str_eq(file_text(path), "index\tid\ttext\tlang\tcost\n0\t1\tone, two\tde\t1.5\n");
    alcore_pool_unref(pool);
}
END_TEST

/* "-" is TSV, of a column .lp where it is ragged, and no file of that name comes to be. */
START_TEST(standard_output) {
    static const char *const expected[] = {
        "index\tid\ttext\tlang\tcost\n1\tb\tline\\nbreak\t\t0\n0\t1\tone, two\tde\t1.5\n",
        "line\\nbreak\none, two\n", "1\t0.5\nb\t2\n", "1\t-1 -2\nb\t-3\n"};
    const alcore_write_options as_text = in_format(ALCORE_FORMAT_TEXT);
    double scores[] = {0.5, 2}, tokens[] = {-1, -2, -3};
    int64_t shape[] = {2}, token_shape[] = {3}, starts[] = {0, 2, 3};
    alcore_pool *pool = small_pool();
    alcore_tensor values, offsets;
    ck_assert_ok(alcore_tensor_init(&values, scores, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "scores", &values, NULL, NULL));
    ck_assert_ok(alcore_tensor_init(&values, tokens, ALCORE_FLOAT64, token_shape, 1));
    ck_assert_ok(alcore_tensor_init(&offsets, starts, ALCORE_INT64, token_shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "logprobs", &values, &offsets, NULL));
    const char *path = test_path("stdout");
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    ck_assert_ptr_nonnull(freopen(path, "w", stdout));
    const alcore_status status =
        _i < 2 ? alcore_pool_write(pool, both, 2, "-", _i ? &as_text : NULL)
               : alcore_pool_write_column(pool, _i == 2 ? "scores" : "logprobs", "-", NULL);
    fflush(stdout);
    dup2(before, STDOUT_FILENO);
    close(before);
    ck_assert_ok(status);
    ck_assert_str_eq(file_text(path), expected[_i]);
    ck_assert_int_eq(access("-", F_OK), -1);
    alcore_pool_unref(pool);
}
END_TEST

/* A refused or failed call leaves the file of that name as it was; a good one replaces it. */
START_TEST(refusals) {
    static const struct {
        const char *name;
        int32_t format, status;
        const char *message;
    } cases[] = {
        {"p.tsv.gz", 0, ALCORE_E_UNSUPPORTED, "p.tsv.gz: a pool is written uncompressed"},
        {"p.zst", ALCORE_FORMAT_TSV, ALCORE_E_UNSUPPORTED, "uncompressed"},
        {"p.xlsx", 0, ALCORE_E_UNSUPPORTED, "a pool is written as .tsv, .csv, .jsonl or .txt"},
        {"p.tsv", ALCORE_FORMAT_NPY, ALCORE_E_UNSUPPORTED, ".jsonl or .txt"},
        {"p.tsv", ALCORE_FORMAT_LP, ALCORE_E_UNSUPPORTED, ".jsonl or .txt"},
        {"p.tsv", -1, ALCORE_E_INVALID, "format is -1"},
        {"no/such/p.tsv", 0, ALCORE_E_IO, "no/such"},
    };
    alcore_pool *pool = small_pool();
    const int64_t outside[] = {2};
    const char *path = test_file("p.tsv", "old", 3);
    alcore_write_options options = in_format(cases[_i].format);
    ck_assert_fails(alcore_pool_write(pool, both, 2, test_path(cases[_i].name), &options),
                    cases[_i].status, cases[_i].message);
    ck_assert_fails(alcore_pool_write(pool, outside, 1, path, NULL), ALCORE_E_NOT_FOUND,
                    "no row 2");
    ck_assert_fails(alcore_pool_write(pool, both, 2, NULL, NULL), ALCORE_E_INVALID, "path");
    options = in_format(0);
    options.reserved = 1;
    ck_assert_fails(alcore_pool_write(pool, both, 2, path, &options), ALCORE_E_STRUCT_NEWER,
                    "reserved is 1");
    options.size = 1;
    ck_assert_fails(alcore_pool_write(pool, both, 2, path, &options), ALCORE_E_STRUCT_SIZE,
                    "alcore_write_options");
    ck_assert_str_eq(file_text(path), "old");
    ck_assert_ok(alcore_pool_write(pool, NULL, 0, path, NULL));
    ck_assert_str_eq(file_text(path), "index\tid\ttext\n");
    alcore_pool_unref(pool);
}
END_TEST

/* ---- columns and phrases ---- */

START_TEST(columns_there_and_back) {
    int64_t whole[] = {INT64_MIN, 3}, shape[] = {2};
    double real[] = {NAN, 0.1}, found[2];
    const char *const words[] = {"tab\there", NULL};
    const int64_t rows[] = {0, 1};
    alcore_write_options npy = in_format(ALCORE_FORMAT_NPY), tsv = in_format(ALCORE_FORMAT_TSV);
    alcore_column_options as_npy = ALCORE_COLUMN_OPTIONS_INIT, as_tsv = ALCORE_COLUMN_OPTIONS_INIT;
    alcore_pool *pool = small_pool();
    alcore_tensor values, out;
    ck_assert_ok(alcore_tensor_init(&values, whole, ALCORE_INT64, shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "whole", &values, NULL, NULL));
    ck_assert_ok(alcore_tensor_init(&values, real, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "real", &values, NULL, NULL));
    ck_assert_ok(alcore_pool_set_text_column(pool, "words", words, NULL, 2, NULL));
    as_npy.format = "npy";
    as_tsv.format = "tsv";

    const char *path = test_path("whole");
    int64_t back[] = {0, 0};
    ck_assert_ok(alcore_pool_write_column(pool, "whole", path, &npy));
    ck_assert_ok(alcore_pool_read_column(pool, "whole again", path, &as_npy));
    ck_assert_ok(alcore_tensor_init(&out, back, ALCORE_INT64, shape, 1));
    ck_assert_ok(alcore_pool_get_column_rows(pool, "whole again", rows, 2, &out));
    ck_assert_mem_eq(back, whole, sizeof back);

    /* What has no value has no line, so that the table is read again. */
    path = test_path("whole.tsv");
    ck_assert_ok(alcore_pool_write_column(pool, "whole", path, NULL));
    ck_assert_str_eq(file_text(path), "b\t3\n");
    ck_assert_ok(alcore_pool_read_column(pool, "whole as text", path, NULL));
    ck_assert_ok(alcore_tensor_init(&out, found, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_pool_get_column_rows(pool, "whole as text", rows, 2, &out));
    ck_assert(isnan(found[0]) && found[1] == 3);

    path = test_path("real");
    ck_assert_ok(alcore_pool_write_column(pool, "real", path, &tsv));
    ck_assert_str_eq(file_text(path), "1\tnan\nb\t0.1\n");
    ck_assert_ok(alcore_pool_read_column(pool, "real again", path, &as_tsv));
    ck_assert_ok(alcore_tensor_init(&out, found, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_pool_get_column_rows(pool, "real again", rows, 2, &out));
    ck_assert(isnan(found[0]) && found[1] == real[1]);

    ck_assert_ok(alcore_pool_write_column(pool, "words", path, &tsv));
    ck_assert_str_eq(file_text(path), "1\ttab\\there\n");
    ck_assert_fails(alcore_pool_write_column(pool, "words", path, &npy), ALCORE_E_SHAPE, "texts");
    ck_assert_fails(alcore_pool_write_column(pool, "real", path, NULL), ALCORE_E_UNSUPPORTED,
                    "columns are written as .npy, .tsv or .lp");
    npy.format = ALCORE_FORMAT_JSONL;
    ck_assert_fails(alcore_pool_write_column(pool, "real", path, &npy), ALCORE_E_UNSUPPORTED,
                    ".npy, .tsv or .lp");
    npy.format = ALCORE_FORMAT_LP;
    ck_assert_fails(alcore_pool_write_column(pool, "real", path, &npy), ALCORE_E_SHAPE,
                    "not ragged");
    ck_assert_str_eq(file_text(path), "1\ttab\\there\n");
    alcore_pool_unref(pool);
}
END_TEST

/* Ids with backslashes are found as libalcore writes them, and as they stand in other tables. */
START_TEST(ids_with_backslashes) {
    const char *const given[] = {"a", "b", "c"}, *const ids[] = {"C:\\new", "tab\there", "end\\"};
    double real[] = {1, 2, 3}, found[3];
    const int64_t rows[] = {0, 1, 2};
    int64_t shape[] = {3};
    alcore_pool *pool = new_pool();
    alcore_records records = ALCORE_RECORDS_INIT;
    alcore_tensor values, out;
    records.texts = given;
    records.ids = ids;
    records.count = 3;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    ck_assert_ok(alcore_tensor_init(&values, real, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_tensor_init(&out, found, ALCORE_FLOAT64, shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "u", &values, NULL, NULL));
    const char *path = test_path("ids.tsv");
    ck_assert_ok(alcore_pool_write_column(pool, "u", path, NULL));
    ck_assert_str_eq(file_text(path), "C:\\\\new\t1\ntab\\there\t2\nend\\\\\t3\n");
    ck_assert_ok(alcore_pool_read_column(pool, "again", path, NULL));
    ck_assert_ok(alcore_pool_get_column_rows(pool, "again", rows, 3, &out));
    ck_assert_mem_eq(found, real, sizeof found);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("end\\\t3\nC:\\new\t1\ntab\\there\t2\n", file);
    fclose(file);
    ck_assert_ok(alcore_pool_read_column(pool, "foreign", path, NULL));
    ck_assert_ok(alcore_pool_get_column_rows(pool, "foreign", rows, 3, &out));
    ck_assert_mem_eq(found, real, sizeof found);
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(formats_of_columns_are_none_of_records) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *pool = new_pool();
    const char *path = test_file("p", "x\n", 2);
    options.format = ALCORE_FORMAT_NPY;
    ck_assert_fails(alcore_pool_read(pool, path, &options), ALCORE_E_PARAM,
                    "npy is a format of columns");
    options.format = ALCORE_FORMAT_LP;
    ck_assert_fails(alcore_pool_read(pool, path, &options), ALCORE_E_PARAM,
                    "lp is a format of columns");
    options.format = 99;
    ck_assert_fails(alcore_pool_read(pool, path, &options), ALCORE_E_INVALID, "format is 99");
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(phrases_in_every_format) {
    const char *const given[] = {"a b", "a"};
    alcore_pool *pool = new_pool(), *phrases;
    alcore_phrase_options options = ALCORE_PHRASE_OPTIONS_INIT;
    options.max_words = 1;
    ck_assert_ok(alcore_pool_add_texts(pool, given, NULL, 2, NULL));
    ck_assert_ok(alcore_pool_derive_phrases(pool, NULL, &options, &phrases));
    const char *path = test_path("phrases.jsonl");
    ck_assert_ok(alcore_pool_write_phrases(phrases, path, NULL));
    ck_assert_str_eq(
        file_text(path),
        "{\"phrase\":\"a\",\"occ\":2,\"length\":1,\"first_index\":0,\"first_position\":"
        "0,\"in_labeled\":0,\"semi_maximal\":1}\n"
        "{\"phrase\":\"b\",\"occ\":1,\"length\":1,\"first_index\":0,\"first_position\":"
        "1,\"in_labeled\":0,\"semi_maximal\":1}\n");
    path = test_path("phrases.csv");
    ck_assert_ok(alcore_pool_write_phrases(phrases, path, NULL));
    ck_assert_str_eq(file_text(path),
                     "\xEF\xBB\xBFphrase,occ,length,first_index,first_position,in_labeled,"
                     "semi_maximal\r\na,2,1,0,0,0,1\r\nb,1,1,0,1,0,1\r\n");
    const alcore_write_options text = in_format(ALCORE_FORMAT_TEXT);
    ck_assert_ok(alcore_pool_write_phrases(phrases, path, &text));
    ck_assert_str_eq(file_text(path), "a\nb\n");
    alcore_pool_unref(phrases);
    alcore_pool_unref(pool);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, there_and_back, 0, 3);
    tcase_add_loop_test(tests, empty_references, 0, 3);
    tcase_add_test(tests, plain_there_and_back);
    tcase_add_loop_test(tests, formats_by_suffix_and_option, 0, 7);
    tcase_add_test(tests, columns_of_what_is_written);
    tcase_add_loop_test(tests, standard_output, 0, 4);
    tcase_add_loop_test(tests, refusals, 0, 7);
    tcase_add_test(tests, columns_there_and_back);
    tcase_add_test(tests, ids_with_backslashes);
    tcase_add_test(tests, formats_of_columns_are_none_of_records);
    tcase_add_test(tests, phrases_in_every_format);
}

TEST_FILE() {
    return test_run("pool-write", add);
}
