/* SPDX-License-Identifier: Apache-2.0 */
/* Models: the caller's functions, the built-in n-gram model (TV-XFIT), a folder of columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "column_functions.h"
#include "column_rows.h"
#include "lm_calls.h"
#include "model/model_internal.h"
#include "npy_file.h"
#include "test_folder.h"
#include "vectors.h"

static const char *corpus[6]; /* the texts of TV-LM */
enum { CORPUS = 6 };

static alcore_ctx *ctx;
static alcore_pool *pool;

static void setup(void) {
    ck_assert_int_eq(alcore_ctx_new(NULL, &ctx), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    vector_case known = vector_case_number(vector_find("language-model", "TV-LM"), 0);
    for (size_t i = 0; i < CORPUS; i++)
        corpus[i] = vector_text(json_array_get(vector_input(&known, "texts"), i));
}

static void teardown(void) {
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
}

static void add(const char *const *texts, int64_t count) {
    ck_assert_int_eq(alcore_pool_add_texts(pool, texts, NULL, count, NULL), ALCORE_OK);
}

/* ---- the caller's functions ---- */

typedef struct calls {
    int64_t batches, largest;
    int64_t rows[64], row_count;
    alcore_status fail;
    int destroyed;
} calls;

static alcore_status embed(void *user, const alcore_batch *batch, alcore_column_writer *out) {
    calls *seen = user;
    float values[64][2];
    seen->batches++;
    if (batch->count > seen->largest) seen->largest = batch->count;
    for (int64_t i = 0; i < batch->count; i++) {
        ck_assert_uint_eq(strlen(batch->texts[i]), batch->lengths[i]);
        seen->rows[seen->row_count++] = batch->rows[i];
        values[i][0] = (float)batch->lengths[i];
        values[i][1] = 1;
    }
    if (seen->fail == ALCORE_E_DATA)
        return alcore_error_set(ALCORE_E_DATA, "the trainer is tired", 20);
    if (seen->fail != ALCORE_OK) return seen->fail;
    alcore_tensor tensor;
    int64_t shape[2] = {batch->count, 2};
    ck_assert_int_eq(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, shape, 2), ALCORE_OK);
    return alcore_column_writer_put(out, batch->rows, NULL, batch->count, &tensor);
}

TEST_COLUMN_FUNCTIONS({"embeddings", embed});

static void destroy(void *user) {
    ((calls *)user)->destroyed++;
}

static alcore_model *host_model(calls *seen, const char *name) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    host.user = seen;
    host.destroy = destroy;
    host.name = name;
    host.batch_rows = 2;
    host.can = test_can;
    host.compute = test_compute;
    ck_assert_int_eq(alcore_model_new_host(ctx, &host, &model), ALCORE_OK);
    return model;
}

START_TEST(host_gets_unmasked_and_labeled_rows_in_order) {
    const char *texts[] = {"a", "bb", "", "bb", "ccc", "dddd"};
    int64_t excluded = 4, labeled = 5;
    calls seen = {0};
    alcore_model *model = host_model(&seen, "mine step 7");
    add(texts, 6);
    ck_assert_int_eq(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &excluded, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_mark(pool, ALCORE_ROW_LABELED, &labeled, 1), ALCORE_OK);
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_OK);
    ck_assert_int_eq(seen.row_count, 3);
    ck_assert_int_eq(seen.rows[0], 0);
    ck_assert_int_eq(seen.rows[1], 1);
    ck_assert_int_eq(seen.rows[2], 5);
    ck_assert_int_eq(seen.largest, 2);
    double values[4];
    int64_t rows[2] = {5, 1};
    ck_assert_int_eq(test_column_rows(pool, "embeddings", rows, 2, values), ALCORE_OK);
    ck_assert_double_eq(values[0], 4);
    ck_assert_double_eq(values[2], 2);
    ck_assert_str_eq(alcore__pool_find_column(pool, "embeddings")->origin, "model mine step 7");
    alcore_model_unref(model);
    ck_assert_int_eq(seen.destroyed, 1);
}
END_TEST

/* What embed_and_look() found: what calls on the pool answered while the model ran. */
static alcore_status while_running[3];

static alcore_status embed_and_look(void *user, const alcore_batch *batch,
                                    const char *const *columns, alcore_column_writer *const *outs,
                                    int64_t count) {
    calls *seen = user;
    int64_t row = 0, found;
    while_running[0] = alcore_pool_find(pool, "1", 1, &found);
    while_running[1] = alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &row, 1);
    while_running[2] = alcore_pool_drop_column(pool, "embeddings");
    /* A reader that is still there when the column is given to the pool. */
    if (seen->fail == ALCORE_E_BUSY) ck_assert_ok(alcore__read_begin(pool, "pool"));
    seen->fail = ALCORE_OK;
    return test_compute(user, batch, columns, outs, count);
}

/* The pool is read while the model runs, and others may read it, but not change it; the column is
 * given to it at the end, where a reader is in the way. */
START_TEST(the_pool_is_read_while_the_model_runs) {
    const char *texts[] = {"a"};
    calls seen = {.fail = ALCORE_E_BUSY};
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    host.user = &seen;
    host.can = test_can;
    host.compute = embed_and_look;
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
    add(texts, 1);
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_E_BUSY);
    alcore__read_end(pool);
    ck_assert_ptr_null(alcore__pool_find_column(pool, "embeddings"));
    ck_assert_ok(alcore_model_run(model, pool, "embeddings"));
    ck_assert_int_eq(while_running[0], ALCORE_OK);
    ck_assert_int_eq(while_running[1], ALCORE_E_BUSY);
    ck_assert_int_eq(while_running[2], ALCORE_E_BUSY);
    ck_assert_int_eq(alcore_pool_state_count(pool, ALCORE_ROW_EXCLUDED), 0);
    alcore_model_unref(model);
}
END_TEST

START_TEST(missing_function_is_named) {
    calls seen = {0};
    alcore_model *model = host_model(&seen, "mine");
    add(corpus, CORPUS);
    ck_assert_int_eq(alcore_model_can(model, "embeddings"), 1);
    ck_assert_int_eq(alcore_model_can(model, "logprobs"), 0);
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "mine"));
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "'logprobs'"));
    alcore_model_unref(model);
}
END_TEST

START_TEST(failures_of_the_function_come_back) {
    calls seen = {.fail = ALCORE_E_DATA};
    alcore_model *model = host_model(&seen, "mine");
    add(corpus, CORPUS);
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "the trainer is tired"));
    seen.fail = 5; /* no status of ours and no text */
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_E_CALLBACK);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "model"));
    ck_assert_ptr_null(alcore__pool_find_column(pool, "embeddings"));
    seen.fail = ALCORE_OK; /* the handles stay usable */
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_OK);
    alcore_model_unref(model);
}
END_TEST

START_TEST(bad_structs_are_refused) {
    calls seen = {0};
    alcore_model_host host = {0};
    alcore_model *model = (alcore_model *)1;
    ck_assert_int_eq(alcore_model_new_host(ctx, &host, &model), ALCORE_E_STRUCT_UNSET);
    ck_assert_ptr_null(model);
    ck_assert_int_eq(alcore_struct_begin(&host, sizeof host, "alcore_model_host"), ALCORE_OK);
    host.user = &seen;
    host.destroy = destroy;
    host.batch_rows = -1;
    ck_assert_int_eq(alcore_model_new_host(ctx, &host, &model), ALCORE_E_INVALID);
    host.batch_rows = (1 << 24) + 1;
    ck_assert_int_eq(alcore_model_new_host(ctx, &host, &model), ALCORE_E_INVALID);
    ck_assert_int_eq(seen.destroyed, 0); /* after a failure it is not called */
    host.batch_rows = 1 << 24;
    ck_assert_ok(alcore_model_new_host(ctx, &host, &model));
    alcore_model_unref(model);
    ck_assert_int_eq(seen.destroyed, 1);
    host.batch_rows = 0;
    host.batch_bytes = -1;
    ck_assert_fails(alcore_model_new_host(ctx, &host, &model), ALCORE_E_INVALID,
                    "batch_bytes is -1");
    host.batch_bytes = 0;
    host.compute = test_compute;
    ck_assert_fails(alcore_model_new_host(ctx, &host, &model), ALCORE_E_INVALID,
                    "compute needs can");
    ck_assert_int_eq(seen.destroyed, 1);
    alcore_ngram_options options = ALCORE_NGRAM_OPTIONS_INIT;
    options.order = 7;
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, &options, &model), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "order is 7"));
    ck_assert_ptr_null(model);
    options.order = 0;
    options.dims = INT64_C(1) << 32;
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, &options, &model), ALCORE_E_PARAM);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "dims is 4294967296; 1 to 4096"));
    options.dims = 0;
    options.reserved = 1;
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, &options, &model), ALCORE_E_STRUCT_NEWER);
}
END_TEST

/* ---- the n-gram model ---- */

/* log10 of a row's tokens, summed. */
static double total_log10(const alcore_pool *of, int64_t row) {
    alcore_tensor values, offsets;
    ck_assert_int_eq(alcore_pool_get_column(of, "logprobs", &values, &offsets), ALCORE_OK);
    const int64_t *at = offsets.data;
    const float *lp = values.data;
    double total = 0;
    for (int64_t t = at[row]; t < at[row + 1]; t++) total += (double)lp[t];
    return total / log(10);
}

START_TEST(cross_fitted_totals) {
    static const double expected[] = {-3.672459, -3.695212, -3.166400,
                                      -4.872823, -1.954792, -3.646766};
    alcore_model *model;
    add(corpus, CORPUS);
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, NULL, &model), ALCORE_OK);
    ck_assert_str_eq(alcore_model_name(model), "ngram");
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_OK);
    for (int64_t i = 0; i < CORPUS; i++)
        ck_assert_double_eq_tol(total_log10(pool, i), expected[i], 2e-6);
    alcore_model_unref(model);
}
END_TEST

START_TEST(a_pool_of_one_sentence) {
    const char *texts[] = {"just this"};
    alcore_model *model;
    add(texts, 1);
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, NULL, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_OK);
    ck_assert_double_eq_tol(total_log10(pool, 0), 3 * log10(0.5), 1e-6);
    alcore_model_unref(model);
}
END_TEST

START_TEST(without_a_sentence_there_is_nothing_to_learn) {
    const char *texts[] = {"a text"};
    alcore_pool *labeled;
    alcore_model *model;
    add(texts, 1);
    ck_assert_ok(alcore_pool_new(ctx, NULL, &labeled));
    ck_assert_ok(alcore_model_new_ngram(ctx, labeled, NULL, &model));
    ck_assert_fails(alcore_model_run(model, pool, "logprobs"), ALCORE_E_DATA, "no sentence");
    alcore_model_unref(model);
    alcore_pool_unref(labeled);
}
END_TEST

START_TEST(trained_on_the_labeled_side) {
    alcore_pool *labeled;
    alcore_model *model;
    alcore_lm *lm;
    double expected;
    const char *texts[] = {"fever", "the contract has severe headache today"};
    add(texts, 2);
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &labeled), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(labeled, corpus, NULL, CORPUS, NULL), ALCORE_OK);
    ck_assert_int_eq(alcore_model_new_ngram(ctx, labeled, NULL, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_OK);
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, CORPUS, NULL, &lm), ALCORE_OK);
    for (int64_t i = 0; i < 2; i++) {
        ck_assert_int_eq(lm_score_one(lm, texts[i], strlen(texts[i]), &expected), ALCORE_OK);
        ck_assert_double_eq_tol(total_log10(pool, i), expected, 2e-6);
    }
    /* The third of TV-LM's queries is "fever", which is row 0 here. */
    vector_case known = vector_case_named(vector_find("language-model", "TV-LM"), "order 4");
    ck_assert_str_eq(vector_text(vector_input(&known, "queries/2")), texts[0]);
    ck_assert_double_eq_tol(total_log10(pool, 0),
                            vector_double(vector_expected(&known, "totals/2")), 2e-6);
    alcore_lm_unref(lm);
    alcore_model_unref(model);
    alcore_pool_unref(labeled);
}
END_TEST

START_TEST(embeddings_are_unit_vectors_and_ready_for_masked_rows) {
    alcore_model *model;
    alcore_ngram_options options = ALCORE_NGRAM_OPTIONS_INIT;
    double values[2 * 32];
    int64_t rows[2] = {0, 4};
    options.dims = 32;
    add(corpus, CORPUS);
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, &options, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_OK);
    ck_assert_int_eq(test_column_rows(pool, "embeddings", rows, 2, values), ALCORE_OK);
    for (int i = 0; i < 2; i++) {
        double norm = 0;
        for (int j = 0; j < 32; j++) norm += values[32 * i + j] * values[32 * i + j];
        ck_assert_double_eq_tol(norm, 1, 1e-6);
    }
    ck_assert_double_ne(values[0], values[32]);
    alcore_model_unref(model);
}
END_TEST

/* The column of a small pool is an array of its rows; that of a pool whose vectors would take more
 * than 256 MiB makes them when they are read. A block may begin before the last row that has one.
 */
START_TEST(rows_that_are_added_later_have_no_vector) {
    enum { WIDE = 4096, LARGE = 256 * 1024 * 1024 / 4 / WIDE + 1 };
    static double values[3 * WIDE];
    for (int large = 0; large < 2; large++) {
        alcore_ngram_options options = ALCORE_NGRAM_OPTIONS_INIT;
        alcore_model *model;
        while (large && alcore_pool_row_count(pool) < LARGE) add(corpus, CORPUS);
        if (!large) add(corpus, CORPUS);
        const int64_t end = alcore_pool_row_count(pool);
        const int64_t rows[] = {0, end - 1, end, end + CORPUS - 1};
        options.dims = large ? WIDE : 3;
        ck_assert_ok(alcore_model_new_ngram(ctx, NULL, &options, &model));
        ck_assert_ok(alcore_model_run(model, pool, "embeddings"));
        add(corpus, CORPUS);
        ck_assert_ok(test_column_rows(pool, "embeddings", rows + 1, 3, values));
        ck_assert(!isnan(values[0]) && !isnan(values[options.dims - 1]));
        for (int64_t i = options.dims; i < 3 * options.dims; i++) ck_assert_double_nan(values[i]);
        ck_assert_ok(test_column_rows(pool, "embeddings", rows, 1, values));
        ck_assert(!isnan(values[0]));
        alcore_model_unref(model);
    }
}
END_TEST

/* 256 components, projected by the seed. */
START_TEST(defaults_of_the_ngram_model) {
    alcore_ngram_options options = ALCORE_NGRAM_OPTIONS_INIT;
    alcore_model *models[3];
    double values[3][256];
    const int64_t row = 0;
    add(corpus, CORPUS);
    ck_assert_ok(alcore_model_new_ngram(ctx, NULL, NULL, &models[0]));
    options.dims = 256;
    ck_assert_ok(alcore_model_new_ngram(ctx, NULL, &options, &models[1]));
    options.seed = 1;
    ck_assert_ok(alcore_model_new_ngram(ctx, NULL, &options, &models[2]));
    for (int i = 0; i < 3; i++) {
        ck_assert_ok(alcore_model_run(models[i], pool, "embeddings"));
        ck_assert_ok(test_column_rows(pool, "embeddings", &row, 1, values[i]));
        alcore_model_unref(models[i]);
    }
    ck_assert_mem_eq(values[0], values[1], sizeof values[0]);
    ck_assert_mem_ne(values[0], values[2], sizeof values[0]);
}
END_TEST

START_TEST(columns_made_by_the_model_are_used_again) {
    alcore_model *model, *other;
    alcore_ngram_options options = ALCORE_NGRAM_OPTIONS_INIT;
    bool stands;
    int64_t row = 0;
    options.order = 2;
    add(corpus, CORPUS);
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, NULL, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_model_new_ngram(ctx, NULL, &options, &other), ALCORE_OK);
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_OK);
    ck_assert_int_eq(alcore__model_column_stands(model, pool, "logprobs", NULL, &stands),
                     ALCORE_OK);
    ck_assert(stands);
    ck_assert_int_eq(alcore__model_column_stands(other, pool, "logprobs", NULL, &stands),
                     ALCORE_OK);
    ck_assert(!stands); /* of another order */
    ck_assert_int_eq(alcore_pool_mark(pool, ALCORE_ROW_EXCLUDED, &row, 1), ALCORE_OK);
    ck_assert_int_eq(alcore__model_column_stands(model, pool, "logprobs", NULL, &stands),
                     ALCORE_OK);
    ck_assert(!stands); /* trained on a row that is masked now */
    alcore_model_unref(model);
    alcore_model_unref(other);
}
END_TEST

START_TEST(a_model_without_a_name_is_asked_again) {
    calls seen = {0};
    bool stands;
    alcore_model *named = host_model(&seen, "a"), *nameless = host_model(&seen, NULL);
    add(corpus, CORPUS);
    ck_assert_int_eq(alcore_model_run(nameless, pool, "embeddings"), ALCORE_OK);
    ck_assert_int_eq(alcore__model_column_stands(nameless, pool, "embeddings", NULL, &stands),
                     ALCORE_OK);
    ck_assert(!stands);
    ck_assert_int_eq(alcore_model_run(named, pool, "embeddings"), ALCORE_OK);
    ck_assert_int_eq(alcore__model_column_stands(named, pool, "embeddings", NULL, &stands),
                     ALCORE_OK);
    ck_assert(stands);
    const char *more[] = {"a later row"};
    add(more, 1);
    ck_assert_int_eq(alcore__model_column_stands(named, pool, "embeddings", NULL, &stands),
                     ALCORE_OK);
    ck_assert(!stands);
    alcore_model_unref(named);
    alcore_model_unref(nameless);
}
END_TEST

/* ---- folders ---- */

static char folder[TEST_PATH_BYTES];

static void write_array(const char *name, int32_t dtype, int32_t ndim, const int64_t *shape,
                        const void *data) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(npy_file_write(ctx, path, dtype, ndim, shape, data), ALCORE_OK);
}

START_TEST(a_folder_of_columns) {
    const float embeddings[CORPUS][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 2}, {2, 2}};
    const int64_t shape[2] = {CORPUS, 2};
    alcore_model *model;
    int64_t row = 3;
    double values[2];
    add(corpus, CORPUS);
    test_folder_make(folder, "model");
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_E_IO);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "embeddings.npy"));
    write_array("embeddings.npy", ALCORE_FLOAT32, 2, shape, embeddings);
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    ck_assert_int_eq(alcore_model_can(model, "embeddings"), 1);
    ck_assert_int_eq(alcore_model_can(model, "logprobs"), 0);
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_OK);
    ck_assert_int_eq(test_column_rows(pool, "embeddings", &row, 1, values), ALCORE_OK);
    ck_assert_double_eq(values[0], 2);
    alcore_model_unref(model);
    const float tokens[] = {-1, -2};
    const int64_t two = 2;
    write_array("logprobs.npy", ALCORE_FLOAT32, 1, &two, tokens);
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_E_DATA);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "logprobs.offsets.npy"));
    test_folder_remove(folder);
}
END_TEST

/* Both forms of a folder: the tensors of one file, a ragged one with its offsets. */
START_TEST(a_folder_with_one_file_of_tensors) {
    static const char header[] =
        "{\"embeddings\":{\"dtype\":\"F32\",\"shape\":[2,2],\"data_offsets\":[0,16]},"
        "\"logprobs\":{\"dtype\":\"F32\",\"shape\":[3],\"data_offsets\":[16,28]},"
        "\"logprobs.offsets\":{\"dtype\":\"I64\",\"shape\":[3],\"data_offsets\":[28,52]}}";
    static const char *const texts[] = {"a", "b"};
    const uint64_t length = sizeof header - 1;
    const float values[] = {1, 2, 3, 4, -1, -2, -3};
    const int64_t offsets[] = {0, 1, 3}, row = 1;
    char path[TEST_PATH_BYTES + 32];
    double read[2];
    int64_t two = 2, bounds[2];
    alcore_tensor found;
    alcore_model *model;
    add(texts, 2);
    test_folder_make(folder, "model");
    snprintf(path, sizeof path, "%s/columns.safetensors", folder);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    fwrite(&length, sizeof length, 1, file);
    fwrite(header, 1, sizeof header - 1, file);
    fwrite(values, sizeof values, 1, file);
    fwrite(offsets, sizeof offsets, 1, file);
    fclose(file);
    ck_assert_ok(alcore_model_open(ctx, folder, NULL, &model));
    ck_assert_str_eq(alcore_model_name(model), folder);
    ck_assert(alcore_model_can(model, "logprobs") == 1 && alcore_model_can(model, "probs") == 0);
    ck_assert_ok(alcore_model_run(model, pool, "embeddings"));
    ck_assert_ok(test_column_rows(pool, "embeddings", &row, 1, read));
    ck_assert(read[0] == 3 && read[1] == 4);
    ck_assert_ok(alcore_model_run(model, pool, "logprobs"));
    ck_assert_ok(alcore_tensor_init(&found, read, ALCORE_FLOAT64, &two, 1));
    ck_assert_ok(alcore_pool_get_column_tokens(pool, "logprobs", &row, 1, bounds, &found));
    ck_assert(bounds[1] == 2 && read[0] == -2 && read[1] == -3);
    alcore_model_unref(model);
    test_folder_remove(folder);
}
END_TEST

static uint64_t updates;

static uint64_t ask_updates(void *user) {
    (void)user;
    return updates;
}

/* A named model whose functions changed between two rounds: its columns are computed again. */
START_TEST(a_version_tells_that_a_model_changed) {
    calls seen = {0};
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    alcore_model *model;
    const char *need = "embeddings";
    char name[1][ALCORE__NEED_BYTES];
    int32_t from;
    add(corpus, CORPUS);
    host.user = &seen;
    host.name = "trained";
    host.can = test_can;
    host.compute = test_compute;
    host.version = ask_updates;
    updates = 1;
    ck_assert_int_eq(alcore_model_new_host(ctx, &host, &model), ALCORE_OK);
    for (int round = 0; round < 4; round++) {
        updates = round < 2 ? 1 : UINT64_MAX;
        ck_assert_int_eq(alcore__model_supply(&model, 1, pool, NULL, &need, 1, name, &from),
                         ALCORE_OK);
        ck_assert_int_eq(seen.batches, round < 2 ? 1 : 2);
    }
    ck_assert_ptr_nonnull(strstr(alcore__pool_find_column(pool, "embeddings")->origin,
                                 "version 1844674407370955161"));
    alcore_model_unref(model);
}
END_TEST

/* A language model of other texts scores the pool as alcore_lm_token_logprobs() does. */
START_TEST(a_language_model_becomes_a_model) {
    alcore_lm *lm;
    alcore_model *model = (alcore_model *)&model;
    alcore_tensor values, offsets;
    float own[16];
    int64_t count;
    add(corpus, CORPUS);
    ck_assert_int_eq(alcore_lm_new_trained(ctx, corpus, NULL, 3, NULL, &lm), ALCORE_OK);
    ck_assert_int_eq(alcore_model_new_lm(ctx, NULL, &model), ALCORE_E_INVALID);
    ck_assert_ptr_null(model);
    ck_assert_int_eq(alcore_model_new_lm(ctx, lm, &model), ALCORE_OK);
    alcore_lm_unref(lm); /* the model keeps it */
    ck_assert_str_eq(alcore_model_name(model), "lm");
    ck_assert_int_eq(alcore_model_can(model, "embeddings"), 0);
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_get_column(pool, "logprobs", &values, &offsets), ALCORE_OK);
    const int64_t *start = offsets.data;
    for (int64_t i = 0; i < CORPUS; i++) {
        ck_assert_int_eq(lm_tokens_one(lm, corpus[i], strlen(corpus[i]), own, 16, &count),
                         ALCORE_OK);
        ck_assert_int_eq(start[i + 1] - start[i], count);
        ck_assert_mem_eq((const float *)values.data + start[i], own, (size_t)count * sizeof *own);
    }
    alcore_model_unref(model);
}
END_TEST

/* Settings of a computation that a folder of ready columns would ignore, and values that no model
 * allows. */
START_TEST(options_of_a_folder_are_checked) {
    const float embeddings[CORPUS][2] = {{1, 0}, {0, 1}, {1, 1}, {2, 0}, {0, 2}, {2, 2}};
    const int64_t shape[2] = {CORPUS, 2};
    static const struct {
        const char *names; /* in the message */
        alcore_model_options options;
    } refused[] = {
        {"dtype is 104",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .dtype = ALCORE_FLOAT64}},
        {"pooling is 6",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .pooling = 6}},
        {"normalize is -1",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .normalize = -1}},
        {"layer is -2",
         {.size = sizeof(alcore_model_options), .stride = ALCORE_UNSET_INT, .layer = -2}},
        {"max_tokens",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .max_tokens = -1}},
        {"batch_tokens",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .batch_tokens = -1}},
        {"stride is -2", {.size = sizeof(alcore_model_options), .layer = -1, .stride = -2}},
        {"no device",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .device = "cuda"}},
        {"no dtype",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .dtype = ALCORE_FLOAT32}},
        {"no pooling",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .pooling = ALCORE_POOLING_MEAN}},
        {"no layer",
         {.size = sizeof(alcore_model_options), .stride = ALCORE_UNSET_INT, .layer = 7}},
        {"no normalize",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .normalize = ALCORE_NORMALIZE_UNIT}},
        {"no max_tokens",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .max_tokens = 128}},
        {"no batch_tokens",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .batch_tokens = 4096}},
        {"no stride", {.size = sizeof(alcore_model_options), .layer = -1, .stride = 64}},
        {"no prompt",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .prompt = ""}},
        {"no prompt_name",
         {.size = sizeof(alcore_model_options),
          .layer = -1,
          .stride = ALCORE_UNSET_INT,
          .prompt_name = "query"}},
    };
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT, unset = {0};
    alcore_model *model;
    test_folder_make(folder, "model");
    write_array("embeddings.npy", ALCORE_FLOAT32, 2, shape, embeddings);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        model = (alcore_model *)&model;
        ck_assert_int_eq(alcore_model_open(ctx, folder, &refused[i].options, &model),
                         ALCORE_E_PARAM);
        ck_assert_ptr_null(model);
        ck_assert_msg(strstr(alcore_last_error(), refused[i].names), "%s", alcore_last_error());
    }
    ck_assert_int_eq(alcore_model_open(ctx, folder, &unset, &model), ALCORE_E_STRUCT_UNSET);
    options.device = "auto";
    ck_assert_int_eq(alcore_model_open(ctx, folder, &options, &model), ALCORE_OK);
    alcore_model_unref(model);
    ck_assert_int_eq(alcore_model_open(NULL, folder, NULL, &model), ALCORE_E_INVALID);
    test_folder_remove(folder);
}
END_TEST

START_TEST(a_hugging_face_folder_says_so) {
    alcore_model *model;
    char path[128];
    test_folder_make(folder, "model");
    snprintf(path, sizeof path, "%s/config.json", folder);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("{}", file);
    fclose(file);
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "config.json"));
    test_folder_remove(folder);
}
END_TEST

CHECK_SUITE_WITH("model", setup, teardown, host_gets_unmasked_and_labeled_rows_in_order,
                 the_pool_is_read_while_the_model_runs, missing_function_is_named,
                 failures_of_the_function_come_back, bad_structs_are_refused, cross_fitted_totals,
                 a_pool_of_one_sentence, without_a_sentence_there_is_nothing_to_learn,
                 trained_on_the_labeled_side, embeddings_are_unit_vectors_and_ready_for_masked_rows,
                 rows_that_are_added_later_have_no_vector, defaults_of_the_ngram_model,
                 columns_made_by_the_model_are_used_again, a_model_without_a_name_is_asked_again,
                 a_folder_with_one_file_of_tensors, a_folder_of_columns,
                 a_version_tells_that_a_model_changed, a_language_model_becomes_a_model,
                 options_of_a_folder_are_checked, a_hugging_face_folder_says_so);
