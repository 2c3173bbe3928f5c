/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables libalcore has written, as their first line says, and how the backslashes of a TSV
 * are read (docs/formats.md). */
#ifndef ALCORE__TABLE_ORIGIN_H
#define ALCORE__TABLE_ORIGIN_H

#include "alcore/format.h"
#include "formats/table_fields.h"

/* How many of the names, from the first one, are those of a table that libalcore writes: a pool, a
 * selection, phrases, requests, answers, a training set; 0: it is another table. To selections and
 * requests, which people fill in, more columns may have been added behind. */
size_t alcore__table_own_columns(const alcore__fields *names);

/* How the fields of a table are decoded, and what is counted for warnings. */
typedef struct alcore__decoding {
    size_t columns; /* these first columns are decoded, if any are */
    bool decode;    /* \t, \n and \\ stand for TAB, line break and backslash */
    bool strict;    /* any other backslash is an error: libalcore would have doubled it */
    bool foreign;   /* the table is a TSV of another origin: what looks like quotes or escapes is
                   * counted */
    bool csv;       /* the table is CSV, of any origin */
    int64_t escaped,
        quoted;      /* fields with an escape that is not decoded; with quotes around them */
    int64_t missing; /* fields that are NA, as R writes a missing value */
    int64_t first_escaped, first_quoted, first_missing; /* line of the first one */
} alcore__decoding;

/* The decoding of a TSV by its first line. escapes: ALCORE_ESCAPES_*. */
alcore__decoding alcore__decoding_of_tsv(const alcore__fields *names, int32_t escapes);
/* Decodes the field of a column, from 0, in place. */
alcore_status alcore__decode_field(alcore__decoding *self, const alcore__line_reader *lines,
                                   size_t column, alcore__field *field);
/* At the end of the file: warns, once each, of fields with quotes, of escapes and of NA. */
void alcore__decoding_report(const alcore__decoding *self, const alcore__line_reader *lines);

#endif
