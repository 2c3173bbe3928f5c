/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the compiled copies of torch_kernels.c and torch_products.c this processor runs. */
#include <stdatomic.h>
#include <stddef.h>

#include "torch_kernels.h"
#include "torch_products.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

extern const torch_kernels torch_kernels_portable;
#if defined(__x86_64__)
extern const torch_kernels torch_kernels_avx2, torch_kernels_avx512;
extern const torch_products torch_products_int8, torch_products_bfloat16, torch_products_float32;
#endif

/* A copy runs only where the processor has every extension that it is compiled for (those of
 * lib/engines/cpu/meson.build). lib/kernel/kernels.c makes the same checks for the library's own
 * kernels; they are repeated here because the module does not link to the library. */
static const torch_kernels *find_kernels(void) {
#if defined(__x86_64__)
    unsigned eax, ebx, ecx, edx;
    __builtin_cpu_init();
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C) != 0;
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return &torch_kernels_avx512;
    if (avx2) return &torch_kernels_avx2;
#endif
    return &torch_kernels_portable;
}

/* The choice is kept: in a virtual machine cpuid is left to the host, which takes as long as a step
 * of attention. */
const torch_kernels *torch_kernels_here(void) {
    static _Atomic(const torch_kernels *) kept;
    const torch_kernels *found = atomic_load_explicit(&kept, memory_order_relaxed);
    if (found != NULL) return found;
    found = find_kernels();
    atomic_store_explicit(&kept, found, memory_order_relaxed);
    return found;
}

#if defined(__x86_64__)
/* The instructions that are compiled into all copies of torch_products.c. */
static int has_avx512(void) {
    return torch_kernels_here() == &torch_kernels_avx512;
}
#endif

const torch_products *torch_products_int8_here(void) {
#if defined(__x86_64__)
    if (has_avx512() && __builtin_cpu_supports("avx512vnni")) return &torch_products_int8;
#endif
    return NULL;
}

const torch_products *torch_products_bfloat16_here(void) {
#if defined(__x86_64__)
    if (has_avx512() && __builtin_cpu_supports("avx512bf16")) return &torch_products_bfloat16;
#endif
    return NULL;
}

const torch_products *torch_products_float32_here(void) {
#if defined(__x86_64__)
    if (has_avx512()) return &torch_products_float32;
#endif
    return NULL;
}
