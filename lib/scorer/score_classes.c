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
 * All logarithms are natural. The CPU's kernel class_stats computes p1, p2 and the entropy of a
 * distribution, whatever the engine of the call. A block of rows is scored at a time: i, the row of
 * a block, is pool row call->first + i, and call->mask[i] is 1 where it is scored (mask NULL: all);
 * other entries are not written. An item is a row with a list of tokens; those of item i begin at
 * number offsets[i] - offsets[0] of the block. The call writes for each row raw (the quantity of
 * the paper), score (larger = less certain) and rank, by which rows are ordered, here the score.
 * With call->nan_exclude a row without a value is NaN, else it is an error. column->ops->rows() and
 * ->ragged() read a block of a column, which stays in call->scratch until that is used again; a
 * pool row without an entry reads as NaN or as no token. Cost: one pass over the values. */
#include <math.h>

#include "base/tensor_view.h"
#include "kernel/kernels.h"
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
static const alcore__param MARGIN_ROWS[] = {ALCORE__MARGIN_PARAM};
static const alcore__param_table UNCERTAINTY_PARAMS = ALCORE__PARAM_TABLE(UNCERTAINTY_ROWS);
static const alcore__param_table MARGIN_PARAMS = ALCORE__PARAM_TABLE(MARGIN_ROWS);
static const alcore__param_table NO_PARAMS = {NULL, 0};

/* The narrow column that holds the measure of a mode; NULL: there is none. */
static const char *narrow_name(int64_t mode, bool log_margin) {
    if (mode == MODE_LC || mode == MODE_MNLP) return CONFIDENCES;
    if (mode == MODE_ENTROPY) return ENTROPIES;
    return log_margin ? NULL : MARGINS;
}

/* alcore__score.needs_of: the columns that the margin score reads with these parameters. */
const char *const *alcore__margin_needs_of(const alcore__values *values) {
    static const char *const of_logarithms[] = {"probs", NULL};
    return alcore__log_margin_param(values) ? of_logarithms : alcore__margin_needs;
}

/* ---- a measure becomes a score ---- */

/* What a mode measures of one distribution; NaN for one without statistics (top1 is NaN then). */
static double measure(const alcore_sys_class_stats *stats, int64_t mode, bool log_margin) {
    if (isnan(stats->top1)) return (double)NAN;
    if (mode == MODE_MNLP) return stats->log_top1;
    if (mode == MODE_LC) return stats->top1;
    if (mode == MODE_ENTROPY) return stats->entropy;
    return log_margin ? stats->log_top1 - stats->log_top2 : stats->top1 - stats->top2;
}

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

/* ALCORE_CLASSES_* for class_stats, from what the column says its values mean. */
static int32_t kind_of(const alcore__column *column) {
    if (column->meaning == ALCORE_MEANS_LOGPROBS) return ALCORE_CLASSES_LOGPROBS;
    if (column->meaning == ALCORE_MEANS_LOGITS) return ALCORE_CLASSES_LOGITS;
    return ALCORE_CLASSES_PROBS;
}

/* Distributions of a block, as class_stats reads them (rows). Where they are on a device and the
 * measure needs only the two largest classes, the kernel class_tops writes these to host memory;
 * rows are then the tops, and `whole` the distributions on the device. */
typedef struct distributions {
    const alcore__column *column;
    const char *name;                 /* of the column */
    alcore_sys_rows rows;             /* on the host, in the calls of class_stats */
    alcore_sys_rows whole;            /* in memory of the device; data NULL: the same as rows */
    const alcore_sys_kernels *reader; /* kernels that read whole, or rows */
    double *tops;                     /* [distributions, 2] memory of rows, owned; NULL: none */
} distributions;

/* Whether the two largest classes are enough. Logits are all needed, as probabilities are made of
 * them by their sum. */
static bool needs_tops_only(const alcore__column *column, int64_t mode) {
    return mode != MODE_ENTROPY && kind_of(column) != ALCORE_CLASSES_LOGITS;
}

/* Whether the distributions are left on the device that the column and the call's kernels are on,
 * and only their two largest classes copied to the host. */
static bool stays_there(const alcore__score_call *call, const alcore__column *column,
                        int64_t mode) {
    const int32_t device = alcore__column_device(column);
    return device >= 0 && alcore__engine_is_cuda(&call->engine, device) &&
           call->engine.kernels->class_tops && needs_tops_only(column, mode);
}

/* Replaces distributions on the device by their two largest classes in host memory, for those of
 * the mask (NULL: all). */
static alcore_status take_tops(alcore__score_call *call, const uint8_t *mask, distributions *from) {
    alcore_sys_work work = alcore__engine_work(&call->engine);
    from->whole = from->rows;
    from->reader = call->engine.kernels;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)from->rows.count, 2 * sizeof *from->tops,
                                  &from->tops));
    from->rows.data = from->tops;
    from->rows.dims = from->whole.dims < 2 ? from->whole.dims : 2;
    from->rows.stride = 2;
    from->rows.dtype = ALCORE_FLOAT64;
    return call->engine.kernels->class_tops(&work, &from->whole, mask, kind_of(from->column),
                                            from->tops);
}

/* `count` distributions from number `begin` on. */
static distributions part_of(const distributions *all, int64_t begin, int64_t count) {
    distributions part = *all;
    alcore_sys_rows *const both[] = {&part.rows, &part.whole};
    for (int r = 0; r < 2; r++) {
        if (both[r]->data)
            both[r]->data =
                (const char *)both[r]->data +
                (size_t)(begin * both[r]->stride) * alcore_sys_dtype_bytes(both[r]->dtype);
        both[r]->count = count;
    }
    part.tops = all->tops ? all->tops + 2 * begin : NULL;
    return part;
}

/* Called for a distribution that class_stats found bad (NaN statistics): ALCORE_OK when it has a
 * NaN and nan=exclude leaves its row out, else ALCORE_E_DATA with the reason. index: number of the
 * distribution; item: pool row for the message. Widens the distribution once more, unless its two
 * largest classes tell that it is left out. */
static alcore_status check_bad(alcore__score_call *call, const distributions *from, int64_t index,
                               int64_t item) {
    const alcore_sys_rows *rows = from->whole.data ? &from->whole : &from->rows;
    const char *name = from->name;
    if (from->tops && isnan(from->tops[2 * index]) && call->nan_exclude) return ALCORE_OK;
    double *values;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)rows->dims, sizeof *values, &values));
    alcore_sys_rows row = *rows;
    row.data = (const char *)rows->data +
               (size_t)(index * rows->stride) * alcore_sys_dtype_bytes(rows->dtype);
    row.count = 1;
    alcore_sys_work work = alcore__engine_work(&call->engine);
    alcore_status status = from->reader->widen(&work, &row, NULL /* mask */, values);
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
        status = alcore__fail_nan("row %lld: class %lld of column \"%s\" is NaN", (long long)item,
                                  (long long)nan_class, name);
    }
    alcore__free(call->ctx, values);
    return status;
}

/* Computes stats of every distribution of the mask (NULL: all), of their two largest classes
 * without the entropy; NaN where a NaN was found and nan=exclude leaves its row out; any other bad
 * distribution is an error. item: pool row that all distributions belong to, or -1 when each is
 * that of its own pool row. */
static alcore_status compute_stats(alcore__score_call *call, const distributions *from,
                                   const uint8_t *mask, int64_t item,
                                   alcore_sys_class_stats *stats) {
    const alcore_sys_rows *rows = &from->rows;
    const alcore__engine cpu = alcore__engine_cpu(call->ctx);
    const alcore_sys_work work = alcore__engine_work(&cpu);
    int64_t bad = -1;
    ALCORE__TRY(cpu.kernels->class_stats(&work, rows, mask, kind_of(from->column), stats, &bad));
    if (bad < 0) return ALCORE_OK;
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        if (isnan(stats[i].top1)) {
            ALCORE__TRY(check_bad(call, from, i, item < 0 ? rows->first + i : item));
        }
    }
    return ALCORE_OK;
}

/* Scores one distribution per row from the column "probs"; all arrays of the call are [count], rows
 * that call->mask leaves out are not written. */
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
    distributions from = {.column = column, .name = "probs", .reader = alcore__kernels_cpu()};
    alcore_sys_class_stats *stats;
    if (stays_there(call, column, mode))
        ALCORE__TRY(alcore__column_rows_on(column, &call->engine, call->first, call->count,
                                           call->scratch, &from.rows));
    else
        ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &from.rows));
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)call->count, sizeof *stats, &stats));
    alcore_status status = ALCORE_OK;
    /* Rows that the column's reader has put in order in host memory (scratch) are not on the
     * device. */
    if (stays_there(call, column, mode) && from.rows.data != call->scratch->values)
        status = take_tops(call, call->mask, &from);
    if (status == ALCORE_OK)
        status = compute_stats(call, &from, call->mask, -1 /* one a pool row */, stats);
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if (is_scored(call, i)) write_row(call, i, mode, measure(&stats[i], mode, log_margin));
    }
    alcore__free(call->ctx, from.tops);
    alcore__free(call->ctx, stats);
    return status;
}

/* Workspace for one item after the other: [tokens of the longest item] each. */
typedef struct item_arrays {
    alcore_sys_class_stats *stats;
    double *measures;
} item_arrays;

/* Leaves the margins of 0 out of measures [tokens], as the public code of DeMuX does, for which a
 * margin of 0 means padding; returns how many are left, which keep their order. */
static int64_t drop_zero_margins(double *measures, int64_t tokens) {
    int64_t kept = 0;
    for (int64_t t = 0; t < tokens; t++) {
        if (measures[t] != 0.0) measures[kept++] = measures[t]; /* NaN too */
    }
    return kept;
}

/* Scores item i of the block from the distributions of its tokens, which are among `all`; mode is
 * one of tokens, by mode_of_tokens(), or lc or entropy, of which the mean is taken. arrays:
 * workspace. */
static alcore_status score_item(alcore__score_call *call, const distributions *all,
                                const alcore_sys_ragged *items, int64_t i, int64_t mode,
                                bool log_margin, const item_arrays *arrays) {
    int64_t begin = items->offsets[i] - items->offsets[0];
    int64_t tokens = items->offsets[i + 1] - items->offsets[i];
    if (!tokens) return write_empty(call, i, "token_probs", false);
    const distributions of_item = part_of(all, begin, tokens);
    ALCORE__TRY(
        compute_stats(call, &of_item, NULL /* all tokens */, call->first + i, arrays->stats));
    for (int64_t t = 0; t < tokens; t++)
        arrays->measures[t] = measure(&arrays->stats[t], mode, log_margin);
    if (alcore__mode_is_code(call->values)) {
        tokens = drop_zero_margins(arrays->measures, tokens);
        if (!tokens) return write_empty(call, i, "token_probs", true);
    }
    write_row(call, i, mode, reduce_tokens(arrays->measures, tokens, mode));
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

/* Scores one distribution per token from the ragged column "token_probs" (a list of tokens a row).
 */
static alcore_status token_scores(alcore__score_call *call, const alcore__column *column,
                                  int64_t mode, bool log_margin) {
    if (!column->ragged) {
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"token_probs\" has shape [tokens, classes], with offsets");
    }
    alcore_sys_ragged items = {0};
    item_arrays arrays = {0};
    distributions all = {.column = column, .name = "token_probs", .reader = alcore__kernels_cpu()};
    if (stays_there(call, column, mode))
        ALCORE__TRY(alcore__column_ragged_on(column, &call->engine, call->first, call->count,
                                             call->scratch, &items));
    else
        ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    all.rows = (alcore_sys_rows){.data = items.values,
                                 .count = items.offsets[call->count] - items.offsets[0],
                                 .dims = items.classes,
                                 .stride = items.classes,
                                 .dtype = items.dtype};
    size_t longest = (size_t)longest_item(&items, call->count);
    alcore_status status =
        alcore__new_array(call->ctx, longest, sizeof *arrays.stats, &arrays.stats);
    if (status == ALCORE_OK && stays_there(call, column, mode) &&
        items.values != call->scratch->values)
        status = take_tops(call, NULL /* all tokens */, &all);
    if (status == ALCORE_OK)
        status = alcore__new_array(call->ctx, longest, sizeof(double), &arrays.measures);
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if (is_scored(call, i))
            status = score_item(call, &all, &items, i, mode, log_margin, &arrays);
    }
    alcore__free(call->ctx, all.tops);
    alcore__free(call->ctx, arrays.stats);
    alcore__free(call->ctx, arrays.measures);
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

/* Scores each row from its one number in a narrow column that is not ragged. */
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
    int64_t mode = alcore__uncertainty_mode(call->values);
    bool log_margin = alcore__uncertainty_log_margin(call->values);
    ALCORE__TRY(alcore__uncertainty_check(call->values));
    if (alcore__uncertainty_is_of_answers(call->values)) return alcore__score_sum_prob.rows(call);
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

static alcore_status lc_rows(alcore__score_call *call) {
    return score_of_rows(call, MODE_LC, false);
}
static alcore_status entropy_rows(alcore__score_call *call) {
    return score_of_rows(call, MODE_ENTROPY, false);
}
static alcore_status margin_rows(alcore__score_call *call) {
    return score_of_rows(call, MODE_MARGIN, alcore__log_margin_param(call->values));
}

const alcore__score alcore__score_class_uncertainty = {
    .name = "uncertainty",
    .summary = "One minus the margin of the two likeliest classes, of a row or of its words, or "
               "SUM-PROB of answers (DeMuX); from margins or from probabilities",
    .params = &UNCERTAINTY_PARAMS,
    .raw_name = "raw",
    .needs = alcore__uncertainty_needs,
    .needs_of = alcore__uncertainty_needs_of,
    .rows = uncertainty_rows,
};

const alcore__score alcore__score_lc = {
    .name = "lc",
    .summary = "Least confidence: one minus the largest class probability; from confidences or "
               "from probabilities",
    .params = &NO_PARAMS,
    .raw_name = "confidence",
    .needs = alcore__lc_needs,
    .rows = lc_rows,
};

const alcore__score alcore__score_entropy = {
    .name = "entropy",
    .summary = "Entropy of the class probabilities; from entropies or from probabilities",
    .params = &NO_PARAMS,
    .raw_name = "entropy",
    .needs = alcore__entropy_needs,
    .rows = entropy_rows,
};

const alcore__score alcore__score_margin = {
    .name = "margin",
    .summary = "One minus the margin of the two likeliest classes (DeMuX); from margins or from "
               "probabilities",
    .params = &MARGIN_PARAMS,
    .raw_name = "margin",
    .needs = alcore__margin_needs,
    .needs_of = alcore__margin_needs_of,
    .rows = margin_rows,
};
