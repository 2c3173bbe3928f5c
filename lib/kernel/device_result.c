/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a call in the memory of a CUDA device, through the kernel `store` of its engine
 * (device_result.h). */
#include "kernel/device_result.h"

#include "kernel/device_array.h"

void alcore__results_init(alcore__results *results, const alcore__engine *engine, void *stream) {
    *results = (alcore__results){.ctx = engine->ctx, .engine = *engine, .other = "the call"};
    results->on_device = engine->kernels->device == ALCORE_DEVICE_CUDA;
    results->engine.stream = stream;
}

/* Copies rows of `copy` in host memory to the array; none: only checks that the array is on the
 * engine's device, and the stream too. */
static alcore_status store(const alcore__engine *engine, const alcore__array *array, int64_t count,
                           const void *copy) {
    alcore_sys_work work = alcore__engine_work(engine);
    const alcore_sys_rows rows = {.data = copy,
                                  .count = count,
                                  .dims = array->columns,
                                  .stride = array->columns,
                                  .dtype = array->dtype};
    if (!engine->kernels->store)
        return alcore__fail(ALCORE_E_UNSUPPORTED,
                            "the engine %s writes no arrays of callers; take the library and its "
                            "modules from one release",
                            engine->kernels->engine);
    return engine->kernels->store(&work, &rows, array->data);
}

/* Opens the engine of the device that the array is on, which is that of the call or of the arrays
 * before it, if there are any. Nothing is written. */
static alcore_status open_engine(alcore__results *results, const alcore__array *array,
                                 const char *name) {
    alcore_status status = ALCORE_OK;
    if (results->on_device && results->engine.device != array->device)
        return alcore__fail(ALCORE_E_INVALID,
                            "%s is on cuda:%d and %s on cuda:%d; give an array on cuda:%d, or in "
                            "host memory",
                            name, array->device, results->other, results->engine.device,
                            results->engine.device);
    if (!results->on_device)
        status = alcore__engine_open_cuda(results->ctx, array->device, results->engine.stream,
                                          &results->engine);
    if (status == ALCORE_OK) status = store(&results->engine, array, 0 /* no row */, NULL);
    if (status == ALCORE_OK && !results->on_device) results->other = name;
    if (status == ALCORE_OK) results->on_device = true;
    if (status == ALCORE_OK || status == ALCORE_E_NOMEM || status == ALCORE_E_CANCELLED)
        return status;
    return alcore__fail_within(status,
                               "%s is on cuda:%d and cannot be written there; an array in host "
                               "memory can be",
                               name, array->device);
}

alcore_status alcore__results_add(alcore__results *results, const alcore_tensor *tensor,
                                  const char *name, int32_t dtype, int64_t rows, int64_t columns,
                                  bool keep, void **out) {
    alcore__array array;
    *out = NULL;
    ALCORE__TRY(alcore__tensor_output_any(tensor, name, dtype, rows, columns, &array));
    *out = array.data;
    if (!array.on_device || !array.data) return ALCORE_OK;
    ALCORE__TRY(open_engine(results, &array, name));
    alcore__result *result = &results->list[results->count];
    result->array = array;
    ALCORE__TRY(alcore__new_array(results->ctx, (size_t)rows,
                                  (size_t)columns * alcore_sys_dtype_bytes(dtype), &result->copy));
    results->count++;
    *out = result->copy;
    return keep ? alcore__device_array_copy(&results->engine, &array, result->copy) : ALCORE_OK;
}

alcore_status alcore__results_add_in_place(alcore__results *results, const alcore_tensor *tensor,
                                           const char *name, int32_t dtype, int64_t rows,
                                           int64_t columns, void **out) {
    alcore__array array;
    *out = NULL;
    ALCORE__TRY(alcore__tensor_output_any(tensor, name, dtype, rows, columns, &array));
    if (array.on_device && array.data) ALCORE__TRY(open_engine(results, &array, name));
    *out = array.data;
    return ALCORE_OK;
}

alcore_status alcore__results_end(alcore__results *results, alcore_status status) {
    for (int32_t i = 0; i < results->count; i++) {
        const alcore__result *result = &results->list[i];
        if (status == ALCORE_OK)
            status = store(&results->engine, &result->array, result->array.rows, result->copy);
        alcore__free(results->ctx, result->copy);
    }
    results->count = 0;
    return status;
}
