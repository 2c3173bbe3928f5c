/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary positions (Su et al. 2021, torch_rotary.cpp): queries and keys are turned by angles that
 * grow with the position of their token, pair by pair of components. */
#ifndef ALCORE__TORCH_ROTARY_H
#define ALCORE__TORCH_ROTARY_H

#include "torch_parts.h"

namespace alcore_torch {

/* How far each pair of components turns from one position to the next, float [head / 2], on the
 * CPU: theta^(-2 i / head). */
at::Tensor rotary_frequencies(double theta, int64_t head);

/* Cosine and sine of the angles of tokens, float [tokens, 1, head]; undefined: nothing turns. */
struct Turn {
    at::Tensor cosine, sine;
};

/* positions: int64 [tokens], on any device. */
Turn turn_of(const at::Tensor &positions, const Rotation &rotation);

/* Projections of a block, [tokens, (heads + 2 kv_heads) head]: query, key and value of each token,
 * as [tokens, 3 heads head]. Queries and keys go through the norms of the block and are turned, and
 * a key or value that several heads share stands once for each of them. */
at::Tensor turned(const Stack &stack, const Block &block, const at::Tensor &projected,
                  const Turn &turn);

} // namespace alcore_torch

#endif
