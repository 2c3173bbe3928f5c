/* SPDX-License-Identifier: Apache-2.0 */
/* HUDS with distances=needed: d is measured only where it can matter (spec 3.10). As d is at most
 * 2, H of a stratum is at most 2 lambda + (1 - lambda) max u. Strata are measured from that of the
 * largest u down, a batch of them at a time, until the budget is spent on rows whose H is above
 * that bound of the largest u left. The picks are the same; d and H of the rows that were left out
 * are NaN.
 *
 * In the passes over a batch the active rows are those of the batch, state->batch_positions:
 * position k of such a pass is the candidate batch_positions[k]. */
#include <math.h>

#include "strategy/rules/huds/huds.h"

/* Prepares distances=needed: d and the score of every row are NaN, not measured. Parameters that
 * need all rows are refused: a common scale needs all distances, min_stratum the centroid of all
 * rows, and k-means runs over all strata together. */
alcore_status alcore__huds_begin_needed(alcore__run *run) {
    alcore__huds_state *state = run->state;
    if (!state->only_needed) return ALCORE_OK;
    if (run->rescale != ALCORE__RESCALE_NONE || state->min_stratum > 0 || state->clusters > 1)
        return alcore__fail(ALCORE_E_INVALID,
                            "strategy huds: distances=needed works with rescale=none, "
                            "min_stratum=0 and k_clusters=1 only; set these, or distances=all");
    state->batch_first_stratum = state->strata;
    for (int64_t i = 0; i < run->outcome.count; i++)
        state->d[i] = run->outcome.scores[i] = (double)NAN;
    return ALCORE_OK;
}

/* Makes the next batch of strata with distances=needed the source of the passes that follow: strata
 * below the last batch in falling order, until they have as many rows as were measured before and
 * as the budget is expected to buy. So the number of batches grows with the logarithm of the
 * candidates only. Called while some candidate is not measured, so a batch has a row. */
alcore_status alcore__huds_choose_strata(alcore__run *run) {
    alcore__huds_state *state = run->state;
    int64_t end = state->batch_first_stratum, rows = 0, low = end;
    double min_rows = fmax(1.0, fmax(alcore__expected_picks(run), (double)state->measured));
    while (low > 0 && (double)rows < min_rows) rows += state->counts[--low];
    state->batch_count = 0;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, rows, &state->batch_positions));
    for (int64_t i = 0; i < run->outcome.count; i++)
        if (state->stratum[i] >= low && state->stratum[i] < end)
            state->batch_positions[state->batch_count++] = i;
    state->batch_first_stratum = low;
    return alcore__run_choose(run, state->batch_positions, rows);
}

/* Reduces the partial of one block of a batch: stores the distances of its rows, and their H as
 * scores, by which the trial purchase in alcore__huds_end_batch() ranks. */
alcore_status alcore__huds_store_batch(alcore__run *run, const alcore__block_partial *partial) {
    alcore__huds_state *state = run->state;
    const double *d = partial->extra;
    double lambda = alcore__huds_lambda(run), rest = alcore__huds_rest(run);
    for (int64_t i = 0; i < partial->count; i++) {
        int64_t candidate = state->batch_positions[partial->start + i];
        state->d[candidate] = d[i];
        run->outcome.scores[candidate] =
            alcore__huds_of_row(lambda, d[i], rest, state->u[candidate]);
    }
    return ALCORE_OK;
}

/* An upper bound of H over the rows of the strata 0 .. end - 1: H of the largest u among them with
 * the largest possible d, 2. Rounding is monotonic, so the bound holds for what
 * alcore__huds_of_row() returns, not only for exact sums. */
static double score_upper_bound(const alcore__run *run, int64_t end) {
    const alcore__huds_state *state = run->state;
    double largest_u = (double)-INFINITY;
    for (int64_t i = 0; i < run->outcome.count; i++)
        if (state->stratum[i] < end) largest_u = fmax(largest_u, state->u[i]);
    return alcore__huds_of_row(alcore__huds_lambda(run), 2.0 /* the largest d */,
                               alcore__huds_rest(run), largest_u);
}

/* End of the passes over a batch: decides, by a trial purchase from the rows measured so far,
 * whether a row that is not measured can still be picked, and chooses the next batch if so. */
alcore_status alcore__huds_end_batch(alcore__run *run) {
    alcore__huds_state *state = run->state;
    state->measured += state->batch_count;
    state->all_picks_known = state->measured == run->outcome.count;
    if (!state->all_picks_known)
        ALCORE__TRY(alcore__fill_ends_above(run, run->outcome.scores,
                                            score_upper_bound(run, state->batch_first_stratum),
                                            &state->all_picks_known));
    return state->all_picks_known ? ALCORE_OK : alcore__huds_choose_strata(run);
}

/* Condition of the passes over a batch of strata. */
bool alcore__huds_has_batch(const alcore__run *run) {
    const alcore__huds_state *state = run->state;
    return state->only_needed && !state->all_picks_known;
}
