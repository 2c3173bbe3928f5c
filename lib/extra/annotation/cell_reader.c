/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables whose columns are found by name (cell_reader.h). */
#include "extra/annotation/cell_reader.h"

#include <string.h>
#include <strings.h>

#include "base/alternatives.h"
#include "formats/file_suffix.h"
#include "formats/line_schema.h"
#include "formats/table_origin.h"
#include "text/utf8.h"

/* The state of one reading. */
typedef struct reading {
    alcore__line_reader lines;
    alcore__quoting quoting;            /* of CSV */
    const alcore__cell_column *columns; /* [count] */
    int32_t count, plain;               /* as in alcore__cells_read() */
    int32_t *column_of;    /* [line_fields] of TSV and CSV: index in columns of each field, -1 for
                            * another one */
    size_t capacity;       /* entries that column_of has memory for */
    size_t line_fields;    /* fields that every line has, 0 before the first line */
    alcore__fields fields; /* of the present line */
    alcore__decoding decoding;
    bool json;  /* lines are objects of JSON, else of TSV or CSV */
    bool begun; /* what each field of TSV and CSV is is known: the lines that follow are data */
    alcore__cell_sink sink;
    alcore__cell_fault fault; /* NULL: a line that cannot be used ends the reading */
    void *user;
} reading;

int32_t alcore__cell_column_of(const alcore__cell_column *columns, int32_t count, const char *name,
                               size_t length) {
    for (int32_t c = 0; c < count; c++) {
        const char *rest = columns[c].names, *word;
        size_t bytes;
        while (alcore__alternatives_next(&rest, &word, &bytes))
            if (bytes == length && strncasecmp(word, name, length) == 0) return c;
    }
    return -1;
}

static int32_t column_of(const reading *self, const char *name, size_t length) {
    return alcore__cell_column_of(self->columns, self->count, name, length);
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

/* ---- TSV and CSV ---- */

/* Which columns the names of a first line are: bit c: column c. field_columns [names->count] may be
 * NULL. *out_twice: a name whose column has another one already, NULL: none. */
static uint32_t match_names(const reading *self, const alcore__fields *names,
                            int32_t *field_columns, const alcore__field **out_twice) {
    uint32_t found = 0;
    *out_twice = NULL;
    for (size_t i = 0; i < names->count; i++) {
        const int32_t column = column_of(self, names->items[i].text, names->items[i].length);
        if (field_columns) field_columns[i] = column;
        if (column < 0) continue;
        if (found & 1u << column) *out_twice = &names->items[i];
        found |= 1u << column;
    }
    return found;
}

/* The first required column that is not among the found ones, a bit each; NULL: all are. */
static const alcore__cell_column *missing_column(const reading *self, uint32_t found) {
    for (int32_t c = 0; c < self->count; c++)
        if (self->columns[c].required && !(found & 1u << c)) return &self->columns[c];
    return NULL;
}

/* alcore__fields_fit: whether a first line is a header, or a line of data. user: the reading. */
static bool fits(const void *user, const alcore__fields *fields) {
    const reading *self = user;
    const alcore__field *twice;
    if (self->plain > 0 && fields->count == (size_t)self->plain) return true;
    return !missing_column(self, match_names(self, fields, NULL, &twice));
}

/* Assigns the fields of the first line to columns by their names. *out_header: whether it is a
 * header. */
static alcore_status read_header(reading *self, bool *out_header) {
    const alcore__fields *names = &self->fields;
    const alcore__field *twice;
    ALCORE__TRY(alcore__grow(self->lines.ctx, &self->column_of, &self->capacity, names->count,
                             sizeof *self->column_of));
    const uint32_t found = match_names(self, names, self->column_of, &twice);
    const alcore__cell_column *missing = missing_column(self, found);
    self->line_fields = names->count;
    *out_header = !missing;
    if (twice)
        return alcore__lines_fail(&self->lines, "two columns are called %.*s", (int)twice->length,
                                  twice->text);
    if (!missing || self->plain > 0) return ALCORE_OK;
    char list[200];
    alcore__fields_list(names, list);
    return alcore__lines_fail(&self->lines, "the first line names no column %.*s; it has %s",
                              (int)strcspn(missing->names, "|"), missing->names, list);
}

/* Without a header field i is column i. */
static alcore_status number_fields(reading *self) {
    ALCORE__TRY(alcore__grow(self->lines.ctx, &self->column_of, &self->capacity,
                             (size_t)self->plain, sizeof *self->column_of));
    for (int32_t i = 0; i < self->plain; i++) self->column_of[i] = i;
    self->line_fields = (size_t)self->plain;
    return ALCORE_OK;
}

/* What separates the fields, for messages. */
static const char *separator(const reading *self) {
    const alcore__quoting *quoting = self->lines.quoting;
    if (!quoting || quoting->delimiter == '\t') return "tabs";
    return quoting->delimiter == ',' ? "commas" : quoting->delimiter == ';' ? "semicolons" : "bars";
}

/* Cuts a line into self->fields. *out_skip: it says what separates the fields of CSV. */
static alcore_status cut(reading *self, char *text, size_t length, bool *out_skip) {
    const alcore__quoting *quoting = self->lines.quoting;
    if (!quoting)
        return alcore__fields_of_tsv(&self->lines, text, length, self->line_fields, &self->fields);
    if (quoting->delimiter == 0)
        ALCORE__TRY(alcore__csv_find_delimiter(&self->lines, text, length, fits, self,
                                               &self->fields, out_skip));
    if (*out_skip) return ALCORE_OK;
    return alcore__fields_of_csv(&self->lines, text, length, self->line_fields, &self->fields);
}

/* Chooses how the fields of a TSV are decoded. People fill these tables in, so a backslash that
 * libalcore would not have written stands for itself. */
static void choose_decoding(reading *self) {
    self->decoding.csv = self->lines.quoting != NULL;
    if (self->decoding.csv) return;
    self->decoding = alcore__decoding_of_tsv(&self->fields, 0 /* as the first line says */);
    self->decoding.strict = false;
}

/* Reads a line of TSV or CSV, whose fields are decoded in place; the first one may be the header.
 */
static alcore_status read_table_line(reading *self, char *text, size_t length) {
    alcore__cell cells[ALCORE__CELL_COLUMNS] = {{NULL, 0}};
    bool skip = false;
    ALCORE__TRY(cut(self, text, length, &skip));
    if (skip) return ALCORE_OK;
    if (self->line_fields == 0) {
        bool header = false;
        choose_decoding(self);
        ALCORE__TRY(read_header(self, &header));
        self->begun = header;
        if (header) return ALCORE_OK;
        ALCORE__TRY(number_fields(self));
        self->begun = true;
    }
    if (self->fields.count != self->line_fields)
        return alcore__lines_fail(&self->lines, "%zu fields, separated by %s; %zu are expected",
                                  self->fields.count, separator(self), self->line_fields);
    for (size_t i = 0; i < self->line_fields; i++) {
        alcore__field *field = &self->fields.items[i];
        if (self->column_of[i] < 0) continue;
        ALCORE__TRY(alcore__decode_field(&self->decoding, &self->lines, i, field));
        cells[self->column_of[i]] = (alcore__cell){field->text, field->length};
    }
    return pass_on(self, cells);
}

/* ---- JSONL ---- */

/* Reads the value of a key that is a column: a string or a number; null is an absent value.
 * Malformed JSON sets json->error. */
static alcore_status read_value(const reading *self, alcore__json *json, const char *key,
                                size_t key_length, const alcore__cell_column *column,
                                alcore__cell *cell) {
    char *text = NULL;
    size_t length = 0;
    const char kind = alcore__json_kind(json);
    const char *word = column->flag && kind == 't'    ? "true"
                       : column->flag && kind == 'f'  ? "false"
                       : column->blank && kind == 'n' ? ""
                                                      : NULL;
    if (word) {
        alcore__json_skip(json);
        *cell = (alcore__cell){word, strlen(word)};
        return ALCORE_OK;
    }
    const bool value = kind == '"' ? alcore__json_string(json, &text, &length)
                                   : kind == '0' && alcore__json_number(json, &text, &length);
    if (!value && kind != '"' && kind != '0') alcore__json_skip(json);
    if (json->error || kind == 'n') return ALCORE_OK;
    if (!value)
        return alcore__lines_fail(&self->lines, "\"%.*s\" must be a string or a number",
                                  (int)key_length, key);
    if (cell->text)
        return alcore__lines_fail(&self->lines, "\"%.*s\" is given twice, or under another name",
                                  (int)key_length, key);
    *cell = (alcore__cell){text, length};
    return ALCORE_OK;
}

/* Reads the keys of the object that comes next into cells [self->count]. own: cells of an object
 * "al" in it; NULL: this is that object. */
static alcore_status read_object(const reading *self, alcore__json *json, alcore__cell *cells,
                                 alcore__cell *own) {
    char *key;
    size_t length;
    if (!alcore__json_enter(json, '{')) return ALCORE_OK;
    while (alcore__json_key(json, &key, &length)) {
        const int32_t column = column_of(self, key, length);
        if (column >= 0)
            ALCORE__TRY(
                read_value(self, json, key, length, &self->columns[column], &cells[column]));
        else if (own && length == 2 && memcmp(key, "al", 2) == 0 && alcore__json_kind(json) == '{')
            ALCORE__TRY(read_object(self, json, own, NULL));
        else if (alcore__is_line_schema(key, length))
            ALCORE__TRY(alcore__line_schema_check(json, &self->lines));
        else
            alcore__json_skip(json);
    }
    return ALCORE_OK;
}

/* Reads a line of JSONL, whose strings are decoded in place. */
static alcore_status read_json_line(reading *self, char *text, size_t length) {
    enum { MAX_DEPTH = 64 };
    alcore__cell cells[ALCORE__CELL_COLUMNS] = {{NULL, 0}}, own[ALCORE__CELL_COLUMNS] = {{NULL, 0}};
    alcore__json json;
    alcore__json_begin(&json, text, length, MAX_DEPTH);
    ALCORE__TRY(read_object(self, &json, cells, own));
    if (!alcore__json_end(&json))
        return alcore__lines_fail(&self->lines, "%s, at byte %td", json.error,
                                  json.next - json.begin + 1);
    for (int32_t c = 0; c < self->count; c++)
        if (!cells[c].text) cells[c] = own[c];
    for (int32_t c = 0; c < self->count; c++)
        if (self->columns[c].required && !self->columns[c].blank && !cells[c].text)
            return alcore__lines_fail(&self->lines, "the object has no \"%.*s\"",
                                      (int)strcspn(self->columns[c].names, "|"),
                                      self->columns[c].names);
    return pass_on(self, cells);
}

/* ---- the file ---- */

/* alcore__line_sink: reads a line that is not empty. One that cannot be used ends the reading, or
 * goes to self->fault; that of a header ends it in any case. */
static alcore_status read_line(void *user, const alcore__line_reader *lines, char *text,
                               size_t length) {
    reading *self = user;
    if (length == 0) return ALCORE_OK;
    const alcore_status status =
        self->json ? read_json_line(self, text, length) : read_table_line(self, text, length);
    const bool header = !self->json && !self->begun;
    if (status != ALCORE_E_DATA || !self->fault || header) return status;
    return self->fault(self->user, lines);
}

static alcore_status read_lines(reading *self) {
    ALCORE__TRY(alcore__lines_each(&self->lines, read_line, self));
    alcore__decoding_report(&self->decoding, &self->lines);
    if (self->json || self->plain > 0 || self->line_fields > 0 || !self->fault) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA, "%s is empty; its first line has to name the columns",
                        self->lines.path);
}

/* Reads JSONL, CSV or TSV by the suffix of the path, without that of a compression. */
alcore_status alcore__cells_read_each(alcore_ctx *ctx, const char *path, int32_t format,
                                      const alcore__cell_column *columns, int32_t count,
                                      int32_t plain, alcore__cell_sink sink,
                                      alcore__cell_fault fault, void *user) {
    reading self = {.columns = columns,
                    .count = count,
                    .plain = plain,
                    .sink = sink,
                    .fault = fault,
                    .user = user};
    const alcore__file_suffix suffix = alcore__file_suffix_of(path);
    if (suffix.format >= ALCORE_FORMAT_TSV && suffix.format <= ALCORE_FORMAT_CSV)
        format = suffix.format;
    self.json = format == ALCORE_FORMAT_JSONL;
    ALCORE__TRY(alcore__file_suffix_check(path, &suffix));
    ALCORE__TRY(alcore__lines_open(&self.lines, ctx, path, 0 /* the default limit of a line */));
    if (format == ALCORE_FORMAT_CSV) self.lines.quoting = &self.quoting;
    const alcore_status status = read_lines(&self);
    alcore__lines_close(&self.lines);
    alcore__free(ctx, self.column_of);
    alcore__fields_clear(&self.fields, ctx);
    return status;
}

alcore_status alcore__cells_read(alcore_ctx *ctx, const char *path,
                                 const alcore__cell_column *columns, int32_t count, int32_t plain,
                                 alcore__cell_sink sink, void *user) {
    return alcore__cells_read_each(ctx, path, 0 /* by the suffix */, columns, count, plain, sink,
                                   NULL, user);
}
