/* SPDX-License-Identifier: Apache-2.0 */
/* The table writer (table_writer.h): the format of a path, and cells and lines in the format. Each
 * line is built in table->line and written when it ends. */
#include "formats/table_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "formats/byte_stream.h"
#include "formats/escape.h"
#include "formats/write_options.h"

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

/* Replaces 0 in *format by the format of the path, and refuses what no table is written as: every
 * number but ALCORE_FORMAT_TEXT, _TSV, _JSONL and _CSV, which are consecutive. */
static alcore_status resolve_format(const char *noun, const char *path, int32_t *format) {
    static const struct {
        const char *suffix;
        int32_t format;
    } suffixes[] = {{".tsv", ALCORE_FORMAT_TSV},
                    {".csv", ALCORE_FORMAT_CSV},
                    {".jsonl", ALCORE_FORMAT_JSONL},
                    {".ndjson", ALCORE_FORMAT_JSONL},
                    {".txt", ALCORE_FORMAT_TEXT}};
    size_t base;
    if (alcore__stream_compressed(path, &base))
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "%s: %s is written uncompressed, as .tsv, .csv, .jsonl or .txt", path,
                            noun);
    if (*format == 0 && strcmp(path, "-") == 0) *format = ALCORE_FORMAT_TSV;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (*format == 0 && alcore__path_ends_in(path, strlen(path), suffixes[i].suffix))
            *format = suffixes[i].format;
    if (*format >= ALCORE_FORMAT_TEXT && *format <= ALCORE_FORMAT_CSV) return ALCORE_OK;
    ALCORE__TRY(alcore__file_format_check(*format));
    return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: %s is written as .tsv, .csv, .jsonl or .txt",
                        path, noun);
}

/* Checks path and options and opens the file; after a failure nothing is open. */
alcore_status alcore__table_open(alcore__table *table, alcore_ctx *ctx, const char *noun,
                                 const char *path, const alcore_write_options *theirs) {
    alcore_write_options options;
    if (!path) return alcore__fail(ALCORE_E_INVALID, "path is NULL");
    ALCORE__TRY(alcore__write_options_read(theirs, &options));
    *table = (alcore__table){.ctx = ctx, .format = options.format};
    ALCORE__TRY(resolve_format(noun, path, &table->format));
    return alcore__writer_open(ctx, path, &table->writer);
}

/* Appends bytes as they are to the line. */
static alcore_status append(alcore__table *table, const char *data, size_t bytes) {
    return alcore__buffer_append(table->ctx, &table->line, data, bytes);
}

/* Appends a cell, with the separator before it unless it is the first of its line. The byte order
 * mark before the first cell of a CSV is how spreadsheets know UTF-8. */
alcore_status alcore__table_put_text(alcore__table *table, const char *text, size_t length) {
    const bool csv = table->format == ALCORE_FORMAT_CSV;
    if (table->inside_line)
        ALCORE__TRY(append(table, csv ? "," : "\t", 1));
    else if (csv && table->lines == 0)
        ALCORE__TRY(append(table, BYTE_ORDER_MARK, 3));
    table->inside_line = true;
    return csv ? alcore__csv_append(table->ctx, &table->line, text, length)
               : alcore__tsv_append(table->ctx, &table->line, text, length);
}

alcore_status alcore__table_put_string(alcore__table *table, const char *text) {
    return alcore__table_put_text(table, text, strlen(text));
}

alcore_status alcore__table_put_integer(alcore__table *table, int64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    return alcore__table_put_string(table, digits);
}

/* A cell with the fewest digits that read back to the same double; NaN: an empty cell. */
alcore_status alcore__table_put_number(alcore__table *table, double value) {
    char digits[32] = "";
    if (!isnan(value)) alcore__print_double(value, digits);
    return alcore__table_put_string(table, digits);
}

/* Readers drop a byte order mark at the start of a file: a first text that begins with one is
 * written after another. */
alcore_status alcore__table_put_plain_line(alcore__table *table, const char *text, size_t length) {
    const bool broken = memchr(text, '\n', length);
    if (table->lines == 0 && length >= 3 && memcmp(text, BYTE_ORDER_MARK, 3) == 0)
        ALCORE__TRY(append(table, BYTE_ORDER_MARK, 3));
    ALCORE__TRY(broken ? alcore__tsv_append(table->ctx, &table->line, text, length)
                       : append(table, text, length));
    return alcore__table_end_line(table);
}

/* Readers drop one CR before a line feed: a line of TSV or plain text that ends in a CR of its own
 * gets a second one, and reads back with the first. */
alcore_status alcore__table_end_line(alcore__table *table) {
    const bool csv = table->format == ALCORE_FORMAT_CSV;
    const size_t length = table->line.length;
    const bool ends_in_cr = length > 0 && table->line.data[length - 1] == '\r';
    ALCORE__TRY(csv || ends_in_cr ? append(table, "\r\n", 2) : append(table, "\n", 1));
    const alcore_status status =
        alcore__writer_put(table->writer, table->line.data, table->line.length);
    table->line.length = 0;
    table->inside_line = false;
    table->lines++;
    return status;
}

/* status: that of the writing so far; a failure removes the file and is returned. */
alcore_status alcore__table_close(alcore__table *table, alcore_status status) {
    alcore__buffer_clear(table->ctx, &table->line);
    if (status == ALCORE_OK) return alcore__writer_commit(table->writer);
    alcore__writer_abort(table->writer);
    return status;
}

alcore_status alcore__table_close_both(alcore__table *first, alcore__table *second,
                                       alcore_status status) {
    alcore__buffer_clear(first->ctx, &first->line);
    alcore__buffer_clear(second->ctx, &second->line);
    if (status == ALCORE_OK) return alcore__writer_commit_both(first->writer, second->writer);
    alcore__writer_abort(second->writer);
    alcore__writer_abort(first->writer);
    return status;
}
