/* SPDX-License-Identifier: Apache-2.0 */
/* What a tokenizer consists of. */
#ifndef ALCORE__TOKENIZER_HANDLE_H
#define ALCORE__TOKENIZER_HANDLE_H

#include "tokenizer/added_tokens.h"
#include "tokenizer/encoding.h"
#include "tokenizer/normalizer.h"
#include "tokenizer/post_processor.h"
#include "tokenizer/pre_tokenizer.h"
#include "tokenizer/token_decoder.h"
#include "tokenizer/token_model.h"

/* It does not change once it is made, but for `spare`. */
struct alcore_tokenizer {
    alcore__object object;
    alcore__arena arena; /* texts of its parts */
    alcore__added_tokens added;
    alcore__normalizer normalizer;
    alcore__pre_tokenizer pre;
    alcore__token_model *model;        /* owned */
    alcore__token_model *target_model; /* owned; for outputs of translation models that have their
                                        * own; NULL: the same as for inputs */
    alcore__normalizer target_normalizer; /* with target_model */
    alcore__post_processor post;
    alcore__token_decoder decoder;
    alcore__name source_language, target_language; /* what the folder says; text NULL: nothing */
    bool marks_language;                           /* the templates have a language */
    bool language_codes; /* a text may begin with the token of a language, ">>de<<" (Marian) */
    int64_t size;        /* ids are 0 .. size - 1 */
    int64_t truncation;  /* max_length of "truncation" of tokenizer.json, which calls of encoding do
                            not look at; 0: there is none, -1: it cuts texts at their beginning */
    /* An encoder (encode.c) that the last call left, so that the next one need not allocate; NULL:
     * a call uses it, or there was none. */
    _Atomic(struct alcore__encoder *) spare;
};

/* Frees the memory of an encoder; NULL-safe. */
void alcore__encoder_free(alcore_ctx *ctx, struct alcore__encoder *encoder);

/* Fills the empty tokenizer from the files at path: a folder, or one of its files. */
alcore_status alcore__tokenizer_read(alcore_ctx *ctx, const char *path,
                                     alcore_tokenizer *tokenizer);
/* Fills it from the tokenizer.json at path alone. */
alcore_status alcore__tokenizer_read_alone(alcore_ctx *ctx, const char *path,
                                           alcore_tokenizer *tokenizer);
/* Reads tokenizer.json, text [length], which is changed. */
alcore_status alcore__tokenizer_read_json(alcore_ctx *ctx, char *text, size_t length,
                                          const char *path, alcore_tokenizer *tokenizer);
/* Once all parts are read: sets the ids of the added tokens, prepares the search for them, and
 * checks the special tokens of the templates. */
alcore_status alcore__tokenizer_finish(alcore_ctx *ctx, alcore_tokenizer *tokenizer);

/* The id of a token, added ones included; -1: there is none. */
int64_t alcore__tokenizer_id(const alcore_tokenizer *tokenizer, const char *token, size_t length);
/* The text of a token, a view; NULL: no token has that id. *special: decoding may leave it out. */
const char *alcore__tokenizer_token(const alcore_tokenizer *tokenizer, int64_t id, size_t *length,
                                    bool *special);

#endif
