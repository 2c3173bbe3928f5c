/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens of a tokenizer by their texts and ids, added ones before those of the model
 * (tokenizer_handle.h). */
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
