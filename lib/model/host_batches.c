/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of pool rows for the functions of a host's model: up to a number of rows, and up to a
 * number of bytes, each text counted as long as the longest one, as a padded batch needs memory. */
#include "model/model_host.h"

#include <string.h>

#include "pool/column.h"

/* Rows of a batch when the host names no number. */
enum { DEFAULT_BATCH = 256 };

/* Whether the functions said that they read this of a row; otherwise: the answer of a caller who
 * said nothing. */
static bool is_read(const alcore__host_model *data, const char *name, bool otherwise) {
    if (!data->reads) return otherwise;
    for (char **read = data->reads; *read; read++)
        if (strcmp(*read, name) == 0) return true;
    return false;
}

/* Allocates the arrays of a text of each row. */
static alcore_status new_texts(alcore_ctx *ctx, size_t capacity, const char ***texts,
                               size_t **lengths) {
    ALCORE__TRY(alcore__new_array(ctx, capacity, sizeof **texts, texts));
    return alcore__new_array(ctx, capacity, sizeof **lengths, lengths);
}

alcore_status alcore__host_batch_init(const alcore_model *model, const alcore_pool *pool,
                                      bool references, alcore__host_batch *batch) {
    const alcore__host_model *data = alcore__host_data(model);
    alcore_ctx *ctx = model->object.ctx;
    const int64_t rows = data->host.batch_rows == 0 ? DEFAULT_BATCH : data->host.batch_rows;
    *batch = (alcore__host_batch){.pool = pool, .bytes = data->host.batch_bytes};
    ALCORE__TRY(alcore__model_batch_init(ctx, rows, &batch->rows));
    if (references || is_read(data, "references", false))
        ALCORE__TRY(new_texts(ctx, (size_t)rows, &batch->references, &batch->reference_lengths));
    const alcore__column *contexts = alcore__pool_find_column(pool, "qa_contexts");
    if (!contexts || !contexts->ops->text || !is_read(data, "qa_contexts", true)) return ALCORE_OK;
    return new_texts(ctx, (size_t)rows, &batch->contexts, &batch->context_lengths);
}

void alcore__host_batch_clear(alcore_ctx *ctx, alcore__host_batch *batch) {
    alcore__model_batch_clear(ctx, &batch->rows);
    alcore__free(ctx, (void *)batch->references);
    alcore__free(ctx, batch->reference_lengths);
    alcore__free(ctx, (void *)batch->contexts);
    alcore__free(ctx, batch->context_lengths);
    *batch = (alcore__host_batch){0};
}

void alcore__host_batch_empty(alcore__host_batch *batch) {
    batch->rows.count = 0;
    batch->longest = 0;
}

bool alcore__host_batch_add(alcore__host_batch *batch, int64_t row) {
    alcore__model_batch *rows = &batch->rows;
    const int64_t at = rows->count;
    size_t length;
    const char *text = alcore_pool_text(batch->pool, row, &length);
    const size_t longest = length > batch->longest ? length : batch->longest;
    if (at == rows->capacity) return false;
    if (batch->bytes > 0 && at > 0 && longest > (size_t)batch->bytes / (size_t)(at + 1))
        return false;
    batch->longest = longest;
    rows->rows[at] = row;
    rows->texts[at] = text;
    rows->lengths[at] = length;
    rows->languages[at] = alcore_pool_language(batch->pool, row);
    if (batch->references)
        batch->references[at] =
            alcore_pool_reference(batch->pool, row, &batch->reference_lengths[at]);
    if (batch->contexts)
        batch->contexts[at] =
            alcore_pool_column_text(batch->pool, "qa_contexts", row, &batch->context_lengths[at]);
    rows->count++;
    return true;
}

alcore_batch alcore__host_batch_view(const alcore__host_batch *batch) {
    return (alcore_batch){.size = sizeof(alcore_batch),
                          .rows = batch->rows.rows,
                          .texts = batch->rows.texts,
                          .lengths = batch->rows.lengths,
                          .languages = batch->rows.languages,
                          .count = batch->rows.count,
                          .pool = batch->pool,
                          .references = batch->references,
                          .reference_lengths = batch->reference_lengths,
                          .contexts = batch->contexts,
                          .context_lengths = batch->context_lengths};
}
