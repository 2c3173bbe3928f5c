/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions over classes (class_distributions.h). With p1, p2 the two largest probabilities of
 * a distribution it measures
 *
 *     lc       p1                         margin   p1 - p2, or log p1 - log p2
 *     entropy  - sum of p log p           mnlp     log p1
 *
 * The CPU's kernel class_stats computes p1, p2, their logarithms and the entropy, whatever the
 * engine of the call. What a column's values are (ALCORE_MEANS_*) decides what a distribution is:
 *
 *     probs, logprobs   two or more classes whose probabilities add up to 1 within the rounding of
 *                       their type; the kernels that read them add them up
 *     logits            two or more classes; softmax makes probabilities of them
 *     sigmoid           one number p: the distribution (1 - p, p)
 *     multilabel        one number p for each label: a distribution (1 - p, p) each, whose measures
 *                       are reduced to their mean or to that of the most uncertain label
 *
 * Cost: one pass over the values, and another to add up probabilities. */
#include "scorer/class_distributions.h"

#include <math.h>

#include "alcore/remedy.h"
#include "base/tensor_view.h"
#include "scorer/uncertainty_modes.h"

/* A probability outside [0, 1] by no more is rounding (spec 1.1). */
#define SLACK 1e-6

int32_t alcore__class_kind(const alcore__column *column) {
    if (column->meaning == ALCORE_MEANS_LOGPROBS) return ALCORE_CLASSES_LOGPROBS;
    if (column->meaning == ALCORE_MEANS_LOGITS) return ALCORE_CLASSES_LOGITS;
    return ALCORE_CLASSES_PROBS;
}

/* softmax of values [classes]. */
static void softmax(const double *values, int64_t classes, double *out) {
    double largest = values[0], sum = 0.0;
    for (int64_t c = 1; c < classes; c++)
        if (values[c] > largest) largest = values[c];
    for (int64_t c = 0; c < classes; c++) sum += out[c] = exp(values[c] - largest);
    for (int64_t c = 0; c < classes; c++) out[c] /= sum;
}

void alcore__probs_of(const alcore__column *column, const double *values, int64_t classes,
                      double *out) {
    const int32_t kind = alcore__class_kind(column);
    if (kind == ALCORE_CLASSES_LOGITS) {
        softmax(values, classes, out);
        return;
    }
    for (int64_t c = 0; c < classes; c++)
        out[c] = fmin(fmax(kind == ALCORE_CLASSES_LOGPROBS ? exp(values[c]) : values[c], 0.0), 1.0);
}

/* Whether each value of the column is a distribution (1 - p, p) of its own. */
static bool is_binary(const alcore__column *column) {
    return column->meaning == ALCORE_MEANS_SIGMOID || column->meaning == ALCORE_MEANS_MULTILABEL;
}

alcore_status alcore__labels_check(const alcore__score_params *params,
                                   const alcore__column *column) {
    if (!params->labels_max || (column && column->meaning == ALCORE_MEANS_MULTILABEL))
        return ALCORE_OK;
    return alcore__fail(ALCORE_E_PARAM,
                        "labels=max is about probabilities of independent labels, and what is read "
                        "here is not said to be such (multilabel)");
}

/* ---- how they are read ---- */

/* Whether the two largest classes are enough. Logits are all needed, as probabilities are made of
 * them by their sum; so are probabilities that are distributions of their own. */
static bool needs_tops_only(const alcore__column *column, int64_t mode) {
    return mode != MODE_ENTROPY && column->meaning != ALCORE_MEANS_LOGITS && !is_binary(column);
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
 * the mask (NULL: all), and adds up the whole distributions there, all in two kernels. The kernel
 * writes values in the column's own form, NaN for a row with a NaN; rows that the mask leaves out
 * are not written. */
static alcore_status take_tops(alcore__score_call *call, const uint8_t *mask,
                               alcore__distributions *from) {
    const alcore_sys_work work = alcore__engine_work(&call->engine);
    const int32_t kind = alcore__class_kind(from->column);
    const int64_t count = from->rows.count;
    double *largest = NULL; /* [count] of logarithms */
    from->whole = from->rows;
    from->reader = call->engine.kernels;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)count, 4 * sizeof *from->tops, &from->tops));
    from->sums = from->tops + 2 * count;
    from->rows.data = from->tops;
    from->rows.dims = 2;
    from->rows.stride = 2;
    from->rows.dtype = ALCORE_FLOAT64;
    ALCORE__TRY(call->engine.kernels->class_tops(&work, &from->whole, mask, kind, from->tops));
    if (kind == ALCORE_CLASSES_LOGPROBS) {
        largest = from->sums + count;
        for (int64_t i = 0; i < count; i++) largest[i] = from->tops[2 * i];
    }
    return alcore__class_sums(&call->engine, &from->whole, mask, largest, from->sums);
}

/* Refuses a column whose width does not go with its meaning: one number is no distribution, unless
 * it is said to be the probability of one of two classes. */
static alcore_status check_width(const alcore__distributions *from) {
    const int32_t meaning = from->column->meaning;
    const int64_t classes = from->rows.dims;
    if (meaning == ALCORE_MEANS_SIGMOID && classes != 1)
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"%s\" has %lld numbers where its meaning, sigmoid, is one "
                            "probability; multilabel is the meaning of independent labels",
                            from->name, (long long)classes);
    if (is_binary(from->column) || classes >= 2) return ALCORE_OK;
    return alcore__fail_remedy(
        alcore__fail(ALCORE_E_SHAPE,
                     "the column \"%s\" has one number where a distribution over two or more "
                     "classes is needed",
                     from->name),
        ALCORE_REMEDY_MEANING, from->name, "sigmoid",
        "says that it is the probability of the positive one of two classes");
}

alcore_status alcore__distributions_of_rows(alcore__score_call *call, const alcore__column *column,
                                            int64_t mode, alcore__distributions *out) {
    const bool there = stays_there(call, column, mode);
    *out =
        (alcore__distributions){.column = column, .name = "probs", .reader = alcore__kernels_cpu()};
    if (there)
        ALCORE__TRY(alcore__column_rows_on(column, &call->engine, call->first, call->count,
                                           call->scratch, &out->rows));
    else
        ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &out->rows));
    ALCORE__TRY(check_width(out));
    /* Rows that the column's reader has put in order in host memory (scratch) are not on the
     * device. */
    return there && out->rows.data != call->scratch->values ? take_tops(call, call->mask, out)
                                                            : ALCORE_OK;
}

alcore_status alcore__distributions_of_tokens(alcore__score_call *call,
                                              const alcore__column *column, const char *name,
                                              int64_t mode, alcore_sys_ragged *items,
                                              alcore__distributions *out) {
    const bool there = stays_there(call, column, mode);
    *items = (alcore_sys_ragged){0};
    *out = (alcore__distributions){.column = column, .name = name, .reader = alcore__kernels_cpu()};
    if (there)
        ALCORE__TRY(alcore__column_ragged_on(column, &call->engine, call->first, call->count,
                                             call->scratch, items));
    else
        ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, items));
    out->rows = (alcore_sys_rows){.data = items->values,
                                  .count = items->offsets[call->count] - items->offsets[0],
                                  .dims = items->classes,
                                  .stride = items->classes,
                                  .dtype = items->dtype};
    ALCORE__TRY(check_width(out));
    return there && items->values != call->scratch->values
               ? take_tops(call, NULL /* all tokens */, out)
               : ALCORE_OK;
}

void alcore__distributions_clear(alcore_ctx *ctx, alcore__distributions *distributions) {
    alcore__free(ctx, distributions->tops);
    *distributions = (alcore__distributions){0};
}

alcore__distributions alcore__distributions_part(const alcore__distributions *all, int64_t begin,
                                                 int64_t count) {
    alcore__distributions part = *all;
    alcore_sys_rows *const both[] = {&part.rows, &part.whole};
    for (int r = 0; r < 2; r++) {
        if (both[r]->data)
            both[r]->data =
                (const char *)both[r]->data +
                (size_t)(begin * both[r]->stride) * alcore_sys_dtype_bytes(both[r]->dtype);
        both[r]->count = count;
    }
    part.tops = all->tops ? all->tops + 2 * begin : NULL;
    part.sums = all->sums ? all->sums + begin : NULL;
    return part;
}

/* The distributions as the column has them, all classes. */
static const alcore_sys_rows *whole_rows(const alcore__distributions *from) {
    return from->whole.data ? &from->whole : &from->rows;
}

/* ---- their checks ---- */

/* The error for a value that is no probability: the row, and the column. */
static alcore_status fail_range(const char *name, int64_t item) {
    return alcore__fail(ALCORE_E_DATA,
                        "row %lld: a value in column \"%s\" is outside the range of what "
                        "the column holds (probabilities lie in [0, 1])",
                        (long long)item, name);
}

/* Called for a distribution that class_stats found bad (NaN statistics), or make_pairs() of
 * independent labels: ALCORE_OK when it has a NaN and nan=exclude leaves its row out, else
 * ALCORE_E_DATA with the reason. index: number of the distribution; item: pool row for the message.
 * Widens the distribution once more, unless its two largest classes tell that it is left out. */
static alcore_status check_bad(alcore__score_call *call, const alcore__distributions *from,
                               int64_t index, int64_t item) {
    const alcore_sys_rows *rows = whole_rows(from);
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
    if (status == ALCORE_OK && nan_class < 0) {
        status = fail_range(from->name, item);
    } else if (status == ALCORE_OK && !call->nan_exclude) {
        status = alcore__fail_nan("row %lld: class %lld of column \"%s\" is NaN", (long long)item,
                                  (long long)nan_class, from->name);
    }
    alcore__free(call->ctx, values);
    return status;
}

double alcore__class_sum_slack(int32_t dtype) {
    return dtype == ALCORE_FLOAT16 ? 5e-3 : dtype == ALCORE_BFLOAT16 ? 2e-2 : 1e-3;
}

/* The sums of exponentials are those of the kernel logit_stats, whose top1 is the logarithm of the
 * largest term's share of the sum: x_max - top1 is that of the sum. It has no mask, so that sums of
 * masked rows are made too, and `bad` rows, those with a NaN, get a NaN, which the caller looks
 * for. An engine's rounding is far below the slack of the check. */
alcore_status alcore__class_sums(const alcore__engine *engine, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const double *largest, double *sums) {
    const alcore_sys_kernels *kernels = engine->kernels;
    const alcore_sys_work work = alcore__engine_work(engine);
    if (largest) {
        const alcore_sys_token_stats out = {.top1 = sums};
        int64_t bad;
        ALCORE__TRY(kernels->logit_stats(&work, rows, NULL /* no labels */, 0, &out, &bad));
        for (int64_t i = 0; i < rows->count; i++) sums[i] = exp(largest[i] - sums[i]);
        return ALCORE_OK;
    }
    double *ones;
    ALCORE__TRY(alcore__new_array(engine->ctx, (size_t)rows->dims, sizeof *ones, &ones));
    for (int64_t c = 0; c < rows->dims; c++) ones[c] = 1.0;
    const alcore_status status = kernels->dots(&work, rows, mask, ones, sums);
    alcore__free(engine->ctx, ones);
    return status;
}

/* The error for a distribution whose sum is not 1, with a remedy that names what the numbers may
 * mean instead. item: the pool row that it names. */
static alcore_status fail_sum(const alcore__distributions *from, int64_t item, double sum) {
    const bool logarithms = alcore__class_kind(from->column) == ALCORE_CLASSES_LOGPROBS;
    return alcore__fail_remedy(
        alcore__fail(ALCORE_E_DATA, "row %lld: the %s in column \"%s\" add up to %.6g, not to 1",
                     (long long)item,
                     logarithms ? "probabilities whose logarithms are" : "probabilities",
                     from->name, sum),
        ALCORE_REMEDY_MEANING, from->name, logarithms ? "logits" : "logits|logprobs|multilabel",
        "says what else they are, if they are");
}

/* Checks that the distributions of the mask add up to 1: what does not is no distribution, such as
 * logits, independent labels, or an array whose rows and columns were confused. Those with NaN
 * statistics are left out. item: the item whose distributions these are, for the error; -1: each is
 * one of its own. work [2, distributions], overwritten: the sums and, as exp is taken of
 * differences from it, the largest log-probability of each. */
static alcore_status check_sums(alcore__score_call *call, const alcore__distributions *from,
                                const uint8_t *mask, int64_t item,
                                const alcore_sys_class_stats *stats, double *work) {
    const int32_t kind = alcore__class_kind(from->column);
    const alcore__engine cpu = alcore__engine_cpu(call->ctx);
    const int64_t count = from->rows.count;
    const double slack = alcore__class_sum_slack(whole_rows(from)->dtype), *sums = work;
    double *largest = work + count;
    if (kind == ALCORE_CLASSES_LOGITS) return ALCORE_OK;
    for (int64_t i = 0; i < count; i++) largest[i] = stats[i].log_top1;
    if (from->sums)
        sums = from->sums;
    else
        ALCORE__TRY(alcore__class_sums(&cpu, &from->rows, mask,
                                       kind == ALCORE_CLASSES_LOGPROBS ? largest : NULL, work));
    for (int64_t i = 0; i < count; i++)
        if ((!mask || mask[i]) && !isnan(stats[i].top1) && !(fabs(sums[i] - 1.0) <= slack))
            return fail_sum(from, item < 0 ? from->rows.first + i : item, sums[i]);
    return ALCORE_OK;
}

/* ---- what is measured ---- */

/* What a mode measures of one distribution; NaN for one without statistics (top1 is NaN then). */
static double measure_one(const alcore_sys_class_stats *stats, alcore__measure measure) {
    if (isnan(stats->top1)) return (double)NAN;
    if (measure.mode == MODE_MNLP) return stats->log_top1;
    if (measure.mode == MODE_LC) return stats->top1;
    if (measure.mode == MODE_ENTROPY) return stats->entropy;
    return measure.log_margin ? stats->log_top1 - stats->log_top2 : stats->top1 - stats->top2;
}

/* alcore__distributions_measure() of classes that exclude each other: statistics by the kernel of
 * the CPU, whose rows are in host memory; each bad distribution is looked at, and those of which
 * the sum is not 1 are refused, before anything is measured. One array has the statistics [count]
 * and, behind them, the workspace of the sums [2, count]. */
static alcore_status measure_classes(alcore__score_call *call, const alcore__distributions *from,
                                     const uint8_t *mask, int64_t item, alcore__measure measure,
                                     double *out) {
    const alcore_sys_rows *rows = &from->rows;
    const alcore__engine cpu = alcore__engine_cpu(call->ctx);
    const alcore_sys_work work = alcore__engine_work(&cpu);
    const size_t count = (size_t)rows->count;
    alcore_sys_class_stats *stats;
    int64_t bad = -1;
    ALCORE__TRY(alcore__new_array(call->ctx, count, sizeof *stats + 2 * sizeof(double), &stats));
    alcore_status status =
        cpu.kernels->class_stats(&work, rows, mask, alcore__class_kind(from->column), stats, &bad);
    for (int64_t i = 0; i < rows->count && bad >= 0 && status == ALCORE_OK; i++) {
        if ((!mask || mask[i]) && isnan(stats[i].top1))
            status = check_bad(call, from, i, item < 0 ? rows->first + i : item);
    }
    if (status == ALCORE_OK)
        status = check_sums(call, from, mask, item, stats, (double *)(stats + count));
    for (int64_t i = 0; i < rows->count && status == ALCORE_OK; i++)
        if (!mask || mask[i]) out[i] = measure_one(&stats[i], measure);
    alcore__free(call->ctx, stats);
    return status;
}

/* Makes pairs [labels, 2] of p [labels]: the distributions (1 - p, p). A NaN is left in a pair,
 * whose statistics are then NaN; *bad is set where a value is NaN or no probability. */
static void make_pairs(const double *p, int64_t labels, double *pairs, bool *bad) {
    for (int64_t l = 0; l < labels; l++) {
        const double q = p[l] > 1.0 ? 1.0 : p[l] < 0.0 ? 0.0 : p[l];
        pairs[2 * l] = 1.0 - q;
        pairs[2 * l + 1] = q;
        if (!(p[l] >= -SLACK && p[l] <= 1.0 + SLACK)) *bad = true;
    }
}

/* The measure of a row with independent labels, of the measures of stats [labels]: their mean, or
 * that of the most uncertain label, which is the largest entropy and the smallest of the others. */
static double reduce_labels(const alcore_sys_class_stats *stats, int64_t labels,
                            alcore__measure measure, bool most_uncertain) {
    double sum = 0.0, most = 0.0;
    for (int64_t l = 0; l < labels; l++) {
        const double value = measure_one(&stats[l], measure);
        if (isnan(value)) return value;
        sum += value;
        if (l == 0 || (measure.mode == MODE_ENTROPY ? value > most : value < most)) most = value;
    }
    return most_uncertain ? most : sum / (double)labels;
}

/* Measures row i of independent labels. p [labels]: its numbers, widened by measure_binary(); those
 * that are bad are found here by make_pairs(), as class_stats sees numbers that were clamped. work:
 * pairs [labels, 2] and stats [labels]. */
static alcore_status measure_labels(alcore__score_call *call, const alcore__distributions *from,
                                    int64_t i, int64_t item, alcore__measure measure,
                                    const double *p, double *pairs, alcore_sys_class_stats *stats,
                                    double *out) {
    const alcore__engine cpu = alcore__engine_cpu(call->ctx);
    const alcore_sys_work work = alcore__engine_work(&cpu);
    const int64_t labels = from->rows.dims;
    const alcore_sys_rows rows = {
        .data = pairs, .count = labels, .dims = 2, .stride = 2, .dtype = ALCORE_FLOAT64};
    int64_t ignored;
    bool bad = false;
    make_pairs(p, labels, pairs, &bad);
    if (bad) ALCORE__TRY(check_bad(call, from, i, item < 0 ? from->rows.first + i : item));
    ALCORE__TRY(cpu.kernels->class_stats(&work, &rows, NULL /* no mask */, ALCORE_CLASSES_PROBS,
                                         stats, &ignored));
    out[i] = reduce_labels(stats, labels, measure, call->params->labels_max);
    return ALCORE_OK;
}

/* Measures independent labels, or one that stands for two classes, a row at a time: there may be as
 * many labels as classes. */
static alcore_status measure_binary(alcore__score_call *call, const alcore__distributions *from,
                                    const uint8_t *mask, int64_t item, alcore__measure measure,
                                    double *out) {
    const alcore__engine cpu = alcore__engine_cpu(call->ctx);
    const alcore_sys_work work = alcore__engine_work(&cpu);
    const size_t labels = (size_t)from->rows.dims;
    alcore_sys_class_stats *stats;
    double *p; /* [labels], then the pairs [labels, 2] */
    ALCORE__TRY(alcore__new_array(call->ctx, labels, 3 * sizeof *p, &p));
    alcore_status status = alcore__new_array(call->ctx, labels, sizeof *stats, &stats);
    alcore__distributions one;
    for (int64_t i = 0; i < from->rows.count && status == ALCORE_OK; i++) {
        if (mask && !mask[i]) continue;
        one = alcore__distributions_part(from, i, 1);
        status = cpu.kernels->widen(&work, &one.rows, NULL /* no mask */, p);
        if (status == ALCORE_OK)
            status = measure_labels(call, from, i, item, measure, p, p + labels, stats, out);
    }
    alcore__free(call->ctx, stats);
    alcore__free(call->ctx, p);
    return status;
}

alcore_status alcore__distributions_measure(alcore__score_call *call,
                                            const alcore__distributions *from, const uint8_t *mask,
                                            int64_t item, alcore__measure measure, double *out) {
    ALCORE__TRY(alcore__labels_check(call->params, from->column));
    if (is_binary(from->column)) return measure_binary(call, from, mask, item, measure, out);
    return measure_classes(call, from, mask, item, measure, out);
}
