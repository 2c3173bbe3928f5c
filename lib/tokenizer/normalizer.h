/* SPDX-License-Identifier: Apache-2.0 */
/* The normalizer of a tokenizer: steps that rewrite a text one after the other. */
#ifndef ALCORE__NORMALIZER_H
#define ALCORE__NORMALIZER_H

#include "tokenizer/aligned_text.h"
#include "tokenizer/json_part.h"
#include "tokenizer/normal_form.h"
#include "tokenizer/pattern.h"
#include "tokenizer/pieces_normalizer.h"
#include "tokenizer/precompiled_map.h"

typedef enum alcore__normalizer_kind {
    ALCORE__NORMALIZER_BERT,
    ALCORE__NORMALIZER_FORM,
    ALCORE__NORMALIZER_LOWERCASE,
    ALCORE__NORMALIZER_STRIP_ACCENTS,
    ALCORE__NORMALIZER_STRIP,
    ALCORE__NORMALIZER_REPLACE,
    ALCORE__NORMALIZER_PREPEND,
    ALCORE__NORMALIZER_NMT,
    ALCORE__NORMALIZER_PRECOMPILED,
    ALCORE__NORMALIZER_PIECES,
    ALCORE__NORMALIZER_BYTE_LEVEL
} alcore__normalizer_kind;

/* What BertNormalizer does. */
typedef struct alcore__bert_cleaning {
    bool clean_text;           /* control characters are dropped, white space becomes spaces */
    bool handle_chinese_chars; /* spaces are put around Han characters */
    bool strip_accents;
    bool lowercase;
} alcore__bert_cleaning;

typedef struct alcore__normalizer_step {
    alcore__normalizer_kind kind;
    alcore__bert_cleaning bert;
    alcore__normal_form form;
    bool left, right;            /* STRIP: at which ends */
    alcore__pattern pattern;     /* REPLACE: what is replaced by `text` */
    alcore__name text;           /* REPLACE, PREPEND; in the arena of the tokenizer */
    alcore__precompiled_map map; /* PRECOMPILED, PIECES; owned */
    alcore__pieces_rules pieces; /* PIECES */
} alcore__normalizer_step;

/* A normalizer; a struct of zeros changes nothing. It does not change once it is read. */
typedef struct alcore__normalizer {
    alcore__normalizer_step *step; /* [count] owned */
    size_t count, capacity;
} alcore__normalizer;

/* Memory that belongs to one thread. A struct of zeros is an empty one. */
typedef struct alcore__normalizer_scratch {
    alcore__aligned text[2]; /* the results of steps, by turns */
    alcore__changes changes; /* of PRECOMPILED */
    alcore__form_scratch form;
} alcore__normalizer_scratch;

/* Reads the member "normalizer" of tokenizer.json, or a part of one, and appends its steps. */
alcore_status alcore__normalizer_read(const alcore__part *part, alcore__normalizer *out);
/* Appends BertNormalizer. */
alcore_status alcore__normalizer_add_bert(alcore_ctx *ctx, const alcore__bert_cleaning *cleaning,
                                          alcore__normalizer *out);
/* Puts Lowercase in front of the other steps, unless one of them is Lowercase. */
alcore_status alcore__normalizer_lower_first(alcore_ctx *ctx, alcore__normalizer *out);
/* Appends the normalizer of a sentencepiece model; the map belongs to it then, also after a
 * failure. */
alcore_status alcore__normalizer_add_pieces(alcore_ctx *ctx, const alcore__pieces_rules *rules,
                                            alcore__precompiled_map *map, alcore__normalizer *out);
/* Removes all steps but the map of a sentencepiece model, if there is one. */
void alcore__normalizer_keep_map(alcore_ctx *ctx, alcore__normalizer *normalizer);
void alcore__normalizer_clear(alcore_ctx *ctx, alcore__normalizer *normalizer);

/* *out: the normalized text, a view of scratch or of the text itself, valid until scratch is used
 * again. */
alcore_status alcore__normalizer_run(alcore_ctx *ctx, const alcore__normalizer *normalizer,
                                     const alcore__view *text, alcore__normalizer_scratch *scratch,
                                     alcore__view *out);
void alcore__normalizer_scratch_clear(alcore_ctx *ctx, alcore__normalizer_scratch *scratch);

#endif
