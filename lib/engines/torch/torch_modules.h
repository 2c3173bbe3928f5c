/* SPDX-License-Identifier: Apache-2.0 */
/* What vectors of texts go through behind the pooling: modules of sentence-transformers
 * (torch_modules.cpp). */
#ifndef ALCORE__TORCH_MODULES_H
#define ALCORE__TORCH_MODULES_H

#include "torch_parts.h"

namespace alcore_torch {

/* Reads the modules of the options into model.modules, whose tensors are float32, sets
 * model.embedding_dims to the width of their result, and model.modules_hash. width: of what comes
 * out of the pooling. */
void build_modules(Model &model, const alcore_sys_model_options &options, int64_t width);
/* The vectors [items, width], float32, behind all modules of the model. */
at::Tensor apply_modules(const Model &model, at::Tensor vectors);
/* x with rows of length 1; rows of zeros stay as they are. */
at::Tensor unit_rows(const at::Tensor &x);

} // namespace alcore_torch

#endif
