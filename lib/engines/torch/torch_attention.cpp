/* SPDX-License-Identifier: Apache-2.0 */
/* Attention by the kernels of torch_kernels.h (torch_attention.h). Threads share texts and heads,
 * or hypotheses; each thread has a part of a tensor for what a kernel writes down on its way. */
#include "torch_attention.h"

#include <algorithm>
#include <numeric>

#include <c10/core/InferenceMode.h>

#include "torch_kernels.h"
#include "torch_parallel.h"
#include "torch_window.h"

namespace alcore_torch {

namespace {

/* A text of a batch, or a piece of one: its first row and rows of queries, and the same of keys. */
struct Text {
    int64_t query, queries, key, keys;
    /* [queries, keys] of each head, bias_step floats from row to row, bias_head from head to head;
     * NULL: none */
    const float *bias;
    int64_t bias_step, bias_head;
};

/* The texts of a run, or where a window cuts them their pieces. */
void add_texts(const Stack &stack, const Run &run, bool cross, bool windowed,
               std::vector<Text> &texts) {
    const float *bias = !cross && run.bias.defined() ? run.bias.const_data_ptr<float>() : nullptr;
    const std::vector<Piece> pieces =
        windowed ? pieces_of(stack, run.length) : std::vector<Piece>();
    for (int64_t i = 0; i < run.items; i++) {
        const int64_t first = run.token + i * run.length;
        for (const Piece &piece : pieces)
            texts.push_back({first + piece.query, piece.queries, first + piece.key, piece.keys,
                             stack.band.const_data_ptr<float>() + piece.column, stack.band.size(1),
                             0});
        if (!pieces.empty()) continue;
        texts.push_back(
            {first, run.length, first, run.length, bias, run.length, run.length * run.length});
        if (!cross) continue;
        texts.back().key = run.memory_token + i * run.memory_length;
        texts.back().keys = run.memory_length;
    }
}

} // namespace

bool kernels_fit(const at::Tensor &x) {
    return x.device().is_cpu() && x.scalar_type() == at::kFloat && c10::InferenceMode::is_enabled();
}

at::Tensor attend_packed(const Stack &stack, const std::vector<Run> &runs, const at::Tensor &q,
                         int64_t q_parts, const at::Tensor &kv, int64_t kv_parts, bool cross,
                         bool windowed) {
    const torch_kernels &kernels = *torch_kernels_here();
    const int64_t inner = stack.heads * stack.head;
    std::vector<Text> texts;
    for (const Run &run : runs) add_texts(stack, run, cross, windowed, texts);
    int64_t longest = 0;
    for (const Text &text : texts) longest = std::max(longest, text.keys);
    const int64_t laid_out = torch_laid_out(longest, stack.head);
    const Scratch scratch(laid_out + torch_scratch(longest, stack.head));
    const at::Tensor from = q.contiguous(), to = kv.contiguous();
    at::Tensor out = at::empty({q.size(0), inner}, q.options());
    const float *queries = from.const_data_ptr<float>(), *memory = to.const_data_ptr<float>();
    float *mixed = out.data_ptr<float>();
    const std::vector<int64_t> order = dealt(texts.size());
    const int64_t tasks = static_cast<int64_t>(texts.size()) * stack.heads;
    /* A product takes an eighth of the time of a number that is copied. */
    const int64_t numbers = longest * stack.head * (2 + longest / 8);
    in_parallel(0, tasks, grain_of(numbers), [&](int64_t begin, int64_t end) {
        float *own = scratch.here();
        for (int64_t task = begin; task < end; task++) {
            const int64_t place = order[static_cast<size_t>(task / stack.heads)];
            const Text &text = texts[static_cast<size_t>(place)];
            const int64_t head = task % stack.heads, first = head * stack.head;
            const float *key = memory + (text.key * kv_parts + kv_parts - 2) * inner + first;
            kernels.lay_out(key, key + inner, kv_parts * inner, text.keys, stack.head, own);
            torch_attention what{};
            what.memory = own;
            what.keys = text.keys;
            what.head = stack.head;
            what.query = queries + text.query * q_parts * inner + first;
            what.query_step = q_parts * inner;
            what.queries = text.queries;
            what.scale = static_cast<float>(stack.attention_scale);
            if (text.bias != nullptr) what.bias = text.bias + head * text.bias_head;
            what.bias_step = text.bias_step;
            what.causal = !cross && stack.causal && text.bias == nullptr;
            what.out = mixed + text.query * inner + first;
            what.out_step = inner;
            what.scratch = own + laid_out;
            kernels.attend(&what);
        }
    });
    return out;
}

namespace {

/* The cache of models on the CPU. Nothing is moved when hypotheses are reordered or
 * dropped: the keys of a step stay where the step wrote them, and each hypothesis knows which row
 * of each step is its own. Tensors are float32 on the CPU, whatever the type of the model is.
 *
 * Memory: 2 inner components a layer for each token of the sources, and for each hypothesis of each
 * step. What no hypothesis reads any more is kept until half of the items that were there are done;
 * then the rest is copied together. So there are at most twice as many sources and hypotheses as
 * still run, and every value is copied once for each halving. */
class HostCache : public DecoderCache {
  public:
    HostCache(const Model &model, const Packed &sources, const at::Tensor &states, int64_t each);
    bool shares_first_step() const override { return true; }
    bool takes_parts() const override { return true; }
    void begin_step(int64_t rows) override;
    at::Tensor attend_tokens(size_t block, const at::Tensor &qkv, int64_t first) override;
    at::Tensor attend_sources(size_t block, const at::Tensor &q, int64_t first) override;
    void reorder(const std::vector<int64_t> &hypotheses) override;
    void keep_items(const std::vector<int64_t> &items) override;

  private:
    /* Of one block of the decoder; rows: those of the step. */
    struct BlockCache {
        at::Tensor sources;            /* text by text, head by head, as lay_out() writes them */
        std::vector<at::Tensor> steps; /* [steps so far], each [rows, 2, heads, padded head] */
    };
    void lay_out_sources(const at::Tensor &both, const Packed &packed, at::Tensor &out) const;
    void store_token(const float *qkv, float *to) const;
    int64_t place_sources();
    void compact_sources();
    void compact_steps();

    std::vector<BlockCache> blocks_;
    std::vector<int64_t> lengths_, starts_;  /* [sources] tokens, and where they begin in sources */
    std::vector<int64_t> items_;             /* [items] their indices in lengths_ and starts_ */
    std::vector<std::vector<int32_t>> rows_; /* [hypotheses][steps so far] its row in the step */
    int64_t share_ = 1, rows_each_ = 1;      /* hypotheses of a row, and rows of an item */
    at::Tensor bias_; /* of relative positions in this step, [heads, steps so far]; or undefined */
};

HostCache::HostCache(const Model &model, const Packed &sources, const at::Tensor &states,
                     int64_t each)
    : DecoderCache(model, each), lengths_(sources.lengths), items_(sources.lengths.size()),
      rows_(sources.lengths.size() * static_cast<size_t>(each)) {
    std::iota(items_.begin(), items_.end(), 0);
    const int64_t size = place_sources();
    project_sources(model, states, [&](const at::Tensor &projected) {
        BlockCache cache{at::empty({size}, at::kFloat), {}};
        lay_out_sources(projected.to(at::kCPU, at::kFloat).contiguous(), sources, cache.sources);
        blocks_.push_back(std::move(cache));
    });
}

/* Fills starts_ for sources of these lengths_, one after the other. Returns the size of all. */
int64_t HostCache::place_sources() {
    int64_t size = 0;
    starts_.clear();
    for (int64_t length : lengths_) {
        starts_.push_back(size);
        size += stack_.heads * torch_laid_out(length, stack_.head);
    }
    return size;
}

/* both [tokens, 2 inner]: keys and values of all sources. */
void HostCache::lay_out_sources(const at::Tensor &both, const Packed &packed,
                                at::Tensor &out) const {
    std::vector<int64_t> first; /* [sources] the row of the first token */
    int64_t token = 0;
    for (int64_t length : packed.lengths) {
        first.push_back(token);
        token += length;
    }
    const float *keys = both.const_data_ptr<float>();
    float *to = out.data_ptr<float>();
    const int64_t texts = static_cast<int64_t>(first.size()),
                  numbers = 2 * inner_ * token / std::max<int64_t>(texts, 1);
    in_parallel(0, texts, grain_of(numbers), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; i++) {
            const int64_t length = lengths_[static_cast<size_t>(i)];
            for (int64_t head = 0; head < stack_.heads; head++) {
                const float *key =
                    keys + first[static_cast<size_t>(i)] * 2 * inner_ + head * stack_.head;
                torch_kernels_here()->lay_out(key, key + inner_, 2 * inner_, length, stack_.head,
                                              to + starts_[static_cast<size_t>(i)] +
                                                  head * torch_laid_out(length, stack_.head));
            }
        }
    });
}

void HostCache::begin_step(int64_t rows) {
    const int64_t hypotheses = static_cast<int64_t>(rows_.size()),
                  items = static_cast<int64_t>(items_.size());
    share_ = hypotheses / std::max<int64_t>(rows, 1);
    rows_each_ = rows / std::max<int64_t>(items, 1);
    for (int64_t i = 0; i < hypotheses; i++)
        rows_[static_cast<size_t>(i)].push_back(static_cast<int32_t>(i / share_));
    for (BlockCache &cache : blocks_)
        cache.steps.push_back(
            at::empty({rows, 2, stack_.heads, torch_padded(stack_.head)}, at::kFloat));
    if (stack_.positions != Positions::Relative || rows_.empty()) return;
    const int64_t steps = static_cast<int64_t>(rows_[0].size());
    bias_ = relative_bias(stack_, steps - 1, 1, steps)
                .to(at::kCPU, at::kFloat)
                .contiguous()
                .view({stack_.heads, steps});
}

/* Writes key and value of a token, each head padded with zeros, [2, heads, padded head]. */
void HostCache::store_token(const float *qkv, float *to) const {
    const int64_t wide = torch_padded(stack_.head);
    for (int64_t part = 0; part < 2 * stack_.heads; part++, to += wide) {
        std::copy_n(qkv + inner_ + part * stack_.head, stack_.head, to);
        std::fill(to + stack_.head, to + wide, 0.0f);
    }
}

at::Tensor HostCache::attend_tokens(size_t block, const at::Tensor &qkv, int64_t first) {
    const torch_kernels &kernels = *torch_kernels_here();
    BlockCache &cache = blocks_[block];
    const at::Tensor plain = qkv.to(at::kCPU, at::kFloat).contiguous();
    const int64_t rows = plain.size(0), wide = torch_padded(stack_.head);
    const int64_t steps = static_cast<int64_t>(cache.steps.size());
    std::vector<const float *> kept;
    for (const at::Tensor &step : cache.steps) kept.push_back(step.const_data_ptr<float>());
    float *stored = cache.steps.back().data_ptr<float>() + first * 2 * stack_.heads * wide;
    const Scratch scratch(torch_scratch(steps, stack_.head));
    at::Tensor out = at::empty({rows, inner_}, at::kFloat);
    const float *queries = plain.const_data_ptr<float>(),
                *bias = bias_.defined() ? bias_.const_data_ptr<float>() : nullptr;
    float *mixed = out.data_ptr<float>();
    in_parallel(0, rows, grain_of(2 * steps * inner_), [&](int64_t begin, int64_t end) {
        std::vector<const float *> tokens(kept.size()), later(kept.size());
        auto find = [&](int64_t row, std::vector<const float *> &out) {
            const std::vector<int32_t> &own = rows_[static_cast<size_t>((first + row) * share_)];
            for (size_t j = 0; j < kept.size(); j++)
                out[j] = kept[j] + own[j] * 2 * stack_.heads * wide;
        };
        find(begin, later);
        for (int64_t row = begin; row < end; row++) {
            store_token(queries + row * 3 * inner_, stored + row * 2 * stack_.heads * wide);
            std::swap(tokens, later);
            if (row + 1 < end) find(row + 1, later);
            torch_chain what{};
            what.tokens = tokens.data();
            what.later = row + 1 < end ? later.data() : nullptr;
            what.keys = steps;
            what.head = stack_.head;
            what.value_place = stack_.heads * wide;
            what.scale = static_cast<float>(stack_.attention_scale);
            what.scratch = scratch.here();
            for (int64_t head = 0; head < stack_.heads; head++) {
                what.place = head * wide;
                what.query = queries + row * 3 * inner_ + head * stack_.head;
                if (bias != nullptr) what.bias = bias + head * steps;
                what.out = mixed + row * inner_ + head * stack_.head;
                kernels.attend_chain(&what);
            }
        }
    });
    return out.to(qkv.device(), qkv.scalar_type());
}

/* The rows may begin or end within those of an item. */
at::Tensor HostCache::attend_sources(size_t block, const at::Tensor &q, int64_t first) {
    const torch_kernels &kernels = *torch_kernels_here();
    const at::Tensor plain = q.to(at::kCPU, at::kFloat).contiguous();
    const int64_t longest = *std::max_element(lengths_.begin(), lengths_.end());
    const Scratch scratch(torch_scratch(longest, stack_.head));
    at::Tensor out = at::empty(plain.sizes(), at::kFloat);
    const float *queries = plain.const_data_ptr<float>(),
                *sources = blocks_[block].sources.const_data_ptr<float>();
    float *mixed = out.data_ptr<float>();
    const int64_t last = first + plain.size(0), item_first = first / rows_each_,
                  items = (last + rows_each_ - 1) / rows_each_ - item_first,
                  tasks = items * stack_.heads;
    in_parallel(0, tasks, grain_of(2 * longest * stack_.head), [&](int64_t begin, int64_t end) {
        for (int64_t task = begin; task < end; task++) {
            const int64_t item = item_first + task / stack_.heads, head = task % stack_.heads,
                          from = std::max(first, item * rows_each_);
            const size_t source = static_cast<size_t>(items_[static_cast<size_t>(item)]);
            const int64_t place = (from - first) * inner_ + head * stack_.head;
            torch_attention what{};
            what.keys = lengths_[source];
            what.head = stack_.head;
            what.memory = sources + starts_[source] + head * torch_laid_out(what.keys, what.head);
            what.query = queries + place;
            what.query_step = what.out_step = inner_;
            what.queries = std::min(last, (item + 1) * rows_each_) - from;
            what.scale = static_cast<float>(stack_.attention_scale);
            what.out = mixed + place;
            what.scratch = scratch.here();
            what.onward = true; /* to the next head */
            kernels.attend(&what);
        }
    });
    return out.to(q.device(), q.scalar_type());
}

void HostCache::reorder(const std::vector<int64_t> &hypotheses) {
    std::vector<std::vector<int32_t>> rows;
    for (int64_t from : hypotheses) rows.push_back(rows_[static_cast<size_t>(from)]);
    rows_ = std::move(rows);
}

/* Drops the sources of items that are done: source i is that of item i from then on. */
void HostCache::compact_sources() {
    std::vector<int64_t> lengths, from;
    for (int64_t item : items_) {
        lengths.push_back(lengths_[static_cast<size_t>(item)]);
        from.push_back(starts_[static_cast<size_t>(item)]);
    }
    lengths_ = std::move(lengths);
    std::iota(items_.begin(), items_.end(), 0);
    const int64_t size = place_sources();
    for (BlockCache &cache : blocks_) {
        at::Tensor kept = at::empty({size}, at::kFloat);
        const float *old = cache.sources.const_data_ptr<float>();
        for (size_t i = 0; i < from.size(); i++)
            std::copy_n(old + from[i], stack_.heads * torch_laid_out(lengths_[i], stack_.head),
                        kept.data_ptr<float>() + starts_[i]);
        cache.sources = kept;
    }
}

/* Drops the rows of steps that no hypothesis is made of. */
void HostCache::compact_steps() {
    const size_t steps = rows_.empty() ? 0 : rows_[0].size();
    for (size_t step = 0; step < steps; step++) {
        std::vector<int64_t> kept; /* rows that are in use, ascending */
        for (const std::vector<int32_t> &own : rows_) kept.push_back(own[step]);
        std::sort(kept.begin(), kept.end());
        kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
        for (std::vector<int32_t> &own : rows_)
            own[step] = static_cast<int32_t>(std::lower_bound(kept.begin(), kept.end(), own[step]) -
                                             kept.begin());
        const at::Tensor index = at::tensor(kept, at::TensorOptions().dtype(at::kLong));
        for (BlockCache &cache : blocks_)
            cache.steps[step] = cache.steps[step].index_select(0, index);
    }
}

void HostCache::keep_items(const std::vector<int64_t> &items) {
    std::vector<int64_t> kept;
    for (int64_t item : items) kept.push_back(items_[static_cast<size_t>(item)]);
    items_ = std::move(kept);
    reorder(hypotheses_of(items));
    if (2 * items_.size() > lengths_.size()) return;
    compact_sources();
    compact_steps();
}

} // namespace

std::unique_ptr<DecoderCache> host_cache(const Model &model, const Packed &sources,
                                         const at::Tensor &states, int64_t each) {
    return std::make_unique<HostCache>(model, sources, states, each);
}

} // namespace alcore_torch
