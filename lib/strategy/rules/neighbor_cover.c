/* SPDX-License-Identifier: Apache-2.0 */
/* Similarities to the nearest candidates, as neighbor_cover.h describes them: lists of neighbors by
 * i, of which the pairs by j are made. */
#include "strategy/rules/neighbor_cover.h"

#include <math.h>

#include "strategy/rules/similarity_cover.h"

/* Candidates of a task: the queries of one search. */
enum { TASK_ROWS = 512 };

/* The neighbors of all rows, and the rows themselves or one neighbor more. */
typedef struct lists {
    alcore__run *run;
    const alcore__gathered *gathered;
    int64_t length; /* of a list */
    int64_t *near;  /* [rows, length] nearest first */
    double *sq_dist;
} lists;

/* Searches the lists of one task. data: lists. */
static alcore_status search_task(void *data, int64_t index, int32_t worker) {
    const lists *all = data;
    const int64_t first = index * TASK_ROWS, left = all->gathered->count - first;
    const int64_t count = left < TASK_ROWS ? left : TASK_ROWS;
    const alcore_sys_rows rows = alcore__gathered_rows(all->gathered, 0, all->gathered->count);
    const alcore_sys_rows queries = alcore__gathered_rows(all->gathered, first, count);
    const alcore_sys_search search = {.size = sizeof search, .metric = ALCORE_SYS_L2};
    const alcore_sys_best best = {.k = all->length,
                                  .row = all->near + first * all->length,
                                  .value = all->sq_dist + first * all->length};
    (void)worker;
    for (int64_t n = 0; n < count * all->length; n++) best.row[n] = -1;
    return ALCORE__GATHERED_KERNEL(all->run, knn, &rows, NULL /* all rows */, &queries,
                                   NULL /* all queries */, &search, &best, NULL);
}

/* Puts each row in the first place of its list, before its neighbors. Rows that are equal to more
 * than a list holds are not in it, and lose the last neighbor. */
static void lead_lists(const lists *all) {
    for (int64_t i = 0; i < all->gathered->count; i++) {
        int64_t *near = all->near + i * all->length, at = 0;
        double *sq_dist = all->sq_dist + i * all->length;
        while (at < all->length - 1 && near[at] != i) at++;
        for (; at > 0; at--) {
            near[at] = near[at - 1];
            sq_dist[at] = sq_dist[at - 1];
        }
        near[0] = i;
        sq_dist[0] = 0.0;
    }
}

/* Makes the pairs by j of the lists, whose distances are similarities by now. */
static alcore_status turn_lists(alcore__run *run, const lists *all, alcore__cover_graph *graph) {
    const int64_t count = all->gathered->count, pairs = count * all->length;
    int64_t *next;
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, count + 1, &graph->starts));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, pairs, &graph->covers));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, pairs, &graph->similarities));
    for (int64_t n = 0; n < pairs; n++) graph->starts[all->near[n] + 1]++;
    for (int64_t j = 0; j < count; j++) graph->starts[j + 1] += graph->starts[j];
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count, &next));
    for (int64_t j = 0; j < count; j++) next[j] = graph->starts[j];
    for (int64_t n = 0; n < pairs; n++) {
        const int64_t at = next[all->near[n]]++;
        graph->covers[at] = (int32_t)(n / all->length);
        graph->similarities[at] = all->sq_dist[n];
    }
    return ALCORE_OK;
}

alcore_status alcore__cover_graph_build(alcore__run *run, const alcore__gathered *gathered,
                                        int64_t neighbors, alcore__similarity similarity,
                                        const void *cover, alcore__cover_graph *graph) {
    const int64_t count = gathered->count;
    lists all = {.run = run, .gathered = gathered};
    all.length = neighbors < count ? neighbors + 1 : count;
    const size_t height = alcore__run_height(run);
    if (count > INT32_MAX)
        return alcore__fail(ALCORE_E_UNSUPPORTED, "neighbors: %lld candidates are too many",
                            (long long)count);
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count * all.length, &all.near));
    ALCORE__TRY(ALCORE__RUN_PUSH(run, count * all.length, &all.sq_dist));
    ALCORE__TRY(alcore__parallel(run->ctx, "neighbors", (count + TASK_ROWS - 1) / TASK_ROWS,
                                 search_task, &all));
    lead_lists(&all);
    for (int64_t n = 0; n < count * all.length; n++) all.sq_dist[n] = sqrt(all.sq_dist[n]);
    similarity(cover, all.sq_dist, count * all.length);
    ALCORE__TRY(turn_lists(run, &all, graph));
    alcore__run_drop(run, height);
    return ALCORE_OK;
}

/* Sums of the chunks of all pairs, so that a graph which has them all gives the same number. */
double alcore__cover_graph_gain(const alcore__cover_graph *graph, const double *covered,
                                int64_t j) {
    double sum = 0.0, of_chunk = 0.0;
    int64_t end = 0; /* of the present chunk */
    for (int64_t n = graph->starts[j]; n < graph->starts[j + 1]; n++) {
        const int32_t i = graph->covers[n];
        if (i >= end) {
            sum += of_chunk;
            of_chunk = 0.0;
            end = (i / ALCORE__COVER_CHUNK + 1) * ALCORE__COVER_CHUNK;
        }
        if (graph->similarities[n] > covered[i]) of_chunk += graph->similarities[n] - covered[i];
    }
    return sum + of_chunk;
}

void alcore__cover_graph_pick(const alcore__cover_graph *graph, int64_t j, double *covered) {
    for (int64_t n = graph->starts[j]; n < graph->starts[j + 1]; n++)
        if (graph->similarities[n] > covered[graph->covers[n]])
            covered[graph->covers[n]] = graph->similarities[n];
}
