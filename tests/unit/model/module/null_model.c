/* SPDX-License-Identifier: Apache-2.0 */
/* A model module without a model: it fills the table of alcore/sys/model.h with numbers made from
 * the bytes of the texts, so that whoever knows a text knows the answer. It is loaded as any model
 * module is, sees alcore/sys/ only and links nothing of libalcore.
 *
 *     embedding of t          dimension j: ((h(t) >> j) & 255) / 256, h the 64-bit FNV-1a hash
 *     log-probability         of the k-th word of t (parted by spaces): -(1 + h(t) mod (k + 7)) / 8
 *     loss of a masked word   minus that
 *     class probabilities     p_0 = (1 + h(t) mod 16) / 32, the other class the rest
 *     classes of tokens       as those of a text, for each word
 *     question answering      of n words: start 1 / n each; end 1 at the last. Of ids the words
 *                             are the tokens of type 1 that are not special. Where one token more
 *                             is marked as "no answer", it is the first of them, and has 1 / 4 of
 *                             each distribution
 *     translation             the text itself, with the log-probabilities of its words
 *     training                an update reads one example; the version counts examples, one with
 *                             class c as 1 + c, one with classes of tokens as the sum of 1 + c over
 *                             these, one with an answer as 100 and its last token and its first one
 *                             ten times. A checkpoint is a config.json with the update
 *
 * A model that takes ids does the same with the ids of a text: h is the hash of their 8-byte
 * little-endian forms, the words of a text are its tokens but the special ones (all tokens of a
 * target), and a translation has the ids in reverse order.
 *
 * A folder is a config.json of at most 1000 bytes with "dims": N, and at will "calls": BITS (what
 * the model supports), "fail": 1 (calls end with ALCORE_E_DATA), "wrong": 1 (an item is given that
 * does not exist), "tokens": 1 (it takes ids), "longest": N (tokens of an input; 512), "best": N
 * (log-probabilities are multiplied by 1 and the distance of what the version counts from N),
 * "infinite": 1 (the loss of a training is infinite) and "names": N (its classes are called B-LOC
 * and I-LOC, 1, O and I-LOC, 2, LABEL_0 and LABEL_1, 3, or O and "B-LOC O", 4). */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alcore/sys/model.h"

static const alcore_sys_host *core;

struct alcore_sys_model {
    void *user;
    int64_t dims, calls, fail, wrong, tokens, longest, best, infinite, names;
    int64_t trained; /* examples seen by train() */
    char version[32];
};

enum {
    ALL_CALLS = ALCORE_SYS_MODEL_EMBED | ALCORE_SYS_MODEL_TOKEN_LOGPROBS |
                ALCORE_SYS_MODEL_CLASS_PROBS | ALCORE_SYS_MODEL_QA_PROBS |
                ALCORE_SYS_MODEL_TRANSLATE | ALCORE_SYS_MODEL_TRAIN | ALCORE_SYS_MODEL_TRAIN_LORA |
                ALCORE_SYS_MODEL_SAVE,
    ONLY_ANSWERS = ALCORE_SYS_MODEL_EMBED | ALCORE_SYS_MODEL_QA_PROBS | ALCORE_SYS_MODEL_TRAIN
};

static alcore_status fail(alcore_status status, const char *text) {
    return core->set_error(status, text, strlen(text));
}

/* The number behind "name": in the text; otherwise when there is none. */
static int64_t number_of(const char *text, const char *name, int64_t otherwise) {
    char key[32];
    snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(text, key);
    return !found ? otherwise : strtoll(found + strlen(key), NULL, 10);
}

static alcore_status read_config(void *user, const char *folder, char text[1001]) {
    char path[500];
    snprintf(path, sizeof path, "%s/config.json", folder);
    alcore_sys_file *file;
    int64_t length = 0;
    alcore_status status = core->file_open(user, path, &file);
    if (status != ALCORE_OK) return status;
    status = core->file_length(file, &length);
    if (status == ALCORE_OK && length > 1000) status = fail(ALCORE_E_DATA, "config.json: too long");
    if (status == ALCORE_OK) status = core->file_read(file, 0, text, (size_t)length);
    core->file_close(file);
    text[status == ALCORE_OK ? length : 0] = '\0';
    return status;
}

static void set_version(alcore_sys_model *model) {
    snprintf(model->version, sizeof model->version, "null-%lld-%lld", (long long)model->dims,
             (long long)model->trained);
}

/* Whether the library has kernels for a kind of device; type: its number in DLPack. */
static const char *kernels_of(void *user, const alcore_sys_model_options *options, int32_t type) {
    const struct alcore_sys_kernels *found = NULL;
    if (!options->kernels || options->kernels(user, type, &found) != ALCORE_OK) return "fail";
    return found ? "are there" : "are not there";
}

/* What the library passed on, for the test to see. */
static void log_options(void *user, const alcore_sys_model_options *options) {
    char line[300];
    snprintf(line, sizeof line,
             "opened: device %s, dtype %d, pooling %d, layer %d, normalize %d, max_tokens %lld, "
             "batch_tokens %lld; kernels of the CPU %s, of devices of an unknown kind %s",
             !options->device ? "auto" : options->device, (int)options->dtype,
             (int)options->pooling, (int)options->layer, (int)options->normalize,
             (long long)options->max_tokens, (long long)options->batch_tokens,
             kernels_of(user, options, ALCORE_DEVICE_CPU), kernels_of(user, options, 99));
    core->log(user, 20, "null", line);
}

static alcore_status open_null(void *user, const char *path,
                               const alcore_sys_model_options *options, alcore_sys_model **out) {
    char text[1001];
    *out = NULL;
    alcore_status status = read_config(user, path, text);
    if (status != ALCORE_OK) return status;
    if (options && options->device && strcmp(options->device, "cpu") != 0)
        return fail(ALCORE_E_UNSUPPORTED, "the null model runs on the CPU alone");
    if (number_of(text, "dims", 0) < 1) return fail(ALCORE_E_DATA, "config.json: dims is missing");
    alcore_sys_model *model = core->allocate(user, sizeof *model);
    if (!model) return fail(ALCORE_E_NOMEM, "null model: no memory");
    *model = (alcore_sys_model){.user = user,
                                .dims = number_of(text, "dims", 0),
                                .calls = number_of(text, "calls", ALL_CALLS),
                                .fail = number_of(text, "fail", 0),
                                .wrong = number_of(text, "wrong", 0),
                                .tokens = number_of(text, "tokens", 0),
                                .longest = number_of(text, "longest", 512),
                                .best = number_of(text, "best", -1),
                                .infinite = number_of(text, "infinite", 0),
                                .names = number_of(text, "names", 0),
                                .trained = number_of(text, "trained", 0)};
    set_version(model);
    log_options(user, options);
    *out = model;
    return ALCORE_OK;
}

static void close_null(alcore_sys_model *model) {
    if (model) core->release(model->user, model, sizeof *model);
}

static alcore_status info(alcore_sys_model *model, alcore_sys_model_info *out) {
    static const char *const labels[][2] = {
        {"", ""}, {"B-LOC", "I-LOC"}, {"O", "I-LOC"}, {"LABEL_0", "LABEL_1"}, {"O", "B-LOC O"}};
    alcore_sys_model_info all = {.size = sizeof all,
                                 .calls = (uint32_t)model->calls,
                                 .takes_tokens = (int32_t)model->tokens,
                                 .dims = model->dims,
                                 .classes = 2,
                                 .max_tokens = model->longest,
                                 .vocabulary = 256,
                                 .family = "null",
                                 .device = "cpu",
                                 .version = model->version,
                                 .json = "{\"family\": \"null\"}",
                                 .labels = model->names ? labels[model->names] : NULL};
    size_t size = out->size < sizeof all ? out->size : sizeof all;
    memcpy(out, &all, size);
    out->size = size;
    return ALCORE_OK;
}

static uint64_t hash_of(const char *text, size_t length) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    return hash;
}

static int64_t words_of(const char *text, size_t length) {
    int64_t words = 0;
    for (size_t i = 0; i < length; i++) words += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    return words;
}

/* The hash of text i, or of its ids. */
static uint64_t hash_of_item(const alcore_sys_model_texts *texts, int64_t i) {
    if (!texts->ids) return hash_of(texts->texts[i], texts->lengths[i]);
    const int64_t *first = texts->ids + texts->offsets[i];
    return hash_of((const char *)first,
                   (size_t)(texts->offsets[i + 1] - texts->offsets[i]) * sizeof *first);
}

/* What a row of a ragged result is: a word (of ids, a token that is not special), any token, a
 * token that begins a word, or a word in which an answer is sought. */
enum { WORDS = 1, WITH_SPECIAL = 2, BEGINNINGS = 3, POSITIONS = 4 };

/* Whether token k of the call is such a row. */
static int is_row(const alcore_sys_model_texts *texts, int64_t k, int what) {
    const int marks = texts->marks ? texts->marks[k] : 0;
    const int special = marks & ALCORE_SYS_TOKEN_SPECIAL;
    if (what == BEGINNINGS) return marks & ALCORE_SYS_TOKEN_WORD ? 1 : 0;
    if (what == POSITIONS)
        return (texts->types[k] == 1 && !special) || (marks & ALCORE_SYS_TOKEN_NO_ANSWER) != 0;
    return what == WITH_SPECIAL || !special;
}

/* The rows of text i. */
static int64_t rows_of_item(const alcore_sys_model_texts *texts, int64_t i, int what) {
    if (!texts->ids) return words_of(texts->texts[i], texts->lengths[i]);
    int64_t rows = 0;
    for (int64_t k = texts->offsets[i]; k < texts->offsets[i + 1]; k++)
        rows += is_row(texts, k, what);
    return rows;
}

/* Numbers of one text: rows x columns, at most 4096 rows. */
typedef void fill_text(const alcore_sys_model *model, uint64_t hash, int64_t rows, float *values);

static void fill_embedding(const alcore_sys_model *model, uint64_t hash, int64_t rows,
                           float *values) {
    (void)rows;
    for (int64_t j = 0; j < model->dims; j++)
        values[j] = (float)((hash >> (j % 56)) & 255) / 256.0f;
}

static void fill_logprobs(const alcore_sys_model *model, uint64_t hash, int64_t rows,
                          float *values) {
    int64_t distance = model->best < 0 ? 0 : llabs(model->trained - model->best);
    for (int64_t k = 0; k < rows; k++)
        values[k] = -(float)(1 + distance) * (float)(1 + hash % (uint64_t)(k + 7)) / 8.0f;
}

static void fill_losses(const alcore_sys_model *model, uint64_t hash, int64_t rows, float *values) {
    fill_logprobs(model, hash, rows, values);
    for (int64_t k = 0; k < rows; k++) values[k] = -values[k];
}

static void fill_classes(const alcore_sys_model *model, uint64_t hash, int64_t rows,
                         float *values) {
    (void)model, (void)rows;
    values[0] = (float)(1 + hash % 16) / 32.0f;
    values[1] = 1.0f - values[0];
}

static void fill_token_classes(const alcore_sys_model *model, uint64_t hash, int64_t rows,
                               float *values) {
    for (int64_t k = 0; k < rows; k++) fill_classes(model, hash, 1, values + 2 * k);
}

static void fill_answer(const alcore_sys_model *model, uint64_t hash, int64_t rows, float *values) {
    (void)model, (void)hash;
    for (int64_t k = 0; k < rows; k++) {
        values[2 * k] = 1.0f / (float)rows;
        values[2 * k + 1] = k == rows - 1;
    }
}

/* The same where the first row is a token that stands for "no answer". */
static void fill_answer_or_none(const alcore_sys_model *model, uint64_t hash, int64_t rows,
                                float *values) {
    values[0] = values[1] = 0.25f;
    fill_answer(model, hash, rows - 1, values + 2);
    for (int64_t k = 2; k < 2 * rows; k++) values[k] *= 0.75f;
}

/* Gives the texts one by one, the last first: the order is the engine's own. columns: numbers of a
 * row; ragged: what a row is, 0 where a text has one. */
static alcore_status give(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                          const alcore_sys_model_sink *sink, fill_text *fill, int64_t columns,
                          int ragged) {
    enum { MOST_ROWS = 4096 };
    size_t bytes = MOST_ROWS * (size_t)columns * sizeof(float);
    float *values = core->allocate(model->user, bytes);
    if (!values) return fail(ALCORE_E_NOMEM, "null model: no memory");
    alcore_status status =
        model->fail ? fail(ALCORE_E_DATA, "the null model was told to fail") : ALCORE_OK;
    for (int64_t i = texts->count - 1; i >= 0 && status == ALCORE_OK; i--) {
        int64_t rows = ragged ? rows_of_item(texts, i, ragged) : 1;
        if (rows > MOST_ROWS) rows = MOST_ROWS;
        fill(model, hash_of_item(texts, i), rows, values);
        int64_t shape[2] = {rows, columns}, item = model->wrong ? texts->count : i;
        alcore_tensor tensor = {.data = values,
                                .device = {ALCORE_DEVICE_CPU, 0},
                                .ndim = ragged && columns == 1 ? 1 : 2,
                                .dtype = {ALCORE_KIND_FLOAT, 32, 1},
                                .shape = shape};
        status = sink->put(sink->user, &item, ragged ? &rows : NULL, 1, &tensor);
        if (status == ALCORE_OK)
            status = core->progress(model->user, "null", texts->count - i, texts->count);
    }
    core->release(model->user, values, bytes);
    return status;
}

static alcore_status embed(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                           const alcore_sys_model_sink *sink) {
    return give(model, texts, sink, fill_embedding, model->dims, 0);
}

/* What the library passed on, for the test to see; without a language nothing. */
static void log_scoring(void *user, const alcore_sys_model_texts *targets,
                        const alcore_sys_model_scoring *scoring) {
    const alcore_sys_model_decoding *decoding = scoring ? scoring->decoding : NULL;
    const char *tag = targets && targets->languages ? targets->languages[0] : "none";
    char line[100];
    if (!decoding || !decoding->language) return;
    snprintf(line, sizeof line, "token_logprobs: language %s, token %lld, targets in %s",
             decoding->language, (long long)decoding->language_token - 1, tag);
    core->log(user, 20, "null", line);
}

/* Values of all targets for each source, and how many tokens a model reads for them. */
static alcore_status give_choices(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                                  const alcore_sys_model_texts *targets,
                                  const alcore_sys_model_sink *sink) {
    enum { MOST_VALUES = 8192 };
    float values[MOST_VALUES];
    int64_t all = targets->offsets[targets->count];
    char line[100];
    if (model->fail) return fail(ALCORE_E_DATA, "the null model was told to fail");
    if (all > MOST_VALUES) return fail(ALCORE_E_INVALID, "null model: targets are too long");
    for (int64_t k = 0; k < targets->count; k++)
        fill_logprobs(model, hash_of_item(targets, k),
                      targets->offsets[k + 1] - targets->offsets[k], values + targets->offsets[k]);
    alcore_tensor tensor = {.data = values,
                            .device = {ALCORE_DEVICE_CPU, 0},
                            .ndim = 1,
                            .dtype = {ALCORE_KIND_FLOAT, 32, 1},
                            .shape = &all};
    snprintf(line, sizeof line, "token_logprobs: %lld tokens before %lld of choices",
             (long long)sources->offsets[sources->count], (long long)all);
    core->log(model->user, 20, "null", line);
    for (int64_t i = sources->count - 1; i >= 0; i--) {
        int64_t item = model->wrong ? sources->count : i;
        alcore_status status = sink->put(sink->user, &item, &all, 1, &tensor);
        if (status != ALCORE_OK) return status;
    }
    return ALCORE_OK;
}

static alcore_status token_logprobs(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                                    const alcore_sys_model_texts *targets,
                                    const alcore_sys_model_scoring *scoring,
                                    const alcore_sys_model_sink *sink) {
    if (!targets && (!scoring || scoring->what != ALCORE_SYS_SCORE_HYPOTHESIS))
        return fail(ALCORE_E_INVALID, "the null model needs targets to score");
    if (scoring && scoring->what == ALCORE_SYS_SCORE_CHOICES)
        return give_choices(model, sources, targets, sink);
    if (targets && targets->count != sources->count)
        return fail(ALCORE_E_INVALID, "null model: as many targets as sources are needed");
    log_scoring(model->user, targets, scoring);
    if (scoring && scoring->dropout) {
        char line[80];
        snprintf(line, sizeof line, "token_logprobs: dropout of seed %llu",
                 (unsigned long long)scoring->seed);
        core->log(model->user, 20, "null", line);
    }
    return targets ? give(model, targets, sink, fill_logprobs, 1, WITH_SPECIAL)
                   : give(model, sources, sink, fill_logprobs, 1, WORDS);
}

static alcore_status mlm_losses(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                                const alcore_sys_model_scoring *scoring,
                                const alcore_sys_model_sink *sink) {
    (void)scoring;
    return give(model, texts, sink, fill_losses, 1, WORDS);
}

static alcore_status class_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                                 const alcore_sys_model_sink *sink) {
    return give(model, texts, sink, fill_classes, 2, 0);
}

static alcore_status token_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                                 const alcore_sys_model_sink *sink) {
    return give(model, texts, sink, fill_token_classes, 2, BEGINNINGS);
}

static alcore_status qa_probs(alcore_sys_model *model, const alcore_sys_model_texts *texts,
                              const alcore_sys_model_sink *sink) {
    int marked = 0;
    core->log(model->user, 20, "null", "qa_probs");
    for (int64_t k = 0; texts->ids && k < texts->offsets[texts->count]; k++)
        marked |= texts->marks[k] & ALCORE_SYS_TOKEN_NO_ANSWER;
    return give(model, texts, sink, marked ? fill_answer_or_none : fill_answer, 2, POSITIONS);
}

/* The last text first, each with its worse output, "worse", before the best one. */
static alcore_status translate(alcore_sys_model *model, const alcore_sys_model_texts *sources,
                               const alcore_sys_model_decoding *decoding,
                               const alcore_sys_model_sink *sink) {
    enum { MOST_TOKENS = 4096 };
    int64_t ids[MOST_TOKENS];
    float logprobs[MOST_TOKENS];
    char line[100];
    alcore_status status =
        model->fail ? fail(ALCORE_E_DATA, "the null model was told to fail") : ALCORE_OK;
    if (decoding->length_penalty != 0 || decoding->temperature != 0) {
        snprintf(line, sizeof line, "translate: length_penalty %g, temperature %g",
                 decoding->length_penalty, decoding->temperature);
        core->log(model->user, 20, "null", line);
    }
    snprintf(line, sizeof line, "translate: beams %d, max_tokens %lld, sample %d, seed %llu",
             (int)decoding->beams, (long long)decoding->max_tokens, (int)decoding->sample,
             (unsigned long long)decoding->seed);
    if (decoding->language_token > 0 || decoding->outputs > 1)
        snprintf(line, sizeof line, "translate: outputs %d, language %s, token %lld",
                 (int)decoding->outputs, decoding->language ? decoding->language : "none",
                 (long long)decoding->language_token - 1);
    core->log(model->user, 20, "null", line);
    for (int64_t i = sources->count - 1; i >= 0 && status == ALCORE_OK; i--) {
        int64_t words = rows_of_item(sources, i, WORDS), item = model->wrong ? sources->count : i;
        fill_logprobs(model, hash_of_item(sources, i), words, logprobs);
        for (int64_t k = 0; sources->ids && k < words; k++)
            ids[k] = sources->ids[sources->offsets[i + 1] - 2 - k];
        status = sink->put_text(sink->user, item, 1, "worse", 5, NULL, NULL, 0, -2);
        if (status == ALCORE_OK && sources->ids)
            status = sink->put_text(sink->user, item, 0, NULL, 0, ids, logprobs, words, -1);
        else if (status == ALCORE_OK)
            status = sink->put_text(sink->user, item, 0, sources->texts[i], sources->lengths[i],
                                    NULL, logprobs, words, -1);
        if (status == ALCORE_OK)
            status = core->progress(model->user, "null", sources->count - i, sources->count);
    }
    return status;
}

/* Writes PATH/config.json of the model as it is after an update. */
static alcore_status write_config(alcore_sys_model *model, const char *path, int64_t update) {
    char name[500], text[200];
    snprintf(name, sizeof name, "%s/config.json", path);
    int length = snprintf(text, sizeof text,
                          "{\"dims\": %lld, \"tokens\": %lld, \"best\": %lld, \"trained\": %lld, "
                          "\"update\": %lld}",
                          (long long)model->dims, (long long)model->tokens, (long long)model->best,
                          (long long)model->trained, (long long)update);
    alcore_sys_writer *writer;
    alcore_status status = core->folder_make(model->user, path);
    if (status == ALCORE_OK) status = core->writer_open(model->user, name, &writer);
    if (status != ALCORE_OK) return status;
    status = core->writer_put(writer, text, (size_t)length);
    if (status == ALCORE_OK) return core->writer_commit(writer);
    core->writer_abort(writer);
    return status;
}

/* What the library passed on, for the test to see. */
static void log_training(void *user, const alcore_sys_model_training *how) {
    char line[300];
    snprintf(
        line, sizeof line,
        "train: rate %g, decay %g, betas %g %g, epsilon %g, clip %g, smoothing %g, warmup %lld, "
        "accumulate %lld, batch_tokens %lld, schedule %d, optimizer %d, seed %llu, dtype %d, "
        "recompute %d, lora %d %g %g %s, weights",
        how->rate, how->weight_decay, how->beta1, how->beta2, how->epsilon, how->clip,
        how->label_smoothing, (long long)how->warmup, (long long)how->accumulate,
        (long long)how->batch_tokens, (int)how->schedule, (int)how->optimizer,
        (unsigned long long)how->seed, (int)how->dtype, (int)how->recompute, (int)how->lora_rank,
        how->lora_alpha, how->lora_dropout, how->lora_targets ? how->lora_targets : "-");
    for (int64_t i = 0; how->weights && i < how->sources->count; i++) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, " %g", (double)how->weights[i]);
    }
    core->log(user, 20, "null", line);
}

static alcore_status tell(const alcore_sys_model_training *how, int64_t update, int64_t updates,
                          int32_t *stop) {
    return how->after_update ? how->after_update(how->user, update, updates, stop) : ALCORE_OK;
}

/* What the version counts for an example. */
static int64_t counted(const alcore_sys_model *model, const alcore_sys_model_training *how,
                       int64_t example) {
    const int64_t *offsets = how->sources->offsets;
    int64_t sum = 0;
    if (!how->labels) return 1;
    if (model->calls == ONLY_ANSWERS)
        return how->labels[2 * example] < 0
                   ? 0
                   : 100 + 10 * how->labels[2 * example] + how->labels[2 * example + 1];
    if (!(model->calls & ALCORE_SYS_MODEL_TOKEN_PROBS)) return 1 + how->labels[example];
    for (int64_t k = offsets[example]; k < offsets[example + 1]; k++)
        if (how->labels[k] != -100) sum += 1 + how->labels[k];
    return sum;
}

/* The updates from *update on. */
static alcore_status make_updates(alcore_sys_model *model, const alcore_sys_model_training *how,
                                  int64_t updates, int64_t *update) {
    int32_t stop = 0;
    alcore_status status = tell(how, *update, updates, &stop);
    while (*update < updates && status == ALCORE_OK && !stop) {
        int64_t example = *update % how->sources->count;
        model->trained += counted(model, how, example);
        ++*update;
        status = tell(how, *update, updates, &stop);
        bool due = how->checkpoint_every > 0 && *update % how->checkpoint_every == 0;
        if (status == ALCORE_OK && how->checkpoints && (due || stop || *update == updates))
            status = write_config(model, how->checkpoints, *update);
        if (status == ALCORE_OK) status = core->progress(model->user, "null", *update, updates);
    }
    return status;
}

static alcore_status train(alcore_sys_model *model, const alcore_sys_model_training *training,
                           alcore_sys_model_trained *out) {
    int64_t count = training->sources->count, update = 0;
    char text[1001];
    if (!training->labels && (!training->targets || training->targets->count != count))
        return fail(ALCORE_E_INVALID, "the null model needs labels, or a target for each source");
    log_training(model->user, training);
    if (training->checkpoints &&
        read_config(model->user, training->checkpoints, text) == ALCORE_OK) {
        update = number_of(text, "update", 0);
        model->trained = number_of(text, "trained", 0);
    }
    alcore_status status =
        make_updates(model, training, training->updates > 0 ? training->updates : count, &update);
    set_version(model);
    if (out) out->updates = update;
    if (out && !training->labels) { /* of classifiers it does not tell */
        out->parameters = 10 * model->dims;
        out->trained_parameters =
            training->lora_rank ? training->lora_rank * model->dims : out->parameters;
    }
    if (out && model->infinite) out->loss = INFINITY;
    return status;
}

static alcore_status save(alcore_sys_model *model, const char *path) {
    return write_config(model, path, 0);
}

static const alcore_sys_model_engine engine = {.size = sizeof engine,
                                               .abi = ALCORE_SYS_ABI,
                                               .engine = "null-1",
                                               .open = open_null,
                                               .close = close_null,
                                               .info = info,
                                               .embed = embed,
                                               .token_logprobs = token_logprobs,
                                               .class_probs = class_probs,
                                               .token_probs = token_probs,
                                               .qa_probs = qa_probs,
                                               .mlm_losses = mlm_losses,
                                               .translate = translate,
                                               .train = train,
                                               .save = save};

ALCORE_API alcore_status alcore_model_entry(uint32_t abi, const alcore_sys_host *host,
                                            const alcore_sys_model_engine **out);

alcore_status alcore_model_entry(uint32_t abi, const alcore_sys_host *host,
                                 const alcore_sys_model_engine **out) {
    *out = NULL;
    core = host;
    if (abi != ALCORE_SYS_ABI) return fail(ALCORE_E_UNSUPPORTED, "built for another libalcore");
    *out = &engine;
    return ALCORE_OK;
}
