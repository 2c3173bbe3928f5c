/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring by backing off (docs/spec/language-model.md): log10 p(w | h) = log10 p of the longest
 * n-gram h' w that the model has, plus the back-off weights (log10) of all contexts longer than h'
 * up to h. Cost: at most N look-ups a word. A model is only read, so texts are scored in parallel.
 *
 * The model (lm_internal.h): trie->table[n] has the n-grams of order n by number, each with its
 * context (the number of its first n - 1 words in order n - 1), its last word and its suffix (the
 * number of its last n - 1 words); order 1 is trie->words. logp[n] and backoff[n] are log10 values
 * by the same numbers; a logp above 0 means that the model lacks the n-gram. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/tensor_view.h"
#include "text/lm_internal.h"
#include "text/texts.h"
#include "text/words.h"

/* Tries the present context, then ever shorter ones, until one and the word form an n-gram of the
 * model. The first and the last words of every n-gram of the model are n-grams of the model too, so
 * the next context is the n-gram that matched, or its last N - 1 words. */
double alcore__lm_read(const alcore_lm *lm, alcore__lm_context *context, uint32_t word) {
    const alcore__lm_trie *trie = lm->trie;
    double backoff = 0.0;
    for (alcore__lm_context tried = *context; tried.length > 0;) {
        const int32_t n = tried.length + 1;
        const uint32_t found = alcore__ngram_find(&trie->table[n], tried.number, word);
        if (found != ALCORE__NGRAM_NONE && lm->logp[n][found] <= 0.0) {
            *context = n < lm->order
                           ? (alcore__lm_context){n, found}
                           : (alcore__lm_context){n - 1, trie->table[n].ngram[found].suffix};
            return backoff + lm->logp[n][found];
        }
        backoff += lm->backoff[tried.length][tried.number];
        if (tried.length > 1) tried.number = trie->table[tried.length].ngram[tried.number].suffix;
        tried.length--;
    }
    *context = lm->order > 1 ? (alcore__lm_context){1, word} : (alcore__lm_context){0, 0};
    return backoff + lm->logp[1][word];
}

alcore__lm_context alcore__lm_begin(const alcore_lm *lm) {
    return lm->order > 1 ? (alcore__lm_context){1, ALCORE__LM_BEGIN} : (alcore__lm_context){0, 0};
}

/* The number by which a word of a text is scored: <unk> for a word that the model does not have,
 * and for a word that reads <s>, </s> or <unk>, whose numbers are up to ALCORE__LM_END. */
uint32_t alcore__lm_word_number(const alcore_lm *lm, uint64_t hash, const char *word,
                                size_t length) {
    const uint32_t number = alcore__vocabulary_find_hashed(&lm->trie->words, hash, word, length);
    return number == ALCORE__WORD_NONE || number <= ALCORE__LM_END || lm->logp[1][number] > 0.0
               ? ALCORE__LM_UNK
               : number;
}

/* The number of </s>, or <unk> where a model read from a file lacks it. */
uint32_t alcore__lm_end_number(const alcore_lm *lm) {
    return lm->logp[1][ALCORE__LM_END] > 0.0 ? ALCORE__LM_UNK : ALCORE__LM_END;
}

/* log10 of the probability of a text: the sum over its words and the end, each given the context
 * that the words before left. */
double alcore__lm_total(const alcore_lm *lm, const char *text, size_t length) {
    const char *next = text, *end = text + length, *word;
    size_t bytes;
    alcore__lm_context state = alcore__lm_begin(lm);
    double total = 0.0;
    while (alcore__word_next(&next, end, &word, &bytes))
        total += alcore__lm_read(
            lm, &state, alcore__lm_word_number(lm, alcore__hash64(word, bytes), word, bytes));
    return total + alcore__lm_read(lm, &state, alcore__lm_end_number(lm));
}

/* ---- the public calls: many texts, in tasks on the context's threads ---- */

/* Texts of one task: enough that handing it out costs nothing, few enough that cancelling acts at
 * once. */
enum { TASK_TEXTS = 256 };

/* What the tasks of a pass share. There are three kinds of passes: with totals set the texts are
 * scored, else with values set their tokens are, else the tokens are counted into offsets. The
 * arrays are the caller's. */
typedef struct scoring {
    const alcore_lm *lm;
    alcore__texts texts;
    double *totals;   /* [texts.count] log10 probability of each text; NULL: another pass */
    int64_t *offsets; /* [texts.count + 1] the pass that counts writes the tokens of text i to
                         [i + 1]; then summed up to the first token of each text */
    float *values;    /* [offsets[texts.count]] natural logarithm of each token's probability; NULL:
                         another pass */
} scoring;

/* The task of TASK_TEXTS texts (alcore__task) in any of the three passes. */
static alcore_status score_task(void *data, int64_t index, int32_t worker) {
    const scoring *self = data;
    (void)worker;
    const int64_t first = index * TASK_TEXTS;
    const int64_t rest = self->texts.count - first, count = rest < TASK_TEXTS ? rest : TASK_TEXTS;
    alcore__lm_text scored[TASK_TEXTS];
    for (int64_t i = 0; i < count; i++) {
        size_t length;
        const char *text = alcore__texts_get(&self->texts, first + i, &length);
        if (self->totals)
            self->totals[first + i] = alcore__lm_total(self->lm, text, length);
        else if (self->values)
            scored[i] = (alcore__lm_text){text, length, self->values + self->offsets[first + i]};
        else
            self->offsets[first + i + 1] = alcore__lm_token_count(text, length);
    }
    if (!self->totals && self->values) alcore__lm_tokens(self->lm, scored, count);
    return ALCORE_OK;
}

static alcore_status run_pass(scoring *self) {
    const int64_t tasks = (self->texts.count + TASK_TEXTS - 1) / TASK_TEXTS;
    return alcore__parallel(self->lm->object.ctx, "language model", tasks, score_task, self);
}

/* Checks a caller's tensor that is to be overwritten, `dtype` [count] and contiguous, and stores
 * its data pointer in the pointer that `out` points to. name: the argument's, for the message. */
static alcore_status out_array(const alcore_tensor *tensor, const char *name, int32_t dtype,
                               int64_t count, void *out) {
    alcore__array array;
    ALCORE__TRY(alcore__tensor_view(tensor, name, &array));
    if (tensor->ndim != 1 || array.rows != count || array.dtype != dtype)
        return alcore__fail(ALCORE_E_SHAPE, "%s is to be %s [%lld]", name,
                            alcore__dtype_name(dtype), (long long)count);
    if (count > 1 && array.stride != 1)
        return alcore__fail(ALCORE_E_SHAPE, "%s is to be contiguous", name);
    memcpy(out, &array.data, sizeof array.data);
    return ALCORE_OK;
}

/* Checks and runs alcore_lm_score(). */
static alcore_status score_texts(scoring *self, const alcore_tensor *out_log10) {
    ALCORE__TRY(alcore__texts_check(&self->texts, "texts"));
    ALCORE__TRY(
        out_array(out_log10, "out_log10", ALCORE_FLOAT64, self->texts.count, &self->totals));
    return self->texts.count == 0 ? ALCORE_OK : run_pass(self);
}

alcore_status alcore_lm_score(alcore_lm *lm, const char *const *texts, const size_t *lengths,
                              int64_t count, const alcore_tensor *out_log10) {
    alcore_ctx *ctx = !lm ? NULL : lm->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    if (!lm || !out_log10)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "lm or out_log10 is NULL"));
    scoring self = {.lm = lm, .texts = {texts, lengths, count}};
    return alcore__leave(ctx, score_texts(&self, out_log10));
}

/* Checks and runs alcore_lm_token_logprobs(): one pass counts the tokens of each text, the offsets
 * are summed on this thread, and with out_values a second pass writes the values. */
static alcore_status score_tokens(scoring *self, const alcore_tensor *out_offsets,
                                  const alcore_tensor *out_values) {
    const int64_t count = self->texts.count;
    ALCORE__TRY(alcore__texts_check(&self->texts, "texts"));
    ALCORE__TRY(out_array(out_offsets, "out_offsets", ALCORE_INT64, count + 1, &self->offsets));
    ALCORE__TRY(run_pass(self));
    self->offsets[0] = 0;
    for (int64_t i = 0; i < count; i++) self->offsets[i + 1] += self->offsets[i];
    if (!out_values) return ALCORE_OK;
    ALCORE__TRY(
        out_array(out_values, "out_values", ALCORE_FLOAT32, self->offsets[count], &self->values));
    return count == 0 ? ALCORE_OK : run_pass(self);
}

alcore_status alcore_lm_token_logprobs(alcore_lm *lm, const char *const *texts,
                                       const size_t *lengths, int64_t count,
                                       const alcore_tensor *out_offsets,
                                       const alcore_tensor *out_values) {
    alcore_ctx *ctx = !lm ? NULL : lm->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    if (!lm || !out_offsets)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "lm or out_offsets is NULL"));
    scoring self = {.lm = lm, .texts = {texts, lengths, count}};
    return alcore__leave(ctx, score_tokens(&self, out_offsets, out_values));
}
