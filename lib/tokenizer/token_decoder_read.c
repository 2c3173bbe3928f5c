/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the decoder of tokenizer.json (token_decoder.h). */
#include "tokenizer/token_decoder.h"

#include "text/utf8.h"

/* Appends a step of this kind with all other members 0. *out is valid until the next step is
 * appended, as the array may move. */
static alcore_status new_step(alcore_ctx *ctx, alcore__token_decoder *decoder,
                              alcore__decoder_kind kind, alcore__decoder_step **out) {
    ALCORE__TRY(alcore__grow(ctx, &decoder->step, &decoder->capacity, decoder->count + 1,
                             sizeof *decoder->step));
    *out = &decoder->step[decoder->count++];
    **out = (alcore__decoder_step){.kind = kind};
    decoder->present = true;
    return ALCORE_OK;
}

alcore_status alcore__token_decoder_add_metaspace(alcore_ctx *ctx, alcore__token_decoder *out) {
    alcore__decoder_step *step;
    ALCORE__TRY(new_step(ctx, out, ALCORE__DECODER_METASPACE, &step));
    step->text = (alcore__name){"\xE2\x96\x81", 3};
    return ALCORE_OK;
}

/* Joins all texts to one first, as Strip works on each text by itself; INT64_MAX: all spaces. */
alcore_status alcore__token_decoder_add_trim(alcore_ctx *ctx, alcore__token_decoder *out) {
    alcore__decoder_step *step;
    ALCORE__TRY(new_step(ctx, out, ALCORE__DECODER_FUSE, &step));
    ALCORE__TRY(new_step(ctx, out, ALCORE__DECODER_STRIP, &step));
    step->text = (alcore__name){" ", 1};
    step->start = step->stop = INT64_MAX;
    return ALCORE_OK;
}

alcore_status alcore__token_decoder_add_word_piece(alcore_ctx *ctx, alcore__token_decoder *out) {
    alcore__decoder_step *step;
    ALCORE__TRY(new_step(ctx, out, ALCORE__DECODER_WORD_PIECE, &step));
    step->text = (alcore__name){"##", 2};
    step->clean_up = true;
    return ALCORE_OK;
}

/* Reads a text that must be there. */
static alcore_status read_text(const alcore__part *part, const char *name, alcore__name *out) {
    ALCORE__TRY(alcore__part_text(part, name, out));
    return out->text ? ALCORE_OK : alcore__part_fail(part, ALCORE_E_DATA, "%s is missing", name);
}

/* Reads a text of one character. */
static alcore_status read_char(const alcore__part *part, const char *name, alcore__name *out) {
    ALCORE__TRY(read_text(part, name, out));
    if (out->length > 4 || alcore__utf8_count(out->text, out->length) != 1)
        return alcore__part_fail(part, ALCORE_E_DATA, "%s is not one character", name);
    return ALCORE_OK;
}

/* Reads Metaspace. Files that lack prepend_scheme have its older form add_prefix_space; whether a
 * mark is put before every text or only the first does not matter to the decoder. */
static alcore_status read_metaspace(const alcore__part *part, alcore__decoder_step *step) {
    bool prefix = true;
    alcore__name scheme = {0};
    ALCORE__TRY(read_char(part, "replacement", &step->text));
    ALCORE__TRY(alcore__part_flag(part, "add_prefix_space", &prefix));
    ALCORE__TRY(alcore__part_text(part, "prepend_scheme", &scheme));
    step->keep_first = !prefix || (scheme.text && alcore__name_is(scheme, "never"));
    if (!scheme.text || step->keep_first || alcore__name_is(scheme, "always") ||
        alcore__name_is(scheme, "first"))
        return ALCORE_OK;
    return alcore__part_fail(part, ALCORE_E_UNSUPPORTED,
                             "the prepend_scheme \"%.*s\" is not supported",
                             scheme.length > 64 ? 64 : (int)scheme.length, scheme.text);
}

/* Reads Strip. A count that is missing stays 0. */
static alcore_status read_strip(const alcore__part *part, alcore__decoder_step *step) {
    ALCORE__TRY(read_char(part, "content", &step->text));
    ALCORE__TRY(alcore__part_integer(part, "start", &step->start));
    ALCORE__TRY(alcore__part_integer(part, "stop", &step->stop));
    if (step->start < 0 || step->stop < 0)
        return alcore__part_fail(part, ALCORE_E_DATA, "Strip has a negative count");
    return ALCORE_OK;
}

/* Reads what the kind of a step needs. */
static alcore_status read_settings(const alcore__part *part, alcore__decoder_step *step) {
    switch (step->kind) {
    case ALCORE__DECODER_WORD_PIECE:
        ALCORE__TRY(read_text(part, "prefix", &step->text));
        return alcore__part_flag(part, "cleanup", &step->clean_up);
    case ALCORE__DECODER_METASPACE:
        return read_metaspace(part, step);
    case ALCORE__DECODER_BPE:
        return read_text(part, "suffix", &step->text);
    case ALCORE__DECODER_STRIP:
        return read_strip(part, step);
    case ALCORE__DECODER_REPLACE:
        ALCORE__TRY(alcore__pattern_read(part, &step->pattern));
        return read_text(part, "content", &step->text);
    default:
        return ALCORE_OK;
    }
}

/* Appends the steps of each decoder of a Sequence. alcore__part_next() also ends at an error, which
 * alcore__part_leave() then returns. The depth of the recursion is limited by the scanner, which
 * refuses JSON nested deeper than its limit. */
static alcore_status read_sequence(const alcore__part *part, alcore__token_decoder *out) {
    alcore__part list, item;
    if (!alcore__part_member(part, "decoders", &list))
        return alcore__part_fail(part, ALCORE_E_DATA, "Sequence has no decoders");
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) ALCORE__TRY(alcore__token_decoder_read(&item, out));
    return alcore__part_leave(&list);
}

/* Appends the steps of a decoder; those of a Sequence one after the other. */
alcore_status alcore__token_decoder_read(const alcore__part *part, alcore__token_decoder *out) {
    static const struct {
        const char *type;
        alcore__decoder_kind kind;
    } types[] = {{"WordPiece", ALCORE__DECODER_WORD_PIECE},
                 {"ByteLevel", ALCORE__DECODER_BYTE_LEVEL},
                 {"Metaspace", ALCORE__DECODER_METASPACE},
                 {"BPEDecoder", ALCORE__DECODER_BPE},
                 {"ByteFallback", ALCORE__DECODER_BYTE_FALLBACK},
                 {"Fuse", ALCORE__DECODER_FUSE},
                 {"Strip", ALCORE__DECODER_STRIP},
                 {"Replace", ALCORE__DECODER_REPLACE}};
    alcore__name type;
    ALCORE__TRY(alcore__part_type(part, &type));
    out->present = true;
    if (alcore__name_is(type, "Sequence")) return read_sequence(part, out);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!alcore__name_is(type, types[i].type)) continue;
        alcore__decoder_step *step;
        ALCORE__TRY(new_step(part->ctx, out, types[i].kind, &step));
        return read_settings(part, step);
    }
    return alcore__part_unknown(part, type);
}

/* Texts and patterns lie in the tokenizer's arena. */
void alcore__token_decoder_clear(alcore_ctx *ctx, alcore__token_decoder *decoder) {
    alcore__free(ctx, decoder->step);
    *decoder = (alcore__token_decoder){0};
}
