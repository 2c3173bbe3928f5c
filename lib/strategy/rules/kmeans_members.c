/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates of each cluster, as kmeans_members.h describes them. */
#include "strategy/rules/kmeans_members.h"

#include <string.h>

alcore_status alcore__members_begin(alcore__run *run, alcore__members *members, int64_t count) {
    members->count = count;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &members->cluster_of));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, run->outcome.count, &members->member));
    return ALCORE__RUN_ARRAY(run, count + 1, &members->starts);
}

alcore_status alcore__members_read(alcore__block *block, void *partial) {
    memcpy(partial, alcore__kmeans_assigned(block), (size_t)block->count * sizeof(int32_t));
    return ALCORE_OK;
}

alcore_status alcore__members_store(alcore__run *run, const alcore__block_partial *partial) {
    alcore__members *members = partial->into;
    const int32_t *assigned = partial->extra;
    (void)run;
    for (int64_t i = 0; i < partial->count; i++)
        ALCORE__TRY(alcore__partial_check_index(assigned[i], members->count));
    memcpy(members->cluster_of + partial->start, assigned,
           (size_t)partial->count * sizeof *assigned);
    for (int64_t i = 0; i < partial->count; i++) members->starts[assigned[i] + 1]++;
    return ALCORE_OK;
}

/* starts has the number of each cluster's candidates one entry behind it. */
alcore_status alcore__members_list(alcore__run *run, alcore__members *members) {
    int64_t *next;
    const size_t height = alcore__run_height(run);
    for (int64_t c = 0; c < members->count; c++) members->starts[c + 1] += members->starts[c];
    ALCORE__TRY(ALCORE__RUN_PUSH(run, members->count, &next));
    memcpy(next, members->starts, (size_t)members->count * sizeof *next);
    for (int64_t i = 0; i < run->outcome.count; i++)
        members->member[next[members->cluster_of[i]]++] = i;
    alcore__run_drop(run, height);
    return ALCORE_OK;
}
