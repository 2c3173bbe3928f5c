/* SPDX-License-Identifier: Apache-2.0 */
/* One struct of each kind, for the test of the ABI gate itself. */
#ifndef GATE_SAMPLE_H
#define GATE_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* The name of a size-first struct of ours, so that the real suppression applies. */
typedef struct alcore_pool_options {
    size_t size;
#ifdef INSERTED
    int64_t inserted;
#endif
    int64_t first;
#ifdef APPENDED
    int64_t appended;
#endif
} alcore_pool_options;

typedef struct alcore_tensor {
    int64_t first;
#ifdef TENSOR
    int64_t appended;
#endif
} alcore_tensor;

EXPORT int64_t alcore_sample_options(const alcore_pool_options *options);
EXPORT int64_t alcore_sample_tensor(const alcore_tensor *tensor);
EXPORT int64_t alcore_sample_last(void);
EXPORT int64_t alcore_sample_more(void);

#endif
