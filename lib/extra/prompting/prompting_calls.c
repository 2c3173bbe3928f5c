/* SPDX-License-Identifier: Apache-2.0 */
/* Prompting: the calls, of which those that change the model lock it. lib/model does what they ask
 * for. */
#include "alcore/extra/prompting.h"

#include "model/model_internal.h"

/* Sets the verbalizer under the write lock of the model. Every model can be told to have none. */
static alcore_status set_verbalizer(alcore_model *model, const char *const *labels,
                                    int64_t label_count) {
    if (label_count < 0 || (label_count > 0 && !labels))
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_model_set_verbalizer: %lld labels need as many texts",
                            (long long)label_count);
    if (!model->table->set_verbalizer && label_count == 0) return ALCORE_OK;
    if (!model->table->set_verbalizer)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s is no language model, which a verbalizer is for",
                            model->name);
    ALCORE__TRY(alcore__write_begin(model, "model"));
    const alcore_status status = model->table->set_verbalizer(model, labels, label_count);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_set_verbalizer(alcore_model *model, const char *const *labels,
                                          int64_t label_count) {
    if (!model)
        return alcore__fail(ALCORE_E_INVALID, "alcore_model_set_verbalizer: model is needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    return alcore__leave(model->object.ctx, set_verbalizer(model, labels, label_count));
}

/* Turns the chat on or off under the write lock of the model; off is possible for any model. */
static alcore_status set_chat(alcore_model *model, int32_t on, const char *system) {
    if (on != 0 && on != 1)
        return alcore__fail(ALCORE_E_PARAM, "alcore_model_set_chat: on is %d, not 0 or 1", on);
    if (!model->table->set_chat && !on) return ALCORE_OK;
    if (!model->table->set_chat)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s is no language model, which a chat template is for",
                            model->name);
    ALCORE__TRY(alcore__write_begin(model, "model"));
    const alcore_status status = model->table->set_chat(model, on, system);
    alcore__write_end(model);
    return status;
}

alcore_status alcore_model_set_chat(alcore_model *model, int32_t on, const char *system) {
    if (!model) return alcore__fail(ALCORE_E_INVALID, "alcore_model_set_chat: model is needed");
    ALCORE__TRY(alcore__enter(model->object.ctx));
    return alcore__leave(model->object.ctx, set_chat(model, on, system));
}

int64_t alcore_model_cut_count(const alcore_model *model) {
    return model ? model->cut.texts : 0;
}
