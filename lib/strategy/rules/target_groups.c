/* SPDX-License-Identifier: Apache-2.0 */
/* The target by language, as target_groups.h describes it. A position numbers the candidates from 0
 * in the order of their pool rows. An active row of the target is one that no mask leaves out. The
 * filler spends the budget: a candidate that is offered to it is bought or passed over. */
#include "strategy/rules/target_groups.h"

#include <string.h>

/* Makes members and starts of the groups, once group_of and rows, how many each has, are known.
 * next is left for the caller to drop. */
static alcore_status list_members(alcore__run *run, const alcore__active_rows *active,
                                  alcore__target_groups *groups) {
    int64_t *next; /* [groups] where the group's next row goes */
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, active->count, &groups->members));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, groups->count + 1, &groups->starts));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, groups->count, &next));
    for (int64_t g = 0; g < groups->count; g++) {
        next[g] = groups->starts[g];
        groups->starts[g + 1] = groups->starts[g] + (int64_t)groups->rows[g];
    }
    for (int64_t i = 0; i < active->count; i++) {
        const int64_t row = active->rows[i];
        groups->members[next[groups->group_of[row]]++] = row;
    }
    return ALCORE_OK;
}

/* Languages are numbered in the order of their tags. row_language [rows of the target]: number of
 * each row's language among all tags; NULL: all rows are of one. */
alcore_status alcore__target_groups_new(alcore__run *run, bool balanced,
                                        alcore__target_groups *groups) {
    const alcore__run_input *input = run->input;
    const alcore__active_rows *active = &run->active[ALCORE__OVER_TARGET];
    const int32_t *row_language = balanced ? input->target_languages : NULL;
    const int64_t languages = row_language ? input->target_language_count : 1;
    const size_t height = alcore__run_height(run);
    /* [languages] 1 for a language with an active row, then the group of each; -1: it has none */
    int32_t *language_group;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, input->target.rows, &groups->group_of));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, languages, &groups->rows));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, languages, &groups->language));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, languages, &language_group));
    for (int64_t i = 0; i < active->count; i++)
        language_group[row_language ? row_language[active->rows[i]] : 0] = 1;
    for (int64_t l = 0; l < languages; l++) {
        /* The entry is overwritten by the next language where l has no active row; the one behind
         * the last group has no meaning. */
        groups->language[groups->count] = (int32_t)l;
        language_group[l] = language_group[l] ? (int32_t)groups->count++ : -1;
    }
    for (int64_t row = 0; row < input->target.rows; row++) groups->group_of[row] = -1;
    for (int64_t i = 0; i < active->count; i++) {
        int64_t row = active->rows[i];
        groups->group_of[row] = language_group[row_language ? row_language[row] : 0];
        groups->rows[groups->group_of[row]] += 1.0;
    }
    ALCORE__TRY(list_members(run, active, groups));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

double alcore__target_groups_mean(const alcore__target_groups *groups, const double *sums) {
    double total = 0.0;
    if (groups->count == 1) return sums[0] / groups->rows[0];
    for (int64_t g = 0; g < groups->count; g++) total += sums[g] / groups->rows[g];
    return total / (double)groups->count;
}

/* The distances to a block of the target are added up first and then these sums (spec 1.8). */
alcore_status alcore__target_groups_distances(const alcore__target_groups *groups,
                                              const alcore__matrix *matrix, const uint8_t *wanted,
                                              double *mean) {
    alcore__block *block = matrix->block;
    const alcore__run *run = block->run;
    const int64_t entries = block->count * groups->count;
    double *sums, *totals; /* [active rows, groups] over one block of the target, and over all */
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *sums, &sums));
    ALCORE__TRY(alcore__scratch_push(block, entries, sizeof *totals, &totals));
    memset(sums, 0, (size_t)entries * sizeof *sums); /* those of other rows are not written */
    memset(totals, 0, (size_t)entries * sizeof *totals);
    for (int64_t b = 0; b < run->active[ALCORE__OVER_TARGET].blocks; b++) {
        alcore_sys_rows targets = {0};
        if (!alcore__target_has_rows(run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &targets));
        ALCORE__TRY(alcore__matrix_distances(matrix, wanted, &targets,
                                             groups->group_of + b * ALCORE_BLOCK_ROWS,
                                             groups->count, sums));
        for (int64_t i = 0; i < entries; i++) totals[i] += sums[i];
    }
    for (int64_t i = 0; i < block->count; i++)
        mean[i] = alcore__target_groups_mean(groups, totals + i * groups->count);
    return ALCORE_OK;
}

/* ---- turns ---- */

/* What is known of each group and each candidate while the groups buy. */
typedef struct turns {
    int64_t *next;    /* [groups] index into lists->positions of the group's next entry */
    double *spent;    /* [groups] what the group's picks cost, in the unit of the budget */
    uint8_t *offered; /* [candidates] 1: a group offered it, whether it was bought or passed over */
    int64_t *heap;    /* [waiting] groups that may have an entry left: a heap by is_before() */
    int64_t waiting;
} turns;

/* Whether group a offers before group b. */
static bool is_before(const turns *self, int64_t a, int64_t b) {
    return self->spent[a] < self->spent[b] || (self->spent[a] == self->spent[b] && a < b);
}

/* Moves the entry of the heap at place `at` down until both below it come after it. */
static void sift_down(turns *self, int64_t at) {
    const int64_t group = self->heap[at];
    for (int64_t child; (child = 2 * at + 1) < self->waiting; at = child) {
        if (child + 1 < self->waiting && is_before(self, self->heap[child + 1], self->heap[child]))
            child++;
        if (!is_before(self, self->heap[child], group)) break;
        self->heap[at] = self->heap[child];
    }
    self->heap[at] = group;
}

/* The group whose turn it is: of those with an entry left the one that has spent least, the lower
 * one in a tie. It is on top of the heap; groups that come up without an entry left leave it. Moves
 * self->next of the group past candidates that were offered, so that its next entry is one that was
 * not. -1: all lists are used up. */
static int64_t find_turn(const alcore__group_lists *lists, turns *self) {
    while (self->waiting > 0) {
        const int64_t group = self->heap[0], end = lists->starts[group + 1];
        int64_t *next = &self->next[group];
        while (*next < end && self->offered[lists->positions[*next]]) ++*next;
        if (*next < end) return group;
        self->heap[0] = self->heap[--self->waiting];
        if (self->waiting > 0) sift_down(self, 0);
    }
    return -1;
}

/* Lets the groups offer in turns until the filler is full or no list has an entry left. The arrays
 * of self are allocated and zeroed; buyer as below. */
static alcore_status buy_in_turns(const alcore__target_groups *groups,
                                  const alcore__group_lists *lists, alcore__filler *filler,
                                  turns *self, int64_t *buyer) {
    const alcore__run *run = filler->run;
    memcpy(self->next, lists->starts, (size_t)groups->count * sizeof *self->next);
    for (int64_t g = 0; g < groups->count; g++) self->heap[g] = g; /* none has spent anything */
    self->waiting = groups->count;
    for (int64_t offers = 0; !alcore__filler_full(filler); offers++) {
        bool bought;
        int64_t turn = find_turn(lists, self);
        if (turn < 0) break;
        int64_t position = lists->positions[self->next[turn]];
        self->offered[position] = 1;
        ALCORE__TRY(alcore__filler_offer(filler, position, &bought));
        if (bought) {
            self->spent[turn] += alcore__filler_cost(filler, position);
            buyer[position] = turn;
            sift_down(self, 0);
        }
        ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", offers, lists->candidates));
    }
    return ALCORE_OK;
}

/* Cost: the logarithm of the groups for each offer, and one step for each entry of the lists. */
alcore_status alcore__target_groups_buy(const alcore__target_groups *groups,
                                        const alcore__group_lists *lists, alcore__filler *filler,
                                        int64_t *buyer) {
    const alcore__run *run = filler->run;
    const size_t height = alcore__run_height(run);
    turns self = {0};
    ALCORE__TRY(ALCORE__RUN_PUSH(run, groups->count, &self.next));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, groups->count, &self.spent));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, groups->count, &self.heap));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, lists->candidates, &self.offered));
    ALCORE__TRY(buy_in_turns(groups, lists, filler, &self, buyer));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

alcore_status alcore__target_groups_record(alcore__run *run, const alcore__target_groups *groups,
                                           const int64_t *buyer) {
    int64_t *language;
    ALCORE__TRY(alcore__outcome_column(run, "target_language", ALCORE_INT64, &language));
    for (int64_t i = 0; i < run->outcome.count; i++)
        language[i] = buyer[i] < 0 ? -1 : groups->language[buyer[i]];
    return ALCORE_OK;
}
