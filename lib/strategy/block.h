/* SPDX-License-Identifier: Apache-2.0 */
/* What a strategy can do with one block of a pass: scores and embeddings of its active rows,
 * scratch memory, and what is kept with the block between passes.
 *
 * Words of all passes (docs/glossary.md): the runner cuts the rows of a pool into blocks of
 * ALCORE_BLOCK_ROWS = 8192 adjacent rows. An active row of a block is one of the pass's source,
 * such as a candidate; its position counts it among all active rows of the source, and is
 * block->start + index; its pool row is block->rows[index]. A partial is what a block contributes
 * to a pass: plain bytes, zeroed before the visit, of which `sums` are added up over the blocks,
 * `values` stored at the positions of the active rows, and `extra` given to reduce(). Sets of
 * partials merge in any order, blocks are reduced in theirs. The filler spends the budget: a row
 * that is offered to it is bought or passed over.
 *
 * Two index spaces meet here. An index counts the active rows of the block, 0 .. count - 1. A
 * matrix row counts the rows of the matrix that kernels are given: where every row of a run of rows
 * is active, or the active rows were copied together, the two are equal; else the matrix has rows
 * that a mask leaves out. Functions of this header read and write one entry per index; kernels
 * called directly work by matrix row, and so are arrays that stay with a block from pass to pass in
 * the memory of the engine. */
#ifndef ALCORE__BLOCK_H
#define ALCORE__BLOCK_H

#include "strategy/strategy_def.h"

typedef struct alcore__worker_memory alcore__worker_memory;

/* Masks that a block keeps in the engine's memory. */
enum { ALCORE__BLOCK_MASKS = 16 };

/* What is kept for the candidates of a block until the run ends (passes/block_memory.c). Zeroed at
 * first: nothing is kept. */
typedef struct alcore__block_memory {
    void *
        local; /* what alcore__block_local() returns: bytes of the strategy in host memory, owned */
    alcore_sys_held
        doubles; /* the values that alcore__block_fill() made, as one matrix row, owned: in the
                    memory of the device, or in host memory where kernels run there */
    bool doubles_on_device;
    bool upload_tried;    /* the engine was asked once to keep the embeddings in its memory */
    bool lengths_checked; /* no vector of the block is so long that its squares overflow */
    alcore_sys_held
        device; /* the embeddings [active rows, dims] there, owned; memory NULL: not there */
    int64_t convert_others; /* with how many others the engine was asked to convert the matrix rows,
                               the most so far; 0: it was not */
    alcore_sys_converted converted; /* the matrix rows as the engine's filters compare them, owned;
                                       held.memory NULL: they are not kept so */
    /* Masks [matrix rows] that alcore__block_store_mask() has copied there, owned; memory NULL:
     * none; and the same in host memory, owned. */
    alcore_sys_held masks[ALCORE__BLOCK_MASKS];
    uint8_t *stored_masks[ALCORE__BLOCK_MASKS];
    int64_t mask_changes[ALCORE__BLOCK_MASKS]; /* 1 more than the changes, as the strategy
                                                  counts them, that each has; 0: unknown */
    char *host; /* a copy of them [active rows, dims] in host memory in the column's type, owned;
                   NULL: there is none, and each pass reads the column */
} alcore__block_memory;

struct alcore__block {
    alcore__run *run;
    enum alcore__row_source source;
    int64_t number;       /* of the block in its pool, from 0 */
    int64_t blocks;       /* 1; of a wide block: how many blocks of the pool, from `number` on, it
                             stands for (alcore__pass.narrow) */
    int64_t start, count; /* its active rows are positions start .. start + count - 1 of the source;
                             count > 0 where a pass is called */
    void *into; /* the member of the state that the pass reduces to (alcore__partial_type.into) */
    const int64_t *rows; /* [count] pool row of each active row, ascending; borrowed from the run */
    alcore__block_memory *memory; /* of this block, kept between passes; NULL for other sources than
                                     the candidates */
    alcore__worker_memory *worker; /* scratch memory of the thread that visits the block */
};

/* ---- scratch memory: a stack per worker thread (passes/scratch_stack.c) ---- */

/* Pushes an uninitialized array; it stays until the block is done or a mark below it is released.
 * Arrays never move and never overlap: two helpers cannot overwrite each other's. */
alcore_status alcore__scratch_push(alcore__block *block, int64_t count, size_t entry_bytes,
                                   void *out);
/* A height of the stack: `used` bytes of chunk number `chunk`, and all of the chunks below. A
 * helper that is called in a loop gets the mark first and releases it at its end, which pops what
 * it pushed. */
typedef struct alcore__scratch_mark {
    size_t chunk, used;
} alcore__scratch_mark;
alcore__scratch_mark alcore__scratch_get_mark(const alcore__block *block);
void alcore__scratch_release(alcore__block *block, alcore__scratch_mark mark);

/* The place of the active row with an index, which names it in a partial: its position or, in a run
 * over own rows, its pool row, as no shard knows the positions of another one's candidates; and the
 * end of places. */
static inline int64_t alcore__block_place(const alcore__block *block, int64_t index) {
    return alcore__lists_own(block->run) ? block->rows[index] : block->start + index;
}
static inline int64_t alcore__place_end(const alcore__run *run) {
    return alcore__lists_own(run) ? run->input->candidates.rows : run->outcome.count;
}

/* The index with which block b of a wide block begins, b from 0; of b = blocks, the number of
 * active rows. */
int64_t alcore__block_first_index(const alcore__block *block, int64_t b);
/* *out [count]: for sums by group in each block, the number b * groups + group[i] of each active
 * row, b being its block in a wide one; -1 where group[i] is. group [count], NULL: 0 for each. *out
 * is `group` itself in a plain block where that is given, else an array on the scratch stack. */
alcore_status alcore__block_groups(alcore__block *block, const int32_t *group, int64_t groups,
                                   const int32_t **out);

/* ---- scores ---- */

/* Computes the scores of the active rows by the strategy's score_rows, one entry per index: rank,
 * score and raw [count] as alcore__score_call defines them; score and raw may be NULL. */
alcore_status alcore__block_scores(alcore__block *block, double *rank, double *score, double *raw);

/* The rows of a dense column of the candidates from the block's first active row to its last:
 * active row `index` is row block->rows[index] - block->rows[0] of them. */
alcore_status alcore__block_column(alcore__block *block, const alcore__column *column,
                                   alcore_sys_rows *out);

/* ---- what is kept with a block of candidates ---- */

/* Sets *out to the block's own bytes in host memory. The first call allocates them, zeroed; later
 * calls return the same memory, so `bytes` is the same in every call. */
alcore_status alcore__block_local(alcore__block *block, size_t bytes, void *out);
/* What alcore__block_local() allocated for the block; NULL: it was not called yet. */
void *alcore__block_find_local(const alcore__block *block);
/* Doubles of the block that kernels read and write from pass to pass. They lie in the memory that
 * the engine works in, which may be a device's, so only kernels and alcore__download() access them.
 * NULL before alcore__block_fill() has made them. */
double *alcore__block_doubles(const alcore__block *block);
/* Makes them, once for a block: fill(matrix, values, user) writes values [count] in host memory,
 * which are zeroed before. */
struct alcore__matrix;
alcore_status alcore__block_fill(const struct alcore__matrix *matrix, int64_t count,
                                 alcore_status (*fill)(const struct alcore__matrix *matrix,
                                                       double *values, void *user),
                                 void *user);
/* *out: mask [count] for kernels; count is the same in every call with the same `number`. Where the
 * run has wide blocks it is kept in the engine's memory, and only what has changed since the last
 * call is copied there; with a number of ALCORE__BLOCK_MASKS or more it is given as it is. */
alcore_status alcore__block_store_mask(alcore__block *block, int32_t number, const uint8_t *mask,
                                       int64_t count, const uint8_t **out);
/* For masks of which few entries change from pass to pass (greedy.c, whose changes are offers): how
 * many of the changes that the strategy counts are in the mask that is kept under a number; -1:
 * none is kept, or it was stored after the caller last said how many. */
int64_t alcore__block_mask_changes(const alcore__block *block, int32_t number);
void alcore__block_set_mask_changes(alcore__block *block, int32_t number, int64_t changes);
/* Sets the entry of a matrix row in a mask that is kept to 0, in both of its copies; and that mask,
 * in the engine's memory. Only where alcore__block_mask_changes() is 0 or more. */
alcore_status alcore__block_clear_mask_row(alcore__block *block, int32_t number,
                                           int64_t matrix_row);
const uint8_t *alcore__block_kept_mask(const alcore__block *block, int32_t number);
/* Copies values [count] from the engine's memory to out [count] in host memory, or elsewhere in
 * that of the engine. */
alcore_status alcore__download(const alcore__run *run, const double *values, int64_t count,
                               double *out);
/* The same, to host memory only and without a kernel: for a few values of any 8 bytes, as kernels
 * have left them for the host. */
alcore_status alcore__read_back(const alcore__run *run, const double *values, int64_t count,
                                void *out);
/* Copies the entries of the active rows among values [matrix rows], which lie in the engine's
 * memory, to out [block->count] in host memory, by index. */
alcore_status alcore__download_active(const struct alcore__matrix *matrix, const double *values,
                                      double *out);

/* ---- passes that are queued as a whole (passes/wide_blocks.c) ---- */

/* How many visits a wide pass over the candidates is, where kernels can leave what they find for
 * the end of the pass: the run has wide blocks, and all of its embeddings are on the device. 0: the
 * results of each visit are read in it. */
int64_t alcore__wide_visits(const alcore__run *run);
/* The visit that a block belongs to, by the number of the block in its pool. */
int64_t alcore__wide_visit(const alcore__run *run, int64_t block);
/* The position of the candidate that kernels of a visit know as a matrix row. */
int64_t alcore__wide_position(const alcore__run *run, int64_t visit, int64_t matrix_row);

/* ---- embeddings ---- */

/* The column "embeddings" of the block in the form that kernels read. */
typedef struct alcore__matrix {
    alcore__block *block;
    alcore_sys_rows
        rows; /* [rows.count, dims] matrix rows, borrowed: valid until the block is done */
    const uint8_t *mask; /* [rows.count] 1: active; NULL: every matrix row is, and equals its index
                          */
    bool on_device;      /* false: the rows are in host memory; true: they may be on a device */
} alcore__matrix;
/* unit: kernels divide each row by its length as they read it. Vectors of float64 are checked for
 * squares that overflow; a pass that does so itself takes the second function. */
alcore_status alcore__block_matrix(alcore__block *block, bool unit, alcore__matrix *out);
alcore_status alcore__block_matrix_unchecked(alcore__block *block, bool unit, alcore__matrix *out);
/* *out: the first argument of a kernel that compares the matrix rows by `metric` (ALCORE_SYS_*)
 * with about `others` rows of the other operand each. Where later passes of the run compare the
 * candidates again, the first call lets a device convert them once; what it converted is kept for
 * this metric until the run ends. */
alcore_status alcore__matrix_work(const alcore__matrix *matrix, int32_t metric, int64_t others,
                                  alcore_sys_work *out);

/* The matrix row of the active row with an index, and back again for an active matrix row. */
static inline int64_t alcore__matrix_row_of(const alcore__matrix *matrix, int64_t index) {
    return matrix->mask ? matrix->block->rows[index] - matrix->rows.first : index;
}
int64_t alcore__matrix_index_of(const alcore__matrix *matrix, int64_t matrix_row);
/* The matrix row with which block b of a wide block begins, b from 0; of b = blocks, the number of
 * matrix rows. */
int64_t alcore__matrix_block_start(const alcore__matrix *matrix, int64_t b);
/* *out [blocks + 1], on the scratch stack: these of all blocks. */
alcore_status alcore__matrix_block_starts(const alcore__matrix *matrix, int64_t **out);
/* Copies the active row with an index to out [dims] as doubles. */
alcore_status alcore__matrix_copy_row(const alcore__matrix *matrix, int64_t index, double *out);
/* The same for several indices [count]: out [count, dims]. Fails as alcore__vector_check() does for
 * the first of them that has a component that is not finite. A device is waited for once for all of
 * them. */
alcore_status alcore__matrix_copy_rows(const alcore__matrix *matrix, const int64_t *indices,
                                       int64_t count, double *out);
/* ALCORE_E_DATA that names the first active row with a NaN or infinity, or whose squares overflow
 * (ALCORE__MAX_SQUARE); ALCORE_OK when there is none. Called when a sum or a norm is not finite,
 * and by strategies that compute neither. */
alcore_status alcore__matrix_check(const alcore__matrix *matrix);
/* The same for a caller that has the dot product of each row with itself, self_dots [matrix rows],
 * as only rows whose product is too large or no number can have one. bad [count], by index: its
 * entries for all such rows are set to 1 instead, and the others stay; NULL: the first one is an
 * error. */
alcore_status alcore__matrix_check_dots(const alcore__matrix *matrix, const double *self_dots,
                                        uint8_t *bad);

/* Dot products with a vector [dims], dot products of each row with itself, and squared Euclidean
 * distances to a vector [dims], by index: out [count]. */
alcore_status alcore__matrix_dots(const alcore__matrix *matrix, const double *vector, double *out);
alcore_status alcore__matrix_self_dots(const alcore__matrix *matrix, double *out);
alcore_status alcore__matrix_sq_dists(const alcore__matrix *matrix, const double *vector,
                                      double *out);
/* Sums of the active rows by group. group [count]: the group of each active row, -1: none; sums
 * [groups, dims] and counts [groups], in host memory, are overwritten. */
alcore_status alcore__matrix_group_sums(const alcore__matrix *matrix, const int32_t *group,
                                        int64_t groups, double *sums, int64_t *counts);
/* The sum of the active rows of each block that the block stands for: sums [blocks, dims], in host
 * memory, overwritten; one vector [dims] for a plain block. */
alcore_status alcore__matrix_sum(const alcore__matrix *matrix, double *sums);
/* The same of the embeddings of a block, unit: of each divided by its length. For the block
 * function of a pass, whose partial is these sums. */
alcore_status alcore__block_sum(alcore__block *block, bool unit, void *sums);
/* Dot products of each active row with itself, in host memory: self_dots [matrix rows], by matrix
 * row; entries of other rows are not written. The error of alcore__matrix_check() where one is too
 * large or no number. */
alcore_status alcore__matrix_checked_dots(const alcore__matrix *matrix, double *self_dots);
/* Running sums of values [matrix rows], in the engine's memory, over the rows of the mask [matrix
 * rows], of each block of a wide one: totals [blocks], in either memory, and all of them: sums
 * [matrix rows] in the engine's memory, NULL: not wanted. Only for runs with wide blocks. */
alcore_status alcore__matrix_totals(const alcore__matrix *matrix, const uint8_t *mask,
                                    const double *values, double *sums, double *totals);
/* 1 - cos to the centroid of each row's group: out [count], centroids [groups, dims]. */
alcore_status alcore__matrix_cosine_distances(const alcore__matrix *matrix, const int32_t *group,
                                              int64_t groups, const double *centroids, double *out);
/* What the kernel nearest_centroid writes, by index, [count] each; entries of rows without a group
 * are not written. */
typedef struct alcore__nearest {
    int32_t *nearest;   /* the nearest centroid of the row's group */
    double *distance;   /* its distance as the kernel measures it; NULL: not wanted */
    double *low, *high; /* the distance to the nearest centroid is at most high, that to every other
                           centroid of the group at least low; both NULL: not wanted */
} alcore__nearest;
alcore_status alcore__matrix_nearest(const alcore__matrix *matrix, const int32_t *group,
                                     int64_t groups, const int64_t *centroid_starts,
                                     const double *centroids, const alcore__nearest *out);

/* ---- the target, for passes over candidates or labeled rows (passes/block_distances.c) ---- */

/* Whether a block of the target's pool has an active row. */
static inline bool alcore__target_has_rows(const alcore__run *run, int64_t target_block) {
    const int64_t *starts = run->active[ALCORE__OVER_TARGET].block_starts;
    return starts[target_block] < starts[target_block + 1];
}
/* Embeddings of one block of the target, rows 8192 target_block .. of its pool, inactive ones too,
 * while a block of any other source is visited: valid until the next call, beside the matrix of the
 * block. */
alcore_status alcore__target_rows(alcore__block *block, int64_t target_block, alcore_sys_rows *out);
/* Sums of Euclidean distances of the active rows to rows of the target, by the group of the target
 * rows, group [targets], -1: left out. sums [count, groups]. wanted [count]: rows whose sums are
 * computed; NULL: all. */
alcore_status alcore__matrix_distances(const alcore__matrix *matrix, const uint8_t *wanted,
                                       const alcore_sys_rows *targets, const int32_t *group,
                                       int64_t groups, double *sums);
/* Lowers sq_dist [count] of each wanted row to its squared distance to the nearest of the targets;
 * HUGE_VAL before the first call. wanted [count]; target_mask [targets] 1: the target counts, NULL:
 * all do. Other rows' entries stay. */
alcore_status alcore__matrix_join_nearest(const alcore__matrix *matrix, const uint8_t *wanted,
                                          const alcore_sys_rows *targets,
                                          const uint8_t *target_mask, double *sq_dist);
/* Bounds of the sums that alcore__matrix_distances() would compute for all active rows: low and
 * high [count, groups]. */
alcore_status alcore__matrix_distance_bounds(const alcore__matrix *matrix,
                                             const alcore_sys_rows *targets, const int32_t *group,
                                             int64_t groups, double *low, double *high);

#endif
