/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and columns from files and to files. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/base.h"
#include "file_text.h"
#include "npy_file.h"
#include "pool/column.h"
#include "pool_test.h"

static alcore_ctx *ctx;
static alcore_pool *pool;

static void setup(void) {
    ctx = test_ctx();
    pool = test_pool_of(ctx, 4);
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static const char *text_file(const char *name, const char *content) {
    return test_file(name, content, strlen(content));
}

static const int64_t all_rows[] = {0, 1, 2, 3};

/* Planted duplicates, an empty last line, columns of full length: the row of a pick is the line
 * that is printed. */
START_TEST(rows_are_lines) {
    static const char *const lines[] = {"the cat",   "a dog", "the cat", "",
                                        "birds fly", "a dog", " "};
    char content[256] = "";
    float scores[7];
    double found[7];
    int64_t shape[] = {7};
    alcore_pool *read;
    alcore_tensor values;
    for (int i = 0; i < 7; i++) {
        strcat(content, lines[i]);
        strcat(content, "\n");
        scores[i] = (float)(i * 7 % 5);
    }
    ck_assert_ok(alcore_pool_new(ctx, NULL, &read));
    ck_assert_ok(alcore_pool_read(read, text_file("lines.txt", content), NULL));
    ck_assert_int_eq(alcore_pool_row_count(read), 7);
    ck_assert_ok(alcore_tensor_init(&values, scores, ALCORE_FLOAT32, shape, 1));
    ck_assert_ok(alcore_pool_set_column(read, "scores", &values, NULL, NULL));
    const uint32_t *states = alcore_pool_states(read);
    int64_t best = -1;
    for (int64_t row = 0; row < 7; row++) {
        ck_assert_str_eq(alcore_pool_text(read, row, NULL), lines[row]);
        ck_assert_ok(test_column_rows(read, "scores", &row, 1, &found[row]));
        if (states[row] == 0 && (best < 0 || found[row] > found[best])) best = row;
    }
    const uint32_t expected[] = {
        0, 0, ALCORE_ROW_DUPLICATE, ALCORE_ROW_EMPTY, 0, ALCORE_ROW_DUPLICATE, ALCORE_ROW_EMPTY};
    ck_assert_mem_eq(states, expected, sizeof expected);
    ck_assert_int_eq(best, 4); /* scores 0 2 4 1 3 0 2: row 2 has the largest, but repeats row 0 */
    ck_assert_str_eq(alcore_pool_text(read, best, NULL), "birds fly");
    /* Rows run on over files. */
    ck_assert_ok(alcore_pool_read(read, text_file("more.txt", "one more"), NULL));
    ck_assert_str_eq(alcore_pool_text(read, 7, NULL), "one more");
    alcore_pool_unref(read);
}
END_TEST

START_TEST(records_of_files) {
    alcore_pool *read;
    ck_assert_ok(alcore_pool_new(ctx, NULL, &read));
    ck_assert_ok(alcore_pool_read(
        read, text_file("r.tsv", "index\tid\ttext\tcost\n0\tx\ta\\tb\t2.5\n1\ty\tc\t0\n"), NULL));
    ck_assert_ok(alcore_pool_read(
        read, text_file("r.jsonl", "{\"id\": \"j\", \"source\": \"d\", \"lang\": \"sw\"}\n"),
        NULL));
    ck_assert_int_eq(alcore_pool_row_count(read), 3);
    ck_assert_str_eq(alcore_pool_text(read, 0, NULL), "a\tb");
    ck_assert_double_eq(alcore_pool_cost(read, 0), 2.5);
    ck_assert_str_eq(alcore_pool_row_id(read, 2), "j");
    ck_assert_str_eq(alcore_pool_language(read, 2), "sw");
    alcore_pool_unref(read);
}
END_TEST

START_TEST(refused_files) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *strict;
    options.max_text_bytes = 20;
    ck_assert_ok(alcore_pool_new(ctx, &options, &strict));
    ck_assert_fails(alcore_pool_read(strict,
                                     text_file("bad.txt", "fine\nb\xFF"
                                                          "d\n"),
                                     NULL),
                    ALCORE_E_DATA, "bad.txt:2: the text is not valid UTF-8 at byte 1");
    ck_assert_fails(alcore_pool_read(strict, test_file("nul.txt", "ok\na\0b\n", 7), NULL),
                    ALCORE_E_DATA, "nul.txt:2");
    ck_assert_fails(
        alcore_pool_read(strict, text_file("long.txt", "x\n123456789012345678901\n"), NULL),
        ALCORE_E_DATA, "long.txt:2");
    ck_assert_fails(alcore_pool_read(strict, test_path("none.txt"), NULL), ALCORE_E_IO, "none.txt");
    ck_assert_fails(alcore_pool_read(strict, NULL, NULL), ALCORE_E_INVALID, "path");
    /* A column of references has to be there; one of texts is that of files that have columns. */
    alcore_read_options reading = ALCORE_READ_OPTIONS_INIT;
    reading.reference_column = "de";
    ck_assert_fails(alcore_pool_read(strict, text_file("fine.txt", ""), &reading), ALCORE_E_DATA,
                    "fine.txt is read as text, which has no columns");
    ck_assert_fails(alcore_pool_read(strict, text_file("fine.tsv", "text\nx\n"), &reading),
                    ALCORE_E_DATA, "no column is called \"de\"");
    reading.reference_column = NULL;
    reading.text_column = "en";
    ck_assert_ok(alcore_pool_read(strict, text_file("fine.txt", ""), &reading));
    ck_assert_int_eq(alcore_pool_row_count(strict), 0);
    alcore_pool_unref(strict);
    options.utf8 = ALCORE_UTF8_REPLACE;
    ck_assert_ok(alcore_pool_new(ctx, &options, &strict));
    ck_assert_ok(alcore_pool_read(strict,
                                  text_file("bad.txt", "fine\nb\xFF"
                                                       "d\n"),
                                  NULL));
    ck_assert_str_eq(alcore_pool_text(strict, 1, NULL), "b\xEF\xBF\xBD"
                                                        "d");
    alcore_pool_unref(strict);
}
END_TEST

/* A line of 300 MB is refused with file and line, and without 300 MB of memory. */
START_TEST(enormous_line) {
    const char *path = test_path("enormous.txt");
    FILE *file = fopen(path, "wb");
    static char block[1 << 20];
    memset(block, 'x', sizeof block);
    fputs("short\n", file);
    for (int i = 0; i < 300; i++) fwrite(block, 1, sizeof block, file);
    fclose(file);
    alcore_status status = alcore_pool_read(pool, path, NULL);
    remove(path);
    ck_assert_int_eq(status, ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "enormous.txt:2"));
    ck_assert_int_eq(alcore_pool_row_count(pool), 4);
}
END_TEST

/* ---- columns ---- */

static const char *npy_file(const char *name, int32_t dtype, int64_t rows, int64_t dims,
                            const void *data) {
    const char *path = test_path(name);
    const int64_t shape[] = {rows, dims};
    ck_assert_ok(npy_file_write(ctx, path, dtype, dims > 0 ? 2 : 1, shape, data));
    return path;
}

START_TEST(matrix_in_a_file) {
    const double wide[] = {0, 1, 10, 11, 20, 21, 30, 31};
    const uint16_t half[] = {0, 0x3C00, 0x4900, 0x4980, 0x4D00, 0x4D40, 0x4F80, 0x4FC0};
    float single[8];
    for (int i = 0; i < 8; i++) single[i] = (float)wide[i];
    const struct {
        int32_t dtype;
        const void *data;
    } cases[] = {{ALCORE_FLOAT64, wide}, {ALCORE_FLOAT32, single}, {ALCORE_FLOAT16, half}};
    double out[8];
    alcore_tensor view;
    const char *path = npy_file("e.npy", cases[_i].dtype, 4, 2, cases[_i].data);
    ck_assert_ok(alcore_pool_read_column(pool, "embeddings", path, NULL));
    ck_assert_ok(test_column_rows(pool, "embeddings", all_rows, 4, out));
    ck_assert_mem_eq(out, wide, sizeof wide);
    const int64_t back[] = {3, 2, 0};
    ck_assert_ok(test_column_rows(pool, "embeddings", back, 3, out));
    const double expected[] = {30, 31, 20, 21, 0, 1};
    ck_assert_mem_eq(out, expected, sizeof expected);
    ck_assert_fails(alcore_pool_get_column(pool, "embeddings", &view, NULL), ALCORE_E_UNSUPPORTED,
                    "e.npy");
    const alcore__column *column = alcore__pool_find_column(pool, "embeddings");
    ck_assert(column->in_file);
    ck_assert_str_eq(column->origin, path);
    /* For some rows only, in another order. */
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    const int64_t rows[] = {3, 1};
    options.rows = rows;
    options.row_count = 2;
    path = npy_file("e2.npy", cases[_i].dtype, 2, 2, cases[_i].data);
    ck_assert_ok(alcore_pool_read_column(pool, "embeddings", path, &options));
    ck_assert_ok(test_column_rows(pool, "embeddings", all_rows, 4, out));
    ck_assert(isnan(out[0]) && isnan(out[5]));
    ck_assert_double_eq(out[2], 10);
    ck_assert_double_eq(out[7], 1);
}
END_TEST

/* Writing into the file of a column is noticed when its rows are next read, also where its length
 * stays; a file that takes its name is another one, and the column stays as it was. */
START_TEST(a_file_that_is_written_in_place) {
    static const float numbers[] = {0, 1, 2, 3, 4, 5, 6, 7};
    double out[8];
    char path[512];
    snprintf(path, sizeof path, "%s", npy_file("p.npy", ALCORE_FLOAT32, 4, 2, numbers));
    ck_assert_ok(alcore_pool_read_column(pool, "e", path, NULL));
    ck_assert_ok(test_column_rows(pool, "e", all_rows, 4, out));
    npy_file("p.npy", ALCORE_FLOAT32, 4, 2, numbers); /* replaces the file */
    ck_assert_ok(test_column_rows(pool, "e", all_rows, 4, out));
    ck_assert_ok(alcore_pool_read_column(pool, "e", path, NULL));
    const struct timespec earlier[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    fseek(file, -4, SEEK_END);
    fwrite(numbers, sizeof *numbers, 1, file);
    fclose(file);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, earlier, 0), 0); /* another time for sure */
    ck_assert_fails(test_column_rows(pool, "e", all_rows, 4, out), ALCORE_E_DATA, path);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "column \"e\""));
    ck_assert_ok(alcore_pool_read_column(pool, "e", path, NULL));
    ck_assert_ok(test_column_rows(pool, "e", all_rows, 4, out));
    ck_assert(out[7] == 0);
}
END_TEST

START_TEST(ragged_in_files) {
    const float tokens[] = {1, 2, 3, 4, 5};
    const int64_t offsets[] = {0, 2, 2, 4, 5}, wrong[] = {0, 2, 2, 4, 6};
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    char values[512], starts[512];
    snprintf(values, sizeof values, "%s", npy_file("v.npy", ALCORE_FLOAT32, 5, 0, tokens));
    snprintf(starts, sizeof starts, "%s", npy_file("o.npy", ALCORE_UINT64, 5, 0, offsets));
    options.offsets = starts;
    ck_assert_ok(alcore_pool_read_column(pool, "logprobs", values, &options));
    const alcore__column *column = alcore__pool_find_column(pool, "logprobs");
    alcore__scratch scratch = {0};
    alcore_sys_ragged block;
    ck_assert_ok(column->ops->ragged(column, 1, 3, &scratch, &block));
    ck_assert_mem_eq(block.values, tokens + 2, 3 * sizeof *tokens);
    ck_assert_int_eq(block.offsets[1] - block.offsets[0], 0);
    ck_assert_int_eq(block.offsets[3] - block.offsets[0], 3);
    alcore__scratch_clear(ctx, &scratch);
    /* As Arrow has them. */
    const int32_t narrow[] = {0, 2, 2, 4, 5};
    options.offsets = npy_file("n.npy", ALCORE_INT32, 5, 0, narrow);
    ck_assert_ok(alcore_pool_read_column(pool, "logprobs", values, &options));
    column = alcore__pool_find_column(pool, "logprobs");
    ck_assert_ok(column->ops->ragged(column, 1, 3, &scratch, &block));
    ck_assert_mem_eq(block.values, tokens + 2, 3 * sizeof *tokens);
    alcore__scratch_clear(ctx, &scratch);
    options.offsets = npy_file("w.npy", ALCORE_INT64, 5, 0, wrong);
    ck_assert_fails(alcore_pool_read_column(pool, "logprobs", values, &options), ALCORE_E_SHAPE,
                    "last offset is 6, but there are 5");
    options.offsets = npy_file("w.npy", ALCORE_INT64, 4, 0, wrong);
    ck_assert_fails(alcore_pool_read_column(pool, "logprobs", values, &options), ALCORE_E_SHAPE,
                    "expected offsets, integers [5], found int64 [4]");
    options.offsets = values;
    ck_assert_fails(alcore_pool_read_column(pool, "logprobs", values, &options), ALCORE_E_SHAPE,
                    "found float32");
}
END_TEST

START_TEST(wrong_arrays_in_files) {
    const float numbers[8] = {0};
    ck_assert_fails(
        alcore_pool_read_column(pool, "e", npy_file("s.npy", ALCORE_FLOAT32, 3, 2, numbers), NULL),
        ALCORE_E_SHAPE, "expected 4 rows for column \"e\", found 3");
    ck_assert_fails(alcore_pool_read_column(pool, "scores",
                                            npy_file("s.npy", ALCORE_INT32, 4, 0, numbers), NULL),
                    ALCORE_E_SHAPE, "found int32");
    ck_assert_ok(
        alcore_pool_read_column(pool, "n", npy_file("s.npy", ALCORE_INT32, 4, 0, numbers), NULL));
    ck_assert_ok(alcore_pool_drop_column(pool, "n"));
    ck_assert_fails(alcore_pool_read_column(pool, "e", text_file("t.npy", "\x93NUMPY\1"), NULL),
                    ALCORE_E_DATA, "t.npy");
    ck_assert_fails(alcore_pool_read_column(pool, "e", test_path("no.npy"), NULL), ALCORE_E_IO,
                    "no.npy");
    ck_assert_fails(alcore_pool_read_column(pool, "e", "-", NULL), ALCORE_E_DATA, "is a stream");
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.format = "parquet";
    ck_assert_fails(alcore_pool_read_column(pool, "e", "x", &options), ALCORE_E_INVALID, "parquet");
    ck_assert_fails(alcore_pool_read_column(pool, "e", NULL, NULL), ALCORE_E_INVALID, "NULL");
    ck_assert_ptr_null(alcore_pool_column_name(pool, 0));
}
END_TEST

START_TEST(text_columns) {
    double out[4];
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    const int64_t rows[] = {2, 0};
    ck_assert_ok(
        alcore_pool_read_column(pool, "scores", text_file("s.txt", "1\n2.5\n-3\n4e1\n"), NULL));
    ck_assert_ok(test_column_rows(pool, "scores", all_rows, 4, out));
    const double expected[] = {1, 2.5, -3, 40};
    ck_assert_mem_eq(out, expected, sizeof expected);
    ck_assert_fails(alcore_pool_read_column(pool, "scores", text_file("s.txt", "1\n2\n3\n"), NULL),
                    ALCORE_E_SHAPE, "s.txt: expected 4 rows for column \"scores\", found 3");
    ck_assert_fails(
        alcore_pool_read_column(pool, "scores", text_file("s.txt", "1\n2\n3\n4\n5\n6\n"), NULL),
        ALCORE_E_SHAPE, "expected 4 rows for column \"scores\", found 6");
    ck_assert_ok(test_column_rows(pool, "scores", all_rows, 4, out)); /* as it was */
    ck_assert_double_eq(out[3], 40);
    options.rows = rows;
    options.row_count = 2;
    ck_assert_ok(alcore_pool_read_column(pool, "some", text_file("s.txt", "7\n8\n"), &options));
    ck_assert_ok(test_column_rows(pool, "some", all_rows, 4, out));
    ck_assert_double_eq(out[2], 7);
    ck_assert_double_eq(out[0], 8);
    ck_assert(isnan(out[1]) && isnan(out[3]));
    /* By id, in any order; rows without a line have no value. */
    ck_assert_ok(
        alcore_pool_read_column(pool, "scores", text_file("s.tsv", "4\t0.5\n1\t0.25\n"), NULL));
    ck_assert_ok(test_column_rows(pool, "scores", all_rows, 4, out));
    ck_assert_double_eq(out[0], 0.25);
    ck_assert_double_eq(out[3], 0.5);
    ck_assert(isnan(out[1]) && isnan(out[2]));
    ck_assert_fails(
        alcore_pool_read_column(pool, "scores", text_file("s.tsv", "4\t0.5\n9\t0.25\n"), NULL),
        ALCORE_E_NOT_FOUND, "s.tsv:2: no row has the id \"9\"");
    ck_assert_fails(
        alcore_pool_read_column(pool, "scores", text_file("s.tsv", "4\t0.5\n4\t0.25\n"), NULL),
        ALCORE_E_DATA, "s.tsv:2: row 3 is given a second time");
}
END_TEST

START_TEST(text_logprobs) {
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    ck_assert_ok(alcore_pool_read_column(
        pool, "logprobs", text_file("t.lp", "2\t-1 -2\n1\t-3\n4\t\n3\t-4 -5 -6\n"), NULL));
    alcore_tensor view, offsets;
    ck_assert_ok(alcore_pool_get_column(pool, "logprobs", &view, &offsets));
    const double expected[] = {-3, -1, -2, -4, -5, -6};
    const int64_t starts[] = {0, 1, 3, 6, 6};
    ck_assert_mem_eq(view.data, expected, sizeof expected);
    ck_assert_mem_eq(offsets.data, starts, sizeof starts);
    options.format = "fairseq";
    ck_assert_ok(alcore_pool_read_column(
        pool, "logprobs", text_file("gen.out", "S-1\tx\nP-1\t-1 -2\nP-0\t-1\n"), &options));
    const alcore__column *column = alcore__pool_find_column(pool, "logprobs");
    ck_assert(alcore__column_has(column, 0) && alcore__column_has(column, 1));
    ck_assert(!alcore__column_has(column, 2));
    ck_assert_fails(
        alcore_pool_read_column(pool, "logprobs", text_file("gen.out", "P-4\t-1 -2\n"), &options),
        ALCORE_E_SHAPE, "gen.out:1: expected 4 rows, found number 4");
    options.log_base = 2;
    ck_assert_fails(
        alcore_pool_read_column(pool, "logprobs", text_file("gen.out", "P-1\t-1 -2\n"), &options),
        ALCORE_E_INVALID, "fairseq's base is 2");
    options.log_base = ALCORE_UNSET;
    /* The lines of a text form say which row a number is of. */
    for (const char *const *format = (const char *const[]){"fairseq", "pharaoh", NULL}; *format;
         format++) {
        options.format = *format;
        options.offsets = "offsets.npy";
        ck_assert_fails(
            alcore_pool_read_column(pool, "logprobs", text_file("gen.out", "P-1\t-1\n"), &options),
            ALCORE_E_INVALID, "gen.out\", a text form");
    }
}
END_TEST

/* ---- writing ---- */

START_TEST(written_rows) {
    const char *texts[] = {"tab\there", "back\\slash"}, *ids[] = {"i\td", NULL};
    const int64_t rows[] = {5, 4, 0}, outside[] = {0, 6};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 2;
    records.texts = texts;
    records.ids = ids;
    ck_assert_ok(alcore_pool_add_records(pool, &records, NULL));
    const char *path = test_path("rows.tsv");
    ck_assert_ok(alcore_pool_write(pool, rows, 3, path, NULL));
    ck_assert_str_eq(file_text(path),
                     "index\tid\ttext\n5\t6\tback\\\\slash\n4\ti\\td\ttab\\there\n0\t1\ttext 0\n");
    ck_assert_fails(alcore_pool_write(pool, outside, 2, path, NULL), ALCORE_E_NOT_FOUND,
                    "no row 6");
    ck_assert_fails(alcore_pool_write(pool, rows, 3, "/no/such/folder/x.tsv", NULL), ALCORE_E_IO,
                    "/no/");
    ck_assert_fails(alcore_pool_write(pool, rows, 3, NULL, NULL), ALCORE_E_INVALID, "path");
}
END_TEST

START_TEST(written_columns) {
    float matrix[] = {0.5f, 1, 0.1f, 3, 4, 5, 6, 7};
    double tokens[] = {-0.1, -2, -3};
    int64_t shape[] = {4, 2}, token_shape[] = {3}, offset_shape[] = {5},
            offsets[] = {0, 2, 2, 2, 3};
    const int64_t masked[] = {1};
    double out[8];
    alcore_tensor values, starts, view;
    ck_assert_ok(alcore_tensor_init(&values, matrix, ALCORE_FLOAT32, shape, 2));
    ck_assert_ok(alcore_pool_set_column(pool, "e", &values, NULL, NULL));
    ck_assert_ok(alcore_tensor_init(&values, tokens, ALCORE_FLOAT64, token_shape, 1));
    ck_assert_ok(alcore_tensor_init(&starts, offsets, ALCORE_INT64, offset_shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "lp", &values, &starts, NULL));
    ck_assert_ok(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, masked, 1));

    const char *path = test_path("e.tsv");
    ck_assert_ok(alcore_pool_write_column(pool, "e", path, NULL));
    ck_assert_str_eq(file_text(path), "1\t0.5\t1\n3\t4\t5\n4\t6\t7\n");
    path = test_path("lp.lp");
    ck_assert_ok(alcore_pool_write_column(pool, "lp", path, NULL));
    ck_assert_str_eq(file_text(path), "1\t-0.1 -2\n3\t\n4\t-3\n");
    ck_assert_ok(alcore_pool_read_column(pool, "again", path, NULL));
    path = test_path("e.npy");
    ck_assert_ok(alcore_pool_write_column(pool, "e", path, NULL));
    ck_assert_ok(alcore_pool_read_column(pool, "back", path, NULL));
    ck_assert_ok(test_column_rows(pool, "back", all_rows, 4, out));
    for (int i = 0; i < 8; i++) ck_assert_double_eq(out[i], (double)matrix[i]);
    ck_assert_ok(
        alcore_pool_write_column(pool, "back", test_path("back.npy"), NULL)); /* from a file */

    ck_assert_fails(alcore_pool_write_column(pool, "e", test_path("e.lp"), NULL), ALCORE_E_SHAPE,
                    "not ragged");
    ck_assert_fails(alcore_pool_write_column(pool, "lp", test_path("lp.npy"), NULL), ALCORE_E_SHAPE,
                    "write it as .lp");
    ck_assert_fails(alcore_pool_write_column(pool, "e", test_path("e.csv"), NULL),
                    ALCORE_E_UNSUPPORTED, ".npy, .tsv or .lp");
    ck_assert_fails(alcore_pool_write_column(pool, "no", path, NULL), ALCORE_E_NOT_FOUND, "\"no\"");

    /* bfloat16 becomes float32. */
    uint16_t brain[] = {0x3F80, 0x4000, 0x4040, 0x4080};
    int64_t brain_shape[] = {4};
    ck_assert_ok(alcore_tensor_init(&values, brain, ALCORE_BFLOAT16, brain_shape, 1));
    ck_assert_ok(alcore_pool_set_column(pool, "b", &values, NULL, NULL));
    ck_assert_ok(alcore_pool_write_column(pool, "b", test_path("b.npy"), NULL));
    ck_assert_ok(alcore_pool_read_column(pool, "b", test_path("b.npy"), NULL));
    ck_assert_ok(test_column_rows(pool, "b", all_rows, 4, out));
    for (int i = 0; i < 4; i++) ck_assert_double_eq(out[i], i + 1);
    ck_assert_fails(alcore_pool_get_column(pool, "b", &view, NULL), ALCORE_E_UNSUPPORTED, "b.npy");
}
END_TEST

/* Malformed lines keep their row numbers and are never selected. */
START_TEST(bad_lines) {
    alcore_pool *own;
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    const char *tsv = text_file("b.tsv", "id\ttext\tcost\tlang\n"
                                         "a\tone\t1\tde\n"
                                         "b\ttwo\n"
                                         "c\tthree\tcheap\tde\n"
                                         "d\tfo\xFFur\t2\tfr\n"
                                         "e\tfive\t3\tde\n");
    ck_assert_ok(alcore_pool_new(ctx, NULL, &own));
    ck_assert_fails(alcore_pool_read(own, tsv, NULL), ALCORE_E_DATA, "b.tsv:3");
    ck_assert_int_eq(alcore_pool_row_count(own), 0);
    options.bad_lines = 2;
    ck_assert_fails(alcore_pool_read(own, tsv, &options), ALCORE_E_INVALID, "bad_lines is 2");
    options.bad_lines = ALCORE_BAD_LINES_MASK;
    ck_assert_ok(alcore_pool_read(own, tsv, &options));
    ck_assert_int_eq(alcore_pool_row_count(own), 5);
    const uint32_t *states = alcore_pool_states(own);
    const uint32_t expected[] = {0, ALCORE_ROW_MALFORMED, ALCORE_ROW_MALFORMED,
                                 ALCORE_ROW_MALFORMED, 0};
    ck_assert_mem_eq(states, expected, sizeof expected);
    ck_assert_int_eq(alcore_pool_state_count(own, ALCORE_ROW_MALFORMED), 3);
    ck_assert_int_eq(alcore_pool_state_count(own, ALCORE_ROW_EMPTY | ALCORE_ROW_DUPLICATE), 0);
    ck_assert_str_eq(alcore_pool_text(own, 4, NULL), "five");
    /* Nothing of a malformed record stays. */
    for (int64_t row = 1; row < 4; row++) {
        ck_assert_str_eq(alcore_pool_text(own, row, NULL), "");
        ck_assert(isnan(alcore_pool_cost(own, row)));
        ck_assert_str_eq(alcore_pool_language(own, row), "unknown");
        ck_assert_int_eq(alcore_pool_row_id(own, row)[0], '1' + (char)row);
    }
    alcore_pool_unref(own);
    /* Each line of JSONL stands for itself; a header of TSV and a file that is no text do not. */
    ck_assert_ok(alcore_pool_new(ctx, NULL, &own));
    ck_assert_ok(alcore_pool_read(
        own, text_file("b.jsonl", "{\"text\": \"x\"}\n{broken\n{\"text\": \"y\"}\n"), &options));
    ck_assert_int_eq(alcore_pool_row_count(own), 3);
    ck_assert_int_eq(alcore_pool_state_count(own, ALCORE_ROW_MALFORMED), 1);
    ck_assert_fails(alcore_pool_read(own, text_file("h.tsv", "id\twords\n1\tx\n"), &options),
                    ALCORE_E_DATA, "h.tsv:1");
    ck_assert_int_eq(alcore_pool_row_count(own), 3);
    alcore_pool_unref(own);
}
END_TEST

/* Reads two line-aligned files into a new pool, which the caller releases. */
static alcore_status read_pairs(const char *texts, const char *references, int32_t rule,
                                alcore_pool **out) {
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    options.references = references;
    options.bad_lines = rule;
    ck_assert_ok(alcore_pool_new(ctx, NULL, out));
    return alcore_pool_read(*out, texts, &options);
}

/* The reference of row i is line i of the second file, also of a repeated or empty row, and rows
 * that were there before keep theirs. */
START_TEST(parallel_files) {
    char texts[200], references[200];
    alcore_read_options options = ALCORE_READ_OPTIONS_INIT;
    alcore_pool *pairs;
    size_t length;
    strcpy(texts, text_file("train.en", "a house\ntwo\n\na house\n"));
    strcpy(references, text_file("train.de", "ein Haus\r\nzwei\nleer\ndas Haus"));
    ck_assert_ok(read_pairs(texts, references, 0, &pairs));
    static const char *const expected[] = {"ein Haus", "zwei", "leer", "das Haus"};
    ck_assert_int_eq(alcore_pool_row_count(pairs), 4);
    for (int64_t row = 0; row < 4; row++) {
        ck_assert_str_eq(alcore_pool_reference(pairs, row, &length), expected[row]);
        ck_assert_uint_eq(length, strlen(expected[row]));
    }
    ck_assert_uint_eq(alcore_pool_states(pairs)[3], ALCORE_ROW_DUPLICATE);
    /* A second corpus: TSV and its column; a reference of the first file is replaced. */
    char tsv[200], column[200];
    strcpy(tsv, text_file("more.tsv", "en\treference\nthree\tx\n"));
    strcpy(column, text_file("more.jsonl", "{\"de\": \"drei\", \"text\": \"y\"}\n"));
    options.text_column = "en";
    options.references = column;
    ck_assert_ok(alcore_pool_read(pairs, tsv, &options));
    ck_assert_str_eq(alcore_pool_reference(pairs, 4, NULL), "y");
    options.reference_column = "de";
    ck_assert_ok(alcore_pool_read(pairs, tsv, &options));
    ck_assert_str_eq(alcore_pool_reference(pairs, 5, NULL), "drei");
    ck_assert_str_eq(alcore_pool_reference(pairs, 0, NULL), "ein Haus");
    alcore_pool_unref(pairs);
}
END_TEST

/* Nothing of two files stays when one of them is wrong. */
START_TEST(parallel_files_that_differ) {
    char texts[200], few[200], many[200], bad[200], words[500];
    alcore_pool *pairs;
    strcpy(texts, text_file("t.en", "one\ntwo\nthree\n"));
    strcpy(few, text_file("few.de", "eins\nzwei\n"));
    strcpy(many, text_file("many.de", "eins\nzwei\ndrei\nvier\n\n"));
    strcpy(bad, text_file("bad.de", "eins\nzw\xFFi\ndrei\n"));
    const char *const files[2] = {few, many};
    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(read_pairs(texts, files[i], 0, &pairs), ALCORE_E_DATA);
        snprintf(words, sizeof words, "%s has 3 records and %s has %d: record i of one", texts,
                 files[i], i ? 5 : 2);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), words));
        ck_assert_int_eq(alcore_pool_row_count(pairs), 0);
        /* The pool is as it was: the rows that are added now have no references. */
        ck_assert_ok(alcore_pool_read(pairs, texts, NULL));
        ck_assert_ptr_null(alcore_pool_reference(pairs, 0, NULL));
        ck_assert_uint_eq(alcore_pool_states(pairs)[0], 0);
        alcore_pool_unref(pairs);
    }
    ck_assert_fails(read_pairs(texts, bad, ALCORE_BAD_LINES_ERROR, &pairs), ALCORE_E_DATA,
                    "bad.de:2: the reference is not valid UTF-8 at byte 2");
    alcore_pool_unref(pairs);
    ck_assert_ok(read_pairs(texts, bad, ALCORE_BAD_LINES_MASK, &pairs));
    ck_assert_ptr_null(alcore_pool_reference(pairs, 1, NULL));
    ck_assert_str_eq(alcore_pool_reference(pairs, 2, NULL), "drei");
    ck_assert_str_eq(alcore_pool_text(pairs, 1, NULL), "two");
    alcore_pool_unref(pairs);
    ck_assert_fails(read_pairs(texts, test_path("absent.de"), 0, &pairs), ALCORE_E_IO, "absent.de");
    ck_assert_int_eq(alcore_pool_row_count(pairs), 0);
    alcore_pool_unref(pairs);
    ck_assert_fails(read_pairs("-", "-", 0, &pairs), ALCORE_E_INVALID,
                    "texts and references cannot both come from standard input");
    alcore_pool_unref(pairs);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, rows_are_lines);
    tcase_add_test(tests, records_of_files);
    tcase_add_test(tests, refused_files);
    tcase_add_test(tests, enormous_line);
    tcase_add_loop_test(tests, matrix_in_a_file, 0, 3);
    tcase_add_test(tests, a_file_that_is_written_in_place);
    tcase_add_test(tests, ragged_in_files);
    tcase_add_test(tests, wrong_arrays_in_files);
    tcase_add_test(tests, text_columns);
    tcase_add_test(tests, text_logprobs);
    tcase_add_test(tests, written_rows);
    tcase_add_test(tests, written_columns);
    tcase_add_test(tests, bad_lines);
    tcase_add_test(tests, parallel_files);
    tcase_add_test(tests, parallel_files_that_differ);
}

TEST_FILE() {
    return test_run("pool-files", add);
}
