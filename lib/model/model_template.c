/* SPDX-License-Identifier: Apache-2.0 */
/* Prompts of language models that are templates: such a one has places for what differs from text
 * to text, and stands around it in place of in front of it.
 *
 *     {source}, {text}    the text; once
 *     {source_language}   its language
 *     {target_language}   the language of outputs and targets, as model_language.c has it
 *     {target}            where the output or target follows: at the end, where it may be missing
 *     {{word}}            the text {word}
 *
 * Another {word} is refused, as a misspelled place would be read in silence; other braces are text.
 * Outputs continue the prompt, and targets are scored behind it. Other models refuse these places
 * alone, as their prompts are text in front of the texts. */
#include <string.h>

#include "model/model_engine.h"

enum { NO_PLACE, SOURCE, TEXT, SOURCE_LANGUAGE, TARGET_LANGUAGE, TARGET, UNKNOWN, QUOTED };
static const char *const places[UNKNOWN] = {
    "", "source", "text", "source_language", "target_language", "target"};

/* Whether a byte can stand in the name of a place, as its first one or a later one. */
static bool is_named(char c, bool first) {
    const char lower = (char)(c | 32);
    return (lower >= 'a' && lower <= 'z') || c == '_' || (!first && c >= '0' && c <= '9');
}

/* The length of the word in braces that begins at byte i of a prompt; 0: there is none. */
static size_t word_length(const alcore__name *prompt, size_t i) {
    size_t end = i + 1;
    if (prompt->text[i] != '{') return 0;
    while (end < prompt->length && is_named(prompt->text[end], end == i + 1)) end++;
    return end < prompt->length && prompt->text[end] == '}' ? end - i - 1 : 0;
}

/* The first place of a prompt from byte *at on, which is moved behind it; *begin: its first byte,
 * the end of the prompt where there is none (NO_PLACE). QUOTED: a word in two pairs of braces. */
static int next_place(const alcore__name *prompt, size_t *at, size_t *begin) {
    for (size_t i = *at; i < prompt->length; i++) {
        size_t length = i + 1 < prompt->length ? word_length(prompt, i + 1) : 0;
        const size_t behind = i + length + 3;
        *begin = i;
        if (prompt->text[i] == '{' && length > 0 && behind < prompt->length &&
            prompt->text[behind] == '}') {
            *at = behind + 1;
            return QUOTED;
        }
        length = word_length(prompt, i);
        if (length == 0) continue;
        *at = i + length + 2;
        for (int place = SOURCE; place < UNKNOWN; place++)
            if (alcore__name_is((alcore__name){prompt->text + i + 1, length}, places[place]))
                return place == TEXT ? SOURCE : place;
        return UNKNOWN;
    }
    *at = *begin = prompt->length;
    return NO_PLACE;
}

/* Takes the outer braces from the words in two pairs of a given prompt without places, which stands
 * in front of texts as it is. */
static void remove_quotes(alcore__engine_model *data) {
    alcore__name *prompt = &data->prompt;
    size_t at = 0, before = 0, kept = 0, begin;
    for (int place = QUOTED; place != NO_PLACE; before = at) {
        place = next_place(prompt, &at, &begin);
        const bool quoted = place == QUOTED;
        memmove(data->prompt_copy + kept, prompt->text + before, begin - before);
        kept += begin - before;
        memmove(data->prompt_copy + kept, prompt->text + begin + quoted, at - begin - 2 * quoted);
        kept += at - begin - 2 * (size_t)quoted;
    }
    data->prompt_copy[kept] = '\0';
    prompt->length = kept;
}

/* Refuses a given prompt with a place in front of the texts of another kind of model, which would
 * read the place as a text. */
static alcore_status refuse_places(const alcore__engine_model *data) {
    size_t at = 0, begin;
    int place;
    while (data->prompt_copy && (place = next_place(&data->prompt, &at, &begin)) != NO_PLACE)
        if (place < UNKNOWN)
            return alcore__fail(ALCORE_E_PARAM,
                                "the prompt has %.*s; places are for language models, and here the "
                                "prompt stands in front of each text: leave it out",
                                (int)(at - begin), data->prompt.text + begin);
    return ALCORE_OK;
}

alcore_status alcore__template_check(alcore__engine_model *data) {
    size_t at = 0, begin;
    int sources = 0, place;
    data->is_template = data->reads_languages = false;
    if (!alcore__is_language_model(data)) return refuse_places(data);
    if (!data->prompt_given) return ALCORE_OK;
    while ((place = next_place(&data->prompt, &at, &begin)) != NO_PLACE) {
        if (place == QUOTED) continue;
        if (place == UNKNOWN && !data->prompt_copy) continue; /* a text of the folder */
        if (place == UNKNOWN)
            return alcore__fail(ALCORE_E_PARAM,
                                "the prompt has %.*s, which is no place; there are {source} or "
                                "{text}, {source_language}, {target_language} and {target}, and "
                                "the text %.*s is written {%.*s}",
                                (int)(at - begin), data->prompt.text + begin, (int)(at - begin),
                                data->prompt.text + begin, (int)(at - begin),
                                data->prompt.text + begin);
        sources += place == SOURCE;
        data->is_template = true;
        if (place == SOURCE_LANGUAGE) data->reads_languages = true;
        if (place == TARGET && at < data->prompt.length)
            return alcore__fail(ALCORE_E_PARAM,
                                "the prompt goes on behind {target} with '%s'; it has to end there",
                                data->prompt.text + at);
    }
    if (data->is_template && sources != 1)
        return alcore__fail(ALCORE_E_PARAM,
                            "the prompt has {source} or {text} %d times; a prompt with places has "
                            "one of them once",
                            sources);
    if (!data->is_template && data->prompt_copy) remove_quotes(data);
    return ALCORE_OK;
}

/* Appends what stands in a place of a text. */
static alcore_status append_place(const alcore_model *model, int place, const alcore__texts *texts,
                                  int64_t i, const char *language, alcore__buffer *out) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    if (place == SOURCE) return alcore__buffer_append(ctx, out, texts->texts[i], texts->lengths[i]);
    if (place == TARGET) return ALCORE_OK;
    const char *named = place == SOURCE_LANGUAGE ? language : data->language;
    if (named && strcmp(named, ALCORE__NO_LANGUAGE) != 0)
        return alcore__buffer_append(ctx, out, named, strlen(named));
    if (place == TARGET_LANGUAGE)
        return alcore__fail(ALCORE_E_PARAM,
                            "%s: the prompt has {target_language}, and no language of the outputs "
                            "was set",
                            model->name);
    return alcore__fail(ALCORE_E_MISSING,
                        "%s: the prompt has {source_language}, and the language of '%.*s' is not "
                        "known",
                        model->name, texts->lengths[i] > 40 ? 40 : (int)texts->lengths[i],
                        texts->texts[i]);
}

/* Appends a text in its prompt. */
static alcore_status append_prompt(const alcore_model *model, const alcore__texts *texts, int64_t i,
                                   const char *language, alcore__buffer *out) {
    const alcore__engine_model *data = model->data;
    size_t at = 0, before = 0, begin;
    for (;;) {
        const int place = next_place(&data->prompt, &at, &begin);
        ALCORE__TRY(alcore__buffer_append(model->object.ctx, out, data->prompt.text + before,
                                          begin - before));
        if (place == NO_PLACE) return ALCORE_OK;
        ALCORE__TRY(place >= UNKNOWN
                        ? alcore__buffer_append(model->object.ctx, out,
                                                data->prompt.text + begin + (place == QUOTED),
                                                at - begin - 2 * (size_t)(place == QUOTED))
                        : append_place(model, place, texts, i, language, out));
        before = at;
    }
}

/* Appends what the model reads of a text, its prompt as it is or as a turn of a chat, and NUL. */
static alcore_status append_text(const alcore_model *model, const alcore__texts *texts, int64_t i,
                                 const char *language, alcore__buffer *out) {
    const alcore__engine_model *data = model->data;
    alcore_ctx *ctx = model->object.ctx;
    alcore__buffer turn = {0};
    alcore_status status = append_prompt(model, texts, i, language, data->in_turns ? &turn : out);
    if (status == ALCORE_OK && data->in_turns)
        status = alcore__chat_append(model, turn.data, turn.length, out);
    alcore__buffer_clear(ctx, &turn);
    return status == ALCORE_OK ? alcore__buffer_append(ctx, out, "", 1) : status;
}

alcore_status alcore__template_fill(const alcore_model *model, const alcore__texts *texts,
                                    const char *const *languages, alcore__engine_texts *out) {
    alcore_ctx *ctx = model->object.ctx;
    const size_t count = (size_t)texts->count;
    alcore__buffer all = {0};
    alcore_status status = alcore__new_array(ctx, count, sizeof *out->views, &out->views);
    if (status == ALCORE_OK)
        status = alcore__new_array(ctx, count, sizeof *out->lengths, &out->lengths);
    for (size_t i = 0; i < count && status == ALCORE_OK; i++) {
        const size_t begin = all.length;
        status = append_text(model, texts, (int64_t)i, languages ? languages[i] : NULL, &all);
        if (status != ALCORE_OK) out->failed = (int64_t)i + 1;
        out->lengths[i] = all.length - begin - 1;
    }
    out->joined = all.data; /* owned also after a failure */
    const char *view = all.data;
    for (size_t i = 0; i < count && status == ALCORE_OK; i++) {
        out->views[i] = view;
        view += out->lengths[i] + 1;
    }
    return status;
}
