/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of the lines of tables (table_fields.h). */
#include "formats/table_fields.h"

#include <string.h>

/* The characters that a first line of CSV is searched for. */
static const char candidates[] = {',', ';', '\t'};
enum { CANDIDATES = sizeof candidates };

void alcore__fields_clear(alcore__fields *fields, alcore_ctx *ctx) {
    alcore__free(ctx, fields->items);
    *fields = (alcore__fields){0};
}

/* Appends a field, or counts it where `most` are kept already. */
static alcore_status add(alcore_ctx *ctx, alcore__fields *fields, size_t most, char *text,
                         size_t length) {
    if (most == 0 || fields->count < most) {
        ALCORE__TRY(alcore__grow(ctx, &fields->items, &fields->capacity, fields->count + 1,
                                 sizeof *fields->items));
        fields->items[fields->count] = (alcore__field){text, length};
    }
    fields->count++;
    return ALCORE_OK;
}

alcore_status alcore__fields_of_tsv(const alcore__line_reader *lines, char *text, size_t length,
                                    size_t most, alcore__fields *fields) {
    char *next = text, *end = text + length;
    fields->count = 0;
    for (;;) {
        char *tab = memchr(next, '\t', (size_t)(end - next)), *stop = tab ? tab : end;
        ALCORE__TRY(add(lines->ctx, fields, most, next, (size_t)(stop - next)));
        if (!tab) return ALCORE_OK;
        next = tab + 1;
    }
}

/* ---- CSV ---- */

/* Undoes the quotes of a field that begins with one at *next, in place. *next is then behind the
 * closing quote. number: of the field, from 1. */
static alcore_status unquote(const alcore__line_reader *lines, char **next, const char *end,
                             size_t number, size_t *out_length) {
    char *out = *next, *in = *next + 1;
    for (;;) {
        char *quote = memchr(in, '"', (size_t)(end - in));
        if (!quote)
            return alcore__lines_fail(lines, "the quote that opens field %zu is not closed",
                                      number);
        memmove(out, in, (size_t)(quote - in));
        out += quote - in;
        in = quote + 1;
        if (in == end || *in != '"') break;
        *out++ = *in++;
    }
    *out_length = (size_t)(out - *next);
    *next = in;
    if (in == end || *in == lines->quoting->delimiter) return ALCORE_OK;
    return alcore__lines_fail(
        lines,
        "field %zu goes on behind its closing quote; a quote inside a quoted field is written "
        "twice",
        number);
}

/* Checks a field without quotes around it: a line feed is there only where the delimiter of the
 * first line was not that of its quotes, and blanks before a quote would make the quotes a part of
 * the text. Carriage returns are counted for a warning. */
static alcore_status check_plain(const alcore__line_reader *lines, const char *text, size_t length,
                                 size_t number) {
    if (memchr(text, '\n', length))
        return alcore__lines_fail(lines, "field %zu has a line break outside quotes", number);
    for (const char *next = text; (next = memchr(next, '\r', length - (size_t)(next - text)));
         next++)
        lines->quoting->returns++;
    size_t blanks = 0;
    while (blanks < length && text[blanks] == ' ') blanks++;
    if (blanks > 0 && blanks < length && text[blanks] == '"')
        return alcore__lines_fail(lines,
                                  "field %zu has a space before its opening quote, which has to "
                                  "come first",
                                  number);
    return ALCORE_OK;
}

alcore_status alcore__fields_of_csv(const alcore__line_reader *lines, char *text, size_t length,
                                    size_t most, alcore__fields *fields) {
    char *next = text, *end = text + length;
    fields->count = 0;
    for (;;) {
        char *begin = next;
        size_t bytes = 0;
        if (next < end && *next == '"') {
            ALCORE__TRY(unquote(lines, &next, end, fields->count + 1, &bytes));
        } else {
            char *stop = memchr(next, lines->quoting->delimiter, (size_t)(end - next));
            next = stop ? stop : end;
            bytes = (size_t)(next - begin);
            ALCORE__TRY(check_plain(lines, begin, bytes, fields->count + 1));
        }
        ALCORE__TRY(add(lines->ctx, fields, most, begin, bytes));
        if (next == end) return ALCORE_OK;
        next++;
    }
}

/* ---- the delimiter of CSV ---- */

/* How often each candidate stands in the line outside quotes, counts [CANDIDATES]. */
static void count_candidates(const char *text, size_t length, size_t *counts) {
    bool inside = false, first = true; /* inside quotes; at the beginning of a field */
    memset(counts, 0, CANDIDATES * sizeof *counts);
    for (size_t i = 0; i < length; i++) {
        if (inside) {
            inside = text[i] != '"'; /* a doubled quote closes and opens again */
            first = !inside;
            continue;
        }
        inside = first && text[i] == '"';
        const char *known = memchr(candidates, text[i], CANDIDATES);
        if (known) counts[known - candidates]++;
        first = known;
    }
}

/* Whether the line, cut at the delimiter, fits. The line is copied, as cutting changes it. */
static alcore_status try_delimiter(const alcore__line_reader *lines, char delimiter,
                                   const char *text, size_t length, alcore__fields_fit fit,
                                   const void *user, alcore__fields *fields, bool *out_fits) {
    alcore__buffer copy = {0};
    ALCORE__TRY(alcore__buffer_append(lines->ctx, &copy, text, length));
    lines->quoting->delimiter = delimiter;
    const alcore_status status = alcore__fields_of_csv(lines, copy.data, length, 0, fields);
    *out_fits = status == ALCORE_OK && fit(user, fields);
    alcore__buffer_clear(lines->ctx, &copy);
    return status == ALCORE_E_DATA ? ALCORE_OK : status;
}

/* Of several candidates in the line the one with which it fits. */
static alcore_status choose_delimiter(const alcore__line_reader *lines, const char *text,
                                      size_t length, const size_t *counts, alcore__fields_fit fit,
                                      const void *user, alcore__fields *fields) {
    char chosen = 0;
    int32_t found = 0;
    for (int32_t i = 0; i < CANDIDATES; i++) {
        bool fits = false;
        if (counts[i] > 0)
            ALCORE__TRY(
                try_delimiter(lines, candidates[i], text, length, fit, user, fields, &fits));
        if (!fits) continue;
        chosen = candidates[i];
        found++;
    }
    lines->quoting->delimiter = chosen;
    if (found == 1) return ALCORE_OK;
    return alcore__lines_fail(
        lines,
        "which of comma, semicolon and TAB separates the columns cannot be told from the first "
        "line, \"%.*s\": put a line before it that says so, such as sep=;",
        (int)(length < 200 ? length : 200), text);
}

alcore_status alcore__csv_find_delimiter(const alcore__line_reader *lines, const char *text,
                                         size_t length, alcore__fields_fit fit, const void *user,
                                         alcore__fields *fields, bool *out_skip) {
    size_t counts[CANDIDATES];
    if (length == 5 && memcmp(text, "sep=", 4) == 0 && memchr(",;\t|", text[4], 4)) {
        lines->quoting->delimiter = text[4];
        *out_skip = true;
        return ALCORE_OK;
    }
    if (memchr(text, '\r', length))
        return alcore__lines_fail(lines,
                                  "lines that end in a carriage return are not read: convert "
                                  "them with tr '\\r' '\\n'");
    int32_t kinds = 0;
    lines->quoting->delimiter = candidates[0];
    count_candidates(text, length, counts);
    for (int32_t i = 0; i < CANDIDATES; i++) {
        if (counts[i] == 0) continue;
        lines->quoting->delimiter = candidates[i];
        kinds++;
    }
    return kinds < 2 ? ALCORE_OK : choose_delimiter(lines, text, length, counts, fit, user, fields);
}

void alcore__fields_list(const alcore__fields *fields, char out[200]) {
    out[0] = '\0';
    for (size_t i = 0; i < fields->count; i++) {
        const size_t used = strlen(out);
        if (used > 150) {
            alcore__format(out + used, 200 - used, ", ...");
            return;
        }
        const int shown = (int)(fields->items[i].length < 40 ? fields->items[i].length : 40);
        alcore__format(out + used, 200 - used, "%s\"%.*s\"", used ? ", " : "", shown,
                       fields->items[i].text);
    }
}
