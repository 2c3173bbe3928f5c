/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of a tokenizer by their texts and ids, added ones before those of the model
 * (tokenizer_handle.h). */
#include "text/utf8.h"
#include "tokenizer/tokenizer_handle.h"

/* The id of a token, text [length]; -1: neither an added token nor the model has this text. */
int64_t alcore__tokenizer_id(const alcore_tokenizer *tokenizer, const char *token, size_t length) {
    const alcore__added_token *added = alcore__added_token_of(&tokenizer->added, token, length);
    return added ? added->id : alcore__token_model_id(tokenizer->model, token, length);
}

/* An added token has the text by which it is sought, which may be normalized
 * (alcore__added_token.search_text). */
const char *alcore__tokenizer_token(const alcore_tokenizer *tokenizer, int64_t id, size_t *length,
                                    bool *special) {
    const alcore__added_token *added = alcore__added_token_by_id(&tokenizer->added, id);
    *special = added && added->special;
    if (!added) return alcore__token_model_token(tokenizer->model, id, length);
    *length = added->search_text.length;
    return added->search_text.text;
}

int64_t alcore__tokenizer_unknown(const alcore_tokenizer *tokenizer) {
    return alcore__token_model_unknown(tokenizer->model);
}

int64_t alcore__tokenizer_truncation(const alcore_tokenizer *tokenizer) {
    return tokenizer->truncation;
}

/* ---- the median length ---- */

/* Tokens of at least MOST code points are counted together: none is as long, but in a made-up file.
 */
enum { MOST = 4096 };

/* Counts the tokens by their lengths in code points: counts [MOST + 1]; returns how many there are.
 */
static int64_t count_lengths(const alcore_tokenizer *tokenizer, int64_t *counts) {
    int64_t tokens = 0;
    for (int64_t id = 0; id < tokenizer->size; id++) {
        const alcore__added_token *added = alcore__added_token_by_id(&tokenizer->added, id);
        size_t bytes = added ? added->content.length : 0;
        const char *text =
            added ? added->content.text : alcore__token_model_token(tokenizer->model, id, &bytes);
        if (!text) continue;
        const int64_t points = alcore__utf8_count(text, bytes);
        counts[points < MOST ? points : MOST]++;
        tokens++;
    }
    return tokens;
}

/* The length of token `place`, from 0, in the order of their lengths. */
static int64_t length_at(const int64_t *counts, int64_t place) {
    int64_t length = 0;
    for (int64_t before = counts[0]; before <= place && length < MOST; before += counts[length])
        length++;
    return length;
}

alcore_status alcore__tokenizer_median_length(const alcore_tokenizer *tokenizer, int64_t *out) {
    alcore_ctx *ctx = tokenizer->object.ctx;
    int64_t *counts;
    *out = 0;
    ALCORE__TRY(alcore__new_array(ctx, MOST + 1, sizeof *counts, &counts));
    const int64_t tokens = count_lengths(tokenizer, counts);
    if (tokens > 0)
        *out = (length_at(counts, (tokens - 1) / 2) + length_at(counts, tokens / 2)) / 2;
    alcore__free(ctx, counts);
    return ALCORE_OK;
}
