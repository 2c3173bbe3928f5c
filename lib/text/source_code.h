/* SPDX-License-Identifier: Apache-2.0 */
/* Source code in a text: calls, a name with its arguments in brackets, as in
 * "unlink(const char *path);", variables, and tables of manual pages. Texts that are prose have
 * names of functions too, and brackets behind words: "file(s)". */
#ifndef ALCORE__SOURCE_CODE_H
#define ALCORE__SOURCE_CODE_H

#include <stdbool.h>
#include <stddef.h>

/* The offset behind a call whose name is the word [begin, end) of a text; 0: there is none. The
 * name is of ASCII letters, digits and underscores, begins with one that is no digit, and has its
 * bracket directly behind it, which closes within 256 bytes. The brackets are empty; or they hold a
 * comma, "=", "*", a quotation mark or a name with an underscore inside; or they hold a blank and a
 * semicolon follows. */
size_t alcore__source_call(const char *text, size_t length, size_t begin, size_t end);

/* The offset behind the variable whose sign is at offset `at` of a text: $(NAME), or %NAME of three
 * capitals or more; 0: there is none. These are not among the placeholders of placeholder.h. */
size_t alcore__source_variable(const char *text, size_t length, size_t at);

/* Whether the word [begin, end) of a text is the T of a bracket of tbl, the preprocessor of roff
 * for tables, alone between blanks and the colons between cells: T{ before a cell of several
 * lines, or T} behind it. */
bool alcore__source_cell(const char *text, size_t length, size_t begin, size_t end);

/* Whether a text is a label with a type of C and at most one name behind it, as manual pages
 * declare arguments: "TCSETS Argument: const struct termios *argp". The label has at most three
 * words and a colon; the type is int, char, void, long, float, double, a struct, union or enum, or
 * a name that ends in "_t"; roff's blank (\~) is one. */
bool alcore__source_typed(const char *text, size_t length);

#endif
