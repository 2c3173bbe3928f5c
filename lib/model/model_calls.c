/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls of a model beside those that make columns (model_handle.c): what it is, the
 * language of its outputs, dropout, and scoring the references of a pool. */
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
    model->cut = (alcore__column_cut){0};
    const alcore_status status = model->table->score(model, pool);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_score(alcore_model *model, alcore_pool *pool) {
    if (!model || !pool)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_score: model and pool are needed");
    ALCORE__TRY(alcore__enter_long(model->object.ctx));
    return alcore__leave(model->object.ctx, score(model, pool));
}
