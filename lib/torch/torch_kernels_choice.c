/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the compiled copies of torch_kernels.c this processor runs. */
#include "torch_kernels.h"

extern const torch_kernels torch_kernels_portable;
#if defined(__x86_64__)
extern const torch_kernels torch_kernels_avx2, torch_kernels_avx512;
#endif

const torch_kernels *torch_kernels_here(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return &torch_kernels_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return &torch_kernels_avx2;
#endif
    return &torch_kernels_portable;
}
