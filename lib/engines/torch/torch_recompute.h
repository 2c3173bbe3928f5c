/* SPDX-License-Identifier: Apache-2.0 */
/* Stacks whose blocks are computed twice in training, for less memory (torch_recompute.cpp). */
#ifndef ALCORE__TORCH_RECOMPUTE_H
#define ALCORE__TORCH_RECOMPUTE_H

#include "torch_stack.h"

namespace alcore_torch {

/* Tensors with a graph behind them, and the gradients of the loss with respect to them. */
struct Roots {
    std::vector<at::Tensor> values, gradients;
    void add(const at::Tensor &value, const at::Tensor &gradient);
    /* Adds what follows from these gradients to those of the parameters. */
    void backward() const;
};

/* One stack on one batch. What is borrowed lives until the backward() below has ended. */
class RecomputedStack {
  public:
    /* memory: encoder states that have a gradient of their own and no graph; undefined: no cross
     * attention. dtype: of the products, as in PrecisionScope. */
    RecomputedStack(const Model &model, const Stack &stack, const Packed &batch,
                    const at::Tensor &memory, const std::vector<int64_t> &memory_lengths,
                    Dropout *dropout, at::ScalarType dtype);
    /* The output of the stack, [tokens, dims]; its graph begins behind the last block. */
    at::Tensor run();
    /* Called when a backward() from that output has ended: adds the gradients of the blocks'
     * parameters and of the memory, and appends what lies before the first block to *roots. */
    void backward(Roots *roots);

  private:
    StackPass pass_;
    at::Tensor memory_, embedded_, top_; /* top_: the output of the last block */
    at::ScalarType dtype_;
    std::vector<at::Tensor> inputs_; /* [blocks] what entered each */
    std::vector<Dropout> dropouts_;  /* [blocks] generators as each found them; empty: none */
    std::vector<at::Tensor> biases_; /* [runs] those of relative positions with their graph */
};

} // namespace alcore_torch

#endif
