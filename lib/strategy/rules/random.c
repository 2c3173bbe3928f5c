/* SPDX-License-Identifier: Apache-2.0 */
/* Random sentences (spec 4.1): the candidates in the order of a draw without replacement by the
 * generator derive(seed, 3, round, 0). Reads no column and makes no pass. */
#include "base/rng.h"
#include "strategy/strategies.h"

enum { TAG_RANDOM = 3 };

/* Draws all candidates and scores them by their rank in the draw, from 1 down to 1 / count, so that
 * the runner's ranking by score is the draw. drawn [count]: positions in the order of the draw. */
static alcore_status finish(alcore__run *run) {
    int64_t count = run->outcome.count, *drawn;
    ALCORE__TRY(alcore__new_array(run->ctx, (size_t)count, sizeof *drawn, &drawn));
    alcore__rng rng;
    alcore__rng_seed(
        &rng, alcore__rng_derive(run->input->seed, TAG_RANDOM, (uint64_t)run->input->round, 0));
    alcore_status status = alcore__rng_sample(NULL, &rng, count, count, drawn);
    for (int64_t i = 0; i < count && status == ALCORE_OK; i++) {
        run->outcome.scores[drawn[i]] = (double)(count - i) / (double)count;
    }
    alcore__free(run->ctx, drawn);
    return status;
}

static const alcore__param_table PARAMS = {NULL, 0};

const alcore__strategy_def alcore__strategy_random = {
    .name = "random",
    .summary = "Rows drawn at random without replacement",
    .reason = "drawn at random",
    .params = &PARAMS,
    .finish = finish,
};
