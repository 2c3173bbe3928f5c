/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of token log-probabilities, and scores that the caller computed:
 *     nnll  - (1 / tokens) * sum of the log-probabilities of a row, each at least -100 (spec 3.1)
 *     nsp   1 - exp(-nnll): one minus the geometric mean of the token probabilities (spec 4.2)
 *     rttl  the same as nnll, or the sum, of the tokens of a round trip (spec 5.7)
 * A column "scores" is converted to "larger means more worth labeling" by its meaning: confidence c
 * becomes 1 - c, a log-probability its negative. The kernel ragged_nnll adds up; a block of rows is
 * scored at a time. Cost: one pass over the values.
 *
 * All logarithms are natural here. */
#include <math.h>

#include "alcore/sys/dtype.h"
#include "kernel/kernels.h"
#include "pool/number_type.h"
#include "scorer/score_table.h"

static const char *const LOGPROBS[] = {"logprobs", NULL};
static const alcore__param_table NO_PARAMS = {NULL, 0};
static const alcore__param RTTL_ROWS[] = {ALCORE__RTTL_PARAMS};

/* The kernels that can read a block of the column, which was read for the call: the call's own
 * where the column is on their device, else the CPU's. */
static const alcore_sys_kernels *readers_of(const alcore__score_call *call,
                                            const alcore__column *column) {
    const int32_t device = alcore__column_device(column);
    return device >= 0 && alcore__engine_is_cuda(&call->engine, device) ? call->engine.kernels
                                                                        : alcore__kernels_cpu();
}

/* Converts `tokens` values of the items to doubles in host memory, out [tokens], from token `begin`
 * on (0: the first token of the first item). kernels: of the device that the values are on, or of
 * the CPU. */
static alcore_status widen_items(alcore__score_call *call, const alcore_sys_kernels *kernels,
                                 const alcore_sys_ragged *items, int64_t begin, int64_t tokens,
                                 double *out) {
    const char *values = items->values;
    alcore_sys_rows row = {.data = values + (size_t)begin * alcore_sys_dtype_bytes(items->dtype),
                           .count = 1,
                           .dims = tokens,
                           .stride = tokens,
                           .dtype = items->dtype};
    alcore_sys_work work = alcore__engine_work(&call->engine);
    return tokens ? kernels->widen(&work, &row, NULL /* mask */, out) : ALCORE_OK;
}

/* Items of a block whose values are looked at one by one: their numbers [count], and how many
 * tokens they have together. */
typedef struct chosen_items {
    int64_t *numbers;
    int64_t count, tokens;
} chosen_items;

/* Tokens of chosen items that are in host memory at once, unless a single item has more. */
enum { CHOSEN_TOKENS = 1 << 18 };

/* Tokens of item i. */
static int64_t tokens_of(const alcore_sys_ragged *items, int64_t i) {
    return items->offsets[i + 1] - items->offsets[i];
}

/* Values of the block, by their places [tokens] in it, as doubles in host memory, values [tokens].
 * An engine with memory of its own gathers them there first, in one kernel. *is_done is false where
 * it has no memory for them. */
static alcore_status gather_chosen(const alcore__score_call *call,
                                   const alcore_sys_kernels *kernels,
                                   const alcore_sys_ragged *items, const int64_t *places,
                                   int64_t tokens, double *values, bool *is_done) {
    const alcore_sys_rows all = {.data = items->values,
                                 .count = items->offsets[items->count] - items->offsets[0],
                                 .dims = 1,
                                 .stride = 1,
                                 .dtype = items->dtype};
    alcore_sys_rows shape = all;
    alcore_sys_held held;
    alcore_sys_work work = alcore__engine_work(&call->engine);
    shape.count = tokens;
    ALCORE__TRY(kernels->hold(&work, &shape, &held));
    *is_done = held.memory != NULL;
    if (!held.memory) return ALCORE_OK;
    alcore_status status = kernels->gather(&work, &all, tokens, places, held.memory);
    if (status == ALCORE_OK) status = kernels->widen(&work, &held.rows, NULL /* mask */, values);
    kernels->release(&work, &held);
    return status;
}

/* Reads the values of the chosen items, one after the other, as doubles in host memory: values
 * [chosen->tokens]. On a device that can gather they are gathered first, by their places in the
 * block, and copied at once; else item by item. */
static alcore_status read_chosen(alcore__score_call *call, const alcore_sys_kernels *kernels,
                                 const alcore_sys_ragged *items, const chosen_items *chosen,
                                 double *values) {
    const int64_t *const offsets = items->offsets;
    int64_t *places, count = 0; /* [chosen->tokens] index of each value in the block; how many */
    bool is_done = false;
    if (kernels->hold && kernels->gather && kernels->release) {
        ALCORE__TRY(alcore__new_array(call->ctx, (size_t)chosen->tokens, sizeof *places, &places));
        for (int64_t c = 0; c < chosen->count; c++) {
            const int64_t i = chosen->numbers[c];
            for (int64_t t = offsets[i]; t < offsets[i + 1]; t++) places[count++] = t - offsets[0];
        }
        alcore_status status = gather_chosen(call, kernels, items, places, count, values, &is_done);
        alcore__free(call->ctx, places);
        if (status != ALCORE_OK || is_done) return status;
    }
    count = 0;
    for (int64_t c = 0; c < chosen->count; c++) {
        const int64_t i = chosen->numbers[c];
        ALCORE__TRY(widen_items(call, kernels, items, offsets[i] - offsets[0], tokens_of(items, i),
                                values + count));
        count += tokens_of(items, i);
    }
    return ALCORE_OK;
}

/* Called for item i of the call, whose NNLL is NaN, with its values: ALCORE_OK when it has no token
 * or a NaN and nan=exclude leaves such rows out, else ALCORE_E_DATA that names the row, the token
 * (from 0) and the reason; alcore__fail_nan() adds the remedy nan=exclude for rows that it would
 * leave out. A value above 1e-6, which the kernel refuses as no log-probability, is an error with
 * nan=exclude too. */
static alcore_status explain_nan(const alcore__score_call *call, const alcore_sys_ragged *items,
                                 int64_t i, const double *values) {
    long long row = (long long)(items->first + i);
    int64_t tokens = tokens_of(items, i);
    if (!tokens && !call->nan_exclude) {
        return alcore__fail_nan("row %lld: no token in column \"logprobs\", so there is no NNLL",
                                row);
    }
    for (int64_t t = 0; t < tokens; t++) {
        if (values[t] > 1e-6) {
            return alcore__fail(
                ALCORE_E_DATA,
                "row %lld: the log-probability of token %lld is %g, above 0: these look like "
                "negative log-likelihoods",
                row, (long long)t, values[t]);
        }
        if (isnan(values[t]) && !call->nan_exclude) {
            return alcore__fail_nan("row %lld: the log-probability of token %lld is NaN", row,
                                    (long long)t);
        }
    }
    return ALCORE_OK;
}

/* Asks explain_nan() for each of the chosen items, in their order: the first error ends it. The
 * list is then empty, so that the caller can fill it again; its memory stays. */
static alcore_status explain_chosen(alcore__score_call *call, const alcore_sys_kernels *kernels,
                                    const alcore_sys_ragged *items, chosen_items *chosen) {
    double *values;
    int64_t done = 0;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)chosen->tokens, sizeof *values, &values));
    alcore_status status = ALCORE_OK;
    if (chosen->tokens > 0) status = read_chosen(call, kernels, items, chosen, values);
    for (int64_t c = 0; c < chosen->count && status == ALCORE_OK; c++) {
        status = explain_nan(call, items, chosen->numbers[c], values + done);
        done += tokens_of(items, chosen->numbers[c]);
    }
    chosen->count = chosen->tokens = 0;
    alcore__free(call->ctx, values);
    return status;
}

/* Asks explain_nan() for every item of the mask whose NNLL (call->rank) is NaN. Items are collected
 * up to CHOSEN_TOKENS tokens and then read at once, as a device copies a few large pieces faster.
 * Without nan=exclude the first of them is an error, so that no other is looked at. */
static alcore_status explain_nans(alcore__score_call *call, const alcore_sys_kernels *kernels,
                                  const alcore_sys_ragged *items) {
    chosen_items chosen = {0};
    int64_t nans = 0;
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < call->count; i++)
        nans += (!call->mask || call->mask[i]) && isnan(call->rank[i]);
    if (nans == 0) return ALCORE_OK;
    ALCORE__TRY(
        alcore__new_array(call->ctx, (size_t)nans, sizeof *chosen.numbers, &chosen.numbers));
    for (int64_t i = 0; i < call->count && status == ALCORE_OK; i++) {
        if ((call->mask && !call->mask[i]) || !isnan(call->rank[i])) continue;
        if (chosen.tokens > 0 && chosen.tokens + tokens_of(items, i) > CHOSEN_TOKENS)
            status = explain_chosen(call, kernels, items, &chosen);
        chosen.numbers[chosen.count++] = i;
        chosen.tokens += tokens_of(items, i);
        if (!call->nan_exclude) break;
    }
    if (status == ALCORE_OK) status = explain_chosen(call, kernels, items, &chosen);
    alcore__free(call->ctx, chosen.numbers);
    return status;
}

/* call->rank [count] = NNLL of each item of the mask, from natural logarithms; an item that has
 * none is NaN with nan=exclude, else an error. Adds the number of values below the floor, -100, to
 * call->floored. The kernel names one bad row in `bad`; each NaN is looked at here instead. It is
 * that of the call's engine wherever the items are: a device's kernels take host arrays too. */
static alcore_status nnll_of(alcore__score_call *call, const alcore_sys_kernels *kernels,
                             const alcore_sys_ragged *items) {
    alcore_sys_work work = alcore__engine_work(&call->engine);
    int64_t floored = 0, bad = -1;
    ALCORE__TRY(
        call->engine.kernels->ragged_nnll(&work, items, call->mask, call->rank, &floored, &bad));
    call->floored += floored;
    return explain_nans(call, kernels, items);
}

/* call->rank [count] = NNLL of each row of the mask, from the column "logprobs", which must have
 * one number a token; values in another base are converted in a copy of the block. */
static alcore_status nnll(alcore__score_call *call) {
    const alcore__column *column = alcore__dataset_find(call->dataset, "logprobs");
    if (!column) return alcore__fail(ALCORE_E_MISSING, "the column \"logprobs\" is missing");
    if (!column->ragged || column->dims != 1) {
        return alcore__fail(ALCORE_E_SHAPE,
                            "the column \"logprobs\" must have one value per token, with offsets");
    }
    alcore_sys_ragged items = {0};
    if (column->log_scale == 1.0) {
        ALCORE__TRY(alcore__column_ragged_on(column, &call->engine, call->first, call->count,
                                             call->scratch, &items));
        return nnll_of(call, readers_of(call, column), &items);
    }
    const alcore_sys_kernels *cpu = alcore__kernels_cpu();
    ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    /* Another base: the floor and the range check are those of natural logarithms. */
    int64_t tokens = items.offsets[call->count] - items.offsets[0];
    double *values;
    ALCORE__TRY(alcore__new_array(call->ctx, (size_t)tokens, sizeof *values, &values));
    alcore_status status = widen_items(call, cpu, &items, 0, tokens, values);
    for (int64_t t = 0; t < tokens && status == ALCORE_OK; t++) values[t] *= column->log_scale;
    items.values = values;
    items.dtype = ALCORE_FLOAT64;
    if (status == ALCORE_OK) status = nnll_of(call, cpu, &items);
    alcore__free(call->ctx, values);
    return status;
}

/* The score "nnll": score, raw and rank are the NNLL. */
static alcore_status nnll_rows(alcore__score_call *call) {
    ALCORE__TRY(nnll(call));
    for (int64_t i = 0; i < call->count; i++) {
        if (!call->mask || call->mask[i]) call->score[i] = call->raw[i] = call->rank[i];
    }
    return ALCORE_OK;
}

/* sums [count] = the sum of the natural log-probabilities of each row of the mask, each at least
 * -100 and at most 0. Called after nnll(), which has checked the values; a row that it left out has
 * a NaN there and gets one here. */
static alcore_status sum_logprobs(alcore__score_call *call, double *sums) {
    const alcore__column *column = alcore__dataset_find(call->dataset, "logprobs");
    alcore_sys_ragged items = {0};
    ALCORE__TRY(column->ops->ragged(column, call->first, call->count, call->scratch, &items));
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        int64_t begin = items.offsets[i] - items.offsets[0];
        int64_t end = items.offsets[i + 1] - items.offsets[0];
        sums[i] = isnan(call->rank[i]) ? call->rank[i] : 0.0;
        for (int64_t t = begin; t < end; t++) {
            const char *at =
                (const char *)items.values + (size_t)t * alcore_sys_dtype_bytes(items.dtype);
            double value = alcore__widen(items.dtype, at) * column->log_scale;
            sums[i] += value < -100.0 ? -100.0 : value > 0.0 ? 0.0 : value;
        }
    }
    return ALCORE_OK;
}

/* The score "rttl" (spec 5.7) of the log-probabilities that a translation model gives to the tokens
 * of a text when it translates the text's translation back: minus their mean; norm=none: 0 minus
 * their sum (+0.0 where all probabilities are 1); sign=literal: their sum, as the paper prints it,
 * whatever norm is. raw is the sum. */
static alcore_status rttl_rows(alcore__score_call *call) {
    ALCORE__TRY(nnll(call));
    ALCORE__TRY(sum_logprobs(call, call->raw));
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        if (call->params->literal)
            call->rank[i] = call->raw[i];
        else if (call->params->sums)
            call->rank[i] = 0.0 - call->raw[i];
        call->score[i] = call->rank[i];
    }
    return ALCORE_OK;
}

/* The score "nsp": raw and rank are the NNLL, score is 1 - exp(-NNLL). */
static alcore_status nsp_rows(alcore__score_call *call) {
    ALCORE__TRY(nnll(call));
    alcore__score_as_nsp(call);
    return ALCORE_OK;
}

/* Computes the outputs of NSP from rank [count], the NNLL: score = 1 - exp(-rank), which lies in
 * [0, 1] and has the same order until it saturates at 1; therefore rank stays the NNLL. raw is the
 * NNLL. */
void alcore__score_as_nsp(alcore__score_call *call) {
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        call->raw[i] = call->rank[i];
        call->score[i] = 1.0 - exp(0.0 - call->rank[i]);
    }
}

/* Scores every row of the mask from the column "scores", converted by its meaning to "larger is
 * more worth labeling"; score, raw and rank are the same. A value that is not finite is NaN with
 * nan=exclude, else an error. */
static alcore_status convert_scores(alcore__score_call *call, const alcore__column *column) {
    if (column->ragged || column->dims != 1) {
        return alcore__fail(ALCORE_E_SHAPE, "the column \"scores\" must hold one value a row");
    }
    alcore_sys_rows rows = {0};
    alcore_sys_work work = alcore__engine_work(&call->engine);
    ALCORE__TRY(column->ops->rows(column, call->first, call->count, call->scratch, &rows));
    /* The values are in host memory, which no device need read. */
    ALCORE__TRY(alcore__kernels_cpu()->widen(&work, &rows, call->mask, call->rank));
    /* rank has the values as they are stored until they are converted. */
    for (int64_t i = 0; i < call->count; i++) {
        if (call->mask && !call->mask[i]) continue;
        double value = call->rank[i];
        if (column->meaning == ALCORE_MEANS_CONFIDENCE) value = 1.0 - value;
        if (column->meaning == ALCORE_MEANS_LOGPROB) value = 0.0 - value * column->log_scale;
        if (!isfinite(value)) {
            if (!call->nan_exclude) {
                return alcore__fail_nan("row %lld: the value in column \"scores\" is %s",
                                        (long long)(call->first + i),
                                        isnan(value) ? "NaN" : "infinite");
            }
            value = (double)NAN;
        }
        call->score[i] = call->raw[i] = call->rank[i] = value;
    }
    return ALCORE_OK;
}

/* The uncertainty of HUDS, also for strategies that rank by it: from the column "scores" if the
 * pool has it, else the NNLL of "logprobs". */
alcore_status alcore__score_uncertainty(alcore__score_call *call) {
    const alcore__column *scores = alcore__dataset_find(call->dataset, "scores");
    return scores ? convert_scores(call, scores) : nnll_rows(call);
}

const alcore__score alcore__score_nnll = {
    .name = "nnll",
    .summary = "Mean of minus the token log-probabilities: how unsure the model is (HUDS)",
    .params = &NO_PARAMS,
    .raw_name = "nnll",
    .needs = LOGPROBS,
    .rows = nnll_rows,
};

const alcore__score alcore__score_nsp = {
    .name = "nsp",
    .summary =
        "One minus the geometric mean of the token probabilities, in the order of NNLL (HUDS)",
    .params = &NO_PARAMS,
    .raw_name = "nnll",
    .needs = LOGPROBS,
    .rows = nsp_rows,
};

const alcore__score alcore__score_rttl = {
    .name = "rttl",
    .summary =
        "Mean of minus the log-probabilities of translating a text's translation back (RTTL)",
    .params = ALCORE__PARAMS(RTTL_ROWS),
    .raw_name = "loglikelihood",
    .needs = LOGPROBS,
    .rows = rttl_rows,
};
