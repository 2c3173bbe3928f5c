/* SPDX-License-Identifier: Apache-2.0 */
/* Translating the texts of a pool: the call, which checks the options and makes the pool of
 * outputs. The model fills it. */
#include "alcore/extra/translating.h"

#include <math.h>

#include "model/model_internal.h"

/* Reads the options by their size and checks the values. */
static alcore_status read_options(const alcore_translate_options *given,
                                  alcore_translate_options *out) {
    *out = (alcore_translate_options)ALCORE_TRANSLATE_OPTIONS_INIT;
    ALCORE__TRY(alcore__struct_read_over(out, sizeof *out,
                                         ALCORE__FIRST_SIZE(alcore_translate_options, sample),
                                         given, "alcore_translate_options"));
    if (out->beams < 0 || out->beams > 64)
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_translate_options: beams is %d, not from 1 to 64, or 0 for "
                            "what the folder says",
                            out->beams);
    if (out->max_tokens < 0)
        return alcore__fail(ALCORE_E_PARAM, "alcore_translate_options: max_tokens is negative");
    if (!isnan(out->temperature) && !(out->temperature > 0 && isfinite(out->temperature)))
        return alcore__fail(ALCORE_E_PARAM,
                            "alcore_translate_options: temperature is %g, not above 0",
                            out->temperature);
    if (!isnan(out->length_penalty) && !(out->length_penalty >= 0 && isfinite(out->length_penalty)))
        return alcore__fail(
            ALCORE_E_PARAM,
            "alcore_translate_options: length_penalty is %g, not a number from 0 on",
            out->length_penalty);
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
        const alcore__translating how = {.max_tokens = options.max_tokens,
                                         .length_penalty = options.length_penalty,
                                         .temperature = options.temperature,
                                         .seed = options.seed,
                                         .beams = options.beams,
                                         .best = options.best > 0 ? options.best : 1,
                                         .sample = options.sample,
                                         .language = options.language};
        model->cut = (alcore__column_cut){0};
        status = model->table->translate(model, pool, &how, made);
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
    ALCORE__TRY(alcore__enter_long(model->object.ctx));
    return alcore__leave(model->object.ctx, translate(model, pool, options, out));
}
