/* SPDX-License-Identifier: Apache-2.0 */
/* The decoder of a tokenizer: how the texts of tokens become a text again. */
#ifndef ALCORE__TOKEN_DECODER_H
#define ALCORE__TOKEN_DECODER_H

#include "tokenizer/json_part.h"
#include "tokenizer/pattern.h"

typedef enum alcore__decoder_kind {
    ALCORE__DECODER_WORD_PIECE,    /* each token but the first loses its prefix or gets a space */
    ALCORE__DECODER_BYTE_LEVEL,    /* characters become the bytes that they stand for */
    ALCORE__DECODER_METASPACE,     /* a mark becomes a space; in the first token it is removed */
    ALCORE__DECODER_BPE,           /* the end of a word becomes a space, but for the last token */
    ALCORE__DECODER_BYTE_FALLBACK, /* <0xNN> becomes its byte */
    ALCORE__DECODER_FUSE,          /* all tokens become one */
    ALCORE__DECODER_STRIP,         /* a character is removed at both ends of each token */
    ALCORE__DECODER_REPLACE        /* what a pattern finds in a token becomes another text */
} alcore__decoder_kind;

typedef struct alcore__decoder_step {
    alcore__decoder_kind kind;
    alcore__name text;       /* WORD_PIECE: the prefix; METASPACE: the mark; BPE: the end of a word;
                              * STRIP: the character; REPLACE: the other text. It is a literal or
                              * lies in the tokenizer's arena. */
    bool clean_up;           /* WORD_PIECE: no spaces before punctuation and English endings */
    bool keep_first;         /* METASPACE: the mark becomes a space in the first token too */
    int64_t start, stop;     /* STRIP: the most characters that are removed at the beginning and at
                              * the end */
    alcore__pattern pattern; /* REPLACE */
} alcore__decoder_step;

/* A decoder. A struct of zeros is that of a tokenizer without one: it puts spaces between tokens.
 * It does not change once it is read. */
typedef struct alcore__token_decoder {
    alcore__decoder_step *step; /* [count] owned */
    size_t count, capacity;
    bool present; /* the tokenizer has a decoder, maybe without steps */
} alcore__token_decoder;

/* The text of a token, borrowed. */
typedef struct alcore__token_view {
    const char *text; /* not terminated */
    size_t length;    /* bytes */
} alcore__token_view;

/* Reads the member "decoder" of tokenizer.json, or a part of one, and appends its steps. A type
 * that is not known is ALCORE_E_UNSUPPORTED and named; CTC, the decoder of speech models, is one.
 * */
alcore_status alcore__token_decoder_read(const alcore__part *part, alcore__token_decoder *out);
/* Appends the step of Metaspace for U+2581, as sentencepiece decodes. */
alcore_status alcore__token_decoder_add_metaspace(alcore_ctx *ctx, alcore__token_decoder *out);
/* Appends the steps that remove the spaces at both ends of the text. */
alcore_status alcore__token_decoder_add_trim(alcore_ctx *ctx, alcore__token_decoder *out);
/* Appends the step of WordPiece for "##", with clean-up, as for vocab.txt. */
alcore_status alcore__token_decoder_add_word_piece(alcore_ctx *ctx, alcore__token_decoder *out);
void alcore__token_decoder_clear(alcore_ctx *ctx, alcore__token_decoder *decoder);

/* Appends the text that tokens [count], in this order, stand for to *out. Any number of threads. */
alcore_status alcore__token_decoder_run(alcore_ctx *ctx, const alcore__token_decoder *decoder,
                                        const alcore__token_view *tokens, size_t count,
                                        alcore__buffer *out);

#endif
