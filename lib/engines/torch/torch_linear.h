/* SPDX-License-Identifier: Apache-2.0 */
/* Products with weights beyond y = x weight^T + bias (torch_linear.cpp). */
#ifndef ALCORE__TORCH_LINEAR_H
#define ALCORE__TORCH_LINEAR_H

#include <array>

#include "torch_parts.h"

namespace alcore_torch {

/* Weights of a model, packed for the length of a call without gradients: for the module's own
 * kernels (torch_narrow.h), or in the layout of oneDNN where the processor has none of them and in
 * language models, whose wider matrices oneDNN multiplies faster (docs/results/number_types.txt).
 * Given other weights, oneDNN copies them to its layout in every product, which takes a tenth of
 * the time of a product with 700 rows and half of it with 50. Products are those of the plain
 * weights when the object is gone, also after a failure. Calls on a model come one at a time, so
 * that no other call uses the model in between. Memory: the packed weights once more. Those for the
 * kernels stay in model.packed for later calls, because packing them takes a twelfth of a beam
 * search of 20 tokens. */
class PackedWeights {
  public:
    explicit PackedWeights(Model &model);
    ~PackedWeights();
    PackedWeights(const PackedWeights &) = delete;
    PackedWeights &operator=(const PackedWeights &) = delete;
    /* Packs the matrices of all blocks; throws when cancelled. */
    void pack(const Host &host, Stack &stack);
    /* Packs one matrix. Left as it is: what is not multiplied by oneDNN, a matrix of more than
     * MOST_PACKED components, as a call must be able to end within 100 ms, and one that is narrow
     * or to which an adapter adds. */
    void pack(const Host &host, Linear &linear);

  private:
    static constexpr int64_t MOST_PACKED = int64_t{1} << 25;
    std::vector<std::pair<at::Tensor *, at::Tensor>> plain_; /* where it belongs, and the weight */
    std::vector<Linear *> packed_;                           /* those for the kernels */
    Model &model_;
};

/* The matrices of a block, of which some may not be given. */
std::array<Linear *, 8> matrices_of(Block &block);
std::array<const Linear *, 8> matrices_of(const Block &block);

/* activate(linear(x, drop), activation); in a call that does not train, and where oneDNN
 * multiplies, in one pass over the result. */
at::Tensor activated(const Linear &linear, const at::Tensor &x, Activation activation,
                     const Drop &drop = {});
/* to + after(linear(x)); an undefined norm is none. */
at::Tensor added(const Linear &linear, const at::Tensor &x, const at::Tensor &to,
                 const Norm &after = {});
/* inside * gate(x, drop), or `inside` where there is no gate. */
at::Tensor gated(const Linear &gate, const at::Tensor &x, const at::Tensor &inside,
                 const Drop &drop = {});

} // namespace alcore_torch

#endif
