/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of a training or of a validation: the unmasked rows of a pool, encoded, with their
 * references as targets of a translation model or as classes. */
#include "model/training.h"

bool alcore__classifies(const alcore__engine_model *data) {
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

void alcore__examples_clear(alcore_ctx *ctx, alcore__examples *all) {
    alcore__engine_texts_clear(ctx, &all->sources);
    alcore__engine_texts_clear(ctx, &all->targets);
    alcore__model_batch_clear(ctx, &all->batch);
    alcore__free(ctx, (void *)all->texts);
    alcore__free(ctx, all->lengths);
    alcore__free(ctx, all->labels);
}

alcore_status alcore__examples_read(const alcore_model *model, const alcore_pool *pool,
                                    alcore__examples *out) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    const int64_t rows = alcore_pool_rows(pool);
    int64_t row = 0;
    ALCORE__TRY(alcore__model_batch_room(ctx, rows > 0 ? rows : 1, &out->batch));
    alcore__model_batch_fill(pool, "logprobs", NULL /* all rows */, &row, &out->batch);
    if (out->batch.count == 0)
        return alcore__fail(ALCORE_E_MISSING,
                            "%s: the pool has no rows to train on or to validate with",
                            model->name);
    const alcore__texts texts = {out->batch.texts, out->batch.lengths, out->batch.count};
    ALCORE__TRY(alcore__engine_encode(model, &texts, out->batch.languages, false, &out->sources));
    if (!alcore__classifies(data))
        return alcore__engine_encode_references(model, pool, &out->batch, &out->texts,
                                                &out->lengths, &out->targets);
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)out->batch.count, sizeof *out->labels, &out->labels));
    return read_classes(data, pool, &out->batch, out->labels);
}
