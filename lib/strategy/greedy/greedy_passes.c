/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of strategies that pick the row of the largest value again and again, by an
 * alcore__greedy_rule. The values of a block stay in the memory that the engine works in. */
#include "strategy/greedy/greedy.h"

/* The rule of the strategy, whose state begins with the engine's. */
static const alcore__greedy_rule *rule_of(const alcore__run *run) {
    return ((const alcore__greedy *)run->state)->rule;
}

/* Leaves the best row of the block as the partial. */
static alcore_status find_best(const alcore__matrix *matrix, alcore__greedy_best *best) {
    const alcore__greedy *greedy = matrix->block->run->state;
    const double *values = alcore__block_doubles(matrix->block);
    const uint8_t *mask;
    ALCORE__TRY(alcore__greedy_push_mask(greedy, matrix, &mask));
    return alcore__greedy_find_best(greedy, matrix, mask,
                                    values + greedy->rule->choice * matrix->rows.count, best);
}

/* The matrix rows of a block stay the same from here on: a copy of the embeddings, if the runner
 * makes one, was made in a pass before. */
static alcore_status visit_first(alcore__block *block, void *partial) {
    const alcore__greedy_rule *rule = rule_of(block->run);
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    ALCORE__TRY(alcore__block_fill(&matrix, rule->arrays * matrix.rows.count, rule->fill, NULL));
    ALCORE__TRY(rule->first(&matrix, alcore__block_doubles(block)));
    return find_best(&matrix, partial);
}

/* After a row was passed over only the mask has changed. */
static alcore_status visit_again(alcore__block *block, void *partial) {
    const alcore__greedy *greedy = block->run->state;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    if (greedy->bought) ALCORE__TRY(greedy->rule->update(&matrix, alcore__block_doubles(block)));
    return find_best(&matrix, partial);
}

/* End of both: the best candidate of all blocks is offered, with its value as its score. picked()
 * only prepares the next pass, so that after the last one it is not called. */
static alcore_status offer_best(alcore__run *run) {
    alcore__greedy *greedy = run->state;
    ALCORE__TRY(alcore__greedy_collect(run));
    if (greedy->ranks_once) return ALCORE_OK;
    ALCORE__TRY(alcore__greedy_turn(greedy, greedy->best_value, &greedy->bought));
    if (greedy->has_next && greedy->bought) ALCORE__TRY(greedy->rule->picked(run));
    alcore__greedy_clear_best(greedy);
    return ALCORE_OK;
}

/* The values of the last pass are the scores; those of the picks are set at the end. */
static alcore_status read_scores(alcore__block *block, void *partial) {
    const double *values = alcore__block_doubles(block);
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    return alcore__download_active(
        &matrix, values + rule_of(block->run)->choice * matrix.rows.count, partial);
}

const alcore__pass alcore__greedy_passes[] = {
    {.name = "first values",
     .block = visit_first,
     .partial = ALCORE__GREEDY_BEST,
     .end = offer_best,
     .start = alcore__greedy_start_pass},
    {.name = "after a pick",
     .block = visit_again,
     .partial = ALCORE__GREEDY_BEST,
     .end = offer_best,
     .start = alcore__greedy_start_pass,
     .when = ALCORE__GREEDY_HAS_NEXT,
     .again = ALCORE__GREEDY_HAS_NEXT},
    {.name = "scores", .block = read_scores, .partial = {.values = {ALCORE__SCORES}}},
    {.name = NULL},
};
