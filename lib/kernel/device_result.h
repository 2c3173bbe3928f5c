/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a caller that a call fills. A call writes them in host memory. For an array on a
 * CUDA device that is a copy, which goes to the device once, in the order of the caller's stream,
 * when the call has computed everything.
 *
 *     alcore__results results;
 *     alcore__results_init(&results, &engine, stream);
 *     status = alcore__results_add(&results, tensor, "out", ..., &data);
 *     ... the call writes data ...
 *     status = alcore__results_end(&results, status); */
#ifndef ALCORE__DEVICE_RESULT_H
#define ALCORE__DEVICE_RESULT_H

#include "base/tensor_view.h"
#include "kernel/kernel_engine.h"

/* The most arrays that a call fills: those of alcore_token_stats. */
enum { ALCORE__MAX_RESULTS = 8 };

/* An array on a device. */
typedef struct alcore__result {
    alcore__array array; /* [rows, columns] of the caller, on the device, without gaps */
    void *copy;          /* [rows, columns] in host memory, owned: what the call writes */
} alcore__result;

/* The arrays of one call; those in host memory need nothing and are not kept. */
typedef struct alcore__results {
    alcore_ctx *ctx;
    alcore__engine engine; /* of the device of the arrays, in the caller's stream */
    bool on_device;        /* the call runs on a CUDA device, or an array is on one */
    const char *other;     /* what is on that device, for messages; borrowed */
    int32_t count;         /* entries of list */
    alcore__result list[ALCORE__MAX_RESULTS];
} alcore__results;

/* engine: of the call; where it is that of a CUDA device, arrays on other devices are refused.
 * stream: the caller's, in whose order arrays on a device are written; NULL: the default stream,
 * and alcore__results_end() waits until they are. */
void alcore__results_init(alcore__results *results, const alcore__engine *engine, void *stream);

/* Checks a tensor that receives a result as alcore__tensor_output() does, wherever it is. *out:
 * where the call writes the numbers, [rows, columns], in host memory. keep: the call leaves some
 * numbers as they are, so that those of an array on a device are copied to the host first; without
 * it they are 0. ALCORE_E_INVALID where an array is on another device than the call or an array
 * that was added before, or the stream is; ALCORE_E_MODULE and ALCORE_E_UNSUPPORTED as for arrays
 * that are read. Called before anything is computed; after a failure the caller ends the results.
 */
alcore_status alcore__results_add(alcore__results *results, const alcore_tensor *tensor,
                                  const char *name, int32_t dtype, int64_t rows, int64_t columns,
                                  bool keep, void **out);

/* alcore__results_add() for a tensor on the device of the call, which the engine's kernels write in
 * place: *out is its device memory. The caller has checked that it is on that device. */
alcore_status alcore__results_add_in_place(alcore__results *results, const alcore_tensor *tensor,
                                           const char *name, int32_t dtype, int64_t rows,
                                           int64_t columns, void **out);

/* Copies the results to their devices where status, that of the call, is ALCORE_OK, and frees the
 * copies. Returns status, or why a copy failed. Results of zeros, which were not begun, only pass
 * the status on. */
alcore_status alcore__results_end(alcore__results *results, alcore_status status);

#endif
