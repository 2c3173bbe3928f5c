/* SPDX-License-Identifier: Apache-2.0 */
/* Uncertainty and the target, for knn-uncertainty and uncertainty-knn, whose states begin with an
 * alcore__hybrid: the filler, which spends the budget. A block is 8192 adjacent pool rows, of which
 * the active ones take part. */
#include "strategy/rules/target_hybrid.h"

/* Whether the uncertainty is measured on the probabilities of answers, which the parameters then
 * ask for, or of classes, or on columns computed from those (margins, confidences, entropies); else
 * it is a given score, or NNLL of the tokens, and the parameters mode and margin have no effect.
 * The columns that the candidates have tell which. */
static bool has_modes(const alcore__run *run) {
    static const char *const given[] = {"scores", "logprobs"};
    if (alcore__uncertainty_is_of_answers(&run->score_params)) return true;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (alcore__dataset_find(&run->input->candidates, given[i])) return false;
    return true;
}

alcore_status alcore__hybrid_begin(alcore__run *run, bool names_source) {
    alcore__hybrid *hybrid = run->state;
    if (alcore__uncertainty_has_mode(&run->score_params, names_source) && !has_modes(run))
        return alcore__fail(ALCORE_E_PARAM,
                            "strategy %s: mode and margin say what is measured of class "
                            "probabilities, but the uncertainty is given otherwise",
                            run->def->name);
    return alcore__filler_begin(&hybrid->filler, run);
}

alcore_status alcore__hybrid_score_block(alcore__block *block, void *partial) {
    return alcore__block_scores(block, partial, NULL /* score */, NULL /* raw */);
}

alcore_status alcore__hybrid_candidate(const alcore__block *block, int64_t row, int64_t *index) {
    *index = alcore__first_from(block->rows, block->count, row);
    if (*index == block->count || block->rows[*index] != row)
        return alcore__fail(ALCORE_E_CORRUPT, "row %lld of a message is no candidate",
                            (long long)row);
    return ALCORE_OK;
}

alcore_status alcore__hybrid_check_target(alcore__block *block, void *partial) {
    alcore__matrix matrix;
    (void)partial; /* the pass has none */
    ALCORE__TRY(alcore__block_matrix(block, false /* not as unit vectors */, &matrix));
    return alcore__matrix_check(&matrix);
}
