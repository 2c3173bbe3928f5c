/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of strategies that pick the row of the largest value again and again, by an
 * alcore__greedy_rule. The values of a block stay in the memory that the engine works in, and its
 * matrix rows stay the same from the first visit on: a copy of the embeddings, if the runner makes
 * one, is made then. */
#include <math.h>
#include <string.h>

#include "strategy/greedy/greedy.h"

/* The rule of the strategy, whose state begins with the engine's. */
static const alcore__greedy_rule *rule_of(const alcore__run *run) {
    return ((const alcore__greedy *)run->state)->rule;
}

alcore_status alcore__greedy_open(alcore__block *block, alcore__matrix *matrix, double **values) {
    const alcore__greedy_rule *rule = rule_of(block->run);
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, matrix));
    if (!alcore__block_doubles(block))
        ALCORE__TRY(
            alcore__block_fill(matrix, rule->arrays * matrix->rows.count, rule->fill, NULL));
    *values = alcore__block_doubles(block);
    return ALCORE_OK;
}

/* ---- pass "choice" ---- */

/* The best row of a block whose values lie in host memory as bounds. It is searched twice where
 * left_value is wanted: rows that the budget passed over are left, but cannot be picked. */
static alcore_status search_best(const alcore__matrix *matrix, double *values,
                                 alcore__greedy_best *best) {
    const alcore__greedy_rule *rule = rule_of(matrix->block->run);
    int64_t index;
    double value;
    if (rule->finds_left) ALCORE__TRY(rule->search(matrix, values, false, &index, &best->left));
    ALCORE__TRY(rule->search(matrix, values, true /* pickable */, &index, &value));
    return alcore__greedy_write_best(matrix, index, value, best);
}

/* The best row of a block by the array `choice`. One search finds left_value too, unless some of
 * the rows that are left cannot be bought. */
static alcore_status find_best(const alcore__matrix *matrix, double *values,
                               alcore__greedy_best *best) {
    const alcore__greedy *greedy = matrix->block->run->state;
    const double *compared = values + greedy->rule->choice * matrix->rows.count;
    const bool same = alcore__greedy_left_are_free(greedy);
    const uint8_t *mask;
    if (greedy->rule->finds_left && !same) {
        ALCORE__TRY(alcore__greedy_push_left(greedy, matrix, &mask));
        ALCORE__TRY(alcore__greedy_max_left(greedy, matrix, mask, compared, &best->left));
    }
    ALCORE__TRY(alcore__greedy_push_mask(greedy, matrix, &mask));
    ALCORE__TRY(alcore__greedy_find_best(greedy, matrix, mask, compared, best));
    if (same && best->position >= 0) best->left = best->value;
    return ALCORE_OK;
}

/* The size of the partial, an alcore__greedy_best. */
static size_t best_bytes(const alcore__block *block) {
    return sizeof(alcore__greedy_best) +
           (size_t)alcore__embedding_dims(block->run) * sizeof(double);
}

/* The values change where the last pass ended with a pick; after a row was passed over only the
 * mask has changed. */
static alcore_status visit(alcore__block *block, void *partial) {
    const alcore__greedy *greedy = block->run->state;
    const alcore__greedy_rule *rule = greedy->rule;
    alcore__matrix matrix;
    double *values;
    ALCORE__TRY(alcore__greedy_open(block, &matrix, &values));
    if (!greedy->searched && rule->first) ALCORE__TRY(rule->first(&matrix, values));
    if (greedy->bought && rule->update) ALCORE__TRY(rule->update(&matrix, values));
    const bool bounds = rule->search && !alcore__run_kernels(block->run)->upload;
    return bounds ? search_best(&matrix, values, partial) : find_best(&matrix, values, partial);
}

/* The position of the best candidate of a block, which may come from another process, in this run;
 * -1: it is of another shard, or there is none. */
static alcore_status find_position(const alcore__run *run, const alcore__greedy_best *best,
                                   int64_t *out) {
    *out = best->position;
    if (best->position < 0) return ALCORE_OK;
    if (!alcore__lists_own(run))
        return alcore__partial_check_index(best->position, run->outcome.count);
    ALCORE__TRY(alcore__partial_check_index(best->row, run->input->candidates.rows));
    if (!isfinite(best->cost) || !(best->cost > 0.0))
        return alcore__fail(ALCORE_E_CORRUPT, "row %lld has no cost that is bought",
                            (long long)best->row);
    *out = alcore__candidate_position(run, best->row);
    return ALCORE_OK;
}

/* Blocks are reduced in order and only a larger value replaces the one before, so the lower row is
 * kept in a tie. */
static alcore_status keep_best(alcore__run *run, const alcore__block_partial *partial) {
    alcore__greedy *greedy = run->state;
    const alcore__greedy_best *best = partial->extra;
    int64_t position;
    ALCORE__TRY(find_position(run, best, &position));
    if (best->left > greedy->left_value) greedy->left_value = best->left;
    if (best->position < 0 || (greedy->best_row >= 0 && !(best->value > greedy->best_value)))
        return ALCORE_OK;
    greedy->best = position;
    greedy->best_row = best->row;
    greedy->best_cost = best->cost;
    greedy->best_value = best->value;
    memcpy(greedy->best_vector, best->vector, (size_t)alcore__embedding_dims(run) * sizeof(double));
    return ALCORE_OK;
}

/* The best of two blocks, of which the first has the lower rows. */
static void join_best(const alcore__block *block, void *into, const void *next, size_t bytes) {
    const alcore__greedy_best *best = next;
    alcore__greedy_best *kept = into;
    (void)block;
    const double left = best->left > kept->left ? best->left : kept->left;
    if (best->position >= 0 && (kept->position < 0 || best->value > kept->value))
        memcpy(into, next, bytes);
    kept->left = left;
}

/* The score of a row with a value of the array `choice`. */
static double score_of(const alcore__greedy_rule *rule, double value) {
    return rule->score ? rule->score(value) : value;
}

/* The best candidate of all blocks is offered. picked() only prepares the next pass, so that after
 * the last one it is not called. */
static alcore_status offer_best(alcore__run *run) {
    alcore__greedy *greedy = run->state;
    const alcore__greedy_rule *rule = greedy->rule;
    ALCORE__TRY(alcore__greedy_collect(run));
    greedy->searched = true;
    if (rule->searched) ALCORE__TRY(rule->searched(run));
    ALCORE__TRY(alcore__greedy_turn(greedy, score_of(rule, greedy->best_value), &greedy->bought));
    greedy->has_next |= greedy->bought && rule->finds_left;
    if (greedy->has_next && greedy->bought) ALCORE__TRY(rule->picked(run));
    alcore__greedy_clear_best(greedy);
    return ALCORE_OK;
}

/* ---- pass "scores" ---- */

/* Whether the scores of candidates that were not picked are looked at. */
static bool wants_scores(const alcore__run *run) {
    return ((const alcore__greedy *)run->state)->ranks_once || !run->input->only_picks;
}

/* The values of the last pass are the scores; those of the picks are set at the end. With
 * ranks_once there was no pass, and the scores before the first pick are made here. */
static alcore_status read_scores(alcore__block *block, void *partial) {
    const alcore__greedy *greedy = block->run->state;
    const alcore__greedy_rule *rule = greedy->rule;
    double *scores = partial, *values;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__greedy_open(block, &matrix, &values));
    if (greedy->ranks_once && rule->first) ALCORE__TRY(rule->first(&matrix, values));
    if (rule->complete) ALCORE__TRY(rule->complete(&matrix, values));
    ALCORE__TRY(
        alcore__download_active(&matrix, values + rule->choice * matrix.rows.count, scores));
    for (int64_t i = 0; i < block->count; i++) scores[i] = score_of(rule, scores[i]);
    return ALCORE_OK;
}

const alcore__pass alcore__greedy_passes[] = {
    {.name = "choice",
     .block = visit,
     .partial = {.extra = best_bytes, .reduce = keep_best, .join = join_best},
     .end = offer_best,
     .start = alcore__greedy_start_pass,
     .when = ALCORE__UNLESS(alcore__greedy, ranks_once),
     .again = ALCORE__GREEDY_HAS_NEXT},
    {.name = "scores",
     .block = read_scores,
     .partial = {.values = {ALCORE__SCORES}},
     .when = ALCORE__TEST(wants_scores)},
    {.name = NULL},
};
