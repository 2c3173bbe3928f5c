/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the normalizer of tokenizer.json (normalizer.h). */
#include <string.h>

#include "tokenizer/normalizer.h"

/* Appends a step with all else 0. */
static alcore_status new_step(alcore_ctx *ctx, alcore__normalizer *normalizer,
                              alcore__normalizer_kind kind, alcore__normalizer_step **out) {
    ALCORE__TRY(alcore__grow(ctx, &normalizer->step, &normalizer->capacity, normalizer->count + 1,
                             sizeof *normalizer->step));
    *out = &normalizer->step[normalizer->count++];
    **out = (alcore__normalizer_step){.kind = kind};
    return ALCORE_OK;
}

alcore_status alcore__normalizer_add_bert(alcore_ctx *ctx, const alcore__bert_cleaning *cleaning,
                                          alcore__normalizer *out) {
    alcore__normalizer_step *step;
    ALCORE__TRY(new_step(ctx, out, ALCORE__NORMALIZER_BERT, &step));
    step->bert = *cleaning;
    return ALCORE_OK;
}

alcore_status alcore__normalizer_lower_first(alcore_ctx *ctx, alcore__normalizer *out) {
    alcore__normalizer_step *step;
    for (size_t i = 0; i < out->count; i++)
        if (out->step[i].kind == ALCORE__NORMALIZER_LOWERCASE) return ALCORE_OK;
    ALCORE__TRY(new_step(ctx, out, ALCORE__NORMALIZER_LOWERCASE, &step));
    const alcore__normalizer_step lower = *step;
    memmove(out->step + 1, out->step, (out->count - 1) * sizeof *out->step);
    out->step[0] = lower;
    return ALCORE_OK;
}

/* The map moves into the step, or is cleared after a failure; *map is empty in both cases. */
alcore_status alcore__normalizer_add_pieces(alcore_ctx *ctx, const alcore__pieces_rules *rules,
                                            alcore__precompiled_map *map, alcore__normalizer *out) {
    alcore__normalizer_step *step;
    const alcore_status status = new_step(ctx, out, ALCORE__NORMALIZER_PIECES, &step);
    if (status == ALCORE_OK) {
        step->map = *map;
        step->pieces = *rules;
    } else {
        alcore__precompiled_map_clear(ctx, map);
    }
    *map = (alcore__precompiled_map){0};
    return status;
}

/* BertNormalizer; what the file lacks has the default of the package tokenizers. */
static alcore_status read_bert(const alcore__part *part, alcore__normalizer *out) {
    alcore__bert_cleaning cleaning = {true, true, false, true};
    ALCORE__TRY(alcore__part_flag(part, "clean_text", &cleaning.clean_text));
    ALCORE__TRY(alcore__part_flag(part, "handle_chinese_chars", &cleaning.handle_chinese_chars));
    ALCORE__TRY(alcore__part_flag(part, "lowercase", &cleaning.lowercase));
    cleaning.strip_accents = cleaning.lowercase; /* null: as lowercase */
    ALCORE__TRY(alcore__part_flag(part, "strip_accents", &cleaning.strip_accents));
    return alcore__normalizer_add_bert(part->ctx, &cleaning, out);
}

static alcore_status read_replace(const alcore__part *part, alcore__normalizer_step *step) {
    ALCORE__TRY(alcore__pattern_read(part, &step->pattern));
    ALCORE__TRY(alcore__part_text(part, "content", &step->text));
    if (!step->text.text) return alcore__part_fail(part, ALCORE_E_DATA, "Replace has no content");
    return ALCORE_OK;
}

/* Precompiled: a map of zeros, where the file has an empty one, replaces nothing. */
static alcore_status read_map(const alcore__part *part, alcore__normalizer_step *step) {
    alcore__name base64 = {0};
    ALCORE__TRY(alcore__part_text(part, "precompiled_charsmap", &base64));
    if (base64.length == 0) return ALCORE_OK; /* a map without entries */
    const alcore_status status =
        alcore__precompiled_map_decode(part->ctx, base64.text, base64.length, &step->map);
    return status == ALCORE_E_DATA
               ? alcore__fail_within(status, "%s: %s", part->path, part->section)
               : status;
}

static alcore_status read_strip(const alcore__part *part, alcore__normalizer_step *step) {
    step->left = step->right = true;
    ALCORE__TRY(alcore__part_flag(part, "strip_left", &step->left));
    return alcore__part_flag(part, "strip_right", &step->right);
}

static alcore_status read_sequence(const alcore__part *part, alcore__normalizer *out) {
    alcore__part list, item;
    if (!alcore__part_member(part, "normalizers", &list))
        return alcore__part_fail(part, ALCORE_E_DATA, "Sequence has no normalizers");
    alcore__part_enter(&list);
    while (alcore__part_next(&list, &item)) ALCORE__TRY(alcore__normalizer_read(&item, out));
    return alcore__part_leave(&list);
}

/* The types of tokenizer.json by their names; form: of the kind FORM. */
static const struct {
    const char *type;
    alcore__normalizer_kind kind;
    alcore__normal_form form;
} types[] = {
    {"NFC", ALCORE__NORMALIZER_FORM, ALCORE__NFC},
    {"NFD", ALCORE__NORMALIZER_FORM, ALCORE__NFD},
    {"NFKC", ALCORE__NORMALIZER_FORM, ALCORE__NFKC},
    {"NFKD", ALCORE__NORMALIZER_FORM, ALCORE__NFKD},
    {"Lowercase", ALCORE__NORMALIZER_LOWERCASE, 0},
    {"StripAccents", ALCORE__NORMALIZER_STRIP_ACCENTS, 0},
    {"Strip", ALCORE__NORMALIZER_STRIP, 0},
    {"Replace", ALCORE__NORMALIZER_REPLACE, 0},
    {"Prepend", ALCORE__NORMALIZER_PREPEND, 0},
    {"Nmt", ALCORE__NORMALIZER_NMT, 0},
    {"Precompiled", ALCORE__NORMALIZER_PRECOMPILED, 0},
    {"ByteLevel", ALCORE__NORMALIZER_BYTE_LEVEL, 0},
};

/* Reads what the kind of a step needs. */
static alcore_status read_settings(const alcore__part *part, alcore__normalizer_step *step) {
    switch (step->kind) {
    case ALCORE__NORMALIZER_STRIP:
        return read_strip(part, step);
    case ALCORE__NORMALIZER_REPLACE:
        return read_replace(part, step);
    case ALCORE__NORMALIZER_PREPEND:
        ALCORE__TRY(alcore__part_text(part, "prepend", &step->text));
        return step->text.text
                   ? ALCORE_OK
                   : alcore__part_fail(part, ALCORE_E_DATA, "Prepend has nothing to prepend");
    case ALCORE__NORMALIZER_PRECOMPILED:
        return read_map(part, step);
    default:
        return ALCORE_OK;
    }
}

/* Appends the steps of a normalizer; those of a Sequence one after the other. */
alcore_status alcore__normalizer_read(const alcore__part *part, alcore__normalizer *out) {
    alcore__name type;
    ALCORE__TRY(alcore__part_type(part, &type));
    if (alcore__name_is(type, "Sequence")) return read_sequence(part, out);
    if (alcore__name_is(type, "BertNormalizer")) return read_bert(part, out);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (!alcore__name_is(type, types[i].type)) continue;
        alcore__normalizer_step *step;
        ALCORE__TRY(new_step(part->ctx, out, types[i].kind, &step));
        step->form = types[i].form;
        return read_settings(part, step);
    }
    return alcore__part_unknown(part, type);
}

void alcore__normalizer_keep_map(alcore_ctx *ctx, alcore__normalizer *normalizer) {
    size_t kept = 0;
    for (size_t i = 0; i < normalizer->count; i++) {
        if (normalizer->step[i].kind == ALCORE__NORMALIZER_PRECOMPILED && kept == 0)
            normalizer->step[kept++] = normalizer->step[i];
        else
            alcore__precompiled_map_clear(ctx, &normalizer->step[i].map);
    }
    normalizer->count = kept;
}

void alcore__normalizer_clear(alcore_ctx *ctx, alcore__normalizer *normalizer) {
    for (size_t i = 0; i < normalizer->count; i++)
        alcore__precompiled_map_clear(ctx, &normalizer->step[i].map);
    alcore__free(ctx, normalizer->step);
    *normalizer = (alcore__normalizer){0};
}
