/* SPDX-License-Identifier: Apache-2.0 */
/* The values of a JSON file (json_stream.h). The buffer has one value and what was read behind it;
 * it grows only for a value that does not fit. */
#include "formats/json_stream.h"

#include <string.h>

#include "formats/file_content.h"

#define FIRST_CAPACITY ((size_t)1 << 18)   /* bytes of the buffer at first */
#define MAX_VALUE_BYTES ((size_t)64 << 20) /* as of a line of text (line_reader.c) */
#define NOT_JSON "JSON is expected, a list or an object in each line"

/* Where the reading is. */
enum {
    AT_BEGIN, /* nothing was read */
    IN_LINES, /* a value a line */
    IN_LIST,  /* behind the bracket that opens the list, or behind an element */
    AT_END
};

alcore_status alcore__json_stream_open(alcore__json_stream *values, alcore_ctx *ctx,
                                       const char *path, const char *member) {
    *values = (alcore__json_stream){
        .ctx = ctx, .path = path, .member = member, .max_bytes = MAX_VALUE_BYTES};
    return alcore__stream_open(ctx, path, &values->stream);
}

alcore_status alcore__json_stream_fail(const alcore__json_stream *values, const char *format, ...) {
    va_list args;
    va_start(args, format);
    alcore__fail_v(ALCORE_E_DATA, format, args);
    va_end(args);
    return alcore__fail_within(ALCORE_E_DATA, "%s:%lld", values->path, (long long)values->line);
}

/* The error for what begins at buffer[begin]. */
static alcore_status fail_here(alcore__json_stream *values, const char *reason) {
    values->line = values->passed + 1;
    return alcore__json_stream_fail(values, "%s", reason);
}

/* Fails at the beginning of a file that is something else, which is told where it is known, such as
 * the archive in which a tool hands out its exports. */
static alcore_status fail_other(alcore__json_stream *values, const char *reason) {
    const char *const is = alcore__file_content(values->buffer, values->end);
    values->line = values->passed + 1;
    return is && strcmp(is, "JSON") != 0
               ? alcore__json_stream_fail(values, "%s; the file is %s", reason, is)
               : alcore__json_stream_fail(values, "%s", reason);
}

/* Reads on, so that more bytes are there, or the stream has ended. */
static alcore_status fill(alcore__json_stream *values) {
    const size_t unread = values->end - values->begin;
    size_t got = 0;
    int64_t done, total;
    if (unread > values->max_bytes) {
        values->line = values->passed + 1;
        return alcore__json_stream_fail(values, "a value of more than %zu bytes begins here",
                                        values->max_bytes);
    }
    if (values->begin > 0) memmove(values->buffer, values->buffer + values->begin, unread);
    values->begin = 0;
    values->end = unread;
    if (values->capacity - unread < FIRST_CAPACITY / 2)
        ALCORE__TRY(alcore__grow(values->ctx, &values->buffer, &values->capacity,
                                 unread < FIRST_CAPACITY / 2 ? FIRST_CAPACITY : 2 * unread, 1));
    ALCORE__TRY(alcore__stream_read(values->stream, values->buffer + unread,
                                    values->capacity - unread, &got));
    alcore__stream_position(values->stream, &done, &total);
    ALCORE__TRY(alcore__tick(values->ctx, "reading", done, total));
    values->end += got;
    values->ended = got == 0;
    return ALCORE_OK;
}

/* *out: the next byte that is no white space, which stays; 0 at the end of the file. */
static alcore_status peek(alcore__json_stream *values, char *out) {
    for (;; values->begin++) {
        if (values->begin == values->end) {
            *out = 0;
            if (values->ended) return ALCORE_OK;
            ALCORE__TRY(fill(values));
            if (values->begin == values->end) return ALCORE_OK;
        }
        *out = values->buffer[values->begin];
        values->passed += *out == '\n';
        if (*out != ' ' && *out != '\t' && *out != '\r' && *out != '\n') return ALCORE_OK;
    }
}

/* What was seen of a value whose end is looked for. */
typedef struct value_scan {
    size_t bytes; /* from buffer[begin] on */
    int64_t depth;
    bool in_string, escaped;
    bool done;
} value_scan;

/* Whether a byte outside of strings stands behind a number or a word. */
static bool ends_word(char c) {
    return c == ',' || c == ']' || c == '}' || c == ':' || c == ' ' || c == '\t' || c == '\r' ||
           c == '\n';
}

/* Moves over bytes outside of strings, up to the value's end or behind a quote. */
static void scan_outside(value_scan *scan, const char *text, size_t length) {
    while (scan->bytes < length) {
        const char c = text[scan->bytes];
        if (scan->depth == 0 && scan->bytes > 0 && ends_word(c)) {
            scan->done = true;
            return;
        }
        scan->bytes++;
        if (c == '"') {
            scan->in_string = true;
            return;
        }
        if (c == '{' || c == '[') scan->depth++;
        if ((c == '}' || c == ']') && --scan->depth <= 0) {
            scan->done = true;
            return;
        }
    }
}

/* Moves over bytes of a string, up to behind the quote that ends it. */
static void scan_inside(value_scan *scan, const char *text, size_t length) {
    while (scan->bytes < length) {
        const char c = text[scan->bytes++];
        if (scan->escaped) {
            scan->escaped = false;
        } else if (c == '\\') {
            scan->escaped = true;
        } else if (c == '"') {
            scan->in_string = false;
            scan->done = scan->depth == 0;
            return;
        }
    }
}

/* Hands out buffer[begin .. begin + bytes) and moves behind it. */
static void hand_out(alcore__json_stream *values, size_t bytes, char **out_text,
                     size_t *out_length) {
    char *text = values->buffer + values->begin;
    const char *end = text + bytes, *next = text;
    values->line = values->passed + 1;
    while ((next = memchr(next, '\n', (size_t)(end - next)))) {
        values->passed++;
        next++;
    }
    values->begin += bytes;
    *out_text = text;
    *out_length = bytes;
}

/* Hands out the value that begins at buffer[begin]. */
static alcore_status take_value(alcore__json_stream *values, char **out_text, size_t *out_length) {
    value_scan scan = {0};
    while (!scan.done) {
        const char *text = values->buffer + values->begin;
        const size_t unread = values->end - values->begin;
        if (scan.bytes < unread) {
            (scan.in_string ? scan_inside : scan_outside)(&scan, text, unread);
            continue;
        }
        if (values->ended) return fail_here(values, "the file ends within what begins here");
        ALCORE__TRY(fill(values));
    }
    hand_out(values, scan.bytes, out_text, out_length);
    return ALCORE_OK;
}

/* Hands out the next line that is not blank. */
static alcore_status take_line(alcore__json_stream *values, char **out_text, size_t *out_length) {
    char first;
    size_t bytes = 0;
    ALCORE__TRY(peek(values, &first));
    *out_text = NULL;
    if (first == 0 && values->begin == values->end) return ALCORE_OK;
    for (;;) {
        const size_t unread = values->end - values->begin;
        const char *text = values->buffer + values->begin;
        const char *newline = memchr(text + bytes, '\n', unread - bytes);
        bytes = newline ? (size_t)(newline - text) : unread;
        if (newline || values->ended) break;
        ALCORE__TRY(fill(values));
    }
    hand_out(values, bytes, out_text, out_length);
    return ALCORE_OK;
}

/* Moves over a character, such as the colon behind a key. */
static alcore_status take_char(alcore__json_stream *values, char wanted, const char *error) {
    char c;
    ALCORE__TRY(peek(values, &c));
    if (c != wanted) return fail_here(values, error);
    values->begin++;
    return ALCORE_OK;
}

/* In the outermost object: moves behind the bracket that opens the list, or over the members that
 * are left and the end of the object. */
static alcore_status pass_members(alcore__json_stream *values, bool fresh) {
    const size_t wanted = strlen(values->member);
    char c, *text, name[64];
    size_t length;
    for (;; fresh = false) {
        ALCORE__TRY(peek(values, &c));
        if (c == '}') {
            values->begin++;
            values->state = AT_END;
            return ALCORE_OK;
        }
        if (!fresh) ALCORE__TRY(take_char(values, ',', "a comma or } is expected"));
        ALCORE__TRY(peek(values, &c));
        if (c != '"') return fail_here(values, "a key in quotes is expected");
        ALCORE__TRY(take_value(values, &text, &length));
        const bool found = length == wanted + 2 && memcmp(text + 1, values->member, wanted) == 0;
        alcore__format(name, sizeof name, "%.*s", (int)(length - 2), text + 1);
        ALCORE__TRY(take_char(values, ':', "a colon is expected"));
        ALCORE__TRY(peek(values, &c));
        if (found && c == '[') {
            values->begin++;
            values->state = IN_LIST;
            return ALCORE_OK;
        }
        if (c == 0 || ends_word(c)) return fail_here(values, "a value is expected");
        ALCORE__TRY(take_value(values, &text, &length));
        if (values->head) ALCORE__TRY(values->head(values->user, name, text, length));
    }
}

/* At the beginning of the file: finds out what it is. */
static alcore_status begin(alcore__json_stream *values) {
    char c;
    while (values->end < 3 && !values->ended) ALCORE__TRY(fill(values));
    if (values->end >= 3 && memcmp(values->buffer, "\xEF\xBB\xBF", 3) == 0) values->begin = 3;
    ALCORE__TRY(alcore__check_no_utf16(values->path, values->buffer, values->end));
    ALCORE__TRY(peek(values, &c));
    values->blank = values->begin == values->end;
    if (c == '[' && !values->member) {
        values->begin++;
        values->state = IN_LIST;
        return ALCORE_OK;
    }
    if (c == '{' && values->member) {
        values->begin++;
        ALCORE__TRY(pass_members(values, true));
        if (values->state == IN_LIST) return ALCORE_OK;
        values->line = 1;
        return alcore__json_stream_fail(values, "the object has no list \"%s\"", values->member);
    }
    if (values->member)
        return fail_other(values, values->blank ? "the file is empty; a JSON object is expected"
                                                : "a JSON object is expected");
    if (c != '{' && values->begin < values->end) return fail_other(values, NOT_JSON);
    values->state = IN_LINES;
    return ALCORE_OK;
}

/* In the list: hands out the next element, or moves over the list's end. */
static alcore_status next_element(alcore__json_stream *values, bool fresh, char **out_text,
                                  size_t *out_length) {
    char c;
    ALCORE__TRY(peek(values, &c));
    if (c == ']') {
        values->begin++;
        values->state = AT_END;
        return values->member ? pass_members(values, false) : ALCORE_OK;
    }
    if (!fresh) ALCORE__TRY(take_char(values, ',', "a comma or ] is expected"));
    ALCORE__TRY(peek(values, &c));
    if (c == 0) return fail_here(values, "the list does not end");
    if (ends_word(c)) return fail_here(values, "a value is expected");
    return take_value(values, out_text, out_length);
}

alcore_status alcore__json_stream_next(alcore__json_stream *values, char **out_text,
                                       size_t *out_length) {
    const bool fresh = values->state == AT_BEGIN;
    char c;
    *out_text = NULL;
    if (fresh) ALCORE__TRY(begin(values));
    if (values->state == IN_LINES) return take_line(values, out_text, out_length);
    if (values->state == IN_LIST) ALCORE__TRY(next_element(values, fresh, out_text, out_length));
    if (values->state != AT_END) return ALCORE_OK;
    ALCORE__TRY(peek(values, &c));
    return values->begin == values->end ? ALCORE_OK : fail_here(values, "something follows it");
}

void alcore__json_stream_close(alcore__json_stream *values) {
    alcore__stream_close(values->stream);
    alcore__free(values->ctx, values->buffer);
    values->stream = NULL;
    values->buffer = NULL;
}
