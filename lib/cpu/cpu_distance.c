/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of Euclidean distances from rows to targets, by group of the targets (mean distance of
 * DeMuX, spec 7.3): sums[i, g] is the running sum, in target order, of sqrt(sq_dist(row i, target
 * t)).
 *
 * A lane of a vector is a target, not a component: CPU_LANES targets are transposed into
 * [dims][CPU_WIDTH] and each pair keeps its 32 running sums of spec 1.8 in registers one after the
 * other, so that no sum has to be reduced across a vector. Cost: rows x targets x dims
 * multiply-adds in double; cpu_bounds.c tells which rows need none of them. */
#include <string.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_rows.h"

/* Targets lie side by side, number by number, CPU_WIDTH in a panel: each lane of a vector is the
 * distance to another target, and a lane of spec 1.8 is a vector, so that its tree adds vectors.
 * Some lanes of some rows at a time stay in registers. */
#if defined(__AVX512F__)
#define ROWS_TOGETHER 4
#else
#define ROWS_TOGETHER 2
#endif
#define LANES_TOGETHER 4

/* Panels that stay in the cache while all rows pass by. */
#define PANELS_TOGETHER 8
#define TARGETS_TOGETHER (PANELS_TOGETHER * CPU_WIDTH)

/* One call and its memory. */
typedef struct sums_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows, *targets;
    const uint8_t *mask;
    const int32_t *group;
    int64_t groups, spent;
    double *sums;
    double *unit;                 /* [dims], for unit rows */
    double *wide;                 /* [ROWS_TOGETHER, dims] */
    double *tile;                 /* [PANELS_TOGETHER, dims, CPU_WIDTH] */
    int64_t count;                /* targets in the tile */
    int32_t of[TARGETS_TOGETHER]; /* their groups */
} sums_call;

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

/* lane + (x - y) (x - y) of spec 1.8. With `fused`, x * 1 - y is taken in its place, the same bits:
 * processors with units for additions and for fused ones then have work for both. */
CPU_INLINE cpu_vector add_square_of(cpu_vector x, double y, cpu_vector lane, int fused) {
    cpu_vector t = x - y;
#if defined(__AVX512F__)
    if (fused) t = (cpu_vector)_mm512_fmsub_pd((__m512d)x, _mm512_set1_pd(1.0), _mm512_set1_pd(y));
#else
    (void)fused;
#endif
    return lane + t * t;
}

/* out[r] = the distances of ROWS_TOGETHER rows to the targets of a panel. */
static __attribute__((noinline)) void panel_distances(const double *wide, const double *panel,
                                                      int64_t dims, cpu_vector *out) {
    cpu_vector lane[ROWS_TOGETHER][CPU_LANES / 2]; /* the first step of the tree is taken at once */
    for (int first = 0; first < CPU_LANES; first += LANES_TOGETHER) {
        cpu_vector sum[ROWS_TOGETHER][LANES_TOGETHER] = {{{0}}};
        int64_t j = first;
        for (; j + LANES_TOGETHER <= dims; j += CPU_LANES) {
#pragma GCC unroll 4
            for (int l = 0; l < LANES_TOGETHER; l++) {
                cpu_vector x = cpu_load_double(panel + (j + l) * CPU_WIDTH);
#pragma GCC unroll 4
                for (int r = 0; r < ROWS_TOGETHER; r++)
                    sum[r][l] = add_square_of(x, wide[r * dims + j + l], sum[r][l], r % 2);
            }
        }
#pragma GCC unroll 4
        for (int l = 0; l < LANES_TOGETHER; l++) {
#pragma GCC unroll 4
            for (int r = 0; r < ROWS_TOGETHER; r++) {
                if (j + l < dims) {
                    cpu_vector x = cpu_load_double(panel + (j + l) * CPU_WIDTH);
                    sum[r][l] = add_square_of(x, wide[r * dims + j + l], sum[r][l], r % 2);
                }
                if (first < CPU_LANES / 2) {
                    lane[r][first + l] = sum[r][l];
                } else {
                    lane[r][first - CPU_LANES / 2 + l] += sum[r][l];
                }
            }
        }
    }
    for (int r = 0; r < ROWS_TOGETHER; r++) {
        for (int w = CPU_LANES / 4; w > 0; w /= 2) {
            for (int l = 0; l < w; l++) lane[r][l] += lane[r][l + w];
        }
        out[r] = roots(lane[r][0]);
    }
}

/* The targets of the tile join the sums of up to ROWS_TOGETHER rows. */
static void add_tile_to(sums_call *call, const int64_t *item, int count) {
    int64_t dims = call->rows->dims;
    int32_t dtype = cpu_row_dtype(call->rows);
    for (int r = 0; r < ROWS_TOGETHER; r++) {
        /* What no row fills is not used. */
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
            for (int64_t t = 0; t < left; t++) sums[call->of[first + t]] += each[t];
        }
    }
}

/* The tile's targets join the sums of every row. */
static alcore_status add_tile(sums_call *call) {
    int64_t item[ROWS_TOGETHER];
    int waiting = 0;
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (!call->mask || call->mask[i]) item[waiting++] = i;
        if (!waiting || (waiting < ROWS_TOGETHER && i + 1 < call->rows->count)) continue;
        add_tile_to(call, item, waiting);
        alcore_status status =
            alcore__cpu_poll(call->work, &call->spent, waiting * call->count * call->rows->dims);
        if (status) return status;
        waiting = 0;
    }
    return ALCORE_OK;
}

/* Fills the tile with the next targets that have a group; returns the first one that is left. */
static int64_t fill_tile(sums_call *call, int64_t t) {
    const alcore_sys_rows *targets = call->targets;
    int64_t dims = targets->dims;
    call->count = 0;
    for (; t < targets->count && call->count < TARGETS_TOGETHER; t++) {
        int32_t g = call->group ? call->group[t] : 0;
        if (g < 0) continue;
        int64_t at = call->count++;
        double *to = call->tile + at / CPU_WIDTH * CPU_WIDTH * dims + at % CPU_WIDTH;
        const char *target = cpu_row(targets, t, call->unit);
        CPU(widen_row)(target, dims, cpu_row_dtype(targets), call->wide);
        for (int64_t j = 0; j < dims; j++) to[j * CPU_WIDTH] = call->wide[j];
        call->of[at] = g;
    }
    return t;
}

static void clear_sums(const alcore_sys_rows *rows, const uint8_t *mask, int64_t groups,
                       double *sums) {
    for (int64_t i = 0; i < rows->count; i++) {
        if (mask && !mask[i]) continue;
        memset(sums + i * groups, 0, (size_t)groups * sizeof *sums);
    }
}

/* Targets of one group at a time, transposed once for all rows of the call; a row's sum goes on
 * from panel to panel, so that the order of additions is that of the targets. */
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
    if (rows->unit || targets->unit)
        status = alcore__cpu_new(work, dims, sizeof(double), &call.unit);
    if (!status) status = alcore__cpu_new(work, dims, ROWS_TOGETHER * sizeof(double), &call.wide);
    if (!status)
        status = alcore__cpu_new(work, dims, TARGETS_TOGETHER * sizeof(double), &call.tile);
    if (!status) {
        clear_sums(rows, mask, groups, sums);
        /* What no target fills is not used. */
        memset(call.tile, 0, (size_t)dims * TARGETS_TOGETHER * sizeof *call.tile);
    }
    for (int64_t t = 0; t < targets->count && !status;) {
        t = fill_tile(&call, t);
        status = add_tile(&call);
    }
    alcore__cpu_free(work, call.tile, dims, TARGETS_TOGETHER * sizeof(double));
    alcore__cpu_free(work, call.wide, dims, ROWS_TOGETHER * sizeof(double));
    alcore__cpu_free(work, call.unit, dims, sizeof(double));
    return status;
}
