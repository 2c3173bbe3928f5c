/* SPDX-License-Identifier: Apache-2.0 */
/* Records from an Arrow C stream: the columns that a pool knows are found by name, others are
 * passed over. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "pool/arrow_abi.h"
#include "pool/number_type.h"
#include "pool/pool_add.h"

enum field { TEXT, ID, LANGUAGE, REFERENCE, GROUP, COST, FIELDS };

/* Names of each field, the first that is there counts; as in TSV. */
static const char *const field_names[FIELDS][4] = {
    [TEXT] = {"text", "source", "src"},
    [ID] = {"id"},
    [LANGUAGE] = {"lang", "language"},
    [REFERENCE] = {"reference", "target", "translation"},
    [GROUP] = {"group"},
    [COST] = {"cost"}};

typedef struct arrow_reader {
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema; /* release NULL: none */
    int64_t child[FIELDS];     /* -1: the stream has no such column */
    char format[FIELDS];       /* "u", "U", "v" (string view), or a number's */
    alcore__pool_add add;
} arrow_reader;

static alcore_status fail_stream(const arrow_reader *reader, int code, const char *what) {
    const char *text = reader->stream->get_last_error != NULL
                           ? reader->stream->get_last_error(reader->stream)
                           : NULL;
    return alcore__fail(ALCORE_E_CALLBACK, "the Arrow stream failed to give %s: %s (code %d)", what,
                        text != NULL ? text : "no reason given", code);
}

static int64_t find_child(const struct ArrowSchema *schema, const char *name) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        const char *found = schema->children[i]->name;
        if (found != NULL && strcmp(found, name) == 0) return i;
    }
    return -1;
}

static alcore_status check_format(const struct ArrowSchema *child, enum field field, char *out) {
    const char *format = child->format;
    const char *known = field == COST ? "cCsSiIlLefg" : "uU";
    if (child->dictionary == NULL && format[0] != '\0' && format[1] == '\0' &&
        strchr(known, format[0]) != NULL) {
        *out = format[0];
        return ALCORE_OK;
    }
    if (field != COST && child->dictionary == NULL && strcmp(format, "vu") == 0) {
        *out = 'v';
        return ALCORE_OK;
    }
    const char *type = child->dictionary != NULL ? "dictionary" : format;
    return alcore__fail(ALCORE_E_UNSUPPORTED, "Arrow column \"%s\" has the type %s; expected %s",
                        child->name, type,
                        field == COST ? "an integer or floating-point number"
                                      : "string, large string or string view: cast it to utf8");
}

static alcore_status find_field(arrow_reader *reader, enum field field, const char *wanted) {
    reader->child[field] = -1;
    for (int i = 0; i < 4 && reader->child[field] < 0; i++) {
        const char *name = wanted != NULL && i == 0 ? wanted : field_names[field][i];
        if (name == NULL || (wanted != NULL && i > 0)) break;
        reader->child[field] = find_child(&reader->schema, name);
    }
    if (reader->child[field] < 0) return ALCORE_OK;
    return check_format(reader->schema.children[reader->child[field]], field,
                        &reader->format[field]);
}

static alcore_status read_schema(arrow_reader *reader, const char *text_column) {
    const int code = reader->stream->get_schema(reader->stream, &reader->schema);
    if (code != 0) {
        reader->schema.release = NULL;
        return fail_stream(reader, code, "its schema");
    }
    if (reader->schema.format == NULL || strcmp(reader->schema.format, "+s") != 0)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "the Arrow stream has the type %s; expected a struct of columns",
                            reader->schema.format != NULL ? reader->schema.format : "?");
    for (int field = 0; field < FIELDS; field++)
        ALCORE__TRY(find_field(reader, (enum field)field, field == TEXT ? text_column : NULL));
    if (reader->child[TEXT] < 0)
        return alcore__fail(ALCORE_E_DATA, "the Arrow stream has no column \"%s\"%s",
                            text_column != NULL ? text_column : "text",
                            text_column != NULL ? "" : " (nor \"source\" nor \"src\")");
    return ALCORE_OK;
}

static bool is_valid(const struct ArrowArray *array, int64_t index) {
    const uint8_t *bits = array->n_buffers > 0 ? array->buffers[0] : NULL;
    if (bits == NULL || array->null_count == 0) return true;
    return (bits[index / 8] >> (index % 8) & 1) != 0;
}

/* buffers: how many there must be; 0: those of string views. */
static alcore_status check_array(const struct ArrowArray *array, int64_t rows, int64_t buffers,
                                 const char *name) {
    const bool empty = array != NULL && rows == 0;
    int64_t end;
    if (array == NULL || array->length < rows || array->offset < 0 ||
        (buffers > 0 ? array->n_buffers != buffers : array->n_buffers < 3) ||
        __builtin_add_overflow(array->offset, array->length, &end) ||
        (!empty && (array->buffers == NULL || array->buffers[1] == NULL)))
        return alcore__fail(ALCORE_E_DATA, "Arrow column \"%s\" is malformed", name);
    return ALCORE_OK;
}

/* One string of 16 bytes: its length, then up to 12 bytes of text, or 4 of them, the number of a
 * data buffer and the place in it. The last buffer holds the sizes of the data buffers. */
static alcore_status view_at(const struct ArrowArray *array, int64_t index, int64_t row,
                             const char *name, const char **out, size_t *out_length) {
    const char *view = (const char *)array->buffers[1] + index * 16;
    const int64_t data_buffers = array->n_buffers - 3;
    int32_t place[4]; /* length, first bytes, buffer, offset */
    memcpy(place, view, sizeof place);
    if (place[0] >= 0 && place[0] <= 12) {
        *out = view + 4;
        *out_length = (size_t)place[0];
        return ALCORE_OK;
    }
    const int64_t *sizes = array->buffers[array->n_buffers - 1];
    if (place[0] < 0 || place[2] < 0 || place[2] >= data_buffers || place[3] < 0 || sizes == NULL ||
        (int64_t)place[3] + place[0] > sizes[place[2]] || array->buffers[2 + place[2]] == NULL)
        return alcore__fail(ALCORE_E_DATA,
                            "Arrow column \"%s\" has a malformed view at row %" PRId64, name, row);
    *out = (const char *)array->buffers[2 + place[2]] + place[3];
    *out_length = (size_t)place[0];
    return ALCORE_OK;
}

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
    if (start < 0 || end < start || (end > start && array->buffers[2] == NULL))
        return alcore__fail(ALCORE_E_DATA,
                            "Arrow column \"%s\" has malformed offsets at row %" PRId64, name, row);
    *out = end > start ? (const char *)array->buffers[2] + start : "";
    *out_length = (size_t)(end - start);
    return ALCORE_OK;
}

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

static alcore_status cost_at(const struct ArrowArray *array, char format, int64_t row,
                             double *out) {
    const int64_t index = array->offset + row;
    *out = NAN;
    if (!is_valid(array, index)) return ALCORE_OK;
    *out = number_at(array->buffers[1], format, index);
    return isnan(*out) ? alcore__fail(ALCORE_E_DATA, "the cost is NaN; expected a number >= 0")
                       : ALCORE_OK;
}

static alcore_status record_at(const arrow_reader *reader, const struct ArrowArray *batch,
                               int64_t row, alcore__record *out) {
    struct {
        const char **text;
        size_t *length;
    } strings[] = {[TEXT] = {&out->text, &out->text_length},
                   [ID] = {&out->id, &out->id_length},
                   [LANGUAGE] = {&out->language, &out->language_length},
                   [REFERENCE] = {&out->reference, &out->reference_length},
                   [GROUP] = {&out->group, &out->group_length}};
    *out = (alcore__record){.text = "", .cost = NAN};
    /* A null struct has no fields; a null text is an empty one, so that rows stay what they are in
     * the caller's table. */
    const int64_t at = batch->offset + row;
    if (!is_valid(batch, at)) return ALCORE_OK;
    for (int field = 0; field < COST; field++) {
        const int64_t child = reader->child[field];
        if (child < 0) continue;
        ALCORE__TRY(string_at(batch->children[child], reader->format[field], at,
                              reader->schema.children[child]->name, strings[field].text,
                              strings[field].length));
    }
    if (out->text == NULL) out->text = "";
    return reader->child[COST] < 0 ? ALCORE_OK
                                   : cost_at(batch->children[reader->child[COST]],
                                             reader->format[COST], at, &out->cost);
}

static alcore_status add_batch(arrow_reader *reader, const struct ArrowArray *batch) {
    alcore__record records[64];
    int64_t end;
    if (batch->length < 0 || batch->offset < 0 || batch->n_children != reader->schema.n_children ||
        __builtin_add_overflow(batch->offset, batch->length, &end))
        return alcore__fail(ALCORE_E_DATA, "an Arrow batch does not fit its schema");
    for (int field = 0; field < FIELDS; field++) {
        const int64_t child = reader->child[field];
        if (child >= 0)
            ALCORE__TRY(check_array(batch->children[child], end,
                                    field == COST                  ? 2
                                    : reader->format[field] == 'v' ? 0
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
        ALCORE__TRY(alcore__pool_add_records(&reader->add, records, count, 0));
    }
    return ALCORE_OK;
}

static alcore_status add_batches(arrow_reader *reader) {
    for (;;) {
        struct ArrowArray batch = {0};
        const int code = reader->stream->get_next(reader->stream, &batch);
        if (code != 0) return fail_stream(reader, code, "a batch");
        if (batch.release == NULL) return ALCORE_OK; /* the end */
        alcore_status status = add_batch(reader, &batch);
        batch.release(&batch);
        ALCORE__TRY(status);
    }
}

/* Everything that can fail without reading is checked first: from get_schema() on the stream
 * belongs to the call, which releases it. */
static alcore_status add_stream(alcore_pool *pool, struct ArrowArrayStream *stream,
                                const alcore_read_options *theirs) {
    arrow_reader reader = {.stream = stream};
    alcore_read_options options;
    ALCORE__TRY(alcore__struct_read(&options, sizeof options,
                                    ALCORE__FIRST_SIZE(alcore_read_options, text_column), theirs,
                                    "alcore_read_options"));
    if (options.format != ALCORE_FORMAT_AUTO || options.bad_lines != ALCORE_BAD_LINES_ERROR)
        return alcore__fail(ALCORE_E_INVALID,
                            "only text_column applies to an Arrow stream, not format or bad_lines");
    alcore_status status = read_schema(&reader, options.text_column);
    if (status == ALCORE_OK) {
        alcore__pool_add_begin(&reader.add, pool, NULL);
        status = alcore__pool_add_end(&reader.add, add_batches(&reader));
    }
    if (reader.schema.release != NULL) reader.schema.release(&reader.schema);
    stream->release(stream);
    stream->release = NULL; /* also where the producer forgot to */
    return status;
}

alcore_status alcore_pool_add_arrow(alcore_pool *pool, struct ArrowArrayStream *stream,
                                    const alcore_read_options *options) {
    ALCORE__TRY(alcore__pool_change_begin(pool));
    if (stream == NULL || stream->release == NULL)
        return alcore__pool_change_end(
            pool, alcore__fail(ALCORE_E_INVALID, "the Arrow stream is NULL or released"));
    return alcore__pool_change_end(pool, add_stream(pool, stream, options));
}
