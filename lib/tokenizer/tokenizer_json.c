/* SPDX-License-Identifier: Apache-2.0 */
/* Reading tokenizer.json (tokenizer_handle.h): each top-level member is a part of the tokenizer.
 * They may come in any order. "truncation" and "padding" are ignored: callers say how much of a
 * text they need. */
#include <string.h>

#include "tokenizer/language.h"
#include "tokenizer/tokenizer_handle.h"

/* Nesting of objects and arrays that is read: deeper than in any real file. */
enum { MAX_DEPTH = 32 };

/* Reads one of the added tokens. The id that the file gives it is ignored (give_ids()). */
static alcore_status read_added(const alcore__part *item, alcore_tokenizer *tokenizer) {
    alcore__added_token token = {.id = -1};
    ALCORE__TRY(alcore__part_text(item, "content", &token.content));
    if (!token.content.text)
        return alcore__part_fail(item, ALCORE_E_DATA, "a token has no content");
    ALCORE__TRY(alcore__part_flag(item, "special", &token.special));
    ALCORE__TRY(alcore__part_flag(item, "single_word", &token.single_word));
    ALCORE__TRY(alcore__part_flag(item, "lstrip", &token.left));
    ALCORE__TRY(alcore__part_flag(item, "rstrip", &token.right));
    token.normalized = !token.special;
    ALCORE__TRY(alcore__part_flag(item, "normalized", &token.normalized));
    return token.content.length == 0
               ? ALCORE_OK
               : alcore__added_tokens_add(item->ctx, &tokenizer->added, &token);
}

static alcore_status read_all_added(const alcore__part *part, alcore_tokenizer *tokenizer) {
    alcore__part list = *part, item;
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) ALCORE__TRY(read_added(&item, tokenizer));
    return alcore__part_leave(&list);
}

/* Reads the model. A second member of that name is refused, as the first model would be lost. */
static alcore_status read_model(const alcore__part *part, alcore_tokenizer *tokenizer) {
    alcore__json value = part->value;
    if (tokenizer->model) return alcore__part_fail(part, ALCORE_E_DATA, "it is there twice");
    return alcore__token_model_read_json(part->ctx, &value, part->path, &tokenizer->model);
}

/* Reads "truncation". A file that cuts texts at their beginning is noted, for those who cut by it.
 */
static alcore_status read_truncation(const alcore__part *part, alcore_tokenizer *tokenizer) {
    alcore__name direction = {0};
    int64_t most = 0;
    ALCORE__TRY(alcore__part_integer(part, "max_length", &most));
    ALCORE__TRY(alcore__part_text(part, "direction", &direction));
    if (most < 0) return alcore__part_fail(part, ALCORE_E_DATA, "max_length is negative");
    tokenizer->truncation = direction.text && !alcore__name_is(direction, "Right") ? -1 : most;
    return ALCORE_OK;
}

/* Reads a member that is not null; part->section is its name. */
static alcore_status read_member(const alcore__part *part, alcore_tokenizer *tokenizer) {
    const char *name = part->section;
    if (strcmp(name, "added_tokens") == 0) return read_all_added(part, tokenizer);
    if (strcmp(name, "normalizer") == 0)
        return alcore__normalizer_read(part, &tokenizer->normalizer);
    if (strcmp(name, "pre_tokenizer") == 0)
        return alcore__pre_tokenizer_read(part, &tokenizer->pre);
    if (strcmp(name, "post_processor") == 0) {
        tokenizer->post.given = true;
        return alcore__post_processor_read(part, &tokenizer->post);
    }
    if (strcmp(name, "decoder") == 0) return alcore__token_decoder_read(part, &tokenizer->decoder);
    if (strcmp(name, "truncation") == 0) return read_truncation(part, tokenizer);
    return read_model(part, tokenizer);
}

/* Each member is read by a copy of the scanner, which itself skips it: so a part may read its value
 * in any order. Members of other names are ignored. */
alcore_status alcore__tokenizer_read_json(alcore_ctx *ctx, char *text, size_t length,
                                          const char *path, alcore_tokenizer *tokenizer) {
    static const char *const names[] = {"added_tokens",   "normalizer", "pre_tokenizer",
                                        "post_processor", "decoder",    "truncation",
                                        "model"};
    alcore__json json;
    const char *key;
    size_t bytes;
    alcore__json_begin(&json, text, length, MAX_DEPTH);
    alcore__post_processor_start(&tokenizer->post);
    (void)alcore__json_enter(&json, '{');
    while (alcore__json_skip_key(&json, &key, &bytes)) {
        alcore__part part = {ctx, &tokenizer->arena, path, NULL, json};
        if (!alcore__json_skip(&json)) break;
        if (alcore__json_kind(&part.value) == 'n') continue;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (bytes == strlen(names[i]) && memcmp(key, names[i], bytes) == 0)
                part.section = names[i];
        if (part.section) ALCORE__TRY(read_member(&part, tokenizer));
        ALCORE__TRY(alcore__tick(ctx, NULL, 0, 0));
    }
    if (!alcore__json_end(&json))
        return alcore__fail(ALCORE_E_DATA, "%s: byte %zu: %s", path,
                            (size_t)(json.next - json.begin), json.error);
    if (!tokenizer->model) return alcore__fail(ALCORE_E_DATA, "%s: there is no model in it", path);
    return ALCORE_OK;
}

/* ---- ids of added tokens ---- */

/* The id of an added token that the model does not have: the first one behind the model's ids and
 * `highest`, the highest id of the added tokens so far (-1: there is none), as the package
 * tokenizers counts, whatever the file says. */
static int64_t next_id(const alcore_tokenizer *tokenizer, int64_t highest) {
    const int64_t size = alcore__token_model_size(tokenizer->model);
    return highest >= size ? highest + 1 : size;
}

/* Sets the ids of the added tokens, and the size of the tokenizer. Tokens with the same content get
 * the same id: that of the last of them, which alcore__added_token_of() finds (`counts`). */
static void give_ids(alcore_tokenizer *tokenizer) {
    alcore__added_tokens *added = &tokenizer->added;
    int64_t highest = -1;
    for (size_t i = 0; i < added->count; i++) {
        const alcore__name text = added->token[i].content;
        alcore__added_token *counts = alcore__added_token_of(added, text.text, text.length);
        if (counts->id < 0)
            counts->id = alcore__token_model_id(tokenizer->model, text.text, text.length);
        if (counts->id < 0) counts->id = next_id(tokenizer, highest);
        if (counts->id > highest) highest = counts->id;
        added->token[i].id = counts->id;
    }
    tokenizer->size = next_id(tokenizer, highest);
}

/* Adds a token to the finder that seeks it: by its content in raw text, or by its normalized form
 * in normalized text. number: its index. */
static alcore_status seek_token(alcore_ctx *ctx, alcore_tokenizer *tokenizer, size_t number,
                                alcore__normalizer_scratch *scratch) {
    alcore__added_token *token = &tokenizer->added.token[number];
    alcore__name text = token->content;
    token->search_text = text;
    if (token->template_only) return ALCORE_OK;
    if (!token->normalized)
        return alcore__added_finder_add(ctx, &tokenizer->added.raw, text, number);
    const alcore__view raw = {text.text, NULL, text.length, 0};
    alcore__view view;
    ALCORE__TRY(alcore__normalizer_run(ctx, &tokenizer->normalizer, &raw, scratch, &view));
    char *copy = alcore__arena_alloc(ctx, &tokenizer->arena, view.length + 1, 1);
    if (!copy) return alcore__fail_memory(view.length + 1);
    if (view.length > 0) memcpy(copy, view.text, view.length);
    token->search_text = text = (alcore__name){copy, view.length};
    return alcore__added_finder_add(ctx, &tokenizer->added.normalized, text, number);
}

/* Refuses a template with special tokens whose ids the tokenizer does not have. */
static alcore_status check_template(const alcore_tokenizer *tokenizer,
                                    const alcore__template *pieces) {
    for (size_t i = 0; i < pieces->count; i++)
        for (size_t k = 0; k < pieces->piece[i].count; k++)
            if (pieces->piece[i].ids[k] < 0 || pieces->piece[i].ids[k] >= tokenizer->size)
                return alcore__fail(ALCORE_E_DATA,
                                    "post_processor: the special token %.*s has the id %lld, but "
                                    "ids are 0 to %lld",
                                    (int)pieces->piece[i].name.length, pieces->piece[i].name.text,
                                    (long long)pieces->piece[i].ids[k],
                                    (long long)tokenizer->size - 1);
    return ALCORE_OK;
}

/* Only the last of the tokens with the same content is sought. Of two whose normalized forms are
 * the same, alcore__added_finder_sort() keeps the one with the lower index. */
alcore_status alcore__tokenizer_finish(alcore_ctx *ctx, alcore_tokenizer *tokenizer) {
    alcore__added_tokens *added = &tokenizer->added;
    alcore__normalizer_scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    ALCORE__TRY(alcore__added_tokens_sort(ctx, added));
    give_ids(tokenizer);
    alcore__added_tokens_sort_ids(added);
    for (int special = 1; special >= 0; special--)
        for (size_t i = 0; i < added->count && status == ALCORE_OK; i++) {
            const alcore__added_token *token = &added->token[i];
            if (token->special != (special == 1) ||
                alcore__added_token_of(added, token->content.text, token->content.length) != token)
                continue;
            status = seek_token(ctx, tokenizer, i, &scratch);
        }
    alcore__normalizer_scratch_clear(ctx, &scratch);
    alcore__added_finder_sort(&added->raw);
    alcore__added_finder_sort(&added->normalized);
    ALCORE__TRY(status);
    ALCORE__TRY(alcore__languages_finish(ctx, tokenizer));
    ALCORE__TRY(check_template(tokenizer, &tokenizer->post.single));
    return check_template(tokenizer, &tokenizer->post.pair);
}
