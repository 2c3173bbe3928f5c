/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes of the types of numbers: the one place in the library that has them. The engines include
 * only the tables of alcore/sys: lib/cpu and lib/cuda have one function of their own each. */
#ifndef ALCORE__DTYPE_H
#define ALCORE__DTYPE_H

#include "alcore/tensor.h"

/* Bytes of a number of a type, ALCORE_FLOAT16 to ALCORE_UINT8; 0 for any other type. */
static inline size_t alcore__dtype_bytes(int32_t dtype) {
    switch (dtype) {
    case ALCORE_UINT8:
        return 1;
    case ALCORE_FLOAT16:
    case ALCORE_BFLOAT16:
        return 2;
    case ALCORE_FLOAT32:
    case ALCORE_INT32:
        return 4;
    case ALCORE_FLOAT64:
    case ALCORE_INT64:
    case ALCORE_UINT64:
        return 8;
    default:
        return 0;
    }
}

#endif
