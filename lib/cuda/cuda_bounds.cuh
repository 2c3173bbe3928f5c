/* SPDX-License-Identifier: Apache-2.0 */
/* distance_bounds with tensor cores; the bound and the layout stand in cuda_bounds.cu. */
#ifndef ALCORE__CUDA_BOUNDS_CUH
#define ALCORE__CUDA_BOUNDS_CUH

#include "cuda_call.cuh"

namespace alcore_cuda {

/* distance_bounds with tensor cores. group: on the host. */
void bound_distances(call &c, const alcore_sys_rows *rows, const uint8_t *mask,
                     const alcore_sys_rows *targets, const int32_t *group, int64_t groups,
                     double *low, double *high);

} // namespace alcore_cuda

#endif
