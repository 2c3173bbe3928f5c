/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of callers on a CUDA device, through the kernel `download` of their engine
 * (device_array.h). */
#include "kernel/device_array.h"

/* The rows of the array from number `first` on, as kernels read them. */
static alcore_sys_rows rows_of(const alcore__array *array, int64_t first, int64_t count) {
    const int64_t bytes = (int64_t)alcore_sys_dtype_bytes(array->dtype);
    return (alcore_sys_rows){
        .data = array->data ? (const char *)array->data + first * array->stride * bytes : NULL,
        .count = count,
        .dims = array->columns,
        .stride = array->stride,
        .dtype = array->dtype};
}

alcore_status alcore__device_array_open(alcore_ctx *ctx, const alcore__array *array, void *stream,
                                        const char *what, alcore__engine *out) {
    const alcore_sys_rows none = rows_of(array, 0, 0 /* no row is copied */);
    alcore_status status = alcore__engine_open_cuda(ctx, array->device, stream, out);
    if (status == ALCORE_OK) status = alcore__device_rows_copy(out, &none, NULL);
    out->stream = NULL;
    if (status == ALCORE_OK || status == ALCORE_E_NOMEM || status == ALCORE_E_CANCELLED)
        return status;
    return alcore__fail_within(status,
                               "%s is on cuda:%d and cannot be read there; a copy in host memory "
                               "can be (.cpu() in PyTorch)",
                               what, array->device);
}

/* Memory of a device is read by the module alone; an older module may lack the entry. */
alcore_status alcore__device_rows_copy(const alcore__engine *engine, const alcore_sys_rows *rows,
                                       void *out) {
    alcore_sys_work work = alcore__engine_work(engine);
    if (!engine->kernels->download)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "the engine %s copies no arrays of callers; take the library and its "
                            "modules from one release",
                            engine->kernels->engine);
    return engine->kernels->download(&work, rows, out);
}

alcore_status alcore__device_array_copy(const alcore__engine *engine, const alcore__array *array,
                                        void *out) {
    const size_t row_bytes = (size_t)array->columns * alcore_sys_dtype_bytes(array->dtype);
    for (int64_t first = 0; first < array->rows; first += ALCORE_BLOCK_ROWS) {
        const int64_t left = array->rows - first;
        const alcore_sys_rows block =
            rows_of(array, first, left < ALCORE_BLOCK_ROWS ? left : ALCORE_BLOCK_ROWS);
        ALCORE__TRY(alcore__tick(engine->ctx, "copying", first, array->rows));
        ALCORE__TRY(
            alcore__device_rows_copy(engine, &block, (char *)out + first * (int64_t)row_bytes));
    }
    return ALCORE_OK;
}

alcore_status alcore__device_array_fetch(alcore_ctx *ctx, const alcore__array *array, void *stream,
                                         const char *what, void **out) {
    alcore__engine engine;
    const size_t row_bytes = (size_t)array->columns * alcore_sys_dtype_bytes(array->dtype);
    *out = NULL;
    ALCORE__TRY(alcore__device_array_open(ctx, array, stream, what, &engine));
    ALCORE__TRY(alcore__new_array(ctx, (size_t)array->rows, row_bytes, out));
    alcore_status status = alcore__device_array_copy(&engine, array, *out);
    if (status == ALCORE_OK) return status;
    alcore__free(ctx, *out);
    *out = NULL;
    return status;
}
