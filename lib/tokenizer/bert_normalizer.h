/* SPDX-License-Identifier: Apache-2.0 */
/* BertNormalizer: cleaning, spaces around Han characters, accents, lower case, in one pass. */
#ifndef ALCORE__BERT_NORMALIZER_H
#define ALCORE__BERT_NORMALIZER_H

#include "tokenizer/normalizer.h"

/* Appends the cleaned text to *out, which has been started for it. */
alcore_status alcore__bert_normalize(alcore_ctx *ctx, const alcore__bert_cleaning *cleaning,
                                     const alcore__view *view, alcore__aligned *out);

#endif
