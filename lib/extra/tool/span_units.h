/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of spans, which tools count in code points, UTF-16 code units or bytes, as code points
 * and back.
 *
 * A text is gone through once and marked every 256 code points, so that an offset costs a search
 * among the marks and at most 255 steps, in whatever order spans come. */
#ifndef ALCORE__SPAN_UNITS_H
#define ALCORE__SPAN_UNITS_H

#include "alcore/extra/tool.h"
#include "base/base.h"

typedef struct alcore__span_mark alcore__span_mark;

/* A text whose offsets are asked for. A struct of zeros has none; it may begin one text after
 * another. */
typedef struct alcore__span_text {
    const char *text;           /* borrowed, UTF-8 */
    size_t length;              /* bytes */
    int32_t unit;               /* ALCORE_SPAN_* */
    int64_t units, code_points; /* of the whole text */
    alcore__span_mark *marks;   /* owned: mark m is before code point 256 m */
    size_t mark_count, capacity;
} alcore__span_text;

/* Begins a text in a unit. ALCORE_E_NOMEM. */
alcore_status alcore__span_text_begin(alcore_ctx *ctx, alcore__span_text *self, const char *text,
                                      size_t length, int32_t unit);
/* The code points before an offset in units; -1: it is beyond the text, or within a character. */
int64_t alcore__span_text_code_points(const alcore__span_text *self, int64_t offset);
/* The units before a code point; -1: it is beyond the text. */
int64_t alcore__span_text_units(const alcore__span_text *self, int64_t code_points);
void alcore__span_text_clear(alcore_ctx *ctx, alcore__span_text *self);

#endif
