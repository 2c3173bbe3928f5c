/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, variables, cells and declared arguments in source code, as source_code.h defines them. */
#include "text/source_code.h"

#include <string.h>

#include "text/ascii.h"

enum { LONGEST = 256 };

static bool is_identifier(const char *text, size_t begin, size_t end) {
    if (!alcore__is_letter(text[begin]) && text[begin] != '_') return false;
    for (size_t i = begin; i < end; i++)
        if (!alcore__is_name(text[i])) return false;
    return true;
}

/* The offset of the bracket that closes the one at `open`; 0: it is not near. */
static size_t closing(const char *text, size_t length, size_t open) {
    int depth = 0;
    for (size_t i = open; i < length && i < open + LONGEST; i++) {
        depth += text[i] == '(';
        depth -= text[i] == ')';
        if (depth == 0) return i;
    }
    return 0;
}

/* Whether what stands between the brackets are arguments. */
static bool are_arguments(const char *text, size_t length, size_t open, size_t close) {
    bool blank = false;
    for (size_t i = open + 1; i < close; i++) {
        const char c = text[i];
        if (c == ',' || c == '=' || c == '*' || c == '"') return true;
        if (c == '_' && alcore__is_name(text[i - 1]) && alcore__is_name(text[i + 1])) return true;
        blank = blank || c == ' ';
    }
    return close == open + 1 || (blank && close + 1 < length && text[close + 1] == ';');
}

size_t alcore__source_call(const char *text, size_t length, size_t begin, size_t end) {
    if (end >= length || text[end] != '(' || !is_identifier(text, begin, end)) return 0;
    const size_t close = closing(text, length, end);
    return close > 0 && are_arguments(text, length, end, close) ? close + 1 : 0;
}

/* $(NAME). */
static size_t bracketed(const char *text, size_t length, size_t at) {
    size_t i = at + 2;
    if (at + 1 >= length || text[at + 1] != '(') return 0;
    while (i < length && alcore__is_name(text[i])) i++;
    return i > at + 2 && i < length && text[i] == ')' ? i + 1 : 0;
}

/* %NAME; a percentage ("50%OFF") has a number before its sign. */
static size_t capitals(const char *text, size_t length, size_t at) {
    enum { FEWEST = 3 };
    size_t i = at + 1;
    if (i >= length || !alcore__is_letter(text[i]) || (at > 0 && alcore__is_name(text[at - 1])))
        return 0;
    while (i < length && alcore__is_name(text[i]) && !(text[i] >= 'a' && text[i] <= 'z')) i++;
    return i > at + FEWEST && (i == length || !alcore__is_name(text[i])) ? i : 0;
}

size_t alcore__source_variable(const char *text, size_t length, size_t at) {
    if (text[at] == '$') return bracketed(text, length, at);
    return text[at] == '%' ? capitals(text, length, at) : 0;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A blank, or the colon that most tables have between cells. */
static bool parts_cells(char c) {
    return is_blank(c) || c == ':';
}

bool alcore__source_cell(const char *text, size_t length, size_t begin, size_t end) {
    return end - begin == 1 && text[begin] == 'T' && end < length &&
           (text[end] == '{' || text[end] == '}') && (begin == 0 || parts_cells(text[begin - 1])) &&
           (end + 1 == length || parts_cells(text[end + 1]));
}

/* The end of what stands between parts of a declaration from offset `at` on: blanks and roff's. */
static size_t skip_blanks(const char *text, size_t length, size_t at) {
    for (;;) {
        if (at < length && is_blank(text[at]))
            at++;
        else if (at + 1 < length && text[at] == '\\' && text[at + 1] == '~')
            at += 2;
        else
            return at;
    }
}

/* Reads the identifier at *at, which moves behind it and what separates it from the next; returns
 * its bytes, 0: there is none. */
static size_t read_identifier(const char *text, size_t length, size_t *at) {
    const size_t begin = *at;
    while (*at < length && alcore__is_name(text[*at])) ++*at;
    const size_t end = *at;
    *at = skip_blanks(text, length, end);
    return end > begin && is_identifier(text, begin, end) ? end - begin : 0;
}

static bool is_among(const char *name, size_t bytes, const char *const *list) {
    for (; *list; list++)
        if (strlen(*list) == bytes && memcmp(*list, name, bytes) == 0) return true;
    return false;
}

/* Whether a text from offset `at` on is a type of C, with at most one name behind it. Types that
 * are words of English, too, have another one before or a "*" behind them. */
static bool is_typed(const char *text, size_t length, size_t at) {
    static const char *const before[] = {"const", "unsigned", "signed", NULL};
    static const char *const types[] = {"int", "char", "void", "long", "float", "double", NULL};
    static const char *const tags[] = {"struct", "union", "enum", NULL};
    static const char *const words[] = {"long", "float", "double", NULL};
    const size_t first = at;
    const char *name;
    size_t bytes;
    do {
        name = text + at;
        bytes = read_identifier(text, length, &at);
    } while (bytes > 0 && is_among(name, bytes, before));
    if (bytes == 0) return false;
    if (is_among(name, bytes, tags)) {
        if (read_identifier(text, length, &at) == 0) return false;
    } else if (!is_among(name, bytes, types) &&
               !(bytes > 2 && memcmp(name + bytes - 2, "_t", 2) == 0)) {
        return false;
    }
    if (name == text + first && is_among(name, bytes, words) && (at == length || text[at] != '*'))
        return false;
    while (at < length && text[at] == '*') at++;
    read_identifier(text, length, &at);
    return at == length;
}

bool alcore__source_typed(const char *text, size_t length) {
    enum { MOST_WORDS = 3 };
    const char *colon = memchr(text, ':', length);
    int blanks = 0;
    if (!colon || length > LONGEST) return false;
    for (const char *at = text; at < colon; at++) blanks += is_blank(*at);
    const size_t behind = (size_t)(colon - text) + 1, first = skip_blanks(text, length, behind);
    return blanks < MOST_WORDS && first > behind && is_typed(text, length, first);
}
