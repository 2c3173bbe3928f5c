/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of class probabilities (spec 4.9, 7.4): margin, least confidence, entropy, MNLP, one
 * number a row or one a token.
 *
 * They are measured from the whole distributions, "probs" [rows, classes] or "token_probs" [tokens,
 * classes], or read from a narrow column that holds what would be measured: "margins",
 * "confidences" (the probability of the likeliest class) or "entropies", one number a row, or a
 * token with offsets. A narrow column that is there is read instead of the distributions:
 * alcore_logits_put() fills it while the logits are in memory, and nothing of the size of the
 * vocabulary is kept. There is none for margins of logarithms.
 *
 * With p1, p2 the two largest probabilities of a distribution:
 *     lc       1 - p1                     margin       1 - (p1 - p2), or of log p1 and log p2
 *     entropy  - sum of p log p           mnlp         - mean over the tokens of log p1
 *     margin-min, margin-mean             1 - the smallest or the mean margin of the tokens
 * All logarithms are natural. class_distributions.c reads the distributions, checks them and
 * measures them; independent labels and the probability of one of two classes are among what it
 * measures. Rows are ordered by the score. Cost: one pass over the values. */
#include <math.h>

#include "base/tensor_view.h"
#include "kernel/kernels.h"
#include "scorer/class_distributions.h"
#include "scorer/uncertainty_modes.h"

/* The smallest logarithm of a probability (spec 1.1), as in the kernels. */
#define LOG_FLOOR (-100.0)

/* Names of the narrow columns; check_narrow() compares these pointers. */
static const char *const MARGINS = "margins", *const CONFIDENCES = "confidences",
                         *const ENTROPIES = "entropies";

const char *const alcore__lc_needs[] = {"confidences|probs", NULL};
const char *const alcore__entropy_needs[] = {"entropies|probs", NULL};
const char *const alcore__margin_needs[] = {"margins|probs", NULL};

static const alcore__param UNCERTAINTY_ROWS[] = {ALCORE__UNCERTAINTY_PARAMS};
static const alcore__param MARGIN_ROWS[] = {ALCORE__MARGIN_PARAM, ALCORE__LABELS_PARAM};
static const alcore__param LABELS_ROWS[] = {ALCORE__LABELS_PARAM};

/* The narrow column that holds the measure of a mode; NULL: there is none. */
static const char *narrow_name(int64_t mode, bool log_margin) {
    if (mode == MODE_LC || mode == MODE_MNLP) return CONFIDENCES;
    if (mode == MODE_ENTROPY) return ENTROPIES;
    return log_margin ? NULL : MARGINS;
}

/* alcore__score.needs_of: the columns that the margin score reads with these parameters. */
const char *const *alcore__margin_needs_of(const alcore__score_params *params) {
    static const char *const of_logarithms[] = {"probs", NULL};
    return params->log_margin ? of_logarithms : alcore__margin_needs;
}

/* ---- a measure becomes a score ---- */

/* The raw quantity of an item: the smallest of its tokens' measures [tokens] for margin-min, else
 * their mean, added in order; NaN where one of them is. tokens: 1 or more. */
static double reduce_tokens(const double *measures, int64_t tokens, int64_t mode) {
    double smallest = HUGE_VAL, sum = 0.0;
    for (int64_t t = 0; t < tokens; t++) {
        if (isnan(measures[t])) return measures[t];
        if (measures[t] < smallest) smallest = measures[t];
        sum += measures[t];
    }
    return mode == MODE_MARGIN_MIN ? smallest : sum / (double)tokens;
}

/* Writes raw, score and rank of row i of the block from its raw quantity: entropy is a score as it
 * is; a mean of log p1 (mnlp) is negated; a probability or a margin is subtracted from 1. NaN stays
 * NaN. */
static void write_row(alcore__score_call *call, int64_t i, int64_t mode, double raw) {
    double score = mode == MODE_ENTROPY ? raw : mode == MODE_MNLP ? 0.0 - raw : 1.0 - raw;
    call->raw[i] = raw;
    call->score[i] = call->rank[i] = score;
}

/* An item without tokens: an error that names the row, or with nan=exclude a NaN. zeros: it has
 * tokens, but with mode=code all of them were left out, as their margins are 0. */
static alcore_status write_empty(alcore__score_call *call, int64_t i, const char *name,
                                 bool zeros) {
    if (!call->nan_exclude) {
        return alcore__fail_nan("row %lld: no token%s in column \"%s\"",
                                (long long)(call->first + i), zeros ? " whose margin is not 0" : "",
                                name);
    }
    call->raw[i] = call->score[i] = call->rank[i] = (double)NAN;
    return ALCORE_OK;
}

/* Whether the call scores row i of the block. */
static bool is_scored(const alcore__score_call *call, int64_t i) {
    return !call->mask || call->mask[i];
}

/* The mode of a column with one distribution a token: auto and margin are defined for a row. */
static int64_t mode_of_tokens(int64_t mode) {
    return mode == MODE_AUTO ? MODE_MARGIN_MIN : mode == MODE_MARGIN ? MODE_MARGIN_MEAN : mode;
}

/* ---- from whole distributions ---- */

/* Scores each row of the mask from its distribution in the column "probs": writes score, raw and
 * rank of the call. A mode that is of tokens is refused, as it would need "token_probs". */
static alcore_status row_scores(alcore__score_call *call, int64_t mode, bool log_margin) {
    const alcore__column *column = alcore__dataset_find(call->dataset, "probs");
    if (!column) return alcore__fail(ALCORE_E_MISSING, "the column \"probs\" is missing");
    if (column->ragged)
        return alcore__fail(ALCORE_E_SHAPE, "the column \"probs\" has shape [rows, classes]");
    if (alcore__mode_is_of_tokens(mode)) {
        return alcore__fail(ALCORE_E_MISSING,
                            "the column \"token_probs\" is missing: margin-min, margin-mean and "
                            "mnlp need one distribution a token");
    }
    const alcore__measure what = {.mode = mode, .log_margin = log_margin};
    alcore__distributions from;
    double *measures = NULL; /* [count] */
    alcore_status status = alcore__distributions_of_rows(call, column, mode, &from);
    if (status == ALCORE_OK)
        status = alcore__new_array(call->ctx, (size_t)call->count, sizeof *measures, &measures);
    if (status == ALCORE_OK)
        status = alcore__distributions_measure(call, &from, call->mask, -1 /* one a pool row */,
                                               what, measures);
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if (is_scored(call, i)) write_row(call, i, mode, measures[i]);
    }
    alcore__distributions_clear(call->ctx, &from);
    alcore__free(call->ctx, measures);
    return status;
}

/* Leaves the margins of 0 out of measures [tokens], as the public code of DeMuX does, for which a
 * margin of 0 means padding; returns how many are left, which keep their order. */
static int64_t drop_zero_margins(double *measures, int64_t tokens) {
    int64_t kept = 0;
    for (int64_t t = 0; t < tokens; t++) {
        if (measures[t] != 0.0) measures[kept++] = measures[t]; /* NaN too */
    }
    return kept;
}

/* Scores item i of the block from the distributions of its tokens, which are among `all`;
 * what.mode is one of tokens, by mode_of_tokens(), or lc or entropy, of which the mean is taken.
 * measures: workspace [tokens of the longest item]. */
static alcore_status score_item(alcore__score_call *call, const alcore__distributions *all,
                                const alcore_sys_ragged *items, int64_t i, alcore__measure what,
                                double *measures) {
    int64_t begin = items->offsets[i] - items->offsets[0];
    int64_t tokens = items->offsets[i + 1] - items->offsets[i];
    if (!tokens) return write_empty(call, i, "token_probs", false);
    const alcore__distributions of_item = alcore__distributions_part(all, begin, tokens);
    ALCORE__TRY(alcore__distributions_measure(call, &of_item, NULL /* all tokens */,
                                              call->first + i, what, measures));
    if (alcore__mode_is_code(call->params)) {
        tokens = drop_zero_margins(measures, tokens);
        if (!tokens) return write_empty(call, i, "token_probs", true);
    }
    write_row(call, i, what.mode, reduce_tokens(measures, tokens, what.mode));
    return ALCORE_OK;
}

/* Tokens of the longest of the block's items 0 .. count - 1, masked ones included. */
static int64_t longest_item(const alcore_sys_ragged *items, int64_t count) {
    int64_t longest = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t tokens = items->offsets[i + 1] - items->offsets[i];
        if (tokens > longest) longest = tokens;
    }
    return longest;
}

/* Scores each row of the mask from the distributions of its tokens in the ragged column
 * "token_probs". mode is one of tokens, by mode_of_tokens(), or lc or entropy. */
static alcore_status token_scores(alcore__score_call *call, const alcore__column *column,
                                  int64_t mode, bool log_margin) {
    if (!column->ragged) {
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"token_probs\" has shape [tokens, classes], with offsets");
    }
    const alcore__measure what = {.mode = mode, .log_margin = log_margin};
    alcore_sys_ragged items;
    alcore__distributions all;
    double *measures = NULL; /* [tokens of the longest item] */
    alcore_status status =
        alcore__distributions_of_tokens(call, column, "token_probs", mode, &items, &all);
    if (status == ALCORE_OK)
        status = alcore__new_array(call->ctx, (size_t)longest_item(&items, call->count),
                                   sizeof *measures, &measures);
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if (is_scored(call, i)) status = score_item(call, &all, &items, i, what, measures);
    }
    alcore__distributions_clear(call->ctx, &all);
    alcore__free(call->ctx, measures);
    return status;
}

/* ---- from narrow columns ---- */

/* Checks a number of a narrow column: a NaN is an error that names pool row `row`, or left as it is
 * with nan=exclude; margins and confidences lie in [0, 1], entropies at 0 or above, or by rounding
 * up to 1e-6 outside. name: MARGINS, CONFIDENCES or ENTROPIES. */
static alcore_status check_narrow(const alcore__score_call *call, const char *name, int64_t row,
                                  double value) {
    double largest = name == ENTROPIES ? HUGE_VAL : 1.0 + 1e-6;
    if (isnan(value)) {
        if (call->nan_exclude) return ALCORE_OK;
        return alcore__fail_nan("row %lld: a value in column \"%s\" is NaN", (long long)row, name);
    }
    if (value >= -1e-6 && value <= largest && isfinite(value)) return ALCORE_OK;
    return alcore__fail(ALCORE_E_DATA,
                        "row %lld: %g in column \"%s\" is outside the range of what the column "
                        "holds (%s)",
                        (long long)row, value, name,
                        name == ENTROPIES ? "entropies are 0 or more" : "they lie in [0, 1]");
}

/* Converts and checks `count` numbers of pool row `row`, which begin at number `begin` of a block
 * of a narrow column: out [count] is what the mode measures, the number itself or, for mnlp, the
 * logarithm of a confidence, at least -100. */
static alcore_status read_narrow(const alcore__score_call *call, const char *name,
                                 const alcore_sys_rows *block, int64_t begin, int64_t count,
                                 int64_t row, int64_t mode, double *out) {
    alcore_sys_rows numbers = *block;
    alcore_sys_work work = alcore__engine_work(&call->engine);
    numbers.data = (const char *)block->data +
                   (size_t)(begin * block->stride) * alcore_sys_dtype_bytes(block->dtype);
    numbers.count = count;
    ALCORE__TRY(alcore__kernels_cpu()->widen(&work, &numbers, NULL /* mask */, out));
    for (int64_t t = 0; t < count; t++) {
        ALCORE__TRY(check_narrow(call, name, row, out[t]));
        if (mode != MODE_MNLP || isnan(out[t])) continue;
        double logarithm = out[t] > 0 ? log(out[t]) : LOG_FLOOR;
        out[t] = logarithm < LOG_FLOOR ? LOG_FLOOR : logarithm;
    }
    return ALCORE_OK;
}

/* Scores each row of the mask from its one number in a narrow column that is not ragged. The block
 * that is read is valid in call->scratch for the whole loop. */
static alcore_status narrow_row_scores(alcore__score_call *call, const alcore__column *column,
                                       const char *name, int64_t mode) {
    alcore_sys_rows rows = {0};
    if (alcore__mode_is_of_tokens(mode)) {
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"%s\" has one value per row: margin-min, margin-mean and "
                            "mnlp need one per token, with offsets",
                            name);
    }
    ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &rows));
    for (int64_t i = 0; i < call->count; i++) {
        double value;
        if (!is_scored(call, i)) continue;
        ALCORE__TRY(
            read_narrow(call, name, &rows, i, 1 /* number */, call->first + i, mode, &value));
        write_row(call, i, mode, value);
    }
    return ALCORE_OK;
}

/* Scores each row from the numbers of its tokens in a ragged narrow column; mode is one of tokens,
 * by mode_of_tokens(), or lc or entropy, of which the mean is taken. mode=code never reads a narrow
 * column (narrow_name()), so that no margin of 0 has to be left out. */
static alcore_status narrow_token_scores(alcore__score_call *call, const alcore__column *column,
                                         const char *name, int64_t mode) {
    alcore_sys_ragged items = {0};
    double *measures;
    ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    size_t longest = (size_t)longest_item(&items, call->count);
    ALCORE__TRY(alcore__new_array(call->ctx, longest, sizeof *measures, &measures));
    alcore_sys_rows numbers = {.data = items.values, .dims = 1, .stride = 1, .dtype = items.dtype};
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        int64_t begin = items.offsets[i] - items.offsets[0];
        int64_t tokens = items.offsets[i + 1] - items.offsets[i];
        if (!is_scored(call, i)) continue;
        if (!tokens) {
            status = write_empty(call, i, name, false);
            continue;
        }
        status = read_narrow(call, name, &numbers, begin, tokens, call->first + i, mode, measures);
        if (status == ALCORE_OK) write_row(call, i, mode, reduce_tokens(measures, tokens, mode));
    }
    alcore__free(call->ctx, measures);
    return status;
}

/* Scores the rows from `column`, the narrow column of that name. rows_only: the score is not
 * defined for tokens. */
static alcore_status narrow_scores(alcore__score_call *call, const alcore__column *column,
                                   const char *name, int64_t mode, bool rows_only) {
    ALCORE__TRY(alcore__labels_check(call->params, NULL /* ready measures */));
    if (column->dims != 1 || !alcore__dtype_is_float(column->dtype))
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"%s\" must have one value per row or per token", name);
    if (!column->ragged) return narrow_row_scores(call, column, name, mode);
    if (rows_only)
        return alcore__fail(
            ALCORE_E_SHAPE,
            "the column \"%s\" has one value per token, this score needs one per row; "
            "the score uncertainty reads either",
            name);
    return narrow_token_scores(call, column, name, mode_of_tokens(mode));
}

/* ---- the scores ---- */

/* The narrow column of that name if the dataset has it; NULL, as for name NULL: the distributions
 * are read. */
static const alcore__column *find_narrow(const alcore__score_call *call, const char *name) {
    return name ? alcore__dataset_find(call->dataset, name) : NULL;
}

/* The score of DeMuX: SUM-PROB of answers where the parameters ask for it; else from the narrow
 * column of the mode; else from "token_probs" where the mode is of tokens or there is no "probs";
 * else from "probs". */
static alcore_status uncertainty_rows(alcore__score_call *call) {
    int64_t mode = alcore__uncertainty_mode(call->params);
    bool log_margin = alcore__uncertainty_log_margin(call->params);
    ALCORE__TRY(alcore__uncertainty_check(call->params));
    if (alcore__uncertainty_is_of_answers(call->params)) return alcore__score_sum_prob.rows(call);
    const char *name = narrow_name(mode, log_margin);
    const alcore__column *narrow = find_narrow(call, name);
    const alcore__column *tokens = alcore__dataset_find(call->dataset, "token_probs");
    if (narrow) return narrow_scores(call, narrow, name, mode, false /* rows_only */);
    if (tokens &&
        (alcore__mode_is_of_tokens(mode) || !alcore__dataset_find(call->dataset, "probs")))
        return token_scores(call, tokens, mode_of_tokens(mode), log_margin);
    return row_scores(call, mode, log_margin);
}

/* A score that is defined for one distribution a row: from the narrow column of its mode where that
 * is there, else from "probs". */
static alcore_status score_of_rows(alcore__score_call *call, int64_t mode, bool log_margin) {
    const char *name = narrow_name(mode, log_margin);
    const alcore__column *narrow = find_narrow(call, name);
    return narrow ? narrow_scores(call, narrow, name, mode, true /* rows_only */)
                  : row_scores(call, mode, log_margin);
}

/* alcore__score.rows of the scores lc, entropy and margin. */
static alcore_status lc_rows(alcore__score_call *call) {
    return score_of_rows(call, MODE_LC, false);
}
static alcore_status entropy_rows(alcore__score_call *call) {
    return score_of_rows(call, MODE_ENTROPY, false);
}
static alcore_status margin_rows(alcore__score_call *call) {
    return score_of_rows(call, MODE_MARGIN, call->params->log_margin);
}

const alcore__score alcore__score_class_uncertainty = {
    .name = "uncertainty",
    .summary = "One minus the margin of the two likeliest classes, of a row or of its words, or "
               "SUM-PROB of answers (DeMuX); from margins or from probabilities",
    .params = ALCORE__PARAMS(UNCERTAINTY_ROWS),
    .raw_name = "raw",
    .needs = alcore__uncertainty_needs,
    .needs_of = alcore__uncertainty_needs_of,
    .rows = uncertainty_rows,
};

const alcore__score alcore__score_lc = {
    .name = "lc",
    .summary = "Least confidence: one minus the largest class probability; from confidences or "
               "from probabilities",
    .params = ALCORE__PARAMS(LABELS_ROWS),
    .raw_name = "confidence",
    .needs = alcore__lc_needs,
    .rows = lc_rows,
};

const alcore__score alcore__score_entropy = {
    .name = "entropy",
    .summary = "Entropy of the class probabilities; from entropies or from probabilities",
    .params = ALCORE__PARAMS(LABELS_ROWS),
    .raw_name = "entropy",
    .needs = alcore__entropy_needs,
    .rows = entropy_rows,
};

const alcore__score alcore__score_margin = {
    .name = "margin",
    .summary = "One minus the margin of the two likeliest classes (DeMuX); from margins or from "
               "probabilities",
    .params = ALCORE__PARAMS(MARGIN_ROWS),
    .raw_name = "margin",
    .needs = alcore__margin_needs,
    .needs_of = alcore__margin_needs_of,
    .rows = margin_rows,
};
