/* SPDX-License-Identifier: Apache-2.0 */
/* A run over the rows of all shards in each of the processes that have one. Every process knows
 * which rows are candidates and what they cost, visits the blocks that it has, and reduces the
 * partials of all: so each comes to the same pass and, at the end, to the same picks. Passes over
 * the labeled pool and the target, which every process has, are made by each alone.
 *
 *     until *waits is false:
 *         alcore__run_to_exchange()    passes up to one that needs the partials of other shards
 *         alcore__run_reduce()         those of all shards, in order
 *         alcore__run_end_pass()
 *
 * Where the input says so (alcore__own_rows) a run lists its own candidates only, and the labeled
 * rows of all: values of rows stay where they were computed, arrays have an entry for each own
 * candidate, and sums and extra bytes alone are exchanged, those of all blocks. Then each process
 * nominates (budget/nominees.h). For strategies whose definition says ranks_own.
 *
 * Only for strategies whose definition says by_passes. Blocks are those of all rows, so that a
 * process has whole ones; there are no wide blocks. */
#ifndef ALCORE__SHARD_PASSES_H
#define ALCORE__SHARD_PASSES_H

#include "strategy/passes/runner.h"

/* Makes passes up to the next one whose partials the processes exchange, and visits the own blocks
 * of that one, first .. end - 1: *out, an empty set, gets their partials, without those that have
 * no byte. *waits: false where the passes are over. After a failure the run can only be freed. */
alcore_status alcore__run_to_exchange(alcore__run *run, alcore__shard *shard, int64_t first,
                                      int64_t end, alcore__partials *out, bool *waits);
/* Adds what is missing to a sorted set of the partials of all blocks of the present pass: those
 * without bytes. Then checks all, but for their data, which may not be there: ALCORE_E_CORRUPT or
 * ALCORE_E_INTERNAL for one that the pass does not make. The run stays as it is. */
alcore_status alcore__run_complete_partials(alcore__run *run, alcore__partials *partials);

#endif
