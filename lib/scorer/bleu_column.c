/* SPDX-License-Identifier: Apache-2.0 */
/* The column of bleu_column.h: reading rows scores them, by the score rtt-bleu. */
#include "scorer/bleu_column.h"

#include <string.h>

#include "pool/column_array.h"
#include "scorer/score_table.h"

static alcore_status read_rows(const alcore__column *column, int64_t first, int64_t count,
                               alcore__scratch *scratch, alcore_sys_rows *out) {
    const alcore__dataset *dataset = column->data;
    ALCORE__TRY(alcore__scratch_reserve(column->ctx, &scratch->values, &scratch->values_bytes,
                                        count, 3 * sizeof(double)));
    double *bleu = scratch->values; /* [3, count]: before what else the score has */
    alcore__fill_missing(ALCORE_FLOAT64, scratch->values, count);
    alcore__score_call call = {.ctx = column->ctx,
                               .dataset = dataset,
                               .first = first,
                               .count = count,
                               .mask = dataset->mask ? dataset->mask + first : NULL,
                               .nan_exclude = true, /* whoever reads the column decides */
                               .raw = bleu,
                               .score = bleu + count,
                               .rank = bleu + 2 * count};
    ALCORE__TRY(alcore__score_rtt_bleu.rows(&call));
    *out = (alcore_sys_rows){.data = bleu,
                             .first = first,
                             .count = count,
                             .dims = 1,
                             .stride = 1,
                             .dtype = ALCORE_FLOAT64};
    return ALCORE_OK;
}

static void release(alcore__column *column) {
    alcore__free(column->ctx, column->data);
}

static const alcore__column_ops OPS = {.rows = read_rows, .release = release};

alcore_status alcore__bleu_column_new(alcore_ctx *ctx, const alcore__dataset *dataset,
                                      alcore__column **out) {
    alcore__column *column;
    ALCORE__TRY(alcore__new_array(ctx, 1, sizeof *column, &column));
    column->ops = &OPS;
    column->ctx = ctx;
    column->name = alcore__strndup(ctx, "roundtrip", strlen("roundtrip"));
    column->origin = alcore__strndup(ctx, "shards", strlen("shards"));
    column->row_count = dataset->rows;
    column->dims = 1;
    column->dtype = ALCORE_FLOAT64;
    column->log_scale = 1;
    alcore_status status = column->name && column->origin ? ALCORE_OK : alcore__fail_memory(32);
    if (status == ALCORE_OK) status = alcore__new_array(ctx, 1, sizeof *dataset, &column->data);
    if (status != ALCORE_OK) {
        alcore__column_free(column);
        return status;
    }
    *(alcore__dataset *)column->data = *dataset;
    *out = column;
    return ALCORE_OK;
}
