/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a tokenizer: a vocabulary, and the rule by which it cuts a word into tokens of it.
 * WordPiece, byte-pair encoding (BPE), Unigram and whole words are the kinds that exist. */
#ifndef ALCORE__TOKEN_MODEL_H
#define ALCORE__TOKEN_MODEL_H

#include "base/base.h"
#include "formats/json_scan.h"
#include "tokenizer/json_part.h"

/* A part of a word with its token. */
typedef struct alcore__piece {
    int64_t id;
    size_t begin, end; /* bytes of the word: the first, and the one after the last */
} alcore__piece;

/* The pieces of a word, and memory that a cut reuses: a cache of up to 1 MiB, and 50 bytes for each
 * byte of the longest word. One belongs to one thread. It may be used with another model, whereupon
 * the cache is emptied. A struct of zeros is an empty one. */
typedef struct alcore__pieces {
    alcore__piece *piece; /* [count] in the order of the word, owned */
    size_t capacity, count;
    void *scratch; /* [scratch_bytes] workspace of the model, owned (alcore__pieces_scratch()) */
    size_t scratch_bytes;
    struct alcore__token_cache *cache; /* words that were cut before, owned (token_cache.h) */
} alcore__pieces;
void alcore__pieces_clear(alcore_ctx *ctx, alcore__pieces *pieces);

/* A model. It does not change once it is made: any number of threads may use it. */
typedef struct alcore__token_model alcore__token_model;

/* Reads the "model" object of a tokenizer.json, before which the cursor stands; the strings of the
 * text are changed in place. path: for messages. A type or a setting that is not known is
 * ALCORE_E_UNSUPPORTED and named. */
alcore_status alcore__token_model_read_json(alcore_ctx *ctx, alcore__json *json, const char *path,
                                            alcore__token_model **out);
/* Reads vocab.txt: a token a line, WordPiece with the prefix ##. text [length]: the bytes of the
 * file. unknown: the text of the unknown token, [UNK] in most; a vocabulary without it has none. */
alcore_status alcore__token_model_read_vocab(alcore_ctx *ctx, const char *text, size_t length,
                                             alcore__name unknown, const char *path,
                                             alcore__token_model **out);
void alcore__token_model_free(alcore_ctx *ctx, alcore__token_model *model);

/* Appends the pieces of a word, normalized text [length] in UTF-8, of 1 byte or more. A word
 * without any token for it gets the unknown token, or no piece where the model has none. */
alcore_status alcore__token_model_cut(alcore_ctx *ctx, const alcore__token_model *model,
                                      const char *word, size_t length, alcore__pieces *pieces);

int64_t alcore__token_model_size(const alcore__token_model *model); /* ids are 0 .. size - 1 */
/* The id of a token's text; -1: there is no such token. */
int64_t alcore__token_model_id(const alcore__token_model *model, const char *token, size_t length);
/* The id of the token for what is not known; -1: the model has none. */
int64_t alcore__token_model_unknown(const alcore__token_model *model);
/* The text of a token, a view, not NUL-terminated; NULL: no token has that id. */
const char *alcore__token_model_token(const alcore__token_model *model, int64_t id, size_t *length);

#endif
