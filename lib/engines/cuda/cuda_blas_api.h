/* SPDX-License-Identifier: Apache-2.0 */
/* What this engine uses of cuBLAS, written down here because neither its header nor the library is
 * needed to build the engine. cudaStream_t is declared before this is included. */
#ifndef ALCORE__CUDA_BLAS_API_H
#define ALCORE__CUDA_BLAS_API_H

#include <cstddef>

namespace alcore_cuda {

/* Values of cublas_api.h and library_types.h; tests/gpu/cublas_header.cpp compares them. */
enum {
    BLAS_SUCCESS = 0,      /* CUBLAS_STATUS_SUCCESS */
    BLAS_ALLOC_FAILED = 3, /* CUBLAS_STATUS_ALLOC_FAILED */
    BLAS_AS_IT_IS = 0,     /* CUBLAS_OP_N */
    BLAS_TRANSPOSED = 1,   /* CUBLAS_OP_T */
    /* Numbers keep at least the precision of their type: float32 is never cut to TF32. */
    BLAS_DEFAULT_MATH = 0,     /* CUBLAS_DEFAULT_MATH */
    BLAS_SUMS_IN_FLOAT = 68,   /* CUBLAS_COMPUTE_32F */
    BLAS_ANY_ALGORITHM = -1,   /* CUBLAS_GEMM_DEFAULT */
    BLAS_FLOAT32 = 0,          /* CUDA_R_32F */
    BLAS_FLOAT16 = 2,          /* CUDA_R_16F */
    BLAS_BFLOAT16 = 14,        /* CUDA_R_16BF */
    BLAS_MAJOR_VERSION = 0,    /* MAJOR_VERSION */
    BLAS_MINOR_VERSION = 1,    /* MINOR_VERSION */
    BLAS_PATCH_LEVEL = 2,      /* PATCH_LEVEL */
    BLAS_WORKSPACE_ALIGN = 256 /* bytes that a workspace's address must be a multiple of */
};

/* The functions that this engine uses, with handles as void * and values as int. Each returns a
 * status, BLAS_SUCCESS or another cublasStatus_t. */
struct blas_functions {
    int (*create)(void **handle);                                   /* cublasCreate_v2 */
    int (*destroy)(void *handle);                                   /* cublasDestroy_v2 */
    int (*set_stream)(void *handle, cudaStream_t stream);           /* cublasSetStream_v2 */
    int (*set_workspace)(void *handle, void *memory, size_t bytes); /* cublasSetWorkspace_v2 */
    int (*set_math_mode)(void *handle, int mode);                   /* cublasSetMathMode */
    int (*multiply)(void *handle, int a_form, int b_form, int m, int n, int k, const void *alpha,
                    const void *a, int a_type, int a_stride, const void *b, int b_type,
                    int b_stride, const void *beta, void *c, int c_type, int c_stride, int sums,
                    int algorithm);         /* cublasGemmEx */
    int (*property)(int what, int *value);  /* cublasGetProperty */
    const char *(*status_name)(int status); /* cublasGetStatusName */
};

} // namespace alcore_cuda

#endif
