/* SPDX-License-Identifier: Apache-2.0 */
/* Static models: the vectors of the folders in tests/static/fixtures, which model2vec 0.10 and
 * sentence-transformers 6.2 wrote, are those that the packages compute; on any number of threads
 * they are the same bytes; options, prompts, limits and what such a model cannot do. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "column_rows.h"

#define FOLDER(name) STATIC_FIXTURES "/" name

static alcore_ctx *ctx;

static void setup(void) {
    ck_assert_ok(alcore_ctx_new(NULL, &ctx));
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
}

/* A pool of the texts of the fixtures. */
static alcore_pool *pool_of_file(alcore_ctx *of) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE;
    ck_assert_ok(alcore_pool_new(of, &options, &pool));
    ck_assert_ok(alcore_pool_read(pool, FOLDER("texts.jsonl"), NULL));
    return pool;
}

static alcore_pool *pool_of(const char *const *texts, int64_t count) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, count, NULL));
    return pool;
}

static alcore_model *open_with(const char *folder, const alcore_model_options *options) {
    alcore_model *model;
    ck_assert_ok(alcore_model_open(ctx, folder, options, &model));
    return model;
}

enum { MOST = 4096 }; /* numbers of a matrix of embeddings here */

/* The column "embeddings" of a pool as out [rows, *dims]; NaN for rows without one. */
static void read_column(const alcore_pool *pool, int64_t *dims, double out[MOST]) {
    static int64_t rows[MOST];
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    const int64_t count = alcore_pool_row_count(pool);
    ck_assert_ok(alcore_pool_get_column_info(pool, "embeddings", &info));
    ck_assert_int_le(count * info.width, MOST);
    for (int64_t i = 0; i < count; i++) rows[i] = i;
    ck_assert_ok(test_column_rows(pool, "embeddings", rows, count, out));
    *dims = info.width;
}

static void embed(alcore_model *model, alcore_pool *pool, int64_t *dims, double out[MOST]) {
    ck_assert_ok(alcore_model_run(model, pool, "embeddings"));
    read_column(pool, dims, out);
}

/* ---- as the packages ---- */

static const char *const folders[] = {
    FOLDER("brain"),     FOLDER("bytes_int8"), FOLDER("chain"),    FOLDER("doubles"),
    FOLDER("plain"),     FOLDER("quantized"),  FOLDER("residual"), FOLDER("unigram_half"),
    FOLDER("wordpiece"), FOLDER("zero_static")};
enum { FOLDERS = (int)(sizeof folders / sizeof *folders) };

/* The values of the package of rows that are not empty: texts of white space alone are. */
static void compare(const char *folder, const double *ours, const double *theirs,
                    const alcore_pool *pool, int64_t dims) {
    const uint32_t *states = alcore_pool_states(pool);
    int64_t compared = 0;
    for (int64_t row = 0; row < alcore_pool_row_count(pool); row++) {
        if (states[row] != 0) continue;
        for (int64_t j = 0; j < dims; j++) {
            const double a = ours[row * dims + j], b = theirs[row * dims + j];
            ck_assert_msg(fabs(a - b) <= 1e-6 * (1 + fabs(b)), "%s: row %lld: %g is not %g", folder,
                          (long long)row, a, b);
        }
        compared++;
    }
    ck_assert_int_gt(compared, 200);
}

static void compare_folder(const char *folder) {
    alcore_pool *pool = pool_of_file(ctx), *expected = pool_of_file(ctx);
    alcore_model *model = open_with(folder, NULL);
    static double ours[MOST], theirs[MOST];
    char path[300];
    int64_t dims, expected_dims;
    embed(model, pool, &dims, ours);
    snprintf(path, sizeof path, "%s/expected.npy", folder);
    ck_assert_ok(alcore_pool_read_column(expected, "embeddings", path, NULL));
    read_column(expected, &expected_dims, theirs);
    ck_assert_int_eq(expected_dims, dims);
    compare(folder, ours, theirs, pool, dims);
    alcore_model_unref(model);
    alcore_pool_unref(expected);
    alcore_pool_unref(pool);
}

START_TEST(vectors_are_those_of_the_packages) {
    for (int i = 0; i < FOLDERS; i++) compare_folder(folders[i]);
}
END_TEST

/* The vectors of a folder by a context of its own. */
static void embed_on(int32_t threads, const char *folder, double out[MOST]) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *own;
    alcore_model *model;
    int64_t dims;
    options.threads = threads;
    ck_assert_ok(alcore_ctx_new(&options, &own));
    alcore_pool *pool = pool_of_file(own);
    ck_assert_ok(alcore_model_open(own, folder, NULL, &model));
    memset(out, 0, MOST * sizeof *out);
    embed(model, pool, &dims, out);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(own);
}

START_TEST(threads_change_no_byte) {
    static double one[MOST], many[MOST];
    for (int i = 0; i < FOLDERS; i++) {
        embed_on(1, folders[i], one);
        embed_on(7, folders[i], many);
        ck_assert_mem_eq(one, many, sizeof one);
    }
}
END_TEST

/* ---- options ---- */

static double length_of(const double *vector, int64_t dims) {
    double square = 0;
    for (int64_t j = 0; j < dims; j++) square += vector[j] * vector[j];
    return sqrt(square);
}

static const char *const sentences[] = {"the patient has a fever", "the weather is fine today"};

START_TEST(lengths_are_as_asked_for) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    static const struct {
        const char *folder;
        int32_t normalize;
        bool unit;
    } cases[] = {{FOLDER("wordpiece"), 0, true},
                 {FOLDER("wordpiece"), ALCORE_NORMALIZE_NONE, false},
                 {FOLDER("plain"), 0, false},
                 {FOLDER("plain"), ALCORE_NORMALIZE_UNIT, true},
                 {FOLDER("quantized"), ALCORE_NORMALIZE_UNIT, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_pool *pool = pool_of(sentences, 2);
        int64_t dims;
        options.normalize = cases[i].normalize;
        alcore_model *model = open_with(cases[i].folder, &options);
        static double vectors[MOST];
        embed(model, pool, &dims, vectors);
        const bool unit = fabs(length_of(vectors, dims) - 1) < 1e-6;
        ck_assert_msg(unit == cases[i].unit, "case %zu: %g", i, length_of(vectors, dims));
        alcore_model_unref(model);
        alcore_pool_unref(pool);
    }
}
END_TEST

/* max_length of config.json cuts by tokens, and by characters before; max_tokens lowers it; how
 * many texts were cut is told. */
START_TEST(long_texts_are_cut) {
    static const char *const texts[] = {"a b c d e f", "a b c d e",
                                        "a b c d e f g h i j k l m n o"};
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_pool *pool = pool_of(texts, 3);
    int64_t dims;
    alcore_model *model = open_with(FOLDER("doubles"), NULL);
    ck_assert_ok(alcore_model_get_info(model, &info));
    ck_assert_int_eq(info.max_tokens, 5);
    alcore_model_unref(model);
    options.max_tokens = 3;
    model = open_with(FOLDER("doubles"), &options);
    ck_assert_ok(alcore_model_get_info(model, &info));
    ck_assert_int_eq(info.max_tokens, 3);
    static double vectors[MOST];
    embed(model, pool, &dims, vectors);
    ck_assert_mem_eq(vectors, vectors + dims, (size_t)dims * sizeof *vectors);
    ck_assert_mem_eq(vectors, vectors + 2 * dims, (size_t)dims * sizeof *vectors);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
}
END_TEST

/* `chain` has a default prompt; an empty one leaves it out, and by name there is another. */
START_TEST(prompts) {
    static const char *const texts[] = {"fever", "frage: fever"};
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_pool *with = pool_of(texts, 2), *without = pool_of(texts, 2);
    int64_t dims;
    alcore_model *model = open_with(FOLDER("chain"), NULL);
    ck_assert_ok(alcore_model_get_info(model, &info));
    ck_assert_str_eq(info.prompt, "frage: ");
    static double first[MOST], second[MOST];
    embed(model, with, &dims, first);
    options.prompt_name = "document";
    alcore_model *plain = open_with(FOLDER("chain"), &options);
    embed(plain, without, &dims, second);
    ck_assert_mem_eq(first, second + dims, (size_t)dims * sizeof *first);
    ck_assert_mem_ne(first, second, (size_t)dims * sizeof *first);
    options.prompt_name = "answer";
    alcore_model *none;
    ck_assert_fails(alcore_model_open(ctx, FOLDER("chain"), &options, &none), ALCORE_E_PARAM,
                    "document, query");
    ck_assert_ptr_null(none);
    alcore_model_unref(plain);
    alcore_model_unref(model);
    alcore_pool_unref(with);
    alcore_pool_unref(without);
}
END_TEST

START_TEST(options_that_say_nothing_are_refused) {
    static const struct {
        const char *name;
        alcore_model_options options;
        alcore_status status;
    } cases[] = {
#define CASE(name, status, ...)                                                                    \
    {name,                                                                                         \
     {sizeof(alcore_model_options), .layer = -1, .stride = ALCORE_UNSET_INT, __VA_ARGS__},         \
     status}
        CASE("pooling", ALCORE_E_PARAM, .pooling = ALCORE_POOLING_MAX),
        CASE("dtype", ALCORE_E_PARAM, .dtype = ALCORE_BFLOAT16),
        CASE("batch_tokens", ALCORE_E_PARAM, .batch_tokens = 100),
        CASE("cuda:0", ALCORE_E_UNSUPPORTED, .device = "cuda:0"),
    };
    alcore_model *model;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_fails(alcore_model_open(ctx, FOLDER("plain"), &cases[i].options, &model),
                        cases[i].status, cases[i].name);
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    options.layer = 2;
    ck_assert_fails(alcore_model_open(ctx, FOLDER("plain"), &options, &model), ALCORE_E_PARAM,
                    "layer");
    options.layer = -1;
    options.stride = 3;
    ck_assert_fails(alcore_model_open(ctx, FOLDER("plain"), &options, &model), ALCORE_E_PARAM,
                    "stride");
}
END_TEST

/* ---- what it is ---- */

START_TEST(what_it_is_and_what_it_cannot_do) {
    alcore_model *model = open_with(FOLDER("quantized"), NULL);
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_pool *pool = pool_of(sentences, 2);
    ck_assert_ok(alcore_model_get_info(model, &info));
    ck_assert_str_eq(info.engine, "cpu");
    ck_assert_str_eq(info.family, "model2vec");
    ck_assert_str_eq(info.device, "cpu");
    ck_assert_int_eq(info.dims, 6);
    ck_assert_int_eq(info.max_tokens, 20);
    ck_assert_ptr_nonnull(strstr(info.json, "\"rows\":40"));
    ck_assert_int_eq(info.translates | info.scores | info.trains | info.saves, 0);
    ck_assert_int_eq(alcore_model_can(model, "embeddings"), 1);
    ck_assert_int_eq(alcore_model_can(model, "logprobs"), 0);
    ck_assert_fails(alcore_model_run(model, pool, "logprobs"), ALCORE_E_UNSUPPORTED, "logprobs");
    ck_assert_fails(alcore_model_score(model, pool), ALCORE_E_UNSUPPORTED, "scores no pairs");
    ck_assert_fails(alcore_model_set_language(model, "de"), ALCORE_E_UNSUPPORTED, "outputs");
    ck_assert_fails(alcore_model_set_dropout(model, 1, 0), ALCORE_E_UNSUPPORTED, "dropout");
    ck_assert_fails(alcore_model_save(model, "/tmp/nowhere"), ALCORE_E_UNSUPPORTED, "quantized");
    alcore_pool_unref(pool);
    alcore_model_unref(model);
}
END_TEST

/* The version tells tables, limits and normalizations apart. */
START_TEST(versions_differ) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    char seen[4][80];
    for (int i = 0; i < 4; i++) {
        options.max_tokens = i == 1 ? 7 : 0;
        options.normalize = i == 2 ? ALCORE_NORMALIZE_NONE : 0;
        alcore_model *model =
            open_with(i == 3 ? FOLDER("quantized") : FOLDER("wordpiece"), &options);
        ck_assert_ok(alcore_model_get_info(model, &info));
        snprintf(seen[i], sizeof seen[i], "%s", info.version);
        for (int k = 0; k < i; k++) ck_assert_str_ne(seen[i], seen[k]);
        alcore_model_unref(model);
    }
}
END_TEST

CHECK_SUITE_WITH("static model", setup, teardown, vectors_are_those_of_the_packages,
                 threads_change_no_byte, lengths_are_as_asked_for, long_texts_are_cut, prompts,
                 options_that_say_nothing_are_refused, what_it_is_and_what_it_cannot_do,
                 versions_differ);
