/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a pool as a file that reads back as the same records: id, text, reference, language,
 * group and cost, and the row's number beside them. TSV and CSV have a column for each of the last
 * four that a written row has; JSONL leaves out the keys that a row lacks; plain text has the texts
 * only. The rows are visited twice for TSV and CSV, once for the others; memory holds one line. */
#include <math.h>
#include <string.h>

#include "formats/json_text.h"
#include "formats/table_writer.h"
#include "pool/pool_state.h"

/* What a row may have besides its id and text, in the order of the columns. */
enum { REFERENCE, LANGUAGE, GROUP, COST, FIELDS };
static const char *const field_names[FIELDS] = {"reference", "lang", "group", "cost"};

/* The string of a field of a row, not its cost, with its length; NULL: the row has none. The
 * language "unknown" counts as none: a row that is read without a language gets it again. */
static const char *field_text(const alcore_pool *pool, int64_t row, int field, size_t *out_length) {
    if (field == REFERENCE) return alcore_pool_reference(pool, row, out_length);
    const char *name = field == GROUP ? alcore_pool_group(pool, row)
                                      : alcore__language_or_null(alcore_pool_language(pool, row));
    *out_length = name ? strlen(name) : 0;
    return name;
}

/* Whether a row has a value in a field. */
static bool has_field(const alcore_pool *pool, int64_t row, int field) {
    size_t length;
    return field == COST ? !isnan(alcore_pool_cost(pool, row))
                         : field_text(pool, row, field, &length) != NULL;
}

/* Sets present [FIELDS], by REFERENCE .. COST, to true for the fields that at least one of rows
 * [count] has; the others keep false. Stops once all fields are found. */
static alcore_status find_fields(const alcore_pool *pool, const int64_t *rows, int64_t count,
                                 bool *present) {
    int missing = FIELDS;
    for (int64_t i = 0; i < count && missing > 0; i++) {
        ALCORE__TRY(alcore__tick(pool->object.ctx, "writing", 0, count));
        for (int field = 0; field < FIELDS; field++)
            if (!present[field] && has_field(pool, rows[i], field)) {
                present[field] = true;
                missing--;
            }
    }
    return ALCORE_OK;
}

/* The header of TSV and CSV: index, id, text, then the fields that are present [FIELDS]. */
static alcore_status put_header(alcore__table *table, const bool *present) {
    static const char *const names[] = {"index", "id", "text"};
    for (int i = 0; i < 3; i++) ALCORE__TRY(alcore__table_put_string(table, names[i]));
    for (int field = 0; field < FIELDS; field++)
        if (present[field]) ALCORE__TRY(alcore__table_put_string(table, field_names[field]));
    return alcore__table_end_line(table);
}

/* Writes the line of a row in TSV or CSV: a cell for each field that is present [FIELDS] in the
 * file, empty where the row lacks it. */
static alcore_status put_cells(const alcore_pool *pool, int64_t row, const bool *present,
                               alcore__table *table) {
    const alcore__pool_row info = alcore__pool_row_at(pool, row);
    char id[24];
    ALCORE__TRY(alcore__table_put_integer(table, row));
    ALCORE__TRY(alcore__table_put_string(table, alcore__pool_id(pool, row, id)));
    ALCORE__TRY(alcore__table_put_text(table, info.text, (size_t)info.length));
    for (int field = 0; field < COST; field++) {
        size_t length;
        if (!present[field]) continue;
        const char *text = field_text(pool, row, field, &length);
        ALCORE__TRY(alcore__table_put_text(table, text ? text : "", length));
    }
    if (present[COST]) ALCORE__TRY(alcore__table_put_number(table, alcore_pool_cost(pool, row)));
    return alcore__table_end_line(table);
}

/* Writes a row as one JSON object in the form of a selection's picks, so that a program that reads
 * the one reads the other too: record fields at the top, the row's number in the object "al". */
static alcore_status put_object(const alcore_pool *pool, int64_t row, alcore__table *table) {
    const alcore__pool_row info = alcore__pool_row_at(pool, row);
    alcore__json_out json = {.ctx = table->ctx, .text = table->line};
    char id[24];
    alcore__json_open(&json, NULL, '{');
    alcore__json_put_string(&json, "id", alcore__pool_id(pool, row, id));
    alcore__json_put_text(&json, "source", info.text, (size_t)info.length);
    for (int field = 0; field < COST; field++) {
        size_t length;
        const char *text = field_text(pool, row, field, &length);
        if (text) alcore__json_put_text(&json, field_names[field], text, length);
    }
    if (has_field(pool, row, COST))
        alcore__json_put_number(&json, field_names[COST], alcore_pool_cost(pool, row));
    alcore__json_open(&json, "al", '{');
    alcore__json_put_integer(&json, "index", row);
    alcore__json_close(&json, '}');
    alcore__json_close(&json, '}');
    table->line = json.text; /* the buffer may have moved */
    return json.status == ALCORE_OK ? alcore__table_end_line(table) : json.status;
}

/* Writes rows [count] in the order given: with a header and cells, as objects, or as plain text, by
 * the format of the table. */
static alcore_status write_rows(const alcore_pool *pool, const int64_t *rows, int64_t count,
                                alcore__table *table) {
    bool present[FIELDS] = {false};
    const bool cells = alcore__table_has_cells(table);
    if (cells) {
        ALCORE__TRY(find_fields(pool, rows, count, present));
        ALCORE__TRY(put_header(table, present));
    }
    for (int64_t i = 0; i < count; i++) {
        const alcore__pool_row info = alcore__pool_row_at(pool, rows[i]);
        ALCORE__TRY(alcore__tick(table->ctx, "writing", i, count));
        ALCORE__TRY(cells ? put_cells(pool, rows[i], present, table)
                    : table->format == ALCORE_FORMAT_JSONL
                        ? put_object(pool, rows[i], table)
                        : alcore__table_put_plain_line(table, info.text, (size_t)info.length));
    }
    return ALCORE_OK;
}

/* Body of alcore_pool_write(); rows [count] in any order, checked here. The file appears only when
 * it is complete. */
static alcore_status write_pool(const alcore_pool *pool, const int64_t *rows, int64_t count,
                                const char *path, const alcore_write_options *options) {
    alcore__table table;
    ALCORE__TRY(alcore__pool_check_rows(pool, rows, count));
    ALCORE__TRY(alcore__table_open(&table, pool->object.ctx, "a pool", path, options));
    return alcore__table_close(&table, write_rows(pool, rows, count, &table));
}

alcore_status alcore_pool_write(const alcore_pool *pool, const int64_t *rows, int64_t count,
                                const char *path, const alcore_write_options *options) {
    ALCORE__TRY(alcore__pool_read_begin(pool));
    return alcore__pool_read_end(pool, write_pool(pool, rows, count, path, options));
}
