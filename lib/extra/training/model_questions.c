/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of question answering: the texts of a pool are questions, its column "qa_contexts"
 * has their contexts, its references are the answers, and a column of integers says at which
 * character of the context each answer begins. A character is a code point, as in SQuAD.
 *
 * Pairs are cut into windows as for the columns of question answering (model_windows.c). The answer
 * of a window is the tokens that share a byte with the answer of its pair. A window that has not
 * all of them is taught its first token, the [CLS] of BERT and the <s> of RoBERTa, as both the
 * first and the last of the answer (Devlin et al. 2019; run_qa.py of transformers). So that token
 * is marked as ALCORE_SYS_TOKEN_NO_ANSWER in every window: a distribution of the training, and of
 * the validation, is over this token and the tokens of the context. In the columns of question
 * answering the token is not marked, and distributions are over the tokens of the context. */
#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "base/tensor_view.h"
#include "extra/training/training_internal.h"
#include "pool/column.h"
#include "pool/row_map.h"

/* Tokens of a predicted answer, as max_answer_length of run_qa.py and SQuAD's BERT. */
enum { LONGEST_ANSWER = 30 };

/* ---- reading ---- */

/* The first byte of a character of a text of UTF-8; `length` for the one behind the last, -1 where
 * there is none. */
static int64_t byte_of_character(const char *text, size_t length, double character) {
    double count = 0;
    for (size_t i = 0; i < length; i++) {
        if (((unsigned char)text[i] & 0xc0) == 0x80) continue;
        if (count >= character) return (int64_t)i;
        count++;
    }
    return count >= character ? (int64_t)length : -1;
}

/* The bytes of an answer in its context. */
typedef struct answer_bytes {
    int64_t begin, end;
} answer_bytes;

/* Finds the answer of example i at the character `start` of its context. */
static alcore_status find_answer(const alcore_pool *pool, const alcore__examples *all, int64_t i,
                                 const char *column, double start, answer_bytes *out) {
    const char *context = all->contexts[i], *answer = all->texts[i];
    const size_t bytes = all->context_lengths[i], length = all->lengths[i];
    const int64_t row = all->batch.rows[i];
    char id[24];
    if (!(start >= 0) || floor(start) < start)
        return alcore__fail(ALCORE_E_DATA,
                            "column '%s', row %lld (id %s): %g is no number of a character, from 0",
                            column, (long long)row, alcore__pool_id(pool, row, id), start);
    out->begin = byte_of_character(context, bytes, start);
    out->end = out->begin + (int64_t)length;
    if (length == 0 || out->begin < 0 || (size_t)out->end > bytes ||
        memcmp(context + out->begin, answer, length) != 0)
        return alcore__fail(ALCORE_E_DATA,
                            "row %lld (id %s): the answer '%.40s' does not stand at character %.0f "
                            "of its context",
                            (long long)row, alcore__pool_id(pool, row, id), answer, start);
    return ALCORE_OK;
}

/* Whether a window has a token that stands for "no answer", its first one: that of a tokenizer that
 * puts nothing before the context is a token of the context. */
static bool has_no_answer_token(const alcore__windows *windows, int64_t w) {
    return windows->fronts[w] > 0;
}

/* Sets the labels of the windows of example i, the first and the last token of the answer as
 * numbers among the tokens of the window, and marks the tokens that stand for "no answer". */
static alcore_status label_windows(const alcore_pool *pool, alcore__examples *all, int64_t i,
                                   const answer_bytes *answer) {
    const alcore__tokens *pairs = &all->sources.tokens;
    alcore__windows *windows = &all->windows;
    const int64_t row = all->batch.rows[i];
    int64_t first = -1, last = -1, count = 0; /* among the tokens of the context */
    char id[24];
    for (int64_t k = pairs->offsets[i]; k < pairs->offsets[i + 1]; k++) {
        if (!(pairs->marks[k] & ALCORE__TOKEN_SECOND)) continue;
        if (pairs->spans[2 * k] < answer->end && pairs->spans[2 * k + 1] > answer->begin) {
            if (first < 0) first = count;
            last = count;
        }
        count++;
    }
    if (first < 0)
        return alcore__fail(ALCORE_E_DATA,
                            "row %lld (id %s): the answer '%.40s' has no token of its context",
                            (long long)row, alcore__pool_id(pool, row, id), all->texts[i]);
    for (int64_t w = windows->first[i]; w < windows->first[i + 1]; w++) {
        const int64_t begin = windows->begins[w];
        const int64_t end = begin + windows->starts[w + 1] - windows->starts[w];
        const bool has = first >= begin && last < end;
        const int64_t missing = has_no_answer_token(windows, w) ? 0 : -100;
        if (missing == 0) windows->marks[windows->offsets[w]] |= ALCORE_SYS_TOKEN_NO_ANSWER;
        all->labels[2 * w] = has ? windows->fronts[w] + first - begin : missing;
        all->labels[2 * w + 1] = has ? windows->fronts[w] + last - begin : missing;
        all->window_rows[w] = i;
    }
    return ALCORE_OK;
}

/* Lists contexts and answers of the rows of the batch. */
static alcore_status list_pairs(const alcore_model *model, const alcore_pool *pool,
                                alcore__examples *out) {
    const size_t count = (size_t)out->batch.count;
    alcore_ctx *ctx = model->object.ctx;
    const alcore__column *contexts;
    ALCORE__TRY(alcore__answers_contexts(model, pool, &contexts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->contexts, &out->contexts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(size_t), &out->context_lengths));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->texts, &out->texts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(size_t), &out->lengths));
    for (int64_t i = 0; i < out->batch.count; i++) {
        const int64_t row = out->batch.rows[i], entry = alcore__column_entry(contexts, row);
        char id[24];
        out->contexts[i] =
            entry < 0 ? NULL : contexts->ops->text(contexts, entry, &out->context_lengths[i]);
        if (!out->contexts[i])
            return alcore__fail(ALCORE_E_MISSING, "row %lld (id %s) has no context", (long long)row,
                                alcore__pool_id(pool, row, id));
    }
    return alcore__engine_list_references(pool, &out->batch, out->texts, out->lengths);
}

/* Encodes the pairs and cuts them into windows, which become the sources. */
static alcore_status cut_windows(const alcore_model *model, const alcore_pool *pool,
                                 alcore__examples *out) {
    const alcore__engine_model *data = model->data;
    const alcore__texts questions = {out->batch.texts, out->batch.lengths, out->batch.count};
    const alcore__texts contexts = {out->contexts, out->context_lengths, out->batch.count};
    const alcore__encoding how = {.mark_second = true};
    alcore__windows *windows = &out->windows;
    char id[24];
    if (!data->tokenizer)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: the model takes token ids, and its folder has no tokenizer",
                            model->name);
    ALCORE__TRY(alcore__tokenizer_encode(data->tokenizer, &questions, &contexts, &how,
                                         &out->sources.tokens));
    windows->bad_row = -1;
    const alcore_status status = alcore__windows_cut(model->object.ctx, &out->sources.tokens,
                                                     data->window, data->stride, windows);
    if (status != ALCORE_OK && windows->bad_row >= 0) {
        const int64_t row = out->batch.rows[windows->bad_row];
        return alcore__fail_within(status, "row %lld (id %s)", (long long)row,
                                   alcore__pool_id(pool, row, id));
    }
    out->sources.passed = (alcore_sys_model_texts){.size = sizeof out->sources.passed,
                                                   .count = windows->count,
                                                   .ids = windows->ids,
                                                   .offsets = windows->offsets,
                                                   .types = windows->types,
                                                   .marks = windows->marks};
    return status;
}

/* Labels the windows by the column of the characters at which answers begin; starts [batch.count]
 * is memory for it. */
static alcore_status label_all(const alcore_pool *pool, const char *column, double *starts,
                               alcore__examples *out) {
    int64_t shape = out->batch.count;
    alcore_tensor tensor;
    ALCORE__TRY(alcore_tensor_init(&tensor, starts, ALCORE_FLOAT64, &shape, 1));
    ALCORE__TRY(alcore_pool_get_column_rows(pool, column, out->batch.rows, shape, &tensor));
    for (int64_t i = 0; i < shape; i++) {
        answer_bytes answer = {0};
        ALCORE__TRY(find_answer(pool, out, i, column, starts[i], &answer));
        ALCORE__TRY(label_windows(pool, out, i, &answer));
    }
    return ALCORE_OK;
}

alcore_status alcore__questions_read(const alcore_model *model, const alcore_pool *pool,
                                     const char *column, alcore__examples *out) {
    alcore_ctx *ctx = model->object.ctx;
    double *starts = NULL;
    if (!column)
        return alcore__fail(ALCORE_E_PARAM,
                            "model %s answers questions: alcore_train_options: labels is needed, "
                            "the column of the characters at which answers begin",
                            model->name);
    ALCORE__TRY(list_pairs(model, pool, out));
    ALCORE__TRY(cut_windows(model, pool, out));
    const size_t count = (size_t)out->windows.count;
    ALCORE__TRY(alcore__new_array(ctx, 2 * count, sizeof *out->labels, &out->labels));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(int64_t), &out->window_rows));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)out->batch.count, sizeof *starts, &starts));
    const alcore_status status = label_all(pool, column, starts, out);
    alcore__free(ctx, starts);
    return status;
}

/* ---- validation ---- */

/* A number of a row of an array of float32 or float64. */
static double number_at(const alcore__array *array, int64_t row, int64_t column) {
    const int64_t place = row * array->stride + column;
    return array->dtype == ALCORE_FLOAT32 ? (double)((const float *)array->data)[place]
                                          : ((const double *)array->data)[place];
}

/* The likeliest answer of `positions` tokens of a context, of which array has the probabilities
 * from row `row` on: the largest sum of the logarithms of both probabilities; of equal ones the
 * first. */
static alcore__span likeliest(const alcore__array *array, int64_t row, int64_t positions) {
    alcore__span best = {.score = -(double)INFINITY};
    for (int64_t first = 0; first < positions; first++) {
        const double start = log(number_at(array, row + first, 0));
        for (int64_t last = first; last < positions && last < first + LONGEST_ANSWER; last++) {
            const double score = start + log(number_at(array, row + last, 1));
            if (score > best.score) best = (alcore__span){score, first, last};
        }
    }
    return best;
}

alcore_status alcore__questions_take(alcore__watch *watch, const alcore__array *array, int64_t row,
                                     int64_t w, int64_t positions) {
    const alcore__windows *windows = &watch->examples.windows;
    const int64_t *label = watch->examples.labels + 2 * w;
    const int64_t before = has_no_answer_token(windows, w); /* rows before those of the context */
    const int64_t wanted = before + windows->starts[w + 1] - windows->starts[w];
    if (positions != wanted || array->columns != 2)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s gave %lld values of a window with %lld tokens of answers",
                            ((const alcore__engine_model *)watch->model->data)->engine->engine,
                            (long long)positions, (long long)wanted);
    watch->values[w] = 0;
    watch->tokens[w] = label[0] >= 0;
    if (watch->spans) {
        watch->spans[w] = likeliest(array, row + before, positions - before);
    } else if (label[0] >= 0) {
        /* The first token of the window has the first row. */
        const int64_t skipped = windows->fronts[w] - before;
        const int64_t first = row + (label[0] > 0 ? label[0] - skipped : 0);
        const int64_t last = row + (label[1] > 0 ? label[1] - skipped : 0);
        watch->values[w] = -(log(number_at(array, first, 0)) + log(number_at(array, last, 1))) / 2;
    }
    return ALCORE_OK;
}

/* Sets texts[i] and lengths[i] to the likeliest answer of example i over all of its windows. */
static void list_answers(const alcore__watch *watch, const char **texts, size_t *lengths) {
    const alcore__examples *all = &watch->examples;
    const alcore__tokens *pairs = &all->sources.tokens;
    for (int64_t i = 0; i < all->batch.count; i++) {
        int64_t best = all->windows.first[i];
        for (int64_t w = best; w < all->windows.first[i + 1]; w++)
            if (watch->spans[w].score > watch->spans[best].score) best = w;
        const alcore__span *span = &watch->spans[best];
        int64_t k = pairs->offsets[i]; /* the first token of the context, then that of the window */
        while (!(pairs->marks[k] & ALCORE__TOKEN_SECOND)) k++;
        k += all->windows.begins[best];
        const int64_t begin = pairs->spans[2 * (k + span->first)];
        texts[i] = all->contexts[i] + begin;
        lengths[i] = (size_t)(pairs->spans[2 * (k + span->last) + 1] - begin);
    }
}

alcore_status alcore__questions_measure(const alcore__watch *watch, double *out) {
    const alcore__examples *all = &watch->examples;
    alcore_ctx *ctx = watch->model->object.ctx;
    const int64_t count = all->batch.count;
    alcore_answers_result score = ALCORE_ANSWERS_RESULT_INIT;
    const char **texts = NULL;
    size_t *lengths = NULL;
    alcore_status status = alcore__new_array(ctx, (size_t)count, sizeof *texts, &texts);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, (size_t)count, sizeof *lengths, &lengths);
    if (status == ALCORE_OK) {
        list_answers(watch, texts, lengths);
        status = alcore_metric_compute_answers(ctx, all->texts, all->lengths, count, NULL, 0, texts,
                                               lengths, count, NULL, &score);
    }
    *out = watch->options->metric == ALCORE_VALIDATE_EXACT_MATCH ? score.exact_match : score.f1;
    alcore__free(ctx, (void *)texts);
    alcore__free(ctx, lengths);
    return status;
}
