/* SPDX-License-Identifier: Apache-2.0 */
/* Scoring by backing off (spec 6.5): log10 p(w | h) = log10 p of the longest n-gram h' w that the
 * model has, plus the back-off of every longer context. */
#include <math.h>
#include <string.h>

#include "base/tensor_view.h"
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

/* ---- the public calls: many texts, in tasks on the context's threads ---- */

/* Texts of one task: enough that handing it out costs nothing, few enough that cancelling acts at
 * once. */
enum { TASK_TEXTS = 256 };

alcore_status alcore__texts_check(const alcore__texts *texts) {
    if (texts->count < 0 || (texts->count > 0 && texts->texts == NULL))
        return alcore__fail(ALCORE_E_INVALID, "texts is NULL or count is negative");
    for (int64_t i = 0; i < texts->count; i++)
        if (texts->texts[i] == NULL && (texts->lengths == NULL || texts->lengths[i] > 0))
            return alcore__fail(ALCORE_E_INVALID, "text %lld is NULL", (long long)i);
    return ALCORE_OK;
}

const char *alcore__texts_get(const alcore__texts *texts, int64_t index, size_t *length) {
    const char *text = texts->texts[index] == NULL ? "" : texts->texts[index];
    *length = texts->lengths == NULL ? strlen(text) : texts->lengths[index];
    return text;
}

/* What the workers share: which of the three passes is run says which array is written. */
typedef struct scoring {
    const alcore_lm *lm;
    alcore__texts texts;
    double *totals;   /* [count] log10 of each text; NULL: not this pass */
    int64_t *offsets; /* [count + 1]; the pass that counts writes the tokens of text i to [i + 1] */
    float *values;    /* [offsets[count]] natural logarithms; NULL: not this pass */
} scoring;

static alcore_status score_task(void *data, int64_t index, int32_t worker) {
    const scoring *self = data;
    (void)worker;
    const int64_t first = index * TASK_TEXTS;
    const int64_t rest = self->texts.count - first;
    for (int64_t i = first; i < first + (rest < TASK_TEXTS ? rest : TASK_TEXTS); i++) {
        size_t length;
        const char *text = alcore__texts_get(&self->texts, i, &length);
        if (self->totals != NULL)
            self->totals[i] = alcore__lm_total(self->lm, text, length);
        else if (self->values != NULL)
            alcore__lm_tokens(self->lm, text, length, self->values + self->offsets[i],
                              self->offsets[i + 1] - self->offsets[i]);
        else
            self->offsets[i + 1] = alcore__lm_tokens(self->lm, text, length, NULL, 0);
    }
    return ALCORE_OK;
}

static alcore_status run_pass(scoring *self) {
    const int64_t tasks = (self->texts.count + TASK_TEXTS - 1) / TASK_TEXTS;
    return alcore__parallel(self->lm->object.ctx, "language model", tasks, score_task, self);
}

/* The numbers of a caller's tensor that is to be overwritten: `dtype` [count], contiguous. */
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

static alcore_status score_texts(scoring *self, const alcore_tensor *out_log10) {
    ALCORE__TRY(alcore__texts_check(&self->texts));
    ALCORE__TRY(
        out_array(out_log10, "out_log10", ALCORE_FLOAT64, self->texts.count, &self->totals));
    return self->texts.count == 0 ? ALCORE_OK : run_pass(self);
}

alcore_status alcore_lm_score(alcore_lm *lm, const char *const *texts, const size_t *lengths,
                              int64_t count, const alcore_tensor *out_log10) {
    alcore_ctx *ctx = lm == NULL ? NULL : lm->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    if (lm == NULL || out_log10 == NULL)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "lm or out_log10 is NULL"));
    scoring self = {.lm = lm, .texts = {texts, lengths, count}};
    return alcore__leave(ctx, score_texts(&self, out_log10));
}

static alcore_status score_tokens(scoring *self, const alcore_tensor *out_offsets,
                                  const alcore_tensor *out_values) {
    const int64_t count = self->texts.count;
    ALCORE__TRY(alcore__texts_check(&self->texts));
    ALCORE__TRY(out_array(out_offsets, "out_offsets", ALCORE_INT64, count + 1, &self->offsets));
    ALCORE__TRY(run_pass(self));
    self->offsets[0] = 0;
    for (int64_t i = 0; i < count; i++) self->offsets[i + 1] += self->offsets[i];
    if (out_values == NULL) return ALCORE_OK;
    ALCORE__TRY(
        out_array(out_values, "out_values", ALCORE_FLOAT32, self->offsets[count], &self->values));
    return count == 0 ? ALCORE_OK : run_pass(self);
}

alcore_status alcore_lm_token_logprobs(alcore_lm *lm, const char *const *texts,
                                       const size_t *lengths, int64_t count,
                                       const alcore_tensor *out_offsets,
                                       const alcore_tensor *out_values) {
    alcore_ctx *ctx = lm == NULL ? NULL : lm->object.ctx;
    ALCORE__TRY(alcore__enter(ctx));
    if (lm == NULL || out_offsets == NULL)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "lm or out_offsets is NULL"));
    scoring self = {.lm = lm, .texts = {texts, lengths, count}};
    return alcore__leave(ctx, score_tokens(&self, out_offsets, out_values));
}
