/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of Euclidean distances from rows to targets, by group of the targets, in double (mean
 * distance of DeMuX, spec 7.3); the filtered intervals of distance_bounds are in cuda_bounds.cu.
 * Rows pass in chunks, targets in parts: what is on the device at a time, as doubles. A warp
 * compares PAIR_ROWS = 4 rows with 4 targets at a time (cuda_pairs.cuh: pair_sums() gives threads
 * 2 p and 2 p + 1 the squared distance of pair p, that of row p / 4 with target p % 4; pair_value()
 * gives a thread any of the 16) and adds the distances in target order. Cost: rows x targets x dims
 * multiply-adds in double. */
#include "cuda_bounds.cuh"
#include "cuda_entries.h"
#include "cuda_filter.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

namespace {
/* Adds the distances (not squared) from rows [count, dims], a chunk, to targets [target_count,
 * dims], a part, to sums [count, groups]; begins: the first part, before which the sums are 0
 * whatever the memory holds. group [target_count]: that of each target, negative: it takes no part;
 * NULL: all are of group 0, the only one. mask [count]: 0 is not written; NULL: all are. A warp has
 * four rows: with one group (group NULL) the threads r, r + 4 ... keep the running sum of row r in
 * a register; with several, thread r adds to memory. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    distance_kernel(const double *rows, int64_t count, int64_t dims, const uint8_t *mask,
                    const double *targets, int64_t target_count, const int32_t *group,
                    int64_t groups, bool begins, double *sums) {
    int64_t first = warp_index() * PAIR_ROWS;
    if (first >= count) return;
    const double *row[PAIR_ROWS], *target[PAIR_ROWS];
    pair_rows(rows, first, count, dims, row);
    int row_of_thread = lane_id() % PAIR_ROWS;
    int64_t i = first + row_of_thread;
    bool writes = lane_id() < PAIR_ROWS && i < count && (!mask || mask[i]);
    double *row_sums = sums + i * groups, total = 0.0;
    for (int64_t g = 0; writes && begins && g < groups; g++) row_sums[g] = 0.0;
    if (writes && !group) total = row_sums[0];
    for (int64_t t = 0; t < target_count; t += PAIR_ROWS) {
        pair_rows(targets, t, target_count, dims, target);
        double pairs = pair_sums<true>(row, target, dims);
#pragma unroll
        for (int k = 0; k < PAIR_ROWS; k++) {
            double distance = sqrt(pair_value(pairs, row_of_thread, k));
            if (t + k >= target_count) continue;
            if (!group)
                total = total + distance;
            else if (writes && group[t + k] >= 0)
                row_sums[group[t + k]] = row_sums[group[t + k]] + distance;
        }
    }
    if (writes && !group) row_sums[0] = total;
}

/* Both entries. high NULL: sums [rows, groups] become the sums. Else sums and high [rows, groups]
 * become the low and the high ends of intervals around them, from the filter in half precision
 * where it pays (bound_distances); otherwise both are the sums, the narrowest interval. Without
 * targets one launch without any writes sums of 0. The body neither checks its launches nor asks
 * the host whether to stop: run() does both, the one behind the body and the other before each
 * chunk, and so does part(), which converts every new part by a pipeline of its own. */
alcore_status sums_or_bounds(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             const uint8_t *mask, const alcore_sys_rows *targets,
                             const int32_t *group, int64_t groups, double *sums, double *high) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        c.check_rows(targets);
        if (rows->dims != targets->dims)
            fail(work, ALCORE_E_SHAPE, "rows and targets have different numbers of dimensions");
        if (groups < 0 || (!group && groups < 1))
            fail(work, ALCORE_E_INVALID, "a kernel was called with a negative shape");
        std::vector<int32_t> memory;
        const int32_t *host_group =
            group ? checked_groups(c, targets, group, groups, &memory) : nullptr;
        if (high && groups > 0 && filter_pays(rows->dims, rows->count, targets->count)) {
            bound_distances(c, rows, mask, targets, host_group, groups, sums, high);
            return;
        }
        const int32_t *device_group = c.to_device(group, targets->count);
        operand_parts others(c, targets, INT64_MAX /* rows of a part: as memory allows */);
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), wide = pass.scratch((size_t)rows->dims * sizeof *sums);
        pass.limit_products((double)rows->dims * (double)others.step, LAUNCH_DOUBLES);
        size_t bytes = (size_t)groups * sizeof *sums;
        int mask_column = pass.row_mask(mask), sums_column = pass.out(sums, bytes),
            high_column = pass.out(high, bytes);
        pass.run([&](const chunk &piece) {
            double *wide_chunk = piece.get<double>(wide);
            launch_rows(chunk_rows(piece, rows, matrix), rows->dtype, piece.stream,
                        widen_body{wide_chunk});
            int64_t first = 0;
            do {
                int64_t count = targets->count > 0 ? others.part(first) : 0;
                for (double *out :
                     {piece.get<double>(sums_column), piece.get<double>(high_column)}) {
                    if (!out) continue;
                    CUDA_LAUNCH(distance_kernel, blocks_for(piece.count, CUDA_WARPS * PAIR_ROWS),
                                CUDA_THREADS, piece.stream, wide_chunk, piece.count, rows->dims,
                                piece.get<const uint8_t>(mask_column), others.wide, count,
                                group ? device_group + first : nullptr, groups, first == 0, out);
                }
                first += count;
            } while (first < targets->count);
        });
    });
}
} // namespace

/* Kernel table: sums[i, g], the sum of the distances from row i to the targets of group g, in
 * target order; sums [rows, groups], group [targets], NULL: one group. distance_bounds: intervals
 * low .. high around the same sums. Rows that the mask leaves out are not written. */
alcore_status distance_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                            const uint8_t *mask, const alcore_sys_rows *targets,
                            const int32_t *group, int64_t groups, double *sums) {
    return sums_or_bounds(work, rows, mask, targets, group, groups, sums, nullptr);
}

/* Kernel table: see distance_sums(). */
alcore_status distance_bounds(const alcore_sys_work *work, const alcore_sys_rows *rows,
                              const uint8_t *mask, const alcore_sys_rows *targets,
                              const int32_t *group, int64_t groups, double *low, double *high) {
    return sums_or_bounds(work, rows, mask, targets, group, groups, low, high);
}

} // namespace alcore_cuda
