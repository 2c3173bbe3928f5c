/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring by backing off (spec 6.5): log10 p(w | h) = log10 p of the longest n-gram h' w that the
 * model has, plus the back-off of every longer context. */
#include <math.h>

#include "text/lm_internal.h"
#include "text/words.h"

#define LN_10 2.302585092994045684

/* Every beginning and end of an n-gram of the model is in the model, so the new context is the
 * n-gram that matched, or its end. */
double alcore__lm_read(const alcore_lm *lm, alcore__lm_context *state, uint32_t word) {
    const alcore__lm_trie *trie = lm->trie;
    double backoff = 0.0;
    for (alcore__lm_context at = *state; at.length > 0;) {
        const int32_t n = at.length + 1;
        const uint32_t found = alcore__ngram_find(&trie->table[n], at.number, word);
        if (found != ALCORE__NGRAM_NONE && lm->logp[n][found] <= 0.0) {
            *state = n < lm->order
                         ? (alcore__lm_context){n, found}
                         : (alcore__lm_context){n - 1, trie->table[n].ngram[found].suffix};
            return backoff + lm->logp[n][found];
        }
        backoff += lm->backoff[at.length][at.number];
        if (at.length > 1) at.number = trie->table[at.length].ngram[at.number].suffix;
        at.length--;
    }
    *state = lm->order > 1 ? (alcore__lm_context){1, word} : (alcore__lm_context){0, 0};
    return backoff + lm->logp[1][word];
}

alcore__lm_context alcore__lm_begin(const alcore_lm *lm) {
    return lm->order > 1 ? (alcore__lm_context){1, ALCORE__LM_BEGIN} : (alcore__lm_context){0, 0};
}

/* A word of a text; the symbols stand for themselves only where the model puts them. */
static uint32_t known_word(const alcore_lm *lm, const char *word, size_t length) {
    const uint32_t number = alcore__vocabulary_find(&lm->trie->words, word, length);
    return number == ALCORE__WORD_NONE || number <= ALCORE__LM_END || lm->logp[1][number] > 0.0
               ? ALCORE__LM_UNK
               : number;
}

/* A model that was read may lack </s>. */
static uint32_t end_word(const alcore_lm *lm) {
    return lm->logp[1][ALCORE__LM_END] > 0.0 ? ALCORE__LM_UNK : ALCORE__LM_END;
}

double alcore__lm_total(const alcore_lm *lm, const char *text, size_t length) {
    const char *at = text, *end = text + length, *word;
    size_t bytes;
    alcore__lm_context state = alcore__lm_begin(lm);
    double total = 0.0;
    while (alcore__word_next(&at, end, &word, &bytes))
        total += alcore__lm_read(lm, &state, known_word(lm, word, bytes));
    return total + alcore__lm_read(lm, &state, end_word(lm));
}

/* Back-offs of a model that was read can lift a probability above 1. */
static float natural(double log10_p) {
    return (float)fmin(log10_p * LN_10, 0.0);
}

int64_t alcore__lm_tokens(const alcore_lm *lm, const char *text, size_t length, float *values,
                          int64_t capacity) {
    const char *at = text, *end = text + length, *word;
    size_t bytes;
    int64_t count = 1;
    while (alcore__word_next(&at, end, &word, &bytes)) count++;
    if (count > capacity) return count;
    alcore__lm_context state = alcore__lm_begin(lm);
    at = text;
    for (int64_t i = 0; alcore__word_next(&at, end, &word, &bytes); i++)
        values[i] = natural(alcore__lm_read(lm, &state, known_word(lm, word, bytes)));
    values[count - 1] = natural(alcore__lm_read(lm, &state, end_word(lm)));
    return count;
}

alcore_status alcore_lm_score(alcore_lm *lm, const char *text, size_t length, double *out_log10) {
    alcore_ctx *ctx = lm == NULL ? NULL : lm->object.ctx;
    if (out_log10 != NULL) *out_log10 = 0.0;
    ALCORE__TRY(alcore__enter(ctx));
    if (lm == NULL || out_log10 == NULL || (text == NULL && length > 0))
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "lm, text or out_log10 is NULL"));
    *out_log10 = alcore__lm_total(lm, text == NULL ? "" : text, length);
    return alcore__leave(ctx, ALCORE_OK);
}

alcore_status alcore_lm_token_logprobs(alcore_lm *lm, const char *text, size_t length,
                                       float *values, int64_t capacity, int64_t *out_count) {
    alcore_ctx *ctx = lm == NULL ? NULL : lm->object.ctx;
    if (out_count != NULL) *out_count = 0;
    ALCORE__TRY(alcore__enter(ctx));
    if (lm == NULL || out_count == NULL || (text == NULL && length > 0) || capacity < 0 ||
        (values == NULL && capacity > 0))
        return alcore__leave(
            ctx, alcore__fail(ALCORE_E_INVALID,
                              "lm, text, values or out_count is NULL, or capacity is negative"));
    *out_count = alcore__lm_tokens(lm, text == NULL ? "" : text, length, values, capacity);
    return alcore__leave(ctx, ALCORE_OK);
}
