/* SPDX-License-Identifier: Apache-2.0 */
/* Products with weights, y = x weight^T + bias, and their gradients.
 *
 * libtorch has an operator for its own compiler that multiplies float32 matrices in memory of the
 * CPU by oneDNN, while at::linear() calls MKL, which makes half as many products a second on
 * processors of AMD (docs/results/models.txt). It takes transposed matrices as they are, so that it
 * makes both products of the gradient as well:
 *
 *     dx = dy weight        dweight = dy^T x        dbias = the sum of the rows of dy */
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/custom_function.h>

#include "torch_linear.h"
#include "torch_lora.h"
#include "torch_narrow.h"

namespace alcore_torch {

/* The operator of the product, and the one that packs its weight; nothing where this libtorch has
 * none. */
static const std::optional<c10::OperatorHandle> &onednn_packing() {
    static const std::optional<c10::OperatorHandle> found =
        c10::Dispatcher::singleton().findSchema({"mkldnn::_reorder_linear_weight", ""});
    return found;
}
static const std::optional<c10::OperatorHandle> &onednn_linear() {
    static const std::optional<c10::OperatorHandle> found =
        c10::Dispatcher::singleton().findSchema({"mkldnn::_linear_pointwise", ""});
    return found;
}

/* Whether the operator is there and multiplies these matrices. */
static bool fits_onednn(const at::Tensor &x, const at::Tensor &weight) {
    return x.device().is_cpu() && x.scalar_type() == at::kFloat &&
           weight.scalar_type() == at::kFloat && x.numel() > 0 && onednn_linear();
}

/* function(x weight^T + bias) by the operator, which has no gradient. bias may be undefined, weight
 * packed; function and variant: names of the operator. */
static at::Tensor onednn_product(const at::Tensor &x, const at::Tensor &weight,
                                 const at::Tensor &bias, const char *function = "none",
                                 const char *variant = "") {
    /* Input, weight, bias; what is applied to the result, its parameters, its variant. */
    c10::Stack stack{x,
                     weight,
                     bias.defined() ? c10::IValue(bias) : c10::IValue(),
                     function,
                     c10::List<std::optional<at::Scalar>>(),
                     variant};
    onednn_linear()->callBoxed(stack);
    return stack[0].toTensor();
}

namespace {

/* The product with its gradient: x [rows, in], weight [out, in], bias [out] or none. Inputs of a
 * Function must be defined, or be optional. slope [rows, out]: the gradient of the product. The
 * operator computes a b^T, so what is not transposed in the formula is transposed here. */
struct Product : torch::autograd::Function<Product> {
    using Context = torch::autograd::AutogradContext;
    using List = torch::autograd::variable_list;
    static at::Tensor forward(Context *context, const at::Tensor &x, const at::Tensor &weight,
                              const std::optional<at::Tensor> &bias) {
        context->save_for_backward({x, weight});
        context->saved_data["biased"] = bias.has_value();
        return onednn_product(x, weight, bias.value_or(at::Tensor()));
    }
    static List backward(Context *context, const List &gradients) {
        List saved = context->get_saved_variables();
        at::Tensor slope = gradients[0].contiguous(), of_x, of_weight, of_bias;
        if (context->needs_input_grad(0)) of_x = onednn_product(slope, saved[1].t(), {});
        if (context->needs_input_grad(1)) of_weight = onednn_product(slope.t(), saved[0].t(), {});
        if (context->saved_data["biased"].toBool() && context->needs_input_grad(2))
            of_bias = slope.sum(0);
        return {of_x, of_weight, of_bias};
    }
};

} // namespace

at::Tensor product_of(const at::Tensor &x, const at::Tensor &matrix) {
    return fits_onednn(x, matrix) ? onednn_product(x, matrix.t(), {}) : at::mm(x, matrix);
}

/* x may have more than two dimensions, of which the last is `in`; with gradients the operator is
 * used for two only, the form of Product. */
static at::Tensor plain_product(const at::Tensor &x, const at::Tensor &weight,
                                const at::Tensor &bias) {
    if (!fits_onednn(x, weight)) return at::linear(x, weight, bias);
    if (!c10::GradMode::is_enabled()) return onednn_product(x, weight, bias);
    /* at::linear() is what autocast converts the inputs of; Product would stay float32. */
    bool plain = x.dim() == 2 && !at::autocast::is_autocast_enabled(at::kCPU);
    if (!plain) return at::linear(x, weight, bias);
    return Product::apply(x, weight,
                          bias.defined() ? std::optional<at::Tensor>(bias) : std::nullopt);
}

at::Tensor Linear::operator()(const at::Tensor &x, const Drop &drop) const {
    if (narrow) return narrow_product(*this, x);
    at::Tensor y = plain_product(x, weight, bias);
    return low_rank ? y + low_rank->product(x, drop) : y;
}

template <typename Block> static auto all_of(Block &block) {
    return std::array{&block.self,      &block.self_out, &block.cross_q, &block.cross_kv,
                      &block.cross_out, &block.up,       &block.gate,    &block.down};
}
std::array<Linear *, 8> matrices_of(Block &block) {
    return all_of(block);
}
std::array<const Linear *, 8> matrices_of(const Block &block) {
    return all_of(block);
}

at::Tensor activated(const Linear &linear, const at::Tensor &x, Activation activation,
                     const Drop &drop) {
    if (linear.narrow) {
        if (activation == Activation::Tanh) return at::tanh(linear(x));
        return narrow_product(linear, x,
                              activation == Activation::Gelu       ? TORCH_AFTER_GELU
                              : activation == Activation::GeluTanh ? TORCH_AFTER_GELU_TANH
                              : activation == Activation::Relu     ? TORCH_AFTER_RELU
                                                                   : TORCH_AFTER_SILU);
    }
    if (!c10::InferenceMode::is_enabled() || !fits_onednn(x, linear.weight) || linear.low_rank)
        return activate(linear(x, drop), activation);
    switch (activation) {
    case Activation::Gelu:
        return onednn_product(x, linear.weight, linear.bias, "gelu", "none");
    case Activation::GeluTanh:
        return onednn_product(x, linear.weight, linear.bias, "gelu", "tanh");
    case Activation::Relu:
        return onednn_product(x, linear.weight, linear.bias, "relu");
    case Activation::Silu:
        return onednn_product(x, linear.weight, linear.bias, "swish");
    default:
        return activate(linear(x), activation);
    }
}

at::Tensor added(const Linear &linear, const at::Tensor &x, const at::Tensor &to,
                 const Norm &after) {
    if (linear.narrow && !after.weight.defined())
        return narrow_product(linear, x, TORCH_AFTER_NOTHING, {}, to);
    return to + after(linear(x));
}

at::Tensor gated(const Linear &gate, const at::Tensor &x, const at::Tensor &inside,
                 const Drop &drop) {
    if (gate.narrow) return narrow_product(gate, x, TORCH_AFTER_NOTHING, inside);
    return gate.weight.defined() ? inside * gate(x, drop) : inside;
}

PackedWeights::PackedWeights(Model &model) : model_(model) {}

PackedWeights::~PackedWeights() {
    for (auto &[place, weight] : plain_) *place = std::move(weight);
    for (Linear *linear : packed_) linear->narrow = nullptr;
}

void PackedWeights::pack(const Host &host, Linear &linear) {
    at::Tensor &weight = linear.weight;
    if (!weight.defined() || weight.numel() > MOST_PACKED || !onednn_packing() ||
        !fits_onednn(weight, weight) || linear.narrow || linear.low_rank)
        return;
    if (model_.head != Head::Language) {
        std::shared_ptr<const NarrowWeight> kept = model_.packed.find(weight, linear.bias);
        if (!kept && (kept = packed_weight(host, linear)))
            model_.packed.keep(weight, linear.bias, kept);
        if (kept) {
            packed_.push_back(&linear);
            linear.narrow = std::move(kept);
            return;
        }
    }
    c10::Stack stack{weight, c10::IValue() /* rows of the other factor: not known */};
    onednn_packing()->callBoxed(stack);
    plain_.push_back({&weight, weight});
    weight = stack[0].toTensor();
    host.tick(nullptr, 0, 0);
}

void PackedWeights::pack(const Host &host, Stack &stack) {
    for (Block &block : stack.blocks)
        for (Linear *linear : matrices_of(block)) pack(host, *linear);
}

} // namespace alcore_torch
