/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout (Srivastava et al. 2014) from generators of the call's own: those of the process belong
 * to the program that the library is loaded into. Each item of a batch has one, seeded with a hash
 * of the pass and the item, so that what is dropped of an item does not depend on its neighbors. */
#include <ATen/CPUGeneratorImpl.h>

#include "torch_parts.h"

namespace alcore_torch {

Dropout::Dropout(uint64_t seed, const std::vector<int64_t> &items) {
    for (int64_t item : items)
        generators_.push_back(
            at::detail::createCPUGenerator(hash_join(seed, static_cast<uint64_t>(item))));
}

/* A mask of this shape. In float32, in which 1 / (1 - rate) is right whatever the type of x is. */
static at::Tensor mask_of(const at::Tensor &x) {
    return at::empty(x.sizes(), x.options().dtype(at::kFloat));
}

/* Fills a mask, each component by itself, with 0 (with probability `rate`) or 1 / (1 - rate). mask
 * is a view: the caller's tensor changes. */
static void fill_mask(at::Tensor mask, double rate, const at::Generator &generator) {
    mask.bernoulli_(1 - rate, generator).div_(1 - rate);
}

Dropout Dropout::copy() const {
    Dropout out;
    for (const at::Generator &generator : generators_) out.generators_.push_back(generator.clone());
    return out;
}

at::Tensor Dropout::rows(const at::Tensor &x, const std::vector<int64_t> &lengths, double rate) {
    if (rate <= 0) return x;
    at::Tensor mask = mask_of(x);
    int64_t row = 0;
    for (size_t i = 0; i < lengths.size(); i++) {
        fill_mask(mask.narrow(0, row, lengths[i]), rate, generators_[i]);
        row += lengths[i];
    }
    return (x * mask).to(x.scalar_type());
}

at::Tensor Dropout::items(const at::Tensor &x, size_t first, double rate) {
    if (rate <= 0) return x;
    at::Tensor mask = mask_of(x);
    for (int64_t i = 0; i < x.size(0); i++)
        fill_mask(mask[i], rate, generators_[first + static_cast<size_t>(i)]);
    return (x * mask).to(x.scalar_type());
}

} // namespace alcore_torch
