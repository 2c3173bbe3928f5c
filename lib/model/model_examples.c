/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of a training or of a validation: the unmasked rows of a pool, encoded, with their
 * references as targets of a translation model or as classes, or with a column of classes of their
 * tokens. Those of question answering are in model_questions.c. */
#include "base/tensor_view.h"
#include "model/training.h"
#include "pool/column.h"

bool alcore__classifies(const alcore__engine_model *data) {
    return (data->info.calls & ALCORE_SYS_MODEL_CLASS_PROBS) &&
           !(data->info.calls & ALCORE_SYS_MODEL_TRANSLATE);
}

bool alcore__classifies_tokens(const alcore__engine_model *data) {
    const uint32_t others = ALCORE_SYS_MODEL_TRANSLATE | ALCORE_SYS_MODEL_CLASS_PROBS;
    return data->info.takes_tokens && (data->info.calls & ALCORE_SYS_MODEL_TOKEN_PROBS) &&
           !(data->info.calls & others);
}

/* The tokens that token_probs() of alcore/sys/model.h gives rows of, in a call over all examples.
 */
bool alcore__examples_counts(const alcore__examples *all, int64_t k) {
    const uint8_t *marks = all->sources.passed.marks;
    if (!marks) return true;
    return all->words ? marks[k] & ALCORE_SYS_TOKEN_WORD : !(marks[k] & ALCORE_SYS_TOKEN_SPECIAL);
}

/* Sets the labels of the tokens of example i, all -100 before, to those of its row of the column:
 * count integers of type dtype. */
static alcore_status store_labels(const alcore__engine_model *data, const alcore_pool *pool,
                                  const char *name, const alcore_sys_ragged *row,
                                  alcore__examples *all, int64_t i) {
    const alcore_sys_model_texts *texts = &all->sources.passed;
    const int64_t count = row->offsets[1] - row->offsets[0];
    const int64_t length = texts->offsets[i + 1] - texts->offsets[i];
    const long long number = (long long)all->batch.rows[i];
    int64_t used = 0, tokens = 0;
    char id[24];
    for (int64_t k = texts->offsets[i]; k < texts->offsets[i + 1]; k++) {
        if (!alcore__examples_counts(all, k)) continue;
        tokens++;
        if (used == count) continue;
        const int64_t label = row->dtype == ALCORE_INT32 ? ((const int32_t *)row->values)[used]
                                                         : ((const int64_t *)row->values)[used];
        if (label != -100 && (label < 0 || label >= data->info.classes))
            return alcore__fail(ALCORE_E_DATA,
                                "column '%s', row %lld (id %s): the label %lld is no class from 0 "
                                "to %lld and not -100",
                                name, number, alcore_pool_id(pool, all->batch.rows[i], id),
                                (long long)label, (long long)data->info.classes - 1);
        all->labels[k] = label;
        used++;
    }
    if (tokens > count || (used < count && length < data->info.max_tokens))
        return alcore__fail(ALCORE_E_SHAPE,
                            "column '%s', row %lld (id %s) has %lld labels, its text has %lld %s",
                            name, number, alcore_pool_id(pool, all->batch.rows[i], id),
                            (long long)count, (long long)tokens, all->words ? "words" : "tokens");
    return ALCORE_OK;
}

/* Reads the column of the classes of tokens. */
static alcore_status read_labels(const alcore_model *model, const alcore_pool *pool,
                                 const char *name, alcore__examples *all) {
    const alcore_sys_model_texts *texts = &all->sources.passed;
    const int64_t tokens = texts->offsets[texts->count];
    alcore_ctx *ctx = model->object.ctx;
    const alcore__column *column;
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    if (!name)
        return alcore__fail(ALCORE_E_PARAM,
                            "model %s classifies tokens: alcore_train_options: labels is needed",
                            model->name);
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    if (!column->ragged || column->dims != 1 || !alcore__dtype_is_integer(column->dtype))
        return alcore__fail(ALCORE_E_SHAPE, "column '%s' is no ragged column of integers", name);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)tokens, sizeof *all->labels, &all->labels));
    for (int64_t k = 0; k < tokens; k++) {
        all->labels[k] = -100;
        all->words = all->words || (texts->marks && (texts->marks[k] & ALCORE_SYS_TOKEN_WORD));
    }
    for (int64_t i = 0; i < texts->count && status == ALCORE_OK; i++) {
        alcore_sys_ragged row = {0};
        status = column->ops->ragged(column, all->batch.rows[i], 1, &scratch, &row);
        if (status == ALCORE_OK) status = store_labels(model->data, pool, name, &row, all, i);
    }
    alcore__scratch_clear(ctx, &scratch);
    return status;
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
    alcore__windows_clear(ctx, &all->windows);
    alcore__free(ctx, all->window_rows);
    alcore__free(ctx, (void *)all->contexts);
    alcore__free(ctx, all->context_lengths);
}

alcore_status alcore__examples_read(const alcore_model *model, const alcore_pool *pool,
                                    const char *labels, alcore__examples *out) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    const int64_t rows = alcore_pool_rows(pool);
    int64_t row = 0;
    ALCORE__TRY(alcore__model_batch_init(ctx, rows > 0 ? rows : 1, &out->batch));
    alcore__model_batch_fill(pool, "logprobs", NULL /* all rows */, &row, &out->batch);
    if (out->batch.count == 0)
        return alcore__fail(ALCORE_E_MISSING,
                            "%s: the pool has no rows to train on or to validate with",
                            model->name);
    if (alcore__answers_questions(data)) return alcore__questions_read(model, pool, labels, out);
    const alcore__texts texts = {out->batch.texts, out->batch.lengths, out->batch.count};
    ALCORE__TRY(alcore__engine_encode(model, &texts, out->batch.languages, false, &out->sources));
    if (alcore__classifies_tokens(data)) return read_labels(model, pool, labels, out);
    if (labels)
        return alcore__fail(ALCORE_E_PARAM,
                            "model %s does not classify tokens or answer questions: "
                            "alcore_train_options: labels is for models that do",
                            model->name);
    if (!alcore__classifies(data))
        return alcore__engine_encode_references(model, pool, &out->batch, &out->texts,
                                                &out->lengths, &out->targets);
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)out->batch.count, sizeof *out->labels, &out->labels));
    return read_classes(data, pool, &out->batch, out->labels);
}
