/* SPDX-License-Identifier: Apache-2.0 */
/* Synopses of commands, as synopsis.h defines them: the parts of a text are read from blank to
 * blank outside of brackets. */
#include "text/synopsis.h"

#include <string.h>

#include "text/ascii.h"
#include "text/words.h"

enum { LONGEST = 1024, MOST_OPERANDS = 3, MOST_IN_BRACKETS = 3, DOTS = 3 };

/* What was read so far. */
typedef struct synopsis {
    const char *text;
    size_t length;
    int operands;
    int groups;  /* in brackets */
    bool dashed; /* one of them begins with "-" */
    bool named;  /* one of them is of options by that word, or has dots behind it */
} synopsis;

/* The offset behind dots at `at`, or behind roff's escapes of italics there; `at` itself if there
 * are none. */
static size_t skip_dots(const synopsis *self, size_t at) {
    while (at < self->length && self->text[at] == '.') at++;
    return at;
}
static size_t skip_escapes(const synopsis *self, size_t at) {
    while (at + 1 < self->length && self->text[at] == '\\' &&
           (self->text[at + 1] == ',' || self->text[at + 1] == '/'))
        at += 2;
    return at;
}

/* Whether a group from offset `at` on is of options by their name: "options", "OPTION". */
static bool names_options(const synopsis *self, size_t at) {
    static const char name[] = "option";
    size_t i = 0;
    while (at + i < self->length && name[i] && (self->text[at + i] | 0x20) == name[i]) i++;
    return name[i] == '\0';
}

/* The offset behind the group whose bracket is at `at`; 0: it does not close, or it has a sentence
 * in it. */
static size_t read_group(synopsis *self, size_t at) {
    const size_t first = skip_escapes(self, at + 1);
    const bool named = names_options(self, first);
    const bool dashed = first < self->length && self->text[first] == '-';
    int depth = 0, blanks = 0;
    for (size_t i = at; i < self->length; i++) {
        const char c = self->text[i];
        depth += c == '[' || c == '{';
        depth -= c == ']' || c == '}';
        blanks += c == ' ';
        if (c == ':' || c == ';' || c == '%') return 0;
        if (blanks >= MOST_IN_BRACKETS && !named && !dashed) return 0;
        if (depth > 0) continue;
        const size_t end = skip_dots(self, i + 1);
        self->groups++;
        self->dashed = self->dashed || dashed;
        self->named = self->named || named || end >= i + 1 + DOTS;
        return end;
    }
    return 0;
}

/* The offset behind the name or option at `at`, in which small letters and capitals of ASCII are
 * not mixed and other letters do not come first; 0: it is none. Dots may be behind it. */
static size_t read_operand(synopsis *self, size_t at) {
    bool lower = false, upper = false;
    const size_t begin = skip_escapes(self, at);
    size_t i = begin;
    for (; i < self->length; i++) {
        const char c = self->text[i];
        lower = lower || alcore__is_small(c);
        upper = upper || alcore__is_capital(c);
        const bool inner = i > begin && (unsigned char)c >= 0x80;
        if (!inner && !alcore__is_small(c) && !alcore__is_capital(c) && !alcore__is_digit(c) &&
            c != '-' && c != '_' && c != '|')
            break;
    }
    if (i == begin || (lower && upper) || (i == begin + 1 && self->text[begin] == '-')) return 0;
    self->operands += self->text[begin] != '-' && self->text[begin] != '|';
    return skip_escapes(self, skip_dots(self, skip_escapes(self, i)));
}

/* The offset behind the name of a command at the beginning; 0. */
static size_t read_command(const synopsis *self) {
    size_t i = 0;
    if (self->length == 0 || !alcore__is_small(self->text[0])) return 0;
    while (i < self->length &&
           (alcore__is_small(self->text[i]) || alcore__is_digit(self->text[i]) ||
            (self->text[i] != ' ' && memchr("._+-", self->text[i], 4))))
        i++;
    return self->text[i - 1] == '.' ? 0 : i;
}

bool alcore__is_synopsis(const char *text, size_t length) {
    synopsis self = {.text = text, .length = length};
    size_t at = length < LONGEST ? read_command(&self) : 0;
    if (at == 0) return false;
    while (at < length) {
        const char c = text[at];
        if (alcore__is_word_space(c)) {
            at++;
            continue;
        }
        const bool apart = alcore__is_word_space(text[at - 1]);
        if (c == '[' || c == '{')
            at = read_group(&self, at);
        else
            at = apart ? read_operand(&self, at) : 0;
        if (at == 0) return false;
    }
    if (self.groups == 1 && !self.named) return self.dashed && self.operands <= 1;
    return self.groups > 0 && self.operands <= MOST_OPERANDS;
}
