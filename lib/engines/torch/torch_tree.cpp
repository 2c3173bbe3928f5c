/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of a batch with a shared beginning or a tree (torch_tree.h). The tokens of the
 * beginning do not attend to what is behind them, and the tokens of an item do not attend to the
 * tree behind it: both attend as in any batch. The tokens behind attend to two kinds of keys, which
 * are joined: those in front, and those of their own tree, of which a mask leaves the token's own
 * and its ancestors'. An item behind a shared beginning is a tree without branches.
 *
 * Memory: keys and values of as many tokens as a batch has, or JOINED, a second time, as they are
 * joined for some items at a time, and the mask, [nodes, keys]. */
#include "torch_tree.h"

#include <algorithm>
#include <limits>

namespace alcore_torch {

static constexpr int64_t JOINED = 4096; /* tokens: not many small products for short items */

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

/* A tree without branches. */
static Tree chain_of(int64_t length) {
    Tree out;
    for (int64_t k = 0; k < length; k++) {
        out.ids.push_back(0);
        out.parents.push_back(k - 1);
        out.depths.push_back(k);
    }
    return out;
}

/* Query, key and value of the same tokens, each [items, heads, tokens, head]. */
using Parts = std::vector<at::Tensor>;

/* The attention of the tokens of each item's tree, [items * nodes, inner]. They attend to the keys
 * and values of the parts of `front`, in this order, and then to their ancestors in the tree. */
static at::Tensor attend_behind(const StackPass &pass, const std::vector<Parts> &front,
                                const Parts &own, const Tree &tree, bool windowed) {
    const Stack &stack = pass.stack;
    const int64_t items = own[0].size(0), nodes = own[0].size(2);
    int64_t length = 0;
    for (const Parts &one : front) length += one[1].size(2);
    const int64_t window = windowed ? stack.window : std::numeric_limits<int64_t>::max() / 2,
                  keys = std::min(length, window),
                  step = std::max<int64_t>(
                      std::max(pass.model.batch_tokens, JOINED) / (length + nodes), 1);
    const at::Tensor mask = mask_of(tree, keys, window).to(own[0].device(), own[0].scalar_type());
    std::vector<at::Tensor> mixed;
    for (int64_t from = 0; from < items; from += step) {
        const int64_t count = std::min(step, items - from);
        auto joined = [&](size_t part) {
            std::vector<at::Tensor> all;
            for (const Parts &one : front) all.push_back(one[part].narrow(0, from, count));
            all.push_back(own[part].narrow(0, from, count));
            return at::cat(all, 2).narrow(2, length - keys, keys + nodes);
        };
        mixed.push_back(attend_run(own[0].narrow(0, from, count), joined(1), joined(2), mask, false,
                                   stack, pass.dropout, 0)
                            .transpose(1, 2)
                            .reshape({count * nodes, stack.heads * stack.head}));
    }
    return mixed.size() == 1 ? mixed[0] : at::cat(mixed);
}

at::Tensor attend_tree(const StackPass &pass, const at::Tensor &qkv, bool windowed) {
    const Stack &stack = pass.stack;
    const Packed &batch = pass.batch;
    const int64_t begin = batch.shared,
                  nodes = batch.tree == nullptr ? 0 : static_cast<int64_t>(batch.tree->ids.size()),
                  items = static_cast<int64_t>(batch.lengths.size()),
                  own = qkv.size(0) - begin - items * nodes;
    auto plain = [&](int64_t from, int64_t rows, const std::vector<Run> &runs) {
        const at::Tensor some = qkv.narrow(0, from, rows);
        return attend(stack, runs, some, 3, some, 3, false, windowed, nullptr);
    };
    auto parts = [&](int64_t from, int64_t count, int64_t tokens) -> Parts {
        return qkv.narrow(0, from, count * tokens)
            .view({count, tokens, 3, stack.heads, stack.head})
            .transpose(1, 3)
            .unbind(2);
    };
    auto shared_by = [&](const Run &run) -> std::vector<Parts> {
        if (begin == 0) return {};
        Parts out = parts(0, 1, begin);
        for (at::Tensor &part : out) part = part.expand({run.items, -1, -1, -1});
        return {out};
    };
    std::vector<at::Tensor> mixed;
    if (begin > 0) mixed.push_back(plain(0, begin, {{1, begin, 0, 0, 0, {}}}));
    if (begin == 0) mixed.push_back(plain(0, own, pass.runs));
    for (size_t i = 0; begin > 0 && i < pass.runs.size(); i++) {
        const Run &run = pass.runs[i];
        mixed.push_back(attend_behind(pass, shared_by(run),
                                      parts(begin + run.token, run.items, run.length),
                                      chain_of(run.length), windowed));
    }
    int64_t row = begin + own;
    for (size_t i = 0; nodes > 0 && i < pass.runs.size(); i++) {
        const Run &run = pass.runs[i];
        std::vector<Parts> front = shared_by(run);
        front.push_back(parts(begin + run.token, run.items, run.length));
        mixed.push_back(
            attend_behind(pass, front, parts(row, run.items, nodes), *batch.tree, windowed));
        row += run.items * nodes;
    }
    return at::cat(mixed);
}

} // namespace alcore_torch
