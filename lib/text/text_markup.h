/* SPDX-License-Identifier: Apache-2.0 */
/* Markup that stands in texts without being a placeholder (placeholder.h), and texts that as a
 * whole are a line of it. It is told by signs that prose does not have. */
#ifndef ALCORE__TEXT_MARKUP_H
#define ALCORE__TEXT_MARKUP_H

#include <stdbool.h>
#include <stddef.h>

typedef struct alcore__text_markup {
    size_t begin, end; /* offsets in the text; end 0: there is none */
} alcore__text_markup;

/* The markup with the sign at offset `at` of a text:
 *
 *     {{cite web|title=x}}  [[Category:x]]    templates of wikis, and links that have a namespace
 *                                             and no caption; they close within 256 bytes
 *     \fBname  \def\name    \ before two letters, in roff and TeX, not behind a name as in paths
 *     :class:`x`            a role of reStructuredText
 *     {"name":              a key of JSON
 *
 * Those of the last three reach over their piece: the printed bytes of ASCII around the sign. */
alcore__text_markup alcore__text_markup_at(const char *text, size_t length, size_t at);

/* Whether markup may have its sign in a byte. */
static inline bool alcore__text_markup_opens(char c) {
    return c == '{' || c == '[' || c == '\\' || c == '`' || c == '"';
}

/* Whether a text as a whole is one of these (text_markup_line.c); blanks around it do not count:
 *
 *     |- | a || b     |+ x     {| class=x     | birth_date = 1950     | a | b |
 *     .PP     .RS 4     .IP "name" 4     .if n .nh     .\" note       a request of roff
 *     <!DOCTYPE html>     >>> import x                               no text behind it
 *     #include <stdio.h>     #define _GNU_SOURCE                     whatever is behind it
 *     Name Name <name@host>                                          names with addresses of mail
 *     .. _target:     .. function:: f(x)     .. c:type:: x           reStructuredText without prose
 *     def add(self, x): ...     class Foo(object): ...               whatever is behind it
 *     login.defs     * src/file.cc:     APT::Periodic               name of a file or module alone
 *     dc=example,dc=org                                              small letters and their value
 *
 * A request with words behind it is none: pages that explain requests, and headings, have these. */
bool alcore__text_markup_line(const char *text, size_t length);

#endif
