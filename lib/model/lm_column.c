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

/* Rows of one task: few enough for cancelling to act at once. */
enum { TASK_ROWS = 1024 };

/* The rows of a task that this column scores. */
typedef struct scored_rows {
    int64_t count, tokens;
    alcore__lm_text *texts;  /* [count] */
    int64_t *rows, *lengths; /* [count] in the pool; tokens of each */
    float *values;           /* [tokens] of all, in row order */
} scored_rows;

/* Lists the rows first .. last - 1 that are scored; the arrays have room for all of them. */
static void list_rows(const alcore__lm_column *self, int64_t first, int64_t last,
                      scored_rows *out) {
    for (int64_t row = first; row < last; row++) {
        alcore__lm_text *text = &out->texts[out->count];
        if (!scored_here(self, row, &text->text, &text->length)) continue;
        out->rows[out->count] = row;
        out->lengths[out->count] = alcore_pool_words(self->pool, row) + 1;
        out->tokens += out->lengths[out->count++];
    }
}

/* Scores the listed rows and hands them to the writer in one put. */
static alcore_status put_rows(const alcore__lm_column *self, scored_rows *scored) {
    if (scored->count == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(self->ctx, (size_t)scored->tokens, sizeof *scored->values,
                                  &scored->values));
    float *next = scored->values;
    for (int64_t i = 0; i < scored->count; i++) {
        scored->texts[i].values = next;
        next += scored->lengths[i];
    }
    alcore__lm_tokens(self->lm, scored->texts, scored->count);
    alcore_tensor tensor;
    ALCORE__TRY(alcore_tensor_init(&tensor, scored->values, ALCORE_FLOAT32, &scored->tokens, 1));
    return alcore_column_writer_put(self->writer, scored->rows, scored->count, &tensor,
                                    scored->lengths, NULL);
}

static alcore_status score_block(void *data, int64_t index, int32_t worker) {
    const alcore__lm_column *self = data;
    (void)worker;
    int64_t first = index * TASK_ROWS, last = alcore_pool_rows(self->pool);
    if (last > first + TASK_ROWS) last = first + TASK_ROWS;
    scored_rows scored = {0};
    size_t count = (size_t)(last - first);
    alcore_status status = alcore__new_array(self->ctx, count, sizeof *scored.texts, &scored.texts);
    if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, count, sizeof *scored.rows, &scored.rows);
    if (status == ALCORE_OK)
        status = alcore__new_array(self->ctx, count, sizeof *scored.lengths, &scored.lengths);
    if (status == ALCORE_OK) {
        list_rows(self, first, last, &scored);
        status = put_rows(self, &scored);
    }
    alcore__free(self->ctx, scored.texts);
    alcore__free(self->ctx, scored.rows);
    alcore__free(self->ctx, scored.lengths);
    alcore__free(self->ctx, scored.values);
    return status;
}

alcore_status alcore__lm_column_rows(alcore__lm_column *self) {
    int64_t tasks = (alcore_pool_rows(self->pool) + TASK_ROWS - 1) / TASK_ROWS;
    return alcore__parallel(self->ctx, "log-probabilities", tasks, score_block, self);
}
