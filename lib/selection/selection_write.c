/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the picks of a selection to a file, in rank order and one line each (docs/formats.md):
 *
 *   TSV, CSV   rank, index, id, score, cost, the record columns, reason, text
 *   JSONL      the record with its texts, and an object "al" with the same values; of a phrase also
 *              rows that contain it
 *   text       the text only
 *
 * An alcore__table is the file that is being written, a line at a time: cells are put one by one,
 * `line` is the text of a line without cells, and alcore__table_end_line() passes it on. */
#include "formats/line_schema.h"
#include "formats/table_writer.h"
#include "selection/selection_internal.h"

/* Writes the line with the names of the columns of TSV and CSV; put_pick() writes cells in the same
 * order. */
static alcore_status put_header(const alcore_selection *selection, alcore__table *table) {
    static const char *const names[] = {"rank", "index", "id", "score", "cost"};
    const alcore__outcome *outcome = &selection->ranking->outcome;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        ALCORE__TRY(alcore__table_put_string(table, names[i]));
    for (int32_t c = 0; c < outcome->column_count; c++)
        if (!alcore__selection_is_index(selection, c))
            ALCORE__TRY(alcore__table_put_string(table, outcome->columns[c].name));
    ALCORE__TRY(alcore__table_put_string(table, "reason"));
    ALCORE__TRY(alcore__table_put_string(table, "text"));
    return alcore__table_end_line(table);
}

/* Appends the line of the pick of a rank in TSV or CSV, in the order of put_header(). Ranks count
 * from 1 in files. Where the record has no value of the pick, a NaN or a negative integer, the cell
 * is empty. A column with words has integers 0, 1, ... that files write as its words. */
static alcore_status put_pick(const alcore_selection *selection, int64_t rank,
                              alcore__table *table) {
    int64_t row = selection->rows[rank];
    char id[24];
    size_t length;
    const char *text = alcore_pool_text(selection->ranking->pool, row, &length);
    ALCORE__TRY(alcore__table_put_integer(table, rank + 1));
    ALCORE__TRY(alcore__table_put_integer(table, alcore__selection_index(selection, rank)));
    ALCORE__TRY(
        alcore__table_put_string(table, alcore__pool_id(selection->ranking->pool, row, id)));
    ALCORE__TRY(alcore__table_put_number(table, selection->scores[rank]));
    ALCORE__TRY(alcore__table_put_number(table, selection->costs[rank]));
    for (int32_t c = 0; c < selection->ranking->outcome.column_count; c++) {
        const void *values = selection->pick_columns[c];
        if (alcore__selection_is_index(selection, c)) continue;
        if (selection->ranking->outcome.columns[c].dtype == ALCORE_FLOAT64)
            ALCORE__TRY(alcore__table_put_number(table, ((const double *)values)[rank]));
        else if (((const int64_t *)values)[rank] < 0)
            ALCORE__TRY(alcore__table_put_string(table, ""));
        else if (selection->ranking->outcome.columns[c].words)
            ALCORE__TRY(alcore__table_put_string(
                table,
                selection->ranking->outcome.columns[c].words[((const int64_t *)values)[rank]]));
        else
            ALCORE__TRY(alcore__table_put_integer(table, ((const int64_t *)values)[rank]));
    }
    ALCORE__TRY(alcore__table_put_string(table, selection->reasons[rank]));
    ALCORE__TRY(alcore__table_put_text(table, text, length));
    return alcore__table_end_line(table);
}

/* Appends the line of the pick of a rank in plain text: the text only, so that the file can go to a
 * translator. */
static alcore_status put_plain(const alcore_selection *selection, int64_t rank,
                               alcore__table *table) {
    size_t length;
    const char *text = alcore_pool_text(selection->ranking->pool, selection->rows[rank], &length);
    return alcore__table_put_plain_line(table, text, length);
}

/* Appends the pick of a rank as one JSON object of the library's own format (docs/formats.md). The
 * reference translation of the record is left out, since the file goes to the people who write one.
 * The text of the line is lent to json and put back, also after a failure. Record columns that are
 * terms of the score have the term's name; one in which the pick has no value is null where it has
 * numbers (a NaN), and left out where it has integers or words (a negative one). A row always has a
 * language, "unknown" where none was given; it may be of no group. */
static alcore_status put_object(const alcore_selection *selection, int64_t rank,
                                alcore__table *table) {
    const alcore_pool *pool = selection->ranking->pool;
    int64_t row = selection->rows[rank];
    char id[24];
    size_t length;
    const char *text = alcore_pool_text(pool, row, &length), *group = alcore_pool_group(pool, row);
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "schema", ALCORE__SELECTION_SCHEMA);
    alcore__json_put_string(&json, "id", alcore__pool_id(pool, row, id));
    alcore__json_put_text(&json, "source", text, length);
    alcore__json_put_string(&json, "lang", alcore_pool_language(pool, row));
    if (group) alcore__json_put_string(&json, "group", group);
    alcore__selection_put_contexts(selection, rank, &json);
    alcore__json_open(&json, "al", '{');
    alcore__json_put_integer(&json, "round", selection->ranking->round);
    alcore__json_put_integer(&json, "rank", rank + 1);
    alcore__json_put_integer(&json, "index", alcore__selection_index(selection, rank));
    alcore__json_put_number(&json, "score", selection->scores[rank]);
    alcore__json_put_number(&json, "cost", selection->costs[rank]);
    for (int32_t c = 0; c < selection->ranking->outcome.column_count; c++) {
        const alcore__record_column *column = &selection->ranking->outcome.columns[c];
        const alcore__term_part *part = alcore__selection_term_of(selection, column->name);
        const char *name = part ? part->term->name : column->name;
        const void *values = selection->pick_columns[c];
        if (alcore__selection_is_index(selection, c)) continue;
        if (column->dtype == ALCORE_FLOAT64)
            alcore__json_put_number(&json, name, ((const double *)values)[rank]);
        else if (((const int64_t *)values)[rank] >= 0 && column->words)
            alcore__json_put_string(&json, name, column->words[((const int64_t *)values)[rank]]);
        else if (((const int64_t *)values)[rank] >= 0)
            alcore__json_put_integer(&json, name, ((const int64_t *)values)[rank]);
    }
    alcore__json_put_string(&json, "strategy", selection->ranking->strategy);
    alcore__json_put_string(&json, "reason", selection->reasons[rank]);
    alcore__json_close(&json, '}');
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

/* Writes all picks in rank order; TSV and CSV, which have cells, begin with the header. */
static alcore_status write_lines(const alcore_selection *selection, alcore__table *table) {
    const bool cells = alcore__table_has_cells(table);
    if (cells) ALCORE__TRY(put_header(selection, table));
    for (int64_t k = 0; k < selection->count; k++) {
        ALCORE__TRY(alcore__tick(table->ctx, "writing", k, selection->count));
        ALCORE__TRY(cells                                  ? put_pick(selection, k, table)
                    : table->format == ALCORE_FORMAT_JSONL ? put_object(selection, k, table)
                                                           : put_plain(selection, k, table));
    }
    return ALCORE_OK;
}

/* Writes all picks with the pool locked for reading, as texts are copied from it; the contexts of
 * phrases are texts of its source, the pool that it was derived from, which is locked too. */
static alcore_status write_locked(const alcore_selection *selection, alcore__table *table) {
    alcore_pool *pool = selection->ranking->pool;
    alcore_pool *source = selection->contexts ? alcore_pool_source(pool) : NULL;
    ALCORE__TRY(alcore__read_begin(pool, "pool"));
    alcore_status status = source ? alcore__read_begin(source, "pool of texts") : ALCORE_OK;
    if (status == ALCORE_OK) {
        status = write_lines(selection, table);
        if (source) alcore__read_end(source);
    }
    alcore__read_end(pool);
    return status;
}

/* Writes the picks to a file, which replaces an old one only when it is complete:
 * alcore__table_close() removes the new one where writing failed, and returns that status. After an
 * open that failed there is nothing to close. */
static alcore_status write_file(const alcore_selection *selection, const char *path,
                                const alcore_write_options *options) {
    alcore__table table;
    ALCORE__TRY(alcore__table_open(&table, selection->object.ctx, "a selection", path, options));
    return alcore__table_close(&table, write_locked(selection, &table));
}

alcore_status alcore_selection_write(const alcore_selection *selection, const char *path,
                                     const alcore_write_options *options) {
    if (!selection || !path)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_selection_write: selection and path are needed");
    ALCORE__TRY(alcore__enter(selection->object.ctx));
    return alcore__leave(selection->object.ctx, write_file(selection, path, options));
}
