/* SPDX-License-Identifier: Apache-2.0 */
/* The language of the outputs of a model in a module, for models of several: what
 * alcore_model_set_language() sets, and which token stands for it. */
#include <string.h>

#include "model/model_engine.h"
#include "tokenizer/language.h"

bool alcore__is_language_model(const alcore__engine_model *data) {
    return data->info.takes_tokens && (data->info.calls & ALCORE_SYS_MODEL_CONTINUES) != 0;
}

alcore_status alcore__engine_check_outputs(const alcore_model *model) {
    const alcore__engine_model *data = model->data;
    if (!data->settings.report.no_outputs) return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "%s: outputs cannot be searched for as the folder says; %s", model->name,
                        data->settings.report.no_outputs);
}

/* An engine that reads texts itself gets the name of the language, and no token; that of a language
 * model reads it in its prompt. */
alcore_status alcore__engine_find_language(const alcore_model *model, const char *language,
                                           alcore_sys_model_decoding *out) {
    const alcore__engine_model *data = model->data;
    int64_t token = -1;
    out->language = language ? language : data->language;
    out->language_token = 0;
    if (!out->language || !data->info.takes_tokens || !data->tokenizer ||
        alcore__is_language_model(data))
        return ALCORE_OK;
    ALCORE__TRY(alcore__language_token(data->tokenizer, out->language, true, &token));
    out->language_token = token + 1;
    return ALCORE_OK;
}

/* alcore__model_table.set_language: the name is looked up now, so that a wrong one is not an error
 * of a later call. After a failure the language is as it was. */
alcore_status alcore__engine_set_language(alcore_model *model, const char *language) {
    alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    alcore_sys_model_decoding found = {.size = sizeof found};
    char *copy = NULL;
    if (language) {
        const uint32_t seq2seq = ALCORE_SYS_MODEL_TRANSLATE | ALCORE_SYS_MODEL_TOKEN_LOGPROBS;
        if (!(data->info.calls & seq2seq))
            return alcore__fail(ALCORE_E_UNSUPPORTED, "model %s has no outputs in a language",
                                model->name);
        ALCORE__TRY(alcore__engine_find_language(model, language, &found));
        copy = alcore__strndup(ctx, language, strlen(language));
        if (!copy) return alcore__fail_memory(strlen(language) + 1);
    }
    alcore__free(ctx, data->language);
    data->language = copy;
    return ALCORE_OK;
}
