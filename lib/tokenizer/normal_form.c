/* SPDX-License-Identifier: Apache-2.0 */
/* Normal forms (normal_form.h): the algorithm of Unicode (UAX 15), which decomposes every
 * character, sorts marks by their combining class, and composes pairs again; each character carries
 * its change along (alcore__change), as the package unicode-normalization-alignments has it.
 *
 * ASCII stays as it is: only runs of other characters are normalized, together with the character
 * of ASCII before them, with which they may compose. A run of characters of which none decomposes
 * or combines is copied. */
#include "tokenizer/normal_form.h"

#include <utf8proc.h>

#include "text/utf8.h"

/* MAX_PARTS: code points of the full decomposition of one character; Unicode has at most 18. */
enum { MAX_PARTS = 32, HANGUL_FIRST = 0xAC00, HANGUL_LAST = 0xD7A3 };

static bool is_compatible(alcore__normal_form form) {
    return form == ALCORE__NFKC || form == ALCORE__NFKD;
}

static bool is_composed(alcore__normal_form form) {
    return form == ALCORE__NFC || form == ALCORE__NFKC;
}

/* Whether a character stays as it is in every form, and (composed: the form composes) is never the
 * second of a pair that composes: those have an entry of utf8proc's table from 0x8000 on. Syllables
 * of Hangul decompose by arithmetic and have no entry. */
static bool is_inert(int32_t point, bool composed) {
    const utf8proc_property_t *property = utf8proc_get_property(point);
    if (property->combining_class != 0 || property->decomp_seqindex != UINT16_MAX) return false;
    if (point >= HANGUL_FIRST && point <= HANGUL_LAST) return false;
    if (!composed) return true;
    if (point >= 0x1160 && point < 0x1200) return false; /* second and third parts of a syllable */
    return property->comb_index == UINT16_MAX || property->comb_index < 0x8000;
}

/* Sorts the marks change [from, count) by combining class, stably, and their classes with them. */
static void sort_marks(alcore__change *change, uint8_t *classes, size_t from, size_t count) {
    for (size_t i = from + 1; i < count; i++) {
        const alcore__change moved = change[i];
        const uint8_t class = classes[i];
        size_t slot = i;
        for (; slot > from && classes[slot - 1] > class; slot--) {
            change[slot] = change[slot - 1];
            classes[slot] = classes[slot - 1];
        }
        change[slot] = moved;
        classes[slot] = class;
    }
}

/* The same by counting sort, for the rare long run, so that a hostile one does not take quadratic
 * time. */
static alcore_status sort_long(alcore_ctx *ctx, alcore__change *change, uint8_t *classes,
                               size_t from, size_t count) {
    const size_t length = count - from;
    size_t begin[257] = {0};
    alcore__change *copy;
    ALCORE__TRY(alcore__new_array(ctx, length, sizeof *copy, &copy));
    for (size_t i = from; i < count; i++) begin[classes[i] + 1]++;
    for (size_t c = 0; c < 256; c++) begin[c + 1] += begin[c];
    const size_t last = begin[256];
    size_t next[256]; /* index in copy of the next mark of each class */
    for (size_t c = 0; c < 256; c++) next[c] = begin[c];
    for (size_t i = from; i < count; i++) copy[next[classes[i]]++] = change[i];
    for (size_t c = 0; c < 256; c++)
        for (size_t i = begin[c]; i < (c < 255 ? begin[c + 1] : last); i++)
            classes[from + i] = (uint8_t)c;
    for (size_t i = 0; i < length; i++) change[from + i] = copy[i];
    alcore__free(ctx, copy);
    return ALCORE_OK;
}

/* Sorts the marks of s->decomposed from `from` on. */
static alcore_status sort_run(alcore_ctx *ctx, alcore__form_scratch *s, size_t from) {
    const size_t count = s->decomposed.count;
    if (count - from > 64) return sort_long(ctx, s->decomposed.change, s->classes, from, count);
    sort_marks(s->decomposed.change, s->classes, from, count);
    return ALCORE_OK;
}

/* Fills s->decomposed and s->classes with the full decomposition of text [length] in canonical
 * order. Of the parts of a character the first one stands for it, the others are added ones. */
static alcore_status decompose(alcore_ctx *ctx, const char *text, size_t length, bool compatible,
                               alcore__form_scratch *s) {
    size_t next = 0, polled = 0, marks = 0; /* decomposed[marks ..) are marks still to be sorted */
    s->decomposed.count = 0;
    while (next < length) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        const int32_t point = alcore__utf8_next(text, length, &next);
        utf8proc_int32_t parts[MAX_PARTS];
        int boundary = 0;
        utf8proc_ssize_t count = utf8proc_decompose_char(
            point, parts, MAX_PARTS,
            UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : (utf8proc_option_t)0), &boundary);
        if (count < 0 || count > MAX_PARTS) {
            parts[0] = point;
            count = 1;
        }
        ALCORE__TRY(alcore__grow(ctx, &s->classes, &s->classes_capacity,
                                 s->decomposed.count + (size_t)count, 1));
        for (utf8proc_ssize_t i = 0; i < count; i++) {
            const utf8proc_propval_t class = utf8proc_get_property(parts[i])->combining_class;
            if (class == 0) {
                ALCORE__TRY(sort_run(ctx, s, marks));
                marks = s->decomposed.count + 1;
            }
            s->classes[s->decomposed.count] = (uint8_t) class;
            ALCORE__TRY(alcore__changes_add(ctx, &s->decomposed, parts[i], i > 0));
        }
    }
    return marks < s->decomposed.count ? sort_run(ctx, s, marks) : ALCORE_OK;
}

/* The primary composite of two characters; -1: there is none. */
static int32_t compose_pair(int32_t first, int32_t second) {
    if (second == 0x11A7) return -1; /* utf8proc takes it for the last part of a syllable */
    utf8proc_int32_t pair[2] = {first, second};
    const utf8proc_ssize_t count =
        utf8proc_normalize_utf32(pair, 2, UTF8PROC_COMPOSE | UTF8PROC_STABLE);
    return count == 1 ? pair[0] : -1;
}

/* Fills s->composed from s->decomposed: a character composes with the last starter (class 0) unless
 * one that did not, of the same or a higher class, stands between them. The composite stands for
 * what both stood for: their changes are added, less 1 for the second one, so that an added mark
 * (1) changes nothing and one that stood for a character (0) is left out (-1). */
static alcore_status compose(alcore_ctx *ctx, alcore__form_scratch *s) {
    size_t starter = SIZE_MAX; /* of composed; SIZE_MAX: there is none yet */
    int last_class = -1;       /* of the last character between; -1: there is none */
    s->composed.count = 0;
    for (size_t i = 0, polled = 0; i < s->decomposed.count; i++) {
        ALCORE__TRY(alcore__poll_text(ctx, i, &polled));
        const alcore__change change = s->decomposed.change[i];
        const int class = s->classes[i];
        if (starter != SIZE_MAX && last_class < class) {
            alcore__change *base = &s->composed.change[starter];
            const int32_t composite = compose_pair(base->point, change.point);
            if (composite >= 0) {
                *base = (alcore__change){composite, base->change + change.change - 1};
                continue;
            }
        }
        if (class == 0) {
            starter = s->composed.count;
            last_class = -1;
        } else {
            last_class = class;
        }
        ALCORE__TRY(alcore__changes_add(ctx, &s->composed, change.point, change.change));
    }
    return ALCORE_OK;
}

/* The end of the run of characters beyond ASCII that begins at `begin`. *inert: none of them
 * decomposes or combines. */
static size_t find_run(const alcore__view *view, size_t begin, bool composed, bool *inert) {
    size_t next = begin;
    *inert = true;
    while (next < view->length && (unsigned char)view->text[next] >= 0x80) {
        const int32_t point = alcore__utf8_next(view->text, view->length, &next);
        *inert = *inert && is_inert(point, composed);
    }
    return next;
}

/* Whether the changes leave bytes begin .. end - 1 as they are. */
static bool is_unchanged(const alcore__view *view, size_t begin, size_t end,
                         const alcore__changes *changes) {
    size_t i = 0;
    while (begin < end) {
        if (i == changes->count || changes->change[i].change != 0) return false;
        if (alcore__utf8_next(view->text, end, &begin) != changes->change[i++].point) return false;
    }
    return i == changes->count;
}

/* Copies what stays as it is, and transforms runs beyond ASCII that change. done: bytes of the view
 * that are in out; next: where the next run is looked for. */
alcore_status alcore__apply_form(alcore_ctx *ctx, alcore__normal_form form,
                                 const alcore__view *view, alcore__form_scratch *scratch,
                                 alcore__aligned *out) {
    const bool composed = is_composed(form);
    size_t done = 0, next = 0, polled = 0;
    while (next < view->length) {
        ALCORE__TRY(alcore__poll_text(ctx, next, &polled));
        while (next < view->length && (unsigned char)view->text[next] < 0x80) next++;
        bool inert;
        const size_t end = find_run(view, next, composed, &inert);
        if (inert) {
            next = end;
            continue;
        }
        /* The last character of ASCII before the run may have a mark behind it. */
        const size_t begin = next > done ? next - 1 : next;
        ALCORE__TRY(decompose(ctx, view->text + begin, end - begin, is_compatible(form), scratch));
        if (composed) ALCORE__TRY(compose(ctx, scratch));
        const alcore__changes *changes = composed ? &scratch->composed : &scratch->decomposed;
        next = end;
        if (is_unchanged(view, begin, end, changes)) continue;
        ALCORE__TRY(alcore__aligned_reserve(ctx, out, begin - done));
        alcore__aligned_copy(out, view, done, begin);
        ALCORE__TRY(alcore__aligned_transform(ctx, view, begin, end, changes, out));
        done = end;
    }
    ALCORE__TRY(alcore__aligned_reserve(ctx, out, view->length - done));
    alcore__aligned_copy(out, view, done, view->length);
    return ALCORE_OK;
}

void alcore__form_scratch_clear(alcore_ctx *ctx, alcore__form_scratch *scratch) {
    alcore__changes_clear(ctx, &scratch->decomposed);
    alcore__changes_clear(ctx, &scratch->composed);
    alcore__free(ctx, scratch->classes);
    *scratch = (alcore__form_scratch){0};
}
