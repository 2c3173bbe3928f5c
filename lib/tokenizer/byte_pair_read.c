/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the merges of a byte-pair encoding: an array of texts "a b" or of pairs ["a", "b"], the
 * merge of rank 0 first. Each names two tokens, and the token that they become is their texts in
 * one, without the prefix of the second. */
#include <string.h>

#include "tokenizer/token_kinds.h"

/* What is needed to read a merge. */
typedef struct reader {
    alcore_ctx *ctx;
    const char *path;
    alcore__json *json;
    alcore__token_model *model;
    alcore__buffer merged; /* the text of the token that a pair becomes */
    uint32_t rank;         /* of the merge that is read: how many came before it */
} reader;

/* Fails at the cursor; what NULL: what the scanner found. */
static alcore_status fail_merge(const reader *state, const char *what) {
    return alcore__token_json_fail(state->json, state->path, "model.merges", what);
}

/* *out: the number of a token that a merge names. */
static alcore_status find_token(const reader *state, const char *text, size_t length,
                                uint32_t *out) {
    *out = alcore__token_table_find(&state->model->table, text, length);
    if (*out != ALCORE__WORD_NONE) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "%s: model.merges: merge %lu (byte %lld): the token \"%.*s\" is not in the "
                        "vocabulary",
                        state->path, (unsigned long)state->rank,
                        (long long)(state->json->next - state->json->begin),
                        (int)(length < 100 ? length : 100), text);
}

/* Adds the merge of two tokens. All three tokens must be in the vocabulary. */
static alcore_status add_merge(reader *state, const char *left, size_t left_length,
                               const char *right, size_t right_length) {
    const size_t prefix = state->model->byte_pair.prefix_length;
    uint32_t first, second, merged;
    if (state->rank >= UINT32_MAX - 1) return fail_merge(state, "more than 2^32 - 2 merges");
    ALCORE__TRY(find_token(state, left, left_length, &first));
    ALCORE__TRY(find_token(state, right, right_length, &second));
    if (right_length < prefix)
        return fail_merge(state, "the second token of a merge lacks the prefix");
    state->merged.length = 0;
    ALCORE__TRY(alcore__buffer_append(state->ctx, &state->merged, left, left_length));
    ALCORE__TRY(
        alcore__buffer_append(state->ctx, &state->merged, right + prefix, right_length - prefix));
    ALCORE__TRY(find_token(state, state->merged.data, state->merged.length, &merged));
    return alcore__byte_pair_add(state->ctx, state->model, first, second, state->rank++, merged);
}

/* Reads a merge that is a text: two tokens with one space between them. A line "#version: 0.2", as
 * files of merges begin with, is none. */
static alcore_status read_line(reader *state) {
    char *text;
    size_t length;
    if (!alcore__json_string(state->json, &text, &length)) return fail_merge(state, NULL);
    if (length >= 8 && memcmp(text, "#version", 8) == 0) return ALCORE_OK;
    const char *space = memchr(text, ' ', length);
    const size_t first = space ? (size_t)(space - text) : length;
    if (!space || memchr(space + 1, ' ', length - first - 1))
        return fail_merge(state, "two tokens with one space between them are expected");
    return add_merge(state, text, first, space + 1, length - first - 1);
}

/* Reads a merge that is an array of two texts. */
static alcore_status read_pair(reader *state) {
    char *left, *right;
    size_t left_length, right_length;
    if (!alcore__json_enter(state->json, '[') || !alcore__json_item(state->json) ||
        !alcore__json_string(state->json, &left, &left_length) || !alcore__json_item(state->json) ||
        !alcore__json_string(state->json, &right, &right_length) ||
        alcore__json_item(state->json) || state->json->error)
        return fail_merge(state, "two tokens are expected");
    return add_merge(state, left, left_length, right, right_length);
}

/* Reads the array of merges at the cursor, each of which may have either form. */
alcore_status alcore__byte_pair_read(alcore_ctx *ctx, alcore__json *merges, const char *path,
                                     alcore__token_model *model) {
    reader state = {.ctx = ctx, .path = path, .json = merges, .model = model};
    alcore_status status = ALCORE_OK;
    if (!alcore__json_enter(merges, '[')) return fail_merge(&state, NULL);
    while (status == ALCORE_OK && alcore__json_item(merges)) {
        status = alcore__json_kind(merges) == '[' ? read_pair(&state) : read_line(&state);
        if (status == ALCORE_OK && (state.rank & 4095) == 0)
            status = alcore__tick(ctx, NULL, 0, -1);
    }
    if (status == ALCORE_OK && merges->error) status = fail_merge(&state, NULL);
    alcore__buffer_clear(ctx, &state.merged);
    return status;
}
