/* SPDX-License-Identifier: Apache-2.0 */
/* What strategies share that only rank by a score of lib/scorer (nnll, nsp, lc, entropy, margin,
 * uncertainty, rttl, rtt-bleu): one pass that scores the candidates. A score has three values for
 * each row: `rank`, what rows are ordered by, the largest first; `score`, what is reported, in the
 * same order but perhaps saturated (nsp rounds to 1); `raw`, the quantity of the paper, which
 * becomes the record column raw_name of the strategy. The state has an array of each, [candidates].
 *
 * Reads the score's columns once. Memory: 24 bytes a candidate. */
#include <string.h>

#include "strategy/block.h"

alcore_status alcore__rank_by_score_begin(alcore__run *run) {
    alcore__ranked_scores *state = run->state;
    const int64_t count = run->outcome.count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->rank));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->score));
    return ALCORE__RUN_ARRAY(run, count, &state->raw);
}

/* The partial is rank, score and raw, double [active rows] each, by the score_rows of the
 * strategy's definition. */
static alcore_status score_block(alcore__block *block, void *partial) {
    double *rank = partial, *score = rank + block->count, *raw = score + block->count;
    return alcore__block_scores(block, rank, score, raw);
}

const alcore__pass alcore__rank_by_score_passes[] = {
    {.name = "scores",
     .scores = true,
     .block = score_block,
     .partial = {.values = {ALCORE__VALUES(alcore__ranked_scores, rank),
                            ALCORE__VALUES(alcore__ranked_scores, score),
                            ALCORE__VALUES(alcore__ranked_scores, raw)}}},
    {.name = NULL},
};

/* Called after the last pass; the runner then ranks and buys by the keys. */
alcore_status alcore__rank_by_score_finish(alcore__run *run) {
    alcore__ranked_scores *state = run->state;
    size_t bytes = (size_t)run->outcome.count * sizeof(double);
    ALCORE__TRY(alcore__outcome_keep_column(run, run->def->raw_name, &state->raw));
    memcpy(run->outcome.scores, state->score, bytes);
    run->keys = state->rank; /* borrowed until the state is freed */
    return ALCORE_OK;
}
