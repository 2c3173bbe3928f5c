/* SPDX-License-Identifier: Apache-2.0 */
/* Markup, as text_markup.h lists it. */
#include "text/text_markup.h"

#include <stdint.h>
#include <string.h>

#include "text/ascii.h"
#include "text/words.h"

enum { LONGEST = 256 };

/* The offset behind two brackets that close what opens before offset `from`; 0: they are not near,
 * or `never` comes before them. */
static size_t behind_pair(const char *text, size_t length, size_t from, char close, char never) {
    for (size_t i = from; i + 1 < length && i < from + LONGEST && text[i] != never; i++)
        if (text[i] == close && text[i + 1] == close) return i + 2;
    return 0;
}

/* Whether a link of a wiki has a namespace: a name from offset `at` on, with a colon and no blank
 * behind it. */
static bool has_namespace(const char *text, size_t length, size_t at) {
    size_t i = at;
    while (i < length && !alcore__is_word_space(text[i]) && !strchr("[]:", text[i])) i++;
    return i > at && i + 1 < length && text[i] == ':' && !alcore__is_word_space(text[i + 1]);
}

/* The offset behind what two brackets at `at` open; 0. */
static size_t bracketed(const char *text, size_t length, size_t at) {
    if (at + 1 >= length || text[at + 1] != text[at]) return 0;
    if (text[at] == '{') return behind_pair(text, length, at + 2, '}', '\0');
    return has_namespace(text, length, at + 2) ? behind_pair(text, length, at + 2, ']', '|') : 0;
}

/* Whether the backslash at offset `at` begins a command of roff or TeX: before two letters, and not
 * behind a name, as in a path. "\nThe" is a line break, but "\fB" sets a font. */
static bool begins_command(const char *text, size_t length, size_t at, char before) {
    if (at + 2 >= length || alcore__is_name(before) || (before && strchr("}%:", before)))
        return false;
    const char first = text[at + 1], second = text[at + 2];
    if (!alcore__is_letter(first) || !alcore__is_letter(second)) return false;
    if (second >= 'a' || !strchr("nrtbfv", first)) return true;
    return first == 'f' && strchr("BCIPR", second);
}

/* Whether the sign at offset `at` is one that prose does not have, by the bytes around it. */
static bool marks_piece(const char *text, size_t length, size_t at) {
    const char before = at > 0 ? text[at - 1] : '\0';
    const char after = at + 1 < length ? text[at + 1] : '\0';
    switch (text[at]) {
    case '\\':
        return begins_command(text, length, at, before);
    case '"':
        return after == ':' && alcore__is_name(before);
    case '`':
        return before == ':';
    default:
        return false;
    }
}

static bool is_printed(char c) {
    return c > ' ' && c < '\x7F';
}

alcore__text_markup alcore__text_markup_at(const char *text, size_t length, size_t at) {
    alcore__text_markup found = {.begin = at};
    if (text[at] == '{' || text[at] == '[') {
        found.end = bracketed(text, length, at);
        return found;
    }
    if (!marks_piece(text, length, at)) return found;
    while (found.begin > 0 && is_printed(text[found.begin - 1])) found.begin--;
    found.end = at + 1;
    while (found.end < length && is_printed(text[found.end])) found.end++;
    return found;
}
