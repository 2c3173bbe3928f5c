/* SPDX-License-Identifier: Apache-2.0 */
/* Languages of translation models (language.h). */
#include "tokenizer/language.h"

#include <string.h>

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

/* __xx__ with lower-case letters; or two or three lower-case letters, "_", and either two capital
 * letters or a capital and three lower-case ones. */
bool alcore__is_language(alcore__name name) {
    const char *text = name.text;
    size_t length = name.length, letters = 0;
    if (length > 4 && memcmp(text, "__", 2) == 0 && memcmp(text + length - 2, "__", 2) == 0) {
        for (size_t i = 2; i < length - 2; i++)
            if (!is_lower(text[i])) return false;
        return true;
    }
    while (letters < length && is_lower(text[letters])) letters++;
    if (letters < 2 || letters > 3 || length < letters + 3 || text[letters] != '_') return false;
    const size_t behind = length - letters - 1;
    if (behind != 2 && behind != 4) return false;
    for (size_t i = letters + 1; i < length; i++) {
        const bool upper = text[i] >= 'A' && text[i] <= 'Z';
        if (!upper && !(behind == 4 && i > letters + 1 && is_lower(text[i]))) return false;
    }
    return true;
}

/* The index of the template's piece that is the token of a language; pieces->count: it has none. */
static size_t language_index(const alcore__template *pieces) {
    size_t i = 0;
    while (i < pieces->count &&
           !(pieces->piece[i].kind == ALCORE__TEMPLATE_SPECIAL && pieces->piece[i].count == 1 &&
             alcore__is_language(pieces->piece[i].name)))
        i++;
    return i;
}

/* Moves a template's language to its beginning (first) or its end; the pieces between move up. */
static void move_language(alcore__template *pieces, bool first) {
    const size_t index = language_index(pieces);
    if (index == pieces->count) return;
    const alcore__template_piece piece = pieces->piece[index];
    for (size_t i = index; !first && i + 1 < pieces->count; i++)
        pieces->piece[i] = pieces->piece[i + 1];
    for (size_t i = index; first && i > 0; i--) pieces->piece[i] = pieces->piece[i - 1];
    pieces->piece[first ? 0 : pieces->count - 1] = piece;
}

static bool begins_with(alcore__name name, const char *text) {
    const size_t length = strlen(text);
    return name.length >= length && memcmp(name.text, text, length) == 0;
}

/* The classes of transformers set the place themselves, whatever tokenizer.json says. */
alcore_status alcore__languages_read(const alcore__part *config, alcore_tokenizer *tokenizer) {
    alcore__name class = {0};
    bool legacy = false;
    ALCORE__TRY(alcore__part_text(config, "src_lang", &tokenizer->source_language));
    ALCORE__TRY(alcore__part_text(config, "tgt_lang", &tokenizer->target_language));
    ALCORE__TRY(alcore__part_text(config, "tokenizer_class", &class));
    ALCORE__TRY(alcore__part_flag(config, "legacy_behaviour", &legacy));
    alcore__post_processor *post = &tokenizer->post;
    const bool nllb = class.text && begins_with(class, "Nllb");
    const bool mbart = class.text && begins_with(class, "MBart");
    if (!nllb && !mbart) return ALCORE_OK;
    const bool first = nllb ? !legacy : begins_with(class, "MBart50");
    move_language(&post->single, first);
    move_language(&post->pair, first);
    return ALCORE_OK;
}

/* The id of the token of a language's code, such as deu_Latn, or "de" for __de__ (M2M100); -1:
 * there is none. */
static int64_t find_token(const alcore_tokenizer *tokenizer, const char *code, size_t length) {
    char wrapped[64];
    if (alcore__is_language((alcore__name){code, length}))
        return alcore__tokenizer_id(tokenizer, code, length);
    if (length > sizeof wrapped - 8) return -1;
    const int bytes = alcore__format(wrapped, sizeof wrapped, "__%.*s__", (int)length, code);
    if (!alcore__is_language((alcore__name){wrapped, (size_t)bytes})) return -1;
    return alcore__tokenizer_id(tokenizer, wrapped, (size_t)bytes);
}

/* Marks the piece of a template that is a language, and sets its id to that of the folder's source
 * language; where the folder names none, to that of the language that the template has, unless it
 * has an id already. The ids are replaced and not changed, as they are const. */
static alcore_status set_source(alcore_ctx *ctx, alcore_tokenizer *tokenizer,
                                alcore__template *pieces) {
    const size_t index = language_index(pieces);
    alcore__name source = tokenizer->source_language;
    if (index == pieces->count) return ALCORE_OK;
    pieces->piece[index].language = true;
    tokenizer->marks_language = true;
    if (!source.text && pieces->piece[index].ids[0] >= 0) return ALCORE_OK;
    if (!source.text) source = pieces->piece[index].name;
    const int64_t id = find_token(tokenizer, source.text, source.length);
    if (id < 0)
        return alcore__fail(ALCORE_E_DATA, "tokenizer_config.json: src_lang \"%.*s\" is no token",
                            (int)source.length, source.text);
    int64_t *ids = alcore__arena_alloc(ctx, &tokenizer->arena, sizeof *ids, sizeof *ids);
    if (!ids) return alcore__fail_memory(sizeof *ids);
    *ids = id;
    pieces->piece[index].ids = ids;
    return ALCORE_OK;
}

alcore_status alcore__languages_finish(alcore_ctx *ctx, alcore_tokenizer *tokenizer) {
    ALCORE__TRY(set_source(ctx, tokenizer, &tokenizer->post.single));
    return set_source(ctx, tokenizer, &tokenizer->post.pair);
}

/* Appends the languages that the tokenizer has tokens for to `list` [bytes], which is cut where it
 * is too short: ", " stands between them, and M2M100's lose their underscores. */
static void list_languages(const alcore_tokenizer *tokenizer, char *list, size_t bytes) {
    size_t used = 0;
    list[0] = '\0';
    for (size_t i = 0; i < tokenizer->added.count; i++) {
        alcore__name name = tokenizer->added.token[i].content;
        if (!alcore__is_language(name)) continue;
        if (name.text[0] == '_') name = (alcore__name){name.text + 2, name.length - 4};
        if (used + name.length + 8 > bytes) {
            alcore__format(list + used, bytes - used, ", ...");
            return;
        }
        used += (size_t)alcore__format(list + used, bytes - used, "%s%.*s", used ? ", " : "",
                                       (int)name.length, name.text);
    }
}

/* The error of a language that the tokenizer has no token for. */
static alcore_status unknown_language(const alcore_tokenizer *tokenizer, const char *language) {
    char list[600];
    list_languages(tokenizer, list, sizeof list);
    return alcore__fail(ALCORE_E_PARAM,
                        "language \"%s\" is none that this tokenizer has a token for; it has %s",
                        language, list);
}

/* A call that names no language has that of the template (-1), which is the source's, or for
 * outputs the folder's target language. */
alcore_status alcore__language_token(const alcore_tokenizer *tokenizer, const char *language,
                                     bool as_target, int64_t *out) {
    const alcore__name target = tokenizer->target_language;
    *out = -1;
    if (!language) {
        if (as_target && tokenizer->marks_language && target.text)
            *out = find_token(tokenizer, target.text, target.length);
        return ALCORE_OK;
    }
    if (!tokenizer->marks_language)
        return alcore__fail(ALCORE_E_PARAM,
                            "language is \"%s\", but this tokenizer marks no language", language);
    *out = find_token(tokenizer, language, strlen(language));
    return *out >= 0 ? ALCORE_OK : unknown_language(tokenizer, language);
}
