/* SPDX-License-Identifier: Apache-2.0 */
/* Placeholders, as placeholder.h lists them. All of them are ASCII but for what they enclose. */
#include "text/placeholder.h"

#include <stdbool.h>
#include <string.h>

#include "text/ascii.h"
#include "text/byte_block.h"
#include "text/utf8.h"
#include "text/words.h"

enum { LONGEST = 256 };

/* What a byte is to an address or a path: it ENDS one, it CLOSES a sentence behind one, one may
 * begin AFTER it, or it MARKS one: only "www." is an address without such a byte. */
enum { ENDS = 1, CLOSES = 2, AFTER = 4, MARKS = 8 };
static const uint8_t roles[256] = {
    ['\0'] = ENDS | AFTER,  [' '] = ENDS | AFTER, ['\t'] = ENDS | AFTER, ['\r'] = ENDS | AFTER,
    ['\n'] = ENDS | AFTER,  ['"'] = ENDS | AFTER, ['>'] = ENDS | AFTER,  ['|'] = ENDS | AFTER,
    [','] = ENDS | AFTER,   [';'] = ENDS | AFTER, ['`'] = ENDS | AFTER,  ['\''] = ENDS | AFTER,
    ['('] = ENDS | AFTER,   ['['] = ENDS | AFTER, ['{'] = ENDS | AFTER,  ['<'] = ENDS,
    [')'] = ENDS,           [']'] = ENDS,         ['}'] = ENDS,          ['='] = AFTER,
    ['*'] = CLOSES | AFTER, ['.'] = CLOSES,       ['!'] = CLOSES,        ['?'] = CLOSES,
    [':'] = CLOSES | MARKS, ['/'] = MARKS,        ['@'] = MARKS,
};
static bool has_role(char c, int role) {
    return (roles[(unsigned char)c] & role) != 0;
}

#define ALWAYS ALCORE__OPENS_ALWAYS
#define MARKED ALCORE__OPENS_WHERE_MARKED
const uint8_t alcore__placeholder_openings[256] = {
    ['%'] = ALWAYS, ['{'] = ALWAYS,         ['$'] = ALWAYS,         ['#'] = ALWAYS,
    ['@'] = ALWAYS, ['<'] = ALWAYS,         ['&'] = ALWAYS,         ['\\'] = ALWAYS,
    ['-'] = ALWAYS, ['/'] = ALWAYS,         ['~'] = ALWAYS,         ['.'] = ALWAYS,
    ['('] = ALWAYS, ['a' ... 'z'] = MARKED, ['A' ... 'Z'] = MARKED, ['0' ... '9'] = MARKED,
    ['_'] = MARKED,
};

/* The rest of a text from some offset on. */
typedef struct rest {
    const char *at;
    size_t length;
} rest;

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

static size_t span_letters(rest r, size_t from) {
    size_t i = from;
    while (alcore__is_letter(byte_at(r, i))) i++;
    return i - from;
}

/* %NAME% of Windows. */
static size_t percent_name(rest r) {
    size_t i = 1;
    while ((byte_at(r, i) >= 'A' && byte_at(r, i) <= 'Z') || byte_at(r, i) == '_') i++;
    return i > 2 && byte_at(r, i) == '%' ? i + 1 : 0;
}

/* %s and its like: after % a name in brackets, or a number and $, flags, width, precision and size,
 * then the letter of the conversion, behind which no word goes on ("%systemd"). A blank is no flag
 * here: "5 % der Fälle" has none. */
static size_t conversion(rest r) {
    size_t i = 1;
    if (byte_at(r, 1) == '%') return 2;
    if (percent_name(r) > 0) return percent_name(r);
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
    if (byte_at(r, i) && strchr("diouxXeEfFgGaAcCsSpnmDTEV@", byte_at(r, i)) &&
        (flags > 1 || span_letters(r, i + 1) < 3))
        return i + 1;
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
    if (r.at[0] != '$' || !(alcore__is_letter(byte_at(r, 1)) || byte_at(r, 1) == '_')) return 0;
    while (alcore__is_name(byte_at(r, i))) i++;
    return i;
}

/* @NAME@ of configuration templates. */
static size_t at_name(rest r) {
    size_t i = 1;
    while (alcore__is_name(byte_at(r, i)) || byte_at(r, i) == '-') i++;
    return i > 1 && byte_at(r, i) == '@' ? i + 1 : 0;
}

/* <NAME>, </NAME>, <NAME/>, <NAME with attributes>, which have an equals sign, <!-- -->. */
static size_t tag(rest r) {
    size_t i = byte_at(r, 1) == '/' ? 2 : 1;
    const size_t name = i, end = behind(r, 1, '>', false);
    if (byte_at(r, 1) == '!' && byte_at(r, 2) == '-') return end;
    while (alcore__is_name(byte_at(r, i)) || byte_at(r, i) == '-' || byte_at(r, i) == ':') i++;
    if (end == 0 || i == name || !alcore__is_letter(byte_at(r, name))) return 0;
    if (byte_at(r, i) == '>' || byte_at(r, i) == '/') return end;
    return alcore__is_word_space(byte_at(r, i)) && memchr(r.at + i, '=', end - i) ? end : 0;
}

/* &NAME; of two letters or more: "AT&T;" has none. */
static size_t entity(rest r) {
    enum { LONGEST_NAME = 40 };
    size_t i = byte_at(r, 1) == '#' ? 2 : 1;
    const size_t begin = i;
    while (i < LONGEST_NAME &&
           (alcore__is_name(byte_at(r, i)) || byte_at(r, i) == '.' || byte_at(r, i) == '-'))
        i++;
    return i - begin > (begin == 1) && byte_at(r, i) == ';' ? i + 1 : 0;
}

/* A line break may stand before a word ("\nopen"); other escapes do not, as "\textbf" is a name. */
static size_t escape(rest r) {
    const char kind = byte_at(r, 1), after = byte_at(r, 2);
    if (kind == 'x' && span(r, 2, "0123456789abcdefABCDEF") >= 2) return 4;
    if (kind == '\0' || !strchr("nrtbfv0\\\"'", kind)) return 0;
    return alcore__is_letter(kind) && kind != 'n' && after >= 'a' && after <= 'z' ? 0 : 2;
}

/* (_X), (&X), (~X) with a letter or digit of ASCII. Behind a name and before a small letter "&" may
 * be an operator of source code: "read(&x)". */
static size_t key(const char *text, size_t at, rest r) {
    const char mark = byte_at(r, 1), name = byte_at(r, 2);
    if (!(mark == '_' || mark == '&' || mark == '~') || byte_at(r, 3) != ')') return 0;
    if (mark == '&' && alcore__is_small(name) && at > 0 && alcore__is_name(text[at - 1])) return 0;
    return alcore__is_letter(name) || alcore__is_digit(name) ? 4 : 0;
}

/* Whether a character that is not ASCII belongs to an address or a path: a letter or digit of a
 * script that is written with spaces. */
static bool continues_word(int32_t point) {
    return (alcore__utf8_is_letter(point) || alcore__utf8_is_digit(point)) &&
           !alcore__utf8_is_unspaced(point);
}

/* The end of an address or a path that may begin here: white space, a character that stands around
 * them, or a script without spaces ends it. The punctuation that closes a sentence behind it is not
 * a part. No more than WORD_BYTES are looked at, so that a text without any white space is read in
 * time that grows with its length. */
static size_t word_end(rest r) {
    enum { WORD_BYTES = 512 };
    size_t end = 0;
    while (end < r.length && end < WORD_BYTES && !has_role(r.at[end], ENDS)) {
        size_t next = end;
        if ((unsigned char)r.at[end] < 0x80) {
            end++;
            continue;
        }
        if (!continues_word(alcore__utf8_next(r.at, r.length, &next))) break;
        end = next;
    }
    while (end > 0 && has_role(r.at[end - 1], CLOSES)) end--;
    return end;
}

/* --NAME, --NAME=VALUE, -x, -x=VALUE. A word may begin with a dash too: "-gruppen". */
static size_t option(rest r) {
    const size_t begin = byte_at(r, 1) == '-' ? 2 : 1;
    size_t i = begin;
    if (!alcore__is_letter(byte_at(r, i))) return 0;
    while (alcore__is_name(byte_at(r, i)) || byte_at(r, i) == '-') i++;
    if (byte_at(r, i) == '=') return word_end(r) > i ? word_end(r) : i + 1;
    return (begin == 2 || i == 2) && (unsigned char)byte_at(r, i) < 0x80 ? i : 0;
}

/* Whether the bytes [0, end) are an address with a scheme, or that of a mail. */
static bool is_address(rest r, size_t end) {
    size_t i = 0;
    while (i < end && alcore__is_letter(r.at[i])) i++;
    if (i > 1 && i + 3 < end && memcmp(r.at + i, "://", 3) == 0) return true;
    if (i == 6 && end > 7 && memcmp(r.at, "mailto:", 7) == 0) return true;
    if (i == 3 && end > 4 && memcmp(r.at, "www.", 4) == 0) return true;
    const char *at = memchr(r.at, '@', end);
    return at && at > r.at && alcore__is_name(at[-1]) &&
           memchr(at, '.', end - (size_t)(at - r.at)) != NULL;
}

/* Whether the bytes [0, end) are a path: they begin as one, or names with slashes between are three
 * with a point, digit or underscore in them, or four ("he/she/they" is none). */
static bool is_path(rest r, size_t end) {
    const char a = r.at[0], b = byte_at(r, 1), c = byte_at(r, 2);
    if (end < 2) return false;
    if (a == '/' && (alcore__is_name(b) || b == '.')) return true;
    if ((a == '~' || a == '.') && b == '/') return end > 2;
    if (a == '.' && b == '.' && c == '/') return end > 3;
    if (alcore__is_letter(a) && b == ':' && c == '\\') return true;
    size_t slashes = 0, marks = 0;
    for (size_t i = 1; i + 1 < end; i++) {
        slashes += r.at[i] == '/' && alcore__is_name(r.at[i - 1]);
        marks += r.at[i] == '.' || r.at[i] == '_' || alcore__is_digit(r.at[i]);
    }
    return slashes >= 3 || (slashes == 2 && marks > 0);
}

/* What may begin where a word does. */
static size_t at_word(rest r) {
    if (r.at[0] == '-') return option(r);
    const char first = r.at[0];
    if (!(alcore__is_name(first) || first == '/' || first == '~' || first == '.')) return 0;
    const size_t end = word_end(r);
    return is_address(r, end) || is_path(r, end) ? end : 0;
}

/* Whether a word may begin at an offset: behind white space, a bracket or the like, or a character
 * that is not ASCII and no letter of a script with spaces. */
static bool begins_word(const char *text, size_t length, size_t at) {
    if (at == 0) return true;
    if ((unsigned char)text[at - 1] < 0x80) return has_role(text[at - 1], AFTER);
    size_t begin = at - 1;
    while (begin > 0 && at - begin < 4 && ((unsigned char)text[begin] & 0xC0) == 0x80) begin--;
    return !continues_word(alcore__utf8_next(text, length, &begin));
}

size_t alcore__placeholder(const char *text, size_t length, size_t at) {
    const rest r = {.at = text + at, .length = length - at};
    size_t bytes = 0;
    switch (r.at[0]) {
    case '%':
        if (at == 0 || !alcore__is_digit(text[at - 1]) || byte_at(r, 1) == '%')
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
    case '(':
        bytes = key(text, at, r);
        break;
    default:
        break;
    }
    return bytes > 0 ? bytes : begins_word(text, length, at) ? at_word(r) : 0;
}

/* Whether any of 16 bytes MARKS. */
static bool has_mark(const char *bytes) {
    const alcore__byte_block block = alcore__block_load(bytes);
    return alcore__block_has((alcore__byte_block)((block == '/') | (block == '@') | (block == ':')),
                             1);
}

/* Offset of the first byte from `at` on that MARKS; length without one. */
static size_t find_mark(const char *text, size_t length, size_t at) {
    while (at + ALCORE__BLOCK_BYTES <= length && !has_mark(text + at)) at += ALCORE__BLOCK_BYTES;
    while (at < length && !has_role(text[at], MARKS)) at++;
    return at;
}

bool alcore__placeholder_is_marked(const char *text, size_t length, size_t at, size_t *mark_end) {
    if (at >= *mark_end) *mark_end = find_mark(text, length, at) + 1;
    return *mark_end <= length || (length - at > 4 && memcmp(text + at, "www.", 4) == 0);
}
