/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a file of sentencepiece (sentencepiece.h): the fields of ModelProto, by their numbers. */
#include "tokenizer/sentencepiece.h"

#include <math.h>

#include "tokenizer/protobuf_wire.h"

/* Numbers of fields of ModelProto, SentencePiece, TrainerSpec and NormalizerSpec in
 * sentencepiece_model.proto. */
enum { MODEL_PIECES = 1, MODEL_TRAINER = 2, MODEL_NORMALIZER = 3 };
enum { PIECE_TEXT = 1, PIECE_SCORE = 2, PIECE_TYPE = 3 };
enum {
    TRAINER_MODEL_TYPE = 3,
    TRAINER_SPACE_BEHIND = 24,
    TRAINER_BYTE_FALLBACK = 35,
    TRAINER_BOS = 41,
    TRAINER_EOS = 42,
    TRAINER_PAD = 43
};
enum {
    NORMALIZER_CHARSMAP = 2,
    NORMALIZER_PREFIX = 3,
    NORMALIZER_EXTRA = 4,
    NORMALIZER_ESCAPE = 5
};
enum { UNIGRAM = 1, BYTE_PAIR = 2 }; /* ModelType; 3 are words, 4 characters */

/* A file while it is read. */
typedef struct reader {
    alcore_ctx *ctx;
    const char *path;
    const unsigned char *begin; /* of the file */
    alcore__sentencepiece *out;
    uint64_t type; /* ModelType */
} reader;

/* Fails; offset: the byte of the file, from 0. */
static alcore_status fail_at(const reader *state, int64_t offset, const char *what) {
    return alcore__fail(ALCORE_E_DATA, "%s: byte %lld: %s", state->path, (long long)offset, what);
}

/* The status after all fields of a message were read; `wire` records the first error. */
static alcore_status finish(const reader *state, const alcore__wire *wire) {
    return wire->error ? fail_at(state, wire->next - state->begin, wire->error) : ALCORE_OK;
}

/* Reads an id, an int32, of which protocol buffers write negative values as varints of 64 bits; -1
 * for all of those. */
static int64_t read_id(alcore__wire *wire) {
    const int64_t id = (int32_t)(uint32_t)alcore__wire_varint(wire);
    return id < 0 ? -1 : id;
}

/* The functions read_piece(), read_trainer() and read_normalizer() each read one message, data
 * [length], which is a part of the file. Fields that are not named are ignored. */
static alcore_status read_piece(reader *state, const char *data, size_t length) {
    alcore__wire wire = alcore__wire_of(data, length);
    alcore__spm_piece piece = {.type = ALCORE__PIECE_NORMAL,
                               .offset = (const unsigned char *)data - state->begin};
    while (alcore__wire_field(&wire)) {
        if (wire.number == PIECE_TEXT)
            piece.text = alcore__wire_bytes(&wire, &piece.length);
        else if (wire.number == PIECE_SCORE)
            piece.score = alcore__wire_float(&wire);
        else if (wire.number == PIECE_TYPE)
            piece.type = (int32_t)alcore__wire_varint(&wire);
    }
    ALCORE__TRY(finish(state, &wire));
    if (piece.length == 0) return fail_at(state, piece.offset, "a piece without text");
    if (!isfinite(piece.score))
        return fail_at(state, piece.offset, "the score of a piece is not finite");
    if (piece.type < ALCORE__PIECE_NORMAL || piece.type > ALCORE__PIECE_BYTE)
        return fail_at(state, piece.offset, "the type of a piece is not known");
    ALCORE__TRY(alcore__grow(state->ctx, &state->out->piece, &state->out->capacity,
                             state->out->count + 1, sizeof piece));
    state->out->piece[state->out->count++] = piece;
    return (state->out->count & 4095) == 0 ? alcore__tick(state->ctx, NULL, 0, -1) : ALCORE_OK;
}

static alcore_status read_trainer(reader *state, const char *data, size_t length) {
    alcore__sentencepiece *out = state->out;
    alcore__wire wire = alcore__wire_of(data, length);
    while (alcore__wire_field(&wire)) {
        if (wire.number == TRAINER_MODEL_TYPE)
            state->type = alcore__wire_varint(&wire);
        else if (wire.number == TRAINER_SPACE_BEHIND)
            out->space_behind = alcore__wire_varint(&wire) != 0;
        else if (wire.number == TRAINER_BYTE_FALLBACK)
            out->byte_fallback = alcore__wire_varint(&wire) != 0;
        else if (wire.number == TRAINER_BOS)
            out->bos = read_id(&wire);
        else if (wire.number == TRAINER_EOS)
            out->eos = read_id(&wire);
        else if (wire.number == TRAINER_PAD)
            out->pad = read_id(&wire);
    }
    return finish(state, &wire);
}

static alcore_status read_normalizer(reader *state, const char *data, size_t length) {
    alcore__sentencepiece *out = state->out;
    alcore__wire wire = alcore__wire_of(data, length);
    while (alcore__wire_field(&wire)) {
        if (wire.number == NORMALIZER_CHARSMAP)
            out->charsmap = alcore__wire_bytes(&wire, &out->charsmap_length);
        else if (wire.number == NORMALIZER_PREFIX)
            out->add_dummy_prefix = alcore__wire_varint(&wire) != 0;
        else if (wire.number == NORMALIZER_EXTRA)
            out->remove_extra_whitespaces = alcore__wire_varint(&wire) != 0;
        else if (wire.number == NORMALIZER_ESCAPE)
            out->escape_whitespaces = alcore__wire_varint(&wire) != 0;
    }
    return finish(state, &wire);
}

/* Checks what concerns the file as a whole, and sets out->unknown. Special tokens that are no
 * pieces become -1. */
static alcore_status check_file(const reader *state) {
    alcore__sentencepiece *out = state->out;
    const char *path = state->path;
    const int64_t count = (int64_t)out->count;
    if (count == 0) return alcore__fail(ALCORE_E_DATA, "%s: no sentencepiece model", path);
    if (state->type != UNIGRAM && state->type != BYTE_PAIR)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: sentencepiece models of type %llu are not known; unigram (1) and "
                            "bpe (2) are",
                            path, (unsigned long long)state->type);
    for (int64_t i = 0; i < count; i++) {
        if (out->piece[i].type != ALCORE__PIECE_UNKNOWN) continue;
        if (out->unknown >= 0)
            return fail_at(state, out->piece[i].offset, "a second piece for what is unknown");
        out->unknown = i;
    }
    if (out->unknown < 0)
        return alcore__fail(ALCORE_E_DATA, "%s: no piece for what is unknown", path);
    if (out->bos >= count) out->bos = -1;
    if (out->eos >= count) out->eos = -1;
    if (out->pad >= count) out->pad = -1;
    return ALCORE_OK;
}

/* The values of fields that the file lacks, as in sentencepiece_model.proto. */
static const alcore__sentencepiece defaults = {.unknown = -1,
                                               .bos = 1,
                                               .eos = 2,
                                               .pad = -1,
                                               .add_dummy_prefix = true,
                                               .remove_extra_whitespaces = true,
                                               .escape_whitespaces = true};

/* Reads the fields of ModelProto. */
static alcore_status read_model(reader *state, size_t length) {
    alcore__wire wire = alcore__wire_of(state->begin, length);
    while (alcore__wire_field(&wire)) {
        alcore_status (*read)(reader *, const char *, size_t) =
            wire.number == MODEL_PIECES       ? read_piece
            : wire.number == MODEL_TRAINER    ? read_trainer
            : wire.number == MODEL_NORMALIZER ? read_normalizer
                                              : NULL;
        if (!read) continue;
        size_t bytes;
        const char *message = alcore__wire_bytes(&wire, &bytes);
        if (message) ALCORE__TRY(read(state, message, bytes));
    }
    ALCORE__TRY(finish(state, &wire));
    return check_file(state);
}

/* Reads a file over the defaults; *out is empty after a failure. */
alcore_status alcore__sentencepiece_read(alcore_ctx *ctx, const void *data, size_t length,
                                         const char *path, alcore__sentencepiece *out) {
    reader state = {.ctx = ctx, .path = path, .begin = data, .out = out, .type = UNIGRAM};
    *out = defaults;
    const alcore_status status = read_model(&state, length);
    out->byte_pair = state.type == BYTE_PAIR;
    if (status != ALCORE_OK) alcore__sentencepiece_clear(ctx, out);
    return status;
}

void alcore__sentencepiece_clear(alcore_ctx *ctx, alcore__sentencepiece *pieces) {
    alcore__free(ctx, pieces->piece);
    *pieces = (alcore__sentencepiece){0};
}
