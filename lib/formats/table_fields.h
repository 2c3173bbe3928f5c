/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of tables, TSV and CSV (docs/formats.md): where a line of CSV ends, which character
 * separates its fields, and the fields of a line. What the fields mean is their readers' to say
 * (table_records.c, cell_reader.c). */
#ifndef ALCORE__TABLE_FIELDS_H
#define ALCORE__TABLE_FIELDS_H

#include "formats/line_reader.h"

/* A field of a line: a view of the line, not terminated. */
typedef struct alcore__field {
    char *text;
    size_t length; /* bytes */
} alcore__field;

/* The fields of the present line; zero before the first one. */
typedef struct alcore__fields {
    alcore__field *items; /* [count], or [most] where the line has more */
    size_t capacity;      /* items that there is memory for */
    size_t count;         /* fields of the line */
} alcore__fields;
void alcore__fields_clear(alcore__fields *fields, alcore_ctx *ctx);

/* Cuts a line of TSV at its TABs. most: the fields that are kept at most, 0: all; the others are
 * counted. */
alcore_status alcore__fields_of_tsv(const alcore__line_reader *lines, char *text, size_t length,
                                    size_t most, alcore__fields *fields);
/* Cuts a line of CSV at the delimiter of lines->quoting, which is known, and undoes the quotes in
 * place. A line that breaks a rule of RFC 4180 is ALCORE_E_DATA, which names the field. */
alcore_status alcore__fields_of_csv(const alcore__line_reader *lines, char *text, size_t length,
                                    size_t most, alcore__fields *fields);

/* What a line of CSV, text [length], says about the delimiter that is not known yet: "sep=;" names
 * it, which makes *out_skip true. Any other line is the first one of the table, and the delimiter
 * is the one of comma, semicolon and TAB that it has outside quotes; a comma where it has none. If
 * it has several, the delimiter is the one that cuts it into fields that fit; ALCORE_E_DATA where
 * this is none or more than one. fields is a workspace. */
typedef bool (*alcore__fields_fit)(const void *user, const alcore__fields *fields);
alcore_status alcore__csv_find_delimiter(const alcore__line_reader *lines, const char *text,
                                         size_t length, alcore__fields_fit fit, const void *user,
                                         alcore__fields *fields, bool *out_skip);

/* The names of the first line, for messages: "id", "text". Long lists are cut. */
void alcore__fields_list(const alcore__fields *fields, char out[200]);

#endif
