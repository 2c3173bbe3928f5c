/* SPDX-License-Identifier: Apache-2.0 */
/* What the terms of a hybrid decided: ranks of a pick among the candidates, and what each term
 * alone would have done. */
#include <math.h>
#include <stdlib.h>
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

/* A pick among the others of its group. */
typedef struct place {
    int64_t group, rank; /* rank: among the picks */
    double value;
    int64_t above; /* candidates from this value up to the next pick's */
} place;

static int by_place(const void *a, const void *b) {
    const place *left = a, *right = b;
    if (left->group != right->group) return left->group < right->group ? -1 : 1;
    return (left->value > right->value) - (left->value < right->value);
}

static double value_of(const double *values, int64_t i) {
    return isnan(values[i]) ? (double)-INFINITY : values[i];
}

/* at_least[rank]: candidates of the pick's group (NULL: all are one) whose value is not below the
 * pick's. The candidates are never sorted: each finds the largest pick that it reaches. */
static alcore_status count_at_least(alcore_ctx *ctx, const alcore__outcome *outcome,
                                    const double *values, const int64_t *group, int64_t *at_least) {
    int64_t picks = outcome->pick_count;
    place *places;
    if (picks == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)picks, sizeof *places, &places));
    for (int64_t k = 0; k < picks; k++) {
        int64_t i = outcome->picks[k];
        places[k] = (place){group == NULL ? 0 : group[i], k, value_of(values, i), 0};
    }
    qsort(places, (size_t)picks, sizeof *places, by_place);
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; status == ALCORE_OK && i < outcome->count; i++) {
        place mine = {group == NULL ? 0 : group[i], 0, value_of(values, i), 0};
        int64_t low = 0, high = picks;                 /* picks before low are not above mine */
        if (by_place(&places[0], &mine) > 0) high = 0; /* most candidates reach no pick */
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (by_place(&places[middle], &mine) <= 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (low > 0 && places[low - 1].group == mine.group) places[low - 1].above++;
        if (i % 1024 == 0) status = alcore__tick(ctx, "reasons", i, outcome->count);
    }
    for (int64_t k = picks - 1; k >= 0; k--) {
        if (k + 1 < picks && places[k + 1].group == places[k].group)
            places[k].above += places[k + 1].above;
        at_least[places[k].rank] = places[k].above;
    }
    alcore__free(ctx, places);
    return status;
}

/* Walks an order as far as it goes. Returns whether the budget is spent. */
static bool walk(const alcore__run_input *input, const alcore__outcome *outcome,
                 const int64_t *order, int64_t length, uint8_t *picked) {
    double spent = 0;
    for (int64_t k = 0; k < length && spent < input->fill.budget; k++) {
        int64_t i = order[k];
        double cost = input->costs == NULL ? 1.0 : input->costs[outcome->rows[i]];
        if (cost == 0) continue;
        if (spent + cost > input->fill.budget && input->fill.policy != ALCORE__FILL_OVERSHOOT) {
            if (input->fill.policy == ALCORE__FILL_STOP) return true;
            continue;
        }
        picked[i] = 1;
        spent += cost;
    }
    return spent >= input->fill.budget;
}

/* What the budget buys in the order of values; the picks are marked. Orders no more than it has to.
 */
static alcore_status buy(alcore_ctx *ctx, const alcore__run_input *input,
                         const alcore__outcome *outcome, const double *values, uint8_t *picked) {
    double *keys;
    int64_t *order = NULL, length = 2 * outcome->pick_count + 64;
    bool done = false;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)outcome->count, sizeof *keys, &keys));
    for (int64_t i = 0; i < outcome->count; i++) keys[i] = value_of(values, i);
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && !done) {
        if (length > outcome->count) length = outcome->count;
        status = alcore__new_array(ctx, (size_t)length, sizeof *order, &order);
        if (status == ALCORE_OK)
            status = alcore__rank(ctx, keys, outcome->rows, outcome->count, ALCORE__TIE_INDEX, 0,
                                  length, order);
        if (status == ALCORE_OK) {
            memset(picked, 0, (size_t)outcome->count);
            done = walk(input, outcome, order, length, picked) || length == outcome->count;
        }
        alcore__free(ctx, order);
        order = NULL;
        length *= 4;
    }
    alcore__free(ctx, keys);
    return status;
}

/* A term of H for each pick, minus the term's mean: what it adds beyond the usual. Only for words;
 * H itself is the strategy's. */
static alcore_status share_of(alcore_ctx *ctx, const alcore__outcome *outcome, const double *values,
                              double weight, const char *rescale, double *share,
                              double *out_spread) {
    int64_t count = outcome->count;
    double minimum = (double)INFINITY, maximum = (double)-INFINITY, mean = 0, squares = 0;
    double scale = weight, *ranks = NULL;
    if (strcmp(rescale, "rank") == 0) {
        ALCORE__TRY(alcore__new_array(ctx, (size_t)count, sizeof *ranks, &ranks));
        alcore_status status = alcore__average_ranks(ctx, values, count, ranks);
        if (status != ALCORE_OK) {
            alcore__free(ctx, ranks);
            return status;
        }
        values = ranks;
        scale = count > 1 ? weight / (double)(count - 1) : 0;
    }
    for (int64_t i = 0; i < count; i++) {
        minimum = fmin(minimum, values[i]);
        maximum = fmax(maximum, values[i]);
        mean += values[i];
    }
    mean /= (double)count;
    for (int64_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
    double spread = sqrt(squares / (double)count);
    if (!(maximum > minimum))
        scale = 0;
    else if (strcmp(rescale, "minmax") == 0)
        scale = weight / (maximum - minimum);
    else if (strcmp(rescale, "zscore") == 0)
        scale = weight / spread;
    for (int64_t k = 0; k < outcome->pick_count; k++)
        share[k] = (values[outcome->picks[k]] - mean) * scale;
    *out_spread = spread * scale;
    alcore__free(ctx, ranks);
    return ALCORE_OK;
}

/* The first number of a fact; NaN: the strategy tells none of that name. */
static double fact_of(const alcore__outcome *outcome, const char *name) {
    for (int32_t i = 0; i < outcome->fact_count; i++)
        if (strcmp(outcome->facts[i].name, name) == 0) return outcome->facts[i].values[0];
    return (double)NAN;
}

static alcore_status weigh(alcore_ctx *ctx, const alcore_strategy *strategy,
                           const alcore__run_input *input, const alcore__outcome *outcome,
                           const double *u, const double *d, alcore__terms *out) {
    const alcore__values *values = alcore__strategy_values(strategy);
    size_t count = (size_t)outcome->count, picks = (size_t)outcome->pick_count;
    double lambda = fact_of(outcome, "lambda"); /* a NaN: the strategy mixes nothing */
    const char *rescale = alcore__values_text(values, "rescale");
    if (!(lambda > 0 && lambda < 1)) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, picks, sizeof *out->u_share, &out->u_share));
    ALCORE__TRY(alcore__new_array(ctx, picks, sizeof *out->d_share, &out->d_share));
    ALCORE__TRY(alcore__new_array(ctx, count, 1, &out->nnll_picks));
    ALCORE__TRY(alcore__new_array(ctx, count, 1, &out->diversity_picks));
    ALCORE__TRY(share_of(ctx, outcome, u, 1 - lambda, rescale, out->u_share, &out->u_spread));
    ALCORE__TRY(share_of(ctx, outcome, d, lambda, rescale, out->d_share, &out->d_spread));
    ALCORE__TRY(buy(ctx, input, outcome, u, out->nnll_picks));
    ALCORE__TRY(buy(ctx, input, outcome, d, out->diversity_picks));
    out->hybrid = true;
    for (int64_t k = 0; k < outcome->pick_count; k++) {
        int64_t i = outcome->picks[k];
        out->by_u += out->u_share[k] > out->d_share[k];
        out->by_d += out->d_share[k] > out->u_share[k];
        out->as_nnll += out->nnll_picks[i];
        out->as_diversity += out->diversity_picks[i];
    }
    return ALCORE_OK;
}

static alcore_status measure_strata(alcore_ctx *ctx, const alcore__outcome *outcome,
                                    const int64_t *stratum, alcore__terms *out) {
    for (int64_t i = 0; stratum != NULL && i < outcome->count; i++)
        if (stratum[i] >= out->strata) out->strata = stratum[i] + 1;
    for (int32_t i = 0; i < outcome->fact_count; i++) /* empty strata at the top count too */
        if (strcmp(outcome->facts[i].name, "strata counts") == 0)
            out->strata = outcome->facts[i].count;
    if (out->strata == 0 || stratum == NULL) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)out->strata, sizeof(int64_t), &out->stratum_sizes));
    for (int64_t i = 0; i < outcome->count; i++)
        if (stratum[i] >= 0) out->stratum_sizes[stratum[i]]++;
    return ALCORE_OK;
}

static alcore_status measure(alcore_ctx *ctx, const alcore_strategy *strategy,
                             const alcore__run_input *input, const alcore__outcome *outcome,
                             alcore__terms *out) {
    const double *u = alcore__outcome_doubles(outcome, "u");
    const double *d = alcore__outcome_doubles(outcome, "d");
    const int64_t *stratum = alcore__outcome_integers(outcome, "stratum");
    size_t picks = (size_t)outcome->pick_count;
    ALCORE__TRY(measure_strata(ctx, outcome, stratum, out));
    ALCORE__TRY(alcore__new_array(ctx, picks, sizeof(int64_t), &out->score_at_least));
    ALCORE__TRY(count_at_least(ctx, outcome, outcome->scores, NULL, out->score_at_least));
    if (u != NULL) {
        ALCORE__TRY(alcore__new_array(ctx, picks, sizeof(int64_t), &out->u_at_least));
        ALCORE__TRY(count_at_least(ctx, outcome, u, NULL, out->u_at_least));
    }
    if (d != NULL) {
        ALCORE__TRY(alcore__new_array(ctx, picks, sizeof(int64_t), &out->d_at_least));
        ALCORE__TRY(count_at_least(ctx, outcome, d, stratum, out->d_at_least));
    }
    if (u == NULL || d == NULL || outcome->count == 0) return ALCORE_OK;
    return weigh(ctx, strategy, input, outcome, u, d, out);
}

alcore_status alcore__terms_new(alcore_ctx *ctx, const alcore_strategy *strategy,
                                const alcore__run_input *input, const alcore__outcome *outcome,
                                alcore__terms *out) {
    *out = (alcore__terms){0};
    alcore_status status = measure(ctx, strategy, input, outcome, out);
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
