/* SPDX-License-Identifier: Apache-2.0 */
/* Trainings and measures of models in folders (folder_model.h). */
#include "extra/training/folder_model.h"

#include <string.h>

#include "alcore/extra/metric.h"
#include "alcore/extra/translating.h"
#include "extra/training/training_internal.h"

static alcore_status open_model(alcore_ctx *ctx, const alcore__model_folder *from, int32_t dtype,
                                alcore_model **out) {
    alcore_model_options options = ALCORE_MODEL_OPTIONS_INIT;
    options.device = from->device;
    options.dtype = dtype;
    ALCORE__TRY(alcore_model_open(ctx, from->path, &options, out));
    return from->language ? alcore_model_set_language(*out, from->language) : ALCORE_OK;
}

/* Weights that are trained are float32. */
alcore_status alcore__model_folder_train(alcore_ctx *ctx, const alcore__model_folder *from,
                                         alcore_pool *pairs, const alcore_train_options *options,
                                         const char *to, alcore_train_result *result) {
    alcore_model *model = NULL;
    alcore_status status = open_model(ctx, from, ALCORE_FLOAT32, &model);
    if (status == ALCORE_OK) status = alcore_model_train(model, pairs, options, result);
    if (status == ALCORE_OK) status = alcore_model_save(model, to);
    alcore_model_unref(model);
    return status;
}

/* ---- names ---- */

static const char *const of_outputs[] = {"bleu", "chrf", "ter"};
enum { OF_OUTPUTS = sizeof of_outputs / sizeof *of_outputs };

/* The number of a name in a list; -1: it is not there. */
static int find(const char *const *names, int count, const char *name, size_t length) {
    for (int i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return i;
    return -1;
}

/* The next name at *at, which moves behind it; NULL: there is none. */
static const char *next_name(const char **at, size_t *length) {
    const char *const name = *at;
    if (!name) return NULL;
    *length = strcspn(name, ",");
    *at = name[*length] ? name + *length + 1 : NULL;
    return name;
}

alcore_status alcore__measure_names_check(const char *names) {
    unsigned seen = 0;
    size_t length;
    for (const char *name; (name = next_name(&names, &length));) {
        const int of_model = find(alcore__validation_names, ALCORE__VALIDATIONS, name, length);
        const int of_output = find(of_outputs, OF_OUTPUTS, name, length);
        if (of_model < 0 && of_output < 0)
            return alcore__fail(ALCORE_E_PARAM,
                                "there is no measure '%.*s'; chrf, bleu, ter, loss, accuracy, "
                                "exact_match, f1, span_f1 and strict_span_f1 are known",
                                (int)(length < 80 ? length : 80), name);
        const unsigned bit = 1u << (of_output >= 0 ? ALCORE__VALIDATIONS + of_output : of_model);
        if (seen & bit)
            return alcore__fail(ALCORE_E_PARAM, "the measure '%.*s' stands twice", (int)length,
                                name);
        seen |= bit;
    }
    return ALCORE_OK;
}

/* ---- measures of outputs ---- */

/* The outputs of a model and what they are compared with, row by row. */
typedef struct compared {
    alcore_ctx *ctx;
    alcore_pool *outputs; /* NULL: not translated yet */
    const char **texts, **references;
    size_t *lengths, *reference_lengths;
    int64_t count;
} compared;

static void clear(compared *self) {
    alcore_pool_unref(self->outputs);
    alcore__free(self->ctx, self->texts);
    alcore__free(self->ctx, self->references);
    alcore__free(self->ctx, self->lengths);
    alcore__free(self->ctx, self->reference_lengths);
}

/* Translates as the folder says, and lists the rows that count. */
static alcore_status translate(compared *self, alcore_model *model, alcore_pool *test) {
    const size_t rows = (size_t)alcore_pool_row_count(test);
    const uint32_t *const states = alcore_pool_states(test);
    ALCORE__TRY(alcore_model_translate(model, test, NULL, &self->outputs));
    ALCORE__TRY(alcore__new_array(self->ctx, rows, sizeof *self->texts, &self->texts));
    ALCORE__TRY(alcore__new_array(self->ctx, rows, sizeof *self->texts, &self->references));
    ALCORE__TRY(alcore__new_array(self->ctx, rows, sizeof *self->lengths, &self->lengths));
    ALCORE__TRY(
        alcore__new_array(self->ctx, rows, sizeof *self->lengths, &self->reference_lengths));
    for (size_t row = 0; row < rows; row++) {
        const int64_t i = self->count;
        if (states[row]) continue;
        self->texts[i] = alcore_pool_text(self->outputs, (int64_t)row, &self->lengths[i]);
        self->references[i] =
            alcore_pool_reference(test, (int64_t)row, &self->reference_lengths[i]);
        if (!self->references[i])
            return alcore__fail(ALCORE_E_MISSING, "row %zu (id %s) has no reference", row,
                                alcore_pool_row_id(test, (int64_t)row));
        self->count++;
    }
    return ALCORE_OK;
}

static alcore_status measure_outputs(const compared *self, int which, double *out) {
    alcore_bleu_result bleu = ALCORE_BLEU_RESULT_INIT;
    alcore_chrf_result chrf = ALCORE_CHRF_RESULT_INIT;
    alcore_ter_result ter = ALCORE_TER_RESULT_INIT;
    alcore_status status;
    if (which == 0)
        status = alcore_metric_compute_bleu(self->ctx, self->texts, self->lengths, self->count,
                                            self->references, self->reference_lengths, self->count,
                                            NULL, NULL, &bleu);
    else if (which == 1)
        status = alcore_metric_compute_chrf(self->ctx, self->texts, self->lengths, self->count,
                                            self->references, self->reference_lengths, self->count,
                                            NULL, NULL, &chrf);
    else
        status = alcore_metric_compute_ter(self->ctx, self->texts, self->lengths, self->count,
                                           self->references, self->reference_lengths, self->count,
                                           NULL, NULL, &ter);
    *out = which == 0 ? bleu.bleu : which == 1 ? chrf.chrf : ter.ter;
    return status;
}

/* ---- the call ---- */

static const char *usual_names(const alcore_model *model) {
    const alcore__engine_model *const data = alcore__engine_of(model);
    return !data                                                         ? "chrf,bleu"
           : alcore__answers_questions(data)                             ? "exact_match,f1"
           : alcore__classifies(data) || alcore__classifies_tokens(data) ? "accuracy"
                                                                         : "chrf,bleu";
}

static alcore_status measure(alcore_model *model, alcore_pool *test, const char *names,
                             compared *outputs, alcore__measure_take *take, void *user) {
    size_t length;
    for (const char *name; (name = next_name(&names, &length));) {
        const int of_output = find(of_outputs, OF_OUTPUTS, name, length);
        const int of_model = find(alcore__validation_names, ALCORE__VALIDATIONS, name, length);
        double value = 0.0;
        if (of_output >= 0) {
            if (!outputs->outputs) ALCORE__TRY(translate(outputs, model, test));
            ALCORE__TRY(measure_outputs(outputs, of_output, &value));
            ALCORE__TRY(take(user, of_outputs[of_output], value));
        } else {
            ALCORE__TRY(
                alcore__model_validate(model, test, ALCORE_VALIDATE_LOSS + of_model, &value));
            ALCORE__TRY(take(user, alcore__validation_names[of_model], value));
        }
    }
    return ALCORE_OK;
}

alcore_status alcore__model_folder_measure(alcore_ctx *ctx, const alcore__model_folder *from,
                                           alcore_pool *test, const char *names,
                                           alcore__measure_take *take, void *user) {
    compared outputs = {.ctx = ctx};
    alcore_model *model = NULL;
    alcore_status status = open_model(ctx, from, 0, &model);
    if (status == ALCORE_OK && alcore_pool_state_count(test, 0) == 0)
        status = alcore__fail(ALCORE_E_MISSING, "the test set has no text");
    if (status == ALCORE_OK)
        status = measure(model, test, names ? names : usual_names(model), &outputs, take, user);
    clear(&outputs);
    alcore_model_unref(model);
    return status;
}
