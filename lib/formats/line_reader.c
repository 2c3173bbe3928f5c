/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/line_reader.h"

#include <string.h>

#define FIRST_CAPACITY ((size_t)1 << 20)
#define DEFAULT_MAX_LINE ((size_t)64 << 20)

alcore_status alcore__lines_open(alcore__line_reader *lines, alcore_ctx *ctx, const char *path,
                                 int64_t max_line_bytes) {
    *lines = (alcore__line_reader){.ctx = ctx, .path = path};
    lines->max_line_bytes = max_line_bytes > 0 ? (size_t)max_line_bytes : DEFAULT_MAX_LINE;
    return alcore__stream_open(ctx, path, &lines->stream);
}

alcore_status alcore__lines_fail(const alcore__line_reader *lines, const char *format, ...) {
    va_list args;
    va_start(args, format);
    alcore__fail_v(ALCORE_E_DATA, format, args);
    va_end(args);
    return alcore__fail_within(ALCORE_E_DATA, "%s:%lld", lines->path, (long long)lines->line);
}

/* The line that is not whole yet moves to the front, and there is room behind it. */
static alcore_status make_room(alcore__line_reader *lines) {
    size_t rest = lines->end - lines->begin;
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, rest);
        lines->begin = 0;
        lines->end = rest;
    }
    if (lines->capacity - rest >= FIRST_CAPACITY / 2) return ALCORE_OK;
    return alcore__grow(lines->ctx, &lines->buffer, &lines->capacity,
                        rest < FIRST_CAPACITY / 2 ? FIRST_CAPACITY : 2 * rest, 1);
}

/* What a file may begin with. */
static alcore_status check_begin(alcore__line_reader *lines) {
    const unsigned char *bytes = (const unsigned char *)lines->buffer;
    if (lines->end >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        lines->begin = 3;
    } else if (lines->end >= 2 && (bytes[0] ^ bytes[1]) == 1 && bytes[0] >= 0xFE) {
        const char *name = bytes[0] == 0xFF ? "UTF-16LE" : "UTF-16BE";
        return alcore__fail(ALCORE_E_DATA, "%s is %s text: convert it with iconv -f %s -t UTF-8",
                            lines->path, name, name);
    }
    return ALCORE_OK;
}

static alcore_status check_nul(alcore__line_reader *lines, size_t from) {
    const char *nul = memchr(lines->buffer + from, 0, lines->end - from);
    if (!nul) return ALCORE_OK;
    for (const char *at = lines->buffer + lines->begin;; at++) {
        at = memchr(at, '\n', (size_t)(nul - at));
        lines->line++;
        if (!at) break;
    }
    return alcore__lines_fail(lines, "a NUL byte: this is no text file");
}

static alcore_status fail_length(const alcore__line_reader *lines) {
    return alcore__lines_fail(lines, "the line is longer than %zu bytes", lines->max_line_bytes);
}

alcore_status alcore__lines_fill(alcore__line_reader *lines, bool *out_more) {
    *out_more = false;
    lines->scanned = 0;
    while (!lines->ended) {
        if (lines->end - lines->begin > lines->max_line_bytes + 1) { /* 1: the CR of CR LF */
            lines->line++;
            return fail_length(lines);
        }
        ALCORE__TRY(make_room(lines));
        size_t got = 0, from = lines->end;
        ALCORE__TRY(
            alcore__stream_read(lines->stream, lines->buffer + from, lines->capacity - from, &got));
        int64_t done, total;
        alcore__stream_position(lines->stream, &done, &total);
        ALCORE__TRY(alcore__tick(lines->ctx, "reading", done, total));
        lines->end += got;
        lines->bytes += (int64_t)got;
        lines->ended = got == 0;
        if (!lines->begun) {
            if (lines->end < 3 && !lines->ended) continue;
            from = 0;
            lines->begun = true;
            ALCORE__TRY(check_begin(lines));
        }
        got = lines->end - from;
        ALCORE__TRY(check_nul(lines, from));
        /* Once one was seen, every line is searched for more. */
        lines->has_return = lines->has_return || memchr(lines->buffer + from, '\r', got);
        char *last = memrchr(lines->buffer + from, '\n', got);
        if (lines->ended)
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

static void count_inner(alcore__line_reader *lines, const char *text, size_t length) {
    const char *end = text + length;
    while ((text = memchr(text, '\r', (size_t)(end - text)))) {
        lines->inner_returns++;
        text++;
    }
}

alcore_status alcore__lines_next(alcore__line_reader *lines, char **out_text, size_t *out_length) {
    *out_text = NULL;
    if (lines->begin >= lines->scanned) return ALCORE_OK;
    char *text = lines->buffer + lines->begin;
    size_t rest = lines->scanned - lines->begin;
    const char *newline = memchr(text, '\n', rest);
    size_t length = newline ? (size_t)(newline - text) : rest;
    lines->begin += length + (newline != NULL);
    lines->line++;
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

void alcore__lines_report(alcore__line_reader *lines) {
    if (lines->carriage_returns > 0)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld lines end in CR LF, the CR is dropped", lines->path,
                    (long long)lines->carriage_returns);
    if (lines->inner_returns > 0)
        alcore__log(lines->ctx, ALCORE_LOG_WARN, "formats", NULL,
                    "%s: %lld carriage returns inside lines stay, only LF ends a line", lines->path,
                    (long long)lines->inner_returns);
}

void alcore__lines_close(alcore__line_reader *lines) {
    alcore__stream_close(lines->stream);
    alcore__free(lines->ctx, lines->buffer);
    lines->stream = NULL;
    lines->buffer = NULL;
}
