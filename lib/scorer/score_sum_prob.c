/* SPDX-License-Identifier: Apache-2.0 */
/* SUM-PROB for extractive question answering (DeMuX; spec 7.4), from the probabilities that each
 * token position is the start or the end of the answer:
 *
 *     score = - (log of the largest start probability + log of the largest end probability)
 *
 * Both maxima are independent, as in the paper: the end may come before the start. Logarithms are
 * at least -100. Cost: one pass over the values.
 *
 * A call scores a block of `count` pool rows from call->first on, those whose entry of the mask is
 * 1 (mask NULL: all); its arrays are by row - call->first. Of each row it gives score (larger =
 * more worth labeling), raw (the quantity of the paper) and rank, by which rows are ordered. With
 * call->nan_exclude a row without a value gets NaN, else it is an error. */
#include <math.h>

#include "alcore/sys/dtype.h"
#include "scorer/score_table.h"

static const char *const NEEDS[] = {"qa_start", "qa_end", NULL};
static const alcore__param_table NO_PARAMS = {NULL, 0};

/* The column of a name when it is ragged (a list of values a row) with one value a position; NULL
 * when the dataset lacks it or it has another shape. */
static const alcore__column *positions(const alcore__score_call *call, const char *name) {
    const alcore__column *column = alcore__dataset_find(call->dataset, name);
    return column && column->ragged && column->dims == 1 ? column : NULL;
}

/* Sets best [count], by row - call->first, to the natural logarithm of the largest probability in
 * column `name` of each row of the mask (NULL: of all), at least -100. The values are
 * probabilities, log-probabilities or logits by the column's meaning; of a row they are read as one
 * distribution over its positions. A row without positions, or with a NaN or a value that is no
 * probability, is NaN with nan=exclude, else an error; the kernel sets bad to its pool row, -1:
 * none. */
static alcore_status max_logs(alcore__score_call *call, const char *name, double *best) {
    const alcore__column *column = positions(call, name);
    if (!column)
        return alcore__fail(ALCORE_E_MISSING,
                            "the column \"%s\" is needed, with one probability per position and "
                            "offsets",
                            name);
    int32_t kind = column->meaning == ALCORE_MEANS_LOGPROBS ? ALCORE_CLASSES_LOGPROBS
                   : column->meaning == ALCORE_MEANS_LOGITS ? ALCORE_CLASSES_LOGITS
                                                            : ALCORE_CLASSES_PROBS;
    alcore_sys_work work = alcore__engine_work(&call->engine);
    alcore_sys_ragged items;
    ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        int64_t begin = items.offsets[i] - items.offsets[0];
        int64_t length = items.offsets[i + 1] - items.offsets[i], bad = -1;
        alcore_sys_rows row = {.data = (const char *)items.values +
                                       (size_t)begin * alcore_sys_dtype_bytes(items.dtype),
                               .first = call->first + i,
                               .count = 1,
                               .dims = length,
                               .stride = length,
                               .dtype = items.dtype};
        alcore_sys_class_stats stats = {.log_top1 = (double)NAN};
        if (length > 0)
            ALCORE__TRY(call->engine.kernels->class_stats(&work, &row, NULL /* mask */, kind,
                                                          &stats, &bad));
        if ((bad >= 0 || length == 0) && !call->nan_exclude)
            return alcore__fail_nan("row %lld: %s in column \"%s\"", (long long)(call->first + i),
                                    length == 0 ? "no position" : "no probability", name);
        best[i] = bad >= 0 ? (double)NAN : stats.log_top1;
    }
    return ALCORE_OK;
}

/* The score "sum-prob": raw is the sum of both logarithms, 0 for certain answers and down to -200;
 * score and rank are its negative, larger = less sure. All [count] by row - call->first; rows
 * outside the mask (NULL: none) are not written. NaN of either column stays NaN. */
static alcore_status sum_prob_rows(alcore__score_call *call) {
    /* One column at a time: ragged() of the second reuses the scratch, so raw keeps the starts. */
    ALCORE__TRY(max_logs(call, "qa_start", call->raw));
    ALCORE__TRY(max_logs(call, "qa_end", call->rank));
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        call->raw[i] += call->rank[i];
        call->score[i] = call->rank[i] = 0.0 - call->raw[i];
    }
    return ALCORE_OK;
}

const alcore__score alcore__score_sum_prob = {
    .name = "sum-prob",
    .summary = "Minus the logs of the likeliest start and end of an answer, summed (DeMuX)",
    .params = &NO_PARAMS,
    .raw_name = "sum_prob",
    .needs = NEEDS,
    .rows = sum_prob_rows,
};
