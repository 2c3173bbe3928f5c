/* SPDX-License-Identifier: Apache-2.0 */
/* Loads the emulated CUDA module with dlopen() and looks up its functions (emulated_module.h). */
#include "emulated_module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char emulated_error[256];
int32_t emulated_cancel;

static void *allocate(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}
static void release(void *user, void *memory, size_t bytes) {
    (void)user;
    (void)bytes;
    free(memory);
}
static alcore_status set_error(alcore_status status, const char *text, size_t length) {
    snprintf(emulated_error, sizeof emulated_error, "%.*s", (int)length, text);
    return status;
}
static int32_t poll_cancel(void *user) {
    (void)user;
    return emulated_cancel > 0 && --emulated_cancel == 0;
}
static const alcore_sys_host HOST = {.size = sizeof HOST,
                                     .allocate = allocate,
                                     .release = release,
                                     .set_error = set_error,
                                     .poll_cancel = poll_cancel};

void emulated_open(emulated_module *out, const char *path) {
    const struct {
        void *function;
        const char *name;
    } functions[] = {
        {&out->entry, "alcore_cuda_entry"},
        {&out->mode, "alcore_emu_mode"},
        {&out->filters, "alcore_emu_filters"},
        {&out->blas, "alcore_emu_blas"},
        {&out->blas_fail, "alcore_emu_blas_fail"},
        {&out->blas_names, "alcore_emu_blas_names"},
        {&out->blas_products, "alcore_emu_blas_products"},
        {&out->blas_workspace, "alcore_emu_blas_workspace"},
        {&out->counted, "alcore_emu_counted"},
        {&out->arrivals, "alcore_emu_arrivals"},
        {&out->work, "alcore_emu_work"},
        {&out->kernel, "alcore_emu_kernel"},
        {&out->kernel_name, "alcore_emu_kernel_name"},
        {&out->cache, "alcore_emu_cache"},
        {&out->shared, "alcore_emu_shared"},
        {&out->memory, "alcore_emu_memory"},
        {&out->multiprocessors, "alcore_emu_multiprocessors"},
        {&out->pools, "alcore_emu_pools"},
        {&out->reset, "alcore_emu_reset"},
        {&out->fail_object, "alcore_emu_fail_object"},
        {&out->objects, "alcore_emu_objects"},
        {&out->share, "alcore_emu_share"},
        {&out->unshare, "alcore_emu_unshare"},
        {&out->device, "alcore_emu_device"},
        {&out->memory_new, "alcore_emu_new"},
        {&out->memory_free, "alcore_emu_free"},
        {&out->copy, "alcore_emu_copy"},
        {&out->stream_new, "alcore_emu_stream"},
        {&out->stream_wait, "alcore_emu_wait"},
        {&out->queue, "alcore_emu_queue"},
        {&out->queue_failure, "alcore_emu_queue_failure"},
        {&out->stream_free, "alcore_emu_stream_free"},
        {&out->capture, "alcore_emu_capture"},
        {&out->capture_end, "alcore_emu_capture_end"},
        {&out->capture_mode, "alcore_emu_capture_mode"},
        {&out->capability, "alcore_emu_capability"},
        {&out->driver, "alcore_emu_driver"},
        {&out->context, "alcore_emu_context"},
        {&out->context_new, "alcore_emu_context_new"},
        {&out->context_set, "alcore_emu_context_set"},
        {&out->primary, "alcore_emu_primary"},
    };
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    memset(out, 0, sizeof *out);
    out->host = &HOST;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *function = library ? dlsym(library, functions[i].name) : NULL;
        if (!function) {
            fprintf(stderr, "%s: no %s: %s\n", path ? path : "$EMULATED_CUDA is not set",
                    functions[i].name, dlerror());
            abort();
        }
        memcpy(functions[i].function, &function, sizeof function);
    }
    out->entry(ALCORE_SYS_ABI, &HOST, &out->kernels);
}

void *emulated_array(const emulated_module *module, const void *array, size_t bytes) {
    void *memory = module->memory_new(bytes + 8);
    if (!memory) abort();
    module->copy(memory, array, bytes);
    return memory;
}
