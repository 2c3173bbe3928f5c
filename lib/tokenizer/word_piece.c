/* SPDX-License-Identifier: Apache-2.0 */
/* WordPiece (Schuster and Nakajima 2012), as BERT uses it: a word begins with the longest token
 * that it begins with, and goes on with the longest token that carries the prefix ("##") and
 * matches what follows, until its end. If there is none at some place, the whole word is unknown.
 * */
#include "text/utf8.h"
#include "tokenizer/token_kinds.h"

alcore_status alcore__word_piece_build(alcore_ctx *ctx, alcore__token_model *model,
                                       const char *prefix, size_t length, int64_t max_chars) {
    model->kind = ALCORE__WORD_PIECE;
    model->word_piece.max_chars = max_chars;
    ALCORE__TRY(
        alcore__token_trie_build(ctx, &model->table.words, "", 0, NULL, &model->word_piece.first));
    return alcore__token_trie_build(ctx, &model->table.words, prefix, length, NULL,
                                    &model->word_piece.rest);
}

void alcore__word_piece_clear(alcore_ctx *ctx, alcore__token_model *model) {
    alcore__token_trie_clear(ctx, &model->word_piece.first);
    alcore__token_trie_clear(ctx, &model->word_piece.rest);
}

/* Whether a word [length] has more code points than the model cuts. Its bytes are compared first,
 * which are at least as many. */
static bool is_too_long(const alcore__word_piece *self, const char *word, size_t length) {
    return (uint64_t)length > (uint64_t)self->max_chars &&
           alcore__utf8_count(word, length) > self->max_chars;
}

/* Appends the pieces of a word [length], the longest token first at each place; those added so far
 * are dropped where no token matches. */
alcore_status alcore__word_piece_cut(alcore_ctx *ctx, const alcore__token_model *model,
                                     const char *word, size_t length, alcore__pieces *pieces) {
    const alcore__word_piece *self = &model->word_piece;
    const alcore__token_trie *trie = &self->first;
    const size_t before = pieces->count;
    ALCORE__TRY(alcore__pieces_reserve(ctx, pieces, 1));
    if (is_too_long(self, word, length)) {
        alcore__pieces_put_unknown(model, pieces, length);
        return ALCORE_OK;
    }
    for (size_t begin = 0, end; begin < length; begin = end) {
        alcore__trie_walk walk = alcore__trie_begin(trie, begin);
        uint32_t longest = ALCORE__WORD_NONE;
        for (end = begin; alcore__trie_next(trie, &walk, word, length); end = walk.end)
            longest = walk.number;
        if (longest == ALCORE__WORD_NONE) {
            pieces->count = before;
            alcore__pieces_put_unknown(model, pieces, length);
            return ALCORE_OK;
        }
        ALCORE__TRY(alcore__pieces_reserve(ctx, pieces, 1));
        alcore__pieces_put(model, pieces, longest, begin, end);
        trie = &self->rest;
    }
    return ALCORE_OK;
}
