/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of a training or of a validation: the unmasked rows of a pool, encoded, with their
 * references as targets of a translation model or as classes, or with the classes of their tokens,
 * from a column or from the references. Those of question answering are in model_questions.c. */
#include <string.h>

#include "base/number.h"
#include "base/tensor_view.h"
#include "extra/training/training_internal.h"
#include "pool/column.h"
#include "text/words.h"

/* The tokens that token_probs() of alcore/sys/model.h gives rows of, in a call over all examples.
 */
bool alcore__examples_counts(const alcore__examples *all, int64_t k) {
    const uint8_t *marks = all->sources.passed.marks;
    if (!marks) return true;
    return all->words ? marks[k] & ALCORE_SYS_TOKEN_WORD : !(marks[k] & ALCORE_SYS_TOKEN_SPECIAL);
}

int64_t alcore__class_of(const alcore__engine_model *data, const char *word, size_t length) {
    const alcore_sys_model_info *info = &data->info;
    int64_t number;
    for (int64_t k = 0; info->labels && k < info->classes; k++)
        if (strlen(info->labels[k]) == length && !memcmp(info->labels[k], word, length)) return k;
    if (length == 0 || word[0] < '0' || word[0] > '9') return -1;
    return alcore__parse_int(word, length, &number) && number < info->classes ? number : -1;
}

/* The labels of one row: those of its words, or of its tokens. */
typedef struct row_labels {
    int64_t *values; /* [count] owned: classes, or -100 */
    int64_t count;
    size_t capacity; /* of values */
} row_labels;

/* Appends a label, which is a class or -100. */
static alcore_status add_label(alcore_ctx *ctx, row_labels *out, int64_t label) {
    ALCORE__TRY(
        alcore__grow(ctx, &out->values, &out->capacity, (size_t)out->count + 1, sizeof label));
    out->values[out->count++] = label;
    return ALCORE_OK;
}

/* Reads the labels of a row of a ragged column of integers. */
static alcore_status read_integers(alcore_ctx *ctx, const alcore__engine_model *data,
                                   const alcore_sys_ragged *row, row_labels *out) {
    const int64_t count = row->offsets[1] - row->offsets[0];
    for (int64_t k = 0; k < count; k++) {
        const int64_t label = row->dtype == ALCORE_INT32 ? ((const int32_t *)row->values)[k]
                                                         : ((const int64_t *)row->values)[k];
        if (label != -100 && (label < 0 || label >= data->info.classes))
            return alcore__fail(ALCORE_E_DATA,
                                "the label %lld is no class from 0 to %lld and not -100",
                                (long long)label, (long long)data->info.classes - 1);
        ALCORE__TRY(add_label(ctx, out, label));
    }
    return ALCORE_OK;
}

/* Reads the labels of a reference, which are its words. */
static alcore_status read_words(alcore_ctx *ctx, const alcore__engine_model *data, const char *text,
                                size_t length, row_labels *out) {
    const char *next = text, *end = text + length, *word;
    while (alcore__word_next(&next, end, &word, &length)) {
        const bool none = length == 4 && !memcmp(word, "-100", 4);
        const int64_t label = none ? -100 : alcore__class_of(data, word, length);
        if (label < 0 && !none)
            return alcore__fail(ALCORE_E_DATA,
                                "label %lld of its reference is '%.*s', not -100 and no class of "
                                "the model, by name (id2label of config.json) or by number from 0 "
                                "to %lld",
                                (long long)out->count + 1, length < 40 ? (int)length : 40, word,
                                (long long)data->info.classes - 1);
        ALCORE__TRY(add_label(ctx, out, label));
    }
    return ALCORE_OK;
}

/* Sets the labels of the tokens of example i, all -100 before, to those of its row. */
static alcore_status store_labels(const alcore__engine_model *data, const row_labels *row,
                                  alcore__examples *all, int64_t i) {
    const alcore_sys_model_texts *texts = &all->sources.passed;
    const int64_t length = texts->offsets[i + 1] - texts->offsets[i];
    int64_t used = 0, tokens = 0;
    for (int64_t k = texts->offsets[i]; k < texts->offsets[i + 1]; k++) {
        if (!alcore__examples_counts(all, k)) continue;
        tokens++;
        if (used < row->count) all->labels[k] = row->values[used++];
    }
    if (tokens > row->count || (used < row->count && length < data->info.max_tokens))
        return alcore__fail(ALCORE_E_SHAPE, "it has %lld labels, its text has %lld %s",
                            (long long)row->count, (long long)tokens,
                            all->words ? "words" : "tokens");
    return ALCORE_OK;
}

/* Reads the labels of example i into *row, from the column or, where it is NULL, from the reference
 * of the row, and stores them. */
static alcore_status read_row(const alcore__engine_model *data, const alcore_pool *pool,
                              const alcore__column *column, alcore__scratch *scratch,
                              row_labels *row, alcore__examples *all, int64_t i) {
    alcore_ctx *ctx = alcore__pool_ctx(pool);
    const int64_t number = all->batch.rows[i];
    alcore_sys_ragged values = {0};
    size_t length = 0;
    row->count = 0;
    if (column) {
        ALCORE__TRY(column->ops->ragged(column, number, 1, scratch, &values));
        ALCORE__TRY(read_integers(ctx, data, &values, row));
        return store_labels(data, row, all, i);
    }
    const char *text = alcore_pool_reference(pool, number, &length);
    if (!text)
        return alcore__fail(
            ALCORE_E_MISSING,
            "it has no reference, and alcore_train_options: labels names no column");
    ALCORE__TRY(read_words(ctx, data, text, length, row));
    return store_labels(data, row, all, i);
}

/* Reads the classes of tokens from a column, or from the references where name is NULL. */
static alcore_status read_labels(const alcore_model *model, const alcore_pool *pool,
                                 const char *name, alcore__examples *all) {
    const alcore_sys_model_texts *texts = &all->sources.passed;
    const int64_t tokens = texts->offsets[texts->count];
    alcore_ctx *ctx = model->object.ctx;
    const alcore__column *column = NULL;
    alcore__scratch scratch = {0};
    row_labels row = {0};
    alcore_status status = ALCORE_OK;
    if (name) ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    if (column &&
        (!column->ragged || column->dims != 1 || !alcore__dtype_is_integer(column->dtype)))
        return alcore__fail(ALCORE_E_SHAPE, "column '%s' is no ragged column of integers", name);
    ALCORE__TRY(alcore__new_array(ctx, (size_t)tokens, sizeof *all->labels, &all->labels));
    for (int64_t k = 0; k < tokens; k++) {
        all->labels[k] = -100;
        all->words = all->words || (texts->marks && (texts->marks[k] & ALCORE_SYS_TOKEN_WORD));
    }
    for (int64_t i = 0; i < texts->count && status == ALCORE_OK; i++) {
        const int64_t number = all->batch.rows[i];
        char id[24];
        status = read_row(model->data, pool, column, &scratch, &row, all, i);
        if (status != ALCORE_OK)
            status = alcore__fail_within(status, "%s%s%srow %lld (id %s)", name ? "column '" : "",
                                         name ? name : "", name ? "', " : "", (long long)number,
                                         alcore__pool_id(pool, number, id));
    }
    alcore__scratch_clear(ctx, &scratch);
    alcore__free(ctx, row.values);
    return status;
}

/* Reads the references of a batch as names or numbers of classes: labels [batch->count]. The caller
 * holds the read lock of the pool. */
static alcore_status read_classes(const alcore__engine_model *data, const alcore_pool *pool,
                                  const alcore__model_batch *batch, int64_t *labels) {
    for (int64_t i = 0; i < batch->count; i++) {
        size_t length = 0;
        char id[24];
        const char *text = alcore_pool_reference(pool, batch->rows[i], &length);
        if (!text)
            return alcore__fail(ALCORE_E_MISSING, "row %lld (id %s) has no reference",
                                (long long)batch->rows[i],
                                alcore__pool_id(pool, batch->rows[i], id));
        labels[i] = alcore__class_of(data, text, length);
        if (labels[i] < 0)
            return alcore__fail(
                ALCORE_E_DATA,
                "row %lld (id %s): the reference '%.40s' is no class from 0 to %lld%s",
                (long long)batch->rows[i], alcore__pool_id(pool, batch->rows[i], id), text,
                (long long)data->info.classes - 1,
                data->info.labels ? " and the name of none (id2label of config.json)" : "");
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

const alcore_sys_model_texts *alcore__examples_targets(const alcore__examples *all) {
    return all->labels || all->whole ? NULL : &all->targets.passed;
}

/* Whether a row of the batch has a reference. */
static bool has_references(const alcore_pool *pool, const alcore__model_batch *batch) {
    for (int64_t i = 0; i < batch->count; i++)
        if (alcore_pool_reference(pool, batch->rows[i], NULL)) return true;
    return false;
}

/* Refuses a prompt in front of texts which are learned as a whole, so that it would be too. */
static alcore_status check_whole(const alcore_model *model) {
    if (!alcore__engine_prompt(model->data, false)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_MISSING,
                        "no row has a reference, which would follow the text in its prompt; open "
                        "the model %s without a prompt to train it on whole texts",
                        model->name);
}

/* Encodes the references of the batch. Those of a language model must fit behind their sources,
 * which are not cut. */
static alcore_status read_targets(const alcore_model *model, const alcore_pool *pool,
                                  alcore__examples *out) {
    ALCORE__TRY(alcore__engine_encode_references(model, pool, &out->batch, &out->texts,
                                                 &out->lengths, &out->targets));
    return alcore__engine_check_pairs(model, pool, &out->batch, &out->sources.passed,
                                      &out->targets.passed);
}

alcore_status alcore__examples_read(const alcore_model *model, const alcore_pool *pool,
                                    const char *labels, alcore__examples *out) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    const int64_t rows = alcore_pool_row_count(pool);
    int64_t row = 0;
    ALCORE__TRY(alcore__model_batch_init(ctx, rows > 0 ? rows : 1, &out->batch));
    alcore__model_batch_fill(pool, "logprobs", NULL /* all rows */, &row, &out->batch);
    if (out->batch.count == 0)
        return alcore__fail(ALCORE_E_MISSING,
                            "%s: the pool has no rows to train on or to validate with",
                            model->name);
    if (alcore__answers_questions(data)) return alcore__questions_read(model, pool, labels, out);
    const bool continued = alcore__is_language_model(data);
    out->whole = continued && !labels && !has_references(pool, &out->batch);
    if (out->whole) ALCORE__TRY(check_whole(model));
    ALCORE__TRY(
        alcore__engine_encode(model, pool, &out->batch,
                              continued && !out->whole ? ALCORE__TEXT_LEARNED : ALCORE__TEXT_SOURCE,
                              NULL, &out->sources));
    if (alcore__classifies_tokens(data)) return read_labels(model, pool, labels, out);
    if (labels)
        return alcore__fail(ALCORE_E_PARAM,
                            "model %s does not classify tokens or answer questions: "
                            "alcore_train_options: labels is for models that do",
                            model->name);
    if (out->whole) return ALCORE_OK;
    if (!alcore__classifies(data)) return read_targets(model, pool, out);
    ALCORE__TRY(
        alcore__new_array(ctx, (size_t)out->batch.count, sizeof *out->labels, &out->labels));
    return read_classes(data, pool, &out->batch, out->labels);
}
