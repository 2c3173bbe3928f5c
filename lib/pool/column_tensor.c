/* SPDX-License-Identifier: Apache-2.0 */
/* Callers' arrays of a column as they are looked at before they are read (column_array.h): their
 * shape, their type and their device. Error texts name the column. */
#include "pool/column_array.h"

/* Checks that a caller's array is of 1 or 2 dimensions and on the host or on a CUDA device and
 * describes it in *out, without copying. Called for the values and for the offsets of a column, and
 * by column writers for each put. */
alcore_status alcore__column_tensor(const char *name, const alcore_tensor *tensor,
                                    alcore__array *out) {
    alcore_status status = alcore__tensor_view_any(tensor, "the array", out);
    return status == ALCORE_OK ? status : alcore__fail_within(status, "column \"%s\"", name);
}

/* Called for an array that is on a device, by the same callers. */
alcore_status alcore__column_open_device(alcore_ctx *ctx, const char *name,
                                         const alcore__array *array, void *stream,
                                         alcore__engine *out) {
    alcore_status status = alcore__device_array_open(ctx, array, stream, "the array", out);
    if (status == ALCORE_OK || status == ALCORE_E_NOMEM || status == ALCORE_E_CANCELLED)
        return status;
    return alcore__fail_within(status, "column \"%s\"", name);
}

/* Checks that a column of this name may have values of this type; errors name the column. */
alcore_status alcore__column_tensor_dtype(const char *name, int32_t dtype) {
    alcore_status status = alcore__column_check_dtype("the array", name, dtype);
    return status == ALCORE_OK ? status : alcore__fail_within(status, "column \"%s\"", name);
}
