/* SPDX-License-Identifier: Apache-2.0 */
/* Training a model that runs in a module, on the pairs of a pool.
 *
 * The engine shuffles the examples itself, so all of them are encoded before it begins. */
#include <math.h>

#include "extra/training/training_internal.h"

/* Reads the weights of the examples from a column of the pool: *out [count], which the caller
 * frees, also after a failure. The caller holds the read lock of the pool. */
static alcore_status read_weights(alcore_ctx *ctx, const alcore_pool *pool, const char *column,
                                  const alcore__model_batch *batch, float **out) {
    const size_t count = (size_t)batch->count;
    double *values = NULL;
    int64_t shape = batch->count;
    alcore_tensor tensor;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof **out, out));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *values, &values));
    alcore_status status = alcore_tensor_init(&tensor, values, ALCORE_FLOAT64, &shape, 1);
    if (status == ALCORE_OK)
        status = alcore_pool_get_column_rows(pool, column, batch->rows, batch->count, &tensor);
    for (size_t i = 0; i < count && status == ALCORE_OK; i++) {
        char id[24];
        (*out)[i] = (float)values[i];
        if (!((*out)[i] > 0) || isinf((*out)[i]))
            status = alcore__fail(ALCORE_E_DATA,
                                  "column '%s', row %lld (id %s): the weight %g is no number above "
                                  "0",
                                  column, (long long)batch->rows[i],
                                  alcore__pool_id(pool, batch->rows[i], id), values[i]);
    }
    alcore__free(ctx, values);
    return status;
}

/* Lets the engine train on the examples, whose weights are [count] or NULL. After a failure too the
 * updates that the engine finished are in the weights of the model. */
static alcore_status train_on(const alcore__examples *all, const float *weights,
                              alcore__watch *watch) {
    const alcore_train_options *options = watch->options;
    const alcore__engine_model *data = watch->model->data;
    alcore_sys_model_trained done = {.size = sizeof done};
    const alcore_sys_model_training how = {
        .size = sizeof how,
        .sources = &all->sources.passed,
        .targets = alcore__examples_targets(all),
        .labels = all->labels,
        .weights = weights,
        .rate = options->rate,
        .weight_decay = options->weight_decay,
        .beta1 = options->beta1,
        .beta2 = options->beta2,
        .epsilon = options->epsilon,
        .clip = options->clip,
        .label_smoothing = options->label_smoothing,
        .updates = options->updates,
        .warmup = options->warmup,
        .accumulate = options->accumulate,
        .batch_tokens = options->batch_tokens,
        .checkpoint_every = options->checkpoint_every,
        .schedule = options->schedule - ALCORE_SCHEDULE_CONSTANT + ALCORE_SYS_SCHEDULE_CONSTANT,
        .optimizer = options->optimizer - ALCORE_OPTIMIZER_ADAMW + ALCORE_SYS_OPTIMIZER_ADAMW,
        .seed = options->seed,
        .checkpoints = options->checkpoints,
        .after_update = alcore__watch_update,
        .user = watch,
        .dtype = options->precision == ALCORE_PRECISION_FLOAT16    ? ALCORE_FLOAT16
                 : options->precision == ALCORE_PRECISION_BFLOAT16 ? ALCORE_BFLOAT16
                                                                   : ALCORE_FLOAT32,
        .recompute = options->recompute,
        .lora_rank = options->lora_rank,
        .lora_alpha = options->lora_alpha,
        .lora_dropout = options->lora_dropout,
        .lora_targets = options->lora_targets};
    alcore_status status = data->engine->train(data->opened, &how, &done);
    if (status != ALCORE_OK) status = alcore__fail_callback(status, data->engine->engine);
    if (status == ALCORE_OK && options->validation && !watch->begun)
        status = alcore__fail(ALCORE_E_UNSUPPORTED, "%s trains without validation",
                              data->engine->engine);
    watch->result->updates = done.updates;
    watch->result->tokens = done.tokens;
    watch->result->loss = done.loss;
    watch->result->seconds = done.seconds;
    watch->result->trained_parameters = done.trained_parameters;
    watch->result->parameters = done.parameters;
    return status;
}

/* Removes the unfinished states, of 12 bytes a parameter, that killed trainings left in the folder
 * of checkpoints. */
static alcore_status remove_leftovers(alcore_ctx *ctx, const char *checkpoints) {
    alcore__buffer folder = {0};
    if (!checkpoints) return ALCORE_OK;
    ALCORE__TRY(alcore__buffer_format(ctx, &folder, "%s/", checkpoints));
    alcore__remove_leftovers(ctx, folder.data);
    alcore__buffer_clear(ctx, &folder);
    return ALCORE_OK;
}

/* Replaces the weights of questions [batch.count] by those of their windows. */
static alcore_status weigh_windows(alcore_ctx *ctx, const alcore__examples *all, float **weights) {
    float *of_windows;
    if (!*weights || !all->window_rows) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)all->windows.count, sizeof *of_windows, &of_windows));
    for (int64_t w = 0; w < all->windows.count; w++)
        of_windows[w] = (*weights)[all->window_rows[w]];
    alcore__free(ctx, *weights);
    *weights = of_windows;
    return ALCORE_OK;
}

/* Trains under the read lock of the pool, which the caller holds. */
static alcore_status train_pool(alcore_model *model, const alcore_pool *pool,
                                const alcore_train_options *options, alcore_train_result *out) {
    alcore_ctx *ctx = model->object.ctx;
    alcore__examples all = {0};
    alcore__watch watch = {0};
    float *weights = NULL;
    alcore_status status = alcore__watch_begin(model, options, out, &watch);
    if (status == ALCORE_OK) status = alcore__examples_read(model, pool, options->labels, &all);
    if (status == ALCORE_OK && options->weights)
        status = read_weights(ctx, pool, options->weights, &all.batch, &weights);
    if (status == ALCORE_OK) status = weigh_windows(ctx, &all, &weights);
    if (status == ALCORE_OK) status = remove_leftovers(ctx, options->checkpoints);
    if (status == ALCORE_OK) {
        status = train_on(&all, weights, &watch);
        const alcore_status updated = alcore__engine_update(ctx, model->data);
        if (status == ALCORE_OK) status = updated;
    }
    alcore__free(ctx, weights);
    alcore__examples_clear(ctx, &all);
    alcore__watch_clear(&watch);
    return status;
}

alcore_status alcore__engine_train(alcore_model *model, alcore_pool *pool,
                                   const alcore_train_options *options, alcore_train_result *out) {
    const alcore__engine_model *data = model->data;
    if (!alcore__engine_trains(data))
        return alcore__fail(
            ALCORE_E_UNSUPPORTED, "model %s is not trained: %s", model->name,
            alcore__learns(data)
                ? "its weights are not float32, the dtype with which it has to be opened; the "
                  "products of a training may be narrower (precision)"
                : "it neither translates nor classifies texts or tokens nor answers questions");
    if (options->lora_rank && !(data->info.calls & ALCORE_SYS_MODEL_TRAIN_LORA))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s: adapters of it (lora_rank) are not trained", model->name);
    *out = (alcore_train_result)ALCORE_TRAIN_RESULT_INIT;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status =
        options->validation ? alcore__read_begin(options->validation, "validation") : ALCORE_OK;
    if (status == ALCORE_OK) {
        status = train_pool(model, pool, options, out);
        if (options->validation) alcore__read_end(options->validation);
    }
    alcore__read_end(pool);
    return status;
}
