/* SPDX-License-Identifier: Apache-2.0 */
/* Training a model that runs in a module, on the pairs of a pool, and saving it.
 *
 * The engine shuffles the examples itself, so all of them are encoded before it begins: 8 bytes for
 * each token of texts and references, 17 where the tokenizer tells types and marks. */
#include "model/model_engine.h"

/* Whether the examples of the model are texts with the number of a class: it has a head over texts,
 * and does not translate. */
static bool classifies(const alcore__engine_model *data) {
    return (data->info.calls & ALCORE_SYS_MODEL_CLASS_PROBS) &&
           !(data->info.calls & ALCORE_SYS_MODEL_TRANSLATE);
}

/* Reads the references of a batch as numbers of classes: labels [batch->count]. The caller holds
 * the read lock of the pool. */
static alcore_status read_classes(const alcore__engine_model *data, const alcore_pool *pool,
                                  const alcore__model_batch *batch, int64_t *labels) {
    for (int64_t i = 0; i < batch->count; i++) {
        size_t length = 0, k = 0;
        char id[24];
        const char *text = alcore_pool_reference(pool, batch->rows[i], &length);
        for (labels[i] = 0; text && k < length && text[k] >= '0' && text[k] <= '9'; k++)
            if (labels[i] < data->info.classes) labels[i] = labels[i] * 10 + (text[k] - '0');
        if (!text)
            return alcore__fail(ALCORE_E_MISSING, "row %lld (id %s) has no reference",
                                (long long)batch->rows[i],
                                alcore_pool_id(pool, batch->rows[i], id));
        if (k == 0 || k < length || labels[i] >= data->info.classes)
            return alcore__fail(
                ALCORE_E_DATA, "row %lld (id %s): the reference '%.40s' is no class from 0 to %lld",
                (long long)batch->rows[i], alcore_pool_id(pool, batch->rows[i], id), text,
                (long long)data->info.classes - 1);
    }
    return ALCORE_OK;
}

/* The examples of a training; zeros hold none. */
typedef struct examples {
    alcore__model_batch batch; /* all unmasked rows */
    alcore__engine_texts sources, targets;
    const char **texts; /* [batch.count] of the references, as lengths */
    size_t *lengths;
    int64_t *labels; /* [batch.count] classes; NULL for translation models */
} examples;

static void examples_clear(alcore_ctx *ctx, examples *all) {
    alcore__engine_texts_clear(ctx, &all->sources);
    alcore__engine_texts_clear(ctx, &all->targets);
    alcore__model_batch_clear(ctx, &all->batch);
    alcore__free(ctx, (void *)all->texts);
    alcore__free(ctx, all->lengths);
    alcore__free(ctx, all->labels);
}

/* Encodes the pairs of the pool, whose read lock the caller holds. */
static alcore_status read_examples(const alcore_model *model, const alcore_pool *pool,
                                   examples *out) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    const int64_t rows = alcore_pool_rows(pool);
    int64_t row = 0;
    ALCORE__TRY(alcore__model_batch_room(ctx, rows > 0 ? rows : 1, &out->batch));
    alcore__model_batch_fill(pool, "logprobs", NULL /* all rows */, &row, &out->batch);
    if (out->batch.count == 0)
        return alcore__fail(ALCORE_E_MISSING, "%s: the pool has no rows to train on", model->name);
    const alcore__texts texts = {out->batch.texts, out->batch.lengths, out->batch.count};
    ALCORE__TRY(alcore__engine_encode(model, &texts, out->batch.languages, false, &out->sources));
    if (!classifies(data))
        return alcore__engine_encode_references(model, pool, &out->batch, &out->texts,
                                                &out->lengths, &out->targets);
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)out->batch.count, sizeof *out->labels, &out->labels));
    return read_classes(data, pool, &out->batch, out->labels);
}

/* Lets the engine train on the examples, and reads what the model is afterwards, also where it
 * failed: the updates that it finished are in the weights. */
static alcore_status train_on(alcore_model *model, const examples *all,
                              const alcore_train_options *options, alcore_train_result *out) {
    alcore__engine_model *data = model->data;
    alcore_sys_model_trained done = {.size = sizeof done};
    const alcore_sys_model_training how = {.size = sizeof how,
                                           .sources = &all->sources.passed,
                                           .targets = all->labels ? NULL : &all->targets.passed,
                                           .labels = all->labels,
                                           .rate = options->rate,
                                           .weight_decay = options->weight_decay,
                                           .clip = options->clip,
                                           .label_smoothing = options->label_smoothing,
                                           .updates = options->updates,
                                           .warmup = options->warmup,
                                           .accumulate = options->accumulate,
                                           .batch_tokens = options->batch_tokens,
                                           .checkpoint_every = options->checkpoint_every,
                                           .schedule = options->schedule,
                                           .seed = options->seed,
                                           .checkpoints = options->checkpoints};
    alcore_status status = data->engine->train(data->opened, &how, &done);
    if (status != ALCORE_OK) status = alcore__fail_callback(status, data->engine->engine);
    *out = (alcore_train_result){.size = sizeof *out,
                                 .updates = done.updates,
                                 .tokens = done.tokens,
                                 .loss = done.loss,
                                 .seconds = done.seconds};
    return status;
}

alcore_status alcore__engine_train(alcore_model *model, alcore_pool *pool,
                                   const alcore_train_options *options, alcore_train_result *out) {
    alcore__engine_model *data = model->data;
    examples all = {0};
    if (!alcore__engine_has(data, ALCORE_SYS_MODEL_TRAIN) ||
        !(classifies(data) || (data->info.calls & ALCORE_SYS_MODEL_TRANSLATE)))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s is not trained: it neither translates nor classifies texts",
                            model->name);
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = read_examples(model, pool, &all);
    if (status == ALCORE_OK) {
        status = train_on(model, &all, options, out);
        const alcore_status updated = alcore__engine_update(model->object.ctx, data);
        if (status == ALCORE_OK) status = updated;
    }
    alcore__read_end(pool);
    examples_clear(model->object.ctx, &all);
    return status;
}

alcore_status alcore__engine_save(alcore_model *model, const char *path) {
    const alcore__engine_model *data = model->data;
    if (!alcore__engine_has(data, ALCORE_SYS_MODEL_SAVE))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s cannot be saved", model->name);
    const alcore_status status = data->engine->save(data->opened, path);
    return status == ALCORE_OK ? ALCORE_OK : alcore__fail_callback(status, data->engine->engine);
}
