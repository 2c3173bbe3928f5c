/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: the language model and the model handle. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep.h"

ALLOCATES(alcore_lm_new_trained, 0) {
    const char *texts[3] = {"a b c a b", "b c a", "c"};
    alcore_lm *out = w->lm;
    alcore_status status = alcore_lm_new_trained(w->ctx, texts, NULL, 3, NULL, &out);
    MADE(alcore_lm_unref, status, out);
}
ALLOCATES(alcore_lm_open_arpa, 0) {
    alcore_lm *out = w->lm;
    alcore_status status = alcore_lm_open_arpa(w->ctx, world_file("lm.arpa"), &out);
    MADE(alcore_lm_unref, status, out);
}
ALLOCATES(alcore_lm_write_arpa, WITH_LM) {
    return alcore_lm_write_arpa(w->lm, world_file("written.arpa"));
}
NEVER(alcore_lm_ref, WITH_LM) {
    alcore_lm_unref(alcore_lm_ref(w->lm));
    HOLDS(!alcore_lm_ref(NULL));
}
NEVER(alcore_lm_unref, 0) {
    alcore_lm_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_lm_score, WITH_LM) {
    const char *texts[2] = {"personal data", "data"};
    double log10[2] = {1, 1};
    int64_t two = 2;
    alcore_tensor out;
    alcore_tensor_init(&out, log10, ALCORE_FLOAT64, &two, 1);
    alcore_status status = alcore_lm_score(w->lm, texts, NULL, 2, &out);
    return status == ALCORE_OK && (log10[0] >= 0 || log10[1] >= 0) ? ALCORE_E_INTERNAL : status;
}
NEVER(alcore_lm_token_logprobs, WITH_LM) {
    const char *texts[2] = {"personal data", "data"};
    float values[5];
    int64_t three = 3, five = 5, offsets[3];
    alcore_tensor bounds, out;
    alcore_tensor_init(&bounds, offsets, ALCORE_INT64, &three, 1);
    alcore_tensor_init(&out, values, ALCORE_FLOAT32, &five, 1);
    alcore_status status = alcore_lm_token_logprobs(w->lm, texts, NULL, 2, &bounds, &out);
    return status == ALCORE_OK && offsets[2] != 5 ? ALCORE_E_INTERNAL : status;
}
NEVER(alcore_lm_order, WITH_LM) {
    HOLDS(alcore_lm_order(w->lm) == 4);
}
NEVER(alcore_lm_order_get, WITH_LM) {
    alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
    return alcore_lm_order_get(w->lm, 2, &info);
}
NEVER(alcore_lm_fingerprint, WITH_LM) {
    HOLDS(alcore_lm_fingerprint(w->lm) != 0);
}

ALLOCATES(alcore_model_new_host, 0) {
    alcore_model_host host = ALCORE_MODEL_HOST_INIT;
    const char *const reads[] = {"costs", "qa_contexts", NULL};
    host.name = "mine";
    host.reads = reads;
    alcore_model *out = w->model;
    alcore_status status = alcore_model_new_host(w->ctx, &host, &out);
    MADE(alcore_model_unref, status, out);
}
ALLOCATES(alcore_model_new_ngram, 0) {
    alcore_model *out = w->model;
    alcore_status status = alcore_model_new_ngram(w->ctx, w->labeled, NULL, &out);
    MADE(alcore_model_unref, status, out);
}
ALLOCATES(alcore_model_new_lm, WITH_LM) {
    alcore_model *out = w->model;
    alcore_status status = alcore_model_new_lm(w->ctx, w->lm, &out);
    MADE(alcore_model_unref, status, out);
}
ALLOCATES(alcore_model_open, 0) {
    alcore_model *out = w->model;
    alcore_status status = alcore_model_open(w->ctx, world_file("model"), NULL, &out);
    MADE(alcore_model_unref, status, out);
}
NEVER(alcore_model_ref, WITH_MODEL) {
    alcore_model_unref(alcore_model_ref(w->model));
    HOLDS(!alcore_model_ref(NULL));
}
NEVER(alcore_model_unref, 0) {
    alcore_model_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_model_name, WITH_MODEL) {
    HOLDS(strcmp(alcore_model_name(w->model), "world") == 0);
}
NEVER(alcore_model_can, WITH_MODEL) {
    HOLDS(alcore_model_can(w->model, "embeddings") == 1 &&
          alcore_model_can(w->model, "probs") == 0 && alcore_model_can(NULL, "probs") == 0);
}
ALLOCATES(alcore_model_set_cache, WITH_MODEL) {
    return alcore_model_set_cache(w->model, world_file("kept"), 60);
}
GROWS(alcore_model_run, WITH_MODEL) {
    alcore_status status = alcore_model_run(w->model, w->pool, "embeddings");
    if (status != ALCORE_OK) return status;
    /* The built-in model and a folder of columns, each on a pool of its own. */
    static const char *const columns[] = {"logprobs", "embeddings", "embeddings"};
    for (int i = 0; i < 3 && status == ALCORE_OK; i++) {
        alcore_pool *pool = NULL;
        alcore_model *model = NULL;
        status = alcore_pool_new(w->ctx, NULL, &pool);
        if (status == ALCORE_OK) status = alcore_pool_read(pool, world_file("pool.txt"), NULL);
        if (status == ALCORE_OK)
            status = i < 2 ? alcore_model_new_ngram(w->ctx, i ? NULL : w->labeled, NULL, &model)
                           : alcore_model_open(w->ctx, world_file("model"), NULL, &model);
        if (status == ALCORE_OK) status = alcore_model_run(model, pool, columns[i]);
        if (status != ALCORE_OK && pool && alcore_pool_column_name(pool, 0))
            status = ALCORE_E_INTERNAL;
        alcore_model_unref(model);
        alcore_pool_unref(pool);
    }
    /* So that a failure here leaves the world as the digest knows it. */
    sweep_keep_error(w);
    if (status != ALCORE_OK) alcore_pool_drop_column(w->pool, "embeddings");
    return status;
}
/* Two columns of a host's model in one pass, kept in a cache and taken from there. */
GROWS(alcore_model_run_columns, WITH_MODEL) {
    static const char *const both[] = {"embeddings", "logprobs"};
    alcore_status status = alcore_model_set_cache(w->model, world_file("kept"), 60);
    if (status == ALCORE_OK) status = alcore_model_run_columns(w->model, w->pool, both, 2);
    if (status == ALCORE_OK) status = alcore_model_run_columns(w->model, w->pool, both, 2);
    sweep_keep_error(w);
    if (status != ALCORE_OK) {
        alcore_pool_drop_column(w->pool, "embeddings");
        alcore_pool_drop_column(w->pool, "logprobs");
    }
    return status;
}
/* References of a pool of its own, scored by a host's model. */
static alcore_status with_references(world *w, alcore_pool **pool) {
    static const char *const texts[] = {"personal data", "data", "three"};
    alcore_records records = ALCORE_RECORDS_INIT;
    records.texts = records.references = texts;
    records.count = 3;
    alcore_status status = alcore_pool_new(w->ctx, NULL, pool);
    return status == ALCORE_OK ? alcore_pool_add_records(*pool, &records, NULL) : status;
}
static alcore_status translate(void *user, const alcore_batch *batch,
                               const alcore_translate_options *options, alcore_outputs *out) {
    const float logprobs[] = {-1, -2};
    alcore_status status = ALCORE_OK;
    (void)user;
    for (int64_t i = 0; i < batch->count && status == ALCORE_OK; i++)
        for (int64_t rank = 0; rank < options->best && status == ALCORE_OK; rank++)
            status = alcore_outputs_put(out, i, rank, batch->texts[i], batch->lengths[i], logprobs,
                                        2, (double)NAN);
    return status;
}
ALLOCATES(alcore_model_set_translate, WITH_MODEL) {
    alcore_pool *pool = NULL, *out = NULL;
    alcore_status status = with_references(w, &pool);
    if (status == ALCORE_OK) status = alcore_model_set_translate(w->model, translate);
    if (status == ALCORE_OK) status = alcore_model_score(w->model, pool);
    if (status == ALCORE_OK) status = alcore_model_translate(w->model, pool, NULL, &out);
    if (status == ALCORE_OK && alcore_pool_row_count(out) != 3) status = ALCORE_E_INTERNAL;
    alcore_pool_unref(out);
    alcore_pool_unref(pool);
    return status;
}
ALLOCATES(alcore_outputs_put, WITH_MODEL) {
    alcore_pool *pool = NULL, *out = NULL;
    alcore_translate_options options = ALCORE_TRANSLATE_OPTIONS_INIT;
    options.best = 2;
    alcore_status status = with_references(w, &pool);
    if (status == ALCORE_OK) status = alcore_model_set_translate(w->model, translate);
    if (status == ALCORE_OK) status = alcore_model_translate(w->model, pool, &options, &out);
    alcore_pool_unref(out);
    alcore_pool_unref(pool);
    return status;
}
/* The null module (tests/unit/model/module) with a folder for it, "null", whose texts become ids,
 * "continues", likewise, or "reads-texts", on a pool of its own whose rows are their own
 * references. Nothing fails here: a module that does not load is remembered as absent. */
static alcore_status open_folder(world *w, const char *folder, alcore_model **model,
                                 alcore_pool **pool) {
    alcore_read_options pairs = ALCORE_READ_OPTIONS_INIT;
    char references[200];
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    if (!strcmp(folder, "continues")) options.prompt = "no {text}";
    snprintf(references, sizeof references, "%s", world_file("pool.txt"));
    pairs.references = references;
    sweep_pause(w);
    setenv("ALCORE_MODULE_DIR", getenv("NULL_MODEL_MODULE"), 1);
    alcore_status status = alcore_model_open(w->ctx, world_file(folder), &options, model);
    unsetenv("ALCORE_MODULE_DIR");
    if (status == ALCORE_OK) status = alcore_pool_new(w->ctx, NULL, pool);
    if (status == ALCORE_OK) status = alcore_pool_read(*pool, world_file("pool.txt"), &pairs);
    sweep_resume(w);
    return status;
}
static alcore_status open_null(world *w, alcore_model **model, alcore_pool **pool) {
    return open_folder(w, "null", model, pool);
}
NEVER(alcore_model_get_info, 0) {
    alcore_model_info info = ALCORE_MODEL_INFO_INIT;
    alcore_model *model = NULL;
    alcore_pool *pool = NULL;
    alcore_status status = open_null(w, &model, &pool);
    if (status == ALCORE_OK) status = alcore_model_get_info(model, &info);
    if (status == ALCORE_OK && info.dims != 2) status = ALCORE_E_INTERNAL;
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
GROWS(alcore_model_set_language, 0) {
    alcore_model *model = NULL;
    alcore_pool *pool = NULL;
    alcore_status status = open_folder(w, "reads-texts", &model, &pool);
    if (status == ALCORE_OK) status = alcore_model_set_language(model, "de_DE");
    if (status == ALCORE_OK) status = alcore_model_score(model, pool);
    if (status != ALCORE_OK && pool && alcore_pool_column_name(pool, 0)) status = ALCORE_E_INTERNAL;
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
GROWS(alcore_model_set_dropout, 0) {
    alcore_model *model = NULL;
    alcore_pool *pool = NULL;
    alcore_status status = open_folder(w, "reads-texts", &model, &pool);
    if (status == ALCORE_OK) status = alcore_model_set_dropout(model, 1, 7);
    if (status == ALCORE_OK) status = alcore_model_score(model, pool);
    if (status != ALCORE_OK && pool && alcore_pool_column_name(pool, 0)) status = ALCORE_E_INTERNAL;
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
GROWS(alcore_model_set_verbalizer, 0) {
    static const char *const labels[] = {"no", "other", "no other"};
    alcore_model *model = NULL;
    alcore_pool *pool = NULL;
    alcore_status status = open_folder(w, "continues", &model, &pool);
    if (status == ALCORE_OK) status = alcore_model_set_verbalizer(model, labels, 3);
    if (status == ALCORE_OK) status = alcore_model_run(model, pool, "probs");
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
GROWS(alcore_model_set_chat, 0) {
    alcore_model *model = NULL;
    alcore_pool *pool = NULL;
    alcore_status status = open_folder(w, "continues", &model, &pool);
    if (status == ALCORE_OK) status = alcore_model_set_chat(model, 1, "no");
    if (status == ALCORE_OK) status = alcore_model_score(model, pool);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
NEVER(alcore_model_cut_count, WITH_MODEL) {
    HOLDS(alcore_model_cut_count(w->model) == 0 && alcore_model_cut_count(NULL) == 0);
}
GROWS(alcore_model_translate, 0) {
    alcore_model *model = NULL;
    alcore_pool *pool = NULL, *out = NULL;
    alcore_status status = open_null(w, &model, &pool);
    if (status == ALCORE_OK) status = alcore_model_translate(model, pool, NULL, &out);
    if (status == ALCORE_OK && alcore_pool_row_count(out) != WORLD_ROWS) status = ALCORE_E_INTERNAL;
    if (status != ALCORE_OK && out) status = ALCORE_E_INTERNAL;
    alcore_pool_unref(out);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
GROWS(alcore_model_score, 0) {
    alcore_model *model = NULL;
    alcore_pool *pool = NULL;
    alcore_status status = open_null(w, &model, &pool);
    if (status == ALCORE_OK) status = alcore_model_score(model, pool);
    if (status != ALCORE_OK && pool && alcore_pool_column_name(pool, 0)) status = ALCORE_E_INTERNAL;
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
/* Trains on rows with weights and validates: by loss with checkpoints, from which the second call
 * goes on, then by BLEU. */
static alcore_status train_thrice(alcore_model *model, alcore_pool *pool) {
    static const int32_t metrics[] = {ALCORE_VALIDATE_LOSS, ALCORE_VALIDATE_LOSS,
                                      ALCORE_VALIDATE_BLEU};
    alcore_status status = ALCORE_OK;
    for (int i = 0; i < 3 && status == ALCORE_OK; i++) {
        alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
        alcore_train_result result = ALCORE_TRAIN_RESULT_INIT;
        options.weights = "weight";
        options.validation = pool;
        options.metric = metrics[i];
        options.checkpoints = i < 2 ? world_file("training") : NULL;
        options.best = world_file("null");
        status = alcore_model_train(model, pool, &options, &result);
        if (status == ALCORE_OK && result.best_update < 1) status = ALCORE_E_INTERNAL;
    }
    return status;
}
GROWS(alcore_model_train, 0) {
    alcore_model *model = NULL;
    alcore_pool *pool = NULL;
    double weights[WORLD_ROWS];
    int64_t rows = WORLD_ROWS;
    alcore_tensor tensor;
    for (int i = 0; i < WORLD_ROWS; i++) weights[i] = 1 + i;
    unlink(world_file("training/config.json"));
    unlink(world_file("training/validations.tsv"));
    alcore_status status = open_null(w, &model, &pool);
    if (status == ALCORE_OK)
        status = alcore_tensor_init(&tensor, weights, ALCORE_FLOAT64, &rows, 1);
    if (status == ALCORE_OK) status = alcore_pool_set_column(pool, "weight", &tensor, NULL, NULL);
    if (status == ALCORE_OK) status = train_thrice(model, pool);
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
GROWS(alcore_model_save, 0) {
    alcore_model *model = NULL;
    alcore_pool *pool = NULL;
    alcore_status status = open_null(w, &model, &pool);
    if (status == ALCORE_OK) status = alcore_model_save(model, world_file("null"));
    alcore_model_unref(model);
    alcore_pool_unref(pool);
    return status;
}
/* Without an engine the places that were looked at are told, which allocates too. The context keeps
 * what it learned of one module when memory ends at the next. */
GROWS(alcore_model_check_engine, 0) {
    alcore_status status = alcore_model_check_engine(w->ctx);
    return status == ALCORE_E_MODULE ? ALCORE_OK : status;
}
