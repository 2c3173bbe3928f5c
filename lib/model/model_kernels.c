/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that the engine of a model is given for arrays of its own
 * (alcore_sys_model_options.kernels). */
#include "kernel/kernel_engine.h"
#include "kernel/kernels.h"
#include "model/model_internal.h"

/* The table of CUDA devices is that of their module, which is loaded now. Without it an engine
 * computes by itself, which is worth a line of the log and no failure. */
alcore_status alcore__model_kernels(void *user, int32_t device_type,
                                    const alcore_sys_kernels **out) {
    alcore__engine found;
    *out = NULL;
    if (device_type == ALCORE_DEVICE_CPU) *out = alcore__kernels_cpu();
    if (device_type != ALCORE_DEVICE_CUDA) return ALCORE_OK;
    const alcore_status status = alcore__engine_open_cuda(user, 0, NULL /* stream */, &found);
    if (status == ALCORE_OK) *out = found.kernels;
    if (status != ALCORE_E_UNSUPPORTED && status != ALCORE_E_MODULE) return status;
    alcore__log(user, ALCORE_LOG_INFO, "model", NULL,
                "the model computes without kernels for CUDA devices: %s", alcore_last_error());
    return ALCORE_OK;
}
