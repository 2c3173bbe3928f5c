/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of rows by group (group_sums).
 *
 * Rows pass in chunks, runs of rows that are on the device at a time. A thread has some components
 * of one group and adds the rows of the group one after the other, SUM_AHEAD of them loaded in
 * advance: a running sum in row order, as spec 1.8 defines it. The rows of a group are listed on
 * the device where there are few groups (few_sums_kernel); else the host sorts those of a chunk by
 * group (grouping). Cost: one read of the rows, and with few groups one of the groups for each
 * block. */
#include <algorithm>
#include <cfloat>
#include <type_traits>

#include "cuda_entries.h"
#include "cuda_rows.cuh"

namespace alcore_cuda {

namespace {
/* SUM_AHEAD: rows that a thread loads before it adds the first of them, to hide the latency of
 * memory. Threads of a block of sums_kernel: 128 that have one component each; one warp where each
 * has a unit, so that few groups are still spread over many multiprocessors. */
enum { SUM_AHEAD = 8 };
template <int WIDTH> struct sum_block {
    enum { THREADS = WIDTH == 1 ? 128 : CUDA_LANES };
};

/* Divides the components of a row of 16 or 32 bits by its norm; all are 0 where that is below
 * 1e-12. With 1 / norm, which is computed once, a quotient takes 5 operations in float64 in place
 * of about 9, and is rounded correctly by Markstein's theorem (Handbook of Floating-Point
 * Arithmetic, section 4.7 of the second edition): 1 / norm is rounded correctly, the first quotient
 * is within 2 units in the last place and the second one within 1, and nothing overflows or is
 * subnormal, because components and norms are between 2^-149 and 2^192. With 0 as `inverse` a
 * finite component becomes 0 and an infinite one NaN, as where it is divided by an infinite norm.
 */
struct row_divisor {
    double norm, inverse;
    __device__ explicit row_divisor(double of_row)
        : norm(of_row < CUDA_ZERO_NORM || of_row > DBL_MAX ? 1.0 : of_row),
          inverse(of_row < CUDA_ZERO_NORM ? 0.0 : 1.0 / of_row) {}
    __device__ double operator()(double x) const {
        double quotient = x * inverse;
        quotient = fma(fma(-norm, quotient, x), inverse, quotient);
        return fma(fma(-norm, quotient, x), inverse, quotient);
    }
};

/* Adds the components from `first` on, which points to them in row 0, of the rows list[begin] ..
 * list[end - 1], in this order: sum[w] gets those of component w, of WIDTH adjacent ones that begin
 * there, one or those of a unit of 16 bytes, which one instruction loads. norms, L2 and by row,
 * looked at when UNIT: rows are divided by them, or count as 0 below 1e-12. A thread does it by
 * itself. */
template <int DTYPE, bool UNIT, int WIDTH>
__device__ inline void add_rows(const char *first, int64_t stride, const double *norms,
                                const int32_t *list, int32_t begin, int32_t end,
                                double (&sum)[WIDTH]) {
    typedef typename real_of<DTYPE>::type real;
    for (int32_t entry = begin; entry < end; entry += SUM_AHEAD) {
        real ahead[SUM_AHEAD][WIDTH];
        double norm[SUM_AHEAD];
#pragma unroll
        for (int k = 0; k < SUM_AHEAD; k++) {
            int64_t i = list[entry + k < end ? entry + k : end - 1];
            const char *from = first + i * stride * dtype_size<DTYPE>::BYTES;
            if constexpr (WIDTH == 1) {
                ahead[k][0] = real_at<DTYPE>(from, 0);
            } else {
                loaded_unit unit = *(const loaded_unit *)from;
                widen_unit<DTYPE>(unit, ahead[k]);
            }
            norm[k] = UNIT ? norms[i] : 1.0;
        }
#pragma unroll
        for (int k = 0; k < SUM_AHEAD; k++) {
            if (entry + k >= end) continue;
            row_divisor divided(norm[k]);
#pragma unroll
            for (int w = 0; w < WIDTH; w++) {
                double x = widened(ahead[k][w]);
                if (UNIT && WIDTH > 2) /* so not for float64 */
                    x = divided(x);
                else if (UNIT)
                    x = norm[k] < CUDA_ZERO_NORM ? 0.0 : x / norm[k];
                sum[w] = sum[w] + x;
            }
        }
    }
}

/* Adds the rows of a chunk to sums [all groups, dims], which hold those of earlier chunks and begin
 * as 0: a thread has WIDTH adjacent components from j on; each has a sum of its own, so that WIDTH
 * does not change the result. blockIdx.y is the index k of a group in `groups`, those that have
 * rows (order, groups, starts: as in grouping). norms [chunk]: as in add_rows(). */
template <int DTYPE, bool UNIT, int WIDTH>
static __global__ void __launch_bounds__(sum_block<WIDTH>::THREADS)
    sums_kernel(row_set rows, const double *norms, const int32_t *order, const int32_t *groups,
                const int32_t *starts, double *sums) {
    int64_t j = ((int64_t)blockIdx.x * sum_block<WIDTH>::THREADS + threadIdx.x) * WIDTH;
    if (j >= rows.dims) return;
    const char *first = (const char *)rows.data + j * dtype_size<DTYPE>::BYTES;
    double *out = sums + groups[blockIdx.y] * rows.dims + j, sum[WIDTH];
#pragma unroll
    for (int w = 0; w < WIDTH; w++) sum[w] = out[w];
    add_rows<DTYPE, UNIT>(first, rows.stride, norms, order, starts[blockIdx.y],
                          starts[blockIdx.y + 1], sum);
#pragma unroll
    for (int w = 0; w < WIDTH; w++) out[w] = sum[w];
}

/* Up to FEW_GROUPS groups the rows of each are found on the device, where a warp of every block
 * reads the groups of all rows: FOUND_ROWS at a time, of which each lane loads FOUND_AHEAD before
 * it looks at the first. So many blocks read them that with more groups a list by the host costs
 * less. */
enum { FEW_GROUPS = 32, FOUND_ROWS = 1024, FOUND_AHEAD = 8 };

/* Where the kernel counts rows, on the device; a host that knows the groups counts them itself. */
struct group_counts {
    int64_t *rows; /* [groups + 1] of each group, and last whether a group is out of range; NULL */
    int32_t groups;
};

/* The same sums, of group blockIdx.y: each warp walks the rows of the chunk (rows.group) in order
 * and lists those of the group, then adds them. */
template <int DTYPE, bool UNIT, int WIDTH>
static __global__ void __launch_bounds__(sum_block<WIDTH>::THREADS)
    few_sums_kernel(row_set rows, const double *norms, group_counts counts, double *sums) {
    CUDA_SHARED(int32_t, lists, sum_block<WIDTH>::THREADS / CUDA_LANES * FOUND_ROWS);
    int32_t *list = lists + (int)threadIdx.x / CUDA_LANES * FOUND_ROWS;
    const int32_t own = (int32_t)blockIdx.y;
    const unsigned lower_lanes = (1u << lane_id()) - 1;
    int64_t j = ((int64_t)blockIdx.x * sum_block<WIDTH>::THREADS + threadIdx.x) * WIDTH, total = 0;
    bool is_component = j < rows.dims, is_wrong = false;
    double *out = sums + own * rows.dims + j, sum[WIDTH];
#pragma unroll
    for (int w = 0; w < WIDTH; w++) sum[w] = is_component ? out[w] : 0.0;
    for (int64_t begin = 0; begin < rows.count; begin += FOUND_ROWS) {
        const int64_t end = begin + FOUND_ROWS < rows.count ? begin + FOUND_ROWS : rows.count;
        int32_t found = 0;
        for (int64_t i = begin + lane_id(); i - lane_id() < end; i += FOUND_AHEAD * CUDA_LANES) {
            int32_t group[FOUND_AHEAD];
#pragma unroll
            for (int k = 0; k < FOUND_AHEAD; k++)
                group[k] = i + k * CUDA_LANES < end ? rows.group[i + k * CUDA_LANES] : -1;
#pragma unroll
            for (int k = 0; k < FOUND_AHEAD; k++) {
                unsigned same = __ballot_sync(CUDA_FULL_WARP, group[k] == own);
                if (group[k] == own)
                    list[found + __popc(same & lower_lanes)] = (int32_t)(i + k * CUDA_LANES);
                found += __popc(same);
                is_wrong = is_wrong || group[k] >= counts.groups;
            }
        }
        __syncwarp(CUDA_FULL_WARP); /* the list is complete */
        if (is_component)
            add_rows<DTYPE, UNIT>((const char *)rows.data + j * dtype_size<DTYPE>::BYTES,
                                  rows.stride, norms, list, 0, found, sum);
        __syncwarp(CUDA_FULL_WARP); /* all lanes have read it */
        total += found;
    }
#pragma unroll
    for (int w = 0; w < WIDTH; w++)
        if (is_component) out[w] = sum[w];
    if (!counts.rows || blockIdx.x > 0) return;
    if (threadIdx.x == 0) counts.rows[own] += total;
    if (own == 0 && is_wrong) atomicMax((unsigned long long *)counts.rows + counts.groups, 1ull);
}

/* Calls launch(unit, width, blocks), the first two constants: whether rows are divided by their
 * norms, and the components of a thread; blocks: along the components. Units are loaded whole where
 * every row is whole units and begins at a multiple of their size. */
template <int DTYPE, class Launch>
void launch_sums(const row_set &rows, bool unit, const Launch &launch) {
    enum { WIDTH = sizeof(loaded_unit) / dtype_size<DTYPE>::BYTES };
    auto launch_unit = [&](auto width) {
        constexpr int COUNT = decltype(width)::value;
        unsigned blocks = blocks_for(rows.dims, sum_block<COUNT>::THREADS * COUNT);
        unit ? launch(std::true_type(), width, blocks) : launch(std::false_type(), width, blocks);
    };
    bool whole = rows.dims % WIDTH == 0 && rows.stride % WIDTH == 0 &&
                 (uintptr_t)rows.data % sizeof(loaded_unit) == 0;
    whole ? launch_unit(std::integral_constant<int, WIDTH>())
          : launch_unit(std::integral_constant<int, 1>());
}

/* Adds the rows of a chunk, sorted by group on the host. The second dimension of a grid is limited
 * to 65535 blocks. */
template <int DTYPE>
void launch_sorted(call &c, const row_set &rows, const double *norms, const grouping &by,
                   double *sums, cudaStream_t stream) {
    const int32_t *order = c.to_device(by.order), *present = c.to_device(by.groups),
                  *starts = c.to_device(by.starts);
    const size_t most = 32768;
    for (size_t first = 0; first < by.groups.size(); first += most) {
        unsigned batch = (unsigned)std::min(most, by.groups.size() - first);
        launch_sums<DTYPE>(rows, norms != nullptr, [&](auto unit, auto width, unsigned blocks) {
            constexpr int WIDTH = decltype(width)::value;
            CUDA_LAUNCH((sums_kernel<DTYPE, decltype(unit)::value, WIDTH>), dim3(blocks, batch),
                        sum_block<WIDTH>::THREADS, stream, rows, norms, order, present + first,
                        starts + first, sums);
        });
    }
    for (const int32_t *list : {order, present, starts}) c.deallocate(list);
}

/* The same of few groups. */
template <int DTYPE>
void launch_few(const row_set &rows, const double *norms, const group_counts &counts, double *sums,
                cudaStream_t stream) {
    launch_sums<DTYPE>(rows, norms != nullptr, [&](auto unit, auto width, unsigned blocks) {
        constexpr int WIDTH = decltype(width)::value;
        CUDA_LAUNCH((few_sums_kernel<DTYPE, decltype(unit)::value, WIDTH>),
                    dim3(std::max(blocks, 1u), (unsigned)counts.groups), sum_block<WIDTH>::THREADS,
                    stream, rows, norms, counts, sums);
    });
}
} // namespace

/* Kernel table: sums [groups, dims] and counts [groups] of the rows of each group, both
 * overwritten; group [rows], 0 .. groups - 1 or negative for none. A sum runs through the rows in
 * order, from chunk to chunk, so its bits are those of the CPU. Few groups that are on the device
 * are counted and checked there; the sums of a call that then fails are of the rows whose groups
 * are in range. */
alcore_status group_sums(const alcore_sys_work *work, const alcore_sys_rows *rows,
                         const int32_t *group, int64_t groups, double *sums, int64_t *counts) {
    return guarded(work, [&](call &c) {
        c.check_rows(rows);
        c.check_count(groups);
        std::vector<int32_t> memory;
        bool few = groups > 0 && groups <= FEW_GROUPS;
        const bool unknown = few && c.on_device(group);
        const int32_t *host_group =
            unknown ? nullptr : checked_groups(c, rows, group, groups, &memory);
        std::vector<int64_t> count((size_t)groups + 1); /* and last: a group is out of range */
        int64_t grouped = 0;
        for (int64_t i = 0; i < rows->count && !unknown; i++) {
            if (host_group[i] < 0) continue;
            count[(size_t)host_group[i]]++;
            grouped++;
        }
        /* A list of few of the rows is less to copy than the groups of all. */
        few = few && (unknown || grouped >= rows->count - rows->count / 4);
        int64_t size = groups * rows->dims;
        double *device_sums = c.output(sums, size);
        c.check(cudaMemsetAsync(device_sums, 0, (size_t)size * sizeof(double), c.compute),
                "clearing sums");
        group_counts device_counts = {nullptr, (int32_t)groups};
        if (unknown) {
            device_counts.rows = c.allocate_array<int64_t>(groups + 1);
            c.check(
                cudaMemsetAsync(device_counts.rows, 0, count.size() * sizeof(int64_t), c.compute),
                "clearing counts");
        }
        grouping by;
        pipeline pass(c, rows->count);
        int matrix = pass.rows(rows), norms = rows->unit ? pass.scratch(sizeof(double)) : -1;
        pass.run([&](const chunk &piece) {
            if (!few) {
                group_rows(host_group + piece.first, piece.count, groups, &by);
                if (by.groups.empty() || rows->dims == 0) return;
            }
            row_set set = chunk_rows(piece, rows, matrix);
            set.group = few ? c.to_device(group + piece.first, piece.count) : nullptr;
            const double *row_norms = rows->unit ? piece.get<const double>(norms) : nullptr;
            if (rows->unit) { /* the sums divide by the norms of the rows as they are */
                set.unit = 0;
                launch_rows(set, rows->dtype, piece.stream, norms_body{piece.get<double>(norms)});
            }
            if (few)
                CUDA_EACH_DTYPE(rows->dtype, launch_few<DTYPE>(set, row_norms, device_counts,
                                                               device_sums, piece.stream));
            else
                CUDA_EACH_DTYPE(rows->dtype, launch_sorted<DTYPE>(c, set, row_norms, by,
                                                                  device_sums, piece.stream));
            c.deallocate(set.group);
        });
        if (unknown) {
            c.download(count.data(), device_counts.rows, count.size() * sizeof(int64_t));
            if (count.back()) fail(c.work, ALCORE_E_INVALID, GROUP_OUT_OF_RANGE);
        }
        c.hand_back(sums, device_sums, size);
        c.write_back(counts, count.data(), (size_t)groups * sizeof *counts);
    });
}

} // namespace alcore_cuda
