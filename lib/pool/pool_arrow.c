/* SPDX-License-Identifier: Apache-2.0 */
/* Records from an Arrow C stream (the Arrow C data and C stream interfaces): columns of known names
 * become the fields of records, other columns are ignored. Nothing is copied but what the pool
 * stores; each batch is released when its rows are added. A role is the field that a column is for
 * (text, id, language, reference, group, cost); values are counted from array->offset on. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "formats/record_format.h"
#include "formats/test_set_sides.h"
#include "pool/arrow_stream.h"
#include "pool/arrow_value.h"
#include "pool/pool_add.h"

typedef struct arrow_reader {
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema; /* of the stream; its release is NULL until it was read */
    /* By ALCORE__ROLE_*: the column with that role, as in TSV; -1: the stream has none. */
    int64_t child[ALCORE__ROLES];
    alcore__arrow_type type[ALCORE__ROLES]; /* of that column */
    alcore__pool_add add;                   /* the addition, begun once the schema was read */
} arrow_reader;

/* What the column of a role is read as. */
static alcore__arrow_use use_of(int32_t role) {
    if (role == ALCORE__ROLE_COST) return ALCORE__ARROW_NUMBER;
    return role == ALCORE__ROLE_TEXT || role == ALCORE__ROLE_LANGUAGE ? ALCORE__ARROW_TEXT
                                                                      : ALCORE__ARROW_LABEL;
}

/* Finds the column of each role by the names of TSV; of several names of a role the one of the
 * lowest rank, of several columns of one name the first. */
static alcore_status find_columns(arrow_reader *reader, const alcore_read_options *options) {
    int32_t ranks[ALCORE__ROLES];
    for (int32_t role = 0; role < ALCORE__ROLES; role++) reader->child[role] = -1;
    for (int64_t i = 0; i < reader->schema.n_children; i++) {
        const char *name = reader->schema.children[i]->name;
        if (!name) continue;
        int32_t rank, role = alcore__record_role(options, name, strlen(name), &rank);
        if (role == ALCORE__ROLE_NONE || (reader->child[role] >= 0 && ranks[role] <= rank))
            continue;
        reader->child[role] = i;
        ranks[role] = rank;
    }
    for (int32_t role = 0; role < ALCORE__ROLES; role++)
        if (reader->child[role] >= 0)
            ALCORE__TRY(alcore__arrow_type_read(
                &reader->type[role], reader->schema.children[reader->child[role]], use_of(role)));
    return ALCORE_OK;
}

/* Asks the stream for its schema and finds the columns of all roles; the text must be there, and a
 * reference_column that the options name. */
static alcore_status read_schema(arrow_reader *reader, const alcore_read_options *options) {
    const char *text_column = options->text_column;
    ALCORE__TRY(alcore__arrow_stream_schema(reader->stream, &reader->schema));
    if (!reader->schema.format || strcmp(reader->schema.format, "+s") != 0)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "the Arrow stream has the type %s; expected a struct of columns",
                            reader->schema.format ? reader->schema.format : "?");
    ALCORE__TRY(find_columns(reader, options));
    if (reader->child[ALCORE__ROLE_TEXT] < 0)
        return alcore__fail(ALCORE_E_DATA, "the Arrow stream has no column \"%s\"%s",
                            text_column ? text_column : "text",
                            text_column ? "" : " (nor \"source\" nor \"src\")");
    if (options->reference_column && reader->child[ALCORE__ROLE_REFERENCE] < 0)
        return alcore__fail(ALCORE_E_DATA, "the Arrow stream has no column \"%s\"",
                            options->reference_column);
    return ALCORE_OK;
}

/* *out: the cost of a row, NaN where it is null or the stream has none. */
static alcore_status read_cost(const arrow_reader *reader, const struct ArrowArray *batch,
                               int64_t index, double *out) {
    const int64_t child = reader->child[ALCORE__ROLE_COST];
    if (child < 0) return ALCORE_OK;
    const struct ArrowArray *costs = batch->children[child];
    const alcore__arrow_type *type = &reader->type[ALCORE__ROLE_COST];
    bool null;
    ALCORE__TRY(alcore__arrow_null(type, costs, index, &null));
    if (null) return ALCORE_OK;
    ALCORE__TRY(alcore__arrow_number(type, costs, index, out));
    if (isnan(*out)) return alcore__fail(ALCORE_E_DATA, "the cost is NaN; expected a number >= 0");
    return ALCORE_OK;
}

/* The digits of the whole numbers in one record, which its texts are views of. */
typedef char record_digits[ALCORE__ROLES][ALCORE__ARROW_DIGITS];

/* Fills in the record of one row of a batch; its strings are views of the batch, NULL where the
 * value is null or the stream has no such column. The entries of `strings` say where each field of
 * the record is. The arrays of the batch were checked by add_batch(). */
static alcore_status record_at(const arrow_reader *reader, const struct ArrowArray *batch,
                               int64_t row, record_digits digits, alcore__record *out) {
    struct {
        const char **text;
        size_t *length;
    } strings[] = {[ALCORE__ROLE_TEXT] = {&out->text, &out->text_length},
                   [ALCORE__ROLE_ID] = {&out->id, &out->id_length},
                   [ALCORE__ROLE_LANGUAGE] = {&out->language, &out->language_length},
                   [ALCORE__ROLE_REFERENCE] = {&out->reference, &out->reference_length},
                   [ALCORE__ROLE_GROUP] = {&out->group, &out->group_length}};
    *out = (alcore__record){.text = "", .cost = NAN};
    /* A null struct has no fields; a null text is an empty one, so that rows stay what they are in
     * the caller's table. */
    const int64_t index = batch->offset + row;
    if (!alcore__arrow_valid(batch, index)) return ALCORE_OK;
    for (int32_t role = 0; role < ALCORE__ROLES; role++) {
        const int64_t child = reader->child[role];
        if (child < 0 || role == ALCORE__ROLE_COST) continue;
        ALCORE__TRY(alcore__arrow_text(&reader->type[role], batch->children[child], index,
                                       digits[role], strings[role].text, strings[role].length));
    }
    if (!out->text) out->text = "";
    return read_cost(reader, batch, index, &out->cost);
}

/* Checks one batch against the schema and adds its rows to the pool, 64 records at a time, which
 * the stack can hold. The arrays are checked up to `end`, as a struct with an offset has its rows
 * from that entry of its columns on. */
static alcore_status add_batch(arrow_reader *reader, const struct ArrowArray *batch) {
    alcore__record records[64];
    record_digits digits[64];
    int64_t end;
    if (batch->length < 0 || batch->offset < 0 || batch->n_children != reader->schema.n_children ||
        __builtin_add_overflow(batch->offset, batch->length, &end))
        return alcore__fail(ALCORE_E_DATA, "an Arrow batch does not fit its schema");
    for (int32_t role = 0; role < ALCORE__ROLES; role++) {
        const int64_t child = reader->child[role];
        if (child >= 0)
            ALCORE__TRY(alcore__arrow_check(&reader->type[role], batch->children[child], end));
    }
    for (int64_t row = 0; row < batch->length;) {
        int64_t count = 0;
        for (; count < 64 && row < batch->length; count++, row++) {
            alcore_status status = record_at(reader, batch, row, digits[count], &records[count]);
            if (status != ALCORE_OK)
                return alcore__fail_within(status, "row %" PRId64, reader->add.rows + count);
        }
        ALCORE__TRY(alcore__pool_add_records(&reader->add, records, count, 0 /* not known */));
    }
    return ALCORE_OK;
}

/* Adds all batches of the stream and releases each when it is added or has failed. A batch whose
 * release is NULL is the end of the stream. */
static alcore_status add_batches(arrow_reader *reader) {
    for (;;) {
        struct ArrowArray batch;
        ALCORE__TRY(alcore__arrow_stream_next(reader->stream, &batch));
        if (!batch.release) return ALCORE_OK; /* the end */
        alcore_status status = add_batch(reader, &batch);
        batch.release(&batch);
        ALCORE__TRY(status);
    }
}

/* Adds all rows of the stream, or none. What can fail before the stream is read is checked first:
 * the call owns the stream from get_schema() on and releases it, also after a failure. */
static alcore_status add_stream(alcore_pool *pool, struct ArrowArrayStream *stream,
                                const alcore_read_options *theirs) {
    arrow_reader reader = {.stream = stream};
    alcore_read_options options;
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_read_options, text_column), theirs,
                                    "alcore_read_options"));
    if (options.format || options.bad_lines || options.references || options.language ||
        alcore__sides_given(&options) || options.escapes || options.by)
        return alcore__fail(
            ALCORE_E_INVALID,
            "only text_column and reference_column apply to an Arrow stream, not "
            "format, bad_lines, references, language, escapes, by, or the choice of "
            "a side");
    ALCORE__TRY(alcore__columns_differ(&options));
    alcore_status status = read_schema(&reader, &options);
    if (status == ALCORE_OK) {
        alcore__pool_add_begin(&reader.add, pool, NULL);
        status = alcore__pool_add_end(&reader.add, add_batches(&reader));
    }
    if (reader.schema.release) reader.schema.release(&reader.schema);
    alcore__arrow_stream_release(stream);
    return status;
}

alcore_status alcore_pool_add_arrow(alcore_pool *pool, struct ArrowArrayStream *stream,
                                    const alcore_read_options *options) {
    ALCORE__TRY(alcore__pool_long_change_begin(pool));
    alcore_status status = alcore__arrow_stream_check(stream);
    if (status == ALCORE_OK) status = add_stream(pool, stream, options);
    return alcore__pool_change_end(pool, status);
}
