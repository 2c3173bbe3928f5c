/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of a batch with a shared beginning or a tree (torch_tree.h). The tokens of the
 * beginning do not attend to what is behind them, and the tokens of an item do not attend to the
 * tree behind it: both attend as in any batch. The tokens behind attend to two kinds of keys, which
 * are joined: those in front, and those of their own tree, of which a mask leaves the token's own
 * and its ancestors'. An item behind a shared beginning is a tree without branches.
 *
 * A tree is cut into groups of consecutive nodes. A node precedes all nodes that continue it, so
 * that an ancestor of a node is in the node's group, or is an ancestor of the group's first node.
 * So a group attends to the keys in front of the tree, the path to its first node, and itself.
 *
 * Memory: keys and values of as many tokens as a batch has, or JOINED, a second time, as they are
 * joined for some items at a time, and the mask of a group, [GROUP, keys in front + path + GROUP].
 */
#include "torch_tree.h"

#include <algorithm>
#include <limits>

namespace alcore_torch {

static constexpr int64_t JOINED = 4096; /* tokens: not many small products for short items */
static constexpr int64_t GROUP = 512;   /* nodes */

/* Nodes first .. first + count - 1 of a tree, and the ancestors of the first, which are as many as
 * its depth, the one behind the root first. */
struct Group {
    int64_t first, count;
    std::vector<int64_t> path;
};

static std::vector<Group> groups_of(const Tree &tree) {
    const int64_t nodes = static_cast<int64_t>(tree.ids.size());
    std::vector<Group> out;
    for (int64_t first = 0; first < nodes; first += GROUP) {
        std::vector<int64_t> path;
        for (int64_t at = tree.parents[static_cast<size_t>(first)]; at >= 0;
             at = tree.parents[static_cast<size_t>(at)])
            path.push_back(at);
        std::reverse(path.begin(), path.end());
        out.push_back({first, std::min(GROUP, nodes - first), path});
    }
    return out;
}

/* The mask of a group: 0 for keys that a node attends to, else minus infinity, float [count, keys +
 * path + count], where the first `keys` are the last ones of their item. window: positions that
 * attention reaches back. */
static at::Tensor mask_of(const Tree &tree, const Group &group, int64_t keys, int64_t window) {
    const int64_t path = static_cast<int64_t>(group.path.size()), all = keys + path + group.count;
    at::Tensor out = at::full({group.count, all}, -std::numeric_limits<float>::infinity());
    float *row = out.data_ptr<float>();
    for (int64_t k = group.first; k < group.first + group.count; k++, row += all) {
        const int64_t depth = tree.depths[static_cast<size_t>(k)];
        /* Key j is keys - j + depth positions before the node. */
        for (int64_t j = std::max<int64_t>(keys + depth - window, 0); j < keys; j++) row[j] = 0;
        for (int64_t at = k; at >= 0; at = tree.parents[static_cast<size_t>(at)]) {
            const int64_t level = tree.depths[static_cast<size_t>(at)];
            const int64_t place = at < group.first ? level : path + at - group.first;
            if (depth - level <= window) row[keys + place] = 0;
        }
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
                  keys = std::min(length, window);
    std::vector<at::Tensor> groups; /* each [items, heads, count, head] */
    for (const Group &group : groups_of(tree)) {
        const int64_t read = static_cast<int64_t>(group.path.size()) + group.count;
        const int64_t step =
            std::max<int64_t>(std::max(pass.model.batch_tokens, JOINED) / (length + read), 1);
        const at::Tensor mask =
            mask_of(tree, group, keys, window).to(own[0].device(), own[0].scalar_type());
        const at::Tensor path =
            at::tensor(group.path, at::TensorOptions().dtype(at::kLong)).to(own[0].device());
        std::vector<at::Tensor> mixed;
        for (int64_t from = 0; from < items; from += step) {
            const int64_t count = std::min(step, items - from);
            auto some = [&](size_t part) {
                return own[part].narrow(0, from, count).narrow(2, group.first, group.count);
            };
            auto joined = [&](size_t part) {
                std::vector<at::Tensor> all;
                for (const Parts &one : front) all.push_back(one[part].narrow(0, from, count));
                if (!group.path.empty())
                    all.push_back(own[part].narrow(0, from, count).index_select(2, path));
                all.push_back(some(part));
                return at::cat(all, 2).narrow(2, length - keys, keys + read);
            };
            mixed.push_back(
                attend_run(some(0), joined(1), joined(2), mask, false, stack, pass.dropout, 0));
        }
        groups.push_back(at::cat(mixed));
        pass.model.host.tick(nullptr, 0, 0);
    }
    return at::cat(groups, 2).transpose(1, 2).reshape({items * nodes, stack.heads * stack.head});
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
