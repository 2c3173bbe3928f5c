/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Arrays. alcore_tensor has the exact layout of DLPack's DLTensor, so a pointer to one may be
 * passed as the other; dlpack.h is neither included nor defined here. An array is in host memory
 * unless the comment of its parameter says "any device" (columns, searches and alcore/logits.h do):
 * then it may be on a CUDA device too, where the module of that engine reads or writes it in the
 * order of the stream that comes with it. An array on a device that a call does not take is
 * ALCORE_E_UNSUPPORTED. */
#ifndef ALCORE_TENSOR_H
#define ALCORE_TENSOR_H

#include "alcore/status.h"

ALCORE_BEGIN

/** Kinds of numbers: DLPack's DLDataTypeCode, with its values. */
enum alcore_dtype_code {
    ALCORE_KIND_INT = 0,   /**< signed */
    ALCORE_KIND_UINT = 1,  /**< unsigned */
    ALCORE_KIND_FLOAT = 2, /**< IEEE 754 */
    ALCORE_KIND_BFLOAT = 4 /**< bfloat16 */
};

/** Kinds of devices: DLPack's DLDeviceType, with its values. */
enum alcore_device_type {
    ALCORE_DEVICE_CPU = 1,          /**< host memory */
    ALCORE_DEVICE_CUDA = 2,         /**< memory of a CUDA device */
    ALCORE_DEVICE_CUDA_HOST = 3,    /**< pinned host memory, read as host memory */
    ALCORE_DEVICE_CUDA_MANAGED = 13 /**< CUDA unified memory */
};

/** The number type of an array: DLPack's DLDataType. */
typedef struct alcore_dtype {
    uint8_t code;   /**< ALCORE_KIND_* */
    uint8_t bits;   /**< bits of one number */
    uint16_t lanes; /**< 1 */
} alcore_dtype;

/** Where an array lives: DLPack's DLDevice. */
typedef struct alcore_device {
    int32_t type; /**< ALCORE_DEVICE_* */
    int32_t id;   /**< number of the device */
} alcore_device;

/** An array that somebody else owns: DLPack's DLTensor. */
typedef struct alcore_tensor {
    void *data;           /**< first byte, before byte_offset */
    alcore_device device; /**< where data lives */
    int32_t ndim;         /**< number of dimensions */
    alcore_dtype dtype;   /**< number type */
    int64_t *shape;       /**< [ndim] */
    int64_t *strides;     /**< [ndim] in numbers, or NULL for a contiguous row-major array */
    uint64_t byte_offset; /**< bytes from data to the first number */
} alcore_tensor;

/** Number types, of alcore_tensor_init() and wherever one is named. */
enum alcore_number_type {
    ALCORE_FLOAT16 = 101,  /**< IEEE 754 binary16 */
    ALCORE_BFLOAT16 = 102, /**< upper half of a binary32 */
    ALCORE_FLOAT32 = 103,  /**< IEEE 754 binary32 */
    ALCORE_FLOAT64 = 104,  /**< IEEE 754 binary64 */
    ALCORE_INT32 = 105,    /**< 32-bit signed */
    ALCORE_INT64 = 106,    /**< 64-bit signed */
    ALCORE_UINT64 = 107,   /**< 64-bit unsigned */
    ALCORE_UINT8 = 108,    /**< a byte */
    /** Texts: a column (alcore/pool_column.h) may have them, an array may not */
    ALCORE_TEXT = 109
};

/** Describes a contiguous row-major array in host memory.
 * @param[out] out filled with the pointers data and shape; all 0 on failure
 * @param[in] data borrowed as long as out is used, not copied; NULL only for an empty array
 * @param[in] dtype ALCORE_FLOAT32, ...
 * @param[in] shape borrowed as long as out is used: int64 [ndim], each 0 or more
 * @param[in] ndim dimensions, 1 or more
 * @return ALCORE_OK, ALCORE_E_INVALID
 * @threadsafe
 * @since 1.0 */
ALCORE_API alcore_status alcore_tensor_init(alcore_tensor *out, void *data, int32_t dtype,
                                            int64_t *shape, int32_t ndim);

ALCORE_END

#endif
