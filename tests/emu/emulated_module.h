/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated CUDA module as a test uses it: its kernel table and the functions that steer the
 * devices (emu_control.h), with a host table that keeps the last error text. */
#ifndef EMULATED_MODULE_H
#define EMULATED_MODULE_H

#include "alcore/sys/kernel.h"
#include "emu_control.h"

typedef struct emulated_module {
    const alcore_sys_kernels *kernels;
    alcore_sys_kernel_entry entry;
    const alcore_sys_host *host; /* malloc and free; poll_cancel() counts emulated_cancel down */
    __typeof__(alcore_emu_mode) *mode;
    __typeof__(alcore_emu_filters) *filters;
    __typeof__(alcore_emu_blas) *blas;
    __typeof__(alcore_emu_blas_fail) *blas_fail;
    __typeof__(alcore_emu_blas_names) *blas_names;
    __typeof__(alcore_emu_blas_products) *blas_products;
    __typeof__(alcore_emu_blas_workspace) *blas_workspace;
    __typeof__(alcore_emu_counted) *counted;
    __typeof__(alcore_emu_arrivals) *arrivals;
    __typeof__(alcore_emu_work) *work;
    __typeof__(alcore_emu_kernel) *kernel;
    __typeof__(alcore_emu_kernel_name) *kernel_name;
    __typeof__(alcore_emu_cache) *cache;
    __typeof__(alcore_emu_shared) *shared;
    __typeof__(alcore_emu_memory) *memory;
    __typeof__(alcore_emu_multiprocessors) *multiprocessors;
    __typeof__(alcore_emu_pools) *pools;
    __typeof__(alcore_emu_reset) *reset;
    __typeof__(alcore_emu_fail_object) *fail_object;
    __typeof__(alcore_emu_objects) *objects;
    __typeof__(alcore_emu_share) *share;
    __typeof__(alcore_emu_unshare) *unshare;
    __typeof__(alcore_emu_device) *device;
    __typeof__(alcore_emu_new) *memory_new;
    __typeof__(alcore_emu_free) *memory_free;
    __typeof__(alcore_emu_copy) *copy;
    __typeof__(alcore_emu_stream) *stream_new;
    __typeof__(alcore_emu_wait) *stream_wait;
    __typeof__(alcore_emu_queue) *queue;
    __typeof__(alcore_emu_queue_failure) *queue_failure;
    __typeof__(alcore_emu_stream_free) *stream_free;
    __typeof__(alcore_emu_capture) *capture;
    __typeof__(alcore_emu_capture_end) *capture_end;
    __typeof__(alcore_emu_capture_mode) *capture_mode;
    __typeof__(alcore_emu_capability) *capability;
    __typeof__(alcore_emu_driver) *driver;
    __typeof__(alcore_emu_context) *context;
    __typeof__(alcore_emu_context_new) *context_new;
    __typeof__(alcore_emu_context_set) *context_set;
    __typeof__(alcore_emu_primary) *primary;
} emulated_module;

/* State of the host table's functions. */
extern char emulated_error[256]; /* text of the last error */
extern int32_t emulated_cancel;  /* n: the host wants to stop when it is asked for the n-th time */

/* Loads the module at `path` and asks it for its table; NULL kernels and a reason in emulated_error
 * when it has none. Aborts when a function is missing. */
void emulated_open(emulated_module *out, const char *path);

/* A copy of an array in new memory of the emulated device; a test frees it by memory_free(). */
void *emulated_array(const emulated_module *module, const void *array, size_t bytes);

#endif
