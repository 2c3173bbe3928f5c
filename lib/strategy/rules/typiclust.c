/* SPDX-License-Identifier: Apache-2.0 */
/* TypiClust (spec 4.11; Hacohen, Dekel and Weinshall 2022), for small budgets: k-means into as many
 * clusters as there are labeled rows and rows to pick; the largest clusters without a labeled row
 * each give their most typical candidate,
 *
 *   T(x) = 1 / (mean distance of x to its K nearest neighbors in its cluster)
 *
 * Clusters have turns in the order (labeled rows in them, fewest first; candidates and labeled
 * rows together, most first; number), again and again while the budget has something left. Those
 * of fewer than min_cluster rows follow when all others are exhausted. With mode=code, as in the
 * public code, distances are squared, picks are nobody's neighbors, and K is at most a half of the
 * candidates that are left.
 *
 * Passes: those of k-means; the clusters of the labeled rows; then, for the clusters whose turn it
 * is next, as many as MEMBER_BYTES hold or at least one, the vectors of their candidates, which are
 * compared with each other at the end of the pass. Each cluster lists as many rows in advance as
 * turns are expected (its queue). Time: candidates x candidates of the same cluster x components.
 * Memory: 36 bytes a candidate, that of k-means, and MEMBER_BYTES or the vectors of the largest
 * cluster. */
#include <math.h>
#include <string.h>

#include "search/neighbor_list.h"
#include "strategy/budget/fill.h"
#include "strategy/rules/gathered_rows.h"
#include "strategy/rules/kmeans_members.h"
#include "strategy/strategies.h"

/* Vectors that are compared at a time. A choice that was not measured; more than one pass is made
 * where the clusters do not fit. */
#define MEMBER_BYTES (INT64_C(256) << 20)
/* Candidates of a task: the queries of one search. */
enum { TASK_ROWS = 512 };
/* Added to a mean distance before it is inverted, as the public code does: the score of duplicates
 * is finite. */
#define MIN_DISTANCE 1e-5

typedef struct cluster {
    int64_t candidates, labeled; /* rows in it */
    int64_t first;               /* its first candidate in state->members.member */
    int64_t left;                /* candidates that were not queued yet */
    int64_t queued, offered;     /* entries of its queue, and how many of them were offered */
    int64_t slot;                /* its first candidate among the gathered vectors; -1: it is not
                                    there */
} cluster;

typedef struct typiclust_state {
    int64_t max_clusters, neighbors, min_cluster; /* the parameters */
    bool code;                                    /* mode=code */
    alcore__filler filler;
    alcore__kmeans kmeans;
    int32_t *group; /* [candidates] 0: all are of one group of k-means */
    int64_t count;  /* clusters */
    alcore__members members;
    cluster *clusters;  /* [count] */
    int64_t *turns;     /* [count] clusters in the order in which they have turns */
    int64_t large;      /* how many of them have min_cluster rows, the first ones */
    int64_t turn;       /* the place in `turns` of the cluster whose turn it is */
    uint8_t *is_queued; /* [candidates], in the order of members.member */
    double *distance;   /* [candidates] mean distance to the neighbors; NaN: not measured */
    int64_t depth;      /* entries of each queue */
    int64_t *queue;     /* [count, depth] positions of candidates, the most typical first */
    alcore__gathered gathered;
    int64_t *slots; /* of the gathered candidates */
    bool measures;  /* the turn is at a cluster whose queue has to be filled */
} typiclust_state;

/* ---- begin, and pass "k-means" ---- */

static alcore_status begin(alcore__run *run) {
    typiclust_state *state = run->state;
    const int64_t count = run->outcome.count;
    const double picks = alcore__expected_picks(run);
    const double labeled = (double)(run->active[ALCORE__OVER_LABELED_ROWS].count +
                                    run->active[ALCORE__OVER_LABELED_POOL].count);
    const double wanted = labeled + (picks < 1.0 ? 1.0 : picks);
    state->count = wanted < (double)state->max_clusters ? (int64_t)wanted : state->max_clusters;
    if (state->count > count) state->count = count;
    run->hints.repeats = run->hints.row_work = true; /* k-means makes many passes */
    run->hints.host_doubles = (double)state->count * (double)alcore__embedding_dims(run);
    ALCORE__TRY(alcore__filler_begin(&state->filler, run));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->group));
    ALCORE__TRY(alcore__members_begin(run, &state->members, state->count));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->is_queued));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->distance));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->count, &state->clusters));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->count, &state->turns));
    for (int64_t i = 0; i < count; i++) state->distance[i] = (double)NAN;
    alcore__warn_passes(run, (double)state->count); /* k-means++ seeds one cluster a pass */
    return ALCORE_OK;
}

static alcore_status start_kmeans(alcore__run *run) {
    typiclust_state *state = run->state;
    return alcore__kmeans_begin(run, &state->kmeans, state->group, 1 /* group */, state->count,
                                true /* unit vectors */, NULL /* seeds are drawn */);
}

/* ---- passes over labeled rows ---- */

/* Writes the partial, int32 [active rows]: the nearest centroid of each labeled row. */
static alcore_status find_cluster(alcore__block *block, void *partial) {
    const typiclust_state *state = block->run->state;
    int32_t *group;
    alcore__matrix matrix;
    ALCORE__TRY(alcore__scratch_push(block, block->count, sizeof *group, &group));
    memset(group, 0, (size_t)block->count * sizeof *group);
    ALCORE__TRY(alcore__block_matrix(block, true /* unit vectors */, &matrix));
    ALCORE__TRY(alcore__matrix_check(&matrix));
    const alcore__nearest nearest = {.nearest = partial};
    return alcore__matrix_nearest(&matrix, group, 1 /* group */, state->kmeans.centroid_starts,
                                  state->kmeans.centroids, &nearest);
}

static alcore_status count_labeled(alcore__run *run, const alcore__block_partial *partial) {
    typiclust_state *state = run->state;
    const int32_t *nearest = partial->extra;
    for (int64_t i = 0; i < partial->count; i++) {
        ALCORE__TRY(alcore__partial_check_index(nearest[i], state->count));
        state->clusters[nearest[i]].labeled++;
    }
    return ALCORE_OK;
}

/* ---- the order of turns ---- */

/* Counts the candidates of each cluster. */
static alcore_status count_candidates(alcore__run *run) {
    typiclust_state *state = run->state;
    ALCORE__TRY(alcore__members_list(run, &state->members));
    for (int64_t c = 0; c < state->count; c++) {
        cluster *of = &state->clusters[c];
        of->first = state->members.starts[c];
        of->candidates = of->left = alcore__members_of(&state->members, c);
    }
    return ALCORE_OK;
}

static bool is_large(const typiclust_state *state, const cluster *c) {
    return c->candidates + c->labeled >= state->min_cluster;
}

/* Whether cluster a has its turn before b. */
static bool is_before(const typiclust_state *state, int64_t a, int64_t b) {
    const cluster *x = &state->clusters[a], *y = &state->clusters[b];
    if (is_large(state, x) != is_large(state, y)) return is_large(state, x);
    if (x->labeled != y->labeled) return x->labeled < y->labeled;
    const int64_t size_x = x->candidates + x->labeled, size_y = y->candidates + y->labeled;
    return size_x != size_y ? size_x > size_y : a < b;
}

/* Sorts the clusters, of which there are few, by insertion. */
static void order_clusters(typiclust_state *state) {
    for (int64_t c = 0; c < state->count; c++) {
        int64_t at = c;
        for (; at > 0 && is_before(state, c, state->turns[at - 1]); at--)
            state->turns[at] = state->turns[at - 1];
        state->turns[at] = c;
        state->large += is_large(state, &state->clusters[c]);
    }
}

/* Whether a cluster has a candidate that was not offered yet. */
static bool has_candidate(const cluster *c) {
    return c->left > 0 || c->offered < c->queued;
}

/* The end of the part of `turns` that has turns now: the large clusters, while one of them has a
 * candidate, then all. */
static int64_t turns_now(const typiclust_state *state) {
    for (int64_t t = 0; t < state->large; t++)
        if (has_candidate(&state->clusters[state->turns[t]])) return state->large;
    return state->count;
}

/* Moves the turn to the first cluster, from the present place on, that has a candidate; false: none
 * has. */
static bool find_turn(typiclust_state *state) {
    const int64_t end = turns_now(state);
    for (int64_t tried = 0; tried < end; tried++) {
        if (state->turn >= end) state->turn = 0;
        if (has_candidate(&state->clusters[state->turns[state->turn]])) return true;
        state->turn++;
    }
    return false;
}

/* ---- the candidates of clusters that are compared next ---- */

/* Gives the clusters whose queues are empty slots for their vectors, from the one whose turn it is
 * on, while these fit in MEMBER_BYTES; returns the number of slots. */
static int64_t give_slots(typiclust_state *state, int64_t dims) {
    const int64_t end = turns_now(state), most = MEMBER_BYTES / ((int64_t)sizeof(double) * dims);
    int64_t slots = 0;
    for (int64_t c = 0; c < state->count; c++) state->clusters[c].slot = -1;
    for (int64_t t = 0; t < end; t++) {
        cluster *c = &state->clusters[state->turns[(state->turn + t) % end]];
        if (c->offered < c->queued || !c->left) continue;
        if (slots && slots + c->candidates > most) break;
        c->slot = slots;
        slots += c->candidates;
    }
    return slots;
}

/* Lets the next pass gather the vectors of these clusters. */
static alcore_status choose_members(alcore__run *run) {
    typiclust_state *state = run->state;
    const int64_t count = give_slots(state, alcore__embedding_dims(run));
    int64_t *positions, *next, chosen = 0;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->slots));
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &positions));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, state->count, &next));
    for (int64_t c = 0; c < state->count; c++) next[c] = state->clusters[c].slot;
    for (int64_t i = 0; i < run->outcome.count; i++) {
        const int32_t c = state->members.cluster_of[i];
        if (next[c] < 0) continue;
        positions[chosen] = i;
        state->slots[chosen++] = next[c]++;
    }
    ALCORE__TRY(alcore__run_choose(run, positions, count));
    alcore__run_drop(run, height);
    return alcore__gathered_begin(run, &state->gathered, count, state->slots);
}

/* End of the pass "clusters": the first clusters to be compared. A queue has as many entries as
 * turns are expected. */
static alcore_status begin_turns(alcore__run *run) {
    typiclust_state *state = run->state;
    ALCORE__TRY(count_candidates(run));
    order_clusters(state);
    state->depth = (int64_t)ceil(alcore__expected_picks(run) / (double)turns_now(state));
    if (state->depth < 1) state->depth = 1;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, state->count * state->depth, &state->queue));
    state->measures = !alcore__filler_full(&state->filler) && find_turn(state);
    return state->measures ? choose_members(run) : ALCORE_OK;
}

/* ---- pass "members": typicality ---- */

/* The searches of one cluster: TASK_ROWS of its candidates each. */
typedef struct task {
    const cluster *of;
    int64_t first; /* of the candidates of the cluster */
} task;

/* What all tasks share. */
typedef struct loop {
    alcore__run *run;
    task *tasks;   /* [count] */
    uint8_t *free; /* [slots] 1: not queued; mode=code: the others are nobody's neighbors */
    int64_t *row;  /* [threads, TASK_ROWS, neighbors + 1] workspace */
    double *value; /* of the same shape */
    int64_t count;
} loop;

/* K of the candidates of a cluster. */
static int64_t neighbors_of(const typiclust_state *state, const cluster *c) {
    const int64_t most = state->code ? c->left / 2 : c->candidates - 1;
    return state->neighbors < most ? state->neighbors : most;
}

/* The mean of the distances of a list, whose first entry is the row itself or a duplicate of it. */
static double mean_distance(const typiclust_state *state, const double *sq_dist, int64_t k) {
    double sum = 0.0;
    for (int64_t n = 1; n <= k; n++) sum += state->code ? sq_dist[n] : sqrt(sq_dist[n]);
    return k > 0 ? sum / (double)k : 0.0;
}

/* Measures the candidates of a task that were not queued. data: a loop. */
static alcore_status measure_task(void *data, int64_t index, int32_t worker) {
    const loop *work = data;
    typiclust_state *state = work->run->state;
    const task *mine = &work->tasks[index];
    const cluster *c = mine->of;
    const int64_t k = neighbors_of(state, c), left = c->candidates - mine->first;
    const int64_t count = left < TASK_ROWS ? left : TASK_ROWS, list = state->neighbors + 1;
    const alcore_sys_rows rows = alcore__gathered_rows(&state->gathered, c->slot, c->candidates);
    const alcore_sys_rows queries =
        alcore__gathered_rows(&state->gathered, c->slot + mine->first, count);
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    const uint8_t *free = work->free + c->slot;
    const alcore_sys_best best = {.k = k + 1,
                                  .row = work->row + worker * TASK_ROWS * list,
                                  .value = work->value + worker * TASK_ROWS * list};
    for (int64_t i = 0; i < count * best.k; i++) best.row[i] = -1;
    ALCORE__TRY(ALCORE__GATHERED_KERNEL(work->run, knn, &rows, state->code ? free : NULL, &queries,
                                        free + mine->first, &search, &best,
                                        NULL /* no lists of rows */));
    for (int64_t q = 0; q < count; q++) {
        if (!free[mine->first + q]) continue;
        state->distance[state->members.member[c->first + mine->first + q]] =
            mean_distance(state, best.value + q * best.k, k);
    }
    return ALCORE_OK;
}

/* Lists the tasks of the clusters that are compared, for which there is room. */
static void list_tasks(const typiclust_state *state, loop *work) {
    work->count = 0;
    for (int64_t c = 0; c < state->count; c++) {
        const cluster *of = &state->clusters[c];
        if (of->slot < 0 || !of->left) continue;
        for (int64_t first = 0; first < of->candidates; first += TASK_ROWS)
            work->tasks[work->count++] = (task){.of = of, .first = first};
    }
}

/* Moves the most typical candidate of a cluster that is left to its queue: the smallest mean
 * distance, the lower row in a tie. */
static void queue_best(typiclust_state *state, int64_t number, uint8_t *free) {
    cluster *c = &state->clusters[number];
    int64_t best = -1;
    for (int64_t i = 0; i < c->candidates; i++) {
        if (!free[c->slot + i]) continue;
        const double distance = state->distance[state->members.member[c->first + i]];
        if (best < 0 || distance < state->distance[state->members.member[c->first + best]])
            best = i;
    }
    free[c->slot + best] = 0;
    state->is_queued[c->first + best] = 1;
    state->queue[number * state->depth + c->queued++] = state->members.member[c->first + best];
    c->left--;
}

/* Fills the queues of the clusters that were gathered. With mode=code the neighbors change with
 * each row that leaves. */
static alcore_status fill_queues(alcore__run *run, loop *work) {
    typiclust_state *state = run->state;
    for (int64_t c = 0; c < state->count; c++) {
        cluster *of = &state->clusters[c];
        if (of->slot < 0) continue;
        of->queued = of->offered = 0;
        for (int64_t i = 0; i < of->candidates; i++)
            work->free[of->slot + i] = !state->is_queued[of->first + i];
    }
    for (int64_t entry = 0; entry < state->depth; entry++) {
        list_tasks(state, work);
        if (entry == 0 || state->code)
            ALCORE__TRY(alcore__parallel(run->ctx, "typicality", work->count, measure_task, work));
        for (int64_t c = 0; c < state->count; c++)
            if (state->clusters[c].slot >= 0 && state->clusters[c].left > 0)
                queue_best(state, c, work->free);
    }
    return ALCORE_OK;
}

/* Offers the queues' heads in turns until the budget is spent, no candidate is left, or the queue
 * of the cluster whose turn it is has to be filled. */
static alcore_status make_turns(alcore__run *run) {
    typiclust_state *state = run->state;
    state->measures = false;
    while (!alcore__filler_full(&state->filler) && find_turn(state)) {
        const int64_t number = state->turns[state->turn];
        cluster *c = &state->clusters[number];
        bool bought;
        state->measures = c->offered == c->queued;
        if (state->measures) return choose_members(run);
        ALCORE__TRY(alcore__filler_offer(
            &state->filler, state->queue[number * state->depth + c->offered++], &bought));
        ALCORE__TRY(alcore__tick(run->ctx, "filling the budget", 0, 0)); /* cancellation only */
        state->turn++;
    }
    return ALCORE_OK;
}

/* End of the pass "members". */
static alcore_status compare_members(alcore__run *run) {
    typiclust_state *state = run->state;
    const int64_t slots = state->gathered.count, threads = run->threads;
    const int64_t entries = threads * TASK_ROWS * (state->neighbors + 1);
    loop work = {.run = run};
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, slots / TASK_ROWS + state->count, &work.tasks));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, slots, &work.free));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, entries, &work.row));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, entries, &work.value));
    ALCORE__TRY(fill_queues(run, &work));
    alcore__run_drop(run, height);
    return make_turns(run);
}

/* ---- finish, definition ---- */

/* The score of a candidate that was measured is its typicality, of any other NaN. */
static alcore_status finish(alcore__run *run) {
    typiclust_state *state = run->state;
    int64_t *cluster_column;
    ALCORE__TRY(alcore__outcome_column(run, "cluster", ALCORE_INT64, &cluster_column));
    for (int64_t i = 0; i < run->outcome.count; i++) {
        cluster_column[i] = state->members.cluster_of[i];
        run->outcome.scores[i] = 1.0 / (state->distance[i] + MIN_DISTANCE);
    }
    ALCORE__TRY(alcore__outcome_keep_column(run, "distance", &state->distance));
    alcore__filler_finish(&state->filler);
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "k-means",
     .start = start_kmeans,
     .nested = alcore__kmeans_passes,
     .nested_at = offsetof(typiclust_state, kmeans)},
    {.name = "labeled rows",
     .source = ALCORE__OVER_LABELED_ROWS,
     .block = find_cluster,
     .partial = {.row_bytes = sizeof(int32_t), .reduce = count_labeled}},
    {.name = "labeled pool",
     .source = ALCORE__OVER_LABELED_POOL,
     .block = find_cluster,
     .partial = {.row_bytes = sizeof(int32_t), .reduce = count_labeled}},
    {.name = "clusters",
     .block = alcore__members_read,
     .partial = ALCORE__MEMBERS(typiclust_state, members),
     .end = begin_turns},
    {.name = "members",
     .source = ALCORE__OVER_CHOSEN,
     .block = alcore__gather_block,
     .partial = ALCORE__GATHERED_ROWS(typiclust_state, gathered),
     .end = compare_members,
     .when = ALCORE__IF(typiclust_state, measures),
     .again = ALCORE__IF(typiclust_state, measures)},
    {.name = NULL},
};

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, typiclust_state, member)
static const alcore__param ROWS[] = {
    ALCORE__PARAM("mode", CHOICE, "paper", 0, 0, "paper|code",
                  "code: squared distances, to candidates that were not picked, as the public code",
                  STATE(code)),
    ALCORE__PARAM("max_clusters", INTEGER, "500", 1, 8192, NULL, "most clusters of k-means",
                  STATE(max_clusters)),
    ALCORE__PARAM("neighbors", INTEGER, "20", 1, ALCORE__KERNEL_NEIGHBORS - 1, NULL,
                  "K: nearest neighbors whose mean distance makes a row typical", STATE(neighbors)),
    ALCORE__PARAM("min_cluster", INTEGER, "6", 1, 0x1p53, NULL,
                  "clusters of fewer rows have turns when all others are exhausted",
                  STATE(min_cluster)),
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"mode=code neighbors=3 min_cluster=2", "max_clusters=2",
                                       NULL};

const alcore__strategy_def alcore__strategy_typiclust = {
    .name = "typiclust",
    .summary =
        "The most typical row of each of the largest k-means clusters without a labeled row, "
        "for small budgets (TypiClust, Hacohen et al. 2022)",
    .examples = EXAMPLES,
    .measure = "typicality",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings,
              [ALCORE__ROLE(LABELED)] = alcore__needs_embeddings},
    .rows_depend_on_budget = true,
    .by_passes = true,
    .state_bytes = sizeof(typiclust_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
};
