/* SPDX-License-Identifier: Apache-2.0 */
/* Sweep: tokenizers and tokens. */
#include "sweep.h"

static const char *const TEXTS[2] = {"Ten  m\xC3\xA9n on\xFF [X] seven zza", "not ten"};

ALLOCATES(alcore_tokenizer_open, 0) {
    static const char *const names[] = {"tokenizer.json", "pieces"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        alcore_tokenizer *out = w->tokenizer;
        alcore_status status = alcore_tokenizer_open(w->ctx, world_file(names[i]), &out);
        if (status != ALCORE_OK) return out ? ALCORE_E_INTERNAL : status;
        alcore_tokenizer_unref(out);
    }
    return ALCORE_OK;
}
/* spm_train is a script that copies a model (sweep_world.c). */
ALLOCATES(alcore_tokenizer_train_vocabulary, 0) {
    alcore_vocabulary_options options = ALCORE_VOCABULARY_OPTIONS_INIT;
    options.max_texts = 1;
    return alcore_tokenizer_train_vocabulary(w->ctx, TEXTS, NULL, 2, world_file("trained.model"),
                                             &options);
}
NEVER(alcore_tokenizer_ref, WITH_TOKENIZER) {
    alcore_tokenizer_unref(alcore_tokenizer_ref(w->tokenizer));
    HOLDS(!alcore_tokenizer_ref(NULL));
}
NEVER(alcore_tokenizer_unref, 0) {
    alcore_tokenizer_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_tokenizer_size, WITH_TOKENIZER) {
    HOLDS(alcore_tokenizer_size(w->tokenizer) == 8 && alcore_tokenizer_size(NULL) == 0);
}
NEVER(alcore_tokenizer_id, WITH_TOKENIZER) {
    HOLDS(alcore_tokenizer_id(w->tokenizer, "Seven") == 7 &&
          alcore_tokenizer_id(w->tokenizer, "on") == 6 &&
          alcore_tokenizer_id(w->tokenizer, "x") == -1);
}
NEVER(alcore_tokenizer_token, WITH_TOKENIZER) {
    const char *text;
    size_t length;
    alcore_status status = alcore_tokenizer_token(w->tokenizer, 5, &text, &length);
    return status == ALCORE_OK && length != 2 ? ALCORE_E_INTERNAL : status;
}
/* The encoder that a call leaves for the next one stays with the tokenizer. */
GROWS(alcore_tokenizer_encode, WITH_TOKENIZER) {
    alcore_tokens *out = w->tokens;
    alcore_status status =
        alcore_tokenizer_encode(w->tokenizer, TEXTS, NULL, TEXTS, NULL, 2, NULL, &out);
    MADE(alcore_tokens_unref, status, out);
}
ALLOCATES(alcore_tokenizer_decode, WITH_TOKENIZER) {
    const int64_t ids[] = {0, 1, 6, 99};
    char text[8];
    size_t length;
    alcore_status status =
        alcore_tokenizer_decode(w->tokenizer, ids, 4, 0, sizeof text, text, &length);
    return status == ALCORE_OK && length != 4 ? ALCORE_E_INTERNAL : status;
}
NEVER(alcore_tokens_ref, WITH_TOKENIZER) {
    alcore_tokens_unref(alcore_tokens_ref(w->tokens));
    HOLDS(!alcore_tokens_ref(NULL));
}
NEVER(alcore_tokens_unref, 0) {
    alcore_tokens_unref(NULL);
    HOLDS(true);
}
NEVER(alcore_tokens_count, WITH_TOKENIZER) {
    HOLDS(alcore_tokens_count(w->tokens) == WORLD_ROWS && alcore_tokens_count(NULL) == 0);
}
NEVER(alcore_tokens_get, WITH_TOKENIZER) {
    alcore_tensor offsets, ids, types, spans, marks;
    alcore_status status = alcore_tokens_get(w->tokens, &offsets, &ids, &types, &spans, &marks);
    return status == ALCORE_OK && offsets.shape[0] != WORLD_ROWS + 1 ? ALCORE_E_INTERNAL : status;
}
