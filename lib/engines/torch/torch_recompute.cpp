/* SPDX-License-Identifier: Apache-2.0 */
/* Gradient checkpointing (Chen et al. 2016): of each block only the input is kept, and the block is
 * computed again when its gradient is due. Memory: one matrix [tokens, dims] a block, and what
 * autograd keeps of one block, in place of what it keeps of all.
 *
 * The gradients are the same to the last bit. The blocks are the same operations on the same
 * numbers, dropout included, whose generators are copied before each block. What several places of
 * the graph share (embeddings, relative positions) gets its gradient in one backward() over all of
 * them, because autograd adds these up before it adds the sum to the gradient of the parameter. */
#include <torch/csrc/autograd/autograd.h>

#include "torch_recompute.h"
#include "torch_train.h"

namespace alcore_torch {

void Roots::add(const at::Tensor &value, const at::Tensor &gradient) {
    if (!gradient.defined() || !value.requires_grad()) return;
    values.push_back(value);
    gradients.push_back(gradient);
}

void Roots::backward() const {
    if (!values.empty()) torch::autograd::backward(values, gradients);
}

/* The tensor without its graph, as one that gets a gradient. */
static at::Tensor leaf_of(const at::Tensor &x) {
    return x.detach().set_requires_grad(true);
}

RecomputedStack::RecomputedStack(const Model &model, const Stack &stack, const Packed &batch,
                                 const at::Tensor &memory,
                                 const std::vector<int64_t> &memory_lengths, Dropout *dropout,
                                 at::ScalarType dtype)
    : pass_(model, stack, batch, memory_lengths, dropout), memory_(memory), dtype_(dtype) {
    for (Run &run : pass_.runs)
        if (run.bias.defined()) {
            biases_.push_back(run.bias);
            run.bias = leaf_of(run.bias);
        }
}

at::Tensor RecomputedStack::run() {
    PrecisionScope products(pass_.model.device, dtype_);
    embedded_ = pass_.embed();
    at::Tensor x = embedded_.detach();
    for (size_t i = 0; i < pass_.stack.blocks.size(); i++) {
        inputs_.push_back(x);
        if (pass_.dropout != nullptr) dropouts_.push_back(pass_.dropout->copy());
        /* With gradients, so that the same kernels run as the second time; detach() frees them. */
        x = pass_.block(i, x, memory_).detach();
    }
    top_ = leaf_of(x);
    return pass_.finish(top_);
}

/* gradient: of the output of block i, at first of top_, which the backward() from the stack's
 * output has left there; undefined where nothing depends on it. Memory and parameters are leaves,
 * so y.backward() adds to their gradients. */
void RecomputedStack::backward(Roots *roots) {
    at::Tensor gradient = top_.grad();
    top_.reset();
    for (size_t i = inputs_.size(); i-- > 0 && gradient.defined();) {
        at::Tensor x = leaf_of(inputs_[i]), y;
        if (pass_.dropout != nullptr) pass_.dropout = &dropouts_[i];
        {
            PrecisionScope products(pass_.model.device, dtype_);
            y = pass_.block(i, x, memory_);
        }
        y.backward(gradient);
        gradient = x.grad();
        inputs_[i].reset();
    }
    roots->add(embedded_, gradient);
    size_t next = 0;
    for (const Run &run : pass_.runs)
        if (run.bias.defined()) roots->add(biases_[next++], run.bias.grad());
}

} // namespace alcore_torch
