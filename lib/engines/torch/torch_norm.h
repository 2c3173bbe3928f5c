/* SPDX-License-Identifier: Apache-2.0 */
/* Norms of a stack by the module's own kernels (torch_norm.cpp). */
#ifndef ALCORE__TORCH_NORM_H
#define ALCORE__TORCH_NORM_H

#include "torch_kernels.h"
#include "torch_parts.h"

namespace alcore_torch {

/* Whether the kernels have the norm: an RMSNorm with weights on the CPU in float32, or none. */
bool norm_fits(const Norm &norm);
/* That norm for the kernels; borrows its weights, NULL without any. */
torch_norm norm_here(const Norm &norm);

} // namespace alcore_torch

#endif
