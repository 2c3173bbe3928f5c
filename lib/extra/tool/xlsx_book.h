/* SPDX-License-Identifier: Apache-2.0 */
/* An XLSX workbook as a reader of its first sheet needs it (ECMA-376, SpreadsheetML): where the
 * sheet is, and the strings that its cells refer to. */
#ifndef ALCORE__XLSX_BOOK_H
#define ALCORE__XLSX_BOOK_H

#include "formats/xml_reader.h"
#include "formats/zip_reader.h"

typedef struct alcore__xlsx_string {
    const char *text; /* NUL-terminated, in `texts` */
    size_t length;    /* bytes */
} alcore__xlsx_string;

typedef struct alcore__xlsx_book {
    alcore_ctx *ctx;
    const char *path;     /* of the file, the caller's */
    alcore__zip *zip;     /* owned */
    alcore__buffer sheet; /* member of the first sheet */
    alcore__buffer title; /* of the document; empty: it has none */
    alcore__arena texts;
    alcore__xlsx_string *strings; /* [count] that cells share */
    size_t count, capacity;
} alcore__xlsx_book;

/* Opens a file and reads all but the sheet. alcore__xlsx_close() is called after a failure too. */
alcore_status alcore__xlsx_open(alcore__xlsx_book *book, alcore_ctx *ctx, const char *path);
/* Reads a member as XML; errors name it behind the path. */
alcore_status alcore__xlsx_read(alcore__xlsx_book *book, const char *member,
                                const alcore__xml_handler *handler, void *user);
void alcore__xlsx_close(alcore__xlsx_book *book);

/* Whether a text begins with _xHHHH_: its code point; -1: it does not. */
int32_t alcore__xlsx_escape(const char *text);
/* Decodes _xHHHH_, by which cells have characters that XML has not, in place from byte `first` of a
 * text on. */
void alcore__xlsx_decode(alcore__buffer *text, size_t first);

#endif
