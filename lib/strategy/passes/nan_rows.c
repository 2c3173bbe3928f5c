/* SPDX-License-Identifier: Apache-2.0 */
/* nan=exclude of a shard: it finds its own rows with a NaN before the run over all shards begins,
 * by the passes of nan_check.c, in a run of its own that ends behind them. */
#include "strategy/passes/runner.h"
#include "strategy/strategy_handle.h"

/* Whether the present pass is one over rows of the candidates' pool. */
static bool is_of_pool(const alcore__run *run) {
    const enum alcore__row_source source = alcore__present_pass(run)->source;
    return source == ALCORE__OVER_CANDIDATES || source == ALCORE__OVER_LABELED_ROWS;
}

/* Makes these passes of a run whose strategy has no passes of its own. */
static alcore_status make_passes(alcore__run *run) {
    alcore__shard *shard;
    ALCORE__TRY(alcore__shard_new(run, 0 /* part 0 of */, 1, &shard));
    alcore_status status = ALCORE_OK;
    while (status == ALCORE_OK && !alcore__run_done(run) && is_of_pool(run))
        status = alcore__run_make_pass(run, shard);
    alcore__shard_free(run, shard);
    return status;
}

alcore_status alcore__strategy_find_nan(const alcore_strategy *strategy,
                                        const alcore__run_input *input, uint8_t *nan) {
    alcore__strategy_def def = *strategy->def;
    def.begin = NULL;
    def.passes = NULL;
    alcore__run *run;
    ALCORE__TRY(alcore__run_begin(strategy, &def, &strategy->values, input, &run));
    const alcore_status status = make_passes(run);
    const uint8_t *marks = run->runner->nan[ALCORE__OVER_CANDIDATES];
    for (int64_t i = 0; status == ALCORE_OK && i < input->candidates.rows; i++) nan[i] = marks[i];
    alcore__run_free(run);
    return status;
}
