/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables whose columns are found by name: selections, answers, dictionaries. A file is TSV,
 * or CSV or JSONL where its suffix says so; each may be compressed, and "-" is standard input.
 *
 * TSV and CSV: the first line names the columns, in any case. It is a header if it names every
 * required column.
 * Where the caller allows files without a header, any other first line is a line of data, whose
 * fields are in the order of the columns asked for. JSONL: the keys of each object are the names,
 * and so are those of an object "al" in it, as selections are written. */
#ifndef ALCORE__CELL_READER_H
#define ALCORE__CELL_READER_H

#include "formats/line_reader.h"

/* A field of a line: a view, not terminated, valid during the sink's call. text NULL: the file has
 * no such column, or the object no such key. */
typedef struct alcore__cell {
    const char *text;
    size_t length; /* bytes */
} alcore__cell;

typedef struct alcore__cell_column {
    const char *names; /* "id|req_id": any of them */
    bool required;
    bool flag;  /* true and false of JSON are values too, "true" and "false" */
    bool blank; /* null of JSON is a value too, an empty one; an object may lack it */
} alcore__cell_column;

enum { ALCORE__CELL_COLUMNS = 9 }; /* most columns that one reading asks for */

/* The column [count] that a name belongs to, in any case; -1 for none. */
int32_t alcore__cell_column_of(const alcore__cell_column *columns, int32_t count, const char *name,
                               size_t length);

/* Receives the cells of one line [columns]; alcore__lines_fail(lines, ...) names the line in an
 * error. A failure ends the reading and is returned. */
typedef alcore_status (*alcore__cell_sink)(void *user, const alcore__line_reader *lines,
                                           const alcore__cell *cells);

/* Reads path. columns [count], at most ALCORE__CELL_COLUMNS. plain: fields of a line in a TSV or
 * CSV file without a header; 0: the header is needed. Empty lines are passed over. Every cell is
 * checked to be UTF-8. ALCORE_E_DATA names the file, the line and what is wrong. */
alcore_status alcore__cells_read(alcore_ctx *ctx, const char *path,
                                 const alcore__cell_column *columns, int32_t count, int32_t plain,
                                 alcore__cell_sink sink, void *user);

/* Receives a line that cannot be used: the last error says why. A failure ends the reading and is
 * returned. */
typedef alcore_status (*alcore__cell_fault)(void *user, const alcore__line_reader *lines);

/* The same, but lines of data that are ALCORE_E_DATA, and those that the sink calls so, are handed
 * to `fault`, and the reading goes on. format: ALCORE_FORMAT_TSV, _CSV or _JSONL of a path whose
 * suffix is that of no table; 0: TSV. An empty file that needs a header is ALCORE_E_DATA here. */
alcore_status alcore__cells_read_each(alcore_ctx *ctx, const char *path, int32_t format,
                                      const alcore__cell_column *columns, int32_t count,
                                      int32_t plain, alcore__cell_sink sink,
                                      alcore__cell_fault fault, void *user);

#endif
