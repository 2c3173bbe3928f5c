/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of Arrow arrays (arrow_numbers.h).
 *
 * The rows are walked once. What they have is a sequence of runs: values that follow one another in
 * an array, or values that are missing. A run is copied when the next one begins, so that a column
 * of one run without a null, the usual case, is left where it is and never copied.
 *
 * The width of vectors is that of the first one: rows before it that are null are owed their
 * missing values until then. */
#include "pool/arrow_numbers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "pool/number_type.h"

enum { TICK_ROWS = 4096 /* rows between two polls of cancellation */ };
static const int64_t MAX_EXACT = 1LL << 53; /* float64 has every integer up to here */

/* Values of an array that follow one another, from `first` on as the array counts them. */
typedef struct run {
    const struct ArrowArray *array;
    int64_t first, count;
} run;

/* One reading of a column. */
typedef struct reading {
    alcore_ctx *ctx;
    const alcore__arrow_shape *shape;
    alcore__arrow_lists lists;
    alcore__arrow_numbers *out;
    run run;       /* of the values behind those in out->buffer; count 0: there is none */
    bool as_found; /* values have the column's type in the array, none behind a dictionary */
    int64_t owed;  /* vectors without a value before the width was known; out->width is 0 then */
} reading;

/* ---- types ---- */

/* The column's type of the values as they are in the array; 0: they have to be converted. */
static int32_t dtype_of(const alcore__arrow_type *type) {
    static const char letters[] = "efgil";
    static const int32_t dtypes[] = {ALCORE_FLOAT16, ALCORE_FLOAT32, ALCORE_FLOAT64, ALCORE_INT32,
                                     ALCORE_INT64};
    const char *found = strchr(letters, type->format);
    return found ? dtypes[found - letters] : 0;
}

/* Decides the type of the column. */
static void choose_dtype(reading *self, bool floats) {
    const alcore__arrow_type *type = &self->shape->values;
    const bool integers = alcore__arrow_is_integer(type);
    const int32_t dtype = dtype_of(type);
    self->as_found = dtype != 0 && !type->index && !(integers && floats);
    self->out->dtype = integers && floats                           ? ALCORE_FLOAT64
                       : dtype == ALCORE_FLOAT16 && !self->as_found ? ALCORE_FLOAT32
                       : dtype != 0                                 ? dtype
                       : integers                                   ? ALCORE_INT64
                                                                    : ALCORE_FLOAT64;
}

/* ---- values ---- */

/* Appends room for values to the buffer; *out: its beginning. */
static alcore_status append_room(reading *self, int64_t count, char **out) {
    const size_t bytes = alcore_sys_dtype_bytes(self->out->dtype);
    size_t need;
    if (__builtin_mul_overflow((size_t)count, bytes, &need)) return alcore__fail_memory(SIZE_MAX);
    ALCORE__TRY(alcore__buffer_reserve(self->ctx, &self->out->buffer, need));
    *out = self->out->buffer.data + self->out->buffer.length;
    self->out->buffer.length += need;
    self->out->count += count;
    return ALCORE_OK;
}

/* Copies the values of a run in their type, and puts "no value" where they are null. */
static void copy_values(const reading *self, const run *from, char *to) {
    const int32_t dtype = self->out->dtype;
    const size_t bytes = alcore_sys_dtype_bytes(dtype);
    const int64_t first = from->array->offset + from->first;
    memcpy(to, (const char *)from->array->buffers[1] + (size_t)first * bytes,
           (size_t)from->count * bytes);
    if (from->array->null_count == 0 || !from->array->buffers[0]) return;
    for (int64_t i = 0; i < from->count; i++)
        if (!alcore__arrow_valid(from->array, first + i))
            alcore__fill_missing(dtype, to + (size_t)i * bytes, 1);
}

/* Converts one value to the type of the column: integers to int32, int64 or float64, other numbers,
 * which may be behind a dictionary, to float32 or float64. */
static alcore_status convert(const reading *self, const struct ArrowArray *array, int64_t row,
                             char *to) {
    const alcore__arrow_type *type = &self->shape->values;
    const int32_t dtype = self->out->dtype;
    int64_t integer;
    double number;
    if (alcore__arrow_is_integer(type)) {
        ALCORE__TRY(alcore__arrow_integer(type, array, row, &integer));
        if (dtype == ALCORE_INT64) {
            memcpy(to, &integer, sizeof integer);
            return ALCORE_OK;
        }
        if (dtype == ALCORE_INT32) {
            const int32_t narrow = integer == INT64_MIN ? INT32_MIN : (int32_t)integer;
            memcpy(to, &narrow, sizeof narrow);
            return ALCORE_OK;
        }
        number = integer == INT64_MIN ? (double)NAN : (double)integer;
        if (integer != INT64_MIN && (integer > MAX_EXACT || integer < -MAX_EXACT))
            return alcore__fail(ALCORE_E_DATA, "float64 does not hold %" PRId64, integer);
    } else {
        ALCORE__TRY(alcore__arrow_number(type, array, row, &number));
    }
    const float single = (float)number; /* exact where the column is of float32 */
    if (dtype == ALCORE_FLOAT32)
        memcpy(to, &single, sizeof single);
    else
        memcpy(to, &number, sizeof number);
    return ALCORE_OK;
}

/* Copies or converts a run to the end of the buffer. */
static alcore_status append_run(reading *self, const run *from) {
    char *to;
    if (from->count == 0) return ALCORE_OK;
    ALCORE__TRY(append_room(self, from->count, &to));
    if (self->as_found) {
        copy_values(self, from, to);
        return ALCORE_OK;
    }
    const size_t bytes = alcore_sys_dtype_bytes(self->out->dtype);
    for (int64_t i = 0; i < from->count; i++) {
        if (i % TICK_ROWS == TICK_ROWS - 1) ALCORE__TRY(alcore__tick(self->ctx, NULL, 0, 0));
        alcore_status status = convert(self, from->array, from->first + i, to + (size_t)i * bytes);
        if (status != ALCORE_OK)
            return alcore__fail_within(status, "value %" PRId64, from->first + i);
    }
    return ALCORE_OK;
}

/* Copies the run that has not been copied yet. */
static alcore_status flush(reading *self) {
    const run from = self->run;
    self->run = (run){0};
    return append_run(self, &from);
}

/* Appends values of an array; they are copied when others follow that do not lie behind them. */
static alcore_status add_values(reading *self, const struct ArrowArray *array, int64_t first,
                                int64_t count) {
    run *last = &self->run;
    if (count == 0) return ALCORE_OK;
    if (last->count > 0 && last->array == array && last->first + last->count == first) {
        last->count += count;
        return ALCORE_OK;
    }
    ALCORE__TRY(flush(self));
    self->run = (run){array, first, count};
    return ALCORE_OK;
}

/* Appends values that are missing. */
static alcore_status add_missing(reading *self, int64_t count) {
    char *to;
    if (count == 0) return ALCORE_OK;
    ALCORE__TRY(flush(self));
    ALCORE__TRY(append_room(self, count, &to));
    alcore__fill_missing(self->out->dtype, to, count);
    return ALCORE_OK;
}

/* Whether none of the values of a run is null. */
static bool all_valid(const run *of) {
    const struct ArrowArray *array = of->array;
    if (array->null_count == 0 || !array->buffers[0]) return true;
    for (int64_t i = 0; i < of->count; i++)
        if (!alcore__arrow_valid(array, array->offset + of->first + i)) return false;
    return true;
}

/* Ends the values: they stay in the array where the column is one run of it, without a null, else
 * the last run is copied too. */
static alcore_status end_values(reading *self, bool in_place) {
    alcore__arrow_numbers *out = self->out;
    const run *only = &self->run;
    const size_t bytes = alcore_sys_dtype_bytes(out->dtype);
    if (in_place && out->count == 0 && only->count > 0 && self->as_found && all_valid(only)) {
        const char *values = (const char *)only->array->buffers[1] +
                             (size_t)(only->array->offset + only->first) * bytes;
        if ((uintptr_t)values % bytes == 0) {
            out->values = values;
            out->count = only->count;
            out->in_place = true;
            return ALCORE_OK;
        }
    }
    ALCORE__TRY(flush(self));
    ALCORE__TRY(alcore__buffer_reserve(self->ctx, &out->buffer, 0)); /* memory also for none */
    out->values = out->buffer.data;
    return ALCORE_OK;
}

/* ---- rows ---- */

/* Appends a vector, or its missing values where it is null (first -1). */
static alcore_status add_vector(reading *self, const struct ArrowArray *values, int64_t first,
                                int64_t count) {
    alcore__arrow_numbers *out = self->out;
    if (first < 0 && out->width == 0) {
        self->owed++;
        return ALCORE_OK;
    }
    if (first < 0) return add_missing(self, out->width);
    if (count == 0)
        return alcore__fail(ALCORE_E_SHAPE, "the list is empty; a vector has 1 number or more");
    if (out->width == 0) {
        out->width = count;
        ALCORE__TRY(add_missing(self, self->owed * count));
        self->owed = 0;
    }
    if (count != out->width)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the list has %" PRId64 " numbers, those before it have %" PRId64,
                            count, out->width);
    return add_values(self, values, first, count);
}

/* Appends the tokens of a row, and their number to *tokens; a null list is one token without a
 * value. */
static alcore_status add_tokens(reading *self, const struct ArrowArray *array, int64_t row,
                                int64_t *tokens) {
    const struct ArrowArray *child = array->children[0];
    int64_t first, count;
    ALCORE__TRY(alcore__arrow_list_at(self->shape, 0, array, row, &first, &count));
    *tokens += first < 0 ? 1 : count;
    if (self->shape->depth == 1)
        return first < 0 ? add_missing(self, 1) : add_values(self, child, first, count);
    if (first < 0) return add_vector(self, NULL, -1, 0);
    for (int64_t token = first; token < first + count; token++) {
        int64_t begin, length;
        ALCORE__TRY(alcore__arrow_list_at(self->shape, 1, child, token, &begin, &length));
        ALCORE__TRY(add_vector(self, child->children[0], begin, length));
    }
    return ALCORE_OK;
}

/* Appends a row of an array. *tokens: those of all rows so far. */
static alcore_status add_row(reading *self, const struct ArrowArray *array, int64_t row,
                             int64_t *tokens) {
    int64_t first, count;
    if (self->lists == ALCORE__LISTS_TOKENS) return add_tokens(self, array, row, tokens);
    ALCORE__TRY(alcore__arrow_list_at(self->shape, 0, array, row, &first, &count));
    return add_vector(self, array->children[0], first, count);
}

/* Appends all rows of an array of lists. A failure names the row. */
static alcore_status add_lists(reading *self, const struct ArrowArray *array, int64_t *tokens) {
    alcore__arrow_numbers *out = self->out;
    for (int64_t row = 0; row < array->length; row++) {
        if (row % TICK_ROWS == TICK_ROWS - 1) ALCORE__TRY(alcore__tick(self->ctx, NULL, 0, 0));
        alcore_status status = add_row(self, array, row, tokens);
        if (status == ALCORE_E_SHAPE || status == ALCORE_E_DATA)
            return alcore__fail_within(status, "row %" PRId64, out->rows);
        ALCORE__TRY(status);
        out->rows++;
        if (out->offsets) out->offsets[out->rows] = *tokens;
    }
    return ALCORE_OK;
}

/* The values that are missing in front of a width that never came: all rows are null. */
static alcore_status end_width(reading *self) {
    alcore__arrow_numbers *out = self->out;
    if (out->width == 0) out->width = 1; /* there is no vector at all */
    if (self->owed == 0) return ALCORE_OK;
    return alcore__fail(ALCORE_E_SHAPE, "every list is null, which tells no length of vectors");
}

alcore_status alcore__arrow_numbers_read(alcore_ctx *ctx, const alcore__arrow_shape *shape,
                                         const struct ArrowArray *const *arrays, int64_t count,
                                         alcore__arrow_lists lists, bool floats, bool in_place,
                                         alcore__arrow_numbers *out) {
    reading self = {.ctx = ctx, .shape = shape, .lists = lists, .out = out};
    const bool tokens_are_numbers = lists == ALCORE__LISTS_TOKENS && shape->depth == 1;
    int64_t rows = 0, tokens = 0;
    *out = (alcore__arrow_numbers){.vectors = shape->depth > 0 && !tokens_are_numbers};
    choose_dtype(&self, floats);
    if (!out->vectors) out->width = 1;
    if (lists == ALCORE__LISTS_VECTORS && shape->depth == 1 && shape->lists[0].kind == 'w')
        out->width = shape->lists[0].length;
    for (int64_t i = 0; i < count; i++)
        if (__builtin_add_overflow(rows, arrays[i]->length, &rows))
            return alcore__fail_memory(SIZE_MAX);
    if (lists == ALCORE__LISTS_TOKENS && shape->depth > 0)
        ALCORE__TRY(alcore__new_array(ctx, (size_t)rows + 1, sizeof *out->offsets, &out->offsets));
    for (int64_t i = 0; i < count; i++) {
        if (shape->depth > 0) {
            ALCORE__TRY(add_lists(&self, arrays[i], &tokens));
            continue;
        }
        ALCORE__TRY(add_values(&self, arrays[i], 0, arrays[i]->length));
        out->rows += arrays[i]->length;
    }
    ALCORE__TRY(end_width(&self));
    return end_values(&self, in_place && count == 1);
}

void alcore__arrow_numbers_clear(alcore_ctx *ctx, alcore__arrow_numbers *numbers) {
    alcore__buffer_clear(ctx, &numbers->buffer);
    alcore__free(ctx, numbers->offsets);
    *numbers = (alcore__arrow_numbers){0};
}
