/* SPDX-License-Identifier: Apache-2.0 */
/* Attention without gradients by the module's own kernels (torch_kernels.h): over the packed tokens
 * of a batch, and of a decoder that makes outputs token by token. */
#ifndef ALCORE__TORCH_ATTENTION_H
#define ALCORE__TORCH_ATTENTION_H

#include "torch_stack.h"

namespace alcore_torch {

/* Whether attend_packed() can be used: x is float32 on the CPU, in a call that does not train. A
 * training that computes its blocks twice (torch_recompute.cpp) needs the same bits with and without
 * gradients. */
bool kernels_fit(const at::Tensor &x);

/* Attention of each text of a batch, [tokens, heads * head]. q [tokens, q_parts * heads * head] has
 * q_parts projections side by side, of which the first is the query; kv has kv_parts in the same
 * way, of which the last two are key and value, and is q itself without `cross`. */
at::Tensor attend_packed(const Stack &stack, const std::vector<Run> &runs, const at::Tensor &q,
                         int64_t q_parts, const at::Tensor &kv, int64_t kv_parts, bool cross);

/* Keys and values that a decoder attends to while outputs are made: those of the source texts, and
 * those of the tokens so far of every hypothesis. Nothing is moved when hypotheses are reordered or
 * dropped: the keys of a step stay where the step wrote them, and each hypothesis knows which row
 * of each step is its own. Tensors are float32 on the CPU, whatever the type of the model is.
 *
 * Memory: 2 inner components (inner = heads x head) a layer for each token of the sources, and for
 * each hypothesis of each step. */
class DecoderCache {
  public:
    /* states [tokens of the sources, dims]: what the encoder made of them. each: hypotheses of an
     * item (a source). Throws when cancelled. */
    DecoderCache(const Model &model, const Packed &sources, const at::Tensor &states, int64_t each);
    /* Opens a step, in which each hypothesis reads one token: attend_tokens() and attend_sources()
     * come once for each block. */
    void begin_step();
    /* qkv [hypotheses, 3 inner]: query, key and value of the new tokens. Returns [hypotheses,
     * inner], the attention of each to the tokens of its hypothesis. */
    at::Tensor attend_tokens(size_t block, const at::Tensor &qkv);
    /* Attention of queries q [hypotheses, inner] to the sources of their items, of that shape. */
    at::Tensor attend_sources(size_t block, const at::Tensor &q) const;
    /* Hypothesis i is a continuation of what was hypothesis hypotheses[i]. */
    void reorder(const std::vector<int64_t> &hypotheses);
    /* Drops all other items and their hypotheses. items: indices among the present ones. */
    void keep_items(const std::vector<int64_t> &items);

  private:
    /* Of one block of the decoder; rows: the hypotheses of the step. */
    struct BlockCache {
        at::Tensor sources;            /* text by text, head by head, as lay_out() writes them */
        std::vector<at::Tensor> steps; /* [steps so far], each [rows, 2, heads, padded head] */
    };
    void lay_out_sources(const at::Tensor &both, const Packed &packed, at::Tensor &out) const;
    void store_tokens(const at::Tensor &qkv, BlockCache &cache) const;

    const Stack &stack_;
    int64_t each_, inner_;
    std::vector<BlockCache> blocks_;
    std::vector<int64_t> lengths_, starts_;  /* [sources] tokens, and where they begin in sources */
    std::vector<int64_t> items_;             /* [items] their indices in lengths_ and starts_ */
    std::vector<std::vector<int32_t>> rows_; /* [hypotheses][steps so far] its row in the step */
    at::Tensor bias_; /* of relative positions in this step, [heads, steps so far]; or undefined */
};

} // namespace alcore_torch

#endif
