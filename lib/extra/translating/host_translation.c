/* SPDX-License-Identifier: Apache-2.0 */
/* Translation by a host's model: the caller's function gets batches of rows and hands over outputs,
 * of which model/model_outputs.c makes a pool. */
#include <math.h>

#include "alcore/extra/translating.h"
#include "model/model_host.h"
#include "model/model_outputs.h"

/* A call, and what the caller's function puts into. */
struct alcore_outputs {
    const alcore_model *model;
    alcore_translate_options options; /* of the caller of alcore_model_translate() */
    alcore__host_batch batch;
    alcore__outputs outputs;
};

/* *sum: of the log-probabilities [tokens] of an output of a row. */
static alcore_status add_logprobs(const float *logprobs, int64_t tokens, int64_t row, double *sum) {
    *sum = 0;
    for (int64_t t = 0; t < tokens; t++) {
        if (!(logprobs[t] <= 0))
            return alcore__fail(ALCORE_E_DATA,
                                "row %lld: the log-probability of token %lld of its output is %g, "
                                "not 0 or below",
                                (long long)row, (long long)t, (double)logprobs[t]);
        *sum += (double)logprobs[t];
    }
    return ALCORE_OK;
}

/* The body of alcore_outputs_put(). */
static alcore_status put_output(alcore_outputs *all, int64_t item, int64_t rank, const char *text,
                                size_t length, const float *logprobs, int64_t tokens,
                                double score) {
    double sum;
    if (item < 0 || item >= all->batch.rows.count)
        return alcore__fail(ALCORE_E_INVALID, "an output of item %lld of a batch of %lld",
                            (long long)item, (long long)all->batch.rows.count);
    const int64_t row = all->batch.rows.rows[item];
    ALCORE__TRY(add_logprobs(logprobs, tokens, row, &sum));
    alcore__output *output = alcore__outputs_begin(&all->outputs, row, rank);
    if (!output) return ALCORE_OK;
    ALCORE__TRY(alcore__buffer_append(all->outputs.ctx, &all->outputs.texts, text, length));
    return alcore__outputs_end(&all->outputs, output, logprobs, tokens, isnan(score) ? sum : score);
}

alcore_status alcore_outputs_put(alcore_outputs *outputs, int64_t item, int64_t rank,
                                 const char *text, size_t length, const float *logprobs,
                                 int64_t tokens, double score) {
    if (!outputs || (!text && length > 0) || (!logprobs && tokens > 0))
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_outputs_put: outputs, text and logprobs are needed");
    if (rank < 0 || tokens < 0)
        return alcore__fail(ALCORE_E_INVALID, "alcore_outputs_put: %s is negative",
                            rank < 0 ? "rank" : "tokens");
    ALCORE__TRY(alcore__enter(outputs->outputs.ctx));
    return alcore__leave(outputs->outputs.ctx,
                         put_output(outputs, item, rank, text, length, logprobs, tokens, score));
}

/* Lets the function translate the batch, which is empty then; a row without an output is an error.
 */
static alcore_status translate_batch(alcore_outputs *all, int64_t row) {
    const alcore__host_model *data = alcore__host_data(all->model);
    const alcore_translate_function translate = (alcore_translate_function)data->translate_function;
    const alcore__model_batch *rows = &all->batch.rows;
    if (rows->count == 0) return ALCORE_OK;
    ALCORE__TRY(
        alcore__tick(all->outputs.ctx, "translation", row, alcore_pool_row_count(all->batch.pool)));
    const alcore_batch view = alcore__host_batch_view(&all->batch);
    const alcore_status status = translate(data->host.user, &view, &all->options, all);
    if (status != ALCORE_OK) return alcore__fail_callback(status, "the model's function");
    for (int64_t i = 0; i < rows->count; i++)
        if (!all->outputs.rows[rows->rows[i] * all->outputs.best].found)
            return alcore__fail(ALCORE_E_MISSING,
                                "the model's function gave no output for row %lld",
                                (long long)rows->rows[i]);
    alcore__host_batch_empty(&all->batch);
    return ALCORE_OK;
}

/* Translates the unmasked rows, and fills the pool of the outputs. The caller holds the read lock
 * of the sources. */
static alcore_status translate_pool(alcore_outputs *all, const alcore_pool *pool,
                                    alcore_pool *made) {
    const int64_t rows = alcore_pool_row_count(pool);
    const uint32_t *states = alcore_pool_states(pool);
    ALCORE__TRY(
        alcore__outputs_init(all->model->object.ctx, rows, all->options.best, &all->outputs));
    ALCORE__TRY(alcore__host_batch_init(all->model, pool, false, &all->batch));
    for (int64_t row = 0; row < rows; row++) {
        if (!alcore__model_wants(NULL, row, states[row], "logprobs")) continue;
        if (alcore__host_batch_add(&all->batch, row)) continue;
        ALCORE__TRY(translate_batch(all, row));
        (void)alcore__host_batch_add(&all->batch, row); /* an empty batch takes any row */
    }
    ALCORE__TRY(translate_batch(all, rows));
    return alcore__outputs_fill(&all->outputs, pool, made);
}

/* alcore__host_model.translate */
static alcore_status translate_rows(alcore_model *model, alcore_pool *pool,
                                    const alcore__translating *how, alcore_pool *out) {
    alcore_outputs all = {.model = model,
                          .options = {.size = sizeof all.options,
                                      .max_tokens = how->max_tokens,
                                      .length_penalty = how->length_penalty,
                                      .temperature = how->temperature,
                                      .seed = how->seed,
                                      .beams = how->beams,
                                      .sample = how->sample,
                                      .language = how->language,
                                      .best = how->best},
                          .outputs = {.ctx = model->object.ctx}};
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    const alcore_status status = translate_pool(&all, pool, out);
    alcore__read_end(pool);
    alcore__host_batch_clear(model->object.ctx, &all.batch);
    alcore__outputs_clear(&all.outputs);
    return status;
}

/* The body of alcore_model_set_translate(). */
static alcore_status set_translate(alcore_model *model, alcore_translate_function translate) {
    alcore__host_model *data = alcore__host_of(model);
    if (!data)
        return alcore__fail(ALCORE_E_INVALID, "model %s is not made of functions of the caller's",
                            alcore_model_name(model));
    ALCORE__TRY(alcore__write_begin(model, "model"));
    data->translate_function = (void (*)(void))translate;
    data->translate = translate ? translate_rows : NULL;
    alcore__write_end(model);
    return ALCORE_OK;
}

alcore_status alcore_model_set_translate(alcore_model *model, alcore_translate_function translate) {
    if (!model)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_set_translate: model is needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    return alcore__leave(model->object.ctx, set_translate(model, translate));
}
