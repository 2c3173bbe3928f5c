/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for the pieces of any word by any model of sentencepiece: they are in order, lie in
 * the word, and have ids of the model. */
#ifndef FUZZ_PIECES_H
#define FUZZ_PIECES_H

#include "fuzz_target.h"
#include "tokenizer/sentencepiece.h"

static inline void fuzz_cut_words(alcore_ctx *ctx, const alcore__token_model *model) {
    static const char *const words[] = {"▁ab", "ababé👍", " a"};
    alcore__pieces pieces = {0};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const size_t length = strlen(words[i]);
        size_t last = 0;
        pieces.count = 0;
        FUZZ_CHECK(alcore__token_model_cut(ctx, model, words[i], length, &pieces) == ALCORE_OK);
        for (size_t k = 0; k < pieces.count; k++) {
            const alcore__piece *piece = &pieces.piece[k];
            size_t bytes;
            FUZZ_CHECK(piece->begin >= last && piece->begin <= piece->end && piece->end <= length);
            FUZZ_CHECK(piece->id >= 0 && piece->id < alcore__token_model_size(model));
            FUZZ_CHECK(alcore__token_model_token(model, piece->id, &bytes));
            last = piece->begin;
        }
    }
    alcore__pieces_clear(ctx, &pieces);
}

#endif
