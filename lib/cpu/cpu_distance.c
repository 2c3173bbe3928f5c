/* SPDX-License-Identifier: Apache-2.0 */
/* Mean distances to targets: their sums. */
#include <string.h>

#include "cpu/cpu_call.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_rows.h"

/* Targets that stay in the cache, widened, while all rows pass by. */
#define TARGETS_TOGETHER 32

/* One call and its memory. */
typedef struct sums_call {
    const alcore_sys_work *work;
    const alcore_sys_rows *rows;
    const uint8_t *take;
    const int32_t *group;
    int64_t groups, spent;
    double *sums;
    double *unit; /* [dims]; NULL: rows are as given */
    double *tile; /* [TARGETS_TOGETHER, dims] */
} sums_call;

/* The targets first .. first + count - 1, which lie in the tile, join the sums of every row. */
static alcore_status add_tile(sums_call *call, int64_t first, int64_t count) {
    int64_t dims = call->rows->dims;
    int32_t dtype = cpu_row_dtype(call->rows);
    for (int64_t i = 0; i < call->rows->count; i++) {
        if (call->take && !call->take[i]) continue;
        const char *row = cpu_row(call->rows, i, call->unit);
        double *sums = call->sums + i * call->groups;
        for (int64_t t = 0; t < count; t++) {
            int32_t g = call->group ? call->group[first + t] : 0;
            if (g < 0) continue;
            double sqd = CPU(sqd_within)(row, call->tile + t * dims, dims, dtype, HUGE_VAL);
            sums[g] += sqrt(sqd);
        }
        alcore_status status = alcore__cpu_poll(call->work, &call->spent, count * dims);
        if (status) return status;
    }
    return ALCORE_OK;
}

static void clear_sums(const alcore_sys_rows *rows, const uint8_t *take, int64_t groups,
                       double *sums) {
    for (int64_t i = 0; i < rows->count; i++) {
        if (take && !take[i]) continue;
        memset(sums + i * groups, 0, (size_t)groups * sizeof *sums);
    }
}

alcore_status CPU(distance_sums)(const alcore_sys_work *work, const alcore_sys_rows *rows,
                                 const uint8_t *take, const alcore_sys_rows *targets,
                                 const int32_t *group, int64_t groups, double *sums) {
    alcore_status status = alcore__cpu_check_targets(work, rows, targets, group, groups);
    if (status) return status;
    sums_call call = {
        .work = work, .rows = rows, .take = take, .group = group, .groups = groups, .sums = sums};
    int64_t dims = rows->dims;
    size_t target_bytes = (size_t)targets->stride * cpu_bytes(targets->dtype);
    if (rows->unit) status = alcore__cpu_new(work, dims, sizeof(double), &call.unit);
    if (!status)
        status = alcore__cpu_new(work, dims, TARGETS_TOGETHER * sizeof(double), &call.tile);
    if (!status) clear_sums(rows, take, groups, sums);
    for (int64_t t = 0; t < targets->count && !status; t += TARGETS_TOGETHER) {
        int64_t count =
            targets->count - t < TARGETS_TOGETHER ? targets->count - t : TARGETS_TOGETHER;
        for (int64_t k = 0; k < count; k++) {
            const char *target = (const char *)targets->data + (size_t)(t + k) * target_bytes;
            double *to = call.tile + k * dims;
            if (targets->unit) {
                CPU(unit_row)(target, dims, targets->dtype, to);
            } else {
                CPU(widen_row)(target, dims, targets->dtype, to);
            }
        }
        status = add_tile(&call, t, count);
    }
    alcore__cpu_free(work, call.tile, dims, TARGETS_TOGETHER * sizeof(double));
    alcore__cpu_free(work, call.unit, dims, sizeof(double));
    return status;
}
