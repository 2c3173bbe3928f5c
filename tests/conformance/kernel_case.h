/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of one conformance case: a matrix of a dtype, shape, layout and pattern, and the
 * arrays that entries need beside it. Everything follows from one random state, so that a printed
 * seed repeats a case anywhere. */
#ifndef KERNEL_CASE_H
#define KERNEL_CASE_H

#include "alcore/sys/kernel.h"

/* What the values of a matrix are. */
enum {
    PATTERN_RANDOM,
    PATTERN_EQUAL,      /* every row the same */
    PATTERN_DUPLICATES, /* every third row repeats the one before */
    PATTERN_ULP,        /* rows one unit in the last place apart */
    PATTERN_ZEROS,      /* zeros of both signs, some rows not */
    PATTERN_TINY,       /* subnormal in the dtype, or in float32 */
    PATTERN_HUGE,       /* near the largest value of the dtype */
    PATTERN_SPECIAL,    /* some NaN and infinities */
    PATTERNS
};

/* CASE_ROWS: of a case that is not large, at most. */
enum { CASE_GROUPS = 5, CASE_CENTROIDS = 70, CASE_ROWS = 180 };

/* One case; all arrays are owned by it. */
typedef struct kernel_case {
    alcore_sys_rows rows;
    int32_t pattern, packed; /* packed: 1: rows are adjacent and aligned */
    void *memory;            /* of rows.data, which may be misaligned in it */
    uint8_t *mask;           /* [count], or NULL */
    int32_t *group;          /* [count], -1 among them */
    int64_t
        *starts; /* [CASE_GROUPS + 1] first centroid of each group: 0, 1, 7, 20 and 42 centroids */
    double *
        centroids; /* [CASE_CENTROIDS, dims]: near rows, rows themselves, repeated, one ulp apart */
    double *vector;  /* [dims] */
    double *scalars; /* [3, count]: random, with ties */
} kernel_case;

/* A small generator of the tests' own (splitmix64), so that a printed seed repeats a run anywhere.
 */
uint64_t case_random(uint64_t *state);
double case_uniform(uint64_t *state); /* in [0, 1) */

/* Writes value, rounded (16-bit types towards zero), as entry `index` of an array of type dtype. */
void case_put(void *data, int64_t index, int32_t dtype, double value);

/* Makes a case from *state, which moves on. unit: as in alcore_sys_rows. packed: no gaps between
 * rows. masked: the case has a mask; 0: every second case has one. */
void case_make(kernel_case *out, uint64_t *state, int32_t dtype, int64_t count, int64_t dims,
               int32_t pattern, int32_t unit, int32_t packed, int32_t masked);
void case_free(kernel_case *made);

#endif
