/* SPDX-License-Identifier: Apache-2.0 */
/* A table of texts and numbers on its way to a file: TSV, CSV, JSONL or plain text. Pools, phrases
 * and selections are written through it, so that one set of rules (docs/formats.md) holds for all
 * of them, and what is written as TSV or JSONL reads back as the same strings.
 *
 * A writer of TSV or CSV puts the cells of the header and of each line one by one; a writer of
 * JSONL or plain text appends to `line` itself. alcore__table_end_line() ends a line of any format
 * and passes it on to the file, so that memory holds one line at a time. */
#ifndef ALCORE__TABLE_WRITER_H
#define ALCORE__TABLE_WRITER_H

#include "alcore/format.h"
#include "base/base.h"

typedef struct alcore__table {
    alcore_ctx *ctx;
    alcore__writer *writer; /* the file under way; it appears under its name when closed */
    alcore__buffer line;    /* the line that is put together */
    int32_t format;         /* ALCORE_FORMAT_TEXT, _TSV, _JSONL or _CSV, never 0 */
    int64_t lines;          /* lines that were ended */
    bool inside_line;       /* a cell was put since the last line ended */
} alcore__table;

/* Opens a table. The format is the one of the caller's options (NULL: defaults), else the one of
 * the path's suffix, else, for "-", TSV. `noun` ("a selection") begins the message of
 * ALCORE_E_UNSUPPORTED: a compressed file, a suffix of no format. After a failure nothing is open
 * and alcore__table_close() is not called. */
alcore_status alcore__table_open(alcore__table *table, alcore_ctx *ctx, const char *noun,
                                 const char *path, const alcore_write_options *options);

/* Cells of TSV or CSV. A number that is NaN leaves its cell empty. */
alcore_status alcore__table_put_text(alcore__table *table, const char *text, size_t length);
alcore_status alcore__table_put_string(alcore__table *table, const char *text);
alcore_status alcore__table_put_integer(alcore__table *table, int64_t value);
alcore_status alcore__table_put_number(alcore__table *table, double value);

/* A line of plain text. A line break inside the text is escaped as in TSV, together with the
 * backslashes of that text, so that a text is one line of the file. */
alcore_status alcore__table_put_plain_line(alcore__table *table, const char *text, size_t length);

alcore_status alcore__table_end_line(alcore__table *table);

/* Commits the file when status is ALCORE_OK, else removes it. Returns the status of the whole
 * writing. */
alcore_status alcore__table_close(alcore__table *table, alcore_status status);
/* The same for two tables that belong together: both files appear, or neither. */
alcore_status alcore__table_close_both(alcore__table *first, alcore__table *second,
                                       alcore_status status);

/* Whether the table has a line of column names and cells: TSV and CSV. */
static inline bool alcore__table_has_cells(const alcore__table *table) {
    return table->format == ALCORE_FORMAT_TSV || table->format == ALCORE_FORMAT_CSV;
}

#endif
