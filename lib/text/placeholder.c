/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders, as placeholder.h lists them. All of them are ASCII but for what they enclose. */
#include "text/placeholder.h"

#include <stdbool.h>
#include <string.h>

#include "text/words.h"

enum { LONGEST = 256 };

/* The rest of a text from some offset on. */
typedef struct rest {
    const char *at;
    size_t length;
} rest;

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_name(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}
static char byte_at(rest r, size_t i) {
    return i < r.length ? r.at[i] : '\0';
}

/* Bytes from `from` on that are among a set. */
static size_t span(rest r, size_t from, const char *set) {
    size_t i = from;
    while (i < r.length && r.at[i] && strchr(set, r.at[i])) i++;
    return i - from;
}
static size_t span_digits(rest r, size_t from) {
    return span(r, from, "0123456789");
}

/* The offset behind `close`, looked for from `from` on; 0: it does not come before white space
 * (where that ends the search) or within LONGEST bytes. */
static size_t behind(rest r, size_t from, char close, bool stops_at_space) {
    for (size_t i = from; i < r.length && i < LONGEST; i++) {
        if (r.at[i] == close) return i + 1;
        if (stops_at_space && alcore__is_word_space(r.at[i])) return 0;
    }
    return 0;
}

/* %s and its like: after % a name in brackets, or a number and $, flags, width, precision and size,
 * then the letter of the conversion. A blank is no flag here: "5 % der Fälle" has none. */
static size_t conversion(rest r) {
    size_t i = 1;
    if (byte_at(r, 1) == '%') return 2;
    if (byte_at(r, 1) == '(' || byte_at(r, 1) == '{' || byte_at(r, 1) == '<') {
        const char close = byte_at(r, 1) == '(' ? ')' : byte_at(r, 1) == '{' ? '}' : '>';
        i = behind(r, 2, close, true);
        if (i == 0) return 0;
        if (close == '}') return i;
    }
    const size_t digits = span_digits(r, i);
    if (digits > 0 && byte_at(r, i + digits) == '$') i += digits + 1;
    const size_t flags = i;
    i += span(r, i, "-+#0'*");
    i += span_digits(r, i);
    if (byte_at(r, i) == '.') i += 1 + span(r, i + 1, "0123456789*");
    const bool numbered = i > flags && i == flags + span_digits(r, flags);
    i += span(r, i, "hlLqjzt");
    if (byte_at(r, i) && strchr("diouxXeEfFgGaAcCsSpnmDTEV@", byte_at(r, i))) return i + 1;
    return numbered ? flags + span_digits(r, flags) : 0; /* %1 of Qt */
}

static size_t braces(rest r) {
    const size_t end = behind(r, 1, '}', true);
    return end && byte_at(r, end) == '}' ? end + 1 : end;
}

/* $NAME, ${...}; #{...} comes here too. */
static size_t variable(rest r) {
    size_t i = 1;
    if (byte_at(r, 1) == '{') return behind(r, 2, '}', true);
    if (r.at[0] != '$' || !(is_letter(byte_at(r, 1)) || byte_at(r, 1) == '_')) return 0;
    while (is_name(byte_at(r, i))) i++;
    return i;
}

/* @NAME@ of configuration templates. */
static size_t at_name(rest r) {
    size_t i = 1;
    while (is_name(byte_at(r, i)) || byte_at(r, i) == '-') i++;
    return i > 1 && byte_at(r, i) == '@' ? i + 1 : 0;
}

static size_t tag(rest r) {
    const char c = byte_at(r, 1), d = byte_at(r, 2);
    if (!(is_letter(c) || (c == '/' && is_letter(d)) || (c == '!' && d == '-'))) return 0;
    return behind(r, 1, '>', false);
}

static size_t entity(rest r) {
    size_t i = byte_at(r, 1) == '#' ? 2 : 1;
    const size_t begin = i;
    while (is_name(byte_at(r, i)) || byte_at(r, i) == '.' || byte_at(r, i) == '-') i++;
    return i > begin && i < 40 && byte_at(r, i) == ';' ? i + 1 : 0;
}

static size_t escape(rest r) {
    if (byte_at(r, 1) == 'x' && span(r, 2, "0123456789abcdefABCDEF") >= 2) return 4;
    return byte_at(r, 1) && strchr("nrtbfv0\\\"'", byte_at(r, 1)) ? 2 : 0;
}

/* The end of the word, without the punctuation that closes a sentence or a bracket behind it. */
static size_t word_end(rest r) {
    size_t end = 0;
    while (end < r.length && !alcore__is_word_space(r.at[end])) end++;
    while (end > 0 && strchr(".,;:!?)]}>\"'`", r.at[end - 1])) end--;
    return end;
}

static size_t option(rest r) {
    size_t i = byte_at(r, 1) == '-' ? 2 : 1;
    if (!is_letter(byte_at(r, i))) return 0;
    while (is_name(byte_at(r, i)) || byte_at(r, i) == '-') i++;
    return byte_at(r, i) == '=' ? word_end(r) : i;
}

/* Whether the bytes [0, end) are an address with a scheme, or that of a mail. */
static bool is_address(rest r, size_t end) {
    size_t i = 0;
    while (i < end && is_letter(r.at[i])) i++;
    if (i > 1 && i + 3 < end && memcmp(r.at + i, "://", 3) == 0) return true;
    if (i == 6 && end > 7 && memcmp(r.at, "mailto:", 7) == 0) return true;
    if (i == 3 && end > 4 && memcmp(r.at, "www.", 4) == 0) return true;
    const char *at = memchr(r.at, '@', end);
    return at && at > r.at && is_name(at[-1]) && memchr(at, '.', end - (size_t)(at - r.at)) != NULL;
}

/* Whether the bytes [0, end) are a path: they begin as one, or have two slashes between names. */
static bool is_path(rest r, size_t end) {
    const char a = r.at[0], b = byte_at(r, 1), c = byte_at(r, 2);
    if (end < 2) return false;
    if (a == '/' && (is_name(b) || b == '.')) return true;
    if ((a == '~' || a == '.') && b == '/') return end > 2;
    if (a == '.' && b == '.' && c == '/') return end > 3;
    if (is_letter(a) && b == ':' && c == '\\') return true;
    size_t slashes = 0;
    for (size_t i = 1; i + 1 < end; i++) slashes += r.at[i] == '/' && is_name(r.at[i - 1]);
    return slashes >= 2;
}

/* What may begin where a word does. */
static size_t at_word(rest r) {
    if (r.at[0] == '-') return option(r);
    const char first = r.at[0];
    if (!(is_name(first) || first == '/' || first == '~' || first == '.')) return 0;
    const size_t end = word_end(r);
    return is_address(r, end) || is_path(r, end) ? end : 0;
}

size_t alcore__placeholder(const char *text, size_t length, size_t at) {
    const rest r = {.at = text + at, .length = length - at};
    const char before = at > 0 ? text[at - 1] : ' ';
    size_t bytes = 0;
    switch (r.at[0]) {
    case '%':
        bytes = conversion(r);
        break;
    case '{':
        bytes = braces(r);
        break;
    case '$':
    case '#':
        bytes = variable(r);
        break;
    case '@':
        bytes = at_name(r);
        break;
    case '<':
        bytes = tag(r);
        break;
    case '&':
        bytes = entity(r);
        break;
    case '\\':
        bytes = escape(r);
        break;
    default:
        break;
    }
    if (bytes > 0) return bytes;
    return alcore__is_word_space(before) || strchr("([{\"'`=,;|", before) ? at_word(r) : 0;
}
