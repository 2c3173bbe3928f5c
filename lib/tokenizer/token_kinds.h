/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of token models (token_model.h), as the files of this folder share them: each kind
 * makes its part of a model and cuts words with it. Inside a model tokens go by their numbers, not
 * by their ids (token_table.h). The functions NAME_cut() append the pieces of a word [length]. */
#ifndef ALCORE__TOKEN_KINDS_H
#define ALCORE__TOKEN_KINDS_H

#include "tokenizer/token_model.h"
#include "tokenizer/token_settings.h"
#include "tokenizer/token_table.h"
#include "tokenizer/token_trie.h"

typedef enum alcore__token_kind {
    ALCORE__WORD_LEVEL = 1,
    ALCORE__WORD_PIECE,
    ALCORE__BYTE_PAIR,
    ALCORE__UNIGRAM,
} alcore__token_kind;

/* WordPiece (word_piece.c). */
typedef struct alcore__word_piece {
    alcore__token_trie first; /* of all tokens, for the beginning of a word */
    alcore__token_trie rest;  /* of the tokens that begin with the prefix ("##"), by what follows
                               * it: for the later parts of a word */
    int64_t max_chars;        /* code points; longer words are unknown */
} alcore__word_piece;

/* The tokens <0x00> to <0xFF>, which stand for the bytes of what has no other token. */
typedef struct alcore__byte_tokens {
    uint32_t number[256]; /* by byte; ALCORE__WORD_NONE: there is no such token */
} alcore__byte_tokens;
void alcore__byte_tokens_find(const alcore__token_table *table, alcore__byte_tokens *out);
/* Whether all bytes of a text have tokens. */
static inline bool alcore__byte_tokens_cover(const alcore__byte_tokens *bytes, const char *text,
                                             size_t length) {
    for (size_t i = 0; i < length; i++)
        if (bytes->number[(unsigned char)text[i]] == ALCORE__WORD_NONE) return false;
    return true;
}

/* Unigram (unigram.c). */
typedef struct alcore__unigram {
    alcore__token_trie trie;   /* of the tokens that a text can have (alcore__unigram_rules.mask) */
    double *scores;            /* [words.count] by number: log-probabilities, owned */
    double unknown_score;      /* of a character without a token, on the scale of scores */
    bool single_precision;     /* sums are rounded to float, as in sentencepiece */
    bool byte_fallback;        /* unknown characters become the tokens of their bytes */
    alcore__byte_tokens bytes; /* set with byte_fallback */
} alcore__unigram;

/* Code points whose tokens a byte-pair encoding keeps in an array: ByteLevel spells bytes with
 * characters up to U+0143 (byte_level.c). */
#define ALCORE__QUICK_CHARS 0x180

/* Byte-pair encoding (byte_pair.c). */
typedef struct alcore__byte_pair {
    struct alcore__merge_slot *merges; /* [slots] owned: hash table with open addressing */
    size_t slots, count;   /* slots is a power of two; count of them, at most half, hold a merge */
    int shift;             /* hash >> shift is a slot */
    char *prefix, *suffix; /* owned: what the token of a character after the first
                            * begins with, and that of the last one ends with; NULL:
                            * nothing */
    size_t prefix_length, suffix_length;
    alcore__token_trie fixed;  /* tokens that are found in a word before it is spelled, and are not
                                * merged: user-defined pieces; may be empty */
    bool fuse_unknown;         /* unknown characters that follow each other are one token */
    bool byte_fallback;        /* unknown characters become the tokens of their bytes */
    bool whole_words;          /* a word that is a token is not cut (ignore_merges) */
    alcore__byte_tokens bytes; /* set with byte_fallback */
    uint32_t quick[ALCORE__QUICK_CHARS]; /* numbers of the tokens of single characters, by code
                                          * point; ALCORE__WORD_NONE: there is no such token */
} alcore__byte_pair;

/* How a byte-pair encoding is set up; members as in alcore__byte_pair. A struct of zeros: nothing
 * but merges. */
typedef struct alcore__byte_pair_rules {
    const char *prefix, *suffix; /* borrowed */
    size_t prefix_length, suffix_length;
    const uint8_t *fixed; /* [words.count] 1: a token that is always one; NULL: there is none */
    bool fuse_unknown, byte_fallback, whole_words;
} alcore__byte_pair_rules;

struct alcore__token_model {
    alcore__token_kind kind;
    uint64_t serial;           /* from 1, different for all models of the process (token_cache.h) */
    alcore__token_table table; /* the tokens by which words are cut */
    uint32_t unknown; /* number of the unknown token; ALCORE__WORD_NONE: the model has none */
    /* The tokens as callers see them where these are not the pieces by which words are cut (Marian,
     * M2M100), else empty: table.ids are then ids of names, and all pieces that names lacks have
     * the id of <unk>. */
    alcore__token_table names;
    bool has_names;
    union {
        alcore__word_piece word_piece;
        alcore__byte_pair byte_pair;
        alcore__unigram unigram;
    };
};

/* Makes sure that `more` pieces can be added with alcore__pieces_put(). */
static inline alcore_status alcore__pieces_reserve(alcore_ctx *ctx, alcore__pieces *pieces,
                                                   size_t more) {
    if (pieces->capacity - pieces->count >= more) return ALCORE_OK;
    return alcore__grow(ctx, &pieces->piece, &pieces->capacity, pieces->count + more,
                        sizeof *pieces->piece);
}
/* Adds the piece [begin, end) of the word with token `number`. There is memory for it
 * (alcore__pieces_reserve()). */
static inline void alcore__pieces_put(const alcore__token_model *model, alcore__pieces *pieces,
                                      uint32_t number, size_t begin, size_t end) {
    pieces->piece[pieces->count++] =
        (alcore__piece){alcore__token_table_id(&model->table, number), begin, end};
}
/* Adds the unknown token for the part [begin, end) of a word, or, with model->names, the token that
 * has its text there. There is memory for one piece. */
static inline void alcore__pieces_put_surface(const alcore__token_model *model,
                                              alcore__pieces *pieces, const char *word,
                                              size_t begin, size_t end) {
    if (model->has_names) {
        const uint32_t number = alcore__token_table_find(&model->names, word + begin, end - begin);
        if (number != ALCORE__WORD_NONE) {
            pieces->piece[pieces->count++] =
                (alcore__piece){alcore__token_table_id(&model->names, number), begin, end};
            return;
        }
    }
    if (model->unknown != ALCORE__WORD_NONE)
        alcore__pieces_put(model, pieces, model->unknown, begin, end);
}
/* Adds the unknown token for the whole word [length], if the model has one. There is memory for one
 * piece. */
static inline void alcore__pieces_put_unknown(const alcore__token_model *model,
                                              alcore__pieces *pieces, size_t length) {
    if (model->unknown != ALCORE__WORD_NONE)
        alcore__pieces_put(model, pieces, model->unknown, 0, length);
}

/* *(void **)out: uninitialised memory of `bytes` bytes for the cut of one word. */
alcore_status alcore__pieces_scratch(alcore_ctx *ctx, alcore__pieces *pieces, size_t bytes,
                                     void *out);

/* Makes model->word_piece; table and unknown are set. prefix [length]: what tokens that continue a
 * word begin with. */
alcore_status alcore__word_piece_build(alcore_ctx *ctx, alcore__token_model *model,
                                       const char *prefix, size_t length, int64_t max_chars);
void alcore__word_piece_clear(alcore_ctx *ctx, alcore__token_model *model);
alcore_status alcore__word_piece_cut(alcore_ctx *ctx, const alcore__token_model *model,
                                     const char *word, size_t length, alcore__pieces *pieces);

/* Makes model->byte_pair without merges; table and unknown are set. */
alcore_status alcore__byte_pair_build(alcore_ctx *ctx, alcore__token_model *model,
                                      const alcore__byte_pair_rules *rules);
/* Adds a merge of the tokens left and right to the token `merged`, all three by number, or replaces
 * the one of this pair. rank, below 2^32 - 1: the smaller, the earlier it is applied; several
 * merges may have the same. */
alcore_status alcore__byte_pair_add(alcore_ctx *ctx, alcore__token_model *model, uint32_t left,
                                    uint32_t right, uint32_t rank, uint32_t merged);
/* Adds the merges of a tokenizer.json, before which the cursor stands. */
alcore_status alcore__byte_pair_read(alcore_ctx *ctx, alcore__json *merges, const char *path,
                                     alcore__token_model *model);
void alcore__byte_pair_clear(alcore_ctx *ctx, alcore__token_model *model);
alcore_status alcore__byte_pair_cut(alcore_ctx *ctx, const alcore__token_model *model,
                                    const char *word, size_t length, alcore__pieces *pieces);

/* How a Unigram model is set up. */
typedef struct alcore__unigram_rules {
    const double *scores; /* [words.count] borrowed, by number, finite */
    const uint8_t *mask;  /* [words.count] 1: a text can have the token; NULL: all */
    double lowest;        /* the smallest score; an unknown character has UNKNOWN_PENALTY less */
    bool byte_fallback, single_precision;
} alcore__unigram_rules;
/* Makes model->unigram; table, which is not empty, and unknown are set. */
alcore_status alcore__unigram_build(alcore_ctx *ctx, alcore__token_model *model,
                                    const alcore__unigram_rules *rules);
void alcore__unigram_clear(alcore_ctx *ctx, alcore__token_model *model);
alcore_status alcore__unigram_cut(alcore_ctx *ctx, const alcore__token_model *model,
                                  const char *word, size_t length, alcore__pieces *pieces);

/* An empty model, with a serial number of its own (token_model.c). */
alcore_status alcore__token_model_new(alcore_ctx *ctx, alcore__token_model **out);

#endif
