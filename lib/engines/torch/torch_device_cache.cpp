/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of a decoder on a device that is not the CPU, by torch's operations alone, so that
 * keys, values and states stay on the device (torch_attention.h).
 *
 * Memory: 2 layers inner components (inner = heads x head) for each token so far of a hypothesis,
 * and for each source token of an item. */
#include <algorithm>

#include "torch_attention.h"

namespace alcore_torch {

namespace {

/* Encoder states [tokens, dims] of the batch (items one after the other) as [items, longest, dims],
 * padded with zeros. mask: bool [items, 1, 1, longest], true where there is a token; left undefined
 * where all items are of one length. */
at::Tensor pad_memory(const Packed &sources, const at::Tensor &memory, at::Tensor &mask) {
    int64_t items = static_cast<int64_t>(sources.lengths.size());
    int64_t longest = *std::max_element(sources.lengths.begin(), sources.lengths.end());
    if (longest * items == sources.tokens) return memory.view({items, longest, memory.size(1)});
    at::Tensor out = at::zeros({items, longest, memory.size(1)}, memory.options());
    mask = at::zeros({items, 1, 1, longest}, memory.options().dtype(at::kBool));
    int64_t token = 0;
    for (int64_t i = 0; i < items; i++) {
        int64_t length = sources.lengths[static_cast<size_t>(i)];
        out[i].narrow(0, 0, length).copy_(memory.narrow(0, token, length));
        mask[i].narrow(2, 0, length).fill_(true);
        token += length;
    }
    return out;
}

/* A cache [rows, heads, capacity, head] with capacity for one token more than the `used` ones: the
 * same where it has that, else a copy of capacity used + max(16, used / 2). */
at::Tensor grown(const at::Tensor &cache, int64_t used) {
    if (cache.size(2) > used) return cache;
    std::vector<int64_t> shape = cache.sizes().vec();
    shape[2] = used + std::max<int64_t>(16, used / 2);
    at::Tensor out = at::empty(shape, cache.options());
    out.narrow(2, 0, used).copy_(cache.narrow(2, 0, used));
    return out;
}

class DeviceCache : public DecoderCache {
  public:
    DeviceCache(const Model &model, const Packed &sources, const at::Tensor &states, int64_t each);
    void begin_step(int64_t rows) override;
    at::Tensor attend_tokens(size_t block, const at::Tensor &qkv, int64_t) override;
    at::Tensor attend_sources(size_t block, const at::Tensor &q, int64_t) override;
    void reorder(const std::vector<int64_t> &hypotheses) override;
    void keep_items(const std::vector<int64_t> &items) override;

  private:
    /* Of one block of the decoder. */
    struct BlockCache {
        at::Tensor key, value; /* [items each, heads, capacity, head] the first steps_ are set */
        at::Tensor memory_key, memory_value; /* [items, heads, source length, head] */
    };
    at::Tensor indices(const std::vector<int64_t> &values) const {
        return at::tensor(values, at::TensorOptions().dtype(at::kLong)).to(device_);
    }
    at::Device device_;
    int64_t steps_ = 0; /* tokens of each hypothesis, with that of this step */
    std::vector<BlockCache> blocks_;
    at::Tensor mask_; /* bool [items, 1, 1, source length]; undefined: all are of one length */
    std::optional<at::Tensor> bias_; /* of relative positions, [1, heads, 1, steps_] */
};

DeviceCache::DeviceCache(const Model &model, const Packed &sources, const at::Tensor &states,
                         int64_t each)
    : DecoderCache(model, each), device_(model.device) {
    at::Tensor memory = pad_memory(sources, states, mask_);
    int64_t items = memory.size(0);
    at::Tensor none = at::empty({items * each, stack_.heads, 0, stack_.head}, memory.options());
    project_sources(model, memory, [&](const at::Tensor &projected) {
        at::Tensor both =
            projected.view({items, memory.size(1), 2, stack_.heads, stack_.head}).transpose(1, 3);
        blocks_.push_back({none, none, both.select(2, 0), both.select(2, 1)});
    });
}

void DeviceCache::begin_step(int64_t) {
    steps_++;
    if (stack_.positions == Positions::Relative)
        bias_ = relative_bias(stack_, steps_ - 1, 1, steps_);
}

/* parts [hypotheses, 3, heads, 1, head], so that a query meets the keys of its own hypothesis. */
at::Tensor DeviceCache::attend_tokens(size_t block, const at::Tensor &qkv, int64_t) {
    BlockCache &cache = blocks_[block];
    int64_t rows = qkv.size(0);
    at::Tensor parts = qkv.view({rows, 3, stack_.heads, 1, stack_.head});
    cache.key = grown(cache.key, steps_ - 1);
    cache.value = grown(cache.value, steps_ - 1);
    cache.key.narrow(2, steps_ - 1, 1).copy_(parts.select(1, 1));
    cache.value.narrow(2, steps_ - 1, 1).copy_(parts.select(1, 2));
    return at::scaled_dot_product_attention(parts.select(1, 0), cache.key.narrow(2, 0, steps_),
                                            cache.value.narrow(2, 0, steps_), bias_, 0.0, false,
                                            stack_.attention_scale)
        .reshape({rows, inner_});
}

/* The hypotheses of an item are queries of one attention to its sources. */
at::Tensor DeviceCache::attend_sources(size_t block, const at::Tensor &q, int64_t) {
    const BlockCache &cache = blocks_[block];
    int64_t items = cache.memory_key.size(0);
    std::optional<at::Tensor> mask;
    if (mask_.defined()) mask = mask_.expand({items, 1, each_, mask_.size(3)});
    at::Tensor queries = q.view({items, each_, stack_.heads, stack_.head}).transpose(1, 2);
    return at::scaled_dot_product_attention(queries, cache.memory_key, cache.memory_value, mask,
                                            0.0, false, stack_.attention_scale)
        .transpose(1, 2)
        .reshape({items * each_, inner_});
}

void DeviceCache::reorder(const std::vector<int64_t> &hypotheses) {
    bool same = static_cast<int64_t>(hypotheses.size()) == blocks_[0].key.size(0);
    for (size_t i = 0; same && i < hypotheses.size(); i++)
        same = hypotheses[i] == static_cast<int64_t>(i);
    if (same) return;
    at::Tensor rows = indices(hypotheses);
    for (BlockCache &cache : blocks_) {
        cache.key = cache.key.index_select(0, rows);
        cache.value = cache.value.index_select(0, rows);
    }
}

void DeviceCache::keep_items(const std::vector<int64_t> &items) {
    reorder(hypotheses_of(items));
    at::Tensor rows = indices(items);
    for (BlockCache &cache : blocks_) {
        cache.memory_key = cache.memory_key.index_select(0, rows);
        cache.memory_value = cache.memory_value.index_select(0, rows);
    }
    if (mask_.defined()) mask_ = mask_.index_select(0, rows);
}

} // namespace

std::unique_ptr<DecoderCache> device_cache(const Model &model, const Packed &sources,
                                           const at::Tensor &states, int64_t each) {
    return std::make_unique<DeviceCache>(model, sources, states, each);
}

} // namespace alcore_torch
