/* SPDX-License-Identifier: Apache-2.0 */
/* Decoding ids (encoding.h, alcore/extra/tokenizer.h): their texts, handed to the decoder. */
#include <string.h>

#include "tokenizer/tokenizer_handle.h"

enum { POLL_IDS = 16384 /* ids looked up between two polls of cancellation */ };

/* Collects the texts of ids [count] in out [count], views of the tokenizer; ids that no token has
 * are left out, and special tokens unless `special` is set. *out_found: how many there are. */
static alcore_status collect(const alcore_tokenizer *tokenizer, const int64_t *ids, int64_t count,
                             bool special, alcore__token_view *out, size_t *out_found) {
    size_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        size_t length;
        bool is_special;
        if (i % POLL_IDS == POLL_IDS - 1)
            ALCORE__TRY(alcore__tick(tokenizer->object.ctx, NULL, 0, 0));
        const char *text = alcore__tokenizer_token(tokenizer, ids[i], &length, &is_special);
        if (text && (special || !is_special)) out[found++] = (alcore__token_view){text, length};
    }
    *out_found = found;
    return ALCORE_OK;
}

alcore_status alcore__tokenizer_decode(const alcore_tokenizer *tokenizer, const int64_t *ids,
                                       int64_t count, bool special, alcore__buffer *out) {
    alcore_ctx *ctx = tokenizer->object.ctx;
    alcore__token_view *tokens;
    const size_t before = out->length;
    size_t found;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *tokens, &tokens));
    alcore_status status = collect(tokenizer, ids, count, special, tokens, &found);
    if (status == ALCORE_OK)
        status = alcore__token_decoder_run(ctx, &tokenizer->decoder, tokens, found, out);
    alcore__free(ctx, tokens);
    if (status != ALCORE_OK) out->length = before;
    return status;
}
