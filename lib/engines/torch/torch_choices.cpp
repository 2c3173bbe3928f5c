/* SPDX-License-Identifier: Apache-2.0 */
/* Log-probabilities of several targets behind each source under a language model, such as the
 * labels of a verbalizer behind a prompt. A source is read once; what all sources begin with is
 * read once for a batch. Behind a source the targets are read as a tree, in which those that begin
 * alike share these tokens: of a source with n tokens the model reads n + nodes, and makes the
 * logits of 1 + nodes of them. The last token of a target is scored and not read. */
#include <algorithm>
#include <map>
#include <numeric>

#include "torch_call.h"
#include "torch_language.h"
#include "torch_linear.h"
#include "torch_output.h"

namespace alcore_torch {

namespace {

/* Targets as a tree. What can follow the root, and each node, are its branches: a token of a target
 * and, where that goes on, the node which it is then. Branches are those of the root, then those of
 * node 0, ... */
struct Choices {
    Tree tree;
    std::vector<int64_t> labels; /* [branches] their tokens */
    std::vector<int64_t> counts; /* [1 + nodes] branches of the root and of each node */
    std::vector<int64_t> picks;  /* [tokens of all targets] the branch of each token */
    int64_t deepest = 0;         /* tokens that are read behind a source in one row */
};

/* The targets sorted by their tokens: those that begin alike follow one another, so that each node
 * precedes those that continue it. */
std::vector<int64_t> sorted(const alcore_sys_model_texts &targets) {
    std::vector<int64_t> out(static_cast<size_t>(targets.count));
    std::iota(out.begin(), out.end(), 0);
    const int64_t *ids = targets.ids, *offsets = targets.offsets;
    std::sort(out.begin(), out.end(), [&](int64_t a, int64_t b) {
        return std::lexicographical_compare(ids + offsets[a], ids + offsets[a + 1],
                                            ids + offsets[b], ids + offsets[b + 1]);
    });
    return out;
}

Choices choices_of(const alcore_sys_model_texts &targets) {
    Choices out;
    std::map<std::pair<int64_t, int64_t>, int64_t> nodes; /* of a parent and a token */
    for (int64_t i : sorted(targets)) {
        int64_t at = -1;
        for (int64_t k = targets.offsets[i]; k + 1 < targets.offsets[i + 1]; k++) {
            const int64_t depth = k - targets.offsets[i];
            const auto [found, is_new] =
                nodes.try_emplace({at, targets.ids[k]}, static_cast<int64_t>(nodes.size()));
            if (is_new) {
                out.tree.ids.push_back(targets.ids[k]);
                out.tree.parents.push_back(at);
                out.tree.depths.push_back(depth);
                out.deepest = std::max(out.deepest, depth + 1);
            }
            at = found->second;
        }
    }
    std::map<std::pair<int64_t, int64_t>, int64_t> branches; /* in their order */
    auto each_token = [&](const std::function<void(int64_t &)> &body) {
        for (int64_t i = 0; i < targets.count; i++) {
            int64_t at = -1;
            for (int64_t k = targets.offsets[i]; k < targets.offsets[i + 1]; k++) {
                const std::pair<int64_t, int64_t> here{at, targets.ids[k]};
                body(branches[here]);
                if (k + 1 < targets.offsets[i + 1]) at = nodes.at(here);
            }
        }
    };
    each_token([](int64_t &) {});
    out.counts.assign(1 + nodes.size(), 0);
    for (auto &[from, number] : branches) {
        number = static_cast<int64_t>(out.labels.size());
        out.labels.push_back(from.second);
        out.counts[static_cast<size_t>(from.first + 1)]++;
    }
    each_token([&](int64_t &number) { out.picks.push_back(number); });
    return out;
}

/* The sources of a batch, which are read with the tree and what they share. */
Packed batch_of(const Model &model, const alcore_sys_model_texts &sources, const Tree &tree,
                const std::vector<int64_t> &items, int64_t shared) {
    Packed out;
    out.items = items;
    out.shared = shared;
    std::vector<int64_t> ids(sources.ids, sources.ids + shared);
    for (int64_t item : items) {
        ids.insert(ids.end(), sources.ids + sources.offsets[item] + shared,
                   sources.ids + sources.offsets[item + 1]);
        out.lengths.push_back(length_of(sources, item) - shared);
    }
    for (size_t i = 0; i < items.size(); i++)
        ids.insert(ids.end(), tree.ids.begin(), tree.ids.end());
    out.ids = at::tensor(ids, at::TensorOptions().dtype(at::kLong)).to(model.device);
    out.tokens = static_cast<int64_t>(ids.size());
    if (!tree.ids.empty()) out.tree = &tree;
    return out;
}

/* int64: the row of the last token of each item, and behind it those of its nodes. */
at::Tensor rows_with_nodes(const Packed &batch, int64_t nodes) {
    const int64_t count = static_cast<int64_t>(batch.lengths.size());
    std::vector<int64_t> rows;
    int64_t end = batch.shared, node = batch.tokens - count * nodes;
    for (int64_t length : batch.lengths) {
        rows.push_back((end += length) - 1);
        for (int64_t k = 0; k < nodes; k++) rows.push_back(node++);
    }
    return at::tensor(rows, at::TensorOptions().dtype(at::kLong)).to(batch.ids.device());
}

/* Sources have a token, behind which targets can be, and fit with each of them. */
void check_choices(const Model &model, const alcore_sys_model_texts &sources,
                   const alcore_sys_model_texts &targets, const Choices &choices) {
    for (int64_t k = 0; k < targets.count; k++)
        if (length_of(targets, k) == 0)
            fail(ALCORE_E_DATA, "target %lld has no token", static_cast<long long>(k));
    for (int64_t i = 0; i < sources.count; i++) {
        const int64_t length = length_of(sources, i);
        if (length < 1)
            fail(ALCORE_E_DATA, "text %lld has no token, behind which its targets could be",
                 static_cast<long long>(i));
        if (length + choices.deepest > model.max_tokens)
            fail(ALCORE_E_SHAPE,
                 "text %lld has %lld tokens with its targets; 1 to %lld are allowed",
                 static_cast<long long>(i), static_cast<long long>(length + choices.deepest),
                 static_cast<long long>(model.max_tokens));
    }
}

} // namespace

void score_choices(Model &model, const alcore_sys_model_texts &sources,
                   const alcore_sys_model_texts &targets, const alcore_sys_model_scoring &scoring,
                   const alcore_sys_model_sink &sink) {
    refuse_dropout(model, &scoring);
    check_language_texts(model, sources);
    check_language_texts(model, targets);
    const Choices choices = choices_of(targets);
    check_choices(model, sources, targets, choices);
    const int64_t nodes = static_cast<int64_t>(choices.tree.ids.size());
    const at::TensorOptions options = at::TensorOptions().dtype(at::kLong);
    const at::Tensor labels = at::tensor(choices.labels, options).to(model.device),
                     picks = at::tensor(choices.picks, options).to(model.device);
    const int64_t shared = shared_beginning(sources, choices.deepest);
    auto cost = [&](int64_t i) { return length_of(sources, i) - shared + nodes; };
    auto before = [&](int64_t a, int64_t b) {
        return length_of(sources, a) > length_of(sources, b);
    };
    int64_t all = 0;
    for (int64_t i = 0; i < sources.count; i++) all += cost(i);
    PackedWeights packed(model);
    if (all > model.batch_tokens) {
        packed.pack(model.host, model.encoder);
        packed.pack(model.host, model.head_out);
    }
    for_batches(model, sources.count, cost, before, [&](const std::vector<int64_t> &items) {
        const int64_t count = static_cast<int64_t>(items.size());
        const Packed batch = batch_of(model, sources, choices.tree, items, shared);
        const at::Tensor rows =
            last_hidden(model, batch).index_select(0, rows_with_nodes(batch, nodes));
        std::vector<int64_t> counts;
        for (int64_t i = 0; i < count; i++)
            counts.insert(counts.end(), choices.counts.begin(), choices.counts.end());
        const at::Tensor values = score_by_torch(model, output_input(model, rows),
                                                 labels.expand({count, -1}).reshape({-1}), counts)
                                      .view({count, labels.size(0)})
                                      .index_select(1, picks);
        const std::vector<int64_t> lengths(items.size(), picks.size(0));
        give(sink, items, values.reshape({-1}), &lengths);
    });
}

} // namespace alcore_torch
