/* SPDX-License-Identifier: Apache-2.0 */
/* KNN-UNCERTAINTY of DeMuX (spec 7.5; Khanuja et al. 2023): the most uncertain candidates among the
 * neighbors of a target,
 *
 *   N_k = union over target rows t of the k candidates with the smallest (||e(x) - e(t)||^2, row)
 *
 * With k=auto, k is the smallest of 1, 2, 4, ... for which the candidates of N_k cost more than the
 * budget, so that uncertainty has a choice. Where N_k costs less than the budget, the most
 * uncertain of the other candidates follow.
 *
 * With balance_targets each language of the target has a k and an N_k of its own rows, for an equal
 * share of the budget, and the languages buy in turns (target_groups.h): the one that has spent
 * least buys the most uncertain candidate of its N_k that is left. Else all rows of the target are
 * one group, which has all turns.
 *
 * With mode=code, as in the public code, the rows of the pool that are labeled already are searched
 * too: a target row has fewer neighbors among the candidates where labeled rows are nearer. They
 * are neither counted in the cost of N_k nor bought.
 *
 * Passes: the uncertainty of every candidate; the neighbors, which are lists of `length` candidates
 * for each target row. A block's partial is its own lists, and lists are merged in block order. The
 * lists are longer than k is expected to be, because each pass computes candidates x target rows
 * distances; if k outgrows them, the pass is made again with longer lists (neighbor_lists.h).
 *
 * Memory: 61 bytes a candidate, 45 of them while the budget is spent; 16 bytes for each entry of
 * the lists (twice with mode=code), for the merged ones and for each block in work, whose lists
 * have 8192 entries at most; and 8 bytes for each entry of an N_k. */
#include <math.h>
#include <string.h>

#include "strategy/budget/rank.h"
#include "strategy/rules/neighbor_lists.h"
#include "strategy/rules/target_groups.h"
#include "strategy/rules/target_hybrid.h"
#include "strategy/strategies.h"

/* Entries of a list beside positions: there is no further neighbor; a labeled row. */
enum { NO_NEIGHBOR = -1, LABELED_NEIGHBOR = -2 };

/* With k=auto, lists have LENGTH_FACTOR times the entries that the budget would need if no two
 * target rows shared a neighbor, but all lists together no more than LIST_BYTES, unless one entry
 * for each target row needs more. Both numbers are choices that were not measured, and no result
 * depends on them. The factor decides how soon the pass, which computes candidates x target rows
 * distances, is made again: the first lists are long enough while a neighbor is shared by up to
 * LENGTH_FACTOR target rows on average, and longer ones are enough for two more doublings of k.
 * LIST_BYTES bounds the memory of the first lists, the merged ones and those of each block in work;
 * where k outgrows them, the longer ones have as many bytes as they need. */
enum { LENGTH_FACTOR = 4, LIST_BYTES = 8 << 20 /* 8 MiB */ };

typedef struct knn_state {
    alcore__hybrid hybrid;        /* uncertainty of the candidates, and the budget */
    int64_t fixed_k, k_max;       /* the parameters; fixed_k 0: k=auto */
    bool automatic;               /* k=auto */
    bool fill_short;              /* other candidates follow where N_k is short of the budget */
    int64_t k_limit;              /* largest k: min of k_max, a fixed k, and the rows searched */
    bool balanced;                /* balance_targets=1 */
    alcore__target_groups groups; /* the languages of the target, or one group of all its rows */
    int64_t target_rows;          /* rows of the target's pool, active or not */
    int64_t length;               /* entries of each list */
    int64_t next_k;    /* the largest k that a group has yet to try, beyond `length`; 0: all groups
                       have their k */
    bool needs_longer; /* next_k is not 0: the lists are made again */
    int64_t *k;        /* [groups] the k of each group, once no group needs longer lists */
    int64_t *target_counts;      /* [candidates] number of target rows among whose k nearest the
                                    candidate is, k being that of the target row's group; not 0: it
                                    is in an N_k */
    alcore__neighbor_lists near; /* [target rows, length] the nearest candidates of each target row;
                                    none of one that is not active */
    bool searches_labeled;       /* mode=code: `labeled` has the nearest labeled rows, which
                                    choose_k() first merges into `near` */
    alcore__neighbor_lists labeled; /* [target rows, length]; a position is here the number of a row
                                       among the labeled rows of the pool that take part */
    bool checked; /* the first passes are over, in which embeddings were checked for NaN */
} knn_state;

/* ---- begin ---- */

/* The number of entries of each list in the first pass: the fixed k; with k=auto LENGTH_FACTOR
 * times the smallest k for which the smallest group can exceed its share of the budget, rounded up
 * to a power of two, within LIST_BYTES, and at most state->k_limit. */
static int64_t first_length(const alcore__run *run) {
    const knn_state *state = run->state;
    if (!state->automatic) return state->k_limit;
    int64_t length = 1;
    double rows = state->groups.rows[0]; /* of the smallest group */
    for (int64_t g = 1; g < state->groups.count; g++) rows = fmin(rows, state->groups.rows[g]);
    double share = alcore__expected_picks(run) / (double)state->groups.count;
    double wanted = LENGTH_FACTOR * share / rows;
    int64_t affordable = LIST_BYTES / (16 * state->target_rows); /* 16 bytes an entry */
    while ((double)length < wanted && length < affordable) length *= 2;
    return length < state->k_limit ? length : state->k_limit;
}

/* strategy_def.reads_labeled_rows. */
static bool reads_labeled_rows(const alcore__run *run) {
    return alcore__mode_is_code(&run->score_params);
}

/* Called once before the first pass: groups the target rows and allocates
 * what has an entry for each group or candidate. A fixed k above k_max counts as k_max. The target
 * has an active row, which was checked before. */
static alcore_status begin(alcore__run *run) {
    knn_state *state = run->state;
    const int64_t count = run->outcome.count;
    ALCORE__TRY(alcore__hybrid_begin(run, true));
    const int64_t k = state->fixed_k;
    state->automatic = k == 0;
    state->k_limit = state->automatic || k > state->k_max ? state->k_max : k;
    state->searches_labeled =
        reads_labeled_rows(run) && run->active[ALCORE__OVER_LABELED_ROWS].count > 0;
    int64_t searched = run->outcome.count; /* rows that can be neighbors */
    if (state->searches_labeled) searched += run->active[ALCORE__OVER_LABELED_ROWS].count;
    if (state->k_limit > searched) state->k_limit = searched;
    state->target_rows = run->input->target.rows;
    ALCORE__TRY(alcore__target_groups_new(run, state->balanced, &state->groups));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->groups.count, &state->k));
    state->length = first_length(run);
    run->hints.repeats = run->hints.row_work =
        true; /* "neighbors" may be made again: embeddings are kept for it */
    return ALCORE__RUN_ARRAY(run, count, &state->target_counts);
}

/* ---- pass "neighbors" ---- */

/* Start of either pass: empties its lists, which get `length` entries for each target row. */
static alcore_status new_lists(alcore__run *run) {
    knn_state *state = run->state;
    return alcore__neighbor_lists_new(run, ALCORE_SYS_L2, state->target_rows, state->length,
                                      &state->near);
}
static alcore_status new_labeled_lists(alcore__run *run) {
    knn_state *state = run->state;
    return alcore__neighbor_lists_new(run, ALCORE_SYS_L2, state->target_rows, state->length,
                                      &state->labeled);
}

/* Finds the nearest active rows of the block, candidates or labeled rows, for every active target
 * row, a block of the target at a time: the partial is their lists. The block keeps its matrix
 * meanwhile, as the target is read into memory of its own. Embeddings are checked for NaN in the
 * first passes only. */
static alcore_status find_neighbors(alcore__block *block, void *partial) {
    const alcore__run *run = block->run;
    const knn_state *state = run->state;
    const alcore__neighbor_lists *lists = block->into;
    const alcore__active_rows *target = &run->active[ALCORE__OVER_TARGET];
    alcore__matrix matrix;
    ALCORE__TRY(alcore__block_matrix(block, false /* not unit vectors */, &matrix));
    if (!state->checked) ALCORE__TRY(alcore__matrix_check(&matrix));
    alcore__neighbor_lists_begin(lists, block, partial);
    for (int64_t b = 0; b < target->blocks; b++) {
        int64_t first = b * ALCORE_BLOCK_ROWS;
        alcore_sys_rows rows = {0};
        if (!alcore__target_has_rows(run, b)) continue;
        ALCORE__TRY(alcore__target_rows(block, b, &rows));
        const uint8_t *mask = target->mask ? target->mask + first : NULL;
        ALCORE__TRY(
            alcore__neighbor_lists_join(lists, &matrix, matrix.mask, &rows, mask, first, partial));
    }
    alcore__neighbor_lists_end(lists, &matrix, partial);
    return ALCORE_OK;
}

/* Whether entry c of a target row's list of candidates comes before entry l of its list of labeled
 * rows, by (squared distance, pool row). `first` is the target row's first entry in both lists. An
 * entry that is not there, below 0, comes last. */
static bool candidate_is_next(const alcore__run *run, int64_t first, int64_t c, int64_t l) {
    const knn_state *state = run->state;
    const int64_t candidate = state->near.position[first + c];
    const int64_t labeled = state->labeled.position[first + l];
    if (candidate < 0 || labeled < 0) return labeled < 0;
    double value = state->near.value[first + c], other = state->labeled.value[first + l];
    if (value != other) return value < other;
    return run->outcome.rows[candidate] < run->active[ALCORE__OVER_LABELED_ROWS].rows[labeled];
}

/* Merges the labeled rows into the lists of candidates: entry i is then the i-th nearest of both, a
 * position, LABELED_NEIGHBOR, or NO_NEIGHBOR where there are no more. The values of the lists have
 * no meaning from here on. */
static alcore_status merge_labeled(alcore__run *run) {
    knn_state *state = run->state;
    int64_t *merged; /* [length] */
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->length, &merged));
    for (int64_t t = 0; t < state->target_rows; t++) {
        int64_t first = t * state->length, c = 0, l = 0;
        for (int64_t i = 0; i < state->length; i++) { /* c + l = i, so neither passes the end */
            bool candidate = candidate_is_next(run, first, c, l);
            merged[i] = candidate ? state->near.position[first + c] : LABELED_NEIGHBOR;
            *(candidate ? &c : &l) += 1;
        }
        memcpy(state->near.position + first, merged, (size_t)state->length * sizeof *merged);
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Marks the candidates among the neighbors first .. end - 1, counted from the nearest, of every
 * target row of a group: their mark [candidates] becomes group + 1. Adds to *cost what those cost
 * that did not have this mark before, one after another in the order of the target rows, and lists
 * them in `list` (NULL: nowhere). Returns how many they are. */
static int64_t mark_neighbors(const knn_state *state, int64_t group, int64_t first, int64_t end,
                              int32_t *mark, double *cost, int64_t *list) {
    int64_t found = 0;
    for (int64_t m = state->groups.starts[group]; m < state->groups.starts[group + 1]; m++) {
        const int64_t *near = state->near.position + state->groups.members[m] * state->length;
        for (int64_t i = first; i < end; i++) {
            const int64_t position = near[i];
            if (position == NO_NEIGHBOR) break;
            if (position == LABELED_NEIGHBOR || mark[position] == (int32_t)group + 1) continue;
            mark[position] = (int32_t)group + 1;
            *cost += alcore__filler_cost(&state->hybrid.filler, position);
            if (list) list[found] = position;
            found++;
        }
    }
    return found;
}

/* Sets the k of a group: the fixed one, or with k=auto doubled from 1 until its N_k costs more than
 * its share of the budget or k is at its limit. Where the lists are too short for the next k, that
 * k is not set and next_k is raised to the one that was to be tried. mark [candidates]: no entry is
 * that of this group before the call. */
static void find_k(const alcore__run *run, int64_t group, int32_t *mark) {
    knn_state *state = run->state;
    double share = run->input->fill.budget / (double)state->groups.count, cost = 0;
    int64_t k = 0, next = state->automatic ? 1 : state->k_limit;
    while (next <= state->length) {
        mark_neighbors(state, group, k, next, mark, &cost, NULL);
        k = next;
        if (!state->automatic || cost > share || k == state->k_limit) {
            state->k[group] = k;
            return;
        }
        next = 2 * k < state->k_limit ? 2 * k : state->k_limit;
    }
    if (next > state->next_k) state->next_k = next;
}

/* Counts for every candidate the target rows among whose k nearest it is, into
 * state->target_counts. Called once, when every group has its k. */
static void count_targets(knn_state *state) {
    for (int64_t t = 0; t < state->target_rows; t++) {
        const int64_t *list = state->near.position + t * state->length;
        int32_t group = state->groups.group_of[t];
        for (int64_t i = 0; group >= 0 && i < state->k[group] && list[i] != NO_NEIGHBOR; i++) {
            if (list[i] != LABELED_NEIGHBOR) state->target_counts[list[i]]++;
        }
    }
}

/* End of "neighbors": sets the k of every group and counts target rows or, where the lists are too
 * short for a group, raises `length`, and both passes are made again from empty lists. */
static alcore_status choose_k(alcore__run *run) {
    knn_state *state = run->state;
    int32_t *mark; /* [candidates] 1 + the last group that counted the candidate; 0: none did */
    state->checked = true;
    if (state->searches_labeled) ALCORE__TRY(merge_labeled(run));
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, &mark));
    state->next_k = 0;
    for (int64_t g = 0; g < state->groups.count; g++) {
        find_k(run, g, mark);
        ALCORE__TRY(alcore__tick(run->ctx, "k of languages", g, state->groups.count));
    }
    alcore__run_drop(run, height);
    state->needs_longer = state->next_k > 0;
    if (!state->needs_longer) {
        count_targets(state);
        return ALCORE_OK;
    }
    state->length = LENGTH_FACTOR * state->next_k < state->k_limit ? LENGTH_FACTOR * state->next_k
                                                                   : state->k_limit;
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {ALCORE__UNCERTAINTY_PASS},
    {ALCORE__CHECK_TARGET_PASS},
    {.name = "labeled neighbors",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = find_neighbors,
     .partial = ALCORE__NEIGHBOR_LISTS(knn_state, labeled),
     .start = new_labeled_lists,
     .when = ALCORE__IF(knn_state, searches_labeled)},
    {.name = "neighbors",
     .block = find_neighbors,
     .partial = ALCORE__NEIGHBOR_LISTS(knn_state, near),
     .start = new_lists,
     .end = choose_k,
     .again = ALCORE__IF(knn_state, needs_longer),
     .back = 1},
    {.name = NULL},
};

/* ---- finish ---- */

/* Reorders positions [count], ascending before the call, by the uncertainty of the candidates, the
 * largest first. Ties by the request's rule, which for random ties needs the pool rows. */
static alcore_status rank_uncertain(alcore__run *run, int64_t *positions, int64_t count) {
    const knn_state *state = run->state;
    const size_t height = alcore__run_height(run);
    int64_t *rows, *order; /* [count] pool rows; ranked indices, then positions */
    double *keys;          /* [count] uncertainty */
    if (count == 0) return ALCORE_OK;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &rows));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &order));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &keys));
    for (int64_t i = 0; i < count; i++) {
        rows[i] = run->outcome.rows[positions[i]];
        keys[i] = state->hybrid.uncertainty[positions[i]];
    }
    ALCORE__TRY(alcore__rank(run->ctx, keys, rows, count, run->input->fill.tie, run->input->seed,
                             count, order));
    for (int64_t i = 0; i < count; i++) order[i] = positions[order[i]];
    memcpy(positions, order, (size_t)count * sizeof *positions);
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* For alcore__sort(): ascending. */
static int by_position(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Lists the N_k of every group, the most uncertain candidate first: *positions [starts[groups]],
 * on the run's stack, has that of group g from starts[g] on. starts [groups + 1] comes zeroed
 * and is filled. mark [candidates]: workspace, zeroed. */
static alcore_status list_neighbors(alcore__run *run, int32_t *mark, int64_t *starts,
                                    int64_t **positions) {
    const knn_state *state = run->state;
    const int64_t groups = state->groups.count;
    double cost = 0; /* not used */
    for (int64_t g = 0; g < groups; g++) {
        starts[g + 1] = starts[g] + mark_neighbors(state, g, 0, state->k[g], mark, &cost, NULL);
        ALCORE__TRY(alcore__tick(run->ctx, "neighbors of languages", g, 2 * groups));
    }
    ALCORE__TRY(ALCORE__RUN_PUSH(run, starts[groups], positions));
    /* Marked again: later groups have overwritten the marks of candidates that they share, and the
     * marks of the last group are still there. */
    memset(mark, 0, (size_t)run->outcome.count * sizeof *mark);
    for (int64_t g = 0; g < groups; g++) {
        int64_t *list = *positions + starts[g];
        const int64_t found = mark_neighbors(state, g, 0, state->k[g], mark, &cost, list);
        ALCORE__TRY(alcore__tick(run->ctx, "neighbors of languages", groups + g, 2 * groups));
        ALCORE__TRY(alcore__sort(run->ctx, list, (size_t)found, sizeof *list, by_position));
        ALCORE__TRY(rank_uncertain(run, list, found));
    }
    return ALCORE_OK;
}

/* Spends the budget on the N_k of the groups in turns. buyer [candidates] is -1 everywhere before
 * the call and gets the group for which a candidate was bought. */
static alcore_status buy_neighbors(alcore__run *run, int64_t *buyer) {
    knn_state *state = run->state;
    int32_t *mark;
    int64_t *starts, *positions;
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, &mark));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->groups.count + 1, &starts));
    ALCORE__TRY(list_neighbors(run, mark, starts, &positions));
    const alcore__group_lists lists = {.starts = starts, .positions = positions};
    return alcore__target_groups_buy(&state->groups, &lists, &state->hybrid.filler, buyer);
}

/* Spends what is left of the budget on the candidates in no N_k, the most uncertain first. */
static alcore_status buy_others(alcore__run *run) {
    knn_state *state = run->state;
    int64_t *positions, count = 0; /* [candidates] */
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, &positions));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        if (state->target_counts[i] == 0) positions[count++] = i;
    }
    ALCORE__TRY(rank_uncertain(run, positions, count));
    return alcore__filler_offer_all(&state->hybrid.filler, positions, count);
}

/* Spends the budget, and records with balance_targets for which language each pick was bought. */
static alcore_status buy(alcore__run *run) {
    knn_state *state = run->state;
    const size_t height = alcore__run_height(run);
    int64_t *buyer; /* [candidates] the group that bought the candidate; -1: none */
    ALCORE__TRY(ALCORE__RUN_PUSH(run, run->outcome.count, &buyer));
    for (int64_t i = 0; i < run->outcome.count; i++) buyer[i] = -1;
    ALCORE__TRY(buy_neighbors(run, buyer));
    if (state->fill_short && !alcore__filler_full(&state->hybrid.filler))
        ALCORE__TRY(buy_others(run));
    if (state->balanced) ALCORE__TRY(alcore__target_groups_record(run, &state->groups, buyer));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Called after the last pass: sets the scores to the uncertainty, records it and the number of
 * target rows of every candidate, reports the k of each group and how many candidates are in an
 * N_k, and buys. */
static alcore_status finish(alcore__run *run) {
    knn_state *state = run->state;
    size_t bytes = (size_t)run->outcome.count * sizeof(double);
    double *uncertainty, *k, *size;
    int64_t *target_counts;
    ALCORE__TRY(alcore__outcome_column(run, "u", ALCORE_FLOAT64, &uncertainty));
    ALCORE__TRY(alcore__outcome_column(run, "targets", ALCORE_INT64, &target_counts));
    ALCORE__TRY(alcore__outcome_fact(run, "k", state->groups.count, &k));
    ALCORE__TRY(alcore__outcome_fact(run, "near rows", 1, &size));
    memcpy(run->outcome.scores, state->hybrid.uncertainty, bytes);
    memcpy(uncertainty, state->hybrid.uncertainty, bytes);
    memcpy(target_counts, state->target_counts, bytes);
    for (int64_t g = 0; g < state->groups.count; g++) k[g] = (double)state->k[g];
    for (int64_t i = 0; i < run->outcome.count; i++) *size += state->target_counts[i] > 0;
    ALCORE__TRY(buy(run));
    alcore__filler_finish(&state->hybrid.filler);
    return ALCORE_OK;
}

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, knn_state, member)
/* Name, type, default, smallest and largest value (0, 0: none), choices, help. */
static const alcore__param ROWS[] = {
    {"k", ALCORE_PARAM_INTEGER, "auto", 1, 0x1p53, "auto",
     "neighbors of each row of the target; auto: doubled from 1 until they exceed the budget",
     STATE(fixed_k)},
    {"k_max", ALCORE_PARAM_INTEGER, "256", 1, 0x1p53, NULL,
     "largest k; it bounds the memory, 16 bytes for each neighbor of each row of the target",
     STATE(k_max)},
    {"fill_short", ALCORE_PARAM_CHOICE, "uncertainty", 0, 0, "none|uncertainty",
     "what follows if the neighbors do not fill the budget: nothing, or the most uncertain other "
     "rows",
     STATE(fill_short)},
    {"balance_targets", ALCORE_PARAM_FLAG, "0", 0, 1, NULL,
     "1: each language of the target has an equal share of the budget for its own neighbors, and "
     "the languages buy in turns",
     STATE(balanced)},
    ALCORE__UNCERTAINTY_PARAMS_AND(", and labeled rows of the pool are searched for neighbors too"),
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"k=2 fill_short=none", "balance_targets=1", "mode=code",
                                       NULL};
static const alcore__term TERMS[] = {
    {.name = "uncertainty", .column = "u", .alone = "uncertainty", .is_score = true}, {0}};

const alcore__strategy_def alcore__strategy_knn_uncertainty = {
    .name = "knn-uncertainty",
    .summary = "The most uncertain of the rows that are neighbors of a target (KNN-UNCERTAINTY of "
               "DeMuX)",
    .examples = EXAMPLES,
    .measure = "uncertainty",
    .target_counts = "targets",
    .terms = TERMS,
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__hybrid_needs,
              [ALCORE__ROLE(TARGET)] = alcore__needs_embeddings},
    .candidate_needs = alcore__hybrid_needs_of,
    .reads_labeled_rows = reads_labeled_rows,
    .score_rows = alcore__score_given_or_class,
    .reads_all_classes = alcore__uncertainty_is_entropy,
    .rows_depend_on_budget = true,
    .state_bytes = sizeof(knn_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
    .by_passes = true,
};
