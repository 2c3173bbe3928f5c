/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of a pool's rows by one language model, in tasks of TASK_ROWS rows.
 * Cost: one look-up per word and order; memory per task 4 bytes a token and 16 a row. */
#include "model/lm_column.h"

#include "text/lm_trainer.h"

/* Whether this column scores the row, and then its text. */
static bool scored_here(const alcore__lm_column *self, int64_t row, const char **text,
                        size_t *length) {
    if (alcore_pool_states(self->pool)[row] != 0) return false;
    *text = alcore_pool_text(self->pool, row, length);
    return self->fold < 0 || alcore__lm_fold(*text, *length) == self->fold;
}

/* Scores the rows first .. last - 1 and hands them to the writer in one put.
 * rows, lengths: [rows that are scored]; values: [tokens], the sum of their words + 1. */
static alcore_status put_block(const alcore__lm_column *self, int64_t first, int64_t last,
                               int64_t *rows, int64_t *lengths, float *values, int64_t tokens) {
    int64_t count = 0, used = 0;
    for (int64_t row = first; row < last; row++) {
        const char *text;
        size_t length;
        if (!scored_here(self, row, &text, &length)) continue;
        rows[count] = row;
        lengths[count] = alcore__lm_tokens(self->lm, text, length, values + used, tokens - used);
        used += lengths[count++];
    }
    alcore_tensor tensor;
    ALCORE__TRY(alcore_tensor_init(&tensor, values, ALCORE_FLOAT32, &used, 1));
    return alcore_column_writer_put(self->writer, rows, count, &tensor, lengths, NULL);
}

/* Rows of one task: few enough for cancelling to act at once. */
enum { TASK_ROWS = 1024 };

/* One task: counts rows and tokens, so that the three arrays are allocated once and in full. */
static alcore_status score_block(void *data, int64_t index, int32_t worker) {
    const alcore__lm_column *self = data;
    (void)worker;
    int64_t first = index * TASK_ROWS, last = first + TASK_ROWS;
    int64_t rows_in_all = alcore_pool_rows(self->pool), count = 0, tokens = 0;
    if (last > rows_in_all) last = rows_in_all;
    for (int64_t row = first; row < last; row++) {
        const char *text;
        size_t length;
        if (!scored_here(self, row, &text, &length)) continue;
        tokens += alcore_pool_words(self->pool, row) + 1;
        count++;
    }
    if (count == 0) return ALCORE_OK;
    int64_t *rows = NULL, *lengths = NULL;
    float *values = NULL;
    alcore_status status = alcore__new_array(self->ctx, (size_t)count, sizeof *rows, &rows);
    if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, (size_t)count, sizeof *lengths, &lengths);
    if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, (size_t)tokens, sizeof *values, &values);
    if (status == ALCORE_OK) status = put_block(self, first, last, rows, lengths, values, tokens);
    alcore__free(self->ctx, rows);
    alcore__free(self->ctx, lengths);
    alcore__free(self->ctx, values);
    return status;
}

alcore_status alcore__lm_column_rows(alcore__lm_column *self) {
    int64_t tasks = (alcore_pool_rows(self->pool) + TASK_ROWS - 1) / TASK_ROWS;
    return alcore__parallel(self->ctx, "log-probabilities", tasks, score_block, self);
}
