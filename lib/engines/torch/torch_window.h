/* SPDX-License-Identifier: Apache-2.0 */
/* Attention that reaches only some tokens to each side (torch_window.cpp). A text is cut into
 * pieces of queries, each of which meets the keys within its reach, so that a long text costs as
 * many operations a token as a short one; one mask, the band, is that of all pieces. */
#ifndef ALCORE__TORCH_WINDOW_H
#define ALCORE__TORCH_WINDOW_H

#include "torch_parts.h"

namespace alcore_torch {

/* Neighboring queries of a text, and the keys that one or more of them reach. query, key: the first
 * ones, in the text; column: of the band, for the first key. */
struct Piece {
    int64_t query, queries, key, keys, column;
};

/* The mask of a stack's window, float [queries of a piece, its keys]: 0, or minus infinity where
 * the key is out of the query's reach, which has no later keys in a causal stack. */
at::Tensor band_of(int64_t window, bool causal);

/* The pieces of a text of `length` tokens; empty: every token reaches every other. */
std::vector<Piece> pieces_of(const Stack &stack, int64_t length);

} // namespace alcore_torch

#endif
