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
#include "pool/arrow_abi.h"
#include "pool/number_type.h"
#include "pool/pool_add.h"

typedef struct arrow_reader {
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema; /* of the stream; its release is NULL until it was read */
    /* By ALCORE__ROLE_*: the column with that role, as in TSV; -1: the stream has none. */
    int64_t child[ALCORE__ROLES];
    char format[ALCORE__ROLES]; /* of that column: 'u' (32-bit offsets), 'U' (64-bit), 'v'
                                   (string views), or the letter of a number's type */
    alcore__pool_add add;       /* the addition, begun once the schema was read */
} arrow_reader;

/* Fails with the stream's own message for an error code of one of its callbacks. */
static alcore_status fail_stream(const arrow_reader *reader, int code, const char *what) {
    const char *text =
        reader->stream->get_last_error ? reader->stream->get_last_error(reader->stream) : NULL;
    return alcore__fail(ALCORE_E_CALLBACK, "the Arrow stream failed to give %s: %s (code %d)", what,
                        text ? text : "no reason given", code);
}

/* Checks that an Arrow column has a type that can be read for the role, and sets *out to its
 * format: strings with 32-bit or 64-bit offsets or as views; for costs any number. */
static alcore_status check_format(const struct ArrowSchema *child, int32_t role, char *out) {
    const char *format = child->format;
    const char *known = role == ALCORE__ROLE_COST ? "cCsSiIlLefg" : "uU";
    if (!child->dictionary && format[0] != '\0' && format[1] == '\0' && strchr(known, format[0])) {
        *out = format[0];
        return ALCORE_OK;
    }
    if (role != ALCORE__ROLE_COST && !child->dictionary && strcmp(format, "vu") == 0) {
        *out = 'v';
        return ALCORE_OK;
    }
    const char *type = child->dictionary ? "dictionary" : format;
    return alcore__fail(
        ALCORE_E_UNSUPPORTED, "Arrow column \"%s\" has the type %s; expected %s", child->name, type,
        role == ALCORE__ROLE_COST ? "an integer or floating-point number"
                                  : "string, large string or string view: cast it to utf8");
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
            ALCORE__TRY(check_format(reader->schema.children[reader->child[role]], role,
                                     &reader->format[role]));
    return ALCORE_OK;
}

/* Asks the stream for its schema and finds the columns of all roles; the text must be there, and a
 * reference_column that the options name. */
static alcore_status read_schema(arrow_reader *reader, const alcore_read_options *options) {
    const char *text_column = options->text_column;
    const int code = reader->stream->get_schema(reader->stream, &reader->schema);
    if (code != 0) {
        reader->schema.release = NULL;
        return fail_stream(reader, code, "its schema");
    }
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

/* Whether the value at an index of an array (array->offset included) is not null, by its validity
 * bits, buffer 0: bit 1 is valid, the lowest bit first; without that buffer all are. */
static bool is_valid(const struct ArrowArray *array, int64_t index) {
    const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
    if (!bits || array->null_count == 0) return true;
    return (bits[index / 8] >> (index % 8) & 1) != 0;
}

/* Checks an Arrow array of a batch: at least `rows` values, no overflow, and the number of buffers
 * that its type has; buffers 0: a string view, which has 3 or more. name: of the column, for
 * messages. */
static alcore_status check_array(const struct ArrowArray *array, int64_t rows, int64_t buffers,
                                 const char *name) {
    const bool empty = array && rows == 0;
    int64_t end;
    if (!array || array->length < rows || array->offset < 0 ||
        (buffers > 0 ? array->n_buffers != buffers : array->n_buffers < 3) ||
        __builtin_add_overflow(array->offset, array->length, &end) ||
        (!empty && (!array->buffers || !array->buffers[1])))
        return alcore__fail(ALCORE_E_DATA, "Arrow column \"%s\" is malformed", name);
    return ALCORE_OK;
}

/* Reads one string view of 16 bytes: its length, then up to 12 bytes of text, or else the first 4
 * of them, the number of a data buffer and the offset in it. The last buffer of the array has the
 * sizes of the data buffers. index: of the value in the array; row and name: for the message. */
static alcore_status view_at(const struct ArrowArray *array, int64_t index, int64_t row,
                             const char *name, const char **out, size_t *out_length) {
    const char *view = (const char *)array->buffers[1] + index * 16;
    const int64_t data_buffers = array->n_buffers - 3;
    int32_t view_words[4]; /* length, first 4 bytes, data buffer, offset */
    memcpy(view_words, view, sizeof view_words);
    if (view_words[0] >= 0 && view_words[0] <= 12) {
        *out = view + 4;
        *out_length = (size_t)view_words[0];
        return ALCORE_OK;
    }
    const int64_t *sizes = array->buffers[array->n_buffers - 1];
    if (view_words[0] < 0 || view_words[2] < 0 || view_words[2] >= data_buffers ||
        view_words[3] < 0 || !sizes ||
        (int64_t)view_words[3] + view_words[0] > sizes[view_words[2]] ||
        !array->buffers[2 + view_words[2]])
        return alcore__fail(ALCORE_E_DATA,
                            "Arrow column \"%s\" has a malformed view at row %" PRId64, name, row);
    *out = (const char *)array->buffers[2 + view_words[2]] + view_words[3];
    *out_length = (size_t)view_words[0];
    return ALCORE_OK;
}

/* Reads the string of a row, counted from the beginning of the column's values (the offset of the
 * batch is in it, that of the column is added here); *out is NULL for a null. It is a view of the
 * batch. */
static alcore_status string_at(const struct ArrowArray *array, char format, int64_t row,
                               const char *name, const char **out, size_t *out_length) {
    const int64_t index = array->offset + row;
    int64_t start, end;
    *out = NULL;
    *out_length = 0;
    if (!is_valid(array, index)) return ALCORE_OK;
    if (format == 'v') return view_at(array, index, row, name, out, out_length);
    if (format == 'u') {
        start = ((const int32_t *)array->buffers[1])[index];
        end = ((const int32_t *)array->buffers[1])[index + 1];
    } else {
        start = ((const int64_t *)array->buffers[1])[index];
        end = ((const int64_t *)array->buffers[1])[index + 1];
    }
    if (start < 0 || end < start || (end > start && !array->buffers[2]))
        return alcore__fail(ALCORE_E_DATA,
                            "Arrow column \"%s\" has malformed offsets at row %" PRId64, name, row);
    *out = end > start ? (const char *)array->buffers[2] + start : "";
    *out_length = (size_t)(end - start);
    return ALCORE_OK;
}

/* The value at an index of a buffer of numbers, by the letter of its Arrow format (c s i l: signed
 * integers of 8 to 64 bits, capitals: unsigned, e f g: floats of 16 to 64), as checked before. */
static double number_at(const void *data, char format, int64_t i) {
    switch (format) {
    case 'c':
        return ((const int8_t *)data)[i];
    case 'C':
        return ((const uint8_t *)data)[i];
    case 's':
        return ((const int16_t *)data)[i];
    case 'S':
        return ((const uint16_t *)data)[i];
    case 'i':
        return ((const int32_t *)data)[i];
    case 'I':
        return ((const uint32_t *)data)[i];
    case 'l':
        return (double)((const int64_t *)data)[i];
    case 'L':
        return (double)((const uint64_t *)data)[i];
    case 'e':
        return (double)alcore__widen_half(((const uint16_t *)data)[i]);
    case 'f':
        return ((const float *)data)[i];
    default:
        return ((const double *)data)[i];
    }
}

/* *out: the cost of a row, counted as by string_at(); NaN for a null, which is no cost. A NaN among
 * the values is an error. */
static alcore_status cost_at(const struct ArrowArray *array, char format, int64_t row,
                             double *out) {
    const int64_t index = array->offset + row;
    *out = NAN;
    if (!is_valid(array, index)) return ALCORE_OK;
    *out = number_at(array->buffers[1], format, index);
    return isnan(*out) ? alcore__fail(ALCORE_E_DATA, "the cost is NaN; expected a number >= 0")
                       : ALCORE_OK;
}

/* Fills in the record of one row of a batch; its strings are views of the batch, NULL where the
 * value is null or the stream has no such column. The entries of `strings` say where each field of
 * the record is. The arrays of the batch were checked by add_batch(). */
static alcore_status record_at(const arrow_reader *reader, const struct ArrowArray *batch,
                               int64_t row, alcore__record *out) {
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
    if (!is_valid(batch, index)) return ALCORE_OK;
    for (int32_t role = 0; role < ALCORE__ROLES; role++) {
        const int64_t child = reader->child[role];
        if (child < 0 || role == ALCORE__ROLE_COST) continue;
        ALCORE__TRY(string_at(batch->children[child], reader->format[role], index,
                              reader->schema.children[child]->name, strings[role].text,
                              strings[role].length));
    }
    if (!out->text) out->text = "";
    return reader->child[ALCORE__ROLE_COST] < 0
               ? ALCORE_OK
               : cost_at(batch->children[reader->child[ALCORE__ROLE_COST]],
                         reader->format[ALCORE__ROLE_COST], index, &out->cost);
}

/* Checks one batch against the schema and adds its rows to the pool, 64 records at a time, which
 * the stack can hold. The arrays are checked up to `end`, as a struct with an offset has its rows
 * from that entry of its columns on. */
static alcore_status add_batch(arrow_reader *reader, const struct ArrowArray *batch) {
    alcore__record records[64];
    int64_t end;
    if (batch->length < 0 || batch->offset < 0 || batch->n_children != reader->schema.n_children ||
        __builtin_add_overflow(batch->offset, batch->length, &end))
        return alcore__fail(ALCORE_E_DATA, "an Arrow batch does not fit its schema");
    for (int32_t role = 0; role < ALCORE__ROLES; role++) {
        const int64_t child = reader->child[role];
        if (child >= 0)
            ALCORE__TRY(check_array(batch->children[child], end,
                                    role == ALCORE__ROLE_COST     ? 2
                                    : reader->format[role] == 'v' ? 0
                                                                  : 3,
                                    reader->schema.children[child]->name));
    }
    for (int64_t row = 0; row < batch->length;) {
        int64_t count = 0;
        for (; count < 64 && row < batch->length; count++, row++) {
            alcore_status status = record_at(reader, batch, row, &records[count]);
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
        struct ArrowArray batch = {0};
        const int code = reader->stream->get_next(reader->stream, &batch);
        if (code != 0) return fail_stream(reader, code, "a batch");
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
    if (options.format != ALCORE_FORMAT_AUTO || options.bad_lines != ALCORE_BAD_LINES_ERROR ||
        options.references || options.language || alcore__sides_given(&options))
        return alcore__fail(ALCORE_E_INVALID,
                            "only text_column and reference_column apply to an Arrow stream, not "
                            "format, bad_lines, references, language, or the choice of a side");
    alcore_status status = read_schema(&reader, &options);
    if (status == ALCORE_OK) {
        alcore__pool_add_begin(&reader.add, pool, NULL);
        status = alcore__pool_add_end(&reader.add, add_batches(&reader));
    }
    if (reader.schema.release) reader.schema.release(&reader.schema);
    stream->release(stream);
    stream->release = NULL; /* a producer ought to have done it */
    return status;
}

alcore_status alcore_pool_add_arrow(alcore_pool *pool, struct ArrowArrayStream *stream,
                                    const alcore_read_options *options) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    if (!stream || !stream->release)
        return alcore__pool_change_end(
            pool, alcore__fail(ALCORE_E_INVALID, "the Arrow stream is NULL or released"));
    return alcore__pool_change_end(pool, add_stream(pool, stream, options));
}
