/* SPDX-License-Identifier: Apache-2.0 */
/* Texts as cells and literals of the formats that are written: each function appends to a
 * buffer. */
#ifndef ALCORE__ESCAPE_H
#define ALCORE__ESCAPE_H

#include "base/base.h"

/* A field of a TSV file: TAB, newline and backslash become \t \n \\ (docs/formats.md). */
alcore_status alcore__tsv_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                 size_t length);
/* Replaces \t \n \\ in a field that was read by what they stand for, in place, and returns the new
 * length. A backslash before any other character stands for itself. */
size_t alcore__tsv_unescape(char *text, size_t length);
/* A cell of RFC 4180: in quotes where it needs them. */
alcore_status alcore__csv_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                 size_t length);
/* A JSON string with its quotes; malformed UTF-8 becomes U+FFFD. Our own because jansson writes a
 * string only as part of a tree. */
alcore_status alcore__json_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                  size_t length);
/* Contents of an XML or HTML element or attribute; what XML 1.0 does not allow becomes U+FFFD. */
alcore_status alcore__xml_append(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                 size_t length);
/* The same for an attribute of which a TAB and a line break come back too, which an XML reader
 * takes for spaces. */
alcore_status alcore__xml_append_attribute(alcore_ctx *ctx, alcore__buffer *out, const char *text,
                                           size_t length);
/* Byte offset of the first character of valid UTF-8 that XML 1.0 does not allow; length when there
 * is none. */
size_t alcore__xml_check(const char *text, size_t length);

#endif
