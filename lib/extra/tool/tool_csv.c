/* SPDX-License-Identifier: Apache-2.0 */
/* Items as CSV for a spreadsheet, and what people filled in (tool_sheet.h). A file that comes back
 * as TSV or JSONL is read by its suffix. */
#include <string.h>

#include "extra/tool/tool_sheet.h"
#include "formats/table_writer.h"

enum { POLL_ROWS = 1024 };

static alcore_status write_rows(alcore__table *table, const alcore_tool_items *items,
                                const alcore_tool_options *options, alcore__buffer *drafts) {
    for (int32_t c = 0; c < ALCORE__SHEET_COLUMNS; c++)
        ALCORE__TRY(alcore__table_put_string(table, alcore__sheet_name(options->task, c)));
    ALCORE__TRY(alcore__table_end_line(table));
    for (int64_t i = 0; i < items->count; i++) {
        alcore__sheet_cell cells[ALCORE__SHEET_COLUMNS];
        if (i % POLL_ROWS == 0) ALCORE__TRY(alcore__tick(table->ctx, "writing", i, items->count));
        ALCORE__TRY(alcore__sheet_cells(table->ctx, items, i, options->task, drafts, cells));
        for (int32_t c = 0; c < ALCORE__SHEET_COLUMNS; c++)
            ALCORE__TRY(cells[c].text
                            ? alcore__table_put_text(table, cells[c].text, cells[c].length)
                            : alcore__table_put_number(table, cells[c].number));
        ALCORE__TRY(alcore__table_end_line(table));
    }
    return ALCORE_OK;
}

static alcore_status write_csv(alcore_ctx *ctx, const char *path, const alcore_tool_items *items,
                               const alcore_tool_options *options) {
    alcore_write_options csv = ALCORE_WRITE_OPTIONS_INIT;
    alcore__buffer drafts = {0};
    alcore__table table;
    csv.format = ALCORE_FORMAT_CSV;
    ALCORE__TRY(alcore__sheet_check_labels(options));
    ALCORE__TRY(alcore__table_open(&table, ctx, "a list of items", path, &csv));
    const alcore_status status =
        alcore__table_close(&table, write_rows(&table, items, options, &drafts));
    alcore__buffer_clear(ctx, &drafts);
    return status;
}

/* alcore__cell_sink */
static alcore_status read_row(void *user, const alcore__line_reader *lines,
                              const alcore__cell *cells) {
    return alcore__sheet_read_row(user, cells, lines->line);
}

/* alcore__cell_fault */
static alcore_status refuse_row(void *user, const alcore__line_reader *lines) {
    const alcore__sheet *self = user;
    (void)lines;
    return alcore__tool_answers_refuse_error(self->into);
}

static alcore_status read_csv(alcore_ctx *ctx, const char *path, const alcore_tool_options *options,
                              alcore_tool_answers *into) {
    alcore__sheet self = {.ctx = ctx, .task = options->task, .into = into};
    const alcore_status status = alcore__cells_read_each(
        ctx, path, ALCORE_FORMAT_CSV, alcore__sheet_columns(options->task),
        ALCORE__SHEET_READ_COLUMNS, 0 /* the header is needed */, read_row, refuse_row, &self);
    alcore__buffer_clear(ctx, &self.strings);
    return status;
}

const alcore__tool_form alcore__tool_csv = {.name = "csv",
                                            .title = "CSV for spreadsheets (LibreOffice, Excel)",
                                            .suffix = ".csv",
                                            .tasks = "translation classes tags",
                                            .write = write_csv,
                                            .read = read_csv};
