/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of a tokenizer (alcore/tokenizer.h): opening it, and asking for its tokens. */
#include "tokenizer/tokenizer_handle.h"

#include <string.h>

/* The destructor of the handle; what was not read yet is zero. */
static void release_tokenizer(void *object) {
    alcore_tokenizer *tokenizer = object;
    alcore_ctx *ctx = tokenizer->object.ctx;
    alcore__encoder_free(ctx, atomic_exchange(&tokenizer->spare, NULL));
    alcore__token_model_free(ctx, tokenizer->model);
    alcore__token_model_free(ctx, tokenizer->target_model);
    alcore__normalizer_clear(ctx, &tokenizer->target_normalizer);
    alcore__added_tokens_clear(ctx, &tokenizer->added);
    alcore__token_decoder_clear(ctx, &tokenizer->decoder);
    alcore__normalizer_clear(ctx, &tokenizer->normalizer);
    alcore__pre_tokenizer_clear(ctx, &tokenizer->pre);
    alcore__arena_clear(ctx, &tokenizer->arena);
}

/* Makes a handle and reads the files into it. */
static alcore_status open_tokenizer(alcore_ctx *ctx, const char *path, alcore_tokenizer **out) {
    alcore_tokenizer *made;
    ALCORE__TRY(alcore__object_new(ctx, sizeof *made, release_tokenizer, &made));
    const alcore_status status = alcore__tokenizer_read(ctx, path, made);
    if (status == ALCORE_OK)
        *out = made;
    else
        alcore__object_unref(made);
    return status;
}

alcore_status alcore_tokenizer_open(alcore_ctx *ctx, const char *path, alcore_tokenizer **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter(ctx));
    if (!ctx || !path || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx, path or out is NULL"));
    return alcore__leave(ctx, open_tokenizer(ctx, path, out));
}

alcore_tokenizer *alcore_tokenizer_ref(alcore_tokenizer *tokenizer) {
    return alcore__object_ref(tokenizer);
}

void alcore_tokenizer_unref(alcore_tokenizer *tokenizer) {
    alcore__object_unref(tokenizer);
}

alcore_status alcore__tokenizer_lowercase(alcore_tokenizer *tokenizer) {
    return alcore__normalizer_lower_first(tokenizer->object.ctx, &tokenizer->normalizer);
}

/* ---- tokens and ids ---- */

int64_t alcore_tokenizer_size(const alcore_tokenizer *tokenizer) {
    return tokenizer ? tokenizer->size : 0;
}

int64_t alcore_tokenizer_id(const alcore_tokenizer *tokenizer, const char *token) {
    return tokenizer && token ? alcore__tokenizer_id(tokenizer, token, strlen(token)) : -1;
}

alcore_status alcore_tokenizer_token(const alcore_tokenizer *tokenizer, int64_t id,
                                     const char **out_text, size_t *out_length) {
    alcore_ctx *ctx = !tokenizer ? NULL : tokenizer->object.ctx;
    bool special;
    if (out_text) *out_text = NULL;
    if (out_length) *out_length = 0;
    ALCORE__TRY(alcore__enter(ctx));
    if (!tokenizer || !out_text || !out_length)
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID, "tokenizer, out_text or out_length is NULL"));
    *out_text = alcore__tokenizer_token(tokenizer, id, out_length, &special);
    if (*out_text) return alcore__leave(ctx, ALCORE_OK);
    return alcore__leave(ctx, alcore__fail(ALCORE_E_NOT_FOUND,
                                           "no token has the id %lld; there are %lld",
                                           (long long)id, (long long)tokenizer->size));
}
