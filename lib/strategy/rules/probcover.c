/* SPDX-License-Identifier: Apache-2.0 */
/* ProbCover (spec 4.12; Yehuda, Dekel, Hacohen and Weinshall 2022), for small budgets: greedily the
 * candidate with the most candidates nearer than delta that no labeled row or pick covers, for its
 * cost (similarity_cover.h).
 *
 * With delta=auto it is the largest one that leaves a ball pure for the share `purity` of the
 * candidates, as the paper estimates it: a ball is pure when all candidates in it are of the class
 * of its center, which is its cluster of k-means with as many clusters as there are classes. The
 * ball of x is pure just as long as delta is not above the distance of x to the nearest candidate
 * of another cluster, so that delta is a quantile of these distances.
 *
 * With delta=auto there are two passes and those of k-means more, and the nearest candidate of
 * another cluster is searched for each. Memory: that of similarity_cover.h; before, 28 bytes a
 * candidate and the vectors. */
#include <float.h>
#include <math.h>

#include "strategy/budget/rank.h"
#include "strategy/rules/kmeans_members.h"
#include "strategy/rules/similarity_cover.h"
#include "strategy/strategies.h"

/* Candidates of a task: the queries of one search. */
enum { TASK_ROWS = 512 };

typedef struct probcover_state {
    alcore__cover cover; /* first, see similarity_cover.h */
    double delta;        /* NaN: auto, until it is estimated */
    double purity;
    int64_t classes;
    bool estimates; /* delta=auto */
    alcore__kmeans kmeans;
    int32_t *group; /* [candidates] 0: all are of one group of k-means */
    alcore__members members;
    int64_t *slots;   /* [candidates] places of the vectors by cluster */
    int64_t *nearest; /* [candidates], by these: not -1: another cluster has a candidate, ... */
    double *sq_dist;  /* ... and the squared distance to the nearest such one */
} probcover_state;

/* ---- begin, and pass "k-means" ---- */

static alcore_status begin(alcore__run *run) {
    probcover_state *state = run->state;
    const int64_t count = run->outcome.count;
    state->cover.kind = ALCORE__COVER_BALL;
    state->estimates = isnan(state->delta);
    ALCORE__TRY(alcore__cover_begin(run));
    if (!state->estimates || !count) return ALCORE_OK;
    if (state->classes > count) state->classes = count;
    run->hints.repeats = run->hints.row_work = true; /* k-means makes many passes */
    run->hints.host_doubles = (double)state->classes * (double)alcore__embedding_dims(run);
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->group));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->slots));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->nearest));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count, &state->sq_dist));
    return alcore__members_begin(run, &state->members, state->classes);
}

static alcore_status start_kmeans(alcore__run *run) {
    probcover_state *state = run->state;
    return alcore__kmeans_begin(run, &state->kmeans, state->group, 1 /* group */, state->classes,
                                true /* unit vectors */, NULL /* seeds are drawn */);
}

/* ---- passes "clusters" and "vectors by cluster": delta ---- */

/* End of the pass "clusters". */
static alcore_status order_by_cluster(alcore__run *run) {
    probcover_state *state = run->state;
    ALCORE__TRY(alcore__members_list(run, &state->members));
    for (int64_t n = 0; n < run->outcome.count; n++) state->slots[state->members.member[n]] = n;
    return ALCORE_OK;
}

static alcore_status begin_by_cluster(alcore__run *run) {
    probcover_state *state = run->state;
    return alcore__gathered_begin(run, &state->cover.gathered, run->outcome.count, state->slots);
}

/* The searches of one cluster: TASK_ROWS of its candidates each. */
typedef struct task {
    int64_t cluster, first; /* first: the place of its first candidate, by cluster */
} task;

typedef struct loop {
    alcore__run *run;
    task *tasks;
} loop;

/* Joins the candidates at places first to end - 1, of other clusters, to the lists of a task. */
static alcore_status join_others(const loop *work, const alcore_sys_rows *queries, int64_t first,
                                 int64_t end, const alcore_sys_best *best) {
    const probcover_state *state = work->run->state;
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    if (first == end) return ALCORE_OK;
    const alcore_sys_rows rows = alcore__gathered_rows(&state->cover.gathered, first, end - first);
    return ALCORE__GATHERED_KERNEL(work->run, knn, &rows, NULL /* all rows */, queries,
                                   NULL /* all queries */, &search, best, NULL);
}

/* The nearest candidate of another cluster, for those of a task. data: a loop. */
static alcore_status search_task(void *data, int64_t index, int32_t worker) {
    const loop *work = data;
    const probcover_state *state = work->run->state;
    const task *mine = &work->tasks[index];
    const int64_t *starts = state->members.starts + mine->cluster;
    const int64_t left = starts[1] - mine->first, count = left < TASK_ROWS ? left : TASK_ROWS;
    const alcore_sys_rows queries =
        alcore__gathered_rows(&state->cover.gathered, mine->first, count);
    const alcore_sys_best best = {
        .k = 1, .row = state->nearest + mine->first, .value = state->sq_dist + mine->first};
    (void)worker;
    for (int64_t q = 0; q < count; q++) best.row[q] = -1;
    ALCORE__TRY(join_others(work, &queries, 0, starts[0], &best));
    return join_others(work, &queries, starts[1], work->run->outcome.count, &best);
}

/* Sets delta to the quantile of the distances: the largest one that the share `purity` of the
 * candidates reach. That of a candidate without another cluster is the largest of unit vectors. */
static alcore_status choose_delta(alcore__run *run) {
    probcover_state *state = run->state;
    const int64_t count = run->outcome.count;
    int64_t wanted = (int64_t)ceil(state->purity * (double)count), *order;
    if (wanted < 1) wanted = 1;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, wanted, &order));
    for (int64_t n = 0; n < count; n++) {
        if (state->nearest[n] < 0) state->sq_dist[n] = 4.0;
    }
    ALCORE__TRY(alcore__rank(run->ctx, state->sq_dist, run->outcome.rows, count, ALCORE__TIE_INDEX,
                             0 /* seed */, wanted, order));
    state->delta = sqrt(state->sq_dist[order[wanted - 1]]);
    if (!(state->delta > 0.0)) state->delta = DBL_MIN; /* only rows that are equal cover a row */
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* End of the pass "vectors by cluster". */
static alcore_status estimate_delta(alcore__run *run) {
    probcover_state *state = run->state;
    const alcore__members *members = &state->members;
    loop work = {.run = run};
    int64_t count = 0;
    const size_t height = alcore__run_height(run);
    ALCORE__TRY(
        ALCORE__RUN_PUSH(run, run->outcome.count / TASK_ROWS + members->count, &work.tasks));
    for (int64_t c = 0; c < members->count; c++)
        for (int64_t n = members->starts[c]; n < members->starts[c + 1]; n += TASK_ROWS)
            work.tasks[count++] = (task){.cluster = c, .first = n};
    ALCORE__TRY(alcore__parallel(run->ctx, "purity", count, search_task, &work));
    alcore__run_drop(run, height);
    return choose_delta(run);
}

/* ---- finish, definition ---- */

static alcore_status finish(alcore__run *run) {
    probcover_state *state = run->state;
    double *delta;
    ALCORE__TRY(alcore__outcome_fact(run, "delta", 1, &delta));
    *delta = state->delta;
    return alcore__cover_finish(run);
}

/* delta is known before labeled rows cover candidates. */
static alcore_status set_delta(alcore__run *run) {
    probcover_state *state = run->state;
    state->cover.x = state->delta;
    return ALCORE_OK;
}

static const alcore__pass PASSES[] = {
    {.name = "k-means",
     .start = start_kmeans,
     .nested = alcore__kmeans_passes,
     .nested_at = offsetof(probcover_state, kmeans),
     .when = ALCORE__IF(probcover_state, estimates)},
    {.name = "clusters",
     .block = alcore__members_read,
     .partial = ALCORE__MEMBERS(probcover_state, members),
     .end = order_by_cluster,
     .when = ALCORE__IF(probcover_state, estimates)},
    {.name = "vectors by cluster",
     .block = alcore__gather_block,
     .partial = ALCORE__GATHERED_ROWS(probcover_state, cover.gathered),
     .start = begin_by_cluster,
     .end = estimate_delta,
     .when = ALCORE__IF(probcover_state, estimates)},
    {.name = "cover", .start = set_delta, .nested = alcore__cover_passes},
    {.name = NULL},
};

#define STATE(member) ALCORE__MEMBER(ALCORE__TO_STATE, probcover_state, member)
static const alcore__param ROWS[] = {
    ALCORE__PARAM("delta", NUMBER, "auto", 0x1p-20, 2, "auto",
                  "distance of unit vectors below which a row covers another one; auto: by purity",
                  STATE(delta)),
    ALCORE__PARAM("purity", NUMBER, "0.95", 0, 1, NULL,
                  "share of the rows whose balls are of one class, for delta=auto", STATE(purity)),
    ALCORE__PARAM("classes", INTEGER, "10", 1, 8192, NULL,
                  "clusters of k-means that stand for classes, for delta=auto", STATE(classes)),
    ALCORE__COVER_NEIGHBORS_PARAM,
    ALCORE__CANDIDATE_PARAMS,
};
static const char *const EXAMPLES[] = {"delta=0.5", "classes=3 purity=0.5", "delta=0.5 neighbors=3",
                                       NULL};

const alcore__strategy_def alcore__strategy_probcover = {
    .name = "probcover",
    .summary = "The row with the most uncovered rows nearer than delta, again and again, for small "
               "budgets (ProbCover, Yehuda et al. 2022)",
    .examples = EXAMPLES,
    .reason = "covers rows that no labeled and no chosen row covers",
    .params = ALCORE__PARAMS(ROWS),
    .needs = {[ALCORE__ROLE(CANDIDATES)] = alcore__needs_embeddings,
              [ALCORE__ROLE(LABELED)] = alcore__needs_embeddings},
    .by_passes = true,
    .state_bytes = sizeof(probcover_state),
    .begin = begin,
    .passes = PASSES,
    .finish = finish,
};
