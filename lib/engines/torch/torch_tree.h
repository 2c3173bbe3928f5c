/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of tokens that stand in front of every item of a batch, or as a tree behind each
 * (torch_tree.cpp). */
#ifndef ALCORE__TORCH_TREE_H
#define ALCORE__TORCH_TREE_H

#include "torch_stack.h"

namespace alcore_torch {

/* The attention of a causal stack without relative positions or dropout, [tokens, inner], to
 * projections qkv [tokens, 3 inner] of a batch that has a shared beginning or a tree. */
at::Tensor attend_tree(const StackPass &pass, const at::Tensor &qkv, bool windowed);

} // namespace alcore_torch

#endif
