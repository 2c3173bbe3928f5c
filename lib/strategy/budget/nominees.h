/* SPDX-License-Identifier: Apache-2.0 */
/* The picks of a strategy over rows that lie in shards: each shard nominates candidates, and the
 * budget is spent on the nominees of all shards. Only for strategies whose definition says
 * in_shards; of others each shard gathers what they read. */
#ifndef ALCORE__NOMINEES_H
#define ALCORE__NOMINEES_H

#include "strategy/strategy_def.h"

/* A candidate that a shard nominates. */
typedef struct alcore__nominee {
    int64_t row;  /* in the order of all shards */
    double key;   /* what candidates are ranked by, the largest first */
    double score; /* as reported */
    double cost;  /* in the unit of the budget */
} alcore__nominee;

typedef struct alcore__nominees {
    alcore__nominee *entries; /* [count] owned */
    int64_t count;
    int64_t offered;   /* of these, the first ones, which every shard knows: they are offered to the
                        budget before all others, in this order, and their keys have no meaning */
    bool unaffordable; /* another row was passed over before, as it did not fit (fill=skip) */
} alcore__nominees;

/* Runs the strategy on a shard, whose place is in the input: *out, the best candidates, as many as
 * the whole budget buys of the shard alone. On failure *out is zeroed. Called as
 * alcore__strategy_run(). */
alcore_status alcore__strategy_nominate(const alcore_strategy *strategy,
                                        const alcore__run_input *input, alcore__nominees *out);
/* The same of a run whose passes are made, and whose input has the policy overshoot; behind those
 * that its strategy offers before all others. */
alcore_status alcore__run_nominate(alcore__run *run, alcore__nominees *out);
/* *out: whether the strategy with its parameters and the input allow a shard to keep the values of
 * its own rows only (ranks_own) and nominate. */
alcore_status alcore__strategy_ranks_own(const alcore_strategy *strategy,
                                         const alcore__run_input *input, bool *out);
/* Spends the budgets of `fill`, the same as those of the shards, on nominees [count] of all shards
 * in any order, which are sorted by what decides between equal keys. *out: what was bought; its
 * rows are indices into nominees, its scores their keys. The caller clears it. */
alcore_status alcore__nominees_spend(alcore_ctx *ctx, const alcore__fill *fill, uint64_t seed,
                                     alcore__nominees *nominees, alcore__outcome *out);
/* Appends what a strategy, whose definition has `gather`, reads of the rows of a shard. */
alcore_status alcore__strategy_gather(const alcore_strategy *strategy,
                                      const alcore__run_input *input, alcore__buffer *out);
void alcore__nominees_clear(alcore_ctx *ctx, alcore__nominees *nominees);

#endif
