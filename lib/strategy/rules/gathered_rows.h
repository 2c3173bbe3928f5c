/* SPDX-License-Identifier: Apache-2.0 */
/* The vectors of the rows of a source, all in memory at once, for strategies that compare
 * candidates with each other: a pass copies them, as unit vectors in double, and the end of the
 * pass works on them. A zero vector stays zero. Memory: 8 bytes a component, for all rows and for
 * the blocks in work; ALCORE_E_UNSUPPORTED where that is more than ALCORE__GATHERED_BYTES. */
#ifndef ALCORE__GATHERED_ROWS_H
#define ALCORE__GATHERED_ROWS_H

#include "kernel/kernels.h"
#include "strategy/block.h"

#define ALCORE__GATHERED_BYTES (INT64_C(16) << 30)

/* A zeroed struct, a member of the strategy's state, has no rows; the array belongs to the run. */
typedef struct alcore__gathered {
    int64_t count, dims;
    double *vectors;      /* [count, dims] */
    const int64_t *slots; /* [active rows of the source] the row of `vectors` that is each one's;
                             NULL: they are in the order of their positions. Borrowed. */
} alcore__gathered;

/* Makes room for `count` vectors in place of those that it had. */
alcore_status alcore__gathered_begin(alcore__run *run, alcore__gathered *gathered, int64_t count,
                                     const int64_t *slots);

/* The pass: its block function and its partial, double [active rows, dims], which fails for a value
 * that is not finite. */
alcore_status alcore__gather_block(alcore__block *block, void *partial);
#define ALCORE__GATHERED_ROWS(type, member)                                                        \
    {                                                                                              \
        .into = ALCORE__AT_A(type, member, alcore__gathered), .extra = alcore__gather_bytes,       \
        .reduce = alcore__gather_store                                                             \
    }
size_t alcore__gather_bytes(const alcore__block *block);
alcore_status alcore__gather_store(alcore__run *run, const alcore__block_partial *partial);
/* ALCORE_E_CORRUPT unless the vectors of the partial, [active rows, dims], can be unit vectors, as
 * the lists and sums that are made of them rely on: it may come from another process. For reduce
 * functions of their own; alcore__gather_store() calls it. */
alcore_status alcore__gather_check(const alcore__block_partial *partial);

/* Rows first .. first + count - 1 of the vectors, as kernels read them. */
alcore_sys_rows alcore__gathered_rows(const alcore__gathered *gathered, int64_t first,
                                      int64_t count);
/* Calls a kernel with gathered rows, which are in host memory and compared there on any engine;
 * from any thread. */
#define ALCORE__GATHERED_KERNEL(run, kernel, ...)                                                  \
    (alcore__kernels_cpu()->kernel((alcore_sys_work[]){alcore__run_work(run)}, __VA_ARGS__))

#endif
