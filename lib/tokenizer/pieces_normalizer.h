/* SPDX-License-Identifier: Apache-2.0 */
/* The normalizer that a sentencepiece model has built in. */
#ifndef ALCORE__PIECES_NORMALIZER_H
#define ALCORE__PIECES_NORMALIZER_H

#include "tokenizer/aligned_text.h"
#include "tokenizer/precompiled_map.h"

/* What the file of the model says. */
typedef struct alcore__pieces_rules {
    bool add_dummy_prefix;         /* a space is put before the text, */
    bool space_behind;             /* or behind it */
    bool remove_extra_whitespaces; /* spaces at both ends are removed, several become one */
    bool escape_whitespaces;       /* spaces are written as U+2581 */
} alcore__pieces_rules;

/* Appends the normalized text to *out, which has been started for it. */
alcore_status alcore__pieces_normalize(alcore_ctx *ctx, const alcore__pieces_rules *rules,
                                       const alcore__precompiled_map *map, const alcore__view *view,
                                       alcore__aligned *out);

#endif
