/* SPDX-License-Identifier: Apache-2.0 */
/* What a strategy can do with one block of a pass: scores and embeddings of its active rows,
 * scratch memory, and what is kept with the block between passes.
 *
 * Two index spaces meet here. An index counts the active rows of the block, 0 .. count - 1. A
 * matrix row counts the rows of the matrix that kernels are given: where every row of a run of rows
 * is active, or the active rows were copied together, the two are equal; else the matrix has rows
 * that a mask leaves out. Functions of this header read and write one entry per index; kernels
 * called directly work by matrix row. */
#ifndef ALCORE__BLOCK_H
#define ALCORE__BLOCK_H

#include "strategy/strategy_def.h"

typedef struct alcore__worker_memory alcore__worker_memory;

/* What is kept for the candidates of a block until the run ends (engine/block_memory.c). */
typedef struct alcore__block_memory {
    void *local;             /* alcore__block_local(): bytes in host memory */
    alcore_sys_rows doubles; /* alcore__block_keep(): in the memory that the engine works in */
    bool doubles_on_device;
    bool upload_tried;      /* the engine was asked to keep the matrix in its memory */
    alcore_sys_rows device; /* active rows of the matrix there; data NULL: not there */
    char *host;             /* the same in host memory; NULL: read from the column each time */
} alcore__block_memory;

struct alcore__block {
    alcore__run *run;
    int32_t source;       /* ALCORE__OVER_* */
    int64_t number;       /* in its pool */
    int64_t start, count; /* its active rows are positions start .. start + count - 1; count > 0 */
    const int64_t *rows;  /* [count] */
    alcore__block_memory *memory; /* NULL for other sources than candidates */
    alcore__worker_memory *worker;
};

/* ---- scratch memory: a stack per worker thread (engine/scratch_stack.c) ---- */

/* Pushes an uninitialized array; it stays until the block is done or a mark below it is released.
 * Arrays never move and never overlap: two helpers cannot overwrite each other's. */
alcore_status alcore__scratch_push(alcore__block *block, int64_t count, size_t entry_bytes,
                                   void *out);
/* The height of the stack, and everything above a height given back: for helpers in loops. */
typedef struct alcore__scratch_mark {
    size_t chunk, used;
} alcore__scratch_mark;
alcore__scratch_mark alcore__scratch_get_mark(const alcore__block *block);
void alcore__scratch_release(alcore__block *block, alcore__scratch_mark mark);

/* ---- scores ---- */

/* def->score_rows over the active rows, one entry per index: rank [count]; score and raw [count]
 * may be NULL. */
alcore_status alcore__block_scores(alcore__block *block, double *rank, double *score, double *raw);

/* The rows of a dense column of the candidates from the block's first active row to its last:
 * active row `index` is row block->rows[index] - block->rows[0] of them. */
alcore_status alcore__block_column(alcore__block *block, const alcore__column *column,
                                   alcore_sys_rows *out);

/* ---- what is kept with a block of candidates ---- */

/* Bytes in host memory, zeroed when they are first asked for. */
alcore_status alcore__block_local(alcore__block *block, size_t bytes, void *out);
/* The same, when they were asked for before; NULL: they were not. */
void *alcore__block_find_local(const alcore__block *block);
/* Doubles in the memory that the engine works in (a device's own): only kernels and
 * alcore__download() look at them. NULL before alcore__block_keep(), which takes values [count]
 * over, also when it fails. */
double *alcore__block_doubles(const alcore__block *block);
alcore_status alcore__block_keep(alcore__block *block, double *values, int64_t count);
/* Copies doubles from the engine's memory to out [count]. */
alcore_status alcore__download(const alcore__run *run, const double *values, int64_t count,
                               double *out);
/* The same for one array [matrix rows], picked out by index: out [block->count]. */
struct alcore__matrix;
alcore_status alcore__download_active(const struct alcore__matrix *matrix, const double *values,
                                      double *out);

/* ---- embeddings ---- */

/* The column "embeddings" of the block as kernels take it. */
typedef struct alcore__matrix {
    alcore__block *block;
    alcore_sys_rows rows;
    const uint8_t *mask; /* [rows.count] 1: active; NULL: every matrix row is, and equals its index
                          */
} alcore__matrix;
/* unit: rows are read as unit vectors. */
alcore_status alcore__block_matrix(alcore__block *block, bool unit, alcore__matrix *out);

static inline int64_t alcore__matrix_row_of(const alcore__matrix *matrix, int64_t index) {
    return matrix->mask ? matrix->block->rows[index] - matrix->rows.first : index;
}
/* The index of an active matrix row. */
int64_t alcore__matrix_index_of(const alcore__matrix *matrix, int64_t matrix_row);
/* One row widened to double: out [dims]. */
alcore_status alcore__matrix_copy_row(const alcore__matrix *matrix, int64_t index, double *out);
/* ALCORE_E_DATA that names the first active row with a NaN or infinity; ALCORE_OK when there is
 * none. Called when a sum or a norm is not finite. */
alcore_status alcore__matrix_check(const alcore__matrix *matrix);

/* By index: out [count]. vector: [dims]. */
alcore_status alcore__matrix_dots(const alcore__matrix *matrix, const double *vector, double *out);
alcore_status alcore__matrix_self_dots(const alcore__matrix *matrix, double *out);
alcore_status alcore__matrix_sq_dists(const alcore__matrix *matrix, const double *vector,
                                      double *out);
/* group [count]: the group of each active row, -1: none. sums [groups, dims], counts [groups]. */
alcore_status alcore__matrix_group_sums(const alcore__matrix *matrix, const int32_t *group,
                                        int64_t groups, double *sums, int64_t *counts);
/* The sum of all active rows: sums [dims]. */
alcore_status alcore__matrix_sum(const alcore__matrix *matrix, double *sums);
/* 1 - cos to the centroid of each row's group: out [count], centroids [groups, dims]. */
alcore_status alcore__matrix_cosine_distances(const alcore__matrix *matrix, const int32_t *group,
                                              int64_t groups, const double *centroids, double *out);
/* What the kernel nearest_centroid writes, by index: [count] each; distance may be NULL, low and
 * high both. Entries of rows without a group are not written. */
typedef struct alcore__nearest {
    int32_t *nearest;
    double *distance, *low, *high;
} alcore__nearest;
alcore_status alcore__matrix_nearest(const alcore__matrix *matrix, const int32_t *group,
                                     int64_t groups, const int64_t *centroid_starts,
                                     const double *centroids, const alcore__nearest *out);

/* ---- the target, for passes over the candidates (engine/block_distances.c) ---- */

/* Embeddings of one block of the target: rows 8192 target_block .. of its pool. */
alcore_status alcore__target_rows(alcore__block *block, int64_t target_block, alcore_sys_rows *out);
/* Sums of Euclidean distances of the active rows to rows of the target, by the group of the target
 * rows, group [targets], -1: left out. sums [count, groups]. wanted [count]: rows whose sums are
 * computed; NULL: all. */
alcore_status alcore__matrix_distances(const alcore__matrix *matrix, const uint8_t *wanted,
                                       const alcore_sys_rows *targets, const int32_t *group,
                                       int64_t groups, double *sums);
/* Intervals around them: low and high [count, groups]. */
alcore_status alcore__matrix_distance_bounds(const alcore__matrix *matrix,
                                             const alcore_sys_rows *targets, const int32_t *group,
                                             int64_t groups, double *low, double *high);

#endif
