/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows by group, and the nearest centre of each row's group. */
#include <cfloat>

#include "cuda_entries.h"
#include "cuda_pairs.cuh"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
/* The rows of a chunk by group, in row order within each; rows of no group are left out. */
struct grouping {
    std::vector<int32_t> order;  /* rows, counted from the chunk's first */
    std::vector<int32_t> groups; /* groups that have rows */
    std::vector<int32_t> starts; /* where the rows of each of those start in order, and the end */
};

void group_rows(const int32_t *group, int64_t count, int64_t groups, grouping *out) {
    std::vector<int32_t> next((size_t)groups + 1);
    for (int64_t i = 0; i < count; i++)
        if (group[i] >= 0) next[(size_t)group[i] + 1]++;
    out->groups.clear();
    out->starts.clear();
    for (int64_t g = 0; g < groups; g++) {
        if (next[(size_t)g + 1] > 0) {
            out->groups.push_back((int32_t)g);
            out->starts.push_back(next[(size_t)g]);
        }
        next[(size_t)g + 1] += next[(size_t)g];
    }
    out->starts.push_back(next[(size_t)groups]);
    out->order.resize((size_t)next[(size_t)groups]);
    for (int64_t i = 0; i < count; i++)
        if (group[i] >= 0) out->order[(size_t)next[(size_t)group[i]]++] = (int32_t)i;
}

struct norms_body {
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double norm = sqrt(row_self_dot(row, dims));
        if (lane_here() == 0) out[i] = norm;
    }
};

/* Rows that are on their way while the sum waits for its turn. */
enum { SUM_AHEAD = 8, SUM_THREADS = 128 };

/* A thread adds up one component of one group: the running sum goes on from what the chunks before
 * gave. */
template <int DTYPE>
static __global__ void __launch_bounds__(SUM_THREADS)
    sums_kernel(row_set rows, const double *norms, const int32_t *order, const int32_t *groups,
                const int32_t *starts, double *sums) {
    int64_t j = (int64_t)blockIdx.x * SUM_THREADS + threadIdx.x;
    if (j >= rows.dims) return;
    double *to = sums + groups[blockIdx.y] * rows.dims + j, sum = *to;
    for (int32_t at = starts[blockIdx.y], end = starts[blockIdx.y + 1]; at < end; at += SUM_AHEAD) {
        double ahead[SUM_AHEAD];
#pragma unroll
        for (int k = 0; k < SUM_AHEAD; k++) {
            int64_t i = order[at + k < end ? at + k : end - 1];
            double x = number_at<DTYPE>(rows.data, i * rows.stride + j);
            if (norms) x = norms[i] < CUDA_ZERO_NORM ? 0.0 : x / norms[i];
            ahead[k] = x;
        }
#pragma unroll
        for (int k = 0; k < SUM_AHEAD; k++)
            if (at + k < end) sum = sum + ahead[k];
    }
    *to = sum;
}

/* Up to four rows of one group: what one warp compares with the group's centres. */
struct nearest_task {
    int32_t first, count; /* in order */
    int64_t start, end;   /* centres */
};

/* Bounds on the distance to the nearest centre and to the others, from their sqds: each within
 * 1e-9 of the exact one, but for squares that left the range of double. */
static __device__ void put_bounds(double least, double second, bool others, double *low,
                                  double *high) {
    bool known = least <= DBL_MAX;
    *high = known ? sqrt(least) * (1.0 + 1e-9) + 1e-150 : HUGE_VAL;
    *low = 0.0;
    if (!known || second != second) return;
    if (others && second > DBL_MAX) second = DBL_MAX;
    double near = sqrt(second) * (1.0 - 1e-9) - 1e-150;
    if (near > 0.0) *low = near;
}

/* Lanes r, r + 4, r + 8 ... keep the best of the task's row r. distance, low and high may be
 * NULL. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    nearest_kernel(const double *rows, int64_t dims, const int32_t *order,
                   const nearest_task *tasks, int64_t task_count, const double *centres,
                   int32_t *nearest, double *distance, double *low, double *high) {
    int64_t number = (int64_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_LANES;
    if (number >= task_count) return;
    nearest_task task = tasks[number];
    const double *row[PAIR_SIDE], *centre[PAIR_SIDE];
#pragma unroll
    for (int k = 0; k < PAIR_SIDE; k++)
        row[k] = rows + order[task.first + (k < task.count ? k : task.count - 1)] * dims;
    int mine = lane_here() % PAIR_SIDE, best = -1;
    double least = HUGE_VAL, second = HUGE_VAL;
    for (int64_t c = task.start; c < task.end; c += PAIR_SIDE) {
        pair_rows(centres, c, task.end, dims, centre);
        double sums = pair_sums<true>(row, centre, dims);
#pragma unroll
        for (int k = 0; k < PAIR_SIDE; k++) {
            double sqd = pair_value(sums, mine, k);
            if (c + k >= task.end) continue;
            double other = sqd;
            if (best < 0 || sqd < least) {
                other = least;
                best = (int)(c + k - task.start);
                least = sqd;
            }
            if (other < second || other != other) second = other;
        }
    }
    if (lane_here() >= task.count) return;
    int64_t i = order[task.first + mine];
    nearest[i] = best;
    if (distance) distance[i] = least;
    if (high) put_bounds(least, second, task.end - task.start > 1, &low[i], &high[i]);
}
} // namespace

alcore_status group_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const int32_t *group, int64_t groups, double *sums, int64_t *counts) {
    return guarded(work, [&](call &c) {
        std::vector<int32_t> memory;
        const int32_t *own = checked_groups(c, rows, group, groups, &memory);
        std::vector<int64_t> count((size_t)groups);
        for (int64_t i = 0; i < rows->count; i++)
            if (own[i] >= 0) count[(size_t)own[i]]++;
        int64_t numbers = groups * rows->dims;
        double *to = c.on_device(sums) ? sums : c.device_array<double>(numbers);
        c.check(cudaMemsetAsync(to, 0, (size_t)numbers * sizeof *to, c.compute), "clearing sums");
        grouping by;
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), norms = rows->unit ? pass.scratch(sizeof(double)) : -1;
        pass.run([&](const chunk &at) {
            group_rows(own + at.first, at.count, groups, &by);
            if (by.groups.empty() || rows->dims == 0) return;
            const int32_t *order = c.whole(by.order.data(), (int64_t)by.order.size());
            const int32_t *with = c.whole(by.groups.data(), (int64_t)by.groups.size());
            const int32_t *starts = c.whole(by.starts.data(), (int64_t)by.starts.size());
            row_set set = rows_of(at, rows, matrix, -1, -1);
            if (rows->unit) {
                norms_body body = {at.get<double>(norms)};
                set.unit = 0;
                launch_rows(set, rows->dtype, at.stream, body);
            }
            /* A grid has 65535 rows at most. */
            for (size_t first = 0; first < by.groups.size(); first += 32768) {
                size_t some = by.groups.size() - first < 32768 ? by.groups.size() - first : 32768;
                dim3 blocks(blocks_for(rows->dims, SUM_THREADS), (unsigned)some);
                CUDA_EACH_DTYPE(rows->dtype,
                                CUDA_LAUNCH((sums_kernel<DTYPE>), blocks, SUM_THREADS, at.stream,
                                            set, at.get<const double>(norms), order, with + first,
                                            starts + first, to));
            }
            for (const int32_t *used : {order, with, starts}) c.give_back((void *)used);
        });
        if (to != sums) c.download(sums, to, (size_t)numbers * sizeof *to);
        c.answer(counts, count.data(), (size_t)groups * sizeof *counts);
    });
}

alcore_status nearest_centre(const alcore_sys_work *work, const alcore_sys_rows *rows,
                             const int32_t *group, int64_t groups, const int64_t *starts,
                             const double *centres, int32_t *nearest, double *distance, double *low,
                             double *high) {
    return guarded(work, [&](call &c) {
        std::vector<int32_t> memory;
        const int32_t *own = checked_groups(c, rows, group, groups, &memory);
        std::vector<int64_t> starts_memory;
        const int64_t *begin = c.on_host(starts, groups + 1, &starts_memory);
        const double *all = c.whole(centres, begin[groups] * rows->dims);
        grouping by;
        std::vector<nearest_task> tasks;
        pipeline pass(c, rows->count);
        pass.leave_out(own);
        int matrix = pass.rows(rows), wide = pass.scratch((size_t)rows->dims * sizeof(double));
        int to = pass.out(nearest, sizeof *nearest), far = pass.out(distance, sizeof *distance),
            least = pass.out(low, sizeof *low), most = pass.out(high, sizeof *high);
        pass.run([&](const chunk &at) {
            group_rows(own + at.first, at.count, groups, &by);
            tasks.clear();
            for (size_t g = 0; g < by.groups.size(); g++) {
                for (int32_t i = by.starts[g]; i < by.starts[g + 1]; i += PAIR_SIDE) {
                    int32_t left = by.starts[g + 1] - i;
                    tasks.push_back({i, left < PAIR_SIDE ? left : PAIR_SIDE, begin[by.groups[g]],
                                     begin[by.groups[g] + 1]});
                }
            }
            if (tasks.empty()) return;
            double *rows_wide = at.get<double>(wide);
            widen_chunk(at, rows, matrix, rows_wide);
            const int32_t *order = c.whole(by.order.data(), (int64_t)by.order.size());
            const nearest_task *list = c.whole(tasks.data(), (int64_t)tasks.size());
            CUDA_LAUNCH(nearest_kernel, blocks_for((int64_t)tasks.size(), CUDA_WARPS), CUDA_THREADS,
                        at.stream, rows_wide, rows->dims, order, list, (int64_t)tasks.size(), all,
                        at.get<int32_t>(to), at.get<double>(far), at.get<double>(least),
                        at.get<double>(most));
            c.give_back((void *)order);
            c.give_back((void *)list);
        });
    });
}

} // namespace alcore_cuda
