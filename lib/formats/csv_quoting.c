/* SPDX-License-Identifier: Apache-2.0 */
/* Where a line of CSV ends (csv_quoting.h). The search jumps from quote to quote, and is taken up
 * where it stopped when more bytes have come, so that a line of many readings costs one pass. */
#include "formats/csv_quoting.h"

#include <string.h>

/* Whether a quote is the first character of a field. */
static bool opens(const alcore__quoting *self, const char *line, const char *quote) {
    if (quote == line) return true;
    const char before = quote[-1];
    return self->delimiter ? before == self->delimiter
                           : before == ',' || before == ';' || before == '\t';
}

static int64_t count_breaks(const char *begin, const char *end) {
    int64_t count = 0;
    while ((begin = memchr(begin, '\n', (size_t)(end - begin)))) {
        count++;
        begin++;
    }
    return count;
}

/* The quote that opens a field in [next .. end), or NULL. */
static const char *find_opening(const alcore__quoting *self, const char *line, const char *next,
                                const char *end) {
    while ((next = memchr(next, '"', (size_t)(end - next))) && !opens(self, line, next)) next++;
    return next;
}

/* Moves *next behind the quote that closes, or to where the search goes on when more bytes have
 * come, which is false: a quote that is the last byte may be the first one of two. */
static bool find_closing(alcore__quoting *self, const char **next, const char *end, bool ended) {
    for (;;) {
        const char *quote = memchr(*next, '"', (size_t)(end - *next));
        self->breaks += count_breaks(*next, quote ? quote : end);
        *next = quote ? quote : end;
        if (!quote || (quote + 1 == end && !ended)) return false;
        *next = quote + 1;
        if (*next == end || **next != '"') return true;
        ++*next;
    }
}

bool alcore__csv_find_end(alcore__quoting *self, const char *line, size_t bytes, bool ended,
                          size_t *out_length) {
    const char *end = line + bytes, *next = line + self->searched;
    for (;;) {
        if (!self->inside) {
            const char *newline = memchr(next, '\n', (size_t)(end - next));
            const char *quote = find_opening(self, line, next, newline ? newline : end);
            if (!quote) {
                *out_length = newline ? (size_t)(newline - line) : bytes;
                self->searched = *out_length;
                return newline;
            }
            self->inside = true;
            self->opened = self->breaks;
            next = quote + 1;
        }
        self->inside = !find_closing(self, &next, end, ended);
        self->searched = (size_t)(next - line);
        if (self->inside) return false;
    }
}
