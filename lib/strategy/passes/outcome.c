/* SPDX-License-Identifier: Apache-2.0 */
/* The outcome of a run: record columns (a value for each candidate) and facts (numbers for the
 * report), and the arithmetic over all candidates that strategies compute them with. The record has
 * at most ALCORE__RECORD_COLUMNS columns, the report at most ALCORE__FACTS facts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "strategy/strategy_def.h"

/* Adds a column to the record, whose values [candidates], by position, the outcome frees from then
 * on; after a failure they stay the caller's. dtype: ALCORE_INT64 or ALCORE_FLOAT64. name is kept
 * and not copied: it is a literal. A strategy adds a fixed number of columns, so that a full record
 * is an error of the strategy. */
static alcore_status add_column(alcore__run *run, const char *name, int32_t dtype, void *values) {
    alcore__outcome *outcome = &run->outcome;
    if (outcome->column_count == ALCORE__RECORD_COLUMNS) {
        return alcore__fail(ALCORE_E_INTERNAL, "strategy %s records too many columns",
                            run->def->name);
    }
    outcome->columns[outcome->column_count++] =
        (alcore__record_column){.name = name, .dtype = dtype, .values = values};
    return ALCORE_OK;
}

alcore_status alcore__outcome_column(alcore__run *run, const char *name, int32_t dtype, void *out) {
    void *values;
    *(void **)out = NULL;
    ALCORE__TRY(
        alcore__new_array(run->ctx, (size_t)run->outcome.count, 8 /* bytes of either */, &values));
    alcore_status status = add_column(run, name, dtype, values);
    if (status != ALCORE_OK) {
        alcore__free(run->ctx, values);
        return status;
    }
    *(void **)out = values;
    return ALCORE_OK;
}

alcore_status alcore__outcome_keep_column(alcore__run *run, const char *name, double **values) {
    ALCORE__TRY(add_column(run, name, ALCORE_FLOAT64, *values));
    *values = NULL;
    return ALCORE_OK;
}

/* The array grows to twice its bytes, and the integers are widened from the last one on: the first
 * bytes of an integer that is still narrow lie before those that are written. */
alcore_status alcore__outcome_keep_integers(alcore__run *run, const char *name, int32_t **values) {
    const int64_t count = run->outcome.count;
    int64_t *wide;
    if (!*values) return alcore__outcome_column(run, name, ALCORE_INT64, &wide);
    const size_t bytes = (size_t)count * sizeof *wide;
    int32_t *narrow = alcore__realloc(run->ctx, *values, bytes);
    if (!narrow) return alcore__fail_memory(bytes);
    *values = narrow;
    wide = (void *)narrow;
    for (int64_t i = count - 1; i >= 0; i--) {
        const int64_t value = narrow[i];
        memcpy(&wide[i], &value, sizeof value);
    }
    ALCORE__TRY(add_column(run, name, ALCORE_INT64, wide));
    *values = NULL;
    return ALCORE_OK;
}

/* alcore__outcome_clear() frees the array once. */
alcore_status alcore__outcome_score_column(alcore__run *run, const char *name) {
    return add_column(run, name, ALCORE_FLOAT64, run->outcome.scores);
}

void alcore__outcome_score_picks(alcore__run *run) {
    const int64_t *picks = run->outcome.bought.picks, count = run->outcome.bought.pick_count;
    for (int64_t rank = 0; rank < count; rank++)
        run->outcome.scores[picks[rank]] = (double)(count - rank) / (double)count;
}

alcore_status alcore__outcome_fact(alcore__run *run, const char *name, int64_t count,
                                   double **out) {
    alcore__outcome *outcome = &run->outcome;
    *out = NULL;
    if (outcome->fact_count == ALCORE__FACTS) {
        return alcore__fail(ALCORE_E_INTERNAL, "strategy %s reports too many facts",
                            run->def->name);
    }
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof **out, out));
    outcome->facts[outcome->fact_count++] =
        (alcore__fact){.name = name, .count = count, .values = *out};
    return ALCORE_OK;
}

/* Frees the arrays of one term's part; those that were not made are NULL. */
static void free_part(alcore_ctx *ctx, alcore__term_part *part) {
    alcore__free(ctx, part->at_least);
    alcore__free(ctx, part->group_sizes);
    alcore__free(ctx, part->contribution);
    alcore__free(ctx, part->also);
}

void alcore__purchase_clear(alcore_ctx *ctx, alcore__purchase *purchase) {
    alcore__explanation *explanation = &purchase->explanation;
    for (int32_t t = 0; t < explanation->count; t++) free_part(ctx, &explanation->parts[t]);
    alcore__free(ctx, explanation->score_at_least);
    alcore__free(ctx, explanation->targets);
    for (int32_t c = 0; c < ALCORE__RECORD_COLUMNS; c++) alcore__free(ctx, purchase->columns[c]);
    alcore__free(ctx, purchase->scores);
    alcore__free(ctx, purchase->picks);
    *purchase = (alcore__purchase){0};
}

/* Frees all arrays of an outcome and zeroes it; safe for one whose run failed in any pass. Names of
 * columns and facts are static. A record column may be the array of scores itself
 * (alcore__outcome_score_column), freed once. The picks and their explanation are freed as those of
 * a purchase, which every further budget has too. */
void alcore__outcome_clear(alcore_ctx *ctx, alcore__outcome *outcome) {
    for (int32_t i = 0; i < outcome->column_count; i++)
        if (outcome->columns[i].values != outcome->scores)
            alcore__free(ctx, outcome->columns[i].values);
    for (int32_t i = 0; i < outcome->fact_count; i++) alcore__free(ctx, outcome->facts[i].values);
    alcore__free(ctx, outcome->rows);
    alcore__free(ctx, outcome->scores);
    alcore__purchase_clear(ctx, &outcome->bought);
    for (int32_t i = 0; i < outcome->further_count; i++)
        alcore__purchase_clear(ctx, &outcome->further[i]);
    alcore__free(ctx, outcome->further);
    alcore__free(ctx, outcome->offers);
    alcore__free(ctx, outcome->nan_rows);
    memset(outcome, 0, sizeof *outcome);
}

/* 0 for a zero vector, and exactly 1 or -1 within 1e-12 of it, so that equal directions tie. */
double alcore__cosine(double dot, double norm, double other_norm) {
    /* A vector shorter than this counts as zero and has no direction. */
    if (norm < 1e-12 || other_norm < 1e-12) return 0.0;
    double cosine = dot / (norm * other_norm);
    if (fabs(cosine) > 1.0 - 1e-12) return cosine > 0.0 ? 1.0 : -1.0;
    return cosine;
}

/* Sum over values [candidates], by position, of (weight * value / 2^exponent - shift) ^ power,
 * power 1 or 2: a running sum in each block of pool rows, then the sums of the blocks in block
 * order (spec 1.8). active: the candidates. */
static double block_ordered_sum(const alcore__active_rows *active, const double *values,
                                double weight, int exponent, double shift, int power) {
    double total = 0.0;
    for (int64_t b = 0; b < active->blocks; b++) {
        double sum = 0.0;
        for (int64_t i = active->block_starts[b]; i < active->block_starts[b + 1]; i++) {
            const double value = exponent == 0 ? values[i] : ldexp(values[i], -exponent);
            double difference = weight * value - shift;
            sum += power == 2 ? difference * difference : difference;
        }
        total += sum;
    }
    return total;
}

/* The squares of values below 2^MAX_EXPONENT can be added up, and those of values above its inverse
 * are normal numbers. */
enum { MAX_EXPONENT = 400 };

int alcore__common_exponent(const double *values, int64_t count) {
    double largest = 0.0;
    int exponent = 0;
    for (int64_t i = 0; i < count; i++)
        if (fabs(values[i]) > largest) largest = fabs(values[i]);
    frexp(largest, &exponent);
    return abs(exponent) > MAX_EXPONENT ? exponent : 0;
}

void alcore__candidate_mean_sd(const alcore__run *run, const double *values, double weight,
                               double *mean, double *sd) {
    const alcore__active_rows *active = &run->active[ALCORE__OVER_CANDIDATES];
    const int exponent = alcore__common_exponent(values, active->count);
    const double count = (double)active->count;
    const double center = block_ordered_sum(active, values, weight, exponent, 0.0, 1) / count;
    const double variance =
        block_ordered_sum(active, values, weight, exponent, center, 2 /* power */) / count;
    *mean = ldexp(center, exponent);
    *sd = ldexp(sqrt(variance), exponent);
}

/* So many passes bring no warning: over 100,000 rows of 768 components they take 8 s on a core by
 * the estimate below, for which nobody changes a request. The number was chosen, not measured. */
enum { MANY_PASSES = 100 };

void alcore__warn_passes(const alcore__run *run, double passes) {
    if (passes <= MANY_PASSES || run->outcome.count == 0) return; /* a shard may have no block */
    double components = (double)run->outcome.count * (double)alcore__embedding_dims(run);
    /* The estimate assumes that a core adds 10^9 products a second. */
    double seconds = passes * components / 1e9 / (double)run->threads;
    alcore__log(run->ctx, ALCORE_LOG_WARN, "strategy", NULL /* no fields */,
                "%s makes about %.0f passes over %lld rows of %lld components, some %.0f s; "
                "the parameter candidates limits the rows that it looks at",
                run->def->name, passes, (long long)run->outcome.count,
                (long long)alcore__embedding_dims(run), seconds < 1.0 ? 1.0 : seconds);
}
