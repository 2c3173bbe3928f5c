/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a column builder, wherever their values are, and the values of an input in host memory
 * (column_builder_parts.h). */
#include <inttypes.h>
#include <string.h>

#include "pool/column_builder_parts.h"

/* ---- entries ---- */

alcore_status alcore__builder_check(const alcore__column_builder *builder,
                                    const alcore__builder_input *input) {
    int64_t expected = input->count;
    for (int64_t i = 0; i < input->count; i++)
        if (input->rows[i] < 0 || input->rows[i] >= builder->pool_rows)
            return alcore__fail(ALCORE_E_NOT_FOUND,
                                "there is no row %" PRId64 ": the column has %" PRId64 " rows",
                                input->rows[i], builder->pool_rows);
    if (alcore__builder_ragged(builder)) {
        expected = 0;
        for (int64_t i = 0; i < input->count; i++)
            if (input->lengths[i] < 0 ||
                __builtin_add_overflow(expected, input->lengths[i], &expected))
                return alcore__fail(ALCORE_E_SHAPE, "length %" PRId64 " of row %" PRId64,
                                    input->lengths[i], input->rows[i]);
    }
    if (input->value_rows != expected)
        return alcore__fail(ALCORE_E_SHAPE, "expected %" PRId64 " %s, found %" PRId64, expected,
                            alcore__builder_ragged(builder) ? "tokens (the sum of lengths)"
                                                            : "rows of values",
                            input->value_rows);
    if (builder->count > 0 &&
        (builder->dtype == ALCORE_INT64) != alcore__dtype_is_integer(input->dtype))
        return alcore__fail(ALCORE_E_SHAPE, "expected %s as in the values before, found %s",
                            builder->dtype == ALCORE_INT64 ? "int32 or int64"
                                                           : "floating-point values",
                            alcore__dtype_name(input->dtype));
    if (builder->dims != 0 && input->dims != builder->dims)
        return alcore__fail(ALCORE_E_SHAPE,
                            "expected %" PRId64 " values of each %s, found %" PRId64, builder->dims,
                            alcore__builder_ragged(builder) ? "token" : "row", input->dims);
    return ALCORE_OK;
}

alcore_status alcore__builder_reserve_entries(alcore__column_builder *builder, int64_t entries) {
    const size_t count = (size_t)(builder->count + entries);
    ALCORE__TRY(alcore__grow(builder->ctx, &builder->rows, &builder->rows_capacity, count,
                             sizeof *builder->rows));
    if (!alcore__builder_ragged(builder)) return ALCORE_OK;
    return alcore__grow(builder->ctx, &builder->offsets, &builder->offsets_capacity, count + 1,
                        sizeof *builder->offsets);
}

bool alcore__builder_append_entry(alcore__column_builder *builder, int64_t row, int64_t length) {
    if (builder->entry[row] != 0) {
        builder->repeats++;
        return false;
    }
    builder->rows[builder->count] = row;
    if (builder->offsets)
        builder->offsets[builder->count + 1] = builder->offsets[builder->count] + length;
    builder->entry[row] = ++builder->count;
    return true;
}

void alcore__builder_undo(alcore__column_builder *builder, const alcore__column_builder *before) {
    for (int64_t i = before->count; i < builder->count; i++) builder->entry[builder->rows[i]] = 0;
    builder->count = before->count;
    builder->repeats = before->repeats;
    if (before->count > 0) return;
    builder->dims = before->dims;
    builder->dtype = before->dtype;
}

/* ---- values ---- */

/* Converts one value of type value_dtype to type dtype, one of int64 (from integers), float64 and
 * float32, at out; both may be unaligned. */
static void convert_value(int32_t value_dtype, const char *value, int32_t dtype, char *out) {
    if (dtype == ALCORE_INT64) {
        const int64_t integer = alcore__read_integer(value_dtype, value);
        memcpy(out, &integer, sizeof integer);
        return;
    }
    const double wide = alcore__widen(value_dtype, value);
    const float single = (float)wide;
    if (dtype == ALCORE_FLOAT64)
        memcpy(out, &wide, sizeof wide);
    else
        memcpy(out, &single, sizeof single);
}

/* Writes `count` rows of the matrix, which begin at `from`, to out as values of dtype. One copy is
 * enough where types and layouts agree. */
static void convert_rows(const alcore__builder_input *input, int32_t dtype, const char *from,
                         int64_t count, char *out) {
    const size_t bytes = alcore_sys_dtype_bytes(dtype);
    if (input->dtype == dtype && input->strides[1] == (int64_t)bytes &&
        input->strides[0] == input->dims * (int64_t)bytes) {
        if (count > 0) memcpy(out, from, (size_t)(count * input->dims) * bytes);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        for (int64_t j = 0; j < input->dims; j++, out += bytes)
            convert_value(input->dtype, from + i * input->strides[0] + j * input->strides[1], dtype,
                          out);
}

alcore_status alcore__builder_read_rows(const alcore__builder_input *input,
                                        alcore__builder_window *here, int32_t dtype, int64_t first,
                                        int64_t count, char *out) {
    const size_t row_bytes = (size_t)input->dims * alcore_sys_dtype_bytes(dtype);
    for (int64_t part; count > 0; first += part, count -= part, out += (size_t)part * row_bytes) {
        if (first >= here->first + here->count) {
            const int64_t left = input->value_rows - first;
            here->first = first;
            here->count = left < input->fetch_rows ? left : input->fetch_rows;
            ALCORE__TRY(input->fetch(input->fetch_user, first, here->count, &here->rows));
        }
        part = here->first + here->count - first;
        if (part > count) part = count;
        convert_rows(input, dtype, here->rows + (first - here->first) * input->strides[0], part,
                     out);
    }
    return ALCORE_OK;
}
