/* SPDX-License-Identifier: Apache-2.0 */
/* Calls in source code: a name with its arguments in brackets, as in "unlink(const char *path);".
 * Texts that are prose have names of functions too, and brackets behind words: "file(s)". */
#ifndef ALCORE__SOURCE_CALL_H
#define ALCORE__SOURCE_CALL_H

#include <stddef.h>

/* The offset behind a call whose name is the word [begin, end) of a text; 0: there is none. The
 * name is of ASCII letters, digits and underscores, begins with one that is no digit, and has its
 * bracket directly behind it, which closes within 256 bytes. In the bracket is nothing, or one of
 * , = * and ", or an underscore within a name; or it has a blank, and a semicolon stands behind. */
size_t alcore__source_call(const char *text, size_t length, size_t begin, size_t end);

#endif
