/* SPDX-License-Identifier: Apache-2.0 */
/* The public calls that score texts: many texts in tasks on the context's threads (lm_tokens.c). A
 * model is only read, so tasks do not wait for one another. */
#include "alcore/extra/lm.h"

#include <string.h>

#include "base/tensor_view.h"
#include "text/lm_internal.h"
#include "text/texts.h"

/* Texts of one task: enough that handing it out costs nothing, few enough that cancelling acts at
 * once. */
enum { TASK_TEXTS = 512 };
/* Bytes of texts that are scored without waking a worker: a tenth of a millisecond. */
enum { SMALL_BYTES = 4096 };

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
            scored[i] = (alcore__lm_text){text, length, NULL, &self->totals[first + i]};
        else if (self->values)
            scored[i] =
                (alcore__lm_text){text, length, self->values + self->offsets[first + i], NULL};
        else
            self->offsets[first + i + 1] = alcore__lm_token_count(text, length);
    }
    if (self->totals || self->values) alcore__lm_tokens(self->lm, scored, count);
    return ALCORE_OK;
}

/* Whether the texts are one task that takes less time than waking a worker, some 10 microseconds:
 * a program that scores a text a call would wait for that most of the time. */
static bool is_small(const alcore__texts *texts) {
    size_t total = 0;
    for (int64_t i = 0; i < texts->count && i < TASK_TEXTS && total <= SMALL_BYTES; i++) {
        size_t length;
        alcore__texts_get(texts, i, &length);
        total += length;
    }
    return texts->count <= TASK_TEXTS && total <= SMALL_BYTES;
}

/* One pass over all texts; a small one on the calling thread. */
static alcore_status run_pass(scoring *self) {
    const int64_t tasks = (self->texts.count + TASK_TEXTS - 1) / TASK_TEXTS;
    if (is_small(&self->texts)) return score_task(self, 0, 0);
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
    ALCORE__TRY(alcore__enter_long(ctx));
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
    ALCORE__TRY(alcore__enter_long(ctx));
    if (!lm || !out_offsets)
        return alcore__leave(ctx, alcore__fail(ALCORE_E_INVALID, "lm or out_offsets is NULL"));
    scoring self = {.lm = lm, .texts = {texts, lengths, count}};
    return alcore__leave(ctx, score_tokens(&self, out_offsets, out_values));
}
