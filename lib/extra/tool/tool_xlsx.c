/* SPDX-License-Identifier: Apache-2.0 */
/* Items as XLSX, and what people filled in (tool_sheet.h). libxlsxwriter writes the sheet to a
 * temporary folder, from where it goes through the context's files to its path. The sheet is read
 * back before it does: the library does not notice when the disk of its temporary files is full. */
#include "extra/tool/tool_form.h"

#if !defined ALCORE_HAVE_XLSXWRITER
#define LACKS "libxlsxwriter"
#elif !defined ALCORE_HAVE_EXPAT
#define LACKS "libexpat"
#elif !defined ALCORE_HAVE_ZLIB
#define LACKS "zlib"
#else
#define LACKS NULL
#define HAVE_ALL

#include <stdio.h>
#include <unistd.h>
#include <xlsxwriter.h>

#include "base/child.h"
#include "extra/tool/tool_output.h"
#include "extra/tool/tool_sheet.h"
#include "extra/tool/tool_xlsx_read.h"
#include "extra/tool/xlsx_book.h"

enum {
    POLL_ROWS = 256,
    PIECE_BYTES = 1 << 16,
    MIDDAY = 946728000 /* of the first of January 2000: the sheet is made then, so that the same
                        * items are the same bytes */
};

/* A sheet that is being written. */
typedef struct writing {
    alcore_ctx *ctx;
    const alcore_tool_items *items;
    const alcore_tool_options *options;
    alcore__buffer folder, file; /* temporary: the folder, and the sheet in it */
    alcore__buffer drafts, text; /* workspace: cells of labels, and texts with a NUL behind them */
    locale_t host; /* the thread's, while libxlsxwriter runs without one: it writes numbers by it */
    lxw_worksheet *sheet;
    lxw_format *head, *plain; /* formats of the first row, and of texts, which stay texts */
} writing;

/* Copies a text to self->text; what would be read as an escape gets its first byte escaped, which
 * libxlsxwriter does not do. */
static alcore_status copy_text(writing *self, const char *text, size_t length) {
    size_t plain = 0;
    self->text.length = 0;
    for (size_t i = 0; i + 7 <= length; i++) {
        if (text[i] != '_' || alcore__xlsx_escape(text + i) < 0) continue;
        ALCORE__TRY(alcore__buffer_append(self->ctx, &self->text, text + plain, i - plain));
        ALCORE__TRY(alcore__buffer_append(self->ctx, &self->text, "_x005F", 6));
        plain = i;
    }
    return alcore__buffer_append(self->ctx, &self->text, text + plain, length - plain);
}

/* An empty cell has the format of its column. */
static alcore_status put_cell(writing *self, int64_t i, int32_t c, const alcore__sheet_cell *cell) {
    const lxw_row_t row = (lxw_row_t)(i + 1);
    lxw_error error = LXW_NO_ERROR;
    if (cell->text && cell->length > 0) {
        ALCORE__TRY(copy_text(self, cell->text, cell->length));
        error =
            worksheet_write_string(self->sheet, row, (lxw_col_t)c, self->text.data, self->plain);
    } else if (!cell->text && !isnan(cell->number)) {
        error = worksheet_write_number(self->sheet, row, (lxw_col_t)c, cell->number, NULL);
    }
    if (error == LXW_NO_ERROR) return ALCORE_OK;
    return alcore__tool_fail_item(self->items, i, "its %s does not fit into a cell: %s",
                                  alcore__sheet_name(self->options->task, c), lxw_strerror(error));
}

/* Puts the names of the columns, and how wide these are. */
static alcore_status put_head(writing *self) {
    static const double widths[ALCORE__SHEET_COLUMNS] = {
        [ALCORE__SHEET_ID] = 14,      [ALCORE__SHEET_TEXT] = 50,    [ALCORE__SHEET_ANSWER] = 50,
        [ALCORE__SHEET_STATUS] = 14,  [ALCORE__SHEET_COMMENT] = 24, [ALCORE__SHEET_DRAFT] = 24,
        [ALCORE__SHEET_CONTEXT] = 30, [ALCORE__SHEET_REASON] = 24,  [ALCORE__SHEET_GROUP] = 14,
        [ALCORE__SHEET_LANGUAGE] = 9, [ALCORE__SHEET_RANK] = 9,     [ALCORE__SHEET_SCORE] = 9,
        [ALCORE__SHEET_COST] = 9};
    for (int32_t c = 0; c < ALCORE__SHEET_COLUMNS; c++) {
        const char *name = alcore__sheet_name(self->options->task, c);
        /* Numbers are the columns from the rank on. */
        lxw_format *format = c < ALCORE__SHEET_RANK ? self->plain : NULL;
        if (worksheet_set_column(self->sheet, (lxw_col_t)c, (lxw_col_t)c, widths[c], format) !=
                LXW_NO_ERROR ||
            worksheet_write_string(self->sheet, 0, (lxw_col_t)c, name, self->head) != LXW_NO_ERROR)
            return alcore__fail(ALCORE_E_INTERNAL, "the first row of a sheet");
    }
    worksheet_freeze_panes(self->sheet, 1, 0);
    return ALCORE_OK;
}

/* Lets people choose the status from a list, or write another word. */
static alcore_status offer_statuses(writing *self) {
    lxw_data_validation validation = {.validate = LXW_VALIDATION_TYPE_LIST,
                                      .value_list = (char **)(uintptr_t)alcore__tool_statuses,
                                      .error_type = LXW_VALIDATION_ERROR_TYPE_INFORMATION};
    if (self->items->count == 0) return ALCORE_OK;
    if (worksheet_data_validation_range(self->sheet, 1, ALCORE__SHEET_STATUS,
                                        (lxw_row_t)self->items->count, ALCORE__SHEET_STATUS,
                                        &validation) == LXW_NO_ERROR)
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_INTERNAL, "the statuses of a sheet");
}

/* Polls cancellation, with the locale of the host for its functions. */
static alcore_status poll(const writing *self, int64_t item) {
    if (item % POLL_ROWS != 0) return ALCORE_OK;
    uselocale(self->host);
    const alcore_status status = alcore__tick(self->ctx, "writing", item, self->items->count);
    uselocale(alcore__c_locale());
    return status;
}

static alcore_status put_rows(writing *self) {
    const alcore_tool_items *items = self->items;
    ALCORE__TRY(put_head(self));
    for (int64_t i = 0; i < items->count; i++) {
        alcore__sheet_cell cells[ALCORE__SHEET_COLUMNS];
        ALCORE__TRY(poll(self, i));
        ALCORE__TRY(alcore__tool_check_xml(items, i));
        ALCORE__TRY(
            alcore__sheet_cells(self->ctx, items, i, self->options->task, &self->drafts, cells));
        for (int32_t c = 0; c < ALCORE__SHEET_COLUMNS; c++)
            ALCORE__TRY(put_cell(self, i, c, &cells[c]));
    }
    return offer_statuses(self);
}

/* Makes what a new book needs; its title is the name of the batch. */
static alcore_status begin_book(writing *self, lxw_workbook *book) {
    lxw_doc_properties properties = {.created = MIDDAY};
    self->text.length = 0;
    ALCORE__TRY(alcore__buffer_append(self->ctx, &self->text, self->options->batch,
                                      strlen(self->options->batch)));
    properties.title = self->text.data;
    self->sheet = workbook_add_worksheet(book, NULL);
    self->head = workbook_add_format(book);
    self->plain = workbook_add_format(book);
    if (!self->sheet || !self->head || !self->plain ||
        workbook_set_properties(book, &properties) != LXW_NO_ERROR)
        return alcore__fail_memory(sizeof *self->sheet);
    format_set_bold(self->head);
    format_set_num_format_index(self->plain, 49); /* "@": what people type stays a text */
    format_set_text_wrap(self->plain);
    format_set_align(self->plain, LXW_ALIGN_VERTICAL_TOP);
    return ALCORE_OK;
}

/* Writes the sheet in the temporary folder. The library keeps one row in memory. */
static alcore_status make_sheet(writing *self) {
    lxw_workbook_options settings = {.constant_memory = LXW_TRUE, .tmpdir = self->folder.data};
    lxw_workbook *book = workbook_new_opt(self->file.data, &settings);
    if (!book) return alcore__fail_memory(sizeof *book);
    alcore_status status = begin_book(self, book);
    if (status == ALCORE_OK) status = put_rows(self);
    const lxw_error error = workbook_close(book); /* which writes the file, and frees all */
    if (status != ALCORE_OK || error == LXW_NO_ERROR) return status;
    return alcore__fail(ALCORE_E_IO, "%s: %s", self->file.data, lxw_strerror(error));
}

/* Reads the sheet as one that comes back, with a context that has no files of the host's. */
static alcore_status check_sheet(const writing *self) {
    alcore_ctx *own;
    alcore_tool_answers *answers;
    ALCORE__TRY(alcore_ctx_new(NULL, &own));
    alcore_status status =
        alcore__tool_answers_new(own, self->file.data, self->options->task, &answers);
    if (status == ALCORE_OK) {
        status = alcore__tool_read_xlsx(own, self->file.data, self->options, answers);
        alcore_tool_answers_unref(answers);
    }
    alcore_ctx_unref(own);
    if (status != ALCORE_E_DATA) return status;
    return alcore__fail_within(ALCORE_E_IO, "the sheet was not written whole; is the disk full?");
}

/* Copies the sheet to where it belongs, through the context's files. */
static alcore_status copy_sheet(const writing *self, const char *path) {
    alcore__writer *writer;
    char piece[PIECE_BYTES];
    size_t bytes = 0;
    alcore_status status = ALCORE_OK;
    FILE *file = fopen(self->file.data, "rbe");
    if (!file) return alcore__fail(ALCORE_E_IO, "%s cannot be read", self->file.data);
    status = alcore__writer_open(self->ctx, path, &writer);
    if (status != ALCORE_OK) {
        fclose(file);
        return status;
    }
    while (status == ALCORE_OK && (bytes = fread(piece, 1, sizeof piece, file)) > 0)
        status = alcore__writer_put(writer, piece, bytes);
    if (status == ALCORE_OK && ferror(file))
        status = alcore__fail(ALCORE_E_IO, "%s cannot be read", self->file.data);
    fclose(file);
    if (status == ALCORE_OK) return alcore__writer_commit(writer);
    alcore__writer_abort(writer);
    return status;
}

/* All of it, between making and removing the temporary folder. */
static alcore_status write_through(writing *self, const char *path) {
    ALCORE__TRY(alcore__buffer_format(self->ctx, &self->file, "%s/sheet.xlsx", self->folder.data));
    self->host = uselocale(alcore__c_locale());
    alcore_status status = make_sheet(self);
    uselocale(self->host);
    if (status == ALCORE_OK) status = check_sheet(self);
    if (status == ALCORE_OK) status = copy_sheet(self, path);
    unlink(self->file.data);
    return status;
}

static alcore_status write_xlsx(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                                const alcore_tool_options *options) {
    writing self = {.ctx = ctx, .items = items, .options = options};
    ALCORE__TRY(alcore__sheet_check_labels(options));
    alcore_status status = alcore__temporary_folder(ctx, &self.folder);
    if (status == ALCORE_OK) {
        status = write_through(&self, path);
        rmdir(self.folder.data);
    }
    alcore__buffer_clear(ctx, &self.folder);
    alcore__buffer_clear(ctx, &self.file);
    alcore__buffer_clear(ctx, &self.drafts);
    alcore__buffer_clear(ctx, &self.text);
    return status;
}

#endif

const alcore__tool_form alcore__tool_xlsx = {.name = "xlsx",
                                             .title = "XLSX for spreadsheets (Excel, LibreOffice)",
                                             .suffix = ".xlsx",
                                             .tasks = "translation classes tags",
                                             .lacks = LACKS,
#ifdef HAVE_ALL
                                             .write = write_xlsx,
                                             .read = alcore__tool_read_xlsx
#endif
};
