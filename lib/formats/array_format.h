/* SPDX-License-Identifier: Apache-2.0 */
/* What the formats of array files, npy.c and safetensors.c, offer to alcore__array_open() in
 * array_file.c. */
#ifndef ALCORE__ARRAY_FORMAT_H
#define ALCORE__ARRAY_FORMAT_H

#include "base/tensor_view.h"
#include "formats/array_file.h"

/* Read the header of an open file of `length` bytes and say where the array lies. tensor: its name,
 * NULL for the only one. Error texts name the path. */
alcore_status alcore__npy_locate(alcore_ctx *ctx, alcore__file *file, int64_t length,
                                 alcore__array_info *out);
alcore_status alcore__safetensors_locate(alcore_ctx *ctx, alcore__file *file, int64_t length,
                                         const char *tensor, alcore__array_info *out);
/* Adds a size to the shape, whose first and second are kept and whose third makes a matrix of
 * planes (array_file.h); false for a fourth, or where the shape overflows. */
bool alcore__array_add_size(alcore__array_info *info, int64_t size);
/* Bytes of a number in the file. */
int64_t alcore__array_stored_bytes(const alcore__array_info *info);
/* Sets dtype and stored for integers of 1, 2 or 4 bytes that are read as wider ones; false for
 * those that are not. */
bool alcore__array_set_integer(alcore__array_info *info, int32_t bytes, bool is_signed);
/* The product of two sizes; false when it does not fit or a factor is negative. */
static inline bool alcore__size_product(int64_t a, int64_t b, int64_t *out) {
    return a >= 0 && b >= 0 && !__builtin_mul_overflow(a, b, out);
}

#endif
