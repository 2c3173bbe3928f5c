/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of the nearest candidates, as neighbor_lists.h describes them. The search kernel, knn,
 * finds the neighbors in one block, exactly and in the order (value, row); what is left is to
 * number them by position and to merge the blocks. Where a list of a block has more entries than
 * the kernel keeps, it is merged from those of runs of as many matrix rows, which the kernel
 * orders completely.
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
 *     width       entries of a list of one block: `length`, or the active rows of the block where
 *                 those are fewer
 *     partial     the lists of one block: int64 [count, width], matrix rows as the kernel reports
 *                 them until alcore__neighbor_lists_end() makes positions of them, then double
 *                 [count, width], their values */
#include "strategy/rules/neighbor_lists.h"

#include <string.h>

#include "alcore/sys/dtype.h"

/* KERNEL_WIDTH: the most entries that the kernel keeps in a list (alcore_sys_best.k). LONG_VECTORS:
 * how many vectors are searched for at a time where lists are wider; their lists of a run are 1
 * MiB. */
enum { KERNEL_WIDTH = 1024, LONG_VECTORS = 64 };

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

/* Whether a candidate with this value is nearer than one with the value `other`: false when they
 * are equal. */
static bool is_nearer(const alcore__neighbor_lists *lists, double value, double other) {
    return lists->metric == ALCORE_SYS_L2 ? value < other : value > other;
}

/* ---- the partial of one block ---- */

/* Entries of a list of a block with `active` active rows. */
static int64_t width_of(const alcore__neighbor_lists *lists, int64_t active) {
    return lists->length < active ? lists->length : active;
}

/* Bytes of the partial of a block. */
size_t alcore__neighbor_lists_bytes(const alcore__neighbor_lists *lists,
                                    const alcore__block *block) {
    return (size_t)(lists->count * width_of(lists, block->count)) *
           (sizeof(int64_t) + sizeof(double));
}

/* Empties the lists of a partial, as the kernel expects them before its first call: every entry is
 * free, -1. The values of free entries have no meaning. */
void alcore__neighbor_lists_begin(const alcore__neighbor_lists *lists, const alcore__block *block,
                                  void *partial) {
    int64_t *position = partial;
    const int64_t entries = lists->count * width_of(lists, block->count);
    for (int64_t i = 0; i < entries; i++) position[i] = -1;
}

/* The rows from .. from + count - 1 of a run of rows. */
static alcore_sys_rows slice(const alcore_sys_rows *rows, int64_t from, int64_t count) {
    alcore_sys_rows out = *rows;
    out.data = (const char *)rows->data +
               (size_t)(from * rows->stride) * alcore_sys_dtype_bytes(rows->dtype);
    out.first = rows->first + from;
    out.count = count;
    return out;
}

/* Merges the list `from` into the list `into`, rows and values, and keeps the nearest `width` of
 * both in it; -1 entries come last in both. from has from_width entries, all of later rows than
 * those of into, which win between equal values. merged, merged_value [width]: workspace. */
static void merge_sorted(const alcore__neighbor_lists *lists, int64_t width, int64_t *into,
                         double *into_value, int64_t from_width, const int64_t *from,
                         const double *from_value, int64_t *merged, double *merged_value) {
    int64_t in = 0, at = 0;
    for (int64_t i = 0; i < width; i++) { /* in + at = i, so `in` does not pass the end */
        const bool has_from = at < from_width && from[at] >= 0;
        const bool takes_from =
            has_from && (into[in] < 0 || is_nearer(lists, from_value[at], into_value[in]));
        merged[i] = takes_from ? from[at] : into[in];
        merged_value[i] = takes_from ? from_value[at] : into_value[in];
        *(takes_from ? &at : &in) += 1;
    }
    memcpy(into, merged, (size_t)width * sizeof *into);
    memcpy(into_value, merged_value, (size_t)width * sizeof *into_value);
}

/* The join of lists that are wider than the kernel's: row [vectors, width] and value of the same
 * shape are those of the vectors in the partial. The kernel lists all rows of a run of KERNEL_WIDTH
 * matrix rows, the nearest first, and these lists are merged. Runs come in the order of rows. */
static alcore_status join_long(const alcore__neighbor_lists *lists, const alcore__matrix *matrix,
                               const uint8_t *mask, const alcore_sys_rows *vectors,
                               const uint8_t *vector_mask, int64_t width, int64_t *row,
                               double *value) {
    alcore__block *block = matrix->block;
    const alcore_sys_search search = {.size = sizeof search, .metric = lists->metric};
    const alcore_sys_work work = alcore__run_work(block->run);
    const alcore__scratch_mark mark = alcore__scratch_get_mark(block);
    int64_t *merged; /* [width] workspace of merge_sorted() */
    double *merged_value;
    alcore_sys_best best = {.k = KERNEL_WIDTH}; /* [LONG_VECTORS, KERNEL_WIDTH], of one run */
    ALCORE__TRY(alcore__scratch_push(block, width, sizeof *merged, &merged));
    ALCORE__TRY(alcore__scratch_push(block, width, sizeof *merged_value, &merged_value));
    ALCORE__TRY(
        alcore__scratch_push(block, LONG_VECTORS * KERNEL_WIDTH, sizeof(int64_t), &best.row));
    ALCORE__TRY(
        alcore__scratch_push(block, LONG_VECTORS * KERNEL_WIDTH, sizeof(double), &best.value));
    for (int64_t v = 0; v < vectors->count; v += LONG_VECTORS) {
        const int64_t left = vectors->count - v,
                      several = left < LONG_VECTORS ? left : LONG_VECTORS;
        const alcore_sys_rows wanted = slice(vectors, v, several);
        for (int64_t r = 0; r < matrix->rows.count; r += KERNEL_WIDTH) {
            const int64_t rest = matrix->rows.count - r;
            const alcore_sys_rows rows =
                slice(&matrix->rows, r, rest < KERNEL_WIDTH ? rest : KERNEL_WIDTH);
            for (int64_t i = 0; i < several * KERNEL_WIDTH; i++) best.row[i] = -1;
            ALCORE__TRY(alcore__run_kernels(block->run)
                            ->knn(&work, &rows, mask ? mask + r : NULL, &wanted,
                                  vector_mask ? vector_mask + v : NULL, &search, &best,
                                  NULL /* no lists of the candidates */));
            for (int64_t i = 0; i < several; i++)
                merge_sorted(lists, width, row + (v + i) * width, value + (v + i) * width,
                             KERNEL_WIDTH, best.row + i * KERNEL_WIDTH,
                             best.value + i * KERNEL_WIDTH, merged, merged_value);
        }
    }
    alcore__scratch_release(block, mark);
    return ALCORE_OK;
}

/* Joins the matrix rows of a block whose mask is 1 (NULL: all) to the lists first .. first +
 * vectors->count - 1 of the partial, those of vectors [vectors->count, dims]; vector_mask
 * [vectors->count] 1: the list is joined (NULL: all). The rows are the rows of the kernel's search
 * and the vectors its queries. Called any number of times between _begin() and _end(), for each
 * vector once. */
alcore_status alcore__neighbor_lists_join(const alcore__neighbor_lists *lists,
                                          const alcore__matrix *matrix, const uint8_t *mask,
                                          const alcore_sys_rows *vectors,
                                          const uint8_t *vector_mask, int64_t first,
                                          void *partial) {
    const alcore__run *run = matrix->block->run;
    const alcore_sys_search search = {.size = sizeof search, .metric = lists->metric};
    const alcore_sys_work work = alcore__run_work(run);
    const int64_t width = width_of(lists, matrix->block->count);
    int64_t *position = partial;
    double *value = (double *)(position + lists->count * width);
    const alcore_sys_best best = {
        .k = width, .row = position + first * width, .value = value + first * width};
    if (width > KERNEL_WIDTH)
        return join_long(lists, matrix, mask, vectors, vector_mask, width, best.row, best.value);
    return alcore__run_kernels(run)->knn(&work, &matrix->rows, mask, vectors, vector_mask, &search,
                                         &best, NULL /* no lists of the candidates */);
}

/* Turns the rows that the kernel reported, rows.first + matrix row, into positions. Free entries
 * stay -1. matrix is the one of the calls of alcore__neighbor_lists_join(). */
void alcore__neighbor_lists_end(const alcore__neighbor_lists *lists, const alcore__matrix *matrix,
                                void *partial) {
    int64_t *position = partial;
    const int64_t entries = lists->count * width_of(lists, matrix->block->count);
    for (int64_t i = 0; i < entries; i++) {
        if (position[i] < 0) continue;
        int64_t matrix_row = position[i] - matrix->rows.first;
        position[i] = matrix->block->start + alcore__matrix_index_of(matrix, matrix_row);
    }
}

/* ---- the reduction ---- */

/* Reduces the partial of one block: merges its lists into those of the blocks before, which have
 * the lower rows. A list that is empty, or whose first entry is not nearer than the last one of a
 * full list, changes nothing. */
void alcore__neighbor_lists_merge(alcore__neighbor_lists *lists,
                                  const alcore__block_partial *partial) {
    const int64_t width = width_of(lists, partial->count), length = lists->length;
    const int64_t *position = partial->extra;
    const double *value = (const double *)(position + lists->count * width);
    for (int64_t v = 0; v < lists->count; v++) {
        const int64_t last = (v + 1) * length - 1;
        if (position[v * width] < 0) continue;
        if (lists->position[last] >= 0 && !is_nearer(lists, value[v * width], lists->value[last]))
            continue;
        merge_sorted(lists, length, lists->position + v * length, lists->value + v * length, width,
                     position + v * width, value + v * width, lists->merged, lists->merged_value);
    }
}
