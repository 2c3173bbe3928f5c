/* SPDX-License-Identifier: Apache-2.0 */
/* nan=exclude (spec 1.4): finds the rows with a NaN or infinity in the columns that the strategy
 * reads, before anything is decided. One pass over the scores of the candidates, and one over the
 * embeddings of each source (the candidates, the labeled rows of their pool, the labeled pool, the
 * target); the partial of a block is a byte for each of its
 * active rows, the rows that take part so far, 1 where the row is to be masked. The rows of a block
 * have an index in the block, a position among the active rows of the source, and a row number in
 * the pool. runner->nan[source] [rows of the pool] collects the marks; the runner lists the active
 * rows anew without them (pass_order.c). Of shards each looks at its own rows before the run over
 * all begins, in which only the labeled pool and the target are left to look at. */
#include <math.h>
#include <string.h>

#include "strategy/passes/runner.h"

/* Computes the rank of each active row, the number that candidates are ordered by, and sets the
 * partial, bad [active rows], to 1 where it is NaN, as the score and the raw quantity then are too.
 * With nan=exclude a scorer reports NaN for a row whose values are NaN or infinite instead of
 * failing, so one test covers both. */
static alcore_status check_scores(alcore__block *block, void *partial) {
    uint8_t *bad = partial;
    double *rank;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *rank, &rank));
    ALCORE__TRY(alcore__block_scores(block, rank, NULL, NULL)); /* without score and raw */
    for (int64_t i = 0; i < block->count; i++) {
        if (isnan(rank[i])) bad[i] = 1;
    }
    return ALCORE_OK;
}

/* Sets the partial, bad [active rows], to 1 for each embedding with a component that is not finite,
 * or whose squares overflow: the dot product of the row with itself (its self dot) shows both. */
static alcore_status check_embeddings(alcore__block *block, void *partial) {
    alcore__matrix matrix;
    double *self_dots; /* [matrix rows] */
    ALCORE__TRY(alcore__block_matrix_unchecked(block, false /* not as unit vectors */, &matrix));
    ALCORE__TRY(alcore__scratch_push(block, matrix.rows.count, sizeof *self_dots, &self_dots));
    ALCORE__TRY(ALCORE__KERNEL(block->run, self_dots, &matrix.rows, matrix.mask, self_dots));
    return alcore__matrix_check_dots(&matrix, self_dots, partial);
}

/* Reduces the partial of one block (partial->extra: bad [partial->count]): sets the marks of its
 * pool for the rows that a check marked; a mark that is set stays. Labeled rows of the candidates'
 * pool share the marks of the candidates, as both are rows of the same pool. */
static alcore_status mark_rows(alcore__run *run, const alcore__block_partial *partial) {
    const uint8_t *bad = partial->extra;
    const int64_t *rows = run->active[partial->source].rows + partial->start;
    const bool own = partial->source == ALCORE__OVER_LABELED_ROWS;
    uint8_t *nan = run->runner->nan[own ? ALCORE__OVER_CANDIDATES : partial->source];
    for (int64_t i = 0; i < partial->count; i++) nan[rows[i]] |= bad[i];
    return ALCORE_OK;
}

/* A byte for each active row. */
#define MARKS                                                                                      \
    { .row_bytes = 1, .reduce = mark_rows }

/* `when` of the first pass below: whether the strategy computes scores from columns. */
static bool computes_scores(const alcore__run *run) {
    return run->def->score_rows != NULL && !run->input->nan_found;
}
/* reads_...(): `when` of the others, whether the strategy reads embeddings of that source. */
static bool reads_candidates(const alcore__run *run) {
    return alcore__reads_embeddings(run, ALCORE_ROLE_CANDIDATES) && !run->input->nan_found;
}
static bool reads_labeled(const alcore__run *run) {
    return alcore__reads_embeddings(run, ALCORE_ROLE_LABELED);
}
/* Labeled rows of the candidates' pool: a strategy reads them where it reads the labeled pool, in
 * the columns of the candidates, or where it says so. A host's function sees them whatever it needs
 * of the labeled pool (alcore__strategy_reads()). Without a handle (run->strategy NULL, in tests)
 * the needs decide. */
static bool reads_labeled_rows(const alcore__run *run) {
    bool wanted = run->strategy ? alcore__strategy_reads(run->strategy, ALCORE_ROLE_LABELED)
                                : reads_labeled(run);
    if (run->def->reads_labeled_rows) wanted = run->def->reads_labeled_rows(run);
    return wanted && reads_candidates(run);
}
static bool reads_target(const alcore__run *run) {
    return alcore__reads_embeddings(run, ALCORE_ROLE_TARGET);
}

const alcore__pass alcore__find_nan_passes[] = {
    {.name = "scores that are NaN",
     .scores = true,
     .block = check_scores,
     .partial = MARKS,
     .when = ALCORE__TEST(computes_scores)},
    {.name = "NaN among candidates",
     .keeps_nothing = true,
     .block = check_embeddings,
     .partial = MARKS,
     .when = ALCORE__TEST(reads_candidates)},
    {.name = "NaN among labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = check_embeddings,
     .partial = MARKS,
     .when = ALCORE__TEST(reads_labeled_rows)},
    {.name = "NaN in the labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = check_embeddings,
     .partial = MARKS,
     .when = ALCORE__TEST(reads_labeled)},
    {.name = "NaN in the target",
     .source = ALCORE__OVER_TARGET,
     .block = check_embeddings,
     .partial = MARKS,
     .when = ALCORE__TEST(reads_target)},
    {.name = NULL},
};
