/* SPDX-License-Identifier: Apache-2.0 */
/* The pre-tokenizer of a tokenizer: steps that cut a normalized text into words, of which the model
 * sees one at a time. Some of them rewrite the text too. */
#ifndef ALCORE__PRE_TOKENIZER_H
#define ALCORE__PRE_TOKENIZER_H

#include "tokenizer/aligned_text.h"
#include "tokenizer/json_part.h"
#include "tokenizer/pattern.h"

typedef enum alcore__pre_tokenizer_kind {
    ALCORE__PRE_BERT,
    ALCORE__PRE_WHITESPACE,
    ALCORE__PRE_WHITESPACE_SPLIT,
    ALCORE__PRE_PUNCTUATION,
    ALCORE__PRE_DIGITS,
    ALCORE__PRE_BYTE_LEVEL,
    ALCORE__PRE_METASPACE,
    ALCORE__PRE_SPLIT
} alcore__pre_tokenizer_kind;

/* What becomes of a match and of what stands between matches. */
typedef enum alcore__cut {
    ALCORE__CUT_REMOVED,    /* matches are left out */
    ALCORE__CUT_ISOLATED,   /* a match is a word */
    ALCORE__CUT_CONTIGUOUS, /* adjacent matches are one word */
    ALCORE__CUT_PREVIOUS,   /* a match belongs to the word before it */
    ALCORE__CUT_NEXT        /* a match belongs to the word after it */
} alcore__cut;

/* Where Metaspace puts its mark in front of a word. The order is that of the names in
 * pre_tokenizer_read.c, as is that of alcore__cut. */
typedef enum alcore__prepend {
    ALCORE__PREPEND_ALWAYS, /* before each word of the step before, and each piece of the text */
    ALCORE__PREPEND_FIRST,  /* only where the original text begins */
    ALCORE__PREPEND_NEVER
} alcore__prepend;

typedef struct alcore__pre_tokenizer_step {
    alcore__pre_tokenizer_kind kind;
    alcore__cut cut;         /* PUNCTUATION, SPLIT, DIGITS */
    bool invert;             /* SPLIT: what the pattern finds counts as what stands between
                              * matches, and the rest as matches */
    alcore__pattern pattern; /* SPLIT */
    bool gpt2;               /* SPLIT: the pattern is GPT-2's, which has a function of its own */
    bool add_prefix_space;   /* BYTE_LEVEL: a space is put before a text without one */
    bool use_regex;          /* BYTE_LEVEL: the text is cut by GPT-2's expression */
    alcore__name mark;       /* METASPACE: what stands for a space; in the arena of the tokenizer */
    alcore__prepend prepend; /* METASPACE */
    bool split;              /* METASPACE: each mark begins a word */
} alcore__pre_tokenizer_step;

/* A pre-tokenizer; a struct of zeros makes one word of a text. It does not change once it is read.
 */
typedef struct alcore__pre_tokenizer {
    alcore__pre_tokenizer_step *step; /* [count] owned */
    size_t count, capacity;
} alcore__pre_tokenizer;

/* A word: bytes begin .. end - 1, at least one, of the text that the pre-tokenizer made. */
typedef struct alcore__word {
    uint32_t begin, end;
} alcore__word;

typedef struct alcore__words {
    alcore__word *word; /* [count] in the order of the text, owned */
    size_t count, capacity;
} alcore__words;

/* Memory that belongs to one thread. A struct of zeros is an empty one. */
typedef struct alcore__pre_tokenizer_scratch {
    alcore__aligned text[2];  /* the results of steps that rewrite the text, by turns */
    alcore__aligned prefixed; /* a word behind a space that ByteLevel puts there */
    alcore__words words[2];   /* the words before and after a step, by turns */
} alcore__pre_tokenizer_scratch;

/* Reads the member "pre_tokenizer" of tokenizer.json, or a part of one, and appends its steps. */
alcore_status alcore__pre_tokenizer_read(const alcore__part *part, alcore__pre_tokenizer *out);
/* Appends a step with all else 0. */
alcore_status alcore__pre_tokenizer_add(alcore_ctx *ctx, alcore__pre_tokenizer_kind kind,
                                        alcore__pre_tokenizer *pre,
                                        alcore__pre_tokenizer_step **out);
void alcore__pre_tokenizer_clear(alcore_ctx *ctx, alcore__pre_tokenizer *pre);

/* Cuts a text: *out is the text that *out_words are bytes of. Both are valid until scratch is used
 * again. */
alcore_status alcore__pre_tokenizer_run(alcore_ctx *ctx, const alcore__pre_tokenizer *pre,
                                        const alcore__view *text,
                                        alcore__pre_tokenizer_scratch *scratch, alcore__view *out,
                                        const alcore__words **out_words);
void alcore__pre_tokenizer_scratch_clear(alcore_ctx *ctx, alcore__pre_tokenizer_scratch *scratch);

/* Appends a word; an empty one is left out. */
static inline alcore_status alcore__words_add(alcore_ctx *ctx, alcore__words *words, size_t begin,
                                              size_t end) {
    if (begin == end) return ALCORE_OK;
    if (words->count == words->capacity)
        ALCORE__TRY(alcore__grow(ctx, &words->word, &words->capacity, words->count + 1,
                                 sizeof *words->word));
    words->word[words->count++] = (alcore__word){(uint32_t)begin, (uint32_t)end};
    return ALCORE_OK;
}

#endif
