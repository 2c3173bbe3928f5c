/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of DLPack's managed tensor, version 1. Written from its specification, because copies
 * of dlpack.h in the wild clash; private, so that it clashes with none of them. alcore_tensor is
 * DLTensor. */
#ifndef ALCORE__DLPACK_ABI_H
#define ALCORE__DLPACK_ABI_H

#include "alcore/tensor.h"

enum { ALCORE__DLPACK_MAJOR = 1 };

/* version, context and deleter stand at the same place in every version; the rest only in ours. */
typedef struct alcore__dlpack_tensor {
    struct {
        uint32_t major, minor;
    } version;
    void *context;
    void (*deleter)(struct DLManagedTensorVersioned *self); /* may be NULL */
    uint64_t flags;
    alcore_tensor tensor;
} alcore__dlpack_tensor;

#endif
