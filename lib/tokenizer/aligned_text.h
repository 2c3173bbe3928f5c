/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that remember where they come from. Normalizers and pre-tokenizers rewrite a text; each
 * byte of what they make keeps the range of the original text that it stems from, so that the span
 * of a token is known at the end.
 *
 * Most texts are not changed at all, or only letter by letter within ASCII: they are `plain`, and
 * need no table of sources, because byte i stems from byte origin + i. */
#ifndef ALCORE__ALIGNED_TEXT_H
#define ALCORE__ALIGNED_TEXT_H

#include "base/base.h"

/* A range of bytes of the original text. */
typedef struct alcore__source {
    uint32_t begin, end; /* the first, and the one after the last */
} alcore__source;

/* A text in somebody else's memory. Its bytes are well-formed UTF-8. */
typedef struct alcore__view {
    const char *text;             /* [length] */
    const alcore__source *source; /* [length] what each byte stems from, the same for all bytes of a
                                   * character; NULL: the text is plain */
    size_t length;
    uint32_t origin; /* byte of the original text that the first one stems from */
} alcore__view;

/* A text that owns its memory. A struct of zeros is an empty one. */
typedef struct alcore__aligned {
    char *text;             /* [length] */
    alcore__source *source; /* [length], set unless the text is plain */
    size_t length, text_capacity, source_capacity;
    uint32_t origin; /* as in alcore__view */
    bool plain;
} alcore__aligned;

/* A character of a text that replaces another (alcore__aligned_transform()). */
typedef struct alcore__change {
    int32_t point; /* code point */
    /* 0: it stands for one character of the old text; 1: it is added, and shares the source of the
     * old character before it; -n: it stands for one, and the n characters after that one are left
     * out */
    int32_t change;
} alcore__change;

/* Changes, collected before they are applied. A struct of zeros is an empty list. */
typedef struct alcore__changes {
    alcore__change *change; /* [count], owned */
    size_t count, capacity;
} alcore__changes;

/* Polls cancellation every 64 Ki steps of a loop: `place` is where the loop stands, a byte of a
 * text or an index, *polled where it last polled, at first where the loop begins. */
static inline alcore_status alcore__poll_text(alcore_ctx *ctx, size_t place, size_t *polled) {
    enum { POLL_BYTES = 1 << 16 };
    if (place - *polled < POLL_BYTES) return ALCORE_OK;
    *polled = place;
    return alcore__tick(ctx, NULL, 0, 0);
}

alcore__view alcore__aligned_view(const alcore__aligned *text);
/* The bytes begin .. end - 1 of a view, as a text of its own. begin and end are at characters. */
alcore__view alcore__view_slice(const alcore__view *view, size_t begin, size_t end);
/* What bytes begin .. end - 1 of a text stem from; begin < end. */
alcore__source alcore__view_source(const alcore__view *view, size_t begin, size_t end);

/* Empties a text and makes it plain, from the origin on, with memory for `bytes` bytes. A function
 * that appends to a text "that has been started for it" expects this call, with the origin and the
 * length of the view that it reads. */
alcore_status alcore__aligned_start(alcore_ctx *ctx, alcore__aligned *text, uint32_t origin,
                                    size_t bytes);
/* Makes sure that `bytes` more bytes fit. */
alcore_status alcore__aligned_reserve(alcore_ctx *ctx, alcore__aligned *text, size_t bytes);
/* Writes the table of sources of a plain text, which is not plain any more. */
void alcore__aligned_list_sources(alcore__aligned *text);
/* Append to a text that has memory for it (alcore__aligned_reserve()). _put: bytes that all stem
 * from `source`; the text is not plain. _copy: bytes begin .. end - 1 of a view; a plain text stays
 * plain if the bytes continue it in the original. */
void alcore__aligned_put(alcore__aligned *text, const char *bytes, size_t length,
                         alcore__source source);
void alcore__aligned_copy(alcore__aligned *text, const alcore__view *from, size_t begin,
                          size_t end);
void alcore__aligned_clear(alcore_ctx *ctx, alcore__aligned *text);

alcore_status alcore__changes_add(alcore_ctx *ctx, alcore__changes *changes, int32_t point,
                                  int32_t change);
void alcore__changes_clear(alcore_ctx *ctx, alcore__changes *changes);
/* Appends to *out what changes make of bytes begin .. end - 1 of a view. The rule by which each
 * character gets its source is the one of the package tokenizers (NormalizedString::transform). */
alcore_status alcore__aligned_transform(alcore_ctx *ctx, const alcore__view *view, size_t begin,
                                        size_t end, const alcore__changes *changes,
                                        alcore__aligned *out);

#endif
