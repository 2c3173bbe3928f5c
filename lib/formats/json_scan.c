/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/json_scan.h"

#include <string.h>

#include "text/utf8.h"

void alcore__json_begin(alcore__json *json, char *text, size_t length, int32_t max_depth) {
    *json = (alcore__json){.begin = text, .at = text, .end = text + length, .max_depth = max_depth};
}

static bool fail(alcore__json *json, const char *error) {
    if (!json->error) json->error = error;
    return false;
}

static void skip_space(alcore__json *json) {
    while (json->at < json->end &&
           (*json->at == ' ' || *json->at == '\t' || *json->at == '\n' || *json->at == '\r'))
        json->at++;
}

char alcore__json_kind(alcore__json *json) {
    if (json->error) return 0;
    skip_space(json);
    if (json->at == json->end) return 0;
    char c = *json->at;
    if (c == '-' || (c >= '0' && c <= '9')) return '0';
    return c == '{' || c == '[' || c == '"' || c == 't' || c == 'f' || c == 'n' ? c : 0;
}

bool alcore__json_enter(alcore__json *json, char kind) {
    if (alcore__json_kind(json) != kind)
        return fail(json, kind == '{' ? "an object is expected" : "an array is expected");
    if (json->depth == json->max_depth) return fail(json, "nested too deeply");
    json->depth++;
    json->at++;
    json->fresh = true;
    return true;
}

/* Before the next member: leaves the container at its end, else takes the comma that is due. */
static bool next_member(alcore__json *json, char close, const char *expected) {
    if (json->error) return false;
    skip_space(json);
    bool fresh = json->fresh;
    json->fresh = false;
    if (json->at == json->end) return fail(json, "the text ends too early");
    if (*json->at == close) {
        json->at++;
        json->depth--;
        return false;
    }
    if (!fresh) {
        if (*json->at != ',') return fail(json, expected);
        json->at++;
    }
    return true;
}

bool alcore__json_key(alcore__json *json, char **out_key, size_t *out_length) {
    if (!next_member(json, '}', "a comma or } is expected")) return false;
    if (alcore__json_kind(json) != '"') return fail(json, "a key in quotes is expected");
    if (!alcore__json_string(json, out_key, out_length)) return false;
    skip_space(json);
    if (json->at == json->end || *json->at != ':') return fail(json, "a colon is expected");
    json->at++;
    return true;
}

bool alcore__json_item(alcore__json *json) {
    return next_member(json, ']', "a comma or ] is expected");
}

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The four digits of \uXXXX; -1 when they are not there. */
static int32_t read_unit(const char *at, const char *end) {
    if (end - at < 4) return -1;
    int32_t unit = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(at[i]);
        if (digit < 0) return -1;
        unit = unit << 4 | digit;
    }
    return unit;
}

/* After "\u": the code point, moving over the second half of a pair. */
static bool read_escape(alcore__json *json, char **to) {
    int32_t point = read_unit(json->at, json->end);
    if (point < 0) return fail(json, "\\u needs four hexadecimal digits");
    if (point == 0) return fail(json, "\\u0000 stands for a NUL, which no text may hold");
    if (point >= 0xD800 && point < 0xE000) {
        int32_t low = -1;
        if (point < 0xDC00 && json->end - json->at >= 6 && json->at[4] == '\\' &&
            json->at[5] == 'u')
            low = read_unit(json->at + 6, json->end);
        if (low < 0xDC00 || low >= 0xE000) return fail(json, "half of a surrogate pair");
        point = 0x10000 + ((point - 0xD800) << 10) + (low - 0xDC00);
        json->at += 6;
    }
    json->at += 4;
    *to += alcore__utf8_write(point, *to);
    return true;
}

static bool undo_escape(alcore__json *json, char **to) {
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (json->at == json->end) return fail(json, "the string does not end");
    char c = *json->at;
    if (c == 'u') {
        json->at++;
        return read_escape(json, to);
    }
    const char *name = memchr(names, c, sizeof names - 1);
    if (!name) return fail(json, "an unknown escape");
    json->at++;
    *(*to)++ = meanings[name - names];
    return true;
}

/* First byte at or after `at` that is no plain content of a string. Eight bytes at a time: a byte
 * below 0x20, '"' or '\\' sets its high bit in one of the three differences. */
static char *skip_plain(char *at, const char *end) {
    const uint64_t ones = 0x0101010101010101u, highs = 0x8080808080808080u;
    while (end - at >= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
        uint64_t hit =
            ((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash);
        if (hit & highs) break;
        at += 8;
    }
    while (at < end && (unsigned char)*at >= 0x20 && *at != '"' && *at != '\\') at++;
    return at;
}

bool alcore__json_string(alcore__json *json, char **out_text, size_t *out_length) {
    if (alcore__json_kind(json) != '"') return fail(json, "a string is expected");
    char *text = ++json->at, *to = text;
    for (;;) {
        char *plain = json->at;
        json->at = skip_plain(plain, json->end);
        size_t bytes = (size_t)(json->at - plain);
        if (to != plain) memmove(to, plain, bytes);
        to += bytes;
        if (json->at == json->end) return fail(json, "the string does not end");
        char c = *json->at;
        if (c != '"' && c != '\\') return fail(json, "a control character inside a string");
        json->at++;
        if (c == '"') break;
        if (!undo_escape(json, &to)) return false;
    }
    *out_text = text;
    *out_length = (size_t)(to - text);
    return true;
}

static size_t skip_digits(alcore__json *json) {
    const char *from = json->at;
    while (json->at < json->end && *json->at >= '0' && *json->at <= '9') json->at++;
    return (size_t)(json->at - from);
}

static bool take(alcore__json *json, char c) {
    if (json->at == json->end || *json->at != c) return false;
    json->at++;
    return true;
}

bool alcore__json_number(alcore__json *json, char **out_text, size_t *out_length) {
    if (alcore__json_kind(json) != '0') return fail(json, "a number is expected");
    char *text = json->at;
    take(json, '-');
    bool zero = json->at < json->end && *json->at == '0';
    size_t digits = skip_digits(json);
    bool good = digits == 1 || (digits > 1 && !zero);
    if (good && take(json, '.')) good = skip_digits(json) > 0;
    if (good && (take(json, 'e') || take(json, 'E'))) {
        if (!take(json, '-')) take(json, '+');
        good = skip_digits(json) > 0;
    }
    if (!good) return fail(json, "a malformed number");
    *out_text = text;
    *out_length = (size_t)(json->at - text);
    return true;
}

static bool skip_word(alcore__json *json, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(json->end - json->at) < length || memcmp(json->at, word, length) != 0)
        return fail(json, "a value is expected");
    json->at += length;
    return true;
}

bool alcore__json_skip(alcore__json *json) {
    char *text;
    size_t length;
    switch (alcore__json_kind(json)) {
    case '{':
        if (!alcore__json_enter(json, '{')) return false;
        while (alcore__json_key(json, &text, &length))
            if (!alcore__json_skip(json)) return false;
        return json->error == NULL;
    case '[':
        if (!alcore__json_enter(json, '[')) return false;
        while (alcore__json_item(json))
            if (!alcore__json_skip(json)) return false;
        return json->error == NULL;
    case '"':
        return alcore__json_string(json, &text, &length);
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
                    json->at == json->end ? "the text ends too early" : "a value is expected");
    }
}

bool alcore__json_end(alcore__json *json) {
    if (json->error) return false;
    skip_space(json);
    return json->at == json->end || fail(json, "something follows the value");
}
