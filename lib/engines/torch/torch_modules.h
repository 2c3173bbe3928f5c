/* SPDX-License-Identifier: Apache-2.0 */
/* What vectors go through behind the transformer: modules of sentence-transformers
 * (torch_modules.cpp). */
#ifndef ALCORE__TORCH_MODULES_H
#define ALCORE__TORCH_MODULES_H

#include "torch_builder.h"

namespace alcore_torch {

/* Reads the modules of the options into build.model, whose poolings are set: layer_weights,
 * token_modules and modules, whose tensors are float32, modules_hash, and embedding_dims, the width
 * of their result. */
void build_modules(Builder &build, const alcore_sys_model_options &options);
/* What the pooling reads, [tokens, width]: the states behind the first `blocks` blocks, or the mean
 * over layers, through the modules of tokens. */
at::Tensor token_vectors(const Model &model, const Packed &batch, size_t blocks);
/* The vectors [items, width], float32, behind all modules of the model. */
at::Tensor apply_modules(const Model &model, at::Tensor vectors);
/* x with rows of length 1; rows of zeros stay as they are. */
at::Tensor unit_rows(const at::Tensor &x);

} // namespace alcore_torch

#endif
