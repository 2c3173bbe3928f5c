/* SPDX-License-Identifier: Apache-2.0 */
/* Escaping of texts (escape.h). One loop, append_replaced(), copies the runs between the characters
 * that a format's function replaces. */
#include "formats/escape.h"

#include <stdio.h>
#include <string.h>

#include "text/utf8.h"

#define REPLACEMENT "\xEF\xBF\xBD"

/* The replacement of the character at text[*next], NUL-terminated, or NULL when it stays. Moves
 * *next behind the character, which may have several bytes. scratch: memory for a replacement that
 * is built. */
typedef const char *(*replace)(const char *text, size_t length, size_t *next, char scratch[8]);

/* Appends text [length] with each character replaced as `with` says. */
static alcore_status append_replaced(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                     size_t length, replace with) {
    size_t plain = 0, next = 0; /* text[plain .. next) is copied as it stands */
    while (next < length) {
        char scratch[8];
        size_t before = next;
        const char *replacement = with(text, length, &next, scratch);
        if (!replacement) continue;
        ALCORE__TRY(alcore__buffer_append(ctx, out, text + plain, before - plain));
        ALCORE__TRY(alcore__buffer_append(ctx, out, replacement, strlen(replacement)));
        plain = next;
    }
    return alcore__buffer_append(ctx, out, text + plain, length - plain);
}

/* replace for fields of TSV: TAB, newline and backslash. */
static const char *tsv_replace(const char *text, size_t length, size_t *next, char scratch[8]) {
    (void)length, (void)scratch;
    char c = text[(*next)++];
    return c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\\' ? "\\\\" : NULL;
}

alcore_status alcore__tsv_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                 size_t length) {
    return append_replaced(ctx, out, text, length, tsv_replace);
}

/* Replaces \t, \n and \\ in text [length] in place and returns the new length. Texts without a
 * backslash, nearly all, are only searched. */
size_t alcore__tsv_unescape(char *text, size_t length) {
    char *slash = memchr(text, '\\', length), *end = text + length;
    if (!slash) return length;
    char *out = slash, *in = slash;
    while (in < end) {
        char next = *in == '\\' && in + 1 < end ? in[1] : 0;
        char meant = next == 't' ? '\t' : next == 'n' ? '\n' : next == '\\' ? '\\' : 0;
        *out++ = meant ? meant : *in;
        in += meant ? 2 : 1;
    }
    return (size_t)(out - text);
}

/* replace for the inside of a quoted CSV cell: quotes are doubled. */
static const char *csv_replace(const char *text, size_t length, size_t *next, char scratch[8]) {
    (void)length, (void)scratch;
    return text[(*next)++] == '"' ? "\"\"" : NULL;
}

/* Appends a cell; quotes are put around it only where RFC 4180 or a space at either end needs them,
 * and doubled inside. */
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

/* replace for JSON strings: quotes, backslashes, control characters (below 0x20), malformed UTF-8,
 * for which alcore__utf8_next() returns -1. */
static const char *json_replace(const char *text, size_t length, size_t *next, char scratch[8]) {
    int32_t point = alcore__utf8_next(text, length, next);
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

/* Whether XML 1.0 allows a code point. */
static bool xml_allows(int32_t point) {
    return point >= 0x20 ? point != 0xFFFE && point != 0xFFFF
                         : point == '\t' || point == '\n' || point == '\r';
}

size_t alcore__xml_check(const char *text, size_t length) {
    for (size_t next = 0; next < length;) {
        const size_t before = next;
        if (!xml_allows(alcore__utf8_next(text, length, &next))) return before;
    }
    return length;
}

/* replace for XML and HTML: the five markup characters, CR, and what XML 1.0 does not allow. */
static const char *xml_replace(const char *text, size_t length, size_t *next, char scratch[8]) {
    (void)scratch;
    int32_t point = alcore__utf8_next(text, length, next);
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
    return xml_allows(point) ? NULL : REPLACEMENT;
}

static const char *xml_replace_attribute(const char *text, size_t length, size_t *next,
                                         char scratch[8]) {
    if (text[*next] != '\t' && text[*next] != '\n') return xml_replace(text, length, next, scratch);
    return text[(*next)++] == '\t' ? "&#9;" : "&#10;";
}

alcore_status alcore__xml_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                 size_t length) {
    return append_replaced(ctx, out, text, length, xml_replace);
}

alcore_status alcore__xml_append_attribute(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                           size_t length) {
    return append_replaced(ctx, out, text, length, xml_replace_attribute);
}
