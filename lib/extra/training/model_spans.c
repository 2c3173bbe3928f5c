/* SPDX-License-Identifier: Apache-2.0 */
/* Validation of a classifier of tokens by the F1 of spans: the tags of the labeled tokens of a
 * text, which are the names of their classes, become one line of gold tags and one of predicted
 * tags, and alcore_metric_compute_spans() compares the lines of all texts. The predicted class of a
 * token is the most probable one. Tokens without a label are in neither line.
 *
 * Memory: 8 bytes a token while the training runs; while it measures, the names of both classes of
 * each labeled token, and 32 bytes a text. */
#include <string.h>

#include "alcore/extra/metric.h"
#include "extra/metric/tags.h"
#include "extra/training/training_internal.h"
#include "text/words.h"

bool alcore__is_of_spans(int32_t metric) {
    return metric == ALCORE_VALIDATE_SPAN_F1 || metric == ALCORE_VALIDATE_STRICT_SPAN_F1;
}

/* The tags that a metric reads. */
static int32_t scheme_of(int32_t metric) {
    return metric == ALCORE_VALIDATE_STRICT_SPAN_F1 ? ALCORE_TAGS_IOB2 : ALCORE_TAGS_DEFAULT;
}

/* Whether a name is one tag, without white space, at which lines are cut into tags. */
static bool is_one_tag(int32_t scheme, const char *name) {
    const char *next = name, *word;
    size_t length;
    const size_t bytes = strlen(name);
    return alcore__word_next(&next, name + bytes, &word, &length) && length == bytes &&
           alcore__is_tag(scheme, name, bytes);
}

alcore_status alcore__spans_check(const alcore_model *model, int32_t metric, const char *name) {
    const int32_t scheme = scheme_of(metric);
    const alcore_sys_model_info *info = &((const alcore__engine_model *)model->data)->info;
    if (!info->labels)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s has no validation by %s: id2label of its config.json does "
                            "not name the classes, O, B-TYPE or I-TYPE each",
                            model->name, name);
    for (int64_t k = 0; k < info->classes; k++)
        if (!is_one_tag(scheme, info->labels[k]))
            return alcore__fail(ALCORE_E_UNSUPPORTED,
                                "model %s has no validation by %s: its class %lld is called "
                                "'%.40s' (id2label of its config.json), not O, B-TYPE or I-TYPE",
                                model->name, name, (long long)k, info->labels[k]);
    return ALCORE_OK;
}

/* The lines of one side, a line for each text of the validation. */
typedef struct tag_lines {
    alcore__buffer all; /* all lines, one after the other */
    const char **texts; /* [texts] views of it */
    size_t *lengths;    /* [texts] bytes */
} tag_lines;

static void lines_clear(alcore_ctx *ctx, tag_lines *lines) {
    alcore__buffer_clear(ctx, &lines->all);
    alcore__free(ctx, (void *)lines->texts);
    alcore__free(ctx, lines->lengths);
}

/* Writes the lines of the classes [tokens of the sources], the gold or the predicted ones. The
 * views are set at the end, because the buffer moves while it grows. */
static alcore_status write_lines(const alcore__watch *watch, const int64_t *classes,
                                 tag_lines *out) {
    const alcore__examples *all = &watch->examples;
    const alcore_sys_model_info *info = &((const alcore__engine_model *)watch->model->data)->info;
    const int64_t *offsets = all->sources.passed.offsets;
    const size_t count = (size_t)all->batch.count;
    alcore_ctx *ctx = watch->model->object.ctx;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->texts, &out->texts));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->lengths, &out->lengths));
    ALCORE__TRY(alcore__buffer_reserve(ctx, &out->all, 1));
    for (size_t i = 0; i < count; i++) {
        const size_t begin = out->all.length;
        for (int64_t k = offsets[i]; k < offsets[i + 1]; k++) {
            if (all->labels[k] < 0) continue;
            const char *name = info->labels[classes[k]];
            ALCORE__TRY(alcore__buffer_append(ctx, &out->all, name, strlen(name)));
            ALCORE__TRY(alcore__buffer_append(ctx, &out->all, " ", 1));
        }
        out->lengths[i] = out->all.length - begin;
    }
    const char *at = out->all.data;
    for (size_t i = 0; i < count; at += out->lengths[i++]) out->texts[i] = at;
    return ALCORE_OK;
}

alcore_status alcore__spans_measure(const alcore__watch *watch, double *out) {
    alcore_ctx *ctx = watch->model->object.ctx;
    const int64_t count = watch->examples.batch.count;
    alcore_spans_options options = ALCORE_SPANS_OPTIONS_INIT;
    alcore_spans_result score = ALCORE_SPANS_RESULT_INIT;
    options.scheme = scheme_of(watch->options->metric);
    tag_lines gold = {0}, predicted = {0};
    alcore_status status = write_lines(watch, watch->examples.labels, &gold);
    if (status == ALCORE_OK) status = write_lines(watch, watch->predicted, &predicted);
    if (status == ALCORE_OK)
        status = alcore_metric_compute_spans(ctx, gold.texts, gold.lengths, count, predicted.texts,
                                             predicted.lengths, count, &options, &score);
    *out = score.f1;
    lines_clear(ctx, &gold);
    lines_clear(ctx, &predicted);
    return status;
}
