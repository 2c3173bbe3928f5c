/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables whose columns are found by name (cell_reader.h). */
#include "mix/cell_reader.h"

#include <string.h>

#include "base/alternatives.h"
#include "formats/escape.h"
#include "formats/json_scan.h"
#include "text/utf8.h"

/* The state of one reading. */
typedef struct reading {
    alcore__line_reader lines;
    const alcore__cell_column *columns; /* [count] */
    int32_t count, plain;               /* as in alcore__cells_read() */
    int32_t *column_of; /* [fields] of TSV: index in columns of each field, -1 for another one */
    size_t capacity, fields; /* entries that column_of has memory for; fields that every line has,
                              * 0 before the first line */
    alcore__cell_sink sink;
    void *user;
} reading;

/* The column that a name belongs to; -1 for none. */
static int32_t column_of(const reading *self, const char *name, size_t length) {
    for (int32_t c = 0; c < self->count; c++) {
        const char *rest = self->columns[c].names, *word;
        size_t bytes;
        while (alcore__alternatives_next(&rest, &word, &bytes))
            if (bytes == length && memcmp(word, name, length) == 0) return c;
    }
    return -1;
}

/* Checks that the cells [self->count] of a line are UTF-8 and passes them to the sink; a cell with
 * text NULL is absent. Names of a column are written "NAME|OTHER", and messages show the first. */
static alcore_status pass_on(const reading *self, const alcore__cell *cells) {
    for (int32_t c = 0; c < self->count; c++) {
        if (!cells[c].text) continue;
        const size_t good = alcore__utf8_check(cells[c].text, cells[c].length);
        if (good < cells[c].length)
            return alcore__lines_fail(&self->lines, "byte %zu of the %.*s is not UTF-8", good + 1,
                                      (int)strcspn(self->columns[c].names, "|"),
                                      self->columns[c].names);
    }
    return self->sink(self->user, &self->lines, cells);
}

/* ---- TSV ---- */

/* Assigns the fields of the first line to columns by their names. *out_header: whether it is a
 * header. */
static alcore_status read_header(reading *self, const char *text, size_t length, bool *out_header) {
    const char *next = text, *end = text + length;
    uint32_t found = 0; /* bit c: column c has a field */
    self->fields = 0;
    for (bool more = true; more;) {
        const char *tab = memchr(next, '\t', (size_t)(end - next));
        const char *stop = tab ? tab : end;
        const int32_t column = column_of(self, next, (size_t)(stop - next));
        ALCORE__TRY(alcore__grow(self->lines.ctx, &self->column_of, &self->capacity,
                                 self->fields + 1, sizeof *self->column_of));
        self->column_of[self->fields++] = column;
        if (column >= 0 && (found & 1u << column))
            return alcore__lines_fail(&self->lines, "two columns are called %.*s",
                                      (int)(stop - next), next);
        if (column >= 0) found |= 1u << column;
        more = tab;
        next = stop + 1;
    }
    *out_header = true;
    for (int32_t c = 0; c < self->count; c++) {
        if (!self->columns[c].required || (found & 1u << c)) continue;
        *out_header = false;
        if (self->plain == 0)
            return alcore__lines_fail(
                &self->lines, "the first line names no column %.*s; it is \"%.*s\"",
                (int)strcspn(self->columns[c].names, "|"), self->columns[c].names,
                (int)(length < 200 ? length : 200), text);
    }
    return ALCORE_OK;
}

/* Without a header field i is column i. */
static alcore_status number_fields(reading *self) {
    ALCORE__TRY(alcore__grow(self->lines.ctx, &self->column_of, &self->capacity,
                             (size_t)self->plain, sizeof *self->column_of));
    for (int32_t i = 0; i < self->plain; i++) self->column_of[i] = i;
    self->fields = (size_t)self->plain;
    return ALCORE_OK;
}

/* The fields of a line, which are separated by tabs. */
static size_t count_fields(const char *text, size_t length) {
    size_t count = 1;
    for (size_t i = 0; i < length; i++) count += text[i] == '\t';
    return count;
}

/* Reads a line of TSV, whose fields are unescaped in place; the first one may be the header. */
static alcore_status read_tsv_line(reading *self, char *text, size_t length) {
    alcore__cell cells[ALCORE__CELL_COLUMNS] = {{NULL, 0}};
    if (self->fields == 0) {
        bool header = false;
        ALCORE__TRY(read_header(self, text, length, &header));
        if (header) return ALCORE_OK;
        ALCORE__TRY(number_fields(self));
    }
    const size_t fields = count_fields(text, length);
    if (fields != self->fields)
        return alcore__lines_fail(&self->lines, "%zu fields, separated by tabs; %zu are expected",
                                  fields, self->fields);
    char *next = text, *end = text + length;
    for (size_t i = 0; i < fields; i++) {
        char *tab = memchr(next, '\t', (size_t)(end - next)), *stop = tab ? tab : end;
        if (self->column_of[i] >= 0)
            cells[self->column_of[i]] =
                (alcore__cell){next, alcore__tsv_unescape(next, (size_t)(stop - next))};
        next = stop + 1;
    }
    return pass_on(self, cells);
}

/* ---- JSONL ---- */

/* Reads the value of a key that is a column: a string or a number; null is an absent value. */
static void read_value(alcore__json *json, alcore__cell *cell) {
    char *text = NULL;
    size_t length = 0;
    const char kind = alcore__json_kind(json);
    if (kind == '"' && alcore__json_string(json, &text, &length))
        *cell = (alcore__cell){text, length};
    else if (kind == '0' && alcore__json_number(json, &text, &length))
        *cell = (alcore__cell){text, length};
    else if (kind != '"' && kind != '0')
        alcore__json_skip(json);
}

/* Reads the keys of the object that comes next, and of an object "al" in it. */
static void read_object(const reading *self, alcore__json *json, bool outer, alcore__cell *cells) {
    char *key;
    size_t length;
    if (!alcore__json_enter(json, '{')) return;
    while (alcore__json_key(json, &key, &length)) {
        const int32_t column = column_of(self, key, length);
        if (column >= 0)
            read_value(json, &cells[column]);
        else if (outer && length == 2 && memcmp(key, "al", 2) == 0 &&
                 alcore__json_kind(json) == '{')
            read_object(self, json, false, cells);
        else
            alcore__json_skip(json);
    }
}

/* Reads a line of JSONL, whose strings are decoded in place. */
static alcore_status read_json_line(reading *self, char *text, size_t length) {
    enum { MAX_DEPTH = 64 };
    alcore__cell cells[ALCORE__CELL_COLUMNS] = {{NULL, 0}};
    alcore__json json;
    alcore__json_begin(&json, text, length, MAX_DEPTH);
    read_object(self, &json, true, cells);
    if (!alcore__json_end(&json))
        return alcore__lines_fail(&self->lines, "%s, at byte %td", json.error,
                                  json.next - json.begin + 1);
    for (int32_t c = 0; c < self->count; c++)
        if (self->columns[c].required && !cells[c].text)
            return alcore__lines_fail(&self->lines, "the object has no \"%.*s\"",
                                      (int)strcspn(self->columns[c].names, "|"),
                                      self->columns[c].names);
    return pass_on(self, cells);
}

/* ---- the file ---- */

/* Reads all lines; alcore__lines_fill() reads more bytes where no whole line is left, and sets more
 * to false at the end of the file. alcore__lines_report() warns of carriage returns, if there were
 * any. */
static alcore_status read_lines(reading *self, bool json) {
    for (bool more = true; more;) {
        ALCORE__TRY(alcore__lines_fill(&self->lines, &more));
        while (more) {
            char *text;
            size_t length;
            ALCORE__TRY(alcore__lines_next(&self->lines, &text, &length));
            if (!text) break;
            if (length == 0) continue;
            ALCORE__TRY(json ? read_json_line(self, text, length)
                             : read_tsv_line(self, text, length));
        }
    }
    alcore__lines_report(&self->lines);
    return ALCORE_OK;
}

/* Reads JSONL or TSV by the suffix of the path, without that of a compression. */
alcore_status alcore__cells_read(alcore_ctx *ctx, const char *path,
                                 const alcore__cell_column *columns, int32_t count, int32_t plain,
                                 alcore__cell_sink sink, void *user) {
    reading self = {.columns = columns, .count = count, .plain = plain, .sink = sink, .user = user};
    size_t base = strlen(path);
    (void)alcore__stream_compressed(path, &base);
    const bool json =
        alcore__path_ends_in(path, base, ".jsonl") || alcore__path_ends_in(path, base, ".ndjson");
    ALCORE__TRY(alcore__lines_open(&self.lines, ctx, path, 0 /* the default limit of a line */));
    const alcore_status status = read_lines(&self, json);
    alcore__lines_close(&self.lines);
    alcore__free(ctx, self.column_of);
    return status;
}
