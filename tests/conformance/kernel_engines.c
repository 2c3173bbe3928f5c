/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel_engines.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/kernels.h"

/* ---- the host's side ---- */

int64_t workspace_held;

static void *allocate(void *user, size_t bytes) {
    (void)user;
    void *memory = malloc(bytes);
    /* What a kernel reads without having written it shows up. */
    if (memory) memset(memory, 0xff, bytes);
    workspace_held++;
    return memory;
}

static void release(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    free(memory);
    workspace_held--;
}

char engine_error[256];

static alcore_status set_error(alcore_status status, const char *text, size_t length) {
    snprintf(engine_error, sizeof engine_error, "%.*s", (int)length, text);
    return status;
}

static const alcore_sys_host host = {
    .size = sizeof host, .allocate = allocate, .release = release, .set_error = set_error};
alcore_sys_work conformance_work = {.size = sizeof conformance_work, .host = &host};

/* ---- engines ---- */

const char *const engine_names[ENGINES] = {
    "cpu-portable", "cpu-avx2", "cpu-avx512", "cpu-avx512vnni", "cpu-neon", "cuda-emu", "cuda"};
table *engines[ENGINES];
emulation_control emulation;
int32_t engine_devices;

void find_cpu_engines(void) {
    for (int k = 0; k < ENGINES; k++) engines[k] = alcore__kernels_cpu_named(engine_names[k]);
}

/* The devices of an engine are those on which it can wait; two of them are enough. */
static int32_t count_devices(table *t) {
    const alcore_sys_rows nothing = {.dtype = ALCORE_UINT8};
    alcore_sys_work work = {.size = sizeof work, .host = &host};
    while (t->download && work.device < MOST_DEVICES &&
           t->download(&work, &nothing, NULL) == ALCORE_OK)
        work.device++;
    return work.device;
}

int load_module(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    alcore_sys_kernel_entry load = NULL;
    if (library) *(void **)&load = dlsym(library, "alcore_cuda_entry");
    if (!load) {
        printf("# %s: %s\n", path, dlerror());
        return 0;
    }
    table *t = NULL;
    if (load(ALCORE_SYS_ABI, &host, &t) != ALCORE_OK) {
        printf("# %s: %s\n", path, engine_error);
        return 1;
    }
    for (int k = 0; k < ENGINES; k++) {
        if (strcmp(engine_names[k], t->engine) == 0) engines[k] = t;
    }
    const int32_t its_devices = count_devices(t);
    printf("# %s has %" PRId32 " devices\n", t->engine, its_devices);
    if (engine_devices == 0 || its_devices < engine_devices) engine_devices = its_devices;
    if (strcmp(t->engine, "cuda-emu") == 0) {
        *(void **)&emulation.mode = dlsym(library, "alcore_emu_mode");
        *(void **)&emulation.arrivals = dlsym(library, "alcore_emu_arrivals");
        *(void **)&emulation.filters = dlsym(library, "alcore_emu_filters");
        *(void **)&emulation.blas = dlsym(library, "alcore_emu_blas");
    }
    return 1;
}
