/* SPDX-License-Identifier: Apache-2.0 */
/* Sheets of XLSX that came back (tool_xlsx_read.h): the first row of the first sheet names the
 * columns, each row below it is one of tool_sheet.h. A row goes to memory, the sheet does not. */
#include "extra/tool/tool_xlsx_read.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "extra/tool/tool_sheet.h"
#include "extra/tool/xlsx_book.h"

enum { MAX_COLUMNS = 16384, COLUMNS = ALCORE__SHEET_READ_COLUMNS };

typedef struct reading {
    alcore__xlsx_book book;
    alcore__sheet sheet;
    const alcore__cell_column *columns; /* [COLUMNS] */
    int32_t column_of[MAX_COLUMNS];     /* index in columns of each column; -1: another one */
    bool begun;                         /* the header was read */
    uint32_t found;                     /* bit c: the header names columns[c] */
    int64_t row;                        /* of the sheet, from 1 */
    int64_t column;                     /* of the present cell, from 0 */
    bool filled;                        /* the row has a cell that is not empty */
    alcore__buffer cells[COLUMNS];      /* of the row; the header's cells are not kept */
    bool present[COLUMNS];              /* cells that the row has */
    alcore__buffer value;               /* of the present cell */
    char type;                          /* of it: 's'hared, 'b'oolean, else as it stands */
    bool in_cell, in_value, in_reading;
} reading;

/* The column of a reference such as "AB12", from 0; -1: it names none. */
static int64_t column_of_reference(const char *reference) {
    int64_t column = 0;
    for (; *reference >= 'A' && *reference <= 'Z' && column <= MAX_COLUMNS; reference++)
        column = column * 26 + (*reference - 'A' + 1);
    return column - 1;
}

static void begin_row(reading *self, const char *const *attributes) {
    const char *number = alcore__xml_attribute(attributes, "r");
    int64_t row;
    self->row = number && alcore__parse_int(number, strlen(number), &row) ? row : self->row + 1;
    self->column = -1;
    self->filled = false;
    for (int c = 0; c < COLUMNS; c++) {
        self->cells[c].length = 0;
        self->present[c] = false;
    }
}

static alcore_status begin_cell(reading *self, alcore__xml *xml, const char *const *attributes) {
    const char *reference = alcore__xml_attribute(attributes, "r");
    const char *type = alcore__xml_attribute(attributes, "t");
    self->column = reference ? column_of_reference(reference) : self->column + 1;
    if (self->column < 0 || self->column >= MAX_COLUMNS)
        return alcore__xml_fail(xml, "there is no column %.20s", reference ? reference : "more");
    self->type = type && strcmp(type, "s") == 0 ? 's' : type && strcmp(type, "b") == 0 ? 'b' : 0;
    self->in_cell = true;
    self->value.length = 0;
    return ALCORE_OK;
}

static alcore_status start(void *user, alcore__xml *xml, const char *name,
                           const char *const *attributes) {
    reading *self = user;
    if (strcmp(name, "row") == 0)
        begin_row(self, attributes);
    else if (strcmp(name, "c") == 0)
        return begin_cell(self, xml, attributes);
    else if (strcmp(name, "rPh") == 0)
        self->in_reading = true;
    else if (self->in_cell && (strcmp(name, "v") == 0 || strcmp(name, "t") == 0))
        self->in_value = !self->in_reading;
    return ALCORE_OK;
}

/* *text [*length]: the text of the cell that has ended. */
static alcore_status cell_text(reading *self, alcore__xml *xml, const char **text, size_t *length) {
    const alcore__xlsx_book *book = &self->book;
    int64_t number = -1;
    if (self->type == 's') {
        if (self->value.length > 0 &&
            (!alcore__parse_int(self->value.data, self->value.length, &number) || number < 0 ||
             (uint64_t)number >= book->count))
            return alcore__xml_fail(xml, "a cell has a string that is not there");
        *text = number < 0 ? "" : book->strings[number].text;
        *length = number < 0 ? 0 : book->strings[number].length;
        return ALCORE_OK;
    }
    alcore__xlsx_decode(&self->value, 0);
    *text = self->value.length > 0 ? self->value.data : "";
    *length = self->value.length;
    if (self->type == 'b') {
        *text = strcmp(*text, "1") == 0 ? "TRUE" : "FALSE";
        *length = strlen(*text);
    }
    return ALCORE_OK;
}

/* Notes what a cell of the first row calls its column. */
static alcore_status add_name(reading *self, alcore__xml *xml, const char *name, size_t length) {
    const int32_t c = alcore__cell_column_of(self->columns, COLUMNS, name, length);
    self->column_of[self->column] = c;
    if (c < 0) return ALCORE_OK;
    if (self->found & 1u << c)
        return alcore__xml_fail(xml, "two columns are called %.*s", (int)length, name);
    self->found |= 1u << c;
    return ALCORE_OK;
}

static alcore_status end_cell(reading *self, alcore__xml *xml) {
    const char *text = "";
    size_t length = 0;
    self->in_cell = false;
    ALCORE__TRY(cell_text(self, xml, &text, &length));
    self->filled |= length > 0;
    if (!self->begun) return add_name(self, xml, text, length);
    const int32_t c = self->column_of[self->column];
    if (c < 0) return ALCORE_OK;
    self->present[c] = true;
    self->cells[c].length = 0;
    return alcore__buffer_append(self->book.ctx, &self->cells[c], text, length);
}

/* The first row with anything in it is the header; the others are data. */
static alcore_status end_row(reading *self, alcore__xml *xml) {
    alcore__cell cells[COLUMNS];
    if (!self->filled) return ALCORE_OK;
    if (self->begun) {
        for (int c = 0; c < COLUMNS; c++)
            cells[c] = (alcore__cell){self->present[c] ? self->cells[c].data : NULL,
                                      self->cells[c].length};
        return alcore__sheet_read_row(&self->sheet, cells, self->row);
    }
    self->begun = true;
    for (int c = 0; c < COLUMNS; c++)
        if (self->columns[c].required && !(self->found & 1u << c))
            return alcore__xml_fail(xml, "row %" PRId64 " names no column %.*s", self->row,
                                    (int)strcspn(self->columns[c].names, "|"),
                                    self->columns[c].names);
    return ALCORE_OK;
}

static alcore_status end(void *user, alcore__xml *xml, const char *name) {
    reading *self = user;
    if (strcmp(name, "v") == 0 || strcmp(name, "t") == 0) self->in_value = false;
    if (strcmp(name, "rPh") == 0) self->in_reading = false;
    if (strcmp(name, "c") == 0 && self->in_cell) return end_cell(self, xml);
    return strcmp(name, "row") == 0 ? end_row(self, xml) : ALCORE_OK;
}

static alcore_status add_text(void *user, alcore__xml *xml, const char *text, size_t length) {
    reading *self = user;
    (void)xml;
    if (!self->in_value) return ALCORE_OK;
    return alcore__buffer_append(self->book.ctx, &self->value, text, length);
}

static alcore_status read_sheet(reading *self) {
    static const alcore__xml_handler handler = {start, end, add_text};
    for (int c = 0; c < MAX_COLUMNS; c++) self->column_of[c] = -1;
    ALCORE__TRY(alcore__xlsx_read(&self->book, self->book.sheet.data, &handler, self));
    if (!self->begun)
        return alcore__fail(ALCORE_E_DATA, "%s: its first sheet is empty", self->book.path);
    if (self->book.title.length == 0) return ALCORE_OK;
    return alcore__tool_answers_set_batch(self->sheet.into, self->book.title.data);
}

alcore_status alcore__tool_read_xlsx(alcore_ctx *ctx, const char *path,
                                     const alcore_tool_options *options,
                                     alcore_tool_answers *into) {
    reading *self = alcore__calloc(ctx, 1, sizeof *self);
    if (!self) return alcore__fail_memory(sizeof *self);
    self->sheet = (alcore__sheet){.ctx = ctx, .task = options->task, .into = into};
    self->columns = alcore__sheet_columns(options->task);
    alcore_status status = alcore__xlsx_open(&self->book, ctx, path);
    if (status == ALCORE_OK) status = read_sheet(self);
    alcore__xlsx_close(&self->book);
    for (int c = 0; c < COLUMNS; c++) alcore__buffer_clear(ctx, &self->cells[c]);
    alcore__buffer_clear(ctx, &self->value);
    alcore__buffer_clear(ctx, &self->sheet.strings);
    alcore__free(ctx, self);
    return status;
}
