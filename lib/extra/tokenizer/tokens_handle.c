/* SPDX-License-Identifier: Apache-2.0 */
/* The handle of the tokens of many texts (alcore/extra/tokenizer.h): encoding, and its arrays. */
#include "alcore/extra/tokenizer.h"

#include "alcore/sys/model.h"
#include "base/tensor_view.h"
#include "text/texts.h"
#include "tokenizer/tokenizer_handle.h"

/* The marks are those that engines are given. */
_Static_assert((int)ALCORE_TOKEN_SPECIAL == (int)ALCORE_SYS_TOKEN_SPECIAL &&
                   (int)ALCORE_TOKEN_WORD == (int)ALCORE_SYS_TOKEN_WORD,
               "bits of marks");

/* It does not change once it is made. */
struct alcore_tokens {
    alcore__object object;
    alcore__tokens tokens; /* owned */
    /* The shapes of the views that alcore_tokens_get() hands out, to which the views point. */
    int64_t offsets_shape[1]; /* {texts + 1} */
    int64_t tokens_shape[1];  /* {tokens}: of ids, types and marks */
    int64_t spans_shape[2];   /* {tokens, 2} */
};

static void release_tokens(void *object) {
    alcore_tokens *tokens = object;
    alcore__tokens_clear(tokens->object.ctx, &tokens->tokens);
}

/* Reads the options of the caller into *options, those of a shorter struct with defaults for the
 * rest, and checks them. how->language is borrowed from the caller. */
static alcore_status read_options(const alcore_encode_options *given,
                                  alcore_encode_options *options, alcore__encoding *how) {
    ALCORE__TRY(alcore__struct_read(options, sizeof *options,
                                    ALCORE__FIRST_SIZE(alcore_encode_options, as_target), given,
                                    "alcore_encode_options"));
    if (options->without_special != 0 && options->without_special != 1)
        return alcore__fail(ALCORE_E_PARAM, "without_special is %d: use 0 or 1",
                            options->without_special);
    if (options->as_target != 0 && options->as_target != 1)
        return alcore__fail(ALCORE_E_PARAM, "as_target is %d: use 0 or 1", options->as_target);
    *how = (alcore__encoding){.max_tokens = options->max_tokens,
                              .without_special = options->without_special != 0,
                              .as_target = options->as_target != 0,
                              .language = options->language};
    return ALCORE_OK;
}

/* The arrays, which have grown, without what they do not need. */
static alcore_status trim(alcore_ctx *ctx, alcore__tokens *tokens) {
    const size_t count = (size_t)tokens->offsets[tokens->count];
    ALCORE__TRY(
        alcore__trim(ctx, &tokens->offsets, (size_t)tokens->count + 1, sizeof *tokens->offsets));
    ALCORE__TRY(alcore__trim(ctx, &tokens->ids, count, sizeof *tokens->ids));
    ALCORE__TRY(alcore__trim(ctx, &tokens->types, count, sizeof *tokens->types));
    ALCORE__TRY(alcore__trim(ctx, &tokens->marks, count, sizeof *tokens->marks));
    return alcore__trim(ctx, &tokens->spans, count, 2 * sizeof *tokens->spans);
}

/* alcore_tokenizer_encode() after its checks for NULL. pairs without texts and lengths: there are
 * none. */
static alcore_status encode(const alcore_tokenizer *tokenizer, const alcore__texts *texts,
                            const alcore__texts *pairs, const alcore_encode_options *given,
                            alcore_tokens **out) {
    alcore_encode_options options;
    alcore__encoding how;
    alcore_tokens *made;
    ALCORE__TRY(alcore__texts_check(texts, "texts"));
    if (pairs->texts || pairs->lengths) ALCORE__TRY(alcore__texts_check(pairs, "pairs"));
    ALCORE__TRY(read_options(given, &options, &how));
    ALCORE__TRY(alcore__object_new(tokenizer->object.ctx, sizeof *made, release_tokens, &made));
    alcore_status status = alcore__tokenizer_encode(
        tokenizer, texts, pairs->texts || pairs->lengths ? pairs : NULL, &how, &made->tokens);
    if (status == ALCORE_OK) status = trim(tokenizer->object.ctx, &made->tokens);
    if (status != ALCORE_OK) {
        alcore__object_unref(made);
        return status;
    }
    made->offsets_shape[0] = made->tokens.count + 1;
    made->tokens_shape[0] = made->spans_shape[0] = made->tokens.offsets[made->tokens.count];
    made->spans_shape[1] = 2;
    *out = made;
    return ALCORE_OK;
}

alcore_status alcore_tokenizer_encode(const alcore_tokenizer *tokenizer, const char *const *texts,
                                      const size_t *lengths, const char *const *pairs,
                                      const size_t *pair_lengths, int64_t count,
                                      const alcore_encode_options *options, alcore_tokens **out) {
    alcore_ctx *ctx = !tokenizer ? NULL : tokenizer->object.ctx;
    if (out) *out = NULL;
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!tokenizer || !out)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "tokenizer or out is NULL"));
    const alcore__texts first = {texts, lengths, count}, second = {pairs, pair_lengths, count};
    return alcore__leave(ctx, encode(tokenizer, &first, &second, options, out));
}

alcore_tokens *alcore_tokens_ref(alcore_tokens *tokens) {
    return alcore__object_ref(tokens);
}

void alcore_tokens_unref(alcore_tokens *tokens) {
    alcore__object_unref(tokens);
}

int64_t alcore_tokens_count(const alcore_tokens *tokens) {
    return tokens ? tokens->tokens.count : 0;
}

/* Makes the views. They share the handle's shapes, which live as long as its arrays; object.self is
 * the handle without const. */
static alcore_status get_tokens(const alcore_tokens *tokens, alcore_tensor *offsets,
                                alcore_tensor *ids, alcore_tensor *types, alcore_tensor *spans,
                                alcore_tensor *marks) {
    alcore_tokens *owner = tokens->object.self;
    alcore__tokens *t = &owner->tokens;
    int64_t *shape = owner->tokens_shape;
    ALCORE__TRY(alcore_tensor_init(offsets, t->offsets, ALCORE_INT64, owner->offsets_shape, 1));
    ALCORE__TRY(alcore_tensor_init(ids, t->ids, ALCORE_INT64, shape, 1));
    ALCORE__TRY(alcore_tensor_init(types, t->types, ALCORE_INT64, shape, 1));
    ALCORE__TRY(alcore_tensor_init(spans, t->spans, ALCORE_INT64, owner->spans_shape, 2));
    return alcore_tensor_init(marks, t->marks, ALCORE_UINT8, shape, 1);
}

alcore_status alcore_tokens_get(const alcore_tokens *tokens, alcore_tensor *out_offsets,
                                alcore_tensor *out_ids, alcore_tensor *out_types,
                                alcore_tensor *out_spans, alcore_tensor *out_marks) {
    alcore_ctx *ctx = !tokens ? NULL : tokens->object.ctx;
    alcore_tensor *const outs[] = {out_offsets, out_ids, out_types, out_spans, out_marks};
    bool all = tokens != NULL;
    for (size_t i = 0; i < sizeof outs / sizeof *outs; i++) {
        if (outs[i]) *outs[i] = (alcore_tensor){0};
        all = all && outs[i];
    }
    ALCORE__TRY(alcore__enter(ctx));
    if (!all)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "tokens or an output is NULL"));
    return alcore__leave(ctx,
                         get_tokens(tokens, out_offsets, out_ids, out_types, out_spans, out_marks));
}
