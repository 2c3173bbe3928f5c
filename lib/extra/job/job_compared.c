/* SPDX-License-Identifier: Apache-2.0 */
/* The embeddings of all candidates, in the exchange of rows, where the option max_similarity
 * compares each pick with those before: which rows these are is known only when they are bought, so
 * that every shard has the vectors of all. Rows that are no candidates have zeros in other shards,
 * where nothing reads them. */
#include <math.h>
#include <string.h>

#include "alcore/sys/dtype.h"
#include "extra/job/job_passes.h"

bool alcore__job_compares(const alcore_job *job, const alcore__column_form *form) {
    return !isnan(job->request->options.max_similarity) && !job->refreshes && !form->ragged &&
           strcmp(form->name, "embeddings") == 0;
}

alcore_status alcore__job_put_compared(alcore_ctx *ctx, const alcore__dataset *dataset,
                                       const alcore__column *column, int64_t border,
                                       alcore__scratch *scratch, alcore__buffer *out) {
    const size_t bytes = (size_t)column->dims * alcore_sys_dtype_bytes(column->dtype);
    for (int64_t first = border; first < dataset->rows; first += ALCORE_BLOCK_ROWS) {
        const int64_t left = dataset->rows - first;
        alcore_sys_rows rows;
        ALCORE__TRY(alcore__tick(ctx, "rows", first, dataset->rows));
        ALCORE__TRY(column->ops->rows(
            column, first, left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS, scratch, &rows));
        const size_t stride = (size_t)rows.stride * alcore_sys_dtype_bytes(rows.dtype);
        for (int64_t i = 0; i < rows.count; i++)
            if (!dataset->mask || dataset->mask[first + i])
                ALCORE__TRY(alcore__buffer_append(
                    ctx, out, (const char *)rows.data + (size_t)i * stride, bytes));
    }
    return alcore__job_pad(ctx, out);
}

alcore_status alcore__job_take_compared(const alcore_job *job, const alcore__column_form *form,
                                        const alcore__job_entry *entry, int64_t border,
                                        alcore__byte_cursor *cursor, bool *whole,
                                        alcore__column_piece *out) {
    const size_t bytes = (size_t)form->dims * alcore_sys_dtype_bytes(form->dtype);
    const uint8_t *mask = job->passes->mask + entry->first;
    const int64_t rows = entry->end - entry->first;
    int64_t count = 0;
    for (int64_t row = border; row < rows; row++) count += mask[row];
    *whole = (uint64_t)count <= cursor->left / bytes;
    const char *values =
        *whole ? alcore__cursor_take(cursor, alcore__cursor_padded((size_t)count * bytes), 1)
               : NULL;
    *whole = values != NULL;
    if (!values || rows == border || alcore__job_is_own(job, entry)) return ALCORE_OK;
    *out = (alcore__column_piece){.first = entry->first + border, .end = entry->end};
    ALCORE__TRY(alcore__new_array(job->object.ctx, (size_t)(rows - border), bytes, &out->values));
    for (int64_t row = border; row < rows; row++) {
        if (!mask[row]) continue;
        memcpy(out->values + (size_t)(row - border) * bytes, values, bytes);
        values += bytes;
    }
    return ALCORE_OK;
}

const alcore__column *alcore__job_compared_column(const alcore_job *job) {
    if (!job->passes || isnan(job->request->options.max_similarity)) return NULL;
    return alcore__dataset_find(&job->passes->input.candidates, "embeddings");
}
