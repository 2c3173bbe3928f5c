/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of class probabilities, one distribution a row ("probs") or one a token ("token_probs"):
 * least confidence, entropy, margin and the uncertainty of DeMuX (spec 4.9, 7.4).
 *
 * With p1, p2 the two largest probabilities of a distribution:
 *     lc       1 - p1                     margin       1 - (p1 - p2), or of log p1 and log p2
 *     entropy  - sum of p log p           mnlp         - mean over the tokens of log p1
 *     margin-min, margin-mean             1 - the smallest or the mean margin of the tokens
 * The kernel class_stats computes p1, p2 and the entropy; this file combines them. A block of rows
 * is scored at a time. Cost: one pass over the values. */
#include <math.h>

#include "base/dtype.h"
#include "scorer/score_table.h"

/* The values of the parameter "mode", in the order of ALCORE__UNCERTAINTY_MODE_PARAM. */
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

/* ALCORE_CLASSES_* for class_stats, from what the column says its values mean. */
static int32_t kind_of(const alcore__column *column) {
    if (column->meaning == ALCORE_MEANS_LOGPROBS) return ALCORE_CLASSES_LOGPROBS;
    if (column->meaning == ALCORE_MEANS_LOGITS) return ALCORE_CLASSES_LOGITS;
    return ALCORE_CLASSES_PROBS;
}

/* Called for a distribution that class_stats found bad (NaN statistics): ALCORE_OK when it has a
 * NaN and nan=exclude leaves its row out, else ALCORE_E_DATA with the reason. index: matrix row of
 * the distribution in `rows`; item: pool row for the message. Widens the distribution once more. */
static alcore_status explain(alcore__score_call *call, const char *name,
                             const alcore_sys_rows *rows, int64_t index, int64_t item) {
    double *values;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)rows->dims, sizeof *values, &values));
    alcore_sys_rows row = *rows;
    row.data = (const char *)rows->data +
               (size_t)(index * rows->stride) * alcore__dtype_bytes(rows->dtype);
    row.count = 1;
    alcore_sys_work work = alcore__engine_work(&call->engine);
    alcore_status status = call->engine.kernels->widen(&work, &row, NULL, values);
    int64_t nan_class = -1;
    for (int64_t c = 0; c < rows->dims && nan_class < 0 && status == ALCORE_OK; c++) {
        if (isnan(values[c])) nan_class = c;
    }
    bool nan = nan_class >= 0;
    if (status == ALCORE_OK && !nan) {
        status = alcore__fail(ALCORE_E_DATA,
                              "row %lld: a value in column \"%s\" is outside the range of what "
                              "the column holds (probabilities lie in [0, 1])",
                              (long long)item, name);
    } else if (status == ALCORE_OK && !call->nan_exclude) {
        status =
            alcore__fail(ALCORE_E_DATA,
                         "row %lld: class %lld of column \"%s\" is NaN; nan=exclude leaves such "
                         "rows out",
                         (long long)item, (long long)nan_class, name);
    }
    alcore__free(call->ctx, values);
    return status;
}

/* stats [rows->count] of every distribution of the mask (NULL: all); NaN where a NaN was found and
 * nan=exclude leaves its row out; any other bad distribution is an error. name: of the column;
 * item: pool row that all distributions belong to, or -1 when each is that of its own pool row. */
static alcore_status compute_stats(alcore__score_call *call, const alcore__column *column,
                                   const char *name, const alcore_sys_rows *rows,
                                   const uint8_t *mask, int64_t item,
                                   alcore_sys_class_stats *stats) {
    alcore_sys_work work = alcore__engine_work(&call->engine);
    int64_t bad = -1;
    ALCORE__TRY(call->engine.kernels->class_stats(&work, rows, mask, kind_of(column), stats, &bad));
    if (bad < 0) return ALCORE_OK;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        if (isnan(stats[i].top1)) {
            ALCORE__TRY(explain(call, name, rows, i, item < 0 ? rows->first + i : item));
        }
    }
    return ALCORE_OK;
}

/* p1 - p2, or log p1 - log p2. */
static double margin_of(const alcore_sys_class_stats *stats, bool log_margin) {
    return log_margin ? stats->log_top1 - stats->log_top2 : stats->top1 - stats->top2;
}

/* Writes raw, score and rank of entry i of the call from the statistics of its distribution. */
static void write_row_score(alcore__score_call *call, int64_t i, int64_t mode, bool log_margin,
                            const alcore_sys_class_stats *stats) {
    double raw, score;
    if (mode == MODE_LC) {
        raw = stats->top1;
        score = 1.0 - raw;
    } else if (mode == MODE_ENTROPY) {
        raw = score = stats->entropy;
    } else {
        raw = margin_of(stats, log_margin);
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
    alcore_sys_class_stats *stats;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)call->count, sizeof *stats, &stats));
    alcore_status status = compute_stats(call, column, "probs", &rows, call->mask, -1, stats);
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if (!call->mask || call->mask[i]) write_row_score(call, i, mode, log_margin, &stats[i]);
    }
    alcore__free(call->ctx, stats);
    return status;
}

/* The raw quantity of an item from stats [tokens] of its tokens: the mean over them, or the minimum
 * for margin-min. NaN as soon as a token has NaN statistics. */
static double token_raw(const alcore_sys_class_stats *stats, int64_t tokens, int64_t mode,
                        bool log_margin) {
    double min_value = HUGE_VAL, sum = 0.0;
    for (int64_t t = 0; t < tokens; t++) {
        double value = margin_of(&stats[t], log_margin);
        if (isnan(value)) return value;
        if (mode == MODE_MNLP) value = stats[t].log_top1;
        if (mode == MODE_LC) value = stats[t].top1;
        if (mode == MODE_ENTROPY) value = stats[t].entropy;
        if (value < min_value) min_value = value;
        sum += value;
    }
    return mode == MODE_MARGIN_MIN ? min_value : sum / (double)tokens;
}

/* Scores entry i of the call from the distributions of its tokens; stats [tokens of the longest
 * item] is workspace. An item without tokens is an error or, with nan=exclude, NaN. */
static alcore_status token_score(alcore__score_call *call, const alcore__column *column,
                                 const alcore_sys_ragged *items, int64_t i, int64_t mode,
                                 alcore_sys_class_stats *stats) {
    int64_t begin = items->offsets[i] - items->offsets[0];
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
                                (const char *)items->values + (size_t)(begin * items->classes) *
                                                                  alcore__dtype_bytes(items->dtype),
                            .count = tokens,
                            .dims = items->classes,
                            .stride = items->classes,
                            .dtype = items->dtype};
    ALCORE__TRY(compute_stats(call, column, "token_probs", &rows, NULL, row, stats));
    bool log_margin = alcore__values_integer(call->values, "margin") == 1;
    double raw = token_raw(stats, tokens, mode, log_margin);
    call->raw[i] = raw;
    call->score[i] = call->rank[i] = mode == MODE_MNLP      ? 0.0 - raw
                                     : mode == MODE_ENTROPY ? raw
                                                            : 1.0 - raw;
    return ALCORE_OK;
}

/* Scores every row of the call's mask from the ragged column "token_probs". auto means margin-min
 * and margin means margin-mean when distributions are per token. */
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
    int64_t max_tokens = 0;
    for (int64_t i = 0; i < call->count; i++) {
        int64_t tokens = items.offsets[i + 1] - items.offsets[i];
        if (tokens > max_tokens) max_tokens = tokens;
    }
    alcore_sys_class_stats *stats;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)max_tokens, sizeof *stats, &stats));
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if (!call->mask || call->mask[i])
            status = token_score(call, column, &items, i, mode, stats);
    }
    alcore__free(call->ctx, stats);
    return status;
}

/* The uncertainty of DeMuX: by tokens where the mode needs tokens or the dataset has no "probs",
 * else by rows. */
static alcore_status uncertainty_rows(alcore__score_call *call) {
    int64_t mode = alcore__values_integer(call->values, "mode");
    bool needs_tokens = mode == MODE_MARGIN_MIN || mode == MODE_MARGIN_MEAN || mode == MODE_MNLP;
    const alcore__column *tokens = alcore__dataset_find(call->dataset, "token_probs");
    if (tokens && (needs_tokens || !alcore__dataset_find(call->dataset, "probs"))) {
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
