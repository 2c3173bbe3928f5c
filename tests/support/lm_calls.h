/* SPDX-License-Identifier: Apache-2.0 */
/* Short forms of the calls on language models, for tests that look at one text or one number. */
#ifndef LM_CALLS_H
#define LM_CALLS_H

#include <alcore/extra/lm.h>

/* Number of n-grams of an order; 0 where the model lacks it. */
static inline int64_t lm_ngrams(const alcore_lm *lm, int32_t order) {
    alcore_lm_order_info info = ALCORE_LM_ORDER_INFO_INIT;
    return alcore_lm_order_get(lm, order, &info) == ALCORE_OK ? info.ngrams : 0;
}

/* log10 probability of one text. */
static inline alcore_status lm_score_one(alcore_lm *lm, const char *text, size_t length,
                                         double *out) {
    int64_t one = 1;
    alcore_tensor tensor;
    alcore_status status = alcore_tensor_init(&tensor, out, ALCORE_FLOAT64, &one, 1);
    return status == ALCORE_OK ? alcore_lm_score(lm, &text, &length, 1, &tensor) : status;
}

/* Token log-probabilities of one text; *out_count is set first, and nothing is written when
 * capacity is too small. */
static inline alcore_status lm_tokens_one(alcore_lm *lm, const char *text, size_t length,
                                          float *values, int64_t capacity, int64_t *out_count) {
    int64_t two = 2, offsets[2] = {0, 0};
    alcore_tensor bounds, tensor;
    alcore_status status = alcore_tensor_init(&bounds, offsets, ALCORE_INT64, &two, 1);
    *out_count = 0;
    if (status == ALCORE_OK)
        status = alcore_lm_token_logprobs(lm, &text, &length, 1, &bounds, NULL);
    if (status != ALCORE_OK) return status;
    *out_count = offsets[1];
    if (offsets[1] > capacity) return ALCORE_OK;
    status = alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, &offsets[1], 1);
    if (status != ALCORE_OK) return status;
    return alcore_lm_token_logprobs(lm, &text, &length, 1, &bounds, &tensor);
}

#endif
