/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that train a model and save it, which check what they are given. */
#include <math.h>

#include "extra/training/training_internal.h"

/* A rank beyond the width of any matrix of a model. */
enum { ALCORE__MOST_LORA_RANK = 1 << 16 };

/* Reads the options by their size and checks the values. */
static alcore_status read_train_options(const alcore_train_options *given,
                                        alcore_train_options *out) {
    *out = (alcore_train_options)ALCORE_TRAIN_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(out, sizeof *out,
                                         ALCORE__FIRST_SIZE(alcore_train_options, reserved), given,
                                         "alcore_train_options"));
    out->rate = alcore__or_unset(out->rate, 5e-5);
    out->beta1 = alcore__or_unset(out->beta1, 0.9);
    out->beta2 = alcore__or_unset(out->beta2, 0.999);
    out->epsilon = alcore__or_unset(out->epsilon, 1e-8);
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
                   {"patience", (double)out->patience},
                   {"lora_rank", (double)out->lora_rank},
                   {"lora_alpha", out->lora_alpha},
                   {"lora_dropout", out->lora_dropout}};
    const struct {
        const char *name;
        double value;
    } shares[] = {{"label_smoothing", out->label_smoothing},
                  {"beta1", out->beta1},
                  {"beta2", out->beta2},
                  {"lora_dropout", out->lora_dropout}};
    const struct {
        const char *name;
        int32_t *value, first, last;
    } choices[] = {
        {"schedule", &out->schedule, ALCORE_SCHEDULE_CONSTANT, ALCORE_SCHEDULE_COSINE},
        {"optimizer", &out->optimizer, ALCORE_OPTIMIZER_ADAMW, ALCORE_OPTIMIZER_ADAM},
        {"metric", &out->metric, ALCORE_VALIDATE_LOSS, ALCORE_VALIDATE_STRICT_SPAN_F1},
        {"precision", &out->precision, ALCORE_PRECISION_FLOAT32, ALCORE_PRECISION_FLOAT16}};
    const bool metric_given = out->metric != 0;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= 0 && numbers[i].value < (double)INFINITY))
            return alcore__fail(ALCORE_E_PARAM,
                                "alcore_train_options: %s is not a number from 0 on",
                                numbers[i].name);
    if (out->rate == 0 || out->epsilon == 0)
        return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: %s is 0, not above 0",
                            out->rate == 0 ? "rate" : "epsilon");
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        if (shares[i].value >= 1)
            return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: %s is not below 1",
                                shares[i].name);
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (*choices[i].value == 0)
            *choices[i].value = choices[i].first;
        else if (*choices[i].value < choices[i].first || *choices[i].value > choices[i].last)
            return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: %s %d is not known",
                                choices[i].name, *choices[i].value);
    if (out->recompute != 0 && out->recompute != 1)
        return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: recompute is %d, not 0 or 1",
                            out->recompute);
    if (out->lora_rank > ALCORE__MOST_LORA_RANK)
        return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: lora_rank is above %d",
                            ALCORE__MOST_LORA_RANK);
    if (!out->lora_rank && (out->lora_alpha > 0 || out->lora_dropout > 0 || out->lora_targets))
        return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: %s needs lora_rank",
                            out->lora_alpha > 0     ? "lora_alpha"
                            : out->lora_dropout > 0 ? "lora_dropout"
                                                    : "lora_targets");
    if (out->checkpoint_every && !out->checkpoints)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_train_options: checkpoint_every needs checkpoints");
    if (!out->validation && (out->validate_every || out->patience || metric_given || out->best))
        return alcore__fail(ALCORE_E_PARAM, "alcore_train_options: %s needs validation",
                            out->validate_every ? "validate_every"
                            : out->patience     ? "patience"
                            : metric_given      ? "metric"
                                                : "best");
    return alcore__struct_reserved(out->reserved, "alcore_train_options");
}

/* Trains under the write lock of the model. */
static alcore_status train(alcore_model *model, alcore_pool *pool,
                           const alcore_train_options *given, alcore_train_result *result) {
    alcore_train_options options;
    ALCORE__TRY(read_train_options(given, &options));
    if (!alcore__engine_of(model))
        return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s is not trained", model->name);
    ALCORE__TRY(alcore__write_begin(model, "model"));
    const alcore_status status = alcore__engine_train(model, pool, &options, result);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_train(alcore_model *model, alcore_pool *pool,
                                 const alcore_train_options *options, alcore_train_result *out) {
    alcore_train_result result = ALCORE_TRAIN_RESULT_INIT;
    if (!model || !pool)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_train: model and pool are needed");
    ALCORE__TRY(alcore__enter_long(model->object.ctx));
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
