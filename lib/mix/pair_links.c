/* SPDX-License-Identifier: Apache-2.0 */
/* Aligns sentence pairs in both directions (pair_links.h). */
#include "mix/pair_links.h"

#include "text/aligner_model.h"

/* The links of one direction. swap: the texts change places, the links keep their orientation. */
static alcore_status align(alcore_ctx *ctx, const alcore__text_source *sources,
                           const alcore__text_source *targets, bool swap, alcore__links *out) {
    alcore__aligner *aligner = NULL;
    ALCORE__TRY(alcore__aligner_train(ctx, swap ? targets : sources, swap ? sources : targets,
                                      NULL /* default options */, &aligner));
    const alcore_status status = alcore__aligner_links(aligner, swap, out);
    alcore__aligner_free(aligner);
    return status;
}

/* Trains and links one direction after the other, so that only one model is in memory at a time. */
alcore_status alcore__pairs_align(alcore_ctx *ctx, const alcore__text_source *sources,
                                  const alcore__text_source *targets, alcore__links *out) {
    alcore__links forward = {0}, reverse = {0};
    alcore_status status = align(ctx, sources, targets, false, &forward);
    if (status == ALCORE_OK) status = align(ctx, sources, targets, true, &reverse);
    if (status == ALCORE_OK)
        status = alcore__links_symmetrize(ctx, &forward, &reverse,
                                          ALCORE__SYMMETRIZE_GROW_DIAG_FINAL_AND, out);
    alcore__links_clear(ctx, &forward);
    alcore__links_clear(ctx, &reverse);
    return status;
}
