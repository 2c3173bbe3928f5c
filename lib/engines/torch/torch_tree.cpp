/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of a batch with a tree (torch_tree.h). The tokens of items know nothing of what is
 * behind them, and attend as in any batch. Those of the tree meet two kinds of keys, which are
 * joined: the item's, and the tree's own, of which a mask leaves those between the root and the
 * token.
 *
 * Memory: keys and values of a run of items a second time, and the mask, [nodes, keys]. */
#include "torch_tree.h"

#include <algorithm>
#include <limits>

namespace alcore_torch {

/* Which keys the nodes of a tree meet, 0 or minus infinity, float [nodes, keys + nodes], where the
 * first `keys` are the last ones of their item. window: positions that attention reaches back. */
static at::Tensor mask_of(const Tree &tree, int64_t keys, int64_t window) {
    const int64_t nodes = static_cast<int64_t>(tree.ids.size());
    at::Tensor out = at::full({nodes, keys + nodes}, -std::numeric_limits<float>::infinity());
    float *row = out.data_ptr<float>();
    for (int64_t k = 0; k < nodes; k++, row += keys + nodes) {
        const int64_t depth = tree.depths[static_cast<size_t>(k)];
        /* Key j is keys - j + depth positions before the node. */
        for (int64_t j = std::max<int64_t>(keys + depth - window, 0); j < keys; j++) row[j] = 0;
        for (int64_t at = k; at >= 0; at = tree.parents[static_cast<size_t>(at)])
            if (depth - tree.depths[static_cast<size_t>(at)] <= window) row[keys + at] = 0;
    }
    return out;
}

at::Tensor attend_tree(const StackPass &pass, const at::Tensor &qkv, bool windowed) {
    const Stack &stack = pass.stack;
    const Tree &tree = *pass.batch.tree;
    const int64_t nodes = static_cast<int64_t>(tree.ids.size()), inner = stack.heads * stack.head,
                  trees = static_cast<int64_t>(pass.batch.lengths.size()) * nodes,
                  first = qkv.size(0) - trees;
    const at::Tensor items = qkv.narrow(0, 0, first);
    std::vector<at::Tensor> mixed{
        attend(stack, pass.runs, items, 3, items, 3, false, windowed, nullptr)};
    int64_t row = first;
    for (const Run &run : pass.runs) {
        /* Query, key and value, each [items, heads, tokens, head]. */
        auto parts = [&](int64_t from, int64_t tokens) {
            return qkv.narrow(0, from, run.items * tokens)
                .view({run.items, tokens, 3, stack.heads, stack.head})
                .transpose(1, 3)
                .unbind(2);
        };
        const std::vector<at::Tensor> item = parts(run.token, run.length), own = parts(row, nodes);
        const int64_t window = windowed ? stack.window : std::numeric_limits<int64_t>::max() / 2,
                      keys = std::min(run.length, window);
        auto joined = [&](size_t part) {
            return at::cat({item[part].narrow(2, run.length - keys, keys), own[part]}, 2);
        };
        const at::Tensor mask = mask_of(tree, keys, window).to(qkv.device(), qkv.scalar_type());
        mixed.push_back(
            attend_run(own[0], joined(1), joined(2), mask, false, stack, pass.dropout, 0)
                .transpose(1, 2)
                .reshape({run.items * nodes, inner}));
        row += run.items * nodes;
    }
    return at::cat(mixed);
}

} // namespace alcore_torch
