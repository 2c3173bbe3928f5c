/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the CPU kernel table of this machine: the widest instruction set that both the build and
 * the processor have. It is chosen at every call, in a few instructions and without a state of its
 * own. Thread-safe. */
#include "kernel/kernels.h"

#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

/* The tables of lib/engines/cpu. */
extern const alcore_sys_kernels alcore__cpu_portable_kernels;
#if defined(__x86_64__)
#ifdef ALCORE_HAVE_AVX2
extern const alcore_sys_kernels alcore__cpu_avx2_kernels;
#endif
#ifdef ALCORE_HAVE_AVX512
extern const alcore_sys_kernels alcore__cpu_avx512_kernels;
#endif
#ifdef ALCORE_HAVE_AVX512VNNI
extern const alcore_sys_kernels alcore__cpu_avx512vnni_kernels;
#endif
#elif defined(__aarch64__)
extern const alcore_sys_kernels alcore__cpu_neon_kernels;
#endif

/* Capacity of the list: the most engines that a build has. */
enum { ENGINES = 4 };

/* An engine of this build. */
typedef struct engine {
    const alcore_sys_kernels *table;
    int supported; /* 1: this processor has its instructions */
} engine;

#if defined(__x86_64__)
/* Whether the processor converts float16 in hardware, which the AVX2 and AVX-512 engines do. GCC
 * keeps what the processor said; clang 14 does not have __builtin_cpu_supports("f16c"). The
 * instruction cpuid takes microseconds in a virtual machine, where the host answers it, and scores
 * ask for the table for each few rows. */
static int has_f16c(void) {
#if !defined(__clang__) && __GNUC__ >= 11
    return __builtin_cpu_supports("f16c");
#else
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C) != 0;
#endif
}
#endif

/* Fills the engines of this build, the best first; returns their number. */
static int list_engines(engine *list) {
    int count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    const int avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                       __builtin_cpu_supports("avx512vl");
    (void)avx512; /* a build may have no engine that asks for it (option `kernels` of meson) */
#ifdef ALCORE_HAVE_AVX512VNNI
    const int vnni = avx512 && __builtin_cpu_supports("avx512vnni");
    list[count++] = (engine){&alcore__cpu_avx512vnni_kernels, vnni};
#endif
#ifdef ALCORE_HAVE_AVX512
    list[count++] = (engine){&alcore__cpu_avx512_kernels, avx512};
#endif
#ifdef ALCORE_HAVE_AVX2
    list[count++] = (engine){&alcore__cpu_avx2_kernels, avx2};
#endif
#elif defined(__aarch64__)
    list[count++] = (engine){&alcore__cpu_neon_kernels, 1};
#endif
    list[count++] = (engine){&alcore__cpu_portable_kernels, 1};
    return count;
}

/* The first engine of the list that this processor runs. */
const alcore_sys_kernels *alcore__kernels_cpu(void) {
    engine list[ENGINES];
    const int last = list_engines(list) - 1; /* the portable one, which always runs */
    int best = 0;
    while (best < last && !list[best].supported) best++;
    return list[best].table;
}

/* The table of the engine of that name, if this build has it and this processor runs it. */
const alcore_sys_kernels *alcore__kernels_cpu_named(const char *name) {
    engine list[ENGINES];
    int count = list_engines(list);
    for (int i = 0; i < count; i++) {
        if (list[i].supported && strcmp(list[i].table->engine, name) == 0) return list[i].table;
    }
    return NULL;
}
