/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizers (normalizer.h): running the steps. normalizer_read.c reads them. */
#include "tokenizer/normalizer.h"

#include <string.h>
#include <utf8proc.h>

#include "text/utf8.h"
#include "tokenizer/bert_normalizer.h"
#include "tokenizer/byte_level.h"
#include "tokenizer/unicode_class.h"

/* A step that treats each character by itself: the code point that a character becomes; DROPPED:
 * none. */
enum { DROPPED = -1 };
typedef int32_t (*character_rule)(int32_t point);

static int32_t strip_accent(int32_t point) {
    return alcore__point_is_mark(point) ? DROPPED : point;
}

/* SentencePiece's rules for translation: control characters are dropped, and what looks like a
 * space becomes one. */
static int32_t nmt_rule(int32_t point) {
    if ((point >= 0x01 && point <= 0x08) || point == 0x0B || (point >= 0x0E && point <= 0x1F) ||
        point == 0x7F || point == 0x8F || point == 0x9F)
        return DROPPED;
    if (point == 0x09 || point == 0x0A || point == 0x0C || point == 0x0D || point == 0x1680 ||
        (point >= 0x200B && point <= 0x200F) || point == 0x2028 || point == 0x2029 ||
        point == 0x2581 || point == 0xFEFF || point == 0xFFFD)
        return ' ';
    return point;
}

static int32_t lower_rule(int32_t point) {
    return utf8proc_tolower(point);
}

/* Appends the text with the rule applied to each character; unchanged runs are copied as a whole.
 * U+0130 in lower case is two code points, which a rule cannot return, so that it is treated here.
 * A replacement of the same length leaves a plain text plain: one whose byte i stems from byte
 * origin + i of the original, so that it needs no table of sources. The view is well-formed UTF-8.
 * A replacement has four bytes at most; memory is made for the 8 of `bytes`. */
static alcore_status apply_rule(alcore_ctx *ctx, const alcore__view *view, character_rule rule,
                                alcore__aligned *out) {
    size_t done = 0, next = 0, polled = 0;
    while (next < view->length) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        const size_t begin = next;
        const int32_t point = alcore__utf8_next(view->text, view->length, &next);
        const int32_t becomes = rule(point);
        if (becomes == point && !(rule == lower_rule && point == 0x130)) continue;
        ALCORE__TRY(alcore__aligned_reserve(ctx, out, next - done + 8));
        alcore__aligned_copy(out, view, done, begin);
        done = next;
        char bytes[8];
        if (becomes == DROPPED) continue;
        size_t length = alcore__utf8_write(becomes, bytes);
        if (rule == lower_rule && point == 0x130) { /* I with a dot: i and a dot above */
            bytes[0] = 'i';
            length = 1 + alcore__utf8_write(0x307, bytes + 1);
        }
        if (out->plain && !view->source && length == next - begin &&
            out->origin + out->length == view->origin + begin) {
            memcpy(out->text + out->length, bytes, length);
            out->length += length;
            continue;
        }
        alcore__aligned_list_sources(out);
        alcore__aligned_put(out, bytes, length, alcore__view_source(view, begin, next));
    }
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, view->length - done));
    alcore__aligned_copy(out, view, done, view->length);
    return ALCORE_OK;
}

/* The text without white space at its ends, as a slice of the view. */
static alcore__view strip(const alcore__view *view, bool left, bool right) {
    size_t begin = 0, end = view->length;
    while (left && begin < end) {
        size_t next = begin;
        if (!alcore__utf8_is_space(alcore__utf8_next(view->text, view->length, &next))) break;
        begin = next;
    }
    while (right && end > begin) {
        size_t last = end - 1, next;
        while (((unsigned char)view->text[last] & 0xC0) == 0x80) last--;
        next = last;
        if (!alcore__utf8_is_space(alcore__utf8_next(view->text, view->length, &next))) break;
        end = last;
    }
    return alcore__view_slice(view, begin, end);
}

/* Replace: appends the text with every match replaced; what replaces it stems from the last
 * character of the match, as in the package tokenizers. After the last match, begin is the length.
 */
static alcore_status replace(alcore_ctx *ctx, const alcore__normalizer_step *step,
                             const alcore__view *view, alcore__aligned *out) {
    size_t done = 0, polled = 0, begin, end;
    for (;;) {
        ALCORE__TRY(alcore__poll_text(ctx, done, &polled));
        ALCORE__TRY(alcore__pattern_find(ctx, &step->pattern, view->text, view->length, done,
                                         &begin, &end));
        ALCORE__TRY(alcore__aligned_reserve(ctx, out, begin - done + step->text.length));
        alcore__aligned_copy(out, view, done, begin);
        if (begin == view->length) return ALCORE_OK;
        alcore__aligned_list_sources(out);
        alcore__aligned_put(out, step->text.text, step->text.length,
                            alcore__view_source(view, end - 1, end));
        done = end;
    }
}

/* Prepend: appends the text with `before` in front, which stems from the text's first character. An
 * empty text stays empty. */
static alcore_status prepend(alcore_ctx *ctx, alcore__name before, const alcore__view *view,
                             alcore__aligned *out) {
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, before.length + view->length));
    if (view->length > 0) {
        alcore__aligned_list_sources(out);
        alcore__aligned_put(out, before.text, before.length, alcore__view_source(view, 0, 1));
    }
    alcore__aligned_copy(out, view, 0, view->length);
    return ALCORE_OK;
}

/* Appends what a step makes of a text to *out, which has been started for it. STRIP only slices the
 * text, and is done by the caller. */
static alcore_status run_step(alcore_ctx *ctx, const alcore__normalizer_step *step,
                              const alcore__view *view, alcore__normalizer_scratch *scratch,
                              alcore__aligned *out) {
    switch (step->kind) {
    case ALCORE__NORMALIZER_BERT:
        return alcore__bert_normalize(ctx, &step->bert, view, out);
    case ALCORE__NORMALIZER_FORM:
        return alcore__apply_form(ctx, step->form, view, &scratch->form, out);
    case ALCORE__NORMALIZER_LOWERCASE:
        return apply_rule(ctx, view, lower_rule, out);
    case ALCORE__NORMALIZER_STRIP_ACCENTS:
        return apply_rule(ctx, view, strip_accent, out);
    case ALCORE__NORMALIZER_NMT:
        return apply_rule(ctx, view, nmt_rule, out);
    case ALCORE__NORMALIZER_REPLACE:
        return replace(ctx, step, view, out);
    case ALCORE__NORMALIZER_PREPEND:
        return prepend(ctx, step->text, view, out);
    case ALCORE__NORMALIZER_PRECOMPILED:
        return alcore__precompiled_map_apply(ctx, &step->map, view, &scratch->changes, out);
    case ALCORE__NORMALIZER_PIECES:
        return alcore__pieces_normalize(ctx, &step->pieces, &step->map, view, out);
    case ALCORE__NORMALIZER_BYTE_LEVEL:
        return alcore__byte_level_map(ctx, view, out);
    case ALCORE__NORMALIZER_STRIP:
        break;
    }
    return ALCORE_OK;
}

/* Runs the steps one after the other. Each reads *out, which lies in one of the two texts of
 * scratch (or is the caller's), and writes the other one. */
alcore_status alcore__normalizer_run(alcore_ctx *ctx, const alcore__normalizer *normalizer,
                                     const alcore__view *text, alcore__normalizer_scratch *scratch,
                                     alcore__view *out) {
    int turn = 0;
    *out = *text;
    for (size_t i = 0; i < normalizer->count; i++) {
        const alcore__normalizer_step *step = &normalizer->step[i];
        if (step->kind == ALCORE__NORMALIZER_STRIP) {
            *out = strip(out, step->left, step->right);
            continue;
        }
        alcore__aligned *made = &scratch->text[turn];
        ALCORE__TRY(alcore__aligned_start(ctx, made, out->origin, out->length));
        ALCORE__TRY(run_step(ctx, step, out, scratch, made));
        *out = alcore__aligned_view(made);
        turn = 1 - turn;
    }
    return ALCORE_OK;
}

void alcore__normalizer_scratch_clear(alcore_ctx *ctx, alcore__normalizer_scratch *scratch) {
    alcore__aligned_clear(ctx, &scratch->text[0]);
    alcore__aligned_clear(ctx, &scratch->text[1]);
    alcore__changes_clear(ctx, &scratch->changes);
    alcore__form_scratch_clear(ctx, &scratch->form);
}
