/* SPDX-License-Identifier: Apache-2.0 */
/* Launches that give every row of a chunk to one warp: body(row, i) is called by the 32 lanes of a
 * warp together, for rows inside the mask and with a group of at least 0; `row` reads components as
 * doubles whatever the dtype, divided by the norm for unit rows (cuda_warp.cuh). */
#ifndef ALCORE__CUDA_ROWS_CUH
#define ALCORE__CUDA_ROWS_CUH

#include "cuda_call.cuh"

namespace alcore_cuda {

/* Rows on the device, as a kernel sees them. */
struct row_set {
    const void *data;
    int64_t count, dims, stride;
    const uint8_t *mask;  /* NULL: all */
    const int32_t *group; /* NULL: none; rows below 0 are left out */
    int32_t unit;
};

/* body(row, i) of every row that takes part; the warp calls it together. */
template <int DTYPE, class Body>
static __global__ void __launch_bounds__(CUDA_THREADS) each_row(row_set rows, Body body) {
    int64_t i = (int64_t)blockIdx.x * CUDA_WARPS + threadIdx.x / CUDA_LANES;
    if (i >= rows.count) return;
    if (rows.mask && !rows.mask[i]) return;
    if (rows.group && rows.group[i] < 0) return;
    body(read_row<DTYPE>(rows.data, i, rows.stride, rows.dims, rows.unit != 0), i, rows.dims);
}

/* Launches body over the rows with their dtype as a constant of the kernel. */
template <class Body>
void launch_rows(const row_set &rows, int32_t dtype, cudaStream_t stream, const Body &body) {
    if (rows.count == 0) return;
    unsigned blocks = blocks_for(rows.count, CUDA_WARPS);
    CUDA_EACH_DTYPE(dtype,
                    CUDA_LAUNCH((each_row<DTYPE, Body>), blocks, CUDA_THREADS, stream, rows, body));
}

/* The rows of a chunk. mask and group: columns of the pipeline, or -1 for none. */
inline row_set rows_of(const chunk &piece, const alcore_sys_rows *rows, int matrix, int mask,
                       int group) {
    return {piece.get<const void>(matrix),
            piece.count,
            rows->dims,
            piece.stride(matrix),
            piece.get<const uint8_t>(mask),
            piece.get<const int32_t>(group),
            rows->unit};
}

/* The groups of the rows on the host; throws when one is not below `groups`. */
const int32_t *checked_groups(call &c, const alcore_sys_rows *rows, const int32_t *group,
                              int64_t groups, std::vector<int32_t> *memory);

/* Writes the rows of a chunk, widened, unit rows as unit vectors, to out [count, dims]. */
void widen_chunk(const chunk &piece, const alcore_sys_rows *rows, int matrix, double *out);

/* Writes the rows first .. first + count - 1, widened, unit rows as unit vectors, to the device
 * memory out [count, dims]. */
void widen_range(call &c, const alcore_sys_rows *rows, int64_t first, int64_t count, double *out);

/* out[i] = dot(row i, row i) of doubles on the device. */
void self_dots_of(call &c, const double *rows, int64_t count, int64_t dims, double *out);

} // namespace alcore_cuda

#endif
