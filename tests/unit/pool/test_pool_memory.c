/* SPDX-License-Identifier: Apache-2.0 */
/* Every allocation fails in turn: the call says so, the pool is as it was and can be used, and
 * nothing is lost. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool/pool_internal.h"
#include "pool_test.h"

static test_allocator allocator;
static alcore_ctx *ctx;
static alcore_pool *pool;

/* A pool whose call is swept; the row of a text that is there, and the state of everything before
 * the call. */
typedef alcore_status (*swept_call)(void);

static alcore_pool *filled_pool(int32_t dedup) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *made;
    const char *texts[] = {"one", "two words", "one", ""}, *ids[] = {"a", NULL, "c", NULL};
    const char *languages[] = {"de", NULL, "sw", "de"};
    alcore_records records = ALCORE_RECORDS_INIT;
    options.dedup = dedup;
    options.utf8 = ALCORE_UTF8_REPLACE;
    records.count = 4;
    records.texts = texts;
    records.ids = ids;
    records.languages = languages;
    ck_assert_ok(alcore_pool_new(ctx, &options, &made));
    ck_assert_ok(alcore_pool_add_records(made, &records, NULL));
    return made;
}

static const char *many_texts[600];
static char many_bytes[600][24];

static alcore_status add_records(void) {
    const char *languages[600], *groups[600];
    double costs[600];
    for (int i = 0; i < 600; i++) {
        snprintf(many_bytes[i], sizeof many_bytes[i], i == 300 ? "b\xFF%d" : "Text %d!", i);
        many_texts[i] = many_bytes[i];
        languages[i] = i % 3 ? "xx" : "de";
        groups[i] = many_bytes[i / 10 * 10];
        costs[i] = i;
    }
    alcore_records records = ALCORE_RECORDS_INIT;
    records.count = 600;
    records.texts = records.references = records.ids = many_texts;
    records.languages = languages;
    records.groups = groups;
    records.costs = costs;
    return alcore_pool_add_records(pool, &records, NULL);
}

static alcore_status set_dense(void) {
    float numbers[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    int64_t shape[] = {4, 2};
    const int64_t rows[] = {3, 1, 0, 2};
    alcore_tensor values;
    alcore_column_options options = ALCORE_COLUMN_OPTIONS_INIT;
    options.rows = rows;
    options.row_count = 4;
    ck_assert_ok(alcore_tensor_init(&values, numbers, ALCORE_FLOAT32, shape, 2));
    return alcore_pool_set_column(pool, "e", &values, NULL, &options);
}

static alcore_status set_ragged(void) {
    float numbers[] = {1, 2, 3};
    int64_t shape[] = {3}, offset_shape[] = {5}, offsets[] = {0, 1, 1, 2, 3};
    alcore_tensor values, starts;
    ck_assert_ok(alcore_tensor_init(&values, numbers, ALCORE_FLOAT32, shape, 1));
    ck_assert_ok(alcore_tensor_init(&starts, offsets, ALCORE_INT64, offset_shape, 1));
    return alcore_pool_set_column(pool, "r", &values, &starts, NULL);
}

static alcore_status copy_rows(void) {
    const int64_t rows[] = {2, 0, 3};
    double out[6];
    alcore_status status = set_dense();
    return status == ALCORE_OK ? test_column_rows(pool, "e", rows, 3, out) : status;
}

static alcore_status filter(void) {
    alcore_filter limits = ALCORE_FILTER_INIT;
    limits.min_words = 2;
    return alcore_pool_filter(pool, &limits);
}

static alcore_status match(void) {
    static const char *texts[] = {"TWO, words", "x"};
    alcore_pool *other;
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    options.dedup = ALCORE_DEDUP_EXACT;
    alcore_status status = alcore_pool_new(ctx, &options, &other);
    if (status == ALCORE_OK) status = alcore_pool_add_texts(other, texts, NULL, 2, NULL);
    if (status == ALCORE_OK) status = alcore_pool_mark_texts(pool, ALCORE_ROW_EXCLUDED, other);
    alcore_pool_unref(other);
    return status;
}

static alcore_status write_column(void) {
    float low[] = {1, 2, 3};
    double high[] = {9};
    int64_t shape[] = {3}, one[] = {1};
    const int64_t rows[] = {3, 0, 1}, last[] = {2}, lengths[] = {1, 1, 1};
    alcore_column_writer *writer, *merged;
    alcore_tensor values;
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("sweep.alcol"));
    alcore_status status = alcore_column_writer_new(pool, "w", ALCORE_COLUMN_RAGGED, NULL, &writer);
    if (status != ALCORE_OK) return status;
    ck_assert_ok(alcore_tensor_init(&values, low, ALCORE_FLOAT32, shape, 1));
    status = alcore_column_writer_put(writer, rows, lengths, 3, &values);
    if (status == ALCORE_OK) {
        ck_assert_ok(alcore_tensor_init(&values, high, ALCORE_FLOAT64, one, 1));
        status = alcore_column_writer_put(writer, last, lengths, 1, &values);
        /* Nothing of a failed put was taken; row 2 repeats row 0 and is not waited for. */
        ck_assert_int_eq(alcore_column_writer_missing_count(writer), 0);
    }
    if (status == ALCORE_OK) status = alcore_column_writer_save(writer, path);
    if (status == ALCORE_OK) {
        status = alcore_column_writer_new(pool, "w", ALCORE_COLUMN_RAGGED, NULL, &merged);
        if (status == ALCORE_OK) status = alcore_column_writer_merge(merged, path);
        alcore_column_writer_unref(merged);
    }
    if (status == ALCORE_OK) status = alcore_column_writer_finish(writer, ALCORE_MISSING_MASK);
    alcore_column_writer_unref(writer);
    return status;
}

static alcore_status write_dense_column(void) {
    float numbers[] = {1, 2, 3, 4, 5, 6};
    int64_t shape[] = {3, 2};
    const int64_t rows[] = {3, 0, 1};
    alcore_column_writer *writer;
    alcore_tensor values;
    alcore_status status = alcore_column_writer_new(pool, "w", ALCORE_COLUMN_DENSE, NULL, &writer);
    if (status != ALCORE_OK) return status;
    ck_assert_ok(alcore_tensor_init(&values, numbers, ALCORE_FLOAT32, shape, 2));
    status = alcore_column_writer_put(writer, rows, NULL, 3, &values);
    if (status == ALCORE_OK) status = alcore_column_writer_finish(writer, ALCORE_MISSING_MASK);
    if (status == ALCORE_E_NOMEM) /* a failed finish leaves the writer as it was */
        ck_assert_int_le(alcore_column_writer_missing_count(writer), 2);
    alcore_column_writer_unref(writer);
    return status;
}

static alcore_status read_and_write_files(void) {
    char lines[512], scores[512], matrix[512];
    snprintf(lines, sizeof lines, "%s", test_file("sweep.txt", "a b\nc\n", 6));
    snprintf(scores, sizeof scores, "%s", test_file("sweep.tsv", "a\t1\nc\t2\n", 8));
    snprintf(matrix, sizeof matrix, "%s", test_path("sweep.npy"));
    const int64_t rows[] = {1, 0};
    alcore_status status = alcore_pool_read_column(pool, "s", scores, NULL);
    if (status == ALCORE_OK) status = alcore_pool_write_column(pool, "s", matrix, NULL);
    if (status == ALCORE_OK) status = alcore_pool_read_column(pool, "m", matrix, NULL);
    if (status == ALCORE_OK) status = alcore_pool_write_column(pool, "m", scores, NULL);
    if (status == ALCORE_OK)
        status = alcore_pool_write(pool, rows, 2, test_path("sweep2.tsv"), NULL);
    if (status == ALCORE_OK) status = alcore_pool_read(pool, lines, NULL);
    return status;
}

static const struct {
    const char *name;
    swept_call call;
} calls[] = {{"add_records", add_records},
             {"set_dense", set_dense},
             {"set_ragged", set_ragged},
             {"copy_rows", copy_rows},
             {"filter", filter},
             {"match", match},
             {"write_column", write_column},
             {"write_dense_column", write_dense_column},
             {"read_and_write_files", read_and_write_files}};

static void check_unchanged(void) {
    static const uint32_t states[] = {0, 0, ALCORE_ROW_DUPLICATE, ALCORE_ROW_EMPTY};
    static const char *again[] = {"one", "a new one"};
    const char *const *tags;
    int64_t first;
    ck_assert_int_eq(alcore_pool_row_count(pool), 4);
    ck_assert_mem_eq(alcore_pool_states(pool), states, sizeof states);
    ck_assert_str_eq(alcore_pool_text(pool, 1, NULL), "two words");
    ck_assert_int_eq(alcore__pool_languages(pool, &tags), 3);
    ck_assert_ok(alcore_pool_add_texts(pool, again, NULL, 2, &first));
    ck_assert_int_eq(first, 4);
    ck_assert_int_eq(alcore_pool_states(pool)[4], ALCORE_ROW_DUPLICATE);
    ck_assert_int_eq(alcore_pool_states(pool)[5], 0);
}

/* Runs one call with allocation k failing; whether it went through. */
static bool run(swept_call call, int64_t k, bool for_good, int32_t dedup) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    test_allocator_init(&allocator);
    options.allocator = &allocator.table;
    options.threads = 1;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    pool = filled_pool(dedup);
    allocator.for_good = for_good;
    allocator.calls = 0;
    allocator.fail_at = k;
    const alcore_status status = call();
    const bool reached = allocator.calls >= k;
    allocator.fail_at = 0;
    if (status != ALCORE_OK) {
        ck_assert_msg(status == ALCORE_E_NOMEM, "%s: %s", alcore_status_name(status),
                      alcore_last_error());
        ck_assert_str_ne(alcore_last_error(), "");
        check_unchanged();
    }
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(allocator.live, 0);
    return !reached;
}

START_TEST(every_allocation) {
    for (int for_good = 0; for_good < 2; for_good++) {
        for (int32_t dedup = 0; dedup < 2; dedup++) {
            int64_t k = 1;
            while (!run(calls[_i].call, k, for_good, ALCORE_DEDUP_EXACT + dedup)) k++;
            ck_assert_msg(k > 1, "%s allocates nothing", calls[_i].name);
        }
    }
}
END_TEST

/* Memory of texts that is provided ahead, by several threads, has none of the texts before. */
START_TEST(texts_of_a_large_pool) {
    enum { AT_ONCE = 1000, BATCHES = 300, BYTES = 48 };
    static char text[AT_ONCE][BYTES];
    const char *texts[AT_ONCE];
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.threads = 3;
    alcore_ctx *threads;
    alcore_pool *large;
    ck_assert_int_eq(alcore_ctx_new(&options, &threads), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_new(threads, NULL, &large), ALCORE_OK);
    for (int batch = 0; batch < BATCHES; batch++) {
        for (int i = 0; i < AT_ONCE; i++) {
            snprintf(text[i], BYTES, "a text of some words, number %d", batch * AT_ONCE + i);
            texts[i] = text[i];
        }
        ck_assert_int_eq(alcore_pool_add_texts(large, texts, NULL, AT_ONCE, NULL), ALCORE_OK);
    }
    for (int row = 0; row < BATCHES * AT_ONCE; row++) {
        snprintf(text[0], BYTES, "a text of some words, number %d", row);
        ck_assert_str_eq(alcore_pool_text(large, row, NULL), text[0]);
    }
    alcore_pool_unref(large);
    alcore_ctx_unref(threads);
}
END_TEST

START_TEST(making_a_pool) {
    test_allocator_init(&allocator);
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.allocator = &allocator.table;
    ck_assert_ok(alcore_ctx_new(&options, &ctx));
    allocator.calls = 0;
    allocator.fail_at = 1;
    pool = (alcore_pool *)&options;
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_E_NOMEM);
    ck_assert_ptr_null(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(allocator.live, 0);
}
END_TEST

static void add(TCase *tests) {
    tcase_add_loop_test(tests, every_allocation, 0, (int)COUNT(calls));
    tcase_add_test(tests, making_a_pool);
    tcase_add_test(tests, texts_of_a_large_pool);
}

TEST_FILE() {
    return test_run("pool-memory", add);
}
