/* SPDX-License-Identifier: Apache-2.0 */
/* The state of UNCERTAINTY-KNN, and its last step, which buys. The terms are those of
 * uncertainty_knn.c. */
#ifndef ALCORE__UNCERTAINTY_KNN_H
#define ALCORE__UNCERTAINTY_KNN_H

#include "strategy/rules/target_groups.h"
#include "strategy/rules/target_hybrid.h"

typedef struct alcore__uncertainty_knn {
    alcore__hybrid hybrid; /* the budget */
    double *uncertainty;   /* [candidates] filled by the first pass */
    bool by_mean, cover;   /* prox=mean, cover=1 */
    bool balanced;         /* balance_targets=1 */
    bool in_turns;         /* balanced, with prox=min and without cover */
    double factor;         /* c, 1 or more */
    uint8_t *is_member;    /* [candidates] 1: in C */
    int64_t *members;      /* [member_count] positions of C, the most uncertain first */
    int64_t member_count;
    /* [candidates] prox of the members of C: the squared distance to the nearest target row or,
     * with prox=mean, the mean distance (not squared); with cover=1 the squared distance to the
     * target row whose visit offered the candidate, and in turns that to the nearest row of the
     * group that bought it. NaN: no such distance is known */
    double *prox;
    alcore__target_groups groups; /* the languages of the target, or one group of all its rows */
    int64_t *buyer;               /* [candidates] the group for which it was bought; -1: none */
    /* With cover=1 and in turns, the members of C in row order, not in that of `members`: */
    int64_t *member_positions; /* [member_count] position of each */
    int64_t collected;         /* members whose values the pass has stored so far */
    double *vectors;           /* cover: [member_count + 1, dims] their embeddings; the last row is
                                    that of the visited row of the target */
    double *nearest;     /* in turns: [member_count, groups] their squared distances to the nearest
                              row of each group */
    uint8_t *group_mask; /* in turns: [groups, target rows] 1: an active row of the group */
    alcore__vectors engine_vectors; /* cover: `vectors`, while the budget is spent */
} alcore__uncertainty_knn;

/* Spends the budget on C by the rule of the parameters, after the last pass (uncertainty_buy.c). */
alcore_status alcore__uncertainty_knn_buy(alcore__run *run);

#endif
