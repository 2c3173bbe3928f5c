/* SPDX-License-Identifier: Apache-2.0 */
/* The picks of a selection as an Arrow stream (alcore_selection_get_arrow()), with the columns of
 * the TSV file that selection_write.c writes.
 *
 * An alcore__arrow_field is a column: its type (formats, one, as no column is a list: "l" an int64,
 * "g" a double, "U" a text), and the function that makes its array of the picks of a batch. That
 * function serves several columns, and `number` says which of them: below. A batch is made when the
 * consumer asks for it, with the pool locked for reading. alcore__arrow_values() makes *out an
 * array of numbers and sets the last argument to its memory, alcore__arrow_texts() one of texts. */
#include <string.h>

#include "pool/arrow_out.h"
#include "selection/selection_internal.h"

/* alcore__arrow_field.number, by the function that fills the column; of a record column it is that
 * of outcome.columns. */
enum { PLACE_RANK, PLACE_INDEX };                                    /* fill_place */
enum { AMOUNT_SCORE, AMOUNT_COST };                                  /* fill_amounts */
enum { TEXT_ID, TEXT_TEXT, TEXT_LANGUAGE, TEXT_GROUP, TEXT_REASON }; /* fill_texts */

/* Picks from the first of a batch on. */
typedef struct batch_picks {
    const alcore_selection *selection;
    int64_t first;
    int32_t column;  /* of the record, one that has words */
    char number[24]; /* of a row that was given no id */
} batch_picks;

/* The pool row of pick i of a batch. */
static int64_t row_at(const batch_picks *picks, int64_t i) {
    return picks->selection->rows[picks->first + i];
}

/* Sets *out_length to that of a text, which may be NULL, and returns the text. */
static const char *measured(const char *text, size_t *out_length) {
    *out_length = text ? strlen(text) : 0;
    return text;
}

/* The ..._at() functions answer as alcore__arrow_text_at: the text of pick i of a batch, read
 * before the next call; NULL makes a null. user: batch_picks. */

static const char *id_at(void *user, int64_t i, size_t *out_length) {
    batch_picks *picks = user;
    const alcore_pool *pool = picks->selection->ranking->pool;
    return measured(alcore__pool_id(pool, row_at(picks, i), picks->number), out_length);
}

static const char *text_at(void *user, int64_t i, size_t *out_length) {
    const batch_picks *picks = user;
    return alcore_pool_text(picks->selection->ranking->pool, row_at(picks, i), out_length);
}

/* A row without a tag has a null, not "unknown". */
static const char *language_at(void *user, int64_t i, size_t *out_length) {
    const batch_picks *picks = user;
    const char *language = alcore_pool_language(picks->selection->ranking->pool, row_at(picks, i));
    return measured(strcmp(language, "unknown") == 0 ? NULL : language, out_length);
}

static const char *group_at(void *user, int64_t i, size_t *out_length) {
    const batch_picks *picks = user;
    return measured(alcore_pool_group(picks->selection->ranking->pool, row_at(picks, i)),
                    out_length);
}

static const char *reason_at(void *user, int64_t i, size_t *out_length) {
    const batch_picks *picks = user;
    return measured(picks->selection->reasons[picks->first + i], out_length);
}

static const char *word_at(void *user, int64_t i, size_t *out_length) {
    const batch_picks *picks = user;
    const int64_t *values = picks->selection->pick_columns[picks->column];
    const int64_t value = values[picks->first + i];
    const char *const *words = picks->selection->ranking->outcome.columns[picks->column].words;
    return measured(value < 0 ? NULL : words[value], out_length);
}

static const alcore__arrow_text_at texts[] = {[TEXT_ID] = id_at,
                                              [TEXT_TEXT] = text_at,
                                              [TEXT_LANGUAGE] = language_at,
                                              [TEXT_GROUP] = group_at,
                                              [TEXT_REASON] = reason_at};

/* alcore__arrow_field.fill of a text of a pick: makes *out the array of picks first .. first +
 * count - 1; after a failure *out is released or was not made, as for all fill_...(). The owner of
 * the table is the selection. */
static alcore_status fill_texts(const alcore__arrow_table *table, const alcore__arrow_field *field,
                                int64_t first, int64_t count, struct ArrowArray *out) {
    const alcore_selection *selection = table->owner;
    batch_picks picks = {.selection = selection, .first = first};
    return alcore__arrow_texts(selection->object.ctx, count, texts[field->number], &picks, out);
}

/* The same of a column of the record that has words. */
static alcore_status fill_words(const alcore__arrow_table *table, const alcore__arrow_field *field,
                                int64_t first, int64_t count, struct ArrowArray *out) {
    const alcore_selection *selection = table->owner;
    batch_picks picks = {.selection = selection, .first = first, .column = (int32_t)field->number};
    return alcore__arrow_texts(selection->object.ctx, count, word_at, &picks, out);
}

/* Ranks, from 1 as in files, and indices. */
static alcore_status fill_place(const alcore__arrow_table *table, const alcore__arrow_field *field,
                                int64_t first, int64_t count, struct ArrowArray *out) {
    const alcore_selection *selection = table->owner;
    int64_t *values;
    ALCORE__TRY(alcore__arrow_values(selection->object.ctx, count, sizeof *values, out, &values));
    for (int64_t i = 0; i < count; i++)
        values[i] = field->number == PLACE_RANK ? first + i + 1
                                                : alcore__selection_index(selection, first + i);
    return ALCORE_OK;
}

/* The field's function for scores and costs: those of the picks from `first` on, copied. */
static alcore_status fill_amounts(const alcore__arrow_table *table,
                                  const alcore__arrow_field *field, int64_t first, int64_t count,
                                  struct ArrowArray *out) {
    const alcore_selection *selection = table->owner;
    const double *amounts = field->number == AMOUNT_SCORE ? selection->scores : selection->costs;
    double *values;
    ALCORE__TRY(alcore__arrow_values(selection->object.ctx, count, sizeof *values, out, &values));
    memcpy(values, amounts + first, (size_t)count * sizeof *values);
    return ALCORE_OK;
}

/* A column of numbers of the record, 8 bytes each. A negative integer and a NaN, by which a record
 * says that the pick has no value, become nulls. */
static alcore_status fill_record(const alcore__arrow_table *table, const alcore__arrow_field *field,
                                 int64_t first, int64_t count, struct ArrowArray *out) {
    const alcore_selection *selection = table->owner;
    const void *record = selection->pick_columns[field->number];
    const bool integers =
        selection->ranking->outcome.columns[field->number].dtype != ALCORE_FLOAT64;
    alcore_status status;
    char *values;
    ALCORE__TRY(alcore__arrow_values(selection->object.ctx, count, 8, out, &values));
    status = ALCORE_OK;
    memcpy(values, (const char *)record + first * 8, (size_t)count * 8);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        const double number = integers ? 0 : ((const double *)record)[first + i];
        if (integers ? ((const int64_t *)record)[first + i] < 0 : number != number)
            status = alcore__arrow_array_null(out, i);
    }
    if (status != ALCORE_OK) out->release(out);
    return status;
}

/* Adds the columns of the strategy's record, but the one that is the index already; one with words
 * as texts, others as the numbers that they are. */
static alcore_status add_record(const alcore_selection *selection, alcore__arrow_table *table) {
    const alcore__outcome *outcome = &selection->ranking->outcome;
    for (int32_t c = 0; c < outcome->column_count; c++) {
        const alcore__record_column *column = &outcome->columns[c];
        alcore__arrow_field field = {.levels = 1, .number = c};
        if (alcore__selection_is_index(selection, c)) continue;
        field.fill = column->words ? fill_words : fill_record;
        field.formats[0][0] = column->words ? 'U' : column->dtype == ALCORE_FLOAT64 ? 'g' : 'l';
        ALCORE__TRY(alcore__arrow_table_add(selection->object.ctx, table, column->name, &field));
    }
    return ALCORE_OK;
}

/* A column that every selection has, for alcore__arrow_table_add(), which copies both. */
typedef struct known_field {
    const char *name;
    alcore__arrow_field field;
} known_field;

/* Adds `count` of them. */
static alcore_status add_known(const alcore_selection *selection, const known_field *known,
                               size_t count, alcore__arrow_table *table) {
    for (size_t i = 0; i < count; i++)
        ALCORE__TRY(
            alcore__arrow_table_add(selection->object.ctx, table, known[i].name, &known[i].field));
    return ALCORE_OK;
}

/* Adds all columns in the order of the TSV file, those of the record between what comes before it
 * and behind it. */
static alcore_status add_fields(const alcore_selection *selection, alcore__arrow_table *table) {
    static const known_field before[] = {
        {"rank", {.formats = {"l"}, .levels = 1, .fill = fill_place, .number = PLACE_RANK}},
        {"index", {.formats = {"l"}, .levels = 1, .fill = fill_place, .number = PLACE_INDEX}},
        {"id", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = TEXT_ID}},
        {"score", {.formats = {"g"}, .levels = 1, .fill = fill_amounts, .number = AMOUNT_SCORE}},
        {"cost", {.formats = {"g"}, .levels = 1, .fill = fill_amounts, .number = AMOUNT_COST}}};
    static const known_field behind[] = {
        {"reason", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = TEXT_REASON}},
        {"text", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = TEXT_TEXT}},
        {"lang", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = TEXT_LANGUAGE}},
        {"group", {.formats = {"U"}, .levels = 1, .fill = fill_texts, .number = TEXT_GROUP}}};
    ALCORE__TRY(add_known(selection, before, sizeof before / sizeof *before, table));
    ALCORE__TRY(add_record(selection, table));
    return add_known(selection, behind, sizeof behind / sizeof *behind, table);
}

/* Opens the stream: *out owns a reference to the selection (owner), which never changes. The table
 * moves to it, also where opening fails. Called with the pool locked for reading. */
static alcore_status open_selection(const alcore_selection *selection,
                                    const alcore_table_options *options,
                                    struct ArrowArrayStream *out) {
    alcore_ctx *ctx = selection->object.ctx;
    alcore__arrow_table table = {.owner = selection->object.self,
                                 .pool = selection->ranking->pool,
                                 .rows = selection->count};
    alcore_status status = add_fields(selection, &table);
    if (status == ALCORE_OK) return alcore__arrow_table_open(ctx, &table, options, out);
    alcore__arrow_table_clear(ctx, &table);
    return status;
}

alcore_status alcore_selection_get_arrow(const alcore_selection *selection,
                                         const alcore_table_options *options,
                                         struct ArrowArrayStream *out) {
    if (out) *out = (struct ArrowArrayStream){0};
    if (!selection || !out)
        return alcore__fail(ALCORE_E_INVALID,
                            "alcore_selection_get_arrow: selection and out are needed");
    ALCORE__TRY(alcore__enter(selection->object.ctx));
    alcore_status status = alcore__read_begin(selection->ranking->pool, "pool");
    if (status == ALCORE_OK) {
        status = open_selection(selection, options, out);
        alcore__read_end(selection->ranking->pool);
    }
    return alcore__leave(selection->object.ctx, status);
}
