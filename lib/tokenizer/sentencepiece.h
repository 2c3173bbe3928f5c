/* SPDX-License-Identifier: Apache-2.0 */
/* Models of sentencepiece: files such as sentencepiece.bpe.model, spiece.model and source.spm, for
 * folders that have no tokenizer.json. A file is a message ModelProto of protocol buffers
 * (sentencepiece_model.proto). Own code, since a few fields are needed, and libsentencepiece
 * exports 1,602 symbols of protobuf that collide with those of libtorch. */
#ifndef ALCORE__SENTENCEPIECE_H
#define ALCORE__SENTENCEPIECE_H

#include "base/base.h"
#include "formats/json_scan.h"
#include "tokenizer/token_model.h"

/* Kinds of pieces, by their numbers in the file. */
enum {
    ALCORE__PIECE_NORMAL = 1,
    ALCORE__PIECE_UNKNOWN = 2,
    ALCORE__PIECE_CONTROL = 3,      /* such as </s>; never found in a text */
    ALCORE__PIECE_USER_DEFINED = 4, /* always one token where a text has it */
    ALCORE__PIECE_UNUSED = 5,
    ALCORE__PIECE_BYTE = 6 /* <0x00> to <0xFF> */
};

typedef struct alcore__spm_piece {
    const char *text; /* view of the file, not terminated */
    size_t length;
    float score; /* finite */
    int32_t type;
    int64_t offset; /* its first byte in the file, for messages */
} alcore__spm_piece;

/* What a file says. A struct of zeros says nothing. */
typedef struct alcore__sentencepiece {
    alcore__spm_piece *piece; /* [count] by id, owned */
    size_t count, capacity;
    bool byte_pair;                 /* byte-pair encoding; else Unigram */
    bool byte_fallback;             /* unknown characters become the pieces of their bytes */
    int64_t unknown, bos, eos, pad; /* ids; -1: there is none */
    const char *charsmap;           /* [charsmap_length] precompiled_charsmap, a view of the file */
    size_t charsmap_length;
    bool add_dummy_prefix;         /* a space is put before the text (behind it: space_behind) */
    bool remove_extra_whitespaces; /* spaces at both ends are removed, several become one */
    bool escape_whitespaces;       /* spaces are written as U+2581 */
    bool space_behind;             /* treat_whitespace_as_suffix: words end with their space */
} alcore__sentencepiece;

/* Reads a file of `length` bytes, which must stay as long as *out. Damage is ALCORE_E_DATA with the
 * byte; a model of whole words or of characters is ALCORE_E_UNSUPPORTED. */
alcore_status alcore__sentencepiece_read(alcore_ctx *ctx, const void *data, size_t length,
                                         const char *path, alcore__sentencepiece *out);
void alcore__sentencepiece_clear(alcore_ctx *ctx, alcore__sentencepiece *pieces);

/* Which ids the pieces of a file get in the model. */
typedef struct alcore__spm_layout {
    bool fairseq; /* <s> <pad> </s> <unk> are 0 to 3 and stand for pieces 0 to 2; a later piece has
                   * the next higher id (XLM-R, mBART, NLLB) */
    const char *const *extra; /* [extra_count] tokens behind the pieces, score 0: language codes,
                               * <mask>, <extra_id_0> */
    size_t extra_count;
    alcore__json *vocab;    /* the cursor before {token: id, ...}, whose ids are used (Marian's
                             * vocab.json), or NULL; then fairseq and extra are not. Its strings are
                             * changed in place. A piece that it lacks is unknown */
    const char *vocab_path; /* for messages */
} alcore__spm_layout;

/* Makes a model of a file. A piece's unknown characters become its unknown token.
 *
 * Without vocab the model is the one that the package `transformers` makes of the file: Unigram
 * with sums in double, to be given words; control and user-defined pieces are in the vocabulary,
 * and are to be cut out of the text as added tokens before. With vocab, as for `transformers`'
 * Marian, it is sentencepiece itself: sums in float, to be given whole normalized texts with U+2581
 * for spaces; control pieces are not found, user-defined ones always. Byte-pair encoding is that of
 * sentencepiece in both: the merge of the piece with the highest score first, of several the
 * leftmost. */
alcore_status alcore__sentencepiece_model(alcore_ctx *ctx, const alcore__sentencepiece *pieces,
                                          const alcore__spm_layout *layout, const char *path,
                                          alcore__token_model **out);

#endif
