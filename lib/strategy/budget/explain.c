/* SPDX-License-Identifier: Apache-2.0 */
/* Explains the picks of one budget by the terms of the score (docs/spec/budgets.md).
 *
 * A pick has a rank, from 0 for the one bought first, and a position among the candidates. What one
 * budget bought is a purchase. For a score that is a sum of weighted terms, s(x) = sum_t w_t r_t(x)
 * with r_t the rescaled value of term t, this file computes for every pick
 *   - how many candidates have a value of t as large or larger, among all or inside the pick's
 *     group: what "top 2 %" is made from;
 *   - the contribution w_t (r_t(x) - mean r_t): the term with the largest one decided the pick;
 *   - whether t alone, ranked and bought by the same code under the same budget, fill policy, tie
 *     rule and similarity limit, would have made the pick too (the counterfactual).
 *
 * Everything is read from the record columns that the strategy leaves in the outcome, by the
 * strategy's own table of terms. Cost: per term O(candidates log picks) for the counts, one ranking
 * and one fill for the counterfactual; memory 8 bytes per candidate while it runs, and only where
 * values are rescaled or unknown. */
#include "strategy/budget/explain.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "strategy/budget/fill.h"
#include "strategy/budget/rescale.h"

/* Values [candidates] of a record column, double or int64_t by dtype; NULL: the strategy keeps none
 * of that name and type, or name is NULL. */
static const void *find_column(const alcore__outcome *outcome, const char *name, int32_t dtype) {
    for (int32_t c = 0; name && c < outcome->column_count; c++) {
        const alcore__record_column *column = &outcome->columns[c];
        if (column->dtype == dtype && !strcmp(column->name, name)) return column->values;
    }
    return NULL;
}

/* ---- counts of candidates that reach a pick ---- */

/* The value of a pick, which candidates are counted against. */
typedef struct threshold {
    int64_t group; /* of the pick; 0 where all candidates are compared */
    double value;  /* of the term; -infinity where the pick has none */
    int64_t rank;  /* of the pick, from 0 */
    /* candidates of the group with a value not below this one; while the candidates are counted,
     * only those whose value is below the next larger threshold's */
    int64_t reached;
} threshold;

/* Order of thresholds: by group, then by value. */
static int compare_thresholds(const void *a, const void *b) {
    const threshold *left = a, *right = b;
    if (left->group != right->group) return left->group < right->group ? -1 : 1;
    return (left->value > right->value) - (left->value < right->value);
}

/* A candidate without a value (NaN) ranks below every other one. */
static double value_or_lowest(double value) {
    return isnan(value) ? (double)-INFINITY : value;
}

/* Sets at_least [picks], by rank: the number of candidates of the pick's group, the pick included,
 * whose value is not below the pick's. values [candidates], NaN: not measured, which counts as the
 * lowest; group [candidates], from 0; NULL: all are one group. Only the picks are sorted, by group
 * and value; each candidate finds by bisection the largest pick of its group that it reaches, and
 * within a group the counts are then summed from the largest pick down. */
static alcore_status count_at_least(alcore_ctx *ctx, const alcore__outcome *outcome,
                                    const alcore__purchase *purchase, const double *values,
                                    const int64_t *group, int64_t *at_least) {
    int64_t picks = purchase->pick_count;
    threshold *sorted;
    if (picks == 0) return ALCORE_OK;
    ALCORE__TRY(alcore__new_array(ctx, (size_t)picks, sizeof *sorted, &sorted));
    for (int64_t rank = 0; rank < picks; rank++) {
        int64_t position = purchase->picks[rank];
        sorted[rank] = (threshold){.group = group ? group[position] : 0,
                                   .value = value_or_lowest(values[position]),
                                   .rank = rank};
    }
    qsort(sorted, (size_t)picks, sizeof *sorted, compare_thresholds);
    alcore_status status = ALCORE_OK;
    for (int64_t i = 0; i < outcome->count && status == ALCORE_OK; i++) {
        threshold candidate = {.group = group ? group[i] : 0, .value = value_or_lowest(values[i])};
        /* After the bisection the thresholds before `low` are not above the candidate. Most
         * candidates reach no pick: the comparison with the lowest threshold tells that at once. */
        int64_t low = 0, high = compare_thresholds(&sorted[0], &candidate) > 0 ? 0 : picks;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (compare_thresholds(&sorted[middle], &candidate) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low > 0 && sorted[low - 1].group == candidate.group) sorted[low - 1].reached++;
        if (i % 1024 == 0) status = alcore__tick(ctx, "reasons", i, outcome->count);
    }
    for (int64_t k = picks - 1; k >= 0; k--) {
        if (k + 1 < picks && sorted[k + 1].group == sorted[k].group)
            sorted[k].reached += sorted[k + 1].reached;
        at_least[sorted[k].rank] = sorted[k].reached;
    }
    alcore__free(ctx, sorted);
    return status;
}

/* Counts the candidates of each group that a term's values are compared in: part->groups and
 * part->group_sizes [groups]. group [candidates]: the group of each, from 0. */
static alcore_status measure_groups(alcore_ctx *ctx, const alcore__outcome *outcome,
                                    const int64_t *group, alcore__term_part *part) {
    for (int64_t i = 0; i < outcome->count; i++)
        if (group[i] >= part->groups) part->groups = group[i] + 1;
    /* The last groups may have no candidate: the strategy's fact has an entry for every group. */
    for (int32_t f = 0; part->term->groups && f < outcome->fact_count; f++) {
        const alcore__fact *fact = &outcome->facts[f];
        if (!strcmp(fact->name, part->term->groups) && fact->count > part->groups)
            part->groups = fact->count;
    }
    ALCORE__TRY(alcore__new_array(ctx, (size_t)part->groups, sizeof(int64_t), &part->group_sizes));
    for (int64_t i = 0; i < outcome->count; i++) part->group_sizes[group[i]]++;
    return ALCORE_OK;
}

/* ---- contributions ---- */

/* Computes what a term of the given weight contributed to the picks: part->contribution [picks],
 * w (r(x) - mean r), and part->deviation, w sd(r), with r the rescaled values of the term. values
 * [candidates] as the strategy recorded them, none of them NaN, as all candidates were measured;
 * they are rescaled here by the parameter "rescale" as the strategy did. */
static alcore_status contribute(alcore__run *run, const alcore__purchase *purchase, double weight,
                                const double *values, alcore__term_part *part) {
    int64_t count = run->outcome.count;
    double *copy, mean, deviation;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)purchase->pick_count, sizeof(double),
                                  &part->contribution));
    const size_t height = alcore__run_height(run);
    if (run->rescale != ALCORE__RESCALE_NONE) {
        ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &copy));
        memcpy(copy, values, (size_t)count * sizeof *copy);
        ALCORE__TRY(alcore__rescale(run, run->rescale, copy));
        values = copy;
    }
    alcore__candidate_mean_sd(run, values, 1.0 /* weight */, &mean, &deviation);
    part->deviation = weight * deviation;
    for (int64_t rank = 0; rank < purchase->pick_count; rank++)
        part->contribution[rank] = weight * (values[purchase->picks[rank]] - mean);
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* A pick by its position. */
typedef struct placed_pick {
    int64_t position, rank;
} placed_pick;

static int compare_places(const void *a, const void *b) {
    const placed_pick *left = a, *right = b;
    return (left->position > right->position) - (left->position < right->position);
}

/* Makes *out [picks]: the picks by rising position. The caller frees it. */
static alcore_status list_places(const alcore__run *run, const alcore__purchase *purchase,
                                 placed_pick **out) {
    ALCORE__TRY(
        alcore__new_array(run->ctx, (size_t)purchase->pick_count, sizeof(placed_pick), out));
    for (int64_t rank = 0; rank < purchase->pick_count; rank++)
        (*out)[rank] = (placed_pick){purchase->picks[rank], rank};
    qsort(*out, (size_t)purchase->pick_count, sizeof **out, compare_places);
    return ALCORE_OK;
}

/* Buys in the order of values [candidates], of which NaN becomes the lowest: a key of NaN would
 * never be bought. */
static alcore_status fill_by_values(alcore__run *run, const double *values,
                                    alcore__purchase *purchase) {
    const int64_t count = run->outcome.count;
    double *keys;
    bool is_known = true;
    for (int64_t i = 0; i < count; i++) is_known &= !isnan(values[i]);
    if (is_known) return alcore__fill_by(run, values, purchase);
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof *keys, &keys));
    for (int64_t i = 0; i < count; i++) keys[i] = value_or_lowest(values[i]);
    const alcore_status status = alcore__fill_by(run, keys, purchase);
    alcore__free(run->ctx, keys);
    return status;
}

/* The counterfactual: buys under the same budget in the order of the term's values [candidates]
 * alone, and sets part->also [picks] for the picks that both purchases have, and also_count. */
static alcore_status buy_alone(alcore__run *run, const alcore__purchase *purchase,
                               const double *values, alcore__term_part *part) {
    placed_pick *places = NULL;
    alcore__purchase alone = {.budget = purchase->budget};
    ALCORE__TRY(
        alcore__new_array(run->ctx, (size_t)purchase->pick_count, sizeof *part->also, &part->also));
    alcore_status status = fill_by_values(run, values, &alone);
    if (status == ALCORE_OK) status = list_places(run, purchase, &places);
    for (int64_t k = 0; k < alone.pick_count && status == ALCORE_OK; k++) {
        const placed_pick wanted = {.position = alone.picks[k]};
        const placed_pick *found =
            bsearch(&wanted, places, (size_t)purchase->pick_count, sizeof *places, compare_places);
        if (!found) continue;
        part->also[found->rank] = 1;
        part->also_count++;
    }
    alcore__free(run->ctx, places);
    alcore__purchase_clear(run->ctx, &alone);
    return status;
}

/* Counts for every term the picks that it decided, none in a score that is not mixed: those to
 * which it contributed more than any other term. */
static void count_decided(const alcore__purchase *purchase, alcore__explanation *explanation) {
    for (int64_t rank = 0; rank < purchase->pick_count; rank++) {
        int32_t term = alcore__explanation_decided(explanation, rank);
        if (term >= 0) explanation->parts[term].decided++;
    }
}

int32_t alcore__explanation_decided(const alcore__explanation *explanation, int64_t rank) {
    int32_t best = -1;
    double largest = (double)-INFINITY;
    for (int32_t t = 0; t < explanation->count; t++) {
        const double *contribution = explanation->parts[t].contribution;
        if (!contribution || contribution[rank] < largest) continue;
        best = contribution[rank] > largest ? t : -1;
        largest = contribution[rank];
    }
    return best;
}

/* ---- the explanation of a purchase ---- */

/* Fills in the part of one term: part->at_least [picks], how many candidates have a value not below
 * the pick's, and the sizes of the groups where the term is compared inside groups. The record has
 * the term's column, as alcore__explain() has looked. part->alone names the order of the
 * counterfactual: the strategy that the term alone would be, or "the given scores" where the term
 * is made of scores that the user gave: a column "scores" of the candidates that no model made and
 * that was not computed from the words of phrases. */
static alcore_status explain_term(alcore__run *run, const alcore__term *term,
                                  const alcore__purchase *purchase, alcore__term_part *part) {
    const alcore__outcome *outcome = &run->outcome;
    const double *values = find_column(outcome, term->column, ALCORE_FLOAT64);
    const int64_t *group = find_column(outcome, term->within, ALCORE_INT64);
    const alcore__column *scores = alcore__dataset_find(&run->input->candidates, "scores");
    bool given = term->is_score && scores && alcore__column_is_given(scores);
    part->term = term;
    part->alone = given ? "the given scores" : term->alone;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)purchase->pick_count, sizeof(int64_t),
                                  &part->at_least));
    if (group) ALCORE__TRY(measure_groups(run->ctx, outcome, group, part));
    return count_at_least(run->ctx, outcome, purchase, values, group, part->at_least);
}

/* Sets explanation->mixed. Where two terms or more have a weight, fills in what each contributed to
 * the picks and which picks it alone would have made. With one weighted term the answers would be
 * "all of it" and "all"; where some candidates were not measured they are not known, as both
 * depend on the values of all candidates. */
static alcore_status explain_mix(alcore__run *run, const alcore__purchase *purchase,
                                 alcore__explanation *explanation) {
    int32_t weighted = 0;
    if (run->outcome.measured < run->outcome.count) return ALCORE_OK;
    for (int32_t t = 0; t < explanation->count; t++) {
        const alcore__term *term = explanation->parts[t].term;
        weighted += term->weight && term->weight(run) != 0.0;
    }
    explanation->mixed = weighted > 1;
    for (int32_t t = 0; t < explanation->count && explanation->mixed; t++) {
        alcore__term_part *part = &explanation->parts[t];
        const double *values = find_column(&run->outcome, part->term->column, ALCORE_FLOAT64);
        double weight = part->term->weight ? part->term->weight(run) : 0.0;
        if (weight == 0.0) continue;
        ALCORE__TRY(contribute(run, purchase, weight, values, part));
        if (part->alone) ALCORE__TRY(buy_alone(run, purchase, values, part));
    }
    count_decided(purchase, explanation);
    return ALCORE_OK;
}

/* The counts of target rows are those of this run, because a strategy that runs again for a smaller
 * budget may look at fewer neighbors then. Without candidates there are no record columns, so no
 * term is explained. */
alcore_status alcore__explain(alcore__run *run, alcore__purchase *purchase) {
    alcore__explanation *explanation = &purchase->explanation;
    const alcore__outcome *outcome = &run->outcome;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)purchase->pick_count, sizeof(int64_t),
                                  &explanation->score_at_least));
    ALCORE__TRY(count_at_least(run->ctx, outcome, purchase, outcome->scores,
                               NULL /* among all candidates */, explanation->score_at_least));
    const int64_t *targets = find_column(outcome, run->def->target_counts, ALCORE_INT64);
    if (targets) {
        ALCORE__TRY(alcore__new_array(run->ctx, (size_t)purchase->pick_count, sizeof(int64_t),
                                      &explanation->targets));
        for (int64_t k = 0; k < purchase->pick_count; k++)
            explanation->targets[k] = targets[purchase->picks[k]];
    }
    const alcore__term *term = run->def->terms;
    for (; term && term->name && explanation->count < ALCORE__TERMS; term++) {
        if (!find_column(outcome, term->column, ALCORE_FLOAT64)) continue;
        ALCORE__TRY(explain_term(run, term, purchase, &explanation->parts[explanation->count++]));
    }
    return explain_mix(run, purchase, explanation);
}
