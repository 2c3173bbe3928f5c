/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/escape.h"

#include <stdio.h>
#include <string.h>

#include "text/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* What stands for the byte at text[*at]: NULL for itself. May move *at over more bytes that it
 * stands for. */
typedef const char *(*replace)(const char *text, size_t length, size_t *at, char scratch[8]);

static alcore_status append_replaced(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                     size_t length, replace with) {
    size_t plain = 0, at = 0;
    while (at < length) {
        char scratch[8];
        size_t before = at;
        const char *other = with(text, length, &at, scratch);
        if (!other) continue;
        ALCORE__TRY(alcore__buffer_append(ctx, out, text + plain, before - plain));
        ALCORE__TRY(alcore__buffer_append(ctx, out, other, strlen(other)));
        plain = at;
    }
    return alcore__buffer_append(ctx, out, text + plain, length - plain);
}

static const char *tsv_replace(const char *text, size_t length, size_t *at, char scratch[8]) {
    (void)length, (void)scratch;
    char c = text[(*at)++];
    return c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\\' ? "\\\\" : NULL;
}

alcore_status alcore__tsv_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                 size_t length) {
    return append_replaced(ctx, out, text, length, tsv_replace);
}

size_t alcore__tsv_unescape(char *text, size_t length) {
    char *slash = memchr(text, '\\', length), *end = text + length;
    if (!slash) return length;
    char *to = slash, *from = slash;
    while (from < end) {
        char next = *from == '\\' && from + 1 < end ? from[1] : 0;
        char meant = next == 't' ? '\t' : next == 'n' ? '\n' : next == '\\' ? '\\' : 0;
        *to++ = meant ? meant : *from;
        from += meant ? 2 : 1;
    }
    return (size_t)(to - text);
}

static const char *csv_replace(const char *text, size_t length, size_t *at, char scratch[8]) {
    (void)length, (void)scratch;
    return text[(*at)++] == '"' ? "\"\"" : NULL;
}

alcore_status alcore__csv_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                 size_t length) {
    bool quote = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');
    for (size_t i = 0; i < length && !quote; i++)
        quote = text[i] == '"' || text[i] == ',' || text[i] == '\n' || text[i] == '\r';
    if (!quote) return alcore__buffer_append(ctx, out, text, length);
    ALCORE__TRY(alcore__buffer_append(ctx, out, "\"", 1));
    ALCORE__TRY(append_replaced(ctx, out, text, length, csv_replace));
    return alcore__buffer_append(ctx, out, "\"", 1);
}

static const char *json_replace(const char *text, size_t length, size_t *at, char scratch[8]) {
    int32_t point = alcore__utf8_next(text, length, at);
    if (point >= 0x20 && point != '"' && point != '\\') return NULL;
    switch (point) {
    case -1:
        return REPLACEMENT;
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        snprintf(scratch, 8, "\\u%04x", (unsigned)point & 0x1F);
        return scratch;
    }
}

alcore_status alcore__json_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                  size_t length) {
    ALCORE__TRY(alcore__buffer_append(ctx, out, "\"", 1));
    ALCORE__TRY(append_replaced(ctx, out, text, length, json_replace));
    return alcore__buffer_append(ctx, out, "\"", 1);
}

static const char *xml_replace(const char *text, size_t length, size_t *at, char scratch[8]) {
    (void)scratch;
    int32_t point = alcore__utf8_next(text, length, at);
    switch (point) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\r':
        return "&#13;"; /* a bare one would be read as a newline */
    default:
        break;
    }
    bool allowed =
        point >= 0x20 ? point != 0xFFFE && point != 0xFFFF : point == '\t' || point == '\n';
    return allowed ? NULL : REPLACEMENT;
}

alcore_status alcore__xml_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                 size_t length) {
    return append_replaced(ctx, out, text, length, xml_replace);
}
