/* SPDX-License-Identifier: Apache-2.0 */
/* Translation by a model in a module: the engine gives outputs in any order, as token ids or as
 * texts, and model_outputs.c makes a pool of them. */
#include <string.h>

#include "model/model_engine.h"
#include "model/model_outputs.h"

/* A call: the user pointer of the sink. */
typedef struct translating {
    const alcore_model *model;
    const alcore_pool *pool;
    const alcore__model_batch *batch; /* the items of the present call of the engine */
    alcore__outputs outputs;
    int64_t cut; /* texts that were cut */
} translating;

/* Appends the text of an output, decoded from ids [tokens] where the engine gives no text. */
static alcore_status append_text(translating *all, const char *text, size_t length,
                                 const int64_t *ids, int64_t tokens) {
    const alcore__engine_model *data = all->model->data;
    if (text) return alcore__buffer_append(all->outputs.ctx, &all->outputs.texts, text, length);
    if (ids && data->tokenizer)
        return alcore__tokenizer_decode(data->tokenizer, ids, tokens, false /* special tokens */,
                                        &all->outputs.texts);
    return alcore__fail(ALCORE_E_INVALID, "%s gave an output without text and ids",
                        data->engine->engine);
}

/* alcore_sys_model_sink.put_text: keeps the best outputs of an item (an index in the batch), those
 * of ranks 0 to best - 1; others, and a second one of a rank, are passed over. */
static alcore_status put_text(void *user, int64_t item, int64_t rank, const char *text,
                              size_t length, const int64_t *ids, const float *logprobs,
                              int64_t tokens, double score) {
    translating *all = user;
    const alcore__engine_model *data = all->model->data;
    if (item < 0 || item >= all->batch->count || tokens < 0)
        return alcore__fail(ALCORE_E_INVALID, "%s gave item %lld of a call with %lld items",
                            data->engine->engine, (long long)item, (long long)all->batch->count);
    alcore__output *output = alcore__outputs_begin(&all->outputs, all->batch->rows[item], rank);
    if (!output) return ALCORE_OK;
    ALCORE__TRY(append_text(all, text, length, ids, tokens));
    return alcore__outputs_end(&all->outputs, output, logprobs, tokens, score);
}

/* Encodes a batch and lets the engine translate it; a row without an output is an error. */
static alcore_status translate_batch(translating *all, const alcore_sys_model_decoding *how) {
    const alcore__engine_model *data = all->model->data;
    const alcore__model_batch *batch = all->batch;
    const alcore_sys_model_sink sink = {.size = sizeof sink, .user = all, .put_text = put_text};
    alcore__engine_texts sources = {.counts = true};
    alcore_status status =
        alcore__engine_encode(all->model, all->pool, batch, ALCORE__TEXT_CONTINUED, NULL, &sources);
    all->cut += sources.cut;
    if (status == ALCORE_OK) {
        status = data->engine->translate(data->opened, &sources.passed, how, &sink);
        if (status != ALCORE_OK) status = alcore__fail_callback(status, data->engine->engine);
    }
    alcore__engine_texts_clear(all->model->object.ctx, &sources);
    for (int64_t i = 0; i < batch->count && status == ALCORE_OK; i++)
        if (!all->outputs.rows[batch->rows[i] * all->outputs.best].found)
            status = alcore__fail(ALCORE_E_MISSING,
                                  "%s gave no output for row %lld, as engines do where the numbers "
                                  "of a model become NaN or infinite",
                                  data->engine->engine, (long long)batch->rows[i]);
    return status;
}

/* Translates the unmasked rows of the pool, batch by batch. The caller holds its read lock. Rows
 * are those for which the model would compute the column "logprobs". */
static alcore_status translate_rows(translating *all, alcore_pool *pool,
                                    const alcore_sys_model_decoding *how) {
    alcore_ctx *ctx = all->model->object.ctx;
    alcore__model_batch batch = {0};
    const int64_t rows = alcore_pool_row_count(pool);
    all->batch = &batch;
    alcore_status status = alcore__model_batch_init(ctx, ALCORE__ENGINE_ROWS, &batch);
    for (int64_t row = 0; row < rows && status == ALCORE_OK;) {
        alcore__model_batch_fill(pool, "logprobs", NULL /* all rows */, &row, &batch);
        status = alcore__tick(ctx, "translation", row, rows);
        if (status == ALCORE_OK && batch.count > 0) status = translate_batch(all, how);
    }
    alcore__model_batch_clear(ctx, &batch);
    all->batch = NULL;
    return status;
}

/* Says what the tokens of the outputs in the pool `made` are; language: of the outputs, or NULL. */
static alcore_status note_outputs(const alcore_model *model, const char *language,
                                  alcore_pool *made) {
    char *copy;
    ALCORE__TRY(alcore__engine_copy_language(made, language, &copy));
    const alcore_status status = alcore__write_begin(made, "pool");
    if (status != ALCORE_OK) {
        alcore__free(alcore__pool_ctx(made), copy);
        return status;
    }
    alcore__engine_note_targets(model, made, copy, false);
    alcore__write_end(made);
    return ALCORE_OK;
}

/* Translates under the read lock of the pool, which the caller holds. */
static alcore_status translate_pool(translating *all, alcore_pool *pool,
                                    const alcore__translating *wanted, alcore_pool *made) {
    alcore_sys_model_decoding how = {
        .size = sizeof how,
        .beams = wanted->beams,
        .outputs = wanted->best,
        .max_tokens = wanted->max_tokens,
        .length_penalty =
            wanted->length_penalty == 0 ? -1 : alcore__or_unset(wanted->length_penalty, 0),
        .sample = wanted->sample,
        .temperature = alcore__or_unset(wanted->temperature, 0),
        .seed = wanted->seed};
    ALCORE__TRY(alcore__engine_find_language(all->model, wanted->language, &how));
    ALCORE__TRY(translate_rows(all, pool, &how));
    ALCORE__TRY(alcore__outputs_fill(&all->outputs, pool, made));
    return note_outputs(all->model, how.language, made);
}

/* alcore__model_table.translate: collects the outputs and fills the empty pool `out`, under the
 * read lock of the sources. */
alcore_status alcore__engine_translate(alcore_model *model, alcore_pool *pool,
                                       const alcore__translating *wanted, alcore_pool *out) {
    translating all = {.model = model, .pool = pool};
    if (!alcore__engine_has(model->data, ALCORE_SYS_MODEL_TRANSLATE))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s does not translate", model->name);
    ALCORE__TRY(alcore__engine_check_outputs(model));
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__outputs_init(model->object.ctx, alcore_pool_row_count(pool),
                                                wanted->best, &all.outputs);
    if (status == ALCORE_OK) status = translate_pool(&all, pool, wanted, out);
    alcore__read_end(pool);
    alcore__outputs_clear(&all.outputs);
    const alcore__column_cut cut = {all.cut,
                                    alcore__engine_cut_limit(model->data, ALCORE__TEXT_CONTINUED)};
    if (status == ALCORE_OK) alcore__model_note_cut(model, cut, NULL /* for outputs */);
    return status;
}
