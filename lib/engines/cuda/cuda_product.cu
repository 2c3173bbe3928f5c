/* SPDX-License-Identifier: Apache-2.0 */
/* Rows in a form that can be multiplied, and their products in float32 (cuda_product.cuh). */
#include "cuda_product.cuh"

namespace alcore_cuda {

namespace {
/* Entries of an array, as gather_kernel reads them: rounded to float32, or the bits of a 16-bit
 * type. */
template <int DTYPE> struct rounded_entries {
    const void *data;
    __device__ float operator()(int64_t index) const { return (float)real_at<DTYPE>(data, index); }
};
struct half_entries {
    const void *data;
    __device__ uint16_t operator()(int64_t index) const { return ((const uint16_t *)data)[index]; }
};

/* A warp copies a row: row list[n], or row n where list is NULL, of rows that are `pitch` entries
 * apart, to row n of out [count, stride]; zeros behind the last of its dims components. */
template <class Entries, class Entry>
static __global__ void __launch_bounds__(CUDA_THREADS)
    gather_kernel(Entries entries, int64_t pitch, const int32_t *list, int64_t count, int64_t dims,
                  Entry *out, int64_t stride) {
    int64_t n = warp_index();
    if (n >= count) return;
    int64_t row = list ? list[n] : n;
    for (int64_t j = lane_id(); j < stride; j += CUDA_LANES)
        out[n * stride + j] = j < dims ? entries(row * pitch + j) : (Entry)0;
}

/* A block computes PRODUCT_ROWS x PRODUCT_OTHERS products, PRODUCT_DEPTH components at a time. Its
 * threads form a square of SIDE x SIDE; thread (y, x) computes the products of ROW_PAIRS pairs of
 * adjacent rows, 2 SIDE apart, with OTHER_PAIRS such pairs of others. */
enum {
    PRODUCT_THREADS = 256,
    SIDE = 16,
    ROW_PAIRS = 2,
    OTHER_PAIRS = 4,
    PRODUCT_ROWS = 2 * SIDE * ROW_PAIRS,
    PRODUCT_OTHERS = 2 * SIDE * OTHER_PAIRS,
    PRODUCT_DEPTH = 16
};

/* Two adjacent numbers, which one instruction reads or writes. */
struct alignas(8) float_pair {
    float of[2];
};

/* One step of a matrix in shared memory: PRODUCT_DEPTH components of LINES rows, component j of row
 * r at j * PITCH + r. Pairs of rows are read together. A warp fills it 16 components by 2 rows at a
 * time, and the pitch of LINES + 2 spreads those over all 32 banks. */
template <int LINES> struct step_of {
    enum { PITCH = LINES + 2, PAIRS = PRODUCT_DEPTH * PITCH / 2 };
    /* Reads components depth .. depth + PRODUCT_DEPTH - 1 of rows first .. first + LINES - 1 of the
     * matrix; zeros where there are none. The whole block calls it. */
    static __device__ void fill(float_pair *memory, const float *data, int64_t stride,
                                int64_t first, int64_t count, int64_t depth, int64_t dims) {
        float *entries = (float *)memory;
        for (int e = (int)threadIdx.x; e < PRODUCT_DEPTH * LINES; e += PRODUCT_THREADS) {
            int64_t j = depth + e % PRODUCT_DEPTH, row = first + e / PRODUCT_DEPTH;
            entries[e % PRODUCT_DEPTH * PITCH + e / PRODUCT_DEPTH] =
                j < dims && row < count ? data[row * stride + j] : 0.0f;
        }
    }
};

/* out[r * out_stride + s], for the rows of the tile blockIdx.x and the others of the tile
 * blockIdx.y: the sum over j of rows[r, j] others[s, j], in ascending order of j. */
static __global__ void __launch_bounds__(PRODUCT_THREADS)
    product_kernel(matrix_view rows, matrix_view others, int64_t dims, float *out,
                   int64_t out_stride) {
    typedef step_of<PRODUCT_ROWS> row_step;
    typedef step_of<PRODUCT_OTHERS> other_step;
    CUDA_SHARED(float_pair, a, row_step::PAIRS);
    CUDA_SHARED(float_pair, b, other_step::PAIRS);
    int x = (int)threadIdx.x % SIDE, y = (int)threadIdx.x / SIDE;
    int64_t first_row = (int64_t)blockIdx.x * PRODUCT_ROWS;
    int64_t first_other = (int64_t)blockIdx.y * PRODUCT_OTHERS;
    float sum[2 * ROW_PAIRS][2 * OTHER_PAIRS];
#pragma unroll
    for (int p = 0; p < 4 * ROW_PAIRS * OTHER_PAIRS; p++)
        sum[p / (2 * OTHER_PAIRS)][p % (2 * OTHER_PAIRS)] = 0.0f;
    for (int64_t depth = 0; depth < dims; depth += PRODUCT_DEPTH) {
        __syncthreads(); /* all threads have read the step before */
        row_step::fill(a, (const float *)rows.data, rows.stride, first_row, rows.count, depth,
                       dims);
        other_step::fill(b, (const float *)others.data, others.stride, first_other, others.count,
                         depth, dims);
        __syncthreads(); /* the step is complete */
#pragma unroll
        for (int j = 0; j < PRODUCT_DEPTH; j++) {
            float_pair left[ROW_PAIRS], right[OTHER_PAIRS];
#pragma unroll
            for (int k = 0; k < ROW_PAIRS; k++)
                left[k] = a[j * (row_step::PITCH / 2) + k * SIDE + y];
#pragma unroll
            for (int k = 0; k < OTHER_PAIRS; k++)
                right[k] = b[j * (other_step::PITCH / 2) + k * SIDE + x];
#pragma unroll
            for (int p = 0; p < 2 * ROW_PAIRS; p++) {
#pragma unroll
                for (int q = 0; q < 2 * OTHER_PAIRS; q++)
                    sum[p][q] =
                        device_fused(left[p / 2].of[p % 2], right[q / 2].of[q % 2], sum[p][q]);
            }
        }
    }
#pragma unroll
    for (int p = 0; p < 2 * ROW_PAIRS; p++) {
        int64_t row = first_row + p / 2 * 2 * SIDE + 2 * y + p % 2;
        if (row >= rows.count) continue;
#pragma unroll
        for (int k = 0; k < OTHER_PAIRS; k++) {
            int64_t other = first_other + k * 2 * SIDE + 2 * x;
            if (other >= others.count) continue;
            float_pair both = {{sum[p][2 * k], sum[p][2 * k + 1]}};
            /* Behind the last other the second number is 0, within the row: the stride is even. */
            *(float_pair *)(out + row * out_stride + other) = both;
        }
    }
}
} // namespace

void gather_rows(call &c, const matrix_view &rows, const int32_t *list, int64_t count, int64_t dims,
                 int32_t dtype, void *out, int64_t stride) {
    if (count == 0) return;
    unsigned blocks = blocks_for(count, CUDA_WARPS);
    if (dtype == rows.dtype && dtype != ALCORE_FLOAT32) {
        CUDA_LAUNCH((gather_kernel<half_entries, uint16_t>), blocks, CUDA_THREADS, c.compute,
                    half_entries{rows.data}, rows.stride, list, count, dims, (uint16_t *)out,
                    stride);
        return;
    }
    CUDA_EACH_DTYPE(rows.dtype,
                    CUDA_LAUNCH((gather_kernel<rounded_entries<DTYPE>, float>), blocks,
                                CUDA_THREADS, c.compute, rounded_entries<DTYPE>{rows.data},
                                rows.stride, list, count, dims, (float *)out, stride));
}

void multiply_rows(call &c, const matrix_view &rows, const matrix_view &others, int64_t dims,
                   float *out, int64_t stride) {
    if (rows.count == 0 || others.count == 0) return;
    dim3 blocks(blocks_for(rows.count, PRODUCT_ROWS), blocks_for(others.count, PRODUCT_OTHERS));
    CUDA_LAUNCH(product_kernel, blocks, PRODUCT_THREADS, c.compute, rows, others, dims, out,
                stride);
}

} // namespace alcore_cuda
