/* SPDX-License-Identifier: Apache-2.0 */
/* Checked views of callers' arrays, in host memory or on a CUDA device. */
#ifndef ALCORE__TENSOR_VIEW_H
#define ALCORE__TENSOR_VIEW_H

#include "alcore/sys/dtype.h"
#include "alcore/tensor.h"
#include "base/base.h"

/* A matrix of rows x columns numbers in a caller's memory; a one-dimensional tensor has one column.
 */
typedef struct alcore__array {
    void *data; /* first number of the first row; only outputs are written */
    int64_t rows, columns;
    int64_t stride; /* numbers from the first of a row to the first of the next, at least columns */
    int32_t dtype;  /* ALCORE_FLOAT32, ... */
    bool on_device; /* data is memory of a CUDA device, or managed memory; false: host memory */
    int32_t device; /* its number; 0 for host memory */
} alcore__array;

/* Checks a caller's tensor in host memory; rows may have gaps between them, the numbers of a row
 * are adjacent. name: of the tensor, for the error text. */
alcore_status alcore__tensor_view(const alcore_tensor *tensor, const char *name,
                                  alcore__array *out);

/* The same for a tensor that may also be on a CUDA device; nothing is read from it. */
alcore_status alcore__tensor_view_any(const alcore_tensor *tensor, const char *name,
                                      alcore__array *out);

/* Checks a caller's tensor in host memory that receives an answer: of this dtype, [rows, columns]
 * (or [rows] when columns is 1), without gaps between the rows. */
alcore_status alcore__tensor_output(const alcore_tensor *tensor, const char *name, int32_t dtype,
                                    int64_t rows, int64_t columns, alcore__array *out);

/* The same for a tensor that may also be on a CUDA device; nothing is written to it. */
alcore_status alcore__tensor_output_any(const alcore_tensor *tensor, const char *name,
                                        int32_t dtype, int64_t rows, int64_t columns,
                                        alcore__array *out);

/* Checks that the numbers of a tensor, whose shape and dtype were checked, lie within 2^63 bytes.
 */
alcore_status alcore__tensor_check_span(const alcore_tensor *tensor, const char *name);

bool alcore__dtype_is_float(int32_t dtype);    /* float16, bfloat16, float32, float64 */
bool alcore__dtype_is_integer(int32_t dtype);  /* int32, int64 */
const char *alcore__dtype_name(int32_t dtype); /* "float32"; "unknown" */

#endif
