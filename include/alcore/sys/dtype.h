/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Sizes of the number types, for the library and for the engines, which see only the tables of this
 * folder: the one place that has them.
 *
 * System tier: stable within a minor release. */
#ifndef ALCORE_SYS_DTYPE_H
#define ALCORE_SYS_DTYPE_H

#include "alcore/tensor.h"

ALCORE_BEGIN

/* In C++ the size is a constant where the type is one, also in code for a device. */
#ifdef __cplusplus
#define ALCORE_SYS_CONSTEXPR constexpr
#else
#define ALCORE_SYS_CONSTEXPR
#endif

/** Bytes of a number of a type, ALCORE_FLOAT16 to ALCORE_UINT8; 0 for any other type. */
ALCORE_SYS_CONSTEXPR static inline size_t alcore_sys_dtype_bytes(int32_t dtype) {
    return dtype == ALCORE_FLOAT32 || dtype == ALCORE_INT32      ? 4
           : dtype == ALCORE_FLOAT16 || dtype == ALCORE_BFLOAT16 ? 2
           : dtype == ALCORE_FLOAT64 || dtype == ALCORE_INT64    ? 8
           : dtype == ALCORE_UINT64                              ? 8
           : dtype == ALCORE_UINT8                               ? 1
                                                                 : 0;
}

ALCORE_END

#endif
