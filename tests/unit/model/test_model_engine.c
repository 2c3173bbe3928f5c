/* SPDX-License-Identifier: Apache-2.0 */
/* Models of loadable modules: the null module (module/null_model.c) through the public calls. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model_folder.h"

static const char *const texts[] = {"a patient with fever",    "no fever",
                                    "severe headache today",   "headache",
                                    "the patient was treated", "fever and headache"};
enum { ROWS = 6 };

/* A model folder whose config.json holds text. */
static const char *write_config(const char *text) {
    if (folder[0] == '\0') new_folder(text);
    write_file("config.json", text);
    return folder;
}

static alcore_pool *pool_of(alcore_ctx *ctx) {
    alcore_pool *pool;
    ck_assert_int_eq(alcore_pool_new(ctx, NULL, &pool), ALCORE_OK);
    ck_assert_int_eq(alcore_pool_add_texts(pool, texts, NULL, ROWS, NULL), ALCORE_OK);
    return pool;
}

static alcore_model *open_model(alcore_ctx *ctx, const char *config) {
    alcore_model *model;
    alcore_status status = alcore_model_open(ctx, write_config(config), NULL, &model);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    return model;
}

/* The twin of the module's arithmetic. */
static uint64_t hash_of(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

static const float *column(const alcore_pool *pool, const char *name, const int64_t **offsets) {
    alcore_tensor values, lengths;
    ck_assert_int_eq(alcore_pool_get_column(pool, name, &values, &lengths), ALCORE_OK);
    *offsets = lengths.data;
    return values.data;
}

START_TEST(columns_come_from_the_module) {
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx, "{\"dims\": 3}");
    const int64_t *offsets;
    ck_assert_str_eq(alcore_model_name(model), folder);
    ck_assert_int_eq(alcore_model_check_engine(ctx), ALCORE_OK);
    ck_assert_int_eq(alcore_model_can(model, "embeddings"), 1);
    ck_assert_int_eq(alcore_model_can(model, "qa_end"), 1);
    ck_assert_int_eq(alcore_model_can(model, "token_probs"), 0);
    ck_assert_int_eq(alcore_model_can(model, "mlm_losses"), 0);
    ck_assert_int_eq(alcore_model_can(model, "nothing"), 0);
    ck_assert_int_eq(alcore_model_run(model, pool, "token_probs"), ALCORE_E_UNSUPPORTED);
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_OK);
    const float *embeddings = column(pool, "embeddings", &offsets);
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 3; j++)
            ck_assert_float_eq(embeddings[i * 3 + j],
                               (float)((hash_of(texts[i]) >> j) & 255) / 256.0f);
    ck_assert_int_eq(alcore_model_run(model, pool, "logprobs"), ALCORE_OK);
    const float *logprobs = column(pool, "logprobs", &offsets);
    ck_assert_int_eq(offsets[1] - offsets[0], 4);
    ck_assert_int_eq(offsets[ROWS], 17);
    for (int i = 0; i < ROWS; i++)
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
            ck_assert_float_eq(logprobs[k],
                               -(float)(1 + hash_of(texts[i]) % (uint64_t)(k - offsets[i] + 7)) /
                                   8.0f);
    /* Both halves of question answering. */
    ck_assert_int_eq(alcore_model_run(model, pool, "qa_start"), ALCORE_OK);
    ck_assert_int_eq(alcore_model_run(model, pool, "qa_end"), ALCORE_OK);
    const float *start = column(pool, "qa_start", &offsets);
    ck_assert_float_eq(start[0], 0.25f);
    ck_assert_float_eq(start[3], 0.25f);
    const float *finish = column(pool, "qa_end", &offsets);
    ck_assert_float_eq(finish[0], 0);
    ck_assert_float_eq(finish[3], 1);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}
END_TEST

/* Two rows of the pool by a strategy, with what it needs from the model; excluded NULL: none. */
static alcore_selection *pick_two(alcore_ctx *ctx, alcore_pool *pool, alcore_model *model,
                                  const char *name, const int64_t *excluded,
                                  int64_t excluded_count) {
    alcore_request *request;
    alcore_strategy *strategy;
    alcore_selection *selection;
    ck_assert_int_eq(alcore_request_new(ctx, &request), ALCORE_OK);
    ck_assert_int_eq(alcore_strategy_new(ctx, name, &strategy), ALCORE_OK);
    ck_assert_int_eq(alcore_request_set_pool(request, ALCORE_ROLE_CANDIDATES, pool), ALCORE_OK);
    ck_assert_int_eq(alcore_request_set_strategy(request, strategy), ALCORE_OK);
    ck_assert_int_eq(alcore_request_set_model(request, model), ALCORE_OK);
    ck_assert_int_eq(alcore_request_set(request, "budget", "2"), ALCORE_OK);
    ck_assert_int_eq(
        alcore_request_set_rows(request, ALCORE_ROWS_EXCLUDED, excluded, excluded_count),
        ALCORE_OK);
    alcore_status status = alcore_select(request, &selection);
    ck_assert_msg(status == ALCORE_OK, "%s", alcore_last_error());
    alcore_strategy_unref(strategy);
    alcore_request_unref(request);
    return selection;
}

/* A row that the request excludes does not reach the module, and its absence is no failure. */
START_TEST(select_asks_for_the_rows_it_reads) {
    static const int64_t excluded[] = {1};
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx, "{\"dims\": 8}");
    alcore_column_info info = ALCORE_COLUMN_INFO_INIT;
    alcore_selection_unref(pick_two(ctx, pool, model, "kcenter", excluded, 1));
    ck_assert_int_eq(alcore_pool_get_column_info(pool, "embeddings", &info), ALCORE_OK);
    ck_assert_int_eq(info.entries, ROWS - 1);
    alcore_selection_unref(pick_two(ctx, pool, model, "kcenter", NULL, 0));
    ck_assert_int_eq(alcore_pool_get_column_info(pool, "embeddings", &info), ALCORE_OK);
    ck_assert_int_eq(info.entries, ROWS);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

START_TEST(select_asks_the_module) {
    alcore_ctx *ctx = null_context(NULL);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx, "{\"dims\": 8}");
    alcore_selection *selection;
    selection = pick_two(ctx, pool, model, "huds", NULL, 0);
    ck_assert_int_eq(alcore_selection_count(selection), 2);
    ck_assert_ptr_nonnull(strstr(alcore_selection_provenance(selection), "null-1"));
    ck_assert_ptr_nonnull(
        strstr(alcore_selection_provenance(selection), "version null-8-0 on cpu"));
    alcore_selection_unref(selection);
    selection = pick_two(ctx, pool, model, "lc", NULL, 0);
    /* Least confidence: the row whose best class is the least likely. */
    int64_t expected = 0;
    double least = 2;
    for (int i = 0; i < ROWS; i++) {
        double p = (double)(1 + hash_of(texts[i]) % 16) / 32.0, best = p > 0.5 ? p : 1 - p;
        if (best < least) least = best, expected = i;
    }
    ck_assert_int_eq(alcore_selection_rows(selection)[0], expected);
    alcore_selection_unref(selection);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}
END_TEST

START_TEST(failures_of_the_module_come_through) {
    static const struct {
        const char *config;
        alcore_status status;
        const char *text;
    } cases[] = {
        {"{\"dims\": 2, \"fail\": 1}", ALCORE_E_DATA, "the null model was told to fail"},
        {"{\"dims\": 2, \"wrong\": 1}", ALCORE_E_INVALID, "null-1 gave item 6 of a call with 6"},
        {"{\"dims\": 2, \"tokens\": 1}", ALCORE_E_UNSUPPORTED,
         "takes token ids, and its folder has no tokenizer"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        alcore_ctx *ctx = null_context(NULL);
        alcore_pool *pool = pool_of(ctx);
        alcore_model *model = open_model(ctx, cases[i].config);
        ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), cases[i].status);
        ck_assert_ptr_nonnull(strstr(alcore_last_error(), cases[i].text));
        alcore_model_unref(model);
        alcore_pool_unref(pool);
        alcore_ctx_unref(ctx);
    }
    alcore_ctx *ctx = null_context(NULL);
    alcore_model *model = (alcore_model *)ctx;
    ck_assert_int_eq(alcore_model_open(ctx, write_config("{}"), NULL, &model), ALCORE_E_DATA);
    ck_assert_ptr_null(model);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "dims is missing"));
    alcore_ctx_unref(ctx);
    ck_assert_int_eq(fault.live_bytes, 0);
    remove_folder();
}
END_TEST

START_TEST(without_a_module_the_reason_is_told) {
    alcore_ctx *ctx = context_with("/nowhere", NULL);
    alcore_model *model;
    ck_assert_int_eq(alcore_model_open(ctx, write_config("{\"dims\": 2}"), NULL, &model),
                     ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_null(model);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "holds config.json"));
    ck_assert_ptr_nonnull(
        strstr(alcore_last_error(), "/nowhere/libalcore-torch-2.11.so: not there"));
    ck_assert_int_eq(alcore_model_check_engine(ctx), ALCORE_E_MODULE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "\"pip install alcore[torch]\" brings"));
    ck_assert_int_eq(alcore_model_check_engine(NULL), ALCORE_E_INVALID);
    alcore_ctx_unref(ctx);
    /* One is there; what it needs is not. */
    write_file("libalcore-torch-2.12.so", "no shared object");
    ctx = context_with(folder, NULL);
    ck_assert_int_eq(alcore_model_check_engine(ctx), ALCORE_E_MODULE);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "no libtorch is in this process"));
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "libalcore-torch-2.12.so: "));
    ck_assert_ptr_null(strstr(alcore_last_error(), "pip install"));
    alcore_remedy remedy = ALCORE_REMEDY_INIT; /* the release that the engine is for */
    ck_assert_int_eq(alcore_last_remedy(&remedy), 1);
    ck_assert_int_eq(remedy.kind, ALCORE_REMEDY_TORCH);
    ck_assert_str_eq(remedy.name, "2.12");
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

/* Opening and running with the n-th allocation failing, for every n. */
START_TEST(failing_allocations_leave_nothing) {
    write_config("{\"dims\": 2}");
    int failures = 0;
    for (long long n = 1;; n++) {
        alcore_ctx *ctx = null_context(NULL);
        alcore_pool *pool = pool_of(ctx);
        alcore_model *model;
        fault_arm(&fault, n, 0);
        alcore_status status = alcore_model_open(ctx, folder, NULL, &model);
        if (status == ALCORE_OK) status = alcore_model_run(model, pool, "embeddings");
        if (!end_turn(status, model, pool, ctx)) break;
        failures++;
    }
    ck_assert_int_gt(failures, 10);
    remove_folder();
}
END_TEST

static int32_t cancel_at_once(void *user, const char *stage, int64_t done, int64_t total) {
    (void)user, (void)done, (void)total;
    return strcmp(stage, "null") == 0;
}

START_TEST(a_call_can_be_cancelled) {
    alcore_ctx_options options = ALCORE_CTX_OPTIONS_INIT;
    alcore_ctx *ctx;
    options.module_dir = null_module();
    options.progress = cancel_at_once;
    ck_assert_int_eq(alcore_ctx_new(&options, &ctx), ALCORE_OK);
    alcore_pool *pool = pool_of(ctx);
    alcore_model *model = open_model(ctx, "{\"dims\": 2}");
    alcore_ctx_cancel(ctx);
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_E_CANCELLED);
    alcore_model *other;
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &other), ALCORE_E_CANCELLED);
    ck_assert_ptr_null(other);
    alcore_ctx_cancel_clear(ctx);
    ck_assert_int_eq(alcore_model_run(model, pool, "embeddings"), ALCORE_OK);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

enum { LINE_BYTES = 300 };

static void keep_line(void *user, int32_t level, const char *component, const char *message,
                      const char *fields) {
    (void)level, (void)component, (void)fields;
    snprintf(user, LINE_BYTES, "%s", message);
}

/* The module logs the options it was opened with: every field arrives, and the library's kernels
 * are there for it. */
START_TEST(options_reach_the_module) {
    alcore_ctx_options settings = ALCORE_CTX_OPTIONS_INIT;
    alcore_model_options options = {.size = sizeof options,
                                    .device = "cpu",
                                    .dtype = ALCORE_BFLOAT16,
                                    .pooling = ALCORE_POOLING_WORDS,
                                    .layer = 0,
                                    .normalize = ALCORE_NORMALIZE_UNIT,
                                    .max_tokens = 128,
                                    .batch_tokens = INT64_C(1) << 33,
                                    .stride = ALCORE_UNSET_INT};
    alcore_ctx *ctx;
    alcore_model *model;
    char line[LINE_BYTES] = "";
    settings.module_dir = null_module();
    settings.log = keep_line;
    settings.log_user = line;
    ck_assert_int_eq(alcore_ctx_new(&settings, &ctx), ALCORE_OK);
    write_config("{\"dims\": 2}");
    ck_assert_int_eq(alcore_model_open(ctx, folder, &options, &model), ALCORE_OK);
    ck_assert_str_eq(line, "opened: device cpu, dtype 102, pooling 4, layer -1, normalize 1, "
                           "max_tokens 128, batch_tokens 8589934592; kernels of the CPU are "
                           "there, of devices of an unknown kind are not there");
    alcore_model_unref(model);
    /* The defaults, and a block of which the engine counts the last one as 0. */
    ck_assert_int_eq(alcore_model_open(ctx, folder, NULL, &model), ALCORE_OK);
    ck_assert_str_eq(line, "opened: device auto, dtype 0, pooling 0, layer 0, normalize 0, "
                           "max_tokens 0, batch_tokens 0; kernels of the CPU are "
                           "there, of devices of an unknown kind are not there");
    alcore_model_unref(model);
    options.layer = 5;
    ck_assert_int_eq(alcore_model_open(ctx, folder, &options, &model), ALCORE_OK);
    ck_assert_ptr_nonnull(strstr(line, "layer 5,"));
    alcore_model_unref(model);
    options.device = "cuda";
    ck_assert_int_eq(alcore_model_open(ctx, folder, &options, &model), ALCORE_E_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(alcore_last_error(), "CPU alone"));
    options.device = NULL;
    options.layer = -2; /* refused before the module is asked */
    ck_assert_int_eq(alcore_model_open(ctx, folder, &options, &model), ALCORE_E_PARAM);
    alcore_ctx_unref(ctx);
    remove_folder();
}
END_TEST

CHECK_SUITE("model engine", columns_come_from_the_module, options_reach_the_module,
            select_asks_the_module, select_asks_for_the_rows_it_reads,
            failures_of_the_module_come_through, without_a_module_the_reason_is_told,
            failing_allocations_leave_nothing, a_call_can_be_cancelled);
