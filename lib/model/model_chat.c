/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts of a language model as the turn of a user, which the chat template of its folder writes
 * (chat_template.h): a system turn where there is one, the prompt around a text, and the beginning
 * of the answer. */
#include <inttypes.h>
#include <string.h>

#include "formats/json_text.h"
#include "model/model_engine.h"
#include "text/utf8.h"

/* Appends the turns around a text; system: NULL without such a turn; answer: NULL: it begins. */
static alcore_status append_turns(const alcore_model *model, const char *system, const char *text,
                                  size_t length, const char *answer, alcore__buffer *out) {
    const alcore__engine_model *data = model->data;
    const alcore__folder_chat *chat = &data->settings.chat;
    alcore__chat_message messages[3];
    alcore__buffer path = {0};
    int64_t count = 0;
    if (system) messages[count++] = (alcore__chat_message){"system", system, strlen(system)};
    messages[count++] = (alcore__chat_message){"user", text, length};
    if (answer) messages[count++] = (alcore__chat_message){"assistant", answer, strlen(answer)};
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
    return append_turns(model, data->system, text, length, NULL, out);
}

/* ---- the end of an answer ---- */

static bool ends_outputs(const alcore__engine_model *data, int64_t id) {
    for (int64_t i = 0; i < data->settings.end_count; i++)
        if (data->settings.ends[i] == id) return true;
    return false;
}

/* The first token of a text, which NUL ends; -1: it has none. */
static alcore_status first_token(const alcore_model *model, const char *text, int64_t *out) {
    const alcore__engine_model *data = model->data;
    const size_t length = strlen(text);
    const alcore__texts one = {&text, &length, 1};
    const alcore__encoding how = {.without_special = true};
    alcore__tokens tokens = {0};
    const alcore_status status =
        alcore__tokenizer_encode(data->tokenizer, &one, NULL /* no pairs */, &how, &tokens);
    *out = status == ALCORE_OK && tokens.offsets[1] > 0 ? tokens.ids[0] : -1;
    alcore__tokens_clear(model->object.ctx, &tokens);
    return status;
}

/* *out: the token behind an answer, where it is one that ends outputs; -1: the template writes none
 * such there. */
static alcore_status find_end(const alcore_model *model, int64_t *out) {
    static const char answer[] = "answer";
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    alcore__buffer turns = {0};
    const char *behind = NULL;
    *out = -1;
    alcore_status status = append_turns(model, data->system, "text", 4, answer, &turns);
    if (status == ALCORE_OK) status = alcore__buffer_append(ctx, &turns, "", 1);
    for (const char *at = turns.data; status == ALCORE_OK && (at = strstr(at, answer));)
        behind = at += sizeof answer - 1;
    if (behind) status = first_token(model, behind, out);
    if (!ends_outputs(data, *out)) *out = -1;
    alcore__buffer_clear(ctx, &turns);
    return status;
}

/* The arrays of tokens other than ids and offsets stay as they are. */
alcore_status alcore__chat_end_targets(const alcore_model *model, alcore__tokens *tokens) {
    int64_t end, *offsets = tokens->offsets, more = 0;
    ALCORE__TRY(find_end(model, &end));
    if (end < 0 || tokens->count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__grow(model->object.ctx, &tokens->ids, &tokens->ids_capacity,
                             (size_t)(offsets[tokens->count] + tokens->count),
                             sizeof *tokens->ids));
    for (int64_t i = 0; i < tokens->count; i++)
        more += offsets[i] == offsets[i + 1] ||
                !ends_outputs(model->data, tokens->ids[offsets[i + 1] - 1]);
    for (int64_t i = tokens->count - 1; more > 0; i--) {
        const int64_t first = offsets[i], length = offsets[i + 1] - first;
        const bool ended = length > 0 && ends_outputs(model->data, tokens->ids[first + length - 1]);
        offsets[i + 1] += more;
        if (!ended) tokens->ids[first + length + more - 1] = end;
        more -= !ended;
        memmove(tokens->ids + first + more, tokens->ids + first,
                (size_t)length * sizeof *tokens->ids);
    }
    return ALCORE_OK;
}

/* ---- the call ---- */

/* Renders two turns, so that a template that cannot be read, or leaves the text out, is refused
 * when the chat is set and not in the first call that uses it. */
static alcore_status try_template(const alcore_model *model, const char *system) {
    const alcore__engine_model *data = model->data;
    const alcore__folder_chat *chat = &data->settings.chat;
    alcore_ctx *ctx = model->object.ctx;
    alcore__buffer one = {0}, other = {0};
    if (chat->program.length == 0)
        return alcore__fail(ALCORE_E_DATA, "%s/%s: the chat template is empty", model->name,
                            chat->file);
    alcore_status status = append_turns(model, system, "a", 1, NULL, &one);
    if (status == ALCORE_OK) status = append_turns(model, system, "b", 1, NULL, &other);
    if (status == ALCORE_OK && one.length == other.length &&
        (one.length == 0 || memcmp(one.data, other.data, one.length) == 0))
        status = alcore__fail(ALCORE_E_DATA,
                              "%s/%s: the chat template does not write the text of the user",
                              model->name, chat->file);
    alcore__buffer_clear(ctx, &one);
    alcore__buffer_clear(ctx, &other);
    return status;
}

/* Checks that the model can read turns. */
static alcore_status check(const alcore_model *model, const char *system) {
    const alcore__engine_model *data = model->data;
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
    return try_template(model, system);
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
