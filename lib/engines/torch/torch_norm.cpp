/* SPDX-License-Identifier: Apache-2.0 */
/* LayerNorm and RMSNorm over the last dimension. */
#include "torch_norm.h"

#include "torch_attention.h"
#include "torch_parallel.h"

namespace alcore_torch {

/* Whether a kernel can read the weight; an undefined one stands for none, which it can. */
static bool readable(const at::Tensor &weight) {
    return !weight.defined() ||
           (weight.is_cpu() && weight.is_contiguous() && weight.scalar_type() == at::kFloat);
}

bool norm_fits(const Norm &norm) {
    return !norm.weight.defined() || (norm.rms && readable(norm.weight));
}

torch_norm norm_here(const Norm &norm) {
    auto numbers = [](const at::Tensor &tensor) {
        return tensor.defined() ? tensor.const_data_ptr<float>() : nullptr;
    };
    return {numbers(norm.weight), norm.raised ? 1.0f : 0.0f, static_cast<float>(norm.epsilon),
            !norm.rms, numbers(norm.bias)};
}

/* The norm by the kernel. */
static at::Tensor normed(const Norm &norm, const at::Tensor &x) {
    const at::Tensor from = x.contiguous();
    at::Tensor out = at::empty(x.sizes(), x.options());
    const int64_t size = x.size(-1);
    const torch_norm by = norm_here(norm);
    const float *rows = from.const_data_ptr<float>();
    float *to = out.data_ptr<float>();
    in_parallel(0, from.numel() / size, grain_of(size), [&](int64_t begin, int64_t end) {
        torch_kernels_here()->norm(&by, rows + begin * size, end - begin, size, to + begin * size);
    });
    return out;
}

/* RMS is computed in float32. Undefined weight: x itself. */
at::Tensor Norm::operator()(const at::Tensor &x) const {
    if (!weight.defined()) return x;
    if (kernels_fit(x) && readable(weight) && readable(bias)) return normed(*this, x);
    if (!rms) return at::layer_norm(x, {x.size(-1)}, weight, bias, epsilon, false);
    at::Tensor wide = x.to(at::kFloat);
    at::Tensor scaled = wide * at::rsqrt(wide.square().mean(-1, true) + epsilon);
    if (raised) return (scaled * (weight.to(at::kFloat) + 1)).to(x.scalar_type());
    return scaled.to(x.scalar_type()) * weight;
}

} // namespace alcore_torch
