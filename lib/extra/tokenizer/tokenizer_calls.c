/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a tokenizer (alcore/extra/tokenizer.h): opening it, asking for its tokens, decoding.
 * */
#include "alcore/extra/tokenizer.h"

#include <string.h>

#include "tokenizer/tokenizer_handle.h"

alcore_status alcore_tokenizer_open(alcore_ctx *ctx, const char *path, alcore_tokenizer **out) {
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!ctx || !path || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "ctx, path or out is NULL"));
    return alcore__leave(ctx, alcore__tokenizer_open(ctx, path, out));
}

alcore_tokenizer *alcore_tokenizer_ref(alcore_tokenizer *tokenizer) {
    return alcore__object_ref(tokenizer);
}

void alcore_tokenizer_unref(alcore_tokenizer *tokenizer) {
    alcore__object_unref(tokenizer);
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

/* alcore_tokenizer_decode() after its checks for NULL: *out_length is the length of the whole text,
 * of which buffer gets as much as it has memory for. */
static alcore_status decode(const alcore_tokenizer *tokenizer, const int64_t *ids, int64_t count,
                            int32_t special, size_t buffer_bytes, char *buffer,
                            size_t *out_length) {
    alcore__buffer text = {0};
    if (count < 0 || (count > 0 && !ids))
        return alcore__fail(ALCORE_E_INVALID, "ids is NULL, or count is negative");
    if (special != 0 && special != 1)
        return alcore__fail(ALCORE_E_PARAM, "special is %d: use 0 or 1", special);
    const alcore_status status =
        alcore__tokenizer_decode(tokenizer, ids, count, special != 0, &text);
    if (status == ALCORE_OK) {
        const size_t bytes = text.length < buffer_bytes ? text.length : buffer_bytes;
        if (bytes > 0) memcpy(buffer, text.data, bytes);
        *out_length = text.length;
    }
    alcore__buffer_clear(tokenizer->object.ctx, &text);
    return status;
}

alcore_status alcore_tokenizer_decode(const alcore_tokenizer *tokenizer, const int64_t *ids,
                                      int64_t count, int32_t special, size_t buffer_bytes,
                                      char *buffer, size_t *out_length) {
    alcore_ctx *ctx = !tokenizer ? NULL : tokenizer->object.ctx;
    if (out_length) *out_length = 0;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!tokenizer || !out_length || (!buffer && buffer_bytes > 0))
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID, "tokenizer, buffer or out_length is NULL"));
    return alcore__leave(ctx,
                         decode(tokenizer, ids, count, special, buffer_bytes, buffer, out_length));
}
