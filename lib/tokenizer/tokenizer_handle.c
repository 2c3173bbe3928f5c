/* SPDX-License-Identifier: Apache-2.0 */
/* Making and freeing the handle of a tokenizer. */
#include "tokenizer/tokenizer_handle.h"

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

/* One of the two functions that fill an empty tokenizer. */
typedef alcore_status (*reader)(alcore_ctx *ctx, const char *path, alcore_tokenizer *tokenizer);

static alcore_status open_with(alcore_ctx *ctx, const char *path, reader read,
                               alcore_tokenizer **out) {
    alcore_tokenizer *made;
    ALCORE__TRY(alcore__object_new(ctx, sizeof *made, release_tokenizer, &made));
    const alcore_status status = read(ctx, path, made);
    if (status == ALCORE_OK)
        *out = made;
    else
        alcore__object_unref(made);
    return status;
}

alcore_status alcore__tokenizer_open(alcore_ctx *ctx, const char *path, alcore_tokenizer **out) {
    return open_with(ctx, path, alcore__tokenizer_read, out);
}

alcore_status alcore__tokenizer_open_alone(alcore_ctx *ctx, const char *path,
                                           alcore_tokenizer **out) {
    return open_with(ctx, path, alcore__tokenizer_read_alone, out);
}

alcore_status alcore__tokenizer_lowercase(alcore_tokenizer *tokenizer) {
    return alcore__normalizer_lower_first(tokenizer->object.ctx, &tokenizer->normalizer);
}
