/* SPDX-License-Identifier: Apache-2.0 */
/* Tokenizers: how the texts of a Hugging Face folder become token ids (alcore/extra/tokenizer.h).
 *
 * A text passes through five stages, each of which is one part of tokenizer.json: added tokens are
 * cut out, the normalizer rewrites the rest, the pre-tokenizer cuts it into words, the model cuts
 * words into tokens (token_model.h), and the post-processor adds special tokens. */
#ifndef ALCORE__ENCODING_H
#define ALCORE__ENCODING_H

#include "base/base.h"
#include "text/texts.h"

/* A tokenizer; one that is opened never changes. */
typedef struct alcore_tokenizer alcore_tokenizer;

/* Opens the tokenizer of a folder; the caller owns *out. */
alcore_status alcore__tokenizer_open(alcore_ctx *ctx, const char *path, alcore_tokenizer **out);

/* Opens the tokenizer.json at path by itself, as Tokenizer.from_file() of the package tokenizers
 * does: the files beside it, by which classes of transformers change it, are not read. */
alcore_status alcore__tokenizer_open_alone(alcore_ctx *ctx, const char *path,
                                           alcore_tokenizer **out);

/* The tokens of several texts, one after the other. It owns its arrays; a struct of zeros has no
 * text. Text i owns the tokens offsets[i] .. offsets[i + 1] - 1. */
typedef struct alcore__tokens {
    int64_t count;    /* texts */
    int64_t *offsets; /* [count + 1], the first is 0 */
    int64_t *ids;     /* [offsets[count]] */
    int64_t *types;   /* as ids: 0, or 1 for what belongs to the second text of a pair */
    uint8_t *marks;   /* as ids: ALCORE_SYS_TOKEN_SPECIAL, ALCORE_SYS_TOKEN_WORD */
    int64_t *spans;   /* [offsets[count], 2] first byte of the text that the token stems from, and
                       * the byte after its last; of the pair's second text where that is what the
                       * token belongs to; {0, 0} for special tokens */
    size_t texts_capacity, ids_capacity, types_capacity, marks_capacity, spans_capacity;
    size_t capacity; /* tokens that all arrays have memory for */
} alcore__tokens;

/* A bit of marks beside those of ALCORE_SYS_TOKEN_*: a token of the second text of a pair. Only
 * alcore__encoding.mark_second sets it. */
enum { ALCORE__TOKEN_SECOND = 128 };

/* How texts are encoded. A struct of zeros: as the folder says, never cut. */
typedef struct alcore__encoding {
    int64_t max_tokens;   /* longer texts are cut at their end, special tokens are kept; 0: never
                           * cut. Of a pair, the second text is cut */
    bool without_special; /* no special tokens are added */
    bool as_target;       /* the text is an output of a translation model: its target vocabulary,
                           * prefix and suffix are used where the folder has them */
    bool mark_second;     /* the tokens of the second text of a pair get ALCORE__TOKEN_SECOND; types
                             * do not tell them in every family */
    const char *language; /* code of the text's language, such as "de_DE" (mBART) or "deu_Latn"
                           * (NLLB), for folders that mark it; NULL: what the folder says */
} alcore__encoding;

/* Appends the tokens of texts (of pairs of texts, where pairs is not NULL; then it has as many) to
 * *out, which keeps what it had, also after a failure. Runs on the context's threads, which give
 * the same tokens whatever their number. Bytes that are not UTF-8 are read as U+FFFD. */
alcore_status alcore__tokenizer_encode(const alcore_tokenizer *tokenizer,
                                       const alcore__texts *texts, const alcore__texts *pairs,
                                       const alcore__encoding *how, alcore__tokens *out);
void alcore__tokens_clear(alcore_ctx *ctx, alcore__tokens *tokens);

/* Lower-cases texts before everything else the tokenizer does to them, unless one of its steps is
 * that already. Only for a tokenizer that nobody uses yet. */
alcore_status alcore__tokenizer_lowercase(alcore_tokenizer *tokenizer);

/* Appends the text that ids [count] stand for to *out. special: special tokens are written too. */
alcore_status alcore__tokenizer_decode(const alcore_tokenizer *tokenizer, const int64_t *ids,
                                       int64_t count, bool special, alcore__buffer *out);

/* What the package tokenizers tells of a tokenizer: the id of the token for what is not known, -1
 * where there is none; where tokenizer.json says that texts are cut, in tokens, 0 where it does
 * not. */
int64_t alcore__tokenizer_unknown(const alcore_tokenizer *tokenizer);
int64_t alcore__tokenizer_truncation(const alcore_tokenizer *tokenizer);
/* *out: the median of the lengths of all tokens, in code points; of two in the middle their mean,
 * rounded down. 0: there is no token. */
alcore_status alcore__tokenizer_median_length(const alcore_tokenizer *tokenizer, int64_t *out);

#endif
