/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls of a model beside those that make columns (model_handle.c): what it is, the
 * language of its outputs, translating the texts of a pool, scoring its references, training on
 * them, and saving. */
#include <math.h>

#include "model/model_internal.h"

alcore_status alcore_model_get_info(const alcore_model *model, alcore_model_info *out) {
    alcore_model_info all = ALCORE_MODEL_INFO_INIT;
    if (!model || !out)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_get_info: model and out are needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    alcore_status status = alcore__read_begin(model, "model");
    if (status == ALCORE_OK) {
        all.engine = model->table->engine;
        if (model->table->info) model->table->info(model, &all);
        status = alcore__struct_write(out, &all, sizeof all,
                                      ALCORE__FIRST_SIZE(alcore_model_info, scores),
                                      "alcore_model_info");
        alcore__read_end(model);
    }
    return alcore__leave(model->object.ctx, status);
}

/* Reads the options by their size and checks the values. */
static alcore_status read_options(const alcore_translate_options *given,
                                  alcore_translate_options *out) {
    ALCORE__TRY(alcore__struct_read(out, sizeof *out,
                                    ALCORE__FIRST_SIZE(alcore_translate_options, sample), given,
                                    "alcore_translate_options"));
    if (out->beams < 0 || out->beams > 64)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_translate_options: beams is %d, not from 1 to 64, or 0 for "
                            "what the folder says",
                            out->beams);
    if (out->max_tokens < 0)
        return alcore__fail(ALCORE_E_PARAM, "alcore_translate_options: max_tokens is negative");
    if (!(out->temperature >= 0 && out->temperature < (double)INFINITY))
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_translate_options: temperature is not a number from 0 on");
    if (!(out->length_penalty >= -1 && out->length_penalty < (double)INFINITY))
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_translate_options: length_penalty is not a number from -1 on");
    if (out->sample != 0 && out->sample != 1)
        return alcore__fail(ALCORE_E_PARAM, "alcore_translate_options: sample is %d, not 0 or 1",
                            out->sample);
    if (out->best < 0 || out->best > 64)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_translate_options: best is %d, not from 1 to 64, or 0 for 1",
                            out->best);
    if (out->best > out->beams && out->beams > 0 && !out->sample)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_translate_options: best is %d, more than the %d beams",
                            out->best, out->beams);
    return alcore__struct_reserved(out->reserved, "alcore_translate_options");
}

/* Makes the pool of the outputs, whose rows may be equal, and lets the model fill it. Bytes of an
 * output that are no UTF-8, which byte-level vocabularies can spell, are replaced. */
static alcore_status translate(alcore_model *model, alcore_pool *pool,
                               const alcore_translate_options *given, alcore_pool **out) {
    alcore_translate_options options;
    alcore_pool_options keep_all = ALCORE_POOL_OPTIONS_INIT;
    keep_all.repeated_ids = ALCORE_IDS_ANY; /* several outputs of a row have its id */
    alcore_pool *made = NULL;
    ALCORE__TRY(read_options(given, &options));
    if (!model->table->translate)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s does not translate", model->name);
    keep_all.dedup = ALCORE_DEDUP_NONE;
    keep_all.utf8 = ALCORE_UTF8_REPLACE;
    ALCORE__TRY(alcore_pool_new(model->object.ctx, &keep_all, &made));
    alcore_status status = alcore__write_begin(model, "model");
    if (status == ALCORE_OK) {
        status = model->table->translate(model, pool, &options, made);
        alcore__write_end(model);
    }
    if (status == ALCORE_OK)
        *out = made;
    else
        alcore_pool_unref(made);
    return status;
}

alcore_status alcore_model_translate(alcore_model *model, alcore_pool *pool,
                                     const alcore_translate_options *options, alcore_pool **out) {
    if (out) *out = NULL;
    if (!model || !pool || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_translate: model, pool and out are needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    return alcore__leave(model->object.ctx, translate(model, pool, options, out));
}

/* Sets the language under the write lock of the model. NULL is the language of every model. */
static alcore_status set_language(alcore_model *model, const char *language) {
    if (!model->table->set_language && !language) return ALCORE_OK;
    if (!model->table->set_language)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s has no outputs in a language",
                            model->name);
    ALCORE__TRY(alcore__write_begin(model, "model"));
    const alcore_status status = model->table->set_language(model, language);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_set_language(alcore_model *model, const char *language) {
    if (!model) return alcore__fail(ALCORE_E_INVALID, "alcore_model_set_language: model is needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    return alcore__leave(model->object.ctx, set_language(model, language));
}

/* Sets dropout under the write lock of the model. Every model can be told to have none. */
static alcore_status set_dropout(alcore_model *model, int32_t on, uint64_t seed) {
    if (on != 0 && on != 1)
        return alcore__fail(ALCORE_E_PARAM, "alcore_model_set_dropout: on is %d, not 0 or 1", on);
    if (!model->table->set_dropout && !on) return ALCORE_OK;
    if (!model->table->set_dropout)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s scores nothing in which dropout could be on", model->name);
    ALCORE__TRY(alcore__write_begin(model, "model"));
    const alcore_status status = model->table->set_dropout(model, on, seed);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_set_dropout(alcore_model *model, int32_t on, uint64_t seed) {
    if (!model) return alcore__fail(ALCORE_E_INVALID, "alcore_model_set_dropout: model is needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    return alcore__leave(model->object.ctx, set_dropout(model, on, seed));
}

/* Scores under the write lock of the model, as running it does. */
static alcore_status score(alcore_model *model, alcore_pool *pool) {
    if (!model->table->score)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s scores no pairs of texts", model->name);
    ALCORE__TRY(alcore__write_begin(model, "model"));
    const alcore_status status = model->table->score(model, pool);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_score(alcore_model *model, alcore_pool *pool) {
    if (!model || !pool)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_score: model and pool are needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    return alcore__leave(model->object.ctx, score(model, pool));
}

/* Reads the options by their size and checks the values. */
static alcore_status read_train_options(const alcore_train_options *given,
                                        alcore_train_options *out) {
    ALCORE__TRY(alcore__struct_read(out, sizeof *out,
                                    ALCORE__FIRST_SIZE(alcore_train_options, reserved), given,
                                    "alcore_train_options"));
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"rate", out->rate},
                   {"weight_decay", out->weight_decay},
                   {"clip", out->clip},
                   {"label_smoothing", out->label_smoothing},
                   {"beta1", out->beta1},
                   {"beta2", out->beta2},
                   {"epsilon", out->epsilon},
                   {"updates", (double)out->updates},
                   {"warmup", (double)out->warmup},
                   {"accumulate", (double)out->accumulate},
                   {"batch_tokens", (double)out->batch_tokens},
                   {"checkpoint_every", (double)out->checkpoint_every},
                   {"validate_every", (double)out->validate_every},
                   {"patience", (double)out->patience}};
    const struct {
        const char *name;
        double value;
    } shares[] = {
        {"label_smoothing", out->label_smoothing}, {"beta1", out->beta1}, {"beta2", out->beta2}};
    const struct {
        const char *name;
        int32_t value, last;
    } choices[] = {{"schedule", out->schedule, ALCORE_SCHEDULE_COSINE},
                   {"optimizer", out->optimizer, ALCORE_OPTIMIZER_ADAM},
                   {"metric", out->metric, ALCORE_VALIDATE_STRICT_SPAN_F1},
                   {"precision", out->precision, ALCORE_PRECISION_FLOAT16},
                   {"recompute", out->recompute, 1}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= 0 && numbers[i].value < (double)INFINITY))
            return alcore__fail(ALCORE_E_PARAM,
                                "alcore_train_options: %s is not a number from 0 on",
                                numbers[i].name);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (shares[i].value >= 1)
            return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: %s is not below 1",
                                shares[i].name);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].value < 0 || choices[i].value > choices[i].last)
            return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: %s %d is not known",
                                choices[i].name, choices[i].value);
    if (!out->validation && (out->validate_every || out->patience || out->metric || out->best))
        return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: %s needs validation",
                            out->validate_every ? "validate_every"
                            : out->patience     ? "patience"
                            : out->metric       ? "metric"
                                                : "best");
    return alcore__struct_reserved(out->reserved, "alcore_train_options");
}

/* Trains under the write lock of the model. */
static alcore_status train(alcore_model *model, alcore_pool *pool,
                           const alcore_train_options *given, alcore_train_result *result) {
    alcore_train_options options;
    ALCORE__TRY(read_train_options(given, &options));
    if (!model->table->train)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s is not trained", model->name);
    ALCORE__TRY(alcore__write_begin(model, "model"));
    const alcore_status status = model->table->train(model, pool, &options, result);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_train(alcore_model *model, alcore_pool *pool,
                                 const alcore_train_options *options, alcore_train_result *out) {
    alcore_train_result result = ALCORE_TRAIN_RESULT_INIT;
    if (!model || !pool)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_train: model and pool are needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    alcore_status status = train(model, pool, options, &result);
    if (status == ALCORE_OK && out)
        status = alcore__struct_write(out, &result, sizeof result,
                                      ALCORE__FIRST_SIZE(alcore_train_result, reserved),
                                      "alcore_train_result");
    return alcore__leave(model->object.ctx, status);
}

/* Saves under the write lock of the model: an engine answers one call at a time. */
static alcore_status save(alcore_model *model, const char *path) {
    if (!model->table->save)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s cannot be saved", model->name);
    ALCORE__TRY(alcore__write_begin(model, "model"));
    const alcore_status status = model->table->save(model, path);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_save(alcore_model *model, const char *path) {
    if (!model || !path)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_save: model and path are needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    return alcore__leave(model->object.ctx, save(model, path));
}
