/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of class probabilities, one distribution a row or one a token (spec 4.9, 7.4). */
#include <math.h>

#include "base/dtype.h"
#include "scorer/score_table.h"

enum {
    MODE_AUTO,
    MODE_MARGIN,
    MODE_MARGIN_MIN,
    MODE_MARGIN_MEAN,
    MODE_MNLP,
    MODE_LC,
    MODE_ENTROPY
};

static const char *const PROBS[] = {"probs", NULL};
static const char *const PROBS_OR_TOKENS[] = {"probs|token_probs", NULL};

static const alcore__param UNCERTAINTY_ROWS[] = {ALCORE__UNCERTAINTY_MODE_PARAM,
                                                 ALCORE__MARGIN_PARAM};
static const alcore__param MARGIN_ROWS[] = {ALCORE__MARGIN_PARAM};
static const alcore__param_table UNCERTAINTY_PARAMS = ALCORE__PARAM_TABLE(UNCERTAINTY_ROWS);
static const alcore__param_table MARGIN_PARAMS = ALCORE__PARAM_TABLE(MARGIN_ROWS);
static const alcore__param_table NO_PARAMS = {NULL, 0};

static int32_t kind_of(const alcore__column *column) {
    if (column->meaning == ALCORE_MEANS_LOGPROBS) return ALCORE_CLASSES_LOGPROBS;
    if (column->meaning == ALCORE_MEANS_LOGITS) return ALCORE_CLASSES_LOGITS;
    return ALCORE_CLASSES_PROBS;
}

/* Why a distribution has no facts. ALCORE_OK: its row may be left out. item: pool row of the
 * distribution, or of its tokens; at: place of the distribution among rows. */
static alcore_status explain(alcore__score_call *call, const char *name,
                             const alcore_sys_rows *rows, int64_t at, int64_t item) {
    double *values;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)rows->dims, sizeof *values, &values));
    alcore_sys_rows row = *rows;
    row.data =
        (const char *)rows->data + (size_t)(at * rows->stride) * alcore__dtype_bytes(rows->dtype);
    row.count = 1;
    alcore_sys_work work = alcore__engine_work(&call->engine);
    alcore_status status = call->engine.kernels->widen(&work, &row, NULL, values);
    int64_t place = -1;
    for (int64_t c = 0; c < rows->dims && place < 0 && status == ALCORE_OK; c++) {
        if (isnan(values[c])) place = c;
    }
    bool nan = place >= 0;
    if (status == ALCORE_OK && !nan) {
        status = alcore__fail(ALCORE_E_DATA,
                              "row %lld: a number in column \"%s\" is outside the range of what "
                              "the column holds (probabilities lie in [0, 1])",
                              (long long)item, name);
    } else if (status == ALCORE_OK && !call->nan_exclude) {
        status =
            alcore__fail(ALCORE_E_DATA,
                         "row %lld: class %lld of column \"%s\" is NaN; nan=exclude leaves such "
                         "rows out",
                         (long long)item, (long long)place, name);
    }
    alcore__free(call->ctx, values);
    return status;
}

/* Facts of every taken distribution; NaN facts where a NaN was found under nan_exclude. item < 0:
 * rows are pool rows. */
static alcore_status facts_of(alcore__score_call *call, const alcore__column *column,
                              const char *name, const alcore_sys_rows *rows, const uint8_t *mask,
                              int64_t item, alcore_sys_class_stats *facts) {
    alcore_sys_work work = alcore__engine_work(&call->engine);
    int64_t bad = -1;
    ALCORE__TRY(call->engine.kernels->class_stats(&work, rows, mask, kind_of(column), facts, &bad));
    if (bad < 0) return ALCORE_OK;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        if (isnan(facts[i].top1)) {
            ALCORE__TRY(explain(call, name, rows, i, item < 0 ? rows->first + i : item));
        }
    }
    return ALCORE_OK;
}

static double margin_of(const alcore_sys_class_stats *facts, bool log_margin) {
    return log_margin ? facts->log_top1 - facts->log_top2 : facts->top1 - facts->top2;
}

/* The raw quantity and the score of one distribution. */
static void put_row(alcore__score_call *call, int64_t i, int64_t mode, bool log_margin,
                    const alcore_sys_class_stats *facts) {
    double raw, score;
    if (mode == MODE_LC) {
        raw = facts->top1;
        score = 1.0 - raw;
    } else if (mode == MODE_ENTROPY) {
        raw = score = facts->entropy;
    } else {
        raw = margin_of(facts, log_margin);
        score = 1.0 - raw;
    }
    call->raw[i] = raw;
    call->score[i] = call->rank[i] = score;
}

/* Scores one distribution per row from the column "probs"; all arrays of the call are [count], rows
 * that call->mask leaves out are not written. */
static alcore_status row_scores(alcore__score_call *call, int64_t mode) {
    const alcore__column *column = alcore__dataset_find(call->dataset, "probs");
    if (!column) return alcore__fail(ALCORE_E_MISSING, "the column \"probs\" is missing");
    if (column->ragged)
        return alcore__fail(ALCORE_E_SHAPE, "the column \"probs\" has shape [rows, classes]");
    if (mode == MODE_MARGIN_MIN || mode == MODE_MARGIN_MEAN || mode == MODE_MNLP) {
        return alcore__fail(ALCORE_E_MISSING,
                            "the column \"token_probs\" is missing: margin-min, margin-mean and "
                            "mnlp need one distribution a token");
    }
    bool log_margin = alcore__values_integer(call->values, "margin") == 1;
    alcore_sys_rows rows = {0};
    ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &rows));
    alcore_sys_class_stats *facts;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)call->count, sizeof *facts, &facts));
    alcore_status status = facts_of(call, column, "probs", &rows, call->mask, -1, facts);
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if (!call->mask || call->mask[i]) put_row(call, i, mode, log_margin, &facts[i]);
    }
    alcore__free(call->ctx, facts);
    return status;
}

/* The raw quantity of an item from the facts of its words, in order. */
static double token_raw(const alcore_sys_class_stats *facts, int64_t tokens, int64_t mode,
                        bool log_margin) {
    double least = HUGE_VAL, sum = 0.0;
    for (int64_t t = 0; t < tokens; t++) {
        double value = margin_of(&facts[t], log_margin);
        if (isnan(value)) return value;
        if (mode == MODE_MNLP) value = facts[t].log_top1;
        if (mode == MODE_LC) value = facts[t].top1;
        if (mode == MODE_ENTROPY) value = facts[t].entropy;
        if (value < least) least = value;
        sum += value;
    }
    return mode == MODE_MARGIN_MIN ? least : sum / (double)tokens;
}

/* Scores item i of the block from the distributions of its tokens; facts [tokens of the longest
 * item] is workspace. */
static alcore_status token_score(alcore__score_call *call, const alcore__column *column,
                                 const alcore_sys_ragged *items, int64_t i, int64_t mode,
                                 alcore_sys_class_stats *facts) {
    int64_t from = items->offsets[i] - items->offsets[0];
    int64_t tokens = items->offsets[i + 1] - items->offsets[i], row = call->first + i;
    if (!tokens) {
        if (!call->nan_exclude) {
            return alcore__fail(ALCORE_E_DATA,
                                "row %lld: no token in column \"token_probs\"; nan=exclude leaves "
                                "such rows out",
                                (long long)row);
        }
        call->raw[i] = call->score[i] = call->rank[i] = (double)NAN;
        return ALCORE_OK;
    }
    alcore_sys_rows rows = {.data =
                                (const char *)items->values +
                                (size_t)(from * items->classes) * alcore__dtype_bytes(items->dtype),
                            .count = tokens,
                            .dims = items->classes,
                            .stride = items->classes,
                            .dtype = items->dtype};
    ALCORE__TRY(facts_of(call, column, "token_probs", &rows, NULL, row, facts));
    bool log_margin = alcore__values_integer(call->values, "margin") == 1;
    double raw = token_raw(facts, tokens, mode, log_margin);
    call->raw[i] = raw;
    call->score[i] = call->rank[i] = mode == MODE_MNLP      ? 0.0 - raw
                                     : mode == MODE_ENTROPY ? raw
                                                            : 1.0 - raw;
    return ALCORE_OK;
}

/* Scores one distribution per token from the ragged column "token_probs". */
static alcore_status token_scores(alcore__score_call *call, const alcore__column *column,
                                  int64_t mode) {
    if (!column->ragged) {
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"token_probs\" has shape [tokens, classes], with offsets");
    }
    if (mode == MODE_AUTO) mode = MODE_MARGIN_MIN;
    if (mode == MODE_MARGIN) mode = MODE_MARGIN_MEAN;
    alcore_sys_ragged items = {0};
    ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    int64_t most = 0;
    for (int64_t i = 0; i < call->count; i++) {
        int64_t tokens = items.offsets[i + 1] - items.offsets[i];
        if (tokens > most) most = tokens;
    }
    alcore_sys_class_stats *facts;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)most, sizeof *facts, &facts));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if (!call->mask || call->mask[i])
            status = token_score(call, column, &items, i, mode, facts);
    }
    alcore__free(call->ctx, facts);
    return status;
}

/* The score of DeMuX: by tokens where the mode asks for it or nothing else is there, else by rows.
 */
static alcore_status uncertainty_rows(alcore__score_call *call) {
    int64_t mode = alcore__values_integer(call->values, "mode");
    bool of_tokens = mode == MODE_MARGIN_MIN || mode == MODE_MARGIN_MEAN || mode == MODE_MNLP;
    const alcore__column *tokens = alcore__dataset_find(call->dataset, "token_probs");
    if (tokens && (of_tokens || !alcore__dataset_find(call->dataset, "probs"))) {
        return token_scores(call, tokens, mode);
    }
    return row_scores(call, mode);
}

static alcore_status lc_rows(alcore__score_call *call) {
    return row_scores(call, MODE_LC);
}
static alcore_status entropy_rows(alcore__score_call *call) {
    return row_scores(call, MODE_ENTROPY);
}
static alcore_status margin_rows(alcore__score_call *call) {
    return row_scores(call, MODE_MARGIN);
}

const alcore__score alcore__score_class_uncertainty = {
    "uncertainty",
    "One minus the margin of the two likeliest classes, of a row or of its words (DeMuX)",
    &UNCERTAINTY_PARAMS,
    "raw",
    PROBS_OR_TOKENS,
    uncertainty_rows};

const alcore__score alcore__score_lc = {
    "lc",       "Least confidence: one minus the largest class probability",
    &NO_PARAMS, "confidence",
    PROBS,      lc_rows};

const alcore__score alcore__score_entropy = {
    "entropy", "Entropy of the class probabilities", &NO_PARAMS, "entropy", PROBS, entropy_rows};

const alcore__score alcore__score_margin = {
    "margin",       "One minus the margin of the two likeliest classes (DeMuX)",
    &MARGIN_PARAMS, "margin",
    PROBS,          margin_rows};
