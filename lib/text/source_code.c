/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, variables and cells in source code, as source_code.h defines them. */
#include "text/source_code.h"

enum { LONGEST = 256 };

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
static bool is_name(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

static bool is_identifier(const char *text, size_t begin, size_t end) {
    if (!is_letter(text[begin]) && text[begin] != '_') return false;
    for (size_t i = begin; i < end; i++)
        if (!is_name(text[i])) return false;
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
        if (c == '_' && is_name(text[i - 1]) && is_name(text[i + 1])) return true;
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
    while (i < length && is_name(text[i])) i++;
    return i > at + 2 && i < length && text[i] == ')' ? i + 1 : 0;
}

/* %NAME; a percentage ("50%OFF") has a number before its sign. */
static size_t capitals(const char *text, size_t length, size_t at) {
    enum { FEWEST = 3 };
    size_t i = at + 1;
    if (i >= length || !is_letter(text[i]) || (at > 0 && is_name(text[at - 1]))) return 0;
    while (i < length && is_name(text[i]) && !(text[i] >= 'a' && text[i] <= 'z')) i++;
    return i > at + FEWEST && (i == length || !is_name(text[i])) ? i : 0;
}

size_t alcore__source_variable(const char *text, size_t length, size_t at) {
    if (text[at] == '$') return bracketed(text, length, at);
    return text[at] == '%' ? capitals(text, length, at) : 0;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool alcore__source_cell(const char *text, size_t length, size_t begin, size_t end) {
    return end - begin == 1 && text[begin] == 'T' && end < length &&
           (text[end] == '{' || text[end] == '}') && (begin == 0 || is_blank(text[begin - 1])) &&
           (end + 1 == length || is_blank(text[end + 1]));
}
