/* SPDX-License-Identifier: Apache-2.0 */
/* Class probabilities of a language model by a verbalizer, which has a label for each class
 * (alcore/extra/prompting.h). With the tokens t_1 .. t_n of label k, and x the tokens of the prompt
 * around a text,
 *
 *     s_k = sum over i of log p(t_i | x, t_1 .. t_(i-1)),   P(k | x) = exp(s_k) / sum exp(s_j)
 *
 * No end is scored behind a label: it may go on. The engine is called once for each batch of
 * prompts, or of as many as have MOST_CELLS probabilities, and reads each of them once. Memory: a
 * float64 and a float32 for each of these. */
#include <math.h>
#include <string.h>

#include "formats/json_text.h"
#include "model/model_engine.h"
#include "text/utf8.h"

void alcore__verbalizer_clear(alcore_ctx *ctx, alcore__verbalizer *verbalizer) {
    alcore__free(ctx, verbalizer->texts);
    alcore__free(ctx, (void *)verbalizer->labels);
    alcore__tokens_clear(ctx, &verbalizer->tokens);
    *verbalizer = (alcore__verbalizer){0};
}

/* ---- setting it ---- */

/* Copies the labels [count], one text behind the other. */
static alcore_status copy_labels(alcore_ctx *ctx, const char *const *labels, int64_t count,
                                 alcore__verbalizer *out) {
    size_t bytes = 0;
    for (int64_t k = 0; k < count; k++) {
        if (!labels[k] || !*labels[k])
            return alcore__fail(ALCORE_E_PARAM, "label %lld of the verbalizer is empty",
                                (long long)k);
        const size_t length = strlen(labels[k]);
        if (alcore__utf8_check(labels[k], length) < length)
            return alcore__fail(ALCORE_E_PARAM, "label %lld of the verbalizer is no UTF-8",
                                (long long)k);
        bytes += length + 1;
    }
    ALCORE__TRY(alcore__new_array(ctx, bytes, 1, &out->texts));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *out->labels, &out->labels));
    char *at = out->texts;
    for (int64_t k = 0; k < count; k++) {
        const size_t length = strlen(labels[k]) + 1;
        memcpy(at, labels[k], length);
        out->labels[k] = at;
        at += length;
    }
    out->count = count;
    return ALCORE_OK;
}

static int64_t token_count(const alcore__verbalizer *verbalizer, int64_t label) {
    return verbalizer->tokens.offsets[label + 1] - verbalizer->tokens.offsets[label];
}

/* Refuses labels without a token or with the one for what is unknown, and those that no score could
 * tell apart. */
static alcore_status check_tokens(const alcore_tokenizer *tokenizer,
                                  const alcore__verbalizer *verbalizer) {
    const alcore__tokens *tokens = &verbalizer->tokens;
    const int64_t unknown = alcore__tokenizer_unknown(tokenizer);
    for (int64_t k = 0; k < verbalizer->count; k++) {
        const int64_t length = token_count(verbalizer, k);
        if (length == 0)
            return alcore__fail(ALCORE_E_PARAM, "label \"%s\" of the verbalizer has no token",
                                verbalizer->labels[k]);
        for (int64_t t = tokens->offsets[k]; t < tokens->offsets[k + 1] && unknown >= 0; t++)
            if (tokens->ids[t] == unknown)
                return alcore__fail(ALCORE_E_PARAM,
                                    "label \"%s\" of the verbalizer has characters that the "
                                    "tokenizer does not know",
                                    verbalizer->labels[k]);
        for (int64_t j = 0; j < k; j++)
            if (token_count(verbalizer, j) == length &&
                memcmp(tokens->ids + tokens->offsets[j], tokens->ids + tokens->offsets[k],
                       (size_t)length * sizeof *tokens->ids) == 0)
                return alcore__fail(ALCORE_E_PARAM,
                                    "labels \"%s\" and \"%s\" of the verbalizer have the same "
                                    "tokens",
                                    verbalizer->labels[j], verbalizer->labels[k]);
    }
    return ALCORE_OK;
}

/* Makes a verbalizer of labels; the caller clears *out, also after a failure. */
static alcore_status make(const alcore_model *model, const char *const *labels, int64_t count,
                          alcore__verbalizer *out) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    const alcore__encoding how = {.without_special = true, .as_target = true};
    size_t *lengths = NULL;
    if (count == 1)
        return alcore__fail(ALCORE_E_PARAM, "the verbalizer has one label; classes need two");
    ALCORE__TRY(copy_labels(ctx, labels, count, out));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *lengths, &lengths));
    for (int64_t k = 0; k < count; k++) lengths[k] = strlen(labels[k]);
    const alcore__texts texts = {out->labels, lengths, count};
    const alcore_status status =
        alcore__tokenizer_encode(data->tokenizer, &texts, NULL /* no pairs */, &how, &out->tokens);
    alcore__free(ctx, lengths);
    if (status != ALCORE_OK) return status;
    for (int64_t k = 0; k < count; k++)
        if (token_count(out, k) > out->longest) out->longest = token_count(out, k);
    return check_tokens(data->tokenizer, out);
}

/* alcore__model_table.set_verbalizer: after a failure the labels are as they were. */
alcore_status alcore__engine_set_verbalizer(alcore_model *model, const char *const *labels,
                                            int64_t count) {
    alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    alcore__verbalizer made = {0};
    if (count > 0 && (!alcore__is_language_model(data) ||
                      !alcore__engine_has(data, ALCORE_SYS_MODEL_TOKEN_LOGPROBS)))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s is no language model, which a verbalizer is for",
                            model->name);
    if (count > 0 && !data->tokenizer)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: the folder has no tokenizer, by which labels become tokens",
                            model->name);
    if (count > 0 && !data->is_template)
        return alcore__fail(ALCORE_E_PARAM,
                            "%s: labels stand behind a prompt; open the model with one that has "
                            "{text} or {source}, where the text goes",
                            model->name);
    alcore_status status = count > 0 ? make(model, labels, count, &made) : ALCORE_OK;
    if (status == ALCORE_OK && data->info.max_tokens > 0 &&
        made.longest + 2 > data->info.max_tokens)
        status =
            alcore__fail(ALCORE_E_PARAM,
                         "%s: a label of %lld tokens leaves no room for a text; the model "
                         "reads %lld",
                         model->name, (long long)made.longest, (long long)data->info.max_tokens);
    if (status != ALCORE_OK) {
        alcore__verbalizer_clear(ctx, &made);
        return status;
    }
    alcore__verbalizer_clear(ctx, &data->verbalizer);
    data->verbalizer = made;
    return ALCORE_OK;
}

alcore_status alcore__verbalizer_describe(const alcore__engine_model *data, alcore_ctx *ctx,
                                          alcore__buffer *out) {
    const alcore__verbalizer *verbalizer = &data->verbalizer;
    alcore__json_out quoted = {.ctx = ctx};
    for (int64_t k = 0; k < verbalizer->count; k++)
        alcore__json_put_text(&quoted, NULL, verbalizer->labels[k], strlen(verbalizer->labels[k]));
    alcore_status status = quoted.status;
    if (status == ALCORE_OK)
        status = alcore__buffer_format(ctx, out, ", verbalizer %s", quoted.text.data);
    alcore__buffer_clear(ctx, &quoted.text);
    return status;
}

/* ---- scores of a batch ---- */

/* What the sink of a call knows. */
typedef struct receiver {
    const alcore__engine_model *data;
    int64_t rows; /* of the batch */
    double *sums; /* [rows, labels] out: s_k; NaN before */
} receiver;

/* Value i of an array [tokens] of float32 or float64, whose strides count values. */
static double value_at(const alcore_tensor *values, int64_t i) {
    const int64_t at = values->strides ? i * values->strides[0] : i;
    const char *data = (const char *)values->data + values->byte_offset;
    double wide;
    float value;
    if (values->dtype.bits == 64) {
        memcpy(&wide, data + at * 8, sizeof wide);
        return wide;
    }
    memcpy(&value, data + at * 4, sizeof value);
    return (double)value;
}

/* alcore_sys_model_sink.put: adds up the values of the tokens of each label. */
static alcore_status put(void *user, const int64_t *items, const int64_t *lengths, int64_t count,
                         const alcore_tensor *values) {
    receiver *all = user;
    const alcore__verbalizer *verbalizer = &all->data->verbalizer;
    const char *engine = all->data->engine->engine;
    const int64_t labels = verbalizer->count, *offsets = verbalizer->tokens.offsets;
    if (values->ndim != 1 || values->dtype.code != ALCORE_KIND_FLOAT || values->dtype.bits < 32 ||
        !lengths)
        return alcore__fail(ALCORE_E_SHAPE, "%s gave log-probabilities that are not [tokens]",
                            engine);
    for (int64_t i = 0, first = 0; i < count; first += lengths[i++]) {
        if (items[i] < 0 || items[i] >= all->rows)
            return alcore__fail(ALCORE_E_INVALID, "%s gave item %lld of a call with %lld items",
                                engine, (long long)items[i], (long long)all->rows);
        if (lengths[i] != offsets[labels] || first + lengths[i] > values->shape[0])
            return alcore__fail(ALCORE_E_SHAPE, "%s gave %lld values of labels with %lld tokens",
                                engine, (long long)lengths[i], (long long)offsets[labels]);
        for (int64_t k = 0; k < labels; k++) {
            double sum = 0;
            for (int64_t t = offsets[k]; t < offsets[k + 1]; t++)
                sum += value_at(values, first + t);
            all->sums[items[i] * labels + k] = sum;
        }
    }
    return ALCORE_OK;
}

/* Turns the sums of a row [labels] into its probabilities [labels]. */
static alcore_status normalize(const alcore__engine_model *data, const double *sums, float *probs) {
    const int64_t labels = data->verbalizer.count;
    double most = -(double)INFINITY, all = 0;
    for (int64_t k = 0; k < labels; k++) {
        if (isnan(sums[k]))
            return alcore__fail(ALCORE_E_DATA, "%s gave no log-probability of label \"%s\"",
                                data->engine->engine, data->verbalizer.labels[k]);
        if (sums[k] > most) most = sums[k];
    }
    if (isinf(most))
        return alcore__fail(ALCORE_E_DATA, "%s gave each label the probability 0",
                            data->engine->engine);
    for (int64_t k = 0; k < labels; k++) all += exp(sums[k] - most);
    for (int64_t k = 0; k < labels; k++) probs[k] = (float)(exp(sums[k] - most) / all);
    return ALCORE_OK;
}

/* Scores all labels behind the sources of a batch, and gives the probabilities to the writer. */
static alcore_status score_batch(const alcore_model *model, const alcore__model_batch *batch,
                                 const alcore_sys_model_texts *sources, double *sums, float *probs,
                                 alcore_column_writer *writer) {
    const alcore__engine_model *data = model->data;
    const int64_t labels = data->verbalizer.count;
    receiver all = {.data = data, .rows = batch->count, .sums = sums};
    const alcore_sys_model_texts targets = {.size = sizeof targets,
                                            .count = labels,
                                            .ids = data->verbalizer.tokens.ids,
                                            .offsets = data->verbalizer.tokens.offsets};
    const alcore_sys_model_scoring scoring = {.size = sizeof scoring,
                                              .what = ALCORE_SYS_SCORE_CHOICES,
                                              .dropout = data->dropout,
                                              .seed = data->dropout_seed};
    const alcore_sys_model_sink sink = {.size = sizeof sink, .user = &all, .put = put};
    for (int64_t i = 0; i < batch->count * labels; i++) sums[i] = (double)NAN;
    const alcore_status scored =
        data->engine->token_logprobs(data->opened, sources, &targets, &scoring, &sink);
    if (scored != ALCORE_OK) return alcore__fail_callback(scored, data->engine->engine);
    for (int64_t i = 0; i < batch->count; i++) {
        const alcore_status status = normalize(data, sums + i * labels, probs + i * labels);
        if (status != ALCORE_OK)
            return alcore__fail_within(status, "row %lld", (long long)batch->rows[i]);
    }
    int64_t shape[2] = {batch->count, labels};
    alcore_tensor values;
    ALCORE__TRY(alcore_tensor_init(&values, probs, ALCORE_FLOAT32, shape, 2));
    return alcore_column_writer_put(writer, batch->rows, NULL, batch->count, &values);
}

/* Probabilities of the prompts that are scored in one call, unless one prompt has more. */
enum { MOST_CELLS = 1 << 20 };

/* Scores rows first .. first + part->count - 1 of a batch, which part->rows has. offsets
 * [part->count + 1]: workspace. */
static alcore_status score_part(const alcore_model *model, const alcore__model_batch *part,
                                const alcore_sys_model_texts *sources, int64_t first,
                                int64_t *offsets, double *sums, float *probs,
                                alcore_column_writer *writer) {
    alcore_sys_model_texts texts = *sources;
    const int64_t begin = sources->offsets[first];
    for (int64_t i = 0; i <= part->count; i++) offsets[i] = sources->offsets[first + i] - begin;
    texts.count = part->count;
    texts.offsets = offsets;
    texts.ids += begin;
    if (texts.types) texts.types += begin;
    if (texts.marks) texts.marks += begin;
    if (texts.texts) texts.texts += first;
    if (texts.lengths) texts.lengths += first;
    if (texts.languages) texts.languages += first;
    return score_batch(model, part, &texts, sums, probs, writer);
}

alcore_status alcore__verbalizer_run_batch(const alcore_model *model,
                                           const alcore__model_batch *batch,
                                           const alcore_sys_model_texts *sources,
                                           alcore_column_writer *writer) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    const int64_t labels = data->verbalizer.count,
                  most = labels < MOST_CELLS ? MOST_CELLS / labels : 1,
                  step = batch->count < most ? batch->count : most;
    const size_t cells = (size_t)step * (size_t)labels;
    double *sums = NULL;     /* [step, labels] */
    float *probs = NULL;     /* [step, labels] */
    int64_t *offsets = NULL; /* [step + 1] */
    alcore_status status = alcore__new_array(ctx, cells, sizeof *sums, &sums);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, cells, sizeof *probs, &probs);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, (size_t)step + 1, sizeof *offsets, &offsets);
    for (int64_t first = 0; status == ALCORE_OK && first < batch->count; first += step) {
        alcore__model_batch part = *batch;
        part.rows += first;
        const int64_t left = batch->count - first;
        part.count = left < step ? left : step;
        status = score_part(model, &part, sources, first, offsets, sums, probs, writer);
    }
    alcore__free(ctx, sums);
    alcore__free(ctx, probs);
    alcore__free(ctx, offsets);
    return status;
}
