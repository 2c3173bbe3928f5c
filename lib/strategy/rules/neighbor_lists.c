/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of the nearest candidates, as neighbor_lists.h describes them. The search kernel, knn,
 * finds the neighbors in one block, exactly and in the order (value, row); what is left is to
 * number them by position and to merge the blocks. Lists of a block that have more entries than the
 * kernel keeps are found as search/neighbor_list.c describes. */
#include "strategy/rules/neighbor_lists.h"

#include <string.h>

#include "search/neighbor_list.h"

alcore_status alcore__neighbor_lists_new(const alcore__run *run, int32_t metric, int64_t count,
                                         int64_t length, alcore__neighbor_lists *lists) {
    const int64_t entries = count * length;
    lists->metric = metric;
    lists->count = count;
    lists->length = length;
    lists->full = lists->joined && alcore__in_shards(run);
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, entries, &lists->position));
    ALCORE__TRY(ALCORE__RUN_ARRAY(run, entries, &lists->value));
    for (int64_t i = 0; i < entries; i++) lists->position[i] = -1;
    return ALCORE_OK;
}

/* ---- the partial of one block ---- */

/* Entries of a list of a block with `active` active rows. */
static int64_t width_of(const alcore__neighbor_lists *lists, int64_t active) {
    return lists->full || lists->length < active ? lists->length : active;
}

size_t alcore__neighbor_lists_bytes(const alcore__block *block) {
    const alcore__neighbor_lists *lists = block->into;
    return (size_t)(lists->count * width_of(lists, block->count)) *
           (sizeof(int64_t) + sizeof(double));
}

void alcore__neighbor_lists_begin(const alcore__neighbor_lists *lists, const alcore__block *block,
                                  void *partial) {
    int64_t *position = partial;
    const int64_t entries = lists->count * width_of(lists, block->count);
    for (int64_t i = 0; i < entries; i++) position[i] = -1;
}

/* Joins the rows of the matrix to lists that are longer than the kernel knn allows
 * (ALCORE__KERNEL_NEIGHBORS, 1024 entries): best [vectors, width], those of the vectors in the
 * partial. Each call of the kernel has ALCORE__LONG_QUERIES, 64, of the vectors at most. The
 * workspace is on the block's scratch memory. */
static alcore_status join_long(const alcore__neighbor_lists *lists, const alcore__matrix *matrix,
                               const uint8_t *mask, const alcore_sys_rows *vectors,
                               const uint8_t *vector_mask, const alcore_sys_best *best) {
    const int64_t entries = ALCORE__LONG_QUERIES * ALCORE__KERNEL_NEIGHBORS;
    const alcore_sys_search search = {.size = sizeof search, .metric = lists->metric};
    const alcore__run *run = matrix->block->run;
    alcore_sys_work work;
    ALCORE__TRY(alcore__matrix_work(matrix, search.metric, ALCORE__LONG_QUERIES, &work));
    const alcore__scratch_mark mark = alcore__scratch_get_mark(matrix->block);
    int64_t *row;
    double *value;
    ALCORE__TRY(alcore__scratch_push(matrix->block, entries, sizeof *row, &row));
    ALCORE__TRY(alcore__scratch_push(matrix->block, entries, sizeof *value, &value));
    ALCORE__TRY(alcore__neighbor_join_long(run->ctx, alcore__run_kernels(run), &work, &matrix->rows,
                                           mask, vectors, vector_mask, &search, best, row, value));
    alcore__scratch_release(matrix->block, mark);
    return ALCORE_OK;
}

/* The rows are the rows of the kernel's search and the vectors its queries. */
alcore_status alcore__neighbor_lists_join(const alcore__neighbor_lists *lists,
                                          const alcore__matrix *matrix, const uint8_t *mask,
                                          const alcore_sys_rows *vectors,
                                          const uint8_t *vector_mask, int64_t first,
                                          void *partial) {
    const alcore__run *run = matrix->block->run;
    const alcore_sys_search search = {.size = sizeof search, .metric = lists->metric};
    alcore_sys_work work;
    const int64_t width = width_of(lists, matrix->block->count);
    int64_t *position = partial;
    double *value = (double *)(position + lists->count * width);
    const alcore_sys_best best = {
        .k = width, .row = position + first * width, .value = value + first * width};
    if (width > ALCORE__KERNEL_NEIGHBORS)
        return join_long(lists, matrix, mask, vectors, vector_mask, &best);
    ALCORE__TRY(alcore__matrix_work(matrix, search.metric, vectors->count, &work));
    return alcore__run_kernels(run)->knn(&work, &matrix->rows, mask, vectors, vector_mask, &search,
                                         &best, NULL /* no lists of the candidates */);
}

void alcore__neighbor_lists_end(const alcore__neighbor_lists *lists, const alcore__matrix *matrix,
                                void *partial) {
    int64_t *position = partial;
    const int64_t entries = lists->count * width_of(lists, matrix->block->count);
    for (int64_t i = 0; i < entries; i++) {
        if (position[i] < 0) continue;
        const int64_t index = alcore__matrix_index_of(matrix, position[i] - matrix->rows.first);
        position[i] = lists->joined ? matrix->block->rows[index] : matrix->block->start + index;
    }
}

/* ---- the reduction ---- */

/* Merges lists [count, width] into others [count, length]. A list that is empty, or whose first
 * entry is not nearer than the last one of a full list, changes nothing. */
static void merge_lists(const alcore__neighbor_lists *lists, int64_t *into, double *into_value,
                        int64_t width, const int64_t *position, const double *value) {
    const int64_t length = lists->length;
    for (int64_t v = 0; v < lists->count; v++) {
        const int64_t last = (v + 1) * length - 1;
        if (!alcore__neighbor_precedes(lists->metric, value[v * width], position[v * width],
                                       into_value[last], into[last]))
            continue;
        alcore__neighbor_merge(lists->metric, length, into + v * length, into_value + v * length,
                               width, position + v * width, value + v * width);
    }
}

alcore_status alcore__neighbor_lists_merge(alcore__run *run, const alcore__block_partial *partial) {
    alcore__neighbor_lists *lists = partial->into;
    const alcore__active_rows *active = &run->active[partial->source];
    const int64_t width = width_of(lists, partial->count);
    const int64_t end = lists->joined ? active->dataset->rows : active->count;
    const int64_t *position = partial->extra;
    for (int64_t i = 0; i < lists->count * width; i++)
        if (position[i] != -1) ALCORE__TRY(alcore__partial_check_index(position[i], end));
    merge_lists(lists, lists->position, lists->value, width, position,
                (const double *)(position + lists->count * width));
    return ALCORE_OK;
}

void alcore__neighbor_lists_join_partials(const alcore__block *block, void *into, const void *next,
                                          size_t bytes) {
    const alcore__neighbor_lists *lists = block->into;
    const int64_t entries = lists->count * lists->length;
    int64_t *position = into;
    const int64_t *others = next;
    (void)bytes;
    merge_lists(lists, position, (double *)(position + entries), lists->length, others,
                (const double *)(others + entries));
}
