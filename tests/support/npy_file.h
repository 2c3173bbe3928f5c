/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an array in memory, `dtype` [shape[0]] or [shape[0], shape[1]], as a .npy file. */
#ifndef NPY_FILE_H
#define NPY_FILE_H

#include "base/tensor_view.h"
#include "formats/array_file.h"

static inline alcore_status npy_file_write(alcore_ctx *ctx, const char *path, int32_t dtype,
                                           int32_t ndim, const int64_t *shape, const void *data) {
    const size_t count = (size_t)shape[0] * (size_t)(ndim == 2 ? shape[1] : 1);
    alcore__writer *writer;
    ALCORE__TRY(alcore__npy_begin(ctx, path, dtype, ndim, shape, &writer));
    alcore_status status = alcore__writer_put(writer, data, count * alcore_sys_dtype_bytes(dtype));
    if (status == ALCORE_OK) return alcore__writer_commit(writer);
    alcore__writer_abort(writer);
    return status;
}

#endif
