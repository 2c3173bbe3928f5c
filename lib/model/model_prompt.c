/* SPDX-License-Identifier: Apache-2.0 */
/* The prompt of a model: a text in front of every text that it reads, as encode() of
 * sentence-transformers 6.2 puts it there. Both are cut together. A pooling with include_prompt
 * false leaves the prompt's tokens out: as many as the prompt has alone, without the special token
 * at its end. */
#include <string.h>

#include "formats/json_text.h"
#include "model/model_engine.h"
#include "text/utf8.h"

/* Keeps a copy of a text that is no view of the folder's settings. */
static alcore_status keep_text(alcore_ctx *ctx, const char *text, alcore__engine_model *data) {
    if (alcore__utf8_check(text, strlen(text)) < strlen(text))
        return alcore__fail(ALCORE_E_PARAM, "the prompt is no UTF-8");
    data->prompt_copy = alcore__strndup(ctx, text, strlen(text));
    if (!data->prompt_copy) return alcore__fail_memory(strlen(text) + 1);
    data->prompt = (alcore__name){data->prompt_copy, strlen(text)};
    return ALCORE_OK;
}

/* How many tokens a prompt has in front of a text, which needs room for one at least. */
static alcore_status count_tokens(alcore_ctx *ctx, const char *path,
                                  const alcore__engine_model *data, int64_t *out) {
    const char *text = data->prompt.text;
    const alcore__texts one = {&text, &data->prompt.length, 1};
    const alcore__encoding how = {.without_special = data->is_static};
    const int64_t most = data->info.max_tokens;
    alcore__tokens tokens = {0};
    alcore_status status =
        alcore__tokenizer_encode(data->tokenizer, &one, NULL /* no pairs */, &how, &tokens);
    if (status == ALCORE_OK) {
        const int64_t count = tokens.offsets[1];
        const bool ends = count > 0 && (tokens.marks[count - 1] & ALCORE_SYS_TOKEN_SPECIAL);
        *out = count - ends;
        if (most > 0 && count >= most)
            status = alcore__fail(ALCORE_E_PARAM,
                                  "%s: the prompt has %lld tokens, and the model reads %lld, which "
                                  "leaves no room for a text",
                                  path, (long long)count, (long long)most);
    }
    alcore__tokens_clear(ctx, &tokens);
    return status;
}

alcore_status alcore__engine_set_prompt(alcore_ctx *ctx, const char *path, const char *prompt,
                                        const char *name, alcore__engine_model *data) {
    const alcore__folder_settings *settings = &data->settings;
    data->prompt = settings->default_prompt;
    data->prompt_given = prompt || name;
    if (prompt) ALCORE__TRY(keep_text(ctx, prompt, data));
    if (name) ALCORE__TRY(alcore__folder_settings_prompt(settings, path, name, &data->prompt));
    if (data->prompt.length == 0) data->prompt = (alcore__name){0};
    ALCORE__TRY(alcore__template_check(data));
    if (!data->prompt.text || data->is_template || !data->tokenizer) return ALCORE_OK;
    int64_t tokens = 0;
    ALCORE__TRY(count_tokens(ctx, path, data, &tokens));
    if (settings->leaves_prompt_out) data->prompt_tokens = tokens;
    return ALCORE_OK;
}

/* A given prompt is for all that the model reads, the folder's default for embeddings alone, and
 * one with places for all but embeddings. */
const alcore__name *alcore__engine_prompt(const alcore__engine_model *data, bool embedded) {
    if (data->is_template && embedded) return NULL;
    return data->prompt.text && (embedded || data->prompt_given) ? &data->prompt : NULL;
}

void alcore__engine_note_template(const alcore_model *model) {
    alcore__engine_model *data = model->data;
    if (!data->settings.chat.program.text || data->in_turns || data->noted) return;
    data->noted = true;
    alcore__log(model->object.ctx, ALCORE_LOG_WARN, "model", NULL,
                "%s: the chat template of the folder (%s) is not used, as no chat was asked for",
                model->name, data->settings.chat.file);
}

void alcore__engine_note_alone(const alcore_model *model) {
    alcore__engine_model *data = model->data;
    if (!data->is_template || data->noted_alone) return;
    data->noted_alone = true;
    alcore__log(model->object.ctx, ALCORE_LOG_WARN, "model", NULL,
                "%s: embeddings are of the texts alone, as the prompt has places; one without "
                "places stands in front of them",
                model->name);
}

alcore_status alcore__engine_join_prompt(alcore_ctx *ctx, const alcore__name *prompt,
                                         const alcore__texts *texts, alcore__engine_texts *out) {
    const size_t count = (size_t)texts->count;
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) bytes += prompt->length + texts->lengths[i] + 1;
    ALCORE__TRY(alcore__new_array(ctx, bytes, 1, &out->joined));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->views, &out->views));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->lengths, &out->lengths));
    char *at = out->joined;
    for (size_t i = 0; i < count; i++) {
        out->views[i] = at;
        out->lengths[i] = prompt->length + texts->lengths[i];
        memcpy(at, prompt->text, prompt->length);
        memcpy(at + prompt->length, texts->texts[i], texts->lengths[i]);
        at[out->lengths[i]] = '\0';
        at += out->lengths[i] + 1;
    }
    return ALCORE_OK;
}

void alcore__engine_leave_prompt_out(const alcore__engine_model *data, alcore__tokens *tokens) {
    for (int64_t i = 0; i < tokens->count; i++)
        for (int64_t k = tokens->offsets[i];
             k < tokens->offsets[i + 1] && k < tokens->offsets[i] + data->prompt_tokens; k++)
            tokens->marks[k] |= ALCORE_SYS_TOKEN_LEFT_OUT;
}

alcore_status alcore__engine_describe_prompt(const alcore__engine_model *data, alcore_ctx *ctx,
                                             bool embedded, alcore__buffer *out) {
    const alcore__name *prompt = alcore__engine_prompt(data, embedded);
    alcore__json_out quoted = {.ctx = ctx};
    if (!prompt) return ALCORE_OK;
    alcore__json_put_text(&quoted, NULL, prompt->text, prompt->length);
    alcore_status status = quoted.status;
    if (status == ALCORE_OK)
        status = alcore__buffer_format(
            ctx, out, ", prompt %s%s", quoted.text.data,
            embedded && data->settings.leaves_prompt_out ? " left out of the pooling" : "");
    alcore__buffer_clear(ctx, &quoted.text);
    return status == ALCORE_OK && data->in_turns ? alcore__chat_describe(data, ctx, out) : status;
}
