/* SPDX-License-Identifier: Apache-2.0 */
/* Dropout (Srivastava et al. 2014) from generators of the call's own: those of the process belong
 * to the program that the library is loaded into. Each item of a batch has one, seeded with a hash
 * of the pass and the item, so that what is dropped of an item does not depend on its neighbors;
 * these draw on the CPU, also for tensors of other devices, so that the same is dropped everywhere.
 * A training on another device has one generator of that device for a batch, seeded with a hash of
 * the pass and all items. */
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include "torch_parts.h"

namespace alcore_torch {

Dropout::Dropout(uint64_t seed, const std::vector<int64_t> &items) {
    for (int64_t item : items)
        generators_.push_back(
            at::detail::createCPUGenerator(hash_join(seed, static_cast<uint64_t>(item))));
}

Dropout::Dropout(uint64_t seed, const std::vector<int64_t> &items, at::Device device)
    : place_(device) {
    if (apart()) {
        *this = Dropout(seed, items);
        return;
    }
    for (int64_t item : items) seed = hash_join(seed, static_cast<uint64_t>(item));
    generators_.push_back(at::globalContext()
                              .getAcceleratorHooksInterface(device.type())
                              .getNewGenerator(device.index()));
    generators_[0].set_current_seed(seed);
}

/* A mask of this shape, where draws are made. In float32, in which 1 / (1 - rate) is right whatever
 * the type of x is. */
at::Tensor Dropout::mask_of(const at::Tensor &x) const {
    return at::empty(x.sizes(), x.options().dtype(at::kFloat).device(place_));
}

/* Fills a mask, each component by itself, with 0 (with probability `rate`) or 1 / (1 - rate). mask
 * is a view: the caller's tensor changes. */
static void fill_mask(at::Tensor mask, double rate, const at::Generator &generator) {
    mask.bernoulli_(1 - rate, generator).div_(1 - rate);
}

Dropout Dropout::copy() const {
    Dropout out;
    out.place_ = place_;
    for (const at::Generator &generator : generators_) out.generators_.push_back(generator.clone());
    return out;
}

at::Tensor Dropout::rows(const at::Tensor &x, const std::vector<int64_t> &lengths, double rate) {
    if (rate <= 0) return x;
    at::Tensor mask = mask_of(x);
    if (!apart()) fill_mask(mask, rate, generators_[0]);
    int64_t row = 0;
    for (size_t i = 0; apart() && i < lengths.size(); i++) {
        fill_mask(mask.narrow(0, row, lengths[i]), rate, generators_[i]);
        row += lengths[i];
    }
    return (x * mask.to(x.device())).to(x.scalar_type());
}

at::Tensor Dropout::items(const at::Tensor &x, size_t first, double rate) {
    if (rate <= 0) return x;
    at::Tensor mask = mask_of(x);
    if (!apart()) fill_mask(mask, rate, generators_[0]);
    for (int64_t i = 0; apart() && i < x.size(0); i++)
        fill_mask(mask[i], rate, generators_[first + static_cast<size_t>(i)]);
    return (x * mask.to(x.device())).to(x.scalar_type());
}

} // namespace alcore_torch
