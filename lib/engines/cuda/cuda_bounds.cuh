/* SPDX-License-Identifier: Apache-2.0 */
/* distance_bounds with tensor cores (cuda_bounds.cu has the bound and the layout). */
#ifndef ALCORE__CUDA_BOUNDS_CUH
#define ALCORE__CUDA_BOUNDS_CUH

#include "cuda_call.cuh"

namespace alcore_cuda {

/* Fills low and high [rows, groups] as distance_bounds defines them, for the rows of the mask.
 * group [targets], in host memory; NULL: one group. */
void bound_distances(call &c, const alcore_sys_rows *rows, const uint8_t *mask,
                     const alcore_sys_rows *targets, const int32_t *group, int64_t groups,
                     double *low, double *high);

} // namespace alcore_cuda

#endif
