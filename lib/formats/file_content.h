/* SPDX-License-Identifier: Apache-2.0 */
/* What the first bytes of a file that is to be read as text look like. */
#ifndef ALCORE__FILE_CONTENT_H
#define ALCORE__FILE_CONTENT_H

#include "base/base.h"

/* "JSON", "XML", or what a binary file is, such as "a PDF document"; NULL: it looks like text.
 * bytes: those from the beginning of the file, of which 64 KiB are looked at; they stay as they
 * are. */
const char *alcore__file_content(char *text, size_t bytes);
/* Whether the first line, text [length], is one that a table begins with: names of columns between
 * TABs, one of them that of texts. */
bool alcore__is_table_header(const char *text, size_t length);

#endif
