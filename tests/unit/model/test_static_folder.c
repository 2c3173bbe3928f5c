/* SPDX-License-Identifier: Apache-2.0 */
/* Folders of static models that are made here byte by byte: tables of known numbers, tables and
 * settings that are refused by name, files that are cut, tables read through a host's file table,
 * and failing allocations. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alcore/extra.h"
#include "check_status.h"
#include "check_suite.h"
#include "fault_allocator.h"
#include "test_folder.h"

static char folder[TEST_PATH_BYTES];
static fault_allocator counted;
static alcore_ctx *ctx;

static alcore_ctx *context(void) {
    static alcore_allocator allocator;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *made;
    allocator = fault_table(&counted);
    options.allocator = &allocator;
    options.threads = 1;
    ck_assert_ok(alcore_ctx_new(&options, &made));
    return made;
}

/* ---- files ---- */

static void write_bytes(const char *name, const void *data, size_t bytes) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(data, 1, bytes, file), bytes);
    fclose(file);
}

static void write_text(const char *name, const char *text) {
    write_bytes(name, text, strlen(text));
}

static void make_folder(const char *name) {
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0700), 0);
}

/* A .safetensors of a header, filled with spaces to a multiple of 8 and `more` bytes, and data. */
static void write_tensors(const char *name, const char *header, size_t more, const void *data,
                          size_t bytes) {
    char file[4096] = {0};
    const size_t length = (strlen(header) + 7) / 8 * 8 + more;
    ck_assert_uint_lt(8 + length + bytes, sizeof file);
    file[0] = (char)(length & 0xFF);
    file[1] = (char)(length >> 8);
    memset(file + 8, ' ', length);
    memcpy(file + 8, header, strlen(header));
    memcpy(file + 8 + length, data, bytes);
    write_bytes(name, file, 8 + length + bytes);
}

/* Four words, of which <unk> is the unknown one. */
#define TOKENIZER(more)                                                                            \
    "{" more "\"pre_tokenizer\": {\"type\": \"WhitespaceSplit\"}, \"model\": {\"type\": "          \
    "\"WordLevel\", \"unk_token\": \"<unk>\", \"vocab\": {\"<unk>\": 0, \"a\": 1, \"bb\": 2, "     \
    "\"ccc\": 3}}}"

static const float rows[4][2] = {{100, 100}, {1, 0}, {0, 2}, {3, 4}};

/* The table as model2vec names it. */
#define EMBEDDINGS                                                                                 \
    "{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [4, 2], \"data_offsets\": [0, 32]}}"

static void write_model2vec(const char *config) {
    write_tensors("model.safetensors", EMBEDDINGS, 0, rows, sizeof rows);
    write_text("tokenizer.json", TOKENIZER(""));
    write_text("config.json", config);
}

#define STATIC_ENTRY                                                                               \
    "{\"idx\": 0, \"name\": \"0\", \"path\": \"\", \"type\": \"sentence_transformers.models."      \
    "StaticEmbedding\"}"
#define ENTRY(path, type)                                                                          \
    ", {\"idx\": 1, \"name\": \"1\", \"path\": \"" path "\", \"type\": \"sentence_transformers."   \
    "models." type "\"}"

static void write_sentence(const char *modules) {
    write_tensors("model.safetensors",
                  "{\"embedding.weight\": {\"dtype\": \"F32\", \"shape\": [4, 2], "
                  "\"data_offsets\": [0, 32]}}",
                  0, rows, sizeof rows);
    write_text("tokenizer.json", TOKENIZER(""));
    write_text("modules.json", modules);
}

/* Empties the folder. */
static void clear(void) {
    test_folder_remove(folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
}

static void setup(void) {
    test_folder_make(folder, "static");
    ctx = context();
}

static void teardown(void) {
    alcore_ctx_unref(ctx);
    test_folder_remove(folder);
    ck_assert_int_eq(atomic_load(&counted.live_bytes), 0);
}

/* ---- vectors ---- */

static alcore_pool *pool_of(const char *const *texts, int64_t count) {
    alcore_pool_options options = ALCORE_POOL_OPTIONS_INIT;
    alcore_pool *pool;
    options.dedup = ALCORE_DEDUP_NONE;
    ck_assert_ok(alcore_pool_new(ctx, &options, &pool));
    ck_assert_ok(alcore_pool_add_texts(pool, texts, NULL, count, NULL));
    return pool;
}

/* The folder opens, and a text has this vector. */
static void assert_vector(const char *text, double x, double y) {
    alcore_pool *pool = pool_of(&text, 1);
    alcore_model *model;
    alcore_tensor values;
    ck_assert_ok(alcore_model_open(ctx, folder, NULL, &model));
    ck_assert_ok(alcore_model_run(model, pool, "embeddings"));
    ck_assert_ok(alcore_pool_get_column(pool, "embeddings", &values, NULL));
    const float *vector = values.data;
    ck_assert_int_eq(values.shape[1], 2);
    ck_assert_msg(fabs(vector[0] - x) < 1e-6 && fabs(vector[1] - y) < 1e-6, "\"%s\": %g %g", text,
                  vector[0], vector[1]);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
}

START_TEST(means_of_rows) {
    write_model2vec("{\"model_type\": \"model2vec\"}");
    assert_vector("a ccc ccc", 7.0 / 3, 8.0 / 3);
    assert_vector("a nothing", 1, 0); /* unknown words are left out */
    assert_vector("nothing here", 0, 0);
    write_model2vec("{\"normalize\": true, \"apply_zipf\": true, \"hidden_dim\": 2}");
    assert_vector("ccc", 0.6, 0.8);
    assert_vector("nothing", 0, 0);
    /* A Normalize of modules.json stays, whatever the config.json of the table says. */
    write_model2vec("{\"normalize\": false}");
    write_text("modules.json", "[" STATIC_ENTRY ENTRY("1_Normalize", "Normalize") "]");
    assert_vector("ccc", 0.6, 0.8);
    clear();
    write_sentence("[" STATIC_ENTRY "]");
    assert_vector("a nothing", 50.5, 50); /* here they count */
}
END_TEST

START_TEST(weights_and_mapping) {
    static const struct {
        float table[2][2];
        float weights[4];
        int32_t mapping[4];
    } data = {{{1, 2}, {3, 4}}, {1, 10, 0.5f, 1}, {0, 1, 1, 0}};
    write_model2vec("{\"normalize\": false}");
    write_tensors("model.safetensors",
                  "{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [2, 2], \"data_offsets\": [0, "
                  "16]}, \"weights\": {\"dtype\": \"F32\", \"shape\": [4], \"data_offsets\": [16, "
                  "32]}, \"mapping\": {\"dtype\": \"I32\", \"shape\": [4], \"data_offsets\": [32, "
                  "48]}}",
                  0, &data, sizeof data);
    assert_vector("a ccc", (30 + 1) / 2.0, (40 + 2) / 2.0);
    assert_vector("bb", 1.5, 2);
}
END_TEST

/* 2 tokens, and 2 times the median of 1, 2, 3 and 5 characters, which is 2. */
START_TEST(limits) {
    write_model2vec("{\"max_length\": 2}");
    assert_vector("a a ccc", 1, 0);
    assert_vector("a   ccc", 1, 0);
    write_model2vec("{\"max_length\": null}");
    assert_vector("a   ccc", 2, 2);
    clear();
    write_sentence("[" STATIC_ENTRY "]");
    write_text("tokenizer.json", TOKENIZER("\"truncation\": {\"direction\": \"Right\", "
                                           "\"max_length\": 1, \"strategy\": \"LongestFirst\", "
                                           "\"stride\": 0}, "));
    assert_vector("bb ccc", 0, 2);
}
END_TEST

/* ---- what is refused ---- */

static void assert_refused(alcore_status status, const char *part) {
    alcore_model *model;
    ck_assert_fails(alcore_model_open(ctx, folder, NULL, &model), status, part);
    ck_assert_ptr_null(model);
}

START_TEST(tables_that_do_not_fit) {
    static const struct {
        const char *header, *part;
        size_t more;
    } cases[] = {
        {"{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [8], \"data_offsets\": [0, 32]}}",
         "has not two dimensions", 0},
        {"{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [2, 4], \"data_offsets\": [0, 32]}}",
         "vectors for 2 tokens only", 0},
        {"{\"embeddings\": {\"dtype\": \"I64\", \"shape\": [4, 1], \"data_offsets\": [0, 32]}}",
         "no static model has", 0},
        {"{\"embeddings\": {\"dtype\": \"F8_E4M3\", \"shape\": [4, 8], \"data_offsets\": [0, 32]}}",
         "F8_E4M3", 0},
        {"{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [4, 0], \"data_offsets\": [0, 0]}, "
         "\"x\": {\"dtype\": \"F32\", \"shape\": [8], \"data_offsets\": [0, 32]}}",
         "is empty", 0},
        {EMBEDDINGS, "is not aligned", 1},
        {"{\"vectors\": {\"dtype\": \"F32\", \"shape\": [4, 2], \"data_offsets\": [0, 32]}}",
         "embedding.weight", 0},
        {"{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [3, 2], \"data_offsets\": [0, 24]}, "
         "\"mapping\": {\"dtype\": \"I32\", \"shape\": [2], \"data_offsets\": [24, 32]}}",
         "\"mapping\" has the row", 0},
        {"{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [3, 2], \"data_offsets\": [0, 24]}, "
         "\"mapping\": {\"dtype\": \"F32\", \"shape\": [1, 2], \"data_offsets\": [24, 32]}}",
         "has not one dimension", 0},
        {"{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [3, 2], \"data_offsets\": [0, 24]}, "
         "\"weights\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [24, 32]}}",
         "vectors for 2 tokens only", 0},
    };
    write_model2vec("{\"model_type\": \"model2vec\"}");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_tensors("model.safetensors", cases[i].header, cases[i].more, rows, sizeof rows);
        assert_refused(ALCORE_E_DATA, cases[i].part);
    }
}
END_TEST

START_TEST(numbers_that_are_none) {
    float table[4][2];
    const char *text = "a bb";
    memcpy(table, rows, sizeof table);
    table[2][1] = (float)NAN;
    write_model2vec("{}");
    write_tensors("model.safetensors", EMBEDDINGS, 0, table, sizeof table);
    assert_vector("a ccc", 2, 2);
    alcore_model *model;
    alcore_pool *pool = pool_of(&text, 1);
    ck_assert_ok(alcore_model_open(ctx, folder, NULL, &model));
    ck_assert_fails(alcore_model_run(model, pool, "embeddings"), ALCORE_E_DATA, "is not finite");
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    write_tensors("model.safetensors",
                  "{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [2, 2], \"data_offsets\": [0, "
                  "16]}, \"weights\": {\"dtype\": \"F32\", \"shape\": [4], \"data_offsets\": [16, "
                  "32]}}",
                  0, table, sizeof table);
    assert_refused(ALCORE_E_DATA, "\"weights\" has a NaN");
}
END_TEST

START_TEST(settings_that_are_refused) {
    static const struct {
        const char *config, *part;
        alcore_status status;
    } cases[] = {
        {"{\"model_type\": \"model2vec\", \"max_length\": 0}", "max_length", ALCORE_E_DATA},
        {"{\"model_type\": \"model2vec\", \"max_length\": \"long\"}", "max_length", ALCORE_E_DATA},
        {"{\"model_type\": \"model2vec\", \"normalize\": 1}", "normalize", ALCORE_E_DATA},
        {"{\"model_type\": \"model2vec\", \"auto_map\": {}}", "auto_map", ALCORE_E_UNSUPPORTED},
        {"{\"model_type\": \"model2vec\", \"normalize\": true, \"normalize\": false}", "twice",
         ALCORE_E_DATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_model2vec(cases[i].config);
        assert_refused(cases[i].status, cases[i].part);
    }
    write_model2vec("{\"model_type\": \"model2vec\"}");
    write_text("tokenizer.json", "{\"model\": {\"type\": \"Other\", \"vocab\": {}}}");
    assert_refused(ALCORE_E_UNSUPPORTED, "Other");
    char path[300];
    snprintf(path, sizeof path, "%s/tokenizer.json", folder);
    ck_assert_int_eq(remove(path), 0);
    assert_refused(ALCORE_E_IO, "tokenizer.json");
}
END_TEST

START_TEST(modules_that_are_refused) {
    static const struct {
        const char *modules, *part;
        alcore_status status;
    } cases[] = {
        {"[" STATIC_ENTRY ENTRY("1_Pooling", "Pooling") "]", "only Dense and Normalize",
         ALCORE_E_UNSUPPORTED},
        {"[" STATIC_ENTRY ENTRY("1_CNN", "CNN") "]", "models.CNN", ALCORE_E_UNSUPPORTED},
        {"[" STATIC_ENTRY ENTRY("../other", "Normalize") "]", "leads out", ALCORE_E_DATA},
        {"[" STATIC_ENTRY ENTRY("1_Dense", "Dense") "]", "1_Dense", ALCORE_E_DATA},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_sentence(cases[i].modules);
        assert_refused(cases[i].status, cases[i].part);
    }
    write_text("tokenizer.json",
               TOKENIZER("\"truncation\": {\"direction\": \"Left\", \"max_length\": 1}, "));
    write_text("modules.json", "[" STATIC_ENTRY "]");
    assert_refused(ALCORE_E_UNSUPPORTED, "truncation");
}
END_TEST

/* A Dense of three numbers in and one out, behind a table of two. */
START_TEST(dense_layers) {
    static const float layer[3] = {2, 1, 0.5f};
#define LAYER                                                                                      \
    "{\"linear.weight\": {\"dtype\": \"F32\", \"shape\": [1, 2], \"data_offsets\": [0, 8]}, "      \
    "\"linear.bias\": {\"dtype\": \"F32\", \"shape\": [1], \"data_offsets\": [8, 12]}}"
#define RELU "\"activation_function\": \"torch.nn.modules.activation.ReLU\""
    static const struct {
        const char *config, *part; /* part NULL: it opens */
        alcore_status status;
    } cases[] = {
        {"{\"in_features\": 2, \"out_features\": 1, " RELU "}", NULL, ALCORE_OK},
        {"{\"in_features\": 3, \"out_features\": 1, " RELU "}", "linear.weight", ALCORE_E_DATA},
        {"{\"in_features\": 2, \"out_features\": 2, " RELU "}", "linear.weight", ALCORE_E_DATA},
        {"{\"out_features\": 1, " RELU "}", "in_features", ALCORE_E_DATA},
        {"{\"in_features\": 2, \"out_features\": 1, \"use_residual\": true}", "residual.weight",
         ALCORE_E_DATA},
        {"{\"in_features\": 2, \"out_features\": 1, \"activation_function\": "
         "\"torch.nn.modules.activation.Mish\"}",
         "Mish", ALCORE_E_UNSUPPORTED},
        {"{\"in_features\": 2, \"out_features\": 1, \"module_input_name\": \"tokens\"}",
         "module_input_name", ALCORE_E_UNSUPPORTED},
        {"{\"in_features\": 2, \"out_features\": 1, \"rank\": 3}", "rank", ALCORE_E_UNSUPPORTED},
    };
    write_sentence("[" STATIC_ENTRY ENTRY("1_Dense", "Dense") "]");
    make_folder("1_Dense");
    write_tensors("1_Dense/model.safetensors", LAYER, 0, layer, sizeof layer);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_model *model;
        write_text("1_Dense/config.json", cases[i].config);
        if (cases[i].part) {
            assert_refused(cases[i].status, cases[i].part);
            continue;
        }
        ck_assert_ok(alcore_model_open(ctx, folder, NULL, &model));
        alcore_model_unref(model);
    }
}
END_TEST

/* ---- files ---- */

/* Every prefix of the table is refused, and none is read beyond its end. */
START_TEST(cut_tables) {
    char path[300];
    struct stat about;
    write_model2vec("{\"model_type\": \"model2vec\"}");
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    ck_assert_int_eq(stat(path, &about), 0);
    for (off_t length = about.st_size - 1; length >= 0; length--) {
        alcore_model *model;
        ck_assert_int_eq(truncate(path, length), 0);
        ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_E_DATA);
    }
}
END_TEST

/* A table that is cut once it is open is an error of the next call. */
START_TEST(tables_that_are_cut_later) {
    const char *text = "a";
    char path[300];
    alcore_model *model;
    alcore_pool *pool = pool_of(&text, 1);
    write_model2vec("{\"model_type\": \"model2vec\"}");
    ck_assert_ok(alcore_model_open(ctx, folder, NULL, &model));
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    ck_assert_int_eq(truncate(path, 40), 0);
    ck_assert_fails(alcore_model_run(model, pool, "embeddings"), ALCORE_E_DATA, "was cut to 40");
    alcore_model_unref(model);
    alcore_pool_unref(pool);
}
END_TEST

static void embed_once(alcore_pool *pool, alcore_status *status) {
    alcore_model *model;
    *status = alcore_model_open(ctx, folder, NULL, &model);
    if (*status == ALCORE_OK) *status = alcore_model_run(model, pool, "embeddings");
    alcore_model_unref(model);
}

START_TEST(failing_allocations) {
    static const float layer[3] = {2, 1, 0.5f};
    const char *text = "a ccc";
    write_sentence("[" STATIC_ENTRY ENTRY("1_Dense", "Dense")
                       ENTRY("2_Normalize", "Normalize") "]");
    write_text("config_sentence_transformers.json",
               "{\"prompts\": {\"q\": \"bb \"}, \"default_prompt_name\": \"q\"}");
    make_folder("1_Dense");
    write_tensors("1_Dense/model.safetensors", LAYER, 0, layer, sizeof layer);
    write_text("1_Dense/config.json", "{\"in_features\": 2, \"out_features\": 1}");
    alcore_pool *pool = pool_of(&text, 1);
    alcore_status status = ALCORE_E_NOMEM;
    long long call = 1;
    for (; status == ALCORE_E_NOMEM; call++) {
        fault_arm(&counted, call, 0);
        embed_once(pool, &status);
    }
    fault_arm(&counted, 0, 0);
    ck_assert_msg(status == ALCORE_OK, "call %lld: %s", call, alcore_last_error());
    ck_assert_int_gt(call, 50);
    alcore_pool_unref(pool);
}
END_TEST

START_TEST(failing_allocations_of_model2vec) {
    static const struct {
        float table[2][2];
        float weights[4];
        int32_t mapping[4];
    } data = {{{1, 2}, {3, 4}}, {1, 10, 0.5f, 1}, {0, 1, 1, 0}};
    const char *text = "a ccc nothing";
    write_model2vec("{\"model_type\": \"model2vec\", \"max_length\": 3, \"surprise\": 1}");
    write_tensors("model.safetensors",
                  "{\"embeddings\": {\"dtype\": \"F32\", \"shape\": [2, 2], \"data_offsets\": [0, "
                  "16]}, \"weights\": {\"dtype\": \"F32\", \"shape\": [4], \"data_offsets\": [16, "
                  "32]}, \"mapping\": {\"dtype\": \"I32\", \"shape\": [4], \"data_offsets\": [32, "
                  "48]}}",
                  0, &data, sizeof data);
    alcore_pool *pool = pool_of(&text, 1);
    alcore_status status = ALCORE_E_NOMEM;
    for (long long call = 1; status == ALCORE_E_NOMEM; call++) {
        fault_arm(&counted, call, 0);
        embed_once(pool, &status);
    }
    fault_arm(&counted, 0, 0);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    alcore_pool_unref(pool);
}
END_TEST

CHECK_SUITE_WITH("static folder", setup, teardown, means_of_rows, weights_and_mapping, limits,
                 tables_that_do_not_fit, numbers_that_are_none, settings_that_are_refused,
                 modules_that_are_refused, dense_layers, cut_tables, tables_that_are_cut_later,
                 failing_allocations, failing_allocations_of_model2vec);
