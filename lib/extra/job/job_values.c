/* SPDX-License-Identifier: Apache-2.0 */
/* The values of rows of a column in a message, every part up to a multiple of 8 bytes: [rows,
 * dims], or of a ragged column the offsets [rows + 1] from 0 and [tokens, dims]. */
#include <string.h>

#include "alcore/sys/dtype.h"
#include "extra/job/job_passes.h"

bool alcore__job_is_form(const alcore__column_form *form) {
    return memchr(form->name, '\0', sizeof form->name) && form->dims > 0 &&
           form->dims < INT32_MAX && alcore_sys_dtype_bytes(form->dtype) > 0;
}

alcore_status alcore__job_fail_form(const alcore__job_entry *entry, const char *name) {
    return alcore__fail(ALCORE_E_SHAPE,
                        "the column '%s' of the rows %lld to %lld has another name, dtype or "
                        "number of values than that of the shards before",
                        name, (long long)entry->first, (long long)entry->end - 1);
}

alcore_status alcore__job_put_values(alcore_ctx *ctx, const alcore__column *column,
                                     int64_t row_count, alcore__scratch *scratch,
                                     alcore__buffer *out) {
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    if (row_count == 0) return ALCORE_OK;
    if (column->ragged) {
        alcore_sys_ragged tokens;
        ALCORE__TRY(column->ops->ragged(column, 0, row_count, scratch, &tokens));
        for (int64_t i = 0; i <= row_count; i++) {
            const int64_t offset = tokens.offsets[i] - tokens.offsets[0];
            ALCORE__TRY(alcore__buffer_append(ctx, out, &offset, sizeof offset));
        }
        const int64_t count = tokens.offsets[row_count] - tokens.offsets[0];
        ALCORE__TRY(alcore__buffer_append(ctx, out, tokens.values, (size_t)count * bytes));
        return alcore__job_pad(ctx, out);
    }
    alcore_sys_rows rows;
    ALCORE__TRY(column->ops->rows(column, 0, row_count, scratch, &rows));
    const size_t stride = (size_t)rows.stride * alcore_sys_dtype_bytes(rows.dtype);
    for (int64_t i = 0; i < row_count; i++)
        ALCORE__TRY(
            alcore__buffer_append(ctx, out, (const char *)rows.data + (size_t)i * stride, bytes));
    return alcore__job_pad(ctx, out);
}

alcore_status alcore__job_take_values(alcore_ctx *ctx, const alcore__column_form *form,
                                      const alcore__job_entry *entry, bool wanted,
                                      alcore__byte_cursor *cursor, bool *whole,
                                      alcore__column_piece *out) {
    const size_t bytes = (size_t)form->dims * alcore_sys_dtype_bytes(form->dtype);
    const int64_t rows = entry->end - entry->first;
    const char *offsets = NULL;
    int64_t count = rows;
    *whole = true;
    if (rows == 0) return ALCORE_OK;
    if (form->ragged) {
        offsets = alcore__cursor_take(cursor, (size_t)rows + 1, sizeof(int64_t));
        *whole = offsets != NULL;
        for (int64_t i = 0, last = 0; i <= rows && *whole; i++) {
            memcpy(&count, offsets + (size_t)i * sizeof count, sizeof count);
            *whole =
                count >= last && (i > 0 || count == 0) && (uint64_t)count <= cursor->left / bytes;
            last = count;
        }
        if (!*whole) return ALCORE_OK;
    }
    *whole = (uint64_t)count <= cursor->left / bytes;
    const char *values =
        *whole ? alcore__cursor_take(cursor, alcore__cursor_padded((size_t)count * bytes), 1)
               : NULL;
    *whole = values != NULL;
    if (!values || !wanted) return ALCORE_OK;
    *out = (alcore__column_piece){.first = entry->first, .end = entry->end};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)count, bytes, &out->values));
    memcpy(out->values, values, (size_t)count * bytes);
    if (!offsets) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)rows + 1, sizeof *out->offsets, &out->offsets));
    memcpy(out->offsets, offsets, ((size_t)rows + 1) * sizeof *out->offsets);
    return ALCORE_OK;
}
