/* SPDX-License-Identifier: Apache-2.0 */
/* The column "logprobs" of a large pool, computed when its rows are read (lm_column.h): a selection
 * reads them once, and 4 bytes a token and 8 a row are spared. The values are those of a column
 * that is kept. */
#include "model/lm_column.h"
#include "pool/column_array.h"
#include "pool/row_map.h"

/* Texts that are scored at once. */
enum { TEXTS = 512 };

/* The data of the column. */
typedef struct lm_texts {
    alcore_lm *lm;           /* a reference: a column outlives the model that trained it */
    const alcore_pool *pool; /* which owns the column, and so outlives it */
} lm_texts;

/* Scores rows first .. first + count - 1: starts [count + 1] is where the tokens of each begin in
 * values. */
static void score_rows(const lm_texts *self, int64_t first, int64_t count, const int64_t *starts,
                       float *values) {
    alcore__lm_text texts[TEXTS];
    for (int64_t done = 0; done < count; done += TEXTS) {
        const int64_t part = count - done < TEXTS ? count - done : TEXTS;
        for (int64_t i = 0; i < part; i++) {
            texts[i].text = alcore_pool_text(self->pool, first + done + i, &texts[i].length);
            texts[i].values = values + starts[done + i];
            texts[i].total = NULL;
        }
        alcore__lm_tokens(self->lm, texts, part);
    }
}

/* alcore__column_ops.ragged. Rows without an entry have no tokens. */
static alcore_status read_tokens(const alcore__column *column, int64_t first, int64_t count,
                                 alcore__scratch *scratch, alcore_sys_ragged *out) {
    const lm_texts *self = column->data;
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->offsets, &scratch->offsets_bytes,
                                        count + 1, sizeof(int64_t)));
    int64_t *starts = scratch->offsets, entry; /* [count + 1] first token of each row */
    starts[0] = 0;
    for (int64_t done = 0, run; done < count; done += run) {
        run = alcore__column_run(column, first + done, count - done, &entry);
        for (int64_t i = done; i < done + run; i++)
            starts[i + 1] =
                starts[i] + (entry < 0 ? 0 : alcore_pool_words(self->pool, first + i) + 1);
    }
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->values, &scratch->values_bytes,
                                        starts[count], sizeof(float)));
    for (int64_t done = 0, run; done < count; done += run) {
        run = alcore__column_run(column, first + done, count - done, &entry);
        if (entry >= 0) score_rows(self, first + done, run, starts + done, scratch->values);
    }
    *out = (alcore_sys_ragged){.values = scratch->values,
                               .offsets = starts,
                               .first = first,
                               .count = count,
                               .classes = 1,
                               .dtype = ALCORE_FLOAT32};
    return ALCORE_OK;
}

/* alcore__column_ops.release. */
static void release(alcore__column *column) {
    lm_texts *self = column->data;
    alcore__object_unref(self->lm);
    alcore__free(column->ctx, self);
}

static const alcore__column_ops ops = {.ragged = read_tokens, .release = release};

/* Fills in a zeroed column struct; after a failure alcore__column_free() releases it. */
static alcore_status make_column(const alcore__lm_column *self, alcore__column *column) {
    alcore_ctx *ctx = self->ctx;
    lm_texts *texts;
    column->ctx = ctx;
    column->row_count = self->pool_rows;
    column->dims = 1;
    column->dtype = ALCORE_FLOAT32;
    column->log_scale = 1;
    column->ragged = true;
    column->token_count = self->tokens;
    column->name = alcore__strndup(ctx, "logprobs", strlen("logprobs"));
    column->origin = alcore__strndup(ctx, "", 0);
    if (!column->name || !column->origin)
        return alcore__fail_memory(16); /* about the bytes of both, for the message */
    if (self->rows)
        ALCORE__TRY(
            alcore__row_map_new(ctx, self->rows, self->entries, self->pool_rows, &column->map));
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *texts, &texts));
    *texts = (lm_texts){.lm = alcore__object_ref(self->lm), .pool = self->pool};
    column->data = texts;
    column->ops = &ops;
    return ALCORE_OK;
}

alcore_status alcore__lm_column_put_waiting(const alcore__lm_column *self) {
    alcore__column *column;
    ALCORE__TRY(alcore__new_array(self->ctx, 1, sizeof *column, &column));
    alcore_status status = make_column(self, column);
    if (status == ALCORE_OK) status = alcore__write_begin(self->pool, "pool");
    if (status == ALCORE_OK) {
        status = alcore__pool_put_column(self->pool, column);
        alcore__write_end(self->pool);
    }
    if (status != ALCORE_OK) alcore__column_free(column);
    return status;
}
