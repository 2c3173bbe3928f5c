/* SPDX-License-Identifier: Apache-2.0 */
/* The target by language (spec 7.1): groups of target rows, which have equal weight in the choice
 * with balance_targets=1. A group is a language of the target that has an active row; groups are
 * numbered in byte order of their tags. Without balance_targets, or where the target has no
 * languages, all active rows are one group. */
#ifndef ALCORE__TARGET_GROUPS_H
#define ALCORE__TARGET_GROUPS_H

#include "strategy/budget/fill.h"

/* A zeroed struct has no group. The arrays belong to the run. */
typedef struct alcore__target_groups {
    int64_t count;     /* number of groups, at least 1 */
    int32_t *group_of; /* [rows of the target pool] group of each row; -1: not active */
    double *rows;      /* [count] how many active target rows each group has, 1 or more */
    int32_t *language; /* [count] number of each group's language among all tags of the target; 0
                          where all rows are one group */
    int64_t *members;  /* [active rows of the target] rows of the target pool by group, ascending
                          within each */
    int64_t *starts;   /* [count + 1] where each group begins in members */
} alcore__target_groups;

/* Groups the active rows of the run's target, by language if `balanced`. groups: a member of the
 * strategy's state. */
alcore_status alcore__target_groups_new(alcore__run *run, bool balanced,
                                        alcore__target_groups *groups);

/* The mean over the groups of the mean over their rows; sums [count]: the sum over the rows of each
 * group. */
double alcore__target_groups_mean(const alcore__target_groups *groups, const double *sums);
/* mean [active rows of the block]: the mean over the groups of the mean Euclidean distance of each
 * row to the rows of the group, of the rows whose wanted [active rows] is 1; other entries have no
 * meaning. */
alcore_status alcore__target_groups_distances(const alcore__target_groups *groups,
                                              const alcore__matrix *matrix, const uint8_t *wanted,
                                              double *mean);

/* Lists of candidates, one for each group, the best first; a candidate may be in several. */
typedef struct alcore__group_lists {
    const int64_t *starts;    /* [groups + 1] group g has entries starts[g] .. starts[g + 1] - 1 */
    const int64_t *positions; /* [starts[groups]] candidates */
    int64_t candidates;       /* positions are below this */
} alcore__group_lists;

/* Buys in turns: the group that has spent least, of equal ones the first, offers the first
 * candidate of its list that no group has offered yet, until the budget is spent or all lists are
 * used up. What a candidate costs is spent by the group that offered it. buyer [candidates]: set to
 * the group that bought the candidate; entries of others stay. */
alcore_status alcore__target_groups_buy(const alcore__target_groups *groups,
                                        const alcore__group_lists *lists, alcore__filler *filler,
                                        int64_t *buyer);

/* Adds the record column "target_language": for each candidate the language number of the group
 * buyer [candidates] that bought it, -1 where that is -1. */
alcore_status alcore__target_groups_record(alcore__run *run, const alcore__target_groups *groups,
                                           const int64_t *buyer);

#endif
