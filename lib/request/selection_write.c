/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the picks of a selection to a file, in rank order and one line each (docs/formats.md):
 *
 *   TSV, CSV   rank, index, id, score, cost, the record columns, reason, text
 *   JSONL      the record with its texts, and an object "al" with the same values
 *   text       the text only
 *
 * Lines are built in one buffer and written one at a time; the file appears when it is complete. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "formats/byte_stream.h"
#include "formats/escape.h"
#include "formats/write_options.h"
#include "request/selection_internal.h"

/* The state of one call of alcore_selection_write(). */
typedef struct table {
    const alcore_selection *selection;
    alcore_ctx *ctx;
    alcore__buffer line; /* what is written next */
    int32_t format;      /* ALCORE_FORMAT_* */
    bool first;          /* the next cell is the first of its line */
} table;

/* Appends bytes to the line. */
static alcore_status put(table *self, const char *data, size_t bytes) {
    return alcore__buffer_append(self->ctx, &self->line, data, bytes);
}

/* Appends a cell of TSV or CSV, escaped as the format has it, behind a separator where one is due.
 */
static alcore_status put_cell(table *self, const char *text, size_t length) {
    bool csv = self->format == ALCORE_FORMAT_CSV;
    if (!self->first) ALCORE__TRY(put(self, csv ? "," : "\t", 1));
    self->first = false;
    return csv ? alcore__csv_append(self->ctx, &self->line, text, length)
               : alcore__tsv_append(self->ctx, &self->line, text, length);
}

static alcore_status put_word(table *self, const char *text) {
    return put_cell(self, text, strlen(text));
}

static alcore_status put_integer(table *self, int64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, value);
    return put_word(self, digits);
}

/* Appends a cell with a number, the shortest that reads back as the same double; a NaN is an empty
 * cell. */
static alcore_status put_number(table *self, double value) {
    char digits[32] = "";
    if (!isnan(value)) alcore__print_double(value, digits);
    return put_word(self, digits);
}

static alcore_status end_line(table *self) {
    self->first = true;
    return self->format == ALCORE_FORMAT_CSV ? put(self, "\r\n", 2) : put(self, "\n", 1);
}

/* The names of the columns of TSV and CSV; CSV begins with a byte-order mark, by which spreadsheets
 * know UTF-8. */
static alcore_status put_header(table *self) {
    static const char *const names[] = {"rank", "index", "id", "score", "cost"};
    const alcore__outcome *outcome = &self->selection->ranking->outcome;
    if (self->format == ALCORE_FORMAT_CSV) ALCORE__TRY(put(self, "\xEF\xBB\xBF", 3));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) ALCORE__TRY(put_word(self, names[i]));
    for (int32_t c = 0; c < outcome->column_count; c++)
        ALCORE__TRY(put_word(self, outcome->columns[c].name));
    ALCORE__TRY(put_word(self, "reason"));
    ALCORE__TRY(put_word(self, "text"));
    return end_line(self);
}

/* Appends the line of the pick of a rank in TSV or CSV. Ranks count from 1 in files. A negative
 * integer in the record means that the pick has no value there, and an empty cell is written. */
static alcore_status put_pick(table *self, int64_t rank) {
    const alcore_selection *selection = self->selection;
    int64_t row = selection->rows[rank];
    char id[24];
    size_t length;
    const char *text = alcore_pool_text(selection->ranking->pool, row, &length);
    ALCORE__TRY(put_integer(self, rank + 1));
    ALCORE__TRY(put_integer(self, row));
    ALCORE__TRY(put_word(self, alcore_pool_id(selection->ranking->pool, row, id)));
    ALCORE__TRY(put_number(self, selection->scores[rank]));
    ALCORE__TRY(put_number(self, selection->costs[rank]));
    for (int32_t c = 0; c < selection->ranking->outcome.column_count; c++) {
        const void *values = selection->pick_columns[c];
        if (selection->ranking->outcome.columns[c].dtype == ALCORE_FLOAT64)
            ALCORE__TRY(put_number(self, ((const double *)values)[rank]));
        else if (((const int64_t *)values)[rank] < 0)
            ALCORE__TRY(put_word(self, ""));
        else
            ALCORE__TRY(put_integer(self, ((const int64_t *)values)[rank]));
    }
    ALCORE__TRY(put_word(self, selection->reasons[rank]));
    ALCORE__TRY(put_cell(self, text, length));
    return end_line(self);
}

/* Appends the line of the pick of a rank in plain text: the text only, so that the file can go to a
 * translator. */
static alcore_status put_text(table *self, int64_t rank) {
    size_t length;
    const char *text =
        alcore_pool_text(self->selection->ranking->pool, self->selection->rows[rank], &length);
    /* One line per text: a line break inside one (from TSV or JSONL) is escaped. */
    bool broken = memchr(text, '\n', length) != NULL;
    ALCORE__TRY(broken ? alcore__tsv_append(self->ctx, &self->line, text, length)
                       : put(self, text, length));
    return put(self, "\n", 1);
}

/* Appends the pick of a rank as one JSON object of the library's own format (docs/formats.md). The
 * reference is left out, since the file goes to the people who write one. Record columns that are
 * terms of the score have the term's name. */
static alcore_status put_object(table *self, int64_t rank) {
    const alcore_selection *selection = self->selection;
    const alcore_pool *pool = selection->ranking->pool;
    int64_t row = selection->rows[rank];
    char id[24];
    size_t length;
    const char *text = alcore_pool_text(pool, row, &length), *group = alcore_pool_group(pool, row);
    alcore__json_out json = {.ctx = self->ctx, .text = self->line};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "id", alcore_pool_id(pool, row, id));
    alcore__json_put_text(&json, "source", text, length);
    alcore__json_put_string(&json, "lang", alcore_pool_language(pool, row));
    if (group != NULL) alcore__json_put_string(&json, "group", group);
    alcore__json_open(&json, "al", '{');
    alcore__json_put_integer(&json, "round", selection->ranking->round);
    alcore__json_put_integer(&json, "rank", rank + 1);
    alcore__json_put_integer(&json, "index", row);
    alcore__json_put_number(&json, "score", selection->scores[rank]);
    alcore__json_put_number(&json, "cost", selection->costs[rank]);
    for (int32_t c = 0; c < selection->ranking->outcome.column_count; c++) {
        const alcore__record_column *column = &selection->ranking->outcome.columns[c];
        const alcore__term_part *part = alcore__selection_term_of(selection, column->name);
        const char *name = part != NULL ? part->term->name : column->name;
        const void *values = selection->pick_columns[c];
        if (column->dtype == ALCORE_FLOAT64)
            alcore__json_put_number(&json, name, ((const double *)values)[rank]);
        else if (((const int64_t *)values)[rank] >= 0)
            alcore__json_put_integer(&json, name, ((const int64_t *)values)[rank]);
    }
    alcore__json_put_string(&json, "strategy", selection->ranking->strategy);
    alcore__json_put_string(&json, "reason", selection->reasons[rank]);
    alcore__json_close(&json, '}');
    alcore__json_close(&json, '}');
    self->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? put(self, "\n", 1) : json.status;
}

/* Writes the header, where the format has one, and all picks in rank order. The header goes out
 * with the first pick, or by itself where there are no picks. */
static alcore_status write_lines(table *self, alcore__writer *writer) {
    bool header = self->format == ALCORE_FORMAT_TSV || self->format == ALCORE_FORMAT_CSV;
    if (header) ALCORE__TRY(put_header(self));
    for (int64_t k = 0; k < self->selection->count; k++) {
        ALCORE__TRY(alcore__tick(self->ctx, "writing", k, self->selection->count));
        ALCORE__TRY(self->format == ALCORE_FORMAT_JSONL  ? put_object(self, k)
                    : self->format == ALCORE_FORMAT_TEXT ? put_text(self, k)
                                                         : put_pick(self, k));
        ALCORE__TRY(alcore__writer_put(writer, self->line.data, self->line.length));
        self->line.length = 0;
    }
    return self->line.length == 0 ? ALCORE_OK
                                  : alcore__writer_put(writer, self->line.data, self->line.length);
}

static bool has_suffix(const char *path, const char *suffix) {
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

/* Chooses the format of a file, ALCORE_FORMAT_*: the one that was asked for, *format, or the one
 * that the suffix of the path names; TSV for standard output, "-". */
static alcore_status resolve_format(const char *path, int32_t *format) {
    static const struct {
        const char *suffix;
        int32_t format;
    } suffixes[] = {{".tsv", ALCORE_FORMAT_TSV},
                    {".csv", ALCORE_FORMAT_CSV},
                    {".jsonl", ALCORE_FORMAT_JSONL},
                    {".txt", ALCORE_FORMAT_TEXT}};
    size_t base;
    if (alcore__stream_compressed(path, &base))
        return alcore__fail(
            ALCORE_E_UNSUPPORTED,
            "%s: a selection is written uncompressed, as .tsv, .csv, .jsonl or .txt", path);
    if (*format == ALCORE_FORMAT_AUTO && strcmp(path, "-") == 0) *format = ALCORE_FORMAT_TSV;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (*format == ALCORE_FORMAT_AUTO && has_suffix(path, suffixes[i].suffix))
            *format = suffixes[i].format;
    if (*format >= ALCORE_FORMAT_TEXT && *format <= ALCORE_FORMAT_CSV) return ALCORE_OK;
    return alcore__fail(ALCORE_E_UNSUPPORTED,
                        "%s: a selection is written as .tsv, .csv, .jsonl or .txt", path);
}

/* Writes the picks to a file, which replaces an old one only when it is complete. The pool is
 * locked for reading while texts are copied from it. */
static alcore_status write_file(const alcore_selection *selection, const char *path,
                                const alcore_write_options *theirs) {
    alcore_ctx *ctx = selection->object.ctx;
    alcore_write_options options;
    ALCORE__TRY(alcore__write_options_read(theirs, &options));
    table self = {.selection = selection, .ctx = ctx, .format = options.format, .first = true};
    alcore__writer *writer;
    ALCORE__TRY(resolve_format(path, &self.format));
    ALCORE__TRY(alcore__writer_open(ctx, path, &writer));
    alcore_status status = alcore__read_begin(selection->ranking->pool, "pool");
    if (status == ALCORE_OK) {
        status = write_lines(&self, writer);
        alcore__read_end(selection->ranking->pool);
    }
    alcore__buffer_clear(ctx, &self.line);
    if (status == ALCORE_OK) return alcore__writer_commit(writer);
    alcore__writer_abort(writer);
    return status;
}

alcore_status alcore_selection_write(const alcore_selection *selection, const char *path,
                                     const alcore_write_options *options) {
    if (selection == NULL || path == NULL)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_selection_write: selection and path are needed");
    ALCORE__TRY(alcore__enter(selection->object.ctx));
    return alcore__leave(selection->object.ctx, write_file(selection, path, options));
}
