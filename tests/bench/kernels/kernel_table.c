/* SPDX-License-Identifier: Apache-2.0 */
/* Hands the kernel tables of this build to the benchmarks. */
#include <stdlib.h>

#include "kernel/kernels.h"

__attribute__((visibility("default"))) const alcore_sys_kernels *bench_kernels(const char *engine);

/* NULL: the best engine of the machine. */
const alcore_sys_kernels *bench_kernels(const char *engine) {
    return engine ? alcore__kernels_cpu_named(engine) : alcore__kernels_cpu();
}

/* Workspaces of kernels that are called without a library around them. */
__attribute__((visibility("default"))) const alcore_sys_host bench_host;

static void *allocate(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}

static void release(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    free(memory);
}

const alcore_sys_host bench_host = {
    .size = sizeof bench_host, .allocate = allocate, .release = release};
