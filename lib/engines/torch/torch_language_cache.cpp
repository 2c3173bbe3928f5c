/* SPDX-License-Identifier: Apache-2.0 */
/* Keys and values of a language model while it makes outputs (torch_attention.h). A hypothesis is a
 * row; its keys are those of its prompt, which ends in column prompt_ - 1 whatever its length is,
 * and those of its own tokens, one column a step. So the column of a key less that of the query is
 * the distance of their positions in every row, and a window is the last columns.
 *
 * On the CPU a row attends by the module's kernel to its own columns, elsewhere by torch to all, of
 * which those before its prompt are masked.
 *
 * Memory: 2 kv_heads head components a layer, row and column; there is room for ROOM columns behind
 * the prompts, and for half as many again as there are whenever it is used up. More would be
 * cleared by the system for outputs that end before: 64 columns took up to a sixth of the time of
 * short ones. */
#include <algorithm>

#include "torch_attention.h"
#include "torch_kernels.h"
#include "torch_parallel.h"
#include "torch_rotary.h"

namespace alcore_torch {

namespace {

constexpr int64_t ROOM = 16;

class LanguageCache : public DecoderCache {
  public:
    LanguageCache(const Model &model, const Packed &prompts, int64_t each);
    void begin_step(int64_t rows) override;
    at::Tensor attend_tokens(size_t block, const at::Tensor &qkv, int64_t) override;
    at::Tensor attend_sources(size_t, const at::Tensor &q, int64_t) override { return q; }
    void reorder(const std::vector<int64_t> &hypotheses) override;
    void keep_items(const std::vector<int64_t> &items) override;

  private:
    /* [2, rows, kv_heads, columns that there is room for, room_]: keys and values. */
    using Kept = at::Tensor;
    /* Of projections [rows, 3 inner] the queries [rows, kv_heads, group, head] and, once for the
     * queries that share them, keys and values [rows, kv_heads, head]. */
    struct Parts {
        at::Tensor query, key, value;
    };
    Parts parts_of(const at::Tensor &projected) const {
        const int64_t shared = stack_.kv_heads;
        const at::Tensor all =
            projected.view({projected.size(0), 3, shared, stack_.heads / shared, stack_.head});
        return {all.select(1, 0), all.select(1, 1).select(2, 0), all.select(1, 2).select(2, 0)};
    }
    /* The keys, or the values, of a block: [rows, kv_heads, columns, head]. */
    at::Tensor keys_of(const Kept &kept) const { return kept[0].narrow(3, 0, stack_.head); }
    at::Tensor values_of(const Kept &kept) const { return kept[1].narrow(3, 0, stack_.head); }
    void fill(const Model &model, const Packed &prompts);
    at::Tensor attend_here(const Kept &kept, const at::Tensor &query, int64_t first) const;
    void select(const std::vector<int64_t> &rows);

    std::vector<Kept> blocks_;
    std::vector<Turn> turns_;
    at::Tensor next_;             /* int64 [rows] position of the token that is read next */
    std::vector<int64_t> starts_; /* [rows] the column in which its prompt begins */
    at::Tensor mask_; /* float [rows, 1, 1, prompt_]: minus infinity before a prompt begins */
    int64_t prompt_ = 0, steps_ = 0;
    int64_t room_; /* numbers of a key: of a head, padded for the kernel on the CPU */
    const at::Device device_;
};

/* Rows of prompts, which are read but for their last token. */
LanguageCache::LanguageCache(const Model &model, const Packed &prompts, int64_t each)
    : DecoderCache(model, each),
      room_(model.device.is_cpu() ? torch_padded(stack_.head) : stack_.head),
      device_(model.device) {
    std::vector<int64_t> lengths;
    for (int64_t length : prompts.lengths)
        for (int64_t b = 0; b < each; b++) lengths.push_back(length - 1);
    for (int64_t length : lengths) prompt_ = std::max(prompt_, length);
    for (int64_t length : lengths) starts_.push_back(prompt_ - length);
    const int64_t rows = static_cast<int64_t>(lengths.size());
    next_ = at::tensor(lengths, at::TensorOptions().dtype(at::kLong)).to(device_);
    const at::Tensor columns =
        at::arange(prompt_, at::TensorOptions().dtype(at::kLong).device(device_));
    mask_ = at::zeros({rows, prompt_}, at::TensorOptions().dtype(at::kFloat).device(device_))
                .masked_fill(columns.unsqueeze(0) < (prompt_ - next_).unsqueeze(1),
                             -std::numeric_limits<float>::infinity())
                .view({rows, 1, 1, prompt_});
    for (size_t i = 0; i < stack_.blocks.size(); i++) {
        const at::TensorOptions options = at::TensorOptions().dtype(model.dtype).device(device_);
        blocks_.push_back(at::zeros({2, rows, stack_.kv_heads, prompt_ + ROOM, room_}, options));
    }
    fill(model, prompts);
}

/* Reads the prompts without their last tokens, those that have others. */
void LanguageCache::fill(const Model &model, const Packed &prompts) {
    Packed read;
    std::vector<at::Tensor> ids;
    int64_t token = 0;
    for (int64_t length : prompts.lengths) {
        if (length > 1) {
            read.lengths.push_back(length - 1);
            ids.push_back(prompts.ids.narrow(0, token, length - 1));
            read.tokens += length - 1;
        }
        token += length;
    }
    if (ids.empty()) return;
    read.ids = at::cat(ids);
    StackPass pass(model, stack_, read, {}, nullptr);
    pass.keep = [&](size_t number, const at::Tensor &projected) {
        const Parts parts = parts_of(projected);
        int64_t from = 0, row = 0;
        for (int64_t length : prompts.lengths) {
            const int64_t count = length - 1;
            for (int64_t b = 0; b < each_ && count > 0; b++)
                for (bool key : {true, false}) {
                    const at::Tensor &of = key ? parts.key : parts.value;
                    const Kept &kept = blocks_[number];
                    const at::Tensor to = key ? keys_of(kept) : values_of(kept);
                    to[row + b]
                        .narrow(1, prompt_ - count, count)
                        .copy_(of.narrow(0, from, count).transpose(0, 1));
                }
            from += count;
            row += each_;
        }
    };
    at::Tensor x = pass.embed();
    for (size_t i = 0; i < stack_.blocks.size(); i++) x = pass.block(i, x, {});
}

void LanguageCache::begin_step(int64_t) {
    turns_.clear();
    for (const Rotation &rotation : stack_.rotations) turns_.push_back(turn_of(next_, rotation));
    next_ = next_ + 1;
    steps_++;
}

/* Attention of query [rows, kv_heads, group, head] to the columns from `first` on. */
at::Tensor LanguageCache::attend_here(const Kept &kept, const at::Tensor &query,
                                      int64_t first) const {
    const torch_kernels &kernels = *torch_kernels_here();
    const at::Tensor from = query.contiguous();
    const int64_t rows = from.size(0), shared = stack_.kv_heads, group = from.size(2),
                  head = stack_.head, columns = kept.size(3), end = prompt_ + steps_;
    at::Tensor out = at::empty({rows, inner_}, from.options());
    const float *memory = kept.const_data_ptr<float>(), *queries = from.const_data_ptr<float>();
    float *mixed = out.data_ptr<float>();
    std::vector<const float *> tokens; /* [end] of the first head of the first row */
    for (int64_t j = 0; j < end; j++) tokens.push_back(memory + j * room_);
    const Scratch scratch(torch_scratch(end, head));
    in_parallel(
        0, rows * shared, grain_of(2 * (end - first) * head), [&](int64_t begin, int64_t until) {
            for (int64_t task = begin; task < until; task++) {
                const int64_t start = std::max(first, starts_[static_cast<size_t>(task / shared)]);
                torch_chain what{};
                what.tokens = tokens.data() + start;
                what.keys = end - start;
                what.head = head;
                what.place = task * columns * room_;
                what.value_place = rows * shared * columns * room_;
                what.scale = static_cast<float>(stack_.attention_scale);
                what.scratch = scratch.here();
                for (int64_t g = task * group; g < (task + 1) * group; g++) {
                    what.query = queries + g * head;
                    what.out = mixed + g * head;
                    kernels.attend_chain(&what);
                }
            }
        });
    return out;
}

at::Tensor LanguageCache::attend_tokens(size_t number, const at::Tensor &qkv, int64_t) {
    const Block &block = stack_.blocks[number];
    Kept &own = blocks_[number];
    const int64_t rows = qkv.size(0), end = prompt_ + steps_;
    const Parts parts =
        parts_of(turned(stack_, block, qkv, turns_[static_cast<size_t>(block.rotation)]));
    if (end > own.size(3)) {
        std::vector<int64_t> more = own.sizes().vec();
        more[3] = std::max(ROOM, more[3] / 2);
        own = at::cat({own, at::zeros(more, own.options())}, 3);
    }
    keys_of(own).select(2, end - 1).copy_(parts.key);
    values_of(own).select(2, end - 1).copy_(parts.value);
    const int64_t first = block.windowed ? std::max<int64_t>(end - 1 - stack_.window, 0) : 0;
    if (kernels_fit(qkv)) return attend_here(own, parts.query, first);
    const at::Tensor keys = keys_of(own).narrow(2, first, end - first),
                     values = values_of(own).narrow(2, first, end - first);
    at::Tensor scores =
        at::matmul(parts.query, keys.transpose(-2, -1)).to(at::kFloat) * stack_.attention_scale;
    if (first < prompt_) {
        at::Tensor of_prompt = scores.narrow(3, 0, prompt_ - first);
        of_prompt.add_(mask_.narrow(3, first, prompt_ - first));
    }
    const at::Tensor weights = at::softmax(scores, -1).to(values.scalar_type());
    return at::matmul(weights, values).reshape({rows, inner_});
}

void LanguageCache::select(const std::vector<int64_t> &rows) {
    const at::Tensor index = at::tensor(rows, at::TensorOptions().dtype(at::kLong)).to(device_);
    std::vector<int64_t> starts;
    for (int64_t row : rows) starts.push_back(starts_[static_cast<size_t>(row)]);
    starts_ = std::move(starts);
    for (Kept &own : blocks_) own = own.index_select(1, index);
    next_ = next_.index_select(0, index);
    mask_ = mask_.index_select(0, index);
}

void LanguageCache::reorder(const std::vector<int64_t> &hypotheses) {
    bool moved = false;
    for (size_t i = 0; i < hypotheses.size(); i++)
        moved = moved || hypotheses[i] != static_cast<int64_t>(i);
    if (moved) select(hypotheses);
}

void LanguageCache::keep_items(const std::vector<int64_t> &items) {
    select(hypotheses_of(items));
}

} // namespace

std::unique_ptr<DecoderCache> language_cache(const Model &model, const Packed &prompts,
                                             int64_t each) {
    return std::make_unique<LanguageCache>(model, prompts, each);
}

} // namespace alcore_torch
