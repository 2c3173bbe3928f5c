/* SPDX-License-Identifier: Apache-2.0 */
/* What HUDS tells once d and u are known: H, the record, and the facts of the report. */
#include <math.h>
#include <string.h>

#include "strategy/rules/huds/huds.h"

/* Adds a fact of one number to the report. name is static. */
static alcore_status report_value(alcore__run *run, const char *name, double value) {
    double *fact;
    ALCORE__TRY(alcore__outcome_fact(run, name, 1, &fact));
    *fact = value;
    return ALCORE_OK;
}

/* Reports the standard deviation of what a term adds to H, weight x values [candidates]: how much
 * it decides. */
static alcore_status report_term(alcore__run *run, const char *name, const double *values,
                                 double weight) {
    double mean, sd;
    alcore__candidate_mean_sd(run, values, weight, &mean, &sd);
    return report_value(run, name, sd);
}

/* The values of a term on the scale of the parameter "rescale": *scaled is `values` itself, or a
 * rescaled copy [candidates], which is pushed on the run's stack. */
static alcore_status rescale_term(const alcore__run *run, const double *values,
                                  const double **scaled) {
    double *copy;
    *scaled = values;
    if (run->rescale == ALCORE__RESCALE_NONE) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, &copy));
    memcpy(copy, values, (size_t)run->outcome.count * sizeof *copy);
    *scaled = copy;
    return alcore__rescale(run, run->rescale, copy);
}

/* Writes H [candidates] made of the scaled terms u and d [candidates], and reports lambda and the
 * deviation of each term. With NaN for a d that is not measured, H is NaN. */
static alcore_status combine(alcore__run *run, const double *u, const double *d, double *h) {
    double lambda = alcore__huds_lambda(run), rest = alcore__huds_rest(run);
    for (int64_t i = 0; i < run->outcome.count; i++)
        h[i] = alcore__huds_of_row(lambda, d[i], rest, u[i]);
    ALCORE__TRY(report_value(run, "lambda", lambda));
    /* The deviation of d is not known where only some distances are. */
    if (run->outcome.measured == run->outcome.count)
        ALCORE__TRY(report_term(run, "sd lambda d", d, lambda));
    return report_term(run, "sd rest u", u, rest);
}

/* Writes H [candidates] made of the terms of the state, rescaled to a common scale where that is
 * asked for. The state's terms stay as they are, for the record. */
static alcore_status combine_terms(alcore__run *run, double *h) {
    const alcore__huds_state *state = run->state;
    const double *u, *d;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(rescale_term(run, state->u, &u));
    ALCORE__TRY(rescale_term(run, state->d, &d));
    ALCORE__TRY(combine(run, u, d, h));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* In a run over own rows the scores are H already or, where there is a common scale, d. */
static void combine_own(alcore__run *run) {
    const alcore__huds_state *state = run->state;
    const double lambda = alcore__huds_lambda(run), rest = alcore__huds_rest(run);
    for (int64_t i = 0; i < run->outcome.count && state->u != state->d; i++)
        run->outcome.scores[i] =
            alcore__huds_of_row(lambda, alcore__scaled(&state->d_scale, state->d[i]), rest,
                                alcore__scaled(&state->u_scale, state->u[i]));
}

/* Facts of the report: the edges of the strata, where there are any, how many candidates each
 * stratum has, and with k-means how many iterations each needed. */
static alcore_status report_strata(alcore__run *run) {
    alcore__huds_state *state = run->state;
    double *edges, *counts, *passes;
    if (alcore__huds_has_scores(run)) {
        ALCORE__TRY(alcore__outcome_fact(run, "strata edges", state->strata + 1, &edges));
        memcpy(edges, state->edges, ((size_t)state->strata + 1) * sizeof *edges);
    }
    ALCORE__TRY(alcore__outcome_fact(run, "strata counts", state->strata, &counts));
    for (int64_t s = 0; s < state->strata; s++) counts[s] = (double)state->counts[s];
    if (state->clusters == 1) return ALCORE_OK;
    ALCORE__TRY(alcore__outcome_fact(run, "kmeans passes", state->strata, &passes));
    for (int64_t s = 0; s < state->strata; s++)
        passes[s] = (double)state->kmeans.each[s].iterations;
    return ALCORE_OK;
}

/* Adds the columns of the record, one entry per candidate: what H was made of, so that a reason can
 * be given without computing anything again. The record owns the arrays from now on; the state
 * has NULL. */
static alcore_status record_columns(alcore__run *run) {
    alcore__huds_state *state = run->state;
    if (alcore__huds_has_scores(run)) ALCORE__TRY(alcore__outcome_keep_column(run, "u", &state->u));
    ALCORE__TRY(alcore__outcome_keep_column(run, "d", &state->d));
    ALCORE__TRY(alcore__outcome_keep_integers(run, "stratum", &state->stratum));
    ALCORE__TRY(alcore__outcome_keep_integers(run, "cluster", &state->cluster));
    return alcore__outcome_score_column(run, "H");
}

/* With distances=needed `measured` is set before combine_terms(), which reads it; record_columns()
 * comes after, as the state has no u and d from then on. */
alcore_status alcore__huds_finish(alcore__run *run) {
    alcore__huds_state *state = run->state;
    if (state->brief) {
        combine_own(run);
        return ALCORE_OK;
    }
    alcore__free(run->ctx, state->group); /* only passes read it */
    state->group = NULL;
    if (state->only_needed) {
        run->outcome.measured = state->measured;
        ALCORE__TRY(report_value(run, "measured", (double)state->measured));
    }
    ALCORE__TRY(combine_terms(run, run->outcome.scores));
    ALCORE__TRY(record_columns(run));
    return report_strata(run);
}

/* The terms of H for the explanation of picks: column, the record column of the term's values;
 * within, that of the groups inside which it is compared, and groups, the fact with an entry for
 * each group; weight, its factor in H; alone, the strategy that the term alone would be; is_score,
 * whether a given column "scores" takes its place. */
const alcore__term alcore__huds_terms[] = {
    {.name = "uncertainty",
     .column = "u",
     .weight = alcore__huds_rest,
     .alone = "nnll",
     .is_score = true},
    {.name = "diversity",
     .column = "d",
     .within = "stratum",
     .groups = "strata counts",
     .weight = alcore__huds_lambda,
     .alone = "diversity"},
    {.name = NULL},
};
