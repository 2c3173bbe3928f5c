/* SPDX-License-Identifier: Apache-2.0 */
/* cuBLAS, for products of matrices whose results are columns and decide nothing. The module does
 * not link it: it is looked for when a call first needs it, and where it is absent a kernel of this
 * engine multiplies instead (cuda_product.cuh).
 *
 * Looked for, the first one counts: a copy that is in the process already (that of PyTorch, whose
 * kernels are then loaded once), $ALCORE_CUBLAS (a path), libcublas.so.13 and .12 on the dynamic
 * linker's paths, and the usual place of the toolkit. ALCORE_CUBLAS=none does without;
 * ALCORE_CUBLAS_ALWAYS=1 takes the one that was found where this engine would multiply by itself,
 * too.
 *
 * Each stream slot has a handle of its own, made at its first product and kept with it. Handles of
 * the host are never touched. A handle is used by one call at a time, in one stream, with a
 * workspace of a fixed size, so that cuBLAS returns the same bytes every time. Where there is no
 * memory for that, the handle works in what cuBLAS has by itself: the products are as good, but the
 * size of a workspace may decide which of its algorithms cuBLAS takes, so that these bytes need not
 * be those of a call that had one. */
#ifndef ALCORE__CUDA_BLAS_CUH
#define ALCORE__CUDA_BLAS_CUH

#include "cuda_call.cuh"
/* Behind what declares cudaStream_t. */
#include "cuda_blas_api.h"

namespace alcore_cuda {

/* A matrix on the device: component j of row r is entry r * stride + j. */
struct matrix_view {
    const void *data;      /* component 0 of row 0 */
    int64_t count, stride; /* rows, and components from a row to the next */
    int32_t dtype;         /* ALCORE_FLOAT32, ... of the components */

    /* The rows first .. first + number - 1. */
    matrix_view rows(int64_t first, int64_t number) const {
        size_t offset = (size_t)(first * stride) * alcore_sys_dtype_bytes(dtype);
        return {(const char *)data + offset, number, stride, dtype};
    }
};

/* Products of one call of the kernel table by cuBLAS. */
class blas_product {
  public:
    /* Prepares the handle of the call's slot for its stream; without cuBLAS nothing, nor where a
     * kernel of this engine is the better choice for the call (replaceable), unless the environment
     * wants cuBLAS always. Throws when cuBLAS is there and fails. */
    blas_product(call &owner, bool replaceable);

    /* Whether cuBLAS is there and chosen. */
    bool usable() const { return functions != nullptr; }
    /* Whether it multiplies matrices of this number of components a row, that far apart. */
    bool serves(int64_t dims, int64_t stride) const {
        return usable() && dims > 0 && stride >= dims && stride <= INT32_MAX;
    }
    /* out[r * stride + s] = the product of row r of `rows` with row s of `others`, `dims`
     * components of the same type, float16, bfloat16 or float32, summed in float32; in the call's
     * stream. Neither matrix is empty or has 2^31 rows, as cuBLAS counts in int; out is aligned to
     * 16 bytes. */
    void multiply(const matrix_view &rows, const matrix_view &others, int64_t dims, float *out,
                  int64_t stride) const;

  private:
    void check(int status, const char *what) const;

    call &c;
    const blas_functions *functions; /* NULL: cuBLAS is absent, or not chosen */
};

} // namespace alcore_cuda

#endif
