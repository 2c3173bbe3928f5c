/* SPDX-License-Identifier: Apache-2.0 */
/* What is made of tensors and kept as long as nothing is written to them. */
#ifndef ALCORE__TORCH_KEPT_H
#define ALCORE__TORCH_KEPT_H

#include <map>
#include <memory>
#include <utility>

#include <ATen/core/Tensor.h>

namespace alcore_torch {

/* Values by the weight and the bias (which may be undefined) of which they were made. torch counts
 * the writes to a tensor and its views, by which a value is known to be old; but not those of its
 * fused optimizers (at::_fused_adamw_()), after which clear() is to be called. */
template <typename Value> class Kept {
  public:
    /* NULL: nothing was made of the tensors, or something was written to them since. */
    std::shared_ptr<const Value> find(const at::Tensor &weight, const at::Tensor &bias) const {
        const auto found = entries_.find(key(weight, bias));
        const bool is_current = found != entries_.end() &&
                                found->second.weight_writes == writes(weight) &&
                                found->second.bias_writes == writes(bias);
        return is_current ? found->second.value : nullptr;
    }
    void keep(const at::Tensor &weight, const at::Tensor &bias,
              std::shared_ptr<const Value> value) {
        entries_[key(weight, bias)] = {weight, bias, writes(weight), writes(bias),
                                       std::move(value)};
    }
    void clear() { entries_.clear(); }

  private:
    using Key = std::pair<const void *, const void *>;
    struct Entry {
        at::Tensor weight, bias; /* so that no other tensors get their addresses */
        int64_t weight_writes, bias_writes;
        std::shared_ptr<const Value> value;
    };
    static Key key(const at::Tensor &weight, const at::Tensor &bias) {
        return {weight.unsafeGetTensorImpl(), bias.unsafeGetTensorImpl()};
    }
    static int64_t writes(const at::Tensor &tensor) {
        return tensor.defined() ? tensor._version() : 0;
    }

    std::map<Key, Entry> entries_;
};

} // namespace alcore_torch

#endif
