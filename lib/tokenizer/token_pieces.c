/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of words, and the tokens of single bytes (token_model.h, token_kinds.h). */
#include "tokenizer/token_cache.h"
#include "tokenizer/token_kinds.h"

void alcore__pieces_clear(alcore_ctx *ctx, alcore__pieces *pieces) {
    alcore__free(ctx, pieces->piece);
    alcore__free(ctx, pieces->scratch);
    alcore__token_cache_free(ctx, pieces->cache);
    *pieces = (alcore__pieces){0};
}

/* What the memory held before is of no use; alcore__grow() keeps it all the same. */
alcore_status alcore__pieces_scratch(alcore_ctx *ctx, alcore__pieces *pieces, size_t bytes,
                                     void *out) {
    ALCORE__TRY(alcore__grow(ctx, &pieces->scratch, &pieces->scratch_bytes, bytes, 1));
    *(void **)out = pieces->scratch;
    return ALCORE_OK;
}

/* Sets out->number for every byte; ALCORE__WORD_NONE where the vocabulary lacks its token. */
void alcore__byte_tokens_find(const alcore__token_table *table, alcore__byte_tokens *out) {
    char name[8];
    for (int byte = 0; byte < 256; byte++) {
        const int length = alcore__format(name, sizeof name, "<0x%02X>", (unsigned)byte);
        out->number[byte] = alcore__token_table_find(table, name, (size_t)length);
    }
}
