/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors that a strategy compares with one row after another, such as those of its picks, in the
 * memory of the run's engine: on a device only distances are copied to the host, and of a row that
 * is on the device already nothing at all. */
#ifndef ALCORE__ENGINE_VECTORS_H
#define ALCORE__ENGINE_VECTORS_H

#include "pool/column.h"
#include "strategy/block.h"

/* A matrix of doubles. Zeroed: it has no rows and owns nothing. */
typedef struct alcore__vectors {
    double *data;         /* [capacity, dims], owned, in host memory or in that of the engine */
    alcore_sys_held held; /* memory is data where that is the engine's; else NULL */
    bool on_host;         /* the device's memory was short once: the CPU's kernels go on */
    int64_t capacity, dims;
    alcore__scratch scratch; /* in which a row is read that the engine cannot read in place */
} alcore__vectors;

/* Takes over values [count, dims], an array of the run's context in host memory, which is freed
 * after a failure too; where the engine has memory of its own and enough of it, they are copied
 * there. The matrix had no rows before. */
alcore_status alcore__vectors_adopt(const alcore__run *run, alcore__vectors *vectors,
                                    double *values, int64_t count, int64_t dims);
/* Makes capacity for `count` rows, at least twice as much as before, and keeps the first `kept`. */
alcore_status alcore__vectors_reserve(const alcore__run *run, alcore__vectors *vectors,
                                      int64_t count, int64_t dims, int64_t kept);
/* Vector `index` = row `row` of a dense column; alcore__vectors_reserve() or _adopt() has made
 * memory for it. */
alcore_status alcore__vectors_read(const alcore__run *run, alcore__vectors *vectors,
                                   const alcore__column *column, int64_t row, int64_t index);
/* out [count], in host memory: dot(vector i, vector `index`) of the first `count` vectors. */
alcore_status alcore__vectors_dots(const alcore__run *run, const alcore__vectors *vectors,
                                   int64_t count, int64_t index, double *out);
/* The same of sq_dist(vector i, vector `index`): out [count], in host memory. */
alcore_status alcore__vectors_sq_dists(const alcore__run *run, const alcore__vectors *vectors,
                                       int64_t count, int64_t index, double *out);
/* Fails as alcore__vector_check() does where vector `index`, which is row `row` of the candidates,
 * has a component that is not finite. */
alcore_status alcore__vectors_check(const alcore__run *run, const alcore__vectors *vectors,
                                    int64_t index, int64_t row);
/* Frees everything and zeroes the matrix, an alcore__vectors: for alcore__run_defer() too. */
void alcore__vectors_free(const alcore__run *run, void *vectors);

#endif
