/* SPDX-License-Identifier: Apache-2.0 */
/* Rotary positions (torch_rotary.h). Component i of a head is turned together with component
 * i + head / 2, as in the files of Hugging Face, which have the pairs of Su et al. in this
 * order. */
#include "torch_rotary.h"

#include "torch_attention.h"
#include "torch_norm.h"
#include "torch_parallel.h"

namespace alcore_torch {

/* The same operations in float32 as in transformers: at position 8,000 a frequency that is off by
 * its last bit is an angle that is off by 5e-4. */
at::Tensor rotary_frequencies(double theta, int64_t head) {
    at::Tensor exponents =
        at::arange(0, head, 2, at::TensorOptions().dtype(at::kFloat)) / static_cast<double>(head);
    return at::pow(theta, exponents).reciprocal();
}

Turn turn_of(const at::Tensor &positions, const Rotation &rotation) {
    at::Tensor angles = positions.to(at::kFloat).unsqueeze(1) *
                        rotation.frequencies.to(positions.device()).unsqueeze(0);
    angles = at::cat({angles, angles}, 1).unsqueeze(1);
    return {angles.cos() * rotation.scale, angles.sin() * rotation.scale};
}

/* x [tokens, heads, head], of any type; the products are of float32. */
static at::Tensor turn(const at::Tensor &x, const Turn &turn) {
    std::vector<at::Tensor> halves = x.chunk(2, -1);
    at::Tensor across = at::cat({-halves[1], halves[0]}, -1);
    return (x * turn.cosine + across * turn.sine).to(x.scalar_type());
}

/* turned() by the module's kernel, one pass over the projections in place of twenty. */
static at::Tensor turned_here(const Stack &stack, const Block &block, const at::Tensor &projected,
                              const Turn &by) {
    const int64_t tokens = projected.size(0), size = 3 * stack.heads * stack.head;
    const at::Tensor from = projected.contiguous(), cosine = by.cosine.contiguous(),
                     sine = by.sine.contiguous();
    at::Tensor out = at::empty({tokens, size}, projected.options());
    torch_turn all{};
    all.heads = stack.heads;
    all.kv_heads = stack.kv_heads > 0 ? stack.kv_heads : stack.heads;
    all.head = stack.head;
    all.query_norm = norm_here(block.query_norm);
    all.key_norm = norm_here(block.key_norm);
    all.projected = from.const_data_ptr<float>();
    all.out = out.data_ptr<float>();
    in_parallel(0, tokens, grain_of(size), [&](int64_t begin, int64_t end) {
        for (int64_t token = begin; token < end; token++) {
            torch_turn one = all;
            one.projected += token * from.size(1);
            one.cosine = cosine.const_data_ptr<float>() + token * stack.head;
            one.sine = sine.const_data_ptr<float>() + token * stack.head;
            one.out += token * size;
            torch_kernels_here()->turn(&one);
        }
    });
    return out;
}

at::Tensor turned(const Stack &stack, const Block &block, const at::Tensor &projected,
                  const Turn &by) {
    const int64_t heads = stack.heads, shared = stack.kv_heads > 0 ? stack.kv_heads : heads;
    if (!by.cosine.defined() && shared == heads) return projected;
    if (by.cosine.defined() && kernels_fit(projected) && norm_fits(block.query_norm) &&
        norm_fits(block.key_norm))
        return turned_here(stack, block, projected, by);
    at::Tensor parts = projected.view({projected.size(0), heads + 2 * shared, stack.head});
    at::Tensor query = block.query_norm(parts.narrow(1, 0, heads)),
               key = block.key_norm(parts.narrow(1, heads, shared)),
               value = parts.narrow(1, heads + shared, shared);
    if (by.cosine.defined()) {
        query = turn(query, by);
        key = turn(key, by);
    }
    if (shared != heads) {
        key = key.repeat_interleave(heads / shared, 1);
        value = value.repeat_interleave(heads / shared, 1);
    }
    return at::cat({query, key, value}, 1).view({projected.size(0), 3 * heads * stack.head});
}

} // namespace alcore_torch
