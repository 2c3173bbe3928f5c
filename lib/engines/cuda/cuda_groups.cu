/* SPDX-License-Identifier: Apache-2.0 */
/* The nearest centroid of each row among those of its group (nearest_centroid: k-means within
 * strata).
 *
 * Rows pass in chunks, runs of rows that are on the device at a time. The rows of a chunk are
 * sorted by group on the host (grouping), in row order within a group. Groups with many rows and
 * centroids go through the filter on tensor cores (cuda_best.cuh, nearest_body), the others through
 * nearest_kernel, four rows against four centroids at a time (cuda_pairs.cuh). Cost: rows x
 * centroids x dims multiply-adds in half precision, or in double without the filter.
 */
#include <algorithm>
#include <cfloat>
#include <type_traits>

#include "cuda_best.cuh"
#include "cuda_entries.h"
#include "cuda_pairs.cuh"
#include "cuda_wide_rows.cuh"

namespace alcore_cuda {

namespace {
/* Outputs of nearest_centroid by row of the chunk, on the device. */
struct nearest_out {
    int32_t *nearest;   /* [chunk] its centroid, counted from the first of its group; -1: none */
    double *distance;   /* [chunk] the squared distance to it; NULL: not wanted */
    double *low, *high; /* [chunk] bounds of distances (not squared): at most `high` to the nearest,
                           at least `low` to the others; both NULL: not wanted */

    /* Writes row i, called by one thread. best: its nearest centroid, counted from the first of its
     * group; best_sq_dist: its squared distance, infinity without one; second: a lower bound of the
     * squared distances of the others (infinity: there is none; NaN: no bound, so low becomes 0);
     * both hold within 1e-9 of exact arithmetic, and 1e-150 covers squares below double's range.
     * others: the group has more than one centroid, so an infinite second is an overflow. */
    __device__ void put(int64_t i, int64_t best, double best_sq_dist, double second,
                        bool others) const {
        nearest[i] = (int32_t)best;
        if (distance) distance[i] = best_sq_dist;
        if (!high) return;
        bool finite = best_sq_dist <= DBL_MAX;
        high[i] = finite ? sqrt(best_sq_dist) * (1.0 + 1e-9) + 1e-150 : HUGE_VAL;
        low[i] = 0.0;
        if (!finite || second != second) return;
        if (others && second > DBL_MAX) second = DBL_MAX;
        double bound = sqrt(second) * (1.0 - 1e-9) - 1e-150;
        if (bound > 0.0) low[i] = bound;
    }
};

/* The nearest centroids without a filter: a warp has a task and compares its four rows, which it
 * reads where they are, with four centroids at a time, in double; the threads r, r + 4 ... keep the
 * smallest and the second smallest squared distance of row r of the task. rows: those of the chunk;
 * order: these by group, what tasks [task_count] index, each up to four rows of one group;
 * centroids [all, dims]. With fewer than four rows the last one is computed again and not written.
 * A NaN of the first centroid stays the best, as no comparison with it holds; a NaN of another
 * becomes `second`, and stays there. UNIT: the rows are unit rows. */
template <int DTYPE, bool UNIT>
static __global__ void __launch_bounds__(CUDA_THREADS)
    nearest_kernel(row_set rows, const int32_t *order, const best_task *tasks, int64_t task_count,
                   const double *centroids, nearest_out out) {
    int64_t task_index = warp_index(), dims = rows.dims;
    if (task_index >= task_count) return;
    best_task task = tasks[task_index];
    typename std::conditional<UNIT, row_reader<DTYPE>, plain_row<DTYPE>>::type row[PAIR_ROWS];
    const double *centroid[PAIR_ROWS];
#pragma unroll
    for (int k = 0; k < PAIR_ROWS; k++) {
        int32_t entry = task.first + (k < task.count ? k : task.count - 1);
        row_reader<DTYPE> reader = exact_row<DTYPE>(rows, order[entry]);
        if constexpr (UNIT)
            row[k] = reader;
        else /* without norms, which would stay in registers */
            row[k] = {reader.data};
    }
    int row_of_thread = lane_id() % PAIR_ROWS, best = -1;
    double best_sq_dist = HUGE_VAL, second = HUGE_VAL;
    for (int64_t c = task.start; c < task.end; c += PAIR_ROWS) {
        pair_rows(centroids, c, task.end, dims, centroid);
        double sums = pair_sums<true>(row, centroid, dims);
#pragma unroll
        for (int k = 0; k < PAIR_ROWS; k++) {
            double sq_dist = pair_value(sums, row_of_thread, k);
            if (c + k >= task.end) continue;
            double other = sq_dist;
            if (best < 0 || sq_dist < best_sq_dist) {
                other = best_sq_dist;
                best = (int)(c + k - task.start);
                best_sq_dist = sq_dist;
            }
            if (other < second || other != other) second = other;
        }
    }
    if (lane_id() >= task.count) return;
    out.put(order[task.first + row_of_thread], best, best_sq_dist, second,
            task.end - task.start > 1);
}

/* The nearest centroid with a filter: the body of best_filter and best_rerank (cuda_best.cuh says
 * when they call what). The filter's score of centroid c for row x is x.c - |c|^2 / 2, the larger
 * the nearer; score() gives bounds of it from those of x.c, `upper` and `upper - error`, widened
 * for rounding. The value of the rerank is the squared distance. begin() and first() say that no
 * centroid was compared before. i counts rows of the chunk, c all centroids. */
struct nearest_body {
    exact_rows rows;         /* of the chunk */
    const double *centroids; /* [all, dims] */
    const double *norms;     /* [chunk] L2 norms of the rows, not squared */
    nearest_out out;         /* where the results go */

    __device__ float begin(int64_t) const { return -HUGE_VALF; }
    __device__ bool score(float upper, float error, int64_t, int64_t, const half_stats &centroid,
                          float *high, float *low) const {
        *high = upper - centroid.half_square;
        *low = *high - error * (1.0f + 0x1p-20f) - 0x1p-19f * centroid.half_square;
        return true;
    }

    static const bool LARGEST = false; /* the smallest value is the best */
    __device__ bool in_mask(int64_t) const { return true; }
    __device__ bool other_in_mask(int64_t) const { return true; }
    __device__ top_entry first(int64_t) const { return {0.0 /* value */, -1 /* none */}; }
    /* The squared distance in double. A NaN of the first centroid becomes -1, below every sq_dist,
     * so that the first centroid stays the nearest, as it does in nearest_kernel, where no
     * comparison with a NaN holds; end() turns the -1 back. */
    __device__ top_entry value(int64_t i, int64_t c, const best_task &task) const {
        double sq_dist = rows.sq_dist(i, centroids + c * rows.set.dims);
        return {c == task.start && sq_dist != sq_dist ? -1.0 : sq_dist, c};
    }
    /* Writes row i. second: the smallest other value that was computed; max_refused: the largest
     * score that a discarded centroid can have, which bounds its squared distance, |x|^2 - 2 score,
     * from below; minus infinity: none was discarded. */
    __device__ void end(int64_t i, const top_entry &best, double second, float max_refused,
                        const best_task &task) const {
        bool none = best.row < 0;
        double best_sq_dist = none ? HUGE_VAL : best.value < 0.0 ? (double)NAN : best.value;
        if (max_refused > -HUGE_VALF) {
            double square = norms[i] * norms[i];
            double bound = square - 2.0 * (double)max_refused - 0x1p-40 * square;
            if (bound < second) second = bound > 0.0 ? bound : 0.0;
        }
        out.put(i, none ? -1 : best.row - task.start, best_sq_dist, second,
                task.end - task.start > 1);
    }
};

/* In groups with fewer centroids or rows (of the chunk) a tile of the filter would be mostly empty,
 * and the plain kernel is taken. */
const int64_t MIN_CENTROIDS = 16;

/* The rows of a chunk by group, cut into tasks; on the host. */
struct nearest_work {
    grouping by;                     /* order: what tasks index */
    std::vector<best_task> plain;    /* for a warp each, of groups with few rows or centroids */
    std::vector<best_task> filtered; /* for a block each */
    int64_t max_centroids;           /* the largest number of centroids of a filtered task */

    /* Fills all members anew. group [count]: that of each row of the chunk, on the host, negative:
     * none; begin [groups + 1]: the first centroid of each group, and the number of all; filters:
     * the call uses its filter, which then serves the groups with many rows and centroids. */
    void cut(const int32_t *group, int64_t count, int64_t groups, const int64_t *begin,
             bool filters) {
        group_rows(group, count, groups, &by);
        plain.clear();
        filtered.clear();
        max_centroids = 0;
        for (size_t g = 0; g < by.groups.size(); g++) {
            int64_t start = begin[by.groups[g]], end = begin[by.groups[g] + 1];
            int32_t last = by.starts[g + 1], row_count = last - by.starts[g];
            bool many = end - start >= MIN_CENTROIDS && row_count >= MIN_CENTROIDS;
            bool filter = filters && device_filters(many);
            if (filter) max_centroids = std::max(max_centroids, end - start);
            int32_t step = filter ? (int32_t)TILE_ROWS : (int32_t)PAIR_ROWS;
            for (int32_t i = by.starts[g]; i < last; i += step)
                (filter ? filtered : plain).push_back({i, std::min(step, last - i), start, end});
        }
    }
};

/* All centroids [count, dims], doubles on the device, in half precision for the filter: float16
 * components and, for each centroid, the numbers of the error bound (half_rows). Called once a call
 * that uses its filter. The memory is that of the call and freed at its end; the norms (L2) are
 * needed here only. ALCORE_SYS_L2: the bounds serve squared distances, with |c|^2 / 2 of each
 * centroid. */
half_rows halve_centroids(call &c, const double *centroids, int64_t count, int64_t dims) {
    half_rows made = /* its pointers, into new memory that the conversion below fills */
        lay_out_halves(c.allocate_array<char>(count * (int64_t)half_bytes(dims)), count, dims);
    double *norms = c.allocate_array<double>(count);
    row_set set = {centroids, count,   dims, dims /* stride */,
                   nullptr,   nullptr, 0 /* no mask, no groups, not unit */};
    convert_set(c, set, ALCORE_FLOAT64, {nullptr /* no doubles */, norms, made, ALCORE_SYS_L2});
    return made;
}
} // namespace

/* Kernel table: for each row of a group g the nearest of the centroids starts[g] .. starts[g + 1] -
 * 1 of centroids [all, dims]: nearest [rows] counts from starts[g]; distance [rows] is its squared
 * distance; high and low [rows] bound the distance to it and to every other one. The last three may
 * be NULL; rows without a group are not written, and -1 is the nearest in a group without
 * centroids. The rows of each chunk are cut into tasks by group on the host, which therefore needs
 * groups and starts; tasks go through the filter or not by their size. */
alcore_status nearest_centroid(const alcore_sys_work *work, const alcore_sys_rows *rows,
                               const int32_t *group, int64_t groups, const int64_t *starts,
                               const double *centroids, int32_t *nearest, double *distance,
                               double *low, double *high) {
    return guarded(work, [&](call &c) {
        std::vector<int32_t> memory;
        const int32_t *host_group = checked_groups(c, rows, group, groups, &memory);
        std::vector<int64_t> starts_memory;
        const int64_t *begin = c.to_host(starts, groups + 1, &starts_memory);
        const double *device_centroids = c.to_device(centroids, begin[groups] * rows->dims);
        int64_t dims = rows->dims;
        bool filters = filter_pays(dims, rows->count, begin[groups]);
        half_rows half_centroids = {nullptr, nullptr}; /* not used without the filter */
        if (filters) half_centroids = halve_centroids(c, device_centroids, begin[groups], dims);
        nearest_work tasks;
        pipeline pass(c, rows->count);
        pass.skip_ungrouped(host_group);
        int64_t largest = 0; /* centroids of a group */
        for (int64_t g = 0; g < groups; g++) largest = std::max(largest, begin[g + 1] - begin[g]);
        /* The host polls cancellation between launches only, so that a launch must be short. */
        pass.limit_products((double)dims * (double)largest,
                            filters ? LAUNCH_HALVES : LAUNCH_DOUBLES);
        int matrix = pass.rows(rows), group_column = pass.in(group, sizeof *group);
        std::optional<half_column> halves; /* with a filter */
        if (filters) halves.emplace(c, pass, rows, ALCORE_SYS_L2);
        int lists =
            filters ? pass.scratch(BEST_BYTES) : -1; /* of each row: what passes the filter */
        int nearest_column = pass.out(nearest, sizeof *nearest);
        int distance_column = pass.out(distance, sizeof *distance);
        int low_column = pass.out(low, sizeof *low), high_column = pass.out(high, sizeof *high);
        pass.run([&](const chunk &piece) {
            tasks.cut(host_group + piece.first, piece.count, groups, begin, filters);
            if (tasks.by.order.empty()) return;
            const int32_t *order = c.to_device(tasks.by.order);
            /* Only rows with a group: in a late iteration of k-means few rows are searched. */
            row_set set = chunk_rows(piece, rows, matrix, -1 /* no mask */, group_column);
            nearest_out out = {piece.get<int32_t>(nearest_column),
                               piece.get<double>(distance_column), piece.get<double>(low_column),
                               piece.get<double>(high_column)};
            int64_t plain = (int64_t)tasks.plain.size(), filtered = (int64_t)tasks.filtered.size();
            if (plain > 0) {
                const best_task *list = c.to_device(tasks.plain);
                auto launch = [&](auto unit) {
                    CUDA_EACH_DTYPE(rows->dtype,
                                    CUDA_LAUNCH((nearest_kernel<DTYPE, decltype(unit)::value>),
                                                blocks_for(plain, CUDA_WARPS), CUDA_THREADS,
                                                piece.stream, set, order, list, plain,
                                                device_centroids, out));
                };
                rows->unit ? launch(std::true_type()) : launch(std::false_type());
                c.deallocate(list);
            }
            if (filtered > 0) {
                const best_task *list = c.to_device(tasks.filtered);
                conversion converted = halves->of(piece, set);
                nearest_body body = {{set, rows->dtype}, device_centroids, converted.norms, out};
                filter_and_rerank(c, converted.half, piece.count, order, list, filtered,
                                  half_centroids, tasks.max_centroids, dims, body,
                                  piece.get<char>(lists));
                c.deallocate(list);
            }
            c.deallocate(order);
        });
    });
}

} // namespace alcore_cuda
