/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of Euclidean distances from rows to targets, by group of the targets (mean distance of
 * DeMuX, spec 7.3): sums[i, g] is the running sum, in target order, of sqrt(sq_dist(row i, target
 * t)).
 *
 * Layout: a cpu_vector has CPU_WIDTH doubles, each of another target, not of another component. A
 * panel is CPU_WIDTH targets transposed to [dims][CPU_WIDTH], so that a running sum of spec 1.8
 * (component j to sum j mod 32, the 32 being CPU_LANES) is a vector, one value for each target of
 * the panel, and its tree of additions adds whole vectors: nothing is reduced across a vector. A
 * tile of PANELS_TOGETHER panels is filled, all rows are compared with it, and the next one is
 * filled; so sums run in target order. Distances are L2 distances, not squared.
 *
 * Cost: rows x targets x dims multiply-adds in double; cpu_bounds.c tells which rows need no exact
 * sum. */
#include <string.h>

#include "engines/cpu/cpu_call.h"
#include "engines/cpu/cpu_engine.h"
#include "engines/cpu/cpu_rows.h"

/* Rows, and running sums of each (of the 32), that panel_distances() keeps in registers at a time.
 */
#if defined(__AVX512F__)
#define ROWS_TOGETHER 4
#else
#define ROWS_TOGETHER 2
#endif
#define SUMS_TOGETHER 4

/* Panels of a tile, which stays in the cache while all rows are compared with it. */
#define PANELS_TOGETHER 8
#define TARGETS_TOGETHER (PANELS_TOGETHER * CPU_WIDTH)

/* One call and its memory. */
typedef struct sums_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows, *targets;
    const uint8_t *mask;   /* [rows] the caller's: 1: the row takes part; NULL: all do */
    const int32_t *group;  /* [targets] the caller's: group of each target, negative: the target
                              takes no part; NULL: all are of group 0 */
    int64_t groups, spent; /* spent: multiplications since the last poll */
    double *sums;          /* [rows, groups] the caller's */
    double *unit;          /* [dims] a row or target as a unit vector; NULL: not needed */
    double *wide;          /* [ROWS_TOGETHER, dims] rows, or one target, as doubles */
    double *tile;          /* [PANELS_TOGETHER, dims, CPU_WIDTH] transposed targets */
    int64_t count;         /* targets in the tile */
    int32_t tile_group[TARGETS_TOGETHER]; /* group of each target in the tile */
} sums_call;

/* The square root of each double, correctly rounded. */
CPU_INLINE cpu_vector roots(cpu_vector x) {
#if defined(__AVX512F__)
    return (cpu_vector)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX2__)
    return (cpu_vector)_mm256_sqrt_pd((__m256d)x);
#else
    for (int i = 0; i < CPU_WIDTH; i++) x[i] = sqrt(x[i]);
    return x;
#endif
}

/* sum + (x - y) (x - y), where the difference, the product and the sum are each rounded (spec 1.8).
 * `fused` (a constant) subtracts by x * 1 - y, which has the same bits: alternating both keeps the
 * units for additions and those for fused multiply-adds busy. */
CPU_INLINE cpu_vector add_square_of(cpu_vector x, double y, cpu_vector sum, int fused) {
    cpu_vector t = x - y;
#if defined(__AVX512F__)
    if (fused) t = (cpu_vector)_mm512_fmsub_pd((__m512d)x, _mm512_set1_pd(1.0), _mm512_set1_pd(y));
#else
    (void)fused;
#endif
    return sum + t * t;
}

/* out[r]: the distances of row r of ROWS_TOGETHER rows, wide [ROWS_TOGETHER, dims], to the targets
 * of a panel [dims, CPU_WIDTH], one double a target. SUMS_TOGETHER of the 32 running sums, those
 * from number `first` on, are kept in registers while all of their components (j mod 32 = first ..
 * first + 3) are added. half_sums[r] holds running sums 0 .. 15, to which 16 .. 31 are added: step
 * w = 16 of the tree. Not inlined, so that these loops have all vector registers. */
static __attribute__((noinline)) void panel_distances(const double *wide, const double *panel,
                                                      int64_t dims, cpu_vector *out) {
    cpu_vector half_sums[ROWS_TOGETHER][CPU_LANES / 2];
    for (int first = 0; first < CPU_LANES; first += SUMS_TOGETHER) {
        cpu_vector sum[ROWS_TOGETHER][SUMS_TOGETHER] = {{{0}}};
        int64_t j = first;
        for (; j + SUMS_TOGETHER <= dims; j += CPU_LANES) {
#pragma GCC unroll 4
            for (int l = 0; l < SUMS_TOGETHER; l++) {
                cpu_vector x = cpu_load_double(panel + (j + l) * CPU_WIDTH);
#pragma GCC unroll 4
                for (int r = 0; r < ROWS_TOGETHER; r++)
                    sum[r][l] = add_square_of(x, wide[r * dims + j + l], sum[r][l], r % 2);
            }
        }
#pragma GCC unroll 4
        for (int l = 0; l < SUMS_TOGETHER; l++) {
#pragma GCC unroll 4
            for (int r = 0; r < ROWS_TOGETHER; r++) {
                if (j + l < dims) { /* fewer than SUMS_TOGETHER components are left */
                    cpu_vector x = cpu_load_double(panel + (j + l) * CPU_WIDTH);
                    sum[r][l] = add_square_of(x, wide[r * dims + j + l], sum[r][l], r % 2);
                }
                if (first < CPU_LANES / 2) {
                    half_sums[r][first + l] = sum[r][l];
                } else {
                    half_sums[r][first - CPU_LANES / 2 + l] += sum[r][l];
                }
            }
        }
    }
    for (int r = 0; r < ROWS_TOGETHER; r++) {
        for (int w = CPU_LANES / 4; w > 0; w /= 2) {
            for (int l = 0; l < w; l++) half_sums[r][l] += half_sums[r][l + w];
        }
        out[r] = roots(half_sums[r][0]);
    }
}

/* Adds the distances to the targets of the tile, in target order, to the sums [groups] of the
 * matrix rows item [count], at most ROWS_TOGETHER. Rows from count on are filled with zeros. Their
 * distances, and those to columns of the last panel that no target fills, are computed but not
 * used. */
static void add_tile_to(sums_call *call, const int64_t *item, int count) {
    int64_t dims = call->rows->dims;
    int32_t dtype = cpu_row_dtype(call->rows);
    for (int r = 0; r < ROWS_TOGETHER; r++) {
        if (r >= count) {
            memset(call->wide + r * dims, 0, (size_t)dims * sizeof *call->wide);
            continue;
        }
        const char *row = cpu_row(call->rows, item[r], call->unit);
        CPU(widen_row)(row, dims, dtype, call->wide + r * dims);
    }
    for (int64_t first = 0; first < call->count; first += CPU_WIDTH) {
        cpu_vector distances[ROWS_TOGETHER];
        panel_distances(call->wide, call->tile + first * dims, dims, distances);
        int64_t left = call->count - first < CPU_WIDTH ? call->count - first : CPU_WIDTH;
        for (int r = 0; r < count; r++) {
            double each[CPU_WIDTH], *sums = call->sums + item[r] * call->groups;
            cpu_store_double(each, distances[r]);
            for (int64_t t = 0; t < left; t++) sums[call->tile_group[first + t]] += each[t];
        }
    }
}

/* Adds the distances to the targets of the tile to the sums of every row of the mask, ROWS_TOGETHER
 * rows at a time, which are collected in item. */
static alcore_status add_tile(sums_call *call) {
    int64_t item[ROWS_TOGETHER];
    int collected = 0;
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (!call->mask || call->mask[i]) item[collected++] = i;
        if (!collected || (collected < ROWS_TOGETHER && i + 1 < call->rows->count)) continue;
        add_tile_to(call, item, collected);
        alcore_status status =
            alcore__cpu_poll(call->work, &call->spent, collected * call->count * call->rows->dims);
        if (status) return status;
        collected = 0;
    }
    return ALCORE_OK;
}

/* Fills the tile with the next targets that have a group, from target t on, each widened and
 * written to its column of its panel; returns the first target that is left. Columns that no target
 * fills keep older values, whose distances are not used. */
static int64_t fill_tile(sums_call *call, int64_t t) {
    const alcore_sys_rows *targets = call->targets;
    int64_t dims = targets->dims;
    call->count = 0;
    for (; t < targets->count && call->count < TARGETS_TOGETHER; t++) {
        int32_t g = call->group ? call->group[t] : 0;
        if (g < 0) continue;
        int64_t tile_index = call->count++;
        double *column =
            call->tile + tile_index / CPU_WIDTH * CPU_WIDTH * dims + tile_index % CPU_WIDTH;
        const char *target = cpu_row(targets, t, call->unit);
        CPU(widen_row)(target, dims, cpu_row_dtype(targets), call->wide);
        for (int64_t j = 0; j < dims; j++) column[j * CPU_WIDTH] = call->wide[j];
        call->tile_group[tile_index] = g;
    }
    return t;
}

/* Zeros the sums [rows, groups] of the rows of the mask. */
static void clear_sums(const alcore_sys_rows *rows, const uint8_t *mask, int64_t groups,
                       double *sums) {
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        memset(sums + i * groups, 0, (size_t)groups * sizeof *sums);
    }
}

/* One tile of targets after the other, so that a sum runs in target order whatever the groups. */
alcore_status CPU(distance_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *mask, const alcore_sys_rows *targets,
                                 const int32_t *group, int64_t groups, double *sums) {
    alcore_status status = alcore__cpu_check_targets(work, rows, targets, group, groups);
    if (status) return status;
    sums_call call = {.work = work,
                      .rows = rows,
                      .targets = targets,
                      .mask = mask,
                      .group = group,
                      .groups = groups,
                      .sums = sums};
    int64_t dims = rows->dims;
    cpu_arrays arrays = {.work = work};
    if (rows->unit || targets->unit) alcore__cpu_add(&arrays, dims, sizeof(double), &call.unit);
    alcore__cpu_add(&arrays, dims, ROWS_TOGETHER * sizeof(double), &call.wide);
    alcore__cpu_add(&arrays, dims, TARGETS_TOGETHER * sizeof(double), &call.tile);
    status = arrays.status;
    if (!status) {
        clear_sums(rows, mask, groups, sums);
        /* Columns that no target ever fills: read, but not used. */
        memset(call.tile, 0, (size_t)dims * TARGETS_TOGETHER * sizeof *call.tile);
    }
    for (int64_t t = 0; t < targets->count && !status;) { /* t: the first target that is left */
        t = fill_tile(&call, t);
        status = add_tile(&call);
    }
    alcore__cpu_release(&arrays);
    return status;
}
