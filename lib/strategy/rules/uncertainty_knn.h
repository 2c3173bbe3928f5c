/* SPDX-License-Identifier: Apache-2.0 */
/* The state of UNCERTAINTY-KNN, and its last step, which buys. The terms are those of
 * uncertainty_knn.c. */
#ifndef ALCORE__UNCERTAINTY_KNN_H
#define ALCORE__UNCERTAINTY_KNN_H

#include "strategy/budget/nominees.h"
#include "strategy/rules/target_groups.h"
#include "strategy/rules/target_hybrid.h"

/* A member of C, and what a shard tells of one that may be. */
typedef struct alcore__uncertain_row {
    int64_t row;        /* of the candidates' pool */
    double uncertainty; /* larger = more uncertain */
    double cost;        /* in the unit of the budget */
} alcore__uncertain_row;

typedef struct alcore__uncertainty_knn {
    alcore__hybrid hybrid; /* the budget */
    double *uncertainty;   /* [candidates] filled by the first pass */
    bool by_mean, cover;   /* prox=mean, cover=1 */
    bool balanced;         /* balance_targets=1 */
    bool in_turns;         /* balanced, with prox=min and without cover */
    double factor;         /* c, 1 or more */
    /* Of a run over own rows: what the shards have told, ascending rows. */
    alcore__uncertain_row *told; /* [told_count] */
    size_t told_capacity;
    int64_t told_count;
    /* C; a member is known by its number, in the order of rows. Arrays are [member_count]. */
    alcore__uncertain_row *members;
    int64_t *by_uncertainty; /* members, the most uncertain first */
    int64_t *number;         /* by which the filler and `buyer` know each: its position among the
                                candidates; in a run over own rows the member itself */
    int64_t member_count;
    /* The squared distance of each member to the nearest target row or, with prox=mean, the mean
     * distance (not squared); with cover=1 the squared distance to the target row whose visit
     * offered it, and in turns that to the nearest row of the group that bought it. NaN: no such
     * distance is known */
    double *prox;
    alcore__target_groups groups; /* the languages of the target, or one group of all its rows */
    int64_t *buyer;               /* [candidates, or members] the group for which it was bought;
                                     -1: none */
    double *vectors; /* cover: [member_count + 1, dims] embeddings of C; the last row is that of the
                        visited row of the target */
    double *nearest; /* in turns: [member_count, groups] squared distances to the nearest row of
                        each group */
    uint8_t *group_mask; /* in turns: [groups, target rows] 1: an active row of the group */
    alcore__vectors engine_vectors; /* cover: `vectors`, while the budget is spent */
    alcore__nominees offered;       /* of a run over own rows: the picks */
} alcore__uncertainty_knn;

/* ---- C (uncertainty_members.c) ---- */

/* For the partial of the pass "uncertainty" in a run over own rows: tells which candidates of the
 * shard may be in C, and takes that of all. */
alcore_status alcore__uncertain_tell(alcore__run *run, alcore__buffer *out);
alcore_status alcore__uncertain_take(alcore__run *run, const alcore__block_partial *partial);
/* End of the pass: makes C, with prox of NaN. */
alcore_status alcore__uncertain_choose(alcore__run *run);
/* The first member that is in a block or behind it. */
int64_t alcore__uncertain_first(const alcore__uncertainty_knn *state, int64_t block);
/* How many members are in a block, which may be one of another shard. */
int64_t alcore__uncertain_count(const alcore__block *block);
/* Those of a visited block: *indices [members of the block] of its active rows, and *wanted [active
 * rows], 1 for them; on the scratch stack. */
alcore_status alcore__uncertain_indices(alcore__block *block, int64_t **indices, uint8_t **wanted);

/* ---- the budget (uncertainty_buy.c) ---- */

/* Spends the budget on C by the rule of the parameters, after the last pass. */
alcore_status alcore__uncertainty_knn_buy(alcore__run *run);

#endif
