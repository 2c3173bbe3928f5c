/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a spreadsheet that people fill in, for CSV and XLSX: which columns an item has, and
 * what a row says that came back.
 *
 * The answer stands in the column translation, labels (with | between them) or tags. A draft stands
 * there too, with the word "draft" as status, and again in the column draft: a row that still says
 * "draft" is an answer only where the two differ. A row without answer and status is open. */
#ifndef ALCORE__TOOL_SHEET_H
#define ALCORE__TOOL_SHEET_H

#include "extra/annotation/cell_reader.h"
#include "extra/tool/tool_form.h"

/* Columns that are written, in this order. */
enum {
    ALCORE__SHEET_ID,
    ALCORE__SHEET_TEXT,
    ALCORE__SHEET_ANSWER,
    ALCORE__SHEET_STATUS,
    ALCORE__SHEET_COMMENT,
    ALCORE__SHEET_DRAFT,
    ALCORE__SHEET_CONTEXT,
    ALCORE__SHEET_REASON,
    ALCORE__SHEET_GROUP,
    ALCORE__SHEET_LANGUAGE,
    ALCORE__SHEET_RANK,
    ALCORE__SHEET_SCORE,
    ALCORE__SHEET_COST,
    ALCORE__SHEET_COLUMNS
};
/* What a column is called for a task. */
const char *alcore__sheet_name(int32_t task, int32_t column);

/* A cell that is written: text, or a number where text is NULL; NaN: empty. */
typedef struct alcore__sheet_cell {
    const char *text;
    size_t length; /* bytes */
    double number;
} alcore__sheet_cell;

/* The cells [ALCORE__SHEET_COLUMNS] of item i. drafts: memory for the cells of labels.
 * ALCORE_E_DATA where a label of a draft has a |. */
alcore_status alcore__sheet_cells(alcore_ctx *ctx, const alcore_tool_items *items, int64_t i,
                                  int32_t task, alcore__buffer *drafts, alcore__sheet_cell *cells);
/* ALCORE_E_PARAM where a label has a |, which separates labels in a cell. */
alcore_status alcore__sheet_check_labels(const alcore_tool_options *options);

/* Columns that are read. */
enum {
    ALCORE__SHEET_READ_ID,
    ALCORE__SHEET_READ_ANSWER,
    ALCORE__SHEET_READ_TEXT,
    ALCORE__SHEET_READ_STATUS,
    ALCORE__SHEET_READ_COMMENT,
    ALCORE__SHEET_READ_DRAFT,
    ALCORE__SHEET_READ_ANNOTATOR,
    ALCORE__SHEET_READ_TIME,
    ALCORE__SHEET_READ_SECONDS,
    ALCORE__SHEET_READ_COLUMNS
};
_Static_assert(ALCORE__SHEET_READ_COLUMNS <= (int)ALCORE__CELL_COLUMNS, "one reading has them all");
/* Columns [ALCORE__SHEET_READ_COLUMNS] for a task. */
const alcore__cell_column *alcore__sheet_columns(int32_t task);

/* One reading of a sheet. */
typedef struct alcore__sheet {
    alcore_ctx *ctx;
    int32_t task; /* ALCORE_TASK_* */
    alcore_tool_answers *into;
    alcore__buffer strings; /* workspace: the cells of a row with a NUL behind each */
} alcore__sheet;

/* Adds what a row says, cells [ALCORE__SHEET_READ_COLUMNS]; one that cannot be used is refused,
 * which is ALCORE_OK. */
alcore_status alcore__sheet_read_row(alcore__sheet *self, const alcore__cell *cells, int64_t line);

#endif
