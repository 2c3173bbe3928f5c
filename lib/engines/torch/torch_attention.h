/* SPDX-License-Identifier: Apache-2.0 */
/* Attention without gradients by the module's own kernels (torch_kernels.h): over the packed tokens
 * of a batch, and of a decoder that makes outputs token by token. */
#ifndef ALCORE__TORCH_ATTENTION_H
#define ALCORE__TORCH_ATTENTION_H

#include <ATen/Parallel.h>

#include "torch_parallel.h"
#include "torch_stack.h"

namespace alcore_torch {

/* Whether attend_packed() can be used: x is float32 on the CPU, in a call that does not train. A
 * training that computes its blocks twice (torch_recompute.cpp) needs the same bits with and
 * without gradients. */
bool kernels_fit(const at::Tensor &x);

/* Memory for every thread of a parallel loop, `size` floats each. */
struct Scratch {
    int64_t size;
    at::Tensor all;
    explicit Scratch(int64_t size)
        : size(size), all(at::empty({threads_here() * size}, at::kFloat)) {}
    float *here() const { return all.data_ptr<float>() + at::get_thread_num() * size; }
};

/* Attention of each text of a batch, [tokens, heads * head]. q [tokens, q_parts * heads * head] has
 * q_parts projections side by side, of which the first is the query; kv has kv_parts in the same
 * way, of which the last two are key and value, and is q itself without `cross`. windowed: within
 * the window of the stack (torch_window.h). */
at::Tensor attend_packed(const Stack &stack, const std::vector<Run> &runs, const at::Tensor &q,
                         int64_t q_parts, const at::Tensor &kv, int64_t kv_parts, bool cross,
                         bool windowed);

/* The stack that makes outputs: the decoder, or the only one of a language model. */
inline const Stack &decoding_stack(const Model &model) {
    return model.decoder ? *model.decoder : model.encoder;
}

/* Keys and values that a decoder attends to while outputs are made: those of the source texts, and
 * those of the tokens so far of every hypothesis. An item is a source, `each` the number of its
 * hypotheses; inner = heads x head. */
class DecoderCache {
  public:
    virtual ~DecoderCache() = default;
    DecoderCache(const DecoderCache &) = delete;
    DecoderCache &operator=(const DecoderCache &) = delete;
    /* Whether the first step may have one row for each item in place of one for each hypothesis:
     * the hypotheses of an item are equal until then. */
    virtual bool shares_first_step() const { return false; }
    /* Whether several threads may attend for one block at once, each for rows of its own. */
    virtual bool takes_parts() const { return false; }
    /* Opens a step, in which each hypothesis reads one token: attend_tokens() and attend_sources()
     * come once for each block. rows: hypotheses, or items in a first step that they share. */
    virtual void begin_step(int64_t rows) = 0;
    /* qkv [rows, 3 inner] (inner = heads x head): query, key and value of the new tokens. Returns
     * [rows, inner], the attention of each to the tokens of its hypothesis. first: the row of the
     * step that is row 0 here; 0, and all rows, unless the cache takes parts. */
    virtual at::Tensor attend_tokens(size_t block, const at::Tensor &qkv, int64_t first) = 0;
    /* Attention of queries q [rows, inner] to the sources of their items, of that shape. */
    virtual at::Tensor attend_sources(size_t block, const at::Tensor &q, int64_t first) = 0;
    /* Hypothesis i is a continuation of what was hypothesis hypotheses[i]. */
    virtual void reorder(const std::vector<int64_t> &hypotheses) = 0;
    /* Drops all other items and their hypotheses. items: indices among the present ones, in the
     * order that they have from then on. */
    virtual void keep_items(const std::vector<int64_t> &items) = 0;

  protected:
    DecoderCache(const Model &model, int64_t each)
        : stack_(decoding_stack(model)), each_(each), inner_(stack_.heads * stack_.head) {}
    /* Passes keys and values that a block of the decoder has of the sources, states W^T [...,
     * 2 inner] for states [..., dims], to body, block by block. Throws when cancelled. */
    void project_sources(const Model &model, const at::Tensor &states,
                         const std::function<void(const at::Tensor &)> &body) const {
        for (const Block &block : stack_.blocks) {
            body(block.cross_kv(states));
            model.host.tick(nullptr, 0, 0);
        }
    }
    /* The hypotheses of items, in their order. */
    std::vector<int64_t> hypotheses_of(const std::vector<int64_t> &items) const {
        std::vector<int64_t> out;
        for (int64_t item : items)
            for (int64_t b = 0; b < each_; b++) out.push_back(item * each_ + b);
        return out;
    }

    const Stack &stack_;
    const int64_t each_, inner_;
};

/* A cache for the hypotheses of some sources. states [tokens of the sources, dims]: what the
 * encoder made of them. Throws when cancelled. The first
 * is for models on the CPU, the second for those on other devices (torch_device_cache.cpp). */
std::unique_ptr<DecoderCache> host_cache(const Model &model, const Packed &sources,
                                         const at::Tensor &states, int64_t each);
std::unique_ptr<DecoderCache> device_cache(const Model &model, const Packed &sources,
                                           const at::Tensor &states, int64_t each);
/* The same of a language model on any device, for outputs that continue prompts
 * (torch_language_cache.cpp). */
std::unique_ptr<DecoderCache> language_cache(const Model &model, const Packed &prompts,
                                             int64_t each);

} // namespace alcore_torch

#endif
