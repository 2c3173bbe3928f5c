/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of callers that are on a CUDA device: when they can be read, and copies of them in host
 * memory for what the library reads itself. Kernels read them where they are. */
#ifndef ALCORE__DEVICE_ARRAY_H
#define ALCORE__DEVICE_ARRAY_H

#include "base/tensor_view.h"
#include "kernel/kernel_engine.h"

/* Opens the engine of the array's device, with a stream of its own, and waits until the work is
 * done that the caller has queued in `stream` (NULL: in the default stream). From then on the array
 * may be read in any stream, and the caller's need not live on. what: the array, for messages.
 * ALCORE_E_MODULE: there is no module; ALCORE_E_UNSUPPORTED: no such device; ALCORE_E_INVALID: the
 * memory is another device's. Each message names the remedy. */
alcore_status alcore__device_array_open(alcore_ctx *ctx, const alcore__array *array, void *stream,
                                        const char *what, alcore__engine *out);

/* Copies rows to host memory, out [rows->count, rows->dims] without gaps, by the engine of their
 * device. */
alcore_status alcore__device_rows_copy(const alcore__engine *engine, const alcore_sys_rows *rows,
                                       void *out);

/* Opens the engine as alcore__device_array_open() does and copies the whole array to new host
 * memory, *out [rows, columns] without gaps, which the caller frees; NULL after a failure. */
alcore_status alcore__device_array_fetch(alcore_ctx *ctx, const alcore__array *array, void *stream,
                                         const char *what, void **out);

/* Copies a whole array, out [rows, columns], in blocks with a look at cancellation between them. */
alcore_status alcore__device_array_copy(const alcore__engine *engine, const alcore__array *array,
                                        void *out);

#endif
