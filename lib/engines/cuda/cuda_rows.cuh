/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that give every row of a chunk to one warp: body(row, i, dims) is called by the 32
 * threads of a warp together, for rows that take part: those whose mask is not 0 and whose group is
 * not negative; row[j] is component j as a double whatever the dtype, divided by the norm for unit
 * rows (cuda_warp.cuh). i counts from the first row of the chunk, the rows that are on the device
 * at a time. A block of CUDA_THREADS threads has CUDA_WARPS warps of CUDA_LANES = 32. */
#ifndef ALCORE__CUDA_ROWS_CUH
#define ALCORE__CUDA_ROWS_CUH

#include "cuda_call.cuh"

namespace alcore_cuda {

/* Rows of a chunk on the device, passed to kernels by value. */
struct row_set {
    const void *data;            /* component 0 of row 0 */
    int64_t count, dims, stride; /* stride: components from a row to the next */
    const uint8_t *mask;         /* [count] NULL: all rows take part */
    const int32_t *group;        /* [count] rows with a negative one are left out; NULL: none */
    int32_t unit;                /* 1: rows are read as unit vectors */

    __device__ bool takes_part(int64_t i) const {
        return i < count && !(mask && !mask[i]) && !(group && group[i] < 0);
    }
};

/* A reader of row i of a set; the warp calls it together, because unit rows need their norm, which
 * costs a read of the row. */
template <int DTYPE> __device__ inline row_reader<DTYPE> read_row(const row_set &set, int64_t i) {
    row_reader<DTYPE> row = {(const char *)set.data + i * set.stride * dtype_size<DTYPE>::BYTES,
                             1.0, false};
    if (set.unit) {
        row.norm = sqrt(row_self_dot(plain_row<DTYPE>{row.data}, set.dims));
        row.unit = true;
    }
    return row;
}

/* The same, but the norm of a unit row has no fused operations, so that kernels that only compare
 * rows have none at all, which tests/gpu/ptx.py looks for. */
template <int DTYPE> __device__ inline row_reader<DTYPE> exact_row(const row_set &set, int64_t i) {
    plain_row<DTYPE> row = {(const char *)set.data + i * set.stride * dtype_size<DTYPE>::BYTES};
    double norm = set.unit ? sqrt(row_dot(row, row, set.dims)) : 1.0;
    return {row.data, norm, set.unit != 0};
}

/* Calls body for every row that takes part, one warp a row: the threads of a warp have the same i,
 * so they return here together or call body together. */
template <int DTYPE, class Body>
static __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS)
    each_row(row_set rows, Body body) {
    int64_t i = warp_index();
    if (!rows.takes_part(i)) return;
    row_reader<DTYPE> row = read_row<DTYPE>(rows, i);
    if (row.unit)
        body(row, i, rows.dims);
    else /* a loop of its own, without the division */
        body(plain_row<DTYPE>{row.data}, i, rows.dims);
}

/* Launches each_row with the dtype as a constant of the kernel. */
template <class Body>
void launch_rows(const row_set &rows, int32_t dtype, cudaStream_t stream, const Body &body) {
    if (rows.count == 0) return;
    unsigned blocks = blocks_for(rows.count, CUDA_WARPS);
    CUDA_EACH_DTYPE(dtype,
                    CUDA_LAUNCH((each_row<DTYPE, Body>), blocks, CUDA_THREADS, stream, rows, body));
}

/* The same for bodies with more to do for a row than its sums, above all in float64: a warp has
 * WARP_ROWS_FINISHED rows, and after all rows of the block the lanes of one warp finish a row each,
 * as an operation of a warp takes as long for one lane as for 32. body(row, i, dims) returns
 * Body::sums of a row, in every thread of its warp; body.finish(i, sums) is called by one thread;
 * body.memory<DTYPE>() is shared memory for FINISHED_ROWS of them, which nothing else uses once the
 * rows are read. */
enum { WARP_ROWS_FINISHED = 4, FINISHED_ROWS = WARP_ROWS_FINISHED * CUDA_WARPS };
static_assert((int)FINISHED_ROWS == (int)CUDA_LANES, "a warp finishes the rows of a block");
template <int DTYPE, class Body>
static __global__ void __launch_bounds__(CUDA_THREADS, CUDA_BLOCKS)
    finished_rows(row_set rows, Body body) {
    typedef typename Body::sums sums;
    const int64_t first = (int64_t)blockIdx.x * FINISHED_ROWS;
    const int first_of_warp = (int)threadIdx.x / CUDA_LANES * WARP_ROWS_FINISHED;
    sums own = sums(); /* of the row of the warp with the number of this lane */
#pragma unroll 1
    for (int k = 0; k < WARP_ROWS_FINISHED; k++) {
        const int64_t i = first + first_of_warp + k;
        if (!__any_sync(CUDA_FULL_WARP, rows.takes_part(i))) continue;
        const row_reader<DTYPE> row = read_row<DTYPE>(rows, i);
        const sums found =
            row.unit ? body(row, i, rows.dims) : body(plain_row<DTYPE>{row.data}, i, rows.dims);
        if (lane_id() == k) own = found;
    }
    sums *memory = body.template memory<DTYPE>();
    __syncthreads(); /* the memory may have been used for the rows */
    if (lane_id() < WARP_ROWS_FINISHED) memory[first_of_warp + lane_id()] = own;
    __syncthreads(); /* all sums are there */
    const int64_t i = first + threadIdx.x;
    if (threadIdx.x >= FINISHED_ROWS || !rows.takes_part(i)) return;
    const sums found = memory[threadIdx.x];
    body.finish(i, found);
}

/* Launches finished_rows. */
template <class Body>
void launch_finished_rows(const row_set &rows, int32_t dtype, cudaStream_t stream,
                          const Body &body) {
    if (rows.count == 0) return;
    unsigned blocks = blocks_for(rows.count, FINISHED_ROWS);
    CUDA_EACH_DTYPE(
        dtype, CUDA_LAUNCH((finished_rows<DTYPE, Body>), blocks, CUDA_THREADS, stream, rows, body));
}

/* Body of each_row: widens the rows to double, unit rows as unit vectors, to the device memory out
 * [chunk, dims]; what is there of rows that take no part stays. */
struct widen_body {
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        lane_components(dims, [&](int64_t j) { out[i * dims + j] = row[j]; });
    }
};

/* Body of each_row: out [chunk] gets the L2 norm of each row. */
struct norms_body {
    double *out;
    template <class Row> __device__ void operator()(const Row &row, int64_t i, int64_t dims) const {
        double norm = sqrt(row_self_dot(row, dims));
        if (lane_id() == 0) out[i] = norm;
    }
};

/* The rows of a set for kernels that compare few of them in double, and read these where they are
 * whatever their type; the warp calls the functions together. */
struct exact_rows {
    row_set set;
    int32_t dtype;

    /* |row i - other|^2 and dot(row i, other); other [dims]. */
    __device__ double sq_dist(int64_t i, const double *other) const {
        CUDA_EACH_DTYPE(dtype, return row_sq_dist(exact_row<DTYPE>(set, i), other, set.dims));
    }
    __device__ double dot(int64_t i, const double *other) const {
        CUDA_EACH_DTYPE(dtype, return row_dot(exact_row<DTYPE>(set, i), other, set.dims));
    }
};

/* The rows of a chunk as a row_set. matrix, mask, group: columns of the pipeline, -1 for none. */
inline row_set chunk_rows(const chunk &piece, const alcore_sys_rows *rows, int matrix,
                          int mask = -1, int group = -1) {
    return {piece.get<const void>(matrix),
            piece.count,
            rows->dims,
            piece.stride(matrix),
            piece.get<const uint8_t>(mask),
            piece.get<const int32_t>(group),
            rows->unit};
}

/* out [dims] = row `item` of a set, or zeros where that is negative; a block calls it together. */
template <int DTYPE>
__device__ inline void take_row(const row_set &rows, int64_t item, double *out) {
    if (item < 0) {
        for (int64_t j = threadIdx.x; j < rows.dims; j += CUDA_THREADS) out[j] = 0.0;
        return;
    }
    const row_reader<DTYPE> row = exact_row<DTYPE>(rows, item);
    for (int64_t j = threadIdx.x; j < rows.dims; j += CUDA_THREADS) out[j] = row[j];
}

/* All rows of a matrix as a row_set: where they are, or a copy of them where they are in host
 * memory or not aligned. */
inline row_set whole_rows(call &c, const alcore_sys_rows *rows) {
    c.check_rows(rows);
    const size_t component = alcore_sys_dtype_bytes(rows->dtype);
    const int64_t extent = rows->count ? (rows->count - 1) * rows->stride + rows->dims : 0;
    const void *data = c.to_device(rows->data, (size_t)extent * component, component);
    return {data, rows->count, rows->dims, rows->stride, nullptr, nullptr, rows->unit};
}

/* The message for a group that is not below the number of groups. */
#define GROUP_OUT_OF_RANGE "the group of a row is not below the number of groups"

/* Returns group [rows->count] in host memory: the caller's array, or a copy in *memory, which must
 * outlive its use, when that is on the device. Checks `rows`, and throws when a group is not below
 * `groups`. Negative: the row has no group. */
const int32_t *checked_groups(call &c, const alcore_sys_rows *rows, const int32_t *group,
                              int64_t groups, std::vector<int32_t> *memory);

/* The rows of a chunk, or the targets of a part, by group, on the host; those without a group are
 * left out. */
struct grouping {
    std::vector<int32_t> order;  /* rows with a group, counted from the first of the chunk, by group
                                    and ascending within one */
    std::vector<int32_t> groups; /* [n] groups that have rows, ascending */
    std::vector<int32_t> starts; /* [n + 1] the rows of groups[k] are order[starts[k]] up to
                                    order[starts[k + 1] - 1] */
};

/* Fills *out anew: sorts rows by group, in order within one. group [count], on the host: 0 ..
 * groups - 1, negative for none; NULL: all are of group 0. */
void group_rows(const int32_t *group, int64_t count, int64_t groups, grouping *out);

/* Adds values [count] within the mask [count] (NULL: all), in order, to *total; all on the device.
 */
void add_to_total(cudaStream_t stream, int64_t count, const uint8_t *mask, const double *values,
                  double *total);

} // namespace alcore_cuda

#endif
