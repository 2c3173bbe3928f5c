/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets of spans in other units (span_units.h). */
#include "extra/tool/span_units.h"

#include "text/utf8.h"

enum { MARK_POINTS = 256 };

/* A place of the text: how much is before it. */
struct alcore__span_mark {
    size_t byte;
    int64_t units;
};

/* Units of the code point that begins at byte *next, which moves behind it. */
static int64_t step(const alcore__span_text *self, size_t *next) {
    const size_t before = *next;
    const int32_t point = alcore__utf8_next(self->text, self->length, next);
    if (self->unit == ALCORE_SPAN_BYTES) return (int64_t)(*next - before);
    return self->unit == ALCORE_SPAN_UTF16 && point > 0xFFFF ? 2 : 1;
}

alcore_status alcore__span_text_begin(alcore_ctx *ctx, alcore__span_text *self, const char *text,
                                      size_t length, int32_t unit) {
    self->text = text;
    self->length = length;
    self->unit = unit;
    self->units = self->code_points = 0;
    self->mark_count = 0;
    for (size_t next = 0; next < length; self->code_points++) {
        if (self->code_points % MARK_POINTS == 0) {
            ALCORE__TRY(alcore__grow(ctx, &self->marks, &self->capacity, self->mark_count + 1,
                                     sizeof *self->marks));
            self->marks[self->mark_count++] = (alcore__span_mark){next, self->units};
        }
        self->units += step(self, &next);
    }
    return ALCORE_OK;
}

/* The last mark at or before an offset in units. */
static size_t find_mark(const alcore__span_text *self, int64_t offset) {
    size_t low = 0, high = self->mark_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (self->marks[middle].units <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t alcore__span_text_code_points(const alcore__span_text *self, int64_t offset) {
    if (offset < 0 || offset > self->units) return -1;
    if (offset == self->units) return self->code_points;
    const size_t mark = find_mark(self, offset);
    size_t next = self->marks[mark].byte;
    int64_t units = self->marks[mark].units, points = (int64_t)mark * MARK_POINTS;
    for (; units < offset; points++) units += step(self, &next);
    return units == offset ? points : -1;
}

int64_t alcore__span_text_units(const alcore__span_text *self, int64_t code_points) {
    if (code_points < 0 || code_points > self->code_points) return -1;
    if (code_points == self->code_points) return self->units;
    const alcore__span_mark *mark = &self->marks[code_points / MARK_POINTS];
    size_t next = mark->byte;
    int64_t units = mark->units;
    for (int64_t i = code_points % MARK_POINTS; i > 0; i--) units += step(self, &next);
    return units;
}

void alcore__span_text_clear(alcore_ctx *ctx, alcore__span_text *self) {
    alcore__free(ctx, self->marks);
    *self = (alcore__span_text){0};
}
