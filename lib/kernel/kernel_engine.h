/* SPDX-License-Identifier: Apache-2.0 */
/* The engine of a call: which kernels do the arithmetic, on which device, in which stream, for
 * which context. Every caller of a kernel has one and makes the first argument of the kernel from
 * it by alcore__engine_work(), so that no caller can drop the device or the stream. */
#ifndef ALCORE__KERNEL_ENGINE_H
#define ALCORE__KERNEL_ENGINE_H

#include <stdbool.h>

#include "alcore/context.h"
#include "alcore/sys/kernel.h"

/* Copied freely and owns nothing: the tables live as long as the process, the context is borrowed
 * from the caller of the public function, the stream belongs to the host. */
typedef struct alcore__engine {
    alcore_ctx *ctx; /* its allocator and cancel flag serve the kernels */
    const alcore_sys_kernels *kernels;
    int32_t device; /* N of "cuda:N"; 0 on the CPU */
    void *stream;   /* the caller's stream on that device; NULL: the engine uses its own */
} alcore__engine;

/* The engine of a device by name: NULL, "auto" and "cpu" are the best CPU table of this machine,
 * "cuda" and "cuda:N" the module of that name. A device that was named is never replaced by another
 * one; a number that the machine does not have fails in the first kernel call.
 * ALCORE_E_PARAM: no such name; ALCORE_E_UNSUPPORTED: the module does not load, and why. */
alcore_status alcore__engine_open(alcore_ctx *ctx, const char *device, alcore__engine *out);

/* The engine of device `number` of the CUDA module, with a stream of that device (NULL: the engine
 * uses one of its own), for arrays that lie on the device already (alcore_tensor). */
alcore_status alcore__engine_open_cuda(alcore_ctx *ctx, int32_t number, void *stream,
                                       alcore__engine *out);

/* Where the arrays of a call are, found by alcore__placement_add() for one after the other. Zeroed:
 * all in host memory. */
typedef struct alcore__placement {
    bool on_device;   /* some array is on a CUDA device */
    int32_t device;   /* number of that device */
    const char *name; /* the first such array, for messages; borrowed */
} alcore__placement;

/* Adds an array on CUDA device `device`, -1: in host memory. ALCORE_E_INVALID, naming both, when
 * another array is on another device. */
alcore_status alcore__placement_add(alcore__placement *placement, int32_t device, const char *name);

/* The engine of a call with arrays in these places: with NULL or "auto" that of the device on which
 * arrays are, else as alcore__engine_open(). ALCORE_E_INVALID, with the remedy, where the name is
 * that of another device, as nobody copies arrays between devices in silence. */
alcore_status alcore__engine_open_at(alcore_ctx *ctx, const char *device,
                                     const alcore__placement *placement, alcore__engine *out);

/* Whether the engine reads memory of CUDA device `device` in place. */
bool alcore__engine_is_cuda(const alcore__engine *engine, int32_t device);

/* The CPU's engine, which is always there. */
alcore__engine alcore__engine_cpu(alcore_ctx *ctx);

/* The first argument of every kernel: the one place that makes it. */
alcore_sys_work alcore__engine_work(const alcore__engine *engine);

#endif
