/* SPDX-License-Identifier: Apache-2.0 */
/* Question answering by an engine that takes token ids: the columns qa_start, qa_end and qa_windows
 * of a pool whose texts are questions and whose column "qa_contexts" has the texts in which the
 * answers are sought.
 *
 * A pair of question and context is cut into windows (model_windows.c). The engine gives each
 * window the probabilities of its positions, the context's tokens, to be the first and the last of
 * the answer; both sum to 1 over a window. The columns have the positions of all windows of a row,
 * one window after another, and the number of positions of each window. A context without a token
 * has no window.
 *
 * All three columns come from one run of the engine. Its answers are kept with the model until each
 * column was taken, another run takes their place, or the model is released: 8 bytes a position and
 * 24 bytes a row. */
#include <inttypes.h>
#include <string.h>

#include "model/model_engine.h"
#include "pool/row_map.h"

/* Rows of a call of the engine: a row has several windows. */
enum { BATCH_ROWS = 512 };
/* Where transformers' pipeline of question answering documents them: max_seq_len and doc_stride. */
enum { DEFAULT_WINDOW = 384, DEFAULT_STRIDE = 128 };

/* The three columns, and their bits in alcore__answers.taken. */
enum { PART_START = 0, PART_END = 1, PART_WINDOWS = 2, ALL_TAKEN = 7 };

void alcore__engine_set_windows(alcore__engine_model *data, int64_t max_tokens, int64_t stride) {
    const int64_t most = data->info.max_tokens;
    data->window = most > 0 && (max_tokens > 0 || most < DEFAULT_WINDOW) ? most : DEFAULT_WINDOW;
    data->stride = stride >= 0                         ? stride
                   : data->window / 2 < DEFAULT_STRIDE ? data->window / 2
                                                       : DEFAULT_STRIDE;
}

void alcore__answers_free(alcore_ctx *ctx, alcore__answers *answers) {
    if (!answers) return;
    alcore__buffer_clear(ctx, &answers->origin);
    alcore__free(ctx, answers->rows);
    alcore__free(ctx, answers->windows);
    alcore__free(ctx, answers->positions);
    alcore__free(ctx, answers->counts);
    alcore__free(ctx, answers->values);
    alcore__free(ctx, answers);
}

alcore_status alcore__answers_contexts(const alcore_model *model, const alcore_pool *pool,
                                       const alcore__column **out) {
    *out = alcore__pool_find_column(pool, "qa_contexts");
    if (*out && (*out)->ops->text) return ALCORE_OK;
    return alcore__fail(ALCORE_E_MISSING,
                        "%s answers questions about contexts: the texts of the pool are the "
                        "questions, and the column of texts \"qa_contexts\" is missing",
                        model->name);
}

/* Settings of the windows and what the contexts are: a cache tells columns by their origin, and the
 * fingerprint of a pool is of its texts alone. */
alcore_status alcore__answers_describe(const alcore_model *model, const alcore_pool *pool,
                                       alcore__buffer *out) {
    const alcore__engine_model *data = model->data;
    const alcore__column *contexts = alcore__pool_find_column(pool, "qa_contexts");
    uint64_t fingerprint = 0;
    if (contexts) ALCORE__TRY(alcore__column_fingerprint(contexts, &fingerprint));
    return alcore__buffer_format(alcore__pool_ctx(pool), out,
                                 ", windows of %" PRId64 " tokens with a stride of %" PRId64
                                 ", contexts %016" PRIx64,
                                 data->window, data->stride, fingerprint);
}

/* ---- one call of the engine ---- */

/* What the sink of a call knows. */
typedef struct receiver {
    const alcore__engine_model *data;
    const alcore__windows *windows;
    float *values; /* [positions of the call, 2] out */
    bool *seen;    /* [windows] the engine gave the window */
} receiver;

/* Value (i, part) of an array [tokens, 2] of float32 or float64, whose strides count values. */
static float value_at(const alcore_tensor *values, int64_t i, int64_t part) {
    const int64_t at =
        values->strides ? i * values->strides[0] + part * values->strides[1] : 2 * i + part;
    const char *data = (const char *)values->data + values->byte_offset;
    if (values->dtype.bits == 64) {
        double value;
        memcpy(&value, data + at * 8, sizeof value);
        return (float)value;
    }
    float value;
    memcpy(&value, data + at * 4, sizeof value);
    return value;
}

/* alcore_sys_model_sink.put, called by the engine any number of times: items [count] are windows of
 * the call, lengths [count] their positions, values [sum of lengths, 2] those of one window after
 * the other. They are stored at the window's place, windows->starts, in all->values. */
static alcore_status put(void *user, const int64_t *items, const int64_t *lengths, int64_t count,
                         const alcore_tensor *values) {
    receiver *all = user;
    const char *engine = all->data->engine->engine;
    const alcore__windows *windows = all->windows;
    if (values->ndim != 2 || values->shape[1] != 2 || values->dtype.code != ALCORE_KIND_FLOAT ||
        values->dtype.bits < 32 || !lengths)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s gave question-answering values that are not [tokens, 2]", engine);
    for (int64_t i = 0, token = 0; i < count; i++) {
        const int64_t w = items[i];
        if (w < 0 || w >= windows->count)
            return alcore__fail(ALCORE_E_INVALID, "%s gave item %lld of a call with %lld items",
                                engine, (long long)w, (long long)windows->count);
        const int64_t start = windows->starts[w], positions = windows->starts[w + 1] - start;
        if (lengths[i] != positions || token + positions > values->shape[0])
            return alcore__fail(ALCORE_E_SHAPE,
                                "%s gave %lld values of a window with %lld tokens of a context",
                                engine, (long long)lengths[i], (long long)positions);
        for (int64_t k = 0; k < positions; k++, token++)
            for (int64_t part = 0; part < 2; part++)
                all->values[2 * (start + k) + part] = value_at(values, token, part);
        all->seen[w] = true;
    }
    return ALCORE_OK;
}

/* Lets the engine answer all windows; values [positions, 2] are filled. */
static alcore_status call_engine(alcore_ctx *ctx, const alcore__engine_model *data,
                                 const alcore__windows *windows, float *values) {
    receiver all = {.data = data, .windows = windows, .values = values};
    const alcore_sys_model_texts texts = {.size = sizeof texts,
                                          .count = windows->count,
                                          .ids = windows->ids,
                                          .offsets = windows->offsets,
                                          .types = windows->types,
                                          .marks = windows->marks};
    const alcore_sys_model_sink sink = {.size = sizeof sink, .user = &all, .put = put};
    if (windows->count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)windows->count, sizeof *all.seen, &all.seen));
    alcore_status status = data->engine->qa_probs(data->opened, &texts, &sink);
    if (status != ALCORE_OK) status = alcore__fail_callback(status, data->engine->engine);
    for (int64_t w = 0; w < windows->count && status == ALCORE_OK; w++)
        if (!all.seen[w])
            status = alcore__fail(ALCORE_E_MISSING, "%s gave no answer for window %lld of a call",
                                  data->engine->engine, (long long)w);
    alcore__free(ctx, all.seen);
    return status;
}

/* ---- all rows ---- */

/* A run over the rows of a pool: what it reads, and the answers that it fills. */
typedef struct answer_run {
    const alcore_model *model;
    const alcore_pool *pool;
    const alcore__column *contexts;
    alcore__answers *out;
    size_t count_capacity, value_capacity; /* entries of out->counts; values of out->values */
    /* [BATCH_ROWS] views of the questions and contexts of a batch and their bytes */
    const char **questions, **texts;
    size_t *question_lengths, *lengths;
} answer_run;

/* Lists the questions and contexts of rows [count], at most BATCH_ROWS, of the pool, as views that
 * are valid under its lock. */
static alcore_status list_texts(answer_run *run, const int64_t *rows, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        const int64_t entry = alcore__column_entry(run->contexts, rows[i]);
        run->questions[i] = alcore_pool_text(run->pool, rows[i], &run->question_lengths[i]);
        run->texts[i] =
            entry < 0 ? NULL : run->contexts->ops->text(run->contexts, entry, &run->lengths[i]);
        char id[24];
        if (!run->texts[i])
            return alcore__fail(ALCORE_E_MISSING, "row %lld (id %s) has no context",
                                (long long)rows[i], alcore__pool_id(run->pool, rows[i], id));
    }
    return ALCORE_OK;
}

/* Appends what is known of the windows of rows first .. first + count - 1 of out->rows, and makes
 * memory for their values: *out_values [positions of these windows, 2], which the engine then
 * fills; NULL where no row has had a position. */
static alcore_status add_windows(answer_run *run, const alcore__windows *windows, int64_t first,
                                 int64_t count, float **out_values) {
    alcore__answers *out = run->out;
    alcore_ctx *ctx = run->model->object.ctx;
    const int64_t positions = windows->starts[windows->count];
    ALCORE__TRY(alcore__grow(ctx, &out->counts, &run->count_capacity,
                             (size_t)(out->window_count + windows->count), sizeof *out->counts));
    ALCORE__TRY(alcore__grow(ctx, &out->values, &run->value_capacity,
                             2 * (size_t)(out->position_count + positions), sizeof *out->values));
    for (int64_t i = 0; i < count; i++) {
        const int64_t from = windows->first[i], to = windows->first[i + 1];
        out->windows[first + i] = to - from;
        out->positions[first + i] = windows->starts[to] - windows->starts[from];
    }
    for (int64_t w = 0; w < windows->count; w++)
        out->counts[out->window_count + w] = windows->starts[w + 1] - windows->starts[w];
    *out_values = out->values ? out->values + 2 * out->position_count : NULL;
    out->window_count += windows->count;
    out->position_count += positions;
    return ALCORE_OK;
}

/* Puts the row in front of the error of a pair. */
static alcore_status name_row(const answer_run *run, int64_t row, alcore_status status) {
    char id[24];
    return alcore__fail_within(status, "row %lld (id %s)", (long long)row,
                               alcore__pool_id(run->pool, row, id));
}

/* Answers rows first .. first + count - 1 of out->rows. */
static alcore_status answer_rows(answer_run *run, int64_t first, int64_t count) {
    const alcore__engine_model *data = run->model->data;
    alcore_ctx *ctx = run->model->object.ctx;
    const alcore__texts questions = {run->questions, run->question_lengths, count};
    const alcore__texts texts = {run->texts, run->lengths, count};
    const alcore__encoding how = {.mark_second = true};
    alcore__tokens pairs = {0};
    alcore__windows windows = {.bad_row = -1};
    float *values = NULL;
    ALCORE__TRY(list_texts(run, run->out->rows + first, count));
    alcore_status status =
        alcore__tokenizer_encode(data->tokenizer, &questions, &texts, &how, &pairs);
    if (status == ALCORE_OK)
        status = alcore__windows_cut(ctx, &pairs, data->window, data->stride, &windows);
    if (status != ALCORE_OK && windows.bad_row >= 0)
        status = name_row(run, run->out->rows[first + windows.bad_row], status);
    alcore__tokens_clear(ctx, &pairs);
    if (status == ALCORE_OK) status = add_windows(run, &windows, first, count, &values);
    if (status == ALCORE_OK) status = call_engine(ctx, data, &windows, values);
    alcore__windows_clear(ctx, &windows);
    return status;
}

/* Answers all rows of run->out, batch by batch. */
static alcore_status answer_all(answer_run *run) {
    alcore_ctx *ctx = run->model->object.ctx;
    alcore__answers *out = run->out;
    const size_t rows = (size_t)out->row_count;
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof *out->windows, &out->windows));
    ALCORE__TRY(alcore__new_array(ctx, rows, sizeof *out->positions, &out->positions));
    ALCORE__TRY(alcore__new_array(ctx, BATCH_ROWS, sizeof *run->questions, &run->questions));
    ALCORE__TRY(alcore__new_array(ctx, BATCH_ROWS, sizeof *run->texts, &run->texts));
    ALCORE__TRY(alcore__new_array(ctx, BATCH_ROWS, sizeof(size_t), &run->question_lengths));
    ALCORE__TRY(alcore__new_array(ctx, BATCH_ROWS, sizeof(size_t), &run->lengths));
    for (int64_t first = 0; first < out->row_count; first += BATCH_ROWS) {
        const int64_t left = out->row_count - first;
        ALCORE__TRY(alcore__tick(ctx, "model", first, out->row_count));
        ALCORE__TRY(answer_rows(run, first, left < BATCH_ROWS ? left : BATCH_ROWS));
    }
    return ALCORE_OK;
}

/* Lists the rows that the column is computed for: *out_rows [*out_count], owned by the caller. */
static alcore_status list_rows(alcore_ctx *ctx, const alcore_pool *pool, const char *column,
                               const alcore__wanted *wanted, int64_t **out_rows,
                               int64_t *out_count) {
    const uint32_t *states = alcore_pool_states(pool);
    const int64_t rows = alcore_pool_row_count(pool);
    *out_count = 0;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows, sizeof **out_rows, out_rows));
    for (int64_t row = 0; row < rows; row++)
        if (alcore__model_wants(wanted, row, states[row], column))
            (*out_rows)[(*out_count)++] = row;
    return ALCORE_OK;
}

/* Whether the kept answers are those of these rows, by the same model to the same texts. */
static bool are_kept(const alcore__answers *kept, const char *origin, uint64_t fingerprint,
                     const int64_t *rows, int64_t count) {
    return kept && strcmp(kept->origin.data, origin) == 0 && kept->fingerprint == fingerprint &&
           kept->row_count == count &&
           (count == 0 || memcmp(kept->rows, rows, (size_t)count * sizeof *rows) == 0);
}

/* Computes the answers of rows [count], which then belong to them, and keeps them with the model in
 * place of those before. origin, which then belongs to them too, is that of the columns. */
static alcore_status compute(const alcore_model *model, const alcore_pool *pool,
                             alcore__buffer *origin, int64_t **rows, int64_t count) {
    alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    answer_run run = {.model = model, .pool = pool};
    alcore__answers_free(ctx, data->answers);
    data->answers = NULL;
    ALCORE__TRY(alcore__answers_contexts(model, pool, &run.contexts));
    if (!data->tokenizer)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: the model takes token ids, and its folder has no tokenizer",
                            model->name);
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *run.out, &run.out));
    run.out->origin = *origin;
    run.out->rows = *rows;
    run.out->row_count = count;
    run.out->fingerprint = alcore_pool_fingerprint(pool);
    *origin = (alcore__buffer){0};
    *rows = NULL;
    const alcore_status status = answer_all(&run);
    alcore__free(ctx, (void *)run.questions);
    alcore__free(ctx, (void *)run.texts);
    alcore__free(ctx, run.question_lengths);
    alcore__free(ctx, run.lengths);
    if (status == ALCORE_OK)
        data->answers = run.out;
    else
        alcore__answers_free(ctx, run.out);
    return status;
}

/* Makes sure that data->answers are those of the rows that the column is computed for. */
static alcore_status ensure_answers(const alcore_model *model, alcore_pool *pool,
                                    const char *column, const alcore__wanted *wanted) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    alcore__buffer origin = {0};
    int64_t *rows = NULL, count;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__model_origin(model, pool, column, &origin);
    if (status == ALCORE_OK) status = list_rows(ctx, pool, column, wanted, &rows, &count);
    if (status == ALCORE_OK &&
        !are_kept(data->answers, origin.data, alcore_pool_fingerprint(pool), rows, count))
        status = compute(model, pool, &origin, &rows, count);
    alcore__read_end(pool);
    alcore__buffer_clear(ctx, &origin);
    alcore__free(ctx, rows);
    return status;
}

/* Puts one part of the answers into a writer: start or end, float32 at every second value, or the
 * numbers of positions of windows. */
static alcore_status put_part(const alcore__answers *answers, int32_t part,
                              alcore_column_writer *writer) {
    alcore_tensor tensor;
    int64_t shape = answers->position_count, stride = 2;
    if (part == PART_WINDOWS) {
        shape = answers->window_count;
        ALCORE__TRY(alcore_tensor_init(&tensor, answers->counts, ALCORE_INT64, &shape, 1));
        return alcore_column_writer_put(writer, answers->rows, answers->windows, answers->row_count,
                                        &tensor);
    }
    ALCORE__TRY(alcore_tensor_init(&tensor, answers->values ? answers->values + part : NULL,
                                   ALCORE_FLOAT32, &shape, 1));
    tensor.strides = &stride;
    return alcore_column_writer_put(writer, answers->rows, answers->positions, answers->row_count,
                                    &tensor);
}

alcore_status alcore__engine_answer(alcore_model *model, alcore_pool *pool, const char *column,
                                    int32_t part, const alcore__wanted *wanted) {
    alcore__engine_model *data = model->data;
    alcore_column_writer *writer;
    ALCORE__TRY(ensure_answers(model, pool, column, wanted));
    ALCORE__TRY(
        alcore_column_writer_new(pool, column, ALCORE_COLUMN_RAGGED, NULL /* options */, &writer));
    alcore__column_writer_want(writer, wanted);
    alcore_status status = put_part(data->answers, part, writer);
    if (status == ALCORE_OK) status = alcore_column_writer_finish(writer, ALCORE_MISSING_FAIL);
    alcore__column_writer_want(writer, NULL);
    alcore_column_writer_unref(writer);
    if (status != ALCORE_OK) return status;
    data->answers->taken |= 1u << part;
    if (data->answers->taken != ALL_TAKEN) return ALCORE_OK;
    alcore__answers_free(model->object.ctx, data->answers);
    data->answers = NULL;
    return ALCORE_OK;
}
