/* SPDX-License-Identifier: Apache-2.0 */
/* Products of rows of two matrices in float32, for columns only: how their rows are brought into a
 * form that can be multiplied, and the kernel that multiplies where cuBLAS is absent. */
#ifndef ALCORE__CUDA_PRODUCT_CUH
#define ALCORE__CUDA_PRODUCT_CUH

#include "cuda_blas.cuh"

namespace alcore_cuda {

/* Copies rows to out [count, stride] on the device, stride >= dims, with zeros behind the last
 * component: row list[n] of `rows` becomes row n, or row n itself where list is NULL. `dtype` is
 * the type of out: ALCORE_FLOAT32, to which every type is rounded (a float64 beyond its range
 * becomes infinite), or the type of the rows. On the compute stream. */
void gather_rows(call &c, const matrix_view &rows, const int32_t *list, int64_t count, int64_t dims,
                 int32_t dtype, void *out, int64_t stride);

/* out[r * stride + s] = the product of row r of `rows` with row s of `others`, both float32, summed
 * in float32 in the order of their components. On the compute stream. out is aligned to 8 bytes,
 * stride even. Cost: rows x others x dims multiply-adds without tensor cores. */
void multiply_rows(call &c, const matrix_view &rows, const matrix_view &others, int64_t dims,
                   float *out, int64_t stride);

} // namespace alcore_cuda

#endif
