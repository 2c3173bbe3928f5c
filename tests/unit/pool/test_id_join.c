/* SPDX-License-Identifier: Apache-2.0 */
/* Ids occur once, and texts and references, or two pools, are joined by them
 * (docs/formats.md, "Two files that belong together"). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/remedy.h"
#include "pool_test.h"

static alcore_ctx *ctx;
static char said[2000]; /* what was logged */

static void keep(void *user, int32_t level, const char *component, const char *message,
                 const char *fields) {
    (void)user, (void)level, (void)component, (void)fields;
    strncat(said, message, sizeof said - strlen(said) - 1);
    strncat(said, "\n", sizeof said - strlen(said) - 1);
}

static void setup(void) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.log = keep;
    said[0] = '\0';
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

static const char *file(char path[200], const char *name, const char *content) {
    return strcpy(path, test_file(name, content, strlen(content)));
}

static alcore_pool *pool_of(int32_t repeated_ids) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.repeated_ids = repeated_ids;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    return pool;
}

/* ---- repeated ids ---- */

static alcore_status add_ids(alcore_pool *pool, const char *const *ids, int64_t count) {
    static const char *const texts[] = {"one", "two", "three", "four"};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.texts = texts;
    records.ids = ids;
    records.count = count;
    return alcore_pool_add_records(pool, &records, NULL);
}

START_TEST(ids_are_given_once) {
    static const char *const twice[] = {"a", "b", "a"}, *const again[] = {"c", "b"};
    static const char *const number[] = {NULL, "c", "1"}, *const late[] = {"2", NULL};
    alcore_pool *pool = pool_of(ALCORE_IDS_UNIQUE);
    int64_t row;
    ck_assert_fails(add_ids(pool, twice, 3), ALCORE_E_DATA,
                    "row 2: the id \"a\" is that of row 0 too");
    ck_assert_int_eq(alcore_pool_row_count(pool), 0);
    ck_assert_ok(add_ids(pool, twice, 2)); /* nothing of the failed call is remembered */
    ck_assert_fails(add_ids(pool, again, 2), ALCORE_E_DATA,
                    "the id \"b\" is that of row 1 too, which was added before");
    ck_assert_fails(alcore_pool_find(pool, "c", 1, &row), ALCORE_E_NOT_FOUND, "\"c\"");
    alcore_pool_unref(pool);
    /* A row without an id has its number for one. */
    pool = pool_of(ALCORE_IDS_UNIQUE);
    ck_assert_fails(add_ids(pool, number, 3), ALCORE_E_DATA, "the id \"1\" is that of row 0 too");
    ck_assert_fails(add_ids(pool, late, 2), ALCORE_E_DATA,
                    "the number id \"2\" is that of row 0 too");
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(ids_of_calls) {
    static const char *const ids[] = {"a", "b"}, *const twice[] = {"c", "c"};
    alcore_pool *pool = pool_of(ALCORE_IDS_PER_CALL);
    int64_t row;
    for (int i = 0; i < 3; i++) ck_assert_ok(add_ids(pool, ids, 2));
    ck_assert_ok(alcore_pool_find(pool, "b", 1, &row));
    ck_assert_int_eq(row, 1);
    ck_assert_fails(add_ids(pool, twice, 2), ALCORE_E_DATA, "the id \"c\" is that of row 6 too");
    alcore_pool_unref(pool);
    pool = pool_of(ALCORE_IDS_ANY);
    ck_assert_ok(add_ids(pool, twice, 2));
    alcore_pool_unref(pool);
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.repeated_ids = 3;
    ck_assert_fails(alcore_pool_new(ctx, &options, &pool), ALCORE_E_INVALID, "repeated_ids is 3");
    options.repeated_ids = 0;
    options.reserved = 1;
    ck_assert_fails(alcore_pool_new(ctx, &options, &pool), ALCORE_E_STRUCT_NEWER, "reserved is 1");
}
END_TEST

/* Lines are named, and of lines that are masked only the first with an id counts. A malformed row
 * has no id, so that ids that are counted from 0 do not meet its number. */
START_TEST(repeated_ids_in_files) {
    char path[200];
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *pool = pool_of(ALCORE_IDS_UNIQUE);
    int64_t row;
    file(path, "twice.tsv", "id\ttext\n\xC3\xA4 x\tone\n7\ttwo\n\xC3\xA4 x\tthree\n");
    ck_assert_fails(alcore_pool_read(pool, path, NULL), ALCORE_E_DATA,
                    "twice.tsv:4: the id \"\xC3\xA4 x\" is that of line 2 too");
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    ck_assert_ok(alcore_pool_read(pool, path, &options));
    ck_assert_uint_eq(alcore_pool_states(pool)[2], ALCORE_ROW_MALFORMED);
    ck_assert_ptr_nonnull(strstr(said, "twice.tsv:4"));
    alcore_pool_unref(pool);
    pool = pool_of(ALCORE_IDS_UNIQUE);
    file(path, "zero.tsv", "id\ttext\n0\tone\nbroken\n2\tthree\n3\tfour\n");
    ck_assert_ok(alcore_pool_read(pool, path, &options));
    ck_assert_ok(alcore_pool_find(pool, "2", 1, &row));
    ck_assert_int_eq(row, 2); /* and not the malformed row 1, whose number is 2 */
    alcore_pool_unref(pool);
}
END_TEST

/* ---- references ---- */

static alcore_status read_pairs(const char *texts, const char *references, int32_t by, int32_t bad,
                                alcore_pool **out) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.references = references;
    options.by = by;
    options.bad_lines = bad;
    *out = pool_of(ALCORE_IDS_ANY);
    return alcore_pool_read(*out, texts, &options);
}

START_TEST(references_by_id) {
    char texts[200], references[200];
    alcore_pool *pool;
    file(texts, "t.tsv", "id\ttext\na\tone\nb\ttwo\nc\tone\n");
    file(references, "r.jsonl",
         "{\"id\": \"c\", \"text\": \"drei\"}\n{\"id\": \"z\", \"text\": \"weg\"}\n"
         "{\"id\": \"a\", \"text\": \"eins\"}\n{\"id\": \"b\", \"text\": \"zwei\"}\n");
    ck_assert_ok(read_pairs(texts, references, 0, 0, &pool));
    static const char *const expected[] = {"eins", "zwei", "drei"};
    for (int64_t row = 0; row < 3; row++)
        ck_assert_str_eq(alcore_pool_reference(pool, row, NULL), expected[row]);
    ck_assert_ptr_nonnull(strstr(said, "r.jsonl are not in "));
    ck_assert_ptr_nonnull(strstr(said, "passed over: \"z\""));
    alcore_pool_unref(pool);
    ck_assert_fails(read_pairs(texts, references, ALCORE_JOIN_LINE, 0, &pool), ALCORE_E_DATA,
                    "t.tsv has 3 records");
    alcore_pool_unref(pool);
    ck_assert_fails(read_pairs(texts, references, 7, 0, &pool), ALCORE_E_INVALID, "by is 7");
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(references_that_cannot_be_joined) {
    static const struct {
        const char *texts, *references, *words;
    } cases[] = {
        {"id\ttext\na\t1\nb\t2\nc\t3\nd\t4\ne\t5\nf\t6\ng\t7\n", "id\ttext\na\tA\n",
         "6 of the 7 ids of "},
        {"id\ttext\na\t1\nb\t2\n", "id\ttext\na\tA\na\tB\n",
         "r.tsv:3: the id \"a\" is that of line 2 too"},
        {"id\ttext\na\t1\na\t2\n", "id\ttext\na\tA\nb\tB\n",
         "t.tsv:3: the id \"a\" is that of line 2 too"},
        {"id\ttext\na\t1\n\t2\n", "id\ttext\na\tA\nb\tB\n", "line 2 has an id and line 3 has none"},
        {"id\ttext\na\t1\nb\t2\n", "id\ttext\na\tA\n\tB\n", "line 2 has an id and line 3 has none"},
        {"id\ttext\na\t1\nb\t2\n", "id\ttext\n1\tA\n2\tB\n", "have no id in common: the ids are"},
        {"id\ttext\na\t1\n", "text\nA\nB\n", "has 1 records and "},
    };
    char texts[200], references[200];
    alcore_pool *pool;
    alcore_remedy remedy = ALCORE_REMEDY_INIT;
    file(texts, "t.tsv", cases[_i].texts);
    file(references, "r.tsv", cases[_i].references);
    ck_assert_fails(read_pairs(texts, references, 0, 0, &pool), ALCORE_E_DATA, cases[_i].words);
    if (_i == 0) ck_assert_ptr_nonnull(strstr(alcore_last_error(), "\"f\", ..."));
    ck_assert_int_eq(alcore_last_remedy(&remedy), _i >= 3 && _i <= 5);
    if (_i == 5) ck_assert_str_eq(remedy.value, "line");
    ck_assert_int_eq(alcore_pool_row_count(pool), 0);
    alcore_pool_unref(pool);
}
END_TEST

/* Lines count where ids are missing in one file, which is said, and where they are asked for. */
START_TEST(references_by_line) {
    char texts[200], references[200];
    alcore_pool *pool;
    file(texts, "t.tsv", "id\ttext\na\tone\nb\ttwo\n");
    file(references, "r.txt", "eins\nzwei\n");
    ck_assert_ok(read_pairs(texts, references, 0, 0, &pool));
    ck_assert_str_eq(alcore_pool_reference(pool, 1, NULL), "zwei");
    ck_assert_ptr_nonnull(strstr(said, "t.tsv has ids and "));
    alcore_pool_unref(pool);
    ck_assert_fails(read_pairs(texts, references, ALCORE_JOIN_ID, 0, &pool), ALCORE_E_DATA,
                    "r.txt has no ids");
    alcore_pool_unref(pool);
    file(references, "r.tsv", "id\ttext\nb\tzwei\na\teins\n");
    ck_assert_ok(read_pairs(texts, references, ALCORE_JOIN_LINE, 0, &pool));
    ck_assert_str_eq(alcore_pool_reference(pool, 0, NULL), "zwei");
    alcore_pool_unref(pool);
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.by = ALCORE_JOIN_LINE;
    pool = pool_of(ALCORE_IDS_UNIQUE);
    ck_assert_fails(alcore_pool_read(pool, texts, &options), ALCORE_E_INVALID,
                    "no file of references");
    alcore_pool_unref(pool);
}
END_TEST

/* A masked line of the references excuses one text without a reference, and not two. */
START_TEST(masked_references) {
    char texts[200], references[200];
    alcore_pool *pool;
    file(texts, "t.tsv", "id\ttext\na\tone\nb\ttwo\nc\tthree\n");
    file(references, "r.tsv", "id\ttext\nb\tzwei\nbroken\na\teins\n");
    ck_assert_ok(read_pairs(texts, references, 0, ALCORE_BAD_LINES_MASK, &pool));
    ck_assert_str_eq(alcore_pool_reference(pool, 0, NULL), "eins");
    ck_assert_ptr_null(alcore_pool_reference(pool, 2, NULL));
    alcore_pool_unref(pool);
    file(references, "r.tsv", "id\ttext\nb\tzwei\nbroken\n");
    ck_assert_fails(read_pairs(texts, references, 0, ALCORE_BAD_LINES_MASK, &pool), ALCORE_E_DATA,
                    "2 of the 3 ids");
    alcore_pool_unref(pool);
}
END_TEST

/* ---- pools ---- */

START_TEST(pools_are_joined) {
    static const char *const left[] = {"a", "b", "c"}, *const right[] = {"c", "x", "b", "a"};
    static const char *const other[] = {"p", "q", "r"};
    alcore_join_options options = ALCORE_JOIN_OPTIONS_INIT;
    alcore_pool *texts = pool_of(0), *partners = pool_of(0), *strangers = pool_of(0);
    alcore_pool *twice = pool_of(ALCORE_IDS_ANY);
    int64_t rows[3];
    ck_assert_ok(add_ids(texts, left, 3));
    ck_assert_ok(add_ids(partners, right, 4));
    ck_assert_ok(add_ids(strangers, other, 3));
    for (int i = 0; i < 2; i++) ck_assert_ok(add_ids(twice, left, 2));
    ck_assert_ok(alcore_pool_join(texts, partners, NULL, rows));
    ck_assert(rows[0] == 3 && rows[1] == 2 && rows[2] == 0);
    ck_assert_ptr_nonnull(strstr(said, "1 ids of the other pool are not in the pool of texts"));
    ck_assert_fails(alcore_pool_join(texts, strangers, NULL, rows), ALCORE_E_DATA,
                    "have no id in common: the ids are \"a\", \"b\", \"c\" and \"p\"");
    ck_assert_fails(alcore_pool_join(texts, twice, NULL, rows), ALCORE_E_DATA,
                    "the other pool: rows 0 and 2 have the id \"a\"");
    options.by = ALCORE_JOIN_LINE;
    ck_assert_ok(alcore_pool_join(texts, strangers, &options, rows));
    ck_assert(rows[0] == 0 && rows[2] == 2);
    ck_assert_fails(alcore_pool_join(texts, partners, &options, rows), ALCORE_E_DATA,
                    "has 3 lines and the other pool has 4");
    /* Only some rows need a partner. */
    static const int64_t wanted[] = {2, 1};
    static const char *const few[] = {"b", "c"};
    alcore_pool *some = pool_of(0);
    ck_assert_ok(add_ids(some, few, 2));
    options.by = ALCORE_JOIN_ID;
    options.rows = wanted;
    options.row_count = 2;
    ck_assert_ok(alcore_pool_join(texts, some, &options, rows));
    ck_assert(rows[0] == 1 && rows[1] == 0);
    options.reserved = 1;
    ck_assert_fails(alcore_pool_join(texts, some, &options, rows), ALCORE_E_STRUCT_NEWER,
                    "reserved");
    ck_assert_fails(alcore_pool_join(texts, NULL, NULL, rows), ALCORE_E_INVALID, "partners");
    alcore_pool_unref(texts);
    alcore_pool_unref(partners);
    alcore_pool_unref(strangers);
    alcore_pool_unref(twice);
    alcore_pool_unref(some);
}
END_TEST

/* The texts of a pool that was read with malformed lines masked. */
static alcore_pool *read_masked(const char *name, const char *content) {
    char path[200];
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *pool = pool_of(0);
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    ck_assert_ok(alcore_pool_read(pool, file(path, name, content), &options));
    return pool;
}

/* A malformed row of the texts has no partner, and one of the partners excuses one text. */
START_TEST(malformed_rows_are_joined) {
    alcore_pool *texts = read_masked("t.tsv", "id\ttext\na\tone\nbroken\nc\tthree\n");
    alcore_pool *partners = read_masked("p.tsv", "id\ttext\nc\tdrei\nbroken\n");
    alcore_pool *none = read_masked("n.tsv", "id\ttext\nc\tdrei\n");
    int64_t rows[3];
    alcore_join_options options = ALCORE_JOIN_OPTIONS_INIT;
    ck_assert_ok(alcore_pool_join(texts, partners, NULL, rows));
    ck_assert_int_eq(rows[0], -1);
    ck_assert_int_eq(rows[1], -1);
    ck_assert_int_eq(rows[2], 0);
    options.texts_name = "the texts";
    options.partners_name = "the others";
    ck_assert_fails(alcore_pool_join(texts, none, &options, rows), ALCORE_E_DATA,
                    "1 of the 2 ids of the texts");
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "the others"));
    options.row_count = 7; /* not read without rows */
    ck_assert_ok(alcore_pool_join(texts, partners, &options, rows));
    options.rows = rows;
    options.row_count = 1;
    rows[0] = 3;
    int64_t out[1];
    ck_assert_fails(alcore_pool_join(texts, partners, &options, out), ALCORE_E_NOT_FOUND,
                    "no row 3");
    alcore_pool_unref(texts);
    alcore_pool_unref(partners);
    alcore_pool_unref(none);
}
END_TEST

/* Replaced sequences are counted, once for the call. */
START_TEST(malformed_texts_are_counted) {
    static const char *const texts[] = {"a\xFF", "b", "\xFF c \xFE"};
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.utf8 = ALCORE_UTF8_REPLACE;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, 3, NULL));
    ck_assert_str_eq(said, "3 malformed sequences of bytes became U+FFFD\n");
    const int64_t row = 1;
    said[0] = '\0';
    ck_assert_ok(alcore_pool_set_references(pool, &row, texts, NULL, 1));
    ck_assert_str_eq(said, "1 malformed sequences of bytes became U+FFFD\n");
    said[0] = '\0';
    ck_assert_ok(alcore_pool_set_text_column(pool, "notes", texts, NULL, 3, NULL));
    ck_assert_str_eq(said, "3 malformed sequences of bytes became U+FFFD\n");
    alcore_pool_unref(pool);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, ids_are_given_once);
    tcase_add_test(tests, ids_of_calls);
    tcase_add_test(tests, repeated_ids_in_files);
    tcase_add_test(tests, references_by_id);
    tcase_add_loop_test(tests, references_that_cannot_be_joined, 0, 7);
    tcase_add_test(tests, references_by_line);
    tcase_add_test(tests, masked_references);
    tcase_add_test(tests, pools_are_joined);
    tcase_add_test(tests, malformed_rows_are_joined);
    tcase_add_test(tests, malformed_texts_are_counted);
}

TEST_FILE() {
    return test_run("id-join", add);
}
