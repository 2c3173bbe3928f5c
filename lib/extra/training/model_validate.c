/* SPDX-License-Identifier: Apache-2.0 */
/* What happens between two updates of a training: the model is measured on the pool of the
 * validation, the best model is saved, and the training ends early when the model does not improve.
 *
 * With a folder of checkpoints every validation is kept there, in validations.tsv. It is written
 * before the checkpoint of the same update, so that the file has every validation up to the update
 * of any checkpoint. A training that is resumed after update u reads those up to u from the file
 * and makes the later ones again, with the same weights and so with the same values. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "alcore/extra/metric.h"
#include "base/number.h"
#include "base/tensor_view.h"
#include "extra/training/folder_model.h"
#include "extra/training/training_internal.h"
#include "formats/line_reader.h"

static const char header[] = "update\tvalue\tmetric\tevery\tdata\n";

/* ---- measuring ---- */

/* Whether a metric compares answers to questions. */
static bool is_of_answers(int32_t metric) {
    return metric == ALCORE_VALIDATE_EXACT_MATCH || metric == ALCORE_VALIDATE_F1;
}

/* Refuses a metric that the model cannot be measured by, such as BLEU of a classifier, or the
 * accuracy of a model that translates. */
static alcore_status check_metric(const alcore_model *model, int32_t metric) {
    const alcore__engine_model *data = model->data;
    const bool answers = alcore__answers_questions(data);
    const bool tokens = alcore__classifies_tokens(data);
    const bool classes = tokens || alcore__classifies(data);
    const uint32_t call = answers                          ? ALCORE_SYS_MODEL_QA_PROBS
                          : tokens                         ? ALCORE_SYS_MODEL_TOKEN_PROBS
                          : classes                        ? ALCORE_SYS_MODEL_CLASS_PROBS
                          : metric == ALCORE_VALIDATE_BLEU ? ALCORE_SYS_MODEL_TRANSLATE
                                                           : ALCORE_SYS_MODEL_TOKEN_LOGPROBS;
    const bool of_spans = alcore__is_of_spans(metric);
    const bool fits = metric == ALCORE_VALIDATE_LOSS ||
                      (answers   ? is_of_answers(metric)
                       : classes ? metric == ALCORE_VALIDATE_ACCURACY || (tokens && of_spans)
                                 : metric == ALCORE_VALIDATE_BLEU);
    if (!fits || !alcore__engine_has(data, call))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s has no validation by %s: it %s",
                            model->name, alcore__validation_name(metric),
                            answers   ? "answers questions"
                            : tokens  ? "gives classes of tokens"
                            : classes ? "gives classes of texts"
                                      : "translates");
    return of_spans ? alcore__spans_check(model, metric, alcore__validation_name(metric))
                    : ALCORE_OK;
}

/* A number of a row of an array of float32 or float64. */
static double number_at(const alcore__array *array, int64_t row, int64_t column) {
    const int64_t index = row * array->stride + column;
    return array->dtype == ALCORE_FLOAT32 ? (double)((const float *)array->data)[index]
                                          : ((const double *)array->data)[index];
}

/* The most probable class of a row of class probabilities [rows, classes], of equal ones the first.
 */
static int64_t likeliest_class(const alcore__array *array, int64_t row) {
    int64_t best = 0;
    for (int64_t k = 1; k < array->columns; k++)
        if (number_at(array, row, k) > number_at(array, row, best)) best = k;
    return best;
}

/* The value of a text of a classifier: 1 or 0 where its likeliest class is right or wrong, or minus
 * the logarithm of the probability of the right class, by the metric. row: of class probabilities
 * [rows, classes]; label: the right class. */
static double value_of_classes(const alcore__watch *watch, const alcore__array *array, int64_t row,
                               int64_t label) {
    if (watch->options->metric == ALCORE_VALIDATE_LOSS) return -log(number_at(array, row, label));
    return likeliest_class(array, row) == label;
}

/* Stores the value of text `item` from the class probabilities of `rows` of its tokens, which begin
 * at row `row` of the array: of those tokens that alcore__examples_counts() names, in order; and,
 * for spans, their most probable classes. Tokens without a label (a negative one) add nothing. */
static alcore_status record_tokens(alcore__watch *watch, const alcore__array *array, int64_t row,
                                   int64_t item, int64_t rows) {
    const alcore__examples *all = &watch->examples;
    const alcore__engine_model *data = watch->model->data;
    const int64_t *offsets = all->sources.passed.offsets;
    int64_t used = 0, labeled = 0;
    double value = 0;
    if (watch->predicted && array->columns != data->info.classes)
        return alcore__fail(ALCORE_E_SHAPE, "%s gave %lld classes of a model with %lld",
                            data->engine->engine, (long long)array->columns,
                            (long long)data->info.classes);
    for (int64_t k = offsets[item]; k < offsets[item + 1]; k++) {
        if (!alcore__examples_counts(all, k)) continue;
        if (used < rows && all->labels[k] >= 0 && all->labels[k] < array->columns) {
            value += value_of_classes(watch, array, row + used, all->labels[k]);
            if (watch->predicted) watch->predicted[k] = likeliest_class(array, row + used);
            labeled++;
        }
        used++;
    }
    if (used != rows)
        return alcore__fail(ALCORE_E_SHAPE, "%s gave classes of %lld tokens of a text with %lld",
                            data->engine->engine, (long long)rows, (long long)used);
    watch->values[item] = value;
    watch->tokens[item] = labeled;
    return ALCORE_OK;
}

/* Stores the value of text `item` (an index in the batch, or of a window) in watch->values and its
 * number of tokens in watch->tokens. Its values begin at row `row` of the array: log-probabilities
 * of `tokens` tokens, or one row of class probabilities. */
static alcore_status record_item(alcore__watch *watch, const alcore__array *array, int64_t row,
                                 int64_t item, int64_t tokens) {
    const alcore__engine_model *data = watch->model->data;
    const int64_t *labels = watch->examples.labels;
    const bool of_tokens = alcore__classifies_tokens(data);
    const bool of_answers = watch->examples.window_rows != NULL;
    if (item < 0 || item >= watch->items || tokens < 0 || tokens > array->rows - row ||
        (labels && !of_tokens && !of_answers && labels[item] >= array->columns))
        return alcore__fail(ALCORE_E_SHAPE, "%s gave item %lld of a validation with %lld items",
                            data->engine->engine, (long long)item, (long long)watch->items);
    if (of_answers) return alcore__questions_take(watch, array, row, item, tokens);
    if (of_tokens) return record_tokens(watch, array, row, item, tokens);
    double value = 0;
    for (int64_t k = 0; !labels && k < tokens; k++) value -= number_at(array, row + k, 0);
    watch->values[item] = labels ? value_of_classes(watch, array, row, labels[item]) : value;
    watch->tokens[item] = tokens;
    return ALCORE_OK;
}

/* alcore_sys_model_sink.put of a validation; user: the watch. */
static alcore_status put(void *user, const int64_t *items, const int64_t *lengths, int64_t count,
                         const alcore_tensor *values) {
    alcore__watch *watch = user;
    alcore__array array;
    ALCORE__TRY(alcore__tensor_view(values, "values of a validation", &array));
    if (array.dtype != ALCORE_FLOAT32 && array.dtype != ALCORE_FLOAT64)
        return alcore__fail(ALCORE_E_SHAPE, "values of a validation: %s is not float32 or float64",
                            alcore__dtype_name(array.dtype));
    for (int64_t i = 0, row = 0; i < count; i++) {
        const int64_t tokens = lengths ? lengths[i] : 1;
        ALCORE__TRY(record_item(watch, &array, row, items[i], tokens));
        row += tokens;
    }
    return ALCORE_OK;
}

/* The mean over tokens, or over texts, of what the engine gives, which put() stores in
 * watch->values [texts]; NaN there: it gave none. Sums run over the texts in their order, so that
 * the order in which the engine gives them does not matter. */
static alcore_status measure_values(alcore__watch *watch, double *out) {
    const alcore__engine_model *data = watch->model->data;
    const alcore__examples *all = &watch->examples;
    const alcore_sys_model_sink sink = {.size = sizeof sink, .user = watch, .put = put};
    const alcore_sys_model_scoring scoring = {.size = sizeof scoring,
                                              .what = ALCORE_SYS_SCORE_TARGET};
    double sum = 0;
    int64_t tokens = 0;
    for (int64_t i = 0; i < watch->items; i++) watch->values[i] = (double)NAN;
    const alcore_status status =
        all->window_rows ? data->engine->qa_probs(data->opened, &all->sources.passed, &sink)
        : alcore__classifies_tokens(data)
            ? data->engine->token_probs(data->opened, &all->sources.passed, &sink)
        : all->labels
            ? data->engine->class_probs(data->opened, &all->sources.passed, &sink)
            : data->engine->token_logprobs(data->opened, &all->sources.passed,
                                           alcore__examples_targets(all), &scoring, &sink);
    if (status != ALCORE_OK) return alcore__fail_callback(status, data->engine->engine);
    for (int64_t i = 0; i < watch->items; i++) {
        if (isnan(watch->values[i]))
            return alcore__fail(
                ALCORE_E_MISSING, "validation: row %lld got NaN or no value at all from the model",
                (long long)all->batch.rows[all->window_rows ? all->window_rows[i] : i]);
        sum += watch->values[i];
        tokens += watch->tokens[i];
    }
    if (watch->spans) return alcore__questions_measure(watch, out);
    if (watch->predicted) return alcore__spans_measure(watch, out);
    *out = tokens > 0 ? sum / (double)tokens : 0;
    return ALCORE_OK;
}

/* BLEU of the outputs against the references; texts and lengths [count] are memory for the outputs,
 * a pool with the same rows as the validation's. */
static alcore_status score_outputs(const alcore__watch *watch, const alcore_pool *outputs,
                                   const char **texts, size_t *lengths, double *out) {
    const alcore__examples *all = &watch->examples;
    const int64_t count = all->batch.count;
    alcore_bleu_result score = ALCORE_BLEU_RESULT_INIT;
    for (int64_t i = 0; i < count; i++)
        texts[i] = alcore_pool_text(outputs, all->batch.rows[i], &lengths[i]);
    ALCORE__TRY(alcore_metric_compute_bleu(watch->model->object.ctx, texts, lengths, count,
                                           all->texts, all->lengths, count, NULL, NULL, &score));
    *out = score.bleu;
    return ALCORE_OK;
}

/* Translates the texts by greedy search and compares the outputs with the references: *out is the
 * BLEU of all. Called with the model's write lock, under which a training runs. */
static alcore_status measure_bleu(alcore__watch *watch, double *out) {
    alcore_ctx *ctx = watch->model->object.ctx;
    const size_t count = (size_t)watch->examples.batch.count;
    const alcore__translating greedy = {.beams = 1, .best = 1};
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    keep_all.repeated_ids = ALCORE_IDS_ANY; /* as the rows that are validated may have */
    alcore_pool *outputs = NULL;
    const char **texts = NULL;
    size_t *lengths = NULL;
    keep_all.dedup = ALCORE_DEDUP_NONE;
    keep_all.utf8 = ALCORE_UTF8_REPLACE;
    alcore_status status = alcore_pool_new(ctx, &keep_all, &outputs);
    if (status == ALCORE_OK)
        status =
            alcore__engine_translate(watch->model, watch->options->validation, &greedy, outputs);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, count, sizeof *texts, &texts);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, count, sizeof *lengths, &lengths);
    if (status == ALCORE_OK) status = score_outputs(watch, outputs, texts, lengths, out);
    alcore__free(ctx, (void *)texts);
    alcore__free(ctx, lengths);
    alcore_pool_unref(outputs);
    return status;
}

/* ---- what was measured ---- */

/* Counts a validation after `update` updates: watch->worse becomes the number of validations since
 * the best one. Returns whether its value is better than all before. */
static bool count_value(alcore__watch *watch, int64_t update, double value) {
    alcore_train_result *result = watch->result;
    const bool lower = watch->options->metric == ALCORE_VALIDATE_LOSS;
    const bool better = result->best_update == 0 ||
                        (lower ? value < result->best_value : value > result->best_value);
    watch->worse = better ? 0 : watch->worse + 1;
    if (better) {
        result->best_update = update;
        result->best_value = value;
    }
    return better;
}

/* Adds a validation to the lines of the file: update, value, and the tail, which names metric,
 * interval and data. */
static alcore_status add_line(alcore__watch *watch, int64_t update, double value) {
    char number[32];
    alcore__print_double(value, number);
    return alcore__buffer_format(watch->model->object.ctx, &watch->lines, "%lld\t%s%s\n",
                                 (long long)update, number, watch->tail);
}

/* The path of the file of validations in *out, which the caller clears. */
static alcore_status path_of_lines(const alcore__watch *watch, alcore__buffer *out) {
    return alcore__buffer_format(watch->model->object.ctx, out, "%s/validations.tsv",
                                 watch->options->checkpoints);
}

/* Writes validations.tsv anew; without a folder of checkpoints nothing is written. */
static alcore_status write_lines(const alcore__watch *watch) {
    alcore_ctx *ctx = watch->model->object.ctx;
    alcore__buffer path = {0};
    alcore__writer *writer = NULL;
    if (!watch->options->checkpoints) return ALCORE_OK;
    ALCORE__TRY(alcore__make_folder(ctx, watch->options->checkpoints));
    alcore_status status = path_of_lines(watch, &path);
    if (status == ALCORE_OK) status = alcore__writer_open(ctx, path.data, &writer);
    if (status == ALCORE_OK)
        status = alcore__writer_put(writer, watch->lines.data, watch->lines.length);
    if (status == ALCORE_OK)
        status = alcore__writer_commit(writer);
    else
        alcore__writer_abort(writer);
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* Reads one line of the file, the header or a validation of this training. A validation counts and
 * is kept unless it was made after the checkpoint. */
static alcore_status read_line(alcore__watch *watch, const alcore__line_reader *lines, char *text,
                               size_t length) {
    const char *first = memchr(text, '\t', length);
    const size_t digits = first ? (size_t)(first - text) : 0;
    const size_t tail = strlen(watch->tail);
    int64_t update;
    double value;
    if (lines->line == 1 && length + 1 == strlen(header) && !memcmp(text, header, length))
        return ALCORE_OK;
    if (lines->line == 1 || !alcore__parse_int(text, digits, &update) || update < 1)
        return alcore__fail(ALCORE_E_CORRUPT, "%s:%lld: no validation", lines->path,
                            (long long)lines->line);
    if (length <= digits + 1 + tail || memcmp(text + length - tail, watch->tail, tail) != 0)
        return alcore__fail(ALCORE_E_INVALID,
                            "%s:%lld: made with another metric, interval or data than this "
                            "validation has; take another folder for checkpoints",
                            lines->path, (long long)lines->line);
    if (!alcore__parse_double(text + digits + 1, length - digits - 1 - tail, &value))
        return alcore__fail(ALCORE_E_CORRUPT, "%s:%lld: the value is no number", lines->path,
                            (long long)lines->line);
    if (update > watch->result->resumed) return ALCORE_OK;
    count_value(watch, update, value);
    return add_line(watch, update, value);
}

/* Reads the validations that were made up to the checkpoint. The file must be there when one of
 * them was due before: without it the next value would count as the best one. */
static alcore_status read_lines(alcore__watch *watch) {
    alcore_ctx *ctx = watch->model->object.ctx;
    alcore__buffer path = {0};
    alcore__line_reader lines;
    char *text;
    size_t length;
    ALCORE__TRY(path_of_lines(watch, &path));
    alcore_status status = alcore__lines_open(&lines, ctx, path.data, 0);
    if (status != ALCORE_OK) {
        const int64_t every = watch->options->validate_every;
        alcore__buffer_clear(ctx, &path);
        if (status != ALCORE_E_IO) return status;
        if (every < 1 || watch->result->resumed < every) return ALCORE_OK;
        return alcore__fail_within(status, "the validations behind the checkpoint: take another "
                                           "folder for checkpoints where they are lost");
    }
    for (bool more = true; more && status == ALCORE_OK;) {
        status = alcore__lines_fill(&lines, &more);
        while (more && status == ALCORE_OK) {
            status = alcore__lines_next(&lines, &text, &length);
            if (status != ALCORE_OK || !text) break;
            status = read_line(watch, &lines, text, length);
        }
    }
    alcore__lines_close(&lines);
    alcore__buffer_clear(ctx, &path);
    return status;
}

/* ---- between two updates ---- */

/* Whether the training goes on although the last validations were not better. */
static bool is_patient(const alcore__watch *watch) {
    return watch->options->patience == 0 || watch->worse < watch->options->patience;
}

/* Called before the first update of a run; `update` updates were made by earlier runs. */
static alcore_status begin_updates(alcore__watch *watch, int64_t update, int64_t updates,
                                   int32_t *stop) {
    watch->begun = true;
    watch->result->resumed = update;
    if (update == 0) return ALCORE_OK;
    alcore__log(watch->model->object.ctx, ALCORE_LOG_INFO, "training", NULL,
                "goes on after update %lld of %lld", (long long)update, (long long)updates);
    if (watch->options->validation) ALCORE__TRY(read_lines(watch));
    if (update < updates && !is_patient(watch)) *stop = watch->result->stopped = 1;
    return ALCORE_OK;
}

static alcore_status measure(alcore__watch *watch, double *out) {
    return watch->options->metric == ALCORE_VALIDATE_BLEU ? measure_bleu(watch, out)
                                                          : measure_values(watch, out);
}

/* Measures the model and keeps it where it is the best one so far. */
static alcore_status validate(alcore__watch *watch, int64_t update) {
    const alcore_train_options *options = watch->options;
    double value = 0;
    ALCORE__TRY(measure(watch, &value));
    const bool better = count_value(watch, update, value);
    alcore__log(watch->model->object.ctx, ALCORE_LOG_INFO, "training", NULL,
                "update %lld: %s %.6g, the best is %.6g of update %lld", (long long)update,
                alcore__validation_name(options->metric), value, watch->result->best_value,
                (long long)watch->result->best_update);
    if (better && options->best) ALCORE__TRY(alcore__engine_save(watch->model, options->best));
    ALCORE__TRY(add_line(watch, update, value));
    return write_lines(watch);
}

alcore_status alcore__watch_update(void *user, int64_t update, int64_t updates, int32_t *stop) {
    alcore__watch *watch = user;
    const alcore_train_options *options = watch->options;
    if (!watch->begun) return begin_updates(watch, update, updates, stop);
    const bool due = options->validate_every > 0 && update % options->validate_every == 0;
    if (!options->validation || !(due || update == updates)) return ALCORE_OK;
    ALCORE__TRY(validate(watch, update));
    if (update < updates && !is_patient(watch)) *stop = watch->result->stopped = 1;
    return ALCORE_OK;
}

/* ---- the watch ---- */

/* A hash of the texts and references, or labels, of the validation; of questions the answers and
 * where they are in the windows of their contexts. Multiplying by the prime of the 64-bit FNV hash
 * after each reference makes their order count. */
static uint64_t hash_pairs(const alcore_pool *pool, const alcore__examples *all, bool of_tokens) {
    const alcore__model_batch *batch = &all->batch;
    uint64_t hash = alcore_pool_fingerprint(pool);
    if (all->window_rows) {
        const alcore__windows *windows = &all->windows;
        const size_t tokens = (size_t)windows->offsets[windows->count];
        const size_t count = (size_t)windows->count;
        hash ^= alcore__hash128((const char *)windows->ids, tokens * sizeof *windows->ids).low ^
                alcore__hash128((const char *)all->labels, 2 * count * sizeof *all->labels).high;
    }
    if (of_tokens) {
        const size_t tokens = (size_t)all->sources.passed.offsets[batch->count];
        return hash ^ alcore__hash128((const char *)all->labels, tokens * sizeof *all->labels).low;
    }
    for (int64_t i = 0; i < batch->count; i++) {
        size_t length = 0;
        const char *text = alcore_pool_reference(pool, batch->rows[i], &length);
        hash = (hash ^ alcore__hash128(text ? text : "", length).low) * 1099511628211u;
    }
    return hash;
}

alcore_status alcore__watch_begin(alcore_model *model, const alcore_train_options *options,
                                  alcore_train_result *result, alcore__watch *out) {
    alcore_ctx *ctx = model->object.ctx;
    alcore__buffer tail = {0};
    out->model = model;
    out->options = options;
    out->result = result;
    if (!options->validation) return ALCORE_OK;
    ALCORE__TRY(check_metric(model, options->metric));
    const alcore_status status =
        alcore__examples_read(model, options->validation, options->labels, &out->examples);
    if (status != ALCORE_OK) return alcore__fail_within(status, "validation");
    out->items =
        out->examples.window_rows ? out->examples.windows.count : out->examples.batch.count;
    const size_t count = (size_t)out->items;
    if (is_of_answers(options->metric))
        ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->spans, &out->spans));
    if (alcore__is_of_spans(options->metric))
        ALCORE__TRY(alcore__new_array(ctx, (size_t)out->examples.sources.passed.offsets[out->items],
                                      sizeof *out->predicted, &out->predicted));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->values, &out->values));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->tokens, &out->tokens));
    ALCORE__TRY(alcore__buffer_format(
        ctx, &tail, "\t%s\t%lld\t%016" PRIx64, alcore__validation_name(options->metric),
        (long long)options->validate_every,
        hash_pairs(options->validation, &out->examples, alcore__classifies_tokens(model->data))));
    out->tail = tail.data;
    return alcore__buffer_append(ctx, &out->lines, header, strlen(header));
}

void alcore__watch_clear(alcore__watch *watch) {
    if (!watch->model) return;
    alcore_ctx *ctx = watch->model->object.ctx;
    alcore__examples_clear(ctx, &watch->examples);
    alcore__buffer_clear(ctx, &watch->lines);
    alcore__free(ctx, watch->values);
    alcore__free(ctx, watch->tokens);
    alcore__free(ctx, watch->spans);
    alcore__free(ctx, watch->predicted);
    alcore__free(ctx, watch->tail);
}

/* ---- a model that is not trained ---- */

/* Measures under the write lock of the model and the read lock of the pool. */
static alcore_status measure_once(alcore_model *model, const alcore_train_options *options,
                                  double *out) {
    alcore_train_result result = ALCORE_TRAIN_RESULT_INIT;
    alcore__watch watch = {0};
    alcore_status status = alcore__watch_begin(model, options, &result, &watch);
    if (status == ALCORE_OK) status = measure(&watch, out);
    alcore__watch_clear(&watch);
    return status;
}

alcore_status alcore__model_validate(alcore_model *model, alcore_pool *pool, int32_t metric,
                                     double *out) {
    alcore_train_options options = ALCORE_TRAIN_OPTIONS_INIT;
    options.validation = pool;
    options.metric = metric;
    if (!alcore__engine_of(model))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s has no %s: it does not run in an engine", model->name,
                            alcore__validation_name(metric));
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = alcore__write_begin(model, "model");
    if (status == ALCORE_OK) {
        status = measure_once(model, &options, out);
        alcore__write_end(model);
    }
    alcore__read_end(pool);
    return status;
}
