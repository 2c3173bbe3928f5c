/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of Euclidean distances to targets by group, in double (spec 7.3); distance_bounds is in
 * cuda_bounds.cu. Targets are widened in parts; a warp takes four rows against four targets at a
 * time (cuda_pairs.cuh) and adds the roots in target order. Cost: rows x targets x dims
 * multiply-adds in double. */
#include "cuda_bounds.cuh"
#include "cuda_entries.h"
#include "cuda_filter.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

namespace {
/* A warp takes four rows; lanes r, r + 4 ... keep the running sum of row r, lane r the sums by
 * group. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    distance_kernel(const double *rows, int64_t count, int64_t dims, const uint8_t *mask,
                    const double *targets, int64_t target_count, const int32_t *group,
                    int64_t groups, bool begins, double *sums) {
    int64_t first = ((int64_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_LANES) * PAIR_SIDE;
    if (first >= count) return;
    const double *row[PAIR_SIDE], *target[PAIR_SIDE];
    pair_rows(rows, first, count, dims, row);
    int mine = lane_here() % PAIR_SIDE;
    int64_t i = first + mine;
    bool writes = lane_here() < PAIR_SIDE && i < count && (!mask || mask[i]);
    double *own = sums + i * groups, total = 0.0;
    for (int64_t g = 0; writes && begins && g < groups; g++) own[g] = 0.0;
    if (writes && !group) total = own[0];
    for (int64_t t = 0; t < target_count; t += PAIR_SIDE) {
        pair_rows(targets, t, target_count, dims, target);
        double pairs = pair_sums<true>(row, target, dims);
#pragma unroll
        for (int k = 0; k < PAIR_SIDE; k++) {
            double distance = sqrt(pair_value(pairs, mine, k));
            if (t + k >= target_count) continue;
            if (!group)
                total = total + distance;
            else if (writes && group[t + k] >= 0)
                own[group[t + k]] = own[group[t + k]] + distance;
        }
    }
    if (writes && !group) own[0] = total;
}

/* The sums; with `second` an interval around them: half precision where that pays, otherwise the
 * narrowest of all, the sums themselves twice. */
alcore_status sums_of(const alcore_sys_work *work, const alcore_sys_rows *rows, const uint8_t *mask,
                      const alcore_sys_rows *targets, const int32_t *group, int64_t groups,
                      double *sums, double *second) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        c.check_rows(targets);
        if (rows->dims != targets->dims)
            fail(work, ALCORE_E_SHAPE, "rows and targets have different numbers of dimensions");
        if (groups < 0 || (!group && groups < 1))
            fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        std::vector<int32_t> memory;
        const int32_t *own = group ? checked_groups(c, targets, group, groups, &memory) : nullptr;
        if (second && groups > 0 && filter_pays(rows->dims, rows->count, targets->count)) {
            bound_distances(c, rows, mask, targets, own, groups, sums, second);
            return;
        }
        const int32_t *groups_there = c.whole(group, targets->count);
        side others(c, targets, INT64_MAX);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), wide = pass.scratch((size_t)rows->dims * sizeof *sums);
        size_t bytes = (size_t)groups * sizeof *sums;
        int mask_column = pass.row_mask(mask), to = pass.out(sums, bytes),
            also = pass.out(second, bytes);
        pass.run([&](const chunk &piece) {
            double *numbers = piece.get<double>(wide);
            widen_chunk(piece, rows, matrix, numbers);
            int64_t first = 0;
            do {
                int64_t count = targets->count > 0 ? others.part(first) : 0;
                for (double *out : {piece.get<double>(to), piece.get<double>(also)}) {
                    if (!out) continue;
                    CUDA_LAUNCH(distance_kernel, blocks_for(piece.count, CUDA_WARPS * PAIR_SIDE),
                                CUDA_THREADS, piece.stream, numbers, piece.count, rows->dims,
                                piece.get<const uint8_t>(mask_column), others.numbers, count,
                                group ? groups_there + first : nullptr, groups, first == 0, out);
                }
                first += count;
            } while (first < targets->count);
        });
    });
}
} // namespace

alcore_status distance_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *mask, const alcore_sys_rows *targets,
                            const int32_t *group, int64_t groups, double *sums) {
    return sums_of(work, rows, mask, targets, group, groups, sums, nullptr);
}

alcore_status distance_bounds(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const uint8_t *mask, const alcore_sys_rows *targets,
                              const int32_t *group, int64_t groups, double *low, double *high) {
    return sums_of(work, rows, mask, targets, group, groups, low, high);
}

} // namespace alcore_cuda
