/* SPDX-License-Identifier: Apache-2.0 */
/* What the terms of a hybrid decided: ranks of a pick among the candidates, and what each term
 * alone would have done. */
#include <math.h>
#include <string.h>

#include "request/selection_internal.h"
#include "strategy/rank.h"

const double *alcore__outcome_doubles(const alcore__outcome *outcome, const char *name) {
    for (int32_t i = 0; i < outcome->column_count; i++)
        if (outcome->columns[i].dtype == ALCORE_FLOAT64 &&
            strcmp(outcome->columns[i].name, name) == 0)
            return outcome->columns[i].values;
    return NULL;
}

const int64_t *alcore__outcome_integers(const alcore__outcome *outcome, const char *name) {
    for (int32_t i = 0; i < outcome->column_count; i++)
        if (outcome->columns[i].dtype == ALCORE_INT64 &&
            strcmp(outcome->columns[i].name, name) == 0)
            return outcome->columns[i].values;
    return NULL;
}

/* Positions of the candidates by value descending; a NaN comes last. */
static alcore_status order_of(alcore_ctx *ctx, const alcore__outcome *outcome, const double *values,
                              int64_t *order) {
    double *keys;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)outcome->count, sizeof *keys, &keys));
    for (int64_t i = 0; i < outcome->count; i++) keys[i] = isnan(values[i]) ? -INFINITY : values[i];
    alcore_status status = alcore__rank(ctx, keys, outcome->rows, outcome->count, ALCORE__TIE_INDEX,
                                        0, outcome->count, order);
    alcore__free(ctx, keys);
    return status;
}

/* at_least[i]: members of i's group (NULL: all are one) whose value is not below i's. groups: their
 * number. */
static alcore_status count_at_least(alcore_ctx *ctx, const alcore__outcome *outcome,
                                    const double *values, const int64_t *group, int64_t groups,
                                    int64_t *order, int64_t *at_least) {
    typedef struct tally {
        int64_t seen, below;
        double last;
    } tally;
    ALCORE__TRY(order_of(ctx, outcome, values, order));
    tally *tallies;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)groups, sizeof *tallies, &tallies));
    /* From the smallest value up: what was seen before the first of equal values lies below them.
     */
    for (int64_t k = outcome->count - 1; k >= 0; k--) {
        int64_t i = order[k];
        tally *mine = &tallies[group == NULL || group[i] < 0 ? 0 : group[i]];
        if (mine->seen == 0 || !(values[i] == mine->last)) mine->below = mine->seen;
        mine->last = values[i];
        mine->seen++;
        at_least[i] = mine->below;
    }
    for (int64_t i = 0; i < outcome->count; i++)
        at_least[i] = tallies[group == NULL || group[i] < 0 ? 0 : group[i]].seen - at_least[i];
    alcore__free(ctx, tallies);
    return ALCORE_OK;
}

/* What a budget buys in an order of values; the picks are marked. */
static alcore_status buy(alcore_ctx *ctx, const alcore__run_input *input,
                         const alcore__outcome *outcome, const double *values, int64_t *order,
                         uint8_t *picked) {
    ALCORE__TRY(order_of(ctx, outcome, values, order));
    double spent = 0;
    for (int64_t k = 0; k < outcome->count && spent < input->fill.budget; k++) {
        int64_t i = order[k];
        double cost = input->costs == NULL ? 1.0 : input->costs[outcome->rows[i]];
        if (cost == 0) continue;
        if (spent + cost > input->fill.budget && input->fill.policy != ALCORE__FILL_OVERSHOOT) {
            if (input->fill.policy == ALCORE__FILL_STOP) break;
            continue;
        }
        picked[i] = 1;
        spent += cost;
    }
    return ALCORE_OK;
}

/* A term of H, minus its mean: what it adds to a candidate beyond the usual. Only for words; H
 * itself is the strategy's. */
static alcore_status share_of(alcore_ctx *ctx, const alcore__outcome *outcome, const double *values,
                              double weight, const char *rescale, double *share,
                              double *out_spread) {
    int64_t count = outcome->count;
    double minimum = INFINITY, maximum = -INFINITY, mean = 0, squares = 0, scale = weight;
    bool by_rank = strcmp(rescale, "rank") == 0;
    if (by_rank) {
        ALCORE__TRY(alcore__average_ranks(ctx, values, count, share));
        scale = count > 1 ? weight / (double)(count - 1) : 0;
    }
    for (int64_t i = 0; i < count; i++) {
        double value = by_rank ? share[i] : values[i];
        share[i] = value;
        minimum = fmin(minimum, value);
        maximum = fmax(maximum, value);
        mean += value;
    }
    mean /= (double)count;
    for (int64_t i = 0; i < count; i++) {
        share[i] -= mean;
        squares += share[i] * share[i];
    }
    double spread = sqrt(squares / (double)count);
    if (!(maximum > minimum))
        scale = 0;
    else if (strcmp(rescale, "minmax") == 0)
        scale = weight / (maximum - minimum);
    else if (strcmp(rescale, "zscore") == 0)
        scale = weight / spread;
    for (int64_t i = 0; i < count; i++) share[i] *= scale;
    *out_spread = spread * scale;
    return ALCORE_OK;
}

static alcore_status weigh(alcore_ctx *ctx, const alcore_strategy *strategy,
                           const alcore__run_input *input, const alcore__outcome *outcome,
                           const double *u, const double *d, int64_t *order, alcore__terms *out) {
    const alcore__values *values = alcore__strategy_values(strategy);
    size_t count = (size_t)outcome->count;
    if (!alcore__values_has(values, "lambda")) return ALCORE_OK;
    double lambda = alcore__values_of_round(values, "lambda", input->round);
    const char *rescale = alcore__values_text(values, "rescale");
    if (!(lambda > 0 && lambda < 1)) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->u_share, &out->u_share));
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof *out->d_share, &out->d_share));
    ALCORE__TRY(alcore__new_array(ctx, count, 1, &out->nnll_picks));
    ALCORE__TRY(alcore__new_array(ctx, count, 1, &out->diversity_picks));
    ALCORE__TRY(share_of(ctx, outcome, u, 1 - lambda, rescale, out->u_share, &out->u_spread));
    ALCORE__TRY(share_of(ctx, outcome, d, lambda, rescale, out->d_share, &out->d_spread));
    ALCORE__TRY(buy(ctx, input, outcome, u, order, out->nnll_picks));
    ALCORE__TRY(buy(ctx, input, outcome, d, order, out->diversity_picks));
    out->hybrid = true;
    for (int64_t k = 0; k < outcome->pick_count; k++) {
        int64_t i = outcome->picks[k];
        out->by_u += out->u_share[i] > out->d_share[i];
        out->by_d += out->d_share[i] > out->u_share[i];
        out->as_nnll += out->nnll_picks[i];
        out->as_diversity += out->diversity_picks[i];
    }
    return ALCORE_OK;
}

static alcore_status measure(alcore_ctx *ctx, const alcore_strategy *strategy,
                             const alcore__run_input *input, const alcore__outcome *outcome,
                             int64_t *order, alcore__terms *out) {
    const double *u = alcore__outcome_doubles(outcome, "u");
    const double *d = alcore__outcome_doubles(outcome, "d");
    const int64_t *stratum = alcore__outcome_integers(outcome, "stratum");
    size_t count = (size_t)outcome->count;
    for (int64_t i = 0; stratum != NULL && i < outcome->count; i++)
        if (stratum[i] >= out->strata) out->strata = stratum[i] + 1;
    for (int32_t i = 0; i < outcome->fact_count; i++) /* empty strata at the top count too */
        if (strcmp(outcome->facts[i].name, "strata counts") == 0)
            out->strata = outcome->facts[i].count;
    if (out->strata > 0)
        ALCORE__TRY(alcore__new_array(ctx, (size_t)out->strata, sizeof *out->stratum_sizes,
                                      &out->stratum_sizes));
    for (int64_t i = 0; out->strata > 0 && stratum != NULL && i < outcome->count; i++)
        if (stratum[i] >= 0) out->stratum_sizes[stratum[i]]++;
    ALCORE__TRY(alcore__new_array(ctx, count, sizeof(int64_t), &out->score_at_least));
    ALCORE__TRY(count_at_least(ctx, outcome, outcome->scores, NULL, 1, order, out->score_at_least));
    if (u != NULL) {
        ALCORE__TRY(alcore__new_array(ctx, count, sizeof(int64_t), &out->u_at_least));
        ALCORE__TRY(count_at_least(ctx, outcome, u, NULL, 1, order, out->u_at_least));
    }
    if (d != NULL) {
        ALCORE__TRY(alcore__new_array(ctx, count, sizeof(int64_t), &out->d_at_least));
        ALCORE__TRY(count_at_least(ctx, outcome, d, stratum, out->strata > 0 ? out->strata : 1,
                                   order, out->d_at_least));
    }
    if (u != NULL && d != NULL && outcome->count > 0)
        ALCORE__TRY(weigh(ctx, strategy, input, outcome, u, d, order, out));
    return ALCORE_OK;
}

alcore_status alcore__terms_new(alcore_ctx *ctx, const alcore_strategy *strategy,
                                const alcore__run_input *input, const alcore__outcome *outcome,
                                alcore__terms *out) {
    int64_t *order;
    *out = (alcore__terms){0};
    ALCORE__TRY(alcore__new_array(ctx, (size_t)outcome->count, sizeof *order, &order));
    alcore_status status = measure(ctx, strategy, input, outcome, order, out);
    alcore__free(ctx, order);
    if (status != ALCORE_OK) alcore__terms_clear(ctx, out);
    return status;
}

void alcore__terms_clear(alcore_ctx *ctx, alcore__terms *terms) {
    alcore__free(ctx, terms->u_at_least);
    alcore__free(ctx, terms->d_at_least);
    alcore__free(ctx, terms->score_at_least);
    alcore__free(ctx, terms->stratum_sizes);
    alcore__free(ctx, terms->u_share);
    alcore__free(ctx, terms->d_share);
    alcore__free(ctx, terms->nnll_picks);
    alcore__free(ctx, terms->diversity_picks);
    *terms = (alcore__terms){0};
}
