/* SPDX-License-Identifier: Apache-2.0 */
/* Files of arrays: an accepted array lies inside the file. */
#ifndef FUZZ_ARRAY_H
#define FUZZ_ARRAY_H

#include "base/tensor_view.h"
#include "formats/array_file.h"
#include "fuzz_target.h"

/* name: of the file that has the data; its suffix is that of its format. */
static inline void fuzz_array(const char *name, const uint8_t *data, size_t bytes) {
    memory_host host;
    memory_host_open(&host);
    memory_host_file(&host, data, bytes);
    alcore__array_info info;
    alcore__file *file = NULL;
    alcore_status status = alcore__array_open(host.ctx, name, &info, &file);
    if (status == ALCORE_OK) {
        FUZZ_CHECK(info.ndim >= 1 && info.ndim <= 2 && info.shape[0] >= 0 && info.shape[1] >= 0);
        size_t size = alcore_sys_dtype_bytes(info.dtype);
        FUZZ_CHECK(size > 0 && info.data_start <= (int64_t)bytes);
        const size_t numbers = (size_t)info.shape[0] * (size_t)info.shape[1];
        FUZZ_CHECK(numbers <= bytes - (size_t)info.data_start);
        void *values = malloc(numbers * size + 1);
        FUZZ_CHECK(alcore__array_read(file, &info, 0, info.shape[0], values) == ALCORE_OK);
        free(values);
    }
    alcore__file_close(file);
    fuzz_finish(&host, bytes, status);
}

#endif
