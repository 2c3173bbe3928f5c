/* SPDX-License-Identifier: Apache-2.0 */
/* Columns of a pool as files: .npy, .tsv (id TAB values, or id TAB text) and .lp (id TAB token
 * values). docs/formats.md has the rules. A ragged column has a list of tokens a row, a dense one a
 * vector; rows without an entry have "no value": NaN, or the smallest integer. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "formats/array_file.h"
#include "formats/byte_stream.h"
#include "formats/escape.h"
#include "formats/write_options.h"
#include "pool/column_array.h"

/* A file that is being written, and the line that is written next; closed by close_output(). */
typedef struct output {
    alcore_ctx *ctx;
    alcore__writer *writer;
    alcore__buffer line;
} output;

/* Appends text [length bytes] to the line, with the escapes of TSV for TAB, line ends and
 * backslash. */
static alcore_status append_text(output *out, const char *text, size_t length) {
    return alcore__tsv_append(out->ctx, &out->line, text, length);
}

/* Appends the id of a row, its number from 1 where none was given. */
static alcore_status append_id(output *out, const alcore_pool *pool, int64_t row) {
    char buffer[24];
    const char *id = alcore__pool_id(pool, row, buffer);
    return append_text(out, id, strlen(id));
}

/* Appends a separator and the shortest number that reads back as the same double. */
static alcore_status append_number(output *out, char separator, double value) {
    char text[33];
    text[0] = separator;
    const size_t length = alcore__print_double(value, text + 1);
    return alcore__buffer_append(out->ctx, &out->line, text, length + 1);
}

/* Ends the line, writes it and begins an empty one. */
static alcore_status end_line(output *out) {
    ALCORE__TRY(alcore__buffer_append(out->ctx, &out->line, "\n", 1));
    alcore_status status = alcore__writer_put(out->writer, out->line.data, out->line.length);
    out->line.length = 0;
    return status;
}

/* Frees the line, and makes the file appear under its name when status is ALCORE_OK, else discards
 * it. Returns status, or that of making it appear. */
static alcore_status close_output(output *out, alcore_status status) {
    alcore__buffer_clear(out->ctx, &out->line);
    if (status == ALCORE_OK) return alcore__writer_commit(out->writer);
    alcore__writer_abort(out->writer);
    return status;
}

/* Rows of a column that are read at a time. */
enum { BLOCK_ROWS = 1024 };

/* Appends a separator and one value of the column; an integer column's "no value" is empty. */
static alcore_status append_value(output *out, char separator, int32_t dtype, const char *value) {
    if (!alcore__dtype_is_integer(dtype))
        return append_number(out, separator, alcore__widen(dtype, value));
    const int64_t integer = alcore__read_integer(dtype, value);
    if (integer == INT64_MIN) return alcore__buffer_format(out->ctx, &out->line, "%c", separator);
    return alcore__buffer_format(out->ctx, &out->line, "%c%" PRId64, separator, integer);
}

/* Writes the line of a row: its id and values [count] of the column's type, separated by TABs;
 * those of a ragged row follow one TAB and are separated by spaces. count 0 (values NULL) is a
 * ragged row without tokens: id and TAB. */
static alcore_status write_values(const alcore_pool *pool, int64_t row, const char *values,
                                  int64_t count, const alcore__column *column, output *out) {
    const size_t bytes = alcore_sys_dtype_bytes(column->dtype);
    ALCORE__TRY(append_id(out, pool, row));
    if (count == 0) ALCORE__TRY(alcore__buffer_append(out->ctx, &out->line, "\t", 1));
    for (int64_t i = 0; i < count; i++)
        ALCORE__TRY(append_value(out, column->ragged && i > 0 ? ' ' : '\t', column->dtype,
                                 values + (size_t)i * bytes));
    return end_line(out);
}

/* Writes the line of a row of a column of texts, id TAB text; nothing where the row has no text. */
static alcore_status write_column_text(const alcore_pool *pool, const alcore__column *column,
                                       int64_t row, output *out) {
    size_t length;
    const char *text = column->ops->text(column, alcore__column_entry(column, row), &length);
    if (!text) return ALCORE_OK;
    ALCORE__TRY(append_id(out, pool, row));
    ALCORE__TRY(alcore__buffer_append(out->ctx, &out->line, "\t", 1));
    ALCORE__TRY(append_text(out, text, length));
    return end_line(out);
}

/* Whether the only value of a row is an integer that says "no value", which no text says: the line
 * of such a row would not be read again. */
static bool is_missing(const alcore__column *column, const char *value) {
    return !column->ragged && column->dims == 1 && alcore__dtype_is_integer(column->dtype) &&
           alcore__read_integer(column->dtype, value) == INT64_MIN;
}

/* Writes a line for each of rows first .. first + count - 1 that is not masked (state 0) and has a
 * value. A column of texts is read entry by entry, any other as a block, through scratch. `start`:
 * the row's first value in the block. */
static alcore_status write_block(const alcore_pool *pool, const alcore__column *column,
                                 int64_t first, int64_t count, alcore__scratch *scratch,
                                 output *out) {
    const size_t bytes = alcore_sys_dtype_bytes(column->dtype);
    alcore_sys_rows rows = {0};
    alcore_sys_ragged items = {0};
    if (column->ops->rows)
        ALCORE__TRY(column->ops->rows(column, first, count, scratch, &rows));
    else if (column->ops->ragged)
        ALCORE__TRY(column->ops->ragged(column, first, count, scratch, &items));
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = first + i;
        if (pool->states[row] != 0 || !alcore__column_has(column, row)) continue;
        if (column->dtype == ALCORE_TEXT) {
            ALCORE__TRY(write_column_text(pool, column, row, out));
            continue;
        }
        const int64_t start =
            column->ragged ? items.offsets[i] - items.offsets[0] : i * rows.stride;
        const int64_t value_count =
            column->ragged ? items.offsets[i + 1] - items.offsets[i] : column->dims;
        const char *values = column->ragged ? items.values : rows.data;
        const char *first_value = value_count > 0 ? values + (size_t)start * bytes : NULL;
        if (is_missing(column, first_value)) continue;
        ALCORE__TRY(write_values(pool, row, first_value, value_count, column, out));
    }
    return ALCORE_OK;
}

/* Writes a column as .tsv or .lp, BLOCK_ROWS rows at a time. path "-": standard output. */
static alcore_status write_text(const alcore_pool *pool, const alcore__column *column,
                                const char *path) {
    output out = {.ctx = pool->object.ctx};
    alcore__scratch scratch = {0};
    ALCORE__TRY(alcore__writer_open(out.ctx, path, &out.writer));
    alcore_status status = ALCORE_OK;
    for (int64_t row = 0; row < pool->rows && status == ALCORE_OK; row += BLOCK_ROWS) {
        const int64_t left = pool->rows - row;
        status = alcore__tick(out.ctx, "writing", row, pool->rows);
        if (status == ALCORE_OK)
            status = write_block(pool, column, row, left < BLOCK_ROWS ? left : BLOCK_ROWS, &scratch,
                                 &out);
    }
    alcore__scratch_clear(out.ctx, &scratch);
    return close_output(&out, status);
}

/* Writes the values of all rows of the pool, masked ones too, behind the header of a .npy. dtype:
 * that of the file, which differs from the column's where this is bfloat16: .npy has no such type,
 * and float32 has each of its values. row_buffer [dims]: for the conversion. */
static alcore_status write_npy_rows(const alcore_pool *pool, const alcore__column *column,
                                    int32_t dtype, float *row_buffer, output *out) {
    const size_t bytes = alcore_sys_dtype_bytes(column->dtype);
    alcore__scratch scratch = {0};
    alcore_status status = ALCORE_OK;
    for (int64_t row = 0; row < pool->rows; row += BLOCK_ROWS) {
        const int64_t count = pool->rows - row < BLOCK_ROWS ? pool->rows - row : BLOCK_ROWS;
        alcore_sys_rows block;
        ALCORE__TRY_GOTO(status, done, alcore__tick(out->ctx, "writing", row, pool->rows));
        ALCORE__TRY_GOTO(status, done, column->ops->rows(column, row, count, &scratch, &block));
        for (int64_t i = 0; i < count; i++) {
            const char *values = (const char *)block.data + (size_t)(i * block.stride) * bytes;
            for (int64_t j = 0; dtype != column->dtype && j < column->dims; j++)
                row_buffer[j] = (float)alcore__widen(column->dtype, values + (size_t)j * bytes);
            ALCORE__TRY_GOTO(
                status, done,
                alcore__writer_put(out->writer,
                                   dtype == column->dtype ? (const void *)values : row_buffer,
                                   (size_t)column->dims * alcore_sys_dtype_bytes(dtype)));
        }
    }
done:
    alcore__scratch_clear(out->ctx, &scratch);
    return status;
}

/* Writes a column as .npy [rows], or [rows, dims] where a row has several values. */
static alcore_status write_npy(const alcore_pool *pool, const alcore__column *column,
                               const char *path) {
    output out = {.ctx = pool->object.ctx};
    const int32_t dtype = column->dtype == ALCORE_BFLOAT16 ? ALCORE_FLOAT32 : column->dtype;
    const int64_t shape[] = {pool->rows, column->dims};
    float *row_buffer = NULL;
    if (dtype != column->dtype)
        ALCORE__TRY(
            alcore__new_array(out.ctx, (size_t)column->dims, sizeof *row_buffer, &row_buffer));
    alcore_status status =
        alcore__npy_begin(out.ctx, path, dtype, column->dims > 1 ? 2 : 1, shape, &out.writer);
    if (status == ALCORE_OK)
        status = close_output(&out, write_npy_rows(pool, column, dtype, row_buffer, &out));
    alcore__free(out.ctx, row_buffer);
    return status;
}

/* Chooses the format of a file of a column, ALCORE_FORMAT_*: the one that was asked for, *format,
 * or the one that the suffix of the path names; for standard output, "-", .lp for a ragged column
 * and TSV for others. */
static alcore_status resolve_format(const alcore__column *column, const char *path,
                                    int32_t *format) {
    static const struct {
        const char *suffix;
        int32_t format;
    } suffixes[] = {
        {".npy", ALCORE_FORMAT_NPY}, {".tsv", ALCORE_FORMAT_TSV}, {".lp", ALCORE_FORMAT_LP}};
    const bool standard = strcmp(path, "-") == 0;
    if (*format == 0 && standard) *format = column->ragged ? ALCORE_FORMAT_LP : ALCORE_FORMAT_TSV;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        if (*format == 0 && alcore__path_ends_in(path, strlen(path), suffixes[i].suffix))
            *format = suffixes[i].format;
        if (*format == suffixes[i].format) return ALCORE_OK;
    }
    ALCORE__TRY(alcore__file_format_check(*format));
    return alcore__fail(ALCORE_E_UNSUPPORTED, "%s: columns are written as .npy, .tsv or .lp", path);
}

/* Writes the column of a name in the format that was chosen, and refuses formats that cannot
 * express it. */
static alcore_status write_column(const alcore_pool *pool, const char *name, const char *path,
                                  const alcore_write_options *theirs) {
    const alcore__column *column;
    alcore_write_options options;
    if (!path) return alcore__fail(ALCORE_E_INVALID, "path is NULL");
    ALCORE__TRY(alcore__write_options_read(theirs, &options));
    ALCORE__TRY(alcore__pool_get_column(pool, name, &column));
    ALCORE__TRY(resolve_format(column, path, &options.format));
    const bool npy = options.format == ALCORE_FORMAT_NPY, lp = options.format == ALCORE_FORMAT_LP;
    if (column->ragged != lp)
        return alcore__fail(ALCORE_E_SHAPE, "%s: column \"%s\" is %s; write it as %s", path, name,
                            column->ragged ? "ragged" : "not ragged",
                            column->ragged ? ".lp" : ".npy or .tsv");
    if (npy && column->dtype == ALCORE_TEXT)
        return alcore__fail(ALCORE_E_SHAPE, "%s: column \"%s\" has texts; write it as .tsv", path,
                            name);
    if (lp && column->dims != 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: column \"%s\" has %" PRId64 " numbers per token; .lp holds one",
                            path, name, column->dims);
    return npy ? write_npy(pool, column, path) : write_text(pool, column, path);
}

alcore_status alcore_pool_write_column(const alcore_pool *pool, const char *name, const char *path,
                                       const alcore_write_options *options) {
    ALCORE__TRY(alcore__pool_read_begin(pool));
    return alcore__pool_read_end(pool, write_column(pool, name, path, options));
}
