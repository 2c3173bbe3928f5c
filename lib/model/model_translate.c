/* SPDX-License-Identifier: Apache-2.0 */
/* The outputs of a translation model in a module, as a pool with a row for each row of the sources.
 *
 * The engine gives outputs in any order, as token ids or as texts. They are collected as they come;
 * when all are there, the rows of the pool and the column of log-probabilities are made of them in
 * row order. Memory: the texts twice, 4 bytes a token and 56 bytes an output. */
#include <math.h>
#include <string.h>

#include "model/model_engine.h"

/* What is known of one output of a row. */
typedef struct output {
    size_t text, text_length; /* its offset in outputs.texts and its bytes */
    int64_t logprob, tokens;  /* index of its first value in outputs.logprobs and their number */
    double score;             /* what the outputs of a row are ranked by */
    bool found;               /* the engine gave it */
} output;

/* All outputs of a call: the user pointer of the sink. */
typedef struct outputs {
    const alcore_model *model;
    const alcore__model_batch *batch; /* the items of the present call of the engine */
    int64_t best;                     /* outputs of a row that are kept */
    output *rows;                     /* [rows of the pool, best]; zeros for masked rows */
    alcore__buffer texts;             /* of all outputs, one after the other */
    float *logprobs;                  /* [logprobs_count] of the tokens of all outputs, output by
                                       * output as they came; natural logarithms */
    size_t logprobs_count, logprobs_capacity;
} outputs;

/* Appends the text of an output, decoded from ids [tokens] where the engine gives no text. NUL, of
 * which no text of a pool has one, becomes a space. */
static alcore_status keep_text(outputs *all, const char *text, size_t length, const int64_t *ids,
                               int64_t tokens, output *out) {
    const alcore__engine_model *data = all->model->data;
    alcore_ctx *ctx = all->model->object.ctx;
    out->text = all->texts.length;
    if (text)
        ALCORE__TRY(alcore__buffer_append(ctx, &all->texts, text, length));
    else if (ids && data->tokenizer)
        ALCORE__TRY(alcore__tokenizer_decode(data->tokenizer, ids, tokens,
                                             false /* special tokens */, &all->texts));
    else
        return alcore__fail(ALCORE_E_INVALID, "%s gave an output without text and ids",
                            data->engine->engine);
    out->text_length = all->texts.length - out->text;
    for (size_t i = out->text; i < all->texts.length; i++)
        if (all->texts.data[i] == '\0') all->texts.data[i] = ' ';
    return ALCORE_OK;
}

/* Appends the log-probabilities of an output; none where the engine gives none. */
static alcore_status keep_logprobs(outputs *all, const float *logprobs, int64_t tokens,
                                   output *out) {
    out->logprob = (int64_t)all->logprobs_count;
    out->tokens = logprobs ? tokens : 0;
    if (out->tokens == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(all->model->object.ctx, &all->logprobs, &all->logprobs_capacity,
                             all->logprobs_count + (size_t)tokens, sizeof *all->logprobs));
    memcpy(all->logprobs + all->logprobs_count, logprobs, (size_t)tokens * sizeof *logprobs);
    all->logprobs_count += (size_t)tokens;
    return ALCORE_OK;
}

/* alcore_sys_model_sink.put_text: keeps the best outputs of an item (an index in the batch), those
 * of ranks 0 to best - 1; others, and a second one of a rank, are passed over. */
static alcore_status put_text(void *user, int64_t item, int64_t rank, const char *text,
                              size_t length, const int64_t *ids, const float *logprobs,
                              int64_t tokens, double score) {
    outputs *all = user;
    const alcore__engine_model *data = all->model->data;
    if (item < 0 || item >= all->batch->count || tokens < 0)
        return alcore__fail(ALCORE_E_INVALID, "%s gave item %lld of a call with %lld items",
                            data->engine->engine, (long long)item, (long long)all->batch->count);
    if (rank < 0 || rank >= all->best) return ALCORE_OK;
    output *out = &all->rows[all->batch->rows[item] * all->best + rank];
    if (out->found) return ALCORE_OK;
    ALCORE__TRY(keep_text(all, text, length, ids, tokens, out));
    ALCORE__TRY(keep_logprobs(all, logprobs, tokens, out));
    out->score = score;
    out->found = true;
    return ALCORE_OK;
}

/* Encodes a batch and lets the engine translate it; a row without an output is an error. */
static alcore_status translate_batch(outputs *all, const alcore_sys_model_decoding *how) {
    const alcore__engine_model *data = all->model->data;
    const alcore__model_batch *batch = all->batch;
    const alcore__texts texts = {batch->texts, batch->lengths, batch->count};
    const alcore_sys_model_sink sink = {.size = sizeof sink, .user = all, .put_text = put_text};
    alcore__engine_texts sources = {0};
    alcore_status status =
        alcore__engine_encode(all->model, &texts, batch->languages, ALCORE__TEXT_SOURCE, &sources);
    if (status == ALCORE_OK) {
        status = data->engine->translate(data->opened, &sources.passed, how, &sink);
        if (status != ALCORE_OK) status = alcore__fail_callback(status, data->engine->engine);
    }
    alcore__engine_texts_clear(all->model->object.ctx, &sources);
    for (int64_t i = 0; i < batch->count && status == ALCORE_OK; i++)
        if (!all->rows[batch->rows[i] * all->best].found)
            status = alcore__fail(ALCORE_E_MISSING,
                                  "%s gave no output for row %lld, as engines do where the numbers "
                                  "of a model become NaN or infinite",
                                  data->engine->engine, (long long)batch->rows[i]);
    return status;
}

/* Translates the unmasked rows of the pool, batch by batch. The caller holds its read lock. Rows
 * are those for which the model would compute the column "logprobs". */
static alcore_status translate_rows(outputs *all, alcore_pool *pool,
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

/* The outputs in row order, those of a row the best first, from which their pool is filled. It owns
 * the arrays; count: rows of the sources times outputs of each. */
typedef struct row_arrays {
    const char **texts, **ids; /* [count] views; an id that is NULL is the number of the row */
    size_t *lengths;           /* [count] bytes of the texts */
    float *logprobs;           /* [offsets[count]] of all tokens */
    int64_t *offsets;          /* [count + 1] first token of each output */
    double *scores;            /* [count] NaN: there is no output */
    char *numbers;             /* [count, 24] ids of rows that have none of their own; or NULL */
} row_arrays;

static void row_arrays_clear(alcore_ctx *ctx, row_arrays *arrays) {
    alcore__free(ctx, (void *)arrays->texts);
    alcore__free(ctx, (void *)arrays->ids);
    alcore__free(ctx, arrays->lengths);
    alcore__free(ctx, arrays->logprobs);
    alcore__free(ctx, arrays->offsets);
    alcore__free(ctx, arrays->scores);
    alcore__free(ctx, arrays->numbers);
}

/* Allocates the arrays for `count` outputs. With several outputs of a row their ids are written
 * down, as they are not the numbers of their rows any more. */
static alcore_status new_row_arrays(const outputs *all, size_t count, row_arrays *out) {
    alcore_ctx *ctx = all->model->object.ctx;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->texts, &out->texts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->ids, &out->ids));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->lengths, &out->lengths));
    ALCORE__TRY(alcore__new_array(ctx, count + 1, sizeof *out->offsets, &out->offsets));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->scores, &out->scores));
    if (all->best > 1) ALCORE__TRY(alcore__new_array(ctx, count, 24, &out->numbers));
    return alcore__new_array(ctx, all->logprobs_count, sizeof *out->logprobs, &out->logprobs);
}

/* Fills the arrays, which the caller clears also after a failure, with the outputs in row order. An
 * id that alcore__pool_id() wrote to `number` is the row's own number, which the new pool's row has
 * anyway, and is left out. */
static alcore_status list_rows(const outputs *all, const alcore_pool *pool, row_arrays *out) {
    const int64_t count = alcore_pool_row_count(pool) * all->best;
    ALCORE__TRY(new_row_arrays(all, (size_t)count, out));
    for (int64_t i = 0; i < count; i++) {
        const output *one = &all->rows[i];
        char number[24], *written = out->numbers ? out->numbers + 24 * i : number;
        const char *id = alcore__pool_id(pool, i / all->best, written);
        out->ids[i] = id == number ? NULL : id;
        out->texts[i] = one->found && one->text_length ? all->texts.data + one->text : "";
        out->lengths[i] = one->text_length;
        out->scores[i] = one->found ? one->score : (double)NAN;
        out->offsets[i + 1] = out->offsets[i] + one->tokens;
        if (one->tokens > 0)
            memcpy(out->logprobs + out->offsets[i], all->logprobs + one->logprob,
                   (size_t)one->tokens * sizeof *out->logprobs);
    }
    return ALCORE_OK;
}

/* Gives the pool `made` the columns of its rows [count]; language: that of the outputs, or NULL. */
static alcore_status set_columns(const outputs *all, const row_arrays *arrays, int64_t count,
                                 const char *language, alcore_pool *made) {
    alcore_tensor values, offsets, scores;
    char *copy; /* of the language */
    int64_t bounds = count + 1;
    ALCORE__TRY(
        alcore_tensor_init(&values, arrays->logprobs, ALCORE_FLOAT32, &arrays->offsets[count], 1));
    ALCORE__TRY(alcore_tensor_init(&offsets, arrays->offsets, ALCORE_INT64, &bounds, 1));
    ALCORE__TRY(alcore_tensor_init(&scores, arrays->scores, ALCORE_FLOAT64, &count, 1));
    ALCORE__TRY(alcore_pool_set_column(made, "logprobs", &values, &offsets, NULL));
    ALCORE__TRY(alcore__engine_copy_language(made, language, &copy));
    const alcore_status status = alcore__write_begin(made, "pool");
    if (status != ALCORE_OK) {
        alcore__free(alcore__pool_ctx(made), copy);
        return status;
    }
    alcore__engine_note_targets(all->model, made, copy, false);
    alcore__write_end(made);
    return alcore_pool_set_column(made, "output_scores", &scores, NULL, NULL);
}

/* Adds the rows and their columns to the pool `made`. The caller holds the read lock of the
 * sources, whose ids are read. */
static alcore_status fill_pool(const outputs *all, const alcore_pool *pool, const char *language,
                               alcore_pool *made) {
    alcore_records records = ALCORE_RECORDS_INIT;
    row_arrays arrays = {0};
    alcore_status status = list_rows(all, pool, &arrays);
    records.texts = arrays.texts;
    records.text_lengths = arrays.lengths;
    records.ids = arrays.ids;
    records.count = alcore_pool_row_count(pool) * all->best;
    if (status == ALCORE_OK) status = alcore_pool_add_records(made, &records, NULL);
    if (status == ALCORE_OK) status = set_columns(all, &arrays, records.count, language, made);
    row_arrays_clear(all->model->object.ctx, &arrays);
    return status;
}

/* Translates under the read lock of the pool, which the caller holds. */
static alcore_status translate_pool(outputs *all, alcore_pool *pool,
                                    const alcore__translating *wanted, alcore_pool *made) {
    alcore_sys_model_decoding how = {.size = sizeof how,
                                     .beams = wanted->beams,
                                     .outputs = wanted->best,
                                     .max_tokens = wanted->max_tokens,
                                     .length_penalty = wanted->length_penalty,
                                     .sample = wanted->sample,
                                     .temperature = wanted->temperature,
                                     .seed = wanted->seed};
    ALCORE__TRY(alcore__engine_find_language(all->model, wanted->language, &how));
    ALCORE__TRY(alcore__new_array(all->model->object.ctx,
                                  (size_t)(alcore_pool_row_count(pool) * all->best),
                                  sizeof *all->rows, &all->rows));
    ALCORE__TRY(translate_rows(all, pool, &how));
    return fill_pool(all, pool, how.language, made);
}

/* alcore__model_table.translate: collects the outputs and fills the empty pool `out`, under the
 * read lock of the sources. */
alcore_status alcore__engine_translate(alcore_model *model, alcore_pool *pool,
                                       const alcore__translating *wanted, alcore_pool *out) {
    alcore_ctx *ctx = model->object.ctx;
    outputs all = {.model = model, .best = wanted->best};
    if (!alcore__engine_has(model->data, ALCORE_SYS_MODEL_TRANSLATE))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s does not translate", model->name);
    ALCORE__TRY(alcore__engine_check_outputs(model));
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    const alcore_status status = translate_pool(&all, pool, wanted, out);
    alcore__read_end(pool);
    alcore__free(ctx, all.rows);
    alcore__free(ctx, all.logprobs);
    alcore__buffer_clear(ctx, &all.texts);
    return status;
}
