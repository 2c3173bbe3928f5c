/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows by group, and the nearest centroid of each row's group (k-means within strata).
 *
 * Rows of a chunk are listed by group on the host (grouping: order, starts), in row order within
 * one. group_sums: a thread owns one component of one group and adds the group's rows one after the
 * other, SUM_AHEAD of them loaded in advance: a running sum in row order, as spec 1.8 asks.
 * nearest_centroid: groups with many rows and centroids go through the filter on tensor cores
 * (cuda_best.cuh), the others through warps with four rows against four centroids (cuda_pairs.cuh).
 * Cost: group_sums reads the rows once; nearest_centroid rows x centroids x dims in half precision,
 * or in double without the filter. */
#include <algorithm>
#include <cfloat>

#include "cuda_best.cuh"
#include "cuda_entries.h"
#include "cuda_pairs.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

namespace {
/* The rows of a chunk by group, in row order within each; rows of no group are left out. */
struct grouping {
    std::vector<int32_t> order;  /* rows, counted from the chunk's first */
    std::vector<int32_t> groups; /* groups that have rows */
    std::vector<int32_t> starts; /* where the rows of each of those start in order, and the end */
};

/* Sorts the rows of a chunk by group, stable, by counting: group [count], -1 for none. The row
 * order within a group is that of the matrix, which the sums depend on. */
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

/* Rows that a thread loads before it adds the first of them, to hide the latency of memory. */
enum { SUM_AHEAD = 8, SUM_THREADS = 128 };

/* A thread adds one component of the rows of one group of the chunk to sums [groups, dims], where
 * the sum of earlier chunks is. order: rows of the chunk by group; groups and starts as in
 * grouping, indexed by blockIdx.y; norms [rows]: rows are divided by them, NULL: not. */
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

/* Up to four rows of one group: what one warp compares with the group's centroids. */
struct nearest_task {
    int32_t first, count; /* entries of grouping.order: rows of the chunk */
    int64_t start, end;   /* the group's centroids are start .. end - 1 of all */
};

/* Outputs by row of the chunk. distance, low and high may be NULL. */
struct nearest_out {
    int32_t *nearest;
    double *distance, *low, *high;

    /* least and second: the sq_dists of the nearest centroid and of the next one, or less than
     * that; both within 1e-9 of the exact ones, but for squares that left the range of double. */
    __device__ void put(int64_t i, int64_t best, double least, double second, bool others) const {
        nearest[i] = (int32_t)best;
        if (distance) distance[i] = least;
        if (!high) return;
        bool known = least <= DBL_MAX;
        high[i] = known ? sqrt(least) * (1.0 + 1e-9) + 1e-150 : HUGE_VAL;
        low[i] = 0.0;
        if (!known || second != second) return;
        if (others && second > DBL_MAX) second = DBL_MAX;
        double near = sqrt(second) * (1.0 - 1e-9) - 1e-150;
        if (near > 0.0) low[i] = near;
    }
};

/* The nearest centroids without a filter: a warp has a task and compares its four rows with four
 * centroids at a time, in double; lanes r, r + 4 ... keep the smallest and the second smallest
 * squared distance of the task's row r. rows [chunk, dims]: widened; tasks [task_count]; centroids
 * [all, dims]. With fewer than four rows the last one is computed again and not written. */
static __global__ void __launch_bounds__(CUDA_THREADS)
    nearest_kernel(const double *rows, int64_t dims, const int32_t *order,
                   const nearest_task *tasks, int64_t task_count, const double *centroids,
                   nearest_out out) {
    int64_t number = (int64_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_LANES;
    if (number >= task_count) return;
    nearest_task task = tasks[number];
    const double *row[PAIR_SIDE], *centroid[PAIR_SIDE];
#pragma unroll
    for (int k = 0; k < PAIR_SIDE; k++)
        row[k] = rows + order[task.first + (k < task.count ? k : task.count - 1)] * dims;
    int mine = lane_here() % PAIR_SIDE, best = -1;
    double least = HUGE_VAL, second = HUGE_VAL;
    for (int64_t c = task.start; c < task.end; c += PAIR_SIDE) {
        pair_rows(centroids, c, task.end, dims, centroid);
        double sums = pair_sums<true>(row, centroid, dims);
#pragma unroll
        for (int k = 0; k < PAIR_SIDE; k++) {
            double sq_dist = pair_value(sums, mine, k);
            if (c + k >= task.end) continue;
            double other = sq_dist;
            if (best < 0 || sq_dist < least) {
                other = least;
                best = (int)(c + k - task.start);
                least = sq_dist;
            }
            if (other < second || other != other) second = other;
        }
    }
    if (lane_here() >= task.count) return;
    out.put(order[task.first + mine], best, least, second, task.end - task.start > 1);
}

/* The nearest centroid with a filter: a score is x.c - |c|^2 / 2. */
struct nearest_body {
    const double *rows, *centroids, *norms;
    int64_t dims;
    nearest_out out;

    __device__ float begin(int64_t) const { return -HUGE_VALF; }
    __device__ bool score(float most, float error, int64_t, int64_t, const half_stats &centroid,
                          float *high, float *low) const {
        *high = most - centroid.half_square;
        *low = *high - error * (1.0f + 0x1p-20f) - 0x1p-19f * centroid.half_square;
        return true;
    }

    static const bool LARGEST = false;
    __device__ bool in_mask(int64_t) const { return true; }
    __device__ bool other_in_mask(int64_t) const { return true; }
    __device__ top_entry first(int64_t) const { return {0.0, -1}; }
    /* Nothing is less than what the first centroid gives when that is no number: it stays. */
    __device__ top_entry value(int64_t i, int64_t c, const best_task &task) const {
        double sq_dist = row_sq_dist(rows + i * dims, centroids + c * dims, dims);
        return {c == task.start && sq_dist != sq_dist ? -1.0 : sq_dist, c};
    }
    __device__ void end(int64_t i, const top_entry &best, double second, float refused,
                        const best_task &task) const {
        bool none = best.row < 0;
        double least = none ? HUGE_VAL : best.value < 0.0 ? (double)NAN : best.value;
        if (refused > -HUGE_VALF) { /* no centroid that the filter refused has a larger score */
            double square = norms[i] * norms[i];
            double beyond = square - 2.0 * (double)refused - 0x1p-40 * square;
            if (beyond < second) second = beyond > 0.0 ? beyond : 0.0;
        }
        out.put(i, none ? -1 : best.row - task.start, least, second, task.end - task.start > 1);
    }
};

/* In groups with fewer centroids or rows the plain kernel is as fast as the filter. */
const int64_t MIN_CENTROIDS = 16;

/* The rows of a chunk by group, cut into tasks of a warp (plain) or of a block (filtered). */
struct nearest_work {
    grouping by;
    std::vector<nearest_task> plain;
    std::vector<best_task> filtered;
    int64_t most; /* largest number of centroids of a filtered task */

    void cut(const int32_t *group, int64_t count, int64_t groups, const int64_t *begin,
             bool filters) {
        group_rows(group, count, groups, &by);
        plain.clear();
        filtered.clear();
        most = 0;
        for (size_t g = 0; g < by.groups.size(); g++) {
            int64_t start = begin[by.groups[g]], end = begin[by.groups[g] + 1];
            int32_t last = by.starts[g + 1], rows_of = last - by.starts[g];
            bool many = end - start >= MIN_CENTROIDS && rows_of >= MIN_CENTROIDS;
            bool filter = filters && device_filters(many);
            if (filter) most = std::max(most, end - start);
            int32_t step = filter ? (int32_t)TILE_ROWS : (int32_t)PAIR_SIDE;
            for (int32_t i = by.starts[g]; i < last; i += step) {
                int32_t here = std::min(step, last - i);
                if (filter)
                    filtered.push_back({i, here, start, end});
                else
                    plain.push_back({i, here, start, end});
            }
        }
    }
};

/* All centroids in half precision. */
half_rows halve_centroids(call &c, const double *centroids, int64_t count, int64_t dims) {
    half_rows made =
        cut_halves(c.device_array<char>(count * (int64_t)half_bytes(dims)), count, dims);
    double *norms = c.device_array<double>(count);
    self_dots_of(c, centroids, count, dims, norms);
    roots_of(c, norms, count);
    halve(c, centroids, norms, count, dims, ALCORE_SYS_L2, made);
    return made;
}
} // namespace

/* Kernel table: sums [groups, dims] and counts [groups] of the rows of each group; group [rows], -1
 * for none. A sum runs through the rows in order, from chunk to chunk, so its bits are those of the
 * CPU. */
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
        pass.run([&](const chunk &piece) {
            group_rows(own + piece.first, piece.count, groups, &by);
            if (by.groups.empty() || rows->dims == 0) return;
            const int32_t *order = c.whole(by.order.data(), (int64_t)by.order.size());
            const int32_t *with = c.whole(by.groups.data(), (int64_t)by.groups.size());
            const int32_t *starts = c.whole(by.starts.data(), (int64_t)by.starts.size());
            row_set set = rows_of(piece, rows, matrix, -1, -1);
            if (rows->unit) {
                norms_body body = {piece.get<double>(norms)};
                set.unit = 0;
                launch_rows(set, rows->dtype, piece.stream, body);
            }
            /* A grid has 65535 rows at most. */
            for (size_t first = 0; first < by.groups.size(); first += 32768) {
                size_t some = by.groups.size() - first < 32768 ? by.groups.size() - first : 32768;
                dim3 blocks(blocks_for(rows->dims, SUM_THREADS), (unsigned)some);
                CUDA_EACH_DTYPE(rows->dtype,
                                CUDA_LAUNCH((sums_kernel<DTYPE>), blocks, SUM_THREADS, piece.stream,
                                            set, piece.get<const double>(norms), order,
                                            with + first, starts + first, to));
            }
            for (const int32_t *used : {order, with, starts}) c.give_back((void *)used);
        });
        if (to != sums) c.download(sums, to, (size_t)numbers * sizeof *to);
        c.answer(counts, count.data(), (size_t)groups * sizeof *counts);
    });
}

/* Kernel table: for each row of a group g the nearest of the centroids starts[g] .. starts[g + 1] -
 * 1 of centroids [all, dims]: nearest [rows] counts from starts[g]; distance [rows] its squared
 * distance; high and low [rows] bounds of the distance to it and to every other one, which k-means
 * keeps. The last three may be NULL; rows of group -1 are not written. */
alcore_status nearest_centroid(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const int32_t *group, int64_t groups, const int64_t *starts,
                               const double *centroids, int32_t *nearest, double *distance,
                               double *low, double *high) {
    return guarded(work, [&](call &c) {
        std::vector<int32_t> memory;
        const int32_t *own = checked_groups(c, rows, group, groups, &memory);
        std::vector<int64_t> starts_memory;
        const int64_t *begin = c.on_host(starts, groups + 1, &starts_memory);
        const double *all = c.whole(centroids, begin[groups] * rows->dims);
        int64_t dims = rows->dims;
        bool filters = filter_pays(dims, rows->count, begin[groups]);
        half_rows half_centroids = {nullptr, nullptr};
        if (filters) half_centroids = halve_centroids(c, all, begin[groups], dims);
        nearest_work todo;
        pipeline pass(c, rows->count);
        pass.leave_out(own);
        int matrix = pass.rows(rows), wide = pass.scratch((size_t)dims * sizeof(double));
        int norms = filters ? pass.scratch(sizeof(double)) : -1;
        int halves = filters ? pass.scratch(half_bytes(dims)) : -1;
        int beside = filters ? pass.scratch(BEST_BYTES) : -1;
        int to = pass.out(nearest, sizeof *nearest), far = pass.out(distance, sizeof *distance),
            least = pass.out(low, sizeof *low), most = pass.out(high, sizeof *high);
        pass.run([&](const chunk &piece) {
            todo.cut(own + piece.first, piece.count, groups, begin, filters);
            if (todo.by.order.empty()) return;
            const int32_t *order = c.whole(todo.by.order.data(), (int64_t)todo.by.order.size());
            double *numbers = piece.get<double>(wide);
            widen_chunk(piece, rows, matrix, numbers);
            nearest_out out = {piece.get<int32_t>(to), piece.get<double>(far),
                               piece.get<double>(least), piece.get<double>(most)};
            int64_t plain = (int64_t)todo.plain.size(), filtered = (int64_t)todo.filtered.size();
            if (plain > 0) {
                const nearest_task *list = c.whole(todo.plain.data(), plain);
                CUDA_LAUNCH(nearest_kernel, blocks_for(plain, CUDA_WARPS), CUDA_THREADS,
                            piece.stream, numbers, dims, order, list, plain, all, out);
                c.give_back((void *)list);
            }
            if (filtered > 0) {
                const best_task *list = c.whole(todo.filtered.data(), filtered);
                half_rows half = cut_halves(piece.get<char>(halves), piece.count, dims);
                self_dots_of(c, numbers, piece.count, dims, piece.get<double>(norms));
                roots_of(c, piece.get<double>(norms), piece.count);
                halve(c, numbers, piece.get<double>(norms), piece.count, dims, ALCORE_SYS_L2, half);
                nearest_body body = {numbers, all, piece.get<double>(norms), dims, out};
                best_of(c, half, piece.count, order, list, filtered, half_centroids, todo.most,
                        dims, body, piece.get<char>(beside));
                c.give_back((void *)list);
            }
            c.give_back((void *)order);
        });
    });
}

} // namespace alcore_cuda
