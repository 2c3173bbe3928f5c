/* SPDX-License-Identifier: Apache-2.0 */
/* What DeBERTa-v2 and v3 compute that other encoders do not (torch_deberta.cpp). */
#ifndef ALCORE__TORCH_DEBERTA_H
#define ALCORE__TORCH_DEBERTA_H

#include "torch_stack.h"

namespace alcore_torch {

/* Attention with distances, [tokens, heads * head], of query, key and value of a block side by
 * side. */
at::Tensor attend_disentangled(const StackPass &pass, const Block &block, const at::Tensor &qkv);

/* What the first block returned, x [tokens, dims], with the convolution of what entered it. */
at::Tensor convolved(const StackPass &pass, const at::Tensor &entered, const at::Tensor &x);

} // namespace alcore_torch

#endif
