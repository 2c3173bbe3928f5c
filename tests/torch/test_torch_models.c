/* SPDX-License-Identifier: Apache-2.0 */
/* The torch engine against PyPI's transformers: every folder of tests/torch/fixtures is opened, fed
 * with the token ids of its expected.safetensors, and gives the numbers that stand there (written
 * by make_fixtures.py): 1e-5 on hidden states, 1e-4 on log-probabilities. */
#include <dirent.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/model.h"
#include "base/base.h"
#include "check_suite.h"
#include "formats/array_file.h"

enum { MOST_TEXTS = 64, MOST_FOLDERS = 64 };

static alcore_ctx *ctx;
static const alcore_sys_model_engine *engine;

/* ---- fixtures ---- */

/* An array of expected.safetensors; data is NULL where the folder has none of that name. */
typedef struct array {
    void *data;
    int64_t shape[2];
} array;

static array read_array(const char *folder, const char *name) {
    char path[600];
    alcore__array_info info;
    alcore__file *file;
    snprintf(path, sizeof path, "%s/expected.safetensors:%s", folder, name);
    if (alcore__array_open(ctx, path, &info, &file) != ALCORE_OK) return (array){0};
    size_t width = info.dtype == ALCORE_INT64 ? 8 : 4;
    size_t bytes = (size_t)(info.shape[0] * info.shape[1]) * width;
    array out = {malloc(bytes + 1), {info.shape[0], info.shape[1]}};
    ck_assert_int_eq(alcore__file_read_all(file, info.data_start, out.data, bytes), ALCORE_OK);
    alcore__file_close(file);
    return out;
}

/* The texts of a folder as the engine takes them; free_inputs() releases what they point to. */
typedef struct inputs {
    array ids, offsets, types;
    uint8_t *marks;
    alcore_sys_model_texts texts;
} inputs;

static inputs read_inputs(const char *folder, const char *prefix) {
    char name[40];
    inputs in = {0};
    snprintf(name, sizeof name, "%sids", prefix);
    in.ids = read_array(folder, name);
    snprintf(name, sizeof name, "%soffsets", prefix);
    in.offsets = read_array(folder, name);
    in.texts = (alcore_sys_model_texts){.size = sizeof in.texts,
                                        .count = in.offsets.shape[0] - 1,
                                        .ids = in.ids.data,
                                        .offsets = in.offsets.data};
    if (*prefix) return in;
    in.types = read_array(folder, "types");
    in.texts.types = in.types.data;
    array marks = read_array(folder, "marks");
    in.marks = malloc((size_t)marks.shape[0]);
    for (int64_t i = 0; i < marks.shape[0]; i++) in.marks[i] = (uint8_t)((int64_t *)marks.data)[i];
    in.texts.marks = in.marks;
    free(marks.data);
    return in;
}

static void free_inputs(inputs *in) {
    free(in->ids.data);
    free(in->offsets.data);
    free(in->types.data);
    free(in->marks);
}

static alcore_sys_model *open_folder(const char *folder, int32_t pooling, int32_t layer,
                                     int64_t batch_tokens) {
    alcore_sys_model_options options = {.size = sizeof options,
                                        .device = "cpu",
                                        .pooling = pooling,
                                        .layer = layer,
                                        .normalize = pooling == 0 ? 0 : 2, /* 2: as they are */
                                        .batch_tokens = batch_tokens};
    alcore_sys_model *model = NULL;
    alcore_status status = engine->open(ctx, folder, &options, &model);
    ck_assert_msg(status == ALCORE_OK, "%s: %s", folder, alcore_last_error());
    return model;
}

/* ---- what comes back ---- */

/* Results of a call, item by item. */
typedef struct results {
    float *values[MOST_TEXTS];
    int64_t counts[MOST_TEXTS]; /* numbers of the item */
    int64_t *ids[MOST_TEXTS];
    double scores[MOST_TEXTS];
    int64_t puts, items;
} results;

static alcore_status put(void *user, const int64_t *items, int64_t count,
                         const alcore_tensor *values, const int64_t *lengths) {
    results *all = user;
    const float *next = values->data;
    int64_t width = values->ndim == 2 ? values->shape[1] : 1;
    all->puts++;
    for (int64_t i = 0; i < count; i++) {
        int64_t item = items[i], numbers = (lengths ? lengths[i] : 1) * width;
        ck_assert_ptr_null(all->values[item]);
        all->values[item] = malloc((size_t)numbers * sizeof(float) + 1);
        memcpy(all->values[item], next, (size_t)numbers * sizeof(float));
        all->counts[item] = numbers;
        next += numbers;
        all->items++;
    }
    return ALCORE_OK;
}

static alcore_status put_text(void *user, int64_t item, int64_t rank, const char *text,
                              size_t length, const int64_t *ids, int64_t tokens, double score,
                              const float *logprobs) {
    results *all = user;
    ck_assert_ptr_null(text);
    ck_assert_uint_eq(length, 0);
    for (int64_t k = 0; k < tokens; k++) ck_assert(logprobs[k] <= 0);
    if (rank > 0) return ALCORE_OK;
    all->ids[item] = malloc((size_t)tokens * sizeof *ids + 1);
    memcpy(all->ids[item], ids, (size_t)tokens * sizeof *ids);
    all->counts[item] = tokens;
    all->scores[item] = score;
    all->items++;
    return ALCORE_OK;
}

static void free_results(results *all) {
    for (int i = 0; i < MOST_TEXTS; i++) {
        free(all->values[i]);
        free(all->ids[i]);
    }
    *all = (results){0};
}

static alcore_sys_model_sink sink_of(results *all) {
    return (alcore_sys_model_sink){
        .size = sizeof(alcore_sys_model_sink), .user = all, .put = put, .put_text = put_text};
}

static void expect(const results *all, const array *expected, double tolerance, const char *what) {
    const float *next = expected->data;
    const float *end = next + expected->shape[0] * expected->shape[1];
    for (int i = 0; i < MOST_TEXTS && all->values[i]; i++)
        for (int64_t k = 0; k < all->counts[i]; k++, next++) {
            ck_assert_msg(next < end, "%s: more numbers than expected", what);
            ck_assert_msg(fabs((double)*next - (double)all->values[i][k]) <=
                              tolerance * (1 + fabs((double)*next)),
                          "%s: text %d, number %lld: %.8g, transformers says %.8g", what, i,
                          (long long)k, (double)all->values[i][k], (double)*next);
        }
    ck_assert_msg(next == end, "%s: fewer numbers than expected", what);
}

/* ---- one folder ---- */

static int checks; /* arrays of expected.safetensors that were compared */

static void check_embedding(const char *folder, int32_t pooling, int32_t layer, const char *name) {
    array expected = read_array(folder, name);
    if (!expected.data) return;
    inputs in = read_inputs(folder, "");
    for (int64_t batch = 0; batch <= 16; batch += 16) { /* one batch, then several small ones */
        results all = {0};
        alcore_sys_model_sink sink = sink_of(&all);
        alcore_sys_model *model = open_folder(folder, pooling, layer, batch);
        alcore_status status = engine->embed(model, &in.texts, &sink);
        ck_assert_msg(status == ALCORE_OK, "%s %s: %s", folder, name, alcore_last_error());
        ck_assert_int_eq(all.puts > 1, batch > 0);
        char what[700];
        snprintf(what, sizeof what, "%s %s", folder, name);
        expect(&all, &expected, 1e-5, what);
        engine->close(model);
        free_results(&all);
    }
    checks++;
    free_inputs(&in);
    free(expected.data);
}

static void check_embeddings(const char *folder) {
    static const char *const poolings[] = {"auto", "mean", "first", "pooler", "words", "max"};
    char name[40];
    check_embedding(folder, 0, 0, "embed.auto");
    for (int32_t pooling = 1; pooling <= 5; pooling++)
        for (int32_t layer = -1; layer <= 2; layer++) {
            snprintf(name, sizeof name, "embed.%s.%d", poolings[pooling], layer);
            check_embedding(folder, pooling, layer, name);
        }
}

static void check_head(const char *folder, const char *name) {
    array expected = read_array(folder, name);
    if (!expected.data) return;
    inputs in = read_inputs(folder, ""), targets = {0};
    results all = {0};
    alcore_sys_model_sink sink = sink_of(&all);
    alcore_sys_model *model = open_folder(folder, 0, 0, 30);
    alcore_status status;
    if (!strcmp(name, "class_probs")) {
        status = engine->class_probs(model, &in.texts, &sink);
    } else if (!strcmp(name, "token_probs")) {
        status = engine->token_probs(model, &in.texts, &sink);
    } else if (!strcmp(name, "qa_probs")) {
        status = engine->qa_probs(model, &in.texts, &sink);
    } else if (!strcmp(name, "mlm_losses")) {
        status = engine->mlm_losses(model, &in.texts, NULL, &sink);
    } else {
        targets = read_inputs(folder, "target.");
        status = engine->token_logprobs(model, &in.texts, &targets.texts, NULL, &sink);
    }
    ck_assert_msg(status == ALCORE_OK, "%s %s: %s", folder, name, alcore_last_error());
    char what[700];
    snprintf(what, sizeof what, "%s %s", folder, name);
    ck_assert_int_eq(all.items, in.texts.count);
    expect(&all, &expected, 1e-4, what);
    checks++;
    engine->close(model);
    free_results(&all);
    free_inputs(&in);
    free_inputs(&targets);
    free(expected.data);
}

/* Outputs start behind the token that starts every output; generate() keeps that one. */
static void check_decoding(const char *folder, const char *name, int32_t beams) {
    char key[40];
    snprintf(key, sizeof key, "%s.", name);
    inputs expected = read_inputs(folder, key);
    if (!expected.ids.data) {
        free_inputs(&expected);
        return;
    }
    snprintf(key, sizeof key, "%s.scores", name);
    array scores = read_array(folder, key);
    inputs in = read_inputs(folder, "");
    for (int64_t batch = 0; batch <= 12; batch += 12) {
        results all = {0};
        alcore_sys_model_sink sink = sink_of(&all);
        alcore_sys_model *model = open_folder(folder, 0, 0, batch);
        alcore_sys_model_decoding how = {.size = sizeof how, .beams = beams, .max_tokens = 9};
        alcore_status status = engine->translate(model, &in.texts, &how, &sink);
        ck_assert_msg(status == ALCORE_OK, "%s %s: %s", folder, name, alcore_last_error());
        ck_assert_int_eq(all.items, in.texts.count);
        for (int64_t i = 0; i < in.texts.count; i++) {
            const int64_t *row = expected.texts.ids + expected.texts.offsets[i] + 1;
            int64_t count = expected.texts.offsets[i + 1] - expected.texts.offsets[i] - 1;
            for (int64_t k = 0; k < count && k < all.counts[i]; k++)
                ck_assert_msg(row[k] == all.ids[i][k],
                              "%s %s: text %lld, token %lld is %lld, transformers says %lld",
                              folder, name, (long long)i, (long long)k, (long long)all.ids[i][k],
                              (long long)row[k]);
            ck_assert_int_eq(all.counts[i], count);
            if (scores.data)
                ck_assert_double_eq_tol(all.scores[i], (double)((float *)scores.data)[i], 1e-4);
        }
        engine->close(model);
        free_results(&all);
    }
    checks++;
    free_inputs(&in);
    free_inputs(&expected);
    free(scores.data);
}

static void check_folder(const char *folder) {
    static const char *const heads[] = {"class_probs", "token_probs", "qa_probs", "mlm_losses",
                                        "logprobs"};
    int before = checks;
    check_embeddings(folder);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) check_head(folder, heads[i]);
    check_decoding(folder, "greedy", 1);
    check_decoding(folder, "beam", 4);
    ck_assert_msg(checks > before, "%s: nothing was compared", folder);
}

/* ---- the tests ---- */

static const char *fixtures(void) {
    const char *folder = getenv("TORCH_FIXTURES");
    ck_assert_ptr_nonnull(folder);
    return folder;
}

static void begin(void) {
    const void *module;
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    options.module_dir = getenv("TORCH_MODULE_DIR");
    options.threads = 1;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    alcore_status status = alcore__module_load(ctx, getenv("TORCH_ENGINE"), &module);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    engine = module;
}

START_TEST(every_family_agrees_with_transformers) {
    begin();
    const char *only = getenv("TORCH_FIXTURE"); /* to look at one folder */
    struct dirent *entry;
    DIR *folder = opendir(fixtures());
    int families = 0;
    ck_assert_ptr_nonnull(folder);
    while ((entry = readdir(folder)) != NULL) {
        char path[600];
        if (entry->d_name[0] == '.' || (only && strcmp(only, entry->d_name))) continue;
        snprintf(path, sizeof path, "%s/%s", fixtures(), entry->d_name);
        check_folder(path);
        families++;
    }
    closedir(folder);
    ck_assert(only || families >= 31);
    ck_assert(only || checks >= 113);
    alcore_ctx_unref(ctx);
}
END_TEST

CHECK_SUITE("torch models", every_family_agrees_with_transformers);
