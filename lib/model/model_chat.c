/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts of a language model as the turn of a user, which the chat template of its folder writes
 * (chat_template.h): a system turn where there is one, the prompt around a text, and the beginning
 * of the answer. */
#include <inttypes.h>
#include <string.h>

#include "formats/json_text.h"
#include "model/model_engine.h"
#include "text/utf8.h"

/* Appends the turns around a text; system: NULL without such a turn. */
static alcore_status append_turns(const alcore_model *model, const char *system, const char *text,
                                  size_t length, alcore__buffer *out) {
    const alcore__engine_model *data = model->data;
    const alcore__folder_chat *chat = &data->settings.chat;
    alcore__chat_message messages[2];
    alcore__buffer path = {0};
    int64_t count = 0;
    if (system) messages[count++] = (alcore__chat_message){"system", system, strlen(system)};
    messages[count++] = (alcore__chat_message){"user", text, length};
    alcore_status status =
        alcore__buffer_format(model->object.ctx, &path, "%s/%s", model->name, chat->file);
    if (status == ALCORE_OK)
        status = alcore__chat_render(model->object.ctx, path.data, chat->program, messages, count,
                                     &chat->tokens, out);
    alcore__buffer_clear(model->object.ctx, &path);
    return status;
}

alcore_status alcore__chat_append(const alcore_model *model, const char *text, size_t length,
                                  alcore__buffer *out) {
    const alcore__engine_model *data = model->data;
    return append_turns(model, data->system, text, length, out);
}

/* Checks that the model can read turns, and renders one of them, so that a template that cannot be
 * read is refused when the chat is set and not in the first call that uses it. */
static alcore_status check(const alcore_model *model, const char *system) {
    const alcore__engine_model *data = model->data;
    alcore__buffer tried = {0};
    if (!alcore__is_language_model(data))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "model %s is no language model, which a chat template is for",
                            model->name);
    if (!data->settings.chat.program.text)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: the folder has no chat_template",
                            model->name);
    if (!data->is_template)
        return alcore__fail(ALCORE_E_PARAM,
                            "%s: the turn of the user is a prompt; open the model with one that "
                            "has {text} or {source}, where the text goes",
                            model->name);
    if (system && alcore__utf8_check(system, strlen(system)) < strlen(system))
        return alcore__fail(ALCORE_E_PARAM, "the text of the system turn is no UTF-8");
    const alcore_status status = append_turns(model, system, "a", 1, &tried);
    alcore__buffer_clear(model->object.ctx, &tried);
    return status;
}

/* alcore__model_table.set_chat: after a failure it is as it was. */
alcore_status alcore__engine_set_chat(alcore_model *model, bool on, const char *system) {
    alcore__engine_model *data = model->data;
    char *copy = NULL;
    if (on) ALCORE__TRY(check(model, system));
    if (on && system) {
        copy = alcore__strndup(model->object.ctx, system, strlen(system));
        if (!copy) return alcore__fail_memory(strlen(system) + 1);
    }
    alcore__free(model->object.ctx, data->system);
    data->system = copy;
    data->in_turns = on;
    return ALCORE_OK;
}

alcore_status alcore__chat_describe(const alcore__engine_model *data, alcore_ctx *ctx,
                                    alcore__buffer *out) {
    const alcore__name program = data->settings.chat.program;
    alcore__json_out quoted = {.ctx = ctx};
    alcore__json_put_string(&quoted, NULL, data->system ? data->system : "");
    alcore_status status = quoted.status;
    if (status == ALCORE_OK)
        status = alcore__buffer_format(ctx, out, ", chat template %016" PRIx64 "%s%s",
                                       alcore__hash128(program.text, program.length).low,
                                       data->system ? ", system turn " : "",
                                       data->system ? quoted.text.data : "");
    alcore__buffer_clear(ctx, &quoted.text);
    return status;
}
