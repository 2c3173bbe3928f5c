/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of the nearest candidates, as neighbor_lists.h describes them. The search kernel, knn,
 * finds the neighbors in one block, exactly and in the order (value, row); what is left is to
 * number them by position and to merge the blocks.
 *
 * Terms used here:
 *
 *     lists       count vectors, each with a list of `length` candidates, the nearest first.
 *                 position [count, length]: the candidates; -1: a free entry, and free entries come
 *                 last. value [count, length]: their squared distances, the smallest first, or
 *                 their cosines, the largest first, as the metric says; unspecified in a free entry
 *     position    number of a candidate among all candidates, from 0
 *     active row  a candidate in its block (8192 pool rows); its index numbers them in the block,
 *                 so that its position is block->start + index
 *     matrix row  a row of the block as kernels see it, rows that are not active included; kernels
 *                 report matrix row i as matrix->rows.first + i
 *     partial     the lists of one block: int64 [count, length], matrix rows as the kernel reports
 *                 them until alcore__neighbor_lists_end() makes positions of them, then double
 *                 [count, length], their values */
#include "strategy/rules/neighbor_lists.h"

#include <string.h>

/* Frees the arrays and zeroes the struct; one that is zeroed already has none. */
void alcore__neighbor_lists_free(alcore_ctx *ctx, alcore__neighbor_lists *lists) {
    alcore__free(ctx, lists->position);
    alcore__free(ctx, lists->value);
    alcore__free(ctx, lists->merged);
    alcore__free(ctx, lists->merged_value);
    memset(lists, 0, sizeof *lists);
}

/* Makes `count` empty lists of `length` entries in place of those that the struct had, which is
 * zeroed before its first use. metric: ALCORE_SYS_L2 or ALCORE_SYS_COSINE. The caller frees them
 * with alcore__neighbor_lists_free(), also after a failure. */
alcore_status alcore__neighbor_lists_new(alcore_ctx *ctx, int32_t metric, int64_t count,
                                         int64_t length, alcore__neighbor_lists *lists) {
    size_t entries = (size_t)count * (size_t)length;
    alcore__neighbor_lists_free(ctx, lists);
    lists->metric = metric;
    lists->count = count;
    lists->length = length;
    ALCORE__TRY(alcore__new_array(ctx, entries, sizeof(int64_t), &lists->position));
    ALCORE__TRY(alcore__new_array(ctx, entries, sizeof(double), &lists->value));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)length, sizeof(int64_t), &lists->merged));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)length, sizeof(double), &lists->merged_value));
    for (size_t i = 0; i < entries; i++) lists->position[i] = -1;
    return ALCORE_OK;
}

/* ---- the partial of one block ---- */

/* Number of entries of all lists. */
static int64_t entries_of(const alcore__neighbor_lists *lists) {
    return lists->count * lists->length;
}

/* Bytes of the partial of a block. */
size_t alcore__neighbor_lists_bytes(const alcore__neighbor_lists *lists) {
    return (size_t)entries_of(lists) * (sizeof(int64_t) + sizeof(double));
}

/* Empties the lists of a partial, as the kernel expects them before its first call: every entry is
 * free, -1. The values of free entries have no meaning. */
void alcore__neighbor_lists_begin(const alcore__neighbor_lists *lists, void *partial) {
    int64_t *position = partial;
    for (int64_t i = 0; i < entries_of(lists); i++) position[i] = -1;
}

/* Joins the matrix rows of a block whose mask is 1 (NULL: all) to the lists first .. first +
 * vectors->count - 1 of the partial, those of vectors [vectors->count, dims]; vector_mask
 * [vectors->count] 1: the list is joined (NULL: all). The rows are the rows of the kernel's search
 * and the vectors its queries. Called any number of times between _begin() and _end(). */
alcore_status alcore__neighbor_lists_join(const alcore__neighbor_lists *lists,
                                          const alcore__matrix *matrix, const uint8_t *mask,
                                          const alcore_sys_rows *vectors,
                                          const uint8_t *vector_mask, int64_t first,
                                          void *partial) {
    const alcore__run *run = matrix->block->run;
    const alcore_sys_search search = {.size = sizeof search, .metric = lists->metric};
    const alcore_sys_work work = alcore__run_work(run);
    int64_t *position = partial;
    double *value = (double *)(position + entries_of(lists));
    const alcore_sys_best best = {.k = lists->length,
                                  .row = position + first * lists->length,
                                  .value = value + first * lists->length};
    return alcore__run_kernels(run)->knn(&work, &matrix->rows, mask, vectors, vector_mask, &search,
                                         &best, NULL /* no lists of the candidates */);
}

/* Turns the rows that the kernel reported, rows.first + matrix row, into positions. Free entries
 * stay -1. matrix is the one of the calls of alcore__neighbor_lists_join(). */
void alcore__neighbor_lists_end(const alcore__neighbor_lists *lists, const alcore__matrix *matrix,
                                void *partial) {
    int64_t *position = partial;
    for (int64_t i = 0; i < entries_of(lists); i++) {
        if (position[i] < 0) continue;
        int64_t matrix_row = position[i] - matrix->rows.first;
        position[i] = matrix->block->start + alcore__matrix_index_of(matrix, matrix_row);
    }
}

/* ---- the reduction ---- */

/* Whether a candidate with this value is nearer than one with the value `other`: false when they
 * are equal. */
static bool is_nearer(const alcore__neighbor_lists *lists, double value, double other) {
    return lists->metric == ALCORE_SYS_L2 ? value < other : value > other;
}

/* Merges the list of a block, block_position and block_value [length], into the list of the same
 * vector, position and value [length], and keeps the nearest `length`; -1 entries come last in
 * both. Blocks come in the order of their rows, so that of equally near candidates the one that is
 * in the list already has the lower row. */
static void merge_list(alcore__neighbor_lists *lists, int64_t *position, double *value,
                       const int64_t *block_position, const double *block_value) {
    int64_t length = lists->length, from_list = 0, from_block = 0;
    for (int64_t i = 0; i < length; i++) {
        bool is_block = block_position[from_block] >= 0 &&
                        (position[from_list] < 0 ||
                         is_nearer(lists, block_value[from_block], value[from_list]));
        lists->merged[i] = is_block ? block_position[from_block] : position[from_list];
        lists->merged_value[i] = is_block ? block_value[from_block] : value[from_list];
        /* Neither index passes the end: together they advance once for each merged entry but the
         * last. */
        if (i + 1 < length) *(is_block ? &from_block : &from_list) += 1;
    }
    memcpy(position, lists->merged, (size_t)length * sizeof *position);
    memcpy(value, lists->merged_value, (size_t)length * sizeof *value);
}

/* Reduces the partial of one block: merges its lists into those of the blocks before. A list that
 * is empty, or whose first entry is not nearer than the last one of a full list, changes
 * nothing. */
void alcore__neighbor_lists_merge(alcore__neighbor_lists *lists, const void *partial) {
    const int64_t *position = partial;
    const double *value = (const double *)(position + entries_of(lists));
    for (int64_t first = 0; first < entries_of(lists); first += lists->length) {
        int64_t last = first + lists->length - 1;
        if (position[first] < 0) continue;
        if (lists->position[last] >= 0 && !is_nearer(lists, value[first], lists->value[last]))
            continue;
        merge_list(lists, lists->position + first, lists->value + first, position + first,
                   value + first);
    }
}
