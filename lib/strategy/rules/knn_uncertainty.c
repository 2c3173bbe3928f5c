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
 * for each target row; what these are worth and cost (knn_neighbors.c). A block's partial is its
 * own lists, and lists are merged in block order. The lists are longer than k is expected to be,
 * because each pass computes candidates x target rows distances; if k outgrows them, the passes are
 * made again with longer lists (neighbor_lists.h). Then the budget is spent (knn_buy.c).
 *
 * Memory: 16 bytes a candidate, 9 more while the budget is spent, and 40 more where it is spent on
 * other candidates too; 16 bytes for each entry of the lists (twice with mode=code), for the merged
 * ones and for each block in work, whose lists have 8192 entries at most; and for each candidate in
 * the lists some 60 bytes. A shard that keeps the values of its own rows has 8 bytes for each own
 * candidate, its blocks lists as long as the merged ones. */
#include <math.h>
#include <string.h>

#include "strategy/rules/knn_uncertainty.h"
#include "strategy/strategies.h"

/* With k=auto, lists have LENGTH_FACTOR times the entries that the budget would need if no two
 * target rows shared a neighbor, but all lists together no more than LIST_BYTES, unless one entry
 * for each target row needs more. Both numbers are choices that were not measured, and no result
 * depends on them. The factor decides how soon the pass, which computes candidates x target rows
 * distances, is made again: the first lists are long enough while a neighbor is shared by up to
 * LENGTH_FACTOR target rows on average, and longer ones are enough for two more doublings of k.
 * LIST_BYTES bounds the memory of the first lists, the merged ones and those of each block in work;
 * where k outgrows them, the longer ones have as many bytes as they need. */
enum { LENGTH_FACTOR = 4, LIST_BYTES = 8 << 20 /* 8 MiB */ };

/* ---- begin ---- */

/* The number of entries of each list in the first pass: the fixed k; with k=auto LENGTH_FACTOR
 * times the smallest k for which the smallest group can exceed its share of the budget, rounded up
 * to a power of two, within LIST_BYTES, and at most state->k_limit. */
static int64_t first_length(const alcore__run *run) {
    const alcore__knn_state *state = run->state;
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

/* Called once before the first pass: groups the target rows and allocates what has an entry for
 * each group. A fixed k above k_max counts as k_max. The target has an active row, which was
 * checked before. */
static alcore_status begin(alcore__run *run) {
    alcore__knn_state *state = run->state;
    const int64_t labeled = alcore__active_in_all(run, ALCORE__OVER_LABELED_ROWS);
    ALCORE__TRY(alcore__hybrid_begin(run, true));
    const int64_t k = state->fixed_k;
    state->automatic = k == 0;
    state->k_limit = state->automatic || k > state->k_max ? state->k_max : k;
    state->searches_labeled = reads_labeled_rows(run) && labeled > 0;
    /* Rows that can be neighbors. */
    int64_t searched = alcore__active_in_all(run, ALCORE__OVER_CANDIDATES);
    if (state->searches_labeled) searched += labeled;
    if (state->k_limit > searched) state->k_limit = searched;
    state->target_rows = run->input->target.rows;
    ALCORE__TRY(alcore__target_groups_new(run, state->balanced, &state->groups));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->groups.count, &state->k));
    state->length = first_length(run);
    run->hints.repeats = run->hints.row_work =
        true; /* "neighbors" may be made again: embeddings are kept for it */
    state->near.joined = state->labeled.joined = true;
    return ALCORE_OK;
}

/* ---- pass "neighbors" ---- */

/* Start of either pass: empties its lists, which get `length` entries for each target row. */
static alcore_status new_lists(alcore__run *run) {
    alcore__knn_state *state = run->state;
    return alcore__neighbor_lists_new(run, ALCORE_SYS_L2, state->target_rows, state->length,
                                      &state->near);
}
static alcore_status new_labeled_lists(alcore__run *run) {
    alcore__knn_state *state = run->state;
    return alcore__neighbor_lists_new(run, ALCORE_SYS_L2, state->target_rows, state->length,
                                      &state->labeled);
}

/* Finds the nearest active rows of the block, candidates or labeled rows, for every active target
 * row, a block of the target at a time: the partial is their lists. The block keeps its matrix
 * meanwhile, as the target is read into memory of its own. Embeddings are checked for NaN in the
 * first passes only. */
static alcore_status find_neighbors(alcore__block *block, void *partial) {
    const alcore__run *run = block->run;
    const alcore__knn_state *state = run->state;
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
    const alcore__knn_state *state = run->state;
    const int64_t candidate = state->near.position[first + c];
    const int64_t labeled = state->labeled.position[first + l];
    if (candidate < 0 || labeled < 0) return labeled < 0;
    double value = state->near.value[first + c], other = state->labeled.value[first + l];
    if (value != other) return value < other;
    return candidate < labeled;
}

/* Merges the labeled rows into the lists of candidates: entry i is then the i-th nearest of both, a
 * pool row, ALCORE__LABELED_NEIGHBOR, or ALCORE__NO_NEIGHBOR where there are no more. The values of
 * the lists have no meaning from here on. */
static alcore_status merge_labeled(alcore__run *run) {
    alcore__knn_state *state = run->state;
    int64_t *merged; /* [length] */
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->length, &merged));
    for (int64_t t = 0; t < state->target_rows; t++) {
        int64_t first = t * state->length, c = 0, l = 0;
        for (int64_t i = 0; i < state->length; i++) { /* c + l = i, so neither passes the end */
            bool candidate = candidate_is_next(run, first, c, l);
            merged[i] = candidate ? state->near.position[first + c] : ALCORE__LABELED_NEIGHBOR;
            *(candidate ? &c : &l) += 1;
        }
        memcpy(state->near.position + first, merged, (size_t)state->length * sizeof *merged);
    }
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* End of "neighbors". */
static alcore_status list_neighbors(alcore__run *run) {
    alcore__knn_state *state = run->state;
    state->checked = true;
    if (state->searches_labeled) ALCORE__TRY(merge_labeled(run));
    return alcore__knn_list_neighbors(run);
}

static const alcore__pass PASSES[] = {
    {ALCORE__UNCERTAINTY_PASS(.values = {ALCORE__SCORES})},
    {ALCORE__CHECK_TARGET_PASS},
    {.name = "labeled neighbors",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = find_neighbors,
     .partial = ALCORE__JOINED_LISTS(alcore__knn_state, labeled),
     .start = new_labeled_lists,
     .when = ALCORE__IF(alcore__knn_state, searches_labeled)},
    {.name = "neighbors",
     .block = find_neighbors,
     .partial = ALCORE__JOINED_LISTS(alcore__knn_state, near),
     .start = new_lists,
     .end = list_neighbors},
    {.name = "values of neighbors",
     .narrow = true,
     .keeps_nothing = true,
     .block = alcore__knn_tell_neighbors,
     .partial = {.extra = alcore__knn_neighbors_bytes, .reduce = alcore__knn_take_neighbors},
     .end = alcore__knn_choose_k,
     .again = ALCORE__IF(alcore__knn_state, needs_longer),
     .back = 2},
    {.name = NULL},
};

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, alcore__knn_state, member)
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
    .state_bytes = sizeof(alcore__knn_state),
    .begin = begin,
    .passes = PASSES,
    .finish = alcore__knn_finish,
    .by_passes = true,
    .ranks_own = alcore__ranks_own,
};
