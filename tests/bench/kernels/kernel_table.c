/* SPDX-License-Identifier: Apache-2.0 */
/* Hands the kernel tables of this build to the benchmarks. */
#include <dlfcn.h>
#include <stdio.h>
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

static alcore_status say(alcore_status status, const char *text, size_t length) {
    fprintf(stderr, "%.*s\n", (int)length, text);
    return status;
}

__attribute__((visibility("default"))) const alcore_sys_kernels *bench_module(const char *path);

/* The table of a module's engine; NULL when there is none, which it says on stderr. */
const alcore_sys_kernels *bench_module(const char *path) {
    static const alcore_sys_host told = {.size = sizeof told, .set_error = say};
    alcore_sys_kernel_entry entry = NULL;
    const alcore_sys_kernels *table = NULL;
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library) *(void **)&entry = dlsym(library, "alcore_cuda_entry");
    if (!entry) {
        fprintf(stderr, "%s\n", dlerror());
        return NULL;
    }
    entry(ALCORE_SYS_ABI, &told, &table);
    return table;
}
