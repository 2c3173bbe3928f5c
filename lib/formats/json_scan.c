/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON scanner (json_scan.h). Each function first checks json->error through
 * alcore__json_kind() or next_member(), so that callers need not check after every step. Strings
 * are copied over themselves as escapes shrink; everything else is only read. */
#include "formats/json_scan.h"

#include <string.h>

#include "text/utf8.h"

/* Puts the cursor before text [length], which the caller owns and strings change. */
void alcore__json_begin(alcore__json *json, char *text, size_t length, int32_t max_depth) {
    *json =
        (alcore__json){.begin = text, .next = text, .end = text + length, .max_depth = max_depth};
}

/* Records the first error; returns false for the caller to return. */
static bool fail(alcore__json *json, const char *error) {
    if (!json->error) json->error = error;
    return false;
}

static void skip_space(alcore__json *json) {
    while (json->next < json->end && (*json->next == ' ' || *json->next == '\t' ||
                                      *json->next == '\n' || *json->next == '\r'))
        json->next++;
}

/* Moves over white space and looks at the first byte of the value that comes next, without a check
 * of the rest; every number has the kind '0'. */
char alcore__json_kind(alcore__json *json) {
    if (json->error) return 0;
    skip_space(json);
    if (json->next == json->end) return 0;
    char c = *json->next;
    if (c == '-' || (c >= '0' && c <= '9')) return '0';
    return c == '{' || c == '[' || c == '"' || c == 't' || c == 'f' || c == 'n' ? c : 0;
}

/* Moves behind the opening bracket `kind`, within max_depth. */
bool alcore__json_enter(alcore__json *json, char kind) {
    if (alcore__json_kind(json) != kind)
        return fail(json, kind == '{' ? "an object is expected" : "an array is expected");
    if (json->depth == json->max_depth) return fail(json, "nested too deeply");
    json->depth++;
    json->next++;
    json->fresh = true;
    return true;
}

/* Before the next member of the open container: moves over the comma that is due and returns true;
 * at `close` leaves the container and returns false. expected: the error when neither follows. */
static bool next_member(alcore__json *json, char close, const char *expected) {
    if (json->error) return false;
    skip_space(json);
    bool fresh = json->fresh;
    json->fresh = false;
    if (json->next == json->end) return fail(json, "the text ends too early");
    if (*json->next == close) {
        json->next++;
        json->depth--;
        return false;
    }
    if (!fresh) {
        if (*json->next != ',') return fail(json, expected);
        json->next++;
    }
    return true;
}

/* Moves over the colon after a key. */
static bool skip_colon(alcore__json *json) {
    skip_space(json);
    if (json->next == json->end || *json->next != ':') return fail(json, "a colon is expected");
    json->next++;
    return true;
}

/* The next key of the open object and its colon; false at its end, which is left. */
bool alcore__json_key(alcore__json *json, char **out_key, size_t *out_length) {
    if (!next_member(json, '}', "a comma or } is expected")) return false;
    if (alcore__json_kind(json) != '"') return fail(json, "a key in quotes is expected");
    return alcore__json_string(json, out_key, out_length) && skip_colon(json);
}

/* Whether the open array has another value; moves over the comma before it, or over its end. */
bool alcore__json_item(alcore__json *json) {
    return next_member(json, ']', "a comma or ] is expected");
}

/* The value of a hexadecimal digit, -1 for another character. */
static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The value of the four digits of \uXXXX, one unit of UTF-16; -1 when they are not there. */
static int32_t read_unit(const char *digits, const char *end) {
    if (end - digits < 4) return -1;
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(digits[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* After "\u": writes the code point as UTF-8 at *out, which moves behind it, and moves over the
 * digits, and over the second \uXXXX of a surrogate pair. The escape is longer than what it
 * becomes. *out NULL: only checks it. */
static bool read_escape(alcore__json *json, char **out) {
    int32_t point = read_unit(json->next, json->end);
    if (point < 0) return fail(json, "\\u needs four hexadecimal digits");
    if (point == 0 && (*out || !json->passes_nul))
        return fail(json, "\\u0000 stands for a NUL, which no text may hold");
    if (point >= 0xD800 && point < 0xE000) {
        int32_t low = -1;
        if (point < 0xDC00 && json->end - json->next >= 6 && json->next[4] == '\\' &&
            json->next[5] == 'u')
            low = read_unit(json->next + 6, json->end);
        if (low < 0xDC00 || low >= 0xE000) return fail(json, "half of a surrogate pair");
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        json->next += 6;
    }
    json->next += 4;
    if (*out) *out += alcore__utf8_write(point, *out);
    return true;
}

/* After a backslash: writes what the escape stands for at *out, unless that is NULL, and moves over
 * it. */
static bool undo_escape(alcore__json *json, char **out) {
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (json->next == json->end) return fail(json, "the string does not end");
    char c = *json->next;
    if (c == 'u') {
        json->next++;
        return read_escape(json, out);
    }
    const char *name = memchr(names, c, sizeof names - 1);
    if (!name) return fail(json, "an unknown escape");
    json->next++;
    if (*out) *(*out)++ = meanings[name - names];
    return true;
}

/* The first byte from `next` on that is not plain content of a string: a control character, '"' or
 * '\\'; end when there is none. Eight bytes at a time: such a byte in a word sets a high bit in one
 * of the three differences (the test for a zero byte in a word); a borrow can set further ones, but
 * never without such a byte. The loop over single bytes then finds which byte it is. */
static char *skip_plain(char *next, const char *end) {
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    while (end - next >= 8) {
        uint64_t word;
        memcpy(&word, next, 8);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t hit =
            ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash);
        if (hit & highs) break;
        next += 8;
    }
    while (next < end && (unsigned char)*next >= 0x20 && *next != '"' && *next != '\\') next++;
    return next;
}

/* Runs of plain bytes are moved to the front as escapes before them shrink; *out_text [*out_length]
 * lies inside the scanned text. */
bool alcore__json_string(alcore__json *json, char **out_text, size_t *out_length) {
    if (alcore__json_kind(json) != '"') return fail(json, "a string is expected");
    char *text = ++json->next, *out = text;
    for (;;) {
        char *plain = json->next;
        json->next = skip_plain(plain, json->end);
        size_t bytes = (size_t)(json->next - plain);
        if (out != plain) memmove(out, plain, bytes);
        out += bytes;
        if (json->next == json->end) return fail(json, "the string does not end");
        char c = *json->next;
        if (c != '"' && c != '\\') return fail(json, "a control character inside a string");
        json->next++;
        if (c == '"') break;
        if (!undo_escape(json, &out)) return false;
    }
    *out_text = text;
    *out_length = (size_t)(out - text);
    return true;
}

/* Passes over a string, which stays as it is. */
static bool skip_string(alcore__json *json) {
    char *nowhere = NULL;
    json->next++;
    for (;;) {
        json->next = skip_plain(json->next, json->end);
        if (json->next == json->end) return fail(json, "the string does not end");
        char c = *json->next;
        if (c != '"' && c != '\\') return fail(json, "a control character inside a string");
        json->next++;
        if (c == '"') return true;
        if (!undo_escape(json, &nowhere)) return false;
    }
}

/* Moves over decimal digits and returns their number. */
static size_t skip_digits(alcore__json *json) {
    const char *begin = json->next;
    while (json->next < json->end && *json->next >= '0' && *json->next <= '9') json->next++;
    return (size_t)(json->next - begin);
}

/* Moves over c; false when another character follows. */
static bool skip_char(alcore__json *json, char c) {
    if (json->next == json->end || *json->next != c) return false;
    json->next++;
    return true;
}

/* Checks the grammar of a number (no leading zeros, digits on both sides of a point); the value is
 * the caller's to parse. */
bool alcore__json_number(alcore__json *json, char **out_text, size_t *out_length) {
    if (alcore__json_kind(json) != '0') return fail(json, "a number is expected");
    char *text = json->next;
    skip_char(json, '-');
    bool zero = json->next < json->end && *json->next == '0';
    size_t digits = skip_digits(json);
    bool good = digits == 1 || (digits > 1 && !zero);
    if (good && skip_char(json, '.')) good = skip_digits(json) > 0;
    if (good && (skip_char(json, 'e') || skip_char(json, 'E'))) {
        if (!skip_char(json, '-')) skip_char(json, '+');
        good = skip_digits(json) > 0;
    }
    if (!good) return fail(json, "a malformed number");
    *out_text = text;
    *out_length = (size_t)(json->next - text);
    return true;
}

/* Moves over true, false or null; anything else is an error. */
static bool skip_word(alcore__json *json, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(json->end - json->next) < length || memcmp(json->next, word, length) != 0)
        return fail(json, "a value is expected");
    json->next += length;
    return true;
}

/* alcore__json_key() for a key that stays as it is: *raw is what its quotes enclose, with escapes.
 */
bool alcore__json_skip_key(alcore__json *json, const char **raw, size_t *bytes) {
    if (!next_member(json, '}', "a comma or } is expected")) return false;
    if (alcore__json_kind(json) != '"') return fail(json, "a key in quotes is expected");
    const char *begin = json->next + 1;
    if (!skip_string(json)) return false;
    *raw = begin;
    *bytes = (size_t)(json->next - 1 - begin);
    return skip_colon(json);
}

/* Passes over one value with all that it contains; containers recurse, at most max_depth deep. */
bool alcore__json_skip(alcore__json *json) {
    const char *key;
    char *text;
    size_t length;
    switch (alcore__json_kind(json)) {
    case '{':
        if (!alcore__json_enter(json, '{')) return false;
        while (alcore__json_skip_key(json, &key, &length))
            if (!alcore__json_skip(json)) return false;
        return !json->error;
    case '[':
        if (!alcore__json_enter(json, '[')) return false;
        while (alcore__json_item(json))
            if (!alcore__json_skip(json)) return false;
        return !json->error;
    case '"':
        return skip_string(json);
    case '0':
        return alcore__json_number(json, &text, &length);
    case 't':
        return skip_word(json, "true");
    case 'f':
        return skip_word(json, "false");
    case 'n':
        return skip_word(json, "null");
    default:
        return fail(json,
                    json->next == json->end ? "the text ends too early" : "a value is expected");
    }
}

/* Works on a copy of the cursor, *out, and skips strings without a change of the text, so the
 * caller's cursor is still before the object. */
bool alcore__json_find(const alcore__json *object, const char *name, alcore__json *out) {
    const size_t length = strlen(name);
    const char *key;
    size_t bytes;
    *out = *object;
    if (!alcore__json_enter(out, '{')) return false;
    while (alcore__json_skip_key(out, &key, &bytes)) {
        if (bytes == length && memcmp(key, name, length) == 0) return true;
        if (!alcore__json_skip(out)) return false;
    }
    return false;
}

/* Whether the text ends here, with white space at most, and no error was met. */
bool alcore__json_end(alcore__json *json) {
    if (json->error) return false;
    skip_space(json);
    return json->next == json->end || fail(json, "something follows the value");
}
