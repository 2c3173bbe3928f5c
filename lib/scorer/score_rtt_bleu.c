/* SPDX-License-Identifier: Apache-2.0 */
/* Round-trip BLEU (Haffari et al. 2009; spec 5.7): a sentence x is translated, and the translation
 * is translated back to x'. The less x' is like x, the harder the sentence is to translate:
 *
 *     score = 1 - BLEU(x', x) / 100
 *
 * with sentence BLEU as text/sentence_bleu.c computes it (13a, effective order). The text column
 * "roundtrip" holds x', the pool's own text is x. raw is BLEU, 0 to 100, and rank the score. Cost:
 * that of counting the n-grams of both texts. */
#include <math.h>

#include "pool/row_map.h"
#include "scorer/score_table.h"
#include "text/sentence_bleu.h"

static const char *const NEEDS[] = {"roundtrip", NULL};
static const alcore__param_table NO_PARAMS = {NULL, 0};

/* The round trip of a pool row, UTF-8, *length bytes, borrowed from the column; NULL, and *length
 * unwritten, where the column has none. An entry is a row of the column, which may lack pool rows
 * (alcore__column_entry() then returns -1) or have no text for one. */
static const char *round_trip(const alcore__column *column, int64_t row, size_t *length) {
    int64_t entry = alcore__column_entry(column, row);
    return entry < 0 ? NULL : column->ops->text(column, entry, length);
}

/* Scores pool row call->first + i, whose round trip is back, back_length bytes: writes entry i of
 * score, raw and rank. workspace: for the n-grams of one pair after the other. */
static alcore_status score_row(alcore__score_call *call, alcore__bleu_workspace *workspace,
                               int64_t i, const char *back, size_t back_length) {
    size_t length;
    const char *text = alcore_pool_text(call->dataset->pool, call->first + i, &length);
    ALCORE__TRY(alcore__sentence_bleu(call->ctx, workspace, back, back_length, text, length,
                                      &call->raw[i]));
    call->score[i] = call->rank[i] = 1.0 - call->raw[i] / 100.0;
    return ALCORE_OK;
}

/* A row without a round trip: NaN with nan=exclude, else an error that names it. */
static alcore_status leave_out(alcore__score_call *call, int64_t i) {
    call->score[i] = call->raw[i] = call->rank[i] = (double)NAN;
    if (call->nan_exclude) return ALCORE_OK;
    return alcore__fail_nan("row %lld: the column \"roundtrip\" has no text",
                            (long long)(call->first + i));
}

/* Scores rows whose BLEU was computed where their texts are (bleu_column.h). */
static alcore_status score_computed(alcore__score_call *call, const alcore__column *column) {
    alcore_sys_rows rows;
    ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &rows));
    const double *bleu = rows.data;
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        call->raw[i] = bleu[i * rows.stride];
        call->score[i] = call->rank[i] = 1.0 - call->raw[i] / 100.0;
        if (isnan(call->raw[i])) ALCORE__TRY(leave_out(call, i));
    }
    return ALCORE_OK;
}

/* alcore__score.rows: scores every row of the mask by the BLEU of its round trip with its text.
 * Where the rows belong to no pool, as those of all shards, the column has the BLEU itself. */
static alcore_status rtt_bleu_rows(alcore__score_call *call) {
    const alcore__column *column = alcore__dataset_find(call->dataset, "roundtrip");
    alcore__bleu_workspace workspace = {0};
    alcore_status status = ALCORE_OK;
    if (!column) return alcore__fail(ALCORE_E_MISSING, "the column \"roundtrip\" is missing");
    if (!call->dataset->pool && column->ops->rows) return score_computed(call, column);
    if (!column->ops->text)
        return alcore__fail(ALCORE_E_SHAPE, "the column \"roundtrip\" holds a text a row, found %s",
                            column->ragged ? "a list of numbers" : "numbers");
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        size_t length = 0;
        if (call->mask && !call->mask[i]) continue;
        const char *back = round_trip(column, call->first + i, &length);
        status = back ? score_row(call, &workspace, i, back, length) : leave_out(call, i);
    }
    alcore__sentence_bleu_clear(&workspace);
    return status;
}

const alcore__score alcore__score_rtt_bleu = {
    .name = "rtt-bleu",
    .summary = "One minus the BLEU of a round trip with its text (Haffari et al. 2009)",
    .params = &NO_PARAMS,
    .raw_name = "bleu",
    .needs = NEEDS,
    .rows = rtt_bleu_rows,
};
