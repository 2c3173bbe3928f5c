/* SPDX-License-Identifier: Apache-2.0 */
/* One batch on its way through a stack, block by block (torch_stack.cpp): for run_stack(), which
 * computes all blocks at once, and for training that computes them twice (torch_recompute.cpp). */
#ifndef ALCORE__TORCH_STACK_H
#define ALCORE__TORCH_STACK_H

#include "torch_rotary.h"

namespace alcore_torch {

/* A run of neighbors in the batch that are of one length (with a memory: of one pair of lengths).
 */
struct Run {
    int64_t items, length, token; /* length of each item; token: row of the first one */
    int64_t memory_length = 0, memory_token = 0;
    at::Tensor bias; /* of relative positions and of causality, when there are any */
};

/* What all blocks of a stack share on one batch. Model, stack and batch are borrowed. */
struct StackPass {
    const Model &model;
    const Stack &stack;
    const Packed &batch;
    std::vector<Run> runs;
    std::vector<int64_t> memory_lengths; /* [items] tokens of each item's encoder states, or none */
    Dropout *dropout;                    /* NULL: nothing is dropped */
    std::vector<Turn> turns;             /* of stack.rotations, for the tokens of the batch */
    /* Where it is given: receives the turned projections of each block, [tokens, 3 heads head]. */
    std::function<void(size_t, const at::Tensor &)> keep;

    StackPass(const Model &model, const Stack &stack, const Packed &batch,
              const std::vector<int64_t> &memory_lengths, Dropout *dropout);
    /* What enters the first block, [tokens, dims]. */
    at::Tensor embed() const;
    /* The output of a block, [tokens, dims], of its input x. memory: encoder states [memory
     * tokens, dims]; undefined: no cross attention. */
    at::Tensor block(size_t number, at::Tensor x, const at::Tensor &memory) const;
    /* The output of the stack, [tokens, dims], of that of its last block. */
    at::Tensor finish(const at::Tensor &x) const;

    /* x with dropout, where there is one. */
    at::Tensor drop(const at::Tensor &x, double rate) const;

  private:
    /* Throws when the call is cancelled, which is asked now and, where gradients are taken, when
     * the gradient of x is known. Returns x. */
    at::Tensor watched(const at::Tensor &x) const;
};

/* The rows of x [rows, n] that belong to each run: of its items or, with `memory`, of theirs. */
std::vector<at::Tensor> split_runs(const at::Tensor &x, const std::vector<Run> &runs, bool memory);

/* Attention run by run: [tokens, heads * head]. q [tokens, q_parts * heads * head] holds q_parts
 * projections side by side, of which the first is the query; kv holds kv_parts in the same way, of
 * which the last two are key and value, and is q itself without `cross`. windowed: within the
 * window of the stack. */
at::Tensor attend(const Stack &stack, const std::vector<Run> &runs, const at::Tensor &q,
                  int64_t q_parts, const at::Tensor &kv, int64_t kv_parts, bool cross,
                  bool windowed, Dropout *dropout);

/* softmax(query key^T scale + bias) value, [items, heads, length, head] as the three are, with
 * dropout where there is one. first: index in the batch of the first item. */
at::Tensor attend_run(const at::Tensor &query, const at::Tensor &key, const at::Tensor &value,
                      const std::optional<at::Tensor> &bias, bool causal, const Stack &stack,
                      Dropout *dropout, size_t first);

} // namespace alcore_torch

#endif
