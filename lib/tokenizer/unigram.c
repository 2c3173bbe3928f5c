/* SPDX-License-Identifier: Apache-2.0 */
/* The Unigram model (Kudo 2018): among all ways to cut a word into tokens, the one with the largest
 * sum of scores (log-probabilities).
 *
 * Viterbi over the bytes of the word, from its beginning: node e holds the best way to cut the
 * first e bytes, which ends with a token [begin, e). A character that is no token itself is an
 * unknown one of score min - 10, where min is the smallest score of the vocabulary. Unknown
 * characters that follow each other become one piece. Sums are doubles, taken from the left; of two
 * equal sums the one whose last token begins first wins. All this is what the package `tokenizers`
 * does, to the last bit; with single precision it is what sentencepiece does. */
#include <string.h>

#include "text/utf8.h"
#include "tokenizer/token_kinds.h"

#define UNKNOWN_PENALTY 10.0 /* of sentencepiece, kUnkPenalty */

/* The best way to cut a word up to some byte. */
typedef struct node {
    double score;    /* sum of the scores of the tokens up to here: log-probabilities */
    uint32_t begin;  /* where the last token begins; UNREACHED: no way ends here */
    uint32_t number; /* of the last token */
} node;
#define UNREACHED UINT32_MAX

/* Sets model->unigram up; table and unknown of the model are set. With single precision the unknown
 * score is rounded as sentencepiece does. */
alcore_status alcore__unigram_build(alcore_ctx *ctx, alcore__token_model *model,
                                    const alcore__unigram_rules *rules) {
    alcore__unigram *self = &model->unigram;
    const size_t count = model->table.words.count;
    model->kind = ALCORE__UNIGRAM;
    self->unknown_score = rules->single_precision
                              ? (double)((float)rules->lowest - (float)UNKNOWN_PENALTY)
                              : rules->lowest - UNKNOWN_PENALTY;
    self->single_precision = rules->single_precision;
    self->byte_fallback = rules->byte_fallback;
    if (rules->byte_fallback) alcore__byte_tokens_find(&model->table, &self->bytes);
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *self->scores, &self->scores));
    memcpy(self->scores, rules->scores, count * sizeof *self->scores);
    return alcore__token_trie_build(ctx, &model->table.words, "", 0, rules->mask, &self->trie);
}

void alcore__unigram_clear(alcore_ctx *ctx, alcore__token_model *model) {
    alcore__token_trie_clear(ctx, &model->unigram.trie);
    alcore__free(ctx, model->unigram.scores);
}

/* Replaces a node by a better way to get there. single: sums are rounded to float. */
static inline void improve(node *target, double score, bool single, size_t begin, uint32_t number) {
    if (single) score = (double)(float)score;
    if (target->begin == UNREACHED || score > target->score)
        *target = (node){score, (uint32_t)begin, number};
}

/* Bytes of the character that begins with this byte of valid UTF-8. */
static inline size_t char_bytes(unsigned char first) {
    return first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
}

/* Sets nodes [length + 1] of a word [length], by byte. Every character begins at a reached node,
 * since the unknown token, if no other, ends where each character does. */
static void search(const alcore__token_model *model, const char *word, size_t length, node *nodes) {
    const alcore__unigram *self = &model->unigram;
    const bool single_sums = self->single_precision;
    nodes[0] = (node){0};
    for (size_t i = 1; i <= length; i++) nodes[i].begin = UNREACHED;
    for (size_t begin = 0, bytes; begin < length; begin += bytes) {
        const double before = nodes[begin].score;
        bool single = false; /* a token is just the character at `begin` */
        bytes = char_bytes((unsigned char)word[begin]);
        if (bytes > length - begin) bytes = length - begin;
        alcore__trie_walk walk = alcore__trie_begin(&self->trie, begin);
        while (alcore__trie_next(&self->trie, &walk, word, length)) {
            improve(&nodes[walk.end], self->scores[walk.number] + before, single_sums, begin,
                    walk.number);
            single = single || walk.end == begin + bytes;
        }
        if (!single)
            improve(&nodes[begin + bytes], self->unknown_score + before, single_sums, begin,
                    model->unknown);
    }
}

/* Adds the pieces of the unknown part [begin, end) of a word: a token after all if the text of the
 * part is one (no single character of it is), else the tokens of its bytes, else the unknown token.
 * The last piece comes first, as in trace_back(). */
static alcore_status put_unknown(alcore_ctx *ctx, const alcore__token_model *model,
                                 const char *word, size_t begin, size_t end,
                                 alcore__pieces *pieces) {
    const alcore__unigram *self = &model->unigram;
    uint32_t number = ALCORE__WORD_NONE;
    if (!model->has_names)
        number = alcore__token_table_find(&model->table, word + begin, end - begin);
    ALCORE__TRY(alcore__pieces_reserve(ctx, pieces, end - begin));
    if (number != ALCORE__WORD_NONE) {
        alcore__pieces_put(model, pieces, number, begin, end);
    } else if (self->byte_fallback &&
               alcore__byte_tokens_cover(&self->bytes, word + begin, end - begin)) {
        for (size_t i = end; i-- > begin;)
            alcore__pieces_put(model, pieces, self->bytes.number[(unsigned char)word[i]], begin,
                               end);
    } else {
        alcore__pieces_put_surface(model, pieces, word, begin, end);
    }
    return ALCORE_OK;
}

/* Adds the pieces of the best way to cut a word, the last one first. Unknown tokens that follow
 * each other become one part. */
static alcore_status trace_back(alcore_ctx *ctx, const alcore__token_model *model, const char *word,
                                size_t length, const node *nodes, alcore__pieces *pieces) {
    for (size_t end = length, begin; end > 0; end = begin) {
        const uint32_t number = nodes[end].number;
        begin = nodes[end].begin;
        if (number == model->unknown) {
            while (begin > 0 && nodes[begin].number == model->unknown) begin = nodes[begin].begin;
            ALCORE__TRY(put_unknown(ctx, model, word, begin, end, pieces));
        } else {
            ALCORE__TRY(alcore__pieces_reserve(ctx, pieces, 1));
            alcore__pieces_put(model, pieces, number, begin, end);
        }
    }
    return ALCORE_OK;
}

/* Reverses the order of pieces [first, count). */
static void reverse_from(alcore__pieces *pieces, size_t first) {
    for (size_t i = first, j = pieces->count; i + 1 < j; i++) {
        const alcore__piece moved = pieces->piece[i];
        pieces->piece[i] = pieces->piece[--j];
        pieces->piece[j] = moved;
    }
}

/* Appends the pieces of a word [length]: the best way is traced from its end, so that the pieces
 * are reversed at last. */
alcore_status alcore__unigram_cut(alcore_ctx *ctx, const alcore__token_model *model,
                                  const char *word, size_t length, alcore__pieces *pieces) {
    node *nodes;
    const size_t before = pieces->count;
    if (length >= UNREACHED)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "a word of 4 GiB or more to cut into tokens");
    ALCORE__TRY(alcore__pieces_scratch(ctx, pieces, (length + 1) * sizeof *nodes, &nodes));
    search(model, word, length, nodes);
    ALCORE__TRY(trace_back(ctx, model, word, length, nodes, pieces));
    reverse_from(pieces, before);
    return ALCORE_OK;
}
