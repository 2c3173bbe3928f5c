/* SPDX-License-Identifier: Apache-2.0 */
/* The line reader (line_reader.h). Each filling searches what is new from its end for the last \n;
 * the lines before it are then cut one by one. The buffer grows only for a line that does not fit,
 * so memory is at most a few times the longest line. */
#include "formats/line_reader.h"

#include <string.h>

#define FIRST_CAPACITY ((size_t)1 << 20)    /* bytes of the buffer at first */
#define DEFAULT_MAX_LINE ((size_t)64 << 20) /* bytes */

/* path is borrowed until the reader is closed. alcore__lines_close() is allowed after a failure. */
alcore_status alcore__lines_open(alcore__line_reader *lines, alcore_ctx *ctx, const char *path,
                                 int64_t max_line_bytes) {
    *lines = (alcore__line_reader){.ctx = ctx, .path = path};
    lines->max_line_bytes = max_line_bytes > 0 ? (size_t)max_line_bytes : DEFAULT_MAX_LINE;
    return alcore__stream_open(ctx, path, &lines->stream);
}

/* The text is formatted first and then gets "PATH:LINE: " before it. */
alcore_status alcore__lines_fail(const alcore__line_reader *lines, const char *format, ...) {
    va_list args;
    va_start(args, format);
    alcore__fail_v(ALCORE_E_DATA, format, args);
    va_end(args);
    return alcore__fail_within(ALCORE_E_DATA, "%s:%lld", lines->path, (long long)lines->line);
}

/* Moves the bytes of lines that were not handed out yet to the front of the buffer and makes sure
 * that at least half of FIRST_CAPACITY is free after them. */
static alcore_status make_capacity(alcore__line_reader *lines) {
    size_t unread = lines->end - lines->begin;
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, unread);
        lines->begin = 0;
        lines->end = unread;
    }
    if (lines->capacity - unread >= FIRST_CAPACITY / 2) return ALCORE_OK;
    return alcore__grow(lines->ctx, &lines->buffer, &lines->capacity,
                        unread < FIRST_CAPACITY / 2 ? FIRST_CAPACITY : 2 * unread, 1);
}

/* At the beginning of the file: moves over a byte order mark of UTF-8. UTF-16 is an error. */
static alcore_status check_begin(alcore__line_reader *lines) {
    if (lines->end >= 3 && memcmp(lines->buffer, "\xEF\xBB\xBF", 3) == 0) {
        lines->begin = 3;
        return ALCORE_OK;
    }
    return alcore__check_no_utf16(lines->path, lines->buffer, lines->end);
}

/* Checks that buffer[first .. end), which is new, has no NUL byte; the error names the line that it
 * stands in: before it are the lines->passed lines that were handed out and one for each line feed
 * from `begin` up to the NUL. */
static alcore_status check_nul(alcore__line_reader *lines, size_t first) {
    const char *nul = memchr(lines->buffer + first, 0, lines->end - first);
    if (!nul) return ALCORE_OK;
    lines->line = lines->passed;
    for (const char *next = lines->buffer + lines->begin;; next++) {
        next = memchr(next, '\n', (size_t)(nul - next));
        lines->line++;
        if (!next) break;
    }
    return alcore__lines_fail(lines, "a NUL byte: this is no text file");
}

/* The error for line lines->line, which is longer than the limit. */
static alcore_status fail_length(const alcore__line_reader *lines) {
    return alcore__lines_fail(lines, "the line is longer than %zu bytes", lines->max_line_bytes);
}

/* The error for the line that is being read, of which more bytes are there than a line may have.
 * Inside quotes the cause is most likely a quote too few or too many. */
static alcore_status fail_filling(alcore__line_reader *lines) {
    const alcore__quoting *quoting = lines->quoting;
    lines->line = lines->passed + 1;
    if (!quoting || !quoting->inside) return fail_length(lines);
    lines->line += quoting->opened;
    return alcore__lines_fail(lines, "no quote closes the one that opens here within %zu bytes",
                              lines->max_line_bytes);
}

/* Reads from the stream until buffer[begin .. scanned) has at least one whole line, or the stream
 * ends. New bytes are checked for NUL and searched for \r and the last \n. A line longer than
 * max_line_bytes fails here, before it is read whole. */
alcore_status alcore__lines_fill(alcore__line_reader *lines, bool *out_more) {
    *out_more = false;
    lines->scanned = 0;
    while (!lines->ended) {
        if (lines->end - lines->begin > lines->max_line_bytes + 1) /* 1: the CR of CR LF */
            return fail_filling(lines);
        ALCORE__TRY(make_capacity(lines));
        size_t got = 0, first = lines->end; /* what is new begins here */
        ALCORE__TRY(alcore__stream_read(lines->stream, lines->buffer + first,
                                        lines->capacity - first, &got));
        int64_t done, total;
        alcore__stream_position(lines->stream, &done, &total);
        ALCORE__TRY(alcore__tick(lines->ctx, "reading", done, total));
        lines->end += got;
        lines->bytes += (int64_t)got;
        lines->ended = got == 0;
        if (lines->pieces && got > 0) {
            lines->scanned = lines->end;
            *out_more = true;
            return ALCORE_OK;
        }
        if (!lines->begun) {
            if (lines->end < 3 && !lines->ended) continue;
            first = 0;
            lines->begun = true;
            ALCORE__TRY(check_begin(lines));
        }
        got = lines->end - first;
        ALCORE__TRY(check_nul(lines, first));
        /* once one was met, alcore__lines_next() searches every line */
        lines->has_return = lines->has_return || memchr(lines->buffer + first, '\r', got);
        char *last = memrchr(lines->buffer + first, '\n', got);
        if (lines->ended || lines->quoting)
            lines->scanned = lines->end; /* the last line may lack its newline */
        else if (last)
            lines->scanned = (size_t)(last + 1 - lines->buffer);
        if (lines->scanned > lines->begin) {
            *out_more = true;
            return ALCORE_OK;
        }
    }
    return ALCORE_OK;
}

/* Counts the \r inside a line. */
static void count_inner(alcore__line_reader *lines, const char *text, size_t length) {
    const char *end = text + length;
    while ((text = memchr(text, '\r', (size_t)(end - text)))) {
        lines->inner_returns++;
        text++;
    }
}

/* Cuts the next line of CSV off buffer[begin .. end), which is not empty. Lines may end in CR LF if
 * the first one does; else the CR may belong to the last field, as pandas writes it. */
static alcore_status next_quoted(alcore__line_reader *lines, char **out_text, size_t *out_length) {
    alcore__quoting *quoting = lines->quoting;
    char *text = lines->buffer + lines->begin;
    const size_t unread = lines->end - lines->begin;
    size_t length;
    const bool newline = alcore__csv_find_end(quoting, text, unread, lines->ended, &length);
    if (!newline && !lines->ended) return ALCORE_OK;
    lines->line = lines->passed + 1;
    if (!newline && quoting->inside) {
        lines->broken = true;
        lines->line += quoting->opened;
        return alcore__lines_fail(lines, "no quote closes the one that opens here");
    }
    lines->begin += length + newline;
    lines->passed += quoting->breaks + 1;
    quoting->searched = 0;
    quoting->breaks = 0;
    quoting->inside = false;
    const bool returned = newline && length > 0 && text[length - 1] == '\r';
    if (lines->line == 1) quoting->has_returns = returned;
    lines->carriage_returns += returned && !quoting->has_returns;
    *out_length = length - returned;
    if (*out_length > lines->max_line_bytes) return fail_length(lines);
    *out_text = text;
    return ALCORE_OK;
}

/* Cuts the next line off buffer[begin .. scanned), without its \n and one \r before that; *out_text
 * is NULL when there is none. */
alcore_status alcore__lines_next(alcore__line_reader *lines, char **out_text, size_t *out_length) {
    *out_text = NULL;
    if (lines->begin >= lines->scanned) return ALCORE_OK;
    if (lines->quoting) return next_quoted(lines, out_text, out_length);
    char *text = lines->buffer + lines->begin;
    if (lines->pieces) {
        *out_text = text;
        *out_length = lines->end - lines->begin;
        lines->begin = lines->end;
        lines->line = ++lines->passed;
        return ALCORE_OK;
    }
    size_t unread = lines->scanned - lines->begin;
    const char *newline = memchr(text, '\n', unread);
    size_t length = newline ? (size_t)(newline - text) : unread;
    lines->begin += length + (newline != NULL);
    lines->line = ++lines->passed;
    if (lines->has_return) {
        if (newline && length > 0 && text[length - 1] == '\r') {
            length--;
            lines->carriage_returns++;
        }
        count_inner(lines, text, length);
    }
    if (length > lines->max_line_bytes) return fail_length(lines);
    *out_text = text;
    *out_length = length;
    return ALCORE_OK;
}

/* Warns once per file of lines that ended in \r\n and of \r inside lines. */
void alcore__lines_report(alcore__line_reader *lines) {
    if (lines->quoting) lines->inner_returns += lines->quoting->returns;
    if (lines->carriage_returns > 0)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld lines end in CR LF, the CR is dropped", lines->path,
                    (long long)lines->carriage_returns);
    if (lines->inner_returns > 0)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld carriage returns inside lines stay, only LF ends a line", lines->path,
                    (long long)lines->inner_returns);
}

alcore_status alcore__lines_each(alcore__line_reader *lines, alcore__line_sink sink, void *user) {
    for (bool more = true; more;) {
        char *text;
        size_t length;
        ALCORE__TRY(alcore__lines_next(lines, &text, &length));
        ALCORE__TRY(text ? sink(user, lines, text, length) : alcore__lines_fill(lines, &more));
    }
    alcore__lines_report(lines);
    return ALCORE_OK;
}

void alcore__lines_close(alcore__line_reader *lines) {
    alcore__stream_close(lines->stream);
    alcore__free(lines->ctx, lines->buffer);
    lines->stream = NULL;
    lines->buffer = NULL;
}
