/* SPDX-License-Identifier: Apache-2.0 */
/* Spending a budget with fill=skip on rows that lie in shards and have costs. Which row is skipped
 * depends on what all shards have bought before, so that no shard knows its picks. They are found
 * in rounds, each with an exchange of nominees:
 *
 *   a shard nominates  of its candidates behind the last row that was looked at, those that still
 *                      fit, in the order of ranks, until they cost what is left together
 *   all look at        the nominees of all, in order, up to the last one of a shard that may have
 *                      more: behind that row another one of this shard may come
 *
 * What did not fit before a round does not fit later, as what is left only shrinks. The best
 * nominee of all fits and is bought, so that the rounds end; in most of them all nominees of one
 * shard are looked at, so that less than the cost of one of them is left. */
#ifndef ALCORE__SKIP_ROUNDS_H
#define ALCORE__SKIP_ROUNDS_H

#include "strategy/budget/nominees.h"

/* Where the rounds have come to; the same in every shard. */
typedef struct alcore__skip_rounds {
    double budget, spent;
    alcore__nominees bought; /* in the order of buying */
    size_t capacity;
    alcore__nominee last; /* all rows up to this one were looked at */
    bool any;             /* there is such a row */
    bool ended;
} alcore__skip_rounds;

/* Whether a candidate of some shard was not bought and costs more than 0: as the budget was not
 * spent, it did not fit. */
static inline bool alcore__unbought_in_all(const alcore__run *run, const alcore__nominees *bought) {
    return bought->count < run->input->own.candidates - run->input->own.free;
}
/* Whether the picks of a run over own rows are bought so. */
bool alcore__spends_in_rounds(const alcore__run_input *input);
/* Finishes the strategy, whose passes are made, and begins with what it offers before all others,
 * which fits. `rounds` has no memory. */
alcore_status alcore__skip_begin(alcore__run *run, alcore__skip_rounds *rounds);
/* Begins anew, under another budget of the input, where the strategy offers nothing. */
void alcore__skip_restart(const alcore__run *run, alcore__skip_rounds *rounds);
/* The nominees of the shard: *out, owned by the caller. */
alcore_status alcore__skip_nominate(alcore__run *run, const alcore__skip_rounds *rounds,
                                    alcore__nominees *out);
/* Looks at the nominees of all shards: those of shard s are ends[s - 1] .. ends[s] - 1 (of the
 * first from 0), in the order in which it has nominated them. ALCORE_E_CORRUPT, which leaves the
 * rounds as they were: a nominee that does not fit or was looked at before. */
alcore_status alcore__skip_take(const alcore__run *run, const alcore__nominees *nominees,
                                const int64_t *ends, int64_t shards, alcore__skip_rounds *rounds);
/* Once they have ended: moves what was bought to *out, which the caller clears. */
void alcore__skip_bought(const alcore__run *run, alcore__skip_rounds *rounds,
                         alcore__nominees *out);
void alcore__skip_clear(alcore_ctx *ctx, alcore__skip_rounds *rounds);

#endif
