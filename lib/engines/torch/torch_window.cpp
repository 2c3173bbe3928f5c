/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of attention (torch_window.h). The first key of a piece is `window` tokens before its
 * first query, or would be, were the text to begin earlier: key j is in the reach of query i where
 * j - i is 0 to twice the window, j counted from there, or to the window in a causal stack. */
#include <algorithm>

#include "torch_window.h"

namespace alcore_torch {

/* Twice the window: then half of what a piece computes is masked. A small window has pieces of 64,
 * as a piece costs some time of its own. */
static int64_t piece_queries(int64_t window) {
    return std::max<int64_t>(2 * window, 64);
}

at::Tensor band_of(int64_t window, bool causal) {
    const int64_t rows = piece_queries(window), columns = rows + 2 * window;
    at::Tensor band = at::full({rows, columns}, -std::numeric_limits<float>::infinity(),
                               at::TensorOptions().dtype(at::kFloat));
    for (int64_t i = 0; i < rows; i++) band[i].narrow(0, i, (causal ? 1 : 2) * window + 1).fill_(0);
    return band;
}

std::vector<Piece> pieces_of(const Stack &stack, int64_t length) {
    std::vector<Piece> pieces;
    if (length <= stack.window + 1) return pieces;
    const int64_t most = piece_queries(stack.window);
    for (int64_t query = 0; query < length; query += most) {
        const int64_t queries = std::min(most, length - query);
        const int64_t key = std::max<int64_t>(query - stack.window, 0);
        const int64_t end = std::min(query + queries + (stack.causal ? 0 : stack.window), length);
        pieces.push_back({query, queries, key, end - key, key - (query - stack.window)});
    }
    return pieces;
}

} // namespace alcore_torch
