/* SPDX-License-Identifier: Apache-2.0 */
/* The prototypes and values of cuBLAS that lib/engines/cuda/cuda_blas_api.h writes down are those
 * of NVIDIA's header: compiling is the test. Where the library is installed too, cublas_header
 * LIBRARY opens it and looks for the functions; that needs no device. TAP. */
#include <cstdio>
#include <cublas_v2.h>
#include <dlfcn.h>
#include <type_traits>

#include "cuda_blas_api.h"

using namespace alcore_cuda;

/* A parameter as cuda_blas_api.h writes it: enumerations are int, handles void *. */
template <class T> struct written {
    typedef typename std::conditional<std::is_enum<T>::value, int, T>::type type;
    static_assert(!std::is_enum<T>::value || sizeof(T) == sizeof(int), "a wider enumeration");
};
template <> struct written<cublasHandle_t> { typedef void *type; };
template <> struct written<cublasHandle_t *> { typedef void **type; };
template <class R, class... P>
typename written<R>::type (*as_written(R (*)(P...)))(typename written<P>::type...);

#define SAME(member, function)                                                                     \
    static_assert(                                                                                 \
        std::is_same<decltype(blas_functions::member), decltype(as_written(function))>::value,     \
        #function)
SAME(create, cublasCreate_v2);
SAME(destroy, cublasDestroy_v2);
SAME(set_stream, cublasSetStream_v2);
SAME(set_workspace, cublasSetWorkspace_v2);
SAME(set_math_mode, cublasSetMathMode);
/* C++ has a second cublasGemmEx for older programs. */
typedef cublasStatus_t multiply_function(cublasHandle_t, cublasOperation_t, cublasOperation_t, int,
                                         int, int, const void *, const void *, cudaDataType, int,
                                         const void *, cudaDataType, int, const void *, void *,
                                         cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);
SAME(multiply, static_cast<multiply_function *>(cublasGemmEx));
SAME(property, cublasGetProperty);
SAME(status_name, cublasGetStatusName);

#define EQUAL(ours, theirs) static_assert((int)ours == (int)theirs, #theirs)
EQUAL(BLAS_SUCCESS, CUBLAS_STATUS_SUCCESS);
EQUAL(BLAS_ALLOC_FAILED, CUBLAS_STATUS_ALLOC_FAILED);
EQUAL(BLAS_AS_IT_IS, CUBLAS_OP_N);
EQUAL(BLAS_TRANSPOSED, CUBLAS_OP_T);
EQUAL(BLAS_DEFAULT_MATH, CUBLAS_DEFAULT_MATH);
EQUAL(BLAS_SUMS_IN_FLOAT, CUBLAS_COMPUTE_32F);
EQUAL(BLAS_ANY_ALGORITHM, CUBLAS_GEMM_DEFAULT);
EQUAL(BLAS_FLOAT32, CUDA_R_32F);
EQUAL(BLAS_FLOAT16, CUDA_R_16F);
EQUAL(BLAS_BFLOAT16, CUDA_R_16BF);
EQUAL(BLAS_MAJOR_VERSION, MAJOR_VERSION);
EQUAL(BLAS_MINOR_VERSION, MINOR_VERSION);
EQUAL(BLAS_PATCH_LEVEL, PATCH_LEVEL);

int main(int argc, char **argv) {
    static const char *const names[] = {
        "cublasCreate_v2",   "cublasDestroy_v2", "cublasSetStream_v2", "cublasSetWorkspace_v2",
        "cublasSetMathMode", "cublasGemmEx",     "cublasGetProperty",  "cublasGetStatusName",
    };
    printf("1..%d\nok 1 - prototypes and values are those of cublas_v2.h %d.%d\n", argc > 1 ? 2 : 1,
           CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR);
    if (argc < 2) return 0;
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) printf("# %s\n", dlerror());
    int missing = 0;
    for (const char *name : names) {
        if (library && dlsym(library, name)) continue;
        printf("# no %s\n", name);
        missing++;
    }
    printf("%s 2 - the library has the functions\n", missing ? "not ok" : "ok");
    return missing != 0;
}
