/* SPDX-License-Identifier: Apache-2.0 */
/* Columns from files, alcore_pool_read_column(). The values of an array file (.npy, .safetensors)
 * stay there and are read in blocks when they are needed (column_file.c); a text form and links of
 * words are read into memory as a whole (docs/formats.md). */
#include <inttypes.h>
#include <string.h>

#include "formats/array_file.h"
#include "formats/escape.h"
#include "formats/pharaoh.h"
#include "formats/score_text.h"
#include "pool/column_builder.h"

/* ---- arrays ---- */

/* What the file has where a wider type is read, for the error of a type that the column cannot
 * have. */
static const char *const stored_names[] = {
    [ALCORE__STORED_SAME] = "",
    [ALCORE__STORED_INT8] = " (int8 in the file)",
    [ALCORE__STORED_UINT8] = " (uint8 or bool in the file)",
    [ALCORE__STORED_INT16] = " (int16 in the file)",
    [ALCORE__STORED_UINT16] = " (uint16 in the file)",
    [ALCORE__STORED_UINT32] = " (uint32 in the file)",
    [ALCORE__STORED_INT32] = " (int32 in the file)",
};

/* Checks the header of an array file against the column: its dtype, its number of rows (entries;
 * -1: any, for the tokens of a ragged column), and one value or more in each. */
static alcore_status check_array(const char *name, const char *path, int64_t entries,
                                 const alcore__array_info *info) {
    alcore_status status = alcore__column_check_dtype("the array", name, info->dtype);
    if (status != ALCORE_OK)
        return alcore__fail(status,
                            "%s: column \"%s\": %s%s; convert it, as x.astype() does, and save it "
                            "again",
                            path, name, alcore_last_error(), stored_names[info->stored]);
    if (entries >= 0 && info->shape[0] != entries)
        return alcore__fail(ALCORE_E_SHAPE,
                            "%s: expected %" PRId64 " rows for column \"%s\", found %" PRId64, path,
                            entries, name, info->shape[0]);
    if (info->shape[1] < 1)
        return alcore__fail(ALCORE_E_SHAPE, "%s: expected 1 number or more per row, found %" PRId64,
                            path, info->shape[1]);
    return ALCORE_OK;
}

/* Reads the file of offsets of a ragged column into memory: *out [entries + 1], checked, owned by
 * the caller. The values stay in their file. */
static alcore_status read_offsets(alcore_ctx *ctx, const char *path, int64_t entries,
                                  int64_t tokens, int64_t **out) {
    alcore__array_info info;
    alcore__file *file;
    int64_t *offsets = NULL;
    alcore_status status;
    ALCORE__TRY(alcore__array_open(ctx, path, &info, &file));
    alcore__array_widen_integers(&info);
    if ((info.dtype != ALCORE_INT64 && info.dtype != ALCORE_UINT64) || info.ndim != 1 ||
        info.shape[0] != entries + 1) {
        status =
            alcore__fail(ALCORE_E_SHAPE,
                         "%s: expected offsets, integers [%" PRId64 "], found %s [%" PRId64 "]%s",
                         path, entries + 1, alcore__dtype_name(info.dtype), info.shape[0],
                         info.ndim == 1 ? "" : " with 2 dimensions");
        goto done;
    }
    ALCORE__TRY_GOTO(status, done,
                     alcore__new_array(ctx, (size_t)entries + 1, sizeof *offsets, &offsets));
    ALCORE__TRY_GOTO(status, done, alcore__array_read(file, &info, 0, entries + 1, offsets));
    status = alcore__offsets_check(path, offsets, entries, tokens);
done:
    alcore__file_close(file);
    if (status == ALCORE_OK)
        *out = offsets;
    else
        alcore__free(ctx, offsets);
    return status;
}

/* Makes a column of samples from an array file of three dimensions, whose values are read into
 * memory, and puts it into the pool. The file stays the caller's. */
static alcore_status read_samples(alcore_pool *pool, const char *name, const char *path,
                                  const alcore_column_options *options, int64_t entries,
                                  alcore__file *file, const alcore__array_info *info) {
    alcore__column *column = NULL;
    alcore__memory_array array = {0};
    int64_t count = 0;
    alcore_status status;
    ALCORE__TRY(alcore__column_new(pool, name, path, options, &column));
    ALCORE__TRY_GOTO(status, failed,
                     alcore__column_read_samples(column, file, info, entries, &array, &count));
    ALCORE__TRY_GOTO(status, failed, alcore__column_set_memory(column, &array, count));
    array = (alcore__memory_array){0};
    ALCORE__TRY_GOTO(status, failed, alcore__pool_put_column(pool, column));
    return ALCORE_OK;
failed:
    alcore__memory_array_clear(pool->object.ctx, &array);
    alcore__column_free(column);
    return status;
}

/* Makes a column whose values stay in an array file (.npy or .safetensors) and puts it into the
 * pool, which is locked for writing. options->offsets: the file of offsets of a ragged column (a
 * list of tokens an entry), NULL: it is not ragged. entries: how many the options ask for.
 * Ownership of file and offsets passes to the column half-way; the pointers are cleared then, so
 * that the end frees what is left. */
static alcore_status read_array(alcore_pool *pool, const char *name, const char *path,
                                const alcore_column_options *options, int64_t entries) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore__array_info info;
    alcore__file *file;
    alcore__column *column = NULL;
    int64_t *offsets = NULL;
    const bool ragged = options->offsets, samples = !ragged && alcore__column_takes_samples(name);
    alcore_status status;
    ALCORE__TRY(samples ? alcore__array_open_planes(ctx, path, &info, &file)
                        : alcore__array_open(ctx, path, &info, &file));
    alcore__array_widen_bytes(&info);
    const bool is_any = ragged || info.ndim == 3; /* numbers of rows; offsets or planes tell more */
    ALCORE__TRY_GOTO(status, done, check_array(name, path, is_any ? -1 : entries, &info));
    if (info.ndim == 3) {
        status = read_samples(pool, name, path, options, entries, file, &info);
        goto done;
    }
    if (ragged)
        ALCORE__TRY_GOTO(status, done,
                         read_offsets(ctx, options->offsets, entries, info.shape[0], &offsets));
    ALCORE__TRY_GOTO(status, done, alcore__column_new(pool, name, path, options, &column));
    column->dims = info.shape[1];
    column->dtype = info.dtype;
    ALCORE__TRY_GOTO(status, done, alcore__column_set_file(column, file, &info, offsets));
    file = NULL;
    offsets = NULL;
    ALCORE__TRY_GOTO(status, done, alcore__pool_put_column(pool, column));
    column = NULL;
done:
    alcore__column_free(column);
    alcore__free(ctx, offsets);
    alcore__file_close(file);
    return status;
}

/* ---- text forms ---- */

/* A text form that is being read. */
typedef struct text_column {
    alcore_pool *pool;
    const char *path; /* for messages */
    const alcore_column_options *options;
    int64_t entries; /* that the column has: the rows of options, or all rows of the pool */
    alcore__column_builder builder;
    alcore__buffer id; /* workspace: an id without its escapes */
    int64_t lines;     /* that had values so far */
    bool by_line;      /* line i is entry i; otherwise each line names its row */
} text_column;

/* *out_row: the row with the id of a line, as it stands or else, where libalcore may have written
 * it, without its escapes. */
static alcore_status find_id(text_column *text, const alcore__score_line *line, int64_t *out_row) {
    alcore_ctx *ctx = text->pool->object.ctx;
    const alcore_status status =
        alcore__pool_find_id(text->pool, line->id, line->id_length, out_row);
    if (status != ALCORE_E_NOT_FOUND || !line->may_be_escaped) return status;
    text->id.length = 0;
    ALCORE__TRY(alcore__buffer_append(ctx, &text->id, line->id, line->id_length));
    const size_t length = alcore__tsv_unescape(text->id.data, line->id_length);
    return alcore__pool_find_id(text->pool, text->id.data, length, out_row);
}

/* *out_row: the pool row that a line of a text form gives values for: by the record id that it
 * names, or by its number among the entries, from 0, which options.rows map to rows (NULL: entry i
 * is row i); its rows were checked. */
static alcore_status find_row(text_column *text, const alcore__score_line *line, int64_t *out_row) {
    if (line->id) return find_id(text, line, out_row);
    if (line->number < 0 || line->number >= text->entries)
        return alcore__fail(ALCORE_E_SHAPE, "expected %" PRId64 " rows, found number %" PRId64,
                            text->entries, line->number);
    *out_row = text->options->rows ? text->options->rows[line->number] : line->number;
    return ALCORE_OK;
}

/* Puts the values of one line into the builder; a row that was given before is refused. A line
 * behind the last entry is only counted, so that the message of a wrong count can tell how many
 * there are. */
static alcore_status put_line(text_column *text, const alcore__score_line *line) {
    int64_t row;
    if (text->by_line && line->number >= text->entries) {
        text->lines = line->number + 1;
        return ALCORE_OK;
    }
    ALCORE__TRY(find_row(text, line, &row));
    if (text->builder.entry[row] != 0)
        return alcore__fail(ALCORE_E_DATA, "row %" PRId64 " is given a second time", row);
    const alcore__builder_input input = {
        .rows = &row,
        .count = 1,
        .values = (const char *)line->values,
        .strides = {sizeof(double), sizeof(double)},
        .value_rows = line->count,
        .dims = 1,
        .dtype = ALCORE_FLOAT64,
        .lengths = alcore__builder_ragged(&text->builder) ? &line->count : NULL};
    text->lines++;
    return alcore__builder_put(&text->builder, &input);
}

/* Called by the reader of text forms for each line; errors get the path and the line. */
static alcore_status put_score_line(void *user, const alcore__score_line *line) {
    const text_column *text = user;
    alcore_status status = put_line(user, line);
    if (status == ALCORE_OK || status == ALCORE_E_NOMEM) return status;
    return alcore__fail_within(status, "%s:%" PRId64, text->path, line->line);
}

/* Checks options->rows before a line is looked up in them. */
static alcore_status check_options_rows(const alcore_pool *pool,
                                        const alcore_column_options *options) {
    return options->rows ? alcore__pool_check_rows(pool, options->rows, options->row_count)
                         : ALCORE_OK;
}

/* Reads a text form (txt, tsv, csv, lp, marian, fairseq) as a whole: each line puts values into a
 * builder, which becomes the column. One number a line makes a scalar column, lists make a ragged
 * one. */
static alcore_status read_text(alcore_pool *pool, const char *name, const char *path,
                               const alcore_column_options *options, int64_t entries,
                               int32_t format) {
    const bool scalar =
        format == ALCORE__SCORE_TXT || format == ALCORE__SCORE_TSV || format == ALCORE__SCORE_CSV;
    text_column text = {.pool = pool,
                        .path = path,
                        .options = options,
                        .entries = entries,
                        .by_line = format == ALCORE__SCORE_TXT};
    alcore_column_options kept = *options;
    ALCORE__TRY(check_options_rows(pool, options));
    ALCORE__TRY(alcore__builder_init(&text.builder, pool->object.ctx, pool->rows,
                                     scalar ? ALCORE_COLUMN_SCALAR : ALCORE_COLUMN_RAGGED));
    alcore_status status = alcore__read_score_text(pool->object.ctx, path, format,
                                                   pool->max_text_bytes, put_score_line, &text);
    if (status == ALCORE_OK && text.by_line && text.lines != entries)
        status = alcore__fail(ALCORE_E_SHAPE,
                              "%s: expected %" PRId64 " rows for column \"%s\", found %" PRId64,
                              path, entries, name, text.lines);
    kept.rows = NULL; /* each line was put under its pool row already */
    kept.row_count = 0;
    if (status == ALCORE_OK)
        status = alcore__builder_finish(&text.builder, pool, name, path, &kept);
    alcore__buffer_clear(pool->object.ctx, &text.id);
    alcore__builder_clear(&text.builder);
    return status;
}

/* ---- links ---- */

/* Reads links of words, a line an entry, as a ragged column of int32 [links, 2]. The column takes
 * over their arrays. */
static alcore_status read_links(alcore_pool *pool, const char *name, const char *path,
                                const alcore_column_options *options, int64_t entries) {
    alcore_ctx *ctx = pool->object.ctx;
    alcore__links links;
    alcore__column *column = NULL;
    alcore_status status;
    ALCORE__TRY(alcore__pharaoh_read(ctx, path, entries, &links));
    const alcore__memory_array array = {.values = (char *)links.link,
                                        .owned_values = links.link,
                                        .stride = 2,
                                        .offsets = links.begin,
                                        .owned_offsets = links.begin,
                                        .shape = {0, 2}};
    ALCORE__TRY_GOTO(status, done, alcore__column_new(pool, name, path, options, &column));
    column->dims = 2;
    column->dtype = ALCORE_INT32;
    column->by_line = true;
    ALCORE__TRY_GOTO(status, done, alcore__column_set_memory(column, &array, links.begin[entries]));
    links.link = NULL;
    links.begin = NULL;
    ALCORE__TRY_GOTO(status, done, alcore__pool_put_column(pool, column));
    column = NULL;
done:
    alcore__column_free(column);
    alcore__links_clear(ctx, &links);
    return status;
}

/* Whether a format that the caller named is one of arrays. */
static bool is_array(const char *format) {
    return strcmp(format, "npy") == 0 || strcmp(format, "safetensors") == 0;
}

/* Chooses the reader by the format that was asked for, or else by the suffix of the path; what is
 * no text form is opened as an array, whose header tells what it is. */
static alcore_status read_column(alcore_pool *pool, const char *name, const char *path,
                                 const alcore_column_options *theirs) {
    alcore_column_options options;
    int64_t entries;
    if (!path || !name) return alcore__fail(ALCORE_E_INVALID, "name or path is NULL");
    ALCORE__TRY(alcore__column_options_read(pool, theirs, &options, &entries));
    if (options.ownership != ALCORE_KEEP || options.release_user || options.on_device)
        return alcore__fail(ALCORE_E_INVALID,
                            "ownership, release_user and on_device do not apply to a column in a "
                            "file, which the library closes");
    const bool is_links = options.format && strcmp(options.format, "pharaoh") == 0;
    const bool is_named_array = options.format && is_array(options.format);
    const int32_t format =
        is_links || is_named_array ? 0 : alcore__score_format(options.format, path);
    if (format == 0 && options.format && !is_links && !is_named_array)
        return alcore__fail(
            ALCORE_E_INVALID,
            "format is \"%s\"; expected npy, safetensors, txt, tsv, csv, lp, marian, "
            "fairseq or pharaoh",
            options.format);
    if (format == 0 && !is_links) return read_array(pool, name, path, &options, entries);
    if (options.offsets)
        return alcore__fail(ALCORE_E_INVALID,
                            "offsets do not apply to \"%s\", a text form, whose lines say which "
                            "row a number is of",
                            path);
    if (format == ALCORE__SCORE_FAIRSEQ && options.log_base != 0)
        return alcore__fail(ALCORE_E_INVALID,
                            "log_base does not apply to \"%s\": fairseq's base is 2, and its "
                            "log-probabilities become natural ones as they are read",
                            path);
    return is_links ? read_links(pool, name, path, &options, entries)
                    : read_text(pool, name, path, &options, entries, format);
}

alcore_status alcore_pool_read_column(alcore_pool *pool, const char *name, const char *path,
                                      const alcore_column_options *options) {
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    return alcore__pool_change_end(pool, read_column(pool, name, path, options));
}
